"""Plans edited by chance, with the outcome known: a small lane of `benchmarks.diff`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.diff import EDITS, corpus_plans, measure, ours


@pytest.mark.parametrize(("edits", "scripts", "least"), [(1, 10 * len(EDITS), 0.99), (5, 30, 0.95)])
def test_edited_plans_are_matched_operator_by_operator(corpus: Path, edits: int, scripts: int, least: float) -> None:
    plans = corpus_plans(corpus / "tpcds/captures/nocbo-aqeoff", "q1[0-9]")
    assert len(plans) > 10
    found = measure(plans, scripts, edits, 1, {"planviz": ours})["planviz"]
    right, made, wanted, _, done = found["all"]
    assert done == scripts
    assert right / made >= least
    assert right / wanted >= least
