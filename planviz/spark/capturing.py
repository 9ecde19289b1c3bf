"""Everything that Spark knows of one query, as JSON values in the form planviz-capture/1 (`plantext.captures`).

A classic session gives the explain texts, the replayed rules, exact estimates and the plan as it ran. Spark Connect
gives the texts and, for a query that ran, its metrics; it shows a client no rules, and the capture says so.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.plantext.captures import FORMAT, MODES
from planviz.spark.connect import capture_connect
from planviz.spark.jvm import JavaObject, entries, estimate, items, jvm_of, optional
from planviz.spark.measured import Measured
from planviz.spark.replay import Replayer
from planviz.spark.secrets import redacted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame

_MOST_RULES = 10_000
#: Roots whose rows are few by themselves; executed as `collect` does, they stop as early as Spark does.
_LIMITED = ("CollectLimit", "TakeOrderedAndProject", "CommandResult", "LocalTableScan")

#: What a scheduler says before the error of the task.
_LOST = re.compile(r"^.*most recent failure: Lost task [\d.]+ in stage [\d.]+ \(TID \d+\)(?: \([^)]*\))?: ")

Progress = Callable[[str], None]


def capture_frame(
    frame: DataFrame, *, sql: str = "", run: bool = False, progress: Progress = lambda at: None
) -> dict[str, object]:
    """A DataFrame captured, and executed when `run` says so; its rows are counted, not kept.

    A query that fails while it runs is captured with what was measured until then, and `failed` says why. Raises
    InputError for a stream, and what Spark raises when the query cannot be planned.
    """
    if frame.isStreaming:
        raise InputError("A stream has a new plan for every batch. Capture the batch inside foreachBatch instead.")
    if not hasattr(frame, "_jdf"):
        return capture_connect(cast("ConnectFrame", frame), sql=sql, run=run, progress=progress)
    with active_session(frame.sparkSession):
        return _Classic(frame).capture(sql, run, progress)


@contextmanager
def active_session(spark: SparkSession) -> Iterator[None]:
    """Make a session the one whose settings count in this thread; estimates and texts are made late, by these."""
    sessions = jvm_of(spark).org.apache.spark.sql.classic.SparkSession
    before = optional(sessions.getActiveSession())
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before is None:
            sessions.clearActiveSession()
        else:
            sessions.setActiveSession(before)


class _Classic:
    """One query of a classic session."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame
        self._spark = frame.sparkSession
        self._session = self._spark._jsparkSession
        self._jvm = jvm_of(self._spark)
        self._logical = frame._jdf.queryExecution().logical()

    def capture(self, sql: str, run: bool, progress: Progress) -> dict[str, object]:
        progress("planning")
        execution = self._execution()
        now = datetime.now(UTC).isoformat()
        begin = time.perf_counter()
        execution.executedPlan()
        planned = (time.perf_counter() - begin) * 1e3
        found: JsonObject = {
            "format": FORMAT,
            "sql": sql,
            "at": now,
            "spark": {"version": self._spark.version, "master": self._spark.sparkContext.master, "kind": "classic"},
            "conf": self._conf(),
            "milliseconds": {"planned": round(planned, 1)} | self._phases(execution),
            "explain": {mode: self._explained(execution, mode) for mode in MODES},
            "estimates": self._estimates(execution.optimizedPlan()),
            "notes": [],
        }
        begin = time.perf_counter()
        found["trace"] = Replayer(self._jvm, self._session, progress).all(execution).as_json()
        found["trace"]["rules"] = self._rules(execution)
        found["milliseconds"]["replayed"] = round((time.perf_counter() - begin) * 1e3, 1)
        if run:
            found["executed"] = self._run(progress)
        return found

    def _execution(self) -> JavaObject:
        """A query execution of its own: rules keep state, so one that was looked into must not run."""
        return self._session.sessionState().executePlan(self._logical, self._frame._jdf.queryExecution().mode())

    def _conf(self) -> dict[str, str]:
        """What was set for this session, and what its machine gave it, without what may hold a secret."""
        conf = self._session.sessionState().conf()
        machine = {
            "spark.sql.leafNodeDefaultParallelism": self._spark.sparkContext.defaultParallelism,
            "spark.sql.session.timeZone": conf.sessionLocalTimeZone(),
        }
        pairs = machine | dict(entries(self._jvm, conf.getAllConfs()))
        return redacted({str(k): str(pairs[k]) for k in sorted(pairs) if str(k).startswith("spark.sql.")})

    def _explained(self, execution: JavaObject, mode: str) -> str:
        modes = self._jvm.org.apache.spark.sql.execution.ExplainMode
        return str(execution.explainString(modes.fromString(mode)))

    def _phases(self, execution: JavaObject) -> dict[str, float]:
        phases = entries(self._jvm, execution.tracker().phases())
        return {str(name): float(phase.durationMs()) for name, phase in phases}

    def _rules(self, execution: JavaObject) -> list[list[object]]:
        """Spark's own counts: name, runs, effective runs, milliseconds, in order of time spent."""
        found = []
        for pair in items(self._jvm, execution.tracker().topRulesByTime(_MOST_RULES)):
            summary = pair._2()
            spent = round(summary.totalTimeNs() / 1e6, 3)
            found.append([str(pair._1()), int(summary.numInvocations()), int(summary.numEffectiveInvocations()), spent])
        return found

    def _estimates(self, plan: JavaObject) -> list[list[int | None] | None]:
        """Rows and bytes of every operator of the optimized plan, in the order of its text."""
        found: list[list[int | None] | None]
        try:
            found = [estimate(plan)]
        except Exception:
            # A cached table shows its physical plan beneath.
            found = [None]
        for child in [*items(self._jvm, plan.innerChildren()), *items(self._jvm, plan.children())]:
            found += self._estimates(child)
        return found

    def _run(self, progress: Progress) -> dict[str, object]:
        progress("running")
        execution = self._execution()
        optimized = Measured(self._jvm, execution.optimizedPlan())
        begin = time.perf_counter()
        plan = execution.executedPlan()
        found: dict[str, object] = {"rows": None}
        try:
            found["rows"] = self._count(execution, plan)
        except Exception as error:
            if not _told_by_spark(error) or self._stopped():
                raise
            found["failed"] = failure(error)
        found["milliseconds"] = round((time.perf_counter() - begin) * 1e3, 1)
        progress("collecting what was measured")
        return found | {"plan": optimized.tree(plan)}

    def _stopped(self) -> bool:
        return bool(self._spark.sparkContext._jsc.sc().isStopped())

    def _count(self, execution: JavaObject, plan: JavaObject) -> int:
        if str(self._root(plan).nodeName()).startswith(_LIMITED):
            return len(plan.executeCollect())
        return int(execution.toRdd().count())

    def _root(self, plan: JavaObject) -> JavaObject:
        return plan.inputPlan() if str(plan.nodeName()) == "AdaptiveSparkPlan" else plan


def _told_by_spark(error: Exception) -> bool:
    """Whether the JVM lives and says that the query failed; else its connection broke."""
    return hasattr(error, "getCondition") or type(error).__name__ == "Py4JJavaError"


def failure(error: Exception) -> str:
    """Why a query failed while it ran, in one line: Spark's own error, else the innermost one of Java."""
    lines = str(error).splitlines()
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    told = next((line for line in [*reversed(causes), *lines] if re.search(r"\[[A-Z_.]+\]", line)), None)
    said = told or (causes[-1] if causes else next((line for line in lines if line.strip()), type(error).__name__))
    said = _LOST.sub("", said.strip().removeprefix(": "))
    said = re.sub(r"^(?:[\w$]+\.)+(\w+): ", r"\1: ", said)[:500]
    return full_memory(said) if said.startswith("OutOfMemoryError") else said


def full_memory(said: str) -> str:
    """The sentence for a query that took all of Spark's memory; `said` are the JVM's words."""
    return f"Spark's memory was full ({said}); give it more with --memory, or ask for less at once."
