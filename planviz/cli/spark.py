"""`planviz spark`: what only a live Spark knows."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planviz.cli.files import read_text, write
from planviz.cli.settings import catalog_of, pairs
from planviz.errors import InputError, PlanvizError

if TYPE_CHECKING:
    from planviz.document import Document
    from planviz.graph import PlanNode
    from planviz.spark.process import LiveSpark


_LIMIT = 600.0
_DAYS = 30 * 86_400.0


def add_spark(parser: argparse.ArgumentParser) -> None:
    """The parts of `planviz spark` and their options."""
    parts = parser.add_subparsers(dest="part", metavar="capture|compare|ingest|analyze", required=True)
    capture = parts.add_parser("capture", help="plans, rules and measured rows of queries, as files that planviz opens")
    capture.add_argument("files", nargs="+", metavar="FILE", help="SQL queries; - for standard input")
    capture.add_argument("--run", action="store_true", help="execute the queries; without it they are planned only")
    capture.add_argument("-o", "--output", metavar="OUT", help="OUT.planviz.json.gz; a folder for several queries")
    _add_session(capture)
    compare = parts.add_parser("compare", help="the same query by planviz and by Spark: plans, rules, estimates")
    compare.add_argument("files", nargs="+", metavar="FILE", help="SQL queries; - for standard input")
    compare.add_argument("--format", choices=("text", "json"), default="text")
    _add_session(compare)
    ingest = parts.add_parser("ingest", help="read event logs into a catalogue of executions (Parquet)")
    ingest.add_argument("paths", nargs="+", metavar="PATH", help="event logs or folders of them; also hdfs://, s3://")
    ingest.add_argument("-o", "--output", required=True, metavar="DIR", help="the catalogue; new logs are added to it")
    _add_master(ingest)
    analyze = parts.add_parser("analyze", help="statistics of real tables, as a catalogue that planviz plans with")
    analyze.add_argument("--tables", nargs="+", default=["*"], metavar="NAME", help="tables; also sales.* (default: *)")
    analyze.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the catalogue, written after each table"
    )
    analyze.add_argument("--resume", action="store_true", help="keep the tables that the file has already")
    _add_session(analyze)


def _add_master(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master", default="local[*]", help="local[*] (default), spark://host:7077, yarn, or sc://host:15002 (Connect)"
    )
    parser.add_argument("--memory", default="2g", help="memory of Spark's driver (default: 2g)")
    parser.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], help="a spark.* setting")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="stop after so long (a query: 600)")


def _add_session(parser: argparse.ArgumentParser) -> None:
    _add_master(parser)
    parser.add_argument("--catalog", metavar="NAME|FILE", help="make these tables, empty, with their statistics")
    parser.add_argument("--data", metavar="DIR", help="a folder of Parquet tables")
    parser.add_argument("--setup", metavar="FILE", help="SQL of yours that is executed first, whatever it does")


def spark(options: argparse.Namespace) -> int:
    """Run one part."""
    return {"capture": _capture, "compare": _compare, "ingest": _ingest, "analyze": _analyze}[options.part](options)


def _live(options: argparse.Namespace) -> LiveSpark:
    from planviz.spark.process import LiveSpark, SparkSettings

    return LiveSpark(SparkSettings(options.master, tuple(pairs(options.conf, "--conf").items()), options.memory))


def _session_arguments(options: argparse.Namespace) -> dict[str, Any]:
    from planviz.catalog.files import write_catalog

    found: dict[str, Any] = {}
    if options.master.startswith("sc://"):
        found["conf"] = pairs(options.conf, "--conf")
    if options.catalog:
        found["catalog"] = write_catalog(catalog_of(options))
    if options.data:
        found["data"] = str(Path(options.data).resolve())
    if options.setup:
        found["setup"] = read_text(options.setup)
    return found


def _capture(options: argparse.Namespace) -> int:
    """Capture every query of every file; a query that fails stops no other."""
    from planviz.spark.capture_file import capture_text, write_capture

    def keep(stem: str, sql: str, captured: dict[str, Any], several: bool) -> int:
        path = _path(options.output, stem, several)
        write_capture(captured, path)
        write(_summary(captured, path, capture_text(captured)))
        return 0

    return _each(options, options.run, keep)


def _compare(options: argparse.Namespace) -> int:
    """Compare every query of every file; 1 when something differs.

    Both sides plan without adaptive execution unless a setting says otherwise: what it would do is not known before.
    """
    from json import dumps

    from planviz.cli.compared import comparison_json, comparison_text
    from planviz.config import OptimizerConfig
    from planviz.document import open_sql, open_text
    from planviz.document.compared import compare
    from planviz.spark.capture_file import capture_text

    options.conf = ["spark.sql.adaptive.enabled=false", "spark.sql.session.timeZone=UTC", *options.conf]
    config = OptimizerConfig().with_settings(
        {k: v for k, v in pairs(options.conf, "--conf").items() if k.startswith("spark.sql.")}
    )

    def show(stem: str, sql: str, captured: dict[str, Any], several: bool) -> int:
        ours = open_sql(sql, catalog_of(options), config, stage="physical")
        found = compare(ours, open_text(capture_text(captured)))
        if options.format == "json":
            write(dumps({"query": stem, **comparison_json(found)}) + "\n")
        else:
            write(comparison_text(stem, found))
        return 0 if found.equal else 1

    return _each(options, False, show)


def _ingest(options: argparse.Namespace) -> int:
    """Read event logs; every fault goes to standard error with its file and line, and makes the status 1."""
    from planviz.cli.files import write

    paths = [path if "://" in path else str(Path(path).absolute()) for path in options.paths]
    catalogue = options.output if "://" in options.output else str(Path(options.output).absolute())
    live = _live(options)
    begin = time.monotonic()
    try:
        asked = {"paths": paths, "catalogue": catalogue}
        found = live.call("ingest", asked, limit=options.limit or _DAYS, on_progress=_progress("ingest"))
    finally:
        live.close()
    for file, line, reason in found["faults"]:
        print(f"planviz: {file}{f', line {line}' if line else ''}: {reason}", file=sys.stderr)
    megabytes, seconds = found["bytes"] / 1e6, time.monotonic() - begin
    write(
        f"{options.output}: {found['executions']:,} executions from {found['logs'] - found['skipped']:,} logs"
        f" ({found['skipped']:,} were read before), {megabytes:,.0f} MB of events in {seconds:,.1f} s"
        f" ({found['seconds']:,.1f} s of CPU in the readers)\n"
    )
    return 1 if found["faults"] else 0


def _analyze(options: argparse.Namespace) -> int:
    """Count every table and write the catalogue after each, so that a stopped run can be resumed."""
    from json import dumps, loads

    from planviz.catalog.files import FORMAT, read_catalog
    from planviz.cli.files import write_file

    path = Path(options.output)
    found: dict[str, Any] = {"format": FORMAT, "name": path.stem, "tables": {}}
    if options.resume and path.is_file():
        read_catalog(path)
        found = loads(path.read_text(encoding="utf-8"))
    arguments = _session_arguments(options)
    live = _live(options)
    try:
        names = live.call("tables", {"tables": options.tables, **arguments}, limit=options.limit or _LIMIT)
        for at, name in enumerate(names, 1):
            told = f"{at} of {len(names)}, {name}"
            if name in found["tables"]:
                print(f"{told}: kept", file=sys.stderr)
                continue
            begin = time.monotonic()
            asked = {"table": name, **arguments}
            entry = live.call("analyze", asked, limit=options.limit or _DAYS, on_progress=_progress(told))
            found["tables"][name] = entry
            write_file(path, (dumps(found, indent=1) + "\n").encode())
            print(f"{told}: {entry['stats']['rowCount']:,} rows, {time.monotonic() - begin:,.1f} s", file=sys.stderr)
    finally:
        live.close()
    return 0


def _each(options: argparse.Namespace, run: bool, use: Callable[[str, str, dict[str, Any], bool], int]) -> int:
    """Capture the queries of all files and use each; the largest status. A query that fails stops no other."""
    from planviz.spark.safety import queries_of

    status = 0
    queries: list[tuple[str, str]] = []
    for name in options.files:
        try:
            found = queries_of(read_text(name))
        except PlanvizError as error:
            status = _failed(name, error)
            continue
        stem = "stdin" if name == "-" else Path(name).stem
        queries += [(f"{stem}-{at}" if len(found) > 1 else stem, q.sql) for at, q in enumerate(found, 1)]
    if not queries:
        return status
    arguments = _session_arguments(options)
    live = _live(options)
    try:
        for stem, sql in queries:
            try:
                asked = {"sql": sql, "run": run, **arguments}
                captured = live.call("capture", asked, limit=options.limit or _LIMIT, on_progress=_progress(stem))
                status = max(status, use(stem, sql, captured, len(queries) > 1))
            except PlanvizError as error:
                status = _failed(stem, error)
    finally:
        live.close()
    return status


def _failed(name: str, error: PlanvizError) -> int:
    print(f"planviz: {name}: {error}", file=sys.stderr)
    return 2


def _progress(name: str) -> Any:
    return lambda at: print(f"{name}: {at} …", file=sys.stderr) if sys.stderr.isatty() else None


def _path(output: str | None, stem: str, several: bool) -> Path:
    from planviz.spark.capture_file import ENDING

    if output is None:
        return Path(f"{stem}{ENDING}")
    path = Path(output)
    if several or path.is_dir():
        if path.suffix:
            raise InputError(f"{output}: several queries are written to a folder; name one.")
        path.mkdir(parents=True, exist_ok=True)
        return path / f"{stem}{ENDING}"
    return path


def _summary(captured: dict[str, Any], path: Path, text: str) -> str:
    from planviz.document import open_text

    document = open_text(text)
    spark, times = captured["spark"], captured["milliseconds"]
    told = [f"{path}: Spark {spark['version']}, planned in {times['planned']:,.0f} ms"]
    if document.trace.steps:
        told.append(f"{len(document.trace.steps)} rules at work")
    executed = captured.get("executed")
    if executed:
        rows = "1 row" if executed["rows"] == 1 else f"{executed['rows']:,} rows"
        told.append(f"ran in {executed['milliseconds']:,.0f} ms, {rows}")
    return ", ".join(told) + "\n" + (_operators(document) if executed else "")


def _operators(document: Document) -> str:
    """The operators that ran: rows that were expected and measured, and how far these are apart."""
    nodes = [node for node in document.plans[-1] if _rows(node) != (None, None)]
    if not nodes:
        return ""
    top = min(node.depth for node in nodes)
    lines = [("operator", "expected", "measured", "off")]
    lines += [("  " * (node.depth - top) + node.op, *_shown(*_rows(node))) for node in nodes]
    widths = [max(len(line[at]) for line in lines) for at in range(4)]
    return "".join(
        f"  {name.ljust(widths[0])}  {expected.rjust(widths[1])}  {measured.rjust(widths[2])}  {off}".rstrip() + "\n"
        for name, expected, measured, off in lines
    )


def _rows(node: PlanNode) -> tuple[int | None, int | None]:
    measured = (node.metrics or {}).get("number of output rows")
    return (node.estimate.rows if node.estimate is not None else None, measured)


def _shown(expected: int | None, measured: int | None) -> tuple[str, str, str]:
    off = ""
    if expected is not None and measured is not None:
        factor = max(expected, 1) / max(measured, 1)
        off = f"{factor:,.1f}x" if factor >= 1 else f"1/{1 / factor:,.1f}"
    return ("" if expected is None else f"{expected:,}", "" if measured is None else f"{measured:,}", off)
