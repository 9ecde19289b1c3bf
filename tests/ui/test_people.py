"""Who signed in, as claims and cookies tell it; what a server with accounts answers to whom."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from planviz.store import ALONE, NOBODY
from planviz.ui import doors, people
from planviz.ui.doors import Doors
from planviz.ui.front import Front
from planviz.ui.page import addresses
from planviz.ui.people import NotLetIn, person_of
from tests.ui.asgi import answered

SECRET, ORIGIN, NAME = "s" * 40, "https://plans.example.com", "_streamlit_user"


def _claims(**more: object) -> dict[str, object]:
    told = {
        "is_logged_in": True,
        "iss": "https://id.example.com",
        "sub": "7",
        "iat": int(time.time()),
        "name": "Ann",
        "email": "Ann@Example.com",
        "email_verified": True,
    }
    return told | more


def _cookie(secret: str = SECRET, name: str = NAME, **more: object) -> dict[str, str]:
    return {NAME: create_signed_value(secret, name, json.dumps(_claims(origin=ORIGIN) | more)).decode()}


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(people.VARIABLE, "default")
    for variable in (people.ALLOWED, people.HOURS, people.TRUSTED):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(people, "get_cookie_secret", lambda: SECRET)
    for module in (people, doors):
        monkeypatch.setattr(module, "get_origin_from_redirect_uri", lambda: ORIGIN)


def test_a_person_is_the_providers_name_for_them(accounts: None) -> None:
    ann = person_of(_claims())
    assert (ann.email, ann.name, ann.signed_in) == ("ann@example.com", "Ann", True)
    # The e-mail may change and the person stays; another provider's seven is somebody else.
    assert person_of(_claims(email="ann@new.example.com")).key == ann.key
    for other in (_claims(sub="8"), _claims(iss="https://other.example.com"), _claims(sub="7\0")):
        assert person_of(other).key != ann.key
    assert person_of(_claims(iss="https://id.example.co", sub="m\x007")).key != ann.key


@pytest.mark.parametrize(
    "odd",
    [
        {"is_logged_in": False},
        {"is_logged_in": "true"},
        {"is_logged_in": 1},
        {"iss": ""},
        {"iss": None},
        {"sub": " "},
        {"sub": 7},
        {"sub": ["7"]},
        {"iat": None},
        {"iat": "now"},
        {"iat": True},
        {"iat": 0},
        {"iat": float("nan")},
        {"iat": time.time() - 13 * 3600},
        {"iat": time.time() + 7 * 24 * 3600},
    ],
)
def test_claims_that_let_nobody_in(odd: dict[str, object], accounts: None) -> None:
    with pytest.raises(NotLetIn):
        person_of(_claims(**odd))


@pytest.mark.parametrize(
    ("verified", "trusted", "email"),
    [
        (True, "", "ann@example.com"),
        ("true", "", "ann@example.com"),
        (False, "", ""),
        ("false", "", ""),
        (None, "", ""),
        (1, "", "ann@example.com"),
        (0, "", ""),
        ("yes", "", ""),
        (None, "yes", "ann@example.com"),
        (False, "yes", ""),
    ],
)
def test_an_e_mail_counts_when_it_is_verified(
    verified: object, trusted: str, email: str, accounts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(people.TRUSTED, trusted)
    assert person_of(_claims(email_verified=verified)).email == email


@pytest.mark.parametrize("email", [None, 7, "", "x" * 400, "a\n@example.com", ["ann@example.com"]])
def test_what_is_no_e_mail_is_none(email: object, accounts: None) -> None:
    assert person_of(_claims(email=email)).email == ""


@pytest.mark.parametrize(
    ("allowed", "email", "verified", "enters"),
    [
        ("@example.com", "ann@example.com", True, True),
        ("ann@example.com", "Ann@Example.com", True, True),
        ("@example.com", "ann@example.com", False, False),
        ("@example.com", "ann@evil-example.com", True, False),
        ("@example.com", "ann@sub.example.com", True, False),
        ("ann@example.com", "bob@example.com", True, False),
        ("@example.com", "ann@example.com@evil.com", True, False),
        ("@example.com", "", True, False),
        ("@example.com", "ann", True, False),
        ("ann@example.com,@b.com", "x@b.com", True, True),
    ],
)
def test_a_server_for_some_addresses(
    allowed: str, email: str, verified: bool, enters: bool, accounts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(people.ALLOWED, allowed)
    claims = _claims(email=email, email_verified=verified)
    if enters:
        assert person_of(claims).email == email.lower()
        return
    with pytest.raises(NotLetIn, match=r"e-mail addresses|may not use"):
        person_of(claims)


def test_a_cookie_tells_who_asks(accounts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert people.asking(_cookie()) == person_of(_claims())
    refused = [
        {}, {NAME: ""}, {NAME: "x"}, {NAME: "é\u20ac"}, {NAME: json.dumps(_claims(origin=ORIGIN))}, _cookie("t" * 40),
        # Signed for another cookie of the same server, or for another server with the same secret.
        _cookie(name="_streamlit_user_tokens"), _cookie(origin="https://other.example.com"), _cookie(origin=None),
        _cookie(is_logged_in=False), _cookie(iat=1), {"_streamlit_user_1": _cookie()[NAME]},
        {NAME: create_signed_value(SECRET, NAME, "[1]").decode()},
        {NAME: create_signed_value(SECRET, NAME, "[" * 100_000).decode()},
        {NAME: create_signed_value(SECRET, NAME, "chunks-2").decode()},
    ]  # fmt: skip
    for cookies in refused:
        assert people.asking(cookies) is NOBODY
    monkeypatch.delenv(people.VARIABLE)
    assert people.asking({}) is ALONE


def test_no_page_no_person(accounts: None) -> None:
    """A thread that no page runs in is nobody's."""
    with pytest.raises(NotLetIn):
        people.here()


def _ask(
    path: str, cookies: dict[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, list[str]], bytes]:
    reached = "reached"

    async def end(request: Request) -> Response:
        return PlainTextResponse(reached)

    page, _, query = path.partition("?")
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": page,
        "raw_path": page.encode(),
        "query_string": query.encode(),
        "scheme": "https",
        "server": ("plans.example.com", 443),
        "root_path": "",
        "headers": [
            (b"cookie", "; ".join(f"{k}={v}" for k, v in (cookies or {}).items()).encode("latin-1", "replace"))
        ],
    }
    methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]
    before = [Middleware(Doors, addresses=addresses()), Middleware(Front, addresses=addresses())]
    app = Starlette(routes=[Route("/{path:path}", end, methods=methods)], middleware=before)
    told = answered(app, scope)
    headers: dict[str, list[str]] = {}
    for name, value in told[0]["headers"]:
        headers.setdefault(name.decode(), []).append(value.decode())
    return told[0]["status"], headers, b"".join(message.get("body", b"") for message in told[1:])


@pytest.mark.parametrize(
    "path",
    [
        "/plan",
        "/plan/",
        "/plan/a/b.svg",
        "/plan/a/../b",
        "/plan//x.svg",
        "//plan/x.svg",
        "/plan/x.svg/",
        "/ahead/a/explore",
        "/selected/a",
        "/joins/a",
        "/cardinality/a",
        "/media/x",
        "/app/static/x",
        "/_stcore/upload_file/a/b",
        "/_stcore",
        "/_stcore/agent/interact",
        "/_stcore/stream/../metrics",
        "/_stcore/metrics",
        "/auth/login/x",
        "/auth",
        "/Library",
        "/library/",
        "/library/x",
        "/anything",
        "/static/",
        "/component/x",
    ],
)
def test_whoever_did_not_sign_in_is_turned_away(path: str, accounts: None) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
        status, headers, body = _ask(path, method=method)
        assert (status, headers["cache-control"]) == (401, ["no-store"])
        assert json.loads(body)["message"].startswith("Sign in first") or method == "HEAD"
    assert _ask(path, _cookie())[0] == 200


@pytest.mark.parametrize(
    "path", ["/plan/x.svg", "/_stcore/health", "/auth/login", "/oauth2callback", "/static/js/x.js"]
)
def test_what_is_open(path: str, accounts: None) -> None:
    assert _ask(path)[2] == b"reached"
    assert path != "/plan/x.svg" or _ask(path, method="POST")[0] == 401


def test_without_accounts_all_is_open() -> None:
    assert _ask("/anything")[2] == b"reached"


def test_the_first_page_has_no_box_for_strangers(accounts: None) -> None:
    box = b"planviz-early"
    assert box in _ask("/", _cookie())[2]
    assert box not in _ask("/")[2]


def test_whoever_signs_in_goes_on_to_where_they_came_for(accounts: None) -> None:
    status, headers, _ = _ask("/library?search=%22x%22&document=a-b")
    (cookie,) = headers["set-cookie"]
    assert status == 200
    assert cookie.endswith("; Max-Age=900; Path=/; HttpOnly; SameSite=Lax; Secure")
    name, _, value = cookie.partition(";")[0].partition("=")
    status, headers, _ = _ask("/", _cookie() | {name: value})
    assert (status, headers["location"]) == (303, ["/library?search=%22x%22&document=a-b"])
    assert 'planviz_bound_for=""' in headers["set-cookie"][0]
    # Not before they did, and not from another page.
    assert _ask("/", {name: value})[0] == 200
    assert _ask("/rules", _cookie() | {name: value})[0] == 200
    assert "set-cookie" not in _ask("/")[1]
    assert "set-cookie" not in _ask("/library", _cookie())[1]
    # A packed text longer than a cookie is not remembered.
    assert "set-cookie" not in _ask(f"/?plan=1.{'a' * 4_000}")[1]


@pytest.mark.parametrize(
    "address",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/library/../../x",
        "evil",
        "/%0d%0aX: y",
        "/?a%0d%0aX: y",
        "javascript:alert(1)",
        "/plan/x.svg",
        "/auth/logout",
        "/?%00",
    ],
)
def test_it_leads_nowhere_else(address: str, accounts: None) -> None:
    status, headers, _ = _ask("/", _cookie() | {"planviz_bound_for": address})
    assert status == 200
    assert "location" not in headers


def test_a_file_of_settings_is_not_in_the_repository() -> None:
    root = Path(people.__file__).resolve().parents[2]
    assert ".streamlit/secrets.toml" in (root / ".gitignore").read_text().splitlines()
