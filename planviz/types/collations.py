"""Collations: their names, and the text types that carry them (Spark: CollationFactory)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from planviz.errors import AnalysisError
from planviz.types.data import (
    BINARY_COLLATION,
    STRING,
    ArrayType,
    CharType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
)

#: The collation of text whose inputs have different ones and none of them is asked for.
INDETERMINATE = "null"
#: What a name may carry behind its locale: in each group at most one.
_CASE, _ACCENT, _TRIM = ("CS", "CI"), ("AS", "AI"), ("RTRIM",)
_BYTES = ("UTF8_BINARY", "UTF8_LCASE")
#: The locales of ICU, with countries by their three letters.
_LOCALES = (
    "af am ar ar_SAU as az be bg blo bn bo br bs bs_Cyrl ca ceb chr cs cy da de de_AUT dsb dz ee el en en_USA eo es "
    "et fa fa_AFG ff ff_Adlm fi fil fo fr fr_CAN fy ga gl gu ha haw he he_ISR hi hr hsb hu hy id id_IDN ig is it ja "
    "ka kk kk_Arab kl km kn ko kok ku ky lb lij lkt ln lo lt lv mk ml mn mr ms mt my nb nb_NOR ne nl nn no nso om or "
    "pa pa_Guru pa_Guru_IND pl ps pt ro ru sa se si sk sl smn sq sr sr_Cyrl sr_Cyrl_BIH sr_Cyrl_MNE sr_Cyrl_SRB "
    "sr_Latn sr_Latn_BIH sr_Latn_SRB st sv sw ta te th tk tn to tr ug uk ur uz vi wae wo xh yi yo zh zh_Hans "
    "zh_Hans_CHN zh_Hans_SGP zh_Hant zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN zu"
)
#: Text declared under the binary collation by name: the same type as plain text, but casts to it print the name.
BINARY_TEXT = StringType(f"string collate {BINARY_COLLATION}", f"StringType({BINARY_COLLATION})", 20)
_BY_NAME = {name.upper(): name for name in ("UNICODE", *_LOCALES.split(" "))}
#: The type of every collation that was asked for; as long as there is none, all text is plain.
COLLATED: dict[str, StringType] = {}


def collated(name: str) -> StringType:
    """The text type of a collation, by its name in any letter case: the same object for the same collation.

    Raises AnalysisError (COLLATION_INVALID_NAME) with the nearest names where there is none such.
    """
    found = _type_of(normalized(name))
    if found is None:
        meant = get_close_matches(name.upper(), [*_BYTES, *_BY_NAME], 3, 0.3)
        near = ", ".join(_BY_NAME.get(m, m) for m in meant)
        raise AnalysisError(
            "COLLATION_INVALID_NAME",
            f"The value {name} does not represent a correct collation name. Suggested valid collation names: [{near}].",
        )
    return found


def collation_name(parts: Sequence[str]) -> str:
    """The name itself of one that may be given in full, as system.builtin.UNICODE; raises AnalysisError as above."""
    if len(parts) == 1 or [p.lower() for p in parts[:-1]] == ["system", "builtin"]:
        return parts[-1]
    return collated(".".join(parts)).collation


def _type_of(name: str | None) -> StringType | None:
    if name is None or name == BINARY_COLLATION:
        return None if name is None else STRING
    if name not in COLLATED:
        COLLATED[name] = StringType(f"string collate {name}", f"StringType({name})", 20, "", name)
    return COLLATED[name]


def indeterminate() -> StringType:
    """Text of no known collation: it may be passed on, not compared."""
    found = _type_of(INDETERMINATE)
    assert found is not None
    return found


def normalized(name: str) -> str | None:
    """The collation's name as Spark writes it, or None: UNICODE_AI_CI is UNICODE_CI_AI, UNICODE_CS_AS is UNICODE."""
    upper = name.upper()
    base = next((b for b in _BYTES if upper == b or upper.startswith(b + "_")), None)
    if base is not None:
        rest = upper[len(base) :]
        return upper if rest in ("", "_RTRIM") else None
    words = upper.split("_")
    for n in range(len(words), 0, -1):
        locale = _BY_NAME.get("_".join(words[:n]))
        if locale is not None:
            return _with_marks(locale, words[n:])
    return None


def _with_marks(locale: str, marks: list[str]) -> str | None:
    groups = [[m for m in marks if m in group] for group in (_CASE, _ACCENT, _TRIM)]
    if any(len(g) > 1 for g in groups) or sum(map(len, groups)) < len(marks):
        return None
    return "_".join([locale, *(g[0] for g in groups if g and g[0] not in ("CS", "AS"))])


def mixed_collations(types: Iterable[DataType]) -> bool:
    """Whether texts of different collations are among types."""
    return bool(COLLATED) and len({t for t in types if isinstance(t, StringType)}) > 1


def any_leaf(t: DataType, test: Callable[[DataType], bool]) -> bool:
    """Whether the test holds for a type, or for one within an array, a map or a struct."""
    if isinstance(t, ArrayType):
        return any_leaf(t.element, test)
    if isinstance(t, MapType):
        return any_leaf(t.key, test) or any_leaf(t.value, test)
    if isinstance(t, StructType):
        return any(any_leaf(f.data_type, test) for f in t.fields)
    return test(t)


def is_collated(t: DataType) -> bool:
    """Whether there is text in a type whose equality is not that of its bytes."""
    return any_leaf(t, lambda leaf: isinstance(leaf, StringType) and leaf is not STRING)


def has_string(t: DataType) -> bool:
    """Whether there is text in a type."""
    return any_leaf(t, lambda leaf: isinstance(leaf, StringType))


def with_default(t: DataType, text: StringType) -> DataType:
    """A type whose plain text is of another type, that of a table's default collation."""
    if t is STRING:
        return text
    if isinstance(t, CharType):
        return CharType(t.length, t.varying, text) if t.text is STRING else t
    if isinstance(t, ArrayType):
        return ArrayType(with_default(t.element, text), t.contains_null)
    if isinstance(t, MapType):
        return MapType(with_default(t.key, text), with_default(t.value, text), t.value_contains_null)
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, with_default(f.data_type, text), f.nullable) for f in t.fields))
    return t
