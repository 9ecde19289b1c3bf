"""Functions of `re` over known texts, in time proportional to the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.programs.signals import LimitReached
from planviz.programs.values import Class, Function, Instance, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_MOST = 1_000_000
_FUNCTIONS = ("sub", "match", "search", "findall", "split", "fullmatch", "finditer")
_FLAGS = {"IGNORECASE": re.I, "I": re.I, "MULTILINE": re.M, "M": re.M, "DOTALL": re.S, "S": re.S}
#: Flags as they stand at the beginning of a pattern.
_LETTERS = {re.I: "i", re.M: "m", re.S: "s"}
#: What RE2 does not know, and what may make Python's own matching long.
_LOOKS, _REPEATS = re.compile(r"\(\?<?[=!]"), re.compile(r"[*+{]")
_SHORT = 200
#: How many characters `sub` leaves behind the pattern: `re.sub(pattern, by, text, count, flags)`.
_COUNT_AT = 2


def names_of(reader: Interpreter) -> dict[str, Value]:
    """The names of the module."""
    names: dict[str, Value] = {n: _function(reader, n) for n in _FUNCTIONS}
    names |= {n: int(flag) for n, flag in _FLAGS.items()}
    names["escape"] = Native("escape", lambda t: re.escape(t))
    names["compile"] = Native("compile", lambda pattern, flags=0: _compiled(reader, pattern, flags), True)
    return names


def _function(reader: Interpreter, name: str) -> Native:
    def apply(pattern: Value, *given: Value, **named: Value) -> Value:
        count = named.get("count", named.get("maxsplit", 0))
        plain = _COUNT_AT if name == "sub" else 1
        flags = named.get("flags", given[plain] if name not in ("sub", "split") and len(given) > plain else 0)
        return _applied(reader, name, pattern, given[:plain], given[plain] if len(given) > plain else count, flags)

    return Native(name, apply, True)


def _compiled(reader: Interpreter, pattern: Value, flags: Value) -> Value:
    """What re.compile gives: the same functions for one pattern."""
    names: dict[str, Value] = {"pattern": pattern}
    for name in _FUNCTIONS:
        plain = _COUNT_AT if name == "sub" else 1

        def apply(*given: Value, name: str = name, plain: int = plain, **named: Value) -> Value:
            count = named.get("count", named.get("maxsplit", given[plain] if len(given) > plain else 0))
            return _applied(reader, name, pattern, given[:plain], count, flags)

        names[name] = Native(name, apply, True)
    return Module("pattern", names)


def _applied(
    reader: Interpreter, name: str, pattern: Value, given: tuple[Value, ...], count: Value, flags: Value
) -> Value:
    unknown = Unknown(f"re.{name}")
    if not isinstance(pattern, str) or not isinstance(flags, int) or not isinstance(count, int) or not given:
        return unknown
    text = given[-1]
    if not isinstance(text, str) or len(text) > _MOST:
        return unknown
    try:
        compiled = _pattern(pattern, re.RegexFlag(flags), text)
        if compiled is None:
            return unknown
        if name == "sub":
            return _replaced(reader, compiled, given[0], text, count) if len(given) == _COUNT_AT else unknown
        if name == "split":
            return compiled.split(text, count)
        if name in ("findall", "finditer"):
            found = [*compiled.finditer(text)]
            return compiled.findall(text) if name == "findall" else [_Match(f) for f in found]
        match = getattr(compiled, name)(text)
    except (re.error, TypeError, ValueError, IndexError):
        return unknown
    return None if match is None else _Match(match)


def _pattern(pattern: str, flags: re.RegexFlag, text: str) -> Value:
    """The pattern, by RE2. One that looks around is Python's where it repeats nothing: then few ways are tried."""
    import re2

    letters = "".join(letter for flag, letter in _LETTERS.items() if flags & flag)
    whole = f"(?{letters}){pattern}" if letters else pattern
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(whole, options)
    except re2.error:
        pass
    few = not _REPEATS.search(pattern) and pattern.replace("(?", "").count("?") + pattern.count("|") < 5
    if not _LOOKS.search(pattern) or not few or len(pattern) > _SHORT or len(text) > _SHORT:
        return None
    return re.compile(pattern, flags & (re.I | re.M | re.S))


def _replaced(reader: Interpreter, compiled: Value, by: Value, text: str, count: int) -> Value:
    if isinstance(by, str):
        made: str = compiled.sub(by, text, count)
        if len(made) > _MOST:
            raise LimitReached("a value grows too large")
        return made
    if not isinstance(by, Function | Native):
        return Unknown("re.sub")
    parts, at = [], 0
    for at_most, found in enumerate(compiled.finditer(text)):
        if count and at_most >= count:
            break
        new = reader.call(by, [_Match(found)], {}, None)
        if not isinstance(new, str):
            return Unknown("re.sub")
        parts += [text[at : found.start()], new]
        at = found.end()
    return "".join([*parts, text[at:]])


class _Match(Instance):
    def __init__(self, found: Value) -> None:
        names: dict[str, Value] = {
            n: Native(n, getattr(found, n)) for n in ("group", "groups", "groupdict", "start", "end", "span")
        }
        super().__init__(Class("Match", [], {"__getitem__": names["group"]}), names)
