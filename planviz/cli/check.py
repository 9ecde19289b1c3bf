"""`planviz check`: the plans of a folder of queries against those that were stored beside them."""

from __future__ import annotations

import argparse
import re
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.cli.check_reports import REPORTS
from planviz.cli.files import write, write_file
from planviz.cli.settings import pairs
from planviz.config import OptimizerConfig
from planviz.document.difference import check_kinds
from planviz.document.stored_plan import (
    MARK,
    Checked,
    compare_stored,
    failed,
    planned,
    plans_of,
    settings_lines,
    stored_plans,
    stored_text,
)
from planviz.errors import InputError, PlanvizError

SETTINGS = "planviz.toml"
ENDING = ".plan"
_HEADER = re.compile(r"^--\s*(catalogue|catalog|profile|conf)\s*:\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_KEYS = {"catalog", "profile", "conf", "stage"}


@dataclass(frozen=True)
class Settings:
    """What a query is planned with; empty where nothing is said."""

    catalog: str = ""
    profile: str = ""
    stage: str = ""
    conf: dict[str, Any] = field(default_factory=dict)

    def over(self, other: Settings) -> Settings:
        """These settings, and where they say nothing the other ones."""
        return Settings(
            self.catalog or other.catalog,
            self.profile or other.profile,
            self.stage or other.stage,
            {**other.conf, **self.conf},
        )


def check(options: argparse.Namespace) -> int:
    """Compare every query's plans with the stored ones, or store them; status 1 when any is not the same."""
    kinds = check_kinds([kind.strip() for kind in ",".join(options.fail_on or ()).split(",") if kind.strip()])
    given = Settings(options.catalog or "", options.profile or "", options.stage or "", pairs(options.conf, "--conf"))
    found = [one for folder in options.folders for one in _folder(Path(folder), given, options)]
    if not found:
        raise InputError(f"{', '.join(options.folders)}: there is no .sql file in there.")
    report = REPORTS[options.format](found, kinds)
    if options.output:
        write_file(Path(options.output), report.encode("utf-8", "surrogateescape"))
    else:
        write(report)
    if options.update:
        return int(any(one.state == "failed" for one in found))
    return int(any(one.fails(kinds) for one in found))


def _folder(folder: Path, given: Settings, options: argparse.Namespace) -> Iterator[Checked]:
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder. Name a folder of .sql files.")
    queries = sorted(path for path in folder.rglob("*.sql") if path.is_file())
    catalogs: dict[str, Catalog] = {}
    for path in queries:
        yield _query(path, folder, given, catalogs, options.update, options.infer)
    here = {path.with_suffix(ENDING) for path in queries}
    for path in sorted(folder.rglob(f"*{ENDING}")):
        if path not in here and _ours(path):
            if options.update:
                path.unlink()
            yield Checked(_name(path, folder), str(path), "stale", message=f"there is no {path.stem}.sql any more")


def _ours(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _query(
    path: Path, folder: Path, given: Settings, catalogs: dict[str, Catalog], update: bool, infer: bool | None
) -> Checked:
    """One query file: planned, compared, and stored where that is asked for."""
    name, started = _name(path, folder), time.process_time()
    store = path.with_suffix(ENDING)
    try:
        sql = _read(path)
        settings = given.over(_of_query(sql, path)).over(_of_folder(path.parent, folder))
        stage = settings.stage or "physical"
        if stage not in ("parsed", "analyzed", "optimized", "physical"):
            raise InputError(f"{stage} is no stage: parsed, analyzed, optimized or physical.")
        if settings.catalog and settings.catalog not in catalogs:
            catalogs[settings.catalog] = find(settings.catalog)
        config = OptimizerConfig.of(settings.profile or "spark-4.3", **settings.conf)
        document = planned(sql, catalogs.get(settings.catalog), config, stage, infer)
        now = plans_of(document, stage)
        line = next((s.line for s in document.statements if s.execution is not None), 1)
        if not now:
            return Checked(name, str(path), "empty", message="there is no query in it")
        before = _read(store) if store.exists() else None
        stored = None if before is None else stored_plans(before, str(store))
        lines = settings_lines(Path(settings.catalog).name, settings.conf, settings.profile)
        text = stored_text(now, path.name, stage, lines)
        if update and text != before:
            write_file(store, text.encode("utf-8", "surrogateescape"))
        seconds = time.process_time() - started
        if stored is None:
            message = "stored" if update else f"no plan is stored yet; --update writes {store.name}"
            return Checked(name, str(path), "new", (), message, line, seconds)
        differences, message = compare_stored(stored, now, stage)
    except PlanvizError as error:
        return failed(name, str(path), error)
    seconds = time.process_time() - started
    if not differences and not message:
        return Checked(name, str(path), "same", line=line, seconds=seconds)
    return Checked(name, str(path), "changed", differences, message, line, seconds)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}.") from None


# -- settings


def _of_query(sql: str, path: Path) -> Settings:
    """The settings in a query's own comments: `-- catalogue: tpch`, `-- conf: key=value`."""
    told: dict[str, str] = {}
    conf: dict[str, Any] = {}
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
        told = tomllib.loads(_read(path))
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


def _flat(conf: dict[str, Any], lead: str = "") -> dict[str, Any]:
    """`[conf] spark.sql.x = 1` nests in TOML; `"spark.sql.x" = 1` does not. Both are the same."""
    found: dict[str, Any] = {}
    for key, value in conf.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{lead}{key}.")
        else:
            found[f"{lead}{key}"] = str(value).lower() if isinstance(value, bool) else value
    return found


def _catalog(name: str, folder: Path) -> str:
    """A catalogue's name, or its file as seen from the folder that names it."""
    return str(folder / name) if name and (folder / name).is_file() else name
