"""The command line as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.samples import load, samples
from tests.plantext.test_lines import PLAN


def planviz(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "planviz", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def test_help_answers_at_once() -> None:
    """What makes a start slow is what is imported: help needs neither the engine nor libraries for pictures."""
    program = (
        "import sys, contextlib, planviz.__main__ as main\n"
        "with contextlib.suppress(SystemExit): main.main(['--help'])\n"
        "print('LOADED', *sorted({name.split('.')[0] for name in sys.modules}), *sorted(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60, text=True)
    loaded = set(answer.stdout.rpartition("LOADED ")[2].split())
    assert "usage: planviz" in answer.stdout
    assert not loaded & {"networkx", "streamlit", "pandas", "pyarrow", "pyspark", "sqlglot", "graphviz"}
    assert not loaded & {"planviz.execution", "planviz.optimizer", "planviz.analysis", "planviz.document"}


@pytest.mark.parametrize(
    "data",
    [
        PLAN.encode(),
        PLAN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + PLAN.encode(),
        PLAN.encode().replace(b"k#1L", b"k\xff\xfe#1L"),
        b"noise \x00\x1b[31m\n" + PLAN.encode() + b"\n\n\tend",
    ],
)
def test_parse_prints_the_text_again_byte_for_byte(data: bytes) -> None:
    done = planviz("parse", "-", stdin=data)
    assert done.returncode == 0
    assert done.stdout == data


def test_parse_as_json() -> None:
    done = planviz("parse", "-", "--format", "json", stdin=PLAN.encode())
    read = json.loads(done.stdout)
    assert set(read) >= {"plans", "trace", "unparsed"}
    (plan,) = read["plans"]
    assert plan["stage"] == "physical"
    assert [node["op"] for node in plan["nodes"]][:3] == ["SortMergeJoin", "Sort", "Exchange"]
    assert plan["nodes"][0] | {"arguments": {}} == {
        "id": 0,
        "op": "SortMergeJoin",
        "kind": "join",
        "parent": None,
        "depth": 0,
        "arguments": {},
        "source": [2, 2],
        "metrics": None,
        "estimate": None,
    }
    assert plan["nodes"][0]["arguments"]["left_keys"] == ["k#1L"]


def test_several_files_and_one_that_fails(tmp_path: Path) -> None:
    good, bad, out = tmp_path / "good.txt", tmp_path / "bad.txt", tmp_path / "out"
    good.write_text(PLAN)
    bad.write_text("nothing here")
    done = planviz("parse", str(bad), str(good), str(tmp_path / "missing.txt"), "--out", str(out), "--format", "json")
    assert done.returncode == 2
    assert json.loads((out / "good.json").read_text())["plans"]
    errors = done.stderr.decode().splitlines()
    assert len(errors) == 2
    assert "bad.txt: No Spark plan was found" in errors[0]
    assert errors[1].startswith(f"planviz: {tmp_path / 'missing.txt'}: No such file")
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
def test_what_is_no_text_is_refused_in_words(tmp_path: Path) -> None:
    picture = tmp_path / "picture.sql"
    picture.write_bytes(bytes(range(256)))
    for command in ("parse", "optimize", "why", "estimates"):
        done = planviz(command, str(picture))
        told = f"planviz: {picture} holds binary data or UTF-16, not plain text. Save the text as UTF-8.\n"
        assert (done.returncode, done.stderr.decode()) == (2, told)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html", "dot", "mmd", "json"])
def test_render_is_the_same_each_time(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "plan.txt"
    source.write_text(PLAN)
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    assert run(["render", str(source), "-o", str(first)]) == 0
    assert run(["render", str(source), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes() != b""


def test_render_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "plan.txt"
    source.write_text(PLAN)
    for arguments, message in (
        ([str(source), "-o", "x.gif"], "must be one of"),
        ([str(source), "-o", "x.svg", "--plan", "7"], "There is no plan 7"),
        ([str(source), "-o", "x.svg", "--stage", "analyzed"], "No plan of stage"),
        (["nowhere.txt", "-o", "x.svg"], "No such file"),
    ):
        assert run(["render", *arguments]) == 2
        assert message in capsys.readouterr().err


def test_samples_are_listed_and_printed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["samples"]) == 0
    listed = capfdbinary.readouterr().out.decode()
    assert all(sample.name in listed for sample in samples())
    name = samples()[0].name
    assert run(["samples", name]) == 0
    assert capfdbinary.readouterr().out.decode() == load(name)
    assert run(["samples", "no-such-sample"]) == 2


def test_bad_usage_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["frobnicate"]) == 2
    assert run([]) == 2
    assert "usage: planviz" in capsys.readouterr().err


def test_parse_tells_the_version_with_its_evidence() -> None:
    text = "== Optimized Logical Plan ==\nRelation default.t[a#1] parquet\n"
    done = planviz("parse", "-", "--format", "version", stdin=text.encode())
    assert done.returncode == 0
    told = done.stdout.decode().splitlines()
    assert told[0] == "Spark 3.2 to 3.3 (confidence: high)"
    assert "  line 2: relations without a catalogue: Spark 3.2 to 3.3" in told
    spark = json.loads(planviz("parse", "-", "--format", "json", stdin=text.encode()).stdout)["spark"]
    assert (spark["first"], spark["last"], spark["confidence"]) == ("3.2", "3.3", "high")
    assert {"line": 2, "words": "relations without a catalogue", "versions": "Spark 3.2 to 3.3"} in spark["evidence"]


def test_replay_takes_the_version_that_is_asked_for() -> None:
    plan = "Project [1 AS a#0]\n+- OneRowRelation\n"
    text = f"== Analyzed Logical Plan ==\na: int\n{plan}\n== Optimized Logical Plan ==\n{plan}"
    told = json.loads(planviz("replay", "-", "--format", "json", "--profile", "spark-3.4", stdin=text.encode()).stdout)
    assert {entry["profile"] for entry in told["plans"]} == {"spark-3.4"}
    done = planviz("replay", "-", "--profile", "spark-9.9", stdin=text.encode())
    assert done.returncode == 2
    assert b"There is no profile" in done.stderr


def test_a_query_or_file_in_a_commands_place_is_told_where_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.sql").write_text("SELECT 1")
    assert run([str(tmp_path / "q.sql")]) == 2
    assert "planviz explain" in capsys.readouterr().err
    assert run(["explain", "SELECT 1"]) == 2
    assert "echo 'SELECT 1' | planviz explain -" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["local-1.zstd", "local-1.lz4", "local-1.snappy"])
def test_a_packed_event_log_is_told_where_to_go(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(bytes(range(256)) * 8)
    assert run(["parse", str(tmp_path / name)]) == 2
    assert "planviz spark ingest" in capsys.readouterr().err


def test_a_rolling_event_log_is_told_where_to_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "eventlog_v2_local-1").mkdir()
    assert run(["parse", str(tmp_path / "eventlog_v2_local-1")]) == 2
    assert "planviz spark ingest" in capsys.readouterr().err
