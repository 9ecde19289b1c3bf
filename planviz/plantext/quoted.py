"""A plan in a program's source: the quotes around its lines taken off."""

from __future__ import annotations

import re

_LITERAL = re.compile(r"""\s*+(?:[\w.]+ ?[=(+:]+ ?)*+[(+]*+\s*+[rbfu]?(["'`])(.*?)(\\n)?\1[\s,)+;\\]*$""")
_OPENING = re.compile(r"""^\s*(?:[\w.:][\w.: ]*=>?\s*|\w+\()?[rbfu]?(?:\"{3}|'{3}|`)(?=[*'!(]*(?:\(\d+\) )?[A-Z]\w)""")
_CLOSING = re.compile(r"""(?:\"{3}|'{3}|`)(?:\.\w+(?:\(\))?)*[)\];,]*\s*$""")
_MARKED = re.compile(r"[\s:]*[+:]- \S")


def without_quotes(lines: list[str], raw: str) -> list[str] | None:
    """Lines of a plan without the quotes of a program: one literal a line (`"+- Sort\\n" +`), or one around all lines.

    None when there are none. A line is a literal's when its neighbour is one, too, and one of them has a tree mark.
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
        if end - at > 1 and any(map(_MARKED.match, texts)):
            out[at:end] = texts
        at = max(end, at + 1)
    for at, line in enumerate(out):
        if at + 1 < len(out) and _MARKED.match(out[at + 1]) and (match := _OPENING.match(line)):
            out[at] = line[match.end() :]
        elif _MARKED.match(line) and (match := _CLOSING.search(line)) and _is_opened(out[:at], match[0][0]):
            out[at] = line[: match.start()]
    return out if out != lines else None


def _is_opened(before: list[str], quote: str) -> bool:
    """Whether a quote that ends a line may close one that was opened above; Spark quotes names with backticks, too."""
    return quote != "`" or any(line.count(quote) % 2 for line in before)
