"""Settings that change what texts of bytes, size of null, double keys of maps, aliases and HAVING mean."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from tests.plans import small_catalog

OFF = {"spark.sql.ansi.enabled": False}


def text(sql: str, stage: str = "analyzed", **settings: object) -> str:
    return QueryExecution(sql, small_catalog(), OptimizerConfig.of(**settings)).text(stage)


@pytest.mark.parametrize("ansi", [True, False])
def test_bytes_join_as_text(ansi):
    settings = {"spark.sql.function.concatBinaryAsString": True, "spark.sql.ansi.enabled": ansi}
    assert "concat(cast(0x61 as string), cast(0x62 as string))" in text("select X'61' || X'62'", **settings)
    assert "concat(0x61, 0x62)" in text("select X'61' || X'62'", **{"spark.sql.ansi.enabled": ansi})


def test_bytes_are_chosen_as_text():
    settings = {"spark.sql.function.eltOutputAsString": True}
    assert "elt(1, cast(0x61 as string), b, true)" in text("select elt(1, X'61', 'b')", **settings)
    assert "elt(1, 0x61, 0x62, true)" in text("select elt(1, X'61', X'62')")


def test_size_of_null_hangs_on_a_setting_without_ansi_mode():
    assert "[-1 AS size(" in text("select size(cast(null as array<int>))", "optimized", **OFF)
    null = text("select size(cast(null as array<int>))", "optimized", **OFF, **{"spark.sql.legacy.sizeOfNull": False})
    assert "[null AS size(" in null
    assert "[null AS size(" in text("select size(cast(null as array<int>))", "optimized")


@pytest.mark.parametrize(
    "made", ["map(1, 2, 1, 3)", "map_from_arrays(array(1, 1), array(2, 3))", "map_from_entries(array((1, 2), (1, 3)))"]
)
def test_the_last_value_of_a_key_wins(made):
    settings = {"spark.sql.mapKeyDedupPolicy": "LAST_WIN"}
    assert "map(keys: [1], values: [3])" in text(f"select {made}", "optimized", **settings)
    with pytest.raises(PlanvizError, match="DUPLICATED_MAP_KEY"):
        text(f"select {made}", "optimized")


def test_an_alias_is_not_read_by_the_item_behind_it():
    settings = {"spark.sql.lateralColumnAlias.enableImplicitResolution": False}
    assert text("select a as z, z + 1 from t1").count("Project [") == 2
    with pytest.raises(PlanvizError, match="UNRESOLVED_COLUMN"):
        text("select a as z, z + 1 from t1", **settings)


def test_having_without_group_by_is_where():
    settings = {"spark.sql.legacy.parser.havingWithoutGroupByAsWhere": True}
    assert text("select a from t1 having a > 1", **settings).startswith("Filter (a#")
    assert "Project [1 AS 1#" in text("select 1 from t1 having a > 1", **settings)
    assert "Aggregate [max(a#" in text("select max(a) from t1 having max(a) > 1", **settings)
    with pytest.raises(PlanvizError, match="MISSING_GROUP_BY"):
        text("select a from t1 having a > 1")
