"""Files are written whole or not at all; an output that takes nothing is one line on standard error."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from planviz.cli import files
from planviz.cli.main import run
from planviz.document import saving
from planviz.document.saving import save
from planviz.errors import ExportError, InputError

FULL = Path("/dev/full")


def test_a_disk_that_fills_up_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "plan.svg"
    there.write_bytes(b"before")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(saving.os, "fsync", full)
    with pytest.raises(ExportError, match="No space left on device"):
        save(there, b"x" * 100_000)
    with pytest.raises(ExportError, match="No space left on device"):
        save(tmp_path / "new.svg", b"x")
    assert there.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["plan.svg"]


def test_a_file_is_replaced_with_its_mode_and_through_a_link(tmp_path: Path) -> None:
    there, link = tmp_path / "plan.svg", tmp_path / "link.svg"
    there.write_bytes(b"before")
    there.chmod(0o640)
    link.symlink_to(there)
    save(link, b"after")
    assert link.is_symlink()
    assert there.read_bytes() == b"after"
    assert stat.S_IMODE(there.stat().st_mode) == 0o640
    before = os.umask(0o027)
    save(tmp_path / "folder" / "new.svg", b"new")
    os.umask(before)
    assert stat.S_IMODE((tmp_path / "folder" / "new.svg").stat().st_mode) == 0o640


def test_a_packed_file_unpacks_to_so_much_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST", 1 << 20)
    packed = tmp_path / "plan.txt.gz"
    packed.write_bytes(gzip.compress(b" " * (1 << 20)))
    assert len(files.read_text(str(packed))) == 1 << 20
    packed.write_bytes(gzip.compress(b" " * (50 << 20)))
    with pytest.raises(InputError, match=r"unpacks to more than 1024 KiB.*open the part that has the plan"):
        files.read_text(str(packed))


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this machine")
@pytest.mark.parametrize("command", [["samples"], ["explain", "-"], ["planner"]])
def test_an_output_that_is_full_is_one_line(command: list[str]) -> None:
    with FULL.open("wb") as out:
        done = subprocess.run([sys.executable, "-m", "planviz", *command], input=b"SELECT 1", stdout=out,
                              stderr=subprocess.PIPE, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert b"No space left on device" in done.stderr


def test_a_defect_is_a_sentence_and_stops_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AttributeError("'str' object has no attribute 'hex'")

    monkeypatch.setattr("planviz.document.opening.plans.rule_trace", broken)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sql").write_text(f"SELECT 1 AS {name}", encoding="utf-8")
    files = [str(tmp_path / f"{name}.sql") for name in ("one", "two")]
    assert run(["explain", *files]) == 2
    said = capsys.readouterr().err
    assert said.count("This is a defect of planviz, not of your query; please report it") == 2
    assert "Traceback" not in said


def test_a_defect_of_a_command_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> int:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr("planviz.cli.rules.rules", broken)
    assert run(["rules"]) == 2
    assert capsys.readouterr().err.startswith("planviz: planviz rules failed with RecursionError")


def test_a_zip_archive_is_told_to_be_unpacked(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from zipfile import ZipFile

    with ZipFile(tmp_path / "eventLogs-app.zip", "w") as archive:
        archive.writestr("app", '{"Event":"SparkListenerLogStart"}\n' * 400)
    assert run(["parse", str(tmp_path / "eventLogs-app.zip")]) == 2
    assert "is a zip archive. Unpack it" in capfdbinary.readouterr().err.decode()
