"""Every step of every tour: it opens, shows what it says, and its rows are what its query gives."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from planviz.__main__ import main
from planviz.catalogs import find
from planviz.document import open_sql
from planviz.errors import InputError
from planviz.samples.tours import NAMES, Step, step_at, tour_named, tours
from planviz.ui import links
from planviz.ui.page import PAGES
from planviz.ui.tour_addresses import address, sql_of, step_of

STEPS = [
    pytest.param(tour.name, number, id=f"{tour.name}.{number}")
    for tour in tours().values()
    for number in range(1, len(tour.steps) + 1)
]


def at(name: str, number: int) -> Step:
    return step_at(tour_named(name), number)


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_a_step_opens_and_shows_what_it_says(name: str, number: int) -> None:
    step = at(name, number)
    assert step.page in {file for file, _, _ in PAGES}
    assert all(text.strip().endswith((".", "?")) for text in (step.see, step.do))
    parts = parse_qs(urlsplit(address(name, number)).query)
    assert links.unpack(parts["plan"][0]) == sql_of(step)
    assert step_of(parts["tour"][0]) == (tour_named(name), number)
    if step.slide:
        return  # Its numbers are tested where the slides are.
    document = open_sql(sql_of(step), find(step.catalog) if step.catalog else None)
    assert document.error is None
    texts = "\n".join(f"{node.op} {node.text}" for plan in document.plans for node in plan)
    for words in step.expect:
        assert re.search("|".join(map(re.escape, words.split("|"))), texts), words
    if step.rule:
        shown = document.trace.steps[int(step.query["step"]) - 1]
        assert shown.short_rule == step.rule
    if step.rows is not None:
        assert tuple(sqlite3.connect(":memory:").execute(sql_of(step)).fetchall()) == step.rows


def test_no_tour_and_no_step_that_are_not_there() -> None:
    for part in ("nothing.1", "slow-query.9", ""):
        with pytest.raises(InputError):
            step_of(part)
    assert step_of("slow-query")[1] == 1


def test_the_command_line_tells_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tour"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in NAMES)
    assert main(["tour", "outer-joins", "--step", "2", "--format", "json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    (step,) = told["steps"]
    assert step["address"] == address("outer-joins", 2)
    assert main(["tour", "outer-joins", "--step", "2", "--sql"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == step["sql"]
    assert main(["tour", "outer-joins", "--step", "9"]) == 2
