"""Everyday SQL that real Sparks of all versions answer alike: names, grouping sets below HAVING, what is refused."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import Session

_VERSIONS = ("3.3", "3.5", "4.0", "4.3")
_TABLES = (
    "CREATE TABLE a (id BIGINT, owner STRING, vip BOOLEAN, rate DOUBLE, prefs MAP<STRING, INT>, "
    "parts ARRAY<STRUCT<sku: STRING, n: INT>>) USING parquet"
)


def planned(version: str, sql: str, stage: str = "analyzed") -> str:
    """A stage of a query as a version plans it, ids left out. Raises PlanvizError where it is refused."""
    session = Session(config=OptimizerConfig.of(f"spark-{version}", **{"spark.sql.adaptive.enabled": False}))
    *_, outcome = session.run(f"{_TABLES}; {sql}", "physical")
    if outcome.execution is None:
        assert outcome.error is not None
        raise outcome.error
    return re.sub(r"#\d+L?", "#", outcome.execution.text(stage))


@pytest.mark.parametrize("version", _VERSIONS)
def test_order_by_grouping_reads_what_having_s_aggregate_hides(version):
    shown = planned(
        version, "SELECT owner FROM a GROUP BY ROLLUP (owner) HAVING grouping_id() > 0 ORDER BY grouping(owner)"
    )

    assert shown.startswith("Project [owner#]\n+- Sort [cast((shiftright(spark_grouping_id#, 0) & 1)")
    assert "\n   +- Project [owner#, spark_grouping_id#]\n      +- Filter" in shown


@pytest.mark.parametrize("version", _VERSIONS)
def test_a_pivot_s_columns_leave_qualifiers_out(version):
    sql = "SELECT * FROM (SELECT owner, rate FROM a) PIVOT (sum(rate), count(*) FOR owner IN ('x', 'y'))"

    assert planned(version, sql).startswith("Project [x_sum(rate)#, x_count(1)#, y_sum(rate)#, y_count(1)#]")


@pytest.mark.parametrize("version", ["3.5", "4.3"])
def test_user_without_parentheses_is_the_current_user(version):
    assert "[current_user() AS current_user()#]" in planned(version, "SELECT user FROM a")


def test_user_is_no_function_before_3_4():
    with pytest.raises(AnalysisError) as raised:
        planned("3.3", "SELECT user FROM a")

    assert raised.value.error_class.startswith("UNRESOLVED_COLUMN")


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("SELECT hash(id, prefs) FROM a", "DATATYPE_MISMATCH.HASH_MAP_TYPE"),
        ("SELECT * FROM VALUES (1), ('b') AS t(x)", "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE"),
    ],
)
def test_every_version_refuses(version, sql, condition):
    with pytest.raises(AnalysisError) as raised:
        planned(version, sql)

    assert raised.value.error_class == condition


@pytest.mark.parametrize(
    ("sql", "condition", "last", "first"),
    [
        ("SELECT count(*) FROM a GROUP BY prefs", "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "3.5", "4.0"),
        ("SELECT sum(id) FILTER (WHERE vip) OVER (ORDER BY id) FROM a", "_LEGACY_ERROR_TEMP_1030", "4.1", "4.2"),
        ("SELECT mode(id, true) FROM a", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "3.5", "4.0"),
    ],
)
def test_a_later_version_takes_what_an_older_one_refuses(sql, condition, last, first):
    with pytest.raises(AnalysisError) as raised:
        planned(last, sql)

    assert raised.value.error_class == condition
    assert planned(first, sql)


def test_null_stands_beside_texts_and_numbers_in_values():
    assert "LocalRelation [x#, y#]" in planned("4.3", "SELECT * FROM VALUES (1, 'a'), (NULL, NULL) AS t(x, y)")


@pytest.mark.parametrize(("version", "read"), [("4.2", "sku:string,n:int"), ("4.3", "sku:string")])
def test_a_scan_leaves_out_what_transform_does_not_read_since_4_3(version, read):
    assert f"array<struct<{read}>>" in planned(version, "SELECT transform(parts, p -> p.sku) FROM a", "physical")


@pytest.mark.parametrize("version", _VERSIONS)
def test_to_binary_fails_where_it_cannot_read_since_3_4(version):
    shown = planned(version, "SELECT to_binary(owner, 'hex') FROM a", "optimized")

    assert ("unhex(owner#)" if version == "3.3" else "unhex(owner#, true)") in shown
