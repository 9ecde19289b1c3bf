"""Types of guessed columns that the uses of them prove wrong: a text whose field is read has to be a struct.

Where the analyzer refuses an operator, the columns in question are followed down to the guessed table that they come
from, through aliases, fields and elements, and take the type that the refusal asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from planviz.errors import AnalysisError
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import GetArrayItem, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedExtractValue, UnresolvedStar
from planviz.expressions.updates import UpdateFields
from planviz.expressions.windows import WindowSpec
from planviz.logical.operators import Filter, Generate
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import Pivot, Unpivot
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_numeric,
)

#: A step from a column to a part of it: a field's name, or an element of an array or map.
Path = tuple[str, ...]
ELEMENT = "[]"
_WANTED: dict[str, DataType] = {
    "ARRAY": ArrayType(STRING), "MAP": MapType(STRING, STRING), "NUMERIC": DOUBLE, "INTEGRAL": LONG, "INT": INT,
    "BIGINT": LONG, "DOUBLE": DOUBLE, "DECIMAL": DOUBLE, "BOOLEAN": BOOLEAN, "DATE": DATE, "TIMESTAMP": TIMESTAMP,
    "STRING": STRING, "BINARY": BINARY, "STRUCT": StructType(()), "FLOAT": DOUBLE, "SMALLINT": INT,
}  # fmt: skip
_NEEDS = re.compile(r"requires? (?:the input type |the |a |an )?\(?\"?([A-Z]+)")
_HAS = re.compile(r'(?:however|but) "([^"]+)" has|resolve "([^"]+)" due to data type mismatch: the binary operator')
_PAIR = re.compile(r'\("([A-Z]+)[^"]*" and "([A-Z]+)[^"]*"\)')
_NAMED = re.compile(r"(?:[A-Za-z_]\w*|<[^<>]+>)(?:\.[A-Za-z_]\w*)*")
_QUOTED = re.compile(r'"([^"]+)"')
_WHOLE = re.compile(r'"(?:BIG)?INT"')
#: What names a part of a column, or a struct.
_NAMING = (UnresolvedAttribute, UnresolvedStar, UnresolvedExtractValue, UpdateFields)
Leaf = tuple[str, str]
#: Finds the guessed table of a column at the bottom of a plan, or the guessed schema by which an expression reads a
#: text: its name, None for anything else.
Guessed = Callable[[LogicalPlan, Expression], "str | None"]
#: The column of a guessed schema that has the parsed text.
PARSED = "value"


def wanted_types(plan: LogicalPlan, error: AnalysisError, guessed: Guessed) -> Iterator[tuple[Leaf, Path, DataType]]:
    """What the refusal of an operator says of guessed columns: table and column, the part meant, its type."""
    output = [a for c in plan.children for a in c.output]
    yield from _fields(plan, output, guessed)
    if isinstance(plan, Unpivot) and error.error_class == "UNPIVOT_VALUE_DATA_TYPE_MISMATCH":
        yield from _unpivoted(plan, output, guessed)
        return
    message = str(error)
    if "DATATYPE_MISMATCH" not in error.error_class and "INVALID_EXTRACT" not in error.error_class:
        return
    if error.error_class.endswith("FILTER_NOT_BOOLEAN") and isinstance(plan, Filter):
        if isinstance(plan.condition, UnresolvedAttribute):
            yield from _of_name(plan.condition.parts[-1], BOOLEAN, plan, output, guessed)
        return
    if "FRAME" in error.error_class:
        yield from _measured(plan, message, output, guessed)
        return
    needed, named = _NEEDS.search(message), _HAS.search(message)
    if needed and needed[1] in _WANTED and named:
        yield from _of_name(named[1] or named[2], _WANTED[needed[1]], plan, output, guessed)
        return
    pair = _PAIR.search(message)
    if pair:
        for kind in (pair[1], pair[2]):
            if kind in _WANTED and kind != "STRING":
                for name in _QUOTED.findall(message):
                    yield from _of_name(name, _WANTED[kind], plan, output, guessed)
                return


def _unpivoted(
    plan: Unpivot, output: list[AttributeReference], guessed: Guessed
) -> Iterator[tuple[Leaf, Path, DataType]]:
    """The columns whose values come into one: numbers where one of them is a number, else texts."""
    names = {n.lower(): n for g in plan.groups for v in g for n in _names_in(v)}
    numbers = any(a.name.lower() in names and is_numeric(a.type) for a in output)
    kind = DOUBLE if numbers else STRING
    for name in names.values():
        yield from _of_name(name, kind, plan, output, guessed)


def _measured(
    plan: LogicalPlan, message: str, output: list[AttributeReference], guessed: Guessed
) -> Iterator[tuple[Leaf, Path, DataType]]:
    """What a window is ordered by whose frame is a distance in whole numbers."""
    if _WHOLE.search(message):
        specs = [s for e in plan.expressions for s in e.collect(WindowSpec)]
        for name in {n for s in specs for o in s.order for n in _names_in(o)}:
            yield from _of_name(name, LONG, plan, output, guessed)


def columns_read(plan: LogicalPlan, error: AnalysisError, guessed: Guessed) -> Iterator[Leaf]:
    """The guessed columns that a refused operator reads: those that the refusal names, all of them where it names none.

    Of a pivot the one whose values become columns. Nothing for a refusal that has nothing to do with types.
    """
    if not error.error_class.startswith(("DATATYPE_MISMATCH", "CAST_INVALID_INPUT")):
        return
    expressions = [plan.column] if isinstance(plan, Pivot) else plan.expressions
    names = list(dict.fromkeys(n for e in expressions for n in _names_in(e)))
    said = set(re.findall(r"\w+|<[^<>]+>", " ".join(_QUOTED.findall(str(error)))))
    for name in [n for n in names if n in said] or names:
        for a in (a for c in plan.children for a in c.output if a.name.lower() == name.lower()):
            found = source(a, plan, guessed)
            if found is not None and not found[1]:
                yield found[0]


def _names_in(e: Expression) -> list[str]:
    unresolved = [x.parts[-1] for x in e.collect(UnresolvedAttribute)]
    return unresolved + [x.name for x in e.collect(AttributeReference)]


def _of_name(
    text: str, kind: DataType, plan: LogicalPlan, output: list[AttributeReference], guessed: Guessed
) -> Iterator[tuple[Leaf, Path, DataType]]:
    """The columns that a printed expression names, and the fields (`v.items`)."""
    for names in (m.split(".") for m in dict.fromkeys(_NAMED.findall(text))):
        for a in output:
            at = next((i for i, n in enumerate(names[:2]) if n.lower() == a.name.lower()), 2)
            if at == 0 or (at == 1 and any(q.lower() == names[0].lower() for q in a.qualifier[-1:])):
                found = source(a, plan, guessed)
                if found is not None:
                    yield found[0], (*found[1], *names[at + 1 :]), kind


def _fields(
    plan: LogicalPlan, output: list[AttributeReference], guessed: Guessed
) -> Iterator[tuple[Leaf, Path, DataType]]:
    """Fields of columns that are named, and elements: a.b.c, m["k"], xs[0], s.*; structs whose fields change."""
    named = [x for e in plan.expressions for kind in _NAMING for x in e.collect(kind)]
    yield from _fields_of(named, plan, output, guessed)


def _fields_of(
    named: Iterable[Expression], plan: LogicalPlan, output: list[AttributeReference], guessed: Guessed
) -> Iterator[tuple[Leaf, Path, DataType]]:
    for x in named:
        path = _path(x)
        if path is None:
            continue
        names, star = path
        for skip in (0, 1):
            matches = [a for a in output if len(names) > skip and a.name.lower() == names[skip].lower()]
            if skip and not any(q.lower() == names[0].lower() for a in matches for q in a.qualifier[-1:]):
                continue
            for a in matches[:1]:
                found = source(a, plan, guessed)
                rest = names[skip + 1 :]
                if found is not None and (rest or star):
                    yield found[0], (*found[1], *rest), StructType(()) if star else STRING
            if matches:
                break


def spread_structs(plan: LogicalPlan, guessed: Guessed) -> Iterator[tuple[Leaf, Path]]:
    """The guessed structs whose fields a projection takes one by one (`d.*`), with the way to each."""
    output = [a for c in plan.children for a in c.output]
    stars = [x for e in plan.expressions for x in e.collect(UnresolvedStar) if x.target]
    for leaf, path, _ in _fields_of(stars, plan, output, guessed):
        yield leaf, path


def _path(x: object) -> tuple[tuple[str, ...], bool] | None:
    """The names along a reference to a part of a column, and whether all its fields are meant."""
    if isinstance(x, UnresolvedAttribute):
        return x.parts, False
    if isinstance(x, UnresolvedStar):
        return (tuple(x.target), True) if x.target else None
    if isinstance(x, AttributeReference):
        return (x.name,), False
    if isinstance(x, UpdateFields):
        inner = _path(x.struct)
        return None if inner is None else (inner[0], True)
    if isinstance(x, UnresolvedExtractValue):
        inner = _path(x.children[0])
        key = x.children[1]
        if inner is None or not isinstance(key, Literal):
            return None
        return (*inner[0], key.value if isinstance(key.value, str) else ELEMENT), False
    return None


def source(e: object, plan: LogicalPlan, guessed: Guessed) -> tuple[Leaf, Path] | None:
    """The guessed column that an expression is, or is a part of, with the way to that part."""
    if isinstance(e, Alias):
        return source(e.child, plan, guessed)
    if isinstance(e, GetStructField):
        found = source(e.children[0], plan, guessed)
        kind = e.children[0].data_type
        if found is None or not isinstance(kind, StructType):
            return None
        return found[0], (*found[1], kind.fields[e.ordinal].name)
    if isinstance(e, GetArrayItem):
        found = source(e.children[0], plan, guessed)
        return None if found is None else (found[0], (*found[1], ELEMENT))
    if isinstance(e, FunctionCall):
        key = guessed(plan, e)
        return None if key is None else ((key, PARSED), ())
    return _below(e, plan, guessed) if isinstance(e, AttributeReference) else None


def _below(a: AttributeReference, plan: LogicalPlan, guessed: Guessed) -> tuple[Leaf, Path] | None:
    for child in plan.children:
        if a.expr_id not in child.output_set:
            continue
        key = guessed(child, a)
        if key is not None:
            return (key, a.name), ()
        made = next((x for e in child.expressions for x in e.collect(Alias) if x.expr_id == a.expr_id), None)
        if made is not None:
            return source(made.child, child, guessed)
        if isinstance(child, Generate) and any(g.expr_id == a.expr_id for g in child.generator_output):
            arguments = child.generator.children
            found = source(arguments[0], child, guessed) if arguments else None
            return None if found is None else (found[0], (*found[1], ELEMENT))
        return _below(a, child, guessed)
    return None


def retyped(known: DataType, path: Path, kind: DataType) -> DataType:
    """A type whose part at the end of a path is of another kind; what is on the way becomes what it has to be."""
    if not path:
        return known if isinstance(kind, type(known)) and isinstance(kind, StructType | ArrayType | MapType) else kind
    step, rest = path[0], path[1:]
    if isinstance(known, MapType):
        return MapType(known.key, retyped(known.value, rest, kind))
    if step == ELEMENT:
        inner = known.element if isinstance(known, ArrayType) else STRING
        return ArrayType(retyped(inner, rest, kind))
    if isinstance(known, ArrayType):
        # A field of an array of structs is the array of the fields.
        return ArrayType(retyped(known.element, path, kind))
    fields = {f.name.lower(): f for f in known.fields} if isinstance(known, StructType) else {}
    before = fields.get(step.lower())
    fields[step.lower()] = StructField(
        before.name if before else step, retyped(before.data_type if before else STRING, rest, kind) if rest or
        not before or not isinstance(before.data_type, StructType) else before.data_type
    )  # fmt: skip
    return StructType(tuple(fields.values()))
