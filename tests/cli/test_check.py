"""`planviz check` as a user and a build call it: stored plans, changes, reports, status."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from planviz.cli.main import run
from planviz.document import open_text

QUERY = """SELECT c_name, sum(o_totalprice) FROM customer JOIN orders ON c_custkey = o_custkey
WHERE c_mktsegment = 'BUILDING#7' GROUP BY c_name
"""
HASHED = "spark.sql.autoBroadcastJoinThreshold=1000000000000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "queries"
    (made / "sub").mkdir(parents=True)
    (made / "planviz.toml").write_text('catalog = "tpch"\n[conf]\nspark.sql.shuffle.partitions = 20\n')
    (made / "one.sql").write_text(QUERY)
    (made / "sub" / "two.sql").write_text("SELECT count(*) FROM lineitem;\nSELECT DISTINCT l_suppkey FROM lineitem\n")
    (made / "ddl.sql").write_text("CREATE TABLE t (a INT)\n")
    return made


@pytest.fixture
def checked(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    def check(*options: str) -> tuple[int, str, str]:
        status = run(["check", str(folder), *options])
        got = capfdbinary.readouterr()
        return status, got.out.decode(), got.err.decode()

    return check


def test_nothing_stored_is_told_and_update_stores(checked, folder: Path) -> None:
    status, out, _ = checked()
    assert status == 1
    assert "+ one: no plan is stored yet; --update writes one.plan" in out
    assert out.endswith("3 queries: 2 new, 1 without a plan.\n")
    assert checked("--update")[0] == 0
    stored = (folder / "one.plan").read_text()
    assert stored.startswith("-- planviz-plan/1 of one.sql, written by `planviz check --update`\n-- catalogue tpch\n")
    assert "-- spark.sql.shuffle.partitions=20\n" in stored
    assert "plan_id" not in stored
    assert "c_custkey#" not in stored
    assert "c_mktsegment = BUILDING#7" in stored
    assert "hashpartitioning(c_custkey, 20)" in stored
    assert not (folder / "ddl.plan").exists()
    assert checked() == (0, "3 queries: 2 same, 1 without a plan.\n", "")


def test_stored_plans_open_as_any_plan(checked, folder: Path) -> None:
    checked("--update")
    document = open_text((folder / "sub" / "two.plan").read_text())
    assert [plan.stage for plan in document.plans] == ["physical", "physical"]


def test_updating_twice_writes_nothing_new(checked, folder: Path) -> None:
    checked("--update")
    before = {path: path.read_bytes() for path in folder.rglob("*.plan")}
    checked("--update")
    assert {path: path.read_bytes() for path in folder.rglob("*.plan")} == before


def test_a_change_is_told_as_by_diff(checked) -> None:
    checked("--update")
    status, out, _ = checked("--conf", HASHED)
    assert status == 1
    assert "≠ one: " in out
    assert "▼ Join on c_custkey = o_custkey: SortMergeJoin → BroadcastHashJoin, builds customer" in out
    assert out.endswith("3 queries: 1 same, 1 changed, 1 without a plan.\n")


def test_fail_on_lets_other_changes_pass(checked) -> None:
    checked("--update")
    assert checked("--conf", HASHED, "--fail-on", "exchange-added")[0] == 0
    assert checked("--conf", HASHED, "--fail-on", "join-strategy")[0] == 1
    assert checked("--fail-on", "nonsense")[0] == 2


def test_a_literal_that_looks_like_an_id_counts(checked, folder: Path) -> None:
    checked("--update")
    (folder / "one.sql").write_text(QUERY.replace("#7", "#8"))
    status, out, _ = checked()
    assert status == 1
    assert "BUILDING#7" in out
    assert "BUILDING#8" in out


def test_a_plan_without_a_query_is_stale(checked, folder: Path) -> None:
    checked("--update")
    (folder / "one.sql").unlink()
    (folder / "mine.plan").write_text("not from planviz")
    status, out, _ = checked()
    assert status == 1
    assert "− one: there is no one.sql any more" in out
    assert "mine" not in out
    checked("--update")
    assert not (folder / "one.plan").exists()
    assert (folder / "mine.plan").exists()
    assert checked()[0] == 0


def test_a_query_that_fails_stops_no_other(checked, folder: Path) -> None:
    checked("--update")
    (folder / "one.sql").write_text("SELECT nothing FROM customer")
    status, out, err = checked()
    assert status == 1
    assert "✗ one: [UNRESOLVED_COLUMN" in out
    assert "1 same" in out
    assert "Traceback" not in out + err
    assert checked("--update")[0] == 1


def test_settings_of_a_query_win_over_its_folder_and_options_over_both(checked, folder: Path) -> None:
    (folder / "one.sql").write_text(f"-- conf: spark.sql.shuffle.partitions=7\n{QUERY}")
    checked("--update")
    assert "c_custkey, 7)" in (folder / "one.plan").read_text()
    checked("--update", "--conf", "spark.sql.shuffle.partitions=9")
    assert "c_custkey, 9)" in (folder / "one.plan").read_text()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("catalog = ", "TOML"),
        ('catalogue = "tpch"', "catalogue is not known"),
        ('catalog = "nowhere.json"', "nowhere.json"),
    ],
)
def test_what_is_wrong_with_the_settings_is_one_line(checked, folder: Path, settings: str, said: str) -> None:
    (folder / "planviz.toml").write_text(settings)
    status, out, err = checked()
    assert status == 1
    assert said in out
    assert "Traceback" not in out + err


def test_a_folder_without_queries_is_bad_usage(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        assert run(["check", str(tmp_path / folder)]) == 2
        assert capfdbinary.readouterr().err.startswith(b"planviz: ")


def test_a_foreign_plan_file_is_not_overwritten(checked, folder: Path) -> None:
    (folder / "one.plan").write_text("my own notes")
    status, out, _ = checked("--update")
    assert status == 1
    assert "is no plan that planviz stored" in out
    assert (folder / "one.plan").read_text() == "my own notes"


def test_json(checked) -> None:
    checked("--update")
    _, out, _ = checked("--conf", HASHED, "--format", "json")
    told = json.loads(out)
    assert (told["format"], told["ok"]) == ("planviz-check/1", False)
    by_name = {query["name"]: query for query in told["queries"]}
    assert by_name["sub/two"]["state"] == "same"
    assert by_name["one"]["fails"] is True
    assert by_name["one"]["differences"][0]["effects"][0]["kind"] == "join-strategy"


def test_junit(checked, folder: Path) -> None:
    checked("--update")
    (folder / "sub" / "two.sql").write_text("SELECT <broken> & FROM")
    _, out, _ = checked("--conf", HASHED, "--format", "junit")
    suite = ElementTree.fromstring(out.encode()).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = {case.get("name"): case for case in suite}
    failure = cases["one"].find("failure")
    assert failure is not None
    assert "SortMergeJoin → BroadcastHashJoin" in str(failure.text)
    assert cases["sub/two"].find("error") is not None
    assert cases["ddl"].find("skipped") is not None


def test_sarif(checked) -> None:
    checked("--update")
    _, out, _ = checked("--conf", HASHED, "--format", "sarif")
    told = json.loads(out)
    assert told["version"] == "2.1.0"
    results, rules = told["runs"][0]["results"], told["runs"][0]["tool"]["driver"]["rules"]
    assert {result["ruleId"] for result in results} == {rule["id"] for rule in rules}
    assert all(result["level"] in ("note", "warning", "error") for result in results)
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("one.sql")
    assert place["region"]["startLine"] == 1


def test_reports_are_the_same_every_time(checked) -> None:
    checked("--update")
    for format in ("text", "json", "sarif"):
        assert checked("--conf", HASHED, "--format", format) == checked("--conf", HASHED, "--format", format)


def test_as_a_program(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "planviz", "check", str(folder)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == ""


PROGRAM = """# conf: spark.sql.shuffle.partitions=7
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
orders, customer = spark.table("orders"), spark.table("customer")
totals = orders.join(customer, orders.o_custkey == customer.c_custkey).groupBy("c_name").count()
totals.write.parquet("/out")
spark.sql("SELECT count(*) FROM lineitem WHERE l_comment = 'Item#7'").show()
"""


def test_programs_and_dbt_models_are_queries_too(checked, folder: Path) -> None:
    (folder / "job.py").write_text(PROGRAM)
    (folder / "helper.py").write_text("def add(a, b):\n    return a + b\n")
    (folder / "model.sql").write_text("{{ config(materialized='table') }}\nSELECT c_name FROM {{ ref('customer') }}\n")
    status, out, _ = checked("--update")
    assert (status, out.splitlines()[-1]) == (0, "6 queries: 4 new, 2 without a plan.")
    stored = (folder / "job.py.plan").read_text()
    assert stored.count("== Physical Plan ==") == 2
    assert ", 7)" in stored
    assert "l_comment = Item#7" in stored
    assert "FileScan" in (folder / "model.plan").read_text()
    assert not (folder / "helper.py.plan").exists()
    assert checked()[0] == 0
    (folder / "job.py").write_text(PROGRAM.replace("groupBy", "orderBy('c_name').groupBy").replace("Item#7", "Item#8"))
    status, out, _ = checked()
    assert status == 1
    assert "≠ job.py: " in out
    assert "Item#8" in out
    (folder / "job.py").unlink()
    assert "− job.py: there is no job.py any more" in checked()[1]
    checked("--update")
    assert not (folder / "job.py.plan").exists()


def test_captures_of_a_real_spark_are_held_against_their_plans(checked, folder: Path) -> None:
    captured = json.loads(gzip.decompress(Path("planviz/samples/live/shop.planviz.json.gz").read_bytes()))
    place = folder / "shop.planviz.json.gz"
    place.write_bytes(gzip.compress(json.dumps(captured).encode()))
    assert checked("--update")[0] == 0
    stored = (folder / "shop.planviz.json.gz.plan").read_text()
    assert "AdaptiveSparkPlan" in stored
    assert "BroadcastHashJoin" in stored
    # Another run: other ids everywhere, the same plan.
    again = re.sub(r"(#|plan_id=)(\d+)", lambda found: f"{found[1]}{int(found[2]) + 1000}", json.dumps(captured))
    place.write_bytes(gzip.compress(again.encode()))
    assert checked()[0] == 0
    place.write_bytes(gzip.compress(again.replace("BroadcastHashJoin", "ShuffledHashJoin").encode()))
    status, out, _ = checked()
    assert status == 1
    assert "BroadcastHashJoin → ShuffledHashJoin" in out
    place.write_bytes(b'{"format": "planviz-capture/1"}')
    assert "✗ shop.planviz.json.gz: This capture is damaged" in checked()[1]


def test_a_link_that_leads_out_of_the_folder_is_not_read(checked, folder: Path, tmp_path: Path) -> None:
    """A pull request may bring links; the report is not to tell what stands in the files of who runs it."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2 is what I say")
    (folder / "out.sql").symlink_to(secret)
    (folder / "within.sql").symlink_to(folder / "one.sql")
    (folder / "sub" / "round").symlink_to(folder)
    _, out, err = checked()
    assert "hunter2" not in out + err
    assert "out:" not in out
    assert "+ within: no plan is stored yet" in out


def test_pipes_and_bytes_that_are_no_text_stop_no_check(checked, folder: Path) -> None:
    os.mkfifo(folder / "waits.plan")
    os.mkfifo(folder / "waits.sql")
    (folder / "bytes.sql").write_bytes(b'val df = spark.table("\xff\xfe")\ndf.filter($"a" === 1).show()\n')
    _, out, err = checked()
    assert "bytes: " in out
    assert "one" in out
    assert "defect" not in err


def test_a_plan_that_asks_for_the_day_is_the_same_on_another(checked, folder: Path) -> None:
    query = "SELECT count(*) FROM orders WHERE o_orderdate > current_date() - INTERVAL 30 DAYS\n"
    (folder / "now.sql").write_text(query)
    (folder / "now.py").write_text(
        "from pyspark.sql import functions as F\n"
        "spark.table('orders').where(F.col('o_orderdate') > F.date_sub(F.current_date(), 9)).show()\n"
    )
    checked("--update")
    for name in ("now.plan", "now.py.plan"):
        stored = (folder / name).read_text()
        (today,) = re.findall(r"^-- planviz.now=(\S+)T00:00:00Z$", stored, re.MULTILINE)
        # As if it had been stored long ago, on the second of May.
        (folder / name).write_text(stored.replace(today, "2020-05-02"))
    assert checked()[0] == 1  # the constants are still those of today
    checked("--update")
    assert "o_orderdate > 2020-04-02" in (folder / "now.plan").read_text()
    assert "o_orderdate > 2020-04-23" in (folder / "now.py.plan").read_text()
    assert checked()[0] == 0
