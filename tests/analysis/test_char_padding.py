"""char(n) columns, as Spark 4.3 pads them."""

from __future__ import annotations

import json
import re

import pytest

from planviz.catalog.files import parse_catalog, write_catalog
from planviz.execution import Session, explain

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


@pytest.mark.parametrize(
    ("settings", "condition"),
    [
        ({"spark.sql.readSideCharPadding": False}, "(rpad(c, 4,  ) = rpad(ab, 4,  ))"),
        (
            {"spark.sql.readSideCharPadding": False, "spark.sql.legacy.noCharPaddingInPredicate": True},
            "(c = rpad(ab, 4,  ))",
        ),
        ({"spark.sql.legacy.charVarcharAsString": True}, "(c = ab)"),
    ],
)
def test_settings_say_what_is_padded(settings, condition):
    """As Spark 4.3.0 answers with these settings."""
    set_all = "".join(f"set {key} = {str(value).lower()}; " for key, value in settings.items())
    text = plan(f"{set_all}select i from n where c = 'ab'")

    assert f"Filter {condition}" in text
    assert "readSidePadding" not in text


def test_a_catalogue_s_char_and_varchar_columns_are_compared_as_those_of_create_table():
    columns = [{"name": "c", "type": "char(4)"}, {"name": "v", "type": "varchar(4)"}]
    document = {"format": "planviz-catalog/1", "tables": {"n": {"columns": columns}}}
    catalog, problems = parse_catalog(json.dumps(document))
    text = re.sub(r"#\d+", "", explain("select v from n where c = 'ab' and v = 'ab'", catalog).text("analyzed"))

    assert problems == []
    assert "Filter ((c = rpad(ab, 4,  )) AND (v = ab))" in text
    assert "readSidePadding(c, 4)" in text
    assert '"char(4)"' in write_catalog(catalog)


def test_a_catalogue_keeps_what_texts_are_declared_as():
    given = {
        "format": "planviz-catalog/1",
        "tables": {"n": {"columns": [{"name": "c", "type": "char(4)"}, {"name": "v", "type": "varchar(9)"}]}},
    }
    catalog, problems = parse_catalog(json.dumps(given))
    assert not problems

    written = json.loads(write_catalog(catalog))["tables"]["n"]["columns"]
    assert [c["type"] for c in written] == ["char(4)", "varchar(9)"]


INNER = "create table m (s struct<a: char(2), b: int>, l array<varchar(3)>, p map<char(1), int>) using parquet; "


def inner(sql: str) -> str:
    *_, outcome = Session().run(INNER + sql, "optimized")
    assert outcome.error is None
    return re.sub(r"#\d+|_\d+#\d+", "", outcome.execution.text("analyzed"))


def test_texts_inside_of_values_are_padded_when_they_are_read() -> None:
    read = "static_invoke(CharVarcharCodegenUtils.readSidePadding("
    text = inner("select s, l from m")
    assert f"if (isnull(s)) null else named_struct(a, {read}s.a, 2)), b, s.b) AS s, l," in text
    assert f"map_from_arrays(transform(map_keys(p), lambdafunction({read}lambda x" in text


def test_texts_inside_of_values_are_measured_when_they_are_written() -> None:
    text = inner("insert into m values (named_struct('a', 'x', 'b', 1), array('y'), map('z', 2))")
    check = "TypeWriteSideCheck(cast("
    assert (
        f"named_struct(a, static_invoke(CharVarcharCodegenUtils.char{check}col1.a as string), 2)), b, col1.b)" in text
    )
    assert f"transform(col2, lambdafunction(static_invoke(CharVarcharCodegenUtils.varchar{check}lambda element" in text


def test_a_text_that_is_too_long_is_no_value() -> None:
    *_, outcome = Session().run(SETUP + "insert into n values (1, 'longer', 'x', 'y')", "optimized")
    assert getattr(outcome.error, "error_class", "") == "EXCEED_LIMIT_LENGTH"
