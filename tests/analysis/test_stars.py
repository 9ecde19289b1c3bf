"""Stars without columns, and without fields of structs."""

from __future__ import annotations

import pytest

from planviz.execution import Session
from tests.plans import canonical

SETUP = "create table t (id int, s struct<a: int, b: struct<x: int, y: string>>) using parquet;"


def last(columns: str):
    *_, outcome = Session().run(f"{SETUP} select {columns} from t", "analyzed")
    return outcome


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        ("* except (id)", "s#1"),
        ("* except (s.a)", "id#1, named_struct(b, s#2.b) AS s#3"),
        ("* except (s.b.x)", "id#1, named_struct(a, s#2.a, b, named_struct(y, s#2.b.y)) AS s#3"),
        ("* except (t.s.a, s.b)", "id#1, named_struct() AS s#2"),
        ("s.* except (b.y)", "s#1.a AS a#2, named_struct(x, s#1.b.x) AS b#3"),
        ("all id", "id#1"),
        ("/*+ coalesce(2) */ all id", "id#1"),
    ],
)
def test_columns_and_fields_are_left_out(columns, shown):
    text = canonical(last(columns).execution.text("analyzed"))

    assert f"Project [{shown}]" in text


@pytest.mark.parametrize(
    ("columns", "error_class"),
    [
        ("* except (s.c)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("* except (s, s.a)", "EXCEPT_OVERLAPPING_COLUMNS"),
        ("* except (s.b, s.b.x)", "EXCEPT_OVERLAPPING_COLUMNS"),
        ("* except (id, ID)", "EXCEPT_OVERLAPPING_COLUMNS"),
    ],
)
def test_what_is_left_out_exists_once(columns, error_class):
    assert last(columns).error.error_class == error_class
