"""Git through GitPython with fixed options: objects read by id, branches advanced by compare-and-swap.

Nothing of a user's becomes an option: a revision that begins with `-` is refused, and paths follow `--`. Hooks, file
monitors and prompts of the repository's configuration are switched off, since a clone's configuration is not ours.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from git import Git, Repo
from git.exc import GitCommandError, InvalidGitRepositoryError, NoSuchPathError

from reconciler.errors import Stale, Terminal, Unreachable, UsageError
from reconciler.system.process import installed
from reconciler.system.ssh import PrivateKey

ZERO = "0" * 40
_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",
    "commit.gpgSign=false",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)
_REVISION = re.compile(r"[A-Za-z0-9_./@{}~^][A-Za-z0-9_./@{}~^+-]*\Z")
_WRITER = "Charter <charter@localhost>"
_NETWORK_SECONDS = 120


class _Rejected(Exception):
    """The remote's branch is not an ancestor, or the local one is not."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree; `mode` as git writes it (0o100644, 0o120000 symlink, 0o160000 submodule); `size` in bytes."""

    path: str
    mode: int
    size: int
    oid: str


@dataclass(frozen=True, slots=True)
class CommitObject:
    """A commit as stored. `payload` is what `signature` covers: the object without its gpgsig header."""

    id: str
    parents: tuple[str, ...]
    tree: str
    author: str
    time: datetime
    message: str
    signature: str | None
    payload: bytes


class Repository:
    """One repository, bare or not. Methods raise Terminal for what isn't there, Unreachable for a remote that isn't."""

    def __init__(self, repo: Repo, path: Path) -> None:
        self._repo = repo
        repo.git.update_environment(**_ENVIRONMENT)
        self._git = _prepared(Git(repo.working_dir or repo.git_dir))
        self.path = path

    @classmethod
    def open(cls, path: Path) -> Repository:
        """The repository whose top folder (or bare folder) is `path`, wherever a hook that called us says we are."""
        _here()
        try:
            repo = Repo(path, search_parent_directories=False)
        except (InvalidGitRepositoryError, NoSuchPathError):
            raise Terminal(f"{path}: is not the top of a git repository; run: git init {path}") from None
        if repo.config_reader("repository").get_value("extensions", "objectformat", "sha1") != "sha1":
            raise Terminal(f"{path}: only repositories of git's SHA-1 object format can be read; convert it")
        return cls(repo, path)

    @classmethod
    def init(cls, path: Path, *, bare: bool = False) -> Repository:
        """A new repository with branch main."""
        _here()
        path.mkdir(parents=True, exist_ok=True)
        git = _prepared(Git(path))
        try:
            git.init(
                "--quiet", "--initial-branch=main", "--object-format=sha1", *(["--bare"] if bare else [])
            )
        except GitCommandError as error:
            raise Terminal(f"{path}: no repository can be made there: {_stderr(error)}") from None
        return cls.open(path)

    @classmethod
    def mirror(cls, url: str, path: Path) -> Repository:
        """A bare repository at `path` that follows `url`."""
        repository = cls.open(path) if (path / "HEAD").exists() else cls.init(path, bare=True)
        repository._git.config("remote.origin.url", _address(url))
        return repository

    def resolve(self, revision: str) -> str:
        """Commit id of a revision. Raises UsageError for one that doesn't name a commit."""
        if not _REVISION.match(revision) or len(revision) > 250:
            raise UsageError(f"{revision[:60]!r} is not a revision; name a branch, a tag or a commit id")
        try:
            return str(
                self._git.rev_parse("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
            )
        except GitCommandError:
            raise UsageError(f"{revision!r} names no commit in {self.path}; see: git log --all") from None

    def tip(self, branch: str, *, remote: str | None = None) -> str | None:
        """Commit id of a branch (as last fetched from `remote`), None where there is none. Raises Terminal for a broken one."""
        name = f"refs/remotes/{remote}/{branch}" if remote else f"refs/heads/{branch}"
        try:
            return str(self._git.rev_parse("--verify", "--quiet", name))
        except GitCommandError as error:
            if error.status == 1 and not _stderr(error).strip(" '"):
                return None
            raise Terminal(f"{self.path}: {name} cannot be read: {_stderr(error)}; run: git fsck") from None

    def head(self) -> str | None:
        """Commit id of HEAD, None before the first commit."""
        try:
            return str(self._git.rev_parse("--verify", "--quiet", "HEAD^{commit}"))
        except GitCommandError:
            return None

    def tree(self, commit: str, prefixes: Sequence[str] = ()) -> Iterator[TreeEntry]:
        """Every file below the prefixes (all where none), submodules included, sizes without reading content."""
        arguments = ("-r", "-z", "--long", "--full-tree", commit, "--", *prefixes)
        listing = self._bytes(self._git.ls_tree, *arguments)
        for line in filter(None, listing.split(b"\0")):
            facts, _, path = line.partition(b"\t")
            mode, _, oid, size = facts.split()
            name = path.decode("utf-8", errors="surrogateescape")
            yield TreeEntry(name, int(mode, 8), int(size) if size != b"-" else 0, oid.decode())

    def blob(self, oid: str) -> bytes:
        """Content of a blob."""
        return self._object(oid, b"blob")

    def commit(self, commit: str) -> CommitObject:
        """A commit, its signature taken apart from what it covers."""
        return _parse_commit(commit, self._object(commit, b"commit"))

    def first_parents(self, base: str | None, head: str) -> tuple[str, ...]:
        """Commits after `base` up to `head` along first parents, oldest first; all of them where base is None."""
        span = head if base is None else f"{base}..{head}"
        listing = self._bytes(self._git.rev_list, "--first-parent", "--reverse", span, "--")
        return tuple(listing.decode().split())

    def changed_paths(self, before: str | None, after: str) -> tuple[str, ...]:
        """Paths that differ between two commits, both ends of a move; all paths where there is no `before`."""
        if before is None:
            return tuple(entry.path for entry in self.tree(after))
        listing = self._bytes(self._git.diff_tree, "-r", "-z", "--name-only", "--no-renames", before, after)
        return tuple(part.decode("utf-8", errors="surrogateescape") for part in listing.split(b"\0") if part)

    def is_ancestor(self, earlier: str, later: str) -> bool:
        """True where `later` descends from `earlier` or is it."""
        try:
            self._git.merge_base("--is-ancestor", earlier, later)
        except GitCommandError:
            return False
        return True

    def uncommitted(self, prefixes: Sequence[str]) -> tuple[str, ...]:
        """Paths below the prefixes that differ from HEAD or aren't tracked."""
        arguments = ("-z", "--porcelain=v1", "--untracked-files=all", "--no-renames", "--", *prefixes)
        listing = self._bytes(self._git.status, *arguments)
        return tuple(
            part[3:].decode("utf-8", errors="surrogateescape") for part in listing.split(b"\0") if part
        )

    def append(
        self,
        branch: str,
        files: Mapping[str, bytes],
        message: str,
        signer: PrivateKey,
        when: datetime,
        expected: str | None,
    ) -> str:
        """One signed commit holding exactly `files` on top of `expected`; the branch moves only if it still is there.

        Raises Stale when another writer moved it.
        """
        tree = self._write_tree(files)
        parent = f"parent {expected}\n" if expected else ""
        stamp = f"{_WRITER} {int(when.timestamp())} +0000"
        head = f"tree {tree}\n{parent}author {stamp}\ncommitter {stamp}\n"
        body = f"\n{message}"
        signature = signer.sign("git", (head + body).encode()).replace("\n", "\n ")
        commit = self._store("commit", f"{head}gpgsig {signature}\n{body}".encode())
        self._move(branch, commit, expected)
        return commit

    def fetch(self, branch: str, remote: str = "origin", into: str | None = None) -> str:
        """The remote's commit of a branch, its objects here; `into` also moves that local branch. Raises Unreachable."""
        spec = f"+refs/heads/{branch}:refs/heads/{into or branch}"
        self._network("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", _address(remote), spec)
        return self.resolve(f"refs/heads/{into or branch}")

    def advance(self, branch: str, remote: str) -> None:
        """Bring a local branch to the remote's, never back: one that is ahead, its push lost on the way, stays.

        Raises Stale when the two have parted.
        """
        local, theirs = self.tip(branch), self._fetched(branch, remote)
        if local is not None and self.is_ancestor(theirs, local):
            return
        if local is not None and not self.is_ancestor(local, theirs):
            raise Stale(
                f"branch {branch} of {remote} does not hold what was written from here; see docs/record.md"
            )
        self._move(branch, theirs, local)

    def _fetched(self, branch: str, remote: str) -> str:
        """The remote's commit of a branch, kept apart from any local branch."""
        seen = f"refs/charter/seen/{branch}"
        spec = f"+refs/heads/{branch}:{seen}"
        self._network("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", _address(remote), spec)
        return self.resolve(seen)

    def remote_tip(self, branch: str, remote: str) -> str | None:
        """The remote's commit of a branch, None where it has none. Raises Unreachable."""
        answer = self._network("ls-remote", _address(remote), f"refs/heads/{branch}")
        return answer.split()[0] if answer else None

    def push(self, branch: str, remote: str) -> None:
        """A plain fast-forward. Raises Stale when the remote refuses it, Unreachable when it is away."""
        try:
            self._network("push", "--quiet", _address(remote), f"refs/heads/{branch}:refs/heads/{branch}")
        except _Rejected:
            raise Stale(
                f"{remote}: refused branch {branch}: another writer pushed first; see docs/record.md"
            ) from None

    def _network(self, command: str, *arguments: str) -> str:
        try:
            return str(
                self._git.execute(
                    ["git", *_options(), command, *arguments], kill_after_timeout=_NETWORK_SECONDS
                )
            )
        except GitCommandError as error:
            reason = _reason(error)
            if any("rejected" in line for line in reason):
                raise _Rejected("rejected") from None
            raise Unreachable(
                f"git {command}: {'; '.join(reason[:2]) or 'no answer'}; check the remote"
            ) from None

    def _bytes(self, command: Callable[..., bytes], *arguments: str) -> bytes:
        try:
            content = command(*arguments, stdout_as_string=False, strip_newline_in_stdout=False)
        except GitCommandError as error:
            raise Terminal(f"{self.path}: git failed: {_stderr(error)}; run: git fsck") from None
        return content

    def _object(self, oid: str, kind: bytes) -> bytes:
        try:
            stream = self._repo.odb.stream(bytes.fromhex(oid))
            content: bytes = stream.read()
        except Exception as error:  # noqa: BLE001 - gitdb raises many kinds for a damaged object
            raise Terminal(
                f"{self.path}: object {oid} cannot be read ({type(error).__name__}); run: git fsck"
            ) from None
        if stream.type != kind:
            raise Terminal(f"{self.path}: object {oid} is no {kind.decode()}; run: git fsck")
        if (
            hashlib.sha1(b"%s %d\0%s" % (kind, len(content), content), usedforsecurity=False).hexdigest()
            != oid
        ):
            raise Terminal(f"{self.path}: object {oid} holds something else than its id says; run: git fsck")
        return content

    def _store(self, kind: str, content: bytes) -> str:
        return _fed(self._git.hash_object, content, "-t", kind, "-w", "--stdin")

    def _write_tree(self, files: Mapping[str, bytes]) -> str:
        lines = [f"100644 blob {self._store('blob', files[path])}\t{path}\n" for path in sorted(files)]
        return _fed(self._git.mktree, "".join(lines).encode())

    def _move(self, branch: str, commit: str, expected: str | None) -> None:
        try:
            self._git.update_ref(f"refs/heads/{branch}", commit, expected or ZERO)
        except GitCommandError as error:
            if self.tip(branch) == expected:
                why = f"cannot be moved: {_stderr(error)}"
                raise Terminal(
                    f"branch {branch} of {self.path} {why}; is a .lock of a git that died in the way?"
                ) from None
            raise Stale(
                f"branch {branch} of {self.path} was moved by another writer; look at: git log {branch}"
            ) from None


def _here() -> None:
    """Forget where a hook that called us says the repository is. Raises Terminal where there is no git."""
    if not installed("git"):
        raise Terminal("git is not installed here, or not on PATH; install it")
    for variable in _ELSEWHERE:
        os.environ.pop(variable, None)


def _prepared(git: Git) -> Git:
    git.update_environment(**_ENVIRONMENT)
    git.set_persistent_git_options(c=list(_SAFE))
    return git


def _options() -> list[str]:
    return [word for setting in _SAFE for word in ("-c", setting)]


def _address(url: str) -> str:
    if url.startswith("-") or "::" in url.split("/")[0]:
        raise UsageError(f"{url[:60]!r} is not a repository address; give a path or an ssh or https address")
    return url


def _reason(error: GitCommandError) -> list[str]:
    """What git said, without GitPython's wrapping: the cause comes first, then advice."""
    text = str(error.stderr).strip().removeprefix("stderr:").strip().strip("'")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _stderr(error: GitCommandError) -> str:
    return " ".join(str(error.stderr).split())[:300]


def _parse_commit(commit: str, raw: bytes) -> CommitObject:
    head, _, message = raw.partition(b"\n\n")
    fields, signatures, payload = _headers(head)
    if len(signatures) > 1:
        raise Terminal(f"commit {commit} bears {len(signatures)} signatures; it is not one that git makes")
    author, _, stamp = fields.get(b"author", [b""])[0].rpartition(b"> ")
    seconds = int(stamp.split()[0]) if stamp.split() else 0
    return CommitObject(
        id=commit,
        parents=tuple(value.decode() for value in fields.get(b"parent", [])),
        tree=fields[b"tree"][0].decode(),
        author=(author + b">").decode(errors="replace"),
        time=datetime.fromtimestamp(seconds, UTC),
        message=message.decode(errors="surrogateescape"),
        signature=signatures[0].decode(errors="replace") if signatures else None,
        payload=payload + b"\n\n" + message,
    )


def _headers(head: bytes) -> tuple[dict[bytes, list[bytes]], list[bytes], bytes]:
    """Header fields, signatures with their folding undone, and the header without them."""
    fields: dict[bytes, list[bytes]] = {}
    signatures: list[bytes] = []
    kept: list[bytes] = []
    signing = False
    for line in head.split(b"\n"):
        if line.startswith(b" ") and signing:
            signatures[-1] += b"\n" + line[1:]
            continue
        name, _, value = line.partition(b" ")
        signing = name in (b"gpgsig", b"gpgsig-sha256")
        if signing:
            signatures.append(value)
        else:
            kept.append(line)
            if name != b"parent" or b"author" not in fields:
                fields.setdefault(name, []).append(value)
    return fields, signatures, b"\n".join(kept)


def _fed(command: Callable[..., str], content: bytes, *arguments: str) -> str:
    """Answer of a git command that reads `content`."""
    with tempfile.TemporaryFile() as stream:
        stream.write(content)
        stream.seek(0)
        try:
            return str(command(*arguments, istream=stream))
        except GitCommandError as error:
            raise Terminal(
                f"git cannot write: {_stderr(error)}; is the disk full, or the folder another's?"
            ) from None
