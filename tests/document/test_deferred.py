"""Plans and traces of many queries: those behind the first are made when somebody looks, and are the same."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.opening import plans
from planviz.graph import PlanGraph
from planviz.graph.plan_graph import DeferredGraph
from planviz.graph.trace import RuleTrace

SCRIPT = """\
SELECT a FROM t WHERE b > 1;
SELECT count(*) FROM t JOIN u ON t.a = u.a WHERE c > (SELECT max(d) FROM u);
SELECT d FROM u
"""
PROGRAM = "spark.table('t').show()\nspark.table('t').where('b > 1').show()\n"


def told(plan: PlanGraph) -> list[object]:
    return [plan.stage, plan.title, plan.notes, plan.links(), [(n.text, n.parent, n.source, n.estimate) for n in plan]]


def steps(trace: RuleTrace) -> list[object]:
    return [(s.rule, s.batch, s.before, s.after) for s in trace.steps] + [(r.rule, r.runs) for r in trace.rules]


@pytest.mark.parametrize("text", [SCRIPT, PROGRAM])
def test_operators_of_further_queries_are_made_when_somebody_looks(monkeypatch, text) -> None:
    made: list[str] = []
    graph = plans.plan_graph

    def counted(*args, **keywords):
        made.append(keywords["stage"])
        return graph(*args, **keywords)

    monkeypatch.setattr(plans, "plan_graph", counted)
    document = open_text(text)
    assert len(made) == 5  # the stages of the first query
    assert [plan.stage for plan in document.plans[5:10]] == made
    assert len(document.groups) == len(document.statements)
    assert len(made) == 5
    assert len(document.plans[-1]) > 0
    assert len(made) == 6
    assert document.plans[-1].roots == [0]
    assert len(made) == 6


def test_what_is_made_later_is_what_is_made_at_once(monkeypatch) -> None:
    document = open_text(SCRIPT)
    whole = plans.planned
    monkeypatch.setattr(
        "planviz.document.opening.sql.planned", lambda execution, place_of, later: whole(execution, place_of)
    )
    at_once = open_text(SCRIPT)
    assert isinstance(document.plans[-1], DeferredGraph)
    assert not isinstance(at_once.plans[-1], DeferredGraph)
    assert [told(plan) for plan in document.plans] == [told(plan) for plan in at_once.plans]
    assert [steps(s.trace) for s in document.statements] == [steps(s.trace) for s in at_once.statements]
    assert steps(document.trace) == steps(at_once.trace)
    assert steps(document.trace) == steps(document.statements[-1].trace)


def test_a_plan_that_cannot_be_put_into_words_later_says_so_and_takes_no_other_with_it(monkeypatch) -> None:
    document = open_text(SCRIPT)

    def broken(*args, **keywords):
        raise AttributeError("'str' object has no attribute 'hex'")

    with monkeypatch.context() as patched:
        patched.setattr(plans, "plan_graph", broken)
        assert "This is a defect of planviz" in document.plans[9][0].text
    assert "defect" not in document.plans[14][0].text
