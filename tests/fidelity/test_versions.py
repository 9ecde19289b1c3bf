"""Every version's profile beside that Spark's own plans of TPC-DS; skipped where the captures are not at hand."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from planviz.optimizer import profiles
from tests.fidelity.upgrades import compared
from tests.fidelity.versions import FOLDER, STAGES, captured, folder_of, measure, modes

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the captures of other versions are not at {FOLDER}")

#: Of every eighth query: how many have the same shape and the same text at least, for each of STAGES.
FLOORS = {
    "spark-4.3": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-4.2": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-4.1": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-4.0": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-3.5": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-3.4": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-3.3": {"shape": (14, 14, 14), "text": (14, 14, 14)},
    "spark-3.1": {"shape": (14, 14, 14), "text": (13, 13, 13)},
    "spark-3.0": {"shape": (14, 14, 14), "text": (13, 13, 13)},
    "spark-3.2": {"shape": (13, 14, 14), "text": (13, 13, 13)},
}


def test_spark_3_0_has_the_batches_that_it_reported():
    reported = json.loads((folder_of("spark-3.0") / "batches.json").read_text(encoding="utf-8"))["optimizer"]
    ours = json.loads((files(profiles) / "spark-3.0.json").read_text(encoding="utf-8"))["batches"]

    theirs = [(b["name"], [re.split(r"[.$]", r["rule"])[-1] for r in b["rules"]]) for b in reported if b["rules"]]
    assert [(b["name"], b["rules"]) for b in ours if not b.get("ours")] == theirs


def test_broadcasts_are_reused_in_4_3_without_ansi_mode(monkeypatch):
    mode = "nocbo-aqeoff-ansioff"
    some = [d for d in captured("spark-4.3", mode) if d["query"] in ("q5", "q17", "q25", "q77", "q83")]
    monkeypatch.setattr("tests.fidelity.versions.captured", lambda *_: some)

    score = measure("spark-4.3", mode)["physical"]

    assert (score.total, score.text) == (5, 5), score.differences


@pytest.mark.slow
@pytest.mark.parametrize("profile", FLOORS)
def test_a_profile_plans_as_its_version_of_spark(profile):
    scores = measure(profile, next(m for m in modes(profile) if m.startswith("nocbo-aqeoff")), every=8)

    for kind, floors in FLOORS[profile].items():
        reached = tuple(getattr(scores[stage], kind) for stage in STAGES)
        assert all(r >= f for r, f in zip(reached, floors, strict=True)), (kind, reached, scores)


@pytest.mark.slow
def test_an_upgrade_names_the_plans_that_spark_itself_changes():
    real, ours = compared("spark-3.5", "spark-4.1", "nocbo-aqeoff", every=8)

    assert {name for name, kinds in real.items() if kinds} == {n for n, q in ours.items() if q.state == "changed"}
    assert [name for name, query in ours.items() if query.unexplained] == []
