"""Findings on what real Spark printed for TPC-DS: those judged right are there, those judged wrong are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.cli.files import read_text
from planviz.document import open_text
from planviz.findings import findings
from tests.findings.golden import GOLDEN, golden

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the checkout")


def names(folder: str, query: str) -> set[str]:
    document = open_text(read_text(str(CORPUS / folder / f"{query}.json.gz")))
    plan = [plan for plan in document.plans if plan.stage == "physical"][-1]
    siblings = [other for other in document.plans if other is not plan]
    return {one.name for one in findings(plan, siblings)}


@pytest.mark.parametrize(
    ("folder", "query", "there", "absent"),
    [
        ("tpcds/captures/cbo-aqeoff", "q72", {"unused-outer-side", "adaptive-off"}, set()),
        ("tpcds/captures/nocbo-aqeon", "q72", {"unused-outer-side"}, {"adaptive-off"}),
        # Windows of both sides of a full join, and a key that is computed from a row number.
        ("tpcds/captures/nocbo-aqeon", "q51", set(), {"windows-differ"}),
        ("tpcds/captures/nocbo-aqeon", "q57", set(), {"computed-join-key"}),
        # Two scans that only differ in the subquery that prunes them.
        ("tpcds-partitioned/captures/nocbo-aqeoff", "q74", set(), {"exchange-not-reused"}),
        ("tpcds/captures/nocbo-aqeon", "q8", {"long-in-list"}, set()),
        ("tpcds/captures/nocbo-aqeon", "q18", {"grouping-sets-expand"}, {"distinct-expand"}),
    ],
)
def test_judged(folder: str, query: str, there: set[str], absent: set[str]) -> None:
    found = names(folder, query)
    assert there <= found
    assert not absent & found


@pytest.mark.slow
def test_the_golden_list(corpus: Path) -> None:
    assert golden(corpus) == GOLDEN.read_text(encoding="utf-8").splitlines()
