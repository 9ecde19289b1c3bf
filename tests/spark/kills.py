"""Spark killed in every phase of a capture: planviz answers, says what happened, and the next capture works.

    python -m tests.spark.kills --times 10

takes about 8 s per kill on a quiet machine with two processors: 12 minutes for all.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planviz.errors import PlanvizError
from planviz.spark.process import LiveSpark, SparkSettings

#: What a capture is at, and longest delay of the kill from its beginning.
PHASES = {
    "starting Spark": 5.0,
    "planning": 0.3,
    "following the rules": 0.5,
    "running": 0.5,
    "collecting what was measured": 0.0,
}
#: Other ends than the JVM's by SIGKILL, all while a query runs.
ENDS = ("worker killed", "JVM hangs", "memory full", "disk full")
SILENCE = 5.0
_QUERY = """SELECT a.k, count(*) AS n, sum(b.v) AS s FROM (SELECT id % 7 AS k, id AS v FROM range(20000)) a
JOIN (SELECT id % 7 AS k, id AS v FROM range(3000)) b ON a.k = b.k WHERE a.v > 10 GROUP BY a.k HAVING count(*) > 1"""
_ENDLESS = "SELECT sum(a.id * b.id) FROM range(1000000) a JOIN range(1000000) b ON a.id < b.id"
_LARGE = "SELECT length(array_join(collect_list(repeat(string(id), 300000)), '')) FROM range(2000)"
_SHUFFLED = "SELECT /*+ REPARTITION(3) */ id, uuid() AS u FROM range(2000000)"
#: As much as a file may hold where the disk is to be full, in bytes.
_FULL = 4_000_000
#: The worker with files that cannot grow.
_NO_ROOM = ("-c", f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({_FULL}, {_FULL}))\n"
                  "from planviz.spark.worker import main; main()")  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What became of one capture: the sentence that it or its query ended with, and how many seconds after the kill.

    "" and 0 for a capture that was done before the kill came.
    """

    seconds: float
    said: str


def settings(**more: Any) -> SparkSettings:
    """A small Spark."""
    return SparkSettings("local[1]", memory="600m", silence=SILENCE, **more)


def java_below(pid: int) -> int | None:
    """The JVM that a process has started, None where there is none yet."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        if name.endswith("(java") and int(rest.split()[1]) == pid:
            return int(stat.parent.name)
    return None


def killed(live: LiveSpark, phase: str, delay: float) -> Outcome:
    """A capture during which the JVM is killed, `delay` seconds after a phase has begun."""
    query = _ENDLESS if phase == "running" else _QUERY
    return _ended(live, query, phase, delay, _kill)


def ended(end: str) -> Outcome:
    """A capture that ends in one of the other ways; Spark is closed afterwards, having captured once more."""
    live = LiveSpark(settings(), _NO_ROOM) if end == "disk full" else LiveSpark(settings())
    try:
        if end == "worker killed":
            found = _ended(live, _ENDLESS, "running", 0.2, lambda live: os.kill(live.pid or 0, signal.SIGKILL))
        elif end == "JVM hangs":
            found = _ended(live, _ENDLESS, "running", 0.2, lambda live: os.kill(_jvm(live), signal.SIGSTOP))
        else:
            found = _ended(live, _LARGE if end == "memory full" else _SHUFFLED, "", 0.0, lambda live: None)
        again(live)
    finally:
        live.close()
    return found


def again(live: LiveSpark) -> None:
    """The next capture, which must work."""
    captured = live.call("capture", {"sql": "SELECT 1 AS a", "run": True}, limit=300)
    assert captured["executed"]["rows"] == 1


def _ended(live: LiveSpark, sql: str, phase: str, delay: float, end: Callable[[LiveSpark], None]) -> Outcome:
    ends: list[float] = []
    begun = threading.Event()

    def stop() -> None:
        time.sleep(delay)
        with suppress(ProcessLookupError):
            end(live)
        ends.append(time.monotonic())

    def tell(now: str) -> None:
        if now.startswith(phase) and not begun.is_set():
            begun.set()
            threading.Thread(target=stop, daemon=True).start()

    try:
        captured = live.call("capture", {"sql": sql, "run": True}, limit=300, on_progress=tell)
    except PlanvizError as error:
        return Outcome(time.monotonic() - ends[0] if ends else 0.0, str(error))
    return Outcome(0.0, captured["executed"].get("failed", ""))


def _kill(live: LiveSpark) -> None:
    os.kill(_jvm(live), signal.SIGKILL)


def _jvm(live: LiveSpark) -> int:
    give_up = time.monotonic() + 120
    while time.monotonic() < give_up:
        if live.pid is not None and (found := java_below(live.pid)) is not None:
            return found
        time.sleep(0.05)
    raise TimeoutError("there is no JVM to kill")


def main() -> int:
    """Kill, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", choices=[*PHASES, *ENDS], help="one phase or end")
    options = parser.parse_args()
    draw = random.Random(4)
    for phase, longest in PHASES.items():
        if options.only in (None, phase):
            _report(phase, [_one(phase, draw.uniform(0, longest)) for _ in range(options.times)])
    for end in ENDS:
        if options.only in (None, end):
            _report(end, [ended(end)])
    return 0


def _one(phase: str, delay: float) -> Outcome:
    live = LiveSpark(settings())
    try:
        if phase != "starting Spark":
            again(live)
        found = killed(live, phase, delay)
        again(live)
        return found
    finally:
        live.close()


def _report(phase: str, outcomes: list[Outcome]) -> None:
    slowest = max(outcome.seconds for outcome in outcomes)
    print(f"{phase}: {len(outcomes)} times, answered within {slowest:.1f} s, the next capture worked every time")
    for said, times in Counter(outcome.said for outcome in outcomes).most_common():
        print(f"  {times} x {said or 'the capture was done before the end came'}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
