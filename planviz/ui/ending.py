"""How the server begins and ends: what is under way may finish for some seconds, then it is lost, and that is said."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

#: Seconds that open work has when the server is told to end.
PATIENCE = 3.0


@asynccontextmanager
async def ends_soon(app: object) -> AsyncIterator[None]:
    """The lifespan of the app: it has workers; from the first SIGTERM or SIGINT on, the process has `PATIENCE` seconds.

    The server itself waits for every open request and every thread, which may be planning for minutes.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            _hurry(number)
    from planviz.ui import front, questions, sessions

    front.make_ready()
    running = sessions.begin()
    try:
        yield
    finally:
        questions.use(None)
        if running is not None:
            running.close()


def _hurry(number: signal.Signals) -> None:
    before = signal.getsignal(number)

    def stop(found: int, frame: FrameType | None) -> None:
        threading.Thread(target=_end, args=(number,), daemon=True).start()
        if callable(before):
            before(found, frame)

    signal.signal(number, stop)


def _end(number: signal.Signals) -> None:
    threading.Event().wait(PATIENCE)
    from planviz.ui import sparks

    print("planviz: stopped; what was still being planned or run is lost, its text is in its page.", file=sys.stderr)
    closing = threading.Thread(target=sparks.close_all, daemon=True)
    closing.start()
    closing.join(0.5)
    sys.stderr.flush()
    os._exit(128 + number)
