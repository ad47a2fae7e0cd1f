package charter.admission_test

import data.charter.admission

asked := {"format": "charter.admission/v1", "now": 5, "request": {"kind": "job", "name": "7", "program": "a/b"}}

site := {"programs": {"a/b": {}}, "waivers": {"program": {"input": {"until": 9, "text": "no"}}}}

judged(question) := verdict if {
	verdict := admission.verdict with input as question with data.site as site with data.charter.revision as "r"
}

without(path) := json.remove(asked, [path])

test_a_known_programme_is_admitted if judged(asked).allow

test_an_unknown_one_is_not_and_cannot_be_waived if {
	verdict := judged(object.union(asked, {"request": {"program": "a/c"}}))
	not verdict.allow
	{[v.id, v.message] | some v in verdict.violations} == {["program", "a/c is no programme of this site"]}
}

test_a_missing_field_is_a_denial if {
	every path in ["format", "now", "request", "request/kind", "request/name", "request/program"] {
		not judged(without(path)).allow
	}
}
