"""The library in a browser: save what is open, find it again, write a note, share it, put it into the trash."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planviz.samples import load
from tests.browser.app import App, serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a library of its own."""
    place: Path = tmp_path_factory.mktemp("library") / "library.db"
    with serving(more=("--store", str(place))) as address:
        yield address


def test_save_find_note_share_and_trash(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=event-log").painted()
    page = app.page
    page.get_by_role("button", name="Share").click()
    page.get_by_label("Save in the library as").fill("Worth of brands")
    page.get_by_label("Tags").fill("Nightly, brands")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as Worth of brands.").wait_for()
    page.wait_for_url(re.compile(r"saved="))
    id = re.search(r"saved=([\w-]+)", page.url)[1]  # type: ignore[index]
    # What is pasted elsewhere shows the plan there.
    page.get_by_text(f"[![Worth of brands]({server}/plan/{id}.svg?").wait_for()
    picture = page.request.get(f"{server}/plan/{id}.svg")
    assert picture.ok
    assert "Worth of brands" in picture.text()

    page.goto(f"{server}/library?search=tag:nightly table:items")
    row = page.get_by_role("row").filter(has_text="Worth of brands")
    row.click()
    page.get_by_role("button", name="Open", exact=True).wait_for()
    assert f"document={id}" in page.url
    page.get_by_text("#brands 1").wait_for()
    page.get_by_label("Search").fill("operator:cartesianproduct")
    page.get_by_label("Search").press("Enter")
    page.get_by_text("Nothing matches.").wait_for()

    # A note is written on the operator that is chosen in the open document.
    page.goto(f"{server}/?saved={id}&node=3")
    page.get_by_role("treeitem", selected=True).wait_for()
    page.get_by_role("link", name="Library").click()
    page.get_by_role("row").filter(has_text="Worth of brands").click()
    page.get_by_label("A note on operator 3 of the open plan").fill("filters too late")
    page.get_by_role("button", name="Write it").click()
    page.get_by_text("filters too late").last.wait_for()

    page.get_by_role("button", name="Put into the trash").click()
    page.get_by_text("Nothing is saved yet").wait_for()
    page.get_by_role("button", name="save").last.wait_for()
    assert page.request.get(f"{server}/plan/{id}.svg").status == 404
    page.get_by_text("Trash", exact=True).click()
    page.get_by_role("row").filter(has_text="Worth of brands").click()
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("Nothing matches.").wait_for()
    assert page.request.get(f"{server}/plan/{id}.svg").ok
    assert not [one for one in app.complaints if "404" not in one]


def test_a_text_too_long_for_an_address_outlives_the_server(tmp_path: Path, tab: Callable[..., App]) -> None:
    store = str(tmp_path / "library.db")
    text = load("two-years-of-reports") + "".join(f"-- {os.urandom(40).hex()}\n" for _ in range(600))
    with serving(more=("--store", store)) as address:
        app = tab().go(address)
        app.paste(text)
        app.painted().wait_for_query("stage", "physical")
        query = app.page.url.partition("?")[2]
        assert "saved=" in query
    with serving(more=("--store", store)) as address:
        again = tab().go(f"{address}/?{query}").painted()
        assert again.page.evaluate("window.__planviz.nodes") > 2_000
