"""What stands before every address: foreign names, foreign pages, and the policy of our own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from planviz.cli.main import run
from planviz.ui import guard
from planviz.ui.guard import Guard, Names, names_of
from tests.ui.asgi import answered

HERE = names_of("127.0.0.1", ["planviz.example.com", "box:9000"])


async def _page(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    headers = {"Content-Security-Policy": "sandbox"} if scope["path"].endswith(".svg") else {}
    await PlainTextResponse("in", headers=headers)(scope, receive, send)


def ask(
    names: Names, headers: list[tuple[str, str]], *, method: str = "GET", path: str = "/", kind: str = "http"
) -> Any:
    """The first message that is answered: its status, or its type for a WebSocket; and the headers."""
    door = Guard(_page)
    door._names = names
    scope = {"type": kind, "method": method, "path": path, "scheme": "http" if kind == "http" else "ws",
             "headers": [(name.encode(), value.encode()) for name, value in headers]}  # fmt: skip
    told = answered(door, scope)
    found = {name.decode(): value.decode() for name, value in told[0].get("headers", [])}
    return told[0].get("status", told[0]["type"]), found


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST", "localhost.:8501",
                                  "planviz.example.com", "planviz.example.com:8443", "box:9000"])  # fmt: skip
def test_own_names_are_answered(host: str) -> None:
    assert ask(HERE, [("host", host)])[0] == 200
    assert ask(HERE, [("host", host), ("origin", f"http://{host}")], kind="websocket")[0] == "websocket.accept"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8501", "localhost.evil.example",
                                  "127.0.0.1.evil.example",
                                  "evil@localhost", "localhost/", "localhost:99999", "", "box:9001", "10.1.2.3",
                                  "a.planviz.example.com", "[localhost]", "localhost localhost"])  # fmt: skip
def test_a_name_that_rebinds_to_the_server_gets_nothing(host: str) -> None:
    status, headers = ask(HERE, [("host", host)])
    assert status == 421
    assert headers["content-security-policy"].startswith("default-src 'none'")
    for path in ("/_stcore/health", "/plan/key/0.svg", "/static/js/index.js"):
        assert ask(HERE, [("host", host)], path=path)[0] == 421
    assert ask(HERE, [("host", host), ("origin", f"http://{host}")], kind="websocket")[0] == "websocket.close"


def test_no_host_or_two_get_nothing() -> None:
    assert ask(HERE, [])[0] == 421
    assert ask(HERE, [("host", "localhost"), ("host", "localhost")])[0] == 421


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://localhost", "https://evil.example", "null", "",
                                    "http://127.0.0.1:8501", "file://", "http://localhost:8501.evil.example",
                                    "http://planviz.example.com:8501", "ftp://localhost:8501"])  # fmt: skip
def test_pages_of_other_origins_open_no_socket_and_send_nothing(origin: str) -> None:
    headers = [("host", "localhost:8501"), ("origin", origin)]
    assert ask(HERE, headers, kind="websocket")[0] == "websocket.close"
    assert ask(HERE, headers, method="POST", path="/plan")[0] == 403
    assert ask(HERE, headers, method="PUT", path="/_stcore/upload_file/a/b")[0] == 403


def test_a_page_behind_a_proxy_is_the_servers_own() -> None:
    headers = [("host", "127.0.0.1:8501"), ("origin", "https://planviz.example.com")]
    assert ask(HERE, headers, kind="websocket")[0] == "websocket.accept"
    headers = [("host", "planviz.example.com"), ("origin", "https://planviz.example.com")]
    assert ask(HERE, headers, kind="websocket")[0] == "websocket.accept"
    assert ask(HERE, [("host", "127.0.0.1:8501"), ("origin", "http://box:9000")], method="POST")[0] == 200


def test_what_a_browser_says_of_another_site_counts_without_an_origin() -> None:
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
        assert ask(HERE, [("host", "localhost"), ("sec-fetch-site", site)], method="POST")[0] == status


def test_a_server_on_all_addresses_answers_to_addresses_and_the_machines_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard.socket, "gethostname", lambda: "Box7")
    for address in ("0.0.0.0", "::", None):
        names = names_of(address, ["planviz.example.com"])
        for host in ("10.1.2.3:8501", "[fe80::1]:8501", "box7:8501", "localhost:8501", "planviz.example.com"):
            assert names.answers(host), host
        assert not names.answers("evil.example:8501")
    assert not names_of("10.1.2.3").answers("localhost:8501")
    assert names_of("10.1.2.3").answers("10.1.2.3:8501")


def test_every_page_has_a_policy_and_no_frame() -> None:
    status, headers = ask(HERE, [("host", "localhost:8501")])
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert status == 200
    assert policy["default-src"] == policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert re.fullmatch(r"'self' blob:( 'sha256-[\w+/=]+')*", policy["script-src"])
    assert policy["connect-src"] == "'self' ws://localhost:8501 wss://localhost:8501"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


def test_what_others_may_embed_keeps_its_own_policy() -> None:
    _, headers = ask(HERE, [("host", "localhost:8501")], path="/plan/key/0.svg")
    assert headers["content-security-policy"] == "sandbox"
    assert "x-frame-options" not in headers
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("name", ["http://planviz", "a b", "x:y", "evil/", "*"])
def test_a_name_that_is_none_is_told(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", "1", "--address", "127.0.0.1", "--host", name]) == 2
    assert capsys.readouterr().err.startswith(f"planviz: --host {name}: write a name")
