"""Functions by name: from a call to the expression that it means."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateFunction
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Expression
from planviz.expressions.unresolved import NamedArgument
from planviz.expressions.windows import WindowFunction
from planviz.frontend.errors import analysis_error, moved
from planviz.functions.builders import BUILDERS, Args
from planviz.functions.builders.aggregates import aggregate_call
from planviz.functions.builders.datetimes import WITHOUT_ZONE
from planviz.functions.elsewhere import instead_of
from planviz.functions.number_formats import check_number_format
from planviz.functions.operators import OPERATORS
from planviz.functions.signatures import AGGREGATE_SIGNATURES, SIGNATURES, Signature

if TYPE_CHECKING:
    from planviz.trees.node import TreeNode


#: Functions of the DataFrame API that no SQL can call (Spark: FunctionRegistry.internal).
INTERNAL = frozenset({"product"})
#: Names are compared up to so many letters.
_LONGEST = 60


def known(name: str) -> bool:
    """Whether a function of this name is known."""
    return any(name in table for table in (BUILDERS, OPERATORS, SIGNATURES, AGGREGATE_SIGNATURES))


def names() -> frozenset[str]:
    """The names of all functions that SQL can call."""
    tables = (BUILDERS, OPERATORS, SIGNATURES, AGGREGATE_SIGNATURES)
    return frozenset(n for table in tables for n in table) - INTERNAL


def build(
    parts: tuple[str, ...], arguments: Args, place: TreeNode | None, without_zone: bool = False
) -> Expression | None:
    """The expression that a call means, or None for an unknown name; `without_zone`: TIMESTAMP has no time zone.

    Raises AnalysisError when the number of arguments is wrong.
    """
    name = parts[-1].lower()
    if any(isinstance(a, NamedArgument) for a in arguments):
        arguments = _by_position(name, arguments, place)
    if name in PARAMETERS and len(arguments) < _required(name):
        raise _missing_parameter(name, PARAMETERS[name][len(arguments)], place)
    found = (WITHOUT_ZONE.get(name) if without_zone else None) or BUILDERS.get(name) or OPERATORS.get(name)
    if found is not None:
        fewest, most, make = found
        _check_count(name, len(arguments), fewest, most, place)
        try:
            return make(arguments)
        except AnalysisError as error:
            # Spark says where the call stands, whichever argument is to blame.
            raise moved(error, place) from None
    if name in ("to_number", "try_to_number") and len(arguments) == 2:
        check_number_format(arguments[1], name)
    if name in SIGNATURES:
        row = SIGNATURES[name]
        return FunctionCall(row.spec.name, _filled(name, row, arguments, place), row.spec, row.spec.tail)
    if name in AGGREGATE_SIGNATURES:
        return aggregate_call(name, _filled(name, AGGREGATE_SIGNATURES[name], arguments, place))
    return None


#: The parameters of the built-in functions that take arguments by name.
PARAMETERS = {
    **dict.fromkeys(("explode", "explode_outer", "posexplode", "posexplode_outer"), ("collection",)),
    **dict.fromkeys(("inline", "inline_outer", "variant_explode", "variant_explode_outer"), ("input",)),
    "mask": ("str", "upperchar", "lowerchar", "digitchar", "otherchar"),
    "count_min_sketch": ("column", "epsilon", "confidence", "seed"),
    **{
        f"tuple_{what}_{kind}": names
        for what, names in (
            ("sketch_agg", ("key", "summary", "lgnomentries", "mode")),
            ("union_agg", ("child", "lgnomentries", "mode")),
            ("union", ("first", "second", "lgnomentries", "mode")),
            ("union_theta", ("first", "second", "lgnomentries", "mode")),
        )
        for kind in ("double", "integer")
    },
}


def _required(name: str) -> int:
    """How many of the named parameters have no default."""
    row = SIGNATURES.get(name) or AGGREGATE_SIGNATURES.get(name)
    return row.fewest if row is not None else BUILDERS[name][0] if name in BUILDERS else 0


def _missing_parameter(name: str, parameter: str, place: TreeNode | None) -> AnalysisError:
    return analysis_error(
        "REQUIRED_PARAMETER_NOT_FOUND",
        f"Cannot invoke routine `{name}` because the parameter named `{parameter}` is required, but was not given.",
        place,
    )


def _by_position(name: str, arguments: Args, place: TreeNode | None) -> Args:
    """The arguments in the order of the parameters, defaults where some are left out between."""
    if not known(name):
        return arguments
    names = PARAMETERS.get(name)
    if names is None:
        raise analysis_error(
            "NAMED_PARAMETERS_NOT_SUPPORTED",
            f"Named parameters are not supported for function `{name}`; please retry the query with positional "
            "arguments to the function call instead.",
            place,
        )
    given: dict[str, Expression] = {}
    for at, a in enumerate(arguments):
        named = isinstance(a, NamedArgument)
        key = a.name.lower() if isinstance(a, NamedArgument) else names[at] if at < len(names) else str(at)
        if not named and any(isinstance(x, NamedArgument) for x in arguments[:at]):
            raise analysis_error(
                "UNEXPECTED_POSITIONAL_ARGUMENT",
                f"Cannot invoke routine `{name}` because it contains positional argument(s) following the named "
                "argument(s).",
                place,
            )
        if key in given:
            told = f"The parameter `{key}` of `{name}` is given twice."
            twice = any(isinstance(x, NamedArgument) and x.name.lower() == key for x in arguments[:at])
            how = "DOUBLE_NAMED_ARGUMENT_REFERENCE" if twice else "BOTH_POSITIONAL_AND_NAMED"
            raise analysis_error(f"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{how}", told, place)
        if named and key not in names:
            told = f"Cannot invoke routine `{name}`: it has no parameter `{key}`."
            raise analysis_error("UNRECOGNIZED_PARAMETER_NAME", told, place)
        given[key] = a.child if isinstance(a, NamedArgument) else a
    row = SIGNATURES.get(name) or AGGREGATE_SIGNATURES.get(name)
    defaults = row.defaults if row is not None else ()
    last = max(names.index(k) if k in names else int(k) for k in given)
    out = []
    for at, key in enumerate([*names, *map(str, range(len(names), last + 1))][: last + 1]):
        skipped = at - (len(names) - len(defaults))
        value = given.get(key, defaults[skipped] if 0 <= skipped < len(defaults) else None)
        if value is None:
            raise _missing_parameter(name, key, place)
        out.append(value)
    return tuple(out)


def _filled(name: str, row: Signature, arguments: Args, place: TreeNode | None) -> Args:
    """The arguments with the defaults of those that are missing."""
    _check_count(name, len(arguments), row.fewest, row.most, place)
    missing = max(row.most - len(arguments), 0)
    more = row.defaults[len(row.defaults) - missing :] if missing else ()
    return (*arguments, *(d for d in more if d is not None))


def _check_count(name: str, count: int, fewest: int, most: int, place: TreeNode | None) -> None:
    if fewest <= count and (most < 0 or count <= most):
        return
    wanted = (
        f"{fewest}"
        if fewest == most
        else f"> {fewest - 1}"
        if most < 0
        else f"[{', '.join(map(str, range(fewest, most + 1)))}]"
    )
    raise analysis_error(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        f"The `{name}` requires {wanted} parameters but the actual number is {count}.",
        place,
    )


def is_aggregate_function(e: Expression) -> bool:
    """Whether the expression is an aggregate function that is not a pure window function."""
    return isinstance(e, AggregateFunction) and not isinstance(e, WindowFunction)


def nearest(name: str) -> str:
    """A blank and what Spark has instead of another system's function, or the question whether a built-in function of a
    near name was meant; "" where no name is near."""
    if found := instead_of(name):
        return found
    wanted, there = name.lower()[:_LONGEST], sorted(names())
    # COUNTIF is count_if: as other databases write it.
    same = [n for n in there if n.replace("_", "") == wanted.replace("_", "")]
    near = same or get_close_matches(wanted, there, 2, 0.75)
    return f" Did you mean {' or '.join(near)}?" if near else ""
