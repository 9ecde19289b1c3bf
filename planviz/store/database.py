"""Opening the library's database, making it or bringing it up to date.

SQLite stands in a file (write-ahead log, synchronous: what was acknowledged survives a kill and a power cut);
PostgreSQL is reached through SQLAlchemy by its address.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from planviz.errors import StoreError

#: The newest migration of `migrations/versions`.
HEAD = "0004"
#: Names the library where no option does: a file, an address, or "none".
VARIABLE = "PLANVIZ_STORE"
#: Seconds that a writer waits for the others.
_PATIENCE = 60
#: PostgreSQL's lock around migrations; any number that no other program of the server uses.
_LOCK = 7_526_118


def default_place() -> str:
    """Where the library is: what the environment says, else a file among the user's data."""
    said = os.environ.get(VARIABLE, "").strip()
    if said:
        return said
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(home) if home.startswith("/") else Path.home() / ".local" / "share"
    return str(folder / "planviz" / "library.db")


def is_place(place: str) -> bool:
    """Whether a library is meant at all: `none` says that there is none."""
    return place.strip().lower() not in ("", "none")


def open_database(place: str) -> Engine:
    """The database of a file's path or of an address such as `postgresql://user@host/name`, up to date.

    Raises StoreError when it cannot be opened, is no library, or was made by a newer planviz.
    """
    url = _url(place)
    with database_errors(place):
        engine = create_engine(url, pool_pre_ping=url.get_backend_name() != "sqlite", pool_size=8, max_overflow=8)
        if url.get_backend_name() == "sqlite":
            event.listen(engine, "connect", _sqlite_connected)
            event.listen(engine, "begin", _sqlite_begun)
        _bring_up_to_date(engine, place)
    return engine


def _url(place: str) -> URL:
    if "://" not in place:
        path = Path(place).expanduser()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not path.exists():
                # Others on the machine are not to read what is saved; the log beside the file takes its mode from it.
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError as error:
            raise StoreError(
                f"{place}: {error.strerror or error}. Name a file in a folder that can be written."
            ) from None
        return URL.create("sqlite+pysqlite", database=str(path))
    try:
        url = make_url(place)
    except ArgumentError:
        raise StoreError(
            "The library's address is none: write postgresql://user@host/name, or a file's path."
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(
            f"A library on {url.get_backend_name()} is not known: name a file, or postgresql://user@host/name."
        )
    return url


def _sqlite_connected(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # The driver's own transactions begin late and only for writing: two writers would then meet in a deadlock.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {_PATIENCE * 1000}", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON",
        "secure_delete = ON",
    ):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}").close()


def _sqlite_begun(connection: Connection) -> None:
    reads = connection.get_execution_options().get("planviz_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def fold_log(engine: Engine, place: str) -> None:
    """Fold the log beside a SQLite file into it and empty it: what was deleted stands there as it was written.

    Where somebody else is in the middle of reading the log stays, until the next call. Raises StoreError.
    """
    if engine.dialect.name != "sqlite":
        return
    with database_errors(place):
        connection = engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA busy_timeout = 0")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE * 1000}")
            cursor.close()
        finally:
            connection.close()


def _bring_up_to_date(engine: Engine, place: str) -> None:
    with engine.connect() as connection:
        at = _version(connection, place)
    if at == HEAD:
        return
    if at is not None and (not re.fullmatch(r"\d{4}", at) or at > HEAD):
        raise StoreError(
            f"The library {_shown(place)} was made by a newer planviz. Update planviz, or name another with --store."
        )
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _version(connection: Connection, place: str) -> str | None:
    """The last migration that was made; None of an empty database. Raises StoreError for another program's."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" in tables and "document" in tables:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return None if found is None else str(found)
    if tables:
        raise StoreError(
            f"{_shown(place)} holds another program's tables ({tables[0]}). Name a file of its own with --store."
        )
    return None


def _shown(place: str) -> str:
    """The place without a password."""
    return make_url(place).render_as_string(hide_password=True) if "://" in place else place


@contextmanager
def database_errors(place: str) -> Iterator[None]:
    """Turn what the database says into a sentence."""
    try:
        yield
    except NoSuchModuleError as error:
        raise StoreError(f"The library's address is none that can be opened ({error}).") from None
    except ModuleNotFoundError as error:
        raise StoreError(f"The library's database needs {error.name}: pip install 'planviz[postgres]'.") from None
    except DBAPIError as error:
        raise StoreError(f"The library {_shown(place)}: {_said(error)}") from None
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise StoreError(f"{half} is half a character, which no database keeps. Take it out of the text.") from None
    except SQLAlchemyError as error:
        raise StoreError(f"The library {_shown(place)} cannot be used: {error}") from None


def _said(error: DBAPIError) -> str:
    said = str(error.orig).strip().split("\n")[0]
    if "full" in said:
        return "the disk is full, so nothing was saved. Make room, or name another place with --store."
    if "not a database" in said or "malformed" in said:
        return "the file is damaged or no SQLite database. Put back a copy of it, or name another with --store."
    if "locked" in said:
        return f"others wrote to it for {_PATIENCE} seconds on end. Try again."
    if "readonly" in said or "unable to open" in said:
        return "it cannot be written. Check who may write the file and its folder."
    return f"{said}."
