"""A server where people sign in: two of them with libraries of their own, a folder that they share, and strangers."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("authlib", reason="signing in is not installed: pip install 'planviz[auth]'")

from tests.browser.app import App, serving
from tests.openid import Provider, providing, settings

pytestmark = pytest.mark.browser

MARKUP = "Team <img src=x onerror=alert(1)> **plans** [a](javascript:alert(1))"
PEOPLE: dict[str, dict[str, object]] = {
    "ann": {"email": "Ann@example.com", "email_verified": True, "name": "Ann Example"},
    "bob": {"email": "bob@example.com", "email_verified": True, "name": "Bob <b>Example</b>"},
    "eve": {"email": "eve@elsewhere.example", "email_verified": True, "name": "Eve"},
    "mallory": {"email": "bob@example.com", "email_verified": False, "name": "Mallory"},
}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with providing(PEOPLE) as found:
        yield found


@pytest.fixture(scope="module")
def server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("accounts")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    file = folder / "secrets.toml"
    file.write_text(settings(provider, port))
    more = ("--store", str(folder / "library.db"), "--auth", str(file))
    with serving(more=more, port=port) as address:
        yield address


@pytest.fixture
def people(browser: Any) -> Iterator[Callable[[], App]]:
    """Browsers of different people."""
    contexts: list[Any] = []

    def another() -> App:
        context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
        context.set_default_timeout(60_000)
        contexts.append(context)
        return App(context.new_page())

    yield another
    for context in contexts:
        context.close()


def _sign_in(app: App, address: str, login: str) -> App:
    app.go(address)
    app.page.get_by_role("button", name="Sign in", exact=True).click()
    app.page.get_by_role("link", name=login, exact=True).click()
    app.page.wait_for_url(re.compile(re.escape(address)))
    return app


def _save(app: App, server: str, name: str) -> str:
    """Save what is open; its id."""
    page = app.page
    page.get_by_role("button", name="Share").click()
    page.get_by_label("Save in the library as").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text(f"Saved as {name}.").wait_for()
    page.wait_for_url(re.compile(r"saved="))
    found = re.search(r"saved=([\w-]+)", page.url)
    assert found is not None
    return found[1]


def test_a_stranger_gets_the_page_that_asks_to_sign_in(server: str, people: Callable[[], App]) -> None:
    app = people().go(f"{server}/?sample=event-log")
    app.page.get_by_role("button", name="Sign in", exact=True).wait_for()
    assert app.page.get_by_text("Adaptive").count() == 0
    # The first page comes without the box that would take a text.
    app.go(server).page.get_by_role("button", name="Sign in", exact=True).wait_for()
    assert app.page.get_by_role("textbox").count() == 0
    for path in ("/library", "/live", "/history", "/explore"):
        app.go(server + path).page.get_by_role("button", name="Sign in", exact=True).wait_for()
    ask = app.page.request
    assert ask.post(f"{server}/plan", data="SELECT 1").status == 401
    for path in (
        "/plan/x/0.svg",
        "/plan/x/0/details.json",
        "/ahead/x/explore",
        "/plan/a%2Fb.svg",
        "/nothing",
        "/app/x",
    ):
        assert ask.get(server + path).status == 401, path
    assert ask.get(f"{server}/plan/unknownunknownunknown1.svg").status == 404


def test_two_people_a_folder_and_a_link(server: str, people: Callable[[], App]) -> None:
    ann, bob, stranger = people(), people(), people()
    # Whoever came for an address is there after signing in.
    _sign_in(ann, f"{server}/?sample=event-log", "ann").painted()
    ann.page.get_by_role("button", name="Ann", exact=True).wait_for()
    id = _save(ann, server, "Worth of brands")
    ann.page.get_by_text("It opens for you alone").wait_for()
    picture = f"{server}/plan/{id}.svg"
    assert ann.page.request.get(picture).ok
    assert stranger.page.request.get(picture).status == 404

    _sign_in(bob, f"{server}/library", "bob")
    bob.page.get_by_text("Nothing is saved yet").wait_for()
    assert bob.page.request.get(picture).status == 404
    for part in ("svg", "png", "html", "json"):
        assert bob.page.request.get(f"{server}/plan/{id}.{part}").status == 404
    own = _save(bob.go(f"{server}/?sample=window-top-n").painted(), server, "Bob's own")
    assert bob.page.request.get(f"{server}/plan/{own}.json?page=compare&b={id}").status == 404
    bob.go(f"{server}/?saved={id}")
    bob.page.get_by_text("The library has no document").wait_for()

    # Ann shares a folder, whose name is text and nothing else.
    ann.go(f"{server}/library")
    ann.page.get_by_role("button", name="Folders").click()
    ann.page.get_by_label("A new folder").fill(MARKUP)
    ann.page.get_by_label("Or with these e-mails").first.fill("bob@example.com")
    ann.page.get_by_role("button", name="Make it").click()
    ann.page.get_by_text("shared with 1 address").wait_for()
    ann.go(f"{server}/library?document={id}")
    ann.page.get_by_label("Who finds it: a folder").click()
    ann.page.get_by_role("option", name=re.compile("^Team <img")).click()
    # The folder has a document now.
    ann.page.wait_for_function(
        "[...document.querySelectorAll('[role=combobox]')].some(e => /^Team <img.*[(]1[)]$/.test(e.value))"
    )

    bob.go(f"{server}/library")
    row = bob.page.get_by_role("row").filter(has_text="Worth of brands")
    row.get_by_text("Ann Example").wait_for()
    row.click()
    bob.page.get_by_text("Of Ann Example, who alone changes it.").wait_for()
    assert bob.page.get_by_role("button", name="Put into the trash").count() == 0
    assert bob.page.get_by_role("button", name="Rename").count() == 0
    bob.page.get_by_role("button", name="Open", exact=True).filter(has_text="Open").click()
    bob.painted()
    assert bob.page.request.get(picture).ok
    assert stranger.page.request.get(picture).status == 404
    # An e-mail that the provider did not verify opens no folder.
    mallory = _sign_in(people(), f"{server}/library", "mallory")
    mallory.page.get_by_text("Nothing is saved yet").wait_for()
    assert mallory.page.request.get(picture).status == 404

    # Anyone with the link.
    ann.go(f"{server}/?saved={id}").painted()
    ann.page.get_by_role("button", name="Share").click()
    ann.page.get_by_text("Anyone with the link").click()
    ann.page.get_by_text("The picture opens for whoever has the address").wait_for()
    assert stranger.page.request.get(picture).ok
    assert stranger.page.request.get(picture).headers["cache-control"] == "private, no-cache"
    tag = stranger.page.request.get(picture).headers["etag"]

    # Deleted is deleted, for all of them.
    ann.go(f"{server}/library?document={id}")
    ann.page.get_by_role("button", name="Put into the trash").click()
    ann.page.get_by_text("Nothing is saved yet").wait_for()
    for app in (ann, bob, stranger):
        assert app.page.request.get(picture, headers={"If-None-Match": tag}).status == 404
    for app in (ann, bob, mallory):
        assert not [said for said in app.complaints if "404" not in said]


def test_signing_out_and_forged_cookies(server: str, provider: Provider, people: Callable[[], App]) -> None:
    app = _sign_in(people(), f"{server}/?sample=event-log", "eve").painted()
    id = _save(app, server, "Eve's")
    picture = f"{server}/plan/{id}.svg"
    context = app.page.context
    cookie = next(one for one in context.cookies() if one["name"] == "_streamlit_user")
    assert cookie["httpOnly"]
    assert app.page.request.get(picture).ok
    body, _, signature = cookie["value"].rpartition(".")
    for forged in (f"{body}.{signature[:-2]}AA", body, "x", "", f"{body[:-1]}.{signature}", "é"):
        other = people().page.request
        headers = {"Cookie": f"_streamlit_user={forged}"}
        assert other.get(picture, headers=headers).status == 404, forged
        assert other.post(f"{server}/plan", data="SELECT 1", headers=headers).status == 401
    # The true one works, and one of another name does not stand in for it.
    assert people().page.request.get(picture, headers={"Cookie": f"_streamlit_user={cookie['value']}"}).ok
    swapped = next(one for one in context.cookies() if one["name"] == "_streamlit_user_tokens")["value"]
    assert people().page.request.get(picture, headers={"Cookie": f"_streamlit_user={swapped}"}).status == 404

    app.page.get_by_role("button", name="Eve", exact=True).click()
    app.page.get_by_role("button", name="Sign out").click()
    app.page.get_by_role("heading", name="Signed out").wait_for()
    assert provider.ended[-1] == f"{server}/oauth2callback"
    assert app.page.request.get(picture).status == 404
    app.go(f"{server}/?saved={id}").page.get_by_role("button", name="Sign in", exact=True).wait_for()


@pytest.mark.parametrize("what", ["signature", "none", "nonce", "audience", "issuer", "old"])
def test_a_token_that_is_not_right_signs_nobody_in(
    what: str, server: str, provider: Provider, people: Callable[[], App]
) -> None:
    from joserfc import jwt
    from joserfc.jwk import RSAKey

    def spoiled(claims: dict[str, object], signed: str) -> str:
        key, header = provider.key, {"alg": "RS256", "kid": "test"}
        if what == "signature":
            key = RSAKey.generate_key(2048, {"kid": "test"})
        if what == "none":
            _, body, _ = jwt.encode(header, claims, key).split(".")
            return f"eyJhbGciOiJub25lIn0.{body}."
        claims |= {"nonce": {"nonce": "x"}, "audience": {"aud": "other"}, "issuer": {"iss": "http://127.0.0.1:1"},
                   "old": {"iat": 1, "exp": 2}}.get(what, {})  # fmt: skip
        return jwt.encode(header, claims, key)

    provider.spoil = spoiled
    try:
        app = _sign_in(people(), server, "ann")
        app.page.get_by_role("button", name="Sign in", exact=True).wait_for()
        assert app.page.request.post(f"{server}/plan", data="SELECT 1").status == 401
    finally:
        provider.spoil = None
