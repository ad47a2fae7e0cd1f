# Built-in judgement of a change of the site: the families below, and the site's own rules in charter.site.change.NAME.
#
# input   {format, now, base, head, commits}: two sites as keyed data, `base` null at the first apply, `commits` null for
#         a working tree that nothing has committed yet (plan only)
# data    site: the site whose approvers, freezes and waivers are in force; charter.usage: what was used; charter.revision
package charter.change

import data.charter.aggregator

families["authority"] := {
	"rules": data.charter.change.authority.rules,
	"holds": data.charter.change.authority.holds,
	"message": data.charter.change.authority.message,
	"remedy": data.charter.change.authority.remedy,
	"where": data.charter.change.authority.where,
}

families["capacity"] := {
	"rules": data.charter.change.capacity.rules,
	"holds": data.charter.change.capacity.holds,
	"message": data.charter.change.capacity.message,
	"remedy": data.charter.change.capacity.remedy,
	"where": data.charter.change.capacity.where,
}

families["endpoints"] := {
	"rules": data.charter.change.endpoints.rules,
	"holds": data.charter.change.endpoints.holds,
	"message": data.charter.change.endpoints.message,
	"remedy": data.charter.change.endpoints.remedy,
	"where": data.charter.change.endpoints.where,
}

families["freezes"] := {
	"rules": data.charter.change.freezes.rules,
	"holds": data.charter.change.freezes.holds,
	"message": data.charter.change.freezes.message,
	"remedy": data.charter.change.freezes.remedy,
	"where": data.charter.change.freezes.where,
}

families["reservations"] := {
	"rules": data.charter.change.reservations.rules,
	"holds": data.charter.change.reservations.holds,
	"message": data.charter.change.reservations.message,
	"remedy": data.charter.change.reservations.remedy,
	"where": data.charter.change.reservations.where,
}

families["structure"] := {
	"rules": data.charter.change.structure.rules,
	"holds": data.charter.change.structure.holds,
	"message": data.charter.change.structure.message,
	"remedy": data.charter.change.structure.remedy,
	"where": {},
}

families["tenancy"] := {
	"rules": data.charter.change.tenancy.rules,
	"holds": data.charter.change.tenancy.holds,
	"message": data.charter.change.tenancy.message,
	"remedy": data.charter.change.tenancy.remedy,
	"where": data.charter.change.tenancy.where,
}

own := {name: object.union(family, {"prefix": ""}) | some name, family in families}

# A family that came out undefined would be a family not asked: then there is no verdict, which denies.
verdict := aggregator.verdict(
	object.union(own, aggregator.added("change")),
	{"input": input, "site": data.site, "revision": data.charter.revision},
) if {
	every name in {"authority", "capacity", "endpoints", "freezes", "reservations", "structure", "tenancy"} {
		own[name]
	}
}
