"""A limit of time for work in this thread, and what the work was at when it was stopped.

The timer is the process's own (`setitimer`), so it holds in the main thread alone: of a command, or of a worker.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager, nullcontext
from types import FrameType, TracebackType

from planviz.errors import InputError, LimitExceeded

#: What is done for somebody in a module; the outermost counts.
_PURPOSES = (
    ("planviz.document.alternatives.flips", "looking for the nearest changes that flip a join"),
    ("planviz.document.alternatives.join_flips", "looking for the nearest changes that flip a join"),
    ("planviz.document.cardinality.crossovers", "looking for the sizes at which joins change"),
    ("planviz.document.rules.branches", "finding out why rules did what they did"),
    ("planviz.document.comparison.plans", "comparing the plans"),
    ("planviz.replay", "replaying the pasted plan"),
    ("planviz.history", "searching the event logs"),
)
#: What is done in a room; the innermost counts.
_WORK = (
    ("planviz.frontend", "reading the SQL"),
    ("planviz.programs", "reading the program"),
    ("planviz.plantext", "reading the text"),
    ("planviz.functions", "analyzing the query"),
    ("planviz.analysis", "analyzing the query"),
    ("planviz.evaluation", "optimizing the query"),
    ("planviz.estimation", "optimizing the query"),
    ("planviz.optimizer", "optimizing the query"),
    ("planviz.physical", "planning the physical operators"),
    ("planviz.render", "drawing"),
    ("planviz.layout", "drawing"),
    ("planviz.execution", "planning the query"),
    ("planviz.document", "opening the text"),
)
#: What helps where a rule took the time.
_ADVICE = {
    "CostBasedJoinReorder": "set spark.sql.cbo.joinReorder.enabled=false",
    "InferFiltersFromConstraints": "set spark.sql.constraintPropagation.enabled=false",
    "BooleanSimplification": "put the values of a long OR into an IN list or a table",
}
_STRATEGIES = frozenset({"JoinSelection", "SparkPlanner"})
#: Seconds after which the signal comes again, where something swallowed it.
_AGAIN = 0.5


class Stopped(BaseException):
    """Raised where the work is; no `except Exception` may swallow it."""


def time_limit(seconds: float | None, raised_by: str = "raise the limit") -> AbstractContextManager[None]:
    """Work that takes at most `seconds` (None: as long as it takes), in the process's main thread.

    Raises InputError for no time at all, and LimitExceeded, which says what the work was at, and ends with how to give
    it more, `raised_by`.
    """
    if seconds is None:
        return nullcontext()
    if not seconds > 0:
        raise InputError(f"{seconds:g} s is no limit of time: it must be more than 0.")
    return _TimeLimit(seconds, raised_by)


class _TimeLimit(AbstractContextManager[None]):
    """The limit while it holds. No generator: a signal while its block is left would end that half-way."""

    def __init__(self, seconds: float, raised_by: str) -> None:
        self.seconds, self.raised_by = seconds, raised_by
        self.sentence = ""
        self.over = False

    def __enter__(self) -> None:
        self.before = signal.signal(signal.SIGALRM, self._stop)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, _AGAIN)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)
        if isinstance(error, Stopped):
            raise LimitExceeded(self.sentence) from None

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if not self.over:
            self.sentence = self.sentence or told(frame, self.seconds, self.raised_by)
            raise Stopped


def told(frame: FrameType | None, seconds: float, raised_by: str) -> str:
    """The sentence for work that was stopped at this frame."""
    purpose = work = rule = ""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        rule = rule or _rule_of(frame.f_locals.get("self"))
        work = work or _word(module, _WORK)
        purpose = _word(module, _PURPOSES) or purpose
        frame = frame.f_back
    within = ", ".join(filter(None, (work if purpose else "", f"at {rule}" if rule else "")))
    advice = f"{_ADVICE[rule]}, or {raised_by}" if rule in _ADVICE else f"make it smaller, or {raised_by}"
    at = f" ({within})" if within else ""
    return f"Stopped: {purpose or work or 'the work'}{at} took more than {seconds:g} s. The text is kept; {advice}."


def _word(module: str, words: tuple[tuple[str, str], ...]) -> str:
    return next((told for name, told in words if module.startswith(name)), "")


def _rule_of(this: object) -> str:
    """The name of the rule or strategy that an object is."""
    names = [kind.__name__ for kind in type(this).__mro__]
    return names[0] if "Rule" in names[1:] or names[0] in _STRATEGIES else ""
