#!/usr/bin/env bash
# Mutants of gate, plan and audit against the fast tests; fails below 80 % killed in any of the three.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf mutants
nice .venv/bin/mutmut run --max-children "${CHILDREN:-2}" || true
.venv/bin/python tools/mutation_score.py
