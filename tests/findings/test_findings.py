"""Findings of whole documents: order, grouping, silence, what-ifs, workloads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from planviz.catalogs import find
from planviz.document import open_sql, open_text
from planviz.errors import InputError
from planviz.findings import SEVERITIES, check_named, checks, findings, ignored
from planviz.findings.documents import document_findings, plan_findings
from planviz.findings.measured_values import Measured, measured
from planviz.findings.workload import workload_findings
from planviz.samples import load, samples

ORDERS = "SELECT n_name, count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey GROUP BY n_name"
PRODUCT = "SELECT count(*) FROM orders, lineitem WHERE o_totalprice > l_extendedprice"


def names(text: str, **more: object) -> list[str]:
    document = open_sql(text, find("tpch"))
    return [one.name for query in document_findings(document, **more) for one in query.findings]  # type: ignore[arg-type]


def test_every_check_says_all_that_a_reader_needs() -> None:
    for name, check in checks().items():
        assert name == check.name
        assert check.severity in SEVERITIES
        assert (type(check).__doc__ or "").endswith((".", "."))
        for text in (check.why, check.advice, check.cost):
            assert text.endswith("."), name
            assert "  " not in text, name


def test_a_query_of_our_own_has_its_line_and_rows() -> None:
    (query,) = document_findings(open_sql(f"SELECT 1;\n{PRODUCT}", find("tpch")))
    first = query.findings[0]
    assert (first.name, query.line, query.statement) == ("cartesian-product", 2, 1)
    assert "pairs" in first.evidence
    assert first.stake is not None
    assert first.stake.amount > 1e9


def test_the_gravest_comes_first_then_what_is_at_stake() -> None:
    for sample in samples():
        for plan in open_text(load(sample.name)).plans:
            some = findings(plan)
            ranks = [SEVERITIES.index(one.severity) for one in some]
            assert ranks == sorted(ranks)
            assert all(plan[node] for one in some for node in one.nodes)


def test_one_cause_is_one_finding() -> None:
    lead, lines = "", []
    for at in range(4):
        lines.append(f"{lead}BatchEvalPython [f(a#1)#{at + 2}], [pythonUDF0#{at + 20}]")
        lead = "   " * at + "+- "
    (one,) = findings(
        open_text("== Physical Plan ==\n" + "\n".join(lines) + f"\n{lead}LocalTableScan [a#1]\n").plans[0]
    )
    assert one.name == "python-row-udf"
    assert one.nodes == (0, 1, 2, 3)
    assert one.evidence.endswith("So at 4 operators.")


def test_comments_silence_findings() -> None:
    assert "cartesian-product" in names(PRODUCT)
    assert "cartesian-product" not in names(f"-- planviz: ignore cartesian-product, text-cut\n{PRODUCT}")
    assert names(f"/* the product is meant */ -- planviz: ignore\n{PRODUCT}") == []
    assert "cartesian-product" in names(f"-- planviz: ignore no-such-finding\n{PRODUCT}")
    assert ignored("-- planviz: ignore spill because the disk is fast") == {"spill"}


def test_names_that_are_left_out() -> None:
    assert "cartesian-product" not in names(PRODUCT, without=["cartesian-product"])
    with pytest.raises(InputError, match=r"There is no finding 'no-such'"):
        check_named("no-such")


def test_a_change_is_told_only_after_it_was_planned() -> None:
    sql = "SELECT /*+ MERGE(nation) */ count(*) FROM customer JOIN nation ON c_nationkey = n_nationkey GROUP BY n_name"
    assert all(
        one.what_if is None for query in document_findings(open_sql(sql, find("tpch"))) for one in query.findings
    )
    document = open_sql("SET spark.sql.adaptive.enabled=false;\n" + ORDERS, find("tpch"))
    some = {one.name: one for query in document_findings(document, what_if=True) for one in query.findings}
    change = some["adaptive-off"].what_if
    assert change is not None
    assert change.change == "spark.sql.adaptive.enabled = true"
    assert "AdaptiveSparkPlan" in change.after
    assert change.before != change.after


def test_a_hint_keeps_the_broadcast_from_being_promised() -> None:
    """Raising the threshold does not help against a hint: planning says so, and nothing is offered."""
    sql = "SELECT /*+ MERGE(supplier) */ s_name, l_orderkey FROM lineitem JOIN supplier ON l_suppkey = s_suppkey"
    some = [one for query in document_findings(open_sql(sql, find("tpch")), what_if=True) for one in query.findings]
    assert [one.what_if for one in some if one.name == "missing-broadcast"] in ([], [None])


def test_findings_of_a_plan_know_its_siblings() -> None:
    document = open_text(load("broadcast-and-merge-join"))
    assert {one.name for one in plan_findings(document, 3)} == {
        "partition-filter-missing", "shuffled-join", "text-cut",
    }  # fmt: skip


@pytest.mark.parametrize(("columns", "found"), [("'name', 'city'", True), ("*config.columns", False)])
def test_no_verdict_hangs_on_the_type_of_a_column_that_the_text_does_not_tell(columns: str, found: bool) -> None:
    program = f"""
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.table("people").select("id", {columns}).dropDuplicates(["id"]).show()
"""
    names = {one.name for query in document_findings(open_text(program)) for one in query.findings}
    assert ("sort-aggregate" in names) is found


PROGRAM = """from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.read.parquet("/o").join(spark.read.parquet("/u"), "k", "left").groupBy("country").count().show()
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT o.a FROM o LEFT JOIN u ON o.k = u.k", True),
        ("SELECT a FROM o LEFT JOIN u ON o.k = u.k", False),
        ("CREATE TABLE o (a INT, k INT); CREATE TABLE u (k INT); SELECT a FROM o LEFT JOIN u ON o.k = u.k", True),
        (PROGRAM, False),
    ],
)
def test_no_verdict_hangs_on_the_table_that_a_column_was_guessed_for(text: str, found: bool) -> None:
    queries = document_findings(open_text(text))
    assert any(one.name == "unused-outer-side" for query in queries for one in query.findings) is found


def _executed(name: str, detail: str = "", *children: dict[str, object]) -> dict[str, object]:
    info = {"nodeName": name, "simpleString": f"{name} {detail}".strip(), "metadata": {}, "metrics": []}
    return {**info, "children": list(children)}


@pytest.mark.parametrize(("op", "found"), [("ReusedSubquery", []), ("Subquery", ["repeated-scan"])])
def test_what_an_event_log_has_again_below_its_reuse_runs_once(op: str, found: list[str]) -> None:
    def scan(columns: str, *beneath: dict[str, object]) -> dict[str, object]:
        entries = "Batched: true, DataFilters: [], Format: Parquet, PartitionFilters: [], PushedFilters: []"
        place = "Location: InMemoryFileIndex(1 paths)[s3://lake/item]"
        detail = f"[{columns}] {entries}, {place}, ReadSchema: struct<cost:double>"
        return _executed("FileScan parquet", detail, *beneath)

    grouped = _executed("HashAggregate", "(keys=[], functions=[avg(cost#2)])", scan("cost#2"))
    subquery = _executed("Subquery", "subquery#7, [id=#8]", grouped)
    other = scan("k#3", _executed(op, "Subquery subquery#7, [id=#8]", subquery))
    top = _executed("Filter", "(k#3 > Subquery subquery#7, [id=#8])", other, subquery)
    queries = document_findings(open_text(json.dumps(_executed("AdaptiveSparkPlan", "isFinalPlan=true", top))))
    assert [one.name for query in queries for one in query.findings if one.name == "repeated-scan"] == found


def test_a_workload_is_ranked_by_time() -> None:
    cut = open_text("== Physical Plan ==\nProject [a#1, b#2, ... 12 more fields]\n+- LocalTableScan [a#1]\n").plans[0]
    python = open_text("== Physical Plan ==\nBatchEvalPython [f(a#1)#2], [p#3]\n+- LocalTableScan [a#1]\n").plans[0]
    some = workload_findings([("x", 10.0, cut), ("y", 100.0, python), ("z", 5.0, cut), ("u", None, python)])
    assert [(one.name, one.milliseconds, [name for name, _ in one.executions]) for one in some] == [
        ("python-row-udf", 100.0, ["y", "u"]),
        ("text-cut", 15.0, ["x", "z"]),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("4.6 s", Measured(4600.0)),
        ("763,826", Measured(763_826.0)),
        (12, Measured(12.0)),
        ("total (min, med, max (stageId: taskId))\n2.0 KiB (1.0 KiB, 1.5 KiB, 2.0 KiB (stage 8.0: task 10))",
         Measured(2048.0, 1024.0, 1536.0, 2048.0)),
        ("no number", None),
        (True, None),
    ],
)  # fmt: skip
def test_measured_values(value: object, expected: Measured | None) -> None:
    assert measured(value) == expected


def test_the_documentation_lists_every_check() -> None:
    text = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", text, flags=re.MULTILINE)) == set(checks())


def test_queries_that_are_computed_again_are_one_finding() -> None:
    sums = "(SELECT a, sum(b) AS n, max(c) AS m FROM {} GROUP BY a)"
    sql = f"WITH v AS {sums.format('t')}, w AS {sums.format('u')} SELECT p.n, o.m, q.n, r.m FROM v p"
    sql += " JOIN v o ON p.a = o.n JOIN w q ON q.a = p.a JOIN w r ON q.a = r.n"
    found = [one for query in document_findings(open_text(sql)) for one in query.findings]
    (again,) = [one for one in found if one.name == "cte-computed-again"]
    assert again.evidence == "2 WITH queries are computed 4 times in all: v, w."


def test_who_has_aqe_is_not_told_to_switch_it_on() -> None:
    text = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   SortMergeJoin [a#1], [b#2], Inner
   :- Sort [a#1 ASC NULLS FIRST], false, 0
   :  +- ShuffleQueryStage 0, Statistics(sizeInBytes=1024.0 MiB, rowCount=1.00E+6)
   :     +- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   :        +- Scan ExistingRDD[a#1]
   +- Sort [b#2 ASC NULLS FIRST], false, 0
      +- ShuffleQueryStage 1, Statistics(sizeInBytes=1024.0 KiB, rowCount=10)
         +- Exchange hashpartitioning(b#2, 200), ENSURE_REQUIREMENTS, [plan_id=2]
            +- Scan ExistingRDD[b#2]
"""
    (finding,) = [f for f in plan_findings(open_text(text), 0) if f.name == "missing-broadcast"]
    assert "switch AQE on" not in finding.advice
    assert "AQE left it shuffled" in finding.advice


CUT = (
    "== Physical Plan ==\n*(1) Filter (isnotnull(name#2) AND (upper(name#2) = X))\n"
    "+- *(1) FileScan parquet shop.sales[id#1,name#2,day#3] Batched: true, DataFilters: [isnotnull(name#2)], "
    "Format: Parquet, Location: CatalogFileIndex[hdfs://nn/warehouse/shop.db/sa..., PartitionCount: 730, "
    "PartitionFilters: {filters}, PushedFilters: [IsNotNull(name)], ReadSchema: struct<id:int,name:string>\n"
)


def test_a_location_that_is_cut_bars_no_finding_about_what_is_printed() -> None:
    found = {one.name: one for one in plan_findings(open_text(CUT.format(filters="[]")), 0)}
    assert set(found) == {"partition-filter-missing", "filter-not-pushed", "text-cut"}
    assert "partitioned by day into 730 parts" in found["partition-filter-missing"].evidence


@pytest.mark.parametrize("filters", ["[isnotnull(day#3), (day#3 > 20..", "[(day#3 > 5)]"])
def test_partition_filters_that_are_cut_are_filters(filters: str) -> None:
    filters = filters.replace("..", "...")
    assert "partition-filter-missing" not in {
        one.name for one in plan_findings(open_text(CUT.format(filters=filters)), 0)
    }


def test_a_source_without_files_has_no_partition_columns() -> None:
    text = (
        "== Physical Plan ==\n*(1) Filter (cast(made#3 as date) = 18262)\n"
        "+- *(1) Scan JDBCRelation(orders) [numPartitions=8] [id#1,made#3] PushedFilters: [*IsNotNull(made)], "
        "ReadSchema: struct<id:int>\n"
    )
    assert "partition-filter-defeated" not in {one.name for one in plan_findings(open_text(text), 0)}


def test_a_key_that_is_computed_below_is_told_by_what_it_is() -> None:
    sql = "SELECT coalesce(c_phone, 'none') AS c, max(c_name) FROM customer GROUP BY coalesce(c_phone, 'none')"
    (query,) = document_findings(open_sql(sql, find("tpch")))
    (found,) = (f for f in query.findings if f.name == "sort-aggregate")
    assert "SortAggregate by coalesce(c_phone, none) sorts" in found.evidence


def test_a_program_that_shows_some_rows_is_not_told_to_limit_them() -> None:
    """Spark runs `show()` with a limit that the DataFrame has not: TakeOrderedAndProject, no sort of all rows."""
    program = "df = spark.read.table('orders')\ndf.orderBy('amount').{}\n"
    names = {
        action: {one.name for query in document_findings(open_text(program.format(action))) for one in query.findings}
        for action in ("show()", "show(50, False)", "toPandas()")
    }
    assert ["global-sort" in found for found in names.values()] == [False, False, True]


def test_a_with_query_is_seen_again_where_one_use_lost_its_join() -> None:
    sql = """CREATE TABLE o (id BIGINT, c BIGINT, amt INT, d DATE) USING parquet;
    CREATE TABLE r (id BIGINT, refund INT) USING parquet;
    WITH e AS (SELECT o.*, x.rf FROM o LEFT JOIN (SELECT id, sum(refund) rf FROM r GROUP BY id) x ON o.id = x.id),
      m AS (SELECT d, sum(amt - coalesce(rf, 0)) v FROM e GROUP BY d),
      k AS (SELECT c, sum(amt) v FROM e GROUP BY c)
    SELECT CAST(d AS STRING) z, v FROM m UNION ALL SELECT CAST(c AS STRING), v FROM k"""

    def told(more: str) -> list[str]:
        found = document_findings(open_sql(sql + more, sizes={"o": 900 << 30}))
        return [f.evidence for query in found for f in query.findings if f.name == "cte-computed-again"]

    (evidence,) = told("")
    assert evidence == (
        "e is used 2 times, which takes 2 reads of o with other columns or rows. "
        "The most that is read again is o, 900 GiB."
    )
    # Something else reads the table, too: which scan is whose, nobody knows.
    assert told(" UNION ALL SELECT CAST(c AS STRING), amt FROM o") == []


def test_distinct_combinations_are_told_by_the_expression_of_their_key() -> None:
    sql = "SELECT year(o_orderdate), count(DISTINCT o_custkey) FROM orders GROUP BY year(o_orderdate)"
    (told,) = [
        one.evidence
        for query in document_findings(open_sql(sql, find("tpch")))
        for one in query.findings
        if one.name == "count-distinct"
    ]
    assert "combinations of year(o_orderdate), o_custkey" in told
