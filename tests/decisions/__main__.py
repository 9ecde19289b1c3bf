"""Apply every flip offered over TPC-DS and count the promises kept; all of it takes ten minutes of a processor."""

from __future__ import annotations

import argparse
import gc
import sys

from tests.decisions.promises import tpcds


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.decisions", description=__doc__)
    parser.add_argument("queries", nargs="*", metavar="QUERY", help="q1, q14a ...: these only")
    queries = parser.parse_args(arguments).queries
    # Nothing that is planned here lives long: collecting after each query is enough.
    gc.disable()
    tally = tpcds(queries or None, lambda text: print(text, file=sys.stderr, flush=True))
    offered = sum(tally.offered.values())
    for line in tally.broken:
        print(line)
    print(f"{tally.decisions} decisions, {tally.bare} without a flip; {tally.tried} changes tried")
    print(f"{offered} flips offered: {dict(tally.offered)}")
    print(f"kept: {offered - len(tally.broken)} of {offered}")
    return bool(tally.broken)


if __name__ == "__main__":
    sys.exit(main())
