"""What the sides of a pasted plan's joins turned out to be when it ran, in words."""

from __future__ import annotations

from planviz.decisions.choices import Decision
from planviz.document.decisions.adaptive import Measured, measured_inputs
from planviz.document.decisions.charts import side_relations
from planviz.document.decisions.model import Decided
from planviz.document.model import Document
from planviz.units import byte_size, short


def measured_words(document: Document, query: Decided, decision: Decision) -> str:
    """What was measured of a join's sides before they were joined: rows and bytes; empty where nobody measured it."""
    if decision.strategy != "JoinSelection":
        return ""
    if query.statement is not None:
        statement = document.statements[query.statement]
        plans = statement.plans if statement.replay is not None else ()
    else:
        plans = next((group for group in document.groups if query.plan in group), ())
    sides = zip(("left", "right"), measured_inputs(document, plans, decision.subject), strict=False)
    told = [f"{_names(decision, side)} {_words(found)}" for side, found in sides if found is not None]
    return f"Measured when it ran, before the join: {'; '.join(told)}." if told else ""


def _names(decision: Decision, side: str) -> str:
    names = side_relations(decision, side)
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else names[0] if names else side


def _words(found: Measured) -> str:
    size = byte_size(found.bytes) + (" as a hash table" if found.built else "")
    return size if found.rows is None else f"{short(found.rows)} rows, {size}"
