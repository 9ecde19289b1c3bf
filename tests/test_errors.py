"""Messages stay short, whatever value they speak of."""

from __future__ import annotations

from decimal import Decimal

import pytest

from planviz.document import open_sql
from planviz.errors import InputError, PlanvizError, shown


@pytest.mark.parametrize(
    "expression",
    [
        "cast('1e999999999' as decimal(38,0))",
        "cast('1e999999999' as int)",
        "cast('-1e999999999' as decimal(38,10))",
        f"cast('{'9' * 5_000}' as bigint)",
        f"cast('{'9' * 50_000}' as decimal(10,0))",
        f"cast('{'x' * 50_000}' as date)",
        "INTERVAL 1e999999999 DAY",
        "INTERVAL '1e999999999' YEAR",
        f"INTERVAL '{'9' * 5_000} days'",
        f"INTERVAL '{'1' * 50_000}'",
        f"INTERVAL '{'9' * 5_000}-1' YEAR TO MONTH",
        "1e999999999BD",
        f"{'9' * 5_000}",
        f"{'9' * 5_000}L",
        f"0.{'9' * 5_000}",
        "x" * 50_000,
    ],
)
def test_a_value_in_a_message_is_cut(expression):
    try:
        found = [s.error for s in open_sql(f"SELECT {expression}").statements]
    except InputError as error:
        found = [error]

    assert any(found)
    assert all(len(str(e)) < 10_000 for e in found)


def test_a_limit_of_many_digits_is_refused_shortly():
    with pytest.raises(InputError) as refused:
        open_sql(f"SELECT 1 LIMIT {'9' * 5_000}")

    assert len(str(refused.value)) < 1_000


def test_values_are_shown_as_they_are_where_they_are_short():
    assert shown(Decimal("1E+3")) == "1000"
    assert shown(Decimal("NaN")) == "NaN"
    assert shown(10**5_000) == "a number of about 5,000 digits"
    assert shown("x" * 100) == "x" * 100


def test_no_message_is_without_end():
    assert len(str(PlanvizError("x" * 10_000_000))) < 10_000
