# Who may change what: the paths of a commit against the roles of the principal who signed it. data.site is the site whose
# approvers are in force, which is never simply the one being proposed. Only the host's verified principal counts.
package charter.change.authority

rules := {
	"authority": {"severity": "deny", "subjects": "input.commits", "waivable": false},
	"unsigned-site": {"severity": "warn", "subjects": "input", "waivable": false},
}

approvers := data.site.approvers

signed if approvers.require in {"signed", "approved"}

holds contains ["authority", commit.id] if {
	approvers.require == "none"
	some commit in input.commits
}

holds contains ["authority", commit.id] if {
	signed
	some commit in input.commits
	every path in commit.paths {
		covered(commit, path)
	}
}

holds contains ["unsigned-site", "input"] if signed

may(principal, path) if {
	some role in approvers.principals[principal].roles
	some pattern in approvers.roles[role].paths
	glob.match(pattern, ["/"], path)
}

covered(commit, path) if may(commit.principal, path)

beyond(commit) := [path | some path in commit.paths; not covered(commit, path)]

message.authority[commit.id] contains sprintf("%v may not change %v", [name(commit), concat(", ", beyond(commit))]) if {
	signed
	some commit in input.commits
}

message["unsigned-site"].input contains "require is none: anybody who can push may change everything" if {
	approvers.require == "none"
}

remedy.authority[commit.id] contains "have it signed by a principal whose role covers these paths" if {
	some commit in input.commits
}

remedy["unsigned-site"].input contains "set require to signed once the principals' keys are in place"

where.authority[commit.id] contains beyond(commit)[0] if {
	signed
	some commit in input.commits
}

where["unsigned-site"].input contains "policies/approvers.yaml"

name(commit) := commit.principal if {
	is_string(commit.principal)
} else := "nobody known (no verified signature)"
