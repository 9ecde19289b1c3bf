"""A text's plans planned again, and held against the text."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.replay.reported import replay_json
from planviz.replay.result import Replay
from tests.fidelity.replay import CORPUS, texts

SHOP = """
CREATE TABLE sales (id BIGINT, item INT, shop INT, price DECIMAL(7,2), day DATE) USING parquet;
CREATE TABLE items (item INT, name STRING, kind STRING) USING parquet;
"""
QUERY = """
SELECT kind, count(*) c, sum(price) s FROM sales JOIN items ON sales.item = items.item
WHERE price > 1.50 AND day >= '2020-01-01' GROUP BY kind HAVING count(*) > 3 ORDER BY s DESC LIMIT 10
"""


def explained(sql: str = QUERY, **settings: object) -> str:
    config = OptimizerConfig().with_settings({k.replace("_", "."): v for k, v in settings.items()})
    return QueryExecution(sql, read_catalog(SHOP), config, ids=Ids(100)).explain_string("extended")


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


def test_a_text_alone_gives_the_same_plans_again() -> None:
    made = replayed(explained())
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}
    assert (made.failures, made.differences, made.taken) == ([], {}, [])


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("partitions", [7, 200])
def test_settings_are_found_with_their_evidence(adaptive: bool, partitions: int) -> None:
    text = explained(spark_sql_adaptive_enabled=adaptive, spark_sql_shuffle_partitions=partitions)
    made = replayed(text)
    found = {s.key: s.value for s in made.settings}
    assert found["spark.sql.adaptive.enabled"] is adaptive
    assert found["spark.sql.shuffle.partitions"] == partitions
    assert all(s.evidence for s in made.settings)
    assert made.verdicts["physical"] == "equal"


def test_another_plan_is_told_apart_and_its_lines_are_listed() -> None:
    text = explained()
    other = text.replace("SortMergeJoin [item", "ShuffledHashJoin [item")
    assert other != text
    made = replayed(other)
    assert made.verdicts["optimized"] == "equal"
    assert made.verdicts["physical"] == "differs"
    assert any("ShuffledHashJoin" in d["spark"] for d in made.differences["physical"])


def test_json_has_an_entry_for_every_plan() -> None:
    entries = replay_json(replayed(explained()))
    assert [e["stage"] for e in entries] == ["parsed", "analyzed", "optimized", "physical"]
    assert {e["optimized"] for e in entries} == {"equal"}
    assert entries[1]["read"]["opaque"] == 0
    assert (
        replay_json(replayed("== Parsed Logical Plan ==\n'Project [*]\n+- OneRowRelation\n"))[0]["physical"] == "absent"
    )


@pytest.mark.slow
def test_no_text_however_damaged_raises() -> None:
    text, chance = explained(), random.Random(7)
    for _ in range(150):
        damaged = list(text)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.choice((0, 1, 1, 3, 40))] = chance.choice(
                ("", "(", ")", ",", "#1", " AS ", "]", "x")
            )
        for made in replays(open_text("== Parsed Logical Plan ==\n" + "".join(damaged))):
            assert set(made.verdicts.values()) <= {"equal", "shape", "differs", "absent"}


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_what_spark_printed_comes_out_again() -> None:
    only = ("q1", "q3", "q12", "q14a", "q23a", "q41", "q64", "q72", "q93", "q95")
    found: Counter[str] = Counter()
    for _, _, text in texts("tpcds/captures/nocbo-aqeoff", only):
        made = replayed(text)
        found.update(f"{stage} {verdict}" for stage, verdict in made.verdicts.items())
    assert found["optimized equal"] == 10
    assert found["physical equal"] >= 9


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_what_costs_decided_is_taken_from_the_text_and_said() -> None:
    for name, _, text in texts("tpcds/captures/cbo-aqeoff", ("q85", "q96")):
        made = replayed(text)
        assert made.verdicts == {"optimized": "equal", "physical": "equal"}, name
        assert any("order in which" in what for what in made.taken)
        assert {s.key: s.value for s in made.settings}["spark.sql.cbo.joinReorder.enabled"] is True


def test_an_older_version_is_found_by_its_plans() -> None:
    config = OptimizerConfig.of("spark-3.5")
    sql = QUERY.replace("SELECT", "SELECT /*+ BROADCAST(items) */", 1)
    text = QueryExecution(sql, read_catalog(SHOP), config, ids=Ids(100)).explain_string("extended")
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}
    assert made.config.profile < "spark-4.2"


def test_uses_of_a_definition_are_read_as_older_versions_print_them() -> None:
    sql = "WITH c AS (SELECT item, sum(price) s FROM sales GROUP BY item) SELECT * FROM c a JOIN c b ON a.s > b.s"
    config = OptimizerConfig.of("spark-3.3")
    text = QueryExecution(sql, read_catalog(SHOP), config, ids=Ids(100)).explain_string("extended")
    assert re.search(r"CTERelationRef \d+, true, \[[^\]]*\]$", text, re.MULTILINE)
    made = replayed(text)
    assert made.verdicts["optimized"] == "equal"
    assert made.texts["analyzed"] in text


def test_names_in_other_capitals_are_the_same_columns() -> None:
    made = replayed(explained("SELECT PRICE p, Price FROM sales WHERE ITEM > 3"))
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}
    assert not made.read["analyzed"].opaque


def test_sizes_that_explain_cost_prints_are_used_as_they_are() -> None:
    text = explained()
    head, _, rest = text.partition("== Optimized Logical Plan ==\n")
    optimized, _, physical = rest.partition("\n== Physical")
    relations = [line for line in optimized.split("\n") if "Relation " in line]
    for line, size in zip(relations, ("20.0 GiB", "300.0 MiB"), strict=True):
        optimized = optimized.replace(line, f"{line}, Statistics(sizeInBytes={size})")
    made = replayed(f"{head}== Optimized Logical Plan ==\n{optimized}\n== Physical{physical}")
    assert made.fitted is not None
    assert sorted(made.fitted.sizes.values()) == [300 << 20, 20 << 30]
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}


#: In q11 two uses of a definition have tables of their own; in q30 one joins the other, which only the columns that
#: they give tell apart; in q24a a subquery joins the same tables once more, under other filters.
@pytest.mark.slow
@pytest.mark.parametrize("query", ["q11", "q30", "q24a"])
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_the_order_of_joins_in_a_definition_that_is_used_twice_is_found(query: str) -> None:
    ((_, _, text),) = texts("tpcds/captures/cbo-aqeon", (query,))
    assert replayed(text).verdicts == {"optimized": "equal", "physical": "equal"}


@pytest.mark.parametrize(("version", "query"), [("3.0.3", "q95"), ("3.0.3", "q87"), ("3.2.4", "q1")])
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_texts_of_older_versions_give_the_same_plans_again(version: str, query: str) -> None:
    ((_, _, text),) = texts(f"versions/{version}/tpcds/nocbo-aqeoff", (query,))
    assert replayed(text).verdicts == {"optimized": "equal", "physical": "equal"}
