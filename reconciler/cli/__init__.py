"""The command line: one verb a file, each of them parse, call, report, exit."""
