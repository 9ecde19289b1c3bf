from __future__ import annotations

from planviz.trees.text import tree_string


class Line:
    def __init__(self, text: str, *children: Line, inner: tuple[Line, ...] = ()) -> None:
        self.simple_string, self.children, self.inner_children = text, children, inner


def test_children_and_inner_children_stand_as_in_spark():
    tree = Line(
        "Project",
        Line("Filter", Line("Join", Line("A"), Line("B")), inner=(Line("Sub", Line("C")), Line("D"))),
    )

    assert tree_string(tree) == (
        "Project\n+- Filter\n   :  :- Sub\n   :  :  +- C\n   :  +- D\n   +- Join\n      :- A\n      +- B\n"
    )


def test_inner_children_of_a_leaf_have_no_line_beside_them():
    assert tree_string(Line("Top", inner=(Line("A"), Line("B")))) == "Top\n   :- A\n   +- B\n"
