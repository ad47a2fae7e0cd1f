"""A folder and the commit made of it give the same snapshot, hostile names and files included."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reconciler.errors import Terminal, UsageError
from reconciler.source import snapshot
from reconciler.source.directory import read_directory
from reconciler.source.snapshot import MAX_DEPTH, display
from reconciler.source.tree import read_tree
from reconciler.source.uncommitted import uncommitted
from renderer.load import Refused
from renderer.load.limits import MAX_FILE
from tests.counts import count
from tests.unit.source.git_site import GitSite

PLAIN: dict[str, str | None] = {
    "inventory/site.yaml": "name: north\n",
    "policies/tenants/health.yaml": "name: health\n",
    "rego/site/change/quiet.rego": "package charter.site.change.quiet\n",
    "rego/change.rego": "not the site's\n",
    "README.md": "not the site's\n",
}


@pytest.fixture
def site(tmp_path: Path) -> GitSite:
    return GitSite.create(tmp_path)


def refusal(found: bytes | Refused) -> str:
    assert isinstance(found, Refused), found
    return found.reason


def both(site: GitSite) -> dict[str, bytes | Refused]:
    """Files of the folder, after it was seen that its commit has the same."""
    commit = site.commit({})
    tree, folder = read_tree(site.repository, "HEAD"), read_directory(site.path)
    assert (tree.commit, folder.commit) == (commit, None)
    assert tree.files == folder.files
    assert list(tree.files) == list(folder.files) == sorted(folder.files)
    assert uncommitted(site.repository, site.path) == ()
    return dict(folder.files)


def test_only_the_sites_own_folders_are_read(site: GitSite) -> None:
    site.write(PLAIN)
    assert both(site) == {
        "inventory/site.yaml": b"name: north\n",
        "policies/tenants/health.yaml": b"name: health\n",
        "rego/site/change/quiet.rego": b"package charter.site.change.quiet\n",
    }


def test_a_repository_without_a_site_gives_no_files(site: GitSite) -> None:
    site.write({"README.md": "x", "inventory.yaml": "x", "rego/change.rego": "x"})
    assert both(site) == {}


@pytest.mark.parametrize("target", ["site.yaml", "/etc/passwd", "../../outside", "nowhere", "."])
def test_a_symbolic_link_is_refused_wherever_it_points(site: GitSite, target: str) -> None:
    site.write(PLAIN)
    (site.path / "inventory/link.yaml").symlink_to(target)
    assert "symbolic link" in refusal(both(site)["inventory/link.yaml"])


@pytest.mark.parametrize("root", ["inventory", "policies", "rego", "rego/site"])
def test_a_link_or_a_file_in_a_folders_place_is_refused(site: GitSite, root: str) -> None:
    elsewhere = site.home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.yaml").write_text("x")
    (site.path / root).parent.mkdir(exist_ok=True)
    (site.path / root).symlink_to(elsewhere)
    assert {path: "symbolic link" in refusal(found) for path, found in both(site).items()} == {root: True}
    (site.path / root).unlink()
    (site.path / root).write_text("no folder")
    assert {path: "must be a folder" in refusal(found) for path, found in both(site).items()} == {root: True}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.yaml", "inventory/a\\x0ab.yaml"),
        (b"\xff\xfe.yaml", "inventory/\\xff\\xfe.yaml"),
        (b"back\\slash", "inventory/back\\x5cslash"),
        (b"\x1b[31mred", "inventory/\\x1b[31mred"),
        ("\u202etxt.yaml".encode(), "inventory/\\xe2\\x80\\xaetxt.yaml"),
    ],
)
def test_a_name_that_could_deceive_is_shown_escaped_and_refused(
    site: GitSite, name: bytes, shown: str
) -> None:
    site.write(PLAIN)
    (Path(os.fsdecode(os.fsencode(site.path / "inventory") + b"/" + name))).write_text("x")
    assert "rename it" in refusal(both(site)[shown])


def test_names_that_differ_in_case_or_accents_form_only_are_all_refused(site: GitSite) -> None:
    names = ["policies/a.yaml", "policies/A.yaml", "policies/\u00e9.yaml", "policies/e\u0301.yaml"]
    site.write(dict.fromkeys([*names, "policies/b.yaml"], "x"))
    files = both(site)
    assert all("only in case" in refusal(files[name]) for name in names)
    assert files["policies/b.yaml"] == b"x"
    assert "policies/A.yaml" in refusal(files["policies/a.yaml"])


def test_a_file_at_the_bound_is_read_and_one_byte_more_refused(site: GitSite) -> None:
    site.write({"policies/fits.yaml": "x" * MAX_FILE, "policies/large.yaml": "x" * (MAX_FILE + 1)})
    files = both(site)
    assert files["policies/fits.yaml"] == b"x" * MAX_FILE
    assert "MiB" in refusal(files["policies/large.yaml"])


def test_folders_may_lie_in_one_another_to_a_depth(site: GitSite) -> None:
    inside = "/".join(["policies", *"d" * (MAX_DEPTH - 1)])
    site.write({f"{inside}/ok.yaml": "x", f"{inside}/d/deep.yaml": "x", f"{inside}/d/d/d/deeper.yaml": "x"})
    files = both(site)
    assert files[f"{inside}/ok.yaml"] == b"x"
    assert "deep" in refusal(files[f"{inside}/d"])
    assert [path for path, found in files.items() if isinstance(found, Refused)] == [f"{inside}/d"]


def test_a_repository_within_the_site_is_refused_and_not_entered(site: GitSite) -> None:
    site.write(PLAIN)
    subprocess.run(["git", "init", "-q", str(site.path / "inventory/inner")], check=True, timeout=60)
    inner = GitSite(site.path / "inventory/inner", site.home)
    inner.commit({"x.yaml": "x"})
    assert "submodule" in refusal(both(site)["inventory/inner"])


def test_what_a_folder_alone_can_hold_is_refused_and_never_waited_for(site: GitSite) -> None:
    site.write(PLAIN)
    os.mkfifo(site.path / "inventory/pipe")
    (site.path / "inventory/empty").mkdir()
    files = read_directory(site.path).files
    assert "plain file" in refusal(files["inventory/pipe"])
    assert uncommitted_after_commit(site) == ("inventory/pipe",)


def uncommitted_after_commit(site: GitSite) -> tuple[str, ...]:
    site.git("add", "inventory/site.yaml", "policies", "rego")
    site.git("commit", "-q", "-m", "x")
    return uncommitted(site.repository, site.path)


def test_a_file_that_cannot_be_read_is_refused_with_the_systems_word(
    site: GitSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(PLAIN)
    real = os.open

    def failing(path: str | bytes, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == b"site.yaml":
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", failing)
    assert "Permission denied" in refusal(read_directory(site.path).files["inventory/site.yaml"])


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a site"):
        read_directory(tmp_path / "nowhere")


def test_too_many_files_end_the_reading_in_both(site: GitSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_FILES", 20)
    site.commit({f"inventory/{number}.yaml": "x" for number in range(19)})
    assert len(both(site)) == 19, "the folder itself counts"
    site.commit({"inventory/one-more.yaml": "x"})
    with pytest.raises(Terminal, match="more than 20 files"):
        read_tree(site.repository, "HEAD")
    with pytest.raises(Terminal, match="more than 20 files"):
        read_directory(site.path)


def test_a_hundred_thousand_files_are_refused_before_they_are_all_read(site: GitSite) -> None:
    blob = site.store("blob", b"")
    listing = "".join(f"100644 blob {blob}\tf{number}\n" for number in range(100_000))
    inner = site.git("mktree", stdin=listing.encode())
    top = site.git("mktree", stdin=f"040000 tree {inner}\tinventory\n".encode())
    site.git("update-ref", "refs/heads/main", site.git("commit-tree", top, "-m", "x"))
    with pytest.raises(Terminal, match="more than 20000 files"):
        read_tree(site.repository, "HEAD")


def test_too_many_bytes_end_the_reading_in_both(site: GitSite) -> None:
    site.write({f"policies/{number}.yaml": "x" * MAX_FILE for number in range(9)})
    site.commit({})
    with pytest.raises(Terminal, match="MiB together"):
        read_directory(site.path)
    with pytest.raises(Terminal, match="MiB together"):
        read_tree(site.repository, "HEAD")


def test_a_site_may_lie_below_the_top_of_its_repository(site: GitSite) -> None:
    site.commit({f"clusters/north/{path}": content for path, content in PLAIN.items()})
    below = read_tree(site.repository, "main", "clusters/north").files
    assert below == read_directory(site.path / "clusters/north").files
    assert len(below) == 3
    assert uncommitted(site.repository, site.path / "clusters/north", "clusters/north") == ()
    assert read_tree(site.repository, "main", "clusters/south").files == {}
    assert read_tree(site.repository, "main", "../north").files == {}
    assert read_tree(site.repository, "main").files == {}


def test_uncommitted_names_what_differs_even_where_the_index_is_told_to_look_away(site: GitSite) -> None:
    site.commit(PLAIN)
    site.git("update-index", "--assume-unchanged", "inventory/site.yaml")
    site.write({"inventory/site.yaml": "x", "policies/new.yaml": "x", "README.md": "y"})
    site.write({"policies/tenants/health.yaml": None})
    expected = ("inventory/site.yaml", "policies/new.yaml", "policies/tenants/health.yaml")
    assert uncommitted(site.repository, site.path) == expected


def test_before_the_first_commit_everything_is_uncommitted(site: GitSite) -> None:
    assert uncommitted(site.repository, site.path) == ()
    site.write({"inventory/site.yaml": "x", "README.md": "x"})
    assert uncommitted(site.repository, site.path) == ("inventory/site.yaml",)


def test_a_tag_and_a_branch_name_their_commit_and_nonsense_is_a_usage_error(site: GitSite) -> None:
    commit = site.commit(PLAIN)
    site.git("tag", "-a", "v1", "-m", "x")
    assert read_tree(site.repository, "v1").commit == commit
    for revision in ("nowhere", "--all", "HEAD:inventory"):
        with pytest.raises(UsageError):
            read_tree(site.repository, revision)


SEGMENT = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
NAMES = st.one_of(SEGMENT.map(str.encode), st.binary(min_size=1, max_size=6)).filter(
    lambda name: (
        b"/" not in name and b"\0" not in name and name not in (b".", b"..") and name.lower() != b".git"
    )
)


@settings(
    max_examples=count(25, 500), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=st.dictionaries(NAMES, st.binary(max_size=50), max_size=6))
def test_any_folder_and_its_commit_give_the_same_snapshot(
    files: dict[bytes, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    site = GitSite.create(tmp_path_factory.mktemp("any"))
    (site.path / "policies").mkdir()
    for name, content in files.items():
        target = Path(os.fsdecode(os.fsencode(site.path / "policies") + b"/" + name))
        target.write_bytes(content)
    assert len(both(site)) == len(files)


@given(st.lists(st.binary(max_size=12), unique=True, max_size=6))
def test_escaping_never_makes_two_names_one(names: list[bytes]) -> None:
    assert len({display(name) for name in names}) == len(names)
    assert all(display(name).isprintable() for name in names)
