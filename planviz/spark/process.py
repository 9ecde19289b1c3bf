"""A Spark in a process of its own: started on first use, watched, explained and replaced when it dies or hangs.

The process is Python with PySpark, and the JVM is its child; both live and die together. Tasks and answers are lines of
JSON over its standard input and output:

    {"id": 1, "task": "capture", "arguments": {...}}      planviz asks
    {"id": 1, "progress": "planning"}                     what it is at
    {"id": 1, "value": ...}  or  {"id": 1, "error": {"kind", "message", ...}}
    {"ready": {"version", ...}}  {"failed": "..."}        once, at the start
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from planviz import errors
from planviz.errors import AnalysisError, ParseError, PlanvizError, SparkError, SparkLost, SparkMissing
from planviz.spark.java import find_java
from planviz.spark.reach import check, is_connect

#: What of the environment Spark's process sees: no key or password of planviz's own surroundings.
_KEPT = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR",
         "YARN_CONF_DIR", "KRB5CCNAME", "SYSTEMROOT", "SSL_CERT_FILE")  # fmt: skip
_TAIL = 4_000
_WORKER = ("-m", "planviz.spark.worker")


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

    def with_conf(self, conf: dict[str, str]) -> SparkSettings:
        """These settings and more of Spark's own."""
        return replace(self, conf=(*self.conf, *conf.items()))


@dataclass
class _Call:
    """A task under way: what it is at, and its answer once `done` is set."""

    task: str
    on_progress: Callable[[str], None] | None
    at: str = ""
    done: threading.Event = field(default_factory=threading.Event)
    value: Any = None
    error: PlanvizError | None = None

    def answer(self, value: Any = None, error: PlanvizError | None = None) -> None:
        self.value, self.error = value, error
        self.done.set()


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
        self._process: _Process | None = None

    def call(
        self,
        task: str,
        arguments: dict[str, Any] | None = None,
        *,
        limit: float = 120.0,
        on_progress: Callable[[str], None] | None = None,
        stop: Stop | None = None,
    ) -> Any:
        """The answer to a task of `planviz.spark.worker`, as JSON values; `stop` ends it before.

        Raises SparkLost when Spark ends, hangs or takes more than `limit` seconds (then it is stopped: nothing else
        stops a plan under way); SparkMissing or SparkUnreachable when there is none; what the task itself raised.
        """
        process = self._running(stop)
        call = process.send(task, arguments or {}, on_progress, stop)
        give_up = time.monotonic() + limit
        while not call.done.wait(min(self.settings.silence / 3, max(give_up - time.monotonic(), 0.01))):
            if time.monotonic() >= give_up:
                process.kill(f"it was still {call.at or 'at work'} after {limit:g} s, and nothing else stops a query")
            elif process.silent_for() > self.settings.silence:
                process.kill(f"it gave no sign of life for {self.settings.silence:g} s")
            else:
                process.ping()
        if call.error is not None:
            raise call.error
        return call.value

    @property
    def pid(self) -> int | None:
        """The process's id, None while none runs."""
        return self._process.popen.pid if self._process is not None and self._process.alive else None

    @property
    def described(self) -> dict[str, Any] | None:
        """Version, master and the JVM's process id of a Spark that is ready; None while none is."""
        process = self._process
        return process.described if process is not None and process.alive else None

    def close(self) -> None:
        """Stop Spark; a later call starts another."""
        with self._lock:
            if self._process is not None:
                self._process.kill("it was stopped")
                self._process = None

    def _running(self, stop: Stop | None) -> _Process:
        with self._lock:
            if self._process is None or not self._process.alive:
                self._process = _Process(self.settings, self._worker)
            process = self._process
        if stop is not None:
            stop.attach(lambda grace: None if grace is None else process.kill("it was stopped"))
        process.wait_for_start(self.settings.start)
        return process


class _Process:
    """One process from its start to its end."""

    def __init__(self, settings: SparkSettings, worker: Sequence[str]) -> None:
        environment = _environment(settings)
        self.folder = tempfile.TemporaryDirectory(prefix="planviz-spark-", ignore_cleanup_errors=True)
        self.alive = True
        self._calls: dict[int, _Call] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._heard = time.monotonic()
        self._reason = ""
        self._ready = _Call("start", None)
        with (Path(self.folder.name) / "log").open("wb") as log:
            self.popen = subprocess.Popen(
                [sys.executable, *worker],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder.name,
                env=environment,
                start_new_session=True,
            )
        first = {"master": settings.master, "conf": dict(settings.conf), "memory": settings.memory}
        self._write(first | {"folder": self.folder.name})
        self._reader = threading.Thread(target=self._read, daemon=True, name="planviz-spark")
        self._reader.start()

    @property
    def described(self) -> dict[str, Any] | None:
        """What Spark said of itself when it was ready; None before."""
        found: dict[str, Any] | None = self._ready.value
        return found

    def wait_for_start(self, seconds: float) -> None:
        """Return when Spark is ready. Raises why it could not start; it is killed when it takes longer."""
        if not self._ready.done.wait(seconds):
            self.kill(f"it had not started after {seconds:g} s")
        self._ready.done.wait()
        if self._ready.error is not None:
            self.kill("it could not start")
            raise self._ready.error

    def send(
        self,
        task: str,
        arguments: dict[str, Any],
        on_progress: Callable[[str], None] | None,
        stop: Stop | None = None,
    ) -> _Call:
        """Give a task; the call that is returned gets the answer."""
        call = _Call(task, on_progress)
        with self._lock:
            self._number += 1
            number = self._number
            self._calls[number] = call
        self._write({"id": number, "task": task, "arguments": arguments})
        if not self.alive:
            call.answer(error=self._lost(call))
        if stop is not None:
            stop.attach(lambda grace: self._stop(number, call, grace))
        return call

    def _stop(self, number: int, call: _Call, grace: float | None) -> None:
        self._write({"id": 0, "task": "cancel", "arguments": {"task": number}})
        if grace is not None and not call.done.wait(grace):
            self.kill(f"it was stopped while it was {call.at or 'at work'}, and nothing gentler stops that")

    def ping(self) -> None:
        """Ask for a sign of life; the answer counts as one whatever it says."""
        self._write({"id": 0, "task": "ping", "arguments": {}})

    def silent_for(self) -> float:
        """Seconds since the process was last heard of."""
        return time.monotonic() - self._heard

    def kill(self, reason: str) -> None:
        """End the process with its JVM; tasks under way raise SparkLost with the reason."""
        self._reason = self._reason or reason
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.popen.pid, signal.SIGKILL)
            else:
                self.popen.kill()
        # Its reader sees the end, and tells everybody.
        self._reader.join(10)

    def _write(self, message: dict[str, Any]) -> None:
        assert self.popen.stdin is not None
        data = json.dumps(message).encode() + b"\n"
        # What cannot be written to has ended, and its reader knows.
        with contextlib.suppress(OSError, ValueError), self._lock:
            self.popen.stdin.write(data)
            self.popen.stdin.flush()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        assert self.popen.stdin is not None
        with self.popen.stdout as lines:
            for line in lines:
                self._heard = time.monotonic()
                with contextlib.suppress(ValueError, KeyError):
                    self._take(json.loads(line))
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(10)
        self._end(self.popen.stdin)

    def _take(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self._ready.answer(message["ready"])
            return
        if "failed" in message:
            self._ready.answer(error=_error(message["failed"]))
            return
        if "died" in message:
            self._reason = self._reason or message["died"]
            return
        with self._lock:
            call = self._calls.get(message["id"])
            if call is not None and "progress" not in message:
                del self._calls[message["id"]]
        if call is None:
            return
        if "progress" in message:
            call.at = message["progress"]
            if call.on_progress is not None:
                call.on_progress(call.at)
        elif "error" in message:
            call.answer(error=_error(message["error"]))
        else:
            call.answer(message["value"])

    def _end(self, stdin: IO[bytes]) -> None:
        with self._lock:
            self.alive = False
            calls = [*self._calls.values()]
            self._calls.clear()
        if not self._ready.done.is_set():
            self._ready.answer(error=self._lost(self._ready))
        for call in calls:
            call.answer(error=self._lost(call))
        with contextlib.suppress(OSError):
            stdin.close()
        self.folder.cleanup()

    def _lost(self, call: _Call) -> SparkError:
        log = self._log()
        if "OutOfMemoryError" in log:
            reason = "its memory was full; give it more with --memory, or ask for less at once"
        else:
            reason = self._reason or _told_by(self.popen.poll())
        if call is self._ready:
            told = log.strip().splitlines()
            return SparkLost(f"Spark did not start: {reason}." + (f" Its log ends: {told[-1][:300]}" if told else ""))
        at = f" while it was {call.at}" if call.at and call.at not in reason else ""
        return SparkLost(f"Spark ended{at}: {reason}. The next query starts a new Spark.")

    def _log(self) -> str:
        try:
            return (Path(self.folder.name) / "log").read_bytes()[-_TAIL:].decode("utf-8", "replace")
        except OSError:
            return ""


def _environment(settings: SparkSettings) -> dict[str, str]:
    """The environment of the process. Raises SparkMissing or SparkUnreachable where no Spark could start or answer."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # The process sees the planviz and the libraries that this one sees.
    kept["PYTHONPATH"] = os.pathsep.join(path for path in [*sys.path] if path)
    kept["PYSPARK_PYTHON"] = sys.executable
    _require("pyspark", "PySpark is not installed, so there is no live Spark: pip install pyspark==4.3.*")
    if is_connect(settings.master):
        check(settings.master)
        _require("grpc", "Spark Connect needs more packages than are installed: pip install 'pyspark[connect]==4.3.*'")
    else:
        kept["JAVA_HOME"] = str(find_java().home)
        if settings.master.startswith("local"):
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
    return f"its process ended with status {status}"


def _error(told: dict[str, Any]) -> PlanvizError:
    """The error that a task raised over there, as the same class here."""
    message = str(told["message"])
    if error_class := told.get("error_class"):
        place = {"line": told.get("line"), "column": told.get("column")}
        return (ParseError if told["kind"] == "ParseError" else AnalysisError)(error_class, message, **place)
    found = getattr(errors, told["kind"], SparkError)
    return found(message) if issubclass(found, SparkError) else SparkError(message)
