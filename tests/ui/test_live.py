"""The Live page with a stand-in for Spark: what is chosen, what is asked, every state, what is told of a capture."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.document import open_text
from planviz.errors import InputError, SparkError, SparkMissing
from planviz.spark import child, java
from planviz.spark.process import SparkSettings
from planviz.spark.secrets import HIDDEN, without_secrets
from planviz.ui import cache, live_places, live_report, sparks
from planviz.ui.live_access import VARIABLE, Access, access
from planviz.ui.live_choices import PASTED, Choices, read_conf
from tests.spark.made_capture import capture

ROOT = Path(__file__).parents[2]
# The stand-in is a process of its own, which a full machine may refuse (tests/lanes.py).
pytestmark = pytest.mark.flaky(reruns=1)
FAKE = (str(ROOT / "tests" / "spark" / "fake_worker.py"),)


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(child, "find_java", lambda: java.Java(Path("/nowhere"), 17, "made up"))
    monkeypatch.setattr(sparks, "worker", FAKE)
    monkeypatch.setenv(VARIABLE, "all")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    yield
    sparks.close_all()


def page() -> AppTest:
    return AppTest.from_file(str(ROOT / "pages" / "live.py"), default_timeout=60).run()


def words(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def until_done(app: AppTest, seconds: float = 30) -> AppTest:
    """The page when what was asked for has ended."""
    end = time.monotonic() + seconds
    while (work := sparks.work_of(app.session_state["planviz.live"]["work"])) is not None and work.ended is None:
        assert time.monotonic() < end, work.at
        time.sleep(0.02)
    return app.run()


def until_at(app: AppTest, at: str) -> AppTest:
    """The page when what was asked for has come to a point."""
    end = time.monotonic() + 30
    while sparks.work_of(app.session_state["planviz.live"]["work"]).at != at:
        assert time.monotonic() < end
        time.sleep(0.02)
    return app.run()


def ask(app: AppTest, sql: str) -> AppTest:
    app.text_area(key="planviz.live.sql").set_value(sql)
    return app.button(key="planviz.live.capture").click().run()


# -- the page


def test_nothing_starts_until_somebody_asks() -> None:
    app = page()
    assert not app.exception
    assert "not started" in words(app)
    app.button(key="planviz.live.start").click().run()
    app = until_done(app)
    assert "ready" in words(app)
    assert "Spark 4.3.0 at local[*], process" in words(app)


def test_widgets_begin_with_what_they_hold() -> None:
    app = page()
    app.selectbox(key="planviz.live.tables").set_value("tpch")
    app.selectbox(key="planviz.live.memory").set_value("4g").run()
    tables, memory = app.selectbox(key="planviz.live.tables"), app.selectbox(key="planviz.live.memory")

    # A fast click is answered with what the browser has shown first.
    assert tables.proto.options[tables.proto.default] == "TPC-H, with statistics"
    assert (memory.value, memory.proto.options[memory.proto.default]) == ("4g", "4g")
    assert app.selectbox(key="planviz.live.master").options == ["This machine"]


def test_a_query_is_planned_and_opened_everywhere() -> None:
    app = until_done(ask(page(), "SELECT 1 AS one"))
    assert not app.exception
    assert "<b>12 ms</b><span>to plan</span>" in words(app)
    assert "rows came" not in words(app)
    assert cache.open_document(app.session_state["planviz.document"]["text"]).facts.recognised == "Spark capture"
    shown = app.button_group(key="planviz.live.shown.2")
    assert shown.value == "Plan"
    shown.set_value("planviz beside Spark").run()
    assert "planviz and Spark agree: 4 of 4 plans equal" in words(app)


def test_execution_is_a_switch_of_its_own() -> None:
    app = page()
    assert app.button(key="planviz.live.capture").label == "Capture the plan"
    app.toggle(key="planviz.live.run").set_value(True).run()
    assert app.button(key="planviz.live.capture").label == "Run and capture"
    app = until_done(ask(app, "SELECT 1 AS one"))
    assert "300× <span>too few expected</span>" in words(app)
    assert "<b>300</b><span>rows came</span>" in words(app)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("DROP TABLE t", "Line 1: DROP does more than ask for rows; nothing of it was executed."),
        ("SELECT 1;\nSELECT 2", "These are several queries"),
        ("SELECT (1", "planviz cannot read this SQL"),
        ("SELECT misspell", "[X] no y (line 2, column 3)"),
    ],
)
def test_a_refused_query_stays_with_the_reason(sql: str, sentence: str) -> None:
    app = until_done(ask(page(), sql))
    assert sentence in words(app)
    assert app.text_area(key="planviz.live.sql").value == sql
    assert not app.exception


def test_a_spark_that_dies_is_explained_and_the_next_query_works() -> None:
    app = until_done(ask(page(), "SELECT die"))
    assert "Spark ended while it was planning: its JVM was ended by signal 9" in words(app)
    assert "pv-live-lost" in words(app)
    app = until_done(ask(app, "SELECT 1 AS one"))
    assert "to plan" in words(app), app.session_state["planviz.live"]["said"]
    assert "pv-live-ready" in words(app)


def test_a_spark_that_dies_at_rest_is_told() -> None:
    app = until_done(ask(page(), "SELECT 1 AS one"))
    live = sparks.spark_of(SparkSettings(conf=())).live
    os.kill(live.pid, signal.SIGKILL)
    while live.pid is not None:
        time.sleep(0.02)
    assert "Spark ended while nothing was asked of it" in words(app.run())


def test_without_java_the_page_works_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> java.Java:
        raise SparkMissing("Spark needs Java 17 or later, and there is none here.")

    monkeypatch.setattr(child, "find_java", missing)
    app = until_done(ask(page(), "SELECT 1 AS one"))
    assert "Spark needs Java 17 or later" in words(app)
    assert "not started" in words(app)
    assert not app.exception


def test_what_is_at_work_is_shown_whatever_is_chosen_meanwhile() -> None:
    app = until_at(ask(page(), "SELECT work"), "running")
    app.selectbox(key="planviz.live.memory").set_value("4g").run()
    assert "running, " in words(app)
    app.button(key="planviz.live.stop").click().run()
    assert "not started" in words(until_done(app))


def test_a_running_query_is_stopped_without_killing_spark() -> None:
    app = until_at(ask(page(), "SELECT work"), "running")
    assert "running, " in words(app)
    assert app.button(key="planviz.live.capture").disabled
    pid = sparks.spark_of(SparkSettings()).live.pid
    app.button(key="planviz.live.stop").click().run()
    app = until_done(app)
    assert "Stopped. Spark has cancelled its jobs." in words(app)
    assert sparks.spark_of(SparkSettings()).live.pid == pid


def test_settings_stay_and_others_are_refused() -> None:
    app = page()
    app.text_area(key="planviz.live.settings").set_value("spark.sql.cbo.enabled true").run()
    assert app.text_area(key="planviz.live.settings").value == "spark.sql.cbo.enabled=true"
    assert dict(app.session_state["planviz.live"]["conf"]) == {"spark.sql.cbo.enabled": "true"}
    app.text_area(key="planviz.live.settings").set_value("cbo=true").run()
    assert "Line 1 of the settings: Spark's settings begin with spark., not cbo." in words(app).replace("&#x27;", "'")
    app.text_area(key="planviz.live.settings").set_value("spark.driver.extraJavaOptions=-Xlog:gc:file=/tmp/x").run()
    assert "Line 1 of the settings: spark.driver.extraJavaOptions is not on the list" in words(app)
    assert dict(app.session_state["planviz.live"]["conf"]) == {"spark.sql.cbo.enabled": "true"}


def test_two_sessions_share_a_spark_and_see_nothing_of_each_other() -> None:
    one, other = page(), page()
    one = until_done(ask(one, "SELECT 1 AS one"))
    assert "ready" in words(other.run())
    assert "planviz.document" not in other.session_state
    assert len(sparks._sparks) == 1


def test_statistics_become_a_catalogue_of_every_page(tmp_path: Path) -> None:
    app = page()
    app.button_group(key="planviz.live.section").set_value("Statistics").run()
    app.selectbox(key="planviz.live.tables").set_value("spark").run()
    app.button(key="planviz.live.collect").click().run()
    app = until_done(app)
    assert "<td>u</td>" in words(app)
    assert "1,234" in words(app)
    next(button for button in app.button if button.label == "Plan with them").click().run()
    (name,) = app.session_state["planviz.catalogs"]
    assert cache.catalog_of(name).tables["default.t"].row_count == 1234
    assert cache.open_document("SELECT a FROM t WHERE a > 3", name).document.error is None


def test_where_others_get_in_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "none")
    app = page()
    assert "No live Spark on this server" in words(app)
    assert not app.text_area
    monkeypatch.setenv(VARIABLE, "plan")
    app = page()
    assert not app.toggle
    assert not app.text_input
    assert "folder" not in app.selectbox(key="planviz.live.tables").options
    app.session_state["planviz.live"]["run"] = True
    app.session_state["planviz.live"]["master"] = "spark://elsewhere:7077"
    app = until_done(ask(app, "SELECT 1 AS one"))
    assert "rows came" not in words(app)
    assert [settings.master for settings in sparks._sparks] == ["local[*]"]


def test_a_stored_capture_needs_no_spark() -> None:
    app = page().button(key="planviz.live.stored").click().run()
    assert not app.exception
    assert "<b>3</b><span>rows came</span>" in words(app)
    app.button_group(key="planviz.live.shown.3").set_value("planviz beside Spark").run()
    assert "planviz and Spark agree: 4 of 4 plans equal" in words(app)
    assert not sparks._sparks or all(spark.live.pid is None for spark in sparks._sparks.values())


# -- what may be done


@pytest.mark.parametrize(
    ("said", "address", "found"),
    [
        ("", "127.0.0.1", Access.ALL),
        ("", "localhost", Access.ALL),
        ("", "::1", Access.ALL),
        ("", None, Access.NONE),
        ("", "0.0.0.0", Access.NONE),
        ("", "host.example", Access.NONE),
        ("plan", "0.0.0.0", Access.PLAN),
        ("none", "127.0.0.1", Access.NONE),
        ("anything", "10.1.2.3", Access.NONE),
    ],
)
def test_only_this_machine_may_do_everything(
    said: str, address: str | None, found: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, said)
    assert access(address) is found


# -- choices


def test_only_who_starts_the_server_sets_more_than_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(live_places.CONF, "spark.executor.memory=1g\nspark.sql.catalogImplementation=hive\n"
                       "spark.sql.shuffle.partitions=7\nspark.hadoop.fs.s3a.secret.key=a=b")  # fmt: skip
    monkeypatch.setenv(live_places.MASTERS, "sc://host:15002")
    visitor = (("spark.sql.cbo.enabled", "true"), ("spark.driver.extraJavaOptions", "-Xlog:gc:file=/tmp/x"),
               ("spark.sql.warehouse.dir", "/etc"))  # fmt: skip
    chosen = Choices(conf=visitor)
    assert dict(chosen.spark().conf) == {"spark.executor.memory": "1g", "spark.sql.catalogImplementation": "hive",
                                         "spark.hadoop.fs.s3a.secret.key": "a=b"}  # fmt: skip
    assert chosen.session() == {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "7",
                                "spark.sql.cbo.enabled": "true"}  # fmt: skip
    connect = Choices("sc://host:15002", conf=visitor)
    assert connect.spark().conf == ()
    assert "spark.driver.extraJavaOptions" not in connect.session()
    assert connect.session()["spark.executor.memory"] == "1g"


@pytest.mark.parametrize(
    "key",
    ["spark.driver.extraJavaOptions", "spark.jars", "spark.plugins", "spark.sql.extensions", "spark.sql.catalog.x",
     "spark.sql.catalog.x.url", "spark.eventLog.dir", "spark.sql.warehouse.dir", "spark.sql.queryExecutionListeners",
     "spark.sql.streaming.checkpointLocation", "spark.hadoop.fs.s3a.endpoint", "spark.pyspark.python",
     "spark.sql.session.localRelationCacheThreshold", "spark.sql.reflect.allowList", "spark.sql.runSQLOnFiles",
     "spark.sql.sources.default", "spark.redaction.regex"],
)  # fmt: skip
def test_a_setting_that_does_more_than_change_plans_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="is not on the list of those that only change plans"):
        read_conf(f"{key}=x")


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (Choices("local[2]"), "This server offers local"),
        (Choices("spark://elsewhere:7077"), "--live-master ADDRESS"),
        (Choices("sc://elsewhere:15002"), "--live-master ADDRESS"),
        (Choices(memory="900g"), "Memory is one of 1g, 2g, 4g, 8g"),
    ],
)
def test_a_spark_that_is_not_offered_is_refused(chosen: Choices, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        chosen.spark()


def test_tables_are_bundled_pasted_or_an_offered_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert '"planviz-catalog/1"' in Choices(tables="tpch").arguments()["catalog"]
    pasted = Choices(tables=PASTED, text="CREATE TABLE t (a INT)")
    assert '"t"' in pasted.arguments()["catalog"]
    with pytest.raises(InputError, match="--live-data DIR"):
        Choices(tables="folder", folder="/data/shop").arguments()
    monkeypatch.setenv(live_places.FOLDERS, "/data/shop\n/data/other")
    assert Choices(tables="folder", folder="shop").arguments()["data"] == "/data/shop"
    with pytest.raises(InputError, match="--live-data DIR"):
        Choices(tables="folder", folder="/data/shop").arguments()
    assert "catalog" not in Choices(tables="spark").arguments()
    with pytest.raises(InputError, match="Paste the tables first"):
        Choices(tables=PASTED).arguments()
    with pytest.raises(InputError, match="sample data is not there yet"):
        Choices(tables="sample").arguments()


def test_the_command_says_the_same_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Choices(memory="4g", conf=(("spark.sql.cbo.enabled", "true"),), tables="tpch")
    said = "planviz spark capture q.sql --memory 4g --conf spark.sql.cbo.enabled=true --catalog tpch"
    assert chosen.command("capture", "q.sql") == said
    assert (
        Choices("sc://h:1/;token=abc")
        .command("capture", "q.sql")
        .startswith(f"planviz spark capture q.sql --master 'sc://h:1/;token={HIDDEN}'")
    )


def test_settings_are_read_as_people_write_them() -> None:
    text = "# mine\n--conf spark.sql.cbo.enabled=1\nspark.sql.shuffle.partitions 2\n"
    text += 'spark.sql.session.timeZone = "x y"\n\n'
    pairs = (
        ("spark.sql.cbo.enabled", "1"),
        ("spark.sql.shuffle.partitions", "2"),
        ("spark.sql.session.timeZone", "x y"),
    )
    assert read_conf(text) == pairs
    with pytest.raises(InputError, match="Line 2 of the settings"):
        read_conf("spark.sql.cbo.enabled=1\nnonsense\n")


def test_addresses_lose_their_secrets() -> None:
    assert without_secrets("sc://h:1/;token=abc;user_id=u") == f"sc://h:1/;token={HIDDEN};user_id=u"
    assert without_secrets("jdbc:x://me:pass@host/db") == f"jdbc:x://me:{HIDDEN}@host/db"


# -- Sparks


def wait(work: sparks.Work) -> sparks.Work:
    end = time.monotonic() + 30
    while work.ended is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    return work


def test_a_fourth_spark_takes_the_place_of_the_one_at_rest() -> None:
    def settings(number: int) -> SparkSettings:
        return SparkSettings(f"local[{number}]")

    for number in range(1, sparks.MOST + 1):
        wait(sparks.spark_of(settings(number)).begin("start", lambda work: work.call("describe", {})))
    working = sparks.spark_of(settings(1)).begin("capture", lambda work: work.call("work", {}))
    wait(sparks.spark_of(settings(9)).begin("start", lambda work: work.call("describe", {})))
    assert sparks.spark_of(settings(1)).live.pid is not None
    assert sparks.spark_of(settings(2)).live.pid is None
    with pytest.raises(SparkError, match="at work"):
        sparks.spark_of(settings(1)).close()
    working.stop()
    wait(working)


def test_a_plan_is_left_alone_where_others_work_on_the_same_spark() -> None:
    spark = sparks.spark_of(SparkSettings())
    other = spark.begin("capture", lambda work: work.call("work", {}))
    plan = spark.begin("capture", lambda work: work.call("plan", {}))
    while not (plan.at and other.at):
        time.sleep(0.01)
    plan.stop()
    wait(plan)  # the stand-in cancels whatever it is asked to
    assert spark.live.pid is not None
    assert other.ended is None


def test_a_defect_of_ours_is_a_sentence() -> None:
    work = wait(sparks.spark_of(SparkSettings()).begin("start", lambda work: 1 / 0))
    assert "Something went wrong in planviz itself" in str(work.error)


# -- the report


def opened(**more: Any) -> cache.Opened:
    return cache.open_document(json.dumps(capture(**more)))


def test_where_planviz_and_spark_part_is_told_with_the_most_important_first() -> None:
    shown = opened(sql="SELECT 2 AS two")
    found = live_report.verdict(shown, cache.AUTO)
    assert found.headline.startswith("planviz and Spark differ: 0 of 4 plans equal")
    assert found.differences[0].startswith("Physical plan: Project, from Spark to planviz:")
    assert [words.split()[0] for words in found.differences] == ["Physical", "Optimized", "Analyzed", "Parsed"]
    assert "≠ differs" in live_report.verdict_html(found)


def test_a_query_that_planviz_cannot_plan_is_told() -> None:
    found = live_report.verdict(opened(sql="SELECT a FROM nowhere.to.be.seen.at.all"), cache.NO_CATALOG)
    assert found.comparison is None or not found.comparison.equal


def test_the_file_is_the_capture() -> None:
    shown = opened(sql="SELECT 1 AS one", run=True)
    assert open_text(gzip.decompress(live_report.packed(shown)).decode()).recognised == "Spark capture"


def test_text_of_a_plan_is_escaped() -> None:
    html = live_report.verdict_html(live_report.Verdict("<b>", ("<script>",)))
    assert "<script>" not in html
    assert "&lt;b&gt;" in html
