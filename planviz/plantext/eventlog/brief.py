"""A long log in as many lines, without what says nothing of its executions.

Nine of ten bytes are events of tasks, and of the plans that adaptive execution announces only an execution's last
counts. Such an event keeps its name alone, so that lines and events are counted as they are in the log; what the tasks
of a stage took stands in short in the event of the stage. What is damaged stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import json

from planviz.plantext.eventlog.fold import START, UNREADABLE, event_name
from planviz.plantext.eventlog.messages import MESSAGES, TASK_END, read_message, read_stage, read_task
from planviz.plantext.eventlog.tasks import TaskTimes

_KEPT = frozenset(name.encode() for name in MESSAGES)
_SQL = b"org.apache.spark.sql.execution.ui."
_BEGINS, _PLANS = _SQL + b"SparkListenerSQLExecutionStart", _SQL + b"SparkListenerSQLAdaptiveExecutionUpdate"
_TASK, _STAGE = TASK_END.encode(), b"SparkListenerStageCompleted"
_OLD_PLANS = START + b'SparkListenerSQLAdaptiveExecutionUpdate"}'


class _Numbered(msgspec.Struct, rename="camel", gc=False):
    """An event of an execution."""

    execution_id: int


_number_of = msgspec.json.Decoder(_Numbered).decode


def brief(lines: Iterable[bytes]) -> list[bytes]:
    """The lines of a log, without line breaks, each whole or with its event's name alone."""
    made: list[bytes] = []
    plans: dict[int, int] = {}  # the places of the last plans, of executions that the log begins
    tasks = TaskTimes()
    for line in lines:
        line = line.strip()
        try:
            name = event_name(line) if line else b""
            if name in (_BEGINS, _PLANS):
                number = _number_of(line).execution_id
                if name == _BEGINS:
                    plans[number] = -1
                elif (last := plans.get(number)) is not None:
                    if last >= 0:
                        made[last] = _OLD_PLANS
                    plans[number] = len(made)
            elif name == _STAGE:
                if (summary := tasks.summary(read_stage(line).info.stage)) is not None:
                    line = line[:-1] + b',"Task Summary":' + json.encode(summary) + b"}"
            elif name and name not in _KEPT:
                if name == _TASK:
                    tasks.take(read_task(line))
                else:
                    read_message(line)
                line = START + name + b'"}'
        except UNREADABLE:
            pass
        made.append(line)
    return made
