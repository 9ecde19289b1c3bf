"""Forms of SQL that few write, each as Spark 4.3 reads it."""

from __future__ import annotations

import pytest

from planviz.errors import PlanvizError
from planviz.execution import explain


@pytest.mark.parametrize(
    ("sql", "stage", "shown"),
    [
        ("select struct(1 a, 'x' b)", "analyzed", "struct(a, 1, b, x)"),
        ("with `a.b` as (select 1 x) select * from `a.b`", "analyzed", "SubqueryAlias `a.b`"),
        ("select locate('', 'abc', 5)", "optimized", "[1 AS"),
        (
            "with recursive t(n) as (select 1L union all select 2 from t where n < 2) select * from t",
            "analyzed",
            "Project [cast(2#",
        ),
        (
            "select vector_l2_distance(array(x), array(x)) from (select cast(id as float) x from range(3))",
            "optimized",
            "static_invoke(VectorFunctionImplUtils.vectorL2Distance(",
        ),
        (
            "select try_sum(x), try_avg(x) from (select cast(id as decimal(5,2)) x from range(3))",
            "optimized",
            "[MakeDecimal(sum(UnscaledValue(x#",
        ),
        (
            "select id, vector_sum(x) from (select id, array(1f) x from range(3)) group by id",
            "physical",
            "SortAggregate(key=[id#",
        ),
    ],
)
def test_it_is_read(sql, stage, shown):
    assert shown in explain(sql).text(stage)


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("select * from values (array(1)) t(a) lateral view explode(a)", "PARSE_SYNTAX_ERROR"),
        ("select vector_inner_product(array(1f), array(2f, 3f))", "VECTOR_DIMENSION_MISMATCH"),
        ("select vector_norm(array(1f), 3f)", "INVALID_VECTOR_NORM_DEGREE"),
        (
            "with recursive t(n) as (select 1 union all select n + 1L from t) select * from t",
            "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
        ),
    ],
)
def test_it_is_refused(sql, error):
    with pytest.raises(PlanvizError, match=error):
        explain(sql).text("optimized")
