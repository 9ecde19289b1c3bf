"""What is wrong with a command on a table, a view or a database (Spark: ResolveCatalogs, PreprocessTableInsertion).

Nothing is executed; the checks are those that Spark makes before it would.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import replace

from planviz.analysis.context import folded, sql_text
from planviz.analysis.objects import can_up_cast
from planviz.analysis.relations import table_not_found
from planviz.analysis.stored import in_order_of, named_as
from planviz.catalog.tables import CATALOG, DATABASE, Catalog, OwnFunction, Table
from planviz.errors import AnalysisError
from planviz.expressions.casts import can_store_assign
from planviz.expressions.core import AttributeReference
from planviz.frontend.commands import Command
from planviz.frontend.errors import analysis_error
from planviz.functions import registry
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.logical.unresolved import UnresolvedRelation
from planviz.types import NULL, UNKNOWN, ArrayType, MapType, StructField, StructType
from planviz.versions import Behaviour

Analyze = Callable[[LogicalPlan], LogicalPlan]
#: Commands that views cannot stand in for tables in.
_NO_VIEWS = ("INSERT", "ALTER TABLE", "TRUNCATE TABLE", "SHOW PARTITIONS", "MSCK REPAIR TABLE", "REPAIR TABLE")


#: What DESCRIBE FUNCTION tells of beside functions.
_OPERATORS = frozenset(("and", "between", "case", "div", "ilike", "in", "like", "not", "or", "regexp", "rlike", "when"))


def database_of(name: tuple[str, ...], current: str = DATABASE) -> str:
    """The database that a name means, lower case, else the `current` one; AnalysisError for too many parts."""
    parts = name[1:] if len(name) > 2 and name[0].lower() == CATALOG else name
    if len(parts) > 2:
        raise analysis_error(
            "REQUIRES_SINGLE_PART_NAMESPACE", f"{CATALOG} requires a single-part namespace, but got {sql_text(name)}."
        )
    return parts[0].lower() if len(parts) == 2 else current


def check_command(c: Command, catalog: Catalog, analyze: Analyze, policy: str = "ANSI") -> None:
    """Raise AnalysisError for a command that Spark refuses; `analyze` analyzes the queries in it.

    `policy`: what may be inserted into a column (spark.sql.storeAssignmentPolicy).
    """
    table = None if c.verb == "REPLACE TABLE" or not c.name else _target(c, catalog)
    if c.verb == "REPLACE TABLE":
        database_of(c.name)
    if c.verb == "MERGE" and "EMPTY" in c.flags:
        raise analysis_error("MERGE_WITHOUT_WHEN", "There must be at least one WHEN clause in a MERGE statement.")
    if c.verb == "INSERT" and c.plan is not None and table is not None:
        _check_insert(c, table, analyze(c.plan), policy)
    elif c.plan is not None:
        for plan in (c.plan, *c.parts):
            analyze(plan)
    if table is not None:
        _check_parts(c, table)
    elif c.verb == "DESCRIBE TABLE" and len(c.path) == 1 and catalog.view(c.name) is not None:
        known = {a.name.lower() for a in analyze(UnresolvedRelation(c.name)).output}
        if c.path[0].lower() not in known:
            raise analysis_error("COLUMN_NOT_FOUND", f"The column {sql_text(c.path)} cannot be found.")
    if "ADD" in c.flags and table is not None:
        known = {f.name.lower() for f in table.columns}
        again = next((f.name for f in c.columns if f.name.lower() in known), None)
        if again is not None:
            raise _exists_already(again)
    fixed = table is not None and not table.keeps_versions
    if "UNSUPPORTED" in c.flags and (fixed or c.verb == "REPLACE TABLE"):
        raise analysis_error(
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            f"Table {sql_text(c.name)} does not support {c.verb}: no table of {CATALOG} does.",
        )


def _target(c: Command, catalog: Catalog) -> Table | None:
    """The table that the command is about; None where it is a view, which some commands take as well."""
    if catalog.table(c.name) is None:
        database_of(c.name)
    view = catalog.view(c.name)
    if view is not None:
        if c.verb == "ANALYZE TABLE":
            if view.temporary and not c.columns:
                raise _not_temporary(c)
            subclass = "ANALYZE_UNCACHED_TEMP_VIEW" if view.temporary else "ANALYZE_VIEW"
            raise analysis_error(f"UNSUPPORTED_FEATURE.{subclass}", "ANALYZE TABLE is for tables; views are computed.")
        if c.verb == "SHOW CREATE TABLE" and view.temporary:
            raise _not_temporary(c)
        if c.verb in _NO_VIEWS and not c.other:
            raise analysis_error(
                "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
                f"{c.verb} expects a table but {sql_text(c.name)} is a view.",
            )
        return None
    table = catalog.table(c.name)
    if table is None and "IF EXISTS" not in c.flags:
        raise table_not_found(UnresolvedRelation(c.name), catalog.names())
    if table is not None and c.verb == "ALTER VIEW" and c.plan is not None:
        raise analysis_error(
            "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", f"ALTER VIEW expects a view but {sql_text(c.name)} is a table."
        )
    if table is not None and c.verb == "SHOW PARTITIONS" and not table.partition_columns:
        raise analysis_error(
            "INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY", f"Table {sql_text(c.name)} is not partitioned."
        )
    return table


def _not_temporary(c: Command) -> AnalysisError:
    told = f"{c.verb} expects a permanent view but {sql_text(c.name)} is a temporary one."
    return analysis_error("EXPECT_PERMANENT_VIEW_NOT_TEMP", told)


def _check_parts(c: Command, table: Table) -> None:
    """What a command says of a table's columns and partitions."""
    shown, known = sql_text(table.qualified), {f.name.lower(): f for f in table.columns}
    column = known.get(c.path[0].lower()) if c.path else None
    if c.path and column is None:
        if c.verb == "DESCRIBE TABLE":
            raise analysis_error("COLUMN_NOT_FOUND", f"The column {sql_text(c.path)} of {shown} cannot be found.")
        raise _no_column(c.path, table)
    if c.verb == "DESCRIBE TABLE" and len(c.path) > 1 and column is not None:
        # Spark describes whole columns of its own tables.
        if not isinstance(column.data_type, StructType | ArrayType | MapType):
            raise analysis_error(
                "INVALID_EXTRACT_BASE_FIELD_TYPE",
                f'Cannot extract a value from "{column.name}", which is of type "{column.data_type.sql}".',
            )
        raise analysis_error("_LEGACY_ERROR_TEMP_1060", f"DESCRIBE takes no field of a column: {sql_text(c.path)}.")
    if column is not None and c.fields and (c.fields[0].name, c.fields[0].data_type) != (column.name, column.data_type):
        new = c.fields[0]
        if not table.keeps_versions:
            raise analysis_error(
                "NOT_SUPPORTED_CHANGE_COLUMN",
                f"{c.verb} cannot make the column {sql_text(c.path)} of {shown}, of type "
                f'"{column.data_type.sql}", {sql_text((new.name,))} of type "{new.data_type.sql}".',
            )
    if "NOT NULL" in c.flags and not table.keeps_versions:
        raise analysis_error("_LEGACY_ERROR_TEMP_1052", f"A column that is added to {shown} may be null.")
    if c.verb == "ANALYZE TABLE":
        for f in c.columns:
            found = known.get(f.name.lower())
            if found is None:
                raise analysis_error(
                    "COLUMN_NOT_FOUND", f"The column {sql_text((f.name,))} of {shown} cannot be found."
                )
            if isinstance(found.data_type, StructType | ArrayType | MapType):
                raise analysis_error(
                    "UNSUPPORTED_FEATURE.ANALYZE_UNSUPPORTED_COLUMN_TYPE",
                    f'ANALYZE TABLE does not support the type "{found.data_type.sql}" of the column '
                    f"{sql_text((f.name,))} in {shown}.",
                )
    if c.verb == "LOAD DATA":
        raise analysis_error("_LEGACY_ERROR_TEMP_1261", f"LOAD DATA is not for tables of data sources: {shown}.")
    if "SERDE" in c.flags:
        raise analysis_error(
            "UNSUPPORTED_SHOW_CREATE_TABLE.ON_DATA_SOURCE_TABLE_WITH_AS_SERDE",
            f"The table {shown} is of a data source: SHOW CREATE TABLE takes no AS SERDE.",
        )
    if table.partition_columns or table.keeps_versions:
        return
    if c.verb in ("MSCK REPAIR TABLE", "REPAIR TABLE"):
        raise analysis_error("NOT_A_PARTITIONED_TABLE", f"{c.verb} is not for {shown}: it is not partitioned.")
    if "PARTITION" in c.flags:
        truncates = c.verb == "TRUNCATE TABLE"
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1267" if truncates else "_LEGACY_ERROR_TEMP_1251",
            f"{c.verb} of a partition is not for {shown}: it is not partitioned.",
        )


def _no_column(name: tuple[str, ...], table: Table) -> AnalysisError:
    return analysis_error(
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        f"A column with name {sql_text(name)} cannot be resolved. The table has: "
        f"{', '.join(sql_text((f.name,)) for f in table.columns)}.",
    )


def check_function(c: Command, known: Set[str], databases: Collection[str], version: Behaviour) -> None:
    """Raise AnalysisError for DESCRIBE and REFRESH FUNCTION of one that is not among the `known` names."""
    _check_database(c.name, databases)
    if c.name[-1].lower() not in known | _OPERATORS:
        routine = c.verb == "REFRESH FUNCTION" and version.functions_are_routines
        error = "ROUTINE_NOT_FOUND" if routine else "UNRESOLVED_ROUTINE"
        raise analysis_error(error, f"The function {sql_text(c.name)} cannot be found.")


def check_dropped_function(
    name: tuple[str, ...],
    words: str,
    function: OwnFunction | None,
    databases: Collection[str],
    version: Behaviour,
) -> None:
    """Raise AnalysisError for DROP FUNCTION of one that is not there, or is Spark's own. `function` has the name."""
    temporary = "TEMPORARY" in words
    if not temporary:
        _check_database(name, databases)
        if len(name) == 1 and name[0].lower() in registry.names() and (function is None or function.temporary):
            error = "FORBIDDEN_OPERATION" if version.functions_are_routines else "_LEGACY_ERROR_TEMP_1017"
            raise analysis_error(error, f"{sql_text(name)} is Spark's own and stays.")
    if "IF EXISTS" not in words and (function is None or function.temporary != temporary):
        routine = temporary or version.functions_are_routines
        error = "ROUTINE_NOT_FOUND" if routine else "UNRESOLVED_ROUTINE"
        raise analysis_error(error, f"The function {sql_text(name)} cannot be found.")


def _check_database(name: tuple[str, ...], databases: Collection[str]) -> None:
    database = database_of(name)
    if database not in databases and database not in ("session", "builtin", "system"):
        raise analysis_error("SCHEMA_NOT_FOUND", f"The schema {sql_text((database,))} cannot be found.")


def _exists_already(name: str) -> AnalysisError:
    return analysis_error("COLUMN_ALREADY_EXISTS", f"The column {sql_text((name,))} already exists.")


def distinct_names(names: Sequence[str]) -> None:
    """Raise AnalysisError for a name that occurs twice."""
    before: set[str] = set()
    for n in names:
        if folded(n) in before:
            raise _exists_already(n)
        before.add(folded(n))


def _check_insert(c: Command, table: Table, query: LogicalPlan, policy: str) -> None:
    if "IF NOT EXISTS" in c.flags and "OVERWRITE" not in c.flags:
        raise analysis_error("INVALID_STATEMENT_OR_CLAUSE", "INSERT INTO ... IF NOT EXISTS is not a valid statement.")
    given = [f.name for f in c.columns]
    distinct_names(given)
    known = {f.name.lower(): f for f in table.columns}
    wrong = next((n for n in given if n.lower() not in known), None)
    if wrong is not None:
        raise _no_column((wrong,), table)
    unknown = [n for n in c.statics if n.lower() not in {p.lower() for p in table.partition_columns}]
    if unknown:
        raise analysis_error("PARTITIONS_NOT_FOUND", f"{', '.join(unknown)} partitions nothing in {sql_text(c.name)}.")
    _check_partition(c, table)
    if "BY NAME" in c.flags:
        extra = [a.name for a in query.output if a.name.lower() not in known]
        if extra:
            raise analysis_error(
                "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
                f"Cannot write incompatible data for the table {sql_text(table.qualified)}: extra columns "
                f"{', '.join(sql_text((n,)) for n in extra)}.",
            )
        wanted = [known[a.name.lower()] for a in query.output]
    else:
        fixed = {n.lower() for n in c.statics}
        wanted = [known[n.lower()] for n in given] or [f for f in table.columns if f.name.lower() not in fixed]
        check_arity(table, wanted, query.output)
    if "OVERWRITE" in c.flags and any(r.name == table.qualified for r in query.collect(LogicalRelation)):
        raise analysis_error(
            "UNSUPPORTED_OVERWRITE.TABLE",
            f"Can't overwrite the target that is also being read from: {sql_text(table.qualified)}.",
        )
    check_stored(table, wanted, query.output, "BY NAME" not in c.flags, policy)


def _check_partition(c: Command, table: Table) -> None:
    """Raise AnalysisError for a PARTITION that leaves a column out, or has a value behind a column of the query."""
    given = {name.lower(): value for name, value in c.partition}
    wanted = [name.lower() for name in table.partition_columns]
    if given and given.keys() != set(wanted):
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1169",
            f"PARTITION names {', '.join(given)}; the table {sql_text(table.qualified)} is partitioned by "
            f"{', '.join(wanted) or 'nothing'}.",
        )
    moving = [given[name] is None for name in wanted if name in given]
    if moving != sorted(moving):
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1147",
            f"The partition columns are {', '.join(wanted)}, in this order: those with a value come first.",
        )


def check_arity(table: Table, wanted: Sequence[StructField], given: Sequence[AttributeReference]) -> None:
    """Raise AnalysisError where a query has not as many columns as a table that it goes into asks for."""
    if len(wanted) != len(given):
        few = len(given) < len(wanted)
        raise analysis_error(
            f"INSERT_COLUMN_ARITY_MISMATCH.{'NOT_ENOUGH' if few else 'TOO_MANY'}_DATA_COLUMNS",
            f"{sql_text(table.qualified)}: {len(wanted)} columns are wanted, {len(given)} given.",
        )


def check_stored(
    table: Table,
    wanted: Sequence[StructField],
    given: Sequence[AttributeReference],
    by_place: bool = True,
    policy: str = "ANSI",
) -> None:
    """Raise AnalysisError for a column that cannot be stored as the type of the table's column at its place.

    `policy` is spark.sql.storeAssignmentPolicy: LEGACY casts whatever can be cast, STRICT only what loses nothing.
    """
    if policy == "LEGACY":
        return
    allowed = can_up_cast if policy == "STRICT" else can_store_assign
    for field, a in zip(wanted, given, strict=True):
        if UNKNOWN in (a.type, field.data_type) or a.type in (NULL, field.data_type):
            continue
        # Fields stand for each other by their place, as columns do; BY NAME they are found by it.
        given_type = named_as(a.type, field.data_type) if by_place else in_order_of(a.type, field.data_type)
        if not allowed(given_type, field.data_type):
            raise analysis_error(
                "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
                f"Cannot write incompatible data for the table {sql_text(table.qualified)}: cannot safely cast "
                f'{sql_text((field.name,))} "{a.type.sql}" to "{field.data_type.sql}".',
            )


def altered(c: Command, catalog: Catalog) -> Catalog:
    """The catalogue after RENAME TO, ADD COLUMNS or ALTER VIEW ... AS."""
    view, table = catalog.view(c.name), catalog.table(c.name)
    if c.plan is not None:
        return catalog if view is None else catalog.with_view(replace(view, plan=c.plan, columns=()))
    if c.other:
        name = c.other[-1]
        if catalog.table(c.other) is not None or catalog.view(c.other) is not None:
            raise analysis_error(
                "TABLE_OR_VIEW_ALREADY_EXISTS", f"Cannot rename to {sql_text(c.other)}: it already exists."
            )
        made = catalog.without(c.name)
        if view is not None:
            return made.with_view(replace(view, name=name))
        return catalog if table is None else made.with_table(replace(table, name=name))
    if table is None:
        return catalog
    # New columns stand before those that a table is partitioned by.
    fixed = {p.lower() for p in table.partition_columns}
    own = [f for f in table.columns if f.name.lower() not in fixed]
    last = [f for f in table.columns if f.name.lower() in fixed]
    return catalog.with_table(replace(table, columns=(*own, *c.columns, *last)))


def changed_databases(c: Command, databases: set[str], catalog: Catalog) -> set[str]:
    """The databases after CREATE, DROP, USE, DESCRIBE or ALTER DATABASE; AnalysisError where Spark refuses it."""
    name = c.name[-1].lower()
    there = name in databases or name in ("global_temp", CATALOG)
    if c.verb == "CREATE DATABASE":
        if there and "IF NOT EXISTS" not in c.flags:
            raise analysis_error(
                "SCHEMA_ALREADY_EXISTS", f"Cannot create schema {sql_text(c.name)}: it already exists."
            )
        return databases | {name}
    if not there and "IF EXISTS" not in c.flags:
        raise analysis_error("SCHEMA_NOT_FOUND", f"The schema {sql_text(c.name)} cannot be found.")
    if c.verb != "DROP DATABASE":
        return databases
    if name == DATABASE:
        raise analysis_error("UNSUPPORTED_FEATURE.DROP_DATABASE", f"The database {name} cannot be dropped.")
    if "CASCADE" not in c.flags and any(t.database.lower() == name for t in catalog.tables.values()):
        raise analysis_error("SCHEMA_NOT_EMPTY", f"Cannot drop the schema {sql_text(c.name)}: it contains objects.")
    return databases - {name}
