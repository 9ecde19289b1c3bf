"""Two plans side by side: common places where the order is the same, places of their own where it is not."""

from __future__ import annotations

from planviz.document import open_text
from planviz.graph import PlanGraph
from planviz.render.paired import WIDEST, paired_scenes, single_scene

PLAN = """Join Inner, (a#1 = d#4)
:- Join Inner, (a#1 = c#3)
:  :- Relation t[a#1] parquet
:  +- Relation u[c#3] parquet
+- Relation w[d#4] parquet
"""


def read(text: str) -> PlanGraph:
    return open_text(f"== Optimized Logical Plan ==\n{text}").plans[0]


def places(scene: dict[str, object]) -> dict[str, tuple[float, float]]:
    nodes = scene["nodes"]
    assert isinstance(nodes, dict)
    return {title: (x, y) for title, x, y in zip(nodes["title"], nodes["x"], nodes["y"], strict=True)}


def test_what_stands_in_both_stands_at_one_place() -> None:
    filtered = PLAN.replace(":  +- Relation u[c#3] parquet", ":  +- Filter (c#3 > 1)\n:     +- Relation u[c#3] parquet")
    (one, two), pairs, aligned = paired_scenes(read(PLAN), read(filtered))
    assert aligned
    assert one["size"] == two["size"]
    for left, right in pairs:
        assert one["nodes"]["x"][left] == two["nodes"]["x"][right]
        assert one["nodes"]["y"][left] == two["nodes"]["y"][right]
    assert len(pairs) == len(one["nodes"]["id"]) == len(two["nodes"]["id"]) - 1


def test_joins_in_another_order_have_places_of_their_own() -> None:
    other = """Join Inner, (a#1 = c#3)
:- Join Inner, (a#1 = d#4)
:  :- Relation t[a#1] parquet
:  +- Relation w[d#4] parquet
+- Relation u[c#3] parquet
"""
    (one, two), pairs, aligned = paired_scenes(read(PLAN), read(other))
    assert not aligned
    assert one["size"] == two["size"]  # the shapes are alike, each laid out alone
    assert len(pairs) == 5
    assert places(one)["Relation u"] == places(two)["Relation w"]


def test_cards_are_narrow_and_have_one_line() -> None:
    scene = single_scene(read(PLAN.replace("a#1 = d#4", " AND ".join(f"a#1 = d#{n}" for n in range(40)))))
    nodes = scene["nodes"]
    assert max(nodes["w"]) <= WIDEST
    assert all(len(lines) <= 1 for lines in nodes["sub"])


def test_a_tall_plan_has_cards_of_one_line_that_keep_what_they_are_about() -> None:
    """Seven cards of a plan of thirty were in view."""
    deep = "\n".join(["Sort [a#1 ASC NULLS FIRST], true", *(f"{'   ' * n}+- Filter (a#1 > {n})" for n in range(14))])
    deep += f"\n{'   ' * 14}+- LocalRelation [a#1]"
    low, high = single_scene(read(PLAN)), single_scene(read(deep))
    assert (low["line"], high["line"]) == (False, True)
    assert set(high["nodes"]["h"]) == {20}
    assert high["nodes"]["sub"][1] == [["where", "a > 0"]]
    assert high["size"][1] == 16 * 20 + 15 * 20 + 2 * 40  # cards, room between them, margins
    (one, two), _, aligned = paired_scenes(read(deep), read(deep.replace("> 13", "> 99")))
    assert (aligned, one["line"], two["line"]) == (True, True, True)
    assert one["nodes"]["y"] == two["nodes"]["y"]
