#!/usr/bin/env bash
# The main job, from a new site to a verified record, on the embedded file target: no engine, no server.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CHARTER_NOW=2026-12-01T08:00:00Z NO_COLOR=1
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
step() { printf '\n== %s\n' "$*"; }
expect() { # exit code, command…
    local wanted=$1 code=0
    shift
    "$@" || code=$?
    [ "$code" -eq "$wanted" ] || { echo "demo: '$*' ended with $code instead of $wanted" >&2; exit 1; }
}

step "A new site, from the reference site"
charter init "$work/site"
cd "$work/site"
for person in sigrun thor; do
    ssh-keygen -q -t ed25519 -N '' -C "$person" -f "$work/$person"
done
git config user.name Sigrun
git config user.email sigrun@aurora.example
git config gpg.format ssh
git config user.signingKey "$work/sigrun"
git config commit.gpgSign true

step "Fresh keys, and signatures required from the first commit on"
"$(command -v python)" "$here/tools/demo_approvers.py" policies/approvers.yaml sigrun "$work/sigrun.pub" thor "$work/thor.pub"
git add .
git commit -q -m "The site of aurora"
charter validate

step "Reconcile it: load, render, gate, plan, apply, verify, seal"
charter reconcile --once
charter plan

step "A change: the weather service trains on 16 more GPUs (thor holds the role for allocations)"
sed -i '0,/training: {h200: {guarantee: 64, limit: 96}}/s//training: {h200: {guarantee: 64, limit: 112}}/' policies/tenants/weather.yaml
git config user.signingKey "$work/thor"
git commit -q -a -m "weather/nowcast: limit 96 -> 112 GPUs for the storm season"
expect 2 charter plan
charter apply

step "The record"
charter audit log
charter audit verify
sh "$here/verify.sh" .

step "The same record committed again: chain correct, another key"
cp -r "$work/site" "$work/forged"
"$(command -v python)" "$here/tools/demo_forge.py" "$work/forged"
expect 6 charter audit verify "$work/forged"
expect 6 sh "$here/verify.sh" "$work/forged"

printf '\ndemo: all as it should be\n'
