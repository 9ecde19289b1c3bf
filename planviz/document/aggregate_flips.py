"""What might flip the operators of an aggregate: the setting for functions that keep objects."""

from __future__ import annotations

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Flip, SettingChange
from planviz.document.aggregated import OBJECT_HASH
from planviz.execution import QueryExecution
from planviz.physical.buffers import is_imperative

_SHORT = OBJECT_HASH.rpartition(".")[2]


def aggregate_candidates(decision: Decision, execution: QueryExecution) -> list[Flip]:
    """Changes after which the last stage would have another operator."""
    if not any(is_imperative(f.function) for f in decision.value("functions") or ()):
        return []
    on = bool(execution.config.get(OBJECT_HASH))
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
