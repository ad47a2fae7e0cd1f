#!/bin/sh
# Verify a Charter audit log from a git clone, with sh, git, ssh-keygen, awk and sha256sum alone.
#
#   verify.sh [--trust FILE] [REPOSITORY [BRANCH]]
#
# Exit: 0 intact, 6 not intact, 1 could not be run. The rules are in docs/record.md; this script shares no code with
# `charter audit verify`, so that neither has to be believed alone.
set -u
LC_ALL=C
export LC_ALL GIT_NO_REPLACE_OBJECTS=1 GIT_CONFIG_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0

die() { printf 'verify.sh: %s\n' "$1" >&2; exit 1; }

trust=
if [ "${1-}" = --trust ]; then
    [ $# -ge 2 ] || die '--trust needs a file'
    trust=$2
    shift 2
fi
case "${1-}" in -*) die "unknown option $1; usage: verify.sh [--trust FILE] [REPOSITORY [BRANCH]]" ;; esac
repository=${1-.}
branch=${2-audit}
for tool in git ssh-keygen awk sha256sum; do
    command -v "$tool" >/dev/null 2>&1 || die "$tool is not installed"
done
work=$(mktemp -d) || die 'no temporary folder'
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

g() { git -C "$repository" "$@"; }
sum() { sha256sum <"$1" | cut -d' ' -f1; }
faults=0
fault() { # seq, what
    printf 'entry %s: %s\n' "$1" "$2"
    faults=$((faults + 1))
}
value() { sed -n "s/^$1 //p" "$work/record" | head -n 1; }

tip=$(g rev-parse --verify --quiet "refs/heads/$branch^{commit}") || die "$repository has no branch $branch; nothing was ever sealed here"
g rev-list --first-parent --reverse "$tip" >"$work/commits" || die 'git cannot list the branch'

# The table of keys: kind, then KEY:FORM:FLAGS in order. Flags: m many, o optional.
cat >"$work/form.awk" <<'AWK'
function hexes(v, n) { return length(v) == n && v ~ /^[0-9a-f]+$/ }
function commit(v) { return hexes(v, 40) || hexes(v, 64) }
function number(v) { return length(v) <= 18 && (v == "0" || v ~ /^[1-9][0-9]*$/) }
function moment(v) { return v ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z$/ }
function sshkey(v) { return v ~ /^[a-z0-9@.-]+ [A-Za-z0-9+\/]+=?=?$/ }
function named(v, p) { return split(v, p, " ") == 2 && hexes(p[1], 64) && p[2] ~ /^[a-z0-9][a-z0-9.-]*$/ && p[2] != "record" }
function rendered(v, p) { return split(v, p, " ") == 2 && p[1] ~ /^[a-z]+$/ && hexes(p[2], 64) && v == p[1] " " p[2] }
function choice(v, list, i, n, p) { n = split(list, p, "|"); for (i = 1; i <= n; i++) if (v == p[i]) return 1; return 0 }
function fits(v, form) {
    if (form == "any") return 1
    if (form == "sha") return hexes(v, 64)
    if (form == "commit") return commit(v)
    if (form == "number") return number(v)
    if (form == "time") return moment(v)
    if (form == "key") return sshkey(v)
    if (form == "attachment") return named(v)
    if (form == "rendering") return rendered(v)
    if (form == "result") return v ~ /^[a-z]+ ./
    return choice(v, form)
}
function bad(why) { if (!done) { print why; done = 1 } }
function encoded(v, rest, hex, code, at) {
    at = 1
    while (at <= length(v)) {
        if (substr(v, at, 1) == "%") {
            hex = substr(v, at + 1, 2)
            if (hex !~ /^[0-9A-F][0-9A-F]$/) return 0
            code = (index("0123456789ABCDEF", substr(hex, 1, 1)) - 1) * 16 + index("0123456789ABCDEF", substr(hex, 2, 1)) - 1
            edge = v ~ ("^(%20)*$") || substr(v, 1, at + 2) ~ /^(%20)+$/ || substr(v, at) ~ /^(%20)+$/
            if (code == 32 && !edge) return 0
            if (code != 32 && code != 37 && code > 32 && code < 127) return 0
            at += 3
        } else at++
    }
    return 1
}
BEGIN {
    head = "format:charter.record/v1: kind:any: origin:any: seq:number: prev:sha: time:time: clock:system|held|injected: writer:any:"
    tail = " attachment:attachment:mo"
    body["genesis"] = " site:any: trust:rooted|untrusted: root_threshold:number: root_key:key:mo log_key:key: approvers:sha:"
    body["intent"] = " site_commit:commit: site_digest:sha: base_commit:commit:o base_digest:sha:o charter:any: policy:sha: verdict:sha: plan:sha: change:sha: live:sha: rendering:rendering:m deadline:time:"
    body["outcome"] = " intent:sha: status:complete|pending|failed|interrupted: site_commit:commit: site_digest:sha: charter:any: policy:sha: rendering:rendering:m identity:sha: result:result:m"
    body["drift"] = " site_commit:commit: site_digest:sha: drift:sha:"
    body["statement"] = " statement:sha: principal:any:"
    body["key"] = " log_key:key: last_good:number:o reason:any:"
    body["events"] = " log:any: size:number: root:sha:"
    body["recovery"] = " last_good:number: reason:any:"
}
{
    space = index($0, " ")
    key[NR] = substr($0, 1, space - 1)
    val[NR] = substr($0, space + 1)
    if (space < 2 || key[NR] !~ /^[a-z_]+$/ || val[NR] !~ /^[!-~]([ -~]*[!-~])?$/) bad("record line " NR " is not `key value` in printable ASCII")
    else if (!encoded(val[NR])) bad("record line " NR " is not in its one encoded form")
}
END {
    kind = val[2]
    if (key[2] != "kind" || !(kind in body)) { bad("record names no kind"); exit }
    count = split(head body[kind] tail, want, " ")
    at = 1
    for (i = 1; i <= count; i++) {
        split(want[i], part, ":")
        seen = 0
        while (at <= NR && key[at] == part[1]) {
            seen++
            if (seen > 1 && part[3] !~ /m/) bad("record: " part[1] " is given twice")
            if (seen > 1 && !(val[at - 1] < val[at])) bad("record: " part[1] " is not sorted, or holds a value twice")
            if (!fits(val[at], part[2])) bad("record: " part[1] " has a malformed value")
            at++
        }
        if (!seen && part[3] !~ /o/) bad("record: " part[1] " is missing or out of order")
    }
    if (at <= NR) bad("record: " key[at] " is not expected there")
}
AWK

# The commit object apart: what is signed, the signature, the message.
cat >"$work/commit.awk" <<'AWK'
!body && signing && /^ / { print substr($0, 2) > signature; next }
!body { signing = 0 }
!body && /^gpgsig(-sha256)? / { signing = 1; count++; sub(/^[^ ]* /, ""); print > signature; next }
!body && /^$/ { body = 1 }
{ print > payload }
END { print count + 0 }
AWK

ssh_key_made() { # key line, namespace, signature file, content file
    printf 'k namespaces="%s" %s\n' "$2" "$1" >"$work/allowed"
    ssh-keygen -Y verify -f "$work/allowed" -I k -n "$2" -s "$3" <"$4" >/dev/null 2>&1
}

missing_roots() { # namespace; prints how many root signatures lack
    sed '/^attachment /d' "$work/record" >"$work/rooted"
    have=0
    while read -r root; do
        [ -n "$root" ] || continue
        for file in "$work"/files/root-*; do
            [ -f "$file" ] || continue
            if ssh_key_made "$root" "$1" "$file" "$work/rooted"; then have=$((have + 1)); break; fi
        done
    done <"$work/roots"
    [ "$have" -ge "$threshold" ] && printf 0 || printf %s $((threshold - have))
}

seq=0
previous=0000000000000000000000000000000000000000000000000000000000000000
origin= log_key= open_intent= newest_time= trusted= threshold=0 void=
: >"$work/digests"
: >"$work/roots"

while read -r commit; do
    printf '%s\n' - >>"$work/digests"
    rm -rf "$work/files" "$work/signature" "$work/payload"
    mkdir "$work/files"
    : >"$work/signature"
    : >"$work/payload"
    g cat-file commit "$commit" >"$work/object" || die "object $commit cannot be read; run: git fsck"
    signatures=$(awk -v signature="$work/signature" -v payload="$work/payload" -f "$work/commit.awk" "$work/object")
    # awk ends every line; the object may not
    [ "$(tail -c 1 "$work/object" | od -An -tx1 | tr -d ' ')" = 0a ] || fault "$seq" 'its commit message does not end with a line feed'
    parents=$(grep -c '^parent ' "$work/payload")
    [ "$parents" -eq $((seq > 0)) ] || fault "$seq" "has $parents parents; the log is one line"

    g ls-tree -r -t --full-tree "$commit" >"$work/tree" || die "the tree of $commit cannot be read; run: git fsck"
    if ! grep -q '^100644 blob [0-9a-f]*	record$' "$work/tree"; then
        fault "$seq" 'holds no regular file `record`'
        previous=
        seq=$((seq + 1))
        continue
    fi
    g cat-file blob "$commit:record" >"$work/record"
    if [ "$(wc -c <"$work/record")" -gt 1048576 ] || [ "$(tail -c 1 "$work/record" | od -An -tx1 | tr -d ' ')" != 0a ]; then
        why='record is too large, or does not end with a line feed'
    elif [ "$(tr -d '\000' <"$work/record" | wc -c)" -ne "$(wc -c <"$work/record")" ]; then
        why='record holds a NUL byte'
    else
        why=$(awk -f "$work/form.awk" "$work/record")
    fi
    if [ -n "$why" ]; then
        fault "$seq" "$why"
        previous=
        seq=$((seq + 1))
        continue
    fi
    digest=$(sum "$work/record")
    kind=$(value kind)
    sed -i '$d' "$work/digests"
    printf '%s\n' "$digest" >>"$work/digests"

    printf '%s %s\n\nRecord-Sha256: %s\n' "$kind" "$(value seq)" "$digest" >"$work/message"
    awk 'body { print } /^$/ { body = 1 }' "$work/payload" >"$work/given"
    cmp -s "$work/message" "$work/given" || fault "$seq" 'its commit message does not name its record'

    # Attachments: those named and those there are the same, each a regular file with its digest.
    sed -n 's/^attachment \([0-9a-f]*\) /\1 /p' "$work/record" >"$work/named"
    [ -z "$(cut -d' ' -f2 "$work/named" | sort | uniq -d)" ] || fault "$seq" 'names an attachment twice'
    while read -r mode type _ name; do
        [ "$name" = record ] && continue
        expected=$(awk -v name="$name" '$2 == name { print $1 }' "$work/named")
        if [ -z "$expected" ]; then
            fault "$seq" "holds $name, which its record does not name"
        elif [ "$mode $type" != '100644 blob' ]; then
            fault "$seq" "$name is not a regular file"
        else
            g cat-file blob "$commit:$name" >"$work/files/$name"
            [ "$(sum "$work/files/$name")" = "$expected" ] || fault "$seq" "$name differs from its digest"
        fi
    done <"$work/tree"
    while read -r _ name; do
        grep -q "	$name\$" "$work/tree" || fault "$seq" "lacks its attachment $name"
    done <"$work/named"
    for key in plan verdict drift statement; do
        wanted=$(value "$key")
        [ -z "$wanted" ] || grep -q "^$wanted $key.json\$" "$work/named" || fault "$seq" "$key is not the digest of $key.json"
    done
    if [ "$kind" = outcome ]; then
        for name in desired.json owned.json; do
            grep -q " $name\$" "$work/named" || fault "$seq" "an outcome without $name"
        done
    fi

    # The chain.
    [ "$(value seq)" = "$seq" ] || fault "$seq" "says seq $(value seq), but is entry $seq"
    { [ "$kind" = genesis ] && [ "$seq" -eq 0 ]; } || { [ "$kind" != genesis ] && [ "$seq" -gt 0 ]; } ||
        fault "$seq" 'genesis is the first entry, and only that'
    [ "$(value prev)" = "$previous" ] || fault "$seq" 'prev is not the digest of the entry before it'
    [ -z "$origin" ] || [ "$(value origin)" = "$origin" ] || fault "$seq" 'belongs to another origin'
    : "${origin:=$(value origin)}"
    now=$(value time)
    [ -z "$newest_time" ] || [ "$(printf '%s\n%s\n' "$newest_time" "$now" | sort | head -n 1)" = "$newest_time" ] ||
        fault "$seq" 'is older than the entry before it'
    newest_time=$now

    # Keys.
    if [ "$kind" = genesis ] && [ -z "$trusted" ]; then
        trusted=$(value trust)
        threshold=$(value root_threshold)
        sed -n 's/^root_key //p' "$work/record" >"$work/roots"
        if [ "$trusted" = untrusted ]; then
            { [ "$threshold" = 0 ] && [ ! -s "$work/roots" ]; } || fault "$seq" 'an untrusted log has no root keys'
        else
            { [ "$threshold" -ge 1 ] && [ "$threshold" -le "$(wc -l <"$work/roots")" ]; } ||
                fault "$seq" 'root_threshold does not fit the number of root keys'
            lacking=$(missing_roots charter-genesis)
            [ "$lacking" = 0 ] || fault "$seq" "lacks $lacking root signatures"
        fi
    elif [ "$kind" = key ]; then
        if [ "$trusted" = rooted ]; then
            lacking=$(missing_roots charter-key)
            [ "$lacking" = 0 ] || fault "$seq" "lacks $lacking root signatures"
        else
            fault "$seq" 'an untrusted log changes no key'
        fi
        last_good=$(value last_good)
        [ -z "$last_good" ] || void="$void $((last_good + 1))-$((seq - 1))"
    fi
    [ "$trusted" != rooted ] || [ "$(value clock)" != injected ] || fault "$seq" 'an injected clock in a rooted log'
    case $kind in genesis | key) log_key=$(value log_key) ;; esac
    if [ "$signatures" -ne 1 ]; then
        fault "$seq" "bears $signatures signatures instead of one"
    elif ! ssh_key_made "$log_key" git "$work/signature" "$work/payload"; then
        fault "$seq" 'is not signed by the log key'
    fi

    # Intents and outcomes.
    if [ "$kind" = intent ]; then
        [ -z "$open_intent" ] || fault "$seq" 'an intent while another is open'
        open_intent=$digest
    elif [ "$kind" = outcome ]; then
        { [ -n "$open_intent" ] && [ "$(value intent)" = "$open_intent" ]; } || fault "$seq" 'closes no open intent'
        open_intent=
    fi
    previous=$digest
    seq=$((seq + 1))
done <"$work/commits"

if [ -n "$trust" ]; then
    [ -f "$trust" ] && [ -r "$trust" ] || die "$trust cannot be read"
    [ "$(sed -n 1p "$trust")" = 'format charter.trust/v1' ] || die "$trust is not a trust file"
    genesis=$(sed -n '2s/^genesis //p' "$trust")
    [ "${#genesis}" -eq 64 ] || die "$trust names no genesis"
    [ "$(sed -n 1p "$work/digests")" = "$genesis" ] || fault - 'genesis is not the one that the trust file names'
    seen=$(sed -n '3s/^tip //p' "$trust")
    if [ -n "$seen" ]; then
        [ "$(sed -n "$((${seen% *} + 1))p" "$work/digests")" = "${seen#* }" ] ||
            fault - "entry ${seen% *} is not the one that the trust file names: the log was cut off or rewritten"
    fi
fi

[ -z "$void" ] || printf 'void by a later key entry:%s\n' "$void"
if [ "$faults" -gt 0 ]; then
    printf 'NOT INTACT: %s faults in %s entries\n' "$faults" "$seq"
    exit 6
fi
printf 'intact: %s entries, newest %s\n' "$seq" "$(tail -n 1 "$work/digests")"
if [ -z "$trust" ]; then
    printf 'UNANCHORED: the log agrees with itself, but who wrote it is taken on trust; give --trust FILE\n'
fi
if [ "$trusted" = untrusted ]; then
    printf 'UNTRUSTED: its key was generated for the occasion; nothing vouches for it\n'
fi
exit 0
