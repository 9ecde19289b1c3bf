"""`planviz check`: the plans of a folder of queries against those that were stored beside them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.cli.check_reports import REPORTS
from planviz.cli.files import write, write_file
from planviz.cli.settings import STAGES, pairs
from planviz.cli.workload import Settings, queries_in, read_query, settings_of
from planviz.config import OptimizerConfig, default_profile
from planviz.document.comparison.plans import check_kinds
from planviz.document.comparison.stored_plans import (
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

ENDING = ".plan"


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
    queries = queries_in(folder)
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
        sql = read_query(path)
        settings = settings_of(sql, path, folder, given)
        stage = settings.stage or "physical"
        if stage not in STAGES:
            raise InputError(f"{stage} is no stage: {', '.join(STAGES)}.")
        if settings.catalog and settings.catalog not in catalogs:
            catalogs[settings.catalog] = find(settings.catalog)
        config = OptimizerConfig.of(settings.profile or default_profile(), **settings.conf)
        document = planned(sql, catalogs.get(settings.catalog), config, stage, infer)
        now = plans_of(document, stage)
        line = next((s.line for s in document.statements if s.execution is not None), 1)
        if not now:
            return Checked(name, str(path), "empty", message="there is no query in it")
        before = read_query(store) if store.exists() else None
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
