"""How far the jobs of a task are, while they run."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.core.status import SparkStageInfo
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

_EVERY = 1.0


@contextmanager
def counting_tasks(session: SparkSession, told: str, progress: Callable[[str], None]) -> Iterator[None]:
    """Tell once a second how many tasks of the jobs that this thread starts are done: `told: 12 of 50 tasks`.

    Of jobs that take turns, as several passes do, the tasks known so far count.
    """
    progress(told)
    watch = _over_connect if not hasattr(session, "_jsparkSession") else _by_status
    with watch(session, lambda done, known: progress(f"{told}: {done:,} of {known:,} tasks")):
        yield


@contextmanager
def _by_status(session: SparkSession, tell: Callable[[int, int], None]) -> Iterator[None]:
    context, group, end = session.sparkContext, f"planviz-{uuid.uuid4()}", threading.Event()

    def look() -> None:
        # A context that ends meanwhile is told by the jobs themselves.
        with contextlib.suppress(Exception):
            while not end.wait(_EVERY):
                stages = _stages(context.statusTracker(), group)
                if stages:
                    tell(sum(s.numCompletedTasks for s in stages), sum(s.numTasks for s in stages))

    # setJobGroup would also say what happens when a job is cancelled.
    context.setLocalProperty("spark.jobGroup.id", group)
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
        # None takes the property away, which the signature does not say.
        context.setLocalProperty("spark.jobGroup.id", cast("str", None))


def _stages(tracker: StatusTracker, group: str) -> list[SparkStageInfo]:
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    return [s for job in jobs if job is not None for i in job.stageIds if (s := tracker.getStageInfo(i)) is not None]


@contextmanager
def _over_connect(session: SparkSession, tell: Callable[[int, int], None]) -> Iterator[None]:
    def handler(stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if stages:
            tell(sum(s.num_completed_tasks for s in stages), sum(s.num_tasks for s in stages))

    session.registerProgressHandler(cast("ProgressHandler", handler))
    try:
        yield
    finally:
        session.removeProgressHandler(cast("ProgressHandler", handler))
