"""Event logs become executions: whatever they are packed with, however they are cut, as long as they are."""

from __future__ import annotations

import json
import re

import pytest
from pyarrow import dataset

from planviz.document import open_text
from planviz.errors import InputError
from planviz.plantext.json_plans import plan_info_graph
from planviz.spark.eventlog.catalogue import Catalogue, Reading
from planviz.spark.eventlog.events import LogReader
from planviz.spark.eventlog.executions import row
from planviz.spark.eventlog.job import read_log
from planviz.spark.eventlog.logs import find_logs
from planviz.spark.eventlog.streams import pieces
from tests.acceptance.engines import real_spark, skip_without_java
from tests.spark.eventlog.made_logs import SQL, event, execution, packed, plan, scan, text


def read(path):
    """The rows and the faults of the only log under a path."""
    (log,) = find_logs([str(path)])
    reader = LogReader(log)
    rows = [row(e, reader.application, log.path) for e in reader.executions()]
    return rows, [(fault.line, fault.reason) for fault in reader.faults]


@pytest.fixture
def write(tmp_path):
    def made(name, data):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return made


def test_an_execution_has_application_times_sums_and_measured_rows(write):
    (found,), faults = read(write("app", text(1)))
    assert faults == []
    wanted = {
        "app_id": "app-1", "app_name": "reports", "user": "u", "spark_version": "4.3.0", "description": "query 0",
        "query_id": "q-0", "milliseconds": 250, "status": "succeeded", "jobs": 1, "stages": 1, "tasks": 8,
        "shuffle_read_bytes": 42, "disk_spill_bytes": 5, "memory_spill_bytes": 0, "output_rows": 42,
        "operators": [("Filter", 1), ("Scan", 1)], "joins": [],
    }  # fmt: skip
    assert {name: found[name] for name in wanted} == wanted
    assert found["started"].isoformat() == "2026-09-21T14:13:20+00:00"
    filter, scanned = open_text(found["plan"]).plans[0]
    assert (filter.metrics["number of output rows"], scanned.metrics["number of output rows"]) == (42, 100)


def test_the_last_adaptive_plan_counts_and_the_fingerprint_is_of_the_first(write):
    first, last = plan(scan(), name="SortMergeJoin"), plan(scan(), name="BroadcastHashJoin")
    lines = execution(0, first)
    updates = [event(f"{SQL}SQLAdaptiveExecutionUpdate", executionId=0, physicalPlanDescription="", sparkPlanInfo=p)
               for p in (first, last)]  # fmt: skip
    (adapted,), _ = read(write("a", text([lines[0], *updates, *lines[1:]])))
    (plain,), _ = read(write("b", text(lines)))
    (other,), _ = read(write("c", text(execution(0, last))))
    assert adapted["joins"] == [("BroadcastHashJoin", 1)]
    assert adapted["fingerprint"] == plain["fingerprint"] != other["fingerprint"]


def test_estimated_rows_stand_where_the_log_has_the_optimized_plan(write):
    lines = execution(0)
    start = json.loads(lines[0])
    start["physicalPlanDescription"] = (
        "== Optimized Logical Plan ==\nFilter (a#1 > 2), Statistics(sizeInBytes=1.0 KiB, rowCount=1.25E+3)\n"
    )
    (found,), _ = read(write("a", text([json.dumps(start, separators=(",", ":")), *lines[1:]])))
    assert found["estimated_rows"] == 1250


def counting(text, rows_id, *children, metric="number of output rows"):
    counts = [{"name": metric, "accumulatorId": rows_id, "metricType": "sum"}] if rows_id else []
    name = re.split(r"[ (]", text)[0]
    return {"nodeName": name, "simpleString": text, "children": [*children], "metadata": {}, "metrics": counts}


@pytest.mark.parametrize(
    ("limit", "rows"), [("CollectLimit 7", 7), ("TakeOrderedAndProject(limit=50, orderBy=[])", 42), ("Sort [a#1]", 42)]
)
def test_rows_that_leave_a_query_are_bounded_by_its_limit_and_not_counted_twice(limit, rows, write):
    twice = counting("HashAggregate(keys=[])", 1)  # the made log says 100 of accumulator 1 and 42 of 2
    exchange = counting("Exchange rangepartitioning(a#1)", 2, twice, metric="shuffle records written")
    (found,), _ = read(write("a", text(execution(0, counting(limit, 0, exchange)))))
    assert found["output_rows"] == rows


def test_failed_and_unfinished_executions_are_kept(write):
    rows, faults = read(write("a", text(execution(0, error="boom"), execution(1)[:-1], execution(2))))
    assert {r["execution_id"]: (r["status"], r["error"]) for r in rows} == {
        0: ("failed", "boom"), 1: ("incomplete", ""), 2: ("succeeded", ""),
    }  # fmt: skip
    assert faults == []


def test_a_job_that_ends_after_its_execution_still_counts(write):
    *lines, stage, job, end = execution(0)
    (found,), _ = read(write("a", text([*lines, end, stage, job])))
    assert (found["output_rows"], found["status"]) == (42, "succeeded")


def test_a_stage_that_two_jobs_share_counts_when_the_first_of_them_is_stopped(write):
    start, job, stage, end, over = execution(0)
    first, stopped = (line.replace('"Job ID":0', '"Job ID":70') for line in (job, end))
    (found,), _ = read(write("a", text([start, first, job, stopped, stage, end, over])))
    assert (found["jobs"], found["stages"], found["output_rows"]) == (2, 1, 42)


@pytest.mark.parametrize("codec", ["zstd", "gzip", "lz4", "snappy", "lzf"])
def test_every_codec_of_spark_is_read(codec, write):
    whole = packed(text(30).encode(), codec)
    rows, faults = read(write(f"app.{codec}", whole))
    assert (len(rows), faults) == (30, [])
    rows, faults = read(write(f"app.{codec}", whole[: len(whole) * 2 // 3]))
    assert len(faults) == 1
    assert faults[0][0] > 1
    if codec != "zstd":  # so few bytes are one block there
        assert 5 < len(rows) < 30


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"", "it is empty"), (b"PK\x03\x04 a zip", "it is no event log")],
)
def test_what_is_no_log_is_told_by_its_file(data, words, write):
    rows, ((line, reason),) = read(write("a", data))
    assert rows == []
    assert line == 0
    assert reason.startswith(words)


def test_damage_costs_the_lines_that_it_hit_and_is_told_by_its_line(write):
    lines = text(6).splitlines()
    start_of_second = next(i for i, line in enumerate(lines) if "query 1" in line)
    lines[start_of_second] = lines[start_of_second][:80]
    lines.insert(start_of_second + 1, "\x00\x00garbage")
    rows, faults = read(write("a", "\n".join(lines)[:-40]))
    assert sorted(r["execution_id"] for r in rows) == [0, 2, 3, 4, 5]
    assert {r["execution_id"]: r["status"] for r in rows}[5] == "incomplete"
    assert [line for line, _ in faults] == [start_of_second + 1, start_of_second + 2, len(lines)]
    assert faults[-1][1] == "the log ends within this event"


def test_what_is_being_written_is_no_damage(write):
    rows, faults = read(write("app.inprogress", text(3)[:-40]))
    assert ([r["status"] for r in rows].count("succeeded"), faults) == (2, [])
    write("eventlog_v2_x/appstatus_x.inprogress", "")
    path = write("eventlog_v2_x/events_1_x.zstd", packed(text(3).encode(), "zstd")[:-30])
    assert read(path.parent)[1] == []


def test_rolling_parts_are_read_in_order_and_a_compacted_one_replaces_those_before(write):
    parts = [text(execution(n)) for n in range(12)]
    for number, part in enumerate(parts, 1):
        path = write(f"logs/eventlog_v2_app/events_{number}_app", part)
    write("logs/eventlog_v2_app/appstatus_app", "")
    rows, faults = read(path.parent)
    assert ([r["execution_id"] for r in rows], faults) == (list(range(12)), [])
    write("logs/eventlog_v2_app/events_10_app.compact", text(execution(5)))
    assert [r["execution_id"] for r in read(path.parent)[0]] == [5, 10, 11]
    (path.parent / "events_11_app").unlink()
    rows, faults = read(path.parent)
    assert [r["execution_id"] for r in rows] == [5, 11]
    assert faults == [(0, "its part 11 is missing")]


def test_a_folder_gives_every_log_in_it_and_a_wrong_path_a_sentence(write, tmp_path):
    write("logs/app-1", text(1))
    write("logs/.app-1.crc", "x")
    write("logs/2026/app-2.inprogress", text(1))
    write("logs/eventlog_v2_a/events_1_a", text(1))
    found = find_logs([str(tmp_path / "logs")])
    assert [(log.path.rsplit("/", 1)[-1], log.in_progress) for log in found] == [
        ("app-2.inprogress", True), ("app-1", False), ("eventlog_v2_a", False),
    ]  # fmt: skip
    with pytest.raises(InputError, match="there is no such file or folder"):
        find_logs([str(tmp_path / "nothing")])
    with pytest.raises(InputError, match="cannot be reached"):
        find_logs(["nowhere://x/y"])


def test_memory_does_not_grow_with_the_log(write):
    (log,) = find_logs([str(write("a", text(500)))])
    reader = LogReader(log)
    fold = reader._fold
    kept = [len(fold.open) + len(fold._stage_of) + len(fold._job_of) for _ in reader.executions()]
    assert len(kept) == 500
    assert max(kept) == 0


def test_a_log_is_written_by_day_and_reading_it_again_replaces_its_rows(write, tmp_path):
    late = [line.replace("1790000002", "1790099999") for line in execution(2)]
    path = write("a", text(execution(0), execution(1), late))
    catalogue = str(tmp_path / "catalogue")
    for _ in range(2):
        (log,) = find_logs([str(path)])
        target = Catalogue(catalogue)
        target.start()
        told = read_log(log, None, target)
        assert (told.pop("read"), told["peak"] > 1e7) == (3, True)
        target.remember([(1, Reading(**told))])
        target.finish()
    assert (told["executions"], told["events"], told["bytes"], told["reasons"]) == (3, 18, path.stat().st_size, [])
    table = dataset.dataset(f"{catalogue}/executions", partitioning="hive").to_table().to_pylist()
    assert sorted((r["execution_id"], r["day"]) for r in table) == [
        (0, "2026-09-21"), (1, "2026-09-21"), (2, "2026-09-22"),
    ]  # fmt: skip
    assert dict(table[0]["operators"]) == {"Filter": 1, "Scan": 1}
    assert {name: known.size for name, known in target.readings().items()} == {str(path): path.stat().st_size}


@pytest.mark.spark
@pytest.mark.parametrize("codec", ["lz4", "lzf", "snappy", "zstd"])
def test_what_spark_s_own_codecs_write_is_read(codec, tmp_path):
    skip_without_java()
    spark = real_spark().spark
    jvm = spark._jvm
    path = tmp_path / "log"
    codecs = getattr(getattr(jvm.org.apache.spark.io, "CompressionCodec$"), "MODULE$")
    made = codecs.createCodec(spark.sparkContext._jsc.sc().getConf(), codec)
    stream = made.compressedContinuousOutputStream(jvm.java.io.FileOutputStream(str(path)))
    data = text(200).encode()
    for at in range(0, len(data), 30_000):
        stream.write(bytearray(data[at : at + 30_000]))
        stream.flush()
    stream.close()
    assert b"".join(pieces(str(path))) == data


def test_a_pasted_log_holds_what_the_catalogue_holds(write):
    (log,) = find_logs([str(write("a", text(3)))])
    reader = LogReader(log)
    rows = [row(execution, reader.application, log.path) for execution in reader.executions()]
    pasted = open_text(text(3)).plans
    assert len(pasted) == len(rows) == 3
    for graph, one in zip(pasted, rows, strict=True):
        ingested = plan_info_graph(json.loads(one["plan"]))
        assert [node.metrics for node in graph] == [node.metrics for node in ingested]
        assert any(node.metrics for node in graph)


def test_a_pasted_log_without_its_beginning_shows_the_plan_that_was_announced():
    update = event(
        "org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate",
        executionId=7,
        physicalPlanDescription="",
        sparkPlanInfo=scan(),
    )
    (graph,) = open_text(update).plans
    assert [node.op for node in graph] == ["Scan"]
    assert graph.title.startswith("7: ")
    assert not any(node.metrics for node in graph)
    assert graph.notes == ["The log does not say that this execution ended; the numbers are those up to then."]
