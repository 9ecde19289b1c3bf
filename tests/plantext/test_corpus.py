"""Everything real Spark printed, read and checked against the trees that were captured with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from planviz.document import Document, open_text
from planviz.graph import PlanGraph
from planviz.plantext.printing import rule_log, tree_text
from tests.conftest import read_capture, read_plan_text

CAPTURES = ("cbo-aqeoff", "cbo-aqeon", "nocbo-aqeoff", "nocbo-aqeon", "nostats-aqeoff")
STAGES = {"analyzed": "analyzed", "optimized": "optimized", "executed": "physical"}


def captured(corpus: Path, mode: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((corpus / "tpcds" / "captures" / mode).glob("q*.json.gz")):
        capture = read_capture(path)
        if "explain" in capture:
            yield path, capture


def plan_texts(corpus: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(corpus.glob("weird/*/*.txt*")):
        yield path, read_plan_text(path)
    for path in sorted(corpus.glob("live/explain_*.txt")) + sorted(corpus.glob("live/planChangeLog_*.txt")):
        yield path, read_plan_text(path)


def by_index(value: Any, found: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    if isinstance(value, dict):
        if "i" in value and "n" in value:
            found[value["i"]] = value
        for inner in value.values():
            by_index(inner, found)
    elif isinstance(value, list):
        for inner in value:
            by_index(inner, found)
    return found


def captured_operators(tree: dict[str, Any]) -> list[tuple[int, str]]:
    """Depth and name of each operator of a captured tree, as explain shows it."""
    nodes = by_index(tree, {})
    found: list[tuple[int, str]] = []

    def walk(node: dict[str, Any], depth: int) -> None:
        node = nodes[node["ref"]] if "ref" in node else node
        name = re.split(r"[ (]", node["n"].strip())[0]
        below = depth
        if name not in ("WholeStageCodegen", "InputAdapter"):
            found.append((depth, {"LogicalRelation": "Relation"}.get(name, name)))
            below = depth + 1
        for child in node.get("ch", ()):
            walk(child, below)

    walk(tree, 0)
    return found


def read_operators(plan: PlanGraph) -> list[tuple[int, str]]:
    """Depth and name of each operator of a parsed plan, subqueries left out: a captured tree holds them elsewhere."""
    hidden: set[int] = set()
    found = []
    for node in plan:
        if node.parent is not None and (node.parent in hidden or plan.edge_type(node.parent, node.id) != "child"):
            hidden.add(node.id)
        else:
            found.append((node.depth, {"FileScan": "Scan"}.get(node.op, node.op)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("mode", CAPTURES)
def test_operators_and_text_equal_what_was_captured(corpus: Path, mode: str) -> None:
    compared = 0
    for path, capture in captured(corpus, mode):
        for form, text in capture["explain"].items():
            document = open_text(text)
            for plan in document.plans:
                if form.startswith("formatted") and any(plan.links()):
                    continue  # there a subquery's tree stands in a section of its own
                assert tree_text(plan) + "\n" in text + "\n", f"{path.name} {form} {plan.title}"
            for name, stage in STAGES.items():
                plans = [plan for plan in document.plans if plan.stage == stage]
                if not plans or name not in capture["trees"]:
                    continue
                expected, found = captured_operators(capture["trees"][name]), read_operators(plans[0])
                if name == "executed" and mode.endswith("aqeon"):
                    # The captured tree of an adaptive plan ends at its root.
                    expected, found = expected[:1], found[:1]
                assert found == expected, f"{path.name} {form} {stage}"
                compared += 1
    assert compared > 100


def owned_lines(document: Document) -> set[int]:
    return {
        line
        for plan in document.plans
        for node in plan
        if node.source
        for line in range(node.source[0], node.source[1] + 1)
    }


@pytest.mark.slow
def test_no_line_of_the_corpus_is_left_over(corpus: Path) -> None:
    texts = 0
    for path, text in plan_texts(corpus):
        document = open_text(text)
        texts += 1
        assert document.text == text
        assert document.unparsed == (), path
        marked = {number for number, line in enumerate(text.split("\n"), 1) if re.match(r"[ :]*[+:]- [*'!~A-Z]", line)}
        if "literal" in path.name or "formatted" in path.name or document.trace:
            continue  # literals fake operators; details repeat cached trees; a rule log has two trees a line
        headings = {number for number, line in enumerate(text.split("\n"), 1) if re.search(r"== \w+ Plan ==\s*$", line)}
        assert marked - headings <= owned_lines(document), path
    assert texts > 1500


@pytest.mark.slow
def test_every_operator_has_arguments_or_nothing_to_say(corpus: Path) -> None:
    for path, text in plan_texts(corpus):
        for plan in open_text(text).plans:
            for node in plan:
                bare = node.text == node.op or node.text.endswith("(unknown)") or "Statistics(" in node.text
                if node.operator_id is None and not bare:
                    assert node.arguments, f"{path}: {node.text[:80]}"


def test_literals_that_look_like_structure(corpus: Path) -> None:
    text = read_plan_text(corpus / "weird" / "4.3.0" / "literal_newline__extended.txt")
    document = open_text(text)
    assert [[node.op for node in plan] for plan in document.plans] == [
        ["Project", "Filter", "UnresolvedRelation"],
        ["Project", "Filter", "SubqueryAlias", "View", "Relation"],
        ["Project", "Filter", "Relation"],
        ["Project", "Filter", "ColumnarToRow", "FileScan"],
    ]
    assert all(any("literal" in note for note in plan.notes) for plan in document.plans)
    text = read_plan_text(corpus / "weird" / "4.3.0" / "literal_tree__simple.txt")
    assert [node.op for node in open_text(text).plans[0]] == ["Project", "Filter", "ColumnarToRow", "FileScan"]


def test_rule_logs_hold_every_effective_rule(corpus: Path) -> None:
    for version in ("4.3.0", "3.5.9"):
        text = read_plan_text(corpus / "live" / f"planChangeLog_{version}.txt")
        document = open_text(text)
        assert [step.rule for step in document.trace.steps] == re.findall(r"=== Applying Rule (\S+) ===", text)
        batches = re.findall(r"=== Result of Batch (.+) ===|Batch (.+) has no effect\.", text)
        assert [(b.name, b.effective) for b in document.trace.batches] == [(a or b, bool(a)) for a, b in batches]
        printed = rule_log(document.trace)
        for step in document.trace.steps:
            block = text.split("\n")[step.source[0] - 1 : step.source[1]]
            expected = [line.rstrip() for line in block[: 1 + max(step.before.count("\n"), step.after.count("\n")) + 1]]
            assert "\n".join(expected) in "\n".join(line.rstrip() for line in printed.split("\n"))
        assert len(document.trace.metrics) == text.count("=== Metrics of Executed Rules")
        for step in document.trace.steps:
            before, after = step.graphs()
            assert tree_text(before) == step.before
            assert tree_text(after) == step.after


def test_a_step_begins_where_the_one_before_ended(corpus: Path) -> None:
    text = read_plan_text(corpus / "live" / "planChangeLog_4.3.0.txt")
    steps = open_text(text).trace.steps
    follows = [a.after == b.before for a, b in pairwise(steps)]
    assert sum(follows) >= len(follows) - 3  # a new executor starts from a plan of its own
