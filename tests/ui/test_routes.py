"""Own routes: what they answer, with which policy, and what they refuse."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette

from planviz.render.scene import scene_details
from planviz.samples import load
from planviz.ui import cache
from planviz.ui.routes import routes


@dataclass
class Answer:
    status_code: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


class Client:
    """One request at a time, straight into the application."""

    def get(self, url: str, headers: dict[str, str] | None = None) -> Answer:
        path, _, query = url.partition("?")
        scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": unquote(path),
                 "raw_path": path.encode(), "query_string": query.encode(), "scheme": "http",
                 "server": ("127.0.0.1", 80), "root_path": "",
                 "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]}  # fmt: skip
        told: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        asyncio.run(Starlette(routes=routes())(scope, receive, send))
        start = {name.decode(): value.decode() for name, value in told[0]["headers"]}
        return Answer(told[0]["status"], start, b"".join(message.get("body", b"") for message in told[1:]))


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


@pytest.fixture(scope="module")
def opened() -> cache.Opened:
    return cache.open_document(load("broadcast-and-merge-join"))


def test_details_of_a_plan(client: Client, opened: cache.Opened) -> None:
    answer = client.get(f"/plan/{opened.key}/3/details.json")
    assert answer.status_code == 200
    told = json.loads(answer.content)
    findings = told.pop("findings")
    assert told.pop("text") == opened.document.text
    assert told == json.loads(json.dumps(scene_details(opened.graph("3"))))
    assert findings[0]["title"] == "Text cut off by Spark"


@pytest.mark.parametrize(
    ("ending", "start", "kind"),
    [("svg", b"<svg", "image/svg+xml"), ("png", b"\x89PNG", "image/png"), ("html", b"<!doctype html>", "text/html")],
)
def test_embeds_have_a_policy_of_their_own(
    client: Client, opened: cache.Opened, ending: str, start: bytes, kind: str
) -> None:
    answer = client.get(f"/plan/{opened.key}/3.{ending}?theme=dark")
    assert answer.status_code == 200
    assert start in answer.content[:200]
    assert answer.headers["content-type"].startswith(kind)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-same-origin" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    again = client.get(f"/plan/{opened.key}/3.{ending}?theme=dark", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


PATHS = """{key}/99.svg {key}/-1.svg {key}/x.svg {key}/0a.svg {key}/3.exe {key}/.svg {key}/99/details.json
{key}/%C2%B2/details.json 0/3.svg {key}x/3/details.json"""


@pytest.mark.parametrize("path", PATHS.split())
def test_what_is_not_there_is_404_in_words(client: Client, opened: cache.Opened, path: str) -> None:
    answer = client.get(f"/plan/{path.format(key=opened.key)}")
    assert answer.status_code == 404
    assert answer.text.startswith("There is no such plan here")
    assert answer.headers["cache-control"] == "no-store"


def test_a_theme_that_is_not_there_is_refused_in_words(client: Client, opened: cache.Opened) -> None:
    answer = client.get(f"/plan/{opened.key}/3.svg?theme=neon")
    assert answer.status_code == 422
    assert "neon" in answer.text
    assert answer.headers["content-type"].startswith("text/plain")
