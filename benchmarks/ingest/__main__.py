"""Speed and memory of event-log ingestion, on logs made here: python -m benchmarks.ingest [PART ...].

plain    one log of --size MB, of many tasks a stage and once more of few: MB a second, executions, memory
zstd     a folder of --logs rolling logs of --log-size MB each
growth   the folder as a Spark job with 1, 2, 4 and 8 tasks at once
memory   a reader's peak beside the size of its log

Everything made is deleted. About 3 minutes in all on two quiet cores.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.ingest.made import Made, Shape, write_plain, write_rolling
from planviz.spark.eventlog.catalogue import Catalogue
from planviz.spark.eventlog.job import read_log
from planviz.spark.eventlog.logs import find_logs

MIXES = {"40 tasks a stage": 40, "2 tasks a stage": 2}


def read(path: str, catalogue: str) -> dict[str, Any]:
    """Read all logs under a path in this process, one after the other."""
    target = Catalogue(catalogue)
    target.start()
    small = Path(catalogue) / "small"
    write_plain(small, 1_000_000, Shape())
    first = read_log(find_logs([str(small)])[0], None, target)  # what is loaded once is not measured
    begin, cpu = time.perf_counter(), time.process_time()
    found = [read_log(log, None, target) for log in find_logs([path])]
    assert first["executions"]
    return {
        "wall": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "bytes": sum(one["bytes"] for one in found),
        "executions": sum(one["read"] for one in found),
        "faults": sum(len(one["reasons"]) for one in found),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def in_own_process(path: Path, folder: Path) -> dict[str, Any]:
    """The same in a process of its own, whose peak memory is its own."""
    call = [sys.executable, "-m", "benchmarks.ingest", "--read", str(path), str(folder / "catalogue")]
    done = subprocess.run(call, capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    found: dict[str, Any] = json.loads(done.stdout)
    subprocess.run(["rm", "-rf", str(folder / "catalogue")], check=True)
    return found


def show(name: str, found: dict[str, Any], made: Made) -> None:
    """One line; AssertionError when an execution was lost."""
    assert (found["executions"], found["faults"]) == (made.executions, 0), (found, made)
    megabytes = found["bytes"] / 1e6
    print(
        f"{name:34} {megabytes:6,.0f} MB  {megabytes / found['wall']:5,.0f} MB/s  {megabytes / found['cpu']:5,.0f} MB"
        f" per CPU-s  {found['executions']:6,} executions  {found['executions'] / found['wall']:6,.0f} a second"
        f"  peak {found['peak']:4,.0f} MB",
        flush=True,
    )


def plain(options: argparse.Namespace, folder: Path) -> None:
    path = folder / "app-plain"
    for name, tasks in MIXES.items():
        made = write_plain(path, options.size * 1_000_000, Shape(tasks))
        show(f"plain, {name}", in_own_process(path, folder), made)
        path.unlink()


def zstd(options: argparse.Namespace, folder: Path) -> None:
    for name, tasks in MIXES.items():
        logs = folder / "logs"
        made = write_rolling(logs, options.logs // 2, options.log_size * 1_000_000, Shape(tasks))
        show(f"zstd, {made.logs} logs, {name}", in_own_process(logs, folder), made)
        subprocess.run(["rm", "-rf", str(logs)], check=True)


def memory(options: argparse.Namespace, folder: Path) -> None:
    path = folder / "app-plain"
    for size in (20, 200, options.size):
        made = write_plain(path, size * 1_000_000, Shape(40))
        show("memory of one reader", in_own_process(path, folder), made)
        path.unlink()


def growth(options: argparse.Namespace, folder: Path) -> None:
    from planviz.spark.process import LiveSpark, SparkSettings

    logs = folder / "logs"
    made = write_rolling(logs, options.logs, options.log_size * 1_000_000, Shape(10))
    for tasks in options.at_once:
        live = LiveSpark(SparkSettings(f"local[{tasks}]", memory="1g"))
        catalogue = folder / f"catalogue-{tasks}"
        try:
            live.call("ping")
            begin = time.perf_counter()
            found = live.call("ingest", {"paths": [str(logs)], "catalogue": str(catalogue)}, limit=600)
            seconds = time.perf_counter() - begin
        finally:
            live.close()
        found = {**found, "wall": seconds, "cpu": found["seconds"], "peak": found["peak"] / 1e6}
        show(f"job, {tasks} tasks at once", {**found, "faults": len(found["faults"])}, made)
    subprocess.run(["rm", "-rf", str(logs)], check=True)


PARTS = {"plain": plain, "zstd": zstd, "growth": growth, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--size", type=int, default=2000, help="MB of the plain log (2000)")
    parser.add_argument("--logs", type=int, default=200, help="rolling logs (200)")
    parser.add_argument("--log-size", type=int, default=10, help="MB of text in each of them (10)")
    parser.add_argument("--at-once", type=int, nargs="*", default=[1, 2, 4, 8], help="tasks of the job (1 2 4 8)")
    parser.add_argument("--folder", help="where logs are made for the while (the system's folder for such files)")
    parser.add_argument("--read", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(*options.read)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="planviz-logs-") as folder:
        for part in options.parts:
            PARTS[part](options, Path(folder))


if __name__ == "__main__":
    main()
