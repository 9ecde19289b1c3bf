"""Times of actions in real browser sessions and the server's memory, beside one session alone.

    python -m benchmarks.load [--sessions N] [--seconds S] [--rest S] [--arrive S] [--port P]

Every session comes to the first page once, one after the other within the first `--arrive` seconds, and then pastes
plans and SQL in an endless row, turns to Rules and Joins, steps, and moves the broadcast threshold; between two acts it
rests as long as a reader looks at what there is. One, which never rests, opens what takes all of the time that a task
has. An act is timed by the page's own clock, from its event to the frame in which the answer stands. All browsers run
on the same machine as the server: the seconds of processor time of both are told, for where the browsers take all of
it, their times say nothing about the server.
Memory is the proportional set size of the server and its workers.
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
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from benchmarks.browser.actions import READY, WATCH
from planviz.samples import load
from planviz.ui.cache import key_of
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
#: Takes all of the time that a task has.
_WINDOWS = ", ".join(f"sum(a + {at}) OVER (PARTITION BY b ORDER BY c)" for at in range(40_000))
_HOSTILE = f"SELECT {_WINDOWS} FROM t -- {{}}"
_ASK = """async ([address, threshold]) => {
  const asked = {settings: {"spark.sql.autoBroadcastJoinThreshold": String(threshold)}};
  const body = JSON.stringify({join: 0, quick: true, asked});
  const start = performance.now();
  const answer = await fetch(address, {method: "POST", headers: {"Content-Type": "application/json"}, body});
  return [answer.status, performance.now() - start];
}"""
_PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const target = document.querySelector(".stApp textarea") ?? document.body;
  target.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}"""
#: Samples that are texts of plans with a tree in them.
_PLANS = ("broadcast-and-merge-join", "distinct-in-four-stages", "window-top-n", "adaptive-skew-join", "subqueries")
_DRAWN = "window.__planviz?.painted"
#: Milliseconds between two looks whether an act has its answer, and that one may take.
_LOOK, _LIMIT = 100, 60_000

Times = dict[str, list[float]]


class Run:
    """One run: where the server is, until when sessions act, and what was measured."""

    def __init__(self, address: str, until: float, rest: float) -> None:
        self.address, self.until, self.rest = address, until, rest
        self.times: Times = defaultdict(list)
        self.failed: dict[str, int] = defaultdict(int)

    async def session(self, browser: Browser, number: int, late: float, hostile: bool) -> None:
        """One visitor, who comes `late` seconds after the beginning, until the end."""
        context = await browser.new_context(viewport={"width": 1366, "height": 768}, bypass_csp=True)
        page, chance = await context.new_page(), random.Random(number)
        await page.add_init_script(WATCH)
        await asyncio.sleep(late)
        await self._timed("the first page", self._come(page))
        while time.monotonic() < self.until:
            if hostile:
                await self._timed("", self._attack(page, _HOSTILE.format(chance.random())))
                continue
            sql = _SQL.format(chance.randint(1, 10**6))
            for what, work in (
                ("open a plan", partial(self._paste, page, _plan(chance), _DRAWN)),
                ("open SQL", partial(self._paste, page, sql, _DRAWN)),
                ("rules", partial(self._turn, page, "Rules")),
                ("step", partial(self._step, page)),
                ("joins", partial(self._turn, page, "Joins")),
                ("threshold", partial(self._threshold, page, sql, chance.randint(0, 10**9))),
                ("explore", partial(self._turn, page, "Explore")),
            ):
                await self._timed(what, work())
                await asyncio.sleep(self.rest * chance.uniform(0.5, 1.5))
                if time.monotonic() > self.until:
                    break
        await context.close()

    async def _timed(self, what: str, work: Awaitable[float]) -> None:
        try:
            milliseconds = await work
        except Exception as error:
            self.failed[f"{what or 'the hostile one'}: {type(error).__name__}"] += 1
            return
        if what:
            self.times[what].append(milliseconds / 1000)

    async def _come(self, page: Page) -> float:
        begun = time.monotonic()
        await page.goto(self.address)
        await page.wait_for_selector(".stApp textarea", timeout=_LIMIT)
        taken = (time.monotonic() - begun) * 1000
        await page.wait_for_timeout(2_000)  # the later pages' scripts come
        return taken

    async def _act(self, page: Page, event: str, ready: str, do: Callable[[], Awaitable[object]]) -> float:
        await page.evaluate("([event, ready]) => __measure(event, ready)", [event, ready])
        await do()
        await page.wait_for_function("window.__took !== undefined", polling=_LOOK, timeout=_LIMIT)
        return float(await page.evaluate("window.__took.ms"))

    async def _paste(self, page: Page, text: str, ready: str) -> float:
        await page.evaluate("window.__planviz = null")
        return await self._act(page, "paste", ready, lambda: page.evaluate(_PASTE, text))

    async def _attack(self, page: Page, text: str) -> float:
        await self._come(page)
        return await self._paste(page, text, f"{_DRAWN} || __deep('[role=alert]')")

    async def _turn(self, page: Page, title: str) -> float:
        link = page.get_by_role("link", name=title, exact=True)
        return await self._act(page, "click", READY[title], lambda: link.click(timeout=_LIMIT))

    async def _step(self, page: Page) -> float:
        await page.locator(".pv-player").first.focus(timeout=_LIMIT)
        await page.evaluate("window.__planviz && (window.__planviz.stepped = null)")
        ready = "window.__planviz.stepped?.painted"
        return await self._act(page, "keydown", ready, lambda: page.keyboard.press("ArrowRight"))

    async def _threshold(self, page: Page, sql: str, threshold: int) -> float:
        asked = [f"/joins/{key_of(Source(sql, 'auto'))}", threshold]
        status, milliseconds = await page.evaluate(_ASK, asked)
        if status != 200:
            raise RuntimeError(status)
        return float(milliseconds)


def _plan(chance: random.Random) -> str:
    """The text of a plan among the samples, not one that anybody has pasted before."""
    return load(chance.choice(_PLANS)) + f"\n-- {chance.random()}\n"


def processor_seconds(pid: int) -> float:
    """Seconds of processor time of a process and all below it that still live."""
    total, left, ticks = 0.0, [pid], os.sysconf("SC_CLK_TCK")
    while left:
        one = left.pop()
        with suppress(OSError):
            used = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, used[11:15])) / ticks
            children = Path(f"/proc/{one}/task").glob("*/children")
            left += [int(child) for file in children for child in file.read_text().split()]
    return total


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
    address: str, pid: int, sessions: int, seconds: float, rest: float, arrive: float, hostile: bool
) -> tuple[Run, float, tuple[float, float]]:
    """A run with so many sessions, the highest memory that was seen, the processor time of server and browsers in s."""
    most, busy = 0.0, processor_seconds(pid)
    own = processor_seconds(os.getpid())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_FLAGS)
        run = Run(address, time.monotonic() + seconds, rest)
        late = [arrive * number / sessions for number in range(sessions)]
        tasks = [asyncio.create_task(run.session(browser, n, late[n], hostile and n == 0)) for n in range(sessions)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(2)
            most = max(most, memory(pid))
        busy = processor_seconds(pid) - busy
        own = processor_seconds(os.getpid()) - own - busy
        await browser.close()
    return run, most, (busy, own)


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
    parser.add_argument("--arrive", type=float, default=30, help="seconds within which the sessions come")
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
        alone, _, _ = asyncio.run(measured(address, server.pid, 1, options.seconds / 4, min(options.rest, 2), 0, False))
        time.sleep(5)
        before = memory(server.pid)
        run, most, busy = asyncio.run(
            measured(address, server.pid, options.sessions, options.seconds, options.rest, options.arrive, hostile=True)
        )
        print("| sessions | action | times | p50, s | p95, s |\n|---|---|---|---|---|")
        told("1", alone)
        told(f"{options.sessions}, one hostile", run)
        print(
            f"processor time: the server {busy[0]:.0f} s, the browsers {busy[1]:.0f} s, of {os.cpu_count()} processors"
        )
        time.sleep(75)
        after, count = memory(server.pid), options.sessions
        print(f"memory: {before:.0f} MB before, {most:.0f} MB at most ({(most - before) / count:.0f} MB a session), "
              f"{after:.0f} MB 75 s after they left")  # fmt: skip
    finally:
        server.terminate()
        server.wait(timeout=10)


if __name__ == "__main__":
    main()
