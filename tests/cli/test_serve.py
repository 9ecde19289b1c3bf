"""`planviz serve`: what it refuses, and where it finds the app."""

from __future__ import annotations

import os
import socket
from argparse import Namespace
from pathlib import Path

import pytest

import planviz
from planviz.cli import serve
from planviz.cli.main import run
from planviz.cli.serve import app_script
from planviz.errors import InputError, StoreError
from planviz.store.database import VARIABLE as STORE
from planviz.ui.library import LISTED_VARIABLE, is_listed


def test_the_app_lies_beside_the_package() -> None:
    assert app_script() == Path(planviz.__file__).resolve().parents[1] / "app.py"


def test_installed_without_the_app_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planviz, "__file__", str(tmp_path / "site-packages" / "planviz" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="pip install -e"):
        app_script()


def test_in_a_checkout_an_installed_package_finds_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planviz, "__file__", str(tmp_path / "site-packages" / "planviz" / "__init__.py"))
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "explore.py").touch()
    (tmp_path / "app.py").touch()
    monkeypatch.chdir(tmp_path)
    assert app_script() == tmp_path / "app.py"


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert capsys.readouterr().err.startswith("planviz: Cannot listen at 127.0.0.1, port ")


@pytest.mark.parametrize("port", ["0", "70000", "-1"])
def test_a_port_that_is_none(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", port]) == 2
    assert "a port is a number from 1 to 65535" in capsys.readouterr().err


def test_a_folder_of_catalogues_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert run(["serve", "--port", str(port), "--history", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "store", "environment", "place", "listed"),
    [
        ("127.0.0.1", None, "", "", "yes"), ("0.0.0.0", None, "", "none", "no"),
        ("127.0.0.1", "none", "", "none", "yes"),
        ("0.0.0.0", "LIBRARY", "", "LIBRARY", "no"), ("0.0.0.0", None, "LIBRARY", "LIBRARY", "no"),
    ],
)  # fmt: skip
def test_where_others_reach_the_server_there_is_no_library_unless_asked_and_none_is_listed(
    address: str, store: str | None, environment: str, place: str, listed: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    file = str(tmp_path / "library.db")
    monkeypatch.setenv(STORE, environment.replace("LIBRARY", file))
    monkeypatch.setenv(LISTED_VARIABLE, "")
    serve._store(Namespace(address=address, store=store and store.replace("LIBRARY", file), auth=None))
    assert (os.environ[STORE], os.environ[LISTED_VARIABLE]) == (place.replace("LIBRARY", file), listed)
    assert is_listed() is (listed == "yes")


def test_a_library_that_cannot_be_opened_is_refused_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", "0", "--store", "mysql://a/b"]) == 2
    capsys.readouterr()
    with pytest.raises(StoreError, match="mysql is not known"):
        serve._store(Namespace(address="127.0.0.1", store="mysql://a/b", auth=None))
