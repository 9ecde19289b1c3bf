"""Times of actions in real browser sessions and the server's memory, beside one session alone.

    python -m benchmarks.load [--sessions N] [--seconds S] [--rest S] [--port P]

Every session opens plans and SQL in an endless row, steps through rules and moves the broadcast threshold, and rests
between two acts as long as a reader looks at what there is; one, which never rests, opens what takes all of the time
that a task has. Memory is the proportional set size of the server and its workers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from planviz.samples import load, samples
from planviz.ui.cache import key_of
from planviz.ui.links import pack
from planviz.ui.opened import Source

_FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
_SQL = """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey
  AND o_orderdate >= DATE'1994-01-01' AND l_quantity > {}
GROUP BY n_name ORDER BY revenue DESC"""
#: Takes longer than any task may.
_HOSTILE = "SELECT * FROM t0 " + " ".join(f"JOIN t{i} ON t{i - 1}.a = t{i}.b" for i in range(1, 400)) + " -- {}"
_ASK = """async ([address, threshold]) => {
  const asked = {settings: {"spark.sql.autoBroadcastJoinThreshold": String(threshold)}};
  const body = JSON.stringify({join: 0, quick: true, asked});
  return (await fetch(address, {method: "POST", headers: {"Content-Type": "application/json"}, body})).status;
}"""

Times = dict[str, list[float]]


class Run:
    """One run: where the server is, until when sessions act, and what was measured."""

    def __init__(self, address: str, until: float, rest: float) -> None:
        self.address, self.until, self.rest = address, until, rest
        self.times: Times = defaultdict(list)
        self.failed: dict[str, int] = defaultdict(int)

    async def session(self, browser: Browser, number: int, hostile: bool) -> None:
        """One visitor until the end."""
        context = await browser.new_context(viewport={"width": 1366, "height": 768})
        page, chance = await context.new_page(), random.Random(number)
        await asyncio.sleep(chance.uniform(0, self.rest))  # they do not all come in the same second
        while time.monotonic() < self.until:
            if hostile:
                await self._timed(None, self._open(page, "", _HOSTILE.format(chance.random()), "[role=alert]", "none"))
                continue
            sql = _SQL.format(chance.randint(1, 10**6))
            for what, work in (
                ("open a plan", self._sample(page, chance)),
                ("open SQL", self._open(page, "", sql, ".pv-head", "tpch")),
                ("rules", self._open(page, "rules", sql, ".pv-head", "tpch")),
                ("step", self._step(page)),
                ("joins", self._open(page, "joins", sql, ".pv-head", "tpch")),
                ("threshold", self._threshold(page, sql, chance.randint(0, 10**9))),
            ):
                await self._timed(what, work)
                await asyncio.sleep(self.rest * chance.uniform(0.5, 1.5))
        await context.close()

    async def _timed(self, what: str | None, work: Any) -> None:
        begun = time.monotonic()
        try:
            await work
        except Exception as error:
            self.failed[f"{what}: {type(error).__name__}"] += 1
            return
        if what is not None:
            self.times[what].append(time.monotonic() - begun)

    async def _open(self, page: Page, path: str, text: str, mark: str, catalog: str) -> None:
        await page.goto(f"{self.address}/{path}?plan={pack(text)}&catalog={catalog}")
        await page.wait_for_selector(mark, timeout=60_000)

    async def _sample(self, page: Page, chance: random.Random) -> None:
        text = load(chance.choice(samples()).name) + f"\n-- {chance.random()}\n"
        packed = pack(text)
        address = f"plan={packed}" if packed else "sample=broadcast-and-merge-join"
        await page.goto(f"{self.address}/?{address}")
        await page.wait_for_selector(".pv-head", timeout=60_000)

    async def _step(self, page: Page) -> None:
        await page.keyboard.press("ArrowRight")
        await page.wait_for_timeout(0)

    async def _threshold(self, page: Page, sql: str, threshold: int) -> None:
        status = await page.evaluate(_ASK, [f"/joins/{key_of(Source(sql, 'tpch'))}", threshold])
        if status != 200:
            raise RuntimeError(status)


def memory(pid: int) -> float:
    """Megabytes of a process and all below it."""
    total, left = 0, [pid]
    while left:
        one = left.pop()
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            children = Path(f"/proc/{one}/task").glob("*/children")
            left += [int(child) for file in children for child in file.read_text().split()]
        except (OSError, StopIteration):
            continue
    return total / 1024


def quantile(values: list[float], part: float) -> float:
    """The value below which this part of all lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


async def measured(
    address: str, pid: int, sessions: int, seconds: float, rest: float, hostile: bool
) -> tuple[Run, float]:
    """A run with so many sessions, and the highest memory that was seen."""
    most = 0.0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_FLAGS)
        run = Run(address, time.monotonic() + seconds, rest)
        tasks = [asyncio.create_task(run.session(browser, n, hostile and n == 0)) for n in range(sessions)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(2)
            most = max(most, memory(pid))
        await browser.close()
    return run, most


def told(title: str, run: Run) -> None:
    """Print a run as lines of a Markdown table."""
    for what, values in run.times.items():
        print(f"| {title} | {what} | {len(values)} | {quantile(values, 0.5):.2f} | {quantile(values, 0.95):.2f} |")
    if run.failed:
        print(f"{title}, failed: {dict(run.failed)}")


def main() -> None:
    """Start a server and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rest", type=float, default=0, help="seconds between two acts of a session, on average")
    parser.add_argument("--port", type=int, default=8790)
    options = parser.parse_args()
    command = [sys.executable, "-m", "planviz", "serve", "--port", str(options.port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": os.getcwd()})
    address = f"http://localhost:{options.port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.2)
        alone, _ = asyncio.run(measured(address, server.pid, 1, options.seconds / 4, min(options.rest, 2), False))
        time.sleep(5)
        before = memory(server.pid)
        run, most = asyncio.run(measured(address, server.pid, options.sessions, options.seconds, options.rest, True))
        print("| sessions | action | times | p50, s | p95, s |\n|---|---|---|---|---|")
        told("1", alone)
        told(f"{options.sessions}, one hostile", run)
        time.sleep(75)
        after, count = memory(server.pid), options.sessions
        print(f"memory: {before:.0f} MB before, {most:.0f} MB at most ({(most - before) / count:.0f} MB a session), "
              f"{after:.0f} MB 75 s after they left")  # fmt: skip
    finally:
        server.terminate()
        server.wait(timeout=10)


if __name__ == "__main__":
    main()
