"""A flip is a promise: applied, it gives the plan that it names. The whole of TPC-DS: `python -m tests.decisions`."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.flips import SettingChange, StatisticsChange, TextChange
from planviz.document.alternatives.flips import flips_of
from planviz.execution import explain
from tests.acceptance.engines import BASE, real_spark, skip_without_java
from tests.decisions.promises import TPCDS, tpcds
from tests.physical.grid import OPERATORS, Spark, catalog

#: Queries with all kinds of joins: outer, anti, existence, self joins, common table expressions.
SAMPLE = ("q3", "q37", "q42", "q52", "q93", "q97")


@pytest.mark.slow
def test_every_flip_of_a_sample_of_tpcds_is_kept():
    if not TPCDS.exists():
        pytest.skip("the captures of TPC-DS are not beside this checkout")
    tally = tpcds(SAMPLE)

    assert not tally.broken
    assert sum(tally.offered.values()) > 50


JOINS = (
    "SELECT * FROM big JOIN mid ON big.k = mid.k",
    "SELECT * FROM mid LEFT JOIN big ON mid.k = big.k",
    "SELECT * FROM big LEFT SEMI JOIN small ON big.k = small.k",
    "SELECT * FROM small JOIN tiny ON small.k = tiny.k",
    "SELECT /*+ MERGE(small) */ * FROM big JOIN small ON big.k = small.k",
    "SELECT * FROM big FULL JOIN lim ON big.k = lim.k",
    "SELECT * FROM big LEFT JOIN over10 ON big.k < over10.k",
    "SELECT * FROM big JOIN big2 ON big.k < big2.k",
    "SELECT * FROM big WHERE k NOT IN (SELECT k FROM mid)",
)


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    return Spark(real_spark())


@pytest.mark.spark
@pytest.mark.parametrize("sql", JOINS)
def test_spark_keeps_the_promises(sql, spark):
    execution = explain(sql, catalog(), OptimizerConfig().with_settings(BASE))
    (decision,) = execution.planned.decisions
    found = flips_of(decision, execution)

    assert found
    for flip in found:
        settings = {c.key: c.value for c in flip.changes if isinstance(c, SettingChange)}
        sizes = {c.table: c.size_in_bytes for c in flip.changes if isinstance(c, StatisticsChange)}
        edited = sql
        for change in flip.changes:
            edited = change.on(edited) if isinstance(change, TextChange) else edited
        code = spark.chosen(edited, settings, sizes).split("!")[0]
        assert code == OPERATORS[flip.outcome] + flip.build.removeprefix("Build")[:1].lower(), flip.words
