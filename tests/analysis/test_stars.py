"""Stars without columns, and without fields of structs."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
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


def plan_of(script: str, stage: str = "analyzed", **settings: object) -> str:
    *_, outcome = Session(config=OptimizerConfig.of(**settings)).run(f"{SETUP} {script}", stage)
    assert outcome.error is None, outcome.error
    return canonical(outcome.execution.text(stage))


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("select x.* from t, lateral (select t.*) as x", "Project [outer(id#4) AS id#1, outer(s#5) AS s#2]"),
        ("select x.* from t, lateral (select t.* except (s)) as x", "Project [outer(id#3) AS id#1]"),
        ("select (select coalesce(t.* except (s), 1)) from t", "coalesce(outer(id#2), 1)"),
    ],
)
def test_a_subquery_of_a_select_list_or_a_lateral_join_names_tables_around_it(query, shown):
    assert shown in plan_of(query)


def test_a_star_of_no_table_is_refused_where_a_filter_holds_the_subquery():
    *_, outcome = Session().run(f"{SETUP} select 1 from t where exists (select t.*)", "analyzed")

    assert outcome.error.error_class == "CANNOT_RESOLVE_STAR_EXPAND"


REGEX = {"spark.sql.parser.quotedRegexColumnNames": True}


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        ("`i.*`", "id#1"),
        ("`(ID|s)`", "id#1, s#2"),
        # Hive's "all but": what the group took is not given back.
        ("`(id)?+.+`", "s#1"),
        ("t.`(s)?+.+`", "id#1"),
        ("sum(`i.`)", "sum(id#1) AS sum(id)#2L"),
    ],
)
def test_a_quoted_name_is_a_regular_expression(columns, shown):
    assert f"[{shown}]" in plan_of(f"select {columns} from t", **REGEX)


def test_a_quoted_name_is_a_name_outside_of_select_lists_and_by_default():
    assert "Filter (id#1 > 1)" in plan_of("select id from t where `id` > 1", **REGEX)
    *_, outcome = Session().run(f"{SETUP} select `i.*` from t", "analyzed")
    assert outcome.error.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
