"""Lay the decision trees out with Graphviz and keep the places in planviz/render/decision_layout.json.

    python tools/lay_out_decisions.py            needs the program `dot`

To be run when a tree has changed; tests/render/test_decision_tree.py tells when that is.
"""

from __future__ import annotations

import json
from pathlib import Path

from planviz.decisions.join_tree import JOIN_TREES, DecisionTree
from planviz.render.decision_layout import Place, Shape, lay_out

FILE = Path(__file__).resolve().parents[1] / "planviz" / "render" / "decision_layout.json"

#: The tests that most joins go through stand in the middle, a little wider.
_SPINE = ("N0", "N1", "N2", "N3", "N6")
_WIDTH, _SPINE_WIDTH, _LEAF = 172, 184, 138
#: Of joins without keys the outcomes stand on the left, of all others on the right.
_LEFT = ("N9.yes", "H5.yes", "H6.yes", "N11.yes", "N12.yes")
_RIGHT = ("N1.yes", "H1.yes", "H2.yes", "H3.yes", "H4.yes", "N2.yes", "N3.yes", "N5.yes", "N6.no", "N7.yes")
_AROUND = ("N10.no", "N4.no")
_BESIDE = (("N9", "N1"), ("N10", "H2"), ("H5", "H3"), ("H6", "H4"), ("N11", "N2"), ("N12", "N3"))


def shape_of(tree: DecisionTree) -> Shape:
    """The tree of joins, ready to be laid out."""
    answers = {f"{e.source}.{e.label}": None if tree.outcome(e.target) else e.target for e in tree.edges}
    return Shape(
        {q.name: _SPINE_WIDTH if q.name in _SPINE else _WIDTH for q in tree.questions},
        _LEAF,
        answers,
        frozenset(_LEFT) & answers.keys(),
        frozenset(_RIGHT),
        frozenset(_AROUND),
        tuple((one, other) for one, other in _BESIDE if tree.question(one)),
    )


def numbers(place: Place) -> list[float]:
    """A place as it is kept."""
    return [place.x, place.y, place.width]


def main() -> None:
    """Write the file."""
    found = {
        f"joins-{name}": {box: numbers(place) for box, place in lay_out(shape_of(tree)).items()}
        for name, tree in JOIN_TREES.items()
    }
    trees = [
        f'  "{name}": {{\n' + ",\n".join(f'    "{box}": {json.dumps(at)}' for box, at in boxes.items()) + "\n  }"
        for name, boxes in found.items()
    ]
    FILE.write_text("{\n" + ",\n".join(trees) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
