"""One operator's line to the operator: Catalyst's logical operators by the names that they print."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.python import PythonUDF
from planviz.logical.combining import (
    CTERelationDef,
    Join,
    WithCTE,
)
from planviz.logical.operators import (
    Aggregate,
    Deduplicate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    Sample,
    Sort,
    SubqueryAlias,
    View,
    ViewColumns,
    Window,
    WindowGroupLimit,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import ArrowEvalPython, BatchEvalPython
from planviz.logical.unresolved import PipeOperator
from planviz.replay import combined, leaves
from planviz.replay.opaque import (
    PrintedView,
)
from planviz.replay.operator_lines import LEFT_OUT, Operator, columns_of, cut_items
from planviz.replay.term import Term, Unreadable
from planviz.types import INT, LONG, UNKNOWN, DataType

# ------------------------------------------------------------------------------------------------ one input


def _project(o: Operator) -> LogicalPlan:
    if o.text == "Project":
        return Project((), o.child)
    items = o.named()
    made = Project(_whole(o, items) or items, o.child)
    LEFT_OUT.set(made, max(len(items) + cut_items(o.text) - len(made.projects), 0))
    return made


def _whole(o: Operator, items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """All columns of the input, where a list that Spark has cut begins like them and is as long; else none.

    Right above a Window the analyzer lists what the windows compute once more, and then each column once.
    """
    cut = cut_items(o.text)
    below = tuple({a.expr_id: a for a in o.child.output}.values()) if cut else ()
    if not cut or [getattr(e, "expr_id", None) for e in items] != [a.expr_id for a in below[: len(items)]]:
        return ()
    again = len(o.child.functions) if isinstance(o.child, Window) else 0
    more = len(items) + cut - len(below) - _left_out(o.child)
    if any(isinstance(e, Alias) for e in items) or more not in (0, again):
        return ()
    return (*below, *below[len(below) - more :]) if more else below


def _left_out(plan: LogicalPlan) -> int:
    """How many columns a plan gives beside those that are known of it, since the lists of its leaves were cut."""
    found, stack = 0, [plan]
    while stack:
        node = stack.pop()
        if node in LEFT_OUT:
            found += LEFT_OUT.get(node, 0)
        elif isinstance(node, Join):
            stack += [node.left, node.right] if len(node.output) > len(node.left.output) else [node.left]
        elif not isinstance(node, Aggregate | Expand):
            stack += node.children[:1]
    return found


def _filter(o: Operator) -> LogicalPlan:
    return Filter(o.elaborator.expression(o.terms.one(o.at)), o.child)


def _aggregate(o: Operator) -> LogicalPlan:
    first = o.listed()
    grouping: tuple[Expression, ...] = ()
    if o.skip(", "):
        grouping = tuple(o.elaborator.expression(t) for t in first)
        return Aggregate(grouping, o.named(), o.child)
    if o.rest:
        return o.opaque()
    items = tuple(o.elaborator.expression(t) for t in first)
    if items and all(isinstance(e, AttributeReference) for e in items):
        # Spark leaves empty lists out. Columns alone are keys: without keys, each would stand in a function.
        return Aggregate(items, (), o.child)
    return Aggregate((), o.named(first), o.child)


def sort_keys(made: tuple[Expression, ...]) -> tuple[SortOrder, ...]:
    """The keys of an order; one that nobody can read stands among them as it was printed."""
    return cast(tuple[SortOrder, ...], made)


def _sort(o: Operator) -> LogicalPlan:
    order = sort_keys(o.expressions())
    if o.rest not in (", true", ", false"):
        return o.opaque()
    return Sort(order, o.rest == ", true", o.child)


def _limit(make: Callable[[Expression, LogicalPlan], LogicalPlan]) -> Callable[[Operator], LogicalPlan]:
    return lambda o: make(o.elaborator.expression(o.terms.one(o.at), INT), o.child)


def _alias(o: Operator) -> LogicalPlan:
    return SubqueryAlias(tuple(o.rest.split(".")), o.child)


def _view(o: Operator) -> LogicalPlan:
    m = re.match(r"View \(((?:`[^`]*`\.?)+), ", o.text)
    if m is None:
        return o.opaque()
    name = tuple(re.findall(r"`([^`]*)`", m.group(1)))
    child = _under_own_ids(o)
    made = View(name, child, len(name) == 1, (), True)
    if made.simple_string == o.text:
        return made
    return PrintedView(name, child, len(name) == 1, (), True, True, o.text)


_VIEW_COLUMN = re.compile(r"(?<=[\[,])([^\[\],]+)#(\d{1,19})L?(?=,|\])")


def _under_own_ids(o: Operator) -> LogicalPlan:
    """What is beneath a view, its columns under the ids that the view shows: before Spark 3.2 no line beneath makes
    them."""
    listed = [(name, int(number)) for name, number in _VIEW_COLUMN.findall(o.text[o.text.find(", [") + 2 :])]
    given = o.child.output
    if len(listed) != len(given) or [number for _, number in listed] == [a.expr_id for a in given]:
        return o.child
    pairs = zip(given, listed, strict=True)
    return ViewColumns(tuple([Alias(Cast(a, a.type), name, number) for a, (name, number) in pairs]), o.child)


def _window(o: Operator) -> LogicalPlan:
    functions = o.named()
    partition: tuple[Expression, ...] = ()
    order: tuple[SortOrder, ...] = ()
    while o.skip(", "):
        terms = o.listed()
        made = tuple(o.elaborator.expression(t) for t in terms)
        if terms and terms[0].kind == "order":
            order = sort_keys(made)
        else:
            partition = made
    return Window(functions, partition, order, o.child) if not o.rest else o.opaque()


def _group_limit(o: Operator) -> LogicalPlan:
    lists: dict[bool, tuple[Expression, ...]] = {}
    while o.rest.startswith("["):
        terms = o.listed()
        lists[bool(terms) and terms[0].kind == "order"] = tuple(o.elaborator.expression(t) for t in terms)
        o.skip(", ")
    m = re.fullmatch(r"(.*), (\d+)", o.rest)
    if m is None:
        return o.opaque()
    rank = o.elaborator.expression(o.terms.one(o.at, o.at + len(m.group(1))))
    return WindowGroupLimit(lists.get(False, ()), sort_keys(lists.get(True, ())), rank, int(m.group(2)), o.child)


def _expand(o: Operator) -> LogicalPlan:
    rows, word = _projections(o)
    if not rows or not o.skip("], ["):
        return o.opaque()
    columns = []
    made: list[list[Expression]] = [[] for _ in rows]
    named = columns_of("[" + o.rest)
    for at, (name, expr_id, long) in enumerate(named):
        kind, nullable = _slot(o, [r[at] for r in rows], LONG if long else None, o.columns.by_id.get(expr_id))
        for row, made_row in zip(rows, made, strict=True):
            made_row.append(o.elaborator.expression(row[at], kind))
        columns.append(AttributeReference(name, kind or UNKNOWN, nullable, expr_id))
    plan = Expand(tuple(tuple(r) for r in made), tuple(columns), o.child)
    return plan.in_lists(word) if word else plan


def _projections(o: Operator) -> tuple[list[tuple[Term, ...]], str]:
    """The lists of an Expand, [[a, 0], [a, 1]], and Scala's word for them: before 3.2 [List(a, 0), List(a, 1)]."""
    rows: list[tuple[Term, ...]] = []
    if not o.skip("[["):
        if not o.skip("["):
            return [], ""
        items, o.at = o.terms.listed(o.at)
        words = {str(t.value[0]) if t.kind == "call" else "" for t in items}
        word = words.pop() if len(words) == 1 else ""
        return ([tuple(t.children) for t in items], word) if word in ("List", "ArrayBuffer") else ([], "")
    while True:
        items, end = o.terms.listed(o.at)
        rows.append(items)
        o.at = end + 1
        if not o.skip(", ["):
            return rows, ""


def _slot(
    o: Operator, terms: list[Term], kind: DataType | None, known: DataType | None
) -> tuple[DataType | None, bool]:
    """The type of an Expand's column and whether it can be null: what its projections give."""
    seen = [o.elaborator.expression(t) for t in terms if t.text != "null"]
    if kind is None:
        written = [e.data_type for e, t in zip(seen, terms, strict=False) if not isinstance(e, Literal)]
        kind = known or next(iter(written), None)
    if kind is None and seen:
        kind = seen[0].data_type
    return kind, len(seen) < len(terms) or any(e.nullable for e in seen)


def _generate(o: Operator) -> LogicalPlan:
    m = re.search(r"(?:, \[([\d, ]*)\])?, (true|false)(?:, ([\w.`]+))?, \[([^\[\]]*)\]$", o.text)
    if m is None:
        return o.opaque()
    generator = o.elaborator.expression(o.terms.one(o.at, m.start()))
    schema = getattr(generator, "element_schema", ())
    named = columns_of(f"[{m.group(4)}]")
    columns = []
    for at, (name, expr_id, long) in enumerate(named):
        kind = schema[at].data_type if at < len(schema) else LONG if long else UNKNOWN
        if kind == UNKNOWN:
            kind = o.columns.by_id.get(expr_id, UNKNOWN)
        columns.append(
            AttributeReference(name, LONG if long else kind, at >= len(schema) or schema[at].nullable, expr_id)
        )
    needless = tuple(int(n) for n in m.group(1).split(",")) if m.group(1) else ()
    return Generate(generator, needless, m.group(2) == "true", m.group(3), tuple(columns), o.child)


def _hint(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"\(strategy=(\w+)\)", o.rest)
    return ResolvedHint(m.group(1), o.child) if m else o.opaque()


def _repartition(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"(\d+), (true|false)", o.rest)
    return Repartition(int(m.group(1)), m.group(2) == "true", o.child) if m else o.opaque()


def _by_expression(o: Operator) -> LogicalPlan:
    keys = o.expressions() if o.rest.startswith("[") else ()
    o.skip(", ")
    number = int(o.rest) if o.rest.isdecimal() else None
    made = RepartitionByExpression(keys, o.child, number)
    return made if made.simple_string == o.text else o.opaque()


def _rebalance(o: Operator) -> LogicalPlan:
    keys = o.expressions() if o.rest.startswith("[") else ()
    o.skip(", ")
    made = RebalancePartitions(keys, o.child, int(o.rest) if o.rest.isdigit() else None)
    return made if made.simple_string == o.text else o.opaque()


def _sample(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"([\d.E-]+), ([\d.E-]+), (true|false)(?:, (-?\d+))?(?:, ([A-Z]\w+))?", o.rest)
    if m is None:
        return o.opaque()
    seed = None if m[4] is None else int(m[4])
    made = Sample(float(m[1]), float(m[2]), m[3] == "true", seed, o.child, m[5] or "")
    return made if made.simple_string == o.text else o.opaque()


def _deduplicate(o: Operator) -> LogicalPlan:
    return Deduplicate(o.expressions(), o.child)


def _cte_definition(o: Operator) -> LogicalPlan:
    m = re.fullmatch(r"CTERelationDef (\d+)(?:, (true|false))?(?:, (\d+))?", o.text)
    if m is None:
        return o.opaque()
    depth = None if m.group(3) is None else int(m.group(3))
    o.columns.definitions[int(m.group(1))] = o.child.output
    under = None if m.group(2) is None else m.group(2) == "true"
    return CTERelationDef(o.child, int(m.group(1)), False, under, None, depth)


def _with(o: Operator) -> LogicalPlan:
    definitions = [d for d in o.inputs[:-1] if isinstance(d, CTERelationDef)]
    return WithCTE(tuple(definitions), o.inputs[-1]) if len(definitions) == len(o.inputs) - 1 else o.opaque()


def _eval_python(o: Operator) -> LogicalPlan:
    try:
        udfs: tuple[Expression, ...] = o.expressions()
    except Unreadable:
        udfs = ()
    if not udfs or not all(isinstance(u, PythonUDF) for u in udfs):
        o.at = len(o.line.op) + 1
        udfs = o.calls()
    o.skip(", ")
    end = o.text.index("]", o.at) + 1
    results = o.own_columns(o.text[o.at : end])
    kind = re.fullmatch(r", (\d+)", o.text[end:])
    if o.line.op == "ArrowEvalPython" and kind is not None:
        return ArrowEvalPython(udfs, results, int(kind.group(1)), o.child)
    return BatchEvalPython(udfs, results, o.child) if o.line.op == "BatchEvalPython" else o.opaque()


#: What reads a line, by the operator's name.
READERS: dict[str, Callable[[Operator], LogicalPlan]] = {
    **leaves.READERS,
    **combined.READERS,
    "Project": _project,
    "Filter": _filter,
    "Aggregate": _aggregate,
    "Sort": _sort,
    "GlobalLimit": _limit(GlobalLimit),
    "LocalLimit": _limit(LocalLimit),
    "Offset": _limit(Offset),
    "SubqueryAlias": _alias,
    "View": _view,
    "Window": _window,
    "WindowGroupLimit": _group_limit,
    "Expand": _expand,
    "Generate": _generate,
    "ResolvedHint": _hint,
    "Repartition": _repartition,
    "RepartitionByExpression": _by_expression,
    "RebalancePartitions": _rebalance,
    "Sample": _sample,
    "Deduplicate": _deduplicate,
    "CTERelationDef": _cte_definition,
    "WithCTE": _with,
    "Distinct": lambda o: Distinct(o.child),
    "PipeOperator": lambda o: PipeOperator(o.child),
    "BatchEvalPython": _eval_python,
    "ArrowEvalPython": _eval_python,
}


def read_operator(o: Operator) -> LogicalPlan:
    """The operator of a line, or an opaque one where the line cannot be read."""
    reader = READERS.get(o.line.op)
    try:
        if reader is not None and o.terms.text not in o.columns.unreadable:
            return _resolved(o, reader)
    except (Unreadable, ValueError, IndexError, KeyError, TypeError, AttributeError, StopIteration, AssertionError):
        if o.terms.is_spent:
            o.columns.unreadable.add(o.terms.text)
    return o.opaque()


def _resolved(o: Operator, reader: Callable[[Operator], LogicalPlan]) -> LogicalPlan:
    """The operator; what keeps it from being resolved as it was to Spark stays as it stands."""
    before, count, at = o.found.expressions, len(o.found.opaque), o.at
    made = reader(o)
    if o.line.unresolved or made.resolved or not all(p.resolved for p in o.inputs):
        return made
    o.found.expressions, o.at, o.elaborator.strict = before, at, True
    del o.found.opaque[count:]
    o.elaborator.made.clear()
    return reader(o)
