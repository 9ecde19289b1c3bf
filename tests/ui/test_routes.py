"""Own routes: what they answer, with which policy, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette

from planviz.render.scene import scene_details
from planviz.samples import load
from planviz.ui import cache
from planviz.ui import routes as routes_module
from planviz.ui.routes import routes
from tests.ui.asgi import answered


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
        return self.ask("GET", url, headers)

    def ask(self, method: str, url: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        path, _, query = url.partition("?")
        scope = {"type": "http", "http_version": "1.1", "method": method, "path": unquote(path),
                 "raw_path": path.encode(), "query_string": query.encode(), "scheme": "http",
                 "server": ("127.0.0.1", 80), "root_path": "",
                 "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]}  # fmt: skip
        told = answered(Starlette(routes=routes()), scope, body)
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
    assert [f["title"] for f in findings] == [
        "All partitions are read",
        "Both sides of a join are shuffled",
        "Text cut off by Spark",
    ]


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


def test_a_long_text_is_taken_and_found_again_by_its_key(client: Client) -> None:
    text = load("distinct-in-four-stages") + "\n# größer\n"
    answer = client.ask("POST", "/plan", {"sec-fetch-site": "same-origin"}, text.encode())
    assert answer.status_code == 200
    opened = cache.find(json.loads(answer.content)["key"])
    assert opened is not None
    assert opened.document.text == text


def test_a_text_that_is_no_plan_is_refused_with_its_line(client: Client) -> None:
    answer = client.ask("POST", "/plan", body=b"\nhello")
    told = json.loads(answer.content)
    assert (answer.status_code, told["line"]) == (422, 2)
    assert "No Spark plan was found" in told["message"]


def test_other_origins_may_not_send_texts(client: Client) -> None:
    assert client.ask("POST", "/plan", {"sec-fetch-site": "cross-site"}, b"x").status_code == 403


def test_a_text_beyond_the_limit_is_refused_while_it_comes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planviz.ui.routes.PASTE_LIMIT", 10)
    assert client.ask("POST", "/plan", body=b"x" * 41).status_code == 413


def test_more_questions_of_one_address_than_are_taken_at_once(
    client: Client, opened: cache.Opened, monkeypatch
) -> None:
    url = f"/plan/{opened.key}/3/details.json"
    monkeypatch.setattr(routes_module, "_TOGETHER", 0)
    answer = client.get(url)
    assert answer.status_code == 503
    assert "busy" in json.loads(answer.content)["message"]

    monkeypatch.setattr(routes_module, "_TOGETHER", 1)
    assert [client.get(url).status_code for _ in range(3)] == [200, 200, 200]
    assert not routes_module._asked
