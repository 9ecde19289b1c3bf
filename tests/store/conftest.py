"""Libraries to test with: SQLite always, PostgreSQL where a server's programs are installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planviz.store import Library


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL server, started for the tests."""
    found = {name: shutil.which(name) for name in ("initdb", "pg_ctl")}
    if not all(found.values()):
        pytest.skip("no PostgreSQL server is installed (initdb, pg_ctl)")
    pytest.importorskip("psycopg")
    # A socket's path has at most 107 bytes; the server refuses to run as root.
    folder = Path(subprocess.run(["mktemp", "-d"], check=True, capture_output=True, text=True).stdout.strip())
    as_other: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("PostgreSQL does not run as root, and there is no setpriv to be somebody else")
        shutil.chown(folder, "nobody")
        as_other = ["setpriv", "--reuid=nobody", "--clear-groups"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    run = [*as_other, str(found["initdb"]), "-D", str(data), "-U", "planviz", "--auth=trust", "-E", "UTF8", "--no-sync"]
    begun = subprocess.run(run, capture_output=True, text=True, check=False, cwd=folder)
    if begun.returncode:
        pytest.skip(f"PostgreSQL cannot be set up here: {begun.stderr.strip()[-200:]}")
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c max_connections=200"
    control = [*as_other, str(found["pg_ctl"]), "-D", str(data), "-w"]
    subprocess.run(
        [*control, "-o", options, "-l", str(folder / "log"), "start"], check=True, capture_output=True, cwd=folder
    )
    try:
        yield f"postgresql://planviz@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd=folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A library's place, empty: a file, then a database of a server."""
    if request.param == "sqlite":
        return str(tmp_path / "library.db")
    address: str = request.getfixturevalue("postgres")
    import psycopg

    name = f"library_{abs(hash(request.node.name)) % 10**9}_{os.getpid()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return address.rpartition("/")[0] + "/" + name


@pytest.fixture
def opened() -> Iterator[Callable[[str], Library]]:
    """Opens libraries, and closes them after the test."""
    found: list[Library] = []

    def library_of(place: str) -> Library:
        found.append(Library(place))
        return found[-1]

    yield library_of
    for library in found:
        library.close()


@pytest.fixture
def library(place: str, opened: Callable[[str], Library]) -> Library:
    """An empty library."""
    return opened(place)
