"""The pages under their own content security policy: nothing of planviz needs what it forbids."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from planviz.ui.links import pack

pytestmark = pytest.mark.browser

SQL = "SELECT c_name, count(*) FROM orders JOIN customer ON o_custkey = c_custkey GROUP BY c_name"
PAGES = ("", "rules", "planner", "joins", "aggregations", "cardinality", "live", "history")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_nothing_that_its_policy_forbids(server: str, browser: Any, page: str) -> None:
    context = browser.new_context()
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(f"{server}/{page}?{urlencode({'plan': pack(SQL), 'catalog': 'tpch'})}")
    tab.get_by_role("link", name="Planner").wait_for(timeout=60_000)
    tab.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=60_000)
    tab.wait_for_timeout(1_000)
    assert [words for words in said if "Content Security Policy" in words] == []
    assert tab.evaluate("fetch('https://elsewhere.invalid/').then(() => 'out', () => 'kept')") == "kept"
    assert any("Content Security Policy" in words for words in said)
    context.close()
