#!/usr/bin/env bash
# Mutants of gate, plan and audit against the tests that concern them; fails below 80 % killed in any of the three.
# Every mutant of plan is run. Of gate and audit, whose tests drive git, ssh-keygen and OPA, it is SAMPLE of each,
# drawn with SEED; SAMPLE=all runs them all, for hours. CHILDREN is how many run at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
sample=${SAMPLE:-150} seed=${SEED:-1}
log=mutants/run.log
run() {
  nice .venv/bin/mutmut run --max-children "${CHILDREN:-1}" "$@" >"$log" 2>&1 || { tail -c 4000 "$log"; exit 1; }
}
rm -rf mutants && mkdir mutants
run 'reconciler.plan.*'
names=$(.venv/bin/python tools/mutation_score.py --draw "$sample" --seed "$seed")
# shellcheck disable=SC2086  # one name a word
run $names
.venv/bin/python tools/mutation_score.py
