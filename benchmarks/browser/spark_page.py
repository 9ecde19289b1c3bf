"""Spark's own SQL page: executions whose plans have a given number of nodes, and how long their pages take."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import Any

from playwright.sync_api import Playwright, TimeoutError

from benchmarks.browser.chromium import frames, fresh_page, heap, painted, pan, watch, zoom

# One branch of the union: CartesianProduct, Filter, Range, Filter, Range. Nothing is shuffled or broadcast, and all
# branches compile to the same code: thousands of them run as one short job, so that Spark is at rest when its page is
# measured. A product is no part of a codegen stage: with a projection on top, union and branches would be one huge
# cluster, which the page draws slowly.
_BRANCH = (
    "SELECT a.id, b.id FROM range(0, 5, 1, 1) a JOIN range(0, 9, 1, 1) b ON a.id < b.id WHERE a.id > 3 AND b.id % 2 = 0"
)
_PER_BRANCH = 5


class SparkPages:
    """A local Spark with its web interface, adaptive execution off: an adaptive plan changes while it is looked at."""

    def __init__(self) -> None:
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self.spark = (
            SparkSession.builder.master("local[2]")
            .appName("planviz-benchmark")
            .config("spark.ui.enabled", "true")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "3g")
            .config("spark.driver.host", "localhost")
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.autoBroadcastJoinThreshold", "-1")
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("OFF")  # a page that is closed early is an error to its web server
        self.store = self.spark._jsparkSession.sharedState().statusStore()

    def close(self) -> None:
        self.spark.stop()

    def submit(self, nodes: int, limit: float) -> tuple[int, int] | None:
        """Run a query whose plan has about `nodes` operators; the execution's id and how many operators it has.

        The page shows an execution from its start: one that runs longer than `limit` seconds is cancelled and counts.
        None when Spark had not even planned the query by then.
        """
        count = max(1, round((nodes - 1) / _PER_BRANCH))
        query = "\nUNION ALL\n".join([_BRANCH] * count)
        before = self.store.executionsCount()
        runner = threading.Thread(target=self._run, args=(query,), daemon=True)
        runner.start()
        runner.join(limit)
        if runner.is_alive():
            self.spark.sparkContext.cancelAllJobs()
            runner.join(limit)
        if self.store.executionsCount() == before:
            return None
        time.sleep(1)  # the listener that fills the page's store runs behind
        return max(int(entry.executionId()) for entry in self._executions()), _PER_BRANCH * count + (count > 1) + 1

    def _run(self, query: str) -> None:
        from py4j.protocol import Py4JJavaError

        with contextlib.suppress(Py4JJavaError):  # cancelled
            self.spark.sql(query).coalesce(1).collect()  # one task: each would bring along the whole union

    def _executions(self) -> list[Any]:
        entries = self.store.executionsList()
        return [entries.apply(at) for at in range(entries.size())]

    def address(self, execution: int) -> str:
        url = str(self.spark.sparkContext.uiWebUrl)
        return f"http://localhost:{url.rsplit(':', 1)[1]}/SQL/execution/?id={execution}"


def measure(playwright: Playwright, pages: SparkPages, nodes: int, limit: float) -> dict[str, Any]:
    """Navigation to painted, frame times and heap of the page of one execution."""
    row: dict[str, Any] = {"tool": "Spark 4.3 SQL page", "asked": nodes}
    found = pages.submit(nodes, limit)
    if found is None:
        return row | {"failed": f"Spark had not planned the query after {limit:.0f} s"}
    execution, row["nodes"] = found
    with fresh_page(playwright) as page:
        # The graph is laid out and drawn by one script without a pause: its first node on screen is its last.
        watch(page, "document.querySelectorAll('#plan-viz-graph svg g.node').length > 0")
        try:
            page.goto(pages.address(execution).split("/SQL/")[0] + "/jobs/", timeout=limit * 1000)  # scripts cached
            page.goto(pages.address(execution), wait_until="commit", timeout=limit * 1000)
        except TimeoutError:
            return row | {"failed": f"no page in {limit:.0f} s"}
        row["painted"] = painted(page, limit)
        if row["painted"] is None:
            return row | {"failed": f"no result in {limit:.0f} s"}
        row["drawn"] = page.locator("#plan-viz-graph svg g.node").count()
        graph = page.locator("#plan-viz-graph svg").first
        row["pan"], row["zoom"] = frames(page, graph, pan), frames(page, graph, zoom)
        row["heap"] = heap(page)
    return row
