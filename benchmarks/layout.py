"""Time of the tidy layout, of the scene and of its SVG, best of seven: python benchmarks/layout.py [NODES ...]."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from planviz.graph import PlanGraph, PlanNode
from planviz.layout import tidy
from planviz.render.drawing import draw
from planviz.render.scene import build_scene
from planviz.render.svg import svg

OPERATORS = (
    ("SortMergeJoin", "join"),
    ("Project", "project"),
    ("Filter", "filter"),
    ("Exchange", "exchange"),
    ("HashAggregate", "aggregate"),
    ("FileScan", "scan"),
)


def shapes(count: int) -> dict[str, list[int]]:
    pick = random.Random(1)
    return {
        "chain": list(range(-1, count - 1)),
        "fan": [-1] + [0] * (count - 1),
        "comb": [-1] + [0 if i < 3 else i - 2 if i % 2 else i - 3 for i in range(1, count)],
        "binary": [-1] + [(i - 1) // 2 for i in range(1, count)],
        "random": [-1] + [pick.randint(max(0, i - 4), i - 1) for i in range(1, count)],
    }


def plan(parent: list[int]) -> PlanGraph:
    nodes: list[PlanNode] = []
    for i, p in enumerate(parent):
        op, kind = OPERATORS[i % len(OPERATORS)]
        depth = 0 if p < 0 else nodes[p].depth + 1
        nodes.append(PlanNode(i, op, kind, f"{op} [a#{i}], Inner", parent=None if p < 0 else p, depth=depth))
    return PlanGraph.from_nodes("physical", "Physical Plan", nodes)


def best(call: Callable[[], Any], rounds: int = 7) -> float:
    """Milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main() -> None:
    print(f"{'nodes':>7} {'shape':8} {'layout ms':>10} {'scene ms':>10} {'svg ms':>10}")
    for count in map(int, sys.argv[1:] or ("30", "2000", "10000")):
        for name, parent in shapes(count).items():
            size = [190.0] * count, [46.0] * count
            graph = plan(parent)
            layout = best(lambda parent=parent, size=size: tidy(parent, *size))  # type: ignore[misc]
            scene = best(lambda graph=graph: build_scene(graph))  # type: ignore[misc]
            picture = best(lambda graph=graph: svg(draw(build_scene(graph, full=True))), 2)  # type: ignore[misc]
            print(f"{count:7,} {name:8} {layout:10.1f} {scene:10.1f} {picture:10.1f}")


if __name__ == "__main__":
    main()
