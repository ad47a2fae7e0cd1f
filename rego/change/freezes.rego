# Paths that don't change while a freeze is in force. What counts is when a change would be applied, not when it was written.
# data.site is the site in force, and a change of the freezes is judged by both sides: none is lifted by the commit it holds.
package charter.change.freezes

rules := {"freeze": {"severity": "deny", "subjects": "data.site.freezes"}}

holds contains ["freeze", name] if {
	some name, freeze in data.site.freezes
	freeze.end <= input.now
}

holds contains ["freeze", name] if {
	some name, freeze in data.site.freezes
	freeze.start > input.now
}

# Nothing is live before the first apply.
holds contains ["freeze", name] if {
	some name, _ in data.site.freezes
	input.base == null
}

# Of a tree that nobody has committed, `uncommitted` says that its paths weren't judged.
holds contains ["freeze", name] if {
	some name, _ in data.site.freezes
	input.commits == null
}

holds contains ["freeze", name] if {
	some name, freeze in data.site.freezes
	is_array(freeze.paths)
	every commit in input.commits {
		every path in commit.paths {
			outside(freeze, path)
		}
	}
}

outside(freeze, path) if {
	every pattern in freeze.paths {
		glob.match(pattern, ["/"], path) == false
	}
}

frozen(freeze) := {path |
	some commit in input.commits
	some path in commit.paths
	some pattern in freeze.paths
	glob.match(pattern, ["/"], path)
}

message.freeze[name] contains sprintf("%s is frozen (%s)", [concat(", ", sort(frozen(freeze))), freeze.reason]) if {
	some name, freeze in data.site.freezes
	count(frozen(freeze)) > 0
}

remedy.freeze[name] contains "apply it after the end of the freeze; what can't wait needs a waiver, by a change of its own" if {
	some name, _ in data.site.freezes
}

where.freeze[name] contains "policies/freezes.yaml" if some name, _ in data.site.freezes
