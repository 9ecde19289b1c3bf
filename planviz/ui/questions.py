"""What the server asks its worker processes, and who answers; the processes themselves are `planviz.ui.workers`.

Without an executor (`running`) everything happens in the process that asks.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from planviz.errors import InternalError, PlanvizError

if TYPE_CHECKING:
    from planviz.ui.opened import Source

#: Seconds between two looks whether anybody still waits.
LOOK = 0.1

#: Called while somebody waits, beside what the executor was given: raises where nobody does any more.
watch: ContextVar[Callable[[], None]] = ContextVar("watch", default=lambda: None)
#: Who asks where no session does: the address that a request came from.
asker: ContextVar[str] = ContextVar("asker", default="")


@dataclass(frozen=True)
class Question:
    """What is asked of a worker: the function `name` of `module`, called with the document of `key` (None: without).

    `sources` and `catalogs` are what it said that it lacks; None for what the server has not got, either.
    """

    key: str | None
    module: str
    name: str
    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    sources: Mapping[str, Source | None] = field(default_factory=dict)
    catalogs: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """A worker's answer: `value`, or `error`, or the key or catalogue that it `lacks`.

    `megabytes` is its memory now; `spent` says that it was stopped in the middle and should be replaced.
    """

    value: object = None
    error: Exception | None = None
    lacks: str = ""
    megabytes: int = 0
    spent: bool = False


class Executor(Protocol):
    """Answers questions."""

    def answer(self, question: Question, near: str) -> Reply:
        """The reply to a question, nothing lacking; `near` is the key of a document that should be open there."""

    def look(self) -> None:
        """Raise where nobody waits any more."""


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
    if _running is not None:
        _running.look()


def ask(
    key: str | None, module: str, name: str, args: tuple[object, ...], kwargs: Mapping[str, object], *, near: str = ""
) -> Any:
    """What a function of a module returns in a worker, called with the document of `key`.

    `near` is the key of a document whose worker should answer, by default that of `key`. Raises what the function
    raises, and LimitExceeded.
    """
    if _running is None:
        raise InternalError("There are no workers.")
    reply = _running.answer(Question(key, module, name, args, kwargs), near or key or "")
    if reply.error is not None:
        raise reply.error
    return reply.value


def begin(work: Callable[[], object], session: str) -> None:
    """Let a worker begin what `session` will ask, while that one still waits or draws.

    Errors are told when it asks. Raises nothing, and does nothing where there are no workers.
    """

    def ahead() -> None:
        asker.set(session)
        with suppress(PlanvizError):
            work()

    if running():
        threading.Thread(target=ahead, daemon=True, name="planviz-ahead").start()


def run(module: str, name: str, *args: object) -> Any:
    """What a function without a document returns, in a worker where there are any."""
    if _running is not None:
        return ask(None, module, name, args, {})
    return function_of(module, name)(*args)


def function_of(module: str, name: str) -> Callable[..., object]:
    """The function that a question names."""
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    return found
