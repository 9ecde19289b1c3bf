"""JSON, CSV, XML, variants: functions whose schema and options are constants of the query."""

from __future__ import annotations

import json
import re
from functools import cache

from planviz.errors import InputError
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateMap
from planviz.expressions.core import Expression, Literal, TypeMismatch
from planviz.expressions.specs import ZONE, FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.base import Args, Builder, Entry, string_of
from planviz.functions.signatures import CHECKS, accepts
from planviz.types import (
    NULL,
    STRING,
    UNKNOWN,
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    is_string,
    parse_fields,
    parse_type,
)


def _options(e: Expression | None) -> tuple[str, ...]:
    """Options as plans print them: (key,value) each."""
    if e is None:
        return ()
    if not isinstance(e, CreateMap):
        raise analysis_error("INVALID_OPTIONS.NON_MAP_FUNCTION", "Must use the `map()` function for options.", e)
    texts = [p.value if isinstance(p, Literal) and is_string(p.type) else None for p in e.parts]
    if any(t is None for t in texts):
        message = f'A type of keys and values in `map()` must be string, but got "{e.sql}".'
        raise analysis_error("INVALID_OPTIONS.NON_STRING_TYPE", message, e)
    return tuple(f"({k},{v})" for k, v in zip(texts[::2], texts[1::2], strict=True))


def _json_type(form: str) -> DataType:
    """A type from the JSON that Spark writes for it."""
    if isinstance(form, str):
        return parse_type({"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}.get(form, form))
    kind = form.get("type")
    if kind == "array":
        return ArrayType(_json_type(form["elementType"]), bool(form.get("containsNull", True)))
    if kind == "map":
        nulls = bool(form.get("valueContainsNull", True))
        return MapType(_json_type(form["keyType"]), _json_type(form["valueType"]), nulls)
    fields = (StructField(f["name"], _json_type(f["type"]), bool(f.get("nullable", True))) for f in form["fields"])
    return StructType(tuple(fields))


def _schema(e: Expression) -> DataType:
    """The type that a schema argument names; UNKNOWN where planviz cannot compute it."""
    text = string_of(e)
    if text is None and e.foldable and not isinstance(e, Literal):
        made = DEFAULT_EVALUATOR.value_of(e)
        if made is None:
            return UNKNOWN
        text = made.value if isinstance(made.value, str) else None
    if text is None:
        raise analysis_error(
            "INVALID_SCHEMA.NON_STRING_LITERAL",
            f'The input schema "{e.pretty}" is not a valid schema string. The input expression must be string literal '
            "and not null.",
            e,
        )
    if text.lstrip().startswith("{"):
        try:
            return _json_type(json.loads(text))
        except (ValueError, KeyError, InputError):
            raise analysis_error("INVALID_SCHEMA.PARSE_ERROR", f"The schema {text!r} cannot be read.", e) from None
    try:
        return parse_type(text)
    except InputError:
        try:
            return StructType(parse_fields(text))
        except InputError:
            # A word alone, and a type of a name with its lengths, are types that nobody knows.
            unknown = re.fullmatch(r"\s*\w+\s*(\(\s*\d+\s*(,\s*\d+\s*)*\)\s*)?", text)
            condition = "UNSUPPORTED_DATATYPE" if unknown else "PARSE_SYNTAX_ERROR"
            raise analysis_error(condition, f"The schema {text!r} cannot be read.", e) from None


def schema_text(t: DataType) -> tuple[str, ...]:
    """A schema as `str` of a call prints it before the arguments: field by field for a struct."""
    if t == UNKNOWN:
        return ("?",)
    if not isinstance(t, StructType):
        return (t.scala_name,)
    return tuple(t.scala_name_of(f) for f in t.fields)


@cache
def spec_from(name: str, t: DataType) -> FunctionSpec:
    """One signature for each type: calls that are written alike must be equal."""
    named = name == "from_json" and isinstance(t, MapType)
    return FunctionSpec(name, (accepts("S!"),), lambda _: t, True, sql="entries" if named else "")


def parse_options(call: FunctionCall) -> tuple[str, ...]:
    """The options of a from_json or from_csv, as `str` prints them."""
    return call.lead[len(schema_text(call.data_type)) :]


def parsed_as(call: FunctionCall, t: DataType) -> FunctionCall:
    """A from_json over the same text with another schema."""
    lead = (*schema_text(t), *parse_options(call))
    return FunctionCall(call.name, call.arguments, spec_from(call.name, t), call.tail, lead)


def required_of(call: FunctionCall, t: StructType) -> FunctionCall:
    """A from_csv of which only these fields are made; the text is still read by the whole schema."""
    tail = (*call.tail[:-1], f"Some({t.scala_name})")
    return FunctionCall(call.name, call.arguments, spec_from(call.name, t), tail, call.lead)


def _check_schema(name: str, t: DataType, a: Args) -> None:
    """Raise AnalysisError where a format has no rows of a type."""
    if t == UNKNOWN:
        return
    told = f'Cannot resolve "{name}({a[0].pretty})" due to data type mismatch: Input schema "{t.sql}"'
    if name == "from_json" and not isinstance(t, StructType | ArrayType | MapType) and t != VARIANT:
        raise analysis_error(
            "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA", f"{told} must be a struct, an array, a map or a variant.", a[1]
        )
    if name == "from_json" and isinstance(t, MapType) and not is_string(t.key):
        raise analysis_error(
            "DATATYPE_MISMATCH.INVALID_JSON_MAP_KEY_TYPE",
            f"{told} can only have STRING as the key type.",
            a[1],
        )
    if name == "from_csv" and not isinstance(t, StructType):
        raise analysis_error(
            "INVALID_SCHEMA.NON_STRUCT_TYPE",
            f'The input schema "{t.sql}" is not a valid schema string: a row of CSV is a struct.',
            a[1],
        )
    if name == "from_csv" and isinstance(t, StructType):
        held = next((f.data_type for f in t.fields if isinstance(f.data_type, StructType | ArrayType | MapType)), None)
        if held is not None:
            raise analysis_error("UNSUPPORTED_DATATYPE", f'CSV has no columns of the type "{held.sql}".', a[1])


def _from(name: str, tail: tuple[str, ...]) -> Builder:
    def make(a: Args) -> Expression:
        t = _schema(a[1])
        if name == "from_xml" and not isinstance(t, StructType) and t not in (VARIANT, UNKNOWN):
            raise analysis_error(
                "DATATYPE_MISMATCH.INVALID_XML_SCHEMA",
                f'Cannot resolve "from_xml({a[0].pretty})" due to data type mismatch: Input schema "{t.sql}" must be a '
                "struct or a variant.",
                a[1],
            )
        _check_schema(name, t, a)
        lead = (*schema_text(t), *_options(a[2] if len(a) > 2 else None))
        return FunctionCall(name, a[:1], spec_from(name, t), tail, lead)

    return make


def _json_schema(name: str, a: Args) -> TypeMismatch | None:
    t = a[0].data_type
    if isinstance(t, StructType | ArrayType | MapType) or t in (VARIANT, NULL, UNKNOWN):
        return None
    told = f'Input schema "{t.sql}" must be a struct, an array, a map or a variant'
    return TypeMismatch("INVALID_JSON_SCHEMA", told)


def _csv_input(name: str, a: Args) -> TypeMismatch | None:
    t = a[0].data_type
    if isinstance(t, StructType) or t in (NULL, UNKNOWN):
        return None
    return TypeMismatch("UNSUPPORTED_INPUT_TYPE", f'The input of `{name}` can\'t be "{t.sql}" type data')


_WRITTEN = {"to_json": _json_schema, "to_csv": _csv_input}


def _to(name: str, inputs: str) -> Builder:
    check = _WRITTEN.get(name)
    accepted = () if check else (accepts(inputs),)
    spec = FunctionSpec(name, accepted, lambda _: STRING, True, check=check, check_first=True)

    def make(a: Args) -> Expression:
        return FunctionCall(name, a[:1], spec, (ZONE,), _options(a[1] if len(a) > 1 else None))

    return make


def _schema_of(name: str) -> Builder:
    spec = FunctionSpec(name, (accepts("S!"),), lambda _: STRING, False, folded=(1,), check=CHECKS["schema"])
    return lambda a: FunctionCall(name, a[:1], spec, _options(a[1] if len(a) > 1 else None))


@cache
def _spec_of_variant(name: str, t: DataType) -> FunctionSpec:
    return FunctionSpec(name, (accepts("VAR!"), accepts("S!")), lambda _: t, True)


def _variant_get(name: str, fails: bool) -> Builder:
    def make(a: Args) -> Expression:
        t = _schema(a[2]) if len(a) > 2 else VARIANT
        return FunctionCall(name, a[:2], _spec_of_variant(name, t), (t.scala_name, str(fails).lower(), ZONE))

    return make


BUILDERS: dict[str, Entry] = {
    "from_json": (2, 3, _from("from_json", (ZONE, "false"))),
    "from_csv": (2, 3, _from("from_csv", (ZONE, "None"))),
    "from_xml": (2, 3, _from("from_xml", (ZONE,))),
    "to_json": (1, 2, _to("to_json", "ST|R|M|VAR")),
    "to_csv": (1, 2, _to("to_csv", "ST")),
    "to_xml": (1, 2, _to("to_xml", "ST|VAR")),
    "schema_of_json": (1, 2, _schema_of("schema_of_json")),
    "schema_of_csv": (1, 2, _schema_of("schema_of_csv")),
    "schema_of_xml": (1, 2, _schema_of("schema_of_xml")),
    "variant_get": (2, 3, _variant_get("variant_get", True)),
    "try_variant_get": (2, 3, _variant_get("try_variant_get", False)),
}
