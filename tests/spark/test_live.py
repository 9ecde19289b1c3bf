"""A real Spark in its own process: a query captured from end to end, safety, death and replacement."""

from __future__ import annotations

import os
import re
import signal
import threading
import time

import pytest

from planviz.catalog.files import write_catalog
from planviz.catalogs import read as parse
from planviz.cli.main import run
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.comparison.spark import compare
from planviz.errors import AnalysisError, SparkLost, StatementRefused
from planviz.spark.capture_file import capture_text
from planviz.spark.process import LiveSpark, SparkSettings
from tests.acceptance.engines import skip_without_java
from tests.plans import small_catalog
from tests.spark.eventlog.made_logs import text

pytestmark = pytest.mark.spark
CONF = {"spark.sql.cbo.enabled": "true", "spark.sql.adaptive.enabled": "false", "spark.sql.session.timeZone": "UTC"}
SQL = """SELECT city, count(*) AS n FROM visits JOIN people ON v_person = person JOIN days ON v_day = day
WHERE weekday = 2 + 1 GROUP BY city"""


@pytest.fixture(scope="module")
def live():
    skip_without_java()
    spark = LiveSpark(SparkSettings("local[1]", memory="700m"))
    yield spark
    spark.close()


def ask(live, sql, **more):
    return live.call("capture", {"sql": sql, "conf": CONF, **more})


def test_planviz_and_spark_agree_on_a_query_of_three_tables_with_statistics(live):
    captured = ask(live, SQL, catalog=write_catalog(small_catalog()))
    ours = open_sql(SQL, small_catalog(), OptimizerConfig().with_settings(CONF))
    found = compare(ours, open_text(capture_text(captured)))
    assert captured["trace"]["differs"] == []
    assert [stage.difference for stage in found.stages[:3]] == [None] * 3
    assert found.wrong == ()
    assert found.only_spark == found.only_planviz == ()


def test_tables_of_one_name_in_two_catalogues_do_not_meet(live):
    catalogs = [parse("CREATE TABLE city (name STRING, people BIGINT)"), parse("CREATE TABLE city (id INT)")]
    plans = [ask(live, "SELECT * FROM city", catalog=write_catalog(c)) for c in [*catalogs, catalogs[0]]]
    assert ["people#" in plan["explain"]["simple"] for plan in plans] == [True, False, True]
    assert {plan["conf"]["spark.sql.reflect.allowList"] for plan in plans} == {"^$"}
    with pytest.raises(AnalysisError, match="city"):
        ask(live, "SELECT * FROM city")


def test_what_is_refused_has_no_effect_and_the_next_query_works(live):
    for sql in ("CREATE TABLE made (a int) USING parquet", "SELECT * FROM csv.`/etc/passwd`",
                "SELECT java_method('java.lang.System', 'exit', 1) FROM VALUES (1)"):  # fmt: skip
        with pytest.raises(StatementRefused):
            ask(live, sql)
    with pytest.raises(AnalysisError, match="made") as caught:
        ask(live, "SELECT 1 FROM\n made")
    assert (caught.value.error_class, caught.value.line) == ("TABLE_OR_VIEW_NOT_FOUND", 2)
    assert ask(live, "SELECT '${env:HOME}' AS home")["explain"]["simple"].count("${env:HOME}")


def test_two_users_do_not_see_each_other_s_settings(live):
    def user(partitions, found):
        for _ in range(3):
            conf = {**CONF, "spark.sql.shuffle.partitions": partitions}
            captured = live.call("capture", {"sql": "SELECT /*+ REPARTITION(id) */ id FROM range(9)", "conf": conf})
            found.append(re.findall(r"hashpartitioning\(id#\d+L, (\d+)\)", captured["explain"]["simple"]))

    seen = {"7": [], "11": []}
    threads = [threading.Thread(target=user, args=pair) for pair in seen.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"7": [["7"]] * 3, "11": [["11"]] * 3}


def test_a_query_that_runs_too_long_or_loses_its_jvm_is_explained_and_the_next_one_works(live):
    jvm = live.call("describe")["jvm"]

    def kill(at):
        if at == "running":
            threading.Timer(0.5, os.kill, (jvm, signal.SIGKILL)).start()

    begin = time.monotonic()
    endless = "SELECT sum(a.id * b.id) FROM range(1000000) a JOIN range(1000000) b ON a.id < b.id"
    with pytest.raises(SparkLost, match=r"ended while it was running: its JVM was ended by signal 9"):
        live.call("capture", {"sql": endless, "run": True}, on_progress=kill)
    assert time.monotonic() - begin < 60
    assert live.call("capture", {"sql": "SELECT 1 AS a", "run": True})["executed"]["rows"] == 1


def test_the_command_line_says_no_before_spark_starts(tmp_path, capsys):
    (tmp_path / "q.sql").write_text("SELECT 1;\nDROP TABLE x")
    assert run(["spark", "capture", str(tmp_path / "q.sql")]) == 2
    assert "Line 2: DROP does more than ask for rows" in capsys.readouterr().err


def test_event_logs_are_read_by_spark_s_workers_once(live, tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(text(3))
    (tmp_path / "b").write_text(text(3)[:-20])
    asked = {"paths": [str(tmp_path)], "catalogue": str(tmp_path.parent / "catalogue")}
    first = live.call("ingest", asked)
    assert (first["logs"], first["skipped"], first["executions"]) == (3, 0, 9)
    assert first["faults"] == [[str(tmp_path / "b"), 18, "the log ends within this event"]]
    assert live.call("ingest", asked)["skipped"] == 3
    (tmp_path / "a").write_text(text(4))
    again = live.call("ingest", asked)
    assert (again["skipped"], again["executions"]) == (2, 4)
