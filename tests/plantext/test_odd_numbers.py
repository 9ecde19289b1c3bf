"""Digits that are no number of a plan: of other scripts, and more of them than Python reads."""

from __future__ import annotations

import re

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replayed
from planviz.errors import PlanvizError
from planviz.findings.documents import document_findings
from planviz.render import render
from planviz.samples import load
from planviz.types.reading import parse_type

NUMBERS = ("9" * 5_000, "²", "٣")
FORMS = ("broadcast-and-merge-join", "adaptive-skew-join", "two-years-of-reports", "subqueries", "union-and-limit")


@pytest.mark.parametrize("number", NUMBERS, ids=("many", "raised", "Arabic"))
@pytest.mark.parametrize("name", FORMS)
def test_any_digits_in_the_place_of_a_number(name: str, number: str) -> None:
    text = load(name)[:6_000]
    found = list(re.finditer(r"\d+", text))
    for every in (1, 7):
        odd = text
        for match in reversed(found[:: every * 3]):
            odd = odd[: match.start()] + number + odd[match.end() :]
        try:
            document = open_text(odd)
        except PlanvizError:
            continue
        for plan in document.plans:
            assert render(plan, "json")
        document_findings(document)
        replayed(document, most=400)


@pytest.mark.parametrize("number", NUMBERS[:2], ids=("many", "raised"))
def test_a_type_of_such_a_size_is_refused(number: str) -> None:
    with pytest.raises(PlanvizError):
        parse_type(f"decimal({number}, 2)")


def test_partitions_in_such_digits_stay_text() -> None:
    (plan,) = open_text("== Physical Plan ==\nExchange hashpartitioning(id#0, ²), ENSURE_REQUIREMENTS\n").plans
    assert plan[0].arguments["partition_keys"] == ["id#0", "²"]


def test_filters_are_a_list_whatever_stands_there() -> None:
    text = "== Physical Plan ==\nFileScan parquet [id#0,k#34] Batched: true, DataFilters: 10 Format: Parquet\n"
    (plan,) = open_text(text).plans
    assert plan[0].arguments["data_filters"] == ["10"]
    assert b"<svg" in render(plan, "svg")


def test_an_execution_that_ended_before_it_began_has_no_time() -> None:
    """A clock may be set back while a query runs."""
    text = load("event-log").replace('"time":', '"time":-')
    assert [plan.milliseconds for plan in open_text(text).plans if plan.milliseconds is not None] == []
