"""What is wrong with CREATE TABLE, CREATE VIEW and DROP (Spark: PreprocessTableCreation)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import cast

from planviz.analysis.commands import database_of, distinct_names
from planviz.analysis.context import sql_text
from planviz.analysis.objects import can_up_cast
from planviz.analysis.relations import table_not_found
from planviz.catalog.tables import Catalog, View
from planviz.errors import AnalysisError
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, NamedExpression, occurs
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedExtractValue, UnresolvedFunction, UnresolvedStar
from planviz.expressions.variables import VariableReference
from planviz.frontend.errors import analysis_error
from planviz.frontend.model import Statement
from planviz.functions.registry import known
from planviz.logical.operators import Aggregate, Distinct, Filter, GlobalLimit, LocalLimit, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.logical.unresolved import UnresolvedHaving, UnresolvedRelation, UnresolvedWith
from planviz.types import (
    NULL,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_atomic,
    is_collated,
    is_datetime,
)
from planviz.versions import Behaviour


def check_database(name: tuple[str, ...], databases: Collection[str]) -> None:
    """Raise AnalysisError for a new object's name whose database is not there."""
    database = database_of(name)
    if database not in databases:
        raise analysis_error("SCHEMA_NOT_FOUND", f"The schema {sql_text((database,))} cannot be found.")


#: What words of SET PATH stand for.
_IN_PATHS = {
    "SYSTEM_PATH": ("SYSTEM.BUILTIN", "SYSTEM.SESSION"),
    "DEFAULT_PATH": ("SYSTEM.BUILTIN", "SYSTEM.SESSION", "CURRENT_SCHEMA"),
    "CURRENT_DATABASE": ("CURRENT_SCHEMA",),
}


def check_path(schemas: str, enabled: bool) -> None:
    """Raise AnalysisError for a search path that SET PATH cannot set."""
    if not enabled:
        told = "SET PATH is disabled: set spark.sql.path.enabled to true."
        raise AnalysisError("UNSUPPORTED_FEATURE.SET_PATH_WHEN_DISABLED", told)
    written = [p.replace("`", "").replace(" ", "").upper() for p in schemas.split(",")]
    entries = [e for p in written for e in _IN_PATHS.get(p, (p,))]
    again = next((e for i, e in enumerate(entries) if e in entries[:i]), None)
    if again is not None:
        raise AnalysisError("DUPLICATE_SQL_PATH_ENTRY", f"The path names {again.lower()} twice.")


def is_made(s: Statement, catalog: Catalog, free: bool = False) -> bool:
    """Whether CREATE TABLE or CREATE VIEW makes something: not where IF NOT EXISTS finds it.

    `free`: the table may be replaced and have computed columns. Raises AnalysisError where something of the name is
    there already.
    """
    view, table = catalog.view(s.name), catalog.table(s.name)
    temporary = "TEMPORARY" in s.words
    if not free and s.kind == "create_table" and ("REPLACE" in s.words or "GENERATED" in s.words):
        raise analysis_error(
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            f"Table {sql_text(s.name)}: it cannot be replaced, nor have computed columns.",
        )
    if s.kind == "create_view" and temporary:
        there = view is not None and view.temporary
    else:
        there = table is not None or (view is not None and not view.temporary)
    if s.kind == "create_view" and not temporary and "REPLACE" in s.words and "IF NOT EXISTS" in s.words:
        raise analysis_error(
            "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE", "CREATE VIEW takes IF NOT EXISTS or OR REPLACE, not both."
        )
    again = s.kind == "create_view" and "REPLACE" in s.words and view is not None and s.plan is not None
    if there and again and _reads(cast(LogicalPlan, s.plan), cast(View, view), catalog):
        raise analysis_error(
            "RECURSIVE_VIEW",
            f"The view {sql_text(s.name)} cannot be replaced by a query that reads it; give the new one another name.",
        )
    if not there or "REPLACE" in s.words:
        return True
    if "IF NOT EXISTS" in s.words:
        return False
    kind = "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS" if temporary else "TABLE_OR_VIEW_ALREADY_EXISTS"
    raise analysis_error(
        kind,
        f"Cannot create table or view {sql_text(s.name)} because it already exists. Choose a different name, drop or "
        "replace the existing object, or add IF NOT EXISTS.",
    )


def _reads(plan: LogicalPlan, wanted: View, catalog: Catalog) -> bool:
    """Whether a query reads a view, be it through other views."""
    todo, seen = [plan], set[str]()
    while todo:
        below = _everywhere(todo.pop())
        # A definition of WITH hides what has its name.
        hidden = {n.lower() for p in below if isinstance(p, UnresolvedWith) for n in p.names}
        for p in below:
            if isinstance(p, UnresolvedRelation) and len(p.parts) == 1 and p.parts[0].lower() in hidden:
                continue
            used = catalog.view(p.parts) if isinstance(p, UnresolvedRelation) else None
            if used is wanted:
                return True
            if used is not None and used.name not in seen:
                seen.add(used.name)
                todo += [used.plan] if used.plan is not None else []
    return False


def check_table(s: Statement, query: LogicalPlan | None) -> None:
    """Raise AnalysisError for a table that cannot be; `query` gives its rows."""
    if "NOWHERE" in s.words:
        raise analysis_error(
            "CREATE_EXTERNAL_TABLE_WITHOUT_LOCATION", "CREATE EXTERNAL TABLE must be accompanied by LOCATION."
        )
    if "UNTYPED" in s.words:
        raise analysis_error("UNABLE_TO_INFER_SCHEMA", "Unable to infer schema. It must be specified manually.")
    names = [c.name for c in s.columns] if query is None else [a.name for a in query.output]
    _check_collations(s, s.columns if query is None else [StructField(a.name, a.type) for a in query.output])
    distinct_names(names)
    distinct_names(s.partition_columns)
    _check_layout(s, names)
    types = {f.name.lower(): f.data_type for f in s.columns}
    for name in s.partition_columns:
        t = types.get(name.lower())
        if isinstance(t, ArrayType | MapType | StructType):
            raise analysis_error(
                "INVALID_PARTITION_COLUMN_DATA_TYPE", f'Cannot use "{t.sql}" for the partition column {name}.'
            )
    if names and len(s.partition_columns) == len(names):
        raise analysis_error("ALL_PARTITION_COLUMNS_NOT_ALLOWED", "Cannot use all columns for partition columns.")


def _check_layout(s: Statement, names: Sequence[str]) -> None:
    """Raise AnalysisError for a column that makes folders or buckets and that the table does not have."""
    known = {name.lower() for name in names}
    buckets = s.buckets
    kinds = (
        ("partition", s.partition_columns),
        ("bucket", () if buckets is None else buckets.columns),
        ("sort", () if buckets is None else buckets.sorted_by),
    )
    for kind, given in kinds:
        missing = next((name for name in given if names and name.lower() not in known), None)
        if missing is not None:
            told = f"The {kind} column {sql_text((missing,))} is not defined in the table {sql_text(s.name)}"
            columns = ", ".join(sql_text((name,)) for name in names)
            raise analysis_error("COLUMN_NOT_DEFINED_IN_TABLE", f"{told}, whose columns are: {columns}.")


def column_defaults(s: Statement, analyzed: Callable[[LogicalPlan], LogicalPlan]) -> tuple[tuple[str, Expression], ...]:
    """The columns with a DEFAULT, and its value in the column's type; `analyzed` analyzes a query.

    Raises AnalysisError for one that is no constant of the column's type. A constant of a wider type fits where its
    value does (Spark: ResolveDefaultColumns).
    """
    values = []
    for column, default in s.defaults:
        told = f"The column {sql_text((column.name,))} of the table {sql_text(s.name)} has a DEFAULT"
        if occurs(default, SubqueryExpression.BIT):
            raise analysis_error("INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION", f"{told} with a query in it.", default)
        try:
            (item,) = analyzed(Project((UnresolvedAlias(default),), OneRowRelation())).expressions
        except AnalysisError as error:
            if not error.error_class.startswith("UNRESOLVED_COLUMN"):
                raise
            message = f"{told} that reads a column; it takes a constant."
            raise analysis_error("INVALID_DEFAULT_VALUE.NOT_CONSTANT", message, default) from None
        found = item.child if isinstance(item, Alias) else item
        if not _fits(found, column.data_type):
            raise analysis_error(
                "INVALID_DEFAULT_VALUE.DATA_TYPE",
                f'{told} of type "{found.data_type.sql}", which is no "{column.data_type.sql}".',
                default,
            )
        value = found if found.data_type == column.data_type else Cast(found, column.data_type)
        values.append((column.name, DEFAULT_EVALUATOR.value_of(value) or value))
    return tuple(values)


def _fits(value: Expression, wanted: DataType) -> bool:
    given = value.data_type
    if NULL in (given, wanted) or not (is_atomic(given) and is_atomic(wanted)) or can_up_cast(given, wanted):
        return True
    if is_datetime(given) and is_datetime(wanted):
        return True
    known = DEFAULT_EVALUATOR.value_of(value)
    if known is None or known.value is None:
        return True
    cast = DEFAULT_EVALUATOR.value_of(Cast(known, wanted, "TRY"))
    return cast is None or cast.value is not None


def _check_collations(s: Statement, columns: Iterable[StructField]) -> None:
    """Text is kept under a collation in values alone: rows are placed, and entries of maps found, by its bytes."""
    collated = {c.name.lower(): c.data_type for c in columns if is_collated(c.data_type)}
    if any(_in_keys(t) for t in collated.values()):
        raise analysis_error(
            "UNSUPPORTED_FEATURE.COLLATIONS_IN_MAP_KEYS", "Collated strings for keys of maps are not supported."
        )
    bucketed = s.buckets.columns if s.buckets is not None else ()
    for names, what in ((s.partition_columns, "PARTITION"), (bucketed, "BUCKET")):
        wrong = next((n for n in names if n.lower() in collated), None)
        if wrong is not None:
            raise analysis_error(
                f"INVALID_{what}_COLUMN_DATA_TYPE",
                f"Cannot use {collated[wrong.lower()].sql} for the {what.lower()} column {wrong}.",
            )


def _in_keys(t: DataType) -> bool:
    if isinstance(t, MapType):
        return is_collated(t.key) or _in_keys(t.value)
    if isinstance(t, ArrayType):
        return _in_keys(t.element)
    return isinstance(t, StructType) and any(_in_keys(f.data_type) for f in t.fields)


def check_view(s: Statement, query: LogicalPlan, catalog: Catalog) -> None:
    """Raise AnalysisError for a view that its query does not fit."""
    temporary = "TEMPORARY" in s.words
    if temporary and len(s.name) > 1:
        raise analysis_error(
            "INVALID_TEMP_OBJ_QUALIFIER", f"The temporary view {sql_text(s.name)} takes no database before its name."
        )
    if temporary and "IF NOT EXISTS" in s.words:
        raise analysis_error("_LEGACY_ERROR_TEMP_0053", "CREATE TEMPORARY VIEW ... IF NOT EXISTS is not allowed.")
    if s.columns and len(s.columns) != len(query.output):
        few = len(query.output) < len(s.columns)
        raise analysis_error(
            f"CREATE_VIEW_COLUMN_ARITY_MISMATCH.{'NOT_ENOUGH' if few else 'TOO_MANY'}_DATA_COLUMNS",
            f"Cannot create view {sql_text(s.name)}, the reason is {'not enough' if few else 'too many'} data columns: "
            f"{len(s.columns)} names for {len(query.output)} columns.",
        )
    distinct_names([c.name for c in s.columns] or [a.name for a in query.output])
    if temporary:
        return
    assert s.plan is not None
    if not s.columns and leaves_names_open(s.plan):
        raise analysis_error(
            "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS",
            f"Not allowed to create the permanent view {sql_text(s.name)} without explicitly assigning an alias for "
            "every expression.",
        )
    for p in _everywhere(s.plan):
        used = catalog.view(p.parts) if isinstance(p, UnresolvedRelation) else None
        if used is not None and used.temporary:
            raise _of_the_session(s, used.name, "VIEW")
        for call in (c for e in p.expressions for c in e.collect(UnresolvedFunction)) if catalog.functions else ():
            own = catalog.function(call.parts)
            if own is not None and own.temporary and not known(call.parts[-1].lower()):
                raise _of_the_session(s, own.name, "FUNCTION")
    for p in _everywhere(query) if catalog.variables else ():
        for variable in (v for e in p.expressions for v in e.collect(VariableReference)):
            raise _of_the_session(s, variable.variable, "VARIABLE")


def _of_the_session(s: Statement, name: str, kind: str) -> AnalysisError:
    return analysis_error(
        "INVALID_TEMP_OBJ_REFERENCE",
        f"Cannot create the persistent object {sql_text(s.name)} of the type VIEW because it references the temporary "
        f"object {sql_text((name,))} of the type {kind}.",
    )


def leaves_names_open(plan: LogicalPlan) -> bool:
    """Whether an item of a query's select list, as it was read, has no name of its own."""
    top = plan
    while isinstance(top, UnresolvedWith | Sort | Filter | GlobalLimit | LocalLimit | Distinct | UnresolvedHaving):
        top = top.child
    items = top.projects if isinstance(top, Project) else top.aggregates if isinstance(top, Aggregate) else ()
    return any(isinstance(i, UnresolvedAlias) and not _names_itself(i.child) for i in items)


def _everywhere(plan: LogicalPlan) -> list[LogicalPlan]:
    """The operators of a plan and of the subqueries in it."""
    found: list[LogicalPlan] = list(plan.walk())
    for p in plan.walk():
        for q in p.subquery_plans:
            found += _everywhere(q)
    return found


def _names_itself(e: Expression) -> bool:
    """Whether an item of a select list needs no alias: columns, their fields, casts of columns."""
    if isinstance(e, Cast):
        return isinstance(e.child, NamedExpression)
    return isinstance(e, NamedExpression | UnresolvedStar | UnresolvedExtractValue)


def check_drop(s: Statement, catalog: Catalog, known: Behaviour) -> None:
    """Raise AnalysisError for a table or view to be dropped that is not there, or is the other of the two."""
    view, table = catalog.view(s.name), catalog.table(s.name)
    of_view = s.words.startswith("VIEW")
    if of_view and view is None and table is not None:
        raise analysis_error(
            "WRONG_COMMAND_FOR_OBJECT_TYPE", f"DROP VIEW is for views, but {sql_text(s.name)} is a table: DROP TABLE."
        )
    if (of_view and view is not None) or table is not None or "IF EXISTS" in s.words:
        return
    if view is not None and known.views_are_dropped_as_tables:
        return
    if view is not None and not view.temporary and s.words.startswith("TABLE"):
        raise analysis_error(
            "WRONG_COMMAND_FOR_OBJECT_TYPE", f"DROP TABLE is for tables, but {sql_text(s.name)} is a view: DROP VIEW."
        )
    if view is None:
        raise table_not_found(UnresolvedRelation(s.name), catalog.names())
