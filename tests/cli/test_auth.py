"""`planviz serve --auth`: which settings it refuses, and what it says."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from planviz.cli import auth
from planviz.cli.main import parser, run
from planviz.errors import InputError
from planviz.ui import people

GOOD = """[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "0123456789012345678901234567890123456789"
client_id = "planviz"
client_secret = "secret"
server_metadata_url = "https://id.example.com/.well-known/openid-configuration"
"""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (people.VARIABLE, people.ALLOWED, people.HOURS, people.TRUSTED):
        monkeypatch.setenv(variable, "")
    monkeypatch.setattr(auth.importlib.util, "find_spec", lambda name: name)


def _begin(text: str, folder: Path, *more: str, hosts: list[str] | None = None) -> dict[str, list[str]]:
    file = folder / "secrets.toml"
    file.write_text(text)
    options = parser().parse_args(["serve", "--auth", str(file), *more])
    return auth.begin(options, hosts or [], folder / "app.py")


def test_good_settings_are_handed_on(tmp_path: Path) -> None:
    told = _begin(GOOD, tmp_path, "--auth-allow", "@Example.com", "--auth-allow", "bob@b.com", "--auth-hours", "1.5")
    assert told == {"secrets.files": [str(tmp_path / "secrets.toml")]}
    assert people.is_on()
    assert people.providers() == ("default",)
    assert (os.environ[people.ALLOWED], os.environ[people.HOURS]) == ("@example.com,bob@b.com", "1.5")
    assert os.environ[people.TRUSTED] == ""
    named = GOOD.replace("client_id", "[auth.entra]\nclient_id")
    _begin(named, tmp_path, "--auth-trust-email")
    assert people.providers() == ("entra",)
    assert os.environ[people.TRUSTED] == "yes"
    _begin(GOOD + named[named.index("[auth.entra]") :], tmp_path)
    assert people.providers() == ("default", "entra")
    port = GOOD.replace("http://localhost:8501", "http://127.0.0.1:{port}")
    assert _begin(port, tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[auth]", "[other]"), r"there is no \[auth\]"),
        (("[auth]", "[auth"), "cannot be read as TOML"),
        (("client_id", "client"), r"\[auth\] has no client_id\."),
        (('client_secret = "secret"', 'client_secret = " "'), "has no client_secret"),
        (("server_metadata_url", "metadata"), "has no server_metadata_url"),
        (("redirect_uri", "redirect"), r"has no redirect_uri\. Write the server's own address"),
        (("cookie_secret", "cookie"), "has no cookie_secret"),
        (("0123456789012345678901234567890123456789", "xxx"), "fewer than 32"),
        (("https://id", "http://id"), "no https address"),
        (("https://id", "ftp://id"), "no https address"),
        (("/oauth2callback", "/callback"), "write the server's name, then /oauth2callback"),
        (("/oauth2callback", "/a/oauth2callback"), "write the server's name"),
        (("http://localhost:8501", "http://plans.example.com"), "only https"),
        (("http://localhost:8501", "https://plans.example.com"), "add it with --host"),
        (("client_id", "[auth.my_id]\nclient_id"), "letters, digits and hyphens"),
    ],
)
def test_what_is_missing_is_said(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as caught:
        _begin(GOOD.replace(*change), tmp_path)
    assert str(tmp_path / "secrets.toml") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not people.is_on()
    # What is told of the file is never what is secret in it.
    assert "0123456789" not in str(caught.value)


def test_a_secret_is_made_for_whoever_has_none(tmp_path: Path) -> None:
    made = set()
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            _begin(GOOD.replace("cookie_secret", "cookie"), tmp_path)
        found = re.search(r'cookie_secret = "([\w-]{64})"', str(caught.value))
        assert found is not None
        made.add(found[1])
    assert len(made) == 2


def test_behind_a_name_of_its_own(tmp_path: Path) -> None:
    text = GOOD.replace("http://localhost:8501", "https://plans.example.com")
    assert _begin(text, tmp_path, hosts=["plans.example.com"])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--auth-allow", "example.com"), "write an e-mail address"),
        (("--auth-allow", "a@b,c@d"), "write an e-mail address"),
        (("--auth-hours", "0"), "a number of hours"),
        (("--auth-hours", "1000"), "a number of hours"),
        (("--auth-hours", "nan"), "a number of hours"),
    ],
)
def test_odd_options(more: tuple[str, ...], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        _begin(GOOD, tmp_path, *more)


def test_without_settings_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLANVIZ_STORE", "none")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    for more in (["--auth"], ["--auth", str(tmp_path / "nothing.toml")], ["--auth-hours", "3"]):
        assert run(["serve", "--port", port, *more]) == 2
        said = capsys.readouterr().err
        assert said.startswith("planviz: --auth")
        assert said.count("\n") == 1


def test_without_the_library_that_signs_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'planviz\[auth\]'"):
        _begin(GOOD, tmp_path)
