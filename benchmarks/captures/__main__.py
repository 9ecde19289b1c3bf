"""Capture and execute every sample query and a set like TPC-H, and tell what was joined to the plans.

    python -m benchmarks.captures [NAME ...] [--rows 20000] [--no-adaptive] [-o DIR]

Names are the beginnings of files' names below `sample_queries` (`tpch`, `rules/column`). The tables hold rows made of
arithmetic, the largest of each catalogue `--rows`. Columns: operators of the executed plan; those that have metrics in
Spark's own walk over the plan (SparkPlanInfo) and the share of these that the capture has, with equal numbers of
metrics; operators with rows both estimated and measured; the share of the optimized plan's operators that measured rows
are shown beside; stages where the replayed rules did not give Spark's own plan; seconds of capture and of the run in
it; KB of the packed file. Status 1 when a query fails, a metric is missing, or a replay differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.captures.measure import HEADINGS, Figures, measure
from benchmarks.captures.queries import Query, sample_queries
from benchmarks.captures.session import Captures
from planviz.spark.capture_file import ENDING, write_capture


def main() -> int:
    """Capture all, print the table; a status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these queries")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of the largest table (default: 20000)")
    parser.add_argument("--no-adaptive", action="store_true", help="without adaptive execution")
    parser.add_argument("-o", "--output", type=Path, help="keep the captures in this folder")
    options = parser.parse_args()
    conf = {"spark.sql.adaptive.enabled": "false"} if options.no_adaptive else {}
    found: list[Figures] = []
    print(_line(HEADINGS))
    with Captures(options.rows, conf) as captures:
        for query in sample_queries(options.names):
            begin = time.process_time(), time.perf_counter()
            try:
                captured, expected = captures.capture(query)
            except Exception as error:
                print(f"{query.name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
                found.append(Figures(query.name, failed=True))
                continue
            figures = measure(query.name, captured, expected, time.perf_counter() - begin[1])
            found.append(figures)
            print(_line(figures.row()), flush=True)
            if options.output:
                _keep(options.output, query, captured)
    print(_summary(found))
    return int(any(one.wrong for one in found))


def _keep(folder: Path, query: Query, captured: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_capture(captured, folder / f"{query.name.replace('/', '-')}{ENDING}")


def _line(cells: tuple[str, ...]) -> str:
    return f"{cells[0]:<45}" + "".join(f"{cell:>11}" for cell in cells[1:])


def _summary(found: list[Figures]) -> str:
    done = [one for one in found if not one.failed]
    with_metrics, kept = sum(f.expected for f in done), sum(f.kept for f in done)
    operators, shown = sum(f.optimized for f in done), sum(f.shown for f in done)
    without: Counter[str] = Counter()
    for one in done:
        without += one.without
    named = ", ".join(f"{name} {count}" for name, count in without.most_common(20))
    return "\n".join(
        [
            f"{len(done)} of {len(found)} queries captured and executed.",
            f"{kept:,} of {with_metrics:,} operators that have metrics have them in the capture"
            f" ({100 * kept / max(with_metrics, 1):.1f} %), with {sum(f.metrics for f in done):,} metrics.",
            f"{shown:,} of {operators:,} operators of the optimized plans have measured rows beside the estimate"
            f" ({100 * shown / max(operators, 1):.1f} %).",
            f"Executed operators without any metric: {named or 'none'}.",
            f"Replayed rules give Spark's own plan for {sum(not f.differs for f in done)} of {len(done)} queries.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
