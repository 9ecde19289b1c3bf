"""Statistics of a large table by planviz' aggregate and by Spark's own ANALYZE: the same numbers, and what they cost.

    python -m benchmarks.statistics --rows 3000000 [--histograms] [--memory 1500m] [--keep DIR]

Makes the orders of the sample shop with so many rows, registers them as a table partitioned by month, and prints for
each way wall and CPU seconds of the whole JVM, and how far its numbers are from those of ANALYZE (0 where they are
equal). Status 1 where they differ by more than the accuracy of approximate counts. Run it as a module: its name is
that of one of Python's own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from planviz.spark.capturing import active_session
from planviz.spark.java import find_java
from planviz.spark.sample_data import make_sample_data
from planviz.spark.session import Spark, start
from planviz.spark.statistics import Way, analyze_table

#: What two approximate counts of distinct values may differ by: spark.sql.statistics.ndv.maxError.
_ERROR = 0.05


def main() -> int:
    """Generate, count in every way, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--histograms", action="store_true")
    parser.add_argument("--sample", default="0.01", help="the share of rows that is counted for estimates")
    parser.add_argument("--memory", default="1500m")
    parser.add_argument("--keep", metavar="DIR", help="where the table is made, or was by an earlier run")
    options = parser.parse_args()
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with (
        tempfile.TemporaryDirectory(prefix="planviz-benchmark-") as scratch,
        nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory(prefix="planviz-data-") as data,
    ):
        spark = start({"master": "local[2]", "memory": options.memory, "conf": {}, "folder": scratch})
        try:
            with spark.task_session({"spark.sql.session.timeZone": "UTC"}) as session, active_session(session):
                return _measure(spark, session, Path(data), options)
        finally:
            spark.session.stop()


def _measure(spark: Spark, session: Any, data: Path, options: argparse.Namespace) -> int:
    folder = data / "orders"
    if not folder.exists():
        quiet = lambda at: None  # noqa: E731
        scale = options.rows / 1_000_000
        _timed(spark, "generate", lambda: make_sample_data(session, str(data), scale, ["orders"], quiet))
    bytes_of = sum(f.stat().st_size for f in folder.rglob("*.parquet"))
    print(f"{options.rows:,} rows, {bytes_of / 1e6:,.0f} MB of Parquet in {len(list(folder.iterdir()))} folders")
    columns = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in session.read.parquet(str(folder)).schema)
    session.sql(f"CREATE TABLE orders ({columns}) USING parquet PARTITIONED BY (order_month) LOCATION '{folder}'")
    session.sql("MSCK REPAIR TABLE orders")
    _timed(spark, "read all", lambda: session.table("orders").write.format("noop").mode("overwrite").save())
    worst = 0.0
    for histograms in (False, True) if options.histograms else (False,):
        words = " with histograms" if histograms else ""
        theirs = _timed(spark, f"ANALYZE{words}", lambda h=histograms: analyze_table(session, "orders", Way(True, h)))
        ours = _timed(spark, f"aggregate{words}", lambda h=histograms: analyze_table(session, "orders", Way(False, h)))
        worst = max(worst, _furthest("aggregate", ours, theirs))
        sampled = Way(False, histograms, options.sample)
        guessed = _timed(
            spark, f"sample {options.sample}{words}", lambda w=sampled: analyze_table(session, "orders", w)
        )
        _furthest("sample", guessed, theirs)
    return 0 if worst <= 2 * _ERROR else 1


def _timed(spark: Spark, name: str, work: Callable[[], Any]) -> Any:
    begin, cpu = time.monotonic(), _cpu(spark)
    found = work()
    print(f"{name:<28} {time.monotonic() - begin:8.1f} s wall {_cpu(spark) - cpu:8.1f} s CPU", flush=True)
    return found


def _cpu(spark: Spark) -> float:
    """CPU seconds of the JVM so far. Spark is started by a shell that becomes it, so the process is the JVM."""
    assert spark.jvm_process is not None
    fields = Path(f"/proc/{spark.jvm_process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _furthest(name: str, ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    """Print and return the largest relative difference of a distinct count; other numbers that differ are printed."""
    mine, known = ours["stats"], theirs["stats"]
    other = [] if mine["rowCount"] == known["rowCount"] else ["rowCount"]
    worst, column = 0.0, ""
    for c, entry in known["columns"].items():
        found = mine["columns"][c]
        apart = abs(found["distinctCount"] - entry["distinctCount"]) / max(entry["distinctCount"], 1)
        worst, column = max((worst, column), (apart, c))
        other += [f"{c}.{k}" for k in entry if k != "distinctCount" and found.get(k) != entry[k]]
    same = ", ".join(other) if other else "none"
    print(f"  {name}: distinct values {worst:.2%} apart at most {column}; other numbers that differ: {same}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
