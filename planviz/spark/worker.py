"""Spark's process: reads tasks from standard input, gives answers on standard output (`child.py` has the form).

Each task runs in a thread and a session of its own. When the JVM ends this process ends, too, and says why; when
planviz goes away the input ends, and so does this.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from planviz.errors import AnalysisError, PlanvizError, SparkError, SparkLost
from planviz.jsontypes import JsonObject
from planviz.spark import tasks
from planviz.spark.capturing import full_memory
from planviz.spark.child import STOPPED
from planviz.spark.connect import connect_error
from planviz.spark.reach import address
from planviz.spark.session import Spark, start

_AT_ONCE = 8
#: With what status Spark ends where it cannot make a folder for its files.
_DISK = 53
#: Seconds in which a JVM ends whose Spark has stopped.
_STOPPING = 10.0
#: Tasks that do not wait until others are done.
_AT_ONCE_ANSWERED = ("ping", "cancel")
#: What py4j and PySpark raise when the JVM is not there any more.
_BROKEN = ("Py4JNetworkError", "Py4JError", "PySparkRuntimeError")


class _Answers:
    """The way back: whole lines, one at a time."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def give(self, message: dict[str, object]) -> None:
        """Send one message."""
        data = json.dumps(message).encode() + b"\n"
        with self._lock:
            self._stream.write(data)
            self._stream.flush()


def main() -> None:
    """Start Spark as the first line says, then work on tasks until the input ends."""
    # What Spark or a query prints must not get between the answers.
    answers = _Answers(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    settings = json.loads(sys.stdin.readline())
    where = address(settings["master"])
    try:
        spark = start(settings)
        ready = spark.described()
    except Exception as error:
        answers.give({"failed": _why_not_started(error, where)})
        return
    answers.give({"ready": ready})
    if spark.jvm_process is not None:
        threading.Thread(target=_watch, args=(spark, answers), daemon=True).start()
    pool, pings = ThreadPoolExecutor(_AT_ONCE), ThreadPoolExecutor(1)
    for line in sys.stdin:
        task = json.loads(line)
        (pings if task["task"] in _AT_ONCE_ANSWERED else pool).submit(_work, spark, answers, task)
    os._exit(0)


def _work(spark: Spark, answers: _Answers, task: JsonObject) -> None:
    number = task["id"]

    def progress(at: str) -> None:
        answers.give({"id": number, "progress": at})

    try:
        spark.label_jobs(number)
        answers.give({"id": number, "value": tasks.TASKS[task["task"]](spark, task["arguments"], progress)})
    except Exception as error:
        # When the JVM dies, its connections break before its end is known. Where its memory is full, Spark stops
        # first, and every call says only that; what it is left with would fail all queries to come.
        stopped = spark.stopped()
        if spark.gone(_STOPPING if stopped else 2.0 if _is_broken(error) else 0.0):
            return
        if stopped:
            answers.give({"died": STOPPED})
            os._exit(3)
        answers.give({"id": number, "error": told(error, address(spark.master))})


def _watch(spark: Spark, answers: _Answers) -> None:
    assert spark.jvm_process is not None
    status = spark.jvm_process.wait()
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    if status == _DISK:
        how += ", which Spark gives when it cannot write to its disk: look at spark.local.dir"
    answers.give({"died": f"its JVM was ended {how}" if status < 0 else f"its JVM ended {how}"})
    os._exit(3)


def told(error: Exception, where: str) -> JsonObject:
    """An error as JSON values: kind, message, and Spark's class and place for it; `where` is a server's address."""
    if where and (broken := connect_error(error, where)) is not None:
        error = broken
    if isinstance(error, AnalysisError):
        sentence = str(error).removeprefix(f"[{error.error_class}] ")
        return {"kind": "AnalysisError", "error_class": error.error_class, "message": sentence}
    if isinstance(error, PlanvizError):
        return {"kind": type(error).__name__, "message": str(error)}
    return tasks.spark_error(error) or {"kind": SparkError.__name__, "message": _sentence(error)}


def _sentence(error: Exception) -> str:
    java = getattr(error, "java_exception", None)
    text = str(error) if java is None else str(java.toString())
    first = next(iter(text.strip().splitlines()), "")[:500]
    if "OutOfMemoryError" in text:
        return full_memory(first)
    return f"Spark failed with {first}" if java is not None else f"Spark failed with {type(error).__name__}: {first}"


def _is_broken(error: Exception) -> bool:
    return isinstance(error, OSError) or type(error).__name__ in _BROKEN


def _why_not_started(error: Exception, where: str) -> dict[str, object]:
    """Why Spark did not start; a JVM that ended under way shows as connections that break."""
    if _is_broken(error) and not isinstance(error, PlanvizError):
        log = "its log ends" if _last_line() else ""
        reason = f"Spark did not start: its JVM ended before it was ready{f'; {log}: {_last_line()}' if log else ''}."
        return {"kind": SparkLost.__name__, "message": f"{reason} Ask again to start another."}
    return told(error, where)


def _last_line() -> str:
    """The last line of Spark's log, which is this process's standard error."""
    try:
        lines = Path("log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""


if __name__ == "__main__":
    main()
