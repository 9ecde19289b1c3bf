"""Documents in memory: found by their text, forgotten oldest first, the same bytes every time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from planviz.document import open_text
from planviz.errors import LimitExceeded, NotAPlan
from planviz.samples import load
from planviz.ui import cache, views
from planviz.ui.opened import Opened, Source, facts_of

PLAN = "== Physical Plan ==\nRange (0, {}, step=1, splits=2)\n"


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_server", cache._Shelf(cache.KEPT))


def test_the_same_text_is_the_same_document() -> None:
    opened = cache.open_document(PLAN.format(1))
    assert cache.open_document(PLAN.format(1)) is opened
    assert cache.find(opened.key) is opened
    assert cache.find("0" * 64) is None


def test_the_oldest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_server", cache._Shelf(2))
    first, second = cache.open_document(PLAN.format(1)), cache.open_document(PLAN.format(2))
    cache.find(first.key)
    cache.open_document(PLAN.format(3))
    assert cache.find(second.key) is None
    assert cache.find(first.key) is first


def test_large_texts_are_forgotten_by_their_size_but_never_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT_CHARACTERS", 60)
    first = cache.open_document(PLAN.format(1))
    second = cache.open_document(PLAN.format(2))
    assert cache.find(first.key) is None
    assert cache.find(second.key) is second


def test_what_cannot_be_opened_is_not_kept() -> None:
    with pytest.raises(NotAPlan):
        cache.open_document("nothing")
    assert not cache._server.kept


def test_lone_surrogates_have_a_key_and_a_picture() -> None:
    opened = cache.open_document(PLAN.format(1) + "\ud800\n")
    assert json.loads(views.workbench(opened, "0", None))["text"].endswith("\ud800\n")


def test_the_picture_is_the_same_bytes_and_knows_its_first_node() -> None:
    opened = cache.open_document(load("broadcast-and-merge-join"))
    data = views.workbench(opened, "3", 5)
    assert views.workbench(opened, "3", 5) is data
    assert json.loads(data)["selected"] == 5
    assert json.loads(views.workbench(opened, "3", 4711))["selected"] is None
    assert json.loads(views.workbench(opened, "3", None))["key"] == f"{opened.key}/3"


def test_plans_by_name() -> None:
    opened = cache.open_document(load("rule-log"))
    before, after = opened.document.trace.steps[2].graphs()
    assert opened.graph("2b") is before
    assert opened.graph("2a") is after
    assert opened.text_of("2a") == opened.document.trace.steps[2].after
    for name in ("", "0", "99a", "-1a", "a", "x", "1c", "²"):
        with pytest.raises(KeyError):
            opened.graph(name)


def test_who_asks_for_what_another_is_being_told_waits_for_it() -> None:
    opened = Opened("key", Source("SELECT 1", "auto"), facts_of(open_text("SELECT 1")))
    begun, go_on, asked = Event(), Event(), list[int]()

    def ask() -> str:
        asked.append(1)
        begun.set()
        assert go_on.wait(10)
        return "told"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(opened.answer, ("one",), ask)
        assert begun.wait(10)
        second = pool.submit(opened.answer, ("one",), ask)
        go_on.set()
        assert (first.result(10), second.result(10), len(asked)) == ("told", "told", 1)

    def fails() -> str:
        raise LimitExceeded("too long")

    with pytest.raises(LimitExceeded):
        opened.answer(("two",), fails)
    assert opened.answer(("two",), lambda: "again") == "again"
