"""Estimates as records that tell how they came about (inventory E-034, G-018); made after planning, on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.decisions.estimates import (
    Assumption,
    ColumnChange,
    EstimateRecord,
    Formula,
    Source,
    StatisticsSource,
    Step,
    figure_text,
)
from planviz.estimation import formulas
from planviz.estimation.estimator import Estimator
from planviz.estimation.leaves import UNKNOWN_SIZE
from planviz.estimation.model import Columns, Estimate, Given, Part
from planviz.estimation.sizes import product
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRelation, Range
from planviz.trees.node import TreeNode
from planviz.trees.text import Printable, is_mark

#: What is known of the tables beneath operators, by the identity of the operator.
_Sources = dict[int, tuple[StatisticsSource, ...]]


def explain_estimates(plan: Printable, config: OptimizerConfig) -> Iterator[EstimateRecord]:
    """A record for every operator of a logical plan, in the order of its text (subqueries before children).

    Record n belongs to node n of the plan's graph. Each is made when it is asked for; `config` says whether rows are
    estimated (`spark.sql.cbo.enabled`). The operators that fill a cache have the estimates of what they were planned
    for.
    """
    known: _Sources = {}
    todo: list[tuple[Printable, int]] = [(plan, 0)]
    while todo:
        node, depth = todo.pop()
        while is_mark(node):
            node = node.child
        record = explain_estimate(_planned_for(node), config, known)
        yield replace(record, operator=node.simple_string, depth=depth)
        todo += [(child, depth + 1) for child in (*reversed(node.children), *reversed(node.inner_children))]


def _planned_for(node: Printable) -> LogicalPlan:
    """The logical operator that a physical one was planned for; that of its input for what preparations put in."""
    while not isinstance(node, LogicalPlan):
        assert isinstance(node, TreeNode)
        node = node.origin or node.children[0]
    return node


def explain_estimate(node: LogicalPlan, config: OptimizerConfig, known: _Sources | None = None) -> EstimateRecord:
    """The record of one logical operator; `known` keeps what was found out about the tables beneath."""
    estimator = Estimator(config)
    return _record(node, estimator, _sources(node, estimator, {} if known is None else known))


def _record(node: LogicalPlan, estimator: Estimator, sources: tuple[StatisticsSource, ...]) -> EstimateRecord:
    found = estimator.estimate(node)
    inherited = any(found is estimator.estimate(c) for c in node.children)
    if inherited:
        rule = formulas.PASSED_ON_SIZE if found.rows is None else formulas.PASSED_ON
        found = Estimate(found.size, found.rows, found.columns, rule, (found,))
    steps = tuple(map(_step, found.parts))
    size_rule = _size_rule(found)
    numbers = _numbers(node, found)
    return EstimateRecord(
        node,
        node.simple_string,
        found.rows,
        found.size,
        found.rule,
        _named(found.rule, numbers),
        steps,
        size_rule,
        () if size_rule is None else _named(size_rule, (*numbers, *_of_bytes(found))),
        _columns(node, found),
        tuple(dict.fromkeys(_assumptions(found.rule, steps))),
        sources,
        inherited,
    )


def _named(formula: Formula, numbers: Given) -> Given:
    """Those of the numbers that a formula names; the last of one name counts."""
    names = formula.names
    return tuple({name: value for name, value in numbers if name in names}.items())


def _numbers(node: LogicalPlan, found: Estimate) -> Given:
    """What formulas may name: the rows and bytes of the inputs, what a table says, what the rule took."""
    return (*_of_leaf(node), *_of_inputs(found.inputs), *found.given)


def _of_inputs(inputs: tuple[Estimate, ...]) -> Given:
    if len(inputs) == 1:
        rows, size = inputs[0].rows, inputs[0].size
        return (("rows", rows), ("bytes", size), ("rows of the definition", rows))
    rows_of, sizes = [i.rows for i in inputs], [i.size for i in inputs]
    known = [r for r in rows_of if r is not None]
    whole = len(known) == len(rows_of)
    sides: Given = ()
    if len(inputs) == 2:
        least = min(inputs, key=lambda i: i.size)
        sides = (
            ("left rows", rows_of[0]), ("right rows", rows_of[1]), ("left bytes", sizes[0]), ("right bytes", sizes[1]),
            ("rows of the smaller side", least.rows), ("bytes of the smaller side", least.size),
        )  # fmt: skip
    return (
        *sides,
        ("sum of the inputs' rows", sum(known) if whole else None),
        ("product of the inputs' rows", product(known) if whole else None),
        ("sum of the inputs' bytes", sum(sizes)),
        ("product of the inputs' bytes", product(sizes)),
    )


def _of_leaf(node: LogicalPlan) -> Given:
    if isinstance(node, Range):
        return (("steps", node.max_rows),)
    if isinstance(node, LocalRelation):
        return (("rows in the plan", len(node.rows)),)
    table = node.table if isinstance(node, LogicalRelation) else None
    default = ("default size", UNKNOWN_SIZE)
    return (
        (default,) if table is None else (default, ("rowCount", table.row_count), ("sizeInBytes", table.size_in_bytes))
    )


#: How bytes follow where they are not rows times the bytes of a row.
_OTHER_SIZES = {
    formulas.SAMPLE: formulas.SAMPLE_SIZE,
    formulas.UNION: formulas.SUM_SIZE,
    formulas.SMALLER: formulas.SMALLER_SIZE,
    formulas.PRODUCT: formulas.PAIRS_SIZE,
    formulas.PASSED_ON: formulas.PASSED_ON_SIZE,
    formulas.LEFT_SIZE: formulas.LEFT_SIZE,
}


def _size_rule(found: Estimate) -> Formula | None:
    """The formula of the bytes; None where that of the estimate itself gives them."""
    if found.rows is None:
        return None
    if found.rows == 0:
        return formulas.NO_BYTES if found.size else formulas.NOTHING
    return _OTHER_SIZES.get(found.rule, formulas.ROW_BYTES)


def _of_bytes(found: Estimate) -> Given:
    rows = found.rows or 0
    return (("rows", rows), ("bytes of a row", found.size // rows)) if rows else ()


def _step(part: Part) -> Step:
    parts = tuple(map(_step, part.parts))
    values = [figure_text(1 if p.value is None else p.value) for p in parts]
    given = part.given
    if part.rule is formulas.AND:
        given = (("product", " × ".join(values)),)
    elif part.rule is formulas.OR:
        given = (("one of them", " × ".join(f"(1 - {v})" for v in values)),)
    elif part.rule is formulas.NOT:
        given = (("p", values[0]),)
    return Step(_about(part.about), part.value, part.rule, given, parts)


def _about(what: object) -> str:
    if isinstance(what, tuple):
        return " = ".join(map(str, what))
    return "" if what is None else str(what)


def _assumptions(rule: Formula, steps: tuple[Step, ...]) -> Iterator[Assumption]:
    yield from rule.assumes
    for step in steps:
        yield from _assumptions(step.formula, step.parts)
    if sum(isinstance(s.value, int) and s.formula is formulas.KEYS for s in steps) > 1:
        yield formulas.STRONGEST_KEY


def _columns(node: LogicalPlan, found: Estimate) -> tuple[ColumnChange, ...]:
    before: Columns = {i: s for e in found.inputs for i, s in e.columns.items()}
    changes = [ColumnChange(str(a), before.get(a.expr_id), found.columns.get(a.expr_id)) for a in node.output]
    return tuple([c for c in changes if c.before is not None or c.after is not None])


def _sources(node: LogicalPlan, estimator: Estimator, known: _Sources) -> tuple[StatisticsSource, ...]:
    """Where the statistics of the tables beneath come from, each table once."""
    found = known.get(id(node))
    if found is None:
        beneath = [s for c in node.children for s in _sources(c, estimator, known)]
        found = tuple(dict.fromkeys(beneath)) if node.children else (_source(node, estimator),)
        known[id(node)] = found
    return found


def _source(leaf: LogicalPlan, estimator: Estimator) -> StatisticsSource:
    used = estimator.estimate(leaf).rule
    if not isinstance(leaf, LogicalRelation):
        return StatisticsSource(leaf.node_name, "default size" if used is formulas.UNKNOWN_TABLE else "plan")
    table: Table | None = leaf.table
    if table is None:
        return StatisticsSource(".".join(leaf.name) or "path", "default size")
    told = [a.name for a in leaf.output if table.statistics_of(a.name) is not None]
    untold = [a.name for a in leaf.output if table.statistics_of(a.name) is None]
    kind: Source = "declared" if table.analyzed_at is None else "analyzed"
    if table.fitted:
        kind = "fitted"
    elif used is formulas.UNKNOWN_TABLE:
        kind = "guessed" if table.guessed else "default size"
    return StatisticsSource(
        table.shown_name, kind, table.row_count, table.size_in_bytes, table.analyzed_at, tuple(told), tuple(untold)
    )
