"""The scene: parallel lists, places, numbers, links, and what is put off for large plans."""

from __future__ import annotations

import json

import pytest

from planviz.document import open_text
from planviz.graph import KINDS, PlanGraph, PlanNode
from planviz.render.scene import LARGE, MANY, build_scene, scene_details
from tests.render import made_plans as plans
from tests.steps import steps


def test_the_lists_are_parallel_and_json() -> None:
    scene = build_scene(plans.brand_sales())
    data = json.loads(json.dumps(scene.to_json()))

    assert data == scene.to_json()
    assert {len(column) for column in data["nodes"].values()} == {14}
    assert data["version"] == 1
    assert data["kinds"] == list(KINDS)
    assert data["nodes"]["title"][4] == "Sort Merge Inner Join"
    assert data["nodes"]["sub"][4] == [["on", "ss_item_sk = i_item_sk"]]
    assert data["nodes"]["parent"][:6] == [-1, 0, 1, 2, 3, 4]
    assert data["nodes"]["first"][2] == data["nodes"]["last"][2] == 3
    assert data["nodes"]["codegen"][:2] == [-1, 6]
    assert data["nodes"]["number"][:2] == [1, 2]
    assert ["keys", "d_year#3\ni_brand#4"] in data["details"][1]


def test_equal_plans_give_equal_scenes() -> None:
    assert build_scene(plans.with_links()).to_json() == build_scene(plans.with_links()).to_json()


def test_everything_lies_within_the_size() -> None:
    for graph in (plans.brand_sales(), plans.with_links(), plans.hostile(), plans.fan(50)):
        scene = build_scene(graph)
        nodes, (width, height) = scene.nodes, scene.size
        assert min(nodes["x"]) >= 40
        assert min(nodes["y"]) == 40
        assert max(x + w for x, w in zip(nodes["x"], nodes["w"], strict=True)) <= width - 40 + 0.1
        assert max(y + h for y, h in zip(nodes["y"], nodes["h"], strict=True)) <= height - 40 + 0.1


def test_cards_widen_for_their_words_while_the_picture_stays_handy() -> None:
    narrow, wide = build_scene(plans.brand_sales()), build_scene(plans.fan(40))

    assert narrow.size[0] <= 1200
    assert max(narrow.nodes["w"]) > 190
    assert set(wide.nodes["w"]) == {190}


def test_links_and_subquery_edges_are_told_apart() -> None:
    scene = build_scene(plans.with_links())

    assert scene.links == [[3, 7, "bloom"], [8, 6, "reuse"], [9, 6, "pruning"]]
    assert [i for i, edge in enumerate(scene.nodes["edge"]) if edge == "s"] == [4]


def test_ids_need_not_be_positions() -> None:
    nodes = [PlanNode(7, "Sort", "sort", "Sort"), PlanNode(3, "Scan", "scan", "Scan", parent=7, operator_id=12)]
    scene = build_scene(PlanGraph.from_nodes("physical", "", nodes))

    assert scene.nodes["id"] == [7, 3]
    assert scene.nodes["parent"] == [-1, 0]
    assert scene.nodes["number"] == [8, 12]


@pytest.mark.parametrize(
    ("printed", "rows"), [("1,234", 1234), (1234, 1234), ("0", 0), ("total (min, med, max)", None), (None, None)]
)
def test_measured_rows_win_and_never_mix_with_estimates(printed: object, rows: int | None) -> None:
    metrics = {"number of output rows": printed, "data size": "1.5 MiB"}
    nodes = [
        plans.node(0, None, "Exchange", rows=99, metrics=metrics),
        plans.node(1, 0, "FileScan", rows=77),
    ]
    scene = build_scene(PlanGraph.from_nodes("physical", "", nodes))

    assert scene.rows_are == "measured"
    # An exchange has the rows of what it moves, and never the 77 that were expected.
    assert scene.nodes["rows"] == [rows, rows]
    assert scene.nodes["bytes"] == [1_572_864, None]


def test_bytes_of_a_metric_with_quartiles_are_the_total() -> None:
    metrics = {"data size": "total (min, med, max (stageId: taskId))\n12.0 KiB (1.0 KiB, 2.0 KiB, 3.0 KiB)"}
    scene = build_scene(PlanGraph.from_nodes("physical", "", [plans.node(0, None, "Exchange", metrics=metrics)]))

    assert scene.nodes["bytes"] == [12_288]


def test_unknown_and_estimated_numbers() -> None:
    assert build_scene(plans.with_links()).rows_are == "unknown"
    assert build_scene(plans.brand_sales()).rows_are == "estimated"
    assert build_scene(plans.brand_sales()).nodes["rows"][8] == 287_997_024


def test_an_empty_plan_is_a_scene() -> None:
    scene = build_scene(PlanGraph("physical", "Physical Plan"))

    assert scene.nodes["id"] == []
    assert scene.details == []


def refuse(node: PlanNode) -> dict[str, object]:
    raise AssertionError("a large plan's arguments must not be read before the first paint")


def large(count: int = LARGE + 1) -> PlanGraph:
    nodes = [
        PlanNode(
            i,
            "SortMergeJoin",
            "join",
            f"SortMergeJoin [a#{i}], [b#2], LeftOuter",
            parent=i - 1 if i else None,
            reader=refuse,
        )
        for i in range(count)
    ]
    return PlanGraph.from_nodes("physical", "Physical Plan", nodes)


def test_a_large_plan_is_laid_out_without_reading_arguments() -> None:
    scene = build_scene(large())

    assert scene.details is None
    assert scene.nodes["sub"] is None
    assert scene.nodes["title"][0] == "Sort Merge Left Outer Join"
    assert set(scene.nodes["h"]) == {46}


def test_details_of_a_large_plan_come_later_and_change_no_geometry() -> None:
    graph = plans.chain(LARGE + 1)
    first, loaded, full = build_scene(graph), scene_details(graph), build_scene(graph, full=True)

    assert [first.nodes[side] for side in "xywh"] == [full.nodes[side] for side in "xywh"]
    assert loaded == {"title": full.nodes["title"], "sub": full.nodes["sub"], "details": full.details}


def test_a_plan_of_many_operators_has_its_words_at_once_and_details_later() -> None:
    graph = plans.chain(MANY + 1)
    first, full = build_scene(graph), build_scene(graph, full=True)

    assert first.details is None
    assert full.details is not None
    assert first.nodes == full.nodes
    assert build_scene(plans.chain(MANY)).details is not None


@pytest.mark.parametrize("graph", [plans.chain(20_000), plans.fan(10_000)], ids=["deep", "wide"])
def test_extreme_shapes_are_quick(graph: PlanGraph) -> None:
    taken = steps(lambda: build_scene(graph))
    scene = build_scene(graph)

    assert taken < 200 * len(graph)
    assert len(scene.nodes["x"]) == len(graph)


def test_only_the_lowest_unresolved_operator_says_so() -> None:
    text = "== Parsed Logical Plan ==\n'Project ['a]\n+- 'Filter ('a > 1)\n   +- 'UnresolvedRelation [t1], [], false\n"
    scene = build_scene(open_text(text).plans[0])
    assert scene.nodes["badges"] == [[], [], ["unresolved"]]
