"""What flips the operators of an aggregate: the settings for functions that keep objects, and for sorted rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Flip, SettingChange
from planviz.document.decisions.aggregates import OBJECT_HASH, REPLACE, AggregateReport, aggregates_of
from planviz.execution import QueryExecution
from planviz.physical.buffers import keeps_objects

_SHORT = OBJECT_HASH.rpartition(".")[2]


def aggregate_candidates(decision: Decision, execution: QueryExecution) -> list[Flip]:
    """Changes after which the last stage would have another operator."""
    if not any(keeps_objects(f.function) for f in decision.value("functions") or ()):
        return []
    on = execution.config.flag(OBJECT_HASH)
    return [
        Flip(
            kind="setting",
            changes=(SettingChange(OBJECT_HASH, not on),),
            words=f"set {OBJECT_HASH} to {str(not on).lower()}",
            short=f"{_SHORT} = {str(not on).lower()}",
            outcome="SortAggregate" if on else "ObjectHashAggregate",
            node="objects",
        )
    ]


@dataclass(frozen=True)
class WhatIf:
    """An aggregate planned with one setting changed, which gave some stage another operator.

    `words` say the change in a button's length, `operators` are those of the stages then, `report` is the aggregate.
    """

    key: str
    value: bool
    operators: tuple[str, ...]
    report: AggregateReport

    @property
    def words(self) -> str:
        """objectHash = false → SortAggregate."""
        return f"{self.key.rpartition('.')[2]} = {str(self.value).lower()}"


def what_ifs(report: AggregateReport) -> Iterator[WhatIf]:
    """Settings that would give the aggregate's stages other operators, each planned anew; none of a pasted plan."""
    execution = report.execution
    if execution is None:
        return
    place = [r.stages[-1].text.node for r in aggregates_of(execution)].index(report.stages[-1].text.node)
    for key in (OBJECT_HASH, REPLACE):
        value = not execution.config.get(key)
        found = list(aggregates_of(execution.again(execution.config.with_settings({key: value})), report.statement))
        operators = tuple([s.text.operator for s in found[place].stages]) if place < len(found) else ()
        if operators and operators != tuple([s.text.operator for s in report.stages]):
            yield WhatIf(key, value, operators, found[place])
