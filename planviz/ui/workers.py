"""The worker processes of the server: where texts are opened, planned and drawn, so that any of it can be stopped.

Each worker is a pebble pool of one process, forked from a warm one (`planviz.ui.warm`), so that a killed one is
replaced in milliseconds. A question goes to a worker that rests, first to one that has the document open. Without
workers (`running`) everything happens in the process that asks.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, TimeoutError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from pebble import ProcessExpired, ProcessPool

from planviz.errors import InternalError, LimitExceeded
from planviz.jsontypes import JsonObject
from planviz.ui import worker

#: Seconds and megabytes that a task may take where nothing else was said.
SECONDS, MEGABYTES = 20.0, 2_000
#: Seconds beyond the limit after which a worker is killed that does not stop by itself.
_KILL = 2.0
#: Seconds between two looks whether anybody still waits.
LOOK = 0.1
#: Questions that wait for a worker at most, and how many of one asker's.
WAITING, WAITING_OF_ONE = 64, 32
#: Documents that a worker is believed to have open.
_KEYS = 32
#: Megabytes above a fresh worker from which one without documents is replaced.
_GROWN = 100

#: Called while somebody waits, beside what `Workers` was given: raises where nobody does any more.
watch: ContextVar[Callable[[], None]] = ContextVar("watch", default=lambda: None)
#: Who asks where no session does: the address that a request came from.
asker: ContextVar[str] = ContextVar("asker", default="")


class Executor(Protocol):
    """Answers questions."""

    def answer(self, question: worker.Question, near: str) -> worker.Reply:
        """The reply to a question; `near` is the key of a document that should be open there."""


_running: Executor | None = None


def running() -> bool:
    """Whether documents live in workers."""
    return _running is not None


def use(executor: Executor | None) -> Executor | None:
    """Let this executor answer from now on (None: everything happens where it is asked); the one before."""
    global _running
    before, _running = _running, executor
    return before


def is_used(executor: Executor) -> bool:
    """Whether this executor answers."""
    return _running is executor


def look() -> None:
    """Raise where nobody waits any more for what is asked in this thread."""
    if isinstance(_running, Workers):
        _running.look()


def ask(
    key: str | None, module: str, name: str, args: tuple[object, ...], kwargs: Mapping[str, object], *, near: str = ""
) -> Any:
    """What a function of a module returns in a worker, called with the document of `key`.

    `near` is the key of a document that the call opens. Raises what the function raises, and LimitExceeded.
    """
    from planviz.ui import cache

    executor = _running
    if executor is None:
        raise InternalError("There are no workers.")
    sources: JsonObject = {}
    catalogs: dict[str, str | None] = {}
    while True:
        question = worker.Question(key, module, name, args, kwargs, sources, catalogs)
        reply = executor.answer(question, key or near)
        if not reply.lacks:
            break
        if reply.lacks.startswith(cache.OWN):
            catalogs[reply.lacks] = cache.own_catalog(reply.lacks)
        else:
            found = cache.find(reply.lacks)
            sources[reply.lacks] = None if found is None else found.source
            if found is None and reply.lacks == key:
                raise LimitExceeded("The server no longer holds this plan in memory. Reload the page.")
    if reply.error is not None:
        raise reply.error
    return reply.value


def run(module: str, name: str, *args: object) -> Any:
    """What a function without a document returns, in a worker where there are any."""
    if _running is not None:
        return ask(None, module, name, args, {})
    return worker.answer_here(module, name, args)


@dataclass(eq=False)
class _Place:
    """One worker: who uses it, which documents it has open, its memory."""

    pool: ProcessPool
    owner: str | None = None
    keys: OrderedDict[str, None] = field(default_factory=OrderedDict)
    megabytes: int = 0
    used: float = 0.0


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

    def answer(self, question: worker.Question, near: str) -> worker.Reply:
        """Give a question to a worker and wait for the reply, as long as `watch` lets it.

        Raises LimitExceeded where the worker had to be killed, or too many wait.
        """
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

    def _reply(self, place: _Place, question: worker.Question) -> worker.Reply:
        asked = (question, self.seconds, self.megabytes)
        try:
            future = place.pool.schedule(worker.answer, args=asked, timeout=self.seconds + _KILL)
        except RuntimeError:  # The worker was killed while it rested: pebble gives such a pool up.
            self._replace(place)
            future = place.pool.schedule(worker.answer, args=asked, timeout=self.seconds + _KILL)
        try:
            while True:
                with suppress(TimeoutError):
                    reply: worker.Reply = future.result(timeout=LOOK)
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

    def forget(self, keys: tuple[str, ...]) -> None:
        """Close documents wherever they are open; a worker that rests, has none and has grown is replaced."""
        for place in self._places:
            with self._free:
                mine = tuple(key for key in keys if key in place.keys)
                for key in mine:
                    del place.keys[key]
                if place.owner is not None or not (mine or (not place.keys and place.megabytes)):
                    continue
                place.owner = "forgetting"
            try:
                if place.keys or place.megabytes <= self._fresh + _GROWN:
                    place.pool.schedule(worker.forget, args=(mine,), timeout=self.seconds).result()
                else:
                    self._replace(place)
            except (TimeoutError, CancelledError, ProcessExpired, BrokenProcessPool):
                self._replace(place)
            finally:
                with self._free:
                    place.owner = None
                    self._free.notify_all()

    def megabytes_used(self) -> list[int]:
        """The memory of each worker after its last task."""
        return [place.megabytes for place in self._places]

    def close(self) -> None:
        """End all workers at once, whatever they are at."""
        for place in self._places:
            _end(place.pool)


def _end(pool: ProcessPool) -> None:
    with suppress(Exception):
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join(timeout=2)
