"""Python's cyclic garbage collector, kept from walking trees that grow."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: When cycles are looked for in a process of ours: plans have few, and walking them took a tenth of planning's time.
RARELY = (100_000, 50, 100)


def collector_rarely() -> None:
    """Look for cycles rarely in this process from now on. Wrong in a process of somebody else, who set that."""
    gc.set_threshold(*RARELY)


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No collection of cycles within this block.

    What is built there stays, and the collector would only walk it again and again: a tenth of the time of planning,
    half of that of reading a million operators. Wrong around work that leaves many cycles behind or never ends.
    Blocks of several threads may overlap: collecting begins again at the end of the first one at the latest.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
