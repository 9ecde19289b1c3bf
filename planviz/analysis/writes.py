"""INSERT and CREATE TABLE AS: the query's columns as the table has them (Spark: PreprocessTableInsertion)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, same_name
from planviz.analysis.stored import named_as, stored
from planviz.analysis.text_lengths import checked, measured
from planviz.catalog.tables import Buckets, Table
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.objects import StaticInvoke
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.logical.writes import (
    SOURCES,
    CreateTableAsSelect,
    InsertIntoHadoopFsRelationCommand,
    InsertIntoStatement,
)
from planviz.types import NULL, STRING, UNKNOWN, ArrayType, DataType, MapType, StructField, StructType

#: Where tables lie of which nobody says where.
_WAREHOUSE = "file:/spark-warehouse"
_INDEX = "org.apache.spark.sql.execution.datasources."
_TIME_ZONE = "spark.sql.session.timeZone"


def folder_of(table: Table) -> str:
    """The folder of a table's files, as Spark's own warehouse has it."""
    database = "" if table.database.lower() == "default" else f"/{table.database.lower()}.db"
    return f"{_WAREHOUSE}{database}/{table.name.lower()}"


class ResolveUserSpecifiedColumns(AnalyzerRule):
    """Give the query's columns the names that stand behind the table.

    INSERT INTO t (b, a) over Project [x, y]  =>  INSERT INTO t over Project [x AS b, y AS a] over Project [x, y]

    From there on they are found by these names.
    """

    matches = (InsertIntoStatement,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, InsertIntoStatement) or not plan.columns or not plan.child.resolved:
            return plan
        table = _table_of(plan, self)
        if table is None:
            return plan
        fields = [
            next((f for f in table.columns if same_name(f.name, n)), StructField(n, UNKNOWN)) for n in plan.columns
        ]
        named = [self._named(a, f) for a, f in zip(plan.child.output, fields, strict=True)]
        return plan.replace(columns=(), by_name=True, child=Project(tuple(named), plan.child))

    def _named(self, given: AttributeReference, field: StructField) -> Expression:
        """A column of the query under the table's name, the fields of a nested one under the table's names, too."""
        nested = isinstance(given.type, ArrayType | MapType | StructType) and given.type != field.data_type
        if nested and self.context.config.behaviour.inserts_name_every_column:
            zone = str(self.context.config.get(_TIME_ZONE))
            return Alias(Cast(given, named_as(given.type, field.data_type), time_zone=zone), field.name, next_id())
        return Alias(given, field.name, next_id())


class PreprocessTableInsertion(AnalyzerRule):
    """Cast what is inserted to the types of the table's columns, under their names.

    INSERT INTO t over Project [x]  =>  INSERT INTO t over Project [cast(x as int) AS a] over Project [x]

    A column that the query does not give has its DEFAULT, or else null.
    """

    matches = (InsertIntoStatement, CreateTableAsSelect)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, CreateTableAsSelect):
            return _with_partitions_last(plan)
        table = _table_to_fill(plan, self)
        if table is None or not isinstance(plan, InsertIntoStatement):
            return plan
        static = [name for name, _ in plan.fixed]
        wanted = [f for f in table.columns if not any(same_name(f.name, s) for s in static)]
        given = plan.child.output
        if plan.by_name:
            found = [next((a for a in given if same_name(a.name, f.name)), None) for f in wanted]
        else:
            found = list(given)
        items = [self._column(a, f, table, plan.by_name) for a, f in zip(found, wanted, strict=True)]
        if all(isinstance(i, AttributeReference) for i in items) and items == list(given):
            return plan
        return plan.replace(child=Project(tuple(items), plan.child))

    def _column(self, given: AttributeReference | None, field: StructField, table: Table, by_name: bool) -> Expression:
        if given is None:
            default = next((e for name, e in table.defaults if same_name(name, field.name)), None)
            value = default or Literal(None, field.data_type)
            declared = table.declared_type(field.name)
            return Alias(value if declared is None else measured(value, declared, checked), field.name, next_id())
        zone = str(self.context.config.get(_TIME_ZONE))
        lengths = {"char": dict(table.char_lengths), "varchar": dict(table.varchar_lengths)}
        length = next(((kind, known[field.name]) for kind, known in lengths.items() if field.name in known), None)
        same = UNKNOWN in (given.type, field.data_type) or _alike(given.type, field.data_type)
        renamed = self.context.config.behaviour.inserts_name_every_column
        if length is not None:
            text = Cast(given, STRING, time_zone=zone)
            check = f"{length[0]}TypeWriteSideCheck"
            call = StaticInvoke("CharVarcharCodegenUtils", check, STRING, (text, lit(length[1])))
            return Alias(call, field.name, next_id())
        if not renamed and same and given.name == field.name:
            return given
        if renamed:
            wanted = table.declared_type(field.name) or field.data_type
            return Alias(stored(given, wanted, zone, by_name), field.name, next_id())
        return Alias(Cast(given, field.data_type, time_zone=zone), field.name, next_id())


class DataSourceAnalysis(AnalyzerRule):
    """Turn INSERT and CREATE TABLE AS into the command that writes the files of the table.

    INSERT INTO t PARTITION (d = 'x') over q  =>  InsertIntoHadoopFsRelationCommand t over Project [a, 'x' AS d] over q

    CREATE TABLE AS is shown as what it runs: Spark's EXPLAIN of it stops at the analyzed query.
    """

    matches = (InsertIntoStatement, CreateTableAsSelect)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, CreateTableAsSelect) and plan.child.resolved:
            layout = Layout(plan.provider, plan.partition, plan.buckets)
            return command_over(plan.child, plan.path, layout, "Overwrite")
        table = _table_to_fill(plan, self)
        if table is None or not isinstance(plan, InsertIntoStatement):
            return plan
        known = {name.lower(): name for name in table.partition_columns}
        fixed = tuple((known.get(name.lower(), name), value) for name, value in plan.fixed)
        child = self._with_fixed(plan.child, table, fixed) if fixed else plan.child
        path, mode = folder_of(table), "Overwrite" if plan.overwrite else "Append"
        layout = Layout(table.provider, table.partition_columns, table.buckets)
        return command_over(child, path, layout, mode, self._shown(table), fixed)

    def _with_fixed(self, query: LogicalPlan, table: Table, fixed: tuple[tuple[str, str], ...]) -> LogicalPlan:
        """The query with the columns that have one value for all rows, in the table's order."""
        zone, rest = str(self.context.config.get(_TIME_ZONE)), iter(query.output)
        items: list[Expression] = []
        for f in table.columns:
            value = next((v for n, v in fixed if same_name(n, f.name)), None)
            cast = None if value is None else Cast(lit(value), f.data_type, time_zone=zone)
            items.append(next(rest) if cast is None else Alias(cast, f.name, next_id()))
        return Project(tuple(items), query)

    def _shown(self, table: Table) -> str:
        """The table and the class that lists its files."""
        parts = table.qualified if self.context.config.behaviour.relations_name_the_catalogue else table.qualified[1:]
        index = "CatalogFileIndex" if table.partition_columns else "InMemoryFileIndex"
        return f"{'.'.join(f'`{part}`' for part in parts)}, {_INDEX}{index}({folder_of(table)})"


@dataclass(frozen=True)
class Layout:
    """How files are written: the format, the columns that make folders, how rows are spread over files."""

    provider: str
    partition: tuple[str, ...] = ()
    buckets: Buckets | None = None


def command_over(
    query: LogicalPlan, path: str, layout: Layout, mode: str, table: str = "", fixed: tuple[tuple[str, str], ...] = ()
) -> InsertIntoHadoopFsRelationCommand:
    """What writes a query's rows as files of a folder. `table` is whose files they are (empty: nobody's), `fixed` the
    columns of folders with the one value that they have."""
    columns = {a.name.lower(): a for a in query.output}

    def named(names: Sequence[str]) -> tuple[AttributeReference, ...]:
        return tuple([columns[name.lower()] for name in names])

    buckets = layout.buckets
    return InsertIntoHadoopFsRelationCommand(
        path,
        named(layout.partition),
        SOURCES.get(layout.provider, layout.provider),
        f"path={path}",
        mode,
        table,
        tuple([a.name for a in query.output]),
        query,
        0 if buckets is None else buckets.number,
        () if buckets is None else named(buckets.columns),
        () if buckets is None else named(buckets.sorted_by),
        fixed,
    )


def _with_partitions_last(plan: CreateTableAsSelect) -> LogicalPlan:
    """The columns that tell the folder stand last in a table."""
    if not plan.child.resolved or not plan.partition:
        return plan
    last = [next(a for a in plan.child.output if same_name(a.name, p)) for p in plan.partition]
    order = [*[a for a in plan.child.output if a not in last], *last]
    if order == list(plan.child.output):
        return plan
    return plan.replace(child=Project(tuple(order), plan.child))


def _table_to_fill(plan: LogicalPlan, rule: AnalyzerRule) -> Table | None:
    """The table of an INSERT whose query is analyzed and in the order of the table's columns, or BY NAME; else None."""
    if not isinstance(plan, InsertIntoStatement) or plan.columns or not plan.child.resolved:
        return None
    return _table_of(plan, rule)


def _table_of(plan: InsertIntoStatement, rule: AnalyzerRule) -> Table | None:
    if plan.into is not None:
        return plan.into
    assert isinstance(plan.table, UnresolvedRelation)
    return rule.context.catalog.table(plan.table.parts)


def _alike(given: DataType, wanted: DataType) -> bool:
    """Whether values need no cast; whether elements may be null does not count."""
    return given != NULL and given.simple_string == wanted.simple_string
