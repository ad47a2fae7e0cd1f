# What the gate itself must be given. None of this can be waived: a gate asked half a question must not answer.
package charter.change.structure

rules := {
	"input": {"severity": "deny", "subjects": "input", "waivable": false},
	"complete": {"severity": "deny", "subjects": "input", "waivable": false},
	"uncommitted": {"severity": "warn", "subjects": "input", "waivable": false},
}

kinds := ["endpoints", "nodes", "programs", "qos", "reservations", "tenants"]

holds contains ["input", "input"] if {
	input.format == "charter.change/v1"
	floor(input.now) == input.now
	input.head.format == "charter.site/v1"
	base_named
	commits_named
}

base_named if input.base == null

base_named if input.base.format == "charter.site/v1"

commits_named if input.commits == null

commits_named if {
	is_array(input.commits)
	count({commit.id | some commit in input.commits}) == count(input.commits)
	every commit in input.commits {
		is_string(commit.id)
		is_array(commit.paths)
		every path in commit.paths {
			is_string(path)
		}
	}
	commits_explain
}

# What differs was committed by somebody.
commits_explain if count(input.commits) > 0

commits_explain if input.base.digest == input.head.digest

holds contains ["complete", "input"] if {
	object.keys(input.head.capacity) == {"training", "inference"}
	every kind in kinds {
		count(input.head[kind]) == input.head.counts[kind]
	}
	{ref | some tenant in input.head.tenants; some ref in tenant.programs} == object.keys(input.head.programs)
	{name | some program in input.head.programs; some name in program.endpoints} == object.keys(input.head.endpoints)
}

holds contains ["uncommitted", "input"] if is_array(input.commits)

message.input.input contains "the question isn't a change of format charter.change/v1 whose every difference is committed"

message.complete.input contains "parts of the site are missing from the question, or nothing refers to them"

message.uncommitted.input contains "nothing is committed yet, so it was not judged who may change this"

remedy.input.input contains "ask with the format, the time, both sites and the commits between them, each once"

remedy.complete.input contains "ask with the whole site as keyed data"

remedy.uncommitted.input contains "commit, then plan again"
