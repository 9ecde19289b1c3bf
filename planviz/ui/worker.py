"""What a worker process does: holds documents open and answers questions about them, within limits.

Between processes go keys of documents, names of functions that `planviz.ui.opened.in_worker` marks, and plain values. A
worker that does not know a key or a catalogue says so (`Reply.lacks`), and is asked again with it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from planviz.errors import LimitExceeded, PlanvizError
from planviz.limits import time_limit
from planviz.trees.collector import collector_rarely
from planviz.ui import cache
from planviz.ui.opened import Facts, Opened, Source
from planviz.ui.questions import Question, Reply, function_of

#: Added to the priority of the server: pages answer before anybody plans.
_NICE = 5
#: Seconds between two looks whether the server is still there.
_WATCH = 1.0
_MEGABYTE = 1_000_000
_PAGE = resource.getpagesize()


class Lacking(BaseException):
    """Raised where a document or a catalogue is asked for that this worker has not got."""


def begin(megabytes: int) -> None:
    """Make this process a worker: lower priority, a limit of memory, an end when the server ends."""
    os.nice(_NICE)
    collector_rarely()
    with suppress(ValueError, OSError):
        limit = _address_space() + megabytes * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * _PAGE


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        threading.Event().wait(_WATCH)
    os._exit(1)


def answer(question: Question, seconds: float | None, megabytes: int = 0) -> Reply:
    """Answer a question within `seconds`; `megabytes` is the limit of memory that messages name."""
    with cache.at_work(_lacking(question)):
        try:
            with time_limit(seconds, "let whoever runs the server raise --task-seconds"):
                value = _function(question)()
            if megabytes and memory() > megabytes // 2:
                cache.forget_all()
                gc.collect()
            return Reply(value, megabytes=memory())
        except Lacking as lacking:
            return Reply(lacks=str(lacking))
        except LimitExceeded as error:
            cache.forget_all()
            return Reply(error=error, spent=True)
        except MemoryError:
            cache.forget_all()
            return Reply(error=LimitExceeded(out_of_memory(megabytes)), spent=True)
        except (PlanvizError, KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
            return Reply(error=error, megabytes=memory())
        except RecursionError as error:
            return Reply(error=RecursionError(str(error)), megabytes=memory())


def out_of_memory(megabytes: int) -> str:
    """The sentence for work that took too much memory."""
    return (
        f"Stopped: this took more than {megabytes:,} MB of memory. The text is kept; make it smaller, open it with the "
        "command line, or let whoever runs the server raise --task-memory."
    )


def _function(question: Question) -> Callable[[], object]:
    given = () if question.key is None else (_document(question),)
    return partial(function_of(question.module, question.name), *given, *question.args, **question.kwargs)


def _document(question: Question) -> Opened:
    assert question.key is not None
    found = cache.find(question.key)
    assert found is not None
    return found


def _lacking(question: Question) -> Callable[[str], Opened | str | None]:
    """What the question brought along of what this worker has not got; raises Lacking for anything else."""

    def look(name: str) -> Opened | str | None:
        if name in question.catalogs:
            return question.catalogs[name]
        if name not in question.sources:
            raise Lacking(name)
        source = question.sources[name]
        return None if source is None else cache.open_source(source)

    return look


def opened(source: Source) -> tuple[Facts, str] | None:
    """Open a text: its facts and catalogue; None where a derived document is none."""
    found = cache.open_source(source)
    return None if found is None else (found.facts, found.catalog)


def forget(keys: tuple[str, ...]) -> int:
    """Close documents and give back what is free; the megabytes that are left."""
    with cache.at_work(_lacking(Question(None, "", ""))):
        cache.forget(keys)
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return memory()


def memory() -> int:
    """Megabytes of this process that lie in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * _PAGE // _MEGABYTE
