"""Operators of a query, or operators that were asked for by name, played on rows (inventory B.4, C.3 to C.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.document.rows.csv_files import header_of, values_of
from planviz.errors import InputError
from planviz.execution import QueryExecution
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.combining import Join
from planviz.mechanics import CannotPlay, Options, Play, of, playable, relation_names
from planviz.mechanics.play import Row
from planviz.mechanics.rows import rows_of
from planviz.physical import joins as j
from planviz.physical.aggregates import (
    BaseAggregateExec,
    HashAggregateExec,
    ObjectHashAggregateExec,
    SortAggregateExec,
)
from planviz.physical.buffers import is_mutable, keeps_objects
from planviz.physical.exchanges import ReusedExchangeExec, ShuffleExchangeExec
from planviz.physical.operators import SortExec
from planviz.physical.sources import LocalTableScanExec
from planviz.physical.strategies.keys import EquiJoin, equi_join
from planviz.types import BOOLEAN

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan
    from planviz.physical.plan import SparkPlan

_LEFT, _RIGHT = "BuildLeft", "BuildRight"
_NARROW = ("LeftSemi", "LeftAnti", "ExistenceJoin")
#: Join types by the word for them: the type, and how SQL says it (an existence join and NOT IN are made from others).
TYPES = {
    "inner": ("Inner", "INNER"),
    "cross": ("Cross", "CROSS"),
    "left": ("LeftOuter", "LEFT OUTER"),
    "right": ("RightOuter", "RIGHT OUTER"),
    "full": ("FullOuter", "FULL OUTER"),
    "semi": ("LeftSemi", "LEFT SEMI"),
    "anti": ("LeftAnti", "LEFT ANTI"),
    "not-in": ("LeftAnti", "LEFT ANTI"),
    "existence": ("ExistenceJoin", "LEFT SEMI"),
}
JOINS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "BroadcastNestedLoopJoin", "CartesianProduct")
AGGREGATES: dict[str, type[HashAggregateExec | ObjectHashAggregateExec | SortAggregateExec]] = {
    "HashAggregate": HashAggregateExec,
    "ObjectHashAggregate": ObjectHashAggregateExec,
    "SortAggregate": SortAggregateExec,
}
#: Settings under which operators that were asked for by name are planned.
_PLAIN = {"spark.sql.adaptive.enabled": "false"}


def query_plays(
    execution: QueryExecution,
    tables: Mapping[str, Sequence[Row]] | None = None,
    options: Options | None = None,
    operator: str | None = None,
) -> tuple[list[Play], list[str]]:
    """The operators of a query's physical plan that can be played, the lowest first; and why others cannot.

    `tables` has rows of catalogue tables, others are sampled. `operator` keeps those of this name. The exchanges and
    sorts of joins are played with their joins. Raises CannotPlay where none is left, and what planning raises.
    """
    names = relation_names(execution.analyzed)
    return _plays(execution.physical, tables or {}, options, names, execution, operator)


def _plays(
    plan: SparkPlan,
    tables: Mapping[str, Sequence[Row]],
    options: Options | None,
    names: Mapping[int, str],
    execution: QueryExecution,
    operator: str | None = None,
) -> tuple[list[Play], list[str]]:
    plays, refused = [], []
    for node in _nodes(plan, operator):
        try:
            plays.append(of(node, tables, catalog=execution.catalog, options=options, names=names))
        except CannotPlay as error:
            refused.append(str(error))
    if not plays:
        wanted = f"no {operator}" if operator else "nothing to play: no join, aggregate, sort or exchange"
        raise CannotPlay(refused[0] if refused else f"The query's plan has {wanted}.")
    return plays, list(dict.fromkeys(refused))


def _nodes(plan: SparkPlan, operator: str | None) -> list[SparkPlan]:
    """What can be played of a plan, from the bottom, without what is played as part of a join."""
    found, parts = [], set()
    for node in plan.walk():
        if isinstance(node, j.EquiJoinExec):
            parts |= {id(p) for child in node.children for p in _prepared(child)}
        if playable(node) and id(node) not in parts and operator in (None, node.node_name):
            found.append(node)
    return found[::-1]


def _prepared(plan: SparkPlan) -> list[SparkPlan]:
    """The sort and the exchange on top of a join's input."""
    found: list[SparkPlan] = []
    while plan.children and not isinstance(plan, j.JoinExec | BaseAggregateExec | ReusedExchangeExec):
        if isinstance(plan, SortExec | ShuffleExchangeExec):
            found.append(plan)
        elif type(plan).__name__ not in ("WholeStageCodegenExec", "InputAdapter"):
            break
        plan = plan.children[0]
    return found


# ------------------------------------------------------------------------------------------------ by name


def named_join(
    operator: str,
    kind: str,
    left: str,
    right: str,
    on: str,
    build: str | None = None,
    options: Options | None = None,
) -> Play:
    """A join operator on two inline tables, whatever the planner would choose.

    `kind` is one of TYPES, `left` and `right` are SQL (`VALUES ... AS a(k, v)`), `on` is a condition or names of
    columns that both have; `build` is left or right, None where there is a choice. Raises InputError for an operator
    that does not know the type or the side, CannotPlay, and what reading the SQL raises.
    """
    if kind not in TYPES:
        raise InputError(f"There is no join type {kind!r}: choose one of {', '.join(TYPES)}.")
    spark, sql = TYPES[kind]
    condition = f" USING ({on})" if _is_names(on) else f" ON {on}" if on else ""
    execution = QueryExecution(f"SELECT * FROM {left} {sql} JOIN {right}{condition}")
    analyzed = execution.analyzed
    join = next(p for p in analyzed.walk() if isinstance(p, Join)).replace(kind=spark)
    if spark == "ExistenceJoin":
        join = join.replace(exists=AttributeReference("exists", BOOLEAN, False, next_id()))
    node = _operator(operator, join, _side(operator, kind, spark, build), kind == "not-in")
    return of(node, options=options, names=relation_names(analyzed))


def _is_names(on: str) -> bool:
    return bool(on) and all(part.strip().isidentifier() for part in on.split(","))


def _side(operator: str, kind: str, spark: str, build: str | None) -> str:
    """The side to build. Raises InputError where the operator does not go with the type or the side."""
    allowed = _sides(operator, kind, spark)
    if not allowed:
        raise InputError(f"{operator} does not do {kind} joins; another operator does.")
    wanted = {"left": _LEFT, "right": _RIGHT, None: allowed[0]}[build]
    if wanted not in allowed:
        raise InputError(f"{operator} cannot build the {build} side of a {kind} join: leave --build out, or turn it.")
    return wanted


def _sides(operator: str, kind: str, spark: str) -> tuple[str, ...]:
    both: tuple[str, ...] = (_RIGHT, _LEFT)
    if operator == "BroadcastHashJoin":
        one = {"FullOuter": (), "RightOuter": (_LEFT,)}.get(spark, (_RIGHT,))
        return both if spark in j.INNER_LIKE else one
    if kind == "not-in":
        return ()
    if operator == "ShuffledHashJoin":
        return (_RIGHT,) if spark in _NARROW else both
    if operator == "CartesianProduct":
        return (_RIGHT,) if spark in j.INNER_LIKE else ()
    return both


def _operator(operator: str, join: Join, side: str, null_aware: bool) -> SparkPlan:
    left, right = _scan(join.left), _scan(join.right)
    kind, exists, condition = join.kind, join.exists, join.condition
    if operator == "CartesianProduct":
        return j.CartesianProductExec(condition, left, right, kind, exists)
    if operator == "BroadcastNestedLoopJoin":
        return j.BroadcastNestedLoopJoinExec(side, kind, condition, left, right, exists)
    found: EquiJoin | None = equi_join(join)
    if found is None:
        raise InputError(f"{operator} needs a key: an equality with a column of each side, such as --on a.k = b.k.")
    keys = (found.left, found.right, kind)
    if null_aware and (len(found.left) > 1 or found.rest is not None):
        raise InputError(
            "NOT IN is played with one key and no other condition, as Spark's null-aware anti join has it."
        )
    if operator == "BroadcastHashJoin":
        return j.BroadcastHashJoinExec(*keys, side, found.rest, left, right, null_aware, exists)
    if operator == "ShuffledHashJoin":
        return j.ShuffledHashJoinExec(*keys, side, found.rest, left, right, exists)
    return j.SortMergeJoinExec(*keys, found.rest, left, right, exists)


def _scan(plan: LogicalPlan) -> LocalTableScanExec:
    rows = rows_of(plan)
    if rows is None:
        raise CannotPlay("The rows of an input cannot be computed here: write them as VALUES or in a CSV file.")
    return LocalTableScanExec(tuple(plan.output), tuple(rows))


def named_aggregate(
    operator: str | None, source: str, group_by: str, select: str, options: Options | None = None
) -> list[Play]:
    """The stages of an aggregate over an inline table, by this operator (None: as the planner chooses).

    `group_by` are keys, none of them for one group; `select` are aggregate functions. Raises InputError for an operator
    that cannot keep the functions' buffers, CannotPlay, and what reading the SQL raises.
    """
    grouped, keys = (f" GROUP BY {group_by}", f"{group_by}, ") if group_by else ("", "")
    options = options or Options()
    settings = {**_PLAIN, "spark.sql.shuffle.partitions": str(options.partitions)}
    execution = QueryExecution(
        f"SELECT {keys}{select} FROM {source}{grouped}", config=OptimizerConfig().with_settings(settings)
    )
    plan = execution.physical
    if operator is not None:
        plan = plan.transform_up(lambda n: _as(operator, n) if isinstance(n, BaseAggregateExec) else n)
    return _plays(plan, {}, options, relation_names(execution.analyzed), execution)[0]


def _as(operator: str, node: BaseAggregateExec) -> BaseAggregateExec:
    """The stage as another operator."""
    fixed = [a.name for a in node.buffers if not is_mutable(a.type)]
    if operator == "HashAggregate" and fixed:
        raise InputError(
            f"HashAggregate updates buffers in place, which {fixed[0]} cannot be: SortAggregate can do it."
        )
    if operator == "ObjectHashAggregate" and not any(keeps_objects(f.function) for f in node.functions):
        raise InputError("ObjectHashAggregate is for functions that keep an object, such as collect_list.")
    parts = (node.distribution, node.keys, node.functions, node.buffers, node.results, node.child)
    return AGGREGATES[operator](*parts)


def named_sort(source: str, order_by: str, options: Options | None = None) -> list[Play]:
    """The exchange and the sort of an inline table. Raises as `named_aggregate`."""
    options = options or Options()
    settings = {**_PLAIN, "spark.sql.shuffle.partitions": str(options.partitions)}
    execution = QueryExecution(
        f"SELECT * FROM {source} ORDER BY {order_by}", config=OptimizerConfig().with_settings(settings)
    )
    return query_plays(execution, options=options)[0]


def table_rows(text: str, table: Table) -> list[Row]:
    """The rows of a CSV text as rows of a table: columns by name in any case, null where the text has none.

    Raises InputError for a text that is none, CannotPlay for values that are not of the column's type.
    """
    values, names = values_of(text, table.name), {n.lower() for n in header_of(text)}
    columns = [
        f"CAST({f'`{c.name}`' if c.name.lower() in names else 'NULL'} AS {c.data_type.sql}) AS `{c.name}`"
        for c in table.columns
    ]
    rows = rows_of(QueryExecution(f"SELECT {', '.join(columns)} FROM {values}").analyzed)
    if rows is None:
        raise CannotPlay(f"The values of {table.name} are not all of their columns' types.")
    return rows


def play_text(play: Play) -> str:
    """A play to be read: what it is, every step by phase, the rows that it gave."""
    lines = [play.title, "", play.about, ""]
    lines += [f"{name + ':':22} {value}" for name, value in play.facts]
    phase = None
    for number, step in enumerate(play.steps, 1):
        if step.phase != phase:
            phase = step.phase
            lines += ["", play.phases[phase]]
        lines.append(f"{number:5}  {step.text}")
    lines += ["", *play.notes]
    return "\n".join(lines).rstrip() + "\n"
