# What all tenants are promised together against what each plane has. Flexible nodes count to no plane; the host gives
# capacity per plane so. A promise to `any` model counts only in the total of all models.
package charter.change.capacity

import data.charter.numbers

rules := {
	"plane-capacity": {"severity": "deny", "subjects": "input.head.capacity"},
	"limit-oversubscribed": {"severity": "warn", "subjects": "input.head.capacity"},
}

models := input.head.models

# GPUs of one measure (guarantee, limit) that all tenants have of a model in a plane.
promised(plane, model, measure) := numbers.total(
	[tenant.quota[plane][model][measure] | some tenant in input.head.tenants],
	count(input.head.tenants),
)

together(plane, measure) := numbers.total(
	[promised(plane, model, measure) | some model in array.concat(models, ["any"])],
	count(models) + 1,
)

fits(plane, measure) if {
	room := input.head.capacity[plane]
	every model in models {
		promised(plane, model, measure) <= room.models[model]
	}
	together(plane, measure) <= room.gpus
}

holds contains ["plane-capacity", plane] if {
	some plane, _ in input.head.capacity
	fits(plane, "guarantee")
}

holds contains ["limit-oversubscribed", plane] if {
	some plane, _ in input.head.capacity
	fits(plane, "limit")
}

message["plane-capacity"][plane] contains text if {
	some plane, room in input.head.capacity
	some model in models
	total := promised(plane, model, "guarantee")
	total > room.models[model]
	text := sprintf("tenants are guaranteed %d GPUs of model %s, the %s plane has %d", [total, model, plane, room.models[model]])
}

message["plane-capacity"][plane] contains text if {
	some plane, room in input.head.capacity
	total := together(plane, "guarantee")
	total > room.gpus
	text := sprintf("tenants are guaranteed %d GPUs of all models, the %s plane has %d", [total, plane, room.gpus])
}

message["limit-oversubscribed"][plane] contains text if {
	some plane, room in input.head.capacity
	total := together(plane, "limit")
	total > room.gpus
	text := sprintf(
		"tenants' limits sum to %d GPUs, the %s plane has %d: %s times its capacity",
		[total, plane, room.gpus, numbers.factor(total, room.gpus)],
	)
}

message["limit-oversubscribed"][plane] contains text if {
	some plane, room in input.head.capacity
	some model in models
	total := promised(plane, model, "limit")
	total > room.models[model]
	together(plane, "limit") <= room.gpus
	text := sprintf(
		"tenants' limits sum to %d GPUs of model %s, the %s plane has %d: %s times its capacity",
		[total, model, plane, room.models[model], numbers.factor(total, room.models[model])],
	)
}

remedy["plane-capacity"][plane] contains "lower guarantees in policies/tenants, or move nodes to the plane" if {
	some plane, _ in input.head.capacity
}

remedy["limit-oversubscribed"][plane] contains "nothing, if it is meant: what lies above the guarantees is lent, not promised" if {
	some plane, _ in input.head.capacity
}

where[id][plane] contains "policies/planes.yaml" if {
	some id, _ in rules
	some plane, _ in input.head.capacity
}
