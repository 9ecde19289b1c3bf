"""Our trace and Spark's log are the same to everything downstream."""

from __future__ import annotations

import pytest

from planviz.document import open_sql, open_text
from planviz.graph.trace import RuleTrace
from planviz.plantext.printing import rule_log, step_diff
from tests.fidelity import scoreboard
from tests.plans import small_catalog

#: Subqueries are planned in runs of their own, inside the runs of the whole query.
NESTED = (
    "select a, (select max(b) from t2 where t2.a = t1.a) m from t1 where b in (select b from t3 where c = 'x' || 'y')"
)


def steps(trace: RuleTrace) -> list[tuple[object, ...]]:
    return [(s.rule, s.batch, s.before, s.after) for s in trace.steps]


def batches(trace: RuleTrace) -> list[tuple[object, ...]]:
    return [(b.name, b.effective, b.steps_before) for b in trace.batches]


def metrics(trace: RuleTrace) -> list[tuple[object, ...]]:
    return [(m.runs, m.effective_runs, m.batches_before) for m in trace.metrics]


def assert_read_back(trace: RuleTrace) -> None:
    log = rule_log(trace)
    back = open_text(log).trace
    assert steps(back) == steps(trace)
    assert batches(back) == batches(trace)
    assert metrics(back) == metrics(trace)
    assert rule_log(back) == log


def test_nested_runs_are_read_back() -> None:
    trace = open_sql(NESTED, small_catalog()).trace
    assert {run.parent for run in trace.runs} > {None}
    assert_read_back(trace)


def test_one_executor_alone() -> None:
    trace = open_sql(NESTED, small_catalog()).trace
    analysis, optimization = trace.only("Analyzer"), trace.only("Optimizer")
    strategies, preparations = trace.only("SparkPlanner"), trace.only("Preparations")
    parts = (analysis, optimization, strategies, preparations)
    assert sum(len(part.steps) for part in parts) == len(trace.steps)
    assert trace.only("SparkPlanner", "Preparations").steps == strategies.steps + preparations.steps
    assert_read_back(strategies)
    assert_read_back(preparations)
    assert_read_back(analysis)
    assert_read_back(optimization)
    assert analysis.batches[-1].steps_before == len(analysis.steps)


@pytest.mark.slow
def test_the_log_of_every_captured_query_is_read_back() -> None:
    if not scoreboard.CORPUS.is_dir():
        pytest.skip("needs the captured queries")
    seen = 0
    for path in sorted((scoreboard.CORPUS / "queries").glob("*.sql")):
        trace = open_sql(path.read_text(encoding="utf-8"), scoreboard.catalog()).trace
        assert_read_back(trace)
        seen += len(trace.steps)
    assert seen > 3_000


def test_a_step_as_a_diff() -> None:
    trace = open_sql("select a from t1 where c = upper('x') and b = 1", small_catalog()).trace
    step = next(s for s in trace.steps if s.short_rule == "ConstantFolding")
    heading, *lines = step_diff(step, context=0).split("\n")
    assert heading == "=== ConstantFolding (Operator Optimization before Inferring Filters, iteration 1) ==="
    assert [line for line in lines if line.startswith(("-", "+"))] == [
        "-+- Filter ((c#3 = upper(x)) AND (b#2 = 1))",
        "++- Filter ((c#3 = X) AND (b#2 = 1))",
    ]
