"""How the tests are dealt out to several processes: groups, slow tests, files.

One process has the Spark and one the browser. They wait much of their time, for a JVM, a server or a page, so there is
a process more than cores. Long tests go first: one that begins last leaves the other cores idle.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from planviz.spark import child

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler.protocol import Scheduling

#: JVMs of tests live for seconds to minutes: what the optimizing compiler (C2) spends is more than it gains, and the
#: collector with threads of its own takes the other processes' cores. The start of a Spark takes a third less.
JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: What each test with such a mark needs one of, in the order in which the groups begin.
GROUPS = ("spark", "browser")
#: Tests of this group are dealt out one by one.
SINGLE = "slow"


def shorten_the_start_of_jvms() -> None:
    """Give every Spark that the tests start those options, by the variable that `spark-submit` reads them from."""
    os.environ["SPARK_SUBMIT_OPTS"] = JVM
    child._KEPT = (*child._KEPT, "SPARK_SUBMIT_OPTS")


def group(items: list[pytest.Item]) -> None:
    """Say which tests belong together, and put them in order: groups, slow tests, the largest files.

    What another process does can be late or end there, so tests with a Spark or a browser have a second attempt, which
    the summary lists (`-rR`). The engine's own tests have none.
    """
    sizes = Counter(item.path for item in items)
    places = {}
    for item in items:
        named = next((name for name in GROUPS if item.get_closest_marker(name)), None)
        if named is not None:
            item.add_marker(pytest.mark.xdist_group(named))
            item.add_marker(pytest.mark.flaky(reruns=1))
            places[item] = (GROUPS.index(named), 0)
        elif item.get_closest_marker("xdist_group"):
            places[item] = (len(GROUPS), 0)
        elif item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.xdist_group(SINGLE))
            places[item] = (len(GROUPS) + 1, 0)
        else:
            places[item] = (len(GROUPS) + 2, -sizes[item.path])
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=places.__getitem__)


def processes(config: pytest.Config) -> int | None:
    """What `-n auto` stands for: one more than cores where all lanes run, else pytest-xdist's own number."""
    if config.option.markexpr or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


def scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Who deals out the tests where groups are to stay together (`--dist loadgroup`).

    pytest-xdist's own deals out every test without a group by itself, and at every report goes through all that a
    process ever had: more than half a minute of the processor for 18,000 tests.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler.loadgroup import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            found = super()._split_scope(nodeid)
            if found == nodeid:
                return nodeid.split("::", 1)[0]
            return nodeid if found == SINGLE else found

    # The order is that of the collection.
    config.option.loadscopereorder = False
    return ByFile(config, log)
