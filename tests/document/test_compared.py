"""A query planned twice: what is the same, and the first place where two plans part."""

from __future__ import annotations

import copy
import json

import pytest

from planviz.cli.compared import comparison_json, comparison_text
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.comparison.normalization import equal_but_for_chance, renumbered
from planviz.document.comparison.spark import compare
from planviz.errors import InputError
from planviz.estimation import Estimator
from tests.plans import small_catalog

SQL = "SELECT person, sum(pages) FROM visits JOIN people ON v_person = person WHERE city = 1 + 1 GROUP BY person"
CONFIG = OptimizerConfig().with_settings(
    {"spark.sql.adaptive.enabled": "false", "spark.sql.cbo.enabled": "true", "spark.sql.session.timeZone": "UTC"}
)
HEADINGS = {"parsed": "Parsed Logical Plan", "analyzed": "Analyzed Logical Plan",
            "optimized": "Optimized Logical Plan", "physical": "Physical Plan"}  # fmt: skip


@pytest.fixture(scope="module")
def ours():
    return open_sql(SQL, small_catalog(), CONFIG, stage="physical")


@pytest.fixture
def captured(ours):
    """Our own plans in the form of a capture, with other ids."""
    (statement,) = ours.statements
    texts = {stage: statement.text(stage).replace("#", "#9") for stage in HEADINGS}
    texts["analyzed"] = f"person: int\n{texts['analyzed']}"
    found = map(Estimator(CONFIG).estimate, statement.execution.optimized.walk())
    estimates = [[e.rows, e.size] for e in found]
    steps = [step for name in ("Analyzer", "Optimizer") for step in ours.trace.only(name).steps]
    rules = list(dict.fromkeys(step.rule for step in steps))
    batch = {"run": 0, "name": "All", "effective": False, "steps": 0, "iterations": 1, "rules": [*rules, "x.Silent"]}
    return {
        "format": "planviz-capture/1",
        "spark": {"version": "4.3.0", "master": "local"},
        "explain": {"extended": "".join(f"== {HEADINGS[s]} ==\n{text}\n" for s, text in texts.items())},
        "estimates": estimates,
        "trace": {"texts": [], "runs": ["Optimizer"], "steps": [], "batches": [batch], "differs": [],
                  "rules": [*([rule, 2, 1, 0.1] for rule in rules), ["x.Silent", 1, 0, 0.1]]},
    }  # fmt: skip


def opened(capture):
    return open_text(json.dumps(capture))


def test_the_same_plans_are_equal_whatever_their_ids(ours, captured):
    found = compare(ours, opened(captured))
    assert found.equal
    assert [stage.difference for stage in found.stages] == [None] * 4
    assert len(found.expected) == len(captured["estimates"])
    assert found.wrong == ()
    assert len(found.rules) > 5
    assert comparison_text("q", found).startswith("q: equal\n  parsed     equal (")
    assert comparison_json(found)["equal"] is True


def test_the_first_difference_shows_both_sides(ours, captured):
    captured["explain"]["extended"] = captured["explain"]["extended"].replace("(city#", "(bity#")
    found = compare(ours, opened(captured))
    assert [stage.equal for stage in found.stages] == [True, False, False, False]
    spark, planviz = found.stages[2].difference
    assert "bity#" in spark
    assert "(city#" in planviz
    assert found.stages[2].same == found.stages[2].operators - 1
    assert found.expected == ()
    assert found.stages[2].words.startswith("Filter: condition")
    assert "operators equal; the first that differs:\n             Spark    Filter" in comparison_text("q", found)


def test_ids_that_are_mixed_up_are_a_difference(ours, captured):
    text = captured["explain"]["extended"]
    first = text.index("v_person#9", text.index("== Optimized"))
    number = text[first + 8 :].split("L")[0].split("]")[0].split(",")[0].split(" ")[0]
    captured["explain"]["extended"] = text[:first] + text[first:].replace(number, "#77777", 1)
    assert not compare(ours, opened(captured)).stages[2].equal


def test_rules_and_estimates_of_one_side_are_named(ours, captured):
    changed = copy.deepcopy(captured)
    gone = changed["trace"]["rules"].pop(0)[0]
    changed["trace"]["rules"][-1][2] = 1
    rows, size = changed["estimates"][0]
    changed["estimates"][0] = [rows + 1, size]
    found = compare(ours, opened(changed))
    assert (found.only_spark, found.only_planviz) == (("Silent",), (gone.rsplit(".", 1)[-1].rsplit("$", 1)[-1],))
    assert [(one.spark[0], one.planviz[0]) for one in found.wrong] == [(rows + 1, rows)]
    text = comparison_text("q", found)
    assert "only in Spark: Silent" in text
    assert f"Spark {rows + 1:,} rows" in text


def test_a_stage_that_one_side_did_not_reach_is_said(ours, captured):
    captured["explain"]["extended"] = captured["explain"]["extended"].split("== Physical")[0]
    found = compare(ours, opened(captured))
    assert found.stages[3].missing == "Spark"
    assert "physical   Spark did not reach this stage" in comparison_text("q", found)


def test_only_a_query_and_its_capture_are_compared(ours):
    with pytest.raises(InputError, match="One query is compared with one capture"):
        compare(ours, ours)


def steps_of(captured, ours, rules=None):
    """The capture with the steps of our own trace, their rules named anew by `rules`."""
    changed = copy.deepcopy(captured)
    (statement,) = ours.statements
    outer = [s for s in statement.trace.steps if statement.trace.runs[s.run].executor == "Optimizer"]
    texts = [text for step in outer for text in (step.before, step.after)]
    changed["trace"]["texts"] = [text.replace("#", "#9") for text in texts]
    changed["trace"]["steps"] = [
        {"run": 0, "batch": step.batch, "iteration": 1, "ms": 0.1, "before": 2 * at, "after": 2 * at + 1,
         "rule": (rules or {}).get(step.short_rule, step.rule)}
        for at, step in enumerate(outer)
    ]  # fmt: skip
    return changed


def test_the_same_steps_with_the_same_trees_are_told(ours, captured):
    analyzer, optimizer = compare(ours, opened(steps_of(captured, ours))).steps
    assert (analyzer.spark, analyzer.planviz > 0, optimizer.equal) == (0, True, True)
    assert optimizer.spark == optimizer.planviz > 3


def test_steps_part_where_another_rule_runs_or_a_tree_differs(ours, captured):
    (_, other) = compare(ours, opened(steps_of(captured, ours, {"ConstantFolding": "x.Elsewhere"}))).steps
    assert (other.parting.spark, other.parting.planviz) == ("Elsewhere", "ConstantFolding")
    changed = steps_of(captured, ours)
    at = next(i for i, s in enumerate(changed["trace"]["steps"]) if s["rule"].endswith("ConstantFolding"))
    changed["trace"]["texts"][2 * at + 1] = changed["trace"]["texts"][2 * at + 1].replace("= 2", "= 3")
    found = compare(ours, opened(changed))
    parting = found.steps[1].parting
    assert (parting.steps, parting.spark, parting.planviz) == (at, "ConstantFolding", "ConstantFolding")
    assert "3" in parting.words
    assert "ConstantFolding gives another tree: Filter: condition" in comparison_text("q", found)


def test_the_order_of_distinct_groups_is_chance():
    def lines(first, second):
        return [
            (0, f"Aggregate [n(a#1) FILTER (WHERE (gid#2 = {first})), n(b#3) FILTER (WHERE (gid#2 = {second}))]"),
            (1, f"Expand [[a#1, null, {first}], [null, b#3, {second}]], [a#1, b#3, gid#2]"),
        ]

    assert equal_but_for_chance(lines(1, 2), lines(2, 1))
    assert not equal_but_for_chance(lines(1, 2), [lines(2, 1)[0], (1, "Expand [[a#1, 7, 2]], [a#1, b#3, gid#2]")])
    assert not equal_but_for_chance([(0, "Sort [a#1, b#2]")], [(0, "Sort [b#2, a#1]")])


def test_the_number_of_a_subquery_is_no_number_of_a_column():
    assert renumbered("Project [Subquery s#4, [id=#4], a#7]") == renumbered("Project [Subquery s#4, [id=#9], a#7]")
    assert renumbered("Project [a#4, b#5]") != renumbered("Project [a#4, b#4]")


def test_what_the_clock_said_is_no_difference():
    one, other = "[2026-11-22 05:30:01.25181 AS t#4]", "[2026-11-22 05:30:00.991234 AS t#9]"
    assert renumbered(one) == renumbered(other)
    assert renumbered(f"{one} {one}") != renumbered(f"{one} {other}")
    assert renumbered("2026-11-22 05:30:01.25") != renumbered("2026-11-22 05:30:01.5")


def test_measured_rows_stand_beside_both_estimates(ours, captured):
    changed = copy.deepcopy(captured)
    scan = {"nodeName": "Scan parquet visits", "children": [], "simpleString": "FileScan parquet visits[v_person#1]",
            "metrics": [{"name": "number of output rows", "metricType": "sum", "value": 7}]}  # fmt: skip
    changed["executed"] = {"milliseconds": 1.0, "rows": 7, "plan": scan}
    found = compare(ours, opened(changed))
    measured = [one.measured for one in found.expected if one.operator.startswith("Relation")]
    assert 7 in measured
    assert "measured" in comparison_text("q", found)
    assert comparison_json(found)["estimates"][0]["measured"] is None
