"""Options of functions (`from_xml(x, schema, map('mode', 'FAILFAST'))`): which of them are known to name nothing.

Some options name a file or an address, which Spark opens even while it plans (`rowValidationXSDPath`, `avroSchemaUrl`).
So it is a list of those that somebody has looked at; any other, also of a later version, is refused. `functions.txt`
holds the functions of Spark 4.3: another one, which nobody has looked at either, takes no map at all.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from planviz.expressions.core import Literal
from planviz.expressions.unresolved import UnresolvedFunction

_TIMES = "dateFormat timestampFormat timestampNTZFormat timeFormat timeZone locale enableDateTimeParsingFallback"
_FAULTS = "mode columnNameOfCorruptRecord samplingRatio encoding charset lineSep multiLine compression nullValue"
_JSON = f"""{_TIMES} {_FAULTS} prefersDecimal primitivesAsString allowComments allowUnquotedFieldNames
    allowSingleQuotes allowNumericLeadingZeros allowBackslashEscapingAnyCharacter allowUnquotedControlChars
    allowNonNumericNumbers dropFieldIfAllNull ignoreNullFields pretty inferTimestamp writeNonAsciiCharacterAsCodePoint
    singleVariantColumn useUnsafeRow"""
_CSV = f"""{_TIMES} {_FAULTS} sep delimiter header inferSchema quote escape comment quoteAll escapeQuotes emptyValue
    nanValue positiveInf negativeInf maxColumns maxCharsPerColumn unescapedQuoteHandling enforceSchema preferDate
    ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace charToEscapeQuoteEscaping inputBufferSize columnPruning
    singleVariantColumn extension"""
_XML = f"""{_TIMES} {_FAULTS} rowTag rootTag declaration arrayElementName excludeAttribute attributePrefix valueTag
    ignoreSurroundingSpaces ignoreNamespace wildcardColName inferSchema validateName indent preferDate prefersDecimal
    singleVariantColumn"""
_AVRO = """avroSchema mode compression datetimeRebaseMode recordName recordNamespace ignoreExtension
    positionalFieldMatching enableStableIdentifiersForUnionType stableIdentifierPrefixForUnionType
    recursiveFieldMaxDepth"""
_PROTOBUF = """mode recursive.fields.max.depth convert.any.fields.to.json emit.default.values enums.as.ints
    upcast.unsigned.ints unwrap.primitive.wrapper.types retain.empty.message.types"""
#: Functions that take options: at which argument, and which ones.
OPTIONS = {
    name: (at, frozenset(option.lower() for option in known.split()))
    for names, at, known in (
        ("from_json", 2, _JSON),
        ("to_json schema_of_json", 1, _JSON),
        ("from_csv", 2, _CSV),
        ("to_csv schema_of_csv", 1, _CSV),
        ("from_xml", 2, _XML),
        ("to_xml schema_of_xml", 1, _XML),
        ("from_avro", 2, _AVRO),
        ("schema_of_avro", 1, _AVRO),
        ("from_protobuf to_protobuf", 3, _PROTOBUF),
    )
    for name in names.split()
}


@cache
def known_functions() -> frozenset[str]:
    """The names of Spark 4.3's functions."""
    return frozenset(files("planviz.spark").joinpath("functions.txt").read_text("utf-8").split())


def refused_option(function: UnresolvedFunction) -> str | None:
    """Why a call is not given to a live Spark because of its options; None when they are harmless, or it has none."""
    name = function.parts[-1].lower()
    if name not in OPTIONS:
        if name not in known_functions() and any(_is_map(part) for a in function.arguments for part in a.walk()):
            return (
                f"{name[:60]}() is no function of Spark 4.3, and a map that it is given may be options that name a "
                "file or an address."
            )
        return None
    at, allowed = OPTIONS[name]
    for place, argument in enumerate(function.arguments):
        if type(argument).__name__ == "NamedArgument":
            return f"{name}() is given arguments by name, which may be options; write them in their order."
        if place < at:
            continue
        keys = _keys(argument)
        if keys is None:
            return (
                f"The options of {name}() are given to a live Spark only as a map of plain texts: "
                "map('option', 'value')."
            )
        for key in keys:
            if key.lower() not in allowed:
                return (
                    f"The option {key[:60]!r} of {name}() is not on the list of those that name no file and no address."
                )
    return None


def _is_map(part: object) -> bool:
    return isinstance(part, UnresolvedFunction) and "map" in part.parts[-1].lower()


def _keys(argument: object) -> list[str] | None:
    """The keys of map('key', 'value', ...); None for anything else."""
    if not (isinstance(argument, UnresolvedFunction) and [p.lower() for p in argument.parts] == ["map"]):
        return None
    texts = argument.arguments
    if len(texts) % 2 or not all(isinstance(text, Literal) and isinstance(text.value, str) for text in texts):
        return None
    return [str(text.value) for text in texts[::2] if isinstance(text, Literal)]
