"""The buttons at the right end of every page's header."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planviz.ui import links

PAGES = Path(__file__).parents[2] / "pages"
SQL = "SELECT status, sum(amount) FROM orders JOIN users USING (user_id) GROUP BY status"
ABOUT_THE_DOCUMENT = "explore", "rules", "planner", "joins", "aggregations", "cardinality", "compare"


def labels(page: str, **query: str) -> list[str]:
    app = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return [*(button.label for button in app.button), *(place.proto.popover.label for place in app.get("popover"))]


@pytest.mark.parametrize("page", ABOUT_THE_DOCUMENT)
def test_a_page_about_the_document_opens_exports_and_shares(page: str) -> None:
    shown = labels(page, plan=str(links.pack(SQL)), catalog="shop")
    assert [label for label in ("Open…", "Export", "Share") if label not in shown] == []


@pytest.mark.parametrize("page", ["rules", "joins", "aggregations", "compare"])
def test_a_page_that_has_nothing_of_the_document_exports_and_shares_it_all_the_same(page: str) -> None:
    shown = labels(page, plan=str(links.pack("== Physical Plan ==\nLocalTableScan [a#1]\n")))
    assert [label for label in ("Export", "Share") if label not in shown] == []


@pytest.mark.parametrize("page", [path.stem for path in sorted(PAGES.glob("*.py"))])
def test_every_page_opens_another_document(page: str) -> None:
    assert "Open…" in labels(page, plan=str(links.pack(SQL)), catalog="shop")
