"""LIKE and regular expressions. RE2 reads Java's syntax but for a few forms, which are left uncomputed."""

from __future__ import annotations

import re
from typing import cast

import re2

from planviz.errors import shown
from planviz.evaluation.core import Row, evaluate, expression, function, last_value_wins, step, strict
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.expressions.calls import RegexpForm
from planviz.expressions.core import Expression
from planviz.expressions.patterns import Like, MultiLike, RLike

#: What Java reads otherwise than RE2, or RE2 cannot read.
_FOREIGN = re.compile(r"\\[pPQERXGhHvVCzZk]|\(\?P?<[A-Za-z]|&&|\[\[|\(\?[a-zA-Z-]{0,20}[uUdx]")
_OTHER_CASES = re.compile(r"\(\?[a-z-]{0,20}i")


def like(text: str, pattern: str, escape: str = "\\") -> bool:
    """Whether the whole text matches a LIKE pattern. Raises FailsError for an escape that escapes nothing."""
    first, *others = _pieces(pattern, escape)
    if not _stands(first, text, 0):
        return False
    if not others:
        return len(text) == len(first)
    # Between two %, the first place where a piece stands leaves most room for the next.
    at, last = len(first), others.pop()
    for piece in others:
        found = next((i for i in range(at, len(text) - len(piece) + 1) if _stands(piece, text, i)), None)
        if found is None:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and _stands(last, text, len(text) - len(last))


def _pieces(pattern: str, escape: str) -> list[list[str | None]]:
    """What stands between the % of a pattern: its characters, None for any."""
    pieces: list[list[str | None]] = [[]]
    rest = iter(pattern)
    for c in rest:
        if c == escape:
            escaped = next(rest, "")
            if escaped not in ("%", "_", escape):
                where = "ESC_IN_THE_MIDDLE" if escaped else "ESC_AT_THE_END"
                raise FailsError(f"the escape in the pattern '{pattern}' escapes nothing", f"INVALID_FORMAT.{where}")
            pieces[-1].append(escaped)
        elif c == "%":
            pieces.append([])
        else:
            pieces[-1].append(None if c == "_" else c)
    return pieces


def _stands(piece: list[str | None], text: str, at: int) -> bool:
    step(len(piece) + 1)
    return at + len(piece) <= len(text) and all(c is None or c == text[at + i] for i, c in enumerate(piece))


strict(Like)(lambda e, text, pattern: like(text, pattern, e.escape))


@expression(MultiLike)
def _multi_like(e: MultiLike, row: Row) -> bool | None:
    text = evaluate(e.child, row)
    if text is None:
        return None
    patterns = [evaluate(p, row) for p in e.patterns]
    negative = e.name.startswith("not")
    found = [None if p is None else like(text, p) != negative for p in patterns]
    decisive = not e.name.endswith("all")
    return decisive if decisive in found else None if None in found else not decisive


@expression(RegexpForm)
def _ilike(e: RegexpForm, row: Row) -> bool | None:
    text, pattern = (evaluate(a, row) for a in e.arguments)
    return None if text is None or pattern is None else like(text.lower(), pattern.lower(), e.escape.lower())


#: Where Java and RE2 may read a text otherwise: at the ends of lines, at a vertical tab, and other letters' cases.
_LINE_ENDS = re.compile("[\n\r\v\x85\u2028\u2029]")
_ENDS = re.compile(r"[$.]|\\[sSbB]")
#: A pattern's automaton, in bytes; RE2 refuses what grows beyond.
_MEMORY = 1 << 20


def compiled(pattern: str, text: str, *, again: bool = False) -> re.Pattern[str]:
    """A Java pattern, to be looked for in a text; `again` where the search goes on behind every match.

    RE2 does the looking: its time grows with the text, whatever the pattern. Raises UnknownValueError for what RE2
    cannot express (references back, looking around), reads otherwise than Java or needs too long for; FailsError for
    what is no pattern.
    """
    if _FOREIGN.search(pattern) or (_LINE_ENDS.search(text) and _ENDS.search(pattern)):
        raise UnknownValueError(pattern)
    if "(?" in pattern and _OTHER_CASES.search(pattern) and not (text + pattern).isascii():
        raise UnknownValueError(pattern)
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    try:
        # RE2 for Python has the interface of `re`.
        found = cast("re.Pattern[str]", re2.compile(pattern, options))
    except (re2.error, UnicodeEncodeError):
        raise _refusal(pattern) from None
    size = re2.compile(pattern, options).programsize * (len(text) + 1)
    step(size * (len(text) + 1) // 2_000 if again else size // 10)
    return found


def _refusal(pattern: str) -> UnknownValueError:
    """What to raise for a pattern that RE2 does not take: Java may still take it, as far as Python does."""
    try:
        re.compile(pattern, re.ASCII)
    except re.error:
        return FailsError(f"'{shown(pattern)}' is no pattern", "INVALID_PARAMETER_VALUE.PATTERN")
    except (RecursionError, OverflowError, MemoryError):
        pass
    return UnknownValueError(pattern)


strict(RLike)(lambda e, text, pattern: compiled(pattern, text).search(text) is not None)


def _group(pattern: re.Pattern[str], index: int) -> int:
    if not 0 <= index <= pattern.groups:
        raise FailsError(f"the pattern has no group {index}", "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX")
    return index


@function("regexp_replace")
def _replace(text: str, pattern: str, new: str, start: int = 1) -> str:
    """$1 and \\1 as Java reads them: $ a group, a backslash the next character itself."""
    head, rest = text[: start - 1], text[start - 1 :]
    found = compiled(pattern, rest, again=True)
    parts = re.findall(r"\\(.)|\$(\d)|([^\\$]+|[\\$])", new, re.DOTALL)
    for _, index, _ in parts:
        _group(found, int(index or 0))
    return head + found.sub(lambda m: "".join((m[int(i)] or "") if i else c or rest for c, i, rest in parts), rest)


@function("regexp_extract")
def _extract(text: str, pattern: str, index: int = 1) -> str:
    p = compiled(pattern, text)
    found = p.search(text)
    return (found.group(_group(p, index)) or "") if found else ""


@function("regexp_extract_all")
def _extract_all(text: str, pattern: str, index: int = 1) -> tuple[str, ...]:
    p = compiled(pattern, text, again=True)
    return tuple(m.group(_group(p, index)) or "" for m in p.finditer(text))


@function("regexp_instr")
def _instr(text: str, pattern: str, index: int = 0) -> int:
    found = compiled(pattern, text).search(text)
    return found.start() + 1 if found else 0


function("regexp_count")(lambda text, pattern: sum(1 for _ in compiled(pattern, text, again=True).finditer(text)))


@function("regexp_substr")
def _substr(text: str, pattern: str) -> str | None:
    found = compiled(pattern, text).search(text)
    return found.group() if found else None


@function("split")
def _split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    if not pattern:
        return tuple(text) if limit <= 0 else (*text[: limit - 1], text[limit - 1 :])
    p = compiled(pattern, text, again=True)
    if p.groups:
        raise UnknownValueError(pattern)
    return tuple(p.split(text, limit - 1 if limit > 0 else 0)) if limit != 1 else (text,)


@function("str_to_map", typed=True)
def _str_to_map(e: Expression, text: str, pair: str = ",", key: str = ":") -> tuple[tuple[str, str | None], ...]:
    out: dict[str, str | None] = {}
    for part in compiled(pair, text, again=True).split(text):
        k, *v = compiled(key, part).split(part, 1)
        if k in out and not last_value_wins():
            raise FailsError(f"the key {k} of the map stands there twice", "DUPLICATED_MAP_KEY")
        out[k] = v[0] if v else None
    return tuple(out.items())


@function("sentences", typed=True)
def _sentences(e: Expression, text: str, *_: object) -> tuple[tuple[str, ...], ...]:
    parts = re.split(r"(?<=[.!?])\s+", text.strip())
    return tuple(tuple(re.findall(r"[^\W_]+(?:['’][^\W_]+)?", p)) for p in parts if p)
