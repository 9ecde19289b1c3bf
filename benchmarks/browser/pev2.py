"""PEV2, the viewer of PostgreSQL plans, in a small local page.

Its npm package and Vue's are fetched by npm into a cache folder when asked to; nothing of them is kept in this project.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Playwright

from benchmarks.browser.chromium import frames, fresh_page, heap, painted, pan, watch, zoom

PACKAGES = ("pev2@1", "vue@3", "bootstrap@5")

_PAGE = """<!doctype html><html><head><meta charset="utf-8">
<link rel="stylesheet" href="node_modules/bootstrap/dist/css/bootstrap.min.css">
<link rel="stylesheet" href="STYLE">
<style>html, body, #app { height: 100%; margin: 0; }</style></head>
<body><div id="app" class="d-flex flex-column vh-100"><pev2 v-if="plan" :plan-source="plan" plan-query=""></pev2></div>
<script src="node_modules/vue/dist/vue.global.prod.js"></script>
<script src="SCRIPT"></script>
<script>
const app = Vue.createApp({ data: () => ({ plan: "" }) });
app.component("pev2", pev2.Plan);
const root = app.mount("#app");
window.show = text => { window.started = performance.now(); root.plan = text; };
</script></body></html>
"""


def install(cache: Path) -> Path:
    """Fetch the packages into `cache/pev2` unless they are there, write the page, and return it."""
    folder = cache / "pev2"
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "node_modules" / "pev2"
    if not package.exists():
        if shutil.which("npm") is None:
            raise SystemExit("npm is not installed: PEV2 cannot be fetched (leave --pev2 out)")
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), *PACKAGES]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    script = next(path for path in sorted(package.rglob("*.umd*.js")))
    style = next(path for path in sorted(package.rglob("*.css")))
    page = folder / "page.html"
    text = _PAGE.replace("SCRIPT", str(script.relative_to(folder))).replace("STYLE", str(style.relative_to(folder)))
    page.write_text(text, encoding="utf-8")
    return page


def plan(nodes: int, seed: int = 7) -> str:
    """A PostgreSQL JSON plan of exactly `nodes` nodes: an Append over small trees of joins, sorts and scans."""
    draw = random.Random(seed)

    def node(kind: str, children: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        rows = draw.randrange(1, 100_000)
        common = {"Node Type": kind, "Parallel Aware": False, "Startup Cost": 1.0, "Total Cost": rows / 7}
        common |= {"Plan Rows": rows, "Plan Width": 32, "Actual Startup Time": 0.1, "Actual Total Time": rows / 9000}
        common |= {"Actual Rows": rows, "Actual Loops": 1} | more
        return common | ({"Plans": children} if children else {})

    def tree(size: int) -> dict[str, Any]:
        if size == 1:
            table = draw.choice(["orders", "events", "users", "items"])
            more = {"Relation Name": table, "Alias": table, "Filter": "(amount > 100)"}
            return node("Seq Scan", [], **more)
        if size < 6:
            more = {"Sort Key": ["user_id"]}
            return node("Sort", [tree(size - 1)], **more)
        left = (size - 1) // 2
        more = {"Join Type": "Inner", "Hash Cond": "(o.user_id = u.user_id)"}
        return node("Hash Join", [tree(size - 1 - left), tree(left)], **more)

    full, rest = divmod(nodes - 1, 40)
    root = node("Append", [tree(size) for size in [40] * full + [rest] * bool(rest)]) if nodes > 60 else tree(nodes)
    return json.dumps([{"Plan": root, "Planning Time": 1.0, "Execution Time": 10.0, "Triggers": []}])


def measure(playwright: Playwright, html: Path, nodes: int, limit: float) -> dict[str, Any]:
    """Plan handed over to painted, frame times and heap."""
    row: dict[str, Any] = {"tool": "PEV2", "asked": nodes, "nodes": nodes}
    with fresh_page(playwright) as page:
        watch(page, f"document.querySelectorAll('.plan-node').length >= {nodes}")
        page.goto(html.as_uri())
        page.wait_for_function("typeof window.show === 'function'", timeout=10_000)
        # Handed over in a later task, so that the limit and not this call waits for the drawing.
        page.evaluate("text => { setTimeout(() => window.show(text), 0); }", plan(nodes))
        done = painted(page, limit)
        if done is None:
            return row | {"failed": f"no result in {limit:.0f} s"}
        row["painted"] = done - page.evaluate("window.started")
        row["drawn"] = page.locator(".plan-node").count()
        graph = page.locator("svg:has(.plan-node), .plan-container").first
        row["pan"], row["zoom"] = frames(page, graph, pan), frames(page, graph, zoom)
        row["heap"] = heap(page)
    return row
