"""Values written as text and read again, and text of which only a part is read."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateNamedStruct, GetArrayStructFields, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, Literal
from planviz.expressions.objects import KnownNotNull
from planviz.expressions.predicates import IsNull
from planviz.functions.builders.formats import parse_options, parsed_as, required_of
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.types import ArrayType, DataType, StructField, StructType


class SimplifyDateTimeConversions(OptimizerRule):
    """Writing and reading by one format, there and back again.

    date_format(to_timestamp(date_format(t, f), f), f)  =>  date_format(t, f)
    to_timestamp(date_format(to_timestamp(s, f), f), f)  =>  to_timestamp(s, f)

    Pays because parsing is dear. Not to_timestamp(date_format(t, f), f) alone: with f = 'yyyy' it gives the start of
    the year. Formats and time zones must be the same.
    """

    matches = (FunctionCall,)
    looks_for = ("DateFormatClass", "GetTimestamp")

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(_there_and_back, FunctionCall.BIT, self.settled)


def _there_and_back(e: Expression) -> Expression:
    for outer, inner in (("date_format", "gettimestamp"), ("gettimestamp", "date_format")):
        middle = _argument(e, outer, inner)
        core = _argument(middle, inner, outer) if middle is not None else None
        if core is None or middle is None or not isinstance(e, FunctionCall):
            continue
        if core.name == e.name and core.tail == e.tail and _one_format(e, middle, core):
            return core
    return e


def _argument(e: Expression, name: str, of: str) -> FunctionCall | None:
    """The first argument of a call of `name` when that is a call of `of`."""
    if not isinstance(e, FunctionCall) or e.name != name:
        return None
    first = e.arguments[0]
    return first if isinstance(first, FunctionCall) and first.name == of else None


def _one_format(*calls: FunctionCall) -> bool:
    formats, zones = [c.arguments[1] for c in calls], {_zone(c) for c in calls}
    return len(zones) == 1 and all(f.semantic_equals(formats[0]) for f in formats)


def _zone(call: FunctionCall) -> str:
    """The time zone among what prints behind the arguments."""
    return call.tail[0] if call.name == "date_format" else call.tail[2]


class OptimizeCsvJsonExprs(OptimizerRule):
    """Of JSON or CSV text only the fields that are read.

    from_json(s, 'a int, b int').a  =>  from_json(s, 'a int').a
    named_struct('a', from_json(s).a, 'b', from_json(s).b)
        =>  if(isnull(s), named_struct('a', null, 'b', null), from_json(s, 'a, b'))

    Pays because fields that nobody reads are not made. Not with options: with `mode` FAILFAST a broken field that
    no one reads fails the query, and must go on doing so.
    """

    matches = (GetStructField, GetArrayStructFields, FunctionCall)
    looks_for = ("GetStructField", "GetArrayStructFields", "CreateNamedStruct", "StructsToJson", "JsonToStructs")
    settings = (
        "spark.sql.optimizer.enableJsonExpressionOptimization",
        "spark.sql.optimizer.enableCsvExpressionOptimization",
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        steps = []
        if self.context.on("spark.sql.optimizer.enableJsonExpressionOptimization"):
            steps.append(_json)
        if self.context.on("spark.sql.optimizer.enableCsvExpressionOptimization"):
            steps.append(_csv)

        def operator(p: LogicalPlan) -> LogicalPlan:
            for step in steps:
                p = p.transform_expressions_down(step, self.mask)
            return p

        return plan.transform_down(operator, self.mask, self.settled)


def _json(e: Expression) -> Expression:
    match e:
        case CreateNamedStruct(parts) if parts:
            return _of_one_text(e)
        case GetStructField(FunctionCall("from_json") as call, ordinal) if _prunable(call, call.data_type):
            return e.replace(child=parsed_as(call, _only(call.data_type, ordinal)), ordinal=0)
        case GetArrayStructFields(FunctionCall("from_json") as call, ordinal):
            t = call.data_type
            if isinstance(t, ArrayType) and _prunable(call, t.element):
                pruned = ArrayType(_only(t.element, ordinal), t.contains_null)
                return e.replace(child=parsed_as(call, pruned), ordinal=0)
    return e


def _prunable(call: FunctionCall, t: DataType) -> bool:
    """Whether of the struct that a call without options makes a single field would do."""
    return isinstance(t, StructType) and len(t.fields) > 1 and not parse_options(call)


def _only(t: DataType, ordinal: int) -> StructType:
    assert isinstance(t, StructType)
    return StructType((t.fields[ordinal],))


def _of_one_text(struct: CreateNamedStruct) -> Expression:
    values = [v for v in struct.values if isinstance(v, GetStructField)]
    text = values[0].child if len(values) == len(struct.values) else None
    if not isinstance(text, FunctionCall) or text.name != "from_json" or parse_options(text):
        return struct
    alike = all(v.child.semantic_equals(text) for v in values)
    names = struct.names
    if not alike or len(set(names)) < len(names) or [v.field.name for v in values] != names:
        return struct
    fields = tuple(StructField(n, v.data_type, v.nullable) for n, v in zip(names, values, strict=True))
    nulls = tuple(part if i % 2 == 0 else Literal(None, part.data_type) for i, part in enumerate(struct.parts))
    pruned = KnownNotNull(parsed_as(text, StructType(fields)))
    return If(IsNull(text.arguments[0]), struct.replace(parts=nulls), pruned)


def _csv(e: Expression) -> Expression:
    match e:
        case GetStructField(FunctionCall("from_csv") as call, ordinal) if _prunable(call, call.data_type):
            if call.tail[-1] == "None":
                return e.replace(child=required_of(call, _only(call.data_type, ordinal)), ordinal=0)
    return e
