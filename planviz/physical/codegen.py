"""Whole-stage code generation: what can be fused, and the nodes that mark its stages. No text shows them but `*(n)`."""

from __future__ import annotations

from collections.abc import Iterable

from planviz.expressions.core import Expression
from planviz.expressions.generators import GeneratorCall
from planviz.expressions.specs import SignatureCall
from planviz.physical.codegen_fallback import FAMILIES
from planviz.physical.conf import operator_conf
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.trees.node import mask_of, node
from planviz.types import ArrayType, DataType, MapType, StructType

_CALLS = mask_of(SignatureCall, GeneratorCall)


@node
class WholeStageCodegenExec(UnaryExec):
    """The root of a stage: what is beneath it, up to the next mark, runs as one generated function."""

    child: SparkPlan
    codegen_stage: int

    UNCOMPARED = ("codegen_stage",)


@node
class InputAdapter(UnaryExec):
    """The end of a stage: what is beneath it gives rows to the stage above."""

    child: SparkPlan

    codegen_stage = None


@node
class ColumnarToRowExec(UnaryExec):
    """Batches of columns to rows."""

    child: SparkPlan
    CODEGEN = True


@node
class AdaptiveSparkPlanExec(UnaryExec):
    """The root of a plan that is planned anew while it runs."""

    child: SparkPlan

    @property
    def simple_string(self) -> str:
        """AdaptiveSparkPlan isFinalPlan=false."""
        return "AdaptiveSparkPlan isFinalPlan=false"


def generated(plan: SparkPlan) -> bool:
    """Whether an operator can be part of a stage (Spark: CollapseCodegenStages.supportCodegen)."""
    if not plan.supports_codegen or any(e.bits & _CALLS and _falls_back(e) for e in plan.expressions):
        return False
    most = operator_conf().max_fields
    return all(fields_in(a.type for a in p.output) <= most for p in (plan, *plan.children))


def fields_in(types: Iterable[DataType]) -> int:
    """How many values there are in columns of these types, nested ones counted (Spark: numOfNestedFields)."""
    return sum(_fields(t) for t in types)


def _fields(t: DataType) -> int:
    match t:
        case StructType():
            return fields_in(f.data_type for f in t.fields)
        case MapType():
            return _fields(t.key) + _fields(t.value)
        case ArrayType():
            return _fields(t.element)
    return 1


def _falls_back(e: Expression) -> bool:
    """Whether a function in it has no generated code; one without arguments does not matter."""
    without = operator_conf().fallback
    for x in e.walk():
        if x.bits & _CALLS and isinstance(x, SignatureCall | GeneratorCall) and x.children:
            name = x.name.lower()
            if name in without or name.startswith(FAMILIES):
                return True
    return False


def gathers(plan: SparkPlan) -> bool:
    """Whether the generated code of an operator reads more than one input."""
    return len(plan.children if plan.APART else plan.driven) > 1
