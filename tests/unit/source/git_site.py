"""A git repository that holds a site, made with git and ssh-keygen themselves."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from reconciler.system.git import Repository


@dataclass(frozen=True, slots=True)
class Key:
    """A key made by ssh-keygen."""

    path: Path

    @property
    def public(self) -> str:
        return self.path.with_suffix(".pub").read_text().strip()


@dataclass(frozen=True, slots=True)
class GitSite:
    """`path`: the working tree and, at once, the site; `home` keeps git away from this machine's settings."""

    path: Path
    home: Path

    @classmethod
    def create(cls, path: Path) -> GitSite:
        site = cls(path / "site", path / "home")
        site.path.mkdir(parents=True)
        site.home.mkdir()
        site.git("init", "--quiet", "--initial-branch=main")
        return site

    @property
    def repository(self) -> Repository:
        return Repository.open(self.path)

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, stdin: bytes = b"", **environment: str) -> str:
        return self.raw(*arguments, stdin=stdin, **environment).decode().strip()

    def raw(self, *arguments: str, stdin: bytes = b"", **environment: str) -> bytes:
        identity = {
            f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()
        }
        settings = {"HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={"PATH": os.environ["PATH"], **settings, **identity, **environment},
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def write(self, files: dict[str, str | None]) -> None:
        """Put files into the working tree; None removes one."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                target.unlink()
            else:
                target.write_text(content)

    def commit(
        self,
        files: dict[str, str | None],
        key: Key | None = None,
        message: str = "Change",
        **environment: str,
    ) -> str:
        """Commit a change, signed with a key where one is given; the new commit's id."""
        self.write(files)
        self.git("add", "--all", "--force", ".")
        self.signed(key, "commit", "--quiet", "--allow-empty", "-m", message, **environment)
        return self.head

    def signed(self, key: Key | None, command: str, *arguments: str, **environment: str) -> str:
        """A git command that makes commits, signing them as its users do."""
        if key is None:
            return self.git("-c", "commit.gpgSign=false", command, *arguments, stdin=b"", **environment)
        settings = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={key.path}")
        return self.git(*settings, command, "-S", *arguments, stdin=b"", **environment)

    def store(self, kind: str, content: bytes) -> str:
        """An object of any content, as a hostile writer could push it."""
        return self.git("hash-object", "-t", kind, "-w", "--stdin", "--literally", stdin=content)

    def object(self, kind: str, object_id: str) -> bytes:
        return self.raw("cat-file", kind, object_id)

    def key(self, name: str, kind: str = "ed25519") -> Key:
        path = self.home / name
        command = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", str(path)]
        subprocess.run(command, check=True, timeout=60)
        return Key(path)


_WHO = {"NAME": "Somebody", "EMAIL": "somebody@site.example", "DATE": "1767225600 +0000"}
