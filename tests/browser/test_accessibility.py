"""axe-core on every page: empty and with a query open, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planviz.ui import links
from planviz.ui.page import pages_there

axe_api = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

pytestmark = pytest.mark.browser

QUERY = Path("sample_queries/tpch/q05.sql").read_text(encoding="utf-8")
SETTLED = """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    && document.querySelector('.st-key-planviz-page')"""


#: Whether the app is drawn in a scheme.
DRAWN = "scheme => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).colorScheme === scheme"


@pytest.mark.parametrize("document", ["", f"?plan={links.pack(QUERY)}&node=11"], ids=["empty", "query"])
def test_no_page_violates_a_rule(browser: Any, server: str, document: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", bypass_csp=True)
    axe, found, entries = axe_api.Axe(), [], pages_there()

    def at_rest(page: Any) -> None:
        page.wait_for_function(SETTLED)
        page.wait_for_load_state("networkidle")

    def opened(entry: Any) -> Any:
        page = context.new_page()
        page.goto(f"{server}/{entry['url_path'] or ''}{document}")
        return page

    # A page comes to rest while the one before it is looked at.
    ahead = opened(entries[0])
    for entry, following in zip(entries, [*entries[1:], None], strict=True):
        page, ahead = ahead, following and opened(following)
        at_rest(page)
        if document and entry["title"] == "Explore":
            page.get_by_role("heading", name="Why this join").wait_for()
        # Opening a page takes longer than looking at it: whoever turns the lights off stays on it, too.
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(DRAWN, arg=scheme)
            at_rest(page)
            for violation in axe.run(page).response["violations"]:
                where = "; ".join(str(node["target"]) for node in violation["nodes"][:5])
                found.append(f"{entry['title']}, {scheme}: {violation['id']} at {where}")
        page.close()
    context.close()
    assert found == []
