"""Spark killed in every phase of a capture, and two users at once: the short form of `kills.py` and `rounds.py`."""

from __future__ import annotations

import re

import pytest

from planviz.errors import SparkError
from planviz.spark.process import LiveSpark
from tests.acceptance.engines import skip_without_java
from tests.spark.kills import again, killed, settings
from tests.spark.rounds import play

pytestmark = pytest.mark.spark
#: Each phase's kill leaves the start of another Spark to the next one; "running" is in test_live.py.
PHASES = ("planning", "starting Spark", "following the rules", "collecting what was measured")


@pytest.fixture(scope="module")
def live():
    skip_without_java()
    spark = LiveSpark(settings())
    yield spark
    spark.close()


def test_two_users_at_once_see_nothing_of_each_other(live):
    assert play(live, 5) == []


def test_a_jvm_killed_in_any_phase_is_told_of_and_the_next_capture_works(live):
    for phase in PHASES:
        outcome = killed(live, phase, 0.0)
        assert outcome.seconds < 30
        # What was done before the kill came was answered; Spark is then replaced without a word.
        if outcome.said:
            assert outcome.said.startswith(("Spark ended", "Spark did not start: "))
            assert "its JVM" in outcome.said
    again(live)


def test_full_memory_is_an_error_of_the_query_and_spark_lives_or_is_replaced(live):
    bomb = "SELECT length(array_join(collect_list(repeat(string(id), 300000)), '')) FROM range(3000)"
    # A JVM that survives tells it of the query, beside the plans; one that does not ends the call.
    try:
        said = live.call("capture", {"sql": bomb, "run": True}, limit=300)["executed"].get("failed", "")
    except SparkError as error:
        said = str(error)
    assert re.search("memory was full|no sign of life", said)
    again(live)
