"""How long planning takes, beside warm Spark and sqlglot, and how time and memory grow.

    python -m benchmarks.optimizer [--rounds 6] [--no-spark] [--no-sqlglot] [--no-growth] [--only q1 q2 ...]
        [--out FILE.json]

The queries are the 105 TPC-DS queries that Spark plans, with their catalogue, read from ../shared/corpus/tpcds; without
that folder only growth is measured. All tools run one after the other in one run on one machine, each query in every
round, and the figure of a query is its best round, in milliseconds of wall time. Progress goes to standard error; what
was measured until a Ctrl-C or a SIGTERM is shown and written all the same. The load of the machine is noted beside
every tool; on a busy machine compare `planviz, processor` and `sqlglot, processor`, which are processor time.

- `planviz`: text to optimized plan (parse, analyse, optimize) with the full trace, catalogue in memory, nothing cached
  between rounds, garbage collection on.
- `planviz, physical`: the same to the physical plan with every decision recorded, and how many times the optimizer's
  own time that is, both of one planning, the median of the rounds.
- `spark`: `spark.sql(text)` and `queryExecution().optimizedPlan()` from PySpark (two calls over the socket, about 1 ms
  in all) over empty Parquet tables of the same columns, adaptive execution off, after a round that is not counted.
- `spark, log`: the same with `spark.sql.planChangeLog.level=WARN`, the log going to a file.
- `sqlglot`: `sqlglot.optimizer.optimize(parse_one(text), schema)`, the schema given with every query.
- `trace`: what Python holds more (tracemalloc) for a planned query with all its stages and its trace, in KiB.

Growth: one query of each size, best of three rounds, by stage, in processor time; `joins` of one table with itself,
branches of UNION ALL, comparisons with AND, the same in two filters that become one, and an IN list.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import logging
import os
import signal
import statistics
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from planviz.catalog import Catalog, read_catalog
from planviz.catalog.ddl import table_of
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.types import parse_fields

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "tpcds"
Times = dict[str, float]
#: Everything that was measured, in the form in which it is written.
Figures = dict[str, Any]

SMALL = Catalog().with_table(table_of(("t",), parse_fields("a int, b int, c string")))
GROWTH: dict[str, tuple[tuple[int, ...], Callable[[int], str]]] = {
    "joins": (
        (2, 5, 10, 20, 40, 60),
        lambda n: "select t0.a from t t0 " + " ".join(f"join t t{i} on t{i - 1}.a = t{i}.a" for i in range(1, n)),
    ),
    "union branches": (
        (10, 50, 100, 250, 500, 1_000),
        lambda n: " union all ".join(f"select a, b from t where a > {i}" for i in range(n)),
    ),
    "predicates": (
        (10, 100, 500, 1_000, 2_500, 5_000),
        lambda n: "select a from t where " + " and ".join(f"a <> {i}" for i in range(n)),
    ),
    "predicates in two filters": (
        (10, 100, 500, 1_000, 2_500, 5_000),
        lambda n: (
            f"select a from (select * from t where {' and '.join(f'a <> {i}' for i in range(n // 2))}) x "
            f"where {' and '.join(f'b <> {i}' for i in range(n // 2))}"
        ),
    ),
    "values in a list": (
        (10, 100, 1_000, 5_000, 50_000),
        lambda n: f"select a from t where a in ({', '.join(map(str, range(n)))})",
    ),
}


def queries(only: list[str]) -> tuple[dict[str, str], Catalog]:
    """The queries that plan, by name, and their catalogue."""
    catalog = read_catalog(CORPUS / "catalog.json")
    found = {}
    for file in sorted((CORPUS / "queries").glob("*.sql")):
        sql = file.read_text(encoding="utf-8").strip().rstrip(";")
        if only and file.stem not in only:
            continue
        try:
            planned(sql, catalog)
        except PlanvizError as e:
            print(f"left out: {file.stem}: {str(e)[:100]}", file=sys.stderr)
            continue
        found[file.stem] = sql
    return found, catalog


def planned(sql: str, catalog: Catalog, *, physical: bool = False) -> QueryExecution:
    """The query, optimized, with its trace; `physical`: planned to the end, with its decisions."""
    with fresh_ids():
        execution = QueryExecution(sql, catalog)
        _ = execution.planned if physical else execution.optimized
    return execution


def measure(figures: Figures, tool: str, work: Mapping[str, Callable[[], Any]], rounds: int) -> None:
    """Of each piece of work its best round, in milliseconds, into `figures` as they come; all pieces take turns."""
    wall: Times = figures["times"].setdefault(tool, {})
    processor: Times = figures["processor"].setdefault(tool, {})
    figures["load"][tool] = [os.getloadavg()]
    for number in range(1, rounds + 1):
        for name, run in work.items():
            start, own_start = perf_counter(), process_time()
            run()
            own, seconds = process_time() - own_start, perf_counter() - start
            wall[name] = min(wall.get(name, 1e9), seconds * 1000)
            processor[name] = min(processor.get(name, 1e9), own * 1000)
        mean = statistics.geometric_mean(wall.values())
        print(f"{tool}: round {number} of {rounds}, {len(wall)} queries, {mean:.1f} ms", file=sys.stderr, flush=True)
        figures["rounds"][tool] = number
        figures["load"][tool].append(os.getloadavg())


def of_planviz(figures: Figures, sqls: dict[str, str], catalog: Catalog, rounds: int) -> None:
    measure(figures, "planviz", {n: lambda s=s: planned(s, catalog) for n, s in sqls.items()}, rounds)
    work = {n: lambda s=s: planned(s, catalog, physical=True) for n, s in sqls.items()}
    measure(figures, "planviz, physical", work, rounds)
    figures["ratio"] = {n: statistics.median(ratio(s, catalog) for _ in range(rounds)) for n, s in sqls.items()}


def ratio(sql: str, catalog: Catalog) -> float:
    """How many times the optimizer's processor time the whole planning takes, both of one planning."""
    with fresh_ids():
        begun = process_time()
        execution = QueryExecution(sql, catalog)
        _ = execution.optimized
        optimized = process_time()
        _ = execution.planned
        return (process_time() - begun) / (optimized - begun)


def of_sqlglot(figures: Figures, sqls: dict[str, str], catalog: Catalog, rounds: int) -> None:
    import sqlglot
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer import optimize

    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    schema = {t.name: {c.name: c.data_type.simple_string for c in t.columns} for t in catalog.tables.values()}

    def run(sql: str) -> None:
        optimize(sqlglot.parse_one(sql, read="spark"), schema=schema, dialect="spark")

    work = {}
    for name, sql in sqls.items():
        try:
            run(sql)
            work[name] = lambda s=sql: run(s)
        except SqlglotError as e:
            print(f"sqlglot refuses {name}: {str(e).splitlines()[0][:80]}", file=sys.stderr)
    measure(figures, "sqlglot", work, rounds)


def of_spark(figures: Figures, sqls: dict[str, str], catalog: Catalog, rounds: int) -> None:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log4j2.properties"
        log.write_text(
            "rootLogger.level = warn\nrootLogger.appenderRef.file.ref = file\nappender.file.type = File\n"
            f"appender.file.name = file\nappender.file.fileName = {folder}/spark.log\n"
            "appender.file.layout.type = PatternLayout\nappender.file.layout.pattern = %d %p %c: %m%n%ex\n"
        )
        builder: Any = SparkSession.builder.master("local[1]").appName("benchmark")
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log}",
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        try:
            for t in catalog.tables.values():
                columns = ", ".join(f"`{c.name}` {c.data_type.simple_string}" for c in t.columns)
                spark.sql(f"CREATE TABLE `{t.name}` ({columns}) USING parquet")

            def run(sql: str) -> None:
                spark.sql(sql)._jdf.queryExecution().optimizedPlan()

            work = {}
            for name, sql in sqls.items():
                try:
                    run(sql)
                    work[name] = lambda s=sql: run(s)
                except PySparkException as e:
                    print(f"Spark refuses {name}: {str(e).splitlines()[0][:80]}", file=sys.stderr)
            print(f"spark: warm with {len(work)} queries", file=sys.stderr, flush=True)
            measure(figures, "spark", work, rounds)
            spark.conf.set("spark.sql.planChangeLog.level", "WARN")
            measure(figures, "spark, log", work, rounds)
        finally:
            # A signal that ended the JVM, too, leaves nobody to stop.
            with contextlib.suppress(OSError, Py4JError):
                spark.stop()


def trace_sizes(found: Times, sqls: dict[str, str], catalog: Catalog) -> None:
    """KiB that a planned query with its trace holds, into `found` as they come."""
    tracemalloc.start()
    for name, sql in sqls.items():
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        execution = planned(sql, catalog)
        gc.collect()
        found[name] = (tracemalloc.get_traced_memory()[0] - before) / 1024
        del execution
    tracemalloc.stop()


def growth(found: dict[str, list[dict[str, float]]]) -> None:
    """By family and size the milliseconds of processor time of each stage, into `found` as they come."""
    for family, (sizes, make) in GROWTH.items():
        for n in sizes:
            sql, row = make(n), {"n": float(n)}
            for _ in range(3):
                with fresh_ids():
                    execution = QueryExecution(sql, SMALL)
                    for stage in ("parsed", "analyzed", "optimized"):
                        start = process_time()
                        execution.stage(stage)
                        row[stage] = min(row.get(stage, 1e9), (process_time() - start) * 1000)
            found.setdefault(family, []).append(row)


def summary(times: Times) -> dict[str, float]:
    values = list(times.values())
    return {
        "queries": len(values),
        "geometric mean": statistics.geometric_mean(values),
        "median": statistics.median(values),
        "max": max(values),
        "sum": sum(values),
    }


def _say_ratio(ratios: Mapping[str, float]) -> None:
    if ratios:
        over = ", ".join(f"{n} {r:.2f}" for n, r in sorted(ratios.items()) if r > 1.5)
        mean, most = statistics.geometric_mean(ratios.values()), max(ratios.values())
        print(f"\nphysical to optimized: {mean:.2f} times on average, {most:.2f} at most; over 1.5: {over or 'none'}")


def show(figures: Figures) -> None:
    print(f"\nprocessors: {os.cpu_count()}; rounds: {figures['rounds']}")
    for tool, loads in figures["load"].items():
        print(f"load (1 minute) during {tool}: {' '.join(f'{one[0]:.1f}' for one in loads)}")
    tables = {
        **figures["times"],
        **{f"{t}, processor": figures["processor"].get(t) for t in ("planviz", "sqlglot")},
        "trace (KiB)": figures["trace"],
    }
    heads = ["queries", "geometric mean", "median", "max", "sum"]
    print("\n| milliseconds | " + " | ".join(heads) + " |\n|---|" + "---:|" * len(heads))
    for tool, times in tables.items():
        if times:
            s = summary(times)
            print(f"| {tool} | {s['queries']:.0f} | " + " | ".join(f"{s[h]:,.1f}" for h in heads[1:]) + " |")
    _say_ratio(figures.get("ratio", {}))
    slow = sorted(figures["times"].get("planviz", {}).items(), key=lambda kv: -kv[1])[:5]
    print("\nslowest: " + ", ".join(f"{n} {t:.0f} ms" for n, t in slow))
    for family, rows in figures["growth"].items():
        print(f"\n| {family} | parsed | analyzed | optimized | ms for each |\n|---:|---:|---:|---:|---:|")
        for r in rows:
            stages = [r["parsed"], r["analyzed"], r["optimized"]]
            print(f"| {r['n']:,.0f} | " + " | ".join(f"{v:,.1f}" for v in [*stages, sum(stages) / r["n"]]) + " |")


def run_all(a: argparse.Namespace, figures: Figures) -> None:
    if CORPUS.is_dir():
        sqls, catalog = queries(a.only)
        of_planviz(figures, sqls, catalog, a.rounds)
        if not a.no_sqlglot:
            of_sqlglot(figures, sqls, catalog, a.rounds)
        if not a.no_spark:
            of_spark(figures, sqls, catalog, a.rounds)
        trace_sizes(figures["trace"], sqls, catalog)
    else:
        print(f"no queries at {CORPUS}: only growth is measured", file=sys.stderr)
    if not a.no_growth:
        growth(figures["growth"])


def main() -> None:
    """See the module."""
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    p.add_argument("--rounds", type=int, default=6)
    p.add_argument("--no-spark", action="store_true")
    p.add_argument("--no-sqlglot", action="store_true")
    p.add_argument("--no-growth", action="store_true")
    p.add_argument("--only", nargs="*", default=[], metavar="QUERY")
    p.add_argument("--out", type=Path, help="where to write all figures as JSON")
    a = p.parse_args()
    figures: Figures = {"load": {}, "rounds": {}, "times": {}, "processor": {}, "trace": {}, "growth": {}}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run_all(a, figures)
    except KeyboardInterrupt:
        print("stopped: this is what was measured", file=sys.stderr)
    finally:
        show(figures)
        if a.out:
            a.out.parent.mkdir(parents=True, exist_ok=True)
            a.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
