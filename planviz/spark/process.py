"""A Spark in a process of its own: started on first use, watched, explained and replaced when it dies or hangs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty
from typing import Any

from planviz.errors import SparkError
from planviz.spark.child import Child, SparkSettings

__all__ = ["LiveSpark", "SparkSettings", "Stop"]

_WORKER = ("-m", "planviz.spark.worker")
#: Seconds that a task has to end when its jobs were cancelled.
_GRACE = 3.0


class Stop:
    """Ends a call from another thread, the gentlest way there is.

    Spark cancels the jobs of the task. A start, or a plan under way, has none: after `grace` seconds Spark is killed.
    """

    def __init__(self, grace: float = 2.0) -> None:
        self.asked = False
        self._grace = grace
        self._lock = threading.Lock()
        self._end: Callable[[float | None], None] | None = None

    def now(self, *, kill: bool = True) -> None:
        """End the call, or the next one if none is under way. Takes up to `grace` seconds; `kill` allows that."""
        with self._lock:
            self.asked = True
            end = self._end
        if end is not None:
            end(self._grace if kill else None)

    def attach(self, end: Callable[[float | None], None]) -> None:
        """What ends the call from now on; called at once where stopping was asked for before.

        It gets the seconds after which it may kill, None when it may not.
        """
        with self._lock:
            self._end = end
        if self.asked:
            end(self._grace)


class LiveSpark:
    """A live Spark, for any number of threads; each task gets a session of its own there.

    A Spark that died between two tasks is replaced without a word; one that dies or hangs during a task makes that
    task raise SparkLost, which says what happened, and the next task starts another.
    """

    def __init__(self, settings: SparkSettings | None = None, worker: Sequence[str] = _WORKER) -> None:
        self.settings = settings or SparkSettings()
        self._worker = worker
        self._lock = threading.Lock()
        self._process: Child | None = None

    def call(
        self,
        task: str,
        arguments: dict[str, object] | None = None,
        *,
        limit: float = 120.0,
        on_progress: Callable[[str], None] | None = None,
        stop: Stop | None = None,
    ) -> Any:
        """The answer to a task of `planviz.spark.worker`, as JSON values; `stop` ends it before.

        `on_progress` is called in this thread. Raises SparkLost when Spark ends or hangs; SparkError when it takes more
        than `limit` seconds (its jobs are cancelled; a plan under way has none, and there Spark is ended: SparkLost);
        SparkMissing or SparkUnreachable when there is none; what the task itself raised.
        """
        tell = on_progress or (lambda at: None)
        process = self._running(tell, stop)
        call = process.send(task, arguments or {})
        if stop is not None:
            rough = "and nothing gentler stops that"
            stop.attach(
                lambda grace: process.stop(call, grace, f"stopped while it was {call.at or 'at work'}, {rough}")
            )
        give_up = time.monotonic() + limit
        while not call.done.is_set():
            left = give_up - time.monotonic()
            try:
                if (news := call.news.get(timeout=min(self.settings.silence / 3, max(left, 0.01)))) is not None:
                    tell(news)
            except Empty:
                process.ping()
            if process.silent_for() > self.settings.silence:
                process.kill(f"it gave no sign of life for {self.settings.silence:g} s")
            elif left <= 0 and not call.done.is_set():
                late = f"still {call.at or 'at work'} after {limit:g} s"
                process.stop(call, _GRACE, f"{late}, and nothing gentler stops that")
                if process.alive and call.error is not None:
                    raise SparkError(f"Spark was {late}, and the query was stopped.")
        if call.error is not None:
            raise call.error
        return call.value

    @property
    def pid(self) -> int | None:
        """The process's id, None while none runs."""
        return self._process.popen.pid if self._process is not None and self._process.alive else None

    @property
    def described(self) -> dict[str, object] | None:
        """Version, master and the JVM's process id of a Spark that is ready; None while none is."""
        process = self._process
        return process.described if process is not None and process.alive else None

    def close(self) -> None:
        """Stop Spark; a later call starts another."""
        with self._lock:
            if self._process is not None:
                self._process.kill("it was stopped")
                self._process = None

    def _running(self, tell: Callable[[str], None], stop: Stop | None) -> Child:
        with self._lock:
            if self._process is None or not self._process.alive:
                tell("starting Spark")
                self._process = Child(self.settings, self._worker)
            process = self._process
        if stop is not None:
            stop.attach(lambda grace: None if grace is None else process.kill("it was stopped"))
        process.wait_for_start(self.settings.start)
        return process
