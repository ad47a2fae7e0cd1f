"""How long a large site takes, beside what libyaml takes for the same files."""
