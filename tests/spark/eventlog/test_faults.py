"""Damage of every kind: every intact execution is kept, every fault is told by file and place."""

from __future__ import annotations

import json
import random

import pytest

from planviz.spark.eventlog import events
from planviz.spark.eventlog.events import LogReader
from planviz.spark.eventlog.executions import row
from planviz.spark.eventlog.logs import find_logs
from tests.spark.eventlog.made_logs import event, execution, packed, text

CODECS = ("zstd", "gzip", "lz4", "snappy", "lzf")


def read(path):
    """The statuses by execution and the faults of all logs under a path."""
    found, faults = {}, []
    for log in find_logs([str(path)]):
        reader = LogReader(log)
        found |= {e.number: row(e, reader.application, log.path)["status"] for e in reader.executions()}
        faults += [(fault.file.rsplit("/", 1)[-1], fault.line, fault.reason) for fault in reader.faults]
    return found, faults


def varied(count):
    """A log that does not pack well, so that it has many blocks."""
    pick = random.Random(3)
    made = []
    for number in range(count):
        made.append([*execution(number), event("SparkListenerTaskEnd", Noise=pick.randbytes(900).hex())])
    return text(*made)


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("codec", ["", *CODECS])
def test_bytes_overwritten_cost_what_they_hit(codec, at, tmp_path):
    whole = varied(60).encode()
    data = bytearray(packed(whole, codec) if codec else whole)
    place = int(len(data) * at)
    data[place : place + 40] = b"\xff\x00\xfe\x01" * 10
    (tmp_path / "app").write_bytes(data)
    found, faults = read(tmp_path / "app")
    whole_ones = [number for number, status in found.items() if status == "succeeded"]
    # Without a checksum zstd may give another text that is JSON as well; then nothing is lost.
    assert faults or (codec == "zstd" and len(whole_ones) == 60)
    assert all(name == "app" and line > 0 for name, line, _ in faults)
    assert set(range(int(60 * at) - 6)) <= set(whole_ones)
    if codec not in ("zstd", "gzip"):
        assert len(faults) <= 4
        assert len(whole_ones) >= 60 - 8
        assert set(range(int(60 * at) + 8, 60)) <= set(whole_ones)


@pytest.mark.parametrize("codec", ["", *CODECS])
@pytest.mark.parametrize("name", ["app.zstd", "app.lz4", "app.snappy", "app"])
def test_the_name_of_a_file_does_not_say_what_is_in_it(codec, name, tmp_path):
    data = varied(8).encode()
    (tmp_path / name).write_bytes(packed(data, codec) if codec else data)
    assert read(tmp_path / name) == (dict.fromkeys(range(8), "succeeded"), [])


def test_damage_in_one_part_leaves_the_next_one(tmp_path):
    log = tmp_path / "eventlog_v2_app"
    log.mkdir()
    for part in range(1, 4):
        lines = "\n".join(line for n in range(10 * part - 10, 10 * part) for line in execution(n))
        (log / f"events_{part}_app.zstd").write_bytes(packed(f"{lines}\n".encode(), "zstd"))
    second = log / "events_2_app.zstd"
    second.write_bytes(second.read_bytes()[:-60])
    found, faults = read(tmp_path)
    assert [fault[0] for fault in faults] == ["events_2_app.zstd"]
    assert {n for n, status in found.items() if status == "succeeded"} >= {*range(10), *range(20, 30)}


def test_damage_in_an_event_that_is_not_needed_is_told_too(tmp_path):
    lines = text(3).splitlines()
    lines.insert(3, '{"Event":"SparkListenerTaskEnd","A":"\xff\xfe"}')
    lines.insert(4, '{"Event":"SparkListenerTaskEnd","A":1,,}')
    (tmp_path / "app").write_bytes("\n".join(lines).encode("latin-1") + b"\n")
    found, faults = read(tmp_path / "app")
    assert found == dict.fromkeys(range(3), "succeeded")
    assert [fault[1] for fault in faults] == [4, 5]
    assert all(fault[2].startswith("this event is damaged") for fault in faults)


def test_a_plan_that_is_damaged_is_told_by_its_execution(tmp_path):
    written = text(2).replace('"nodeName":"Filter"', '"nodeNane":"Filter"', 1)
    (tmp_path / "app").write_text(written)
    found, faults = [], []
    (log,) = find_logs([str(tmp_path / "app")])
    reader = LogReader(log)
    for one in reader.executions():
        try:
            found.append(row(one, reader.application, log.path)["execution_id"])
        except ValueError as error:
            faults.append(str(error))
    assert (found, len(faults)) == ([1], 1)
    assert "nodeName" in faults[0]


def test_a_folder_of_something_else_is_told_file_by_file(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 a picture")
    (tmp_path / "notes.txt").write_text("nothing of Spark\n")
    (tmp_path / "data.json").write_text('{"a": 1}\n[2]\n')
    (tmp_path / "empty").touch()
    found, faults = read(tmp_path)
    assert found == {}
    assert {(name, line) for name, line, _ in faults} == {
        ("photo.jpg", 0), ("notes.txt", 0), ("empty", 0), ("data.json", 1), ("data.json", 2),
    }  # fmt: skip


def test_a_folder_without_any_file_is_told(tmp_path):
    (tmp_path / "2026" / "11").mkdir(parents=True)
    assert read(tmp_path) == ({}, [(tmp_path.name, 0, "there is no event log in this folder")])


def test_a_file_that_is_gone_when_its_turn_comes_is_told(tmp_path):
    (tmp_path / "app").write_text(text(1))
    (log,) = find_logs([str(tmp_path / "app")])
    (tmp_path / "app").unlink()
    reader = LogReader(log)
    assert list(reader.executions()) == []
    ((line, reason),) = [(fault.line, fault.reason) for fault in reader.faults]
    assert (line, "cannot be read any further" in reason) == (1, True)


def test_a_file_that_is_one_endless_line_is_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "_LONGEST", 3 << 20)
    (tmp_path / "app").write_bytes(b'{"Event":"' + b"x" * (9 << 20) + b"\n" + text(2).encode())
    (log,) = find_logs([str(tmp_path / "app")])
    reader = LogReader(log)
    held = [sum(map(len, reader._lines._held)) for _ in reader._pieces(log.files[0])]
    assert max(held) <= 3 << 20
    assert [fault.line for fault in reader.faults] == [1]
    assert [e.number for e in reader._fold.ended] == [0, 1]


def test_of_very_many_faults_the_first_are_told_and_their_number(tmp_path):
    (tmp_path / "app").write_text(text(1) + "no event\n" * 5000)
    found, faults = read(tmp_path / "app")
    assert found == {0: "succeeded"}
    assert len(faults) == 1001
    assert faults[-1][1:] == (5008, faults[0][2] + "; so are 3,999 more places before this one")


def test_a_log_that_another_program_has_spaced_out_is_read(tmp_path):
    lines = [json.dumps(json.loads(line), sort_keys=True) for line in text(3).splitlines()]
    (tmp_path / "app").write_text("\n".join(lines))
    assert read(tmp_path / "app") == (dict.fromkeys(range(3), "succeeded"), [])
