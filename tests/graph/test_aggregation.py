"""The stages of aggregates: against the modes that Spark's own operators gave (corpus/probes/tC.out), and by hand."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from planviz.document import open_text
from planviz.graph import PlanGraph
from planviz.graph.aggregation import aggregate_chains, is_aggregate

MODES = {"Partial": "partial", "PartialMerge": "merge", "Final": "final", "Complete": "complete"}


def plan(text: str) -> PlanGraph:
    return open_text(f"== Physical Plan ==\n{text}\n").plans[0]


def probes(corpus: Path) -> list[tuple[str, PlanGraph, list[list[str]]]]:
    """Per query of the probe run: its SQL, its plan, and the modes of each aggregate operator from the top down."""
    found = []
    for block in re.split(r"^SQL: ", (corpus / "probes" / "tC.out").read_text(), flags=re.MULTILINE)[1:]:
        lines = block.split("\n")
        modes = [re.search(r"Exec keys \d+ modes (\[.*?\]) reqDist", line) for line in lines]
        tree = [line for line, mode in zip(lines[1:], modes[1:], strict=True) if mode is None]
        end = next((at for at, line in enumerate(tree) if not line.strip() or line.startswith("===")), len(tree))
        indent = len(tree[0]) - len(tree[0].lstrip())
        given = [[MODES[mode] for _, mode, _ in ast.literal_eval(match[1])] for match in modes if match]
        if given and end:
            found.append((lines[0], plan("\n".join(line[indent:] for line in tree[:end])), given))
    return found


def test_modes_are_those_of_sparks_operators(corpus: Path) -> None:
    compared = 0
    for sql, graph, given in probes(corpus):
        stages = {stage.node: stage for chain in aggregate_chains(graph) for stage in chain.stages}
        nodes = [node.id for node in graph.walk() if is_aggregate(node)]
        assert len(nodes) == len(given), sql
        for node, modes in zip(nodes, given, strict=True):
            assert [function["mode"] for function in stages[node].functions] == modes, (sql, node)
            compared += 1
    assert compared > 50


@pytest.mark.parametrize(
    ("sql", "stages", "shuffles"),
    [
        ("select customer_id, count(item_id) from orders group by customer_id ", 2, 1),  # C-010
        ("select customer_id, count(distinct item_id), sum(price) from orders group by customer_id ", 4, 2),  # C-020
        ("select customer_id, count(distinct item_id) from orders group by customer_id ", 4, 2),  # C-021
        ("select count(distinct item_id), sum(amount) from orders ", 4, 2),  # C-023
        (
            "select customer_id, count(distinct item_id), count(distinct status), sum(amount) from orders "
            "group by customer_id ",
            4,
            2,
        ),  # C-024
        ("select customer_id from orders group by customer_id ", 2, 1),  # C-013
        ("select count(*) from orders ", 2, 1),  # C-012
    ],
)
def test_stages_and_shuffles_of_the_inventory(corpus: Path, sql: str, stages: int, shuffles: int) -> None:
    graph = next(graph for given, graph, _ in probes(corpus) if given == sql)
    (chain,) = aggregate_chains(graph)
    assert [stage.number for stage in chain.stages] == list(range(1, stages + 1))
    assert len(chain.shuffles) == shuffles


def test_stages_of_a_distinct_aggregate(corpus: Path) -> None:
    """C-020, bottom up: keys, modes, and where the rows are shuffled."""
    sql = "select customer_id, count(distinct item_id), sum(price) from orders group by customer_id "
    graph = next(graph for given, graph, _ in probes(corpus) if given == sql)
    (chain,) = aggregate_chains(graph)
    assert [len(stage.keys) for stage in chain.stages] == [2, 2, 1, 1]
    assert [stage.mode for stage in chain.stages] == ["partial", "merge", "merge and partial", "final"]
    assert [stage.shuffle is not None for stage in chain.stages] == [False, True, False, True]


def test_every_aggregate_of_tpcds_has_one_place(corpus: Path) -> None:
    from tests.conftest import read_capture

    operators = 0
    for path in sorted((corpus / "tpcds" / "captures" / "cbo-aqeoff").glob("q*.json.gz"))[::5]:
        text = read_capture(path).get("explain", {}).get("formatted")
        if not text:
            continue
        graph = next(graph for graph in open_text(text).plans if graph.stage == "physical")
        chains = aggregate_chains(graph)
        nodes = [stage.node for chain in chains for stage in chain.stages]
        assert sorted(nodes) == sorted(set(nodes)) == [node.id for node in graph if is_aggregate(node)]
        for chain in chains:
            assert len(chain.stages) in (1, 2, 4)
            for stage in chain.stages:  # C-071
                operators += 1
                assert len(stage.aggregate_attributes) == 0 or stage.functions
                assert stage.results or not (stage.keys or stage.functions)
    assert operators > 50


NESTED = """\
HashAggregate(keys=[], functions=[max(c#1L)], output=[max(c)#2L])
+- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=2]
   +- HashAggregate(keys=[], functions=[partial_max(c#1L)], output=[max#3L])
      +- HashAggregate(keys=[k#4], functions=[count(1)], output=[c#1L])
         +- Exchange hashpartitioning(k#4, 200), ENSURE_REQUIREMENTS, [plan_id=1]
            +- HashAggregate(keys=[k#4], functions=[partial_count(1)], output=[k#4, count#5L])
               +- Range (0, 10, step=1, splits=8)"""


def test_an_aggregate_of_an_aggregate_is_two_chains() -> None:
    chains = aggregate_chains(plan(NESTED))
    assert [[stage.mode for stage in chain.stages] for chain in chains] == [["partial", "final"]] * 2


def test_final_without_partial_is_complete() -> None:
    (chain,) = aggregate_chains(
        plan(
            "HashAggregate(keys=[k#1], functions=[count(1)])\n+- Exchange hashpartitioning(k#1, 4)\n   +- Range (0, 9)"
        )
    )
    assert chain.stages[0].mode == "complete"
    assert chain.stages[0].functions[0]["mode"] == "complete"
    assert chain.input_shuffle == 1


def test_stages_through_adaptive_execution_and_sorts() -> None:
    (chain,) = aggregate_chains(
        plan(
            "SortAggregate(key=[k#1], functions=[max(s#2)])\n"
            "+- *(3) Sort [k#1 ASC NULLS FIRST], false, 0\n"
            "   +- AQEShuffleRead coalesced\n"
            "      +- ShuffleQueryStage 0\n"
            "         +- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=9]\n"
            "            +- SortAggregate(key=[k#1], functions=[partial_max(s#2)])\n"
            "               +- *(1) Sort [k#1 ASC NULLS FIRST], false, 0\n"
            "                  +- Range (0, 9)"
        )
    )
    assert [stage.mode for stage in chain.stages] == ["partial", "final"]
    assert chain.shuffles == (4,)


def test_photon_counts_one_shuffle() -> None:
    (chain,) = aggregate_chains(
        plan(
            "PhotonGroupingAgg(keys=[k#1], functions=[finalmerge_max(merge max#4) AS max(v)#5])\n"
            "+- PhotonShuffleExchangeSource\n"
            "   +- PhotonShuffleMapStage ENSURE_REQUIREMENTS, [id=#7]\n"
            "      +- PhotonShuffleExchangeSink hashpartitioning(k#1, 200)\n"
            "         +- PhotonGroupingAgg(keys=[k#1], functions=[partial_max(v#2) AS max#4])\n"
            "            +- PhotonScan parquet db.t[k#1,v#2]"
        )
    )
    assert [stage.mode for stage in chain.stages] == ["partial", "final"]
    assert len(chain.shuffles) == 1


def test_streaming_merges_with_the_state() -> None:
    (chain,) = aggregate_chains(
        plan(
            "HashAggregate(keys=[k#1], functions=[count(1)])\n"
            "+- StateStoreSave [k#1], state info [ checkpoint = x], Append, 0, 2\n"
            "   +- HashAggregate(keys=[k#1], functions=[merge_count(1)])\n"
            "      +- StateStoreRestore [k#1], state info [ checkpoint = x], 2\n"
            "         +- Exchange hashpartitioning(k#1, 4), ENSURE_REQUIREMENTS\n"
            "            +- HashAggregate(keys=[k#1], functions=[partial_count(1)])\n"
            "               +- Range (0, 9)"
        )
    )
    assert [stage.mode for stage in chain.stages] == ["partial", "merge", "final"]
    assert len(chain.shuffles) == 1
