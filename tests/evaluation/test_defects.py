"""A mistake of the evaluator itself is loud in tests and never passes for a value that is out of reach."""

from __future__ import annotations

import warnings

import pytest

from planviz.evaluation import DEFAULT_EVALUATOR, core
from planviz.evaluation.evaluator import EvaluatorWarning
from planviz.execution import Session
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Literal
from planviz.expressions.predicates import InSet
from planviz.types import INT


@pytest.fixture
def broken(monkeypatch):
    def compute(value):
        return value.no_such_attribute

    *_, outcome = Session().run("SELECT crc32('x') AS x")
    (call,) = outcome.execution.analyzed.expressions[0].collect(FunctionCall)
    monkeypatch.setitem(core._FUNCTIONS, "crc32", core.Function(compute, typed=False, nulls=False))
    return call


def test_it_is_an_error_in_tests(broken):
    with pytest.raises(EvaluatorWarning, match="AttributeError while computing"):
        DEFAULT_EVALUATOR.value_of(broken)


def test_elsewhere_it_is_told_and_the_value_is_unknown(broken):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert DEFAULT_EVALUATOR.value_of(broken) is None
    assert [warning.category for warning in told] == [EvaluatorWarning]


def test_a_long_list_is_computed_as_a_short_one():
    values = tuple(Literal(n, INT) for n in range(12))
    asked = (
        InSet(Literal(3, INT), values),
        InSet(Literal(30, INT), values),
        InSet(Literal(30, INT), (*values, Literal(None, INT))),
    )
    assert [getattr(DEFAULT_EVALUATOR.value_of(e), "value", "none") for e in asked] == [True, False, None]
