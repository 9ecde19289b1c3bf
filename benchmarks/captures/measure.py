"""What a capture holds, counted: metrics joined to operators, measured rows beside estimates, replayed plans."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planviz.document import open_text
from planviz.graph.actual import actual_rows, measured_rows
from planviz.spark.capture_file import capture_text

HEADINGS = ("query", "operators", "metrics", "joined %", "est+act", "shown %", "differs", "seconds", "run s", "KB")

#: Name and number of metrics of each operator, as Spark's own walk over an executed plan finds them.
Operators = Counter[tuple[str, int]]


@dataclass
class Figures:
    """The figures of one query; `expected` operators have metrics in Spark, `kept` of them in the capture, too."""

    name: str
    operators: int = 0
    expected: int = 0
    kept: int = 0
    metrics: int = 0
    both: int = 0
    optimized: int = 0
    shown: int = 0
    differs: list[str] = field(default_factory=list)
    seconds: float = 0.0
    run: float = 0.0
    size: int = 0
    without: Counter[str] = field(default_factory=Counter)
    failed: bool = False

    @property
    def wrong(self) -> bool:
        """Whether something is missing that must be there."""
        return self.failed or self.kept < self.expected or bool(self.differs)

    def row(self) -> tuple[str, ...]:
        """The figures as the cells of a line."""
        return (
            self.name, str(self.operators), str(self.expected), f"{100 * self.kept / max(self.expected, 1):.0f}",
            str(self.both), f"{100 * self.shown / max(self.optimized, 1):.0f}", "+".join(self.differs) or "-",
            f"{self.seconds:.1f}", f"{self.run:.1f}", f"{self.size / 1024:.0f}",
        )  # fmt: skip


def measure(name: str, captured: dict[str, Any], expected: Operators, seconds: float) -> Figures:
    """The figures of a capture; `expected` are the operators with metrics that Spark itself finds in the plan."""
    text = capture_text(captured)
    document = open_text(text)
    run = document.plans[-1]
    optimized = next(plan for plan in document.plans if plan.stage == "optimized")
    ours = Counter((o["nodeName"], len(o["metrics"])) for o in operators(captured["executed"]["plan"]))
    kept = expected & ours
    return Figures(
        name,
        operators=sum(ours.values()),
        expected=sum(expected.values()),
        kept=sum(kept.values()),
        metrics=sum(count * many for (_, count), many in kept.items()),
        both=sum(node.estimate is not None and measured_rows(node) is not None for node in run),
        optimized=len(optimized),
        shown=len(actual_rows(optimized, run)),
        differs=captured["trace"]["differs"],
        seconds=seconds,
        run=captured["executed"]["milliseconds"] / 1e3,
        size=len(gzip.compress(text.encode(), 9)),
        without=Counter(name for name, count in ours.elements() if not count),
    )


def operators(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A captured plan's operators."""
    yield plan
    for child in plan["children"]:
        yield from operators(child)
