"""Every captured query of real Spark, stage by stage; skipped where the corpus is not at hand."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
from tests.fidelity import earlier
from tests.fidelity.scoreboard import CORPUS, captures, measure, measure_estimates, measure_trace, ours

pytestmark = [
    pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus of captures is not at {CORPUS}"),
    # Every mode is planned once for all that is asked of it, which only the process knows that has done it.
    pytest.mark.xdist_group("fidelity"),
]


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["parsed", "analyzed"])
def test_every_query_gives_spark_s_text(stage):
    score = measure(stage)

    assert score.total > 0
    assert score.differences == []
    assert score.text == score.shape == score.total


#: Queries whose analysis takes another path, with the reason.
OTHER_PATH = {"q95": "time zones of casts inside nested IN subqueries are set in another pass"}


@pytest.mark.slow
def test_the_analyzer_takes_spark_s_steps():
    score = measure_trace("Analyzer")

    assert {name for name, _ in score.differences} <= set(OTHER_PATH)
    assert score.trees == score.total - len(score.differences)


#: What the optimizer must reach at least: queries equal in shape, in text, in their rules and in every tree.
OPTIMIZED = {"shape": 105, "text": 105, "rules": 105, "trees": 104}


@pytest.mark.slow
def test_the_optimizer_gives_spark_s_plans():
    score = measure("optimized")

    assert score.shape >= OPTIMIZED["shape"]
    assert score.text >= OPTIMIZED["text"]


#: The same without any statistics, and with those that cost-based rules read. Adaptive execution changes none of them.
OTHER_MODES = {"nostats-aqeoff": {"shape": 105, "text": 105}, "cbo-aqeoff": {"shape": 105, "text": 105}}


#: The optimizer's steps with cost-based rules.
COST_BASED = {"rules": 105, "trees": 104}
#: How many operators' estimates are compared at least.
ESTIMATES = {"nocbo-aqeoff": 4900, "cbo-aqeoff": 4900}


@pytest.mark.slow
@pytest.mark.parametrize("mode", OTHER_MODES)
def test_the_optimizer_gives_spark_s_plans_in_other_modes(mode):
    score = measure("optimized", mode)

    assert score.shape >= OTHER_MODES[mode]["shape"]
    assert score.text >= OTHER_MODES[mode]["text"]


@pytest.mark.slow
def test_the_optimizer_takes_spark_s_steps():
    score = measure_trace("Optimizer")

    assert score.rules >= OPTIMIZED["rules"]
    assert score.trees >= OPTIMIZED["trees"]


@pytest.mark.slow
def test_the_optimizer_takes_spark_s_steps_with_cost_based_rules():
    score = measure_trace("Optimizer", "cbo-aqeoff")

    assert score.rules >= COST_BASED["rules"]
    assert score.trees >= COST_BASED["trees"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ESTIMATES)
def test_every_operator_has_spark_s_estimate(mode):
    score = measure_estimates(mode)

    assert score.total >= ESTIMATES[mode]
    assert score.differences == []
    assert score.equal == score.total


#: What physical plans must reach at least, by mode.
PHYSICAL = {
    "nocbo-aqeoff": {"shape": 105, "text": 105},
    "nocbo-aqeon": {"shape": 105, "text": 105},
    "cbo-aqeoff": {"shape": 105, "text": 105},
    "cbo-aqeon": {"shape": 105, "text": 105},
    "nostats-aqeoff": {"shape": 105, "text": 105},
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", PHYSICAL)
def test_the_planner_gives_spark_s_physical_plans(mode):
    score = measure("physical", mode)

    assert score.shape >= PHYSICAL[mode]["shape"]
    assert score.text >= PHYSICAL[mode]["text"]


#: How many plans are the same in the formatted mode: the tree, and what stands beneath it.
FORMATTED = {"nocbo-aqeoff": {"shape": 105, "text": 105}, "nocbo-aqeon": {"shape": 105, "text": 105}}


@pytest.mark.slow
@pytest.mark.parametrize("mode", FORMATTED)
def test_the_formatted_mode_tells_what_spark_tells(mode):
    score = measure("formatted", mode)

    assert score.shape >= FORMATTED[mode]["shape"]
    assert score.text >= FORMATTED[mode]["text"]


#: What the profile of an earlier version must reach at least of what that version printed: queries of the same shape.
EARLIER = {("optimized", "tpch"): 21, ("optimized", "tpcds"): 13, ("physical", "tpch"): 21, ("physical", "tpcds"): 13}
EARLIER |= {("formatted", "tpch"): 21, ("formatted", "tpcds"): 13}


@pytest.mark.slow
@pytest.mark.skipif(not earlier.OLD.is_dir(), reason="the plans of earlier versions are not at hand")
@pytest.mark.parametrize(("stage", "suite"), EARLIER)
def test_the_profile_of_3_0_gives_its_plans(stage, suite):
    score = earlier.measure(stage, suite, "3.0.3", "spark-3.0")

    assert score.shape >= EARLIER[stage, suite]


@pytest.mark.slow
def test_what_spark_refuses_is_refused_with_its_error_class():
    refused = [d for d in captures() if "error" in d]

    assert refused
    for document in refused:
        with pytest.raises(AnalysisError) as e:
            ours(document["sql"], "analyzed")
        assert str(document["error"]).startswith(f"[{e.value.error_class}]")
        assert f"line {e.value.line} pos {(e.value.column or 0) - 1}" in str(document["error"])
