"""The only door outside: git, ssh keys, processes, files, the clock, configuration."""
