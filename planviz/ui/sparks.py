"""The live Sparks of this server, each shared by all sessions that chose the same settings, and what they work on.

Without Streamlit. A piece of work runs in a thread of its own; the session that asked holds its id and looks at it.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from planviz.errors import PlanvizError, SparkError, SparkLost
from planviz.jsontypes import JsonObject
from planviz.spark.process import LiveSpark, SparkSettings, Stop

#: Spark's processes at most at once; one more takes the place of the one that has rested longest.
MOST = 3
#: Seconds that one query may take, and a job over tables.
QUERY_LIMIT = 600.0
JOB_LIMIT = 86_400.0
#: Seconds that a piece of work whose session has gone is remembered.
_REMEMBERED = 3_600.0
#: The process's program, where it is another than Spark's own.
worker: Sequence[str] | None = None

_lock = threading.RLock()
_sparks: dict[SparkSettings, SharedSpark] = {}
_works: dict[str, Work] = {}


@dataclass(frozen=True)
class State:
    """How a Spark is: `kind` is none, starting, ready, work or lost; `words` say what it is at, or why it was lost.

    `spark` is what Spark told of itself (version, master, jvm), `seconds` how long the work under way has taken.
    """

    kind: str
    words: str = ""
    spark: JsonObject = field(default_factory=dict)
    seconds: float = 0.0


#: What gives the value of a work while it is under way.
Job = Callable[["Work"], object]


@dataclass(eq=False)
class Work:
    """Something that a session asked of a Spark. `value` or `error` is there once it has `ended`.

    `at` says what it is at. `value` may grow while it is under way.
    """

    what: str
    spark: SharedSpark
    job: Job
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    at: str = ""
    value: Any = None
    error: PlanvizError | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    _stop: Stop = field(default_factory=Stop)

    @property
    def stopped(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._stop.asked

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return (self.ended or time.monotonic()) - self.begun

    def call(self, task: str, arguments: dict[str, object], *, limit: float = QUERY_LIMIT, told: str = "") -> Any:
        """Give Spark a task as a part of this work; `told` stands before what Spark is at."""

        def tell(at: str) -> None:
            self.at = f"{told}: {at}" if told else at

        return self.spark.live.call(task, arguments, limit=limit, on_progress=tell, stop=self._stop)

    def stop(self) -> None:
        """Stop it, without waiting for that. Jobs are cancelled; a plan ends with its Spark, unless others work there.

        Then it is left to end by itself.
        """
        alone = not any(other is not self for other in self.spark.works())
        threading.Thread(target=self._stop.now, kwargs={"kill": alone}, daemon=True).start()

    def run(self) -> None:
        """Do it; the outcome is kept."""
        try:
            value = self.job(self)
            self.value = value
        except PlanvizError as error:
            self.error = error
            if isinstance(error, SparkLost) and not self.stopped:
                self.spark.lost = str(error)
        except Exception:
            logging.getLogger("planviz").exception("live Spark: %s", self.what)
            self.error = SparkError("Something went wrong in planviz itself; the server's log has the details.")
        finally:
            self.spark.was_ready = self.spark.live.described is not None
            self.spark.used = self.ended = time.monotonic()


@dataclass(eq=False)
class SharedSpark:
    """A Spark of some settings. `lost` is why it ended the last time, if it did not end by order.

    `was_ready`: it was there when the last work ended.
    """

    settings: SparkSettings
    live: LiveSpark
    used: float = 0.0
    lost: str = ""
    was_ready: bool = False

    def works(self) -> list[Work]:
        """What is under way there, of all sessions, oldest first."""
        with _lock:
            return [work for work in _works.values() if work.spark is self and work.ended is None]

    def begin(self, what: str, job: Callable[[Work], object]) -> Work:
        """Begin a piece of work; Spark starts first if there is none.

        Raises SparkError when too many Sparks are at work.
        """
        with _lock:
            self._make_room()
            _forget()
            work = Work(what, self, job)
            _works[work.id] = work
            self.lost, self.was_ready = "", False
        threading.Thread(target=work.run, daemon=True, name=f"planviz-{what}").start()
        return work

    def state(self) -> State:
        """How it is now."""
        described, works = self.live.described, self.works()
        if works:
            kind = "starting" if described is None else "work"
            return State(kind, works[0].at, described or {}, max(work.seconds for work in works))
        if described is not None:
            return State("ready", spark=described)
        if self.lost:
            return State("lost", self.lost)
        if self.was_ready:
            return State("lost", "Spark ended while nothing was asked of it. The next query starts a new Spark.")
        return State("none")

    def close(self) -> None:
        """Stop it. Raises SparkError while anybody's work is under way."""
        with _lock:
            if self.works():
                raise SparkError("This Spark is at work; stop that first.")
            self.lost, self.was_ready = "", False
        self.live.close()

    def _make_room(self) -> None:
        if self.live.pid is not None:
            return
        running = [spark for spark in _sparks.values() if spark is not self and (spark.live.pid or spark.works())]
        if len(running) < MOST:
            return
        resting = sorted((spark for spark in running if not spark.works()), key=lambda spark: spark.used)
        if not resting:
            raise SparkError(
                f"{MOST} Sparks with other settings are at work on this server, and it starts no more. Try again later."
            )
        resting[0].close()


def spark_of(settings: SparkSettings) -> SharedSpark:
    """The Spark of these settings; nothing is started."""
    with _lock:
        found = _sparks.get(settings)
        if found is None:
            live = LiveSpark(settings) if worker is None else LiveSpark(settings, worker)
            found = _sparks[settings] = SharedSpark(settings, live)
        return found


def work_of(id: str | None) -> Work | None:
    """The piece of work of an id, while it is remembered."""
    return _works.get(id or "")


def forget(work: Work) -> None:
    """Its outcome has been taken over."""
    with _lock:
        _works.pop(work.id, None)


def close_all() -> None:
    """End every Spark, whatever it is at."""
    with _lock:
        sparks = [*_sparks.values()]
        _sparks.clear()
    for spark in sparks:
        spark.live.close()


def _forget() -> None:
    now = time.monotonic()
    for work in [*_works.values()]:
        if work.ended is not None and now - work.ended > _REMEMBERED:
            del _works[work.id]
    for settings, spark in [*_sparks.items()]:
        if spark.live.pid is None and not spark.works() and spark.used and now - spark.used > _REMEMBERED:
            del _sparks[settings]
