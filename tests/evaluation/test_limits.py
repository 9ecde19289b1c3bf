"""What would take ages or all memory is left as it is written."""

from __future__ import annotations

import pytest

from planviz.errors import PlanTooLarge
from planviz.execution import Session
from tests.steps import steps


def optimized(expression):
    *_, outcome = Session().run(f"SELECT {expression} AS x")
    return outcome.execution.text("optimized").splitlines()[0]


def analyzed(sql):
    *_, outcome = Session().run(sql)
    if outcome.error is not None:
        raise outcome.error
    return outcome.execution.analyzed


@pytest.mark.parametrize(
    "expression",
    [
        "sequence(1, 1000000000)",
        "repeat('x', 2000000000)",
        "lpad('x', 2000000000, 'y')",
        "array_repeat(array_repeat(1, 5000), 5000)",
        "format_string('%2000000000d', 1)",
        "array_insert(array(1), 2000000000, 1)",
        "levenshtein(repeat('a', 9000), repeat('b', 9000))",
        "aggregate(sequence(1, 9000), 0, (a, x) -> a + aggregate(sequence(1, 9000), 0, (b, y) -> b + y))",
        "regexp_replace(repeat('a', 9000), '(a|b)*a(a|b){20}c', 'b')",
        "rlike('ab', '(?=a)ab')",
        "rlike('aa', '(a)\\\\1')",
        "rlike('a', '((a{900}){900}){900}')",
        "split(repeat('a,', 6000), ',')",
    ],
)
def test_what_is_too_much_is_left(expression):
    texts = []
    taken = steps(lambda: texts.append(optimized(expression)))

    (text,) = texts
    assert text.startswith("Project [")
    assert expression.split("(", maxsplit=1)[0] in text.lower()
    assert taken < 500_000


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("size(sequence(1, 10000))", "10000"),
        ("regexp_extract('2026-11-22', '(\\\\d+)-(\\\\d+)-(\\\\d+)', 2)", "11"),
        ("rlike('aaab', '(a+)+b')", "true"),
        ("rlike(repeat('a', 40), '^(a|a)*$')", "true"),
        ("rlike(repeat('a', 40) || 'b', '^(a|a)*$')", "false"),
        ("rlike(repeat('a', 9000) || 'b', '^(a|aa)+$')", "false"),
        ("rlike(repeat('a', 40) || 'b', '(a+)+$')", "false"),
        ("length(regexp_replace(repeat('a', 500), 'a*a*a*a*c', 'b'))", "500"),
        ("regexp_replace('2026-11', '(\\\\d+)-(\\\\d+)', '$2/$1')", "11/2026"),
        ("repeat('a', 50) || 'b' LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%c'", "false"),
        ("'a%c_d' LIKE 'a\\\\%_\\\\_%d'", "true"),
        ("'abcabd' LIKE '%ab_'", "true"),
        ("'ab' LIKE 'a%b%b'", "false"),
        ("'' LIKE '%'", "true"),
        ("'x' LIKE ''", "false"),
    ],
)
def test_what_is_within_the_limits_is_computed(expression, value):
    assert optimized(expression).startswith(f"Project [{value} AS x#")


@pytest.mark.parametrize("grouping", ["cube({0})", "grouping sets (cube({0}), (c1))", "rollup({0}), cube({0})"])
def test_too_many_grouping_sets_are_refused(grouping):
    names = [f"c{i}" for i in range(30)]
    columns = ", ".join(f"{i} AS {name}" for i, name in enumerate(names))
    with pytest.raises(PlanTooLarge, match=r"GROUP BY makes .* grouping sets"):
        analyzed(f"SELECT count(*) FROM (SELECT {columns}) GROUP BY {grouping.format(', '.join(names))}")
