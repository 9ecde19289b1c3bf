"""The glossary: one source for every word that is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.physical.strategies.reference import strategy_classes
from planviz.render.glossary import meaning, meanings, terms
from planviz.render.theme import tokens
from planviz.render.web import script

SOURCE = Path(__file__).parents[2] / "docs" / "glossary.md"


def test_every_heading_of_the_file_is_a_term_with_a_meaning() -> None:
    headings = [line for line in SOURCE.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert len(terms()) == len(headings) > 50
    assert all(term.meaning.endswith(".") and term.chapter for term in terms())
    names = [name.lower() for term in terms() for name in (term.name, *term.also)]
    assert len(names) == len(set(names)) == len(meanings())


@pytest.mark.parametrize("kind", [k["label"] for name, k in tokens()["kinds"].items() if name != "other"])
def test_every_kind_of_operator_is_explained(kind: str) -> None:
    assert meaning(kind)


@pytest.mark.parametrize(
    "badge", [*tokens()["badges"], "unresolved", "streaming", "reused", "codegen", "not understood"]
)
def test_every_badge_is_explained(badge: str) -> None:
    assert meaning(badge)


@pytest.mark.parametrize("stage", ["parsed", "analyzed", "optimized", "sparkPlan", "physical", "initial"])
def test_every_stage_is_explained(stage: str) -> None:
    assert meaning(stage)


@pytest.mark.parametrize("column", ["operator", "type", "left", "right", "on", "why"])
def test_the_columns_of_joins_are_explained(column: str) -> None:
    assert meaning(column)


def test_strategies_tell_of_themselves_and_the_planner_of_them() -> None:
    assert meaning("SparkPlanner")
    assert all(cls.__doc__ for cls in strategy_classes().values())


@pytest.mark.parametrize("element", ["workbench", "rules", "joins", "cardinality", "compare"])
def test_the_browser_has_the_words(element: str) -> None:
    assert meaning("skew").replace('"', '\\"') in script(element)
    assert "const TERMS = {};" not in script(element)


def test_a_term_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        meaning("shuffleboard")
