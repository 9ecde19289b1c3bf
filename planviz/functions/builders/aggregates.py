"""Aggregate functions."""

from __future__ import annotations

from dataclasses import replace

from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.aggregates import AggregateCall, Average, Count, FirstLast, Max, Min, Sum
from planviz.expressions.core import Expression, Literal
from planviz.expressions.specs import FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.base import Args, Builder, Entry
from planviz.functions.signatures import AGGREGATE_SIGNATURES, accepts
from planviz.functions.signatures.checks import CHECKS
from planviz.functions.signatures.results import result_of
from planviz.types import BOOLEAN, DOUBLE, LONG, NULL, UNKNOWN, ArrayType, DecimalType


def aggregate_call(name: str, arguments: Args) -> AggregateCall:
    """The call of an aggregate function that has a signature."""
    spec = AGGREGATE_SIGNATURES[name].spec
    return AggregateCall(spec.name, arguments, spec, spec.tail)


def frequent_items(column: Expression, tail: tuple[str, ...]) -> AggregateCall:
    """What `DataFrame.freqItems` computes of a column; `tail`: how many items are kept, and two offsets."""
    spec = FunctionSpec("collect_frequent_items", (), lambda args: ArrayType(args[0].data_type), False)
    return AggregateCall(spec.name, (column,), spec, tail)


def _first_last(name: str) -> Builder:
    def make(a: Args) -> Expression:
        if len(a) > 1 and not (isinstance(a[1], Literal) and a[1].type == BOOLEAN and a[1].value is not None):
            raise analysis_error(
                "_LEGACY_ERROR_TEMP_1210", f"The second argument in {name} should be a boolean literal.", a[1]
            )
        ignore = len(a) > 1 and isinstance(a[1], Literal) and a[1].value is True
        return FirstLast(a[0], name, ignore)

    return make


#: HyperLogLog++ needs 4 bits of the hash: beyond this deviation it would take fewer.
_MOST_DEVIATION = 0.39
_DISTINCT = FunctionSpec("approx_count_distinct", (accepts("*"),), lambda _: LONG, False)


def _approx_count_distinct(a: Args) -> Expression:
    share = a[1] if len(a) > 1 else None
    known = isinstance(share, Literal) and share.value is not None
    if share is not None and not (known and (share.data_type == DOUBLE or isinstance(share.data_type, DecimalType))):
        told = "The second argument of approx_count_distinct should be a double literal."
        raise analysis_error("_LEGACY_ERROR_TEMP_1104", told, share)
    if isinstance(share, Literal) and not 0 < share.value <= _MOST_DEVIATION:
        told = f"approx_count_distinct counts to within a share of {_MOST_DEVIATION} or less, not {share.value}."
        raise analysis_error("FAILED_FUNCTION_CALL", told, share)
    deviation = "0.05" if share is None else str(share)
    return AggregateCall("approx_count_distinct", a[:1], _DISTINCT, (deviation, "0", "0"))


def _best(name: str) -> Builder:
    """max_by and min_by; with a number of values they are another function of the same name."""
    flag = "true" if name == "min_by" else "false"

    def make(a: Args) -> Expression:
        made = aggregate_call(name, a)
        return made.replace(tail=(flag, "0", "0")) if len(a) > 2 else made

    return make


#: Aggregates that are computed over whole partitions only.
WHOLE_PARTITIONS = frozenset(("median", "percentile_cont", "percentile_disc"))
#: How many keys the ORDER BY of WITHIN GROUP must have (0: any number, none as well).
ORDERINGS = {"mode": 1, "percentile_cont": 1, "percentile_disc": 1, "listagg": 0, "string_agg": 0}
_MODE = FunctionSpec("mode", (), result_of("0"), True)


def _check_flag(e: Expression) -> None:
    """Raise AnalysisError for what does not say whether mode() is to be deterministic."""
    if not e.foldable:
        raise analysis_error(
            "NON_FOLDABLE_ARGUMENT", f'The `deterministic` of `mode` must be a constant, not "{e.pretty}".', e
        )
    if e.data_type not in (BOOLEAN, UNKNOWN, NULL):
        raise analysis_error(
            "UNEXPECTED_INPUT_TYPE", f'The `deterministic` of `mode` is true or false, not "{e.pretty}".', e
        )
    if DEFAULT_EVALUATOR.value_of(e) == Literal(None, e.data_type):
        raise analysis_error("DATATYPE_MISMATCH.UNEXPECTED_NULL", "The `deterministic` must not be null.", e)


def mode(a: Args, order: str = "None", shown: str = "") -> AggregateCall:
    """mode(value), in which `order` says which of several values it is; so does a second argument `true`."""
    if len(a) > 1:
        _check_flag(a[1])
    if len(a) > 1 and isinstance(a[1], Literal) and a[1].value is True:
        order, shown = "Some(true)", f"mode() WITHIN GROUP (ORDER BY {a[0].pretty} DESC)"
    return AggregateCall("mode", a[:1], _MODE, ("0", "0", order), sql_text=shown)


def percentile_of(call: AggregateCall, key: Expression, reverse: bool, shown: str) -> AggregateCall:
    """percentile_cont or percentile_disc over the key of its WITHIN GROUP."""
    spec = replace(
        call.spec,
        inputs=(accepts("N|YM|DT"), accepts("D|D[]")),
        folded=(2,),
        check=CHECKS["share"],
        result=result_of("percentile"),
    )
    tail = ("true" if reverse else "false", *call.tail[1:])
    return AggregateCall(call.name, (key, call.arguments[0]), spec, tail, sql_text=shown)


def _count(a: Args) -> Expression:
    if not a:
        raise analysis_error(
            "WRONG_NUM_ARGS.WITH_SUGGESTION", "The `count` requires >= 1 parameters but the actual number is 0."
        )
    return Count(a)


BUILDERS: dict[str, Entry] = {
    "count": (0, -1, _count),
    "sum": (1, 1, lambda a: Sum(a[0])),
    "try_sum": (1, 1, lambda a: Sum(a[0], "try_sum")),
    "avg": (1, 1, lambda a: Average(a[0])),
    "mean": (1, 1, lambda a: Average(a[0], "mean")),
    "try_avg": (1, 1, lambda a: Average(a[0], "try_avg")),
    "min": (1, 1, lambda a: Min(a[0])),
    "max": (1, 1, lambda a: Max(a[0])),
    "first": (1, 2, _first_last("first")),
    "first_value": (1, 2, _first_last("first_value")),
    "last": (1, 2, _first_last("last")),
    "last_value": (1, 2, _first_last("last_value")),
    "any_value": (1, 2, _first_last("any_value")),
    "max_by": (2, 3, _best("max_by")),
    "min_by": (2, 3, _best("min_by")),
    "approx_count_distinct": (1, 2, _approx_count_distinct),
    "mode": (0, 2, mode),
}
