"""How long the search for the cheapest order of joins takes as relations are added, beside a real Spark.

    python -m benchmarks.reorder [--most 14] [--rounds 3] [--no-spark]

One query of 3, 4 ... relations: a star (every table joins the first one, the worst case for the search) and a chain.
Times are those of the optimizer from the analyzed plan on, in milliseconds, best of the rounds: processor time here,
wall time of `queryExecution().optimizedPlan()` for Spark, whose first query of every shape is not counted. All in one
run on one machine. `candidates` are the joins that were compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter, process_time
from typing import Any

from planviz.catalog import Catalog, ColumnStatistics
from planviz.catalog.ddl import table_of
from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.types import parse_fields

SETTINGS = {
    "spark.sql.cbo.enabled": True,
    "spark.sql.cbo.joinReorder.enabled": True,
    "spark.sql.cbo.joinReorder.dp.threshold": 100,
}


def _table(name: str, columns: dict[str, int], rows: int) -> Table:
    stats = [(c, ColumnStatistics(n, 1, n, 0, 4, 4)) for c, n in columns.items()]
    fields = parse_fields(", ".join(f"{c} int" for c in columns))
    size = rows * (8 + 4 * len(columns))
    return replace(table_of((name,), fields), row_count=rows, size_in_bytes=size, column_stats=tuple(stats))


def catalog_of(count: int) -> Catalog:
    """A large table and `count` - 1 small ones, each with a key of the large one."""
    keys = {f"k{i}": 10 * i for i in range(1, count)}
    catalog = Catalog().with_table(_table("large", {"v": 1000, **keys}, 10_000_000))
    for i in range(1, count):
        catalog = catalog.with_table(_table(f"small{i}", {"id": 10 * i, "x": 5}, 10 * i))
    return catalog


def star(count: int) -> str:
    """Every small table joins the large one."""
    joins = [f"JOIN small{i} ON k{i} = small{i}.id" for i in range(1, count)]
    return f"SELECT v FROM large {' '.join(joins)}"


def chain(count: int) -> str:
    """Every table joins the one before it."""
    joins = [f"JOIN small{i} ON small{i - 1}.x = small{i}.id" for i in range(2, count)]
    return f"SELECT v FROM large JOIN small1 ON k1 = small1.id {' '.join(joins)}"


def _ours(sql: str, catalog: Catalog, rounds: int) -> tuple[float, int]:
    """Milliseconds and the number of candidates."""
    config = OptimizerConfig().with_settings(SETTINGS)
    times = []
    for _ in range(rounds):
        execution = explain(sql, catalog, config)
        started = process_time()
        _ = execution.optimized
        times.append(process_time() - started)
    again = explain(sql, catalog, config)
    again.reorderings = []
    _ = again.optimized
    return 1e3 * min(times), sum(len(level) for search in again.reorderings for level in search.levels)


def _spark(most: int) -> Callable[[str, int], float]:
    """A function that gives the milliseconds of a query in Spark, which has the tables of the largest query."""
    from tests.acceptance.engines import real_spark
    from tests.acceptance.estimates import CountedSpark

    spark: Any = real_spark().spark
    CountedSpark(spark, catalog_of(most))
    for key, value in SETTINGS.items():
        spark.conf.set(key, str(value).lower())

    def measure(sql: str, rounds: int) -> float:
        times = []
        for _ in range(rounds + 1):
            execution = spark.sql(sql)._jdf.queryExecution()
            started = perf_counter()
            execution.optimizedPlan()
            times.append(perf_counter() - started)
        return 1e3 * min(times[1:])

    return measure


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=14)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-spark", action="store_true")
    options = parser.parse_args()
    spark = None if options.no_spark else _spark(options.most)
    catalog = catalog_of(options.most)
    print(f"{'shape':<6} {'relations':>9} {'candidates':>10} {'planviz ms':>11} {'spark ms':>9}")
    for shape in (star, chain):
        for count in range(3, options.most + 1):
            ours, candidates = _ours(shape(count), catalog, options.rounds)
            theirs = "" if spark is None else f"{spark(shape(count), options.rounds):9.1f}"
            print(f"{shape.__name__:<6} {count:>9} {candidates:>10} {ours:>11.1f} {theirs:>9}", flush=True)


if __name__ == "__main__":
    main()
