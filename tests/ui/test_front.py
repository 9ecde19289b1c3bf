"""The page that browsers load first, and Streamlit's files out of memory."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import streamlit
from starlette.responses import PlainTextResponse

from planviz.ui import front, guard
from planviz.ui.page import addresses
from tests.ui.asgi import answered

STATIC = Path(streamlit.__file__).with_name("static")


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(address: str, *, method: str = "GET", **headers: str) -> Answer:
    """What the front answers; "behind" comes from what stands behind it."""
    door = front.Front(PlainTextResponse("behind"), addresses())
    path, _, query = address.partition("?")
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": named}
    told = answered(door, scope)
    found = {name.decode(): value.decode() for name, value in told[0]["headers"]}
    return Answer(told[0]["status"], found, b"".join(message.get("body", b"") for message in told[1:]))


def test_the_first_page_brings_a_box_and_the_others_do_not() -> None:
    home = ask("/")
    assert "<textarea" in home.text
    assert home.headers["cache-control"] == "no-cache"
    assert "<textarea" not in ask("/rules").text
    assert "<textarea" not in ask("/?sample=event-log").text
    assert ask("/", if_none_match=home.headers["etag"]).status == 304
    assert ask("/elsewhere").text == "behind"
    assert ask("/", method="POST").text == "behind"


def test_the_box_listens_before_any_style_sheet_holds_up_its_script() -> None:
    page = front.index(home=True)
    assert 0 < page.index("window.__planvizEarly = ") < page.index('rel="stylesheet"') < page.index("<textarea")


def test_every_file_that_the_page_names_is_there_and_no_script_of_the_first_screen_is_missing() -> None:
    named = re.findall(r'(?:href|src)="\.?(/static/[^"]+)"', front.index(home=True))
    assert len(named) > 50
    assert len(set(named)) == len(named)
    for address in named:
        assert ask(address).status == 200
    for widget in ("Html", "PageLink", "BidiComponent", "Selectbox", "Button"):
        assert any(f"/{widget}." in address for address in named), widget
    later = re.search(r"__planvizLater=(\[.*?\])", front.index())
    assert later is not None
    for widget in ("ButtonGroup", "DownloadButton", "Checkbox", "DataFrame"):
        assert any(f"/{widget}." in address for address in json.loads(later[1])), widget


def test_files_are_streamlits_own_compressed_and_kept_for_a_year() -> None:
    address = next(a for a in re.findall(r'src="\.(/static/js/[^"]+)"', front.index()))
    original = (STATIC / address[1:]).read_bytes()
    answer = ask(address, accept_encoding="gzip, br")
    assert gzip.decompress(answer.body) == original
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < len(original) / 2
    assert "immutable" in answer.headers["cache-control"]
    plain = ask(address)
    assert plain.body == original
    assert "content-encoding" not in plain.headers
    found = front.asset(address)
    assert found is not None
    assert found.packed is not None
    assert gzip.decompress(found.packed) == original


@pytest.mark.parametrize(
    "path",
    ["/static/js/../index.html", "/static/js/..%2findex.html", "/static/index.html", "/static/js/none.js"],
)
def test_nothing_else_is_read(path: str) -> None:
    assert ask(path).text == "behind"


def test_the_policy_allows_the_scripts_in_the_page_and_no_others() -> None:
    policy = guard.page_policy("127.0.0.1:8501")
    scripts = front.scripts_of_pages()
    assert any("BACKEND_BASE_URL" in script for script in scripts)
    assert any("planviz-early" in script for script in scripts)
    assert policy.count("'sha256-") == len(scripts)
