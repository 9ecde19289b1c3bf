"""A replay as JSON."""

from __future__ import annotations

from planviz.replay.plans import ReadPlan
from planviz.replay.result import Replay


def replay_json(made: Replay) -> list[dict[str, object]]:
    """One entry for every plan of the explain, with the verdicts on the whole."""
    common = {
        "profile": made.config.profile,
        "settings": {s.key: s.value for s in made.settings},
        "evidence": {s.key: s.evidence for s in made.settings},
        "optimized": made.verdicts["optimized"],
        "physical": made.verdicts["physical"],
        "taken": made.taken,
        "fitted": fitted_json(made),
        "differences": [{"stage": stage, **d} for stage, found in made.differences.items() for d in found],
        "failures": made.failures,
    }
    return [{"stage": stage, "read": read_json(made.read.get(stage)), **common} for stage in dict.fromkeys(made.stages)]


def read_json(read: ReadPlan | None) -> dict[str, object]:
    """What was read of a plan; nothing of one that is not read back."""
    if read is None:
        return {
            "operators": 0,
            "expressions": 0,
            "opaque": 0,
            "opaque_texts": [],
            "columns": 0,
            "inferred": 0,
            "open": 0,
            "kept": 0,
            "assumed": [],
        }
    return {
        "operators": read.operators,
        "expressions": read.expressions,
        "opaque": len(read.opaque) + len(read.opaque_operators),
        "opaque_texts": [t[:200] for t in (*read.opaque_operators, *read.opaque)][:20],
        "columns": read.columns,
        "inferred": read.inferred,
        "open": read.open,
        "kept": read.kept,
        "assumed": read.assumed,
    }


def fitted_json(made: Replay) -> dict[str, object]:
    """The sizes that the decisions are consistent with, and the decisions that no size explains."""
    if made.fitted is None:
        return {"decisions": 0, "sizes": {}, "open": []}
    return {"decisions": made.fitted.decisions, "sizes": made.fitted.sizes, "open": made.fitted.open}
