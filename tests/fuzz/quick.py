"""A process made quick for very many cases: warm, and without the one cost that would be most of all."""

from __future__ import annotations

import gc
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from planviz.document import open_text
from planviz.render import fonts, svg
from planviz.trees.collector import collector_rarely
from planviz.trees.executor import RuleExecutor

#: Of how many faces of pictures one is cut for real: cutting takes 40 ms, fifty times what a small picture does.
FACES = 60


class EndlessCase(BaseException):
    """A case that took so long that it was stopped; no error, so that nothing between catches it."""


@contextmanager
def quick() -> Iterator[None]:
    """Plans without checks of their own, few faces cut, a collector that does not walk what stays."""
    checks, cut = (RuleExecutor.guarded, RuleExecutor.standing), svg.subset
    dice = random.Random(1)
    face = fonts.subset(frozenset("planviz"), False)
    RuleExecutor.guarded, RuleExecutor.standing = False, ()
    svg.subset = lambda characters, bold: cut(characters, bold) if dice.randrange(FACES) == 0 else face  # type: ignore[assignment, attr-defined]
    open_text("SELECT 1")
    collector_rarely()
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        RuleExecutor.guarded, RuleExecutor.standing = checks
        svg.subset = cut  # type: ignore[attr-defined]
        gc.unfreeze()


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raises EndlessCase in the block after so many seconds of processor time (0: never); for the main thread."""
    if not seconds:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise EndlessCase

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
