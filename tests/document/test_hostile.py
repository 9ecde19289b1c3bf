"""Short texts that make much work: they take time in step with their text, or are refused in a sentence."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from planviz.analysis import routines
from planviz.analysis.commands import distinct_names
from planviz.document import open_text
from planviz.errors import AnalysisError, PlanTooLarge, PlanvizError
from planviz.findings.documents import document_findings
from planviz.graph.differences import conjuncts
from planviz.trees.executor import RuleExecutor
from tests.steps import steps


@pytest.fixture(autouse=True)
def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks walk the whole plan after every step; here the work counts."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


def star(n: int) -> str:
    """Joins on one column: what is equal to it is equal to each other."""
    return "SELECT * FROM t0 " + " ".join(f"JOIN t{i} ON t0.a = t{i}.b" for i in range(1, n))


def groups(n: int) -> str:
    keys = ", ".join(f"a{i}" for i in range(n))
    return f"SELECT {keys} FROM t GROUP BY {keys}"


def declared(n: int) -> str:
    return f"CREATE TABLE w ({', '.join(f'c{i} INT' for i in range(n))});\nSELECT c0 FROM w"


def subqueries(n: int) -> str:
    return f"SELECT {', '.join(f'(SELECT max(b) FROM u WHERE u.a = t.a + {i})' for i in range(n))} FROM t"


def opened(sql: str) -> None:
    document = open_text(sql)
    assert document.error is None
    assert document_findings(document) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "size", "times", "most"),
    [(star, 20, 2, 11), (groups, 200, 8, 12), (declared, 500, 8, 12), (subqueries, 20, 4, 12)],
)
def test_work_grows_with_the_text(make, size: int, times: int, most: int) -> None:
    """`most` is 1.4 times what is allowed: the cube for equalities, of which every two give a third."""
    opened(make(3))  # what is made once

    assert steps(lambda: opened(make(size * times))) < most * steps(lambda: opened(make(size)))


def doubled_stars(n: int) -> str:
    levels = ", ".join(f"c{i} AS (SELECT * FROM c{i - 1} x JOIN c{i - 1} y)" for i in range(1, n))
    return f"WITH c0 AS (SELECT a, b FROM t), {levels} SELECT * FROM c{n - 1}"


def doubled_functions(n: int) -> str:
    rest = "".join(f"CREATE FUNCTION f{i}(x INT) RETURNS INT RETURN f{i - 1}(x) + f{i - 1}(x);\n" for i in range(1, n))
    return f"CREATE FUNCTION f0(x INT) RETURNS INT RETURN x + x;\n{rest}SELECT f{n - 1}(1)"


def planned(sql: str) -> None:
    document = open_text(sql)
    if document.error is not None:
        raise document.error


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (doubled_stars(40), r"A star stands for more than 50,000 columns.*name the columns"),
        (doubled_functions(40), r"More than 50 calls of SQL functions.*write the body where it is used"),
    ],
)
def test_what_doubles_with_every_level_is_refused_in_a_sentence(
    sql: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routines, "_BODIES", 50)  # the same in less time
    with pytest.raises(PlanTooLarge, match=said):
        planned(sql)


def test_levels_that_double_are_planned_while_they_are_few() -> None:
    assert open_text(doubled_stars(5)).error is None
    assert open_text(doubled_functions(5)).error is None


def test_sixty_thousand_names_are_compared_at_once() -> None:
    names = [f"c{i}" for i in range(60_000)]
    begun = time.process_time()
    distinct_names(names)
    assert time.process_time() - begun < 1
    with pytest.raises(AnalysisError, match="`C7` already exists"):
        distinct_names([*names, "C7"])


def test_conditions_in_any_number_of_brackets_are_split() -> None:
    left, right = "a", "a"
    for i in range(1_500):
        left, right = f"({left} AND b{i})", f"(b{i} AND {right})"
    assert conjuncts(left) == ["a", *(f"b{i}" for i in range(1_500))]
    assert conjuncts(right) == [*(f"b{i}" for i in reversed(range(1_500))), "a"]
    assert conjuncts("(a AND (b OR c)) AND d)") == ["a", "b OR c", "d)"]


def test_comments_in_a_row_before_no_statement_are_read_once() -> None:
    """As in the code that Spark generates, every line of which begins with its number in a comment."""
    for text in (
        "/* 1 */\n" * 200,
        "/* 1 */ x = 1;\n/* 2 */\n" * 100,
        'x.sql("' + "/* 1 */\n" * 200,
        'y.sql("/* ' * 20_000,
    ):
        begun = time.process_time()
        with pytest.raises(PlanvizError):
            open_text(text)
        assert time.process_time() - begun < 2, text[:30]


def test_a_statement_in_a_text_is_sql() -> None:
    document = open_text("EXECUTE IMMEDIATE 'SELECT 1 AS a'")
    assert document.error is None
    assert document.plans[-1].stage == "physical"


def test_constants_that_nobody_can_read_take_time_in_step_with_their_length() -> None:
    for sql in (
        f"SELECT INTERVAL '{'1' * 1_000}', INTERVAL '{'1' * 999} x'",
        "SELECT CAST('1 day" + " \n" * 50_000 + "x' AS INTERVAL)",
        f"SELECT CAST('{'9' * 5_000} day' AS INTERVAL)",
    ):
        begun = time.process_time()
        with suppress(PlanvizError):
            open_text(sql)
        assert time.process_time() - begun < 2, sql[:30]
