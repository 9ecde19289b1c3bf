"""Pictures of real plans: all of them can be drawn, nothing overlaps, nothing is lost."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from planviz.document import open_text
from planviz.graph import PlanGraph
from planviz.render import render
from planviz.render.scene import build_scene

CAPTURES = Path(__file__).parents[3] / "shared/corpus/tpcds/captures"
CASES = [
    ("nocbo-aqeoff", "q3", "simple"),
    ("nocbo-aqeoff", "q9", "simple"),
    ("nocbo-aqeon", "q14a", "formatted"),
    ("cbo-aqeoff", "q64", "cost"),
    ("cbo-aqeon", "q23b", "extended"),
    ("nostats-aqeoff", "q66", "formatted"),
]

pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="the corpus of real plans (../shared/corpus) is not here")


def plans_of(mode: str, query: str, explain: str) -> tuple[PlanGraph, ...]:
    with gzip.open(CAPTURES / mode / f"{query}.json.gz") as file:
        return open_text(json.load(file)["explain"][explain]).plans


@pytest.mark.parametrize(("mode", "query", "explain"), CASES)
def test_cards_of_real_plans_do_not_touch(mode: str, query: str, explain: str) -> None:
    for graph in plans_of(mode, query, explain):
        nodes = build_scene(graph).nodes
        boxes = sorted(zip(nodes["x"], nodes["y"], nodes["w"], nodes["h"], strict=True))
        assert len(boxes) == len(graph)
        for i, (x, y, w, h) in enumerate(boxes):
            for other_x, other_y, _, other_h in boxes[i + 1 :]:
                if other_x >= x + w + 27:
                    break
                assert other_y >= y + h + 25 or y >= other_y + other_h + 25


@pytest.mark.parametrize(("mode", "query", "explain"), CASES)
def test_real_plans_in_every_text_format(mode: str, query: str, explain: str) -> None:
    for graph in plans_of(mode, query, explain):
        root = ElementTree.fromstring(render(graph, "svg"))
        assert len(root.findall("{http://www.w3.org/2000/svg}g")) == len(graph)
        assert len(json.loads(render(graph, "json"))["nodes"]) == len(graph)
        for text, arrow in ((render(graph, "dot"), b" [label="), (render(graph, "mmd"), b'["')):
            assert sum(arrow in line and b"->" not in line for line in text.splitlines()) >= len(graph)


def test_the_estimates_of_explain_cost_stand_on_the_edges() -> None:
    optimized = plans_of("cbo-aqeoff", "q64", "cost")[0]
    scene = build_scene(optimized)

    assert scene.rows_are == "estimated"
    assert "≈" in render(optimized, "svg").decode()


def test_levels_follow_the_text() -> None:
    for graph in plans_of("nocbo-aqeoff", "q3", "simple"):
        nodes = build_scene(graph).nodes
        for parent, y in zip(nodes["parent"], nodes["y"], strict=True):
            assert parent < 0 or y > nodes["y"][parent]
        assert all(a < b for a, b in pairwise(nodes["number"]))
