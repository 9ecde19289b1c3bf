from __future__ import annotations

from typing import Any

import pytest

from planviz.trees.executor import BrokenPlan, NotConverged, RuleExecutor
from planviz.trees.node import TreeNode, node
from planviz.trees.rule import Batch, FixedPoint, Once, Rule
from planviz.trees.trace import Trace


class Term(TreeNode, root=True):
    pass


@node
class Leaf(Term):
    value: int


@node
class Wrap(Term):
    child: Term


class Unwrap(Rule):
    """Wrap(x) => x."""

    matches = (Wrap,)

    def rewrite(self, node: Any) -> Any:
        return node.child if isinstance(node.child, Wrap) else node


class Count(Rule):
    """n => n + 1, for ever."""

    matches = (Leaf,)

    def rewrite(self, node: Any) -> Any:
        return Leaf(node.value + 1)


class Never(Rule):
    """Looks only at what is not there."""

    matches = (Wrap,)

    def apply(self, plan: Any) -> Any:
        pytest.fail("a rule whose pattern is absent was called")


def run(plan: Term, batch: Batch, checks: Any = ()) -> tuple[Any, Trace]:
    trace = Trace()
    return RuleExecutor("test", [batch], checks).execute(plan, trace), trace


def test_fixed_point_runs_until_nothing_changes():
    plan = Wrap(Wrap(Wrap(Leaf(1))))
    new, trace = run(plan, Batch("b", FixedPoint(10), [Unwrap()]))

    assert new == Wrap(Leaf(1))
    assert all(a.rule.endswith("Unwrap") for a in trace)
    assert trace.applications[0].before is plan
    assert trace.applications[-1].after is new


def test_a_rule_without_its_pattern_is_not_called():
    new, trace = run(Leaf(1), Batch("b", Once, [Never()]))

    assert new == Leaf(1)
    assert len(trace) == 0
    assert trace.summaries == {}


def test_an_equal_result_is_no_effect():
    class Copy(Rule):
        matches = (Leaf,)

        def rewrite(self, node: Any) -> Any:
            return Leaf(node.value)

    plan = Leaf(1)
    new, trace = run(plan, Batch("b", FixedPoint(10), [Copy()]))

    assert new is plan
    assert len(trace) == 0


def test_checks_find_batches_that_do_not_settle():
    with pytest.raises(NotConverged, match="Count"):
        run(Leaf(1), Batch("b", FixedPoint(5), [Count()]), [lambda r, a, b: None])
    with pytest.raises(NotConverged, match="own result"):
        run(Leaf(1), Batch("b", Once, [Count()]), [lambda r, a, b: None])


def test_without_checks_a_batch_only_stops():
    new, _ = run(Leaf(1), Batch("b", FixedPoint(5), [Count()]))

    assert new == Leaf(6)


def test_a_failing_check_names_rule_and_batch():
    with pytest.raises(BrokenPlan, match="Count in batch b: bad"):
        run(Leaf(1), Batch("b", FixedPoint(5), [Count()]), [lambda r, a, b: "bad"])


def test_summaries_count_calls_and_effects():
    _, trace = run(Wrap(Wrap(Leaf(1))), Batch("b", FixedPoint(10), [Unwrap()]))
    (summary,) = trace.summaries.values()

    assert summary.effective == 1
    assert summary.calls >= 2
    assert [(b.run, b.batch, b.effective) for b in trace.batches] == [(0, "b", True)]
