"""Take the README's pictures from the real app: `python docs/images/take.py` writes explore-{light,dark}.png,
rules-light.png, joins-light.png and cardinality-dark.png here.

Needs the `dev` extra (Playwright) and a Chromium; starts a server of its own and stops it.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from planviz.ui.links import pack

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
)


def served() -> tuple[subprocess.Popen[bytes], str]:
    """A server on a free port and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    command = [sys.executable, "-m", "planviz", "serve", "--port", address.rsplit(":", 1)[1]]
    server = subprocess.Popen(command, cwd=HERE.parents[1])
    for _ in range(300):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).close()
            return server, address
        time.sleep(0.2)
    server.terminate()
    raise SystemExit("planviz serve did not answer within a minute")


def main() -> None:
    """Take every picture."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    server, address = served()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            for name, scheme, query in PICTURES:
                page = browser.new_page(
                    viewport={"width": 1400, "height": 860},
                    color_scheme="dark" if scheme == "dark" else "light",
                    reduced_motion="reduce",
                )
                page.goto(f"{address}/{query}")
                page.wait_for_function("window.__planviz && window.__planviz.painted")
                page.get_by_role("button", name="Copy link").wait_for()
                if not query.startswith("cardinality"):
                    page.keyboard.press("f")
                page.mouse.move(5, 5)
                page.wait_for_timeout(800)
                taken = Image.open(io.BytesIO(page.screenshot()))
                taken.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(HERE / name, optimize=True)
                page.close()
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main()
