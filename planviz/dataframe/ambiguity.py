"""Columns that a join of a DataFrame with itself leaves ambiguous (Spark: DetectAmbiguousSelfJoin).

`df.x` remembers its DataFrame: the attribute in its expression carries DATASET, the number of the DataFrame and the
column's position. The plan of every DataFrame carries DATASETS, the numbers of those whose plan it is. Where a join
gave the columns of its right side new ids, the plan beneath keeps its numbers, and a column of that DataFrame no
longer says which side is meant.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

from planviz.analysis.hidden import Come, unhidden
from planviz.analysis.missing import add_missing
from planviz.errors import AnalysisError
from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.predicates import EqualNullSafe, EqualTo
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.logical.combining import Join
from planviz.logical.operators import Filter, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import DataFrameDropColumns
from planviz.trees.memo import Memo

#: Of a column: its DataFrame's number, its position there, and the column that remembers nothing.
DATASET: Memo[tuple[int, int, AttributeReference]] = Memo("dataset")
#: Of a plan: the numbers of the DataFrames whose plan it is.
DATASETS: Memo[frozenset[int]] = Memo("datasets")
_NONE: frozenset[int] = frozenset()


def remember(plan: LogicalPlan, number: int) -> None:
    """Note that a plan is that of the DataFrame of this number."""
    DATASETS.set(plan, DATASETS.get(plan, _NONE) | {number})


def belonging(e: Expression, output: tuple[AttributeReference, ...], number: int) -> Expression:
    """A column of the DataFrame of this number, whose columns are `output`, remembering that."""
    places = {a.expr_id: i for i, a in enumerate(output)}

    def step(x: Expression) -> Expression:
        if not isinstance(x, AttributeReference) or x.expr_id not in places:
            return x
        known = DATASET.get(x)
        plain = x if known is None else known[2]
        made = copy.copy(plain)
        DATASET.set(made, (number, places[x.expr_id], plain))
        return made

    made: Expression = e.transform_up(step, AttributeReference.BIT)
    return made


def references(plan: LogicalPlan) -> list[AttributeReference]:
    """The columns in the uppermost operator that remember their DataFrame."""
    return [a for e in plan.expressions for a in _remembering(e)]


def _remembering(e: Expression) -> list[AttributeReference]:
    return [a for a in e.collect(AttributeReference) if a in DATASET]


def _place(a: AttributeReference) -> tuple[int, int]:
    """The number of the DataFrame that a column remembers, and its position there."""
    number, position, _ = DATASET.get(a) or (-1, -1, a)
    return number, position


def plain(plan: LogicalPlan) -> LogicalPlan:
    """The plan with columns that remember nothing in its uppermost operator."""

    def step(x: Expression) -> Expression:
        known = DATASET.get(x)
        return x if known is None else known[2]

    made: LogicalPlan = plan.map_expressions(lambda e: e.transform_up(step, AttributeReference.BIT))
    return made


def reaching(plan: LogicalPlan, columns: list[AttributeReference]) -> LogicalPlan:
    """A filter or sort by columns that its child passes no longer on: they are passed up to it, and left out above."""
    if isinstance(plan, Filter | Sort) and any(a.expr_id not in plan.child.output_set for a in columns):
        bound, child = add_missing(list(plan.expressions), plan.child)
        if child is not plan.child:
            new = iter(bound)
            return Project(plan.child.output, plan.map_expressions(lambda _: next(new)).replace(child=child))
    made: LogicalPlan = plan
    return made


def with_hidden(
    analyzed: LogicalPlan, columns: list[AttributeReference], come: Come, files: str = "none"
) -> LogicalPlan:
    """The analyzed operator over joins that give those of its columns that USING leaves out (AddMetadataColumns).

    `come` says how a join gives the columns that are named, `files` which `_metadata` tables of files have.
    """
    missing = analyzed.missing_input
    if not any(a.expr_id in missing for a in columns):
        return analyzed
    found, shown = unhidden(analyzed, come, files)
    return found if shown is None else Project(shown, found)


def carry(before: LogicalPlan, after: LogicalPlan) -> None:
    """Give the operators that got new ids the numbers of those in whose place they stand."""
    while type(before) is not type(after) and len(after.children) == 1:
        after = after.children[0]
    todo = [(before, after)]
    while todo:
        old, new = todo.pop()
        if old is new or type(old) is not type(new) or len(old.children) != len(new.children):
            continue
        if old is not before and old in DATASETS:
            DATASETS.set(new, DATASETS.get(old, _NONE) | DATASETS.get(new, _NONE))
        todo += zip(old.children, new.children, strict=True)


def check(given: LogicalPlan, analyzed: LogicalPlan) -> None:
    """Raise AnalysisError where a column of the uppermost operator could be that of either side of a join, or where
    it is not there at all.

    `given` is the plan as the program builds it, `analyzed` what became of it.
    """
    if isinstance(given, DataFrameDropColumns):
        return
    columns = references(given)
    _check_missing(columns, analyzed)
    ambiguous = _ambiguous({_place(a): a.expr_id for a in columns}, analyzed)
    if not ambiguous:
        return
    if isinstance(given, Join) and isinstance(analyzed, Join):
        itself = bool(DATASETS.get(given.left, _NONE) & DATASETS.get(given.right, _NONE))
        columns = [] if given.condition is None else list(_doubtful(given.condition, itself))
    found = [a for a in columns if _place(a) in ambiguous]
    if found:
        raise _error(list(dict.fromkeys(map(str, found))) if not isinstance(given, Join) else list(map(str, found)))


def _check_missing(columns: list[AttributeReference], analyzed: LogicalPlan) -> None:
    missing = analyzed.missing_input
    lost = [a for a in columns if a.expr_id in missing]
    if not lost:
        return
    names = dict.fromkeys(f'"{a.name}"' for a in lost)
    there = [f'"{a.name}"' for c in analyzed.children for a in c.output]
    same = [n for n in names if n in there]
    shown = analyzed.simple_string
    message = f"Resolved attribute(s) {', '.join(names)} missing from {', '.join(there)} in operator {shown}."
    if same:
        message += f" Attribute(s) with the same name appear in the operation: {', '.join(same)}."
        message += "\nPlease check if the right attribute(s) are used."
    kind = "RESOLVED_ATTRIBUTE_APPEAR_IN_OPERATION" if same else "RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT"
    raise AnalysisError(f"MISSING_ATTRIBUTES.{kind}", message)


def _ambiguous(wanted: dict[tuple[int, int], int], plan: LogicalPlan) -> set[tuple[int, int]]:
    """Of columns by DataFrame and position, with their ids, those that stand in the plan under another id, too."""
    found: set[tuple[int, int]] = set()
    numbers = {n for n, _ in wanted}
    seen: set[int] = set()
    todo: list[LogicalPlan] = [plan]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        here = DATASETS.get(node, _NONE) & numbers
        for (number, place), expr_id in wanted.items() if here else ():
            if number in here and place < len(node.output):
                actual = node.output[place].expr_id
                if actual != expr_id and actual in plan.input_set:
                    found.add((number, place))
        todo += node.children
    return found


def _doubtful(e: Expression, itself: bool) -> Iterator[AttributeReference]:
    """The columns of a join's condition of which it matters where they come from.

    `df.x == df.x` means either side's; and where a DataFrame is joined with itself, it does not matter to which side
    `df.x == 1` is applied.
    """
    sides = _sides(e)
    if sides is not None:
        a, b = sides
        if isinstance(a, AttributeReference) and isinstance(b, AttributeReference) and a.expr_id == b.expr_id:
            return
        if itself and any(isinstance(x, AttributeReference) for x in sides) and (a.foldable or b.foldable):
            return
    if isinstance(e, AttributeReference):
        if e in DATASET:
            yield e
        return
    for child in e.children:
        yield from _doubtful(child, itself)


def _sides(e: Expression) -> tuple[Expression, Expression] | None:
    """What an equality compares, without casts around."""
    if isinstance(e, EqualTo | EqualNullSafe) or (isinstance(e, UnresolvedFunction) and e.parts in (("=",), ("<=>",))):
        a, b = e.children
        return _uncast(a), _uncast(b)
    return None


def _uncast(e: Expression) -> Expression:
    while isinstance(e, Cast):
        e = e.child
    return e


def _error(names: list[str]) -> AnalysisError:
    return AnalysisError(
        "_LEGACY_ERROR_TEMP_1182",
        f"Column {', '.join(names)} are ambiguous. It's probably because you joined several Datasets together, and "
        "some of these Datasets are the same. This column points to one of the Datasets but Spark is unable to figure "
        "out which one. Please alias the Datasets with different names via `Dataset.as` before joining them, and "
        'specify the column using qualified name, e.g. `df.as("a").join(df.as("b"), $"a.id" > $"b.id")`. You can also '
        "set spark.sql.analyzer.failAmbiguousSelfJoin to false to disable this check.",
    )
