"""Where a commit enters: the site's files from a folder or straight from git objects, and who changed what since when.

Nothing here parses YAML or judges a signature: `renderer.load` does the first, `reconciler.trust` the second.
"""
