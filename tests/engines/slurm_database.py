"""MariaDB for slurmdbd, in a scratch folder: its own data, socket and port, and one user with a random password."""

from __future__ import annotations

import secrets
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.engines.errors import EngineError
from tests.engines.scratch import Scratch

NAME = "slurm_acct_db"


@dataclass(frozen=True, slots=True)
class Database:
    """Where slurmdbd finds its storage. `password` is good for this scratch database only."""

    port: int
    user: str
    password: str


def install_database(scratch: Scratch) -> subprocess.Popen[bytes]:
    """Begin to fill the data folder (about a second); `start_database` waits for it."""
    argv = ["mariadb-install-db", "--no-defaults", f"--datadir={scratch.path}/db", "--user=root"]
    argv += ["--auth-root-authentication-method=socket", "--skip-test-db"]
    environment = scratch.environment | _own_temporary(scratch)
    with (scratch.path / "log" / "mariadb-install.out").open("wb") as log:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def start_database(scratch: Scratch, port: int, installing: subprocess.Popen[bytes]) -> Database:
    """Start MariaDB on the loopback address and make slurmdbd's user. EngineError: it did not install or start."""
    if installing.wait(60) != 0:
        raise EngineError(f"mariadb-install-db failed:\n{scratch.tail('mariadb-install.out')}")
    connection = scratch.path / "run" / "my.sock"
    scratch.start("mariadbd", *_server(scratch.path, connection, port), environment=_own_temporary(scratch))
    scratch.await_ready("mariadbd", lambda: answers(port), 30)
    database = Database(port, "slurm", secrets.token_hex(16))
    _make_user(connection, database)
    return database


def answers(port: int) -> bool:
    """Whether something accepts connections on this port of the loopback address."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _own_temporary(scratch: Scratch) -> dict[str, str]:
    """A starting server removes every #sql* file in its temporary folder, those of other servers too."""
    return {"TMPDIR": str(scratch.folder("db-tmp"))}


def _server(root: Path, connection: Path, port: int) -> list[str]:
    return [
        "mariadbd",
        "--no-defaults",
        "--user=root",
        f"--datadir={root}/db",
        f"--socket={connection}",
        f"--pid-file={root}/run/my.pid",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--innodb-buffer-pool-size=128M",
        "--innodb-lock-wait-timeout=900",
        "--innodb-flush-log-at-trx-commit=0",
        "--skip-log-bin",
        "--performance-schema=0",
    ]


def _make_user(connection: Path, database: Database) -> None:
    sql = (
        f"CREATE USER '{database.user}'@'127.0.0.1' IDENTIFIED BY '{database.password}';"
        f"GRANT ALL ON {NAME}.* TO '{database.user}'@'127.0.0.1';"
    )
    client = ["mariadb", "--no-defaults", f"--socket={connection}", "--user=root"]
    done = subprocess.run(client, input=sql, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise EngineError(f"the database user of slurmdbd could not be made: {done.stderr.strip()}")
