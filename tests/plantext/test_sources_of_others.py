"""What connectors print of their tables and joins."""

from __future__ import annotations

from planviz.document import open_text
from planviz.graph.words import title
from tests.replay.test_parts import HEAD, replayed


def test_a_relation_may_say_its_table_before_the_columns() -> None:
    name = "DirectBigQueryRelation[my-data.shop.sales]"
    (plan,) = open_text(f"{HEAD}*(1) Scan {name} [day#0L,price#1] PushedFilters: [IsNotNull(day)]\n").plans
    assert plan[0].arguments["table"] == "my-data.shop.sales"
    assert plan[0].arguments["output"] == ["day#0L", "price#1"]
    assert title(plan[0]) == "Scan my-data.shop.sales"


def test_a_relation_may_say_its_size_on_lines_of_its_own() -> None:
    relation = "BigQueryRelation(my-data.shop.sales\nnumRows=137,826,763\nnumBytes=23,562,717,384\n)"
    (plan,) = open_text(f"{HEAD}*(1) Scan {relation} [day#0L,price#1] ReadSchema: struct<day:bigint>\n").plans
    assert title(plan[0]) == "Scan my-data.shop.sales"
    assert plan[0].arguments["output"] == ["day#0L", "price#1"]


def test_cached_columns_and_predicates_stay_what_they_are() -> None:
    (plan,) = open_text(f"{HEAD}InMemoryTableScan [k#1, v#2], [(v#2 > 3)]\n").plans
    assert plan[0].arguments["output"] == ["k#1", "v#2"]


DIRECT_JOIN = (
    f"{HEAD}Project [key#0, v#1, c#9]\n"
    "+- Cassandra Direct Join [key = k1] test.kv - Reading (key, v) Pushed {} \n"
    "   +- Scan org.apache.spark.sql.cassandra.CassandraSourceRelation [k1#7,c#9] ReadSchema: struct<k1:int,c:int>\n"
)


def test_a_join_that_looks_rows_up_in_cassandra_is_a_join_with_one_input() -> None:
    (plan,) = open_text(DIRECT_JOIN).plans
    assert (plan[1].op, plan[1].kind) == ("Cassandra Direct Join", "join")
    assert title(plan[1]) == "Cassandra Direct Join"
    assert replayed(DIRECT_JOIN).verdicts["physical"] != "absent"


def test_a_source_without_files_stays_a_source_in_the_formatted_mode() -> None:
    made = replayed(
        f"{HEAD}Project (2)\n+- Scan com.google.Relation@18db53e9 (1)\n\n\n(1) Scan com.google.Relation@18db53e9\n"
        "Output [2]: [a#1, b#2]\nPushedFilters: [IsNotNull(b)]\nReadSchema: struct<a:int,b:int>\n\n"
        "(2) Project\nOutput [1]: [a#1]\nInput [2]: [a#1, b#2]\n"
    )
    assert made.verdicts["physical"] == "shape"
