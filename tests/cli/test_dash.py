"""`-` behind -o is standard output where a command prints, and nowhere a file of that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.cli.main import run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q.sql").write_text("SELECT a FROM t WHERE b = 5", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "anonymise q.sql --key k",
        "lint q.sql",
        "catalog infer q.sql",
        "diff q.sql:analyzed q.sql:physical",
    ],
)
def test_what_prints_prints(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(command.split())
    printed = capsys.readouterr().out
    assert run([*command.split(), "-o", "-"]) == plain
    assert capsys.readouterr().out == printed != ""
    assert not (place / "-").exists()


@pytest.mark.parametrize(
    "command",
    ["render q.sql -o -", "export -o -", "spark sample-data --schema shop -o -", "anonymise q.sql --key k --out -",
     "optimize q.sql --out -"],
)  # fmt: skip
def test_what_does_not_print_says_so(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == 2
    assert "planviz: " in capsys.readouterr().err
    assert not (place / "-").exists()
