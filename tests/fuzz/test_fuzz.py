"""A few cases of every kind, the same in every run; `python -m tests.fuzz KIND` runs as many as wanted."""

from __future__ import annotations

import pytest

from planviz.trees.executor import RuleExecutor
from tests.fuzz.kinds import KINDS
from tests.fuzz.run import Limits, run

#: Of each kind about as many as a processor does in three seconds.
COUNTS = {
    "parser": 90,
    "sql": 150,
    "grammar": 60,
    "typed": 150,
    "replay": 60,
    "programs": 120,
    "bodies": 50,
    "requests": 25,
    "documents": 60,
}


@pytest.fixture(autouse=True)
def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person meets: the checks of plans are for the statements of other tests."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_but_our_errors(kind: str) -> None:
    # No limit of time for a case: a busy machine is no defect, and growth is counted elsewhere.
    found = run(kind, seed=0, count=COUNTS[kind], limits=Limits(slow=float("inf")))
    assert not found.defects, found.first
    assert found.cases == COUNTS[kind]
    assert found.refused < found.cases


def test_a_seed_and_a_number_are_all_that_is_needed_to_see_a_case_again() -> None:
    import random

    for kind, case in KINDS.items():
        texts = {case(random.Random(f"{kind} 7 3")).text.replace("\udcff", "") for _ in range(2)}
        assert len(texts) == 1, kind


def test_an_exception_that_is_not_ours_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzz import kinds

    monkeypatch.setitem(KINDS, "parser", lambda dice: kinds.Case("x", lambda: ["x"] * (1 // 0)))
    found = run("parser", seed=0, count=3)
    assert found.defects.total() == 3
    assert len(found.first) == 1
