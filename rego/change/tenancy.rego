# What a programme has against what its tenant has: GPUs, zones, tiers.
package charter.change.tenancy

import data.charter.numbers

rules := {
	"tenant-guarantee": {"severity": "deny", "subjects": "input.head.tenants"},
	"zone": {"severity": "deny", "subjects": "input.head.programs"},
	"qos-tier": {"severity": "deny", "subjects": "input.head.programs"},
}

models := input.head.models

planes := ["training", "inference"]

# GPUs of a model that a tenant's programmes are guaranteed.
granted(tenant, plane, model) := numbers.total(
	[input.head.programs[ref].quota[plane][model].guarantee | some ref in tenant.programs],
	count(tenant.programs),
)

granted_together(tenant, plane) := numbers.total(
	[granted(tenant, plane, model) | some model in array.concat(models, ["any"])],
	count(models) + 1,
)

held_together(tenant, plane) := numbers.total(
	[tenant.quota[plane][model].guarantee | some model in array.concat(models, ["any"])],
	count(models) + 1,
)

holds contains ["tenant-guarantee", name] if {
	some name, tenant in input.head.tenants
	every plane in planes {
		every model in models {
			granted(tenant, plane, model) <= tenant.quota[plane][model].guarantee
		}
		granted_together(tenant, plane) <= held_together(tenant, plane)
	}
}

message["tenant-guarantee"][name] contains text if {
	some name, tenant in input.head.tenants
	some plane in planes
	some model in models
	total := granted(tenant, plane, model)
	total > tenant.quota[plane][model].guarantee
	text := sprintf(
		"its programmes are guaranteed %d GPUs of model %s for %s, the tenant %d",
		[total, model, plane, tenant.quota[plane][model].guarantee],
	)
}

message["tenant-guarantee"][name] contains text if {
	some name, tenant in input.head.tenants
	some plane in planes
	total := granted_together(tenant, plane)
	total > held_together(tenant, plane)
	text := sprintf(
		"its programmes are guaranteed %d GPUs of all models for %s, the tenant %d",
		[total, plane, held_together(tenant, plane)],
	)
}

remedy["tenant-guarantee"][name] contains "lower the programmes' guarantees or raise the tenant's" if {
	some name, _ in input.head.tenants
}

where["tenant-guarantee"][name] contains tenant.path if some name, tenant in input.head.tenants

tenant_of(program) := input.head.tenants[program.tenant]

# Where a programme may run: what its tenant, the site and the class of the tenant's data all permit.
permitted(program) := zones if {
	tenant := tenant_of(program)
	of_class := {zone | some zone in input.head.data_classes[tenant.data_class]}
	zones := ({zone | some zone in tenant.zones} & {zone | some zone in input.head.zones}) & of_class
}

holds contains ["zone", ref] if {
	some ref, program in input.head.programs
	count(program.zones) > 0
	every zone in program.zones {
		zone in permitted(program)
	}
}

message.zone[ref] contains text if {
	some ref, program in input.head.programs
	some zone in program.zones
	not zone in permitted(program)
	text := sprintf("zone %s is not permitted: tenant, site and data class %s leave %s", [
		zone, tenant_of(program).data_class, listed(permitted(program)),
	])
}

message.zone[ref] contains "it names no zone to run in" if {
	some ref, program in input.head.programs
	count(program.zones) == 0
}

listed(names) := concat(", ", sort(names)) if {
	count(names) > 0
} else := "none"

remedy.zone[ref] contains "name zones that hold this data, or give the tenant another data class" if {
	some ref, _ in input.head.programs
}

tier(program) := input.head.qos[tenant_of(program).tier].priority

holds contains ["qos-tier", ref] if {
	some ref, program in input.head.programs
	every name in array.concat(program.qos, [program.default_qos]) {
		input.head.qos[name].priority <= tier(program)
	}
}

message["qos-tier"][ref] contains text if {
	some ref, program in input.head.programs
	some name in array.concat(program.qos, [program.default_qos])
	input.head.qos[name].priority > tier(program)
	text := sprintf("QOS %s (priority %d) stands above its tenant's tier %s (%d)", [
		name, input.head.qos[name].priority, tenant_of(program).tier, tier(program),
	])
}

remedy["qos-tier"][ref] contains "grant a QOS of the tenant's tier or below, or raise the tenant's tier" if {
	some ref, _ in input.head.programs
}

where[id][ref] contains program.path if {
	some id in {"zone", "qos-tier"}
	some ref, program in input.head.programs
}
