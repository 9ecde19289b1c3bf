"""Aggregate functions by their buffers: merged parts give what all rows at once give."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from planviz.evaluation import UnknownValueError
from planviz.execution import explain
from planviz.expressions.aggregates import AggregateExpression
from planviz.mechanics.buffers import buffered
from planviz.mechanics.rows import rows_of

ROWS = "VALUES (1, 3, 1.50, 2.0D, 'b'), (2, null, 2.25, 4.0D, 'a'), (3, 9, null, 4.0D, null), (4, 3, 0.00, 5.0D, 'c')"
TABLE = f"{ROWS} AS t(id, n, d, x, s)"
#: Functions and their values over the rows, counted by hand.
CASES: list[tuple[str, Any]] = [
    ("count(*)", 4),
    ("count(n)", 3),
    ("count(n, s)", 2),
    ("count_if(n = 3)", 2),
    ("sum(n)", 15),
    ("sum(d)", Decimal("3.75")),
    ("sum(x)", 15.0),
    ("avg(n)", 5.0),
    ("avg(d)", Decimal("1.250000")),
    ("min(s)", "a"),
    ("max(x)", 5.0),
    ("first(n)", 3),
    ("last(s)", "c"),
    ("last(s, true)", "c"),
    ("max_by(s, x)", "c"),
    ("min_by(id, x)", 1),
    ("collect_list(n)", (3, 9, 3)),
    ("collect_set(n)", (3, 9)),
    ("percentile_approx(x, 0.5)", 4.0),
    ("percentile_approx(x, array(0.0, 1.0))", (2.0, 5.0)),
    ("var_pop(x)", 1.1875),
    ("stddev(id)", 1.2909944487358056),
    ("bit_or(n)", 11),
    ("bit_xor(n)", 9),
]


def function(text: str) -> tuple[Any, list[dict[int, Any]]]:
    """The function of a query over the table, and the rows as it reads them."""
    plan: Any = explain(f"SELECT {text} FROM {TABLE}").analyzed
    (found,) = [f for e in plan.expressions for f in e.collect(AggregateExpression)]
    rows = rows_of(plan.child) or []
    return found.function, [dict(zip([a.expr_id for a in plan.child.output], row, strict=True)) for row in rows]


@pytest.mark.parametrize(("text", "value"), CASES)
@pytest.mark.parametrize("cut", [0, 1, 2, 4])
def test_merged_parts_give_the_value_of_all_rows(text: str, value: Any, cut: int) -> None:
    f, rows = function(text)
    kept = buffered(f)
    parts = []
    for part in (rows[:cut], rows[cut:]):
        buffer = kept.start()
        for row in part:
            buffer = kept.update(buffer, row)
        parts.append(buffer)

    found = kept.result(kept.merge(*parts))
    assert found == pytest.approx(value) if isinstance(value, float) else found == value


@pytest.mark.parametrize("text", ["sum(n)", "sum(d)", "avg(x)", "max(s)", "first(n)", "stddev(x)", "bit_and(n)"])
def test_no_rows_give_null(text: str) -> None:
    kept = buffered(function(text)[0])

    assert kept.result(kept.merge(kept.start(), kept.start())) is None


def test_a_buffer_has_a_value_for_every_column() -> None:
    from planviz.physical.buffers import columns_of

    for text, _ in CASES:
        f, _ = function(text)
        assert len(buffered(f).start()) == len(columns_of(f)), text


def test_an_unknown_function_is_not_modelled() -> None:
    with pytest.raises(UnknownValueError):
        buffered(function("approx_count_distinct(n)")[0])
