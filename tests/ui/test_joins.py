"""The Joins page: its values, what is asked of it while a slider moves, and the page by Streamlit's own test driver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.document.alternatives.what_if import WhatIf
from planviz.document.alternatives.what_if_text import from_text, to_text
from planviz.errors import InputError
from planviz.samples import load
from planviz.ui import joins, links
from planviz.ui.cache import open_document
from planviz.ui.join_examples import JOIN_EXAMPLES
from tests.ui.pages import components, page
from tests.ui.test_routes import Client

PAGE = Path(__file__).parents[2] / "pages" / "joins.py"
THRESHOLD, PREFER = "spark.sql.autoBroadcastJoinThreshold", "spark.sql.join.preferSortMergeJoin"
TWO = JOIN_EXAMPLES[0][1]


@pytest.fixture
def opened() -> Any:
    return open_document(TWO, "tpch")


def ops(told: dict[str, Any]) -> list[str]:
    return [row["op"] for row in told["rows"]]


def ask(opened: Any, join: int = 0, **asked: Any) -> dict[str, Any]:
    return joins.reply(opened, {"join": join, "asked": asked})


# -- what is shown


def test_a_row_tells_operator_type_condition_sides_and_why(opened: Any) -> None:
    told = joins.asked_for(opened, WhatIf(), 0)
    assert ops(told) == ["BroadcastHashJoin", "SortMergeJoin", "SortMergeJoin"]
    first = told["rows"][0]
    assert first["on"] == "c_nationkey = n_nationkey"
    assert first["right"]["names"] == "nation"
    assert first["right"]["build"]
    assert not first["left"]["build"]
    assert first["left"]["names"] == "customer +2"
    assert first["left"]["all"] == "customer, orders, lineitem"
    assert first["reason"].startswith("A side is small enough to be broadcast: ")
    assert told["rows"][1]["reason"] == "No side is small enough to be broadcast, and the keys can be sorted."


def test_a_table_of_unknown_size_is_not_said_to_be_large() -> None:
    found = ask(open_document("SELECT * FROM a JOIN b ON a.k = b.k"))
    assert [found["rows"][0][side]["size"] for side in ("left", "right")] == ["size unknown"] * 2


def test_what_several_tables_of_unknown_size_give_is_not_said_to_have_8_eib() -> None:
    found = ask(open_document("SELECT * FROM a JOIN (SELECT k FROM b WHERE k NOT IN (SELECT k FROM c)) d ON a.k = d.k"))
    assert [row["left"]["size"] for row in found["rows"]] == ["far above any limit", "size unknown", "size unknown"]


def test_files_of_a_program_are_called_by_their_names() -> None:
    program = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
orders = spark.read.parquet("s3://lake/raw/orders.v2.parquet")
orders.join(spark.read.csv(config.customers, header=True), "id").show()
"""
    row = ask(open_document(program))["rows"][0]
    assert [row[side]["names"] for side in ("left", "right")] == ["orders.v2.parquet", "<config.customers>"]


def test_who_asks_for_no_join_sees_the_one_that_moves_most(opened: Any) -> None:
    told = joins.page_data(opened, None, "")["told"]
    assert told["join"]["n"] == 1  # not the topmost, whose right side has 25 rows
    assert joins.page_data(opened, 1, "")["told"]["join"]["n"] == 0
    assert joins.page_data(open_document("SELECT 1", "tpch"), None, "")["told"]["join"] is None


def test_the_selected_join_has_its_whole_tree_and_its_path(opened: Any) -> None:
    join = joins.asked_for(opened, WhatIf(), 1)["join"]
    assert join["heading"] == "Sort Merge Join, Inner"
    assert [step["answer"] for step in join["path"]] == ["yes", "no", "no", "no", "yes"]
    assert join["tests"] == 18
    assert join["svg"].count("<g>") == 18 + 15
    drawn = join["svg"].split("<g>")[1:]
    for step in join["path"]:
        assert step["title"].replace("<", "&lt;") in drawn[step["index"]]
    assert {entry["operator"] for entry in join["rejected"]} == {"Broadcast Hash Join", "Shuffled Hash Join"}
    sides = join["mechanism"]["sides"]
    assert [put["op"] for put in sides[0]["put"]] == ["Sort", "Exchange"]
    assert "in one partition" in sides[0]["asks"]


def test_a_broadcast_has_a_build_and_a_stream_side(opened: Any) -> None:
    mechanism = joins.asked_for(opened, WhatIf(), 0)["join"]["mechanism"]
    assert [number for number, _, _ in mechanism["limits"]] == ["512,000,000 rows", "8 GiB", "300 seconds"]
    assert joins.asked_for(opened, WhatIf(), 1)["join"]["mechanism"]["limits"] == []
    sides = mechanism["sides"]
    assert [side["role"] for side in sides] == ["stream", "build"]
    assert [put["op"] for put in sides[1]["put"]] == ["Broadcast Exchange"]
    assert sides[0]["put"] == []


# -- what if


def test_a_threshold_plans_anew_and_tells_which_joins_changed(opened: Any) -> None:
    told = ask(opened, settings={THRESHOLD: -1})
    assert ops(told) == ["SortMergeJoin"] * 3
    assert told["changed"] == 1
    assert told["rows"][0]["was"] == "was Broadcast Hash Join"
    assert told["what"] == "autoBroadcastJoinThreshold=-1"


def test_sizes_hints_and_types_count(opened: Any) -> None:
    assert ops(ask(opened, sizes={"customer": 1000}))[-1] == "BroadcastHashJoin"
    assert ops(ask(opened, hints={"1": [None, "shuffle_hash"]}))[1] == "ShuffledHashJoin"
    outer = ask(opened, settings={THRESHOLD: 1 << 40}, types={"0": "FullOuter"})
    assert ops(outer)[0] == "SortMergeJoin"
    assert outer["rows"][0]["type"] == "Full Outer"
    assert (outer["join"]["type"], outer["join"]["usual"]["type"]) == ("FullOuter", "Inner")
    assert ask(opened, sizes={"customer": 1000})["join"]["tables"] == ask(opened)["join"]["tables"]


def test_the_quick_answer_is_that_of_the_planner_alone(opened: Any) -> None:
    for asked in ({"settings": {THRESHOLD: 1 << 30}}, {"settings": {PREFER: False}}, {"sizes": {"customer": 1 << 20}}):
        quick = joins.reply(opened, {"join": 0, "asked": asked, "quick": True})
        assert ops(quick) == ops(ask(opened, **asked)), asked


def test_another_version_of_spark_has_a_tree_of_its_own(opened: Any) -> None:
    asked = {"profile": "spark-3.0", "settings": {PREFER: False}, "hints": {"1": ["shuffle_hash", None]}}
    told = ask(opened, 1, **asked, types={"1": "LeftOuter"})
    assert told["join"]["tests"] == 17
    # Only from 3.1 on may an outer join build its outer side; there is no warning in 3.0 either.
    assert told["rows"][1]["op"] == "SortMergeJoin"
    assert ops(ask(opened, 1, **{**asked, "profile": ""}, types={"1": "LeftOuter"}))[1] == "ShuffledHashJoin"
    with pytest.raises(InputError):
        ask(opened, profile="spark-9.9")


def test_nothing_asked_is_the_plan_as_it_is(opened: Any) -> None:
    told = ask(opened)
    assert told["what"] == ""
    assert not [row for row in told["rows"] if row["was"]]
    assert told == joins.asked_for(opened, WhatIf(), 0)


def test_the_difference_of_the_plans_is_told_and_drawn(opened: Any) -> None:
    found = joins.reply(opened, {"join": 0, "asked": {"settings": {THRESHOLD: -1}}, "want": "diff"})["diff"]
    assert ["~", "Broadcast Hash Join: operator BroadcastHashJoin → SortMergeJoin"] in found["words"]
    assert found["svg"].startswith("<svg")
    assert (
        joins.reply(opened, {"join": 0, "asked": {"settings": {THRESHOLD: 10485761}}, "want": "diff"})["diff"] is None
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"join": "1"},
        {"join": 0, "asked": {"sizes": {"nowhere": 5}}},
        {"join": 0, "asked": {"sizes": {"customer": "much"}}},
        {"join": 0, "asked": {"types": {"0": "LeftSemi"}}},
        {"join": 0, "asked": {"hints": {"0": ["COALESCE", None]}}},
        {"join": 0, "asked": {"settings": {THRESHOLD: "lots"}}},
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(opened: Any, body: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        joins.reply(opened, body)


def test_what_ifs_come_back_from_an_address() -> None:
    asked = WhatIf(
        {THRESHOLD: -1, PREFER: False, "spark.sql.shuffle.partitions": 4},
        {"a.b": 7},
        {2: (None, "merge"), 0: ("broadcast", None)},
        {1: "LeftOuter"},
        "spark-3.0",
    )
    text = to_text(asked)
    assert from_text(text) == asked
    assert to_text(from_text(text)) == text
    assert from_text("") == WhatIf()
    with pytest.raises(InputError):
        from_text("colour=blue")


def flips(opened: Any, join: int, **asked: Any) -> list[dict[str, Any]]:
    found, at, more = [], 0, True
    while more:
        told = joins.reply(opened, {"join": join, "asked": asked, "want": "flips", "at": at})
        found += [told["flip"]] if told["flip"] else []
        at, more = at + 1, told["more"]
    return found


@pytest.mark.parametrize("asked", [{}, {"settings": {PREFER: False}}])
@pytest.mark.parametrize("join", [0, 1, 2])
def test_every_flip_that_is_offered_changes_the_join_as_it_says(opened: Any, join: int, asked: dict[str, Any]) -> None:
    before = ask(opened, join, **asked)
    found = flips(opened, join, **asked)
    assert len(found) >= 3
    for flip in found:
        more = {part: {**asked.get(part, {}), **changes} for part, changes in flip["asked"].items() if changes}
        after = ask(opened, join, **{**asked, **more})
        assert after["rows"][join]["was"] or after["what"] != before["what"]
        assert flip["outcome"].split(",")[0] == after["rows"][join]["operator"].removesuffix(" Join"), flip
        assert (after["rows"][join]["op"], after["rows"][join]["right"]["build"]) != (
            before["rows"][join]["op"],
            before["rows"][join]["right"]["build"],
        )


def test_there_is_no_flip_beyond_the_last() -> None:
    opened = open_document(TWO, "tpch")
    assert joins.reply(opened, {"join": 0, "want": "flips", "at": 999}) == {"flip": None, "more": False}


# -- pasted plans


def test_a_join_whose_inputs_were_cut_off() -> None:
    cut = open_document("SortMergeJoin [a#1], [b#2], Inner\n:- Sort [a#1 ASC], false, 0\n:  +- Exchange hashpart\n")
    (row,) = joins.page_data(cut, 0, "")["told"]["rows"]
    assert row["op"] == "SortMergeJoin"


def test_a_pasted_plan_has_its_path_as_far_as_it_says(opened: Any) -> None:
    pasted = open_document(load("broadcast-and-merge-join"))
    told = joins.page_data(pasted, 2, "autoBroadcastJoinThreshold=-1")
    assert not told["own"]
    assert "Paste df.explain(True) whole, or the SQL" in told["note"]
    assert told["told"]["what"] == ""
    assert {row["op"] for row in told["told"]["rows"]} >= {"BroadcastHashJoin", "SortMergeJoin"}
    join = told["told"]["join"]
    assert join["path"][0]["answer"] == "yes"
    assert "unknown" in join["svg"]
    assert "stroke-dasharray" in join["svg"]
    assert joins.reply(pasted, {"join": 0, "want": "flips"}) == {"flip": None, "more": False}
    for n in range(len(told["told"]["rows"])):
        detail = joins.asked_for(pasted, WhatIf(), n)["join"]
        assert [side["side"] for side in detail["mechanism"]["sides"]] == ["left", "right"]
        assert any(side["put"] for side in detail["mechanism"]["sides"])


# -- the route


def post(key: str, body: Any, **headers: str) -> tuple[int, Any]:
    sent = json.dumps(body).encode() if not isinstance(body, bytes) else body
    answer = Client().ask("POST", f"/joins/{key}", headers, sent)
    return answer.status_code, json.loads(answer.content) if answer.content[:1] == b"{" else answer.text


def test_the_route_answers_the_element(opened: Any) -> None:
    status, told = post(opened.key, {"join": 0, "asked": {"settings": {THRESHOLD: -1}}})
    assert status == 200
    assert ops(told) == ["SortMergeJoin"] * 3
    status, refused = post(opened.key, {"join": 0, "asked": {"types": {"0": "LeftSemi"}}})
    assert status == 422
    assert "columns" in refused["message"]
    assert post(opened.key, b"{")[0] == 400
    assert post(opened.key, b"[1]")[0] == 400
    assert post("unknown", {})[0] == 404
    assert post(opened.key, {"join": 0}, **{"sec-fetch-site": "cross-site"})[0] == 403
    assert post(opened.key, b" " * 200_000)[0] == 413


def test_the_tree_is_a_picture_at_an_address(opened: Any) -> None:
    client = Client()
    picture = client.get(f"/joins/{opened.key}/1.svg?what=autoBroadcastJoinThreshold%3D-1&theme=dark")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "Sort Merge Join, Inner" in picture.text
    assert client.get(f"/joins/{opened.key}/1.png").content[:4] == b"\x89PNG"
    assert client.get(f"/joins/{opened.key}/9.svg").status_code == 422
    assert client.get(f"/joins/{opened.key}/x.svg").status_code == 404
    assert client.get(f"/joins/{opened.key}/1.svg?what=colour").status_code == 422


# -- the page


def test_it_opens_empty_with_the_box_and_queries_to_begin_with() -> None:
    app = page("joins")
    assert not app.exception
    assert components(app).get("planviz_box")["look"] == "box"
    assert [button.label for button in app.button][: len(JOIN_EXAMPLES)] == [title for title, _ in JOIN_EXAMPLES]


@pytest.mark.parametrize("title", [title for title, _ in JOIN_EXAMPLES])
def test_every_query_to_begin_with_has_joins_and_no_error(title: str) -> None:
    app = page("joins")
    app.button(key=f"planviz.example.{title}").click().run()
    assert not app.exception
    data = components(app).get("planviz_joins")
    assert data["own"]
    assert data["told"]["join"]["path"]
    assert not [element for element in app.get("html") if "pv-alert" in str(element.proto.body)[:40]]


def test_an_address_comes_back_to_its_join_and_its_what_ifs() -> None:
    app = page("joins", plan=str(links.pack(TWO)), catalog="tpch", join="2", what="autoBroadcastJoinThreshold=-1")
    told = components(app).get("planviz_joins")["told"]
    assert told["join"]["n"] == 1
    assert ops(told) == ["SortMergeJoin"] * 3
    address = components(app).get("planviz_address")
    assert address["part"] == "join"
    assert address["node"] == "2&what=autoBroadcastJoinThreshold%3D-1"


def test_a_damaged_what_if_of_an_address_is_passed_over() -> None:
    app = page("joins", plan=str(links.pack(TWO)), catalog="tpch", join="99", what="colour=blue")
    told = components(app).get("planviz_joins")["told"]
    assert told["join"]["n"] == 0
    assert told["what"] == ""


def test_a_rerun_sends_the_same_bytes() -> None:
    app = page("joins", plan=str(links.pack(TWO)), catalog="tpch")
    first = [element.proto.SerializeToString() for element in app.get("bidi_component")]
    app.run()
    assert [element.proto.SerializeToString() for element in app.get("bidi_component")] == first


def said(app: AppTest) -> str:
    return " ".join(str(element.proto.body) for element in app.get("html"))


def test_a_query_without_joins_and_one_that_fails_say_so() -> None:
    assert "There is no join in what is open" in said(page("joins", plan=str(links.pack("SELECT 1"))))
    app = page("joins", plan=str(links.pack("SELECT x FROM customer")), catalog="tpch")
    assert not app.exception
    assert "The SQL cannot be planned" in said(app)
    assert "UNRESOLVED_COLUMN" in said(app)


def test_a_rule_log_has_no_joins_to_show_and_is_no_error() -> None:
    app = page("joins", sample="rule-log")
    assert not app.exception
    assert components(app).get("planviz_joins") is None
    assert load("rule-log")
