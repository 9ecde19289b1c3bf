"""Take the README's pictures from the real app: `python -m docs.images.take` writes those of `PICTURES` here.

Needs the `dev` extra (Playwright) and a Chromium; starts a server of its own, on a catalogue of past executions made up
for the picture, and stops it. No Spark is needed: the Live page shows the stored capture that it offers.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from planviz.ui.links import pack
from planviz.ui.tour_addresses import address as tour_address
from tests.history.catalogues import BROADCAST, MERGED, catalogue, log, query
from tests.spark.eventlog.made_logs import plan, scan

HERE = Path(__file__).resolve().parent
#: A question about the bundled TPC-DS tables: which brands sell to customers of one state.
SQL = """SELECT i_brand, d_year, sum(ss_ext_sales_price) AS sold
FROM store_sales
JOIN date_dim ON ss_sold_date_sk = d_date_sk
JOIN item ON ss_item_sk = i_item_sk
JOIN customer ON ss_customer_sk = c_customer_sk
JOIN customer_address ON c_current_addr_sk = ca_address_sk
WHERE d_moy = 11 AND i_manufact_id = 128 AND ca_state = 'OH'
GROUP BY i_brand, d_year
ORDER BY sold DESC"""
PICTURES = (
    ("explore-light.png", "light", "?sample=cost-with-statistics&stage=optimized&node=4"),
    ("explore-dark.png", "dark", "?sample=broadcast-and-merge-join&stage=physical&node=4"),
    ("rules-light.png", "light", "rules?sample=rule-log&step=18"),
    ("joins-light.png", "light", f"joins?plan={pack(SQL)}&catalog=tpcds"),
    ("cardinality-dark.png", "dark", f"cardinality?plan={pack(SQL)}&catalog=tpcds"),
    ("tour-found.png", "light", tour_address("slow-query", 1).removeprefix("./")),
    ("tour-compare.png", "light", tour_address("slow-query", 4)),
    ("tour-rules.png", "light", tour_address("outer-joins", 4)),
    ("live-light.png", "light", "live"),
    ("history-light.png", "light", "history?catalogue=catalogue&rank=slowest"),
)
#: Pages without an operator to fit into view; on the Live page a stored capture is opened.
WITHOUT_FIT = ("cardinality", "history", "live")
#: Executions of two nights: number (its start in seconds), what it was, how it joined, milliseconds, an error.
NIGHTS = (
    (
        (20, "Revenue by country and month", MERGED, 48_200, ""),
        (80, "Stores that sold nothing", BROADCAST, 6_900, ""),
        (140, "Customers who came back within 30 days", MERGED, 131_500, ""),
        (290, "Best items of each country", BROADCAST, 17_300, ""),
        (320, "Baskets with a returned item", MERGED, 74_800, "SparkException: Job aborted: no space left on device"),
    ),
    (
        (86_420, "Revenue by country and month", BROADCAST, 15_400, ""),
        (86_450, "Stores that sold nothing", BROADCAST, 7_100, ""),
        (86_470, "Customers who came back within 30 days", MERGED, 139_900, ""),
        (86_620, "Best items of each country", BROADCAST, 16_800, ""),
        (86_650, "Baskets with a returned item", MERGED, 71_200, ""),
        (86_730, "Orders without a store", MERGED, 22_600, ""),
    ),
)


def _executed(number: int, what: str, join: str, took: int, error: str) -> list[str]:
    """The events of one execution: orders joined with stores, spilling as it took long."""
    tables = [
        scan(f"Scan parquet {name}", id) | {"simpleString": f"FileScan parquet {name}[{columns}]"}
        for name, id, columns in (("orders", 3, "store_id#1,amount#2"), ("stores", number * 10 + 1, "store_id#3"))
    ]
    joined = plan(*tables, name=join, id=4) | {"simpleString": f"{join} [store_id#1], [store_id#3], Inner"}
    shape = plan(joined, id=number * 10 + 2) | {"simpleString": "Filter (amount#2 > 100.00)"}
    events = query(number, what, shape, took=took, rows=number * 7 + 112, error=error)
    spilled = took * 9_000 if join == MERGED else 0
    figures = (
        ('Spilled","Value":5', f'Spilled","Value":{spilled}'),
        ('BytesRead","Value":30', f'BytesRead","Value":{took * 31_000}'),
    )
    for made, told in figures:
        events = [line.replace(made, told) for line in events]
    return events


def past(folder: Path) -> None:
    """A catalogue of the executions of `NIGHTS`, in a folder of that name."""
    nights = {
        f"shop-{night}": log("nightly", *(_executed(*told) for told in executions), id=f"app-{night}")
        for night, executions in enumerate(NIGHTS, 1)
    }
    catalogue(folder, nights)


def served(history: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server on a free port and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    command = [sys.executable, "-m", "planviz", "serve", "--port", address.rsplit(":", 1)[1], "--history", str(history)]
    server = subprocess.Popen(command, cwd=HERE.parents[1])
    for _ in range(300):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
            return server, address
        time.sleep(0.2)
    server.terminate()
    raise SystemExit("planviz serve did not answer within a minute")


def take(browser: Any, address: str, name: str, scheme: str, query: str) -> None:
    """One picture of one page."""
    page = browser.new_page(
        viewport={"width": 1400, "height": 860},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        bypass_csp=True,  # Waiting for a word of the page's own script is evaluated in it.
    )
    page.goto(f"{address}/{query}")
    if query.startswith("live"):
        page.get_by_role("button", name="Open a stored capture").click()
        page.locator(".pv-figures", has_text="to plan").wait_for()
    else:
        if query.startswith("history"):
            page.locator("tbody tr").first.click()
        page.wait_for_function("window.__planviz && window.__planviz.painted")
    if not query.startswith(WITHOUT_FIT):
        page.get_by_role("button", name="Copy link").wait_for()
        page.keyboard.press("f")
    page.mouse.move(5, 5)
    page.wait_for_timeout(1200)
    taken = Image.open(io.BytesIO(page.screenshot()))
    taken.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(HERE / name, optimize=True)
    page.close()


def main() -> None:
    """Take every picture, or those that are named."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder:
        past(Path(folder))
        server, address = served(Path(folder))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                for name, scheme, query in PICTURES:
                    if name in (sys.argv[1:] or [name]):
                        take(browser, address, name, scheme, query)
                browser.close()
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    main()
