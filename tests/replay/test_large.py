"""Large plans are replayed in time in step with their text."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replayed
from planviz.execution import QueryExecution
from planviz.replay.columns import Columns
from planviz.replay.plans import read_plan
from planviz.replay.terms import BUDGET, Terms
from planviz.replay.wanted import JoinLines, joins_in, wanted_joins
from planviz.trees.executor import RuleExecutor
from tests.steps import steps


@pytest.fixture(autouse=True)
def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks walk the whole plan after every step; here the steps count."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


def joins(levels: int) -> QueryExecution:
    """A tree of joins, as high on the left as on the right."""

    def made(level: int, first: int) -> str:
        if level == 0:
            return f"(SELECT k{first} FROM t{first})"
        half = 1 << (level - 1)
        left, right = made(level - 1, first), made(level - 1, first + half)
        return f"(SELECT k{first} FROM {left} a{first} JOIN {right} b{first} ON k{first} = k{first + half})"

    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False, "spark.sql.autoBroadcastJoinThreshold": -1})
    return QueryExecution(f"SELECT * FROM {made(levels, 0)} x", Catalog(), config, infer=True)


@pytest.mark.slow
def test_a_tree_of_joins_is_replayed() -> None:
    document = replayed(open_text(joins(6).explain_string()))
    assert document is not None
    assert document.statements[0].agrees >= {"joins"}


@pytest.mark.slow
def test_twice_the_joins_take_no_more_than_their_share_of_steps() -> None:
    def asking(levels: int) -> int:
        query = joins(levels)
        plan, texts = query.optimized, joins_in(open_text(query.explain_string()).plans[-1])
        assert len(wanted_joins(plan, texts)) == len(texts) == (1 << levels) - 1  # what is known of nodes is made once
        return steps(lambda: wanted_joins(plan, texts))

    assert asking(7) < 2.3 * asking(6)


def test_joins_find_their_lines_by_ids() -> None:
    texts = [f"SortMergeJoin [a#{i}], [b#{i + 1}], Inner" for i in range(0, 2000, 2)]
    lines = JoinLines([*texts, "CartesianProduct (a#1 < 5)", "no join"])

    assert [text for _, _, text in lines.holding("[a#40], [b#41], Inner")] == [texts[20]]
    assert lines.holding("[a#40], [b#99999], Inner") == []
    assert len(lines.holding("")) == len(texts) + 2


def test_a_text_that_is_given_up_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = "Project [" + "cast(a#1 as int) - (" * 18 + "b]"
    text = f"== Analyzed Logical Plan ==\nb: int\n{damaged}\n+- Range (0, 9, step=1, splits=2)\n"
    (plan,) = open_text(text).plans
    columns, spent = Columns(), [0]
    spend = Terms._spend

    def counted(terms: Terms) -> None:
        spent[0] += 1
        spend(terms)

    monkeypatch.setattr(Terms, "_spend", counted)
    first = read_plan(plan, columns, True)
    assert spent[0] > BUDGET
    assert len(columns.unreadable) == 1
    before = spent[0]
    again = read_plan(plan, columns, True)
    assert spent[0] - before < 100
    assert damaged in first.opaque_operators
    assert again.opaque_operators == first.opaque_operators


def test_a_plan_of_damaged_operators_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    spent, spend = [0], Terms._spend

    def counted(terms: Terms) -> None:
        spent[0] += 1
        spend(terms)

    monkeypatch.setattr(Terms, "_spend", counted)
    lines = [f"{'   ' * i}+- Project [" + f"cast(a#{i} as int) - (" * 18 + f"b{i}]" for i in range(30)]
    (plan,) = open_text("== Analyzed Logical Plan ==\na: int\n" + "\n".join([lines[0][3:], *lines[:-1]])).plans
    read_plan(plan, Columns(), True)
    assert spent[0] < 4 * BUDGET
