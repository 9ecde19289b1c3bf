"""Folders of queries with the settings that stand in them: what `check` and `upgrade` go through.

A query is planned with what the command says, then with what its own comments say, then with the `planviz.toml` of its
folder and of those above.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from planviz.cli.settings import pairs
from planviz.errors import InputError
from planviz.jsontypes import JsonObject

SETTINGS = "planviz.toml"
#: What a folder of queries may hold: SQL, with dbt's braces or without, and programs.
SQL = (".sql",)
PROGRAMS = (".py", ".scala", ".java", ".ipynb")
_HEADER = re.compile(r"^(?:--|#|//)\s*(catalogue|catalog|profile|conf)\s*:\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_KEYS = {"catalog", "profile", "conf", "stage"}


@dataclass(frozen=True)
class Settings:
    """What a query is planned with; empty where nothing is said."""

    catalog: str = ""
    profile: str = ""
    stage: str = ""
    conf: JsonObject = field(default_factory=dict)

    def over(self, other: Settings) -> Settings:
        """These settings, and where they say nothing the other ones."""
        return Settings(
            self.catalog or other.catalog,
            self.profile or other.profile,
            self.stage or other.stage,
            {**other.conf, **self.conf},
        )


def queries_in(folder: Path, endings: Collection[str] = SQL) -> list[Path]:
    """The files of a folder and of those beneath it whose names end so, by name.

    Folders whose names begin with a dot (`.git`, `.venv`) are left out, and links to files elsewhere: a report may be
    read by others than may read those. Raises InputError when there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder. Name a folder of {' or '.join(endings)} files.")
    top = folder.resolve()
    named = (path for path in folder.rglob("*") if path.name.endswith(tuple(endings)) and path.is_file())
    every = (path for path in named if path.resolve().is_relative_to(top))
    return sorted(path for path in every if not any(part[:1] == "." for part in path.relative_to(folder).parts[:-1]))


def settings_of(sql: str, path: Path, top: Path, given: Settings) -> Settings:
    """What a query is planned with: `given`, its own comments, `planviz.toml` from its folder up to `top`."""
    return given.over(_of_query(sql, path)).over(_of_folder(path.parent, top))


def read_query(path: Path) -> str:
    """A file's text, bytes that are no UTF-8 kept. Raises InputError for one that cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}.") from None


def _of_query(sql: str, path: Path) -> Settings:
    """The settings in a query's own comments: `-- catalogue: tpch`, `# conf: key=value`."""
    told: dict[str, str] = {}
    conf: dict[str, object] = {}
    for key, value in _HEADER.findall(sql[:10_000]):
        if key.lower() == "conf":
            conf |= pairs([value], "-- conf:")
        else:
            told["catalog" if key.lower().startswith("catalog") else key.lower()] = value
    return Settings(_catalog(told.get("catalog", ""), path.parent), told.get("profile", ""), "", conf)


def _of_folder(folder: Path, top: Path) -> Settings:
    """The settings of `planviz.toml` in a folder and, where they say nothing, in those above up to the top."""
    found = Settings()
    while True:
        path = folder / SETTINGS
        if path.is_file():
            found = found.over(_settings_file(path))
        if folder in (top, folder.parent):
            return found
        folder = folder.parent


def _settings_file(path: Path) -> Settings:
    try:
        told = tomllib.loads(read_query(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: this is no TOML: {error}.") from None
    unknown = sorted(told.keys() - _KEYS)
    conf = told.get("conf", {})
    if unknown or not isinstance(conf, dict):
        raise InputError(
            f"{path}: {', '.join(unknown) or 'the form of conf'} is not known; known are {', '.join(sorted(_KEYS))}."
        )
    values = {key: str(told.get(key, "")) for key in ("catalog", "profile", "stage")}
    return Settings(_catalog(values["catalog"], path.parent), values["profile"], values["stage"], _flat(conf))


def _flat(conf: dict[str, object], lead: str = "") -> JsonObject:
    """`[conf] spark.sql.x = 1` nests in TOML; `"spark.sql.x" = 1` does not. Both are the same."""
    found: dict[str, object] = {}
    for key, value in conf.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{lead}{key}.")
        else:
            found[f"{lead}{key}"] = str(value).lower() if isinstance(value, bool) else value
    return found


def _catalog(name: str, folder: Path) -> str:
    """A catalogue's name, or its file as seen from the folder that names it."""
    return str(folder / name) if name and (folder / name).is_file() else name
