"""The sessions of the server: who asks, whether anybody still waits, and the memory of those that have left.

`begin` starts the workers, as the server's options say (`planviz serve`, which puts them into the environment).
"""

from __future__ import annotations

import os
import threading

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from planviz.ui import cache, questions
from planviz.ui.workers import MEGABYTES, SECONDS, Workers

#: Variables of the environment: seconds and megabytes of one task, how many workers; "0" workers: none.
TASK_SECONDS, TASK_MEMORY, COUNT = "PLANVIZ_TASK_SECONDS", "PLANVIZ_TASK_MEMORY", "PLANVIZ_WORKERS"
#: Seconds between two looks for sessions that have left.
_SWEEP = 5.0


def begin() -> Workers | None:
    """Start the workers and what closes the documents of sessions that have left; None where none are wanted."""
    count = int(os.environ.get(COUNT) or max(4, (os.cpu_count() or 2) + 2))
    if not count:
        return None
    seconds = float(os.environ.get(TASK_SECONDS) or SECONDS)
    megabytes = int(os.environ.get(TASK_MEMORY) or MEGABYTES)
    found = Workers(count, seconds, megabytes, here=still_here, who=session)
    questions.use(found)
    threading.Thread(target=found.start, daemon=True, name="planviz-workers").start()
    threading.Thread(target=_sweep, args=(found,), daemon=True, name="planviz-sessions").start()
    return found


def session() -> str:
    """The id of the session whose page runs in this thread, "" for none."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def still_here() -> None:
    """Stop this run of a page where its session has left, or has asked for a newer one; elsewhere nothing."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not Runtime.exists():
        return
    if not is_active(context.session_id):
        st.stop()
    # Whoever looks into the session gives Streamlit the occasion to begin anew.
    len(st.session_state)


def is_active(session: str) -> bool:
    """Whether a browser is connected to a session."""
    return bool(session) and Runtime.exists() and Runtime.instance().is_active_session(session)


def _sweep(running: Workers) -> None:
    while questions.is_used(running):
        threading.Event().wait(_SWEEP)
        cache.left(is_active)
        running.forget()
