"""A plan in a program's source: the quotes around its lines taken off."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"""\s*+(?:[\w.]+ ?[=(+:]+ ?)*+[(+]*+\s*+[rbfu]?(["'`])(.*?)(\\n)?\1[\s,)+;\\]*$""")
_OPENING = re.compile(r"""^\s*(?:[\w.:][\w.: ]*=>?\s*|\w+\()?[rbfu]?(?:\"{3}|'{3}|`)(?=[*'!(]*(?:\(\d+\) )?[A-Z]\w)""")
_CLOSING = re.compile(r"""(?:\"{3}|'{3}|`)(?:\.\w+(?:\(\))?)*[)\];,]*\s*$""")
_MARKED = re.compile(r"[\s:]*[+:]- \S")
#: A tree's mark or a plan's heading, behind what else may stand before them: comment marks, a log's prefix.
_SHOWS = re.compile(r"(?:^|[\s:|#>*])[+:]- ?['*!^~(]*[A-Za-z]|== \w+ (?:\w+ )?Plan ==\W*$")
#: Lines that a root may be broken into.
_WRAPPED = 8
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def without_quotes(lines: list[str], raw: str) -> list[str] | None:
    """Lines of a plan without the quotes of a program: one literal a line (`"+- Sort\\n" +`), or one around all lines.

    None when there are none. A line is a literal's when its neighbour is one, too, and one of them has a tree mark
    or is a plan's heading.
    """
    if '"' not in raw and "'" not in raw and "`" not in raw:
        return None
    out = lines[:]
    at = 0
    while at < len(lines):
        end, texts = at, []
        while end < len(lines) and (match := _LITERAL.match(lines[end])):
            texts.append(match[2].replace(f"\\{match[1]}", match[1]))
            end += 1
        if end - at > 1 and any(map(_SHOWS.search, texts)):
            out[at:end] = map(_unescaped, texts)
        at = max(end, at + 1)
    backtick = False
    for at, line in enumerate(out):
        if (match := _OPENING.match(line)) and _tree_follows(out, at):
            out[at] = line[match.end() :]
            backtick = backtick or match[0].endswith("`")
        elif _MARKED.match(line):
            # Spark quotes names with backticks, too: one closes a string only where one was opened above.
            match = _CLOSING.search(line)
            if match and (backtick or match[0][0] != "`"):
                out[at] = line[: match.start()]
        elif line.rstrip().endswith("`"):
            backtick = True
    return out if out != lines else None


def _tree_follows(lines: list[str], at: int) -> bool:
    """Whether the line below has a tree's mark, or one that follows where this one's brackets are still open."""
    opened = 0
    for line in range(at, min(at + _WRAPPED, len(lines) - 1)):
        opened += sum(map(lines[line].count, "[(")) - sum(map(lines[line].count, ")]"))
        if _MARKED.match(lines[line + 1]):
            return True
        if opened <= 0:
            return False
    return False


def _unescaped(text: str) -> str:
    """A literal with its characters in place of `\\u00e9`, as JSON writes what is not ASCII."""
    if "\\u" not in text:
        return text
    # Two of them make one character beyond the first plane.
    made = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return made.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
