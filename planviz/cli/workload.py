"""Folders of queries with the settings that stand in them: what `check` and `upgrade` go through.

A query is planned with what the command says, then with what its own comments say, then with the `planviz.toml` of its
folder and of those above.
"""

from __future__ import annotations

import os
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
    return [path for path in named_so(folder, endings) if lies_in(path, folder)]


def named_so(folder: Path, endings: Collection[str]) -> list[Path]:
    """What is named so in a folder and beneath it, by name, without folders that are hidden or may not be read."""
    found: list[Path] = []
    for place, inside, names in os.walk(folder):
        inside[:] = [name for name in inside if name[:1] != "."]
        found += [Path(place, name) for name in names if name.endswith(tuple(endings))]
    return sorted(found)


def lies_in(path: Path, *folders: Path) -> bool:
    """Whether a path is a plain file that lies in one of the folders or beneath it, wherever links lead."""
    return path.is_file() and any(path.resolve().is_relative_to(folder.resolve()) for folder in folders)


def settings_of(sql: str, path: Path, top: Path, given: Settings) -> Settings:
    """What a query is planned with: `given`, its own comments, `planviz.toml` from its folder up to `top`."""
    return given.over(_of_query(sql, path, top)).over(_of_folder(path.parent, top))


def read_query(path: Path) -> str:
    """A file's text, bytes that are no UTF-8 kept. Raises InputError for one that cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}.") from None


def _of_query(sql: str, path: Path, top: Path) -> Settings:
    """The settings in a query's own comments: `-- catalogue: tpch`, `# conf: key=value`."""
    told: dict[str, str] = {}
    conf: dict[str, object] = {}
    for key, value in _HEADER.findall(sql[:10_000]):
        if key.lower() == "conf":
            conf |= pairs([value], "-- conf:")
        else:
            told["catalog" if key.lower().startswith("catalog") else key.lower()] = value
    return Settings(_catalog(told.get("catalog", ""), path.parent, top), told.get("profile", ""), "", conf)


def _of_folder(folder: Path, top: Path) -> Settings:
    """The settings of `planviz.toml` in a folder and, where they say nothing, in those above up to the top."""
    found = Settings()
    while True:
        path = folder / SETTINGS
        if lies_in(path, top):
            found = found.over(_settings_file(path, top))
        if folder in (top, folder.parent):
            return found
        folder = folder.parent


def _settings_file(path: Path, top: Path) -> Settings:
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
    return Settings(_catalog(values["catalog"], path.parent, top), values["profile"], values["stage"], _flat(conf))


def _flat(conf: dict[str, object], lead: str = "") -> JsonObject:
    """`[conf] spark.sql.x = 1` nests in TOML; `"spark.sql.x" = 1` does not. Both are the same."""
    found: dict[str, object] = {}
    for key, value in conf.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{lead}{key}.")
        else:
            found[f"{lead}{key}"] = str(value).lower() if isinstance(value, bool) else value
    return found


def _catalog(name: str, folder: Path, top: Path) -> str:
    """A catalogue's name, or its file as seen from the folder that names it, else from the current one.

    Raises InputError for what lies neither in the folder of queries nor in its repository: who wrote a query may be
    somebody else than who plans it, and what is wrong in a file is told in a report.
    """
    for path in (folder / name, Path(name)) if name else ():
        if lies_in(path, top, _repository(top)):
            return str(path)
        if name == "-" or path.is_file() or (path.exists() and not path.is_dir()):
            raise InputError(
                f"{name}: a query and a {SETTINGS} name bundled catalogues and files of their own folder or repository "
                "alone. Name this one with --catalog."
            )
    return name


def _repository(folder: Path) -> Path:
    """The Git checkout that a folder belongs to; the current folder where it belongs to none."""
    above = folder.resolve()
    return next((one for one in (above, *above.parents) if (one / ".git").exists()), Path.cwd())
