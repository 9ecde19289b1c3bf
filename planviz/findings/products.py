"""Joins without a key to hash or sort by, and anti joins that nulls decide."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Severity, Stake
from planviz.findings.plan_view import LITERAL_ROWS, PASSING, PlanView, count, listed, only_asks, short
from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.words import join_type_words
from planviz.plantext.operators import untold
from planviz.units import short as short_number

#: Pairs of rows below which comparing all of them costs nothing worth a word.
FEW_PAIRS = 1_000_000
_LISTS = (LITERAL_ROWS - {"OneRowRelation", "Scan OneRowRelation", "EmptyRelation"}) | {"Range"}
#: An order of two sides with columns on both, or a distance (`abs(a - b) < 1`).
_RANGE = re.compile(
    r"#\d+L? (?:<|>|<=|>=) [^()]*#\d+|#\d+L?\)+ (?:<|>|<=|>=) |\b(?:abs|sqrt|st_distance)\(|\binterval\b"
)
_OR = re.compile(r" (?:OR|\|\|) ")  # || up to Spark 2.4
_OR_NULL = re.compile(r" (?:OR|\|\|) isnull\(\(")


def _pairs(plan: PlanView, join: PlanNode) -> tuple[float, bool] | None:
    """How many pairs of rows a join makes, and whether both sides were measured; None where a side is not known."""
    sides = [plan.rows(side) for side in plan.inputs(join)]
    if len(sides) != 2 or sides[0] is None or sides[1] is None:
        return None
    return sides[0][0] * sides[1][0], sides[0][1] and sides[1][1]


def _small(plan: PlanView, join: PlanNode) -> bool:
    """Whether a side has one row at most or stands in the query itself, or all pairs are few."""
    for side in plan.inputs(join):
        down: PlanNode | None = side
        while down is not None and down.op not in LITERAL_ROWS:
            down = plan.served(down) if down.kind in ("exchange", "project", "filter", "other") else None
        if down is not None or plan.one_row(side):
            return True
    pairs = _pairs(plan, join)
    if pairs is not None:
        return pairs[0] < FEW_PAIRS
    groups = [_groups(plan, side) for side in plan.inputs(join)]
    return len(groups) == 2 and None not in groups and (groups[0] or 0) * (groups[1] or 0) < FEW_PAIRS


def _of_lists(plan: PlanView, join: PlanNode) -> bool:
    """Whether both sides are lists of rows of the query itself, or numbers of a Range, of more than one row as far as
    is known: few today, and a product all the same."""
    for side in plan.inputs(join):
        down: PlanNode | None = side
        while down is not None and (down.op in PASSING or down.op in ("Filter", "BroadcastExchange")):
            down = plan.served(down)
        rows = plan.rows(side)
        if down is None or down.op not in _LISTS or (rows is not None and rows[0] <= 1):
            return False
    return len(plan.inputs(join)) == 2


def _groups(plan: PlanView, side: PlanNode) -> float | None:
    """The groups of an aggregate at the end of a side, by the distinct values of its keys; None where not known."""
    down: PlanNode | None = side
    while down is not None and (down.op in PASSING or down.op == "BroadcastExchange"):
        down = plan.input(down)
    if down is None or down.kind != "aggregate" or down.estimate is None or down.estimate.at_most:
        return None
    return down.estimate.rows if down.estimate.rows is not None else down.estimate.formula_rows


def _sides(plan: PlanView, join: PlanNode) -> str:
    names = [(_what(plan, side), listed(plan.tables(side), 3) or short(side.op)) for side in plan.inputs(join)]
    return " with ".join(f"the {what} of {name}" for what, name in names)


def _what(plan: PlanView, side: PlanNode) -> str:
    """Whether the rows of a side are groups of an aggregate."""
    down: PlanNode | None = side
    while down is not None and (down.op in PASSING or down.op in ("Filter", "BroadcastExchange")):
        down = plan.input(down)
    return "groups" if down is not None and down.kind == "aggregate" else "rows"


def _stake(plan: PlanView, join: PlanNode) -> tuple[str, Stake | None]:
    pairs = _pairs(plan, join)
    if pairs is None:
        return "", None
    sides = [plan.rows(side) for side in plan.inputs(join)]
    told = " × ".join(short_number(side[0]) for side in sides if side is not None)
    return f": {told} = {short_number(pairs[0])} pairs", Stake(pairs[0], "rows", pairs[1])


def _binned(condition: str) -> tuple[str, str]:
    """Advice and cost for a condition that is a range or a distance, which bins turn into an equality; else empty."""
    if not _RANGE.search(condition) or " = " in condition:
        return "", ""
    return (
        "The condition is a range: give both sides a bin of its width, such as floor(x / width), and join on equal "
        "bins with the condition beside it; one side once for its own bin and once for each neighbouring one.",
        "One more column on both sides; one side has its rows three times, or nine times for two dimensions.",
    )


class CartesianProduct(Check):
    """A join of two sides of more than one row that pairs every row with every row."""

    name = "cartesian-product"
    title = "Cartesian product"
    severity = "problem"
    stages = ("physical", "initial", "optimized")
    why = "The work is the product of both sides: ten times the data are a hundred times the pairs."
    advice = "Join on an equality of columns, if the condition was forgotten; else make one side small before the join."
    cost = "A condition changes the result unless it was meant; a smaller side costs one more aggregate or filter."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.kind != "join" or "truncated" in node.badges or untold(node):
                continue
            few = _small(plan, node)
            if few and not _of_lists(plan, node):
                continue
            if spark_name(node.op) == "CartesianProduct":
                condition = node.arguments.get("condition")
                then = f"; 1 condition is tested only then: {short(condition)}" if condition else ", on 0 conditions"
                yield self._hit(plan, node, then, few)
            elif _inner_without_condition(plan, node) and len(plan.inputs(node)) == 2:  # an author leaves out both
                yield self._hit(plan, node, ", on 0 conditions", few)

    def _hit(self, plan: PlanView, node: PlanNode, then: str, few: bool) -> Hit:
        pairs, stake = _stake(plan, node)
        told = f"{node.op} pairs {_sides(plan, node)}{pairs}{then}."
        groups = any(_what(plan, side) == "groups" for side in plan.inputs(node))
        severity: Severity | None = "warning" if groups and stake is None else None  # They may be few.
        if few:
            severity = "info"
        equal = " = " in str(node.arguments.get("condition") or "")
        advice = "Take the hint SHUFFLE_REPLICATE_NL away: there is an equality to hash or sort by." if equal else ""
        binned, cost = _binned(str(node.arguments.get("condition") or ""))
        advice, cost = (advice, "") if advice else (binned, cost)
        return Hit(told, (node.id,), stake=stake, cause=str(node.id), severity=severity, advice=advice, cost=cost)


def _inner_without_condition(plan: PlanView, node: PlanNode) -> bool:
    arguments = node.arguments
    if arguments.get("condition") or arguments.get("left_keys") or arguments.get("join_type") not in ("Inner", "Cross"):
        return False
    logical = node.op == "Join" and plan.graph.stage == "optimized"
    return logical or spark_name(node.op) == "BroadcastNestedLoopJoin"


class NestedLoopJoin(Check):
    """A nested loop join with a condition that has no equality of both sides, or an outer one without a condition."""

    name = "nested-loop-join"
    title = "Nested loop join"
    severity = "warning"
    why = (
        "Without an equality there is nothing to hash or sort by, so every row is compared with all of the other side."
    )
    advice = "Add an equality that holds anyway, such as a day or a bucket of the range, beside the condition."
    cost = "One more column on both sides; rows at the edge of a bucket need the neighbouring one, too."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if spark_name(node.op) != "BroadcastNestedLoopJoin" or _small(plan, node) or _not_in(node):
                continue
            condition = str(node.arguments.get("condition") or "")
            told = not untold(node)
            if told and not condition and (only_asks(node) or _inner_without_condition(plan, node)):
                continue
            pairs, stake = _stake(plan, node)
            kind = " ".join(join_type_words(str(node.arguments.get("join_type", ""))).split())
            on = f", with 0 equalities, on {short(condition)}" if condition else ", on 0 conditions"
            if "truncated" in node.badges and not condition:
                on = "; 1 condition was cut off by Spark"
            elif not told:
                on = " by 0 equalities; whether there is a condition, the text does not tell"
            advice, cost = _binned(condition)
            if _OR.search(condition) and " = " in condition:
                advice = "Write the alternatives of OR as joins of their own and unite them: each has an equality then."
            said = f"{node.op}{f' ({kind})' * bool(kind)} compares {_sides(plan, node)}{pairs}{on}."
            yield Hit(said, (node.id,), advice=advice, cost=cost, stake=stake, cause=str(node.id))


def _not_in(node: PlanNode) -> bool:
    """Whether a join is what NOT IN became: it also matches where the comparison is null."""
    if not str(node.arguments.get("join_type", "")).startswith(("LeftAnti", "ExistenceJoin")):
        return False  # Beside OR, RewritePredicateSubquery makes an existence join of it.
    condition = str(node.arguments.get("condition") or "")
    return bool(node.arguments.get("null_aware")) or (bool(_OR_NULL.search(condition)) and " = " in condition)


class NotInWithNulls(Check):
    """NOT IN (a subquery) over columns that may be null: a null-aware anti join."""

    name = "not-in-nulls"
    title = "NOT IN decided by nulls"
    severity = "warning"
    stages = ("physical", "initial")
    why = "One null among the values makes NOT IN true for no row, so Spark must keep track of nulls."
    advice = "Write NOT EXISTS with an equality, or compare what can be no null on both sides, such as coalesce(x, -1)."
    cost = "Rows with nulls are kept by NOT EXISTS where NOT IN drops them: check which is meant."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.kind != "join" or not _not_in(node):
                continue
            tables = plan.tables(node)
            over = f" over {count(len(tables), 'table')} ({listed(tables)})" if tables else ""
            if node.arguments.get("null_aware"):
                told = f"1 null-aware anti join{over}: a single null on the right side leaves no row."
                yield Hit(told, (node.id,), severity="info", cause="null-aware")
            elif not _small(plan, node):
                pairs, stake = _stake(plan, node)
                condition = str(node.arguments["condition"])
                on = f", with 0 equalities, on {short(condition)}"
                told = f"{node.op} compares {_sides(plan, node)}{pairs}{on}."
                why = "Each row is compared with all values of the subquery: nulls keep Spark from hashing them."
                yield Hit(told, (node.id,), why=why, stake=stake, cause=str(node.id))
