"""Trees that indentation alone draws, with Spark's marks put in.

Spark up to 1.5 indents a child by one space and prints no marks, the expected plans of its own tests by two; people
who write a plan down by hand do either.
"""

from __future__ import annotations

import re
from itertools import pairwise

from planviz.graph import is_known, kind_of
from planviz.plantext.lines import Lines

_DRAWN = re.compile(r"([\s│┃|:]*)([├└╰┣┗])[─━╌-]+[>╴]?[ \xa0]?(?=[*'!~^(\w])")
_RAILS = str.maketrans({"│": ":", "┃": ":", "|": ":"})
_OPERATOR = re.compile(r"( *)((?:\*(?:\(\d+\))? ?|\^\(?\d*\)? ?)?['!~]*([A-Z]\w*)(?![\w.:]|\s*(?:=|->|:)))")
_WHOLE = re.compile(r"[\[(<]|$|\s(?:\(\d+\)|[A-Z#\[(<`'\d]|(?:\w+ )?[\w.`]+(?:,|$|\(|\s*\[))")
_ATTRIBUTE = re.compile(r"\w#\d")
_HEADING = re.compile(r"\s*={2,3} [A-Z][\w ]* ={2,3}\s*$")
_ENOUGH = 0.6
_MOST = 500  # lines in one column that make a tree: what is longer was not copied from a page
_BINARY = re.compile(r"Join|Union|CartesianProduct|Intersect|Except|CoGroup")
_ANY_NUMBER = re.compile(r"Union|Subquery|InMemory|Command|CTE")


def marks_for_indentation(lines: Lines) -> Lines | None:
    """Clean lines in which trees that only indentation draws have Spark's marks, or None when there is no such tree."""
    text = lines.text
    out: list[str] | None = None
    headed = False
    at = 0
    while at < len(text):
        match = _operator(text[at])
        if match is None:
            headed = bool(_HEADING.match(text[at])) or (headed and not text[at].strip())
            at += 1
            continue
        columns = _columns(text, at, match)
        marked = None
        if len(columns) > 1:
            by_arity = _depths_by_arity(text, at, columns)
            if by_arity is not None:
                marked = _marked(text, at, by_arity)
            elif any(columns):
                depths = _depths(columns)
                marked = None if depths is None else _marked(text, at, depths)
            else:
                marked = _chain(text, at, len(columns), headed)
        if marked:
            out = text[:] if out is None else out
            out[at : at + len(marked)] = marked
        at += len(columns)
        headed = False
    return None if out is None else Lines(out, lines.number, (*lines.stripped, "indentation without marks"), lines.end)


def _operator(line: str) -> re.Match[str] | None:
    match = _OPERATOR.match(line)
    if match is None or not is_known(match[3]) or not _WHOLE.match(line, match.end()):
        return None
    return match


def _columns(text: list[str], start: int, first: re.Match[str]) -> list[int | None]:
    """How far every line of the run that begins at `start` is indented beyond its first, as far as they are operators;
    None for a line that goes on with the brackets of the one before.

    The run ends before a line that is none, or that a tree mark follows: that one is the root of a tree with marks.
    """
    base = len(first[1])
    columns: list[int | None] = [0]
    at = start + 1
    opened = _opened(text[start])
    while at < len(text) and text[at].strip():
        match = _operator(text[at])
        if match and len(match[1]) >= base:
            columns.append(len(match[1]) - base)
            opened = _opened(text[at])
        elif opened > 0 and len(text[at]) - len(text[at].lstrip()) > base:
            columns.append(None)
            opened += _opened(text[at])
        else:
            break
        at += 1
    following = text[at].lstrip(" :") if at < len(text) else ""
    if following[:3] == "+- " or (following[:2] == "- " and ":" in text[at]):
        columns.pop()
    while columns and columns[-1] is None:
        columns.pop()
    return columns or [0]


def _opened(line: str) -> int:
    return line.count("[") - line.count("]") + line.count("(") - line.count(")")


def _depths(given: list[int | None]) -> list[int] | None:
    """Levels of the columns, 0 for the root and -1 for what goes on; None when no tree is indented so."""
    open_columns: list[int] = []
    depths = []
    columns = [column for column in given if column is not None]
    for column in given:
        if column is None:
            depths.append(-1)
            continue
        while open_columns and open_columns[-1] >= column:
            open_columns.pop()
        open_columns.append(column)
        depths.append(len(open_columns) - 1)
    steps = {b - a for a, b in pairwise(columns) if b > a}
    return depths if depths.count(0) == 1 and max(steps) - min(steps) <= 2 else None


def _depths_by_arity(text: list[str], start: int, columns: list[int | None]) -> list[int] | None:
    """Levels of a tree all of whose lines but the root stand in one column, as a page shows one that took runs of
    spaces for one: operators in the order of Spark, of which a join has two inputs, a scan none and others one.

    None where the lines end before all inputs are there, or go on behind the last one, and where nobody knows how many
    inputs an operator has.
    """
    if not 4 <= len(columns) <= _MOST or None in columns or len(set(columns[1:])) != 1:
        return None
    awaited: list[int] = []  # inputs still to come, of the operators above
    depths: list[int] = []
    for at in range(start, start + len(columns)):
        match = _operator(text[at])
        name = "" if match is None else match[3]
        if not name or (depths and not awaited) or _ANY_NUMBER.search(name):
            return None
        while awaited and awaited[-1] == 0:
            awaited.pop()
        if depths:
            if not awaited:
                return None
            awaited[-1] -= 1
        depths.append(len(awaited))
        if name.startswith("Reused") or kind_of(name) == "scan":
            continue
        awaited.append(2 if _BINARY.search(name) else 1)
    return depths if not any(awaited) and depths.count(0) == 1 and max(depths) > 1 else None


def _marked(text: list[str], start: int, depths: list[int]) -> list[str]:
    base = len(text[start]) - len(text[start].lstrip())
    out = []
    later: list[bool] = []  # whether a sibling is still to come, by level
    for at in range(len(depths) - 1, 0, -1):
        depth = depths[at]
        if depth < 0:
            out.append(text[start + at])
            continue
        later += [False] * (depth + 1 - len(later))
        out.append(" " * (base + 3 * (depth - 1)) + (":- " if later[depth] else "+- ") + text[start + at].lstrip())
        later[depth:] = [True]
    return [text[start], *reversed(out)]


def _chain(text: list[str], start: int, size: int, headed: bool) -> list[str] | None:
    """Lines of which every indentation is gone: a chain, unless an operator has two children.

    Without a heading only where all have expression ids and the last one is a leaf.
    """
    block = text[start : start + size]
    last = _operator(block[-1])
    whole = last is not None and kind_of(last[3]) == "scan" and all(_ATTRIBUTE.search(line) for line in block)
    if not (headed or whole) or any(_BINARY.search(line.split("(", 1)[0].split("[", 1)[0]) for line in block):
        return None
    base = len(block[0]) - len(block[0].lstrip())
    return [block[0], *(" " * (base + 3 * depth) + "+- " + line.lstrip() for depth, line in enumerate(block[1:]))]
