"""Arrays, maps, structs; hashes of any values."""

from __future__ import annotations

from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateArray, CreateMap, CreateNamedStruct, struct_of
from planviz.expressions.core import Expression, Literal, TypeMismatch
from planviz.expressions.specs import ZONE, FunctionSpec
from planviz.functions.builders.base import Args, Builder, Entry, wrong_count
from planviz.functions.signatures import CHECKS, accepts
from planviz.functions.signatures.results import result_of, zip_names
from planviz.types import INT, LONG, ArrayType, DataType, has_map


def _in_pairs(name: str, make: Builder) -> Builder:
    def checked(a: Args) -> Expression:
        if len(a) % 2:
            wrong_count(name, "2n (n > 0)", len(a), a[0])
        return make(a)

    return checked


def _sequence(a: Args) -> Expression:
    spec = FunctionSpec(
        "sequence",
        (),
        lambda args: ArrayType(args[0].data_type, False),
        option=3,
        null_intolerant=False,
        check=CHECKS["sequence"],
    )
    return FunctionCall("sequence", a, spec, (ZONE,))


_ZIP = FunctionSpec("arrays_zip", (accepts("R"),), result_of("zip"), foldable=False, null_intolerant=False)
_SHUFFLE = FunctionSpec("shuffle", (accepts("R"), accepts("L")), result_of("0"), deterministic=False)


def _shuffled(a: Args) -> Expression:
    """shuffle(array[, seed]): a constant seed is shown as one that was drawn is."""
    if len(a) == 2 and isinstance(a[1], Literal) and isinstance(a[1].value, int):
        return FunctionCall("shuffle", a[:1], _SHUFFLE, (f"Some({a[1].value})",))
    return FunctionCall("shuffle", a, _SHUFFLE)


def _without_maps(name: str, arguments: Args) -> TypeMismatch | None:
    if not any(has_map(a.data_type) for a in arguments):
        return None
    return TypeMismatch("HASH_MAP_TYPE", f'Input to the function `{name}` cannot contain elements of the "MAP" type')


def _hash(name: str, result: DataType) -> Builder:
    spec = FunctionSpec(name, (accepts("*"),), lambda _: result, False, check=_without_maps)
    return lambda a: FunctionCall(name, a, spec, ("42",))


BUILDERS: dict[str, Entry] = {
    "array": (0, -1, CreateArray),
    "map": (0, -1, _in_pairs("map", CreateMap)),
    "struct": (0, -1, lambda a: struct_of(list(a), "struct")),
    "named_struct": (0, -1, _in_pairs("named_struct", CreateNamedStruct)),
    "sequence": (2, 3, _sequence),
    "arrays_zip": (0, -1, lambda a: FunctionCall("arrays_zip", a, _ZIP, zip_names(a))),
    "shuffle": (1, 2, _shuffled),
    "hash": (1, -1, _hash("hash", INT)),
    "xxhash64": (1, -1, _hash("xxhash64", LONG)),
}
