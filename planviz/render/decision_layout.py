"""Where the boxes of a decision tree stand: Graphviz lays them out, once and for all.

A tree of decisions is the same for every query, so its places are kept with the package (`decision_layout.json`) and
drawing one needs no Graphviz program. `tools/lay_out_decisions.py` makes the file anew when a tree has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

#: Height of a box, and the room between two rows and between two columns, in px.
HEIGHT, ROW_GAP, COLUMN_GAP = 38, 12, 32
_DPI = 72


@dataclass(frozen=True)
class Place:
    """A box: its centre and its size in px."""

    x: float
    y: float
    width: float
    height: float = HEIGHT


@dataclass(frozen=True)
class Shape:
    """What is to be laid out.

    `tests` are the widths of the tests by id in px, `leaf` that of a leaf. `answers` gives by answer (`N0.yes`) the
    test that comes next, or None where it ends: that leaf has the answer's name. `left` and `right` are the answers
    that go sideways, all others go down. `around` are answers that pass by tests of their own column; they take no part
    in the layout. `beside` are pairs of boxes of one row, the left one first.
    """

    tests: Mapping[str, int]
    leaf: int
    answers: Mapping[str, str | None]
    left: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    beside: tuple[tuple[str, str], ...] = ()


@cache
def places(tree: str) -> dict[str, Place]:
    """The places of a tree's boxes by id, the leftmost box at 0 and the topmost as well.

    Raises KeyError when no tree of that name was laid out.
    """
    kept = json.loads(files("planviz.render").joinpath("decision_layout.json").read_text("utf-8"))
    return {box: Place(*numbers) for box, numbers in kept[tree].items()}


def lay_out(shape: Shape) -> dict[str, Place]:
    """The places that Graphviz gives to a shape; needs its program `dot`.

    Raises `graphviz.ExecutableNotFound` where that is not installed.
    """
    import graphviz

    plain = graphviz.Source(dot_of(shape)).pipe(format="plain", encoding="utf-8")
    found: dict[str, tuple[float, float, float]] = {}
    for line in plain.splitlines():
        words = line.split()
        if words[0] == "node":
            x, y, width = (float(word) * _DPI for word in words[2:5])
            found[words[1].strip('"')] = (x, y, width)
    left = min(x - width / 2 for x, _, width in found.values())
    top = max(y for _, y, _ in found.values()) + HEIGHT / 2
    return {box: Place(round(x - left), round(top - y), round(width)) for box, (x, y, width) in sorted(found.items())}


def dot_of(shape: Shape) -> str:
    """The shape in Graphviz' language: what goes sideways shares a rank, what goes down stays in its column."""
    lines = [
        "digraph {",
        f"  graph [nodesep={COLUMN_GAP / _DPI:.4f}, ranksep={ROW_GAP / _DPI:.4f}]",
        f"  node [shape=box, fixedsize=true, height={HEIGHT / _DPI:.4f}]",
    ]
    columns = _columns(shape)
    lines += [f'  "{test}" [width={width / _DPI:.4f}, group={columns[test]}]' for test, width in shape.tests.items()]
    for answer, target in shape.answers.items():
        source = answer.partition(".")[0]
        end = target or answer
        if target is None:
            group = columns[source] + ("l" if answer in shape.left else "r" if answer in shape.right else "")
            lines.append(f'  "{answer}" [width={shape.leaf / _DPI:.4f}, group={group}]')
        if answer in shape.left:
            lines.append(f'  {{rank=same; "{end}" -> "{source}"}}')
        elif answer in shape.right:
            lines.append(f'  {{rank=same; "{source}" -> "{end}"}}')
        elif answer not in shape.around:
            weight = 20 if columns[source] == columns.get(end, columns[source]) else 1
            lines.append(f'  "{source}" -> "{end}" [weight={weight}]')
    lines += [f'  {{rank=same; "{one}" -> "{other}" [style=invis]}}' for one, other in shape.beside]
    ends = [answer for answer, target in shape.answers.items() if target is None and answer in shape.left]
    lines += [f'  "{one}" -> "{other}" [style=invis]' for one, other in pairwise(ends)]
    return "\n".join([*lines, "}"]) + "\n"


def _columns(shape: Shape) -> dict[str, str]:
    """A name for the column of every test: one that is reached straight down stands in that of the test above."""
    found: dict[str, str] = {}
    for test in shape.tests:
        column = found.setdefault(test, f"c{len(set(found.values()))}")
        down = [
            target
            for answer, target in shape.answers.items()
            if answer.startswith(f"{test}.") and answer not in shape.left | shape.right | shape.around
        ]
        below = next((target for target in down if target is not None and target not in found), None)
        if below is not None:
            found[below] = column
    return found
