"""The Compare page's two sides, names, data and files, without a browser."""

from __future__ import annotations

import gzip
import json
import threading
from textwrap import indent

import pytest

from planviz.errors import PlanvizError
from planviz.samples import load
from planviz.ui import cache, compare, links, questions, state
from planviz.ui.cache import open_document
from planviz.ui.compare import FORMATS, PRESETS, Other
from tests.graph.test_effects import HASHED, SORTED
from tests.ui.inline import Inline

TITLE, SQL, CATALOG, OTHER = compare.examples()[0]


def told(text: str, other: Other, catalog: str = "auto") -> dict:
    return json.loads(gzip.decompress(compare.data(open_document(text, catalog), other, "A name")))


def test_a_query_is_compared_with_itself_under_other_settings() -> None:
    found = told(SQL, OTHER, CATALOG)
    assert found["names"] == ["as it is", "Cost-based optimization"]
    assert found["effects"][0]["label"] == "join order"
    assert {"join strategy", "exchange removed"} <= {effect["label"] for effect in found["effects"]}
    assert compare.default_other(open_document(SQL, CATALOG)) == OTHER


def test_every_effect_points_at_operators_that_are_drawn() -> None:
    found = told(SQL, OTHER, CATALOG)
    whole = found["all"]["trace"]["scenes"][0]["x"]
    for effect in found["effects"]:
        slots = [
            found["all"]["slots"][side][id]
            for side, ids in enumerate((effect["before"], effect["after"]))
            for id in ids
        ]
        assert slots
        assert all(0 <= slot < len(whole) for slot in slots)
        few = found["few"]["slots"]
        assert any(str(id) in few[side] for side, ids in enumerate((effect["before"], effect["after"])) for id in ids)


def test_changed_only_leaves_out_what_both_have() -> None:
    found = told(SQL, OTHER, CATALOG)
    assert 0 < len(found["few"]["trace"]["scenes"][0]["x"]) < len(found["all"]["trace"]["scenes"][0]["x"])
    same = told(SORTED, Other(text=SORTED))
    assert same["few"] is None
    assert same["effects"] == []
    assert same["headline"] == "no difference: 7 operators are the same"


def test_two_texts_and_two_plans_of_one_text() -> None:
    found = told(SORTED, Other(text=HASHED, name="hashed"))
    assert found["names"] == ["A name", "hashed"]
    assert found["effects"][0]["words"].startswith("Join on a = d: SortMergeJoin → BroadcastHashJoin")
    adaptive = load("adaptive-skew-join")
    other = compare.default_other(open_document(adaptive))
    assert other is not None
    assert told(adaptive, other)["names"] == ["Initial", "Final"] or len(set(told(adaptive, other)["names"])) == 2
    assert compare.default_other(open_document(SORTED)) is None


def test_the_same_arguments_give_the_same_bytes() -> None:
    opened = open_document(SORTED)
    one = compare.data(opened, Other(text=HASHED), "A")
    opened.made.clear()
    assert compare.data(opened, Other(text=HASHED), "A") == one


def test_numbers_count_when_asked() -> None:
    other = SORTED.replace("200", "400")
    assert told(SORTED, Other(text=other))["effects"] == []
    assert told(SORTED, Other(text=other, numbers=True))["effects"][0]["label"] == "exchange changed"


@pytest.mark.parametrize(
    "other",
    [
        Other(settings="spark.sql.cbo.enabled"),
        Other(settings="spark.sql.autoBroadcastJoinThreshold=many"),
        Other(text="no plan at all"),
        Other(plan_a="99"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(other: Other) -> None:
    with pytest.raises(PlanvizError) as caught:
        compare.data(open_document(SQL, CATALOG), other, "A")
    assert str(caught.value).strip()


def test_settings_are_for_sql() -> None:
    with pytest.raises(PlanvizError, match="settings are for SQL"):
        compare.data(open_document(SORTED), Other(settings=PRESETS["No broadcast joins"]), "A")


@pytest.mark.parametrize("format", [*FORMATS])
def test_every_file_is_the_same_each_time(format: str) -> None:
    made = []
    for _ in range(2):
        opened = open_document(SORTED)
        opened.made.clear()
        made.append(compare.exported(opened, Other(text=HASHED, name="hashed"), "sorted", format))
    assert made[0] == made[1]
    assert made[0]


def test_hostile_text_stays_data() -> None:
    evil = HASHED.replace("db.t", "db.</script><img src=x onerror=alert(1)>")
    page = compare.exported(open_document(SORTED), Other(text=evil, name="</title><script>"), "a", "html").decode()
    assert "<img src=x" not in page
    assert "</title><script>" not in page


def test_three_plans_are_a_chain_with_a_link_that_opens_it() -> None:
    opened = open_document(SORTED, "auto")
    two = Other(text=HASHED, name="hashed")
    three = compare.longer(opened, two, "back", SORTED)
    assert three.key != two.key
    found = told(SORTED, three)
    assert found["names"] == ["A name", "hashed", "back"]
    assert [step["names"] for step in found["chain"]] == [["A name", "hashed"], ["hashed", "back"], ["A name", "back"]]
    assert found["chain"][2]["equal"]
    assert {"name": "shuffles", "values": ["2", "0", "2"]} in found["rows"]
    packed = links.pack_pairs(three.more)
    assert packed is not None
    assert links.unpack_pairs(packed) == three.more
    for format in FORMATS:
        made = compare.exported(opened, three, "A name", format)
        assert made == compare.exported(open_document(SORTED, "auto"), three, "A name", format)
        if format not in ("png",):
            assert b"hashed" in made
    with pytest.raises(PlanvizError):
        compare.longer(opened, two, "", "no plan at all")


@pytest.mark.parametrize(
    "told", ["", "{}", "[1]", '[["a"]]', '[["a", 1]]', "[" * 50_000, json.dumps([["a", "b"]] * 99)]
)
def test_a_damaged_chain_in_an_address_gets_a_sentence(told: str) -> None:
    with pytest.raises(PlanvizError, match="damaged"):
        links.unpack_pairs(links.pack(told) or "")


def test_what_the_page_will_ask_is_begun_where_the_document_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_server", cache._Shelf(cache.KEPT))
    executor = Inline()
    before = questions.use(executor)
    try:
        opened = open_document(SQL, CATALOG)
        compare.begin(opened, OTHER, "a query", "a-session")
        for thread in threading.enumerate():
            if thread.name == "planviz-ahead":
                thread.join(60)
        asked = executor.asked
        assert compare.data(opened, OTHER, "a query")
        assert compare.other_labels(opened, OTHER)
        assert executor.asked == asked
        wrong = Other(text="SELEC a FROM t")
        compare.begin(opened, wrong, "a query", "a-session")  # says nothing: the page asks again, and tells
        with pytest.raises(PlanvizError):
            compare.data(opened, wrong, "a query")
    finally:
        questions.use(before)


def test_the_first_text_is_opened_while_the_second_is_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_server", cache._Shelf(cache.KEPT))
    monkeypatch.setattr(state, "session", lambda: "a-session")
    executor = Inline()
    before = questions.use(executor)
    try:
        state.begin(SQL)
        for thread in threading.enumerate():
            if thread.name == "planviz-ahead":
                thread.join(60)
        asked = executor.asked
        assert asked
        open_document(SQL)
        assert executor.asked == asked
        state.begin("SELEC a FROM t")  # says nothing: whoever opens it is told
    finally:
        questions.use(before)


SUBQUERY = """:  +- Subquery subquery#9, [id=#30]
:     +- AdaptiveSparkPlan isFinalPlan=true
:        +- == Final Plan ==
:           ResultQueryStage 1
:           +- *(2) HashAggregate(keys=[], functions=[max(b#2)])
:              +- ShuffleQueryStage 0
:                 +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=21]
:                    +- *(1) HashAggregate(keys=[], functions=[partial_max(b#2)])
:                       +- LocalTableScan [b#2]
:        +- == Initial Plan ==
:           HashAggregate(keys=[], functions=[max(b#2)])
:           +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=11]
:              +- HashAggregate(keys=[], functions=[partial_max(b#2)])
:                 +- LocalTableScan [b#2]
"""
RAN = f"""AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   ResultQueryStage 1
   +- *(1) Filter (a#1 > Subquery subquery#9, [id=#30])
{indent(SUBQUERY, "      ")}      +- *(1) LocalTableScan [a#1]
+- == Initial Plan ==
   Filter (a#1 > Subquery subquery#9, [id=#30])
{indent(SUBQUERY, "   ")}   +- LocalTableScan [a#1]
"""


def test_a_plan_that_ran_is_compared_with_the_whole_plan_before_it() -> None:
    """Its subqueries as they were planned, which are printed apart, were told as new."""
    opened = open_document(f"== Physical Plan ==\n{RAN}")
    other = compare.default_other(opened)
    assert other is not None
    found = told(opened.text, other)
    assert found["names"] == ["Initial", "Final"]
    assert not [e["words"] for e in found["effects"] if "ggregat" in e["words"] or "shuffle" in e["words"].lower()[:9]]


def test_an_execution_of_a_log_is_compared_with_its_own_first_plan() -> None:
    opened = open_document(load("event-log"))
    other = compare.default_other(opened)
    assert other is not None
    assert any({int(other.plan_a), int(other.plan_b)} <= set(group) for group in opened.document.groups)
