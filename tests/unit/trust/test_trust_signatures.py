"""Commits signed by git and ssh-keygen themselves, and every way of pretending to be somebody."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.source.history import CommitFacts, history
from reconciler.system.ssh import PrivateKey
from reconciler.trust.signatures import Signed, verify_commits
from renderer.model.governance import Approvers, Principal, Role
from tests.unit.source.git_site import GitSite, Key

QOS = "policies/qos.yaml"


@pytest.fixture
def site(tmp_path: Path) -> GitSite:
    return GitSite.create(tmp_path)


def approvers(**keys: Key | str) -> Approvers:
    lines = {name: key if isinstance(key, str) else key.public for name, key in keys.items()}
    principals = {name: Principal(name, (line,), ("all",)) for name, line in lines.items()}
    return Approvers("signed", principals, {"all": Role("all", ("**",), 1)})


def judged(site: GitSite, known: Approvers, revision: str = "HEAD") -> Signed:
    (found,) = verify_commits(history(site.repository, None, revision), known)
    assert (found.principal is not None) == (found.status == "good")
    return found


def rewritten(site: GitSite, raw: bytes) -> str:
    commit = site.store("commit", raw)
    site.git("update-ref", "refs/heads/main", commit)
    return commit


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_commit_signed_by_git_names_its_principal(site: GitSite, kind: str) -> None:
    key = site.key("anna", kind)
    commit = site.commit({QOS: "1"}, key, message="Größe\n\ngpgsig in the text\n gpgsig again")
    found = judged(site, approvers(anna=key, bjorn=site.key("bjorn")))
    assert found == Signed(commit, (QOS,), "anna", "good", found.why)
    assert "signed by anna" in found.why


def test_a_signed_merge_of_a_signed_tag_holds(site: GitSite) -> None:
    anna, tagger = site.key("anna"), site.key("tagger")
    site.commit({QOS: "1"}, anna)
    site.git("checkout", "-q", "-b", "side")
    site.commit({QOS: "2"}, None)
    settings = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={tagger.path}")
    site.git(*settings, "tag", "-s", "-m", "x", "v1")
    site.git("checkout", "-q", "main")
    site.signed(anna, "merge", "-q", "--no-ff", "-m", "x", "v1")
    assert b"\nmergetag object" in site.object("commit", "HEAD")
    assert judged(site, approvers(anna=anna)).principal == "anna"
    assert judged(site, approvers(tagger=tagger)).status == "unknown key"


def test_an_unsigned_commit_is_nobodys_whatever_author_it_names(site: GitSite) -> None:
    anna = site.key("anna")
    forged = {"GIT_AUTHOR_NAME": "anna", "GIT_COMMITTER_NAME": "anna", "GIT_AUTHOR_EMAIL": anna.public}
    site.commit({QOS: "1"}, None, **forged)
    assert judged(site, approvers(anna=anna)).status == "unsigned"


def test_an_author_forged_over_ones_own_signature_stays_the_signers(site: GitSite) -> None:
    anna, bjorn = site.key("anna"), site.key("bjorn")
    site.commit({QOS: "1"}, bjorn, GIT_AUTHOR_NAME="anna", GIT_COMMITTER_NAME="anna")
    assert judged(site, approvers(anna=anna, bjorn=bjorn)).principal == "bjorn"


def test_a_key_that_is_no_principals_any_more_is_unknown(site: GitSite) -> None:
    anna, gone = site.key("anna"), site.key("gone")
    site.commit({QOS: "1"}, gone)
    found = judged(site, approvers(anna=anna))
    assert found.status == "unknown key"
    assert "SHA256:" in found.why


def test_an_unknown_key_brings_the_notes_on_keys_that_cannot_be_used(site: GitSite) -> None:
    site.commit({QOS: "1"}, site.key("anna"))
    assert "a key of anna cannot be used" in judged(site, approvers(anna="ssh-ed25519 broken")).why


def test_a_signature_moved_to_another_commit_does_not_hold(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, anna)
    signed = site.object("commit", "HEAD")
    signature = signed[signed.index(b"gpgsig ") : signed.index(b"-----END SSH SIGNATURE-----\n") + 28]
    site.commit({QOS: "2"}, None)
    head, _, message = site.object("commit", "HEAD").partition(b"\n\n")
    rewritten(site, head + b"\n" + signature + b"\n" + message)
    assert judged(site, approvers(anna=anna)).status == "bad signature"


@pytest.mark.parametrize(
    ("old", "new"), [(b"\nChange", b"\nChanged"), (b"Somebody", b"Sombody"), (b"+0000", b"+0100")]
)
def test_a_signed_commit_with_anything_changed_does_not_hold(site: GitSite, old: bytes, new: bytes) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, anna)
    raw = site.object("commit", "HEAD")
    assert old in raw
    rewritten(site, raw.replace(old, new, 1))
    assert judged(site, approvers(anna=anna)).status == "bad signature"


def test_a_signed_commit_given_another_tree_does_not_hold(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, anna)
    raw = site.object("commit", "HEAD")
    site.commit({QOS: "evil"}, None)
    evil = site.git("rev-parse", "HEAD^{tree}").encode()
    rewritten(site, b"tree " + evil + raw[45:])
    assert judged(site, approvers(anna=anna)).status == "bad signature"


def test_two_signatures_are_none(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, anna)
    raw = site.object("commit", "HEAD")
    signature = raw[raw.index(b"gpgsig ") : raw.index(b"-----END SSH SIGNATURE-----\n") + 28]
    for second in (signature, signature.replace(b"gpgsig ", b"gpgsig-sha256 ", 1)):
        rewritten(site, raw.replace(signature, signature + second))
        found = judged(site, approvers(anna=anna))
        assert (found.status, "2 signatures" in found.why) == ("bad signature", True)


def test_a_header_that_git_would_not_read_as_a_signature_is_none(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, anna)
    rewritten(site, site.object("commit", "HEAD").replace(b"\ngpgsig ", b"\ngpgsig2 ", 1))
    assert judged(site, approvers(anna=anna)).status == "unsupported"


def test_a_signature_made_for_files_does_not_count_for_commits(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, None)
    raw = site.object("commit", "HEAD")
    for namespace, status in (
        ("file", "bad signature"),
        ("charter-statement", "bad signature"),
        ("git", "good"),
    ):
        command = ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(anna.path)]
        made = subprocess.run(command, input=raw, capture_output=True, check=True, timeout=60).stdout
        head, _, message = raw.partition(b"\n\n")
        folded = made.strip().replace(b"\n", b"\n ")
        rewritten(site, head + b"\ngpgsig " + folded + b"\n\n" + message)
        assert judged(site, approvers(anna=anna)).status == status


@pytest.mark.parametrize(
    ("begin", "kind"), [("PGP SIGNATURE", "GPG"), ("SIGNED MESSAGE", "X.509"), ("X", "unknown")]
)
def test_other_kinds_of_signature_are_called_by_name(site: GitSite, begin: str, kind: str) -> None:
    site.commit({QOS: "1"}, None)
    head, _, message = site.object("commit", "HEAD").partition(b"\n\n")
    armour = f"\ngpgsig -----BEGIN {begin}-----\n \n AAAA\n -----END {begin}-----\n\n".encode()
    rewritten(site, head + armour + message)
    found = judged(site, approvers(anna=site.key("anna")))
    assert (found.status, kind in found.why) == ("unsupported", True)


def test_a_signed_tag_lends_nothing_to_the_commit_it_names(site: GitSite) -> None:
    anna = site.key("anna")
    site.commit({QOS: "1"}, None)
    site.git("-c", "gpg.format=ssh", "-c", f"user.signingKey={anna.path}", "tag", "-s", "-m", "x", "v1")
    assert judged(site, approvers(anna=anna), "v1").status == "unsigned"


def test_a_certificate_in_the_keys_place_is_not_the_key(site: GitSite) -> None:
    authority, anna = site.key("authority"), site.key("anna")
    command = ["ssh-keygen", "-q", "-s", str(authority.path), "-I", "anna", f"{anna.path}.pub"]
    subprocess.run(command, check=True, timeout=60, capture_output=True)
    certificate = Key(anna.path.with_name("anna-cert"))
    site.commit({QOS: "1"}, anna)
    assert judged(site, approvers(authority=authority)).status == "unknown key"
    assert judged(site, approvers(anna=certificate)).status == "unknown key"


SIGNER = PrivateKey.generate()
PAYLOAD = b"tree x\n\nmessage\n"
ARMOUR = SIGNER.sign("git", PAYLOAD).encode() + b"\n"
FACTS = CommitFacts("0" * 40, (), (QOS,), (ARMOUR,), PAYLOAD, "anna", 0)
KNOWN = approvers(anna=SIGNER.public.line)


@given(st.integers(0, len(ARMOUR) - 1), st.integers(0, 255))
def test_no_altered_byte_of_a_signature_makes_it_somebody_elses_or_an_error(position: int, byte: int) -> None:
    altered = ARMOUR[:position] + bytes([byte]) + ARMOUR[position + 1 :]
    (found,) = verify_commits([dataclasses.replace(FACTS, signatures=(altered,))], KNOWN)
    assert found.principal == ("anna" if found.status == "good" else None)
    if altered == ARMOUR:
        assert found.status == "good"


@given(st.binary(max_size=300))
def test_no_bytes_at_all_are_a_signature(content: bytes) -> None:
    armour = b"-----BEGIN SSH SIGNATURE-----\n" + content + b"\n-----END SSH SIGNATURE-----\n"
    statuses = {
        verify_commits([dataclasses.replace(FACTS, signatures=(made,))], KNOWN)[0].status
        for made in (content, armour)
    }
    assert statuses <= {"bad signature", "unsupported"}


@given(st.binary(max_size=60))
def test_no_other_payload_holds(payload: bytes) -> None:
    (found,) = verify_commits([dataclasses.replace(FACTS, payload=payload)], KNOWN)
    assert (found.status == "good") == (payload == PAYLOAD)
