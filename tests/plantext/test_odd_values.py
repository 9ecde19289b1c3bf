"""JSON of Spark with values of other types and numbers that are none: read as far as it goes, and drawn."""

from __future__ import annotations

import contextlib
import json

import pytest

from planviz.document import open_text
from planviz.document.cardinality.measurements import measured_text, run_rows
from planviz.errors import NotAPlan
from planviz.render import render
from planviz.samples import load_live

ODD = ("NaN", "Infinity", "-1", "1e400", "9" * 400, '"x"', "null", "true", "[]", "{}", "[[1]]")


def _drawn(text: str) -> list[int]:
    document = open_text(text)
    for plan in document.plans:
        json.loads(render(plan, "json"), parse_constant=pytest.fail)
        render(plan, "svg")
        measured_text(run_rows(plan))
    return [len(plan) for plan in document.plans]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", ["num-children", "projectList", "condition", "joinType", "output", "partitions"])
def test_a_plan_as_json(key: str, odd: str) -> None:
    text = f'[{{"class": "x.Project", "num-children": 1, "{key}": {odd}}}, {{"class": "x.Range", "num-children": 0}}]'
    assert sum(_drawn(text)) == 2


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", ["nodeId", "nodeName", "metrics", "wholeStageCodegenId", "desc", "edges"])
def test_an_answer_of_the_server(key: str, odd: str) -> None:
    told = {
        "nodes": [{"nodeId": n, "nodeName": "Filter", "metrics": [{"name": "m", "value": "1"}]} for n in (0, 1, 2)],
        "edges": [{"fromId": 1, "toId": 0}, {"fromId": "x", "toId": None}],
    }  # fmt: skip
    place = told if key == "edges" else told["nodes"][2]
    place[key] = "ODD"  # type: ignore[index]
    assert sum(_drawn(json.dumps(told).replace('"ODD"', odd))) in (2, 3)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("place", ["metric", "estimate", "children", "metadata"])
def test_what_was_measured(place: str, odd: str) -> None:
    child = {"nodeName": "Range", "simpleString": "Range (0, 1)", "children": [], "metrics": []}
    top = {
        "nodeName": "Filter", "simpleString": "Filter (a#1 = 1)", "metadata": {}, "children": [child],
        "metrics": [{"name": "number of output rows", "metricType": "sum", "value": 3}], "estimate": [1, 2],
    }  # fmt: skip
    if place == "metric":
        top["metrics"][0]["value"] = "ODD"  # type: ignore[index]
    elif place == "estimate":
        top["estimate"] = ["ODD", "ODD"]
    else:
        top[place] = "ODD"
    assert sum(_drawn(json.dumps(top).replace('"ODD"', odd))) == (1 if place == "children" else 2)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("at", [("executed", "milliseconds"), ("executed", "rows"), ("trace", "texts"), ("notes",),
                                ("trace", "steps", 0, "ms"), ("trace", "steps", 0, "rule"), ("trace", "rules", 0, 3),
                                ("trace", "batches", 0, "name"), ("estimates", 0)])  # fmt: skip
def test_a_capture(at: tuple[str | int, ...], odd: str) -> None:
    told = json.loads(load_live()[0])
    holder = told
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = "ODD"
    with contextlib.suppress(NotAPlan):
        assert sum(_drawn(json.dumps(told).replace('"ODD"', odd))) > 2


def test_edges_in_a_circle_lose_no_operator() -> None:
    names = ("Exchange", "Sort", "Project", "Filter", "Scan")
    nodes = [{"nodeId": at, "nodeName": name} for at, name in enumerate(names)]
    circle = [{"fromId": at, "toId": (at + 1) % 3} for at in range(3)]
    told = {"nodes": nodes, "edges": [*circle, {"fromId": 4, "toId": 3}]}
    plan = open_text(json.dumps(told)).plans[0]
    assert sorted(node.op for node in plan) == sorted(names)
    assert {node.op: node.parent for node in plan}["Scan"] is not None
