"""Slide examples on the Cardinality page: the slides' numbers, and beside them what planviz estimates."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from planviz.document.cardinality.slides import SlideExample, SlideFigure, slide_example, slide_examples
from planviz.ui import cache, cardinality
from planviz.ui.slides import CATALOG, name_of, numbers_of, slide_list, slide_of


def opened(example: SlideExample) -> cache.Opened:
    return cache.open_document(example.sql, CATALOG)


def shown(example: SlideExample) -> dict[str, Any]:
    document = opened(example)
    assert document.document.error is None
    return cardinality.answer(document, cardinality.asked_of(document, numbers_of(example)))


def same(name: str, figure: SlideFigure) -> bool:
    return Counter(name.split(" ⋈ ")) == Counter(name_of(figure).split(" ⋈ "))


@pytest.mark.parametrize("name", [example.name for example in slide_examples()])
def test_a_slide_opens_with_its_own_numbers(name: str) -> None:
    example = slide_example(name)
    told = shown(example)
    for at, side in enumerate(("off", "on")):
        for figure in example.side(side).figures:
            (row,) = [row for row in told["slide"]["rows"] if same(row[0], figure)]
            assert row[1 + at] == figure.rows
    assert [one["open"] for one in slide_list(opened(example))].count(True) == 1


@pytest.mark.parametrize("name", ["build-side", "broadcast"])
def test_joins_turn_as_on_the_slides(name: str) -> None:
    slide_off, slide_on, ours_off, ours_on = shown(slide_example(name))["slide"]["joins"]
    assert slide_off != slide_on
    assert (ours_off, ours_on) == (slide_off, slide_on)


def test_the_statistics_of_an_example_are_edits_of_the_catalogue() -> None:
    numbers = json.loads(numbers_of(slide_example("broadcast")))
    assert numbers["edits"] == {"t1": {"columns": {"value": {"distinctCount": 5_000_000, "max": 5_000_000}}}}
    (filtered,) = [row for row in shown(slide_example("broadcast"))["slide"]["rows"] if row[0] == "t1 filtered"]
    assert filtered[2] == 1_000
    assert filtered[3][1] == 1_000


def test_sales_of_q11_meet_their_dates_first_with_cbo() -> None:
    rows = shown(slide_example("q11-variant"))["slide"]["rows"]
    (dates,) = [row for row in rows if set(row[0].split(" ⋈ ")) == {"store_sales", "date_dim"}]
    assert dates[1] is None
    assert dates[3][0] is None
    assert dates[2] / 1.2 < dates[3][1] < dates[2] * 1.2


def test_of_q64_no_order_is_searched() -> None:
    status, body = cardinality.asked_for(opened(slide_example("q64")), "order", b"{}")
    assert status == 200
    assert json.loads(body)["refused"][0].startswith("Too many relations to try their orders (18)")


def test_another_text_is_no_slide() -> None:
    assert slide_of(cache.open_document("SELECT 1")) is None


def test_the_sizes_at_which_joins_change_are_exact() -> None:
    example = slide_example("broadcast")
    status, body = cardinality.asked_for(
        opened(example), "sizes", json.dumps({"left": "off", "edits": {}, "table": "t2"}).encode()
    )
    assert status == 200
    told = json.loads(body)
    assert [crossover["at"] for crossover in told["crossovers"]] == [10 * 1024 * 1024]
    joins = [stretch["joins"][0][1] for stretch in told["stretches"]]
    assert joins == ["BroadcastHashJoin, BuildRight", "SortMergeJoin"]
    status, body = cardinality.asked_for(opened(example), "sizes", b'{"left": "off", "edits": {}, "table": "nowhere"}')
    assert status == 422
    assert "nowhere" in json.loads(body)["message"]
