"""What goes to the workbench, without a browser."""

from __future__ import annotations

import json

from planviz.graph import PlanGraph, PlanNode
from planviz.render.scene import build_scene
from planviz.ui.workbench import workbench, workbench_data


def scene() -> dict[str, object]:
    return build_scene(
        PlanGraph.from_nodes("physical", "Plan", [PlanNode(0, "Filter", "filter", "a \ud800")])
    ).to_json()


def test_equal_arguments_give_equal_bytes() -> None:
    one = workbench_data(scene(), "doc/0", text="Filter\n", findings=[{"severity": "info", "title": "t", "node": 0}])
    two = workbench_data(scene(), "doc/0", text="Filter\n", findings=[{"severity": "info", "title": "t", "node": 0}])
    assert one == two
    assert isinstance(one, bytes)


def test_everything_the_script_reads_is_there() -> None:
    data = json.loads(workbench_data(scene(), "doc/0", text="\ud800", selected=0, dark=True, details_url="/x"))
    assert data["key"] == "doc/0"
    assert data["text"] == "\ud800"
    assert (data["selected"], data["dark"], data["details_url"], data["report_selection"]) == (0, True, "/x", False)
    assert set(data["theme"]) >= {"light", "dark", "kinds", "card", "layout"}
    assert data["findings"] == []


def test_outside_a_streamlit_run_nothing_is_selected() -> None:
    assert workbench(workbench_data(scene(), "doc/0"), key="bench") is None
