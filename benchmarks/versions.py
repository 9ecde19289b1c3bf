"""How long planning takes in every profile, beside 4.3's.

    python -m benchmarks.versions [--rounds 5] [--every 7] [--profile spark-3.5 ...]

TPC-DS of ../shared/corpus/tpcds from text to physical plan, every n-th query, each in all profiles in turn, so that a
busy machine is busy for all of them alike. A query's figure is the median of the rounds in processor time; printed are
the sums, in milliseconds, and their ratio to 4.3's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict

from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import explain
from planviz.versions import PROFILES
from tests.fidelity.scoreboard import captures, catalog

NEWEST = "spark-4.3"


def measure(profiles: list[str], rounds: int, every: int) -> dict[str, float]:
    """Milliseconds of processor time by profile, of the queries that all of them can plan."""
    known = catalog()
    taken: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    configs = {p: OptimizerConfig.of(p, **{"spark.sql.adaptive.enabled": False}) for p in profiles}
    for _ in range(rounds):
        for document in captures("nocbo-aqeoff")[::every]:
            for profile, config in configs.items():
                start = time.process_time()
                try:
                    _ = explain(document["sql"], known, config).physical
                except PlanvizError:
                    continue
                taken[document["query"]][profile].append((time.process_time() - start) * 1000)
    whole = [by_profile for by_profile in taken.values() if len(by_profile) == len(profiles)]
    return {p: sum(statistics.median(by_profile[p]) for by_profile in whole) for p in profiles}


def main() -> None:
    parser = argparse.ArgumentParser("python -m benchmarks.versions", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often every query is planned (5)")
    parser.add_argument("--every", type=int, default=7, metavar="N", help="every n-th query only (7)")
    parser.add_argument("--profile", action="append", choices=list(PROFILES), help="beside 4.3 (all)")
    options = parser.parse_args()
    profiles = list(dict.fromkeys([NEWEST, *(options.profile or PROFILES)]))
    found = measure(profiles, options.rounds, options.every)
    for profile, milliseconds in found.items():
        print(f"{profile:10} {milliseconds:9.1f} ms   {milliseconds / found[NEWEST]:.2f}")


if __name__ == "__main__":
    main()
