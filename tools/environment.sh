#!/usr/bin/env bash
# Make the virtual environment from the lock file. Wheels are kept outside the tree, so that it works again offline.
set -euo pipefail
venv=$1
python=${PYTHON:-python3}
cache=${CHARTER_CACHE:-$HOME/.cache/charter}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
tag=$("$python" -c 'import sys; print(f"py{sys.version_info[0]}{sys.version_info[1]}")')
wheels=$cache/wheels-$tag-$(sha256sum requirements/lock.txt | cut -c1-16)
echo "== Python environment"
if [ ! -f "$wheels/.complete" ]; then
    echo "   fetching locked packages (once)"
    rm -rf "$wheels.partial"
    mkdir -p "$wheels.partial"
    "$python" -m pip download --quiet --disable-pip-version-check --require-hashes -r requirements/lock.txt -d "$wheels.partial"
    touch "$wheels.partial/.complete"
    rm -rf "$wheels"
    mv "$wheels.partial" "$wheels"
fi
rm -rf "$venv"
"$python" -m venv "$venv"
offline=(--quiet --disable-pip-version-check --no-index --find-links "$wheels")
"$venv/bin/python" -m pip install "${offline[@]}" --require-hashes -r requirements/lock.txt
"$venv/bin/python" -m pip install "${offline[@]}" --no-build-isolation --no-deps --editable .
touch "$venv/.ready"
echo "   ready: $("$venv/bin/python" --version)"
