#!/bin/sh
# Verify a Charter audit log from a git clone, with sh, git, ssh-keygen, awk and sha256sum alone.
#
#   verify.sh [--trust FILE] [REPOSITORY [BRANCH]]
#
# Exit: 0 intact, 6 not intact, 1 could not be run. The rules are in docs/record.md; this script shares no code with
# `charter audit verify`, so that neither has to be believed alone.
set -u
LC_ALL=C
export LC_ALL GIT_NO_REPLACE_OBJECTS=1 GIT_CONFIG_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES

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

g() { git -C "$repository" -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"; }
sum() { sha256sum <"$1" | cut -d' ' -f1; }
faults=0
fault() { # seq, what
    printf 'entry %s: %s\n' "$1" "$2"
    faults=$((faults + 1))
}
value() { sed -n "s/^$1 //p" "$work/record" | head -n 1; }

last_byte() { tail -c 1 "$1" | od -An -tx1 | tr -d ' '; }
holds_nul() { [ "$(tr -d '\000' <"$1" | wc -c)" -ne "$(wc -c <"$1")" ]; }

tip=$(g rev-parse --verify --quiet "refs/heads/$branch^{commit}") ||
    tip=$(g rev-parse --verify --quiet "refs/remotes/origin/$branch^{commit}") ||
    die "$repository has no branch $branch; nothing was ever sealed here"
g rev-list --first-parent --reverse "$tip" -- >"$work/commits" || die 'git cannot list the branch'

# The table of keys: kind, then KEY:FORM:FLAGS in order. Flags: m many, o optional.
cat >"$work/form.awk" <<'AWK'
function hexes(v, n) { return length(v) == n && v ~ /^[0-9a-f]+$/ }
function commit(v) { return hexes(v, 40) || hexes(v, 64) }
function number(v) { return length(v) <= 18 && (v == "0" || v ~ /^[1-9][0-9]*$/) }
function moment(v) { return v ~ /^[0-9][0-9][0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/ }
function logkey(v) { return length(v) == 80 && v ~ /^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-P][A-Za-z0-9+\/]+$/ }
function rootkey(v, at, body) {
    at = index(v, " ")
    body = substr(v, at + 1)
    if (!choice(substr(v, 1, at - 1), "ssh-ed25519|ecdsa-sha2-nistp256|ecdsa-sha2-nistp384|sk-ssh-ed25519@openssh.com|sk-ecdsa-sha2-nistp256@openssh.com")) return 0
    if (length(body) % 4 || length(body) < 8) return 0
    if (body ~ /=/) return body ~ /^[A-Za-z0-9+\/]+([AQgw]==|[AEIMQUYcgkosw048]=)$/
    return body ~ /^[A-Za-z0-9+\/]+$/
}
function pair(v, p, sep) { sep = index(v, " "); p[1] = substr(v, 1, sep - 1); p[2] = substr(v, sep + 1); return sep > 1 && p[2] != "" }
function named(v, p) { return pair(v, p) && hexes(p[1], 64) && p[2] ~ /^[a-z0-9][a-z0-9.-]*$/ && p[2] != "record" }
function rendered(v, p) { return pair(v, p) && p[1] ~ /^[a-z][a-z0-9-]*$/ && hexes(p[2], 64) }
function committed(v, p) { return pair(v, p) && commit(p[1]) }
function choice(v, list, i, n, p) { n = split(list, p, "|"); for (i = 1; i <= n; i++) if (v == p[i]) return 1; return 0 }
function fits(v, form) {
    if (form == "any") return 1
    if (form == "sha") return hexes(v, 64)
    if (form == "commit") return commit(v)
    if (form == "number") return number(v)
    if (form == "time") return moment(v)
    if (form == "logkey") return logkey(v)
    if (form == "rootkey") return rootkey(v)
    if (form == "origin") return length(v) <= 200 && v ~ /^[A-Za-z0-9][A-Za-z0-9._\/-]*$/
    if (form == "signed") return committed(v)
    if (form == "attachment") return named(v)
    if (form == "rendering") return rendered(v)
    if (form == "result") return v ~ /^[a-z][a-z0-9-]* ./
    return choice(v, form)
}
function bad(why) { if (!done) { print why; done = 1 } }
function encoded(v, head, tail, at, hex, code) {
    # Spaces at either end are all written %20, and no other space is.
    while (substr(v, 1, 3) == "%20") { v = substr(v, 4); head = 1 }
    while (length(v) >= 3 && substr(v, length(v) - 2) == "%20") { v = substr(v, 1, length(v) - 3); tail = 1 }
    if (head && substr(v, 1, 1) == " " || tail && substr(v, length(v)) == " ") return 0
    for (at = 1; at <= length(v); at++) {
        if (substr(v, at, 1) != "%") continue
        hex = substr(v, at + 1, 2)
        if (hex !~ /^[0-9A-F][0-9A-F]$/) return 0
        code = (index("0123456789ABCDEF", substr(hex, 1, 1)) - 1) * 16 + index("0123456789ABCDEF", substr(hex, 2, 1)) - 1
        if (code >= 32 && code < 127 && code != 37) return 0
        at += 2
    }
    return 1
}
BEGIN {
    head = "format:charter.record/v1: kind:any: origin:origin: seq:number: prev:sha: time:time: clock:system|held|injected: writer:any:"
    tail = " attachment:attachment:mo"
    body["genesis"] = " site:any: trust:rooted|untrusted: root_threshold:number: root_key:rootkey:mo log_key:logkey: approvers:sha:"
    body["intent"] = " site_commit:commit: site_digest:sha: base_commit:commit:o base_digest:sha:o charter:any: policy:sha: verdict:sha: plan:sha: change:sha: live:sha: rendering:rendering:m signed:signed:mo statement:sha:mo remark:any:mo deadline:time:"
    body["outcome"] = " intent:sha: status:complete|pending|failed|interrupted: site_commit:commit: site_digest:sha: charter:any: policy:sha: rendering:rendering:m identity:sha: result:result:m statement:sha:mo"
    body["drift"] = " site_commit:commit: site_digest:sha: drift:sha:"
    body["statement"] = " statement:sha: principal:any:"
    body["key"] = " log_key:logkey: last_good:number:o reason:any:"
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

# The commit object apart: what is signed, the signature, the message. Prints the parents, or `malformed`.
cat >"$work/commit.awk" <<'AWK'
function id(v) { return length(v) == 40 && v ~ /^[0-9a-f]+$/ }
step == "message" { print > payload; print > message; next }
step == "" && /^tree / && id(substr($0, 6)) { step = "tree"; print > payload; next }
step == "tree" && /^parent / && id(substr($0, 8)) { parents = parents " " substr($0, 8); print > payload; next }
step == "tree" && /^author [ -~]*$/ { step = "author"; print > payload; next }
step == "author" && /^committer [ -~]*$/ { step = "committer"; print > payload; next }
step == "committer" && $0 == "gpgsig -----BEGIN SSH SIGNATURE-----" { step = "signature"; print substr($0, 8) > signature; next }
step == "signature" && /^ [A-Za-z0-9+\/]+$/ { print substr($0, 2) > signature; some = 1; next }
step == "signature" && /^ [A-Za-z0-9+\/]+==?$/ { print substr($0, 2) > signature; some = 1; step = "padded"; next }
(step == "signature" || step == "padded") && some && $0 == " -----END SSH SIGNATURE-----" { print substr($0, 2) > signature; step = "signed"; next }
(step == "committer" || step == "signed") && $0 == "" { step = "message"; print > payload; next }
{ bad = 1; exit }
END { print bad || step != "message" ? "malformed" : "parents" parents }
AWK

# The tree: names, modes and sizes against those that the record names. Prints faults, and `= NAME OBJECT` for what is to be hashed.
cat >"$work/tree.awk" <<'AWK'
function fault(what) { print "! " what }
NR == FNR { if ($2 in want) fault("names an attachment twice"); want[$2] = $1; next }
{
    tab = index($0, "\t")
    name = substr($0, tab + 1)
    split(substr($0, 1, tab - 1), is, " ")
    if (name in seen) { fault("holds " name " twice"); next }
    seen[name] = 1
    if (name == "record") next
    if (!(name in want)) fault("holds " name ", which its record does not name")
    else if (is[1] != "100644" || is[2] != "blob") fault(name " is not a regular file")
    else if (is[4] + 0 > 268435456) fault(name " is too large")
    else print "= " name " " is[3]
}
END { for (name in want) if (!(name in seen)) fault("lacks its attachment " name) }
AWK

ssh_key_made() { # key line, namespace, signature file, content file
    printf 'k namespaces="%s" %s\n' "$2" "$1" >"$work/allowed"
    ssh-keygen -Y verify -f "$work/allowed" -I k -n "$2" -s "$3" <"$4" >/dev/null 2>&1
}

armoured() { # file; root signatures have the form of the commits' signatures
    awk '
        NR == 1 { bad = $0 != "-----BEGIN SSH SIGNATURE-----"; next }
        done && $0 != "" { bad = 1 }
        done { next }
        /^[A-Za-z0-9+\/]+$/ && !padded { some = 1; next }
        /^[A-Za-z0-9+\/]+==?$/ && !padded { some = 1; padded = 1; next }
        some && $0 == "-----END SSH SIGNATURE-----" { done = 1; next }
        { bad = 1 }
        END { exit bad || !done }' "$1"
}

missing_roots() { # namespace; prints how many root signatures lack
    sed '/^attachment /d' "$work/record" >"$work/rooted"
    have=0
    while read -r root; do
        [ -n "$root" ] || continue
        for file in "$work"/files/root-*.sig; do
            [ -f "$file" ] || continue
            armoured "$file" || continue
            if ssh_key_made "$root" "$1" "$file" "$work/rooted"; then have=$((have + 1)); break; fi
        done
    done <"$work/roots"
    [ "$have" -ge "$threshold" ] && printf 0 || printf %s $((threshold - have))
}

seq=0
previous=0000000000000000000000000000000000000000000000000000000000000000
commit_before= origin= log_key= trusted= threshold=0 void= approvers=
open_intent=- newest_time=- # of the entries that are not void; $work/standing keeps both after each entry
: >"$work/digests"
: >"$work/standing"
: >"$work/statements"
: >"$work/roots"
: >"$work/intent"

unreadable() { # what; an entry that can be followed by none
    fault "$seq" "$1"
    printf -- '-\n' >>"$work/digests"
    printf '%s %s\n' "$open_intent" "$newest_time" >>"$work/standing"
    previous= commit_before=$commit
    seq=$((seq + 1))
}

record_form() { # prints what is wrong with the file record
    if [ "$(wc -c <"$work/record")" -gt 1048576 ] || [ "$(last_byte "$work/record")" != 0a ]; then
        printf 'record is too large, or does not end with a line feed'
    elif holds_nul "$work/record"; then
        printf 'record holds a NUL byte'
    else
        awk -f "$work/form.awk" "$work/record"
    fi
}

check_commit() { # its parents, its message
    expected=${commit_before:+ $commit_before}
    [ "$parents" = "parents$expected" ] || fault "$seq" 'has other parents than just the entry before it; the log is one line'
    printf '%s %s\n\nRecord-Sha256: %s\n' "$kind" "$(value seq)" "$digest" >"$work/expected"
    cmp -s "$work/expected" "$work/message" || fault "$seq" 'its commit message does not name its record'
}

check_files() { # attachments: those named and those there are the same, each a regular file with its digest
    sed -n 's/^attachment //p' "$work/record" >"$work/named"
    # awk tells the first file by NR == FNR, so it must not be empty
    [ -s "$work/named" ] || cut -f2 "$work/tree" | grep -v '^record$' | while read -r name; do echo "! holds $name, which its record does not name"; done >"$work/files.out"
    [ ! -s "$work/named" ] || awk -f "$work/tree.awk" "$work/named" "$work/tree" >"$work/files.out"
    while read -r mark name object; do
        if [ "$mark" = '!' ]; then
            fault "$seq" "$name $object"
        elif ! g cat-file blob "$object" >"$work/files/$name" 2>/dev/null; then
            fault "$seq" "$name cannot be read"
        elif ! grep -q "^$(sum "$work/files/$name") $name\$" "$work/named"; then
            fault "$seq" "$name differs from its digest"
        fi
    done <"$work/files.out"
    for key in plan verdict drift; do
        wanted=$(value "$key")
        [ -z "$wanted" ] || grep -q "^$wanted $key.json\$" "$work/named" || fault "$seq" "$key is not the digest of $key.json"
    done
    if [ "$kind" = statement ]; then
        grep -q "^$(value statement) statement.json\$" "$work/named" || fault "$seq" 'statement is not the digest of statement.json'
    elif [ "$kind" = outcome ]; then
        for name in desired.json owned.json; do
            grep -q " $name\$" "$work/named" || fault "$seq" "an outcome without $name"
        done
    fi
}

check_chain() {
    [ "$(value seq)" = "$seq" ] || fault "$seq" "says seq $(value seq), but is entry $seq"
    { [ "$kind" = genesis ] && [ "$seq" -eq 0 ]; } || { [ "$kind" != genesis ] && [ "$seq" -gt 0 ]; } ||
        fault "$seq" 'genesis is the first entry, and only that'
    [ "$(value prev)" = "$previous" ] || fault "$seq" 'prev is not the digest of the entry before it'
    last_good=$(value last_good)
    if [ "$kind" = recovery ]; then
        [ "$last_good" -eq $((seq - 1)) ] || fault "$seq" 'last_good of a recovery is the entry before it'
    elif [ "$kind" = key ] && [ -n "$last_good" ]; then
        if [ "$last_good" -ge "$seq" ]; then
            fault "$seq" 'last_good is not before it'
        else # the entries between are void: what held after last_good holds again
            standing=$(sed -n "$((last_good + 1))p" "$work/standing")
            open_intent=${standing% *} newest_time=${standing#* }
            [ $((last_good + 1)) -gt $((seq - 1)) ] || void="$void $((last_good + 1))-$((seq - 1))"
            awk -v last="$last_good" '$1 <= last' "$work/statements" >"$work/kept"
            cp "$work/kept" "$work/statements"
        fi
    fi
}

check_time() {
    now=$(value time) clock=$(value clock)
    [ "$newest_time" = - ] || [ "$(printf '%s\n%s\n' "$newest_time" "$now" | sort | head -n 1)" = "$newest_time" ] ||
        fault "$seq" 'is older than the entry before it'
    [ "$clock" != held ] || [ "$now" = "$newest_time" ] ||
        fault "$seq" 'its clock is said to be held, but its time is not that of the entry before it'
    [ "$trusted" != rooted ] || [ "$clock" != injected ] || fault "$seq" 'an injected clock in a rooted log'
    newest_time=$now
}

check_roots() { # genesis, key and recovery need root
    if [ "$kind" = genesis ] && [ -z "$trusted" ]; then
        trusted=$(value trust) threshold=$(value root_threshold) approvers=$(value approvers)
        sed -n 's/^root_key //p' "$work/record" >"$work/roots"
    fi
    case $kind in genesis | key | recovery) ;; *) return ;; esac
    if [ "$trusted" = rooted ]; then
        { [ "$threshold" -ge 1 ] && [ "$threshold" -le "$(wc -l <"$work/roots")" ]; } ||
            fault "$seq" 'root_threshold does not fit the number of root keys'
        while read -r root; do
            printf '%s\n' "$root" >"$work/root.pub"
            ssh-keygen -l -f "$work/root.pub" >/dev/null 2>&1 || fault "$seq" 'a root key is unusable'
        done <"$work/roots"
        lacking=$(missing_roots "charter-$kind")
        [ "$lacking" = 0 ] || fault "$seq" "lacks $lacking root signatures"
    elif [ "$kind" = key ]; then
        fault "$seq" 'an untrusted log changes no key'
    elif [ "$threshold" != 0 ] || [ -s "$work/roots" ]; then
        fault "$seq" 'an untrusted log has no root keys'
    fi
}

check_signature() {
    case $kind in genesis | key) log_key=$(value log_key) ;; esac
    if [ ! -s "$work/signature" ]; then
        fault "$seq" 'is not signed'
    elif ! ssh_key_made "$log_key" git "$work/signature" "$work/payload"; then
        fault "$seq" 'is not signed by the log key'
    fi
}

check_pairing() { # intents and outcomes, and the statements that they cite
    if [ "$kind" = intent ]; then
        [ "$open_intent" = - ] || fault "$seq" 'an intent while another is open'
    elif [ "$kind" = outcome ]; then
        if [ "$open_intent" = - ] || [ "$(value intent)" != "$open_intent" ]; then
            fault "$seq" 'closes no open intent'
        else
            for key in site_commit site_digest charter policy rendering; do
                grep "^$key " "$work/intents/$open_intent" >"$work/before"
                grep "^$key " "$work/record" | cmp -s - "$work/before" || fault "$seq" "its $key is not its intent's"
            done
        fi
    fi
    case $kind in intent | outcome)
        sed -n 's/^statement //p' "$work/record" >"$work/cited"
        while read -r cited; do
            grep -q " $cited\$" "$work/statements" || fault "$seq" 'cites a statement that was not sealed before it'
        done <"$work/cited" ;;
    esac
    case $kind in
        intent) open_intent=$digest && cp "$work/record" "$work/intents/$digest" ;;
        outcome) open_intent=- ;;
        statement) printf '%s %s\n' "$seq" "$(value statement)" >>"$work/statements" ;;
    esac
}

check_approvers() { # the first apply's are those of genesis, wherever the site's commit is at hand
    { [ "$kind" = intent ] && [ -z "$(value base_commit)" ] && [ -n "$approvers" ]; } || return
    site=$(value site_commit)
    [ "${#site}" -eq 40 ] && g cat-file -e "$site^{commit}" 2>/dev/null || return
    : >"$work/approvers"
    case $(g ls-tree --full-tree "$site" policies/approvers.yaml) in
        100*) g cat-file blob "$site:policies/approvers.yaml" >"$work/approvers" ;;
    esac
    [ "$(sum "$work/approvers")" = "$approvers" ] ||
        fault "$seq" 'applies a first commit whose policies/approvers.yaml is not the one that genesis names'
}

mkdir "$work/intents"
while read -r commit; do
    rm -rf "$work/files" "$work/signature" "$work/payload" "$work/message"
    mkdir "$work/files"
    : >"$work/signature"
    : >"$work/message"
    if ! g cat-file commit "$commit" >"$work/object" 2>/dev/null || ! g ls-tree -r -t -l --full-tree "$commit" >"$work/tree" 2>/dev/null; then
        unreadable 'cannot be read; run: git fsck'
        continue
    fi
    parents=$(awk -v signature="$work/signature" -v payload="$work/payload" -v message="$work/message" -f "$work/commit.awk" "$work/object")
    if [ "$parents" = malformed ] || holds_nul "$work/object" || [ "$(wc -c <"$work/object")" -gt 1048576 ] || [ "$(last_byte "$work/object")" != 0a ]; then
        unreadable 'its commit object is not of the form that docs/record.md gives'
        continue
    fi
    object=$(awk '{ tab = index($0, "\t") } substr($0, tab + 1) == "record" && $1 == "100644" { print $3 }' "$work/tree")
    case $object in
        '' | *[!0-9a-f]*) unreadable 'holds no regular file `record`' && continue ;;
    esac
    if ! g cat-file blob "$object" >"$work/record" 2>/dev/null; then
        unreadable 'record cannot be read; run: git fsck'
        continue
    fi
    why=$(record_form)
    if [ -n "$why" ]; then
        unreadable "$why"
        continue
    fi
    digest=$(sum "$work/record")
    kind=$(value kind)
    check_commit
    check_files
    check_chain
    [ -z "$origin" ] || [ "$(value origin)" = "$origin" ] || fault "$seq" 'belongs to another origin'
    [ "$kind" != genesis ] || : "${origin:=$(value origin)}"
    check_roots
    check_time
    check_signature
    check_pairing
    check_approvers
    printf '%s\n' "$digest" >>"$work/digests"
    printf '%s %s\n' "$open_intent" "$newest_time" >>"$work/standing"
    previous=$digest commit_before=$commit
    seq=$((seq + 1))
done <"$work/commits"

if [ -n "$trust" ]; then
    [ -f "$trust" ] && [ -r "$trust" ] || die "$trust cannot be read"
    [ "$(last_byte "$trust")" = 0a ] && ! holds_nul "$trust" && awk '
        function hexes(v) { return length(v) == 64 && v ~ /^[0-9a-f]+$/ }
        NR == 1 && $0 == "format charter.trust/v1" { next }
        NR == 2 && /^genesis / && hexes(substr($0, 9)) { next }
        NR == 3 && /^tip (0|[1-9][0-9]*) [0-9a-f]+$/ && length($2) <= 18 && hexes($3) { next }
        { bad = 1 }
        END { exit bad || NR < 2 }' "$trust" ||
        die "$trust is not a trust file; it holds: format charter.trust/v1, genesis SHA256, and maybe: tip SEQ SHA256"
    [ "$(sed -n 1p "$work/digests")" = "$(sed -n '2s/^genesis //p' "$trust")" ] ||
        fault - 'genesis is not the one that the trust file names'
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
printf 'intact: %s entries, tip %s %s\n' "$seq" $((seq - 1)) "$(tail -n 1 "$work/digests")"
if [ -z "$trust" ]; then
    printf 'UNANCHORED: the log agrees with itself, but who wrote it is taken on trust; give --trust FILE\n'
fi
if [ "$trusted" = untrusted ]; then
    printf 'UNTRUSTED: its key was generated for the occasion; nothing vouches for it\n'
fi
exit 0
