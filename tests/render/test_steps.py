"""A trace as data for the player and as pictures of single steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planviz.catalog import read_bundled
from planviz.document import open_sql, open_text
from planviz.errors import ExportError
from planviz.graph.trace import RuleStep, RuleTrace, TracedPlan
from planviz.render.html import steps_page
from planviz.render.primitives import Group, Rect, Text
from planviz.render.step_drawing import VIEWS, draw_step, states
from planviz.render.steps import trace_data
from planviz.render.svg import svg
from planviz.samples import load
from tests.plans import small_catalog


@pytest.fixture(scope="module")
def trace() -> RuleTrace:
    return open_text(load("rule-log")).trace


@pytest.fixture(scope="module")
def data(trace: RuleTrace) -> dict[str, Any]:
    return trace_data(trace)


def lines_of(data: dict[str, Any], pairs: list[tuple[int, int]]) -> list[str]:
    return [data["prefixes"][prefix] + data["words"][words] for prefix, words in pairs]


def paired(numbers: list[int]) -> list[tuple[int, int]]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_both_texts_of_every_step_come_back(trace: RuleTrace, data: dict[str, Any]) -> None:
    last: dict[int, list[tuple[int, int]]] = {}
    for step, told in zip(trace.steps, data["steps"], strict=True):
        before = paired(told["before"]) if "before" in told else last[told["scene"]]
        after, at = [], 0
        for first, end, numbers in told["lines"]:
            after += before[at:first] + paired(numbers)
            at = end
        after += before[at:]
        last[told["scene"]] = after
        assert lines_of(data, before) == step.before.splitlines()
        assert lines_of(data, after) == step.after.splitlines()


def test_every_state_comes_back_with_its_tree(trace: RuleTrace, data: dict[str, Any]) -> None:
    for at, step in enumerate(trace.steps):
        looks = data["scenes"][data["steps"][at]["scene"]]["looks"]
        for state, graph in zip(states(data, at), step.graphs(), strict=True):
            assert sorted(data["words"][looks[look][5]] for look, _ in state.values()) == sorted(n.text for n in graph)
            assert sum(parent < 0 for _, parent in state.values()) == len(graph.roots)
            assert all(parent < 0 or parent in state for _, parent in state.values())


def test_cards_do_not_overlap_and_children_are_below(data: dict[str, Any]) -> None:
    scene = data["scenes"][0]
    boxes = list(zip(scene["x"], scene["y"], scene["w"], scene["h"], strict=True))
    for one in range(len(boxes)):
        for other in range(one):
            ax, ay, aw, ah = boxes[one]
            bx, by, bw, bh = boxes[other]
            assert ax >= bx + bw or bx >= ax + aw or ay >= by + bh or by >= ay + ah
    for step in range(len(data["steps"])):
        for state in states(data, step):
            for slot, (_, parent) in state.items():
                assert parent < 0 or scene["y"][parent] + scene["h"][parent] < scene["y"][slot]


def test_batches_hold_their_steps_and_silent_ones_none(trace: RuleTrace, data: dict[str, Any]) -> None:
    assert len(data["batches"]) == len(trace.batches)
    assert sorted(at for batch in data["batches"] for at in batch["steps"]) == list(range(len(trace.steps)))
    for batch in data["batches"]:
        assert all(trace.steps[at].batch == batch["name"] for at in batch["steps"])
    assert sum(bool(batch["steps"]) for batch in data["batches"]) == 7


def test_our_own_trace_tells_iterations_times_and_silent_rules() -> None:
    sql = "SELECT o.id FROM orders o FULL OUTER JOIN customer c ON o.customer_id = c.id WHERE o.price > 1 AND c.id > 2"
    data = trace_data(open_sql(sql, small_catalog()).trace)
    step = next(step for step in data["steps"] if step["rule"] == "EliminateOuterJoin")
    assert step["iteration"] == 1
    assert step["milliseconds"] >= 0
    assert step["changed"][0][1] == [["join type", "FullOuter → Inner"]]
    batch = data["batches"][step["batch"]]
    assert batch["executor"] == "Optimizer"
    assert "CombineUnions" in batch["silent"]
    assert "EliminateOuterJoin" not in batch["silent"]
    assert data["totals"]["effective"] < data["totals"]["rules"]


def test_the_same_trace_gives_the_same_bytes(data: dict[str, Any]) -> None:
    again = trace_data(open_text(load("rule-log")).trace)
    assert json.dumps(again) == json.dumps(data)
    assert len(json.dumps(data)) < 40_000


def test_steps_of_several_plans_have_a_scene_for_each() -> None:
    def plan(text: str) -> TracedPlan:
        return TracedPlan(lambda: text, lambda: open_text(text).plans[0])

    one, two, three = (
        plan(f"Project [{columns}]\n+- Relation t[a#1,b#2] parquet") for columns in ("a#1", "b#2", "c#3")
    )
    other, last = (plan(f"Union {how}\n:- Range (0, 7)\n+- OneRowRelation") for how in ("false, false", "true, true"))
    steps = [RuleStep("a.B", one, two), RuleStep("a.C", other, last), RuleStep("a.D", two, three)]
    data = trace_data(RuleTrace(steps))
    assert [step["scene"] for step in data["steps"]] == [0, 1, 0]
    assert all("from" not in step for step in data["steps"])
    assert data["batches"] == [{"name": "Batch not logged", "steps": [0, 1, 2]}]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_step_is_a_picture(data: dict[str, Any], view: str, theme: str) -> None:
    drawing = draw_step(data, 14, view=view, theme=theme)
    picture = svg(drawing)
    assert "15 / 22" in picture
    assert "ColumnPruning" in picture
    assert "Operator Optimization before Inferring Filters" in picture
    assert picture.count("~ results") == (2 if view == "split" else 1)
    assert ("+ inserted" in picture) is True
    assert svg(draw_step(data, 14, view=view, theme=theme)) == picture
    assert drawing.width < 2_000


def test_a_picture_needs_a_step_and_a_theme(data: dict[str, Any]) -> None:
    for number in (-1, 22):
        with pytest.raises(IndexError):
            draw_step(data, number)
    with pytest.raises(ExportError):
        draw_step(data, 0, theme="pink")


def test_the_page_holds_hostile_words_as_data() -> None:
    log = load("rule-log").replace("country", "</script><b>x")
    page = steps_page(trace_data(open_text(log).trace), title="<b>title</b>")
    assert "<b>" not in page.replace('<b class="title">', "").split("<script", 1)[1].split("// planviz")[0]
    assert "&lt;b&gt;title" in page
    assert page.count("</script>") == 2


def test_operators_that_move_have_a_layout_of_their_own_on_each_side_with_inputs_in_their_order() -> None:
    query = (
        "SELECT i.name FROM items i, users u, orders o "
        "WHERE o.item_id = i.item_id AND o.user_id = u.user_id AND o.amount > 10"
    )
    data = trace_data(open_sql(query, catalog=read_bundled("shop")).trace)
    step = next(at for at, told in enumerate(data["steps"]) if told["rule"] == "ReorderJoin")
    assert data["steps"][step]["moved"]
    drawing = draw_step(data, step)
    tables = [
        (item.label.split()[1], item.items[0].y)
        for item in drawing.items
        if isinstance(item, Group) and item.label.startswith("Relation") and isinstance(item.items[0], Rect)
    ]
    # The product goes: users stand beside items before, orders after.
    for side, deepest in ((tables[:3], {"items", "users"}), (tables[3:], {"items", "orders"})):
        lowest = max(y for _, y in side)
        assert {name for name, y in side if y == lowest} == deepest


def test_what_moves_with_the_operator_above_it_is_not_named_again() -> None:
    query = "SELECT * FROM orders WHERE user_id IN (SELECT user_id FROM users WHERE tier = 'gold') AND amount > 10"
    data = trace_data(open_sql(query, catalog=read_bundled("shop")).trace)
    for step, told in enumerate(data["steps"]):
        moved = dict(told.get("moved", ()))
        before, after = states(data, step)
        tops = [end for start, end in moved.items() if moved.get(before[start][1]) != after[end][1]]
        texts = [item.text for item in draw_step(data, step, view="split").items if isinstance(item, Text)]
        assert texts.count("moved") <= 2 * len(tops)
        assert not tops or "moved" in texts
