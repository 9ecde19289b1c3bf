"""Formats of to_number and to_char, like '$99,999.99PR' (Spark: ToNumberParser.check)."""

from __future__ import annotations

import re

from planviz.expressions.core import Expression, Literal
from planviz.frontend.errors import analysis_error

_TOKENS = re.compile(r"(?P<digits>[09]+)|(?P<comma>[,G])|(?P<point>[.D])|(?P<dollar>\$)|(?P<sign>MI|S)|(?P<angle>PR)")
#: The tokens in the order in which they may stand: sign and dollar in front, sign or brackets behind.
_ORDER = re.compile(r"(sign )?(dollar )?(digits |comma )*(point (digits )?)?(dollar )?(angle |sign )?(angle |sign )?")


def check_number_format(e: Expression, function: str) -> None:
    """Raise AnalysisError INVALID_FORMAT for a constant that is no format."""
    if not isinstance(e, Literal) or not isinstance(e.value, str):
        return
    text = e.value.upper()
    wrong = _wrong(text)
    if wrong is not None:
        subclass, why = wrong
        raise analysis_error(
            f"INVALID_FORMAT.{subclass}", f"The format '{e.value}' of {function} is invalid: {why}.", e
        )


def _wrong(text: str) -> tuple[str, str] | None:
    if not text:
        return "EMPTY", "the number format string cannot be empty"
    if not re.search("[09]", text):
        return "WRONG_NUM_DIGIT", "the format string requires at least one number digit"
    kinds, at = [], 0
    while at < len(text):
        found = _TOKENS.match(text, at)
        if found is None:
            return "UNEXPECTED_TOKEN", f"unexpected '{text[at:]}'"
        kinds.append(str(found.lastgroup))
        at = found.end()
    if "digits" not in kinds:
        return "WRONG_NUM_DIGIT", "the format string requires at least one number digit"
    point = kinds.index("point") if "point" in kinds else len(kinds)
    digits = kinds.index("digits")
    if kinds.count("point") > 1:
        return "WRONG_NUM_TOKEN", "at most one decimal point is allowed"
    if "dollar" in kinds and kinds.count("dollar") == 1 and kinds.index("dollar") > digits:
        return "CUR_MUST_BEFORE_DIGIT", "the currency character must appear before digits"
    if "dollar" in kinds and kinds.count("dollar") == 1 and kinds.index("dollar") > point:
        return "CUR_MUST_BEFORE_DEC", "the currency character must appear before any decimal point"
    if "comma" in kinds[point:]:
        return "THOUSANDS_SEPS_MUST_BEFORE_DEC", "thousands separators may not appear after the decimal point"
    around = [None, *kinds, None]
    if any(k == "comma" and (around[i] != "digits" or around[i + 2] != "digits") for i, k in enumerate(kinds)):
        return "CONT_THOUSANDS_SEPS", "thousands separators must have digits in between them"
    for kind in ("dollar", "sign", "angle"):
        if kinds.count(kind) > 1:
            return "WRONG_NUM_TOKEN", f"at most one {kind} is allowed"
    if _ORDER.fullmatch("".join(f"{k} " for k in kinds)) is None or kinds[0] == "angle":
        return "UNEXPECTED_TOKEN", "its parts are in the wrong order"
    if kinds[-2:] in (["angle", "sign"], ["sign", "angle"]):
        return "UNEXPECTED_TOKEN", "its parts are in the wrong order"
    return None
