"""A plan inside a diff: `-` before the lines of the old plan, `+` before those of the new one, a space before both's.

A diff of Spark's expected plans, or of two explains, is pasted as it stands. Both sides are whole texts, so both are
given: the new one first.
"""

from __future__ import annotations

import re

from planviz.graph import is_known

_CHANGED = re.compile(r"[-+][ :]*[+:]- \S")
#: A line of an expected plan of Spark's tests, which indentation alone draws.
_DRAWN = re.compile(r"[-+ ] +['!~^*]*([A-Z]\w*)(?: \[|$| \(\d+\)$| \w+ [\w.]+ \[)")
_STARTS = ("+", "-", " ")
_ENOUGH = 0.8  # of a block's lines


def both_sides(lines: list[str]) -> tuple[list[str], list[int]] | None:
    """The lines with every diff of a plan taken apart, and the line of the input (from 1) of each; None without a diff.

    A line is a changed one when a tree mark follows the first character, as in `-   +- Sort`; Spark itself prints no
    line that begins so.
    """
    if not any(line[:1] in ("-", "+") and (_CHANGED.match(line) or _is_drawn(line)) for line in lines):
        return None
    text: list[str] = []
    number: list[int] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end][:1] in _STARTS and lines[end]:
            end += 1
        block = range(at, end)
        if not _is_diff([lines[k] for k in block]):
            text.extend(lines[at : max(end, at + 1)])
            number.extend(range(at + 1, max(end, at + 1) + 1))
            at = max(end, at + 1)
            continue
        signs = {lines[k][0] for k in block}
        for sign in ("+", "-"):
            if sign in signs:
                side = [k for k in block if lines[k][0] in (sign, " ")]
                text.extend([*(lines[k][1:] for k in side), ""])
                number.extend([*(k + 1 for k in side), side[-1] + 1])
        at = end
    return text, number


def _is_diff(block: list[str]) -> bool:
    # A line `+- Sort` is a plan's own; in a diff it would be `++- Sort`.
    if any(line.startswith("+- ") for line in block):
        return False
    drawn = sum(map(_is_drawn, block))
    return any(map(_CHANGED.match, block)) or (drawn > 1 and drawn >= _ENOUGH * len(block))


def _is_drawn(line: str) -> bool:
    match = _DRAWN.match(line)
    return match is not None and is_known(match[1])
