"""python -m tests.fuzz KIND [--count N] [--seed S] [--begin N] [--seconds T]: every defect with its seed and number."""

from __future__ import annotations

import argparse
import sys

from planviz.trees.executor import RuleExecutor
from tests.fuzz.kinds import KINDS
from tests.fuzz.run import SLOW, run


def main() -> int:
    """See the module; 1 where there are defects."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so many seconds")
    parser.add_argument("--slow", type=float, default=SLOW, help="seconds of CPU that one case may take")
    told = parser.parse_args()
    RuleExecutor.guarded, RuleExecutor.standing = False, ()
    found = run(told.kind, told.seed, told.count, told.begin, told.slow, told.seconds)
    print(
        f"{told.kind}, seed {told.seed}: {found.cases:,} cases, {found.refused:,} refused in a sentence, "
        f"{sum(found.defects.values()):,} defects of {len(found.defects)} kinds",
        flush=True,
    )
    for what, count in found.defects.most_common():
        print(f"  {count:,} x {what} (first: case {found.first[what][0]})", flush=True)
    return 1 if found.defects else 0


if __name__ == "__main__":
    sys.exit(main())
