"""Plans without some of their operators."""

from __future__ import annotations

from planviz.document import open_text
from planviz.graph.contracted import contracted
from planviz.samples import load

TEXT = """== Optimized Logical Plan ==
Project [a#1]
+- Join Inner, (a#1 = b#2)
   :- Project [a#1]
   :  +- Project [a#1, c#3]
   :     +- Relation t[a#1,c#3] parquet
   +- Project [b#2]
      +- Filter (b#2 > scalar-subquery#9 [])
         :  +- Project [x#5]
         :     +- Relation v[x#5] parquet
         +- Relation u[b#2] parquet
"""


def test_what_stood_beneath_hangs_under_what_stood_above() -> None:
    graph = open_text(TEXT).plans[0]
    found, kept = contracted(graph, lambda node: node.op == "Project")
    shape = [(node.op, node.depth, node.parent) for node in found]
    # The first projection has nothing above, so it stays.
    assert shape == [
        ("Project", 0, None),
        ("Join", 1, 0),
        ("Relation", 2, 1),
        ("Filter", 2, 1),
        ("Relation", 3, 3),
        ("Relation", 3, 3),
    ]
    assert [graph[id].op for id in kept] == [node.op for node in found]
    assert found.edge_type(3, 4) == "subquery"


def test_links_are_taken_up_by_what_stays() -> None:
    graph = open_text(load("dynamic-partition-pruning")).plans[-1]
    found, kept = contracted(graph, lambda node: node.op == "Project")
    assert (
        len(found) == len(kept) == len(graph) - sum(node.op == "Project" and node.parent is not None for node in graph)
    )
    assert {link.type for link in found.links()} == {link.type for link in graph.links()}
    for link in found.links():
        assert link.source < len(found)
        assert link.target < len(found)
