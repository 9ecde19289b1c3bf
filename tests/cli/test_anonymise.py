"""`planviz anonymise`: files, the key beside them, and back."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from planviz.cli.main import run


def test_files_go_into_a_folder_and_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "acme_top.sql").write_text("SELECT customer FROM acme WHERE salary > 123456")
    (tmp_path / "acme_top.txt.gz").write_bytes(gzip.compress(b"Filter (salary#1 > 123456)\n+- Scan acme[customer#2]\n"))
    key, out, back = (str(tmp_path / name) for name in ("my.key", "out", "back"))
    names = [str(tmp_path / name) for name in ("acme_top.sql", "acme_top.txt.gz")]
    assert run(["anonymise", *names, "--key", key, "--out", out]) == 0
    made = sorted(Path(out).iterdir())
    assert [path.name.partition(".")[2] for path in made] == ["sql", "txt.gz"]
    told = made[0].read_text() + gzip.decompress(made[1].read_bytes()).decode() + made[0].name
    assert not any(word in told for word in ("acme", "customer", "salary", "123456"))
    assert run(["anonymise", *map(str, made), "--key", key, "--out", back, "--restore"]) == 0
    assert (Path(back) / "acme_top.sql").read_text() == (tmp_path / "acme_top.sql").read_text()
    assert gzip.decompress((Path(back) / "acme_top.txt.gz").read_bytes()).startswith(b"Filter (salary#1 > 123456)")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("key", [None, "no key"])
def test_back_needs_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str | None) -> None:
    path = tmp_path / "my.key"
    if key is not None:
        path.write_text(key)
    (tmp_path / "q.sql").write_text("SELECT 1")
    assert run(["anonymise", str(tmp_path / "q.sql"), "--key", str(path), "--restore"]) == 2
    assert "my.key" in capsys.readouterr().err


def test_a_key_that_cannot_be_kept_stops_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.sql").write_text("SELECT a FROM t")
    (tmp_path / "file").write_text("")
    assert run(["anonymise", str(tmp_path / "q.sql"), "--key", str(tmp_path / "file" / "k")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "can be written" in told.err
