"""SQL through the one door: stages, traces, identities, errors."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.errors import AnalysisError, ParseError
from planviz.graph import PlanGraph
from planviz.plantext.scanner import graph_of_text
from tests.fidelity import scoreboard
from tests.plans import small_catalog

SCRIPT = """\
create table t (a int, b string);
-- what is counted
select a
from t
where b = 'x' and a > 1 + 1;
select nosuch from t
"""


def rows(graph: PlanGraph) -> list[tuple[object, ...]]:
    return [(n.op, n.kind, n.text, n.depth, n.parent, n.badges, dict(n.arguments)) for n in graph]


def test_a_query_has_its_five_stages_and_its_trace() -> None:
    document = open_sql("select a from t1 where b = 1 + 1", small_catalog())
    assert document.recognised == "SQL query"
    assert [plan.stage for plan in document.plans] == ["parsed", "analyzed", "optimized", "sparkPlan", "physical"]
    assert document.groups == ((0, 1, 2, 3, 4),)
    assert document.error is None
    names = [step.short_rule for step in document.trace.steps]
    assert names[0] == "ResolveRelations"
    assert "ConstantFolding" in names
    assert {step.batch for step in document.trace.steps} <= {batch.name for batch in document.trace.batches}
    assert all(step.matched or (step.milliseconds is not None and step.iteration) for step in document.trace.steps)


def test_a_definition_read_by_many_joins_has_its_plans() -> None:
    """`WITH` gives its children by hand: over a high query they must not be asked for while they are computed."""
    joins = " ".join(f"JOIN c c{i} ON c{i}.a = c0.a" for i in range(1, 70))
    document = open_text(f"WITH c AS (SELECT a FROM t) SELECT c0.a FROM c c0 {joins}")
    assert document.error is None
    assert [plan.stage for plan in document.plans] == ["parsed", "analyzed", "optimized", "sparkPlan", "physical"]


def test_sql_is_recognised_in_the_paste_box() -> None:
    document = open_text(SCRIPT)
    assert document.recognised == "SQL script"
    assert document.reasons[0] == "3 statements, 2 queries"
    assert [s.kind for s in document.statements] == ["ddl", "query", "query"]
    assert [s.line for s in document.statements] == [1, 3, 6]


def test_what_was_reached_before_an_error_is_there() -> None:
    document = open_text(SCRIPT)
    assert [document.plans[at].stage for at in document.statements[2].plans] == ["parsed"]
    assert isinstance(document.error, AnalysisError)
    assert (document.error.line, document.error.column) == (6, 8)
    assert "`a`" in str(document.error)
    assert document.statements[2].trace.steps[0].short_rule == "ResolveRelations"
    assert any("line 6" in note for note in document.notes)


def test_sql_that_cannot_be_read_says_where() -> None:
    with pytest.raises(ParseError) as caught:
        open_text("select a\nfrom (t")
    assert caught.value.line == 2


def test_a_statement_that_cannot_be_read_stops_no_other() -> None:
    document = open_text("select a from t;\nselect ((1 from t;\nselect 2; create table t (a int)")
    assert [s.kind for s in document.statements] == ["query", "query", "query", "ddl"]
    assert [s.error is None for s in document.statements] == [False, False, True, True]
    error = document.statements[1].error
    assert isinstance(error, ParseError)
    assert error.line == 2
    assert document.plans[document.statements[2].plans[-1]].stage == "physical"


def test_operators_know_the_line_they_were_written_on() -> None:
    optimized = open_text(SCRIPT).plans[2]
    assert [(node.op, node.source) for node in optimized] == [
        ("Project", (3, 3)),
        ("Filter", (5, 5)),
        ("Relation", (4, 4)),
    ]


def test_a_stage_may_be_the_last() -> None:
    document = open_sql("select nosuch from nowhere", stage="parsed")
    assert [plan.stage for plan in document.plans] == ["parsed"]
    assert document.error is None
    assert not document.trace


def test_silent_rules_have_calls_and_time() -> None:
    trace = open_sql("select a from t1 where b = 1", small_catalog()).trace
    silent = {rule.short_rule: rule for rule in trace.silent}
    assert silent["ReorderJoin"].runs > silent["ReorderJoin"].looked == 0
    assert silent["CollapseProject"].looked > 0
    assert not {step.short_rule for step in trace.steps} & set(silent)
    # Strategies are no rules: nobody counts them.
    for metrics, run in zip(trace.metrics, (r for r in trace.runs if r.executor != "SparkPlanner"), strict=True):
        assert metrics.executor == run.executor
        assert metrics.effective_runs == len(trace.only(run.executor).steps)
    assert sum(metrics.runs or 0 for metrics in trace.metrics) == sum(rule.runs for rule in trace.rules)


def test_the_same_object_has_the_same_identity_in_every_step() -> None:
    document = open_sql("select a from (select a, b from t1 where b > 1 + 1) where a > 0", small_catalog())
    kept = 0
    for step in document.trace.steps:
        before, after = step.graphs()
        was = {node.identity: node for node in before}
        assert before[0].identity != after[0].identity
        for node in after:
            if node.identity in was:
                kept += 1
                assert node.text == was[node.identity].text
                under = [n.text for n in after.walk(node.id)]
                assert under == [n.text for n in before.walk(was[node.identity].id)]
    assert kept > 5
    first, last = document.trace.steps[0], document.trace.only("Optimizer").steps[-1]
    assert first.graphs()[0][0].identity == document.plans[0][0].identity
    assert last.graphs()[1][0].identity == document.plans[2][0].identity


def test_steps_share_the_plan_between_them() -> None:
    steps = open_sql("select a from t1 where b = 1 + 1", small_catalog()).trace.only("Optimizer").steps
    assert steps[0].after_plan is steps[1].before_plan


def test_ids_are_the_same_every_time() -> None:
    sql = "select x, count(*) from (select a + 1 as x from t1) group by x; select b as y from t1"
    first, second = (open_sql(sql, small_catalog()) for _ in range(2))
    for a, b in zip(first.plans, second.plans, strict=True):
        assert rows(a) == rows(b)
    assert rows(open_sql(f"{sql}; select 1", small_catalog()).plans[5]) == rows(first.plans[5])


def test_settings_reach_the_rules() -> None:
    off = OptimizerConfig().with_settings(
        {"spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConstantFolding"}
    )
    document = open_sql("select a from t1 where c = upper('x')", small_catalog(), off)
    assert "upper(x)" in document.plans[2][1].text
    assert "ConstantFolding" not in {rule.short_rule for rule in document.trace.rules}


@pytest.mark.slow
def test_plans_become_the_graphs_that_their_text_is_read_into() -> None:
    if not scoreboard.CORPUS.is_dir():
        pytest.skip("needs the captured queries")
    compared = 0
    for path in sorted((scoreboard.CORPUS / "queries").glob("*.sql")):
        document = open_sql(path.read_text(encoding="utf-8"), scoreboard.catalog())
        for statement in document.statements:
            assert statement.execution is not None
            for at in statement.plans:
                graph = document.plans[at]
                read = graph_of_text(statement.execution.text(graph.stage))
                assert rows(graph) == rows(read), (path.name, graph.stage)
                assert graph.links() == read.links()
                compared += len(graph)
    assert compared > 10_000


def test_a_date_without_quotes_is_told():
    said = "/* since 2024-02-01 */ and n > 2024 - 01 - 31 and s = '2024-01-31' -- 2024-03-01"
    document = open_sql(f"select * from t where d > 2024-01-31 {said}")
    assert [n for n in document.notes if "without quotes" in n] == [
        "2024-01-31 without quotes is a subtraction and gives 1992; the date is DATE '2024-01-31'."
    ]


def test_commands_of_other_systems_stand_between_statements():
    document = open_sql("select null as n; optimize t zorder by (a); copy into t from '/x'; select 1")
    assert document.error is None
    assert [s.kind for s in document.statements] == ["query", "unsupported", "unsupported", "query"]
    assert "Statement 2, line 1: OPTIMIZE is a command of Delta Lake, not of Spark, and has no plan." in document.notes
    assert "Statement 3, line 1: COPY is a command of Databricks, not of Spark, and has no plan." in document.notes


def test_a_command_of_another_system_alone_is_no_query():
    document = open_sql("vacuum t retain 168 hours")
    assert "VACUUM is a command of Delta Lake, not of Spark, and has no plan." in document.notes
