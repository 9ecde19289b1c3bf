"""The app as a tab of a browser, as the tests drive it."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[2]
BOX = "SQL, plan text, rule log, event log or JSON"


@contextlib.contextmanager
def serving(program: str = "planviz", more: tuple[str, ...] = (), port: int = 0) -> Iterator[str]:
    """A server of our own, on a free port unless one is given, stopped at the end; its address without a slash."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", program, "serve", "--port", str(port), *more]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and server.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            time.sleep(0.2)
        assert server.poll() is None, server.stderr.read().decode() if server.stderr else ""
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate(timeout=20)


class App:
    """A tab with the app in it, and whatever it asked of the network or complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))

    def go(self, address: str) -> App:
        self.page.goto(address)
        return self

    def asked_beside(self, since: int, *parts: str) -> bool:
        """Whether all requests since the so-many-eth have one of these parts, but for what is fetched ahead."""
        return all(any(part in url for part in (*parts, "/ahead/", "/static/")) for url in self.requests[since:])

    @property
    def box(self) -> Any:
        return self.page.get_by_role("textbox", name=BOX)

    def paste(self, text: str) -> None:
        self.box.click()
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+V")

    def painted(self, heading: str | None = None) -> App:
        self.settled()
        self.page.get_by_role("button", name="Copy link").wait_for()
        if heading is not None:
            self.page.locator(".pv-head b", has_text=heading).wait_for()
        return self

    def settled(self) -> App:
        """Until the page's own element is painted and what was shown before it is gone."""
        self.page.wait_for_function(
            "window.__planviz && window.__planviz.painted && !document.querySelector('#planviz-ahead')"
        )
        return self

    def selected(self) -> int:
        return int(self.page.evaluate("window.__planviz.handle.state().selected"))

    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.page.url).query).items()}

    def wait_for_query(self, name: str, value: str | None) -> None:
        self.page.wait_for_function(
            "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
        )
