# Properties of the whole that no single case of the table shows.
package charter.change_test

import data.charter.aggregator
import data.charter.change
import data.charter.numbers

family(rules, holds) := {"one": {
	"prefix": "",
	"rules": rules,
	"holds": holds,
	"message": {},
	"remedy": {},
	"where": {},
}}

asked := {"now": 5, "things": {"a": 1, "b": 2}, "list": [{"id": "c"}, {}], "nothing": null}

judged(subjects, holds, waivers) := aggregator.verdict(
	family({"r": {"severity": "deny", "subjects": subjects}}, holds),
	{"input": asked, "site": {"waivers": waivers, "kept": {"k": 1}}, "revision": "x"},
)

subjects_found(verdict) := {v.subject | some v in verdict.violations}

test_what_is_required_and_not_proven_is_denied if {
	verdict := judged("input.things", {["r", "a"]}, {})
	not verdict.allow
	subjects_found(verdict) == {"b"}
	{v.message | some v in verdict.violations} == {"could not be judged"}
}

test_all_proven_is_allowed if judged("input.things", {["r", "a"], ["r", "b"]}, {}).allow

test_a_proof_for_another_rule_proves_nothing if not judged("input.things", {["s", "a"], ["s", "b"]}, {}).allow

test_items_of_a_list_are_named_by_id_and_nameless_ones_by_place if {
	subjects_found(judged("input.list", set(), {})) == {"c", "1"}
}

test_subjects_of_data if subjects_found(judged("data.site.kept", set(), {})) == {"k"}

test_the_input_as_one_subject if subjects_found(judged("input", set(), {})) == {"input"}

test_an_explicit_null_has_no_subjects if judged("input.nothing", set(), {}).allow

test_subjects_that_are_not_there_are_denied if {
	every path in ["input.absent", "input.now", "data.other", "elsewhere", ""] {
		not judged(path, {["r", "a"], ["r", "b"]}, {}).allow
	}
}

test_a_rule_without_subjects_is_denied if {
	not aggregator.verdict(
		family({"r": {"severity": "deny"}}, set()),
		{"input": asked, "site": {}, "revision": "x"},
	).allow
}

test_a_rule_without_severity_denies if {
	verdict := aggregator.verdict(
		family({"r": {"subjects": "input"}}, set()),
		{"input": asked, "site": {}, "revision": "x"},
	)
	not verdict.allow
	{v.severity | some v in verdict.violations} == {"deny"}
}

test_a_waiver_excuses_until_its_end if {
	some_waiver := {"r": {"a": {"until": 6, "text": "why"}}}
	verdict := judged("input.things", {["r", "b"]}, some_waiver)
	verdict.allow
	{v.waived_by | some v in verdict.violations} == {"why"}
	not judged("input.things", {["r", "b"]}, {"r": {"a": {"until": 5, "text": "why"}}}).allow
	not judged("input.things", {["r", "b"]}, {"r": {"a": {"until": "9", "text": "why"}}}).allow
}

test_nothing_known_is_no_verdict if not change.verdict

test_a_sum_that_lost_a_term_is_undefined if {
	numbers.total([1, 2], 2) == 3
	not numbers.total([1], 2)
	not numbers.total([1, "2"], 2)
}

test_factors if {
	numbers.factor(171, 100) == "1.71"
	numbers.factor(10, 5) == "2.00"
	numbers.factor(205, 100) == "2.05"
	numbers.factor(1, 0) == "infinitely many"
}
