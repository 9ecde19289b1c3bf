"""VALUES: rows of constants, and of what is known when the query runs."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.coercion import coercion_of
from planviz.analysis.context import AnalyzerRule
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.calls import FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, GeneratorMark
from planviz.expressions.ids import next_id
from planviz.expressions.routines import SQLFunctionExpression
from planviz.expressions.specs import OpenZone
from planviz.expressions.subqueries import LateralSubquery, SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.frontend.errors import analysis_error
from planviz.frontend.relation import column_type
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, ResolvedInlineTable, cell
from planviz.logical.unresolved import UnresolvedInlineTable
from planviz.types import NULL, DataType

#: Functions of the moment and of who asks (Spark's pattern CURRENT_LIKE).
_NOW = frozenset((
    "current_catalog", "current_database", "current_date", "current_path", "current_schema", "current_time",
    "current_timestamp", "current_timezone", "current_user", "curdate", "localtimestamp", "now", "session_user", "user",
))  # fmt: skip


class ResolveInlineTables(AnalyzerRule[UnresolvedInlineTable]):
    """Evaluate VALUES.

    UnresolvedInlineTable  =>  LocalRelation where every cell is a constant; ResolvedInlineTable where one asks for now
    """

    matches = (UnresolvedInlineTable,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: UnresolvedInlineTable) -> LogicalPlan:
        cells = [c for row in node.rows for c in row]
        queried = next((s for c in cells for s in c.collect(SubqueryExpression)), None)
        if queried is not None and not isinstance(queried, LateralSubquery):
            raise analysis_error(
                "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES",
                "Unsupported subquery expression: Scalar subqueries in the VALUES clause.",
                node,
            )
        if not all(c.resolved for c in cells):
            return node
        never = (GeneratorMark, AggregateExpression, OuterReference, SQLFunctionExpression)
        wrong = next((c for c in cells if not c.deterministic or any(isinstance(x, never) for x in c.walk())), None)
        if wrong is not None:
            raise analysis_error(
                "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                f'Invalid inline table. Cannot evaluate the expression "{wrong.pretty}" in inline table definition.',
                wrong,
            )
        common = coercion_of(self.context).least_common
        cast = [[row[i].data_type for row in node.rows] for i in range(len(node.names))]
        types = [None if _in_two_kinds(given) else common(given) for given in cast]
        if any(t is None for t in types):
            raise analysis_error(
                "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                "The columns of an inline table need one type each.",
                node,
            )
        columns = []
        for i, (n, t) in enumerate(zip(node.names, types, strict=True)):
            columns.append(AttributeReference(n, t or NULL, any(r[i].nullable for r in node.rows), next_id()))
        if self.context.config.behaviour.inline_tables_wait and any(map(_of_now, cells)):
            zone = self.context.config.text("spark.sql.session.timeZone")
            return ResolvedInlineTable(
                tuple(columns),
                tuple(tuple(_typed(c, a.type, zone) for c, a in zip(row, columns, strict=True)) for row in node.rows),
            )
        rows = tuple(tuple(cell(c, a.type) for c, a in zip(row, columns, strict=True)) for row in node.rows)
        return LocalRelation(tuple(columns), rows)


def _in_two_kinds(types: list[DataType]) -> bool:
    known = [t for t in types if t != NULL]
    return bool(known) and column_type(known) is None


def _of_now(e: Expression) -> bool:
    return any(c.name in _NOW for c in e.collect(FunctionCall))


def _typed(e: Expression, t: DataType, zone: str) -> Expression:
    """A cell as its column's type; nothing maps the expressions of a relation later."""

    def zoned(x: Expression) -> Expression:
        if not isinstance(x, FunctionCall) or not any(isinstance(p, OpenZone) for p in x.tail):
            return x
        return x.replace(tail=tuple(f"Some({zone})" if isinstance(p, OpenZone) else p for p in x.tail))

    while isinstance(e, Alias):
        e = e.child
    known = e.transform_up(zoned, FunctionCall.BIT)
    return known if known.data_type == t else Cast(known, t, time_zone=zone)
