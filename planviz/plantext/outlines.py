"""Trees whose marks are others than Spark's: drawn with box characters (`├──`, `└──`), or without their plus signs."""

from __future__ import annotations

import re

from planviz.graph import is_known

_DRAWN = re.compile(r"([\s│┃|:]*)([├└╰┣┗])[─━╌-]+[>╴]?[ \xa0]?(?=[*'!~^(\w])")
_BARE = re.compile(r"^((?: {3}|:  )*+) - (?=['!~^]*(?:\*(?:\(\d+\))? ?)?[A-Z=])")
_RAILS = str.maketrans({"│": ":", "┃": ":", "|": ":"})
_OPERATOR = re.compile(r"( *)((?:\*(?:\(\d+\))? ?|\^\(?\d*\)? ?)?['!~]*([A-Z]\w*)(?![\w.:]|\s*(?:=|->|:)))")
_WHOLE = re.compile(r"[\[(<]|$|\s(?:\(\d+\)|[A-Z#\[(<`'\d]|(?:\w+ )?[\w.`]+(?:,|$|\(|\s*\[))")
_ATTRIBUTE = re.compile(r"\w#\d")
_HEADING = re.compile(r"\s*={2,3} [A-Z][\w ]* ={2,3}\s*$")
_ENOUGH = 0.6
_BINARY = re.compile(r"Join|Union|CartesianProduct|Intersect|Except|CoGroup")


def with_marks_for_boxes(lines: list[str], raw: str) -> list[str] | None:
    """Lines in which `├── X` became `:- X` and `└── X` became `+- X`, where most names of a drawing are operators'."""
    if "└" not in raw and "├" not in raw and "╰" not in raw and "┗" not in raw:
        return None
    out: list[str] | None = None
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _DRAWN.match(lines[end]):
            end += 1
        if end > at and mostly_operators(lines[at:end]):
            out = lines[:] if out is None else out
            out[at:end] = [_with_mark(line) for line in lines[at:end]]
        at = max(end, at + 1)
    return out


def with_plus_signs(lines: list[str], raw: str) -> list[str] | None:
    """Lines in which ` - X` became `+- X`: a form or a page that took every `+` for a space has printed them.

    Only in a text without any `+- `, where most names behind the marks are operators'.
    """
    if "+- " in raw or " - " not in raw:
        return None
    bare = [line for line in lines if _BARE.match(line)]
    if not bare or not ("== " in raw or ":- " in raw) or not mostly_operators([line.lstrip(" :") for line in bare]):
        return None
    return [_BARE.sub(r"\1+- ", line) for line in lines]


def mostly_operators(drawn: list[str]) -> bool:
    """Whether most lines of a drawing begin with an operator's name."""
    names = [re.match(r"\W*(?:\(?\d+\) ?)?(\w*)", line) for line in drawn]
    return sum(1 for name in names if name is not None and is_known(name[1])) >= _ENOUGH * len(drawn)


def _with_mark(line: str) -> str:
    match = _DRAWN.match(line)
    assert match is not None
    mark = ":- " if match[2] in "├┣" else "+- "
    return match[1].replace("\xa0", " ").translate(_RAILS) + mark + line[match.end() :]
