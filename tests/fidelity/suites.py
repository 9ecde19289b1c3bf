"""TPC-H, SSB, JOB, ClickBench and everyday statements, and a SQL engine's own tests, put to a real Spark of a version.

`python -m tests.fidelity.suites --python ENVIRONMENT/bin/python [SUITE...] [--answers FOLDER] [-v]`

A suite is a file in `suites/`: CREATE TABLE and SELECT statements, or a catalogue of planviz's own by name, whose
statistics the Spark is given; TPC-H is planned without and with cost-based optimization. `sqltests` are the scripts of
the shared corpus, each query with its own setup. `--answers` keeps what Spark printed and reads it where it is there.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from planviz.catalog import Catalog, read_bundled
from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig, profile_of
from planviz.errors import PlanvizError
from planviz.execution import Session
from tests.fidelity.real import MODES as EXPLAINED
from tests.fidelity.real import STAGES, Counted, compare, run_in
from tests.fidelity.scoreboard import SHARED
from tests.fidelity.versions import config_of

FOLDER = Path(__file__).parent / "suites"
SUITES = ("tpch", "ssb", "job", "clickbench", "everyday", "breadth")
MODES = ("nocbo-aqeoff", "nocbo-aqeon", "cbo-aqeoff")
_TESTS = SHARED / "corpus" / "sqltests" / "out_suite"


def script_of(suite: str, mode: str) -> tuple[Catalog, dict[str, Any]]:
    """A suite's catalogue as planviz has it, and the script that Spark is asked (`real_spark.py`)."""
    text = (FOLDER / f"{suite}.sql").read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    catalog = Catalog()
    if head.startswith("-- catalogue: "):
        catalog, text = read_bundled(head.removeprefix("-- catalogue: ").strip()), rest
    statements = [s for s in text.strip().removesuffix(";").split(";\n") if s]
    setup = [s for s in statements if s.startswith("CREATE")]
    setup += [_definition(t) for t in catalog.tables.values()]
    statistics = {t.name: _statistics(t) for t in catalog.tables.values() if t.row_count is not None}
    config = config_of("spark-4.3", mode)
    conf = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in config.settings.items()}
    queries = [s for s in statements if not s.startswith("CREATE")]
    script = {"conf": conf, "setup": setup, "statistics": statistics, "statements": queries, "explain": EXPLAINED}
    return catalog, script


def _definition(table: Table) -> str:
    columns = ", ".join(f"{c.name} {c.data_type.sql}" for c in table.columns)
    return f"CREATE TABLE {table.name} ({columns}) USING parquet"


def _empty(table: Table) -> Table:
    """The table as Spark sees one that was just made: of a partitioned one, nothing is known."""
    return replace(table, row_count=None, size_in_bytes=None if table.partition_columns else 0)


def _statistics(table: Table) -> dict[str, Any]:
    columns = {}
    for name, s in table.column_stats:
        known = {
            "distinctCount": s.distinct_count, "min": s.min, "max": s.max,
            "nullCount": s.null_count, "avgLen": s.avg_len, "maxLen": s.max_len,
        }  # fmt: skip
        columns[name] = {key: str(value) for key, value in known.items() if value is not None}
    return {"sizeInBytes": table.size_in_bytes, "rowCount": table.row_count, "columns": columns}


def sql_tests(every: int = 1) -> Iterator[tuple[str, dict[str, Any]]]:
    """Scripts of the shared corpus by name, as Spark is asked them; every n-th query of each."""
    for path in sorted(_TESTS.glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as handle:
            document = json.load(handle)
        conf = {k: str(v) for k, v in document["settings"].items() if k.startswith("spark.sql.session")}
        conf["spark.sql.adaptive.enabled"] = "false"
        conf["spark.sql.optimizer.excludedRules"] = document["settings"].get("spark.sql.optimizer.excludedRules", "")
        asked = enumerate(document["statements"])
        kept = [s["sql"] for i, s in asked if s["kind"] != "query" or i % every == 0]
        yield document["file"], {"conf": conf, "setup": document["setup"], "statements": kept}


def ours(script: dict[str, Any], catalog: Catalog, profile: str) -> Iterator[tuple[str, dict[str, str] | PlanvizError]]:
    """Each statement with our texts of its stages under a profile, or the error that it is refused with."""
    session = Session(catalog, OptimizerConfig.of(profile, **script["conf"]))
    for sql in script["setup"] if not catalog.tables else ():
        _outcome(session, sql)
    for sql in script["statements"]:
        yield sql, _outcome(session, sql, script.get("explain", ()))


def _outcome(session: Session, sql: str, modes: Iterable[str] = ()) -> dict[str, str] | PlanvizError:
    try:
        outcome = list(session.run(sql, "physical"))[-1]
        if outcome.error is not None or outcome.execution is None:
            return outcome.error or {}
        texts = {stage: outcome.execution.text(stage) for stage in STAGES}
        return texts | {mode: outcome.execution.explain_string(mode) for mode in modes}
    except PlanvizError as error:
        return error


def answered(python: str, name: str, scripts: list[dict[str, Any]], answers: Path | None) -> dict[str, Any]:
    """What this Python's Spark prints of scripts; `answers` is the folder where that is kept and read again."""
    kept = answers / f"{name}.json" if answers is not None else None
    if kept is not None and kept.is_file():
        known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return known
    answer = run_in(python, scripts)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(answer), encoding="utf-8")
    return answer


def count(counted: Counted, script: dict[str, Any], catalog: Catalog, plans: list[dict[str, str]]) -> None:
    """Counts the queries of a script, which Spark answered with `plans`."""
    for (sql, own), theirs in zip(ours(script, catalog, profile_of(counted.version)), plans, strict=True):
        if own != {}:
            compare(counted, sql, own, theirs)


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.fidelity.suites", description=__doc__)
    parser.add_argument("suites", nargs="*", default=[], help=f"{', '.join(SUITES)} (all), sqltests")
    parser.add_argument("--python", required=True, help="the Python of an environment with a real Spark")
    parser.add_argument("--answers", type=Path, metavar="FOLDER", help="where Spark's answers are kept and read again")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th query of the SQL tests only")
    parser.add_argument("--modes", nargs="*", default=MODES, help=f"of {', '.join(MODES)} (all)")
    parser.add_argument("-v", "--verbose", action="store_true", help="where each first differs")
    options = parser.parse_args()
    for suite in options.suites or SUITES:
        if suite == "sqltests":
            names, scripts = zip(*sql_tests(options.every), strict=True)
            answer = answered(options.python, f"{suite}-{options.every}", list(scripts), options.answers)
            total = Counted(answer["version"])
            for name, script, plans in zip(names, scripts, answer["plans"], strict=True):
                before = len(total.differences), len(total.only_one_refused)
                count(total, script, Catalog(), plans)
                if options.verbose:
                    print(f"# {name}: {len(total.differences) - before[0]}, {len(total.only_one_refused) - before[1]}")
            _show(suite, total, options.verbose)
            continue
        for mode in [m for m in options.modes if suite == "tpch" or not m.startswith("cbo")]:
            catalog, script = script_of(suite, mode)
            if not catalog.tables:
                defined = Session()
                list(defined.run(";\n".join(script["setup"])))
                catalog = replace(defined.catalog, tables={n: _empty(t) for n, t in defined.catalog.tables.items()})
            answer = answered(options.python, f"{suite}-{mode}", [script], options.answers)
            counted = Counted(answer["version"])
            count(counted, script, catalog, answer["plans"][0])
            _show(f"{suite} {mode}", counted, options.verbose)


def _show(name: str, counted: Counted, verbose: bool) -> None:
    equal = ", ".join(f"{stage} {counted.alike[stage]}/{counted.equal[stage]}" for stage in counted.equal)
    both = f"{counted.refused} refused by both ({counted.same_condition} alike)"
    one = len(counted.only_one_refused)
    print(
        f"{counted.version} {name}: {counted.planned} planned; same shape/text: {equal}; {both}, {one} by one",
        flush=True,
    )
    for line in counted.only_one_refused if verbose else ():
        print(f"    {line[:300]}")
    for stage, sql, a, b in counted.differences if verbose else ():
        print(f"    {stage}: {sql[:300]}\n      planviz {a[:400]}\n      Spark   {b[:400]}")


if __name__ == "__main__":
    main()
