"""`planviz check`: the plans of a folder of queries, programs and captures against those stored beside them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.cli.check_reports import REPORTS
from planviz.cli.files import read_text, write, write_file
from planviz.cli.settings import STAGES, pairs
from planviz.cli.workload import PROGRAMS, SQL, Settings, lies_in, named_so, queries_in, read_query, settings_of
from planviz.config import OptimizerConfig, default_profile
from planviz.document.comparison.plans import check_kinds
from planviz.document.comparison.stored_plans import (
    MARK,
    Checked,
    captured_plans,
    clock_of,
    compare_stored,
    failed,
    planned,
    planned_program,
    plans_of,
    settings_lines,
    stored_plans,
    stored_text,
)
from planviz.errors import InputError, PlanvizError, defect

ENDING = ".plan"
#: What a folder may hold beside SQL and programs: captures of a real Spark.
CAPTURES = (".planviz.json", ".planviz.json.gz")


def check(options: argparse.Namespace) -> int:
    """Compare every query's plans with the stored ones, or store them; status 1 when any is not the same."""
    kinds = check_kinds([kind.strip() for kind in ",".join(options.fail_on or ()).split(",") if kind.strip()])
    given = Settings(options.catalog or "", options.profile or "", options.stage or "", pairs(options.conf, "--conf"))
    found = [one for folder in options.folders for one in _folder(Path(folder), given, options)]
    if not found:
        endings = ", ".join((*SQL, *PROGRAMS, *CAPTURES))
        raise InputError(f"{', '.join(options.folders)}: there is no query, program or capture in there ({endings}).")
    report = REPORTS[options.format](found, kinds)
    if options.output:
        write_file(Path(options.output), report.encode("utf-8", "surrogateescape"))
    else:
        write(report)
    if options.update:
        return int(any(one.state == "failed" for one in found))
    return int(any(one.fails(kinds) for one in found))


def _folder(folder: Path, given: Settings, options: argparse.Namespace) -> Iterator[Checked]:
    queries = queries_in(folder, (*SQL, *PROGRAMS, *CAPTURES))
    catalogs: dict[str, Catalog] = {}
    for path in queries:
        yield _query(path, folder, given, catalogs, options.update, options.infer)
    here = {_store(path) for path in queries}
    for path in named_so(folder, (ENDING,)):
        if path not in here and _ours(path):
            if options.update:
                path.unlink()
            query = path.stem if path.stem.endswith((*PROGRAMS, *CAPTURES)) else f"{path.stem}.sql"
            yield Checked(_name(path, folder), str(path), "stale", message=f"there is no {query} any more")


def _store(path: Path) -> Path:
    """Where the plans of a file are stored: `q.plan` for `q.sql`, `job.py.plan` for `job.py`."""
    return path.with_suffix(ENDING) if path.suffix in SQL else path.with_name(path.name + ENDING)


def _ours(path: Path) -> bool:
    if not path.is_file():  # a pipe would keep whoever opens it waiting
        return False
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            return file.read(len(MARK)) == MARK
    except OSError:
        return False


def _name(path: Path, folder: Path) -> str:
    relative = path.relative_to(folder)
    return (relative.with_suffix("") if path.suffix in (*SQL, ENDING) else relative).as_posix()


@dataclass(frozen=True)
class _Now:
    """What a file's queries plan to: the plans, their stage, the first one's line, what it was planned with."""

    plans: list[str]
    stage: str
    line: int = 1
    settings: Sequence[str] = ()


def _planned(
    path: Path, folder: Path, given: Settings, catalogs: dict[str, Catalog], infer: bool | None, before: str | None
) -> _Now:
    """What a file plans to, at the time at which what is stored of it (`before`) was.

    Raises PlanvizError for a file that cannot be read or planned.
    """
    is_capture = path.name.endswith(CAPTURES)
    text = read_text(str(path)) if is_capture else read_query(path)
    settings = settings_of("" if is_capture else text, path, folder, given)
    stage = settings.stage or "physical"
    if stage not in STAGES:
        raise InputError(f"{stage} is no stage: {', '.join(STAGES)}.")
    if is_capture:
        return _Now(captured_plans(text, stage), stage)
    if settings.catalog and settings.catalog not in catalogs:
        catalogs[settings.catalog] = find(settings.catalog)
    catalog = catalogs.get(settings.catalog)
    conf = {**clock_of(text, before), **settings.conf}
    config = OptimizerConfig.of(settings.profile or default_profile(), **conf)
    if path.name.endswith(PROGRAMS):
        document = planned_program(text, catalog, config, infer)
    else:
        document = planned(text, catalog, config, stage, infer)
    if document is None:
        return _Now([], stage)
    line = next((s.line for s in document.statements if s.execution is not None), 1)
    told = settings_lines(Path(settings.catalog).name, conf, settings.profile)
    return _Now(plans_of(document, stage), stage, line, told)


def _before(store: Path, folder: Path) -> str | None:
    """What is stored, None where nothing is. Raises InputError for what is no plain file of the folder.

    A link or a pipe of that name may come with a stranger's change, and `--update` would write through it.
    """
    if lies_in(store, folder):
        return read_query(store)
    if store.is_symlink() or store.exists():
        raise InputError(f"{store} is no plain file of this folder. Take it away: the plan is stored under this name.")
    return None


def _query(
    path: Path, folder: Path, given: Settings, catalogs: dict[str, Catalog], update: bool, infer: bool | None
) -> Checked:
    """One file: planned, compared, and stored where that is asked for."""
    name, started = _name(path, folder), time.process_time()
    store = _store(path)
    try:
        # What lies in the plan's place is told of a file that has a query alone.
        safe = lies_in(store, folder)
        now = _planned(path, folder, given, catalogs, infer, read_query(store) if safe else None)
        if not now.plans:
            return Checked(name, str(path), "empty", message="there is no query in it")
        before = _before(store, folder)
        stored = None if before is None else stored_plans(before, str(store))
        text = stored_text(now.plans, path.name, now.stage, now.settings)
        if update and text != before:
            write_file(store, text.encode("utf-8", "surrogateescape"))
        seconds = time.process_time() - started
        if stored is None:
            message = "stored" if update else f"no plan is stored yet; --update writes {store.name}"
            return Checked(name, str(path), "new", (), message, now.line, seconds)
        differences, message = compare_stored(stored, now.plans, now.stage)
    except PlanvizError as error:
        return failed(name, str(path), error)
    except Exception as error:  # one query that meets a defect of planviz stops no other
        return failed(name, str(path), defect("This file", error))
    seconds = time.process_time() - started
    if not differences and not message:
        return Checked(name, str(path), "same", line=now.line, seconds=seconds)
    return Checked(name, str(path), "changed", differences, message, now.line, seconds)
