"""The pipeline on a real standalone cluster: a master and two workers on this machine, executors in their processes."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.spark.capture_file import capture_text
from planviz.spark.process import LiveSpark, SparkSettings
from planviz.spark.sample_data import TABLES
from tests.acceptance.engines import skip_without_java
from tests.lanes import JVM
from tests.spark.eventlog.made_logs import text
from tests.spark.servers import cluster

pytestmark = pytest.mark.spark
CONF = (
    ("spark.executor.memory", "512m"),
    ("spark.executor.cores", "1"),
    ("spark.cores.max", "2"),
    ("spark.executor.extraJavaOptions", JVM),
    ("spark.sql.shuffle.partitions", "2"),
)


@pytest.fixture(scope="module")
def live():
    skip_without_java()
    with cluster() as master:
        spark = LiveSpark(SparkSettings(master, CONF, memory="600m"))
        yield spark
        spark.close()


def test_a_query_is_captured_and_measured_on_the_executors(live):
    captured = live.call("capture", {"sql": "SELECT id % 3 AS k, sum(id) FROM range(1000) GROUP BY 1", "run": True},
                         limit=300)  # fmt: skip
    assert captured["spark"]["master"].startswith("spark://127.0.0.1:")
    assert captured["executed"]["rows"] == 3
    assert captured["trace"]["differs"] == []
    plan = open_text(capture_text(captured)).plans[-1]
    assert {n.metrics["number of output rows"] for n in plan if n.op == "Range" and n.metrics} == {1000}
    assert sum("Exchange" in node.op for node in plan) >= 1


def test_statistics_are_counted_there(live, tmp_path):
    name = next(iter(TABLES))
    made = live.call("sample_data", {"folder": str(tmp_path / "shop"), "scale": 0.01, "tables": [name]}, limit=300)
    setup = f"CREATE TABLE counted USING parquet LOCATION '{tmp_path}/shop/{name}'"
    entry = live.call("analyze", {"table": "counted", "setup": setup}, limit=300)
    assert entry["stats"]["rowCount"] == made["rows"][name]


def test_planviz_own_code_reads_event_logs_on_the_executors(live, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(text(3))
    (tmp_path / "b").write_text(text(3)[:-20])
    found = live.call("ingest", {"paths": [str(tmp_path)], "catalogue": str(tmp_path.parent / "catalogue")}, limit=300)
    assert (found["logs"], found["executions"]) == (2, 6)
    assert [fault[1] for fault in found["faults"]] == [18]
