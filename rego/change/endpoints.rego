# What inference services need at least, against what their programme is guaranteed: the replicas that must run, and
# those that stand beside them while they are replaced. All endpoints of a programme share one guarantee.
package charter.change.endpoints

import data.charter.numbers

rules := {"endpoint-guarantee": {"severity": "deny", "subjects": "input.head.endpoints"}}

models := input.head.models

gpus(endpoint) := (endpoint.min + endpoint.surge) * endpoint.gpus_per_replica

program_of(endpoint) := input.head.programs[endpoint.program]

# GPUs that a programme's endpoints need of a model; undefined unless every one of them says what it needs.
needed(program, model) := sum([need |
	some name in program.endpoints
	endpoint := input.head.endpoints[name]
	endpoint.gpu_model == model
	need := gpus(endpoint)
]) if {
	every name in program.endpoints {
		input.head.endpoints[name].gpu_model in models
		is_number(gpus(input.head.endpoints[name]))
	}
}

guarantee(program, model) := program.quota.inference[model].guarantee

# What a model's own guarantee doesn't cover must come out of the guarantee for any model.
uncovered(program) := numbers.total(
	[max([0, needed(program, model) - guarantee(program, model)]) | some model in models],
	count(models),
)

holds contains ["endpoint-guarantee", name] if {
	some name, endpoint in input.head.endpoints
	program := program_of(endpoint)
	name in program.endpoints
	uncovered(program) <= guarantee(program, "any")
}

message["endpoint-guarantee"][name] contains text if {
	some name, endpoint in input.head.endpoints
	program := program_of(endpoint)
	uncovered(program) > guarantee(program, "any")
	text := sprintf(
		"with surge it needs %d GPUs of model %s; all endpoints of %s need %d of it, guaranteed are %d and %d of any model",
		[
			gpus(endpoint), endpoint.gpu_model, endpoint.program, needed(program, endpoint.gpu_model),
			guarantee(program, endpoint.gpu_model), guarantee(program, "any"),
		],
	)
}

remedy["endpoint-guarantee"][name] contains "lower replicas.min or surge, or raise the programme's inference guarantee" if {
	some name, _ in input.head.endpoints
}

where["endpoint-guarantee"][name] contains endpoint.path if some name, endpoint in input.head.endpoints
