"""python -m tests.fuzz KIND ... [--count N] [--seed S] [--begin N] [--seconds T]: every defect, its seed and number.

Several kinds take turns in one process; after each turn, and at an interrupt, a line tells how far each is, so that a
run can be ended at any time and another begin where it was.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from contextlib import suppress

from tests.fuzz.kinds import KINDS
from tests.fuzz.quick import quick
from tests.fuzz.run import SLOW, Found, Limits, run

#: Seconds of processor time that a kind has before the next one comes.
TURN = 5.0


def main() -> int:
    """See the module; 1 where there are defects."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kinds", nargs="+", choices=sorted(KINDS))
    parser.add_argument("--count", type=int, default=1_000, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after so many seconds")
    parser.add_argument("--slow", type=float, default=SLOW, help="seconds of CPU that one case may take")
    parser.add_argument("--end", type=float, default=60.0, help="seconds of CPU after which a case is stopped")
    told = parser.parse_args()
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    limits = Limits(told.slow, told.end, TURN)
    started, found = time.monotonic(), {kind: Found() for kind in told.kinds}
    with quick(), suppress(KeyboardInterrupt):
        while left := [kind for kind in told.kinds if found[kind].cases < told.count]:
            for kind in left:
                done = found[kind]
                run(kind, told.seed, told.count - done.cases, told.begin + done.cases, limits, done)
                _tell(kind, told.seed, told.begin, done)
            if told.seconds and time.monotonic() - started > told.seconds:
                break
    for kind, done in found.items():
        _tell(kind, told.seed, told.begin, done)
    for kind, done in found.items():
        for what, count in done.defects.most_common():
            print(f"  {kind}: {count:,} x {what} (first: case {done.first[what][0]})", flush=True)
    return 1 if any(done.defects for done in found.values()) else 0


def _tell(kind: str, seed: int, begin: int, found: Found) -> None:
    done = ", ".join(f"{count:,} {what}" for what, count in sorted(found.done.items()))
    print(
        f"{kind}, seed {seed}, cases {begin:,} to {begin + found.cases - 1:,}: {found.cases:,} cases, "
        f"{found.refused:,} refused in a sentence, {found.defects.total():,} defects of {len(found.defects)} kinds; "
        f"{done}; {found.seconds:,.0f} s of processor, {found.cases / max(found.seconds, 0.001):,.0f} a second",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
