"""Folders of queries that somebody else wrote: what stands in them reads and writes nothing elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from planviz.cli import check as checking
from planviz.cli.main import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a folder of one query in it, where the command is called."""
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    made = tmp_path / "checkout" / "queries"
    made.mkdir()
    (made / "one.sql").write_text("SELECT 1 AS x\n")
    monkeypatch.chdir(tmp_path)
    return made


def _told(folder: Path, capfdbinary: pytest.CaptureFixture[bytes], *options: str) -> dict[str, tuple[str, str]]:
    """States and messages of the queries, by name."""
    run(["check", str(folder), "--format", "json", *options])
    found = json.loads(capfdbinary.readouterr().out)["queries"]
    return {one["name"]: (one["state"], one["message"]) for one in found}


@pytest.mark.parametrize("there", [True, False])
def test_no_plan_is_written_through_a_link(
    there: bool, folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    outside = tmp_path / "outside"
    if there:
        run(["check", str(folder), "--update"])
        (folder / "one.plan").rename(outside)
        outside.write_text(outside.read_text().replace("OneRow", "Other"))
        capfdbinary.readouterr()
    before = outside.read_text() if there else None
    (folder / "one.plan").symlink_to(outside)
    state, message = _told(folder, capfdbinary, "--update")["one"]
    assert state == "failed"
    assert "is no plain file of this folder" in message
    assert (outside.read_text() if outside.exists() else None) == before


def test_a_pipe_or_a_folder_in_the_place_of_a_plan_keeps_nobody_waiting(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    os.mkfifo(folder / "one.plan")
    (folder / "two.sql").write_text("SELECT 2")
    (folder / "two.plan").mkdir()
    for options in ((), ("--update",)):
        told = _told(folder, capfdbinary, *options)
        assert [told[name][0] for name in ("one", "two")] == ["failed", "failed"]


@pytest.mark.parametrize("name", ["-", "/dev/zero", "/etc/passwd", "../../secret.json", "../../pipe", "link.json"])
def test_a_query_names_no_catalogue_elsewhere(
    name: str, folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "secret.json").write_text("hunter2 is what I say")
    os.mkfifo(tmp_path / "pipe")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "one.sql").write_text(f"-- catalogue: {name}\nSELECT 1 AS x\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "planviz.toml").write_text(f'catalog = "{name}"\n')
    (folder / "sub" / "two.sql").write_text("SELECT 1 AS x\n")
    for one, (state, message) in _told(folder, capfdbinary).items():
        assert (one, state) == (one, "failed") or (name == "link.json" and one == "sub/two")
        assert "hunter2" not in message
        assert "root" not in message


def test_a_catalogue_of_the_same_repository_counts(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder.parent / "catalog.sql").write_text("CREATE TABLE mine (a INT);")
    (folder / "one.sql").write_text("-- catalogue: ../catalog.sql\nSELECT a FROM mine\n")
    assert _told(folder, capfdbinary)["one"][0] == "new"


def test_settings_behind_a_link_do_not_count(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "secret.toml").write_text('password = "hunter2"\n')
    (folder / "planviz.toml").symlink_to(tmp_path / "secret.toml")
    assert _told(folder, capfdbinary)["one"] == ("new", "no plan is stored yet; --update writes one.plan")


def test_a_defect_in_one_query_stops_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "two.sql").write_text("SELECT 2")
    planned = checking.planned

    def fails(text: str, *rest: object) -> object:
        if "2" in text:
            raise KeyError("x") if "memory" not in text else MemoryError
        return planned(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(checking, "planned", fails)
    told = _told(folder, capfdbinary)
    assert [told[name][0] for name in ("one", "two")] == ["new", "failed"]
    assert "defect" in told["two"][1]
    (folder / "two.sql").write_text("SELECT 2 AS memory")
    assert "more memory than there is" in _told(folder, capfdbinary)["two"][1]


def test_one_file_that_cannot_be_read_stops_no_upgrade(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "two.sql").write_text("-- catalogue: nowhere.json\nSELECT 2")
    assert run(["upgrade", str(folder), "--from", "3.5", "--to", "4.3", "--exit-zero"]) == 0
    told = capfdbinary.readouterr().out.decode()
    assert "nowhere.json" in told
    assert "1 has the same plan" in told
