"""From paste to painted, frame times and heap: planviz, and in the same run Spark's own SQL page and PEV2.

    python -m benchmarks.browser [--nodes 30 500 2000 10000 20000] [--tools planviz spark pev2]
                                 [--rounds 3] [--limit 60] [--cache ~/.cache/planviz-benchmarks]
    python -m benchmarks.browser --actions [--sessions 3] [--nodes 30 500 2000 10000] [--rounds 3]

Needs Chromium; `spark` a Java 17; `pev2` npm, which fetches the packages into the cache folder. Every measurement has a
browser of its own, the first of each tool is thrown away, and the median of the rounds counts. A page that gives no
result within the limit is reported so, and larger plans are then not tried. Figures go to the screen as Markdown and to
benchmarks/out/browser.json.

What is timed: planviz, from the paste (or Ctrl+Enter) to the frame on screen; PEV2, from the plan handed to its
component, already in the page; Spark, from the start of the navigation to the page of an execution that has run.
`--actions` times what a person does in planviz (home, pages, stages, steps, sliders: benchmarks/browser/actions.py),
with `--sessions` other tabs at work.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Playwright, sync_playwright

from benchmarks.browser import actions
from benchmarks.browser.chromium import chromium

OUT = Path(__file__).parents[1] / "out"
Row = dict[str, Any]
Measure = Callable[[int], Row]


@contextlib.contextmanager
def planviz(playwright: Playwright, options: argparse.Namespace) -> Iterator[Measure]:
    from benchmarks.browser import planviz_page

    with planviz_page.served(options.limit) as url:
        yield lambda nodes: planviz_page.measure(playwright, url, nodes, options.limit)


@contextlib.contextmanager
def spark(playwright: Playwright, options: argparse.Namespace) -> Iterator[Measure]:
    from benchmarks.browser import spark_page

    pages = spark_page.SparkPages()
    try:
        yield lambda nodes: spark_page.measure(playwright, pages, nodes, options.limit)
    finally:
        pages.close()


@contextlib.contextmanager
def pev2(playwright: Playwright, options: argparse.Namespace) -> Iterator[Measure]:
    from benchmarks.browser import pev2 as rig

    html = rig.install(options.cache.expanduser())
    yield lambda nodes: rig.measure(playwright, html, nodes, options.limit)


TOOLS = {"planviz": planviz, "pev2": pev2, "spark": spark}


def rounds(measure: Measure, nodes: int, count: int) -> Row:
    """The round with the median time; a failure counts at once."""
    rows = []
    for _ in range(count):
        row = measure(nodes)
        if "failed" in row:
            return row
        rows.append(row)
        if row["painted"] > 20_000:
            break  # a slow page is measured once
    middle = median(row["painted"] for row in rows)
    chosen = min(rows, key=lambda row: abs(row["painted"] - middle))
    return chosen | {"rounds": [row["painted"] for row in rows]}


def run(name: str, playwright: Playwright, options: argparse.Namespace) -> Iterator[Row]:
    """All sizes of one tool, smallest first."""
    with TOOLS[name](playwright, options) as measure:
        measure(20)
        failed: Row | None = None
        for nodes in sorted(options.nodes):
            if failed is not None:
                yield {
                    "tool": failed["tool"],
                    "asked": nodes,
                    "failed": f"not tried: {failed['failed']} at {failed['asked']:,}",
                }
                continue
            row = rounds(measure, nodes, options.rounds)
            failed = row if "failed" in row else None
            yield row


def table(rows: list[Row]) -> str:
    """The figures in Markdown."""

    def pair(found: dict[str, float] | None) -> str:
        return f"{found['median']:.1f} / {found['p95']:.1f}" if found else "-"

    text = [
        "| tool | nodes | painted, ms | pan, ms per frame (median / p95) | zoom, ms per frame | heap, MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        nodes = row.get("drawn", row.get("nodes", row["asked"]))
        if "failed" in row:
            text.append(f"| {row['tool']} | {nodes:,} | {row['failed']} | - | - | - |")
            continue
        text.append(
            f"| {row['tool']} | {nodes:,} | {row['painted']:,.0f} | {pair(row['pan'])} | {pair(row['zoom'])} | "
            f"{row['heap'] / 1e6:.1f} |"
        )
    return "\n".join(text)


def conditions() -> Row:
    """Where and when the figures were taken."""
    version = subprocess.run([chromium(), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {"chromium": version, "cpus": os.cpu_count(), "load": os.getloadavg(), "python": platform.python_version()}


def main() -> None:
    """Measure what was asked for, print the table and keep the figures as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser", description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[30, 500, 2_000, 10_000, 20_000])
    parser.add_argument("--tools", nargs="+", choices=list(TOOLS), default=["planviz"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds until a page counts as giving no result")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/planviz-benchmarks"), help="where PEV2 is kept")
    parser.add_argument("--actions", action="store_true", help="time what a person does in planviz instead")
    parser.add_argument("--sessions", type=int, default=0, help="other tabs at work meanwhile, with --actions")
    options = parser.parse_args()
    # A run that is stopped still ends the server, the browsers and the JVM that it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    OUT.mkdir(exist_ok=True)
    about, rows = conditions(), []
    if options.actions:
        nodes = [size for size in options.nodes if size <= 10_000]
        timed = actions.figures(options.rounds, options.sessions, nodes, options.limit)
        (OUT / "actions.json").write_text(json.dumps({"conditions": about, "ms": timed}, indent=1) + "\n")
        print(json.dumps(about), actions.table(timed), sep="\n")
        return
    with sync_playwright() as playwright:
        for name in options.tools:
            for row in run(name, playwright, options):
                rows.append(row)
                print(json.dumps(row), file=sys.stderr)
                (OUT / "browser.json").write_text(json.dumps({"conditions": about, "rows": rows}, indent=1) + "\n")
                (OUT / "browser.md").write_text(table(rows) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
