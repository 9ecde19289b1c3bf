"""Documents are opened side by side: a slow one delays nobody, and the same text is planned once."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.ui import cache


def test_a_slow_text_delays_nobody_and_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    began, goes_on, opened = threading.Event(), threading.Event(), []

    def slowly(text: str, **more: Any) -> Any:
        opened.append(text)
        if "slow" in text:
            began.set()
            assert goes_on.wait(60)
        return open_text(text, **more)

    monkeypatch.setattr(cache, "open_text", slowly)
    text = "SELECT 15 AS slow"
    found: list[cache.Opened] = []
    threads = [threading.Thread(target=lambda: found.append(cache.open_document(text, "none"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert began.wait(60)
    done = threading.Event()

    def another() -> None:
        cache.open_document("SELECT 16 AS quick", "none")
        assert cache.find("nobody") is None
        done.set()

    threading.Thread(target=another, daemon=True).start()
    beside = done.wait(60)
    goes_on.set()
    for thread in threads:
        thread.join(60)
    assert beside
    assert len({id(each) for each in found}) == 1
    assert opened.count(text) == 1
    assert not cache._turns


def test_sql_with_errors_is_planned_only_with_catalogues_that_have_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = []

    def counted(text: str, **more: Any) -> Any:
        planned.append(more["catalog"])
        return open_text(text, **more)

    monkeypatch.setattr(cache, "open_text", counted)
    with pytest.raises(PlanvizError):
        cache.open_document("SELECT 17 FROM WHERE (")
    assert len(planned) == 1
    planned.clear()
    cache.open_document("SELECT nothing_18 FROM no_table_of_anybody WHERE array(1) = 2")
    assert len(planned) == 1
    planned.clear()
    found = cache.open_document("SELECT c_name, 19 FROM customer JOIN lineitem ON c_custkey = l_orderkey")
    assert found.catalog == "tpch"
    assert None not in planned[1:]
