"""The Aggregations page by Streamlit's own test driver, its cards and its sample rows."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.document.decisions.pasted_aggregate import values_alone
from planviz.document.rows import stage_cards
from planviz.document.rows.aggregates import MOST_ROWS, labels, rows_from, sample_texts, stage_estimates
from planviz.errors import InputError
from planviz.render.primitives import Text
from planviz.ui import aggregate_views, aggregations, links
from planviz.ui.cache import Opened, open_document
from tests.ui.pages import page

ROOT = Path(__file__).parents[2]
DISTINCT = "SELECT user_id, count(DISTINCT item_id) AS items, sum(amount) AS total FROM orders GROUP BY user_id"
OBJECTS = "SELECT store_id, collect_list(status) AS l FROM orders GROUP BY store_id"
TWO = (
    "SELECT user_id, n FROM (SELECT user_id, count(*) AS n FROM orders GROUP BY user_id) "
    "WHERE n > (SELECT max(amount) FROM orders)"
)
EVIL = "SELECT user_id, count(*) AS `<b onclick=x>` FROM orders WHERE status <> '<script>' GROUP BY user_id"


def shown_by(app: AppTest) -> dict[str, Any]:
    """The data of the page's element."""
    assert not app.exception
    (element,) = [e for e in app.get("bidi_component") if e.proto.component_name.endswith("planviz_aggregations")]
    told: dict[str, Any] = json.loads(gzip.decompress(element.proto.bytes))
    return told


def of(sql: str, **query: str) -> dict[str, Any]:
    """What the page tells of the selected aggregate of a query."""
    told: dict[str, Any] = shown_by(page("aggregations", plan=str(links.pack(sql)), catalog="shop", **query))["told"]
    return told


def titles(told: dict[str, Any]) -> list[str]:
    return [card["title"] for card in told["flow"]["cards"]]


def parts(told: dict[str, Any], title: str) -> list[dict[str, Any]]:
    return [part for card in told["flow"]["cards"] for part in card["parts"] if part["title"] == title]


def texts(value: Any) -> str:
    """All texts of a value, one after the other."""
    if isinstance(value, dict):
        return "\n".join(map(texts, value.values()))
    return "\n".join(map(texts, value)) if isinstance(value, list | tuple) else str(value)


def shop(sql: str) -> Opened:
    return open_document(sql, "shop")


def model(sql: str) -> Any:
    found = aggregations.model_of(shop(sql), 1)
    assert not isinstance(found, str)
    return found


def test_it_opens_empty_with_queries_to_begin_with() -> None:
    app = page("aggregations")
    assert not app.exception
    assert [b.label for b in app.button][: len(aggregations.EXAMPLES)] == [title for title, _ in aggregations.EXAMPLES]


@pytest.mark.parametrize("title", [title for title, _ in aggregations.EXAMPLES])
def test_every_example_shows_stages_and_rows(title: str) -> None:
    app = page("aggregations")
    app.button(key=f"planviz.aggregate.{title}").click().run()
    cards = shown_by(app)["told"]["flow"]["cards"]
    assert cards[0]["rows"]["caption"] == "8 sample rows"
    assert all(re.fullmatch(r"\d+ rows? out", card["rows"]["caption"]) for card in cards[1:])
    stages = [card["number"] for card in cards if card["kind"] == "stage"]
    assert stages == list(range(1, len(stages) + 1))
    assert stages


def test_cards_tell_modes_buffers_exchanges_and_estimates() -> None:
    told = of(DISTINCT)
    assert titles(told) == [
        "Input", "Partial Hash Aggregate", "Merging Hash Aggregate", "Merging and Partial Hash Aggregate",
        "Final Hash Aggregate",
    ]  # fmt: skip
    exchanges = [between for between in told["flow"]["between"] if between["name"] == "Exchange"]
    assert [between["lines"][:2] for between in exchanges] == [
        ["by user_id, item_id", "200 partitions"], ["by user_id", "200 partitions"],
    ]  # fmt: skip
    assert all(re.fullmatch(r"≈ [\d.]+ [KM]iB shuffled", between["lines"][2]) for between in exchanges)
    buffers = [
        {item["text"]: (item["aside"], item["tone"]) for item in part["items"]} for part in parts(told, "Buffers")
    ]
    assert buffers[0]["sum"] == ("decimal(22,2)", "mutable")
    assert all(part["small"][0].startswith("rows = min(") for part in parts(told, "Estimate")[1:])


def test_a_document_without_aggregates_says_so() -> None:
    app = page("aggregations", plan=str(links.pack("SELECT * FROM orders")), catalog="shop")
    assert not app.exception
    assert "There is no aggregate" in "".join(str(element.proto.body) for element in app.get("html"))


def test_a_table_leads_to_every_aggregate() -> None:
    rows = shown_by(page("aggregations", plan=str(links.pack(TWO)), catalog="shop"))["rows"]
    assert [row["functions"] for row in rows] == [of(TWO, aggregate=n)["functions"] for n in "12"]
    assert sorted(row["functions"] for row in rows) == ["count(1)", "max(amount)"]


def test_the_page_opens_at_the_query_s_own_aggregate_though_a_subquery_s_is_printed_first() -> None:
    (first, second) = (of(TWO, aggregate=n)["functions"] for n in "12")
    assert of(TWO)["functions"] == second == "count(1)"
    shown = page("aggregations", plan=str(links.pack(TWO)), catalog="shop", aggregate="1")
    assert shown_by(shown)["first"] == 2  # where Back leads to
    assert first == "max(amount)"


def test_rows_without_columns_are_counted() -> None:
    told = of("SELECT count(*) AS n FROM orders")
    assert told["sample"]["why"] == "The aggregate reads no column: rows are only counted."
    first, *_, last = told["flow"]["cards"]
    assert first["rows"]["caption"] == "8 sample rows"
    assert last["rows"]["partitions"] == [["one partition", [["8"]], ""]]


def test_a_setting_may_be_tried() -> None:
    opened = shop(OBJECTS)
    (words,) = aggregate_views.reply(opened, {"number": 1, "want": "settings"})["settings"]
    assert words == "useObjectHashAggregateExec = false"
    assert "Final Object Hash Aggregate" in titles(aggregate_views.reply(opened, {"number": 1}))
    told = aggregate_views.reply(opened, {"number": 1, "setting": words})
    assert "Final Sort Aggregate" in titles(told)
    assert told["facts"][-1] == f"with spark.sql.execution.{words}"


def test_a_pasted_plan_has_its_stages_and_rows_where_it_can_be_read() -> None:
    (report,) = aggregations.reports(shop(OBJECTS))
    text = f"== Physical Plan ==\n{report.execution.text('physical')}\n"  # type: ignore[union-attr]
    told = shown_by(page("aggregations", plan=str(links.pack(text))))["told"]
    assert told["flow"]["cards"][0]["rows"]["caption"] == "8 sample rows"
    assert "Final Object Hash Aggregate" in titles(told)


def test_a_plan_whose_tests_are_unknown_says_what_would_show_them() -> None:
    """No word of marks in a list that is not there."""
    text = (
        "== Physical Plan ==\n"
        "PhotonGroupingAgg(keys=[r#1], functions=[finalmerge_sum(merge sum#2) AS sum(a)#3])\n"
        "+- PhotonGroupingAgg(keys=[r#1], functions=[partial_sum(a#4) AS sum#2])\n"
        "   +- PhotonScan parquet main.sales.orders[r#1,a#4]\n"
    )
    told = shown_by(page("aggregations", plan=str(links.pack(text))))["told"]
    assert "The SQL itself, or df.explain(True), planned again here, shows each test" in told["unseen"]
    assert told["tests"] == []


def test_texts_of_a_plan_are_told_as_they_are() -> None:
    """They reach the page as text: nothing is escaped here, nothing is markup there."""
    told = of(EVIL)
    assert "<b onclick=x>" in texts(told["flow"])
    assert "&lt;" not in texts(told)


def test_what_is_asked_is_checked() -> None:
    opened = shop(DISTINCT)
    for body in ({}, {"number": "1"}, {"number": 1, "room": "2"}, {"number": 9}):
        with pytest.raises(InputError):
            aggregate_views.reply(opened, body)


def test_edited_rows_go_through_the_stages_and_stay_where_they_are_wrong() -> None:
    opened = shop(DISTINCT)
    rows = {"user_id": ["1", "1", ""], "item_id": ["2", "3", "3"], "amount": ["1", "2", "0.5"]}
    told = aggregate_views.reply(opened, {"number": 1, "rows": rows})
    assert told["flow"]["cards"][0]["rows"]["caption"] == "3 sample rows"
    last = told["flow"]["cards"][-1]["rows"]
    assert sorted((row for _, cells, _ in last["partitions"] for row in cells), key=str) == [
        ("1", "2", "3.00"), (None, "1", "0.50"),
    ]  # fmt: skip
    wrong = aggregate_views.reply(opened, {"number": 1, "rows": rows | {"user_id": ["1", "x", ""]}})
    assert wrong["error"] == "Row 2, user_id: x is no bigint."
    assert not wrong["playable"]
    assert wrong["sample"]["texts"][1] == ["x", "3", "2"]


def test_the_stages_are_a_picture_of_its_own() -> None:
    drawing = aggregate_views.stages_drawing(shop(DISTINCT), 1, "", "light")
    words = [
        item.text for group in drawing.items for item in getattr(group, "items", (group,)) if isinstance(item, Text)
    ]
    assert drawing.title == "sum(amount), count(distinct item_id) by user_id"
    assert {"1 Partial Hash Aggregate", "4 Final Hash Aggregate", "HashAggregate", "Exchange"} <= set(words)
    assert words.count("by user_id, item_id") == 1
    with pytest.raises(InputError):
        aggregate_views.stages_drawing(shop(DISTINCT), 2, "", "light")


# -------------------------------------------------------------------------------------------------- sample rows


def test_texts_become_rows_and_empty_ones_null() -> None:
    found = model(DISTINCT)
    assert labels(found) == ["user_id", "item_id", "amount"]
    rows = rows_from(found, {"user_id": ["1", ""], "item_id": ["2", None], "amount": ["3.5", ""]})
    assert [tuple(map(str, row)) for row in rows] == [("1", "2", "3.50"), ("None", "None", "None")]
    shown = aggregations.through(found, rows)
    assert not isinstance(shown, str)
    assert sum(map(len, shown.stages[-1].partitions)) == 2


def test_a_text_that_is_no_value_is_named() -> None:
    with pytest.raises(InputError, match=r"Row 1, user_id: x is no bigint\."):
        rows_from(model(DISTINCT), {"user_id": ["x"], "item_id": ["2"], "amount": ["1"]})


def test_there_are_never_more_rows_than_are_readable() -> None:
    many = {"user_id": ["1"] * 99, "item_id": ["1"] * 99, "amount": ["1"] * 99}
    assert len(rows_from(model(DISTINCT), many)) == MOST_ROWS


def unordered(rows: Iterable[tuple[Any, ...]]) -> list[str]:
    """Rows in no order, and what they collected in none either: a fallback merges in another one."""
    return sorted(str([sorted(map(str, v)) if isinstance(v, tuple) else v for v in row]) for row in rows)


@pytest.mark.parametrize("room", [None, 2])
@pytest.mark.parametrize("sql", [DISTINCT, OBJECTS, *[sql for _, sql in aggregations.EXAMPLES]])
def test_the_stages_are_played_on_the_rows_that_reach_them(sql: str, room: int | None) -> None:
    found = model(sql)
    shown = aggregations.through(found, rows_from(found, sample_texts(found)))
    assert not isinstance(shown, str)
    plays = aggregations.plays(found, shown, room)
    assert len(plays) == len(found.stages)
    for play, stage in zip(plays, shown.stages, strict=True):
        assert unordered(play.rows) == unordered(r for part in stage.partitions for r in part)


def test_columns_of_one_name_are_counted() -> None:
    """Of tables joined twice: the keys are two columns, whose names alone nobody tells apart."""
    assert stage_cards.counted(["d_year#1", "i_item_sk#2", "d_year#3", "a < b"]) == [
        "d_year ×2",
        "i_item_sk",
        "a < b",
    ]
    twice = open_document(
        "SELECT a.n_name, b.n_name, sum(a.n_nationkey) FROM nation a JOIN nation b ON a.n_regionkey = b.n_regionkey "
        "GROUP BY a.n_name, b.n_name",
        "tpch",
    )
    told = aggregate_views.page_data(twice, None)["told"]
    assert "n_name ×2" in [item["text"] for part in parts(told, "Keys") for item in part["items"]]
    assert "by n_name ×2" in [line for between in told["flow"]["between"] for line in between["lines"]]


def test_texts_are_shown_without_ids_and_catalogue() -> None:
    assert stage_cards.plain("count(spark_catalog.default.orders.item_id#12L)") == "count(orders.item_id)"


def test_an_estimate_of_more_than_any_exchange_moves_is_no_size() -> None:
    sql = (
        "SELECT a.user_id, a.item_id, b.item_id AS other, c.order_id, d.order_id AS last, count(*) AS n "
        "FROM orders a, orders b, orders c, orders d GROUP BY 1, 2, 3, 4, 5"
    )
    report = model(sql)
    assert max(found.bytes or 0 for found in stage_estimates(report)) > 1 << 53
    cards = texts(stage_cards.flow(report, report, None).to_json())
    assert "size unknown" in cards
    assert "no usable estimate" in cards
    assert "shuffled" not in cards


def test_many_keys_stand_in_few_lines() -> None:
    keys = "user_id, store_id, item_id, quantity, status"
    report = model(f"SELECT {keys} FROM orders GROUP BY {keys}")
    told = {"flow": stage_cards.flow(report, report, None).to_json()}
    assert all(part["is_many"] and part["items"][0]["text"] == "user_id" for part in parts(told, "Keys"))
    assert "by user_id, store_id, item_id and 2 more" in texts(told)
    assert stage_cards.few(["a", "b", "c", "d"]) == "a, b, c, d"


def test_functions_are_named_as_they_were_written() -> None:
    opened = open_document("SELECT sum(cast(amount AS decimal(5,2))) FROM orders", "shop")
    report = aggregations.reports(opened)[0]
    assert report.functions == ("sum(UnscaledValue(cast(amount as decimal(5,2))))",)
    assert aggregations.entries([report])[0].functions == "sum(cast(amount as decimal(5,2)))"


def test_what_stands_around_values_is_left_out_of_nested_functions() -> None:
    told = "sum(((a + b) * UnscaledValue((c - (d))))), max(KnownFloatingPointNormalized(NormalizeNaNAndZero(x)))"
    assert values_alone(told) == "sum(((a + b) * (c - (d)))), max(x)"
    assert values_alone("f(UnscaledValue(a") == "f(a"
