"""`python -m tests.decisions [QUERY...]`: applies every flip offered over TPC-DS and counts the promises kept."""

from __future__ import annotations

import gc
import sys

from tests.decisions.promises import tpcds

# Nothing that is planned here lives long: collecting after each query is enough.
gc.disable()
tally = tpcds(sys.argv[1:] or None, lambda text: print(text, file=sys.stderr, flush=True))
offered = sum(tally.offered.values())
for line in tally.broken:
    print(line)
print(f"{tally.decisions} decisions, {tally.bare} without a flip; {tally.tried} changes tried")
print(f"{offered} flips offered: {dict(tally.offered)}")
print(f"kept: {offered - len(tally.broken)} of {offered}")
sys.exit(bool(tally.broken))
