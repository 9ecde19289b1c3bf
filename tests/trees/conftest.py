"""Trees know no SQL: the checks of plans do not run here."""

from __future__ import annotations

import pytest

from planviz.trees.executor import RuleExecutor


@pytest.fixture(autouse=True)
def no_standing_checks(monkeypatch):
    monkeypatch.setattr(RuleExecutor, "standing", ())
