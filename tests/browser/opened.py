"""A page with the workbench on it, as the tests speak to it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any


class Opened:
    """A page with the workbench on it, and whatever it asked of the network or complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))

    def load(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.wait("window.__planviz && window.__planviz.painted")

    def wait(self, condition: str) -> None:
        """Until a JavaScript expression is true. Playwright's own way needs eval, which the page's policy forbids."""
        end = time.monotonic() + 60
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"never became true: {condition}"
            time.sleep(0.01)

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__planviz.handle.state()")
        return found

    def camera(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__planviz.handle.camera()")
        return found

    def place(self, node: int) -> dict[str, float]:
        found: dict[str, float] = self.page.evaluate("i => __planviz.handle.place(i)", node)
        return found

    def heading(self) -> str:
        return str(self.page.locator(".pv-panel h3").text_content())
