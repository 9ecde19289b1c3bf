"""Variants in files: of each only the values that are taken out of it are read."""

from __future__ import annotations

from typing import NamedTuple

from typing_extensions import override

from planviz.expressions.calls import FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.complex import GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import IsNotNull, IsNull, conjunction
from planviz.logical.operators import Filter, Project, Subquery
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.lineage import partition_ids
from planviz.optimizer.scan_operation import ALWAYS_INLINE, scan_operation
from planviz.types import BOOLEAN, VARIANT, DataType, StructField, StructType

_SETTING = "spark.sql.variant.pushVariantIntoScan"


class RequestedVariantField(NamedTuple):
    """A value that a query takes out of a variant: where it lies, whether a wrong type fails, its zone and type."""

    path: str
    fails: bool
    zone: str
    data_type: DataType


_WHOLE = RequestedVariantField("$", True, "UTC", VARIANT)
#: What is remarked about a column whose variants are structs already (Spark: VariantMetadata.METADATA_KEY).
_DONE = "__VARIANT_METADATA_KEY"
#: A column's id and the ordinals of the structs around a variant in it.
_Place = tuple[int, tuple[int, ...]]


class PushVariantIntoScan(OptimizerRule):
    """Read of a variant in Parquet files only the values that the query takes out of it, as fields of a struct.

    Project [variant_get(v, $.a, int)] over t  =>  Project [v.0] over t whose v is struct<0:int>

    Pays where files are written with such values in columns of their own (shredded). The whole variant is a field, too,
    where it is read as such: `v.1 AS v`. A struct around a variant must not be read as a whole, for its type changes.
    """

    matches = (LogicalRelation,)
    settings = (_SETTING, ALWAYS_INLINE, "spark.sql.session.timeZone")
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) and plan.correlated:
            return plan
        if not self.context.on(_SETTING):
            return self.refuse(plan, "a setting switches it off", setting=_SETTING)
        return self._pushed(plan)

    def _pushed(self, plan: LogicalPlan) -> LogicalPlan:
        if not plan.bits & LogicalRelation.BIT:
            return plan
        found = scan_operation(plan, self.context.on(ALWAYS_INLINE), LogicalRelation)
        filters = found.all_filters if found is not None else None
        if found is None or filters is None:
            new: LogicalPlan = plan.map_children(self._pushed)
            return new
        relation = found.relation
        if relation.provider.lower() != "parquet":
            return plan
        kept = partition_ids(relation) or frozenset()
        variants = VariantInRelation([a for a in relation.attributes if a.expr_id not in kept], self._zone)
        if not variants.mapping:
            return plan
        for e in (*found.projects, *filters):
            variants.collect_requested_fields(e)
        new_columns = variants.columns()
        if not new_columns:
            return plan
        scan: LogicalPlan = relation.replace(
            attributes=tuple(new_columns.get(a.expr_id, a) for a in relation.attributes)
        )
        if filters:
            scan = Filter(conjunction([variants.rewritten(f, new_columns) for f in filters]), scan)
        return Project(tuple(self._item(e, variants, new_columns) for e in found.projects), scan)

    @property
    def _zone(self) -> str:
        return self.context.config.text("spark.sql.session.timeZone")

    @staticmethod
    def _item(e: Expression, variants: VariantInRelation, columns: dict[int, AttributeReference]) -> Expression:
        new = variants.rewritten(e, columns)
        if isinstance(new, NamedExpression) or not isinstance(e, AttributeReference):
            return new
        # The whole variant is now a field: it keeps its name and id.
        return Alias(new, e.name, e.expr_id, e.qualifier)


class VariantInRelation:
    """The variants in the columns of a table, within structs, too, with what is taken out of each, in its order."""

    def __init__(self, columns: list[AttributeReference], zone: str) -> None:
        self.zone = zone
        self.found = columns
        self.mapping: dict[_Place, dict[RequestedVariantField, int]] = {}
        for a in columns:
            if _DONE not in a.metadata:
                self._add_variant_fields(a.expr_id, a.data_type, ())

    def _add_variant_fields(self, column: int, t: DataType, path: tuple[int, ...]) -> None:
        if t == VARIANT:
            self.mapping[column, path] = {}
        elif isinstance(t, StructType):
            for i, field in enumerate(t.fields):
                self._add_variant_fields(column, field.data_type, (*path, i))

    def collect_requested_fields(self, e: Expression) -> None:
        """Notes what an expression takes out of variants; one whose struct is read as a whole is none any more."""
        place, requested = self._request(e)
        if place is not None and requested is not None:
            fields = self.mapping[place]
            fields.setdefault(requested, len(fields))
            return
        if isinstance(e, IsNotNull | IsNull) and _struct_path(e.child) is not None:
            return
        whole = _struct_path(e)
        if whole is not None:
            column, path = whole
            for other in [p for p in self.mapping if p[0] == column and p[1][: len(path)] == path]:
                del self.mapping[other]
            return
        for child in e.children:
            self.collect_requested_fields(child)

    def _request(self, e: Expression) -> tuple[_Place | None, RequestedVariantField | None]:
        """The variant that an expression takes a value out of, and the value."""
        if isinstance(e, FunctionCall) and e.name in ("variant_get", "try_variant_get"):
            place, path = self._place(e.arguments[0]), e.arguments[1]
            if place is not None and isinstance(path, Literal):
                fails = e.name == "variant_get"
                return place, RequestedVariantField(str(path.value), fails, self.zone, e.data_type)
        if isinstance(e, Cast):
            place = self._place(e.child)
            if place is not None:
                return place, RequestedVariantField("$", e.mode != "TRY", self.zone, e.type)
        place = self._place(e)
        return place, None if place is None else _WHOLE

    def _place(self, e: Expression) -> _Place | None:
        place = _struct_path(e)
        return place if place in self.mapping else None

    def columns(self) -> dict[int, AttributeReference]:
        """By id the columns in which variants became structs of what is taken out of them."""
        changed = {column for column, _ in self.mapping}
        return {
            a.expr_id: a.replace(
                type=self._rewritten_type(a.expr_id, a.type, ()), expr_id=next_id(), metadata=(*a.metadata, _DONE)
            )
            for a in self.found
            if a.expr_id in changed
        }

    def _rewritten_type(self, column: int, t: DataType, path: tuple[int, ...]) -> DataType:
        if t == VARIANT and (column, path) in self.mapping:
            requested = self.mapping[column, path]
            fields = [StructField(str(i), f.data_type) for f, i in requested.items()]
            # Whether it is null is all that is asked: any field will do.
            return StructType(tuple(fields or [StructField("0", BOOLEAN)]))
        if isinstance(t, StructType):
            fields = [
                StructField(f.name, self._rewritten_type(column, f.data_type, (*path, i)), f.nullable)
                for i, f in enumerate(t.fields)
            ]
            return StructType(tuple(fields))
        return t

    def rewritten(self, e: Expression, columns: dict[int, AttributeReference]) -> Expression:
        """The expression over the new columns."""

        def column(x: Expression) -> Expression:
            return columns.get(x.expr_id, x) if isinstance(x, AttributeReference) else x

        def one(x: Expression) -> Expression:
            place, requested = self._request(x)
            if place is None or requested is None:
                return column(x)
            variant = x if requested == _WHOLE and _struct_path(x) is not None else x.children[0]
            return GetStructField(variant.transform_down(column), self.mapping[place][requested])

        def down(x: Expression) -> Expression:
            if isinstance(x, IsNotNull | IsNull) and _struct_path(x.child) is not None:
                new: Expression = x.transform_down(column)
                return new
            changed = one(x)
            if changed is not x:
                return changed
            return x.map_children(down)

        return down(e)


def _struct_path(e: Expression) -> _Place | None:
    """The column that a chain of fields begins with, and their ordinals (Spark: StructPath)."""
    path: list[int] = []
    while isinstance(e, GetStructField):
        path.insert(0, e.ordinal)
        e = e.child
    return (e.expr_id, tuple(path)) if isinstance(e, AttributeReference) else None
