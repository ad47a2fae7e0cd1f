"""The only door outside: git, ssh keys, processes, files, the clock, configuration.

GitPython fails when it is imported where there is no git; it is told not to, and git.py says so in a sentence.
"""

import os

os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
