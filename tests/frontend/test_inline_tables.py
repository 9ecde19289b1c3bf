"""VALUES with a name, and with names of columns."""

from __future__ import annotations

import pytest

from tests.plans import plan_text


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("VALUES (1), (2) AS t(x)", "t"),
        ("VALUES (1), (2) t(x)", "t"),
        # AS is no reserved word: right before the columns it is the name.
        ("(VALUES (1), (2) AS (x))", "AS"),
        ("VALUES 1, 2 as (x)", "as"),
    ],
)
def test_the_name_and_the_columns_of_values(source, name):
    text = plan_text(f"SELECT x FROM {source}")

    assert f"SubqueryAlias {name}\n" in text
    assert "LocalRelation [x#1]" in text
