"""How long a pasted text takes to be read and replayed, beside planning the query that it was printed from.

    python -m benchmarks.replay [MODE ...] [--every 5] [--rounds 3] [--sizes 500 1000 2000]

MODE is one of TPC-DS's captures, such as nocbo-aqeoff; the extended text alone is replayed. Printed are
milliseconds of processor time: the sums over a mode's queries, their ratio, and the largest ratio of one query. Then
`benchmarks.plans`' mixed plans of so many operators, as physical plans alone.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from benchmarks.plans import plan_text
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import explain
from tests.fidelity.replay import texts
from tests.fidelity.scoreboard import MODES, catalog, config


def taken(work: Callable[[], object], rounds: int) -> float:
    """The median of the milliseconds of processor time that work takes."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def planned(sql: str, mode: str) -> None:
    """Plan a query from its text to the physical plan."""
    _ = explain(sql, catalog(mode), config(mode)).physical


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=(500, 1_000, 2_000))
    options = parser.parse_args()
    print(f"{'captures':40} {'queries':>7} {'planned ms':>11} {'replayed ms':>12} {'ratio':>6} {'largest':>8}")
    for mode in options.modes:
        pairs = []
        for name, document, text in texts(f"tpcds/captures/{mode}", every=options.every):
            plan = taken(lambda d=document, m=mode: planned(d["sql"], m), options.rounds)
            replay = taken(lambda t=text: list(replays(open_text(t))), options.rounds)
            pairs.append((plan, replay, name))
        plan, replay = sum(p for p, _, _ in pairs), sum(r for _, r, _ in pairs)
        most, which = max((r / p, name) for p, r, name in pairs)
        print(f"{mode:40} {len(pairs):7} {plan:11.0f} {replay:12.0f} {replay / plan:6.2f} {most:8.2f} {which}")
    for size in options.sizes:
        text = "== Physical Plan ==\n" + plan_text("mixed", size)
        print(f"mixed plan of {size:,} operators: {taken(lambda t=text: list(replays(open_text(t))), 1):.0f} ms")


if __name__ == "__main__":
    main()
