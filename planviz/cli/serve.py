"""`planviz serve`: the web app."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import socket
import sys
from pathlib import Path

import planviz
from planviz.cli import auth
from planviz.config import PROFILE_VARIABLE, default_profile
from planviz.errors import InputError
from planviz.store import is_place
from planviz.store.database import VARIABLE as STORE_VARIABLE
from planviz.store.database import open_database
from planviz.ui import guard, history_places, live_places, sessions
from planviz.ui.library import LISTED_VARIABLE
from planviz.ui.live_access import VARIABLE, Access, is_this_machine


def serve(options: argparse.Namespace) -> int:
    """Start the app and stay until it is stopped."""
    if not 0 < options.port < 65536:
        raise InputError(f"--port {options.port}: a port is a number from 1 to 65535.")
    hosts = _hosts(options)
    _listenable(options.address, options.port)
    os.environ[guard.VARIABLE] = ",".join([options.address, *hosts])
    if options.profile:
        os.environ[PROFILE_VARIABLE] = options.profile
    default_profile()
    _live(options)
    if options.history:
        os.environ[history_places.VARIABLE] = "\n".join(_folder("--history", path) for path in options.history)
    _store(options)
    _limits(options)
    script = app_script()
    signing_in = auth.begin(options, hosts, script)
    # Streamlit takes the program's name for the app's place, where .streamlit/config.toml lies.
    sys.argv = [str(script)]
    found = importlib.util.spec_from_file_location("app", script)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.app.run(
        config={
            "server.address": options.address,
            "server.port": options.port,
            "server.headless": not options.browser,
            # Otherwise start-up asks the network for this machine's outer address.
            "browser.serverAddress": "localhost" if options.address == "0.0.0.0" else options.address,
            "browser.gatherUsageStats": False,
            **signing_in,
        }
    )
    return 0


def _live(options: argparse.Namespace) -> None:
    """Hand on what visitors may do with a live Spark, and the places that it offers.

    Raises InputError for a folder or file that is none.
    """
    if options.live is not None or options.auth is not None:
        # Where people sign in others than this machine's user come, whatever the address is.
        os.environ[VARIABLE] = options.live or Access.NONE.value
    if options.live_master:
        os.environ[live_places.MASTERS] = live_places.said(options.live_master)
    if options.live_data:
        os.environ[live_places.FOLDERS] = live_places.said(_folder("--live-data", path) for path in options.live_data)
    if options.live_conf is not None:
        os.environ[live_places.CONF] = _conf(options.live_conf)


def _store(options: argparse.Namespace) -> None:
    """Hand the library's place on. Where others reach the server there is none, unless somebody names one.

    Raises StoreError for one that cannot be opened.
    """
    place = options.store or os.environ.get(STORE_VARIABLE, "")
    if not place and not is_this_machine(options.address) and options.auth is None:
        place = "none"
    if is_place(place):
        open_database(place).dispose()
    if place:
        os.environ[STORE_VARIABLE] = place
    os.environ[LISTED_VARIABLE] = "yes" if is_this_machine(options.address) else "no"


def _limits(options: argparse.Namespace) -> None:
    """Hand the workers' limits on. Raises InputError for what is none."""
    if not 0 < options.task_seconds < 86_400:
        raise InputError(f"--task-seconds {options.task_seconds:g}: a number of seconds, more than 0.")
    if not options.task_memory >= 100:
        raise InputError(f"--task-memory {options.task_memory}: megabytes, at least 100.")
    if options.workers is not None and not 1 <= options.workers <= 256:
        raise InputError(f"--workers {options.workers}: a number from 1 to 256.")
    os.environ[sessions.TASK_SECONDS] = str(options.task_seconds)
    os.environ[sessions.TASK_MEMORY] = str(options.task_memory)
    if options.workers is not None:
        os.environ[sessions.COUNT] = str(options.workers)


def _hosts(options: argparse.Namespace) -> list[str]:
    """The names of `--host`, else those of the environment. Raises InputError for what is no name."""
    given = options.host or [name for name in os.environ.get("PLANVIZ_HOST", "").split(",") if name.strip()]
    hosts = [name.strip() for name in given]
    try:
        guard.names_of(options.address, hosts)
    except ValueError as error:
        raise InputError(f"--host {error}: write a name such as planviz.example.com or planviz:8501.") from None
    return hosts


def _folder(option: str, path: str) -> str:
    """A folder, whole; an address stays. Raises InputError when there is none."""
    if "://" in path:
        return path
    if not Path(path).is_dir():
        what = (
            "a catalogue of executions or a folder of them" if option == "--history" else "a folder of Parquet tables"
        )
        raise InputError(f"{option} {path}: there is no such folder. Name {what}.")
    return str(Path(path).resolve())


def _conf(path: str) -> str:
    """The settings of a file, as lines. Raises InputError for a file that cannot be read and a line that is none."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--live-conf {path}: the file cannot be read ({error}).") from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            match = re.fullmatch(r"\s*(spark\.[\w.\-]+)(?:\s*=\s*|\s+)(\S.*)", line)
            if match is None:
                raise InputError(f"--live-conf {path}, line {number}: write spark.some.key=value.")
            found.append(f"{match[1]}={match[2].strip()}")
    return live_places.said(found)


def _listenable(address: str, port: int) -> None:
    """Raise InputError when nothing can listen at this address and port."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise InputError(
            f"Cannot listen at {address}, port {port}: {error.strerror or error}. "
            "Choose another with --port, or stop what uses it."
        ) from None


def app_script() -> Path:
    """The app's start file, which lies beside the package in the repository.

    Raises InputError when the package was installed without it.
    """
    for folder in (Path(planviz.__file__).resolve().parents[1], Path.cwd()):
        script = folder / "app.py"
        if script.is_file() and (folder / "pages" / "explore.py").is_file():
            return script
    raise InputError(
        "The web app is not part of the installed package: its app.py and pages/ lie at the top of the repository. "
        "Clone the repository and run `pip install -e .` and `planviz serve` in it, or use its Dockerfile. "
        "The other commands, such as `planviz render`, work as they are."
    )
