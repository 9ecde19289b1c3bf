"""Physical plans in Spark's formatted mode; the expected texts are what Spark 4.3 printed, ids and folders aside."""

from __future__ import annotations

import re

import pytest

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import InputError
from planviz.execution import QueryExecution, Session

TABLES = """CREATE TABLE cities (city string, people int, parts array<int>) USING parquet;
CREATE TABLE visits (v_city string, v_day date, v_n int) USING parquet"""

DISTINCT = """SELECT city, count(DISTINCT people), sum(people) FROM cities GROUP BY city"""
DISTINCT_TEXT = """\
== Physical Plan ==
* HashAggregate (8)
+- Exchange (7)
   +- * HashAggregate (6)
      +- * HashAggregate (5)
         +- Exchange (4)
            +- * HashAggregate (3)
               +- * ColumnarToRow (2)
                  +- Scan parquet spark_catalog.default.cities (1)


(1) Scan parquet spark_catalog.default.cities
Output [2]: [city#21, people#22]
Batched: true
Location: InMemoryFileIndex [file:/warehouse/cities]
ReadSchema: struct<city:string,people:int>

(2) ColumnarToRow [codegen id : 1]
Input [2]: [city#21, people#22]

(3) HashAggregate [codegen id : 1]
Input [2]: [city#21, people#22]
Keys [2]: [city#21, people#22]
Functions [1]: [partial_sum(people#22)]
Aggregate Attributes [1]: [sum(people#22)#51L]
Results [3]: [city#21, people#22, sum#55L]

(4) Exchange
Input [3]: [city#21, people#22, sum#55L]
Arguments: hashpartitioning(city#21, people#22, 200), ENSURE_REQUIREMENTS, [plan_id=529]

(5) HashAggregate [codegen id : 2]
Input [3]: [city#21, people#22, sum#55L]
Keys [2]: [city#21, people#22]
Functions [1]: [merge_sum(people#22)]
Aggregate Attributes [1]: [sum(people#22)#51L]
Results [3]: [city#21, people#22, sum#55L]

(6) HashAggregate [codegen id : 2]
Input [3]: [city#21, people#22, sum#55L]
Keys [1]: [city#21]
Functions [2]: [merge_sum(people#22), partial_count(distinct people#22)]
Aggregate Attributes [2]: [sum(people#22)#51L, count(people#22)#50L]
Results [3]: [city#21, sum#55L, count#58L]

(7) Exchange
Input [3]: [city#21, sum#55L, count#58L]
Arguments: hashpartitioning(city#21, 200), ENSURE_REQUIREMENTS, [plan_id=534]

(8) HashAggregate [codegen id : 3]
Input [3]: [city#21, sum#55L, count#58L]
Keys [1]: [city#21]
Functions [2]: [sum(people#22), count(distinct people#22)]
Aggregate Attributes [2]: [sum(people#22)#51L, count(people#22)#50L]
Results [3]: [city#21, count(people#22)#50L AS count(DISTINCT people)#52L, sum(people#22)#51L AS sum(people)#53L]
"""

SUBQUERY = """select * from cities where people > (select avg(v_n) from visits)"""
SUBQUERY_TEXT = """\
== Physical Plan ==
AdaptiveSparkPlan (3)
+- Filter (2)
   +- Scan parquet spark_catalog.default.cities (1)


(1) Scan parquet spark_catalog.default.cities
Output [3]: [city#21, people#22, parts#23]
Batched: true
Location: InMemoryFileIndex [file:/warehouse/cities]
PushedFilters: [IsNotNull(people)]
ReadSchema: struct<city:string,people:int,parts:array<int>>

(2) Filter
Input [3]: [city#21, people#22, parts#23]
Condition : (isnotnull(people#22) AND (cast(people#22 as double) > Subquery subquery#99, [id=#691]))

(3) AdaptiveSparkPlan
Output [3]: [city#21, people#22, parts#23]
Arguments: isFinalPlan=false

===== Subqueries =====

Subquery:1 Hosting operator id = 2 Hosting Expression = Subquery subquery#99, [id=#691]
AdaptiveSparkPlan (8)
+- HashAggregate (7)
   +- Exchange (6)
      +- HashAggregate (5)
         +- Scan parquet spark_catalog.default.visits (4)


(4) Scan parquet spark_catalog.default.visits
Output [1]: [v_n#79]
Batched: true
Location: InMemoryFileIndex [file:/warehouse/visits]
ReadSchema: struct<v_n:int>

(5) HashAggregate
Input [1]: [v_n#79]
Keys: []
Functions [1]: [partial_avg(v_n#79)]
Aggregate Attributes [2]: [sum#102, count#103L]
Results [2]: [sum#104, count#105L]

(6) Exchange
Input [2]: [sum#104, count#105L]
Arguments: SinglePartition, ENSURE_REQUIREMENTS, [plan_id=689]

(7) HashAggregate
Input [2]: [sum#104, count#105L]
Keys: []
Functions [1]: [avg(v_n#79)]
Aggregate Attributes [1]: [avg(v_n#79)#100]
Results [1]: [avg(v_n#79)#100 AS avg(v_n)#101]

(8) AdaptiveSparkPlan
Output [1]: [avg(v_n)#101]
Arguments: isFinalPlan=false

Subquery:2 Hosting operator id = 1 Hosting Expression = Subquery subquery#99, [id=#693]
AdaptiveSparkPlan (8)
+- HashAggregate (7)
   +- Exchange (6)
      +- HashAggregate (5)
         +- Scan parquet spark_catalog.default.visits (4)
"""


def planned(sql: str, adaptive: bool) -> QueryExecution:
    settings = {"spark.sql.adaptive.enabled": str(adaptive).lower(), "spark.sql.session.timeZone": "UTC"}
    session = Session(Catalog(), OptimizerConfig().with_settings(settings))
    *_, last = session.run(f"{TABLES};\n{sql}", "physical")
    assert last.execution is not None
    return last.execution


def plain(text: str) -> str:
    """Ids, plan ids and folders by first appearance, the file system's part of a location left out."""
    seen: dict[str, int] = {}
    text = re.sub(r"(?<=InMemoryFileIndex )\[[^\]]*\]", "[]", text)
    return re.sub(r"(?:\bid=)?#\d+|plan_id=\d+", lambda m: f"#{seen.setdefault(m[0], len(seen))}", text).strip()


@pytest.mark.parametrize(
    ("sql", "adaptive", "text"), [(DISTINCT, False, DISTINCT_TEXT), (SUBQUERY, True, SUBQUERY_TEXT)]
)
def test_it_is_what_spark_prints(sql: str, adaptive: bool, text: str) -> None:
    assert plain(planned(sql, adaptive).explain_string("formatted")) == plain(text)


def test_a_side_that_is_read_first_has_no_stage_beneath_the_tree() -> None:
    sql = "SELECT /*+ broadcast(cities) */ v_n FROM cities JOIN visits ON city = v_city"
    text = planned(sql, False).explain_string("formatted")
    assert "BroadcastHashJoin Inner BuildLeft" in text
    streamed = text[text.index("Scan parquet spark_catalog.default.visits") :]
    number = re.search(r"Scan parquet spark_catalog.default.visits \((\d+)\)", text)
    assert number is not None
    assert f"({int(number[1]) + 1}) ColumnarToRow\n" in streamed
    assert f"* ColumnarToRow ({int(number[1]) + 1})" in text


def test_the_simple_mode_leaves_out_what_aggregates_give() -> None:
    execution = planned(DISTINCT, False)
    simple, extended = execution.explain_string(), execution.explain_string("extended")
    assert "output=[" not in simple
    assert simple.startswith("== Physical Plan ==\n*(3) HashAggregate(keys=[city#")
    assert [line for line in extended.splitlines() if line.startswith("==")] == [
        "== Parsed Logical Plan ==",
        "== Analyzed Logical Plan ==",
        "== Optimized Logical Plan ==",
        "== Physical Plan ==",
    ]
    assert "city: string, count(DISTINCT people): bigint, sum(people): bigint\nAggregate" in extended


def test_the_cost_mode_has_the_estimates_of_the_optimized_plan() -> None:
    text = planned(DISTINCT, False).explain_string("cost")
    assert text.startswith("== Optimized Logical Plan ==\nAggregate [city#")
    assert re.search(r"(?m)^Aggregate .*, Statistics\(sizeInBytes=", text)


def test_the_value_of_distinct_expressions_is_called_by_their_columns() -> None:
    text = plain(
        planned("SELECT city, count(DISTINCT people % 7) FROM cities GROUP BY city", False).explain_string("formatted")
    )
    called = re.findall(r"Aggregate Attributes \[1\]: \[(.*)\]", text)
    assert [re.sub(r"#\d+", "#", c) for c in called] == ["count((people# % 7))#L"] * 2


def test_a_constant_key_stays_a_constant_in_the_results() -> None:
    text = planned("SELECT DISTINCT city, true AS known FROM cities", False).explain_string("formatted")
    assert re.search(r"Keys \[2\]: \[city#\d+, true#\d+\]", text)
    assert re.search(r"Results \[2\]: \[city#\d+, true AS known#\d+\]", text)


def test_there_is_no_java_code_to_print() -> None:
    with pytest.raises(InputError, match="no explain mode 'codegen'"):
        planned(DISTINCT, False).explain_string("codegen")


RECURSION = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
WHERE i < (SELECT max(people) FROM cities)) SELECT p.i FROM n p JOIN n q ON p.i = q.i"""
RECURSION_TEXT = """\
* Project (17)
+- * SortMergeJoin Inner (16)
   :- * Sort (13)
   :  +- Exchange (12)
   :     +- * Project (11)
   :        +- * Filter (10)
   :           +- UnionLoop (1)
   :                 :- Project (3)
   :                 :  +- OneRowRelation (2)
   :                 +- Project (9)
   :                    +- Filter (5)
   :                       :  +- Aggregate (8)
   :                       :     +- Project (7)
   :                       :        +- LogicalRelation (6)
   :                       +- UnionLoopRef (4)
   +- * Sort (15)
      +- ReusedExchange (14)
"""


def test_a_recursion_shows_the_plans_that_it_repeats_and_is_read_twice_from_one_exchange() -> None:
    text = plain(planned(RECURSION, False).explain_string("formatted"))
    assert text.split("\n\n\n")[0] == "== Physical Plan ==\n" + RECURSION_TEXT.rstrip()
    told = re.sub(r"#\d+", "#", text)
    for beneath in (
        "(1) UnionLoop\nLoop id: 0\nOutput [1]: [1#]\nLimit: None\n",
        "(4) UnionLoopRef\nLoop id: 0\nOutput [1]: [1#]\nAccumulated: false\n",
        "(5) Filter\nArguments: (isnotnull(1#) AND (1# < scalar-subquery# []))\n",
        "(6) LogicalRelation\nArguments: parquet, [city#, people#, parts#], `spark_catalog`.`default`.`cities`, ",
    ):
        assert beneath in told
