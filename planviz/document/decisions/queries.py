"""The planner's decisions of an opened input, one after the other, and what a person reads of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.decisions.choices import Check, Decision
from planviz.decisions.flips import flip_json
from planviz.decisions.join_tree import JOIN_TREES
from planviz.document.decisions.adaptive import late_joins, ran_otherwise, signature
from planviz.document.decisions.model import Decided, from_text
from planviz.estimation import OF_UNKNOWN_SIZE
from planviz.graph import PlanNode
from planviz.graph.words import path_name, spaced
from planviz.replay.fitted_tables import source_of
from planviz.replay.wanted import signature_of
from planviz.trees.node import TreeNode
from planviz.units import byte_size

if TYPE_CHECKING:
    from planviz.document.model import Document, SqlStatement
    from planviz.execution import QueryExecution
    from planviz.logical.plan import LogicalPlan

_ID = re.compile(r"#\d+L?(?!\w)")
#: The name that RewriteWithExpression gives to a function of which more is made above the aggregate.
_NAMED_WITHIN = re.compile(r" AS _aggregateexpression#\d{1,19}L?")
_SCAN = re.compile(r"\w*Scan\w* (?:[a-z]\w* )?([\w.`]+) ?\[")
_TITLES = {q.name: q.title for tree in JOIN_TREES.values() for q in tree.questions}
#: Values that are numbers of bytes.
_BYTES = ("left", "right", "limit", "threshold")
#: Words for a value's name; an empty one leaves the name out.
_NAMES = {
    "keys": "",
    "types": "",
    "value": "",
    "left_hint": "left",
    "right_hint": "right",
    "allowed": "may build",
    "told": "",
}
#: Values that are worth telling only when they are unlike this.
_USUAL = {"hashable": True, "fit": True, "left_hint": None, "right_hint": None, "form": True}
#: Why a join is what it is where nothing but the text leads to it.
ANEW = "chosen anew while the query ran, by measured sizes"
TAKEN = "taken from the text: no sizes that were tried explain it"
#: What is said of hints where nothing but a physical plan was pasted.
NO_HINT_TOLD = "not told, none assumed"
#: What a check sees that does not count where a join was taken from the text.
_NOT_OF_THE_TEXT = frozenset({"left_hint", "right_hint", "left", "right", "limit", "threshold"})
#: The strategies whose decisions a replayed explain is held against Spark's by.
KINDS = {"joins": "JoinSelection", "aggregates": "Aggregation"}
_SIDES = {"BuildLeft": "left", "BuildRight": "right"}


def decided(document: Document, config: OptimizerConfig | None = None) -> tuple[Decided, ...]:
    """The decisions on every query of a document, on every physical plan of a pasted text.

    `config` are settings to read a pasted plan with, where it names none itself. A query that cannot be planned has no
    entry; its error stands with its statement.
    """
    found: list[Decided] = []
    filled: set[int] = set()
    for s in document.statements:
        execution = s.execution
        if execution is None or s.error is not None or execution.error_until("physical") is not None:
            continue
        if s.replay is None:
            found.append(Decided(execution.planned.decisions, s.index, None, execution, execution.config.profile))
            found += _of_caches(execution, s.index, filled)
        elif s.agrees:
            late = late_joins([document.plans[i] for i in s.plans])
            found.append(_replayed(s, late, ran_otherwise(document, s.plans)))
    if document.is_pasted:
        found += _read_back(document, config)
    return tuple(found)


def _of_caches(execution: QueryExecution, statement: int, filled: set[int]) -> Iterator[Decided]:
    """The decisions on the plans that fill the caches that a query reads, each once: `filled` are those told before."""
    for cache in execution.caches_read:
        filling = cache.execution
        if id(filling) not in filled:
            filled.add(id(filling))
            decisions, profile = filling.planned.decisions, filling.config.profile
            yield Decided(decisions, statement, None, filling, profile, fills_cache=True)
            yield from _of_caches(filling, statement, filled)


def _read_back(document: Document, config: OptimizerConfig | None) -> Iterator[Decided]:
    """What a text says of the decisions that no replay leads to."""
    from planviz.document.decisions.aggregates import with_aggregates
    from planviz.document.decisions.reconstruction import reconstructed

    joins = from_text(document, "joins")
    read = [d for d in reconstructed(document, config) if d.plan in joins]
    yield from with_aggregates(read, document)


def _replayed(s: SqlStatement, late: frozenset[str], ran: Mapping[str, PlanNode]) -> Decided:
    """The decisions of a replayed explain, of those kinds that came out as Spark printed them; `late` are the joins
    whose broadcast came after a shuffle, `ran` those that ran otherwise than they were planned."""
    from planviz.document.decisions.bounds import without_fitted_sizes
    from planviz.replay.execution import taken_joins

    assert s.execution is not None
    assert s.replay is not None
    taken = taken_joins(s.replay)
    kinds = [KINDS[name] for name in s.agrees if name in KINDS]
    decisions = [d for d in as_taken(s.execution.planned.decisions, taken, late) if d.strategy in kinds]
    shown = tuple(_with_run(without_fitted_sizes(d), ran) for d in decisions)
    if "optimized" not in s.replay.read and "analyzed" not in s.replay.read:
        shown = tuple(map(_without_hints, shown))
    return Decided(shown, s.index, None, s.execution, s.execution.config.profile, taken)


def _with_run(decision: Decision, ran: Mapping[str, PlanNode]) -> Decision:
    """A decision with what became of it while the query ran, where that is another operator or side."""
    if decision.strategy != "JoinSelection" or (node := ran.get(signature(decision.subject))) is None:
        return decision
    side = str(node.arguments.get("build_side") or "")
    return replace(decision, values=(*decision.values, ("ran", node.op), ("ran_build", f"Build{side.capitalize()}")))


def ran_words(decision: Decision) -> str:
    """What a join ran as, where it was planned otherwise: `ran as Broadcast Hash Join, building the right side`."""
    operator = decision.value("ran")
    if operator is None:
        return ""
    side = _SIDES.get(str(decision.value("ran_build")))
    return f"ran as {spaced(str(operator))}" + (f", building the {side} side" if side else "")


def _without_hints(decision: Decision) -> Decision:
    """A decision read back from a physical plan alone, which shows no hints: that there were none is assumed."""
    checks = tuple(
        replace(check, values=(("told", NO_HINT_TOLD),))
        if "left_hint" in dict(check.values) and not check.passed
        else check
        for check in decision.checks
    )
    return replace(decision, checks=checks)


def as_taken(
    decisions: Iterable[Decision], taken: frozenset[str], late: frozenset[str] = frozenset()
) -> tuple[Decision, ...]:
    """Decisions, of which those on joins that were taken from a text keep their outcome alone; those of `late` were
    chosen anew while the query ran."""
    if not taken and not late:
        return tuple(decisions)

    def told(decision: Decision) -> Decision:
        if decision.strategy != "JoinSelection":
            return decision
        if signature(decision.subject) in late:
            return _taken(decision, ANEW)
        return _taken(decision, TAKEN) if signature_of(decision.subject)[0] in taken else decision

    return tuple(map(told, decisions))


def _taken(decision: Decision, because: str) -> Decision:
    """A decision that no planning led to: only what was asked before hints and sizes is known."""
    kept = tuple((k, v) for k, v in decision.values if k not in ("because", "hints"))
    checks = tuple(takewhile(lambda c: _NOT_OF_THE_TEXT.isdisjoint(k for k, _ in c.values), decision.checks))
    return replace(decision, checks=checks, rejected=(), values=(*kept, ("because", because)))


# ------------------------------------------------------------------------------------------------- words


def subject(decision: Decision) -> str:
    """What was decided on: the relations of a join's sides, an aggregate's groups; without ids."""
    plan = decision.subject
    sides = decision.value("sides")
    if sides is None and decision.strategy == "JoinSelection":
        sides = [", ".join(relations(side)) for side in (plan.left, plan.right)]
    if sides is not None:
        return " ⋈ ".join(side or "?" for side in sides)
    return plain(_NAMED_WITHIN.sub("", str(getattr(plan, "simple_string", plan))))


def relations(plan: LogicalPlan) -> list[str]:
    """The names of the relations that a plan reads, each once, in the order of the text."""
    leaves = [node for node in plan.walk() if not node.children]
    return list(dict.fromkeys(_relation(leaf) for leaf in leaves))


def _relation(leaf: LogicalPlan) -> str:
    table = getattr(leaf, "table", None)
    name = getattr(table, "name", None) or getattr(leaf, "name", None)
    if name is None:  # a scan of a data source that stands as it was printed
        told = _SCAN.match(str(leaf.simple_string))
        name = told[1].replace("`", "") if told else _source(leaf)
    whole = str(name[-1] if isinstance(name, tuple) else name)
    if "/" in whole:
        return path_name(f"[{whole}]") or whole
    # What a program's text does not tell is called by the expression that would, such as <args.input>.
    return whole if whole.startswith("<") else whole.rsplit(".", 1)[-1]


def _source(leaf: LogicalPlan) -> str:
    """The table that the line of a source names, else its operator."""
    source = source_of(leaf)
    return source if re.fullmatch(r"[\w.-]+", source) else leaf.node_name.partition("[")[0]


def plain(value: object) -> str:
    """A text without the ids of expressions."""
    return _ID.sub("", str(value))


def line_of(document: Document, decision: Decision) -> int:
    """The line of the program or SQL that asks for the operator of a decision, from 1; 0 where nobody knows."""
    place_of = document.place_of
    place = place_of(decision.subject) if place_of is not None and isinstance(decision.subject, TreeNode) else None
    return place[0] if place else 0


def title(check: Check) -> str:
    """The question in a few words."""
    return _TITLES.get(check.node, check.condition)


def answer(check: Check) -> str:
    """yes, no or unknown."""
    return "unknown" if check.passed is None else "yes" if check.passed else "no"


def seen(check: Check) -> str:
    """What a check saw, in words: left 37.0 GiB, right 476.8 MiB, limit 10.0 MiB. Empty when it saw nothing."""
    if check.node == "N3" and "value" in dict(check.values):
        return f"preferSortMergeJoin = {value_text('value', dict(check.values)['value'])}"
    return ", ".join(part for name, value in check.values if (part := _said(name, value)))


def _said(name: str, value: object) -> str:
    if name in _USUAL and value == _USUAL[name]:
        return ""
    words = value_text(name, value)
    label = _NAMES.get(name, name.replace("_", " "))
    return f"{label} {words}".strip() if words else ""


def value_text(name: str, value: object) -> str:
    """One value in words: bytes in their unit, true and false, lists with commas, none for nothing."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(plain(_SIDES.get(v, v) if isinstance(v, str) else v) for v in value)
    if name in _BYTES and isinstance(value, int):
        return size_words(value) if value >= 0 else str(value)
    return plain(value)


def size_words(size: float) -> str:
    """The size of a side as the reader of a decision needs it: one that no side has is only far above any limit."""
    return "far above any limit" if size >= OF_UNKNOWN_SIZE else byte_size(size)


def outcome(decision: Decision) -> str:
    """The operator and the side that it builds."""
    build = decision.value("build")
    return f"{decision.outcome}, {build}" if build else decision.outcome


# ------------------------------------------------------------------------------------------------- JSON


def decision_json(decision: Decision) -> dict[str, object]:
    """A decision as JSON values; `passed` is null for what a pasted plan does not say."""
    return {
        "strategy": decision.strategy,
        "subject": subject(decision),
        "outcome": decision.outcome,
        "values": _json(dict(decision.values)),
        "checks": [
            {
                "node": c.node,
                "question": title(c),
                "condition": c.condition,
                "passed": c.passed,
                "setting": c.setting,
                "hint": c.hint,
                "values": _json(dict(c.values)),
            }
            for c in decision.checks
        ],
        "rejected": [
            {"operator": r.operator, "reason": r.reason, "node": r.node or None, "values": _json(dict(r.values))}
            for r in decision.rejected
        ],
        "flips": [flip_json(f) for f in decision.flips],
        **({"untried": decision.untried} if decision.untried else {}),
    }


def _json(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): _json(v) for k, v in value.items()}
    if isinstance(value, Iterable):
        return [_json(v) for v in value]
    return str(value)
