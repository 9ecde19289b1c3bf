"""What is expected of the operators of a planned query, in the graphs that pages draw."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.estimation import Estimator
from planviz.graph import PlanGraph
from tests.plans import small_catalog

SQL = "SELECT city, count(*) AS n FROM visits JOIN people ON v_person = person WHERE v_day > 3 GROUP BY city"
CBO = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": "true", "spark.sql.adaptive.enabled": "false"})


def of(config: OptimizerConfig, stage: str) -> PlanGraph:
    document = open_sql(SQL, small_catalog(), config)
    return next(plan for plan in document.plans if plan.stage == stage)


def test_the_optimized_plan_has_what_explain_cost_prints() -> None:
    document = open_sql(SQL, small_catalog(), CBO)
    execution = document.statements[0].execution
    assert execution is not None
    expected = [Estimator(CBO).estimate(node) for node in execution.optimized.walk()]
    graph = next(plan for plan in document.plans if plan.stage == "optimized")
    assert [(n.estimate.rows, n.estimate.size_in_bytes) for n in graph if n.estimate] == [
        (e.rows, e.size) for e in expected
    ]


def test_a_physical_operator_has_that_of_the_logical_one_it_came_from() -> None:
    logical, physical = of(CBO, "optimized"), of(CBO, "physical")
    rows = {node.op: node.estimate.rows for node in physical if node.estimate}
    assert rows["BroadcastHashJoin"] == next(n.estimate.rows for n in logical if n.op == "Join" and n.estimate)
    assert [n.estimate for n in physical if n.op == "Filter"] == [n.estimate for n in logical if n.op == "Filter"]
    scans = [n.estimate.rows for n in physical if n.op == "FileScan" and n.estimate]
    assert scans == [n.estimate.rows for n in logical if n.op == "Relation" and n.estimate]
    assert all(rows is not None for rows in scans)


def test_of_a_partial_aggregate_and_its_exchange_nobody_knows_the_groups() -> None:
    final, exchange, partial = list(of(CBO, "physical"))[:3]
    assert [final.op, exchange.op, partial.op] == ["HashAggregate", "Exchange", "HashAggregate"]
    assert final.estimate is not None
    assert exchange.estimate == partial.estimate
    assert partial.estimate is not None
    assert partial.estimate.rows is partial.estimate.size_in_bytes is None


def test_without_cbo_there_are_sizes_and_no_rows() -> None:
    graph = of(OptimizerConfig(), "physical")
    known = [node.estimate for node in graph if node.estimate]
    assert known
    assert all(e.rows is None and (e.size_in_bytes or e.at_most) for e in known)


def test_without_cbo_every_edge_has_what_the_formulas_would_give() -> None:
    off = CBO.with_settings({"spark.sql.cbo.enabled": "false"})
    for stage in ("optimized", "physical"):
        counted, estimated = of(CBO, stage), of(off, stage)
        assert [n.estimate and n.estimate.rows for n in estimated] == [None] * len(estimated)
        told = [n.estimate.formula_rows if n.estimate else None for n in estimated]
        expected = [n.estimate.rows if n.estimate else None for n in counted]
        bounds = [bool(n.estimate and n.estimate.at_most) for n in estimated]
        assert None not in told
        assert [t for t, bound in zip(told, bounds, strict=True) if not bound] == [
            e for e, bound in zip(expected, bounds, strict=True) if not bound
        ]
        assert any(bounds) == (stage == "physical")


def test_a_partial_aggregate_gives_at_most_what_it_reads() -> None:
    physical = of(CBO, "physical")
    partial = next(n for n in physical if n.op == "HashAggregate" and "partial_count" in n.text)
    (child,) = physical.children(partial.id)
    assert partial.estimate is not None
    assert partial.estimate.at_most
    assert partial.estimate.rows is None
    assert partial.estimate.formula_rows == physical[child].estimate.rows
