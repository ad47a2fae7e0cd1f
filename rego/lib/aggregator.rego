# Turns rules that say what holds into a verdict that fails closed.
#
# A rule is a static entry {id: {severity, subjects}}. `subjects` names where its subjects are keyed: an object (its keys)
# or a list of objects (their ids) below `input` or `data.site`; `input` alone is one subject; an explicit null is none.
# Everything required and not proven to hold is a violation, so an undefined expression, whatever made it undefined, ends
# as a denial and never as silence. Message, remedy and file are looked up afterwards; what has no message could not be judged.
package charter.aggregator

# `packages` is {key: {prefix, rules, holds, message, remedy, where}}; `at` is {input, site, revision}.
verdict(packages, at) := {
	"format": "charter.verdict/v1",
	"allow": count([v | some v in found; denies(v)]) == 0,
	"violations": found,
	"revision": at.revision,
} if {
	unmet := {[key, id, subject] |
		some key, rules in packages
		some [id, subject] in (required(rules, at) - rules.holds)
	}
	found := {v |
		some [key, id, subject] in unmet
		v := violation(packages[key], id, subject, at)
	}

	# A violation that could not be written down would be lost: then there is no verdict, which denies.
	every entry in unmet {
		[key, id, subject] := entry
		violation(packages[key], id, subject, at)
	}
}

denies(violation) if {
	violation.severity == "deny"
	not violation.waived_by
}

required(p, at) := {[id, subject] |
	some id, rule in p.rules
	some subject in subjects(rule, at)
}

subjects(rule, at) := keys(part(rule.subjects, at))

# Subjects that aren't there are a subject that cannot hold. (`not` goes around one name: of a call inside a call it would
# negate only the outer one, and an undefined inner one would lose the rule.)
subjects(rule, at) := {concat(" ", [object.get(rule, "subjects", "subjects"), "is missing"])} if {
	not keyed(rule, at)
}

keyed(rule, at) if keys(part(rule.subjects, at))

part("input", at) := {"input": at.input}

part(path, at) := object.get(at.input, array.slice(steps, 1, count(steps)), false) if {
	steps := split(path, ".")
	steps[0] == "input"
	count(steps) > 1
}

part(path, at) := object.get(at.site, array.slice(steps, 2, count(steps)), false) if {
	steps := split(path, ".")
	array.slice(steps, 0, 2) == ["data", "site"]
	count(steps) > 2
}

keys(value) := object.keys(value) if is_object(value)

keys(value) := {object.get(item, "id", position) | some position, item in value} if is_array(value)

keys(null) := set()

# What a site adds, package by package: it may bring rules, and nothing of it reaches another package's.
added(kind) := {concat("", ["site/", name]): family |
	some name
	rules := data.charter.site[kind][name].rules
	family := {
		"prefix": concat("", [name, "/"]),
		"rules": rules,
		"holds": {pair | some pair in data.charter.site[kind][name].holds},
		"message": {id: said | some id, said in data.charter.site[kind][name].message},
		"remedy": {id: said | some id, said in data.charter.site[kind][name].remedy},
		"where": {id: said | some id, said in data.charter.site[kind][name].where},
	}
}

violation(p, id, subject, at) := object.union(plain, waived(p.rules[id], plain, at)) if {
	plain := {
		"id": concat("", [p.prefix, id]),
		"subject": sprintf("%v", [subject]),
		"message": text(p.message, id, subject, "could not be judged"),
		"where": text(p.where, id, subject, ""),
		"remedy": text(p.remedy, id, subject, "give the policy what this rule needs, or mend the rule"),
		"severity": severity(p.rules[id]),
	}
}

# Several sentences about one subject are all said, in a fixed order.
text(table, id, subject, otherwise) := concat("; ", sort(said)) if {
	said := {sentence | some sentence in table[id][subject]; is_string(sentence)}
	count(said) > 0
} else := otherwise

severity(rule) := "warn" if {
	rule.severity == "warn"
} else := "deny"

# A waiver excuses one rule for one subject until its end; rules that guard the gate itself can't be waived.
waived(rule, plain, at) := {"waived_by": waiver.text} if {
	not rule.waivable == false
	waiver := at.site.waivers[plain.id][plain.subject]
	is_number(waiver.until)
	is_number(at.input.now)
	waiver.until > at.input.now
} else := {}
