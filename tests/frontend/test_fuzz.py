"""Mutated SQL raises our errors, never anything else, from reading to the optimized plan."""

from __future__ import annotations

import pytest

from planviz.trees.executor import RuleExecutor
from tests.frontend.fuzz import cases, plan

#: How many cases one test runs; `python -m tests.frontend.fuzz` runs as many as wanted.
CASES = 250


@pytest.fixture(autouse=True)
def without_checks(monkeypatch):
    """What a person meets: the checks of plans are for the statements of other tests."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8)]])
def test_nothing_but_our_errors(seed):
    for sql, catalog in cases(CASES, seed):
        try:
            plan(sql, catalog)
        except Exception as e:
            pytest.fail(f"{type(e).__name__}: {e}\nfor {sql!r}")
