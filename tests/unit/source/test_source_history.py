"""Who changed what: first-parent differences that add up to the whole, and damaged or hostile objects."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from reconciler.errors import Stale, Terminal, UsageError
from reconciler.source import diff, history
from reconciler.source.commit import parse
from reconciler.source.history import CommitFacts
from reconciler.source.tree import read_tree
from tests.unit.source.git_site import GitSite

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ZONE, HEALTH = "inventory/site.yaml", "policies/tenants/health.yaml"


@pytest.fixture
def site(tmp_path: Path) -> GitSite:
    return GitSite.create(tmp_path)


def paths(site: GitSite, base: str | None, head: str = "HEAD") -> list[tuple[str, ...]]:
    return [commit.paths for commit in history.history(site.repository, base, head)]


def test_commits_after_base_come_oldest_first_with_the_sites_paths_only(site: GitSite) -> None:
    base = site.commit({ZONE: "1", "README.md": "1"})
    first = site.commit({ZONE: "2", "README.md": "2", HEALTH: "1"})
    second = site.commit({"README.md": "3"})
    found = history.history(site.repository, base, "HEAD")
    assert [(commit.id, commit.parents, commit.paths) for commit in found] == [
        (first, (base,), (ZONE, HEALTH)),
        (second, (first,), ()),
    ]
    assert history.history(site.repository, second, "HEAD") == ()


def test_without_base_the_head_alone_answers_for_every_path(site: GitSite) -> None:
    site.commit({ZONE: "1", HEALTH: "1", "rego/other.rego": "1"})
    head = site.commit({ZONE: "2"})
    (commit,) = history.history(site.repository, None, "main")
    assert (commit.id, commit.paths) == (head, (ZONE, HEALTH))


def test_a_move_names_both_places_and_a_mode_or_kind_counts(site: GitSite) -> None:
    base = site.commit({ZONE: "1", HEALTH: "same content"})
    site.git("mv", HEALTH, "policies/tenants/renamed.yaml")
    site.commit({})
    (site.path / ZONE).chmod(0o755)
    site.commit({})
    (site.path / ZONE).unlink()
    (site.path / ZONE).mkdir()
    site.commit({f"{ZONE}/below.yaml": "1"})
    assert paths(site, base) == [
        (HEALTH, "policies/tenants/renamed.yaml"),
        (ZONE,),
        (ZONE, f"{ZONE}/below.yaml"),
    ]


def test_a_file_in_place_of_rego_is_the_sites_concern_other_files_below_are_not(site: GitSite) -> None:
    base = site.commit({"rego/other.rego": "1", "rego/site/a.rego": "1"})
    site.commit({"rego/other.rego": "2"})
    site.write({"rego/other.rego": None, "rego/site/a.rego": None})
    (site.path / "rego/site").rmdir()
    (site.path / "rego").rmdir()
    (site.path / "rego").symlink_to("elsewhere")
    site.commit({})
    assert paths(site, base) == [(), ("rego", "rego/site/a.rego")]


def test_a_merge_counts_by_its_difference_to_the_first_parent(site: GitSite) -> None:
    base = site.commit({ZONE: "1"})
    site.git("checkout", "-q", "-b", "side")
    site.commit({HEALTH: "1"})
    site.commit({HEALTH: "2", "policies/qos.yaml": "1"})
    site.git("checkout", "-q", "main")
    site.commit({ZONE: "2"})
    site.git("merge", "-q", "--no-ff", "-m", "x", "side")
    assert paths(site, base) == [(ZONE,), ("policies/qos.yaml", HEALTH)]


def test_a_merge_that_hides_an_undoing_behind_the_other_parent_is_stale(site: GitSite) -> None:
    fork = site.commit({ZONE: "1"})
    applied = site.commit({ZONE: "2"})
    site.git("checkout", "-q", "-b", "evil", fork)
    site.commit({})
    site.git("merge", "-q", "-s", "ours", "-m", "x", applied)
    assert site.git("show", f"HEAD:{ZONE}") == "1"
    assert site.git("diff", "--name-only", "HEAD^1", "HEAD") == ""
    with pytest.raises(Stale, match="first-parent line"):
        history.history(site.repository, applied, "HEAD")


def test_a_rewritten_history_is_stale(site: GitSite) -> None:
    site.commit({ZONE: "1"})
    applied = site.commit({ZONE: "2"})
    site.git("reset", "-q", "--hard", "HEAD^")
    site.commit({ZONE: "3"})
    with pytest.raises(Stale, match="rewritten"):
        history.history(site.repository, applied, "HEAD")


def test_bounds_on_commits_and_paths(site: GitSite, monkeypatch: pytest.MonkeyPatch) -> None:
    base = site.commit({})
    for number in range(3):
        site.commit({f"policies/{number}.yaml": "x"})
    monkeypatch.setattr(history, "MAX_COMMITS", 3)
    assert len(paths(site, base)) == 3
    monkeypatch.setattr(history, "MAX_COMMITS", 2)
    with pytest.raises(Terminal, match="more than 2 commits"):
        paths(site, base)
    monkeypatch.setattr(diff, "MAX_FILES", 1)
    with pytest.raises(Terminal, match="more than 2 paths"):
        paths(site, None)


def test_a_site_below_the_top_has_its_own_history(site: GitSite) -> None:
    base = site.commit({f"north/{ZONE}": "1"})
    site.commit({f"north/{ZONE}": "2", f"south/{ZONE}": "2", ZONE: "3"})
    assert [commit.paths for commit in history.history(site.repository, base, "HEAD", "north")] == [(ZONE,)]


def test_revisions_that_name_nothing_are_usage_errors(site: GitSite) -> None:
    site.commit({})
    for base, head in (("f" * 40, "HEAD"), (None, "nowhere"), ("--all", "HEAD")):
        with pytest.raises(UsageError):
            history.history(site.repository, base, head)


def corrupt(site: GitSite, object_id: str, content: bytes) -> None:
    loose = site.path / ".git/objects" / object_id[:2] / object_id[2:]
    loose.chmod(0o644)
    loose.write_bytes(content)


@pytest.mark.parametrize("spec", [f"HEAD:{ZONE}", "HEAD:inventory", "HEAD^{tree}"])
def test_a_damaged_object_is_refused_and_named(site: GitSite, spec: str) -> None:
    site.commit({ZONE: "1"})
    object_id = site.git("rev-parse", spec)
    kind = site.git("cat-file", "-t", object_id)
    corrupt(site, object_id, b"garbage")
    with pytest.raises(Terminal, match=f"{kind} {object_id}.*git fsck"):
        read_tree(site.repository, "HEAD")


def test_a_missing_object_is_refused_and_named(site: GitSite) -> None:
    site.commit({ZONE: "1"})
    object_id = site.git("rev-parse", f"HEAD:{ZONE}")
    (site.path / ".git/objects" / object_id[:2] / object_id[2:]).unlink()
    with pytest.raises(Terminal, match=object_id):
        read_tree(site.repository, "HEAD")


def test_content_that_is_not_what_its_id_says_is_never_believed(site: GitSite) -> None:
    """A well-formed object under another's id: git itself serves it without complaint."""
    site.commit({ZONE: "1"})
    object_id = site.git("rev-parse", f"HEAD:{ZONE}")
    corrupt(site, object_id, zlib.compress(b"blob 4\0evil"))
    assert site.object("blob", object_id) == b"evil"
    with pytest.raises(Terminal, match="not what its id says"):
        read_tree(site.repository, "HEAD")


def test_replacement_objects_have_no_effect(site: GitSite) -> None:
    site.commit({ZONE: "1"})
    site.git("replace", site.git("rev-parse", f"HEAD:{ZONE}"), site.store("blob", b"evil"))
    assert site.git("show", f"HEAD:{ZONE}") == "evil"
    assert read_tree(site.repository, "HEAD").files == {ZONE: b"1"}


def test_a_shallow_clone_says_how_to_deepen_it(site: GitSite) -> None:
    base = site.commit({ZONE: "1"})
    for number in range(3):
        site.commit({ZONE: f"{number + 2}"})
    site.git("clone", "-q", "--depth", "1", f"file://{site.path}", "shallow")
    shallow = GitSite(site.path / "shallow", site.home)
    shallow.git("fetch", "-q", "--depth", "1", "origin", base)
    with pytest.raises(Terminal, match="unshallow"):
        history.history(shallow.repository, base, "main")


def entry(mode: str, name: bytes, object_id: str) -> bytes:
    return mode.encode() + b" " + name + b"\0" + bytes.fromhex(object_id)


@pytest.mark.parametrize("name", [b"tenants/a.yaml", b"", b"twice"])
def test_a_tree_that_git_would_not_write_is_refused(site: GitSite, name: bytes) -> None:
    blob = site.store("blob", b"x")
    inner = site.store("tree", entry("100644", b"twice", blob) + entry("100644", name, blob))
    top = site.store("tree", entry("40000", b"policies", inner))
    raw = f"tree {top}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n".encode()
    site.git("update-ref", "refs/heads/main", site.store("commit", raw))
    with pytest.raises(Terminal, match="fsck"):
        read_tree(site.repository, "main")


@pytest.mark.parametrize(
    ("name", "why"), [(b"..", "reserves"), (b".GIT", "reserves"), (b"odd", "plain file")]
)
def test_an_entry_that_no_folder_can_hold_is_refused(site: GitSite, name: bytes, why: str) -> None:
    blob = site.store("blob", b"x")
    inner = site.store("tree", entry("100600" if name == b"odd" else "100644", name, blob))
    top = site.store("tree", entry("40000", b"policies", inner))
    raw = f"tree {top}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n".encode()
    site.git("update-ref", "refs/heads/main", site.store("commit", raw))
    (found,) = read_tree(site.repository, "main").files.values()
    assert why in str(found)


@pytest.mark.parametrize(
    "raw", [b"", b"\n\n", b"author A\n\n", f"tree {TREE[:-1]}\n\n".encode(), b"tree x\n"]
)
def test_a_malformed_commit_is_refused(raw: bytes) -> None:
    with pytest.raises(Terminal, match="malformed"):
        parse("0" * 40, raw)


def test_a_parent_after_the_author_is_no_parent_and_claims_are_made_printable() -> None:
    raw = f"tree {TREE}\nparent {'a' * 40}\nauthor \x1b[2J <a> 1 +0000\nparent {'b' * 40}\ncommitter C <c> x\n\nm"
    found = parse("0" * 40, raw.encode())
    assert found.parents == ("a" * 40,)
    assert found.author == "\\u001b[2J <a>"
    assert found.time == 0
    assert found.payload == raw.encode()


def test_the_payload_is_every_byte_but_the_signature_headers() -> None:
    head, tail = (
        f"tree {TREE}\nauthor A <a> 1 +0000\ncommitter C <c> 7 +0100\n",
        "mergetag x\n gpgsig no\n\ngpgsig b\n",
    )
    found = parse("0" * 40, f"{head}gpgsig one\n two\n \ngpgsig-sha256 three\n{tail}".encode())
    assert found.payload == (head + tail).encode()
    assert found.signatures == (b"one\ntwo\n\n", b"gpgsig-sha256 three\n")
    assert found.time == 7


def test_facts_carry_what_git_stored(site: GitSite) -> None:
    commit = site.commit({ZONE: "1"}, site.key("anna"))
    (found,) = history.history(site.repository, None, commit)
    assert isinstance(found, CommitFacts)
    assert found.author == "Somebody <somebody@site.example>"
    assert found.time == 1767225600
    assert len(found.signatures) == 1
    assert b"gpgsig" not in found.payload
