"""`charter audit init|log|show|verify`: outputs for people and machines, exit codes, founding from a draft to a verified log."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reconciler.cli.main import app
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from tests.unit.audit.forge import honest, rotated


def _charter(*words: str, expect: int) -> str:
    """What the command said; its exit code is asserted."""
    result = CliRunner().invoke(app, ["audit", *words])
    assert result.exit_code == expect, f"{result.exit_code}: {result.output}\n{result.exception!r}"
    return result.output


def _stdout(*words: str, expect: int = 0) -> str:
    result = CliRunner().invoke(app, ["audit", *words])
    assert result.exit_code == expect, result.output
    return result.stdout


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A repository with an honest log."""
    made = honest(tmp_path / "log")
    made.write(made.entries)
    return str(made.path)


def test_the_log_is_listed_for_people_and_for_machines(log: str) -> None:
    lines = _stdout("log", log).splitlines()
    assert len(lines) == 6
    assert lines[0].split()[2:] == ["genesis", "-" * 12, "rooted"]
    assert "complete" in lines[2]
    assert "files done: 1 actions" in lines[2]
    entries = json.loads(_stdout("log", log, "--format", "json"))
    assert [entry["record"]["kind"] for entry in entries] == [
        ["genesis"],
        ["intent"],
        ["outcome"],
        ["intent"],
        ["outcome"],
        ["drift"],
    ]
    assert not any(entry["void"] for entry in entries)


def test_one_entry_is_shown_as_it_stands(log: str) -> None:
    assert _stdout("show", "5", log).startswith("format charter.record/v1\nkind drift\n")
    assert json.loads(_stdout("show", "5", log, "--format", "json"))["record"]["seq"] == ["5"]
    assert "the newest is 5" in _charter("show", "6", log, expect=1)


def test_void_entries_are_marked(tmp_path: Path) -> None:
    made = rotated(tmp_path / "log")
    made.write(made.entries)
    marked = [line.endswith("VOID") for line in _stdout("log", str(made.path)).splitlines()]
    assert marked == [False, False, False, False, True, True, False, False]
    assert "void by a later key entry: 4, 5" in _stdout("verify", str(made.path))
    assert json.loads(_stdout("verify", str(made.path), "--format", "json"))["void"] == [4, 5]


def test_a_verification_says_what_it_proves_and_what_it_cannot(log: str, tmp_path: Path) -> None:
    said = _stdout("verify", log)
    assert said.startswith("intact: 6 entries, tip 5 ")
    for part in ("UNANCHORED", "proves that root keys vouch", "cannot prove that hosts really ran"):
        assert part in said
    document = json.loads(_stdout("verify", log, "--format", "json"))
    assert (document["intact"], document["anchored"], document["rooted"]) == (True, False, True)
    seq, digest = document["tip"]
    trust = tmp_path / "trust"
    trust.write_text(f"format charter.trust/v1\ngenesis {document['genesis']}\ntip {seq} {digest}\n")
    assert "UNANCHORED" not in _stdout("verify", log, "--trust", str(trust))


def test_a_log_that_does_not_hold_is_6_and_every_fault_is_named(tmp_path: Path) -> None:
    made = honest(tmp_path / "log")
    for entry in made.entries[4:]:
        entry.signer = PrivateKey.generate()
    made.write(made.entries)
    said = _stdout("verify", str(made.path), expect=6)
    assert said.count("not by the log key") == 2
    assert "NOT INTACT: 2 faults in 6 entries" in said
    faults = json.loads(_stdout("verify", str(made.path), "--format", "json", expect=6))["faults"]
    assert [fault["seq"] for fault in faults] == [4, 5]
    assert "signed by" in _charter("log", str(made.path), expect=6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "format charter.trust/v2\ngenesis " + "a" * 64 + "\n",
        "format charter.trust/v1\ngenesis xyz\n",
        "format charter.trust/v1\r\ngenesis " + "a" * 64 + "\r\n",
        "format charter.trust/v1\ngenesis " + "a" * 64 + "\ntip 01 " + "a" * 64 + "\n",
        "format charter.trust/v1\ngenesis " + "a" * 64 + "\nmore\n",
        "format charter.trust/v1\ngenesis " + "a" * 64,
    ],
)
def test_what_is_no_trust_file_is_1_for_both_verifiers(log: str, tmp_path: Path, text: str) -> None:
    trust = tmp_path / "trust"
    trust.write_bytes(text.encode())
    assert "is not a trust file" in _charter("verify", log, "--trust", str(trust), expect=1)
    script = str(Path(__file__).parents[3] / "verify.sh")
    done = subprocess.run(["sh", script, "--trust", str(trust), log], capture_output=True, check=False)
    assert (done.returncode, b"is not a trust file" in done.stderr) == (1, True)


def test_without_a_log_verify_is_1(tmp_path: Path) -> None:
    Repository.init(tmp_path / "empty")
    assert "nothing was ever sealed" in _charter("verify", str(tmp_path / "empty"), expect=1)
    assert _stdout("log", str(tmp_path / "empty")) == ""


class TestFounding:
    """From root keys to a verified log."""

    @pytest.fixture
    def site(self, tmp_path: Path) -> str:
        """The reference site, committed."""
        folder = tmp_path / "site"
        assert CliRunner().invoke(app, ["init", str(folder)]).exit_code == 0
        for words in (["add", "."], ["commit", "-q", "-m", "site"]):
            identity = ["-c", "user.name=w", "-c", "user.email=w@localhost"]
            subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
        return str(folder)

    @pytest.fixture
    def config(self, tmp_path: Path) -> str:
        """A run-time configuration with a log key."""
        PrivateKey.generate().write(tmp_path / "log_key")
        path = tmp_path / "charter.yaml"
        path.write_text(
            f"audit_key: log_key\nstate_dir: state\ntargets:\n  files: {{directory: {tmp_path / 'live'}}}\n"
        )
        return str(path)

    def test_a_signed_draft_founds_a_log_that_its_trust_file_vouches_for(
        self, site: str, config: str, tmp_path: Path
    ) -> None:
        root, draft, common = tmp_path / "root", tmp_path / "draft", [site, "--config", config]
        PrivateKey.generate().write(root)
        origin = ["--origin", "audit.example/aurora", "--root", f"{root}.pub"]
        said = _charter("init", *common, "--draft", str(draft), *origin, expect=0)
        assert "ssh-keygen -Y sign -n charter-genesis" in said
        unsigned = _charter("init", *common, "--signed", str(draft), expect=3)
        assert "1 more root signatures are needed" in unsigned
        subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", "charter-genesis", "-f", str(root), str(draft)],
            check=True,
        )
        signed = [*common, "--signed", str(draft), "--signature", f"{draft}.sig"]
        (tmp_path / "trust").write_text(_stdout("init", *signed))
        said = _stdout("verify", *common, "--trust", str(tmp_path / "trust"))
        assert "UNANCHORED" not in said
        assert "UNTRUSTED" not in said
        assert "already" in _charter("init", *signed, expect=1)
        result = CliRunner().invoke(app, ["apply", *common])
        assert result.exit_code == 0, result.output
        assert "intact: 3 entries" in _stdout("verify", *common, "--trust", str(tmp_path / "trust"))

    def test_what_is_missing_is_named(self, site: str, config: str, tmp_path: Path) -> None:
        draft = str(tmp_path / "draft")
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-N", "", "-f", str(tmp_path / "rsa")], check=True)
        for words, why in (
            ([], "--draft FILE to begin"),
            (["--draft", draft, "--signed", draft], "--draft FILE to begin"),
            (["--draft", draft], "--origin is missing"),
            (["--draft", draft, "--origin", "a"], "between 1 and their number"),
            (["--draft", draft, "--origin", "a", "--root", config], "not base64"),
            (
                ["--draft", draft, "--origin", "a b", "--root", f"{tmp_path / 'log_key'}.pub"],
                "origin has a malformed",
            ),
            (
                ["--draft", draft, "--origin", "a", "--root", f"{tmp_path / 'rsa'}.pub"],
                "root_key has a malformed",
            ),
            (["--signed", config], "make the draft again"),
        ):
            assert why in _charter("init", site, "--config", config, *words, expect=1)

    def test_without_a_log_key_no_draft_is_made(self, site: str, tmp_path: Path) -> None:
        words = ["--draft", str(tmp_path / "draft"), "--origin", "a"]
        assert "audit_key is missing" in _charter("init", site, *words, expect=1)
        assert not (tmp_path / "draft").exists()
