"""The Rules page by Streamlit's own test driver, and what it tells of rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planviz.samples import load
from planviz.ui import links, replayed, rules
from planviz.ui.cache import NO_CATALOG, open_document
from tests.document.test_replayed import EXTENDED
from tests.ui.pages import components, page

ROOT = Path(__file__).parents[2]
OUTER = "SELECT o.order_id FROM orders o LEFT JOIN users u ON o.user_id = u.user_id WHERE u.tier = 'gold'"


def test_it_opens_empty_with_the_box_and_queries_to_begin_with() -> None:
    app = page("rules")
    assert not app.exception
    assert components(app).get("planviz_box")["look"] == "box"
    assert [button.label for button in app.button][: len(rules.EXAMPLES)] == [title for title, _ in rules.EXAMPLES]


@pytest.mark.parametrize("title", [title for title, _ in rules.EXAMPLES])
def test_every_query_to_begin_with_has_steps_and_no_error(title: str) -> None:
    app = page("rules")
    app.button(key=f"planviz.example.{title}").click().run()
    assert not app.exception
    data = components(app).get("planviz_rules")
    assert any(data["trace"]["batches"][step["batch"]]["executor"] == "Optimizer" for step in data["trace"]["steps"])
    assert not [element for element in app.get("html") if "pv-alert" in str(element.proto.body)[:40]]


def test_a_rule_log_and_its_step_come_back_from_an_address() -> None:
    app = page("rules", sample="rule-log", step="15")
    data = components(app).get("planviz_rules")
    assert data["step"] == 15
    assert data["trace"]["steps"][14]["rule"] == "ColumnPruning"
    assert not data["own"]
    address = components(app).get("planviz_address")
    assert address["query"] == "sample=rule-log"
    assert address["part"] == "step"
    assert address["node"] == 15


def test_a_rerun_sends_the_same_bytes() -> None:
    app = page("rules", sample="rule-log")
    first = [element.proto.SerializeToString() for element in app.get("bidi_component")]
    app.run()
    assert [element.proto.SerializeToString() for element in app.get("bidi_component")] == first


def test_a_plan_without_steps_says_so_and_keeps_the_document() -> None:
    text = "== Physical Plan ==\nHashAggregate(keys=[a#1], functions=[])\n+- Scan ExistingRDD[a#1]"  # and no exchange
    packed = str(links.pack(text))
    app = page("rules", plan=packed)
    assert not app.exception
    assert components(app).get("planviz_rules") is None
    assert any("There are no rules to show" in str(element.proto.body) for element in app.get("html"))
    assert components(app).get("planviz_address")["query"].startswith(f"plan={packed}")


def test_a_physical_plan_that_comes_out_as_printed_has_the_planner_s_steps() -> None:
    app = page("rules", sample="window-top-n")
    assert not app.exception
    assert components(app).get("planviz_rules") is not None


def test_sql_takes_the_catalogue_of_its_address_and_shows_errors() -> None:
    packed = str(links.pack(OUTER))
    app = page("rules", plan=packed, catalog="shop")
    assert components(app).get("planviz_address")["query"] == f"plan={packed}&catalog=shop"
    assert components(app).get("planviz_rules")["own"]
    app = page("rules", plan=packed, catalog="tpcds")
    assert any("TABLE_OR_VIEW_NOT_FOUND" in str(element.proto.body) for element in app.get("html"))
    assert components(app).get("planviz_box")["text"] == OUTER


def test_tables_are_found_by_name_and_else_guessed() -> None:
    assert open_document(OUTER).catalog == "shop"
    assert open_document("SELECT ss_item_sk FROM store_sales").catalog == "tpcds"
    assert open_document("SELECT a FROM nowhere WHERE a > 1").catalog == NO_CATALOG
    assert open_document("CREATE TABLE t (a INT); SELECT a FROM t").catalog == NO_CATALOG
    assert open_document(load("rule-log")).catalog == ""


def test_a_card_is_the_documentation_of_our_rule() -> None:
    card = rules.card("EliminateOuterJoin")
    assert card is not None
    assert card["algebra"] == ["Filter(r.x > 1, Join(l, r, LeftOuter)) ⇒ Filter(r.x > 1, Join(l, r, Inner))"]
    assert "coalesce" in " ".join(card["unsafe"])
    assert rules.card("NoRuleOfOurs") is None


def test_without_a_rule_the_final_plan_loses_what_it_did() -> None:
    opened = open_document(OUTER, "shop")
    told = rules.without(opened, "EliminateOuterJoin")
    assert "join type Inner → LeftOuter" in told["words"]
    assert told["trace"]["steps"][0]["rule"] == "EliminateOuterJoin"
    # The comparison reads in the rule's own direction: + is what it added, not what is there without it.
    changes = [change for _, parts, _ in told["trace"]["steps"][0]["changed"] for change in parts]
    assert ["join type", "LeftOuter → Inner"] in changes
    assert ["condition", "+ isnotnull(user_id)"] in changes
    # What another rule does as well is not lost.
    same = rules.without(opened, "CombineUnions")
    assert same["words"] == "The final plan is the same: other rules do this work too."
    assert same["trace"] is None


def test_silent_rules_say_what_they_looked_for() -> None:
    found = rules.silent(open_document(OUTER, "shop").document.trace)
    assert found["CollapseWindow"]["looked"] == 0
    assert found["CollapseWindow"]["needs"] == ["Window"]
    assert found["CollapseWindow"]["runs"] > 0
    assert "EliminateOuterJoin" not in found
    assert rules.silent(open_document(load("rule-log")).document.trace) == {}


def test_the_optimized_plan_is_told_as_sql() -> None:
    told = rules.as_sql(open_document(OUTER, "shop"))
    assert told is not None
    assert told["written"] == OUTER
    assert "LEFT JOIN" not in told["optimized"]
    assert "JOIN" in told["optimized"]
    assert rules.as_sql(open_document(load("rule-log"))) is None


def test_another_catalogue_is_chosen_in_the_heading_and_sql_mended_in_the_dialog() -> None:
    app = page("rules", plan=str(links.pack(OUTER)), catalog="shop")
    app.selectbox[0].set_value("none").run()
    assert not app.exception
    assert app.session_state["planviz.document"]["catalog"] == "none"
    assert components(app).get("planviz_address")["query"].endswith("catalog=none")
    next(button for button in app.button if button.label == "Open…").click().run()
    assert not app.exception
    assert [box.label for box in app.selectbox] == ["Tables", "Planned as", "Tables for SQL"]
    assert any(
        json.loads(element.proto.json)["text"] == OUTER
        for element in app.get("bidi_component")
        if element.proto.component_name == "planviz_box"
    )


def test_a_wrong_column_shows_the_parsed_plan_and_where_it_stands() -> None:
    app = AppTest.from_file(str(ROOT / "pages" / "explore.py"), default_timeout=60)
    app.query_params["plan"] = str(links.pack("SELECT name,\n  nothere\nFROM users"))
    app.query_params["catalog"] = "shop"
    app.run()
    assert not app.exception
    assert components(app).get("planviz_workbench")["scene"]["stage"] == "parsed"
    alert = next(str(e.proto.body) for e in app.get("html") if "pv-alert" in str(e.proto.body))
    assert "`nothere` cannot be resolved" in alert
    assert "(line 2, column 3)" in alert


def test_a_silent_rule_says_which_guard_said_no() -> None:
    plain = open_document("SELECT o.amount FROM users u LEFT JOIN orders o ON u.user_id = o.user_id", "shop")
    found = rules.why_silent(plain, "EliminateOuterJoin")
    assert found is not None
    assert found["sentence"]
    assert rules.why_silent(open_document(load("rule-log")), "EliminateOuterJoin") is None
    app = page("rules", plan=str(links.pack(OUTER)), catalog="shop")
    app.session_state["planviz.document"]["why"].append("CollapseWindow")
    app.run()
    assert "no Window in the plan" in components(app).get("planviz_rules")["why"]["CollapseWindow"]["sentence"]


VALUES = """CREATE TEMPORARY VIEW l AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(k, x);
CREATE TEMPORARY VIEW r AS SELECT * FROM VALUES (1, 'p'), (3, 'q') AS v(k, y);
SELECT * FROM l FULL OUTER JOIN r ON l.k = r.k WHERE x >= 'a'"""


def test_a_step_says_why_with_the_branch_taken_and_the_rows() -> None:
    opened = open_document(VALUES, NO_CATALOG)
    steps = [step.short_rule for step in opened.document.trace.steps]
    (why,) = rules.trace_of(opened)["explained"][str(steps.index("EliminateOuterJoin"))]
    assert [line for line, taken in why["logic"] if taken] == ["    if FullOuter and only L: LeftOuter"]
    assert [gave for _, gave in why["seen"]] == ["reads the left side; on a row of nulls it is null"]
    assert why["rows"] == {
        "words": "3 rows, the filter keeps 2",
        "columns": ["k", "x", "k", "y"],
        "rows": [["null", "null", "3", "q"], ["1", "a", "1", "p"], ["2", "b", "null", "null"]],
        "kept": [False, True, True],
    }


def test_rows_that_are_not_known_are_not_shown() -> None:
    opened = open_document(OUTER, "shop")
    told = [one for found in rules.trace_of(opened)["explained"].values() for one in found]
    assert {"EliminateOuterJoin", "PushPredicateThroughJoin"} <= {one["rule"] for one in told}
    assert not [one for one in told if "rows" in one]


def test_many_rows_are_cut_and_counted() -> None:
    sql = "SELECT * FROM range(40) a(i) LEFT JOIN range(30) b(j) ON i = j WHERE j < 25"
    opened = open_document(sql, NO_CATALOG)
    shown = [one["rows"] for found in rules.trace_of(opened)["explained"].values() for one in found if "rows" in one]
    assert shown[0]["words"] == "40 rows, the filter keeps 25; 28 more are not shown"
    assert shown[0]["kept"] == [False] * 6 + [True] * 6


def test_a_pasted_explain_has_its_rules_replayed() -> None:
    opened = open_document(EXTENDED)
    shown = replayed.shown(opened)
    assert shown is not None
    assert shown is not opened
    assert shown is replayed.shown(opened)
    assert not opened.document.trace.steps
    assert [step.short_rule for step in shown.document.trace.steps] == ["FinishAnalysis", "InferFiltersFromConstraints"]
    app = page("rules", plan=links.pack(EXTENDED) or "")
    assert not app.exception
    assert components(app).get("planviz_rules") is not None
    assert any("replayed, equals what Spark printed" in str(element.proto.body) for element in app.get("html"))


#: What 3.5 prints of two files that are joined under a filter: their relations have no name.
FILES = """== Analyzed Logical Plan ==
k: bigint, v: string, k: bigint, w: string
Filter (w#5 = x)
+- Join LeftOuter, (k#1L = k#4L)
   :- Relation [k#1L,v#2] parquet
   +- Relation [k#4L,w#5] parquet

== Optimized Logical Plan ==
Join Inner, (k#1L = k#4L)
:- Filter isnotnull(k#1L)
:  +- Relation [k#1L,v#2] parquet
+- Filter ((isnotnull(w#5) AND (w#5 = x)) AND isnotnull(k#4L))
   +- Relation [k#4L,w#5] parquet
"""


def test_files_without_a_name_have_their_steps_and_no_rows() -> None:
    shown = replayed.shown(open_document(FILES))
    assert shown is not None
    told = [one for found in rules.trace_of(shown)["explained"].values() for one in found]
    assert "EliminateOuterJoin" in {one["rule"] for one in told}
    assert not [one for one in told if "rows" in one]


def test_forms_of_a_rule_stand_in_lines_of_their_own() -> None:
    told = rules.card("SpecialLimits")
    assert told is not None
    assert len(told["algebra"]) == 2
    assert all(form.count("⇒") == 1 for form in told["algebra"])
