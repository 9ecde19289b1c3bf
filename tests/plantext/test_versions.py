"""Which versions print a text: each piece of evidence, the bounds and the confidence that follow."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.model import printed_json
from tests.fidelity.origin import FOLDER, measure

HEAD = "== Physical Plan ==\n"


@pytest.mark.parametrize(
    ("text", "words", "confidence"),
    [
        (HEAD + "Exchange hashpartitioning(a#1, 9), true, [id=#3]\n+- LocalTableScan [a#1]\n", "Spark 3.0", "high"),
        (
            HEAD + "Exchange hashpartitioning(a#1, 9), ENSURE_REQUIREMENTS, [plan_id=3]\n+- LocalTableScan [a#1]\n",
            "Spark 3.2 or later",
            "low",
        ),
        (
            HEAD + "BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false, false\n"
            ":- LocalTableScan [a#1]\n+- LocalTableScan [b#2]\n",
            "Spark 4.2 or later",
            "high",
        ),
        (
            HEAD + "BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, (a#1 > b#2), false\n"
            ":- LocalTableScan [a#1]\n+- LocalTableScan [b#2]\n",
            "Spark 3.1 to 4.1",
            "low",
        ),
        # Databricks' runtimes print [id=#…] to this day.
        (
            HEAD
            + "PhotonShuffleMapStage ENSURE_REQUIREMENTS, [id=#31]\n+- PhotonShuffleExchangeSink SinglePartition\n",
            "Spark 3.1 or later",
            "low",
        ),
        (
            HEAD + "PhotonShuffleMapStage EXECUTOR_BROADCAST, [id=#31]\n+- PhotonShuffleExchangeSink SinglePartition\n",
            "Spark 3.3 or later",
            "low",
        ),
        # They showed a second flag of broadcast joins long before Spark 4.2, in plans without Photon, too.
        (
            HEAD + "BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false, true\n:- LocalTableScan [a#1]\n"
            "+- Exchange SinglePartition, EXECUTOR_BROADCAST, [plan_id=3]\n   +- LocalTableScan [b#2]\n",
            "Spark 3.3 or later",
            "low",
        ),
        (
            HEAD + "BroadcastHashJoin [a#1], [b#2], Inner, BuildRight\n:- LocalTableScan [a#1]\n"
            "+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, string, false])), [id=#9]\n"
            "   +- LocalTableScan [b#2]\n",
            "Spark 3.0",
            "high",
        ),
        ("== Analyzed Logical Plan ==\na: int\nCTERelationRef 0, true, [a#1], false\n", "Spark 3.4 to 3.5", "high"),
        ("== Optimized Logical Plan ==\nRelation default.t[a#1] parquet\n", "Spark 3.2 to 3.3", "high"),
        (
            HEAD + "Filter ((a#1 > 2) || (a#1 < 0))\n+- *(1) FileScan csv [a#1] Batched: false, Format: CSV, Location: "
            "InMemoryFileIndex[file:/t], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<a:int>\n",
            "Spark 2.3 to 2.4",
            "high",
        ),
        ("== Optimized Logical Plan ==\nUnion\n:- LocalRelation [a#1]\n+- LocalRelation [a#2]\n", "Spark 3.0", "low"),
    ],
)
def test_a_spelling_bounds_the_versions(text: str, words: str, confidence: str) -> None:
    printed = open_text(text).printed
    if words == "Spark 3.0":
        assert printed.last == (3, 0)
    else:
        assert (printed.words, printed.confidence) == (words, confidence)


def test_what_a_subquery_reads_is_joined_with_ampersands_in_every_version() -> None:
    text = HEAD + "Filter (exists#1 [(a#1 = 2) && (b#2 = 3)] AND isnotnull(c#3))\n+- LocalTableScan [c#3]\n"
    assert open_text(text).printed.last > (4, 0)
    old = HEAD + "Filter ((a#1 > 2) && isnotnull(c#3))\n+- LocalTableScan [c#3]\n"
    assert open_text(old).printed.last == (2, 4)


def test_the_blocks_of_the_formatted_mode_tell_too() -> None:
    text = (
        "== Physical Plan ==\nSortMergeJoin Inner (3)\n:- LocalTableScan (1)\n+- LocalTableScan (2)\n\n\n"
        "(1) LocalTableScan\nOutput [1]: [a#1]\nArguments: [a#1]\n\n(2) LocalTableScan\nOutput [1]: [b#2]\n"
        "Arguments: [b#2]\n\n(3) SortMergeJoin\nLeft keys [1]: [a#1]\nRight keys [1]: [b#2]\nJoin type: Inner\n"
        "Join condition: None\n"
    )
    printed = open_text(text).printed
    assert printed.first == (3, 4)
    assert any(e.line == 18 and "names the join's type" in e.words for e in printed.evidence)


def test_a_text_that_names_its_version_is_believed() -> None:
    plan = HEAD + "Exchange hashpartitioning(a#1, 9), ENSURE_REQUIREMENTS, [plan_id=3]\n+- LocalTableScan [a#1]\n"
    printed = open_text("Spark Version: 3.4.1-amzn-0\n\n" + plan).printed
    assert (printed.words, printed.confidence) == ("Spark 3.4.1-amzn-0 (Amazon EMR or AWS Glue)", "stated")
    assert printed.first == printed.last == (3, 4)
    literal = HEAD + "Filter (a#1 = Spark Version: 3.4.1)\n+- LocalTableScan [a#1]\n"
    assert open_text(literal).printed.stated == ""


def test_contradictions_leave_nothing_and_keep_the_evidence() -> None:
    printed = open_text("Filter ((a#1 > 2) && b#2)\n+- AQEShuffleRead coalesced\n").printed
    assert printed.contradicted
    told = printed_json(printed)
    assert told["version"] == ""
    assert told["confidence"] == "none"
    assert len(printed.evidence) == 2


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the captures are not at {FOLDER}")
def test_the_version_of_captured_texts_is_among_those_found() -> None:
    kinds = measure(every=41)
    right = sum(counted.of["right"] for counted in kinds.values())
    silent = sum(counted.of["silent"] for counted in kinds.values())
    texts = sum(counted.of["texts"] for counted in kinds.values())
    assert texts > 100
    assert right >= 0.98 * (texts - silent), [counted.wrong for counted in kinds.values() if counted.wrong]
    assert silent < 0.03 * texts


def test_what_a_plan_written_by_hand_leaves_out_tells_no_version() -> None:
    by_hand = open_text("*(1) BroadcastHashJoin [user_id], [user_id], Inner, BuildRight\n:- Scan a\n+- Scan b\n")
    printed = open_text("*(1) BroadcastHashJoin [id#1], [id#2], Inner, BuildRight\n:- Scan a\n+- Scan b\n")
    assert (by_hand.printed.words, printed.printed.words) == ("Spark 2.3 or later", "Spark 2.3 to 3.0")
