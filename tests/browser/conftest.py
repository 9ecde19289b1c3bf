"""A real Chromium, made-up plans of any size, and the standalone page to open them in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planviz.graph import Link, PlanGraph, PlanNode
from planviz.graph.plan_graph import Estimate
from planviz.render.html import html_page

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_STEPS = (
    ("SortMergeJoin", "join"),
    ("HashAggregate", "aggregate"),
    ("Exchange", "exchange"),
    ("Sort", "sort"),
    ("Filter", "filter"),
    ("Project", "project"),
)


def plan(size: int, *, chain: int = 4, rows: bool = True, badges: bool = False) -> PlanGraph:
    """A plan of `size` nodes: `chain` single-child operators, then a join of two sides of 3 to 2, and so on down."""
    nodes: list[PlanNode] = []
    waiting: list[tuple[int | None, int, int]] = [(None, 0, size)]  # parent, depth, nodes to make there
    while waiting:
        parent, depth, budget = waiting.pop()
        for step in range(budget):
            id, left = len(nodes), budget - step
            fork = step == chain and left >= 3
            op, kind = _STEPS[0] if fork else _STEPS[1 + (depth + id) % 5]
            if left == 1:
                op, kind = "FileScan", "scan"
            nodes.append(_node(id, op, kind, parent, depth, size, rows, badges))
            parent, depth = id, depth + 1
            if fork:
                more = (left - 1) * 3 // 5
                waiting += [(id, depth, left - 1 - more), (id, depth, more)]
                break
    links = [Link(6, size // 2, "reuse"), Link(size - 2, 9, "pruning")] if size > 20 else []
    notes = ("The numbers of rows are the optimizer's estimates.",) if rows else ()
    return PlanGraph.from_nodes("physical", f"Physical plan of {size}", nodes, links, notes)


def _node(
    id: int, op: str, kind: str, parent: int | None, depth: int, size: int, rows: bool, badges: bool
) -> PlanNode:
    return PlanNode(
        id,
        op,
        kind,
        f"{op} [a{id}#1 = b{id}#2]",
        source=(id + 1, id + 1),
        depth=depth,
        parent=parent,
        operator_id=size - id,
        estimate=Estimate(rows=10 ** (1 + id % 8), size_in_bytes=64 * 10 ** (1 + id % 8)) if rows else None,
        badges=("truncated",) if badges and id % 7 == 3 else (),
        codegen_stage=id % 3 if id % 4 else None,
        arguments=_arguments(op, id),
    )


def _arguments(op: str, id: int) -> dict[str, Any]:
    if op == "SortMergeJoin":
        return {"left_keys": [f"ss_item_sk#{id}"], "right_keys": [f"i_item_sk#{id}"], "join_type": "Inner"}
    if op == "HashAggregate":
        return {"keys": [f"d_year#{id}", f"i_brand#{id}"], "functions": [{"text": "sum(price)", "mode": "partial"}]}
    if op == "Exchange":
        return {"partitioning_kind": "hash", "partition_keys": [f"key_{id}#{id}"], "partitions": 200}
    if op == "FileScan":
        return {"table": f"table_{id}", "output": [f"c{id}_{k}#{k}" for k in range(20)]}
    return {"condition": f"(column_{id}#{id} > {id})", "output": [f"o{id}"]}


def text_of(graph: PlanGraph) -> str:
    return "\n".join("  " * node.depth + node.text for node in graph) + "\n"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


class Opened:
    """A page with the workbench on it, and whatever it asked of the network or complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))

    def load(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.page.wait_for_function("window.__planviz && window.__planviz.painted")

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__planviz.handle.state()")
        return found

    def camera(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate("__planviz.handle.camera()")
        return found

    def place(self, node: int) -> dict[str, float]:
        found: dict[str, float] = self.page.evaluate("i => __planviz.handle.place(i)", node)
        return found

    def heading(self) -> str:
        return str(self.page.locator(".pv-panel h3").text_content())


@pytest.fixture
def workbench(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """`workbench(graphs or graph, text=, width=, height=, dark=, touch=)` opens the standalone page and gives an `Opened`."""
    contexts: list[Any] = []

    def open_page(
        graphs: PlanGraph | list[PlanGraph],
        *,
        text: str | None = None,
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
        reduced: bool = True,
        ratio: float = 1,
    ) -> Opened:
        some = graphs if isinstance(graphs, list) else [graphs]
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html_page(some, text=text), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced else "no-preference",
            device_scale_factor=ratio,
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.load(path)
        return opened

    yield open_page
    for context in contexts:
        context.close()
