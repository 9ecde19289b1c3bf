"""Made-up plans of any size for the browser's tests: joins in a balanced tree with chains between them."""

from __future__ import annotations

from typing import Any

from planviz.graph import Link, PlanGraph, PlanNode
from planviz.graph.node import Estimate

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


def _node(id: int, op: str, kind: str, parent: int | None, depth: int, size: int, rows: bool, badges: bool) -> PlanNode:
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
