"""Physical plans lifted to logical ones and planned again."""

from __future__ import annotations

import random
import re

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.logical.operators import Aggregate
from planviz.replay.result import Replay
from tests.fidelity.replay import CORPUS, lifted

SHOP = """
CREATE TABLE sales (id BIGINT, item INT, shop INT, price DECIMAL(7,2), day DATE) USING parquet;
CREATE TABLE items (item INT, name STRING, kind STRING, weight DOUBLE) USING parquet;
CREATE TABLE days (day DATE, year INT, sold INT) USING parquet PARTITIONED BY (sold);
"""
QUERIES = {
    "join, group, having, limit": "SELECT kind, count(*) c, sum(price) s FROM sales JOIN items ON sales.item = "
    "items.item WHERE price > 1.50 GROUP BY kind HAVING count(*) > 3 ORDER BY s DESC LIMIT 10",
    "distinct": "SELECT count(DISTINCT item), sum(id) FROM sales GROUP BY shop",
    "two distincts": "SELECT count(DISTINCT item), count(DISTINCT shop) FROM sales",
    "select distinct": "SELECT DISTINCT kind, name FROM items",
    "expression as key": "SELECT item % 7, max(price) FROM sales GROUP BY item % 7",
    "floating key": "SELECT weight, count(*) FROM items GROUP BY weight",
    "window": "SELECT id, rank() OVER (PARTITION BY shop ORDER BY price) r FROM sales",
    "window with a limit": "SELECT * FROM (SELECT id, rank() OVER (PARTITION BY shop ORDER BY price) r FROM sales) "
    "WHERE r < 4",
    "rollup": "SELECT kind, name, sum(weight) FROM items GROUP BY ROLLUP (kind, name)",
    "union": "SELECT kind, sum(weight) FROM (SELECT kind, weight FROM items UNION ALL SELECT name, weight FROM items) "
    "GROUP BY kind",
    "exists": "SELECT * FROM items WHERE EXISTS (SELECT 1 FROM sales WHERE sales.item = items.item AND price > weight)",
    "not in": "SELECT * FROM items WHERE item NOT IN (SELECT item FROM sales)",
    "scalar subquery": "SELECT * FROM sales WHERE price > (SELECT avg(price) FROM sales)",
    "cross join": "SELECT count(*) FROM items a CROSS JOIN items b WHERE a.weight < b.weight",
    "full join": "SELECT * FROM items a FULL JOIN sales b ON a.item = b.item",
    "self join": "SELECT a.kind FROM items a JOIN items b ON a.item = b.item AND a.weight > b.weight",
    "partitions": "SELECT year, count(*) FROM days WHERE sold > 3 AND year = 2000 GROUP BY year",
    "order": "SELECT * FROM items ORDER BY weight DESC, name",
    "sort by": "SELECT /*+ REPARTITION(7, kind) */ * FROM items SORT BY name",
    "offset": "SELECT * FROM items ORDER BY name LIMIT 5 OFFSET 3",
    "explode": "SELECT item, x FROM items LATERAL VIEW explode(split(name, ',')) t AS x",
    "range": "SELECT id, count(*) FROM range(10) GROUP BY id",
}


def explained(sql: str, mode: str, **settings: object) -> str:
    config = OptimizerConfig().with_settings({k.replace("_", "."): v for k, v in settings.items()})
    text = QueryExecution(sql, read_catalog(SHOP), config, ids=Ids(100)).explain_string(mode)
    return text[text.index("== Physical Plan ==") :]


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_a_physical_plan_is_planned_again_from_itself(sql: str, adaptive: bool) -> None:
    made = replayed(explained(sql, "extended", spark_sql_adaptive_enabled=adaptive))
    assert made.verdicts["physical"] in ("equal", "shape"), made.differences
    assert made.read["physical"].opaque_operators == []


@pytest.mark.parametrize("mode", ["simple", "formatted"])
@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_other_forms_of_a_physical_plan_are_lifted_too(sql: str, mode: str) -> None:
    made = replayed(explained(sql, mode))
    assert made.verdicts["physical"] in ("equal", "shape"), made.differences


def test_stages_become_one_aggregate_with_the_results_that_the_formatted_mode_spells() -> None:
    sql = "SELECT kind k, count(DISTINCT name) * 2 c FROM items GROUP BY kind"
    (aggregate,) = (
        n for n in replayed(explained(sql, "formatted")).read["physical"].plan.walk() if isinstance(n, Aggregate)
    )
    assert re.sub(r"#\d+L?", "", aggregate.simple_string) == (
        "Aggregate [kind], [kind AS k, (count(distinct name) * 2) AS c]"
    )


def test_a_reused_exchange_is_its_target_over_other_columns() -> None:
    sql = "SELECT * FROM (SELECT item, sum(id) s FROM sales GROUP BY item) a JOIN sales b ON a.item = b.item JOIN "
    sql += "(SELECT item, sum(id) t FROM sales GROUP BY item) c ON a.item = c.item"
    text = explained(sql, "extended", spark_sql_adaptive_enabled=False)
    assert "ReusedExchange" in text
    made = replayed(text)
    assert made.verdicts["physical"] == "equal"
    plan = made.read["physical"].plan
    assert sum(isinstance(n, Aggregate) for n in plan.walk()) == 2
    leaves = [a.expr_id for n in plan.walk() if not n.children for a in n.output]
    assert len(set(leaves)) == len(leaves)


def test_a_threshold_follows_from_the_build_side() -> None:
    text = explained("SELECT /*+ BROADCAST(items) */ * FROM sales JOIN items ON sales.item = items.item", "extended")
    made = replayed(text)
    assert "BroadcastHashJoin" in made.texts["physical"]
    assert made.verdicts["physical"] == "equal"
    assert made.fitted is not None
    assert made.fitted.decisions == 1


UNKNOWN = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[name#1], functions=[count(1)])
   +- Exchange hashpartitioning(name#1, 12), ENSURE_REQUIREMENTS, [plan_id=7]
      +- HashAggregate(keys=[name#1], functions=[partial_count(1)])
         +- QuantumShuffle [name#1], entangled
            +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=6]
               +- Filter isnotnull(name#1)
                  +- BatchScan lake.db.people[name#1, age#2L] lake.db.people (branch=main) [filters=, groupedBy=]
"""


def test_an_operator_that_nobody_knows_stays_with_what_the_planner_gave_it() -> None:
    made = replayed(UNKNOWN)
    assert made.verdicts["physical"] == "equal"
    read = made.read["physical"]
    assert [t.split(" ")[0] for t in read.opaque_operators] == ["QuantumShuffle"]
    assert read.kept == 1  # the exchange that was planned for it
    assert {s.key: s.value for s in made.settings}["spark.sql.shuffle.partitions"] == 12


def test_a_plan_that_ran_is_held_against_what_was_planned() -> None:
    initial = UNKNOWN.split("\n", 2)[2]
    deeper = "\n".join(line for line in initial.strip("\n").split("\n"))
    text = (
        "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=true\n+- == Final Plan ==\n   ResultQueryStage 1\n   "
        + deeper.replace("\n", "\n   ").replace("HashAggregate", "*(2) HashAggregate")
        + "\n+- == Initial Plan ==\n   "
        + deeper[3:].replace("\n   ", "\n   ")
        + "\n"
    )
    assert replayed(text).verdicts["physical"] == "shape"


SHORTENED = """== Physical Plan ==
*(2) Project [pythonUDF0#9 AS f(a)#7, b#2]
+- BatchEvalPython [f(a#1)#7], [pythonUDF0#9]
   +- *(1) Filter (isnotnull(a#1) AND (a#1 > 3))
      +- *(1) ColumnarToRow
         +- FileScan parquet db.t[a#1,b#2,... 12 more fields] Batched: true, DataFilters: [isnotnull(a#1), (a#1 > 3)], \
Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/t], PartitionFilters: [], PushedFilters: [IsNotNull(a), \
GreaterThan(a,3)], ReadSchema: struct<a:int,b:string,... 12 more fields>
"""


def test_shortened_lists_and_python_functions_are_read() -> None:
    read = replayed(SHORTENED).read["physical"]
    assert read.opaque_operators == []
    types = {a.name: a.type.simple_string for n in read.plan.walk() if not n.children for a in n.output}
    assert types["a"] == "int"
    assert any(n.node_name == "BatchEvalPython" for n in read.plan.walk())


CUT = """== Analyzed Logical Plan ==
z: bigint
Project [z#5L]
+- Filter (y#4 = 3)
   +- Relation db.t[a#1,b#2,... 4 more fields] parquet

== Optimized Logical Plan ==
Project [z#5L]
+- Filter (isnotnull(y#4) AND (y#4 = 3))
   +- Relation db.t[a#1,b#2,... 4 more fields] parquet

== Physical Plan ==
*(1) Project [z#5L]
+- *(1) Filter (isnotnull(y#4) AND (y#4 = 3))
   +- *(1) ColumnarToRow
      +- FileScan parquet db.t[y#4,z#5L] Batched: true, DataFilters: [isnotnull(y#4), (y#4 = 3)], Format: Parquet, \
Location: InMemoryFileIndex(1 paths)[file:/t], PartitionFilters: [], PushedFilters: [IsNotNull(y), EqualTo(y,3)], \
ReadSchema: struct<y:int,z:bigint>
"""


def test_columns_that_a_shortened_relation_leaves_out_are_known_from_other_lines() -> None:
    made = replayed(CUT)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}
    columns = [a for n in made.read["optimized"].plan.walk() if not n.children for a in n.output]
    assert [(a.name, a.type.simple_string) for a in columns][2:] == [("y", "int"), ("z", "bigint")]


UNPLANNED = """== Optimized Logical Plan ==
Sort [a#1 ASC NULLS FIRST], true
+- RelationV2[a#1, b#2] lake.db.t lake.db.t

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Sort [a#1 ASC NULLS FIRST], true, 0
   +- Exchange rangepartitioning(a#1 ASC NULLS FIRST, 31), ENSURE_REQUIREMENTS, [plan_id=9]
      +- BatchScan lake.db.t[a#1, b#2] lake.db.t (branch=null) [filters=, groupedBy=] RuntimeFilters: []
"""


def test_where_the_optimized_plan_cannot_be_planned_the_physical_one_is_lifted() -> None:
    made = replayed(UNPLANNED)
    assert made.verdicts["physical"] == "equal"
    assert made.read["optimized"].opaque_operators == []


@pytest.mark.slow
def test_damaged_physical_plans_never_raise() -> None:
    texts = [explained(QUERIES[name], mode) for name in ("distinct", "window with a limit", "scalar subquery")
             for mode in ("simple", "formatted")]  # fmt: skip
    chance = random.Random(11)
    for at in range(120):
        lines = texts[at % len(texts)].split("\n")
        for _ in range(3):
            i = chance.randrange(len(lines))
            kind = chance.randrange(4)
            if kind == 0:
                del lines[i]
            elif kind == 1:
                lines.insert(chance.randrange(len(lines)), lines[i])
            else:
                cut = chance.randrange(len(lines[i]) + 1)
                lines[i] = lines[i][:cut] + chance.choice(["]", "(", "#", ", ", ""]) + lines[i][cut + kind :]
            lines = lines or [""]
        try:
            found = replays(open_text("\n".join(lines)))
        except PlanvizError:
            continue
        assert all(m.verdicts["physical"] in ("equal", "shape", "differs", "absent") for m in found)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="no corpus")
@pytest.mark.parametrize("form", ["simple", "formatted"])
def test_physical_plans_of_spark_are_planned_again(form: str) -> None:
    only = ("q3", "q7", "q14b", "q23a", "q36", "q41", "q44", "q64", "q95", "q99")
    counts, other = lifted("tpcds/captures/nocbo-aqeoff", form, only)
    assert counts["opaque"] == 0
    assert len(other) <= 1, other


@pytest.mark.skipif(not CORPUS.exists(), reason="no corpus")
def test_a_subquery_at_two_scans_is_compared_once_where_the_text_prints_it_once() -> None:
    counts, other = lifted("tpcds-partitioned/captures/nocbo-aqeoff", "formatted", ("q38",))
    assert (counts["shape"], other) == (1, [])


def test_a_formatted_plan_that_is_cut_within_a_join_is_read() -> None:
    text = explained("SELECT * FROM sales JOIN items ON sales.item = items.item", "formatted")
    assert replays(open_text(text[: text.index("Right keys")]))
