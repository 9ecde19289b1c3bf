"""What Share gives for other pages, in a page of another origin: a picture, and the plan in a frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from planviz.ui import links
from planviz.ui.sharing import frame
from tests.browser.app import App

pytestmark = pytest.mark.browser

SQL = "SELECT status, count(*) AS n FROM orders JOIN users USING (user_id) GROUP BY status"


@pytest.fixture
def elsewhere(server: str) -> Iterator[str]:
    """A page of another origin that shows a plan, its join, its aggregate, and the plan in a frame."""
    packed, more = links.pack(SQL), "catalog=shop"
    pictures = ("", "&page=joins&join=1", "&page=aggregations&aggregate=1", "&page=rules&step=3")
    shown = "".join(f'<img alt="plan" src="{server}/plan/{packed}.svg?{more}{part}">' for part in pictures)
    body = f"<!doctype html><title>wiki</title>{shown}{frame('The plan', f'{server}/plan/{packed}.html?{more}')}"

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None: ...

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}/"
    httpd.shutdown()
    httpd.server_close()


def test_a_page_of_another_origin_shows_pictures_and_the_plan_itself(elsewhere: str, tab: Callable[..., App]) -> None:
    page = tab().page
    page.goto(elsewhere)
    page.wait_for_function("[...document.images].every((image) => image.complete && image.naturalWidth > 200)")
    assert page.locator("img").count() == 4
    plan = page.frame_locator("iframe")
    plan.locator(".pv-stage canvas").first.wait_for()
    plan.get_by_role("treeitem").filter(has_text="Scan orders").first.click()
    plan.locator(".pv-panel h3", has_text="Scan orders").wait_for()
