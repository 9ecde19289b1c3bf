"""The rows of the Joins page's table: each join in words."""

from __future__ import annotations

from planviz.decisions.choices import Decision
from planviz.document.decisions import charts
from planviz.document.decisions.model import UNTOLD, Decided
from planviz.document.decisions.queries import (
    ANEW,
    TAKEN,
    outcome,
    plain,
    ran_words,
    size_words,
    title,
    value_text,
)
from planviz.estimation import OF_UNKNOWN_SIZE
from planviz.graph.differences import conjuncts
from planviz.graph.node import PlanNode
from planviz.graph.words import join_type_words, spaced
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line

#: Bytes that the join of two tables has only where their sizes are multiplied.
_IMMENSE = 1 << 50
_SIDES = {"BuildLeft": "left", "BuildRight": "right"}


def row(n: int, query: Decided, decision: Decision, before: Decision | None, several: bool = False) -> JsonObject:
    """One join in the table: operator, type, condition, sides with sizes, why; `was` where it was planned otherwise."""
    was = before if before is not None and outcome(before) != outcome(decision) else None
    return {
        "n": n,
        "query": _place(query) if several else "",
        "op": decision.outcome,
        "operator": spaced(decision.outcome),
        "type": join_type_words(str(decision.value("type") or "")),
        "on": condition(decision),
        "left": side(decision, "left"),
        "right": side(decision, "right"),
        "reason": reason(decision),
        "was": _was(was, decision) if was is not None else "",
        "ran": ran_words(decision),
    }


def _was(before: Decision, now: Decision) -> str:
    if before.outcome != now.outcome:
        return f"was {spaced(before.outcome)}"
    return f"built the {_SIDES.get(str(before.value('build')), 'other')} side"


def _place(query: Decided) -> str:
    if query.statement is not None:
        return f"cache, query {query.statement + 1}" if query.fills_cache else f"query {query.statement + 1}"
    return f"plan {(query.plan or 0) + 1}"


def side(decision: Decision, name: str) -> JsonObject:
    """One side: `names` of its relations in short, `all` of them, `size` as Spark says it, whether it is built."""
    at = ("left", "right").index(name)
    names = charts.side_relations(decision, name)
    size = (decision.value("sizes") or (None, None))[at]
    unknown = len(names) == 1 and isinstance(size, int) and size >= OF_UNKNOWN_SIZE
    shown = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}" if names else "?"
    return {
        "names": one_line(shown, 60),
        "all": one_line(", ".join(names), 400),
        "size": "size unknown" if unknown else size_words(size) if isinstance(size, int) else _told(size),
        "build": decision.value("build") == f"Build{name.capitalize()}",
    }


def _told(size: str | None) -> str:
    """The words for a size that nobody gave; none where nothing follows from it either."""
    return "" if size in (None, UNTOLD) else str(size)


def multiplied(decision: Decision, cost_based: bool) -> str:
    """Why a joined side has a size that no table has; empty where none has."""
    sizes = zip(("left", "right"), decision.value("sizes") or (), strict=False)
    if cost_based or not any(
        isinstance(size, int) and size >= _IMMENSE and len(charts.side_relations(decision, name)) > 1
        for name, size in sizes
    ):
        return ""
    return (
        "Without cost-based optimization Spark takes the product of both sides' sizes for that of a join: no real size."
    )


def condition(decision: Decision) -> str:
    """The join's condition without ids, empty for none."""
    keys = decision.value("keys")
    subject = decision.subject
    found = subject.arguments.get("condition") if isinstance(subject, PlanNode) else subject.condition
    if isinstance(subject, PlanNode) and keys:
        found = None
    if found is not None:
        return one_line(" AND ".join(_bare(part) for part in conjuncts(plain(found))), 300)
    return one_line(" AND ".join(plain(key) for key in keys), 300) if keys else ""


def _bare(part: str) -> str:
    """A comparison without the brackets around it."""
    inner = part[1:-1]
    return inner if part[:1] == "(" and part[-1:] == ")" and "(" not in inner else part


def reason(decision: Decision) -> str:
    """Why it became this operator, in one sentence."""
    undecided = not decision.checks or decision.checks[-1].passed is None or decision.value("because") in (ANEW, TAKEN)
    if undecided or decision.value("anew"):
        return _reason_unknown(decision)
    last = decision.checks[-1]
    if any(check.node == "N11" and charts.brief(check) == UNTOLD for check in decision.checks):
        return "There are no keys, and its type leaves no other operator, whatever the sizes."
    values = dict(last.values)
    small = f": {charts.brief(last)}" if len(last.values) > 1 and charts.brief(last) else ""
    words = {
        "H1": "A BROADCAST hint asks for it.",
        "H2": "A MERGE hint asks for it.",
        "H3": "A SHUFFLE_HASH hint asks for it.",
        "H4": "A SHUFFLE_REPLICATE_NL hint asks for it.",
        "H5": "A BROADCAST hint asks for it; there are no keys to hash.",
        "H6": "A SHUFFLE_REPLICATE_NL hint asks for it.",
        "N2": f"A side is small enough to be broadcast{small}.",
        "N5": f"Sorting is not preferred, and one side is much smaller{small}.",
        "N6": "No side is small enough to be broadcast, and the keys can be sorted.",
        "N7": "The keys cannot be sorted.",
        "N9": "NOT IN over one column has an operator of its own.",
        "N11": f"There are no keys, and a side is small enough to be broadcast{small}.",
        "N12": "There are no keys, and no side is small enough to be broadcast.",
    }
    found = words.get(last.node, f"{last.condition}: {value_text('', list(values.values()))}.")
    return found if last.passed or last.node in ("N7", "N11", "N12") else f"After “{last.condition}”: no."


def _reason_unknown(decision: Decision) -> str:
    """What is known of why, of a plan that does not say all."""
    because = decision.value("because")
    if because:
        said = one_line(str(because), 200)
        return f"{said[:1].upper()}{said[1:]}."
    first = next((check for check in decision.checks if check.passed is None), None)
    if first is None:
        return "The plan does not say what decided."
    if first.node in ("N1", "N10"):
        return "By a hint or by sizes: the plan does not say which."
    return f"The plan does not say whether “{title(first)}” was yes or no."
