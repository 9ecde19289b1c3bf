"""Event logs that are long are read line by line: the same plans, in bounded memory."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from planviz.cli import files
from planviz.document import open_text
from planviz.errors import InputError
from tests.replay.test_logged_settings import START, log

UPDATE = START.replace("SQLExecutionStart", "SQLAdaptiveExecutionUpdate")
TASK = json.dumps(
    {"Event": "SparkListenerTaskEnd", "Stage ID": 0, "Task Info": {"x": "y" * 500}}, separators=(",", ":")
)


def long_log() -> str:
    """A log of one execution whose plan changes twice, with tasks between and a damaged line."""
    head, environment, start = log({"spark.sql.shuffle.partitions": "7"}, {}).split("\n")
    plan = json.loads(start)["sparkPlanInfo"]
    updates = []
    for number in range(2):
        plan["simpleString"] = f"BroadcastHashJoin [k#1L], [k#2L], LeftSemi, BuildRight, ({number} < 5)"
        event = {"Event": UPDATE, "executionId": 0, "physicalPlanDescription": "", "sparkPlanInfo": plan}
        updates.append(json.dumps(event, separators=(",", ":")))
    damaged = '{"Event":"SparkListenerTaskEnd","Stage'
    tasks = [TASK] * 20
    return "\n".join([head, environment, start, *tasks, updates[0], damaged, *tasks, updates[1], *tasks, ""])


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are long from 300 bytes on."""
    monkeypatch.setattr(files, "_SHORT", 300)


def written(tmp_path: Path, packed: bool) -> str:
    path = tmp_path / ("log.gz" if packed else "log")
    data = long_log().encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("packed", [True, False])
def test_a_long_log_has_the_plans_of_the_whole_one(tmp_path: Path, packed: bool) -> None:
    name = written(tmp_path, packed)
    text = files.read_text(name)
    brief, whole = open_text(text), open_text(long_log())
    assert len(text) < len(long_log()) / 4
    assert [[n.text for n in p] for p in brief.plans] == [[n.text for n in p] for p in whole.plans]
    assert "(1 < 5)" in brief.plans[0][0].text
    assert (brief.reasons, brief.notes, brief.unparsed) == (whole.reasons, whole.notes, whole.unparsed)
    assert brief.plans[0].settings == whole.plans[0].settings
    assert "(0 < 5)" not in text


@pytest.mark.usefixtures("short")
def test_a_text_that_is_asked_for_whole_is_whole(tmp_path: Path) -> None:
    for packed in (True, False):
        assert files.read_text(written(tmp_path, packed), whole=True) == long_log()


@pytest.mark.usefixtures("short")
def test_a_log_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.TextIOWrapper(io.BytesIO(gzip.compress(long_log().encode())))
    monkeypatch.setattr("sys.stdin", packed)
    assert len(open_text(files.read_text("-")).plans) == 1


@pytest.mark.usefixtures("short")
def test_what_is_no_log_or_broken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(long_log().encode())[:-40])
    with pytest.raises(InputError, match="ends too early"):
        files.read_text(str(cut))
    monkeypatch.setattr(files, "_LONGEST", 4_000)
    endless = tmp_path / "endless.gz"
    endless.write_bytes(gzip.compress(b'{"Event":"' + b"x" * 50_000))
    with pytest.raises(InputError, match="has a line of more than"):
        files.read_text(str(endless))
    plain = tmp_path / "plan.txt"
    plain.write_text("== Physical Plan ==\n" + "Range (0, 9, step=1, splits=1)\n" * 50)
    assert files.read_text(str(plain)) == plain.read_text()
