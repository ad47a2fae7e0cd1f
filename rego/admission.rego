# Built-in judgement of a request: so far that it names a programme of the site; and the site's own rules in
# charter.site.admission.NAME.
#
# input   {format, now, request{kind: job|pod, name, program}}; `program` is tenant/programme
# data    site: the site in force; charter.usage: what was used; charter.revision
package charter.admission

import data.charter.aggregator

rules := {
	"request": {"severity": "deny", "subjects": "input", "waivable": false},
	"program": {"severity": "deny", "subjects": "input", "waivable": false},
}

holds contains ["request", "input"] if {
	input.format == "charter.admission/v1"
	floor(input.now) == input.now
	input.request.kind in {"job", "pod"}
	is_string(input.request.name)
}

holds contains ["program", "input"] if is_object(data.site.programs[input.request.program])

message.request.input contains "the question isn't a job or pod of format charter.admission/v1"

message.program.input contains sprintf("%v is no programme of this site", [input.request.program])

remedy.request.input contains "ask with the format, the time, and the request's kind, name and program"

remedy.program.input contains "submit under a programme's account or in its namespace"

own := {"admission": {
	"prefix": "",
	"rules": rules,
	"holds": holds,
	"message": message,
	"remedy": remedy,
	"where": {},
}}

verdict := aggregator.verdict(
	object.union(own, aggregator.added("admission")),
	{"input": input, "site": data.site, "revision": data.charter.revision},
)
