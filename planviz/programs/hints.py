"""What a program's text says of the types of columns: `col("age") > 30`, `F.year("day")`, `F.explode("tags")`."""

from __future__ import annotations

import ast

from planviz.programs.syntax import nodes_of
from planviz.types import BOOLEAN, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, ArrayType, DataType, MapType

_NUMBERS = """sum avg mean stddev stddev_samp variance round bround sqrt abs ceil floor corr sumDistinct"""
_ARRAYS = """explode explode_outer posexplode posexplode_outer array_contains size array_distinct sort_array array_join
array_max array_min array_position array_remove array_sort array_union array_intersect array_except arrays_zip
arrays_overlap slice exists forall zip_with cardinality shuffle"""
_MAPS = "map_keys map_values map_entries map_filter transform_keys transform_values map_concat"
_DAYS = """year month dayofmonth dayofweek weekofyear quarter date_add date_sub datediff add_months trunc"""
_MOMENTS = """hour minute second date_trunc window unix_timestamp date_format"""
_BY_FUNCTION: dict[str, DataType] = {
    **dict.fromkeys(_NUMBERS.split(), DOUBLE), **dict.fromkeys(_ARRAYS.split(), ArrayType(STRING)),
    **dict.fromkeys(_MAPS.split(), MapType(STRING, STRING)),
    **dict.fromkeys(_DAYS.split(), DATE), **dict.fromkeys(_MOMENTS.split(), TIMESTAMP),
}  # fmt: skip
_ARITHMETIC = (ast.Sub, ast.Mult, ast.Div, ast.Mod, ast.Pow)


def column_types(tree: ast.AST) -> dict[str, DataType]:
    """Types by lower-case name of the columns whose use in the program tells one; the first use counts."""
    found: dict[str, DataType] = {}

    def note(node: ast.AST, kind: DataType | None) -> None:
        name = _column(node)
        if name and kind is not None:
            found.setdefault(name.lower(), kind)

    for node in nodes_of(tree):
        match node:
            case ast.Compare(left=left, comparators=[right]):
                note(left, _constant(right))
                note(right, _constant(left))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                if not isinstance(left, ast.Constant) or not isinstance(left.value, str):
                    note(left, DOUBLE)
                    note(right, DOUBLE)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                note(operand, BOOLEAN)
            case ast.Call(func=ast.Attribute(value=holder, attr="isin" | "between"), args=[first, *_]):
                element = first.elts[0] if isinstance(first, ast.List | ast.Tuple) and first.elts else first
                note(holder, _constant(element))
            case ast.Call(func=func, args=[first, *_]):
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                kind = _BY_FUNCTION.get(name.lstrip("_"))
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    if kind is not None:
                        found.setdefault(first.value.lower(), kind)
                else:
                    note(first, kind)
    return found


def _column(node: ast.AST) -> str | None:
    match node:
        case ast.Call(func=func, args=[ast.Constant(value=str(name))]):
            called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            return name.rpartition(".")[2] if called in ("col", "column") else None
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Attribute(value=ast.Name(), attr=name):
            return name
    return None


def _constant(node: ast.AST) -> DataType | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _constant(node.operand)
    if not isinstance(node, ast.Constant):
        return None
    match node.value:
        case bool():
            return BOOLEAN
        case int(number):
            return INT if abs(number) < 1 << 31 else LONG
        case float():
            return DOUBLE
        case str():
            return STRING
    return None
