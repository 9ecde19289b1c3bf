"""Pictures of every page with every kind of document: `python -m tests.browser.matrix FOLDER [--pages ...]`.

For looking at one by one beside each other before a change of the pages is landed; no test. Writes
FOLDER/<document>-<page>-<width>-<theme>.png, a server of its own, started and stopped here. `--documents`, `--pages`,
`--sizes` and `--themes` take fewer; `--text FILE` adds a document of one's own.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.plans import plan_text
from planviz.samples import load
from planviz.ui import links
from planviz.ui.page import PAGES, pages_there
from tests.browser.app import ROOT, App, serving

SIZES = {"1366": (1366, 768), "1440": (1440, 900), "1920": (1920, 1080), "700": (700, 900)}
SETTLED = """() => document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    && document.querySelector('.st-key-planviz-page') && !document.querySelector('[data-testid="stSkeleton"]')"""
PHOTON = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- == Initial Plan ==
   ColumnarToRow
   +- PhotonResultStage
      +- PhotonTopK(sortOrder=[revenue#40 DESC NULLS LAST], partitionOrderCount=0)
         +- PhotonShuffleExchangeSource
            +- PhotonShuffleMapStage ENSURE_REQUIREMENTS, [id=#310]
               +- PhotonShuffleExchangeSink SinglePartition
                  +- PhotonTopK(sortOrder=[revenue#40 DESC NULLS LAST], partitionOrderCount=0)
                     +- PhotonGroupingAgg(keys=[region#11], functions=[finalmerge_sum(merge sum#52) AS sum(amount)#41])
                        +- PhotonShuffleExchangeSource
                           +- PhotonShuffleMapStage ENSURE_REQUIREMENTS, [id=#298]
                              +- PhotonShuffleExchangeSink hashpartitioning(region#11, 200)
                                 +- PhotonGroupingAgg(keys=[region#11], functions=[partial_sum(amount#3) AS sum#52])
                                    +- PhotonProject [amount#3, region#11]
                                       +- PhotonBroadcastHashJoin [shop_id#2], [id#10], Inner, BuildRight, false, true
                                          :- PhotonProject [shop_id#2, amount#3]
                                          :  +- PhotonScan parquet main.sales.orders[shop_id#2,amount#3,day#4] {orders}
                                          +- PhotonShuffleExchangeSource
                                             +- PhotonShuffleMapStage EXECUTOR_BROADCAST, [id=#285]
                                                +- PhotonShuffleExchangeSink SinglePartition
                                                   +- PhotonScan parquet main.sales.shops[id#10,region#11] {shops}


== Photon Explanation ==
The query is fully supported by Photon.
""".format(
    orders="DataFilters: [isnotnull(shop_id#2)], Format: parquet, PartitionFilters: [(day#4 >= 2024-01-01)]",
    shops="DataFilters: [isnotnull(id#10)], Format: parquet, PartitionFilters: []",
)


def documents() -> dict[str, str]:
    """Names and texts of what is opened; "" opens nothing."""
    queries = {
        "q5": ROOT / "sample_queries/tpch/q05.sql",
        "q21": ROOT / "sample_queries/tpch/q21.sql",
        "q64": ROOT / "sample_queries/documents/tpcds-q64.sql",
        "q14a": ROOT / "../shared/corpus/tpcds/queries/q14a.sql",
    }
    texts = {name: path.read_text("utf-8") for name, path in queries.items() if path.is_file()}
    sized = {"p300": plan_text("mixed", 300), "p2000": plan_text("mixed", 2000)}
    return {"empty": "", **texts, "photon": PHOTON, **sized, "eventlog": load("event-log")}


def opened(browser: Any, address: str, text: str, size: tuple[int, int], theme: str) -> App:
    """A tab at the start page with the text open; the tables of SQL are TPC-H's or TPC-DS's by their names."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=theme,
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"],
        bypass_csp=True,
    )
    app = App(context.new_page())
    link = links.pack(text) if text else None
    app.go(f"{address}/?plan={link}" if link else address)
    app.page.wait_for_function(SETTLED)
    if text and not link:
        app.box.wait_for()
        app.paste(text)
    if text:
        app.painted()
    return app


def shown(app: App, title: str) -> None:
    """Turn to a page by its link and wait until nothing moves."""
    if title != "Explore":
        app.page.get_by_role("link", name=title, exact=True).first.evaluate("link => link.click()")
    app.page.wait_for_timeout(300)
    app.page.wait_for_function(SETTLED)
    app.page.wait_for_load_state("networkidle")
    app.page.wait_for_timeout(900)


def take(address: str, browser: Any, folder: Path, chosen: argparse.Namespace, texts: dict[str, str]) -> Iterator[str]:
    """Take every picture that was asked for; yields what went wrong on the way."""
    there = {entry["title"] for entry in pages_there()}
    titles = [title for file, title, _ in PAGES if title in there and file in (chosen.pages or [file])]
    for theme in chosen.themes:
        for size in chosen.sizes:
            for name in chosen.documents or texts:
                app = opened(browser, address, texts[name], SIZES[size], theme)
                for title in titles:
                    shown(app, title)
                    app.page.screenshot(path=folder / f"{name}-{title.lower().replace(' ', '-')}-{size}-{theme}.png")
                yield from (f"{name} {size} {theme}: {told}" for told in app.complaints)
                app.page.context.close()


def main() -> None:
    """Take the pictures and print what the pages complained about."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", nargs="*", choices=[file for file, _, _ in PAGES])
    parser.add_argument("--documents", nargs="*")
    parser.add_argument("--sizes", nargs="*", choices=SIZES, default=list(SIZES))
    parser.add_argument("--themes", nargs="*", choices=("light", "dark"), default=["light", "dark"])
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="files to open instead, by their names")
    parser.add_argument("--server", help="address of a server that runs already, without a slash at its end")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    texts = documents() | {path.stem: path.read_text("utf-8") for path in chosen.text}
    if chosen.text and not chosen.documents:
        chosen.documents = [path.stem for path in chosen.text]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    server = contextlib.nullcontext(chosen.server) if chosen.server else serving()
    with server as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for told in take(address, browser, chosen.folder, chosen, texts):
            print(told)
        browser.close()


if __name__ == "__main__":
    main()
