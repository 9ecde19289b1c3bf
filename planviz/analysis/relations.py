"""FROM: tables, views, inline tables, table functions, and columns that occur twice."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import cast

from typing_extensions import override

from planviz.analysis.context import AnalysisContext, AnalyzerRule, sql_text
from planviz.analysis.earlier import as_parsed_then
from planviz.catalog.tables import CATALOG, FILE_FORMATS, Table
from planviz.catalog.tables import View as CatalogView
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.casts import Cast, declared_text, remark_of_declared
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias, id_of
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import SubqueryExpression
from planviz.frontend import parse_plan
from planviz.frontend.errors import analysis_error
from planviz.frontend.literals import timestamp_literal
from planviz.logical.operators import Project, SubqueryAlias, View, ViewColumns
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import (
    LocalRelation,
    LogicalRelation,
)
from planviz.logical.unresolved import (
    LimitAll,
    RelationTimeTravel,
    UnresolvedCatalogRelation,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedWith,
)
from planviz.types import STRING, as_nullable
from planviz.types.collations import BINARY_TEXT

#: How many views may stand one in the other.
NESTED_VIEWS = "spark.sql.view.maxNestedViewDepth"


class ResolveRelations(AnalyzerRule):
    """Look tables and views up in the catalogue.

    UnresolvedRelation [t]  =>  SubqueryAlias spark_catalog.default.t over UnresolvedCatalogRelation

    A view's query is analyzed on its own, before the query that reads it goes on (Spark: resolveViews); then its
    columns are cast to those of the view.
    """

    matches = (UnresolvedRelation, RelationTimeTravel)

    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with relations; an unknown name stays and is reported at the end."""
        return plan.resolve_operators_up(self._one, self.mask)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, RelationTimeTravel):
            return self._earlier(plan)
        if not isinstance(plan, UnresolvedRelation):
            return plan
        catalog = self.context.catalog
        view = catalog.view(plan.parts)
        if view is not None:
            names = view.name_parts if view.temporary else (CATALOG, view.database, view.name.lower())
            # A DataFrame's columns are the view's as they are: nothing is cast.
            ready = view.plan is not None and view.plan.resolved and not view.sql and not view.columns
            known = self.context.config.behaviour
            spaced = known.views_space_columns
            shown = names[1:] if not (view.temporary or known.relations_name_the_catalogue) else names
            # Before 4.0 a catalogue's view stands under the same ids wherever it is read (Spark: relationCache).
            kept = not view.temporary or not known.temporary_views_are_marked
            again = kept and not known.aliases_are_renewed
            read = self.context.views_read.get(names) if again else None
            inner = View(shown, read[0] if read else _of_view(view), view.temporary, view.columns, ready, spaced)
            if again and not ready:
                # Before 3.2 what the view itself gives has ids of its own each time.
                ids = read[1] if read and known.views_cast_their_columns else ()
                made = self._analyzed(inner, plan, ids)
                if isinstance(made.child, Project):
                    ids = tuple([id_of(e) for e in made.child.projects])
                    self.context.views_read.setdefault(names, (inner.child, ids))
            else:
                made = inner if ready else self._analyzed(inner, plan)
            marked = not view.temporary or known.temporary_views_are_marked
            return SubqueryAlias(tuple(n.lower() for n in names), made if marked else _unmarked(made))
        table = catalog.table(plan.parts)
        if table is None:
            return plan
        if len(plan.parts) == 2 and plan.parts[0].lower() in FILE_FORMATS and table.database == plan.parts[0]:
            return _files(table, plan.parts[0].lower())
        return SubqueryAlias(table.qualified, UnresolvedCatalogRelation(table.qualified, table))

    def _earlier(self, plan: RelationTimeTravel) -> LogicalPlan:
        """An earlier state of a table that keeps them; its statistics are those of now."""
        table = self.context.catalog.table(plan.parts)
        if table is None or not table.keeps_versions or not is_moment(plan.timestamp):
            return plan
        self.context.counters.warn(f"{table.shown_name} is planned with the columns and statistics that it has now.")
        return SubqueryAlias(table.qualified, UnresolvedCatalogRelation(table.qualified, table))

    def _analyzed(self, view: View, read: UnresolvedRelation, ids: tuple[int, ...] = ()) -> View:
        """The view over its query's analyzed plan, its columns under `ids` if there are any.

        Raises AnalysisError for what is wrong there, or nested too deep.
        """
        most = self.context.config.number(NESTED_VIEWS)
        if self.context.views >= most:
            raise analysis_error(
                "VIEW_EXCEED_MAX_NESTED_DEPTH",
                f"The depth of view {sql_text(view.name)} exceeds the maximum view resolution depth ({most}). Analysis "
                f"is aborted to avoid errors. Raise {NESTED_VIEWS}, or store one of the views as a table.",
                read,
            )
        assert self.context.analyze_view is not None
        analyzed = self.context.analyze_view(as_parsed_then(view.child, self.context.config), self.context)
        return _with_columns(view.replace(child=analyzed), self.context.config.behaviour.views_cast_their_columns, ids)


def _files(table: Table, provider: str) -> LogicalRelation:
    """Files that a query reads by their path: each time under ids of their own (Spark: ResolveSQLOnFile)."""
    columns = tuple(AttributeReference(c.name, as_nullable(c.data_type), True, next_id()) for c in table.columns)
    return LogicalRelation(columns, (), replace(table, provider=provider), provider)


def is_moment(timestamp: Expression | None) -> bool:
    """Whether a query can say AS OF this: no text that is no timestamp, nothing that varies."""
    if timestamp is None:
        return True
    text = timestamp.value if isinstance(timestamp, Literal) else None
    return timestamp.deterministic and not (isinstance(text, str) and timestamp_literal(text) is None)


def _of_view(view: CatalogView) -> LogicalPlan:
    """The plan of a catalogue's view: read again, its parts under ids of their own, unless a DataFrame analyzed it."""
    if view.plan is None:
        return parse_plan(view.sql)
    # Columns of an analyzed plan have to keep their ids: DeduplicateRelations renews them where they clash.
    analyzed = view.plan.resolved and not view.sql
    return view.plan if analyzed else with_fresh_ids(view.plan)


def with_fresh_ids(plan: LogicalPlan) -> LogicalPlan:
    """Before names are bound nothing refers to an id, so that each can be replaced on its own."""

    def expression(e: Expression) -> Expression:
        if isinstance(e, SubqueryExpression):
            return e.with_plan(with_fresh_ids(e.plan)).replace(expr_id=next_id())
        if isinstance(e, Alias | AttributeReference):
            return e.replace(expr_id=next_id())
        return e.replace(result_id=next_id()) if isinstance(e, AggregateExpression) else e

    def operator(p: LogicalPlan) -> LogicalPlan:
        if isinstance(p, LocalRelation):
            return p.replace(attributes=tuple(a.new_instance() for a in p.attributes))
        if isinstance(p, UnresolvedWith):
            p = p.replace(plans=tuple(with_fresh_ids(x) for x in p.plans))
        return p.map_expressions(lambda e: e.transform_up(expression))

    return plan.transform_up(operator)


def _with_columns(view: View, casts_all: bool, ids: tuple[int, ...] = ()) -> View:
    output = view.child.output
    names = view.columns or tuple(a.name for a in output)
    made = ids or [next_id() for _ in output]
    casts = tuple(_view_column(a, n, i) for a, n, i in zip(output, names, made, strict=False))
    below = Project(casts, view.child) if casts_all else ViewColumns(casts, view.child)
    return view.replace(child=below, projected=True)


def _unmarked(view: View) -> LogicalPlan:
    """A temporary view as it was before Spark 3.1: its query, with a projection where it gives other names."""
    query = view.child.child if isinstance(view.child, ViewColumns) else view.child
    if not view.columns:
        return query
    return Project(tuple(Alias(a, n, next_id()) for a, n in zip(query.output, view.columns, strict=False)), query)


def _view_column(column: AttributeReference, name: str, number: int) -> Alias:
    """A view's column; what is remarked about the column that it shows, the view keeps in its schema."""
    made = Alias(Cast(column, column.type), name, number)
    declared = declared_text(column.metadata)
    return made if declared is None else made.remarked(remark_of_declared(declared))


class FindDataSourceTable(AnalyzerRule[UnresolvedCatalogRelation]):
    """Read a catalogue's table as a relation with columns of its own ids.

    UnresolvedCatalogRelation  =>  Relation db.t[a#1, ...] parquet

    The same table read twice gives the same ids; DeduplicateRelations tells them apart where it matters.
    """

    matches = (UnresolvedCatalogRelation,)
    package = "org.apache.spark.sql.execution.datasources"

    def __init__(self, context: AnalysisContext, relations: dict[tuple[str, ...], LogicalRelation]) -> None:
        super().__init__(context)
        self.relations = relations

    @override
    def rewrite(self, node: UnresolvedCatalogRelation) -> LogicalPlan:
        relation = self.relations.get(node.name)
        if relation is None:
            # The node knows no catalogue; who puts it into a plan puts a Table there.
            table = cast(Table, node.table)
            known, config = self.context.config.behaviour, self.context.config
            plain = config.get("spark.sql.legacy.charVarcharAsString")
            declared = {} if plain else table.declared_texts
            columns = tuple(
                AttributeReference(
                    c.name,
                    STRING if c.data_type == BINARY_TEXT else c.data_type,
                    c.nullable,
                    next_id(),
                    metadata=(remark_of_declared(declared[c.name]),) if c.name in declared else (),
                )
                for c in table.columns
            )
            name = node.name if known.relations_name_the_catalogue else node.name[1:]
            relation = LogicalRelation(columns, name, table, table.provider, shows_name=known.relations_show_names)
            self.relations[node.name] = relation
        return relation


def table_not_found(plan: UnresolvedRelation, names: list[str]) -> Exception:
    """The error for a table that is not there, with the nearest names."""
    shown = sql_text(plan.parts)
    if len(plan.parts) - (plan.parts[0].lower() == CATALOG) > 2:
        return analysis_error(
            "REQUIRES_SINGLE_PART_NAMESPACE", f"{CATALOG} requires a single-part namespace, but got {shown}.", plan
        )
    near = get_close_matches(plan.parts[-1].lower(), [n.lower() for n in names], 3, 0.6)
    hint = f" Did you mean {' or '.join(sql_text((n,)) for n in near)}?" if near else ""
    return analysis_error(
        "TABLE_OR_VIEW_NOT_FOUND",
        f"The table or view {shown} cannot be found in the catalogue.{hint} Verify the spelling, or give a catalogue "
        "or a CREATE TABLE that has it.",
        plan,
    )


class ResolveSubqueryColumnAliases(AnalyzerRule[UnresolvedSubqueryColumnAliases]):
    """Column names given to a relation.

    t(x, y)  =>  Project [a AS x, b AS y] over t
    """

    matches = (UnresolvedSubqueryColumnAliases,)

    @override
    def rewrite(self, node: UnresolvedSubqueryColumnAliases) -> LogicalPlan:
        child = node.child
        if not child.resolved:
            return node
        if len(child.output) != len(node.names):
            raise analysis_error(
                "ASSIGNMENT_ARITY_MISMATCH",
                f"The number of column aliases ({len(node.names)}) does not match the number of columns "
                f"({len(child.output)}).",
                node,
            )
        return Project(tuple(alias(a, n) for a, n in zip(child.output, node.names, strict=True)), child)


class ApplyLimitAll(AnalyzerRule[LimitAll]):
    """LIMIT ALL limits nothing.

    LimitAll(child)  =>  child
    """

    matches = (LimitAll,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: LimitAll) -> LogicalPlan:
        return node.child
