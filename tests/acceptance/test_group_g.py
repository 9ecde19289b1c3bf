"""Acceptance of the program as a whole, item by item: each asserts what the item asks for on the documents' queries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

from planviz.catalog import read_bundled
from planviz.cli.main import run
from planviz.document import open_sql, open_text
from planviz.document.model import Document
from planviz.errors import InputError, ParseError
from planviz.graph import PlanGraph
from planviz.graph.diff import diff
from planviz.render import render
from planviz.render.scene import build_scene
from planviz.render.steps import trace_data
from planviz.samples import load, load_live
from planviz.ui import links

#: G-016 and G-017 are measured (benchmarks/optimizer) and built (Dockerfile).
ITEMS = {f"G-{n:03}" for n in range(1, 19)} - {"G-016", "G-017"}
PLACE = Path(__file__).parents[2] / "sample_queries" / "documents"
PROBES = Path(__file__).parents[2] / ".." / "shared" / "corpus" / "probes"
Q11, Q64 = PLACE / "tpcds-q11.sql", PLACE / "tpcds-q64.sql"
OUTER = (PLACE / "outer-join-full-outer-to-left-outer.sql").read_text("utf-8")
JOINED = "SELECT t1.a, count(*) FROM t1 JOIN t2 ON t1.a = t2.a GROUP BY t1.a"
CBO = ("--conf", "spark.sql.cbo.enabled=true", "--conf", "spark.sql.cbo.joinReorder.enabled=true")
Shown = Callable[..., str]


@pytest.fixture
def shown(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Shown:
    """What a command prints; a word with a blank is the text of a file."""

    def asked(*words: object) -> str:
        told = []
        for at, word in enumerate(map(str, words)):
            if " " in word and not str(words[at - 1]).startswith("--"):
                (tmp_path / f"{at}.sql").write_text(word, "utf-8")
                word = str(tmp_path / f"{at}.sql")
            told.append(word)
        assert run(told) == 0
        return capfdbinary.readouterr().out.decode()

    return asked


def stage(document: Document, name: str) -> PlanGraph:
    return next(plan for plan in document.plans if plan.stage == name)


def test_g_001_logical_physical_and_pasted_plans_are_one_kind_of_tree() -> None:
    pasted = open_text(load("broadcast-and-merge-join"))
    ours = open_text(OUTER)
    for plan in (stage(ours, "optimized"), stage(ours, "physical"), stage(pasted, "physical")):
        tree = plan.to_networkx()
        assert isinstance(tree, nx.DiGraph)
        assert len(tree) == len(plan)
        assert all("op" in told and "kind" in told for _, told in tree.nodes(data=True))
        for node in plan:
            children = [child for child in plan.children(node.id) if plan.edge_type(node.id, child) == "child"]
            assert children == sorted(children)


def test_g_002_every_plan_of_the_probes_goes_in_and_out() -> None:
    if not PROBES.is_dir():
        pytest.skip("the probes are not beside the checkout")
    counted = 0
    for path in sorted(PROBES.glob("q*.plan")):
        text = path.read_text("utf-8")
        document = open_text(text)
        assert document.text == text
        marks = [line for line in text.splitlines() if re.match(r"^(?:   |:  )*[:+]- ", line)]
        marked = sum(node.depth > 0 for plan in document.plans for node in plan)
        assert marked >= len(marks)
        counted += len(marks)
    assert counted > 100


def test_g_003_a_step_names_what_it_changed_moved_added_and_removed() -> None:
    step = next(s for s in open_text(OUTER).trace.steps if s.short_rule == "EliminateOuterJoin")
    found = diff(step.before_plan.graph, step.after_plan.graph)
    (changed,) = found.changed
    assert [found.before[changed.before].op, found.after[changed.after].op] == ["Join", "Join"]
    assert not found.inserted
    assert not found.removed


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ((), "BroadcastHashJoin"),
        (("--conf", "spark.sql.autoBroadcastJoinThreshold=-1"), "SortMergeJoin"),
        (
            ("--conf", "spark.sql.autoBroadcastJoinThreshold=-1", "--conf", "spark.sql.join.preferSortMergeJoin=false"),
            "SortMergeJoin",
        ),
    ],
)
def test_g_004_a_joins_path_follows_threshold_and_preference(more: tuple[str, ...], outcome: str, shown: Shown) -> None:
    told = json.loads(shown("why", JOINED, "--catalog", "documents", "--format", "json", *more))
    (join,) = [d for query in told["queries"] for d in query["decisions"] if d["strategy"] == "JoinSelection"]
    assert join["outcome"].startswith(outcome)
    assert len(join["checks"]) >= 2
    assert all(check["values"] or check["passed"] is not None for check in join["checks"])


def test_g_005_an_aggregates_stages_have_modes_an_exchange_between_and_rows(shown: Shown) -> None:
    told = shown("aggregates", JOINED, "--catalog", "documents", "--rows")
    assert re.search(r"1\. HashAggregate, partial, by a: count", told)
    assert re.search(r"2\. HashAggregate, final, by a: count", told)
    assert "Exchange hashpartitioning(a, 200)" in told


def test_g_006_rows_on_every_edge_with_and_without_costs(shown: Shown) -> None:
    off, on = (shown("why", Q11, "--catalog", "tpcds", "--estimates", *more) for more in ((), CBO))
    assert off != on
    document = open_sql(Q11.read_text("utf-8"), read_bundled("tpcds"))
    scene = build_scene(stage(document, "physical"))
    assert all(
        rows is not None for rows, op in zip(scene.nodes["rows"], scene.nodes["op"], strict=True) if "Scan" in op
    )


def test_g_007_the_search_for_the_order_level_by_level(shown: Shown) -> None:
    told = shown("join-order", Q11, "--catalog", "tpcds", *CBO)
    assert "level 1: 2 candidates" in told
    assert "kept" in told
    assert "chosen: ((store_sales ⋈ date_dim) ⋈ customer)" in told


def test_g_008_rules_mechanisms_and_settings_have_a_place(shown: Shown) -> None:
    listed = shown("catalogue", "rule") + shown("catalogue", "setting")
    for name in ("EliminateOuterJoin", "PushDownPredicates", "spark.sql.autoBroadcastJoinThreshold"):
        assert name in listed


def test_g_009_errors_have_a_line_and_what_was_expected_and_unknown_operators_are_nodes() -> None:
    with pytest.raises(ParseError, match=r"near end of input: BY was expected.*\(line 3, column 1\)"):
        open_text("SELECT a\nFROM t1 GROUP\n")
    with pytest.raises(InputError):
        open_text("neither a query nor a plan of any kind")
    (plan,) = open_text("== Physical Plan ==\nFrobnicate [a#1]\n+- LocalTableScan [a#1]\n").plans
    assert [node.op for node in plan] == ["Frobnicate", "LocalTableScan"]
    assert plan[0].kind == "other"


def test_g_010_a_stored_capture_is_compared_without_a_spark() -> None:
    text, _ = load_live()
    document = open_text(text)
    assert document.recognised == "Spark capture"
    assert {plan.stage for plan in document.plans} >= {"analyzed", "optimized", "physical"}
    assert document.trace.steps


def test_g_011_versions_differ_as_the_documents_say(shown: Shown) -> None:
    sql = "SELECT a, count(DISTINCT b) FROM t1 GROUP BY a"
    old, new = (shown("explain", sql, "--catalog", "documents", "--profile", v) for v in ("spark-3.0", "spark-4.3"))
    assert old.count("HashAggregate") == 4
    assert "plan_id" not in old
    assert "plan_id" in new


def test_g_012_every_figure_is_exported_with_legend_and_link() -> None:
    plan = open_text(OUTER).plans[-1]
    svg = render(plan, "svg", title="outer join").decode()
    assert "outer join" in svg
    assert all(word in svg for word in ("Join", "Local Table Scan"))
    link = links.pack(OUTER)
    assert link is not None
    assert links.unpack(link) == OUTER
    log = open_text(OUTER).trace
    assert log.steps


def test_g_013_query_64_is_one_scene_with_chains_to_fold() -> None:
    plan = stage(open_text(Q64.read_text("utf-8")), "physical")
    assert sum(node.kind == "join" for node in plan) > 30
    scene = build_scene(plan)
    only = [i for i, p in enumerate(scene.nodes["parent"]) if p >= 0 and scene.nodes["parent"].count(p) == 1]
    assert len(only) > len(plan) / 2


def test_g_014_marks_of_a_step_are_words_too() -> None:
    data = trace_data(open_text(OUTER).trace)
    text = json.dumps(data)
    assert "condition" in text or "join type" in text


def test_g_015_the_same_text_gives_the_same_ids_and_pictures() -> None:
    first, second = (open_text(OUTER).plans[-1] for _ in range(2))
    assert [node.text for node in first] == [node.text for node in second]
    assert render(first, "svg") == render(second, "svg")
    assert render(first, "png") == render(second, "png")


@pytest.mark.parametrize(("sample", "are"), [("event-log", "measured"), ("cost-with-statistics", "estimated")])
def test_g_018_numbers_say_what_they_are(sample: str, are: str) -> None:
    plans = open_text(load(sample)).plans
    assert are in {build_scene(plan).rows_are for plan in plans}
    bare = open_text("== Physical Plan ==\nLocalTableScan [a#1]\n").plans[0]
    assert build_scene(bare).rows_are == "unknown"
