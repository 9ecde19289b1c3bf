"""Two plans compared: known edits are found, and nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planviz.document import open_text
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.diff import PlanDiff, diff
from planviz.graph.differences import conjuncts
from planviz.graph.effects import effects
from planviz.graph.literals import literal_words
from planviz.samples import load
from tests.steps import steps

PLAN = """Project [a#1, c#3]
+- Filter (b#2 > 5)
   +- Join Inner, (a#1 = d#4)
      :- Relation t[a#1,b#2,c#3] parquet
      +- Relation u[d#4,e#5] parquet
"""


def read(text: str) -> PlanGraph:
    return open_text(text).plans[0]


def compared(before: str, after: str, **asked: bool) -> PlanDiff:
    return diff(read(before), read(after), **asked)


def said(found: PlanDiff) -> dict[str, list[str]]:
    return {found.before[match.before].op: list(map(str, match.changes)) for match in found.changed}


def test_a_sort_on_top_is_one_inserted_and_five_kept() -> None:
    after = "Sort [a#1 ASC NULLS FIRST], true\n" + "\n".join(
        ("+- " if at == 0 else "   ") + line for at, line in enumerate(PLAN.splitlines())
    )
    found = compared(PLAN, after + "\n")
    assert len(found.kept) == 5
    assert [found.after[id].op for id in found.inserted] == ["Sort"]
    assert not found.removed
    assert not found.changed
    assert not found.moved
    assert all(match.confidence > 0.9 for match in found.matches)
    assert found.summary() == "1 inserted"


def test_a_join_type_is_told_in_words() -> None:
    found = compared(PLAN.replace("Inner", "FullOuter"), PLAN)
    assert said(found) == {"Join": ["join type FullOuter → Inner"]}
    assert len(found.kept) == 4


def test_a_condition_gains_and_loses_parts() -> None:
    found = compared(PLAN, PLAN.replace("(b#2 > 5)", "((b#2 > 5) AND isnotnull(a#1))"))
    assert said(found) == {"Filter": ["condition + isnotnull(a)"]}
    found = compared(PLAN.replace("(b#2 > 5)", "((b#2 > 5) AND (a#1 = 1))"), PLAN)
    assert said(found) == {"Filter": ["condition − a = 1"]}


def test_columns_that_went_and_came_are_named() -> None:
    found = compared(PLAN, PLAN.replace("Project [a#1, c#3]", "Project [a#1]"))
    assert said(found) == {"Project": ["expressions − c"]}


def test_a_filter_moves_through_a_join_and_the_join_stays() -> None:
    after = """Project [a#1, c#3]
+- Join Inner, (a#1 = d#4)
   :- Filter (b#2 > 5)
   :  +- Relation t[a#1,b#2,c#3] parquet
   +- Relation u[d#4,e#5] parquet
"""
    found = compared(PLAN, after)
    assert [found.before[match.before].op for match in found.moved] == ["Filter"]
    assert len(found.kept) == 4
    assert not found.inserted
    assert not found.removed


def test_a_join_that_changes_its_strategy_is_the_same_join() -> None:
    before = """== Physical Plan ==
SortMergeJoin [a#1], [d#4], Inner
:- Sort [a#1 ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=10]
:     +- FileScan parquet t[a#1]
+- Sort [d#4 ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(d#4, 200), ENSURE_REQUIREMENTS, [plan_id=11]
      +- FileScan parquet u[d#4]
"""
    after = """== Physical Plan ==
BroadcastHashJoin [a#1], [d#4], Inner, BuildRight, false
:- FileScan parquet t[a#1]
+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=20]
   +- FileScan parquet u[d#4]
"""
    found = compared(before, after)
    join = next(match for match in found.changed if found.before[match.before].kind == "join")
    assert str(join.changes[0]) == "operator SortMergeJoin → BroadcastHashJoin"
    assert any(change.part == "build side" for change in join.changes)
    assert join.confidence < 1
    gone = sorted(found.before[id].op for id in found.removed)
    assert gone in (["Exchange", "Sort", "Sort"], ["Exchange", "Exchange", "Sort", "Sort"])


def test_ids_numbers_and_plan_ids_count_only_when_asked() -> None:
    renumbered = PLAN.replace("#1", "#101").replace("#4", "#404")
    assert not compared(PLAN, renumbered)
    assert compared(PLAN, renumbered, ids=True)
    assert str(compared(PLAN, renumbered, ids=True).changed[0].changes[0]) == "expression ids"
    limited = PLAN.replace("> 5", "> 7")
    assert not compared(PLAN, limited)
    assert said(compared(PLAN, limited, numbers=True)) == {"Filter": ["condition b > 5 → b > 7"]}
    one, other = (f"Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id={id}]\n+- Range (0, 3)\n" for id in (7, 99))
    assert not compared(one, other, ids=True, numbers=True)


def test_an_operator_that_becomes_resolved_has_changed() -> None:
    found = compared("'Project ['a]\n+- Relation t[a#1] parquet\n", "Project [a#1]\n+- Relation t[a#1] parquet\n")
    assert said(found) == {"Project": ["expressions resolved"]}


def test_identity_decides_where_both_plans_carry_it() -> None:
    def plan(*identities: int) -> PlanGraph:
        class Known(PlanNode):
            __slots__ = ("identity",)

        nodes = []
        for at, identity in enumerate(identities):
            node = Known(at, "Filter", "filter", "Filter (x > 1)", parent=at - 1 if at else None, depth=at)
            node.identity = identity
            nodes.append(node)
        return PlanGraph.from_nodes("optimized", "", nodes)

    found = diff(plan(7, 8, 9), plan(7, 9))
    assert found.removed == (1,)
    assert [(match.before, match.after, match.confidence) for match in found.matches] == [(0, 0, 1.0), (2, 1, 1.0)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("(a > 1) AND (b = 2)", ["a > 1", "b = 2"]),
        ("((a > 1) AND ((b = 2) AND isnotnull(c)))", ["a > 1", "b = 2", "isnotnull(c)"]),
        ("(a AND b) OR (c AND d)", ["(a AND b) OR (c AND d)"]),
        ("(((a > 1) && isnotnull(c)) && (b || d))", ["a > 1", "isnotnull(c)", "b || d"]),
        ("(a > scalar-subquery#1 [b && c])", ["a > scalar-subquery#1 [b && c]"]),
        ("(a > 1", ["(a > 1"]),
        ("", [""]),
    ],
)
def test_conditions_fall_into_their_parts(text: str, parts: list[str]) -> None:
    assert conjuncts(text) == parts


# -- properties


def chain_or_fork(rng: random.Random, size: int) -> list[tuple[int | None, str]]:
    """A tree as (parent, text) in pre-order; texts differ enough to be known again."""
    ops = ["Filter (k{} > {})", "Project [k{}#1, m{}#2]", "Sort [k{} ASC], true, {}", "Join Inner, (k{} = m{})"]
    made: list[tuple[int | None, str]] = []

    def grow(parent: int | None, left: int) -> None:
        at = len(made)
        name = rng.randrange(10_000)
        if left == 1:
            made.append((parent, f"Relation t{name}[k{name}#1] parquet"))
            return
        op = rng.choice(ops if left > 3 else ops[:3])
        made.append((parent, op.format(name, at)))
        if op.startswith("Join"):
            one = rng.randrange(1, left - 1)
            grow(at, one)
            grow(at, left - 1 - one)
        else:
            grow(at, left - 1)

    grow(None, size)
    return made


def graph_of(tree: list[tuple[int | None, str]]) -> PlanGraph:
    from planviz.graph.kinds import kind_of

    nodes = []
    depth: list[int] = []
    for at, (parent, text) in enumerate(tree):
        depth.append(0 if parent is None else depth[parent] + 1)
        op = text.split()[0].split("[")[0]
        nodes.append(PlanNode(at, op, kind_of(op), text, parent=parent, depth=depth[-1]))
    return PlanGraph.from_nodes("optimized", "", nodes)


def inserted(tree: list[tuple[int | None, str]], at: int) -> list[tuple[int | None, str]]:
    """The same tree with a new operator above node `at`."""
    moved = [(parent, text) for parent, text in tree]
    new = []
    for id, (parent, text) in enumerate(moved):
        if id == at:
            new.append((parent if parent is None or parent < at else parent + 1, "Limit 3, brand new"))
        shifted = None if parent is None else parent + (parent >= at)
        new.append((at if id == at else shifted, text))
    return new


@given(st.integers(0, 10_000), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_a_plan_and_itself_are_all_kept(seed: int, size: int) -> None:
    tree = chain_or_fork(random.Random(seed), size)
    found = diff(graph_of(tree), graph_of(tree), ids=True, numbers=True)
    assert len(found.kept) == size
    assert not found
    assert all(match.before == match.after for match in found.matches)


@given(st.integers(0, 10_000), st.integers(2, 60), st.data())
@settings(max_examples=60, deadline=None)
def test_an_insertion_is_found_and_its_reverse_is_a_removal(seed: int, size: int, data: st.DataObject) -> None:
    tree = chain_or_fork(random.Random(seed), size)
    at = data.draw(st.integers(0, size - 1))
    longer = inserted(tree, at)
    found = diff(graph_of(tree), graph_of(longer), ids=True, numbers=True)
    assert found.inserted == (at,)
    assert len(found.kept) == size
    back = diff(graph_of(longer), graph_of(tree), ids=True, numbers=True)
    assert back.removed == (at,)
    assert len(back.kept) == size


@given(st.integers(0, 10_000), st.integers(2, 60), st.data())
@settings(max_examples=60, deadline=None)
def test_a_changed_argument_is_found(seed: int, size: int, data: st.DataObject) -> None:
    tree = chain_or_fork(random.Random(seed), size)
    at = data.draw(st.integers(0, size - 1))
    other = list(tree)
    other[at] = (tree[at][0], tree[at][1] + " extra")
    found = diff(graph_of(tree), graph_of(other), ids=True, numbers=True)
    assert [(match.before, match.after) for match in found.changed] == [(at, at)]
    assert len(found.kept) == size - 1


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_every_node_is_in_exactly_one_place(seed: int, one: int, other: int) -> None:
    rng = random.Random(seed)
    before, after = graph_of(chain_or_fork(rng, one)), graph_of(chain_or_fork(rng, other))
    found = diff(before, after)
    assert sorted([match.before for match in found.matches] + list(found.removed)) == list(range(one))
    assert sorted([match.after for match in found.matches] + list(found.inserted)) == list(range(other))
    assert all(0 < match.confidence <= 1 for match in found.matches)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["same", "edited", "strange"])
def test_the_work_on_ten_thousand_nodes_grows_with_their_number(shape: str) -> None:
    rng = random.Random(3)
    tree = [(None if at == 0 else (at - 1) // 2, f"Filter (k{rng.randrange(500)} > {at % 7})") for at in range(10_000)]
    order = sorted(range(10_000), key=lambda at: path_of(at))
    place = {at: k for k, at in enumerate(order)}
    tree = [(None if tree[at][0] is None else place[tree[at][0]], tree[at][1]) for at in order]
    other = list(tree)
    if shape == "edited":
        for at in range(0, 10_000, 97):
            other[at] = (other[at][0], other[at][1] + " x")
    elif shape == "strange":
        other = [(parent, f"Filter (q{at} = {at})") for at, (parent, _) in enumerate(tree)]
    one, two = graph_of(tree), graph_of(other)
    # What grows with the square of the size would take hundreds of millions.
    assert steps(lambda: diff(one, two)) < 400 * len(tree)


def path_of(at: int) -> tuple[int, ...]:
    way = []
    while at:
        way.append((at - 1) % 2)
        at = (at - 1) // 2
    return tuple(reversed(way))


def test_the_sample_log_tells_what_every_rule_did() -> None:
    trace = open_text(load("rule-log")).trace
    told = {}
    for step in trace.steps:
        found = diff(*step.graphs(), ids=True, numbers=True)
        told[step.short_rule, step.source[0]] = found.summary()
    rules = {rule: words for (rule, _), words in told.items()}
    assert rules["FinishAnalysis"] == "5 removed"
    assert rules["ColumnPruning"] == "1 changed · 3 inserted"
    assert rules["InferFiltersFromConstraints"] == "2 changed · 2 inserted"
    assert rules["RemoveNoopOperators"] == "1 removed"


BRANDS = """== Physical Plan ==
*(1) Project [p_partkey#1L]
+- *(1) Filter ((isnotnull(p_brand#4) AND (p_brand#4 = Brand#12)) AND p_type#5 IN (Type#1,Type#2))
   +- *(1) ColumnarToRow
      +- FileScan parquet db.part[p_partkey#1L,p_brand#4,p_type#5] Batched: true, Format: Parquet, PushedFilters: [EqualTo(p_brand,Brand#12), In(p_type, [Type#1,Type#2])]
"""  # noqa: E501


@pytest.mark.parametrize(("one", "two"), [("Brand#12", "Brand#13"), ("Type#2", "Type#3")])
def test_a_literal_that_looks_like_a_column_with_its_id_counts(one: str, two: str) -> None:
    found = compared(BRANDS, BRANDS.replace(one, two))
    (changed,) = said(found)["Filter"]
    assert one in changed
    assert two in changed
    kinds = {effect.kind: effect.words for effect in effects(found)}
    before, _, after = kinds["scan-filter-changed"].partition(" → ")
    assert one in before
    assert two in after


def test_other_ids_of_columns_are_no_difference_beside_such_a_literal() -> None:
    found = compared(BRANDS, BRANDS.replace("_brand#4", "_brand#44").replace("key#1L", "key#7L").replace("e#5", "e#12"))
    assert not found
    assert found.literals == {"Brand", "Type"}


@pytest.mark.parametrize(
    "plan",
    [
        "Filter (obj#5 = a#1)\n+- DeserializeToObject newInstance(class T), obj#5: T\n   +- Relation t[a#1] parquet\n",
        "Filter (a#1 = 30 days#2L)\n+- Aggregate [sum(b#3) AS 30 days#2L, a#1]\n   +- Relation t[a#1,b#3] parquet\n",
        "Filter exists(a#1, lambdafunction((x#9 = x#9), lambda x#9, false))\n+- Relation t[a#1] parquet\n",
        "Filter (a#1 = scalar-subquery#7 [])\n:  +- Relation u[c#3] parquet\n+- Relation t[a#1] parquet\n",
        "Filter (a#1 = y#9)\n+- Relation t[a#1, ... 20 more fields] parquet\n",
        "Filter (c#2 = a#1)\n+- Generate explode(b#3), [b#3], false, [c#2]\n   +- Relation t[a#1,b#3] parquet\n",
    ],
)
def test_columns_of_any_kind_are_no_literals(plan: str) -> None:
    assert literal_words(read(plan)) == frozenset()


def test_joins_that_all_get_a_condition_are_known_by_their_inputs() -> None:
    before = """Filter (((a#1 = b#2) AND (b#2 = c#3)) AND (c#3 = d#4))
+- Join Inner
   :- Join Inner
   :  :- Join Inner
   :  :  :- Relation t[a#1] parquet
   :  :  +- Relation u[b#2] parquet
   :  +- Relation v[c#3] parquet
   +- Relation w[d#4] parquet
"""
    after = """Join Inner, (c#3 = d#4)
:- Join Inner, ((b#2 = c#3) AND (b#2 > 1))
:  :- Join Inner, (((a#1 = b#2) AND (a#1 > 1)) AND (b#2 > 1))
:  :  :- Relation t[a#1] parquet
:  :  +- Relation u[b#2] parquet
:  +- Relation v[c#3] parquet
+- Relation w[d#4] parquet
"""
    found = compared(before, after)
    assert [(match.before, match.after) for match in found.matches] == [(at + 1, at) for at in range(7)]
    assert [found.before[id].op for id in found.removed] == ["Filter"]
    assert not found.inserted
    assert not found.moved
