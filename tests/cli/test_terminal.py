"""What commands print: no text makes a terminal do anything, and no output takes the place of an input."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from planviz.cli import files
from planviz.cli.main import run
from planviz.render.text import on_terminal

ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
SQL = f"SELECT `a{ESCAPES}` FROM `t{ESCAPES}` WHERE `b` = 'x{ESCAPES}\r\ny'\n"


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", ["explain", "optimize", "parse", "why", "replay", "crossover"])
def test_a_terminal_sees_signs_and_a_file_gets_bytes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "query.sql"
    file.write_bytes(SQL.encode())
    seen = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", _Terminal(seen))
        assert run([command, str(file)]) == 0
        shown = seen.getvalue().decode()
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(shown)
    assert run([command, str(file)]) == 0
    plain, said = capfdbinary.readouterr()
    assert on_terminal(plain.decode()) == shown
    assert b"\x1b" not in said
    if command == "parse":
        assert plain == SQL.encode()


def test_a_message_is_one_line_whatever_a_file_is_called(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    name = tmp_path / f"no\n::error::such{ESCAPES}"
    assert run(["explain", str(name)]) == 2
    said = capfdbinary.readouterr().err.decode()
    assert said.count("\n") == 1
    assert "\x1b" not in said
    assert run(["explain", str(tmp_path / ("x" * 5_000))]) == 2
    assert len(capfdbinary.readouterr().err) < 1_000


@pytest.mark.parametrize("command", ["lint", "check", "catalog show", "diff {0} {0}:1", "history"])
def test_a_name_that_no_system_takes_is_a_sentence(command: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    name = "x" * 5_000
    words = command.format(name).split()
    assert run(words if "{0}" in command else [*words, name]) == 2
    said = capfdbinary.readouterr().err.decode()
    assert said.startswith("planviz: ")
    assert "defect" not in said


def test_two_files_of_one_name_are_not_written_to_one_place(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for at, folder in enumerate(("a", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "q.sql").write_text(f"SELECT {at} AS x")
    both = [str(tmp_path / folder / "q.sql") for folder in ("a", "b")]
    for command in ("explain", "replay"):
        assert run([command, *both, "--out", str(tmp_path / "out")]) == 2
        assert "to the same place, q" in capfdbinary.readouterr().err.decode()
    assert not (tmp_path / "out").exists()
    assert run(["explain", *both]) == 0


@pytest.mark.parametrize("options", [("render", "-o"), ("lint", "-o"), ("parse", "--out")])
def test_what_was_read_is_not_overwritten(
    options: tuple[str, str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = '[{"class": "org.apache.spark.sql.execution.RangeExec", "num-children": 0}]'
    given = tmp_path / "plan.json"
    given.write_text(text)
    (tmp_path / "other.json").symlink_to(given)
    command, option = options
    for place in (tmp_path,) if option == "--out" else (given, tmp_path / "other.json"):
        assert run([command, str(given), option, str(place), *(["--format", "json"] * (command == "parse"))]) == 2
        assert "not overwritten" in capfdbinary.readouterr().err.decode()
        assert given.read_text() == text
    # The next command has read nothing yet.
    files.begin()
    files.write_file(given, b"new")
    assert given.read_text() == "new"


@pytest.mark.parametrize(("closed", "status"), [("<&-", 2), (">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 2)])
def test_a_stream_that_is_closed_is_an_empty_one(closed: str, status: int) -> None:
    text = "" if "<" in closed else "echo 'SELECT 1' |"
    command = f"{text} {sys.executable} -m planviz explain - {closed}"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ran.returncode == status
    assert "defect" not in ran.stderr
    assert "Traceback" not in ran.stderr
