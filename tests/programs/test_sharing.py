"""What several actions compute again, and what cache() would save."""

from __future__ import annotations

from planviz.catalogs import find
from planviz.programs import read_program

SHARED = (
    "o = spark.table('orders').join(spark.table('customer'), F.col('o_custkey') == F.col('c_custkey'))\n"
    "g = o.groupBy('c_nationkey').count()\n"
    "g.show()\n"
    "g.filter('count > 10').show()\n"
    "o.count()\n"
)


def read(text):
    return read_program("from pyspark.sql import functions as F\n" + text, find("tpch"))


def test_the_largest_shared_parts_are_told_with_their_actions():
    program = read(SHARED)
    told = [(s.plan.node_name, s.place.line, [a.place.line for a in s.actions]) for s in program.shared]
    assert told == [("Join", 2, [4, 5, 6]), ("Aggregate", 3, [4, 5])]
    tables = [find("tpch").table((n,)).size_in_bytes for n in ("orders", "customer")]
    assert program.shared[0].saved == 2 * sum(tables)
    assert any("cache() there would save reading" in n for n in program.notes)


def test_what_is_cached_is_not_told():
    assert (
        read(SHARED.replace("o_custkey') == F.col('c_custkey'))", "o_custkey') == F.col('c_custkey')).cache()")).shared
        == []
    )


def test_every_operator_of_a_physical_plan_tells_its_line():
    program = read(SHARED)
    plan = program.actions[0].execution.physical
    lines = {n.node_name: p.line for n in plan.walk() if (p := program.place_of(n)) is not None}
    assert lines["HashAggregate"] == 3
    assert {line for name, line in lines.items() if name == "FileSourceScan"} == {2}


def test_a_single_action_shares_nothing():
    assert read("spark.table('orders').groupBy('o_custkey').count().show()\n").shared == []


def test_a_size_of_no_table_is_told_to_be_unknown():
    many = ".crossJoin(spark.range(100000000))" * 3
    program = read(f"x = spark.range(1000000){many}.distinct()\nx.show()\nx.count()\n")
    (told,) = [n for n in program.notes if "cache()" in n]
    assert told.endswith("how much it would keep no statistics tell.")
    assert "EiB" not in told


def test_only_one_way_of_a_branch_computes_what_both_have():
    text = (
        "import settings\nd = spark.table('t').groupBy('k').count()\n"
        "if settings.fast:\n    d.write.parquet('/a')\nelse:\n    d.write.parquet('/b')\n"
    )
    assert read_program(text).shared == []
    (both,) = read_program(f"{text}d.show()\n").shared
    assert [a.place.line for a in both.actions] == [4, 7]
