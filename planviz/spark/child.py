"""Spark's process as planviz sees it, from start to end: tasks go in, answers come out, and its end is explained.

The process is Python with PySpark, and the JVM is its child; both live and die together. Tasks and answers are lines of
JSON over its standard input and output:

    {"id": 1, "task": "capture", "arguments": {...}}      planviz asks
    {"id": 1, "progress": "planning"}                     what it is at
    {"id": 1, "value": ...}  or  {"id": 1, "error": {"kind", "message", ...}}
    {"ready": {"version", ...}}  {"failed": "..."}        once, at the start
    {"died": "its JVM ..."}                               before it ends with its JVM
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from planviz import errors
from planviz.errors import AnalysisError, ParseError, PlanvizError, SparkError, SparkLost, SparkMissing
from planviz.jsontypes import JsonObject
from planviz.spark.java import find_java
from planviz.spark.jvm import JavaObject
from planviz.spark.reach import check, is_connect, is_loopback
from planviz.spark.secrets import Secrets

#: What of the environment Spark's process sees: no key or password of planviz's own surroundings.
_KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR",
         "YARN_CONF_DIR", "KRB5CCNAME", "SYSTEMROOT", "SSL_CERT_FILE")  # fmt: skip
#: Set in Spark's process. A script beside the program that shadows a library (`xml.py`) is imported there, too, and
#: would start another Spark, that one the next, without end.
_INSIDE = "PLANVIZ_SPARK_PROCESS"
_TAIL = 4_000
#: With what status a process or JVM ends that had no memory left is not told; its log tells it.
_ENDED_ITSELF = "with status"
#: What the process says where Spark stopped while its JVM stays.
STOPPED = "it stopped by itself"
#: With what Spark ends for want of memory (Spark: SparkExitCode.OOM).
_OUT_OF_MEMORY = f"{_ENDED_ITSELF} 52"


@dataclass(frozen=True)
class SparkSettings:
    """Which Spark, and how long it may take.

    `master` is a master URL (`local[*]`, `spark://host:7077`, `yarn`) or one of Spark Connect (`sc://host:15002`);
    `conf` are spark.* settings from the start on; `memory` is the most that the driver's heap takes. Seconds: `start`
    for the first session, `silence` without any sign of life before a process counts as hung.
    """

    master: str = "local[*]"
    conf: tuple[tuple[str, str], ...] = ()
    memory: str = "2g"
    start: float = 180.0
    silence: float = 30.0


@dataclass
class Call:
    """A task under way: its number, what it is at, its answer once `done` is set, and news for the one who waits."""

    number: int = 0
    at: str = ""
    done: threading.Event = field(default_factory=threading.Event)
    value: JavaObject = None
    error: PlanvizError | None = None
    news: SimpleQueue[str | None] = field(default_factory=SimpleQueue)

    def tell(self, at: str) -> None:
        """Say what the task is at."""
        self.at = at
        self.news.put(at)

    def answer(self, value: object = None, error: PlanvizError | None = None) -> None:
        """Give the answer."""
        self.value, self.error = value, error
        self.done.set()
        self.news.put(None)


class Child:
    """One process from its start to its end."""

    def __init__(self, settings: SparkSettings, worker: Sequence[str]) -> None:
        """Start it; `wait_for_start` says when it is ready. Raises SparkError where no process can be."""
        environment = _environment(settings)
        self.alive = True
        self._calls: dict[int, Call] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._heard = time.monotonic()
        self._reason = ""
        self._culprit: Call | None = None
        self._secrets = Secrets(dict(settings.conf), settings.master)
        self._ready = Call()
        self._outbox: SimpleQueue[bytes] = SimpleQueue()
        try:
            self.folder = tempfile.TemporaryDirectory(prefix="planviz-spark-", ignore_cleanup_errors=True)
            self.popen = self._open(worker, environment)
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise SparkError(f"Spark's process cannot be started: {error.strerror or error}{where}.") from None
        first = {"master": settings.master, "conf": dict(settings.conf), "memory": settings.memory}
        self._write(first | {"folder": self.folder.name})
        threading.Thread(target=self._send, daemon=True, name="planviz-spark-tasks").start()
        self._reader = threading.Thread(target=self._read, daemon=True, name="planviz-spark-answers")
        self._reader.start()

    def _open(self, worker: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with (Path(self.folder.name) / "log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, *worker],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder.name,
                env=environment,
                start_new_session=True,
            )

    @property
    def described(self) -> dict[str, object] | None:
        """What Spark said of itself when it was ready; None before."""
        found: dict[str, object] | None = self._ready.value
        return found

    def wait_for_start(self, seconds: float) -> None:
        """Return when Spark is ready. Raises why it could not start; it is killed when it takes longer."""
        if not self._ready.done.wait(seconds):
            self.kill(f"it had not started after {seconds:g} s")
        self._ready.done.wait()
        if self._ready.error is not None:
            self.kill("it could not start")
            raise self._ready.error

    def send(self, task: str, arguments: dict[str, object]) -> Call:
        """Give a task; the call that is returned gets the answer."""
        with self._lock:
            self._number += 1
            call = self._calls[self._number] = Call(self._number)
        self._write({"id": call.number, "task": task, "arguments": arguments})
        if not self.alive:
            call.answer(error=self._lost(call))
        return call

    def ping(self) -> None:
        """Ask for a sign of life; the answer counts as one whatever it says."""
        self._write({"id": 0, "task": "ping", "arguments": {}})

    def silent_for(self) -> float:
        """Seconds since the process was last heard of."""
        return time.monotonic() - self._heard

    def stop(self, call: Call, grace: float | None, reason: str) -> None:
        """End a task: its jobs are cancelled and, where after `grace` seconds it has not ended, the process is.

        None for `grace`: the process is left alone. `reason` stands behind "it was" or "another query was".
        """
        self._write({"id": 0, "task": "cancel", "arguments": {"task": call.number}})
        if grace is not None and not call.done.wait(grace):
            self.kill(reason, call)

    def kill(self, reason: str, culprit: Call | None = None) -> None:
        """End the process with its JVM; tasks under way raise SparkLost with the reason, or whose task it was."""
        if not self._reason:
            self._reason, self._culprit = reason, culprit
        if self.alive:  # its number may be another process's by now
            self._end_all()
        # Its reader sees the end, and tells everybody.
        self._reader.join(10)

    def _end_all(self) -> None:
        """End the process and all that it started: a JVM that hangs does not see that nobody is there any more."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.popen.pid, signal.SIGKILL)
            else:
                self.popen.kill()

    def _write(self, message: JsonObject) -> None:
        self._outbox.put(json.dumps(message).encode() + b"\n")

    def _send(self) -> None:
        """Write what is to be sent, in a thread of its own: a process that hangs does not read, and writing waits."""
        assert self.popen.stdin is not None
        # What cannot be written to has ended, and its reader knows; an empty line is the last.
        with contextlib.suppress(OSError, ValueError):
            while data := self._outbox.get():
                self.popen.stdin.write(data)
                self.popen.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            self.popen.stdin.close()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        try:
            with self.popen.stdout as lines:
                for line in lines:
                    self._heard = time.monotonic()
                    # Something else than an answer says nothing.
                    with contextlib.suppress(ValueError, KeyError, TypeError):
                        self._take(json.loads(self._secrets.hide(line.decode("utf-8", "replace"))))
        finally:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(10)
            self._end_all()
            self._end()

    def _take(self, message: JsonObject) -> None:
        if "ready" in message:
            self._ready.answer(message["ready"])
            return
        if "failed" in message:
            self._ready.answer(error=_error(message["failed"]))
            return
        if "died" in message:
            self._reason = self._reason or str(message["died"])
            return
        with self._lock:
            call = self._calls.get(message["id"])
            if call is None:
                return
            if "progress" in message:
                call.tell(str(message["progress"]))
                return
            del self._calls[message["id"]]
        if "value" in message:
            call.answer(message["value"])
        else:
            call.answer(error=_error(message.get("error") or {"kind": "", "message": "Spark gave no answer."}))

    def _end(self) -> None:
        with self._lock:
            self.alive = False
            calls = [*self._calls.values()]
            self._calls.clear()
        if not self._ready.done.is_set():
            self._ready.answer(error=self._lost(self._ready))
        for call in calls:
            call.answer(error=self._lost(call))
        self._outbox.put(b"")
        self.folder.cleanup()

    def _lost(self, call: Call) -> SparkError:
        log = self._log()
        reason = self._reason or _told_by(self.popen.poll())
        by_itself = _ENDED_ITSELF in reason or reason == STOPPED
        if reason.endswith(_OUT_OF_MEMORY) or (by_itself and "OutOfMemoryError" in log):
            reason = "its memory was full; give it more with --memory, or ask for less at once"
        if call is self._ready:
            told = log.strip().splitlines()
            return SparkLost(f"Spark did not start: {reason}." + (f" Its log ends: {told[-1][:300]}" if told else ""))
        if self._culprit is not None:
            reason = f"{'it was' if call is self._culprit else 'another query was'} {reason}"
        at = f" while it was {call.at}" if call.at and call.at not in reason else ""
        return SparkLost(f"Spark ended{at}: {reason}. The next query starts a new Spark.")

    def _log(self) -> str:
        try:
            tail = (Path(self.folder.name) / "log").read_bytes()[-_TAIL:]
        except OSError:
            return ""
        return self._secrets.hide(tail.decode("utf-8", "replace"))


def _environment(settings: SparkSettings) -> dict[str, str]:
    """The environment of the process. Raises SparkMissing or SparkUnreachable where no Spark could start or answer."""
    if _INSIDE in os.environ:
        raise SparkError("Spark's process may not start another one. Does a script here have the name of a library?")
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ} | {_INSIDE: "1"}
    # The process sees the planviz and the libraries that this one sees.
    kept["PYTHONPATH"] = os.pathsep.join(path for path in [*sys.path] if path)
    # Executors elsewhere may have their Python in another place.
    kept["PYSPARK_PYTHON"] = dict(settings.conf).get("spark.pyspark.python", sys.executable)
    _require("pyspark", "PySpark is not installed, so there is no live Spark: pip install pyspark==4.3.*")
    if is_connect(settings.master):
        check(settings.master)
        _require("grpc", "Spark Connect needs more packages than are installed: pip install 'pyspark[connect]==4.3.*'")
    else:
        kept["JAVA_HOME"] = str(find_java().home)
        if is_loopback(settings.master):
            kept |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
    return kept


def _require(module: str, message: str) -> None:
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise SparkMissing(message)


def _told_by(status: int | None) -> str:
    if status is None:
        return "its process closed the connection"
    if status < 0:
        return f"its process was ended by {signal.Signals(-status).name}"
    return f"its process ended {_ENDED_ITSELF} {status}"


def _error(told: JsonObject) -> PlanvizError:
    """The error that a task raised over there, as the same class here."""
    message = str(told["message"])
    if error_class := told.get("error_class"):
        place = {"line": told.get("line"), "column": told.get("column")}
        return (ParseError if told["kind"] == "ParseError" else AnalysisError)(error_class, message, **place)
    found = getattr(errors, told["kind"], SparkError)
    return found(message) if issubclass(found, SparkError) else SparkError(message)
