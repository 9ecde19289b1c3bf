"""`planviz upgrade`: what another version of Spark does to the plans of queries, and which change of it does so."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from planviz.catalog import Catalog
from planviz.catalogs import find
from planviz.cli.files import named, write, write_file
from planviz.cli.settings import pairs
from planviz.cli.workload import PROGRAMS, SQL, Settings, queries_in, read_query, settings_of
from planviz.config import OptimizerConfig, profile_of
from planviz.document import Document, open_sql
from planviz.document.comparison.plans import check_kinds
from planviz.document.comparison.upgrade_reports import REPORTS, Report
from planviz.document.comparison.upgrades import Upgrade, Upgraded
from planviz.errors import ExportError, InputError
from planviz.render.text import on_terminal

_ENDINGS = {".txt": "text", ".json": "json", ".md": "markdown", ".html": "html"}


def upgrade(options: argparse.Namespace) -> int:
    """Plan every query as both versions and report; status 1 when one breaks or changes, 2 when one fails on both."""
    kinds = check_kinds([kind.strip() for kind in ",".join(options.fail_on or ()).split(",") if kind.strip()])
    format = options.format or _format(options.output)
    versions = Upgrade(profile_of(options.old), profile_of(options.new))
    queries = [query for name in options.inputs for query in _queries(Path(name), versions, options)]
    if not queries:
        raise InputError(f"{', '.join(options.inputs)}: there is no query in there.")
    report = REPORTS[format](Report.of(versions, queries))
    if options.output:
        write_file(Path(options.output), report.encode("utf-8", "surrogateescape"))
    else:
        write(report)
    if options.exit_zero:
        return 0
    if any(query.state == "failed" for query in queries):
        return 2  # of a query that neither version could plan, nobody knows whether it changes
    return int(any(query.fails(kinds) for query in queries))


def _format(output: str | None) -> str:
    if not output:
        return "text"
    ending = Path(output).suffix.lower()
    if ending not in _ENDINGS:
        raise ExportError(f"{output}: the ending must be one of {', '.join(_ENDINGS)}; or give --format.")
    return _ENDINGS[ending]


def _queries(path: Path, versions: Upgrade, options: argparse.Namespace) -> Iterator[Upgraded]:
    given = Settings(options.catalog or "", "", "", pairs(options.conf, "--conf"))
    files = queries_in(path, (*SQL, *PROGRAMS)) if path.is_dir() else [path]
    top = path if path.is_dir() else path.parent
    catalogs: dict[str, Catalog] = {}
    for number, file in enumerate(files, 1):
        sql, catalog, config = "", None, OptimizerConfig.of(versions.new)
        wrong: InputError | None = None
        try:
            sql = read_query(file)
            settings = settings_of(sql, file, top, given)
            if settings.catalog and settings.catalog not in catalogs:
                catalogs[settings.catalog] = find(settings.catalog)
            catalog = catalogs.get(settings.catalog)
            config = OptimizerConfig.of(versions.new, **settings.conf)
        except InputError as error:
            if not path.is_dir():
                raise
            wrong = error  # one file of a folder that cannot be read stops no other

        def opener(
            config: OptimizerConfig,
            sql: str = sql,
            catalog: Catalog | None = catalog,
            wrong: InputError | None = wrong,
        ) -> Document:
            if wrong is not None:
                raise wrong
            return open_sql(sql, catalog, config, infer=options.infer, stage="physical")

        relative = file.relative_to(top)
        name = (relative if path.is_dir() and file.suffix in PROGRAMS else relative.with_suffix("")).as_posix()
        at = f"file {number:,} of {len(files):,}, {named(relative.as_posix())}"
        _progress(at)
        for count, query in enumerate(versions.queries(name, str(file), opener, config), 1):
            yield query
            _progress(f"{at}: {count:,} {'query' if count == 1 else 'queries'}")
    _progress("")


def _progress(words: str) -> None:
    """Say on a terminal what is being planned, over what was said before; nothing anywhere else."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{on_terminal(words)[:100]}", end="", file=sys.stderr, flush=True)
