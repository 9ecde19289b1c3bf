"""The events of tasks summed up by stage: of the longest and the middle task nothing stands in the event of a stage."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from planviz.plantext.eventlog.messages import TaskEnd

#: Of what a stage's tasks took and read: their number, milliseconds of all, the middle and the longest one, rows of the
#: middle and of the one that read most.
Summary = tuple[int, int, int, int, int, int]
#: Beyond it a number is damaged.
_MOST = 1 << 62


class TaskTimes:
    """What the tasks of each stage took, until somebody asks for it: sixteen bytes a task."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[array[int], array[int]]] = {}

    def take(self, event: TaskEnd) -> None:
        """A task that ended; only those that succeeded count, for others did a part of their work."""
        if event.metrics is None or event.reason.reason != "Success":
            return
        times, rows = self._of.setdefault(event.stage, (array("q"), array("q")))
        read = event.metrics.shuffle.records + event.metrics.input.records
        times.append(min(max(event.metrics.run, 0), _MOST))
        rows.append(min(max(read, 0), _MOST))

    def summary(self, stage: int) -> Summary | None:
        """What the tasks of a stage took that has ended, and forgets them; None where no task is known."""
        told = self._of.pop(stage, None)
        if told is None:
            return None
        times, rows = told
        return (len(times), sum(times), _middle(times), max(times), _middle(rows), max(rows))


def _middle(values: Sequence[int]) -> int:
    """The lower of the two in the middle: of two tasks the longer one is the exception."""
    return sorted(values)[(len(values) - 1) // 2]
