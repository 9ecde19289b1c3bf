"""Text: cut, searched, padded, put together; text and bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

from planviz.evaluation.core import (
    CollatedText,
    Row,
    bounded,
    call,
    evaluate,
    expression,
    function,
    step,
    strict,
)
from planviz.evaluation.errors import AlwaysFailsError, FailsError, UnknownValueError
from planviz.expressions.calls import Concat, StringForm
from planviz.expressions.patterns import StringPredicate
from planviz.types.values import Value

Text = str | bytes

_SEARCHES: dict[str, Callable[[Value, Value], bool]] = {
    "StartsWith": lambda a, b: a.startswith(b),
    "EndsWith": lambda a, b: a.endswith(b),
    "Contains": lambda a, b: b in a,
}


@strict(StringPredicate)
def _searched(e: StringPredicate, a: object, b: Value) -> bool:
    if isinstance(a, CollatedText):
        if a.collation not in ("UTF8_LCASE", "UNICODE_CI") or not (a.isascii() and b.isascii()):
            raise UnknownValueError(str(e))
        a, b = a.lower(), b.lower()
    return _SEARCHES[e.kind](a, b)


@expression(Concat)
def _concat(e: Concat, row: Row) -> object:
    values = [evaluate(i, row) for i in e.items]
    if any(v is None for v in values):
        return None
    if not values:
        return ""
    total = values[0]
    for v in values[1:]:
        total = total + v
    return total


@expression(StringForm)
def _string_form(e: StringForm, row: Row) -> object:
    return call(e, e.name, e.arguments, row)


@function("substring", "substr")
def substring(text: Text, start: int, length: int = 1 << 31) -> Text:
    """Spark's substring: positions from 1, negative ones from the end, 0 as 1."""
    begin = start - 1 if start > 0 else 0 if start == 0 else len(text) + start
    end = begin + length
    return text[max(begin, 0) : max(end, 0)]


def _blank(text: Text, chars: Text | None) -> object:
    return chars if chars is not None else b" " if isinstance(text, bytes) else " "


function("trim", "btrim")(lambda text, chars=None: text.strip(_blank(text, chars)))
function("ltrim")(lambda text, chars=None: text.lstrip(_blank(text, chars)))
function("rtrim")(lambda text, chars=None: text.rstrip(_blank(text, chars)))


@function("overlay")
def _overlay(text: Text, new: Text, at: int, length: int = -1) -> object:
    cut = len(new) if length < 0 else length
    return substring(text, 1, at - 1) + substring(new, 1) + substring(text, at + cut)


@function("locate", nulls=True)
def _locate(part: object, text: Value, start: Value) -> int | None:
    if part is None or text is None:
        return None
    if start is None or start < 1:
        return 0
    # An empty text is found at the beginning, from wherever it is looked for.
    return text.find(part, start - 1) + 1 if part else 1


function("position")(lambda part, text, start=1: _locate(part, text, start))


@function("instr")
def _instr(text: str, part: str, start: int = 1, occurrence: int = 1) -> int:
    """The place of the n-th occurrence from a place on; from one that is counted from the end, backwards."""
    if not start or occurrence < 1:
        return 0
    at = start - 1 if start > 0 else len(text) + start
    for _ in range(occurrence):
        found = text.find(part, at) if start > 0 else text.rfind(part, 0, at + len(part))
        if found < 0:
            return 0
        at = found + 1 if start > 0 else found - 1
    return found + 1


function("charindex")(lambda part, text, start=1: _locate(part, text, start))
function("upper", "ucase")(lambda s: s.upper())
function("lower", "lcase")(lambda s: s.lower())
function("length", "len", "char_length", "character_length")(len)
function("octet_length")(lambda s: len(_bytes(s)))
function("bit_length")(lambda s: 8 * len(_bytes(s)))
function("space")(lambda n: _repeat(" ", n))
function("replace")(lambda s, a, b="": s.replace(a, b) if a else s)
function("left")(lambda s, n: s[:n] if n > 0 else s[:0])
function("right")(lambda s, n: s[-n:] if n > 0 else s[:0])
function("ascii")(lambda s: ord(s[0]) if s else 0)
function("char", "chr")(lambda n: "" if n < 0 else chr(n % 256))
function("quote")(lambda s: "'" + s.replace("\\", "\\\\").replace("'", "\\'") + "'")
function("startswith")(lambda a, b: a.startswith(b))
function("endswith")(lambda a, b: a.endswith(b))
function("contains")(lambda a, b: b in a)


@function("repeat")
def _repeat(s: Text, n: int) -> Text:
    bounded(len(s) * n)
    return s * max(n, 0)


def _bytes(s: Text) -> bytes:
    return s.encode("utf-8") if isinstance(s, str) else s


@function("initcap")
def _initcap(s: str) -> str:
    return " ".join(w[:1].upper() + w[1:].lower() for w in s.split(" "))


def _padding(s: Value, n: int, pad: Value) -> Value:
    bounded(n)
    missing = n - len(s)
    return (pad * (missing // len(pad) + 1))[:missing] if pad and missing > 0 else pad[:0]


def _pad_of(s: object, pad: object) -> object:
    return (" " if isinstance(s, str) else b"\0") if pad is None else pad


@function("lpad")
def _lpad(s: Value, n: int, pad: Value = None) -> object:
    return (_padding(s, n, _pad_of(s, pad)) + s)[: max(n, 0)] if n > len(s) else s[: max(n, 0)]


@function("rpad")
def _rpad(s: object, n: int, pad: object = None) -> object:
    return (s + _padding(s, n, _pad_of(s, pad)))[: max(n, 0)]


@function("translate")
def _translate(s: str, source: str, target: str) -> str:
    table: dict[str, str] = {}
    for i, c in enumerate(source):
        table.setdefault(c, target[i] if i < len(target) else "")
    return "".join(table.get(c, c) for c in s)


@function("concat_ws", nulls=True)
def _concat_ws(separator: str | None, *parts: object) -> str | None:
    if separator is None:
        return None
    flat = [x for p in parts for x in (p if isinstance(p, tuple) else (p,))]
    return separator.join(x for x in flat if x is not None)


@function("elt", nulls=True)
def _elt(n: int | None, *items: object) -> object:
    if n is None:
        return None
    if not 1 <= n <= len(items):
        raise FailsError(f"there is no item {n} among {len(items)}", "INVALID_ARRAY_INDEX")
    return items[n - 1]


@function("find_in_set")
def _find_in_set(word: str, words: str) -> int:
    parts = words.split(",")
    return parts.index(word) + 1 if word in parts and "," not in word else 0


@function("substring_index")
def _substring_index(s: str, separator: str, count: int) -> str:
    if not separator or not count:
        return ""
    parts = s.split(separator)
    return separator.join(parts[:count] if count > 0 else parts[count:])


@function("split_part")
def _split_part(s: str, separator: str, n: int) -> str:
    if not n:
        raise FailsError("positions begin at 1", "INVALID_INDEX_OF_ZERO")
    parts = s.split(separator) if separator else [s]
    index = n - 1 if n > 0 else len(parts) + n
    return parts[index] if 0 <= index < len(parts) else ""


@function("jaro_winkler_similarity")
def _jaro_winkler(a: str, b: str) -> float:
    """The share of characters that are alike and near, more where the texts begin alike (Jaro, Winkler)."""
    if a == b:
        return 1.0
    reach, used, alike = max(max(len(a), len(b)) // 2 - 1, 0), set[int](), []
    bounded(len(a) * (2 * reach + 1))
    for i, c in enumerate(a):
        near = range(max(0, i - reach), min(len(b), i + reach + 1))
        at = next((j for j in near if b[j] == c and j not in used), None)
        if at is not None:
            used.add(at)
            alike.append(c)
    if not alike:
        return 0.0
    n, moved = len(alike), sum(x != b[j] for x, j in zip(alike, sorted(used), strict=True)) / 2
    similarity = (n / len(a) + n / len(b) + (n - moved) / n) / 3
    same = next((i for i, (x, y) in enumerate(zip(a[:4], b[:4], strict=False)) if x != y), min(len(a), len(b), 4))
    return similarity + same * 0.1 * (1 - similarity)


function("to_base32")(lambda b: base64.b32encode(_bytes(b)).decode("ascii"))
function("from_base32")(lambda s: base64.b32decode(s))


@function("levenshtein")
def _levenshtein(a: str, b: str, most: int | None = None) -> int:
    step(len(a) * len(b))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)))
    return -1 if most is not None and row[-1] > most else row[-1]


_SOUNDS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230127022455012623017202", strict=True))


@function("soundex")
def _soundex(s: str) -> str:
    if not s or s[0].upper() not in _SOUNDS:
        return s
    out, last = s[0].upper(), _SOUNDS[s[0].upper()]
    for c in s[1:].upper():
        code = _SOUNDS.get(c, "0")
        if code == "7":
            continue
        if code not in ("0", last):
            out += code
        last = code
    return (out + "000")[:4]


@function("mask", nulls=True)
def _mask(s: str | None, upper: str = "X", lower: str = "x", digit: object = "n", other: object = None) -> str | None:
    def one(c: str) -> str:
        new = upper if c.isupper() else lower if c.islower() else digit if c.isdigit() else other
        return c if new is None else str(new)

    return None if s is None else "".join(map(one, s))


@function("luhn_check")
def _luhn(s: str) -> bool:
    if not s.isascii() or not s.isdigit():
        return False
    total = 0
    for i, c in enumerate(reversed(s)):
        n = int(c) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0


# ------------------------------------------------------------------------------------------------ text and bytes


_CHARSETS = {"utf-8": "utf-8", "us-ascii": "ascii", "iso-8859-1": "latin-1", "utf-16": "utf-16-be",
             "utf-16be": "utf-16-be", "utf-16le": "utf-16-le", "utf-32": "utf-32-be"}  # fmt: skip


def _charset(name: str) -> str:
    found = _CHARSETS.get(name.lower())
    if found is None:
        raise FailsError(f"the charset {name} is not read", "INVALID_PARAMETER_VALUE.CHARSET")
    return found


@function("encode")
def _encode(s: str, charset: str) -> bytes:
    mark = b"\xfe\xff" if charset.lower() == "utf-16" else b""
    try:
        return mark + s.encode(_charset(charset))
    except UnicodeError:
        raise FailsError(f"{charset} cannot hold '{s}'", "MALFORMED_CHARACTER_CODING") from None


@function("decode")
def _decode(b: Text, charset: str) -> str:
    try:
        return _bytes(b).decode(_charset(charset)).removeprefix("\ufeff" if charset.lower() == "utf-16" else "")
    except UnicodeError:
        raise FailsError(f"the bytes are no text in {charset}", "MALFORMED_CHARACTER_CODING") from None


@function("hex")
def _hex(value: Value) -> str:
    if isinstance(value, int):
        return format(value & (1 << 64) - 1, "X")
    return _bytes(value).hex().upper()


@function("unhex")
def _unhex(s: str) -> bytes | None:
    try:
        return bytes.fromhex("0" + s if len(s) % 2 else s)
    except ValueError:
        raise FailsError(f"'{s}' is not in the form hex", "CONVERSION_INVALID_INPUT") from None


function("base64")(lambda b: base64.b64encode(_bytes(b)).decode("ascii"))


@function("unbase64")
def _unbase64(s: str) -> bytes:
    digits = re.sub(r"[^A-Za-z0-9+/=]", "", s)
    if len(digits.rstrip("=")) % 4 == 1:
        raise AlwaysFailsError(f"'{s}' is no base64", "java.lang.IllegalArgumentException")
    return base64.b64decode(digits, validate=True)


#: Bytes that are no UTF-8 became this character when they were cast to text.
_REPLACEMENT = "\ufffd"
function("is_valid_utf8")(lambda s: _valid(_bytes(s)) and _REPLACEMENT not in s)
function("make_valid_utf8")(lambda s: _bytes(s).decode("utf-8", "replace"))


def _valid(b: bytes) -> bool:
    try:
        b.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@function("validate_utf8")
def _validate(s: Text) -> Text:
    if not _valid(_bytes(s)) or _REPLACEMENT in s:
        raise FailsError("the text is not UTF-8", "INVALID_UTF8_STRING")
    return s


function("try_validate_utf8")(lambda s: s if _valid(_bytes(s)) and _REPLACEMENT not in s else None)


def _converted(s: str, form: str = "hex") -> bytes:
    kinds: dict[str, Callable[[str], Value]] = {
        "hex": _unhex,
        "base64": _from_base64,
        "utf-8": lambda x: x.encode("utf-8"),
        "utf8": lambda x: x.encode("utf-8"),
    }
    result: bytes = kinds[form.lower()](s)
    return result


def _from_base64(text: str) -> bytes:
    """Base64 with space before the padding, which may lack; what there is of it must be right. Raises ValueError."""
    digits, padding, rest = text.partition("=")
    digits = "".join(digits.split())
    if padding and (len(digits) + 1 + len(rest)) % 4:
        raise ValueError(text)
    return base64.b64decode(digits + (padding + rest or "=" * (-len(digits) % 4)), validate=True)


@function("to_binary")
def _to_binary(s: str, form: str = "hex") -> bytes:
    try:
        return _converted(s, form)
    except (FailsError, ValueError):
        raise FailsError(f"'{s}' is not in the form {form}", "CONVERSION_INVALID_INPUT") from None


@function("try_to_binary")
def _try_to_binary(s: str, form: str = "hex") -> bytes | None:
    try:
        return _converted(s, form)
    except (FailsError, ValueError, LookupError):
        return None
