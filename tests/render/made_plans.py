"""Plans built by hand for the tests of layout and pictures."""

from __future__ import annotations

from typing import Any

from planviz.graph import Estimate, Link, PlanGraph, PlanNode, kind_of

#: Strings that must stay text in every format.
HOSTILE = (
    "<script>alert(1)</script>",
    "]]><svg onload=alert(1)>",
    "\"'`--> %%{init: {}}%% <!-- x -->",
    "**bold** [link](javascript:alert(1)) ![i](http://evil.example/x.png) $x$",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "left\u202eright\u2066x\u200f",
    "nul\x00l\x0b\x85\u2028",
    "lone\ud800 \udfff",
    'back\\slash \\\\N \\" &lt;b&gt; &#60; #60; fa:fa-ban',
    "https://evil.example www.evil.example a@evil.example",
    "\ufffe\uffff{}|[]()end",
    "中文 العربية 🎉 é",
)


def node(id: int, parent: int | None, op: str, *, depth: int = 0, rows: int | None = None, **more: Any) -> PlanNode:
    options = {key: more.pop(key) for key in ("badges", "codegen_stage", "operator_id", "metrics") if key in more}
    return PlanNode(
        id,
        op,
        kind_of(op),
        op,
        parent=parent,
        depth=depth,
        source=(id + 1, id + 1),
        estimate=None if rows is None else Estimate(rows, rows * 40),
        arguments=more,
        **options,
    )


def brand_sales() -> PlanGraph:
    """Sales by brand in November: two joins, two aggregates, fourteen operators, estimated rows."""
    function = {"text": "sum(ss_ext_sales_price#1)", "mode": "partial"}
    nodes = [
        node(0, None, "TakeOrderedAndProject", limit=100, sort_order=["d_year#3 ASC", "sum_agg#9 DESC"], rows=100),
        node(
            1,
            0,
            "HashAggregate",
            keys=["d_year#3", "i_brand#4"],
            functions=[{"text": "sum(ss_ext_sales_price#1)", "mode": "final"}],
            rows=1_400,
            codegen_stage=6,
        ),
        node(
            2,
            1,
            "Exchange",
            partitioning_kind="hash",
            partition_keys=["d_year#3", "i_brand#4"],
            partitions=200,
            rows=9_800,
        ),
        node(3, 2, "HashAggregate", keys=["d_year#3", "i_brand#4"], functions=[function], rows=9_800, codegen_stage=5),
        node(
            4,
            3,
            "SortMergeJoin",
            join_type="Inner",
            left_keys=["ss_item_sk#5"],
            right_keys=["i_item_sk#6"],
            rows=1_200_000,
        ),
        node(5, 4, "Sort", sort_order=["ss_item_sk#5 ASC NULLS FIRST"], rows=24_000_000, codegen_stage=2),
        node(
            6, 5, "Exchange", partitioning_kind="hash", partition_keys=["ss_item_sk#5"], partitions=200, rows=24_000_000
        ),
        node(
            7,
            6,
            "BroadcastHashJoin",
            join_type="Inner",
            left_keys=["ss_sold_date_sk#7"],
            right_keys=["d_date_sk#8"],
            build_side="right",
            rows=24_000_000,
        ),
        node(
            8, 7, "FileScan", table="spark_catalog.default.store_sales", output=["a#1", "b#2", "c#3"], rows=287_997_024
        ),
        node(9, 7, "BroadcastExchange", partitioning_kind="broadcast", rows=6_100),
        node(10, 9, "FileScan", table="date_dim", pushed_filters=["EqualTo(d_moy,11)"], rows=6_100),
        node(11, 4, "Sort", sort_order=["i_item_sk#6 ASC NULLS FIRST"], rows=1_064),
        node(12, 11, "Exchange", partitioning_kind="hash", partition_keys=["i_item_sk#6"], partitions=200, rows=1_064),
        node(13, 12, "FileScan", table="item", pushed_filters=["EqualTo(i_manufact_id,128)"], rows=1_064),
    ]
    return PlanGraph.from_nodes("physical", "Physical Plan", with_depths(nodes))


def with_links() -> PlanGraph:
    """Cross links of every type, a subquery under a filter, all badges, a note."""
    nodes = [
        node(0, None, "Union"),
        node(1, 0, "BroadcastHashJoin", join_type="LeftSemi", build_side="right", badges=("skew",)),
        node(2, 1, "Filter", condition="(a#1 > scalar-subquery#2 [])", badges=("truncated", "unsure")),
        node(3, 2, "FileScan", table="t", badges=("missing input",)),
        node(4, 2, "HashAggregate", functions=[{"text": "max(a#1)", "mode": "complete"}]),
        node(5, 4, "FileScan", table="s"),
        node(6, 1, "Exchange", partitioning_kind="hash", plan_id=7),
        node(7, 6, "FileScan", table="u"),
        node(8, 0, "ReusedExchange", reuses=7, badges=("reused",)),
        node(9, 0, "FileScan", table="w", badges=("streaming",)),
    ]
    links = [Link(2, 4, "subquery"), Link(8, 6, "reuse"), Link(9, 6, "pruning"), Link(3, 7, "bloom")]
    notes = ("The plan was cut off after 10 operators: Spark printed “... 12 more fields”.",)
    return PlanGraph.from_nodes("physical", "Physical Plan", with_depths(nodes), links, notes)


def hostile() -> PlanGraph:
    """Every hostile string as operator, argument, badge, table, note and title."""
    nodes = [node(0, None, "Project")]
    for text in HOSTILE:
        id = len(nodes)
        nodes.append(
            PlanNode(
                id, text, "other", text, parent=id - 1, arguments={"condition": text, text: [text]}, badges=(text,)
            )
        )
        nodes.append(PlanNode(id + 1, "FileScan", "scan", text, parent=id, arguments={"table": text, "output": [text]}))
    return PlanGraph.from_nodes(HOSTILE[0], " ".join(HOSTILE), with_depths(nodes), [], HOSTILE)


def chain(count: int) -> PlanGraph:
    nodes = [node(i, i - 1 if i else None, "Project", depth=i) for i in range(count)]
    return PlanGraph.from_nodes("optimized", "Optimized Logical Plan", nodes)


def fan(count: int) -> PlanGraph:
    nodes = [
        node(i, 0 if i else None, "FileScan" if i else "Union", depth=min(i, 1), table=f"t{i}") for i in range(count)
    ]
    return PlanGraph.from_nodes("physical", "Physical Plan", nodes)


def with_depths(nodes: list[PlanNode]) -> list[PlanNode]:
    for each in nodes:
        each.depth = 0 if each.parent is None else nodes[each.parent].depth + 1
    return nodes
