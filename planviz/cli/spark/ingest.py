"""`planviz spark ingest`: event logs into a catalogue of executions."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from planviz.cli.files import say, write
from planviz.cli.settings import pairs
from planviz.cli.spark.session import JOB_LIMIT, add_master, live_spark, progress


def add_ingest(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="event logs or folders of them; also hdfs://, s3://")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the catalogue; new logs are added to it")
    add_master(parser)


def ingest(options: argparse.Namespace) -> int:
    """Read event logs; every fault goes to standard error with its file and line, and makes the status 1."""
    paths = [path if "://" in path else str(Path(path).absolute()) for path in options.paths]
    catalogue = options.output if "://" in options.output else str(Path(options.output).absolute())
    from planviz.spark.eventlog.logs import environment_for

    live = live_spark(options)
    begin = time.monotonic()
    try:
        keys = environment_for([*paths, catalogue], os.environ, pairs(options.conf, "--conf"))
        asked = {"paths": paths, "catalogue": catalogue, "environment": keys}
        found = live.call("ingest", asked, limit=options.limit or JOB_LIMIT, on_progress=progress("ingest"))
    except KeyboardInterrupt:
        told = f"{options.output}: what has been read is there; the same command goes on with the rest"
        say(f"planviz: {told}")
        raise
    finally:
        live.close()
    for file, line, reason in found["faults"]:
        say(f"planviz: {file}{f', line {line}' if line else ''}: {reason}")
    megabytes, seconds = found["bytes"] / 1e6, time.monotonic() - begin
    write(
        f"{options.output}: {found['executions']:,} executions from {found['logs'] - found['skipped']:,} logs"
        f" ({found['skipped']:,} were read before), {megabytes:,.0f} MB of events in {seconds:,.1f} s"
        f" ({found['seconds']:,.1f} s of CPU in the readers,"
        f" {found['peak'] / 1e6:,.0f} MB of memory at most in one)\n"
    )
    return 1 if found["faults"] else 0
