"""What Spark's process says of a task whose Spark stopped under it, as a full memory makes it do."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.spark import child, worker


class Ended(BaseException):
    """Stands in for the end of the process."""


class Stopped:
    """A Spark that stopped while a task was under way; `ends`: its JVM ends, too."""

    master = "local[2]"

    def __init__(self, ends: bool) -> None:
        self.ends, self.waited = ends, 0.0

    def label_jobs(self, number: int) -> None:
        raise RuntimeError("java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.")

    def stopped(self) -> bool:
        return True

    def gone(self, within: float = 0.0) -> bool:
        self.waited = within
        return self.ends


class Answers:
    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def give(self, message: dict[str, Any]) -> None:
        self.given.append(message)


TASK = {"id": 1, "task": "capture", "arguments": {}}


def test_a_spark_that_stops_and_ends_is_told_of_by_its_end() -> None:
    spark, answers = Stopped(ends=True), Answers()
    worker._work(spark, answers, TASK)  # type: ignore[arg-type]
    assert spark.waited >= 5
    assert answers.given == []


def test_a_spark_that_stops_and_stays_is_ended_so_that_the_next_query_has_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def end(status: int) -> None:
        raise Ended

    monkeypatch.setattr("os._exit", end)
    answers = Answers()
    with pytest.raises(Ended):
        worker._work(Stopped(ends=False), answers, TASK)  # type: ignore[arg-type]
    assert answers.given == [{"died": child.STOPPED}]
