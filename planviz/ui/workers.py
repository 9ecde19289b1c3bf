"""The worker processes of the server: where texts are opened, planned and drawn, so that any of it can be stopped.

Each worker is a pebble pool of one process, forked from a warm one (`planviz.ui.warm`), so that a killed one is
replaced in milliseconds. A question goes to a worker that rests, first to one that has the document open.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, TimeoutError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from pebble import ProcessExpired, ProcessPool

from planviz.errors import LimitExceeded
from planviz.ui import cache, worker
from planviz.ui.opened import Source
from planviz.ui.questions import LOOK, Question, Reply, asker, watch

#: Seconds and megabytes that a task may take where nothing else was said.
SECONDS, MEGABYTES = 20.0, 2_000
#: Seconds beyond the limit after which a worker is killed that does not stop by itself.
_KILL = 2.0
#: Questions that wait for a worker at most, and how many of one asker's.
WAITING, WAITING_OF_ONE = 64, 32
#: Documents that a worker is believed to have open.
_KEYS = 32
#: Megabytes above a fresh worker from which one without documents is replaced.
_GROWN = 100


def supplied(question: Question, answer: Callable[[Question], Reply]) -> Reply:
    """The reply to a question, asked again with each document and catalogue that the worker lacks.

    Raises LimitExceeded where the server does not have the document either.
    """
    sources: dict[str, Source | None] = {}
    catalogs: dict[str, str | None] = {}
    while (reply := answer(replace(question, sources=sources, catalogs=catalogs))).lacks:
        if reply.lacks.startswith(cache.OWN):
            catalogs[reply.lacks] = cache.own_catalog(reply.lacks)
        else:
            found = cache.find(reply.lacks)
            sources[reply.lacks] = None if found is None else found.source
            if found is None and reply.lacks == question.key:
                raise LimitExceeded("The server no longer holds this plan in memory. Reload the page.")
    return reply


@dataclass(eq=False)
class _Place:
    """One worker: who uses it, which documents it has open, its memory; when it was used last, and what is free given
    back."""

    pool: ProcessPool
    owner: str | None = None
    keys: OrderedDict[str, None] = field(default_factory=OrderedDict)
    megabytes: int = 0
    used: float = 0.0
    trimmed: float = 0.0


class Workers:
    """So many worker processes; `seconds` and `megabytes` are the limits of one task.

    `here` is called while somebody waits, and raises where nobody does any more; `who` names the session that asks: no
    one has more than half of the workers, and who has the fewest comes first.
    """

    def __init__(
        self,
        count: int,
        seconds: float = SECONDS,
        megabytes: int = MEGABYTES,
        *,
        here: Callable[[], None] = lambda: None,
        who: Callable[[], str] = lambda: "",
    ) -> None:
        self.seconds, self.megabytes = seconds, megabytes
        self._here, self._who = here, who
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["planviz.ui.warm"])
        self._free = threading.Condition()
        self._waiting: Counter[str] = Counter()
        self._places = [_Place(self._pool()) for _ in range(count)]
        self._fresh = 0

    def _pool(self) -> ProcessPool:
        return ProcessPool(max_workers=1, context=self._context, initializer=worker.begin, initargs=(self.megabytes,))

    def start(self) -> None:
        """Start all workers and wait until they are warm."""
        for future in [place.pool.schedule(worker.memory) for place in self._places]:
            self._fresh = max(self._fresh, future.result())

    def answer(self, question: Question, near: str) -> Reply:
        """Give a question to a worker and wait for the reply, as long as `watch` lets it.

        Raises LimitExceeded where the worker had to be killed, or too many wait.
        """
        return supplied(question, lambda asked: self._answer(asked, near))

    def _answer(self, question: Question, near: str) -> Reply:
        with self._place(near) as place:
            reply = self._reply(place, question)
            if near:
                place.keys[near] = None
                place.keys.move_to_end(near)
                while len(place.keys) > _KEYS:
                    place.keys.popitem(last=False)
            place.megabytes = reply.megabytes
            if reply.spent:
                self._replace(place)
            return reply

    def _reply(self, place: _Place, question: Question) -> Reply:
        asked = (question, self.seconds, self.megabytes)
        try:
            future = place.pool.schedule(worker.answer, args=asked, timeout=self.seconds + _KILL)
        except RuntimeError:  # The worker was killed while it rested: pebble gives such a pool up.
            self._replace(place)
            future = place.pool.schedule(worker.answer, args=asked, timeout=self.seconds + _KILL)
        try:
            while True:
                with suppress(TimeoutError):
                    reply: Reply = future.result(timeout=LOOK)
                    return reply
                if future.done() and isinstance(future.exception(), TimeoutError):
                    raise LimitExceeded(
                        f"Stopped: the work took more than {self.seconds:g} s. The text is kept; make it smaller, or "
                        "let whoever runs the server raise --task-seconds."
                    )
                self.look()
        except ProcessExpired:
            place.keys.clear()
            raise LimitExceeded(worker.out_of_memory(self.megabytes)) from None
        except (CancelledError, BrokenProcessPool):
            self._replace(place)
            raise LimitExceeded("The server is stopping, or had to stop this. Try again.") from None
        except BaseException:
            # Nobody waits, or it took too long: pebble kills the process and starts another.
            future.cancel()  # type: ignore[no-untyped-call]
            place.keys.clear()
            raise

    def look(self) -> None:
        """Raise where nobody waits any more."""
        watch.get()()
        self._here()

    @contextmanager
    def _place(self, near: str) -> Iterator[_Place]:
        who = self._who() or asker.get() or near
        with self._free:
            if self._waiting.total() >= WAITING or self._waiting[who] >= WAITING_OF_ONE:
                raise LimitExceeded("The server is busy with other plans. Try again in a moment.")
            self._waiting[who] += 1
            try:
                while (place := self._choose(who, near)) is None:
                    self._free.wait(LOOK)
                    self.look()
            finally:
                self._waiting[who] -= 1
                if not self._waiting[who]:
                    del self._waiting[who]
            place.owner = who
        try:
            yield place
        finally:
            with self._free:
                place.owner, place.used = None, time.monotonic()
                self._free.notify_all()

    def _choose(self, who: str, near: str) -> _Place | None:
        resting = [place for place in self._places if place.owner is None]
        busy = Counter(place.owner for place in self._places)
        mine = busy[who]
        if not resting or mine >= max(1, len(self._places) // 2) or any(busy[other] < mine for other in self._waiting):
            return None
        return next((place for place in resting if near in place.keys), min(resting, key=lambda p: len(p.keys)))

    def _replace(self, place: _Place) -> None:
        old, place.pool = place.pool, self._pool()
        place.keys.clear()
        place.megabytes = 0
        threading.Thread(target=_end, args=(old,), daemon=True).start()

    def forget(self) -> None:
        """Close what the server no longer keeps, and give back what tasks of the workers that rest have taken.

        A worker that has grown and has nothing open is replaced; where something is open, what is free is given back.
        """
        for place in self._places:
            with self._free:
                gone = tuple(key for key in place.keys if not cache.is_kept(key))
                grown = place.megabytes > self._fresh + _GROWN and place.used > place.trimmed
                if place.owner is not None or not (gone or grown):
                    continue
                for key in gone:
                    del place.keys[key]
                place.owner = "forgetting"
            try:
                if grown and not place.keys:
                    self._replace(place)
                else:
                    future = place.pool.schedule(worker.forget, args=(gone,), timeout=self.seconds)
                    place.megabytes, place.trimmed = future.result(), time.monotonic()
            except (TimeoutError, CancelledError, ProcessExpired, BrokenProcessPool):
                self._replace(place)
            finally:
                with self._free:
                    place.owner = None
                    self._free.notify_all()

    def close(self) -> None:
        """End all workers at once, whatever they are at."""
        for place in self._places:
            _end(place.pool)


def _end(pool: ProcessPool) -> None:
    with suppress(Exception):
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join(timeout=2)
