"""`planviz why` as a user calls it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.document.alternatives.flips import with_flips

SQL = """SELECT /*+ BROADCAST(t1) */ t2.c, count(DISTINCT t2.b)
FROM t1 LEFT JOIN t2 ON t1.a = t2.a
WHERE t1.b NOT IN (SELECT b FROM t3) GROUP BY t2.c"""


def shown(tmp_path, capfdbinary, text, *options):
    file = tmp_path / "q.sql"
    file.write_text(text, encoding="utf-8")
    status = run(["why", str(file), *options])
    got = capfdbinary.readouterr()
    return status, got.out.decode(), got.err.decode()


def test_text(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], golden) -> None:
    status, out, err = shown(tmp_path, capfdbinary, SQL, "--catalog", "documents")
    assert status == 0
    assert "Hint (strategy=broadcast) is not supported in the query: build left for left outer join." in err
    golden(out[: out.index("Aggregate 1")], "why.txt")
    assert "  HashAggregate\n" in out


PASTED = """== Optimized Logical Plan ==
Join Inner, (k#1 = k#2), Statistics(sizeInBytes=26.7 EiB)
:- Filter isnotnull(k#1), Statistics(sizeInBytes=931.3 GiB)
:  +- Relation spark_catalog.default.big[k#1] parquet, Statistics(sizeInBytes=931.3 GiB)
+- Filter isnotnull(k#2), Statistics(sizeInBytes=30.0 MiB)
   +- Relation spark_catalog.default.mid[k#2] parquet, Statistics(sizeInBytes=30.0 MiB)

== Physical Plan ==
SortMergeJoin [k#1], [k#2], Inner
:- Sort [k#1 ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(k#1, 4), ENSURE_REQUIREMENTS, [plan_id=1]
:     +- Filter isnotnull(k#1)
:        +- FileScan parquet spark_catalog.default.big[k#1] Batched: true
+- Sort [k#2 ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(k#2, 4), ENSURE_REQUIREMENTS, [plan_id=2]
      +- Filter isnotnull(k#2)
         +- FileScan parquet spark_catalog.default.mid[k#2] Batched: true
"""


def test_a_pasted_plan(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], golden) -> None:
    status, out, _ = shown(tmp_path, capfdbinary, PASTED)
    assert status == 0
    golden(out, "why_pasted.txt")


def test_a_pasted_explain_is_replayed_with_what_is_given(tmp_path: Path, capfdbinary) -> None:
    text = PASTED.replace(", Statistics(sizeInBytes=931.3 GiB)", "").replace(", Statistics(sizeInBytes=30.0 MiB)", "")
    _, without, _ = shown(tmp_path, capfdbinary, text)
    _, given, _ = shown(tmp_path, capfdbinary, text, "--size", "big=40GB")
    assert "mid: more than 10 MiB, since it was not broadcast" in without
    assert "left > 10 MiB, right > 10 MiB, limit 10 MiB" in without
    assert "big: 40 GiB, given" in given
    assert "left 40 GiB, right > 10 MiB, limit 10 MiB" in given
    status, _, err = shown(tmp_path, capfdbinary, text, "--size", "big=much")
    assert status == 2
    assert "The size of big must be written as 1048576, 10MB or 1g" in err


@pytest.mark.parametrize("ddl", ["", "create table big(k int) using parquet; create table mid(k int) using parquet; "])
def test_the_tables_of_a_query_are_as_large_as_is_given(tmp_path: Path, capfdbinary, ddl) -> None:
    text = ddl + "select * from big join mid on big.k = mid.k"
    _, without, _ = shown(tmp_path, capfdbinary, text)
    _, given, _ = shown(tmp_path, capfdbinary, text, "--size", "BIG=40GB", "--size", "mid=5MB")
    assert "SortMergeJoin\n" in without
    assert "BroadcastHashJoin, BuildRight" in given
    assert "left 40 GiB, right 5 MiB, limit 10 MiB" in given


def test_sizes_count_before_the_catalogue_and_scale_its_rows(tmp_path: Path, capfdbinary) -> None:
    text = "select count(*) from store_sales join item on ss_item_sk = i_item_sk"
    _, given, _ = shown(tmp_path, capfdbinary, text, "--catalog", "tpcds", "--size", "item=300GB")
    assert "SortMergeJoin\n" in given


def test_a_size_of_a_table_that_no_query_reads_is_told(tmp_path: Path, capfdbinary) -> None:
    status, out, err = shown(tmp_path, capfdbinary, "select * from big join mid using (k)", "--size", "bgi=1GB")
    assert status == 0
    assert "A size is given for bgi, which no query reads; they read big, mid." in err
    assert "SortMergeJoin" in out


@pytest.mark.parametrize("command", ["why", "explain"])
def test_sizes_beside_a_program_are_refused(tmp_path: Path, capfdbinary, command) -> None:
    file = tmp_path / "job.py"
    file.write_text('spark.table("big").explain()\n', encoding="utf-8")
    assert run([command, str(file), "--size", "big=1GB"]) == 2
    assert "Sizes are given of SQL and plans" in capfdbinary.readouterr().err.decode()


def test_a_setting_given_beside_a_plan_that_cannot_be_replayed_is_a_fact(tmp_path: Path, capfdbinary) -> None:
    key = "spark.sql.join.preferSortMergeJoin"
    unreadable = PASTED.replace(":- Filter isnotnull(k#1), Stat", ":- Unheard isnotnull(k#1), Stat")
    _, without, _ = shown(tmp_path, capfdbinary, unreadable)
    _, given, _ = shown(tmp_path, capfdbinary, unreadable, "--conf", f"{key}=true")
    assert "unknown Hash before sort?" in without
    assert "no      Hash before sort?" in given


def test_json(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status, out, _ = shown(tmp_path, capfdbinary, SQL, "--catalog", "documents", "--format", "json")
    found = json.loads(out)["queries"][0]["decisions"]
    assert status == 0
    assert sorted(d["strategy"] for d in found) == ["Aggregation", "JoinSelection", "JoinSelection"]
    join = next(d for d in found if d["values"].get("type") == "LeftOuter")
    assert {c["node"]: c["passed"] for c in join["checks"]}["H1"] is False
    assert join["rejected"][0] == {
        "operator": "BroadcastHashJoin",
        "reason": "the hint cannot be followed: build left for left outer join",
        "node": "H1",
        "values": {},
    }


def test_several_statements_have_headings(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = "SELECT * FROM t1;\nSELECT * FROM t1 JOIN t2 ON t1.a < t2.a;"
    _, out, _ = shown(tmp_path, capfdbinary, text, "--catalog", "documents")
    assert out.splitlines()[0] == "Statement 1, line 1"
    assert "No join and no aggregate." in out
    assert "Statement 2, line 2" in out


def test_what_cannot_be_read_is_told(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status, out, err = shown(tmp_path, capfdbinary, "SELECT FROM WHERE")
    assert status == 2
    assert not out
    assert "Traceback" not in err


def test_svg(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status, out, _ = shown(tmp_path, capfdbinary, SQL, "--catalog", "documents", "--format", "svg", "--join", "1")
    assert status == 0
    assert out.startswith("<svg")
    assert "Left Outer" in out
    status, out, err = shown(tmp_path, capfdbinary, SQL, "--catalog", "documents", "--format", "svg", "--join", "3")
    assert (status, out) == (2, "")
    assert "There is no join 3: there are 2." in err


def test_as_if(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    options = ("--catalog", "documents", "--format", "json", "--no-flips", "--what")
    _, out, _ = shown(tmp_path, capfdbinary, SQL, *options, "hint.1=,merge;type.1=FullOuter")
    joins = [d for d in json.loads(out)["queries"][0]["decisions"] if d["strategy"] == "JoinSelection"]
    assert joins[0]["outcome"] == "SortMergeJoin"
    assert joins[0]["values"]["type"] == "FullOuter"
    status, _, err = shown(tmp_path, capfdbinary, SQL, *options, "size.nowhere=1")
    assert status == 2
    assert "No query reads a table nowhere; they read t1, t2, t3." in err


PHOTON = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- == Initial Plan ==
   ColumnarToRow
   +- PhotonResultStage
      +- PhotonBroadcastHashJoin [shop_id#2], [id#10], Inner, BuildRight, false, true
         :- PhotonScan parquet main.sales.orders[shop_id#2,amount#3] DataFilters: [isnotnull(shop_id#2)]
         +- PhotonShuffleExchangeSource
            +- PhotonShuffleMapStage EXECUTOR_BROADCAST, [id=#285]
               +- PhotonShuffleExchangeSink SinglePartition
                  +- PhotonScan parquet main.sales.shops[id#10,region#11] DataFilters: [isnotnull(id#10)]
"""


def test_a_size_that_nobody_knows_is_no_number_of_a_flip(tmp_path: Path, capfdbinary) -> None:
    _, out, _ = shown(tmp_path, capfdbinary, PHOTON)
    flips = [line for line in out.splitlines() if "flip:" in line]
    assert flips == ["    flip: lower spark.sql.autoBroadcastJoinThreshold to -1 -> SortMergeJoin"]


def test_what_was_not_tried_is_told_with_how_to_try_it(tmp_path: Path, capfdbinary, monkeypatch) -> None:
    sql = "SELECT 1 FROM t1 JOIN t2 ON t1.a = t2.a JOIN t3 ON t2.b = t3.b"
    _, whole, _ = shown(tmp_path, capfdbinary, sql, "--catalog", "documents")
    monkeypatch.setattr("planviz.cli.why.with_flips", lambda query, most=1: with_flips(query, most))
    _, cut, _ = shown(tmp_path, capfdbinary, sql, "--catalog", "documents")
    _, one, _ = shown(tmp_path, capfdbinary, sql, "--catalog", "documents", "--join", "2")
    _, told, _ = shown(tmp_path, capfdbinary, sql, "--catalog", "documents", "--format", "json")
    status, _, err = shown(tmp_path, capfdbinary, sql, "--catalog", "documents", "--join", "3")

    assert re.search(r"\d more changes might flip it and were not tried, for the query has many: --join 2 tries", cut)
    assert "were not tried" not in whole + one
    assert whole.endswith(one)
    assert one.startswith("Join 2 (line 1): ")
    assert all(d["untried"] > 0 for d in json.loads(told)["queries"][0]["decisions"])
    assert (status, "There is no join 3: there are 2." in err) == (2, True)
