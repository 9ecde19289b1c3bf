"""Programs and scripts that cache: what fills a cache is told as what is planned."""

from __future__ import annotations

import pytest

from planviz.document import Document, open_sql
from planviz.document.alternatives.aggregate_flips import what_ifs
from planviz.document.alternatives.what_if import WhatIf, decided_if
from planviz.document.decisions.aggregates import aggregates
from planviz.document.decisions.queries import decided

PROGRAM = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
o = spark.range(1000).withColumn("k", F.col("id") % 7)
c = spark.range(7).withColumnRenamed("id", "k")
j = o.join(c, "k").groupBy("k").agg(F.count("*").alias("n"))
j.cache()
j.count()
j.orderBy("n").show()
"""
SCRIPT = "CACHE TABLE j AS SELECT a.id, count(*) AS n FROM range(9) a JOIN range(9) b ON a.id = b.id GROUP BY a.id;"


@pytest.fixture(params=[PROGRAM, f"{SCRIPT} SELECT * FROM j; SELECT count(*) FROM j"], ids=["program", "script"])
def document(request: pytest.FixtureRequest) -> Document:
    return open_sql(request.param)


def test_the_join_that_fills_a_cache_is_told_once(document: Document) -> None:
    found = decided(document)
    joins = [(q, d) for q in found for d in q.of("JoinSelection")]
    assert [d.outcome for _, d in joins] == ["BroadcastHashJoin"]
    assert joins[0][0].fills_cache
    assert len(found) == len(document.statements and [s for s in document.statements if s.execution]) + 1


def test_it_can_be_asked_what_if(document: Document) -> None:
    other = decided_if(decided(document), WhatIf(settings={"spark.sql.autoBroadcastJoinThreshold": -1}))
    assert [d.outcome for q in other for d in q.of("JoinSelection")] == ["SortMergeJoin"]


def test_its_aggregates_have_their_decisions(document: Document) -> None:
    reports = aggregates(document)
    assert all(report.decisions for report in reports)
    assert all(list(what_ifs(report)) is not None for report in reports)
