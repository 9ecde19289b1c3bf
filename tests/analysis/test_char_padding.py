"""char(n) columns, as Spark 4.3 pads them."""

from __future__ import annotations

import re

import pytest

from planviz.execution import Session

SETUP = "create table n (i int, c char(4), d char(6), v varchar(4)) using parquet; "


def plan(sql: str, stage: str = "analyzed") -> str:
    *_, outcome = Session().run(SETUP + sql, "optimized")
    assert outcome.error is None
    return re.sub(r"#\d+", "", outcome.execution.text(stage))


@pytest.mark.parametrize(
    ("condition", "padded"),
    [
        ("c = 'x'", "(c = rpad(x, 4,  ))"),
        ("'x' < c", "(rpad(x, 4,  ) < c)"),
        ("c = 'longer'", "(rpad(c, 6,  ) = longer)"),
        ("c = 'same'", "(c = same)"),
        ("c = d", "(rpad(c, 6,  ) = d)"),
        ("c in ('x', 'yz')", "c IN (rpad(x, 4,  ),rpad(yz, 4,  ))"),
        ("c in ('x', 'longer')", "rpad(c, 6,  ) IN (rpad(x, 6,  ),longer)"),
        ("c = v", "(c = v)"),
        ("v = 'x'", "(v = x)"),
    ],
)
def test_the_shorter_side_of_a_comparison_is_padded(condition, padded):
    assert f"+- Filter {padded}\n" in plan(f"select i from n where {condition}")


def test_a_column_is_padded_where_it_is_read():
    first, *_, read, _ = plan("select i, c from n").splitlines()

    assert first == "Project [i, c]"
    assert read.strip() == (
        "+- Project [i, static_invoke(CharVarcharCodegenUtils.readSidePadding(c, 4)) AS c, "
        "static_invoke(CharVarcharCodegenUtils.readSidePadding(d, 6)) AS d, v]"
    )


def test_a_column_that_passes_it_on_keeps_its_length():
    assert "Filter (k = rpad(x, 4,  ))" in plan("select * from (select c as k from n) where k = 'x'")


def test_constants_are_padded_while_planning():
    assert "= x   )" in plan("select i from n where c = 'x'", "optimized")
