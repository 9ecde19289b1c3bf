"""Whole-stage code generation: what can be fused, and the nodes that mark its stages. No text shows them but `*(n)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from planviz.config import OptimizerConfig
from planviz.expressions.core import Expression
from planviz.expressions.generators import GeneratorCall
from planviz.expressions.specs import SignatureCall
from planviz.physical.conf import operator_conf
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.trees.node import mask_of, node
from planviz.types import ArrayType, DataType, MapType, StructType

#: Functions that no code is generated for (Spark: CodegenFallback), and how the names of families of them begin.
FALLBACK = frozenset(
    (
        *("approx_top_k_estimate", "array_sort", "from_json", "hll_sketch_estimate", "hll_union", "java_method"),
        *("map_filter", "map_zip_with", "reflect", "replicaterows", "transform_keys", "transform_values", "unnest"),
        *("theta_difference", "theta_intersection", "theta_sketch_estimate", "theta_union", "zip_with"),
    )
)
#: Functions that take lambdas and have generated code since Spark 4.3.
LAMBDAS = frozenset(("aggregate", "exists", "filter", "forall", "reduce", "transform"))
#: Functions that read and write JSON, CSV, XML and URLs and have it since 4.0.
JSON = frozenset(
    (
        *("from_csv", "get_json_object", "json_array_length", "json_object_keys", "json_tuple", "parse_url"),
        *(
            "schema_of_csv",
            "schema_of_json",
            "sentences",
            "to_csv",
            "to_json",
            "xpath",
            "xpath_boolean",
            "xpath_double",
        ),
        *("xpath_float", "xpath_int", "xpath_long", "xpath_number", "xpath_short", "xpath_string"),
    )
)
_FAMILIES = ("kll_sketch_get_", "kll_sketch_to_string_", "kll_sketch_merge_", "tuple_")
_CALLS = mask_of(SignatureCall, GeneratorCall)


_not_coded: ContextVar[frozenset[str]] = ContextVar("not_coded", default=FALLBACK)


@contextmanager
def coding(config: OptimizerConfig) -> Iterator[None]:
    """Within the block code is generated for the functions that the configured version generates code for."""
    known = config.behaviour
    names = FALLBACK if known.lambdas_are_coded else FALLBACK | LAMBDAS
    token = _not_coded.set(names if known.json_is_coded else names | JSON)
    try:
        yield
    finally:
        _not_coded.reset(token)


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
    for x in e.walk():
        if x.bits & _CALLS and isinstance(x, SignatureCall | GeneratorCall) and x.children:
            name = x.name.lower()
            if name in _not_coded.get() or name.startswith(_FAMILIES):
                return True
    return False


def gathers(plan: SparkPlan) -> bool:
    """Whether the generated code of an operator reads more than one input."""
    return len(plan.children if plan.APART else plan.driven) > 1
