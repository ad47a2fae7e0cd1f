# Reservations that a change adds or alters. What it leaves alone is never judged again, so that yesterday's reservation
# can't block today's quota. Times are integer seconds; `peak` is what is held at the busiest moment it takes part in.
package charter.change.reservations

rules := {
	"reservation-time": {"severity": "deny", "subjects": "input.head.reservations"},
	"reservation-ended": {"severity": "warn", "subjects": "input.head.reservations"},
	"reservation-capacity": {"severity": "deny", "subjects": "input.head.reservations"},
}

what_it_holds := ["start", "end", "recurrence", "programs", "hosts", "nodes", "gpus", "purpose"]

unchanged(name) if {
	every field in what_it_holds {
		input.base.reservations[name][field] == input.head.reservations[name][field]
	}
}

recurring(reservation) if reservation.recurrence in {"daily", "weekly"}

ahead(reservation) if reservation.end > input.now

starts_well(_, reservation) if reservation.start >= input.now

# One under way may be altered, but not moved back.
starts_well(name, reservation) if input.base.reservations[name].start == reservation.start

holds contains ["reservation-time", name] if {
	some name, _ in input.head.reservations
	unchanged(name)
}

holds contains ["reservation-time", name] if {
	some name, reservation in input.head.reservations
	recurring(reservation)
}

holds contains ["reservation-time", name] if {
	some name, reservation in input.head.reservations
	ahead(reservation)
	starts_well(name, reservation)
}

# At the first apply nothing is new: what is under way is held to its end, what has ended is only said.
holds contains ["reservation-time", name] if {
	some name, _ in input.head.reservations
	input.base == null
}

holds contains ["reservation-ended", name] if {
	some name, _ in input.head.reservations
	is_object(input.base)
}

holds contains ["reservation-ended", name] if {
	some name, reservation in input.head.reservations
	recurring(reservation)
}

holds contains ["reservation-ended", name] if {
	some name, reservation in input.head.reservations
	ahead(reservation)
}

holds contains ["reservation-capacity", name] if {
	some name, _ in input.head.reservations
	unchanged(name)
}

holds contains ["reservation-capacity", name] if {
	some name, reservation in input.head.reservations
	room := input.head.capacity.training
	reservation.peak.nodes <= room.nodes
	reservation.peak.gpus <= room.gpus
	reachable(reservation)
}

# Maintenance may hold any node; work can only be held where Slurm may start it.
reachable(reservation) if reservation.purpose == "maintenance"

reachable(reservation) if count(reservation.outside) == 0

message["reservation-time"][name] contains "it ends in the past" if {
	some name, reservation in input.head.reservations
	reservation.end <= input.now
}

message["reservation-time"][name] contains "it starts in the past" if {
	some name, reservation in input.head.reservations
	ahead(reservation)
	not starts_well(name, reservation)
}

message["reservation-ended"][name] contains "it ended before the first apply and renders nothing" if {
	some name, reservation in input.head.reservations
	reservation.end <= input.now
}

message["reservation-capacity"][name] contains text if {
	some name, reservation in input.head.reservations
	room := input.head.capacity.training
	reservation.peak.nodes > room.nodes
	text := sprintf("%d nodes would be held at once, the training plane has %d", [reservation.peak.nodes, room.nodes])
}

message["reservation-capacity"][name] contains text if {
	some name, reservation in input.head.reservations
	room := input.head.capacity.training
	reservation.peak.gpus > room.gpus
	text := sprintf("%d GPUs would be held at once, the training plane has %d", [reservation.peak.gpus, room.gpus])
}

message["reservation-capacity"][name] contains text if {
	some name, reservation in input.head.reservations
	not reachable(reservation)
	text := sprintf("it holds nodes outside the training plane: %s", [concat(", ", reservation.outside)])
}

remedy["reservation-time"][name] contains "give it a start that is still to come, or remove its file" if {
	some name, _ in input.head.reservations
}

remedy["reservation-ended"][name] contains "remove its file when it is no longer wanted as a record" if {
	some name, _ in input.head.reservations
}

remedy["reservation-capacity"][name] contains "hold less, move it to another time, or move nodes to the training plane" if {
	some name, _ in input.head.reservations
}

where[id][name] contains reservation.path if {
	some id, _ in rules
	some name, reservation in input.head.reservations
}
