"""The Aggregations page by Streamlit's own test driver, its cards and its sample rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.document.decisions.pasted_aggregate import values_alone
from planviz.document.rows.aggregates import MOST_ROWS, labels, rows_from, sample_texts
from planviz.errors import InputError
from planviz.ui import aggregate_views, aggregations, links, stage_cards
from planviz.ui.cache import Opened, open_document

ROOT = Path(__file__).parents[2]
DISTINCT = "SELECT user_id, count(DISTINCT item_id) AS items, sum(amount) AS total FROM orders GROUP BY user_id"
OBJECTS = "SELECT store_id, collect_list(status) AS l FROM orders GROUP BY store_id"
TWO = (
    "SELECT user_id, n FROM (SELECT user_id, count(*) AS n FROM orders GROUP BY user_id) "
    "WHERE n > (SELECT max(amount) FROM orders)"
)
EVIL = "SELECT user_id, count(*) AS `<b onclick=x>` FROM orders WHERE status <> '<script>' GROUP BY user_id"


def page(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "pages" / "aggregations.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def of(sql: str, **query: str) -> AppTest:
    app = page(plan=str(links.pack(sql)), catalog="shop", **query)
    assert not app.exception
    return app


def html(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def shop(sql: str) -> Opened:
    return open_document(sql, "shop")


def model(sql: str) -> Any:
    found = aggregations.model_of(shop(sql), 1)
    assert not isinstance(found, str)
    return found


def test_it_opens_empty_with_queries_to_begin_with() -> None:
    app = page()
    assert not app.exception
    assert [b.label for b in app.button][: len(aggregations.EXAMPLES)] == [title for title, _ in aggregations.EXAMPLES]


@pytest.mark.parametrize("title", [title for title, _ in aggregations.EXAMPLES])
def test_every_example_shows_stages_and_rows(title: str) -> None:
    app = page()
    app.button(key=f"planviz.aggregate.{title}").click().run()
    assert not app.exception
    shown = html(app)
    tables = len(re.findall(r"<h4>\d+ rows? out</h4>", shown))
    assert shown.count('class="pv-number"') == tables - ("<h3>Expand</h3>" in shown)
    assert "8 sample rows" in shown


def test_cards_tell_modes_buffers_exchanges_and_estimates() -> None:
    shown = html(of(DISTINCT))
    assert [re.sub("<.*?>", "", h) for h in re.findall(r"<h3>(.*?)</h3>", shown)] == [
        "Input", "1Partial Hash Aggregate", "2Merging Hash Aggregate", "3Merging and Partial Hash Aggregate",
        "4Final Hash Aggregate",
    ]  # fmt: skip
    assert shown.count("<b>Exchange</b>") == 2
    assert "by user_id, item_id<br>200 partitions" in shown
    assert "<code>sum</code> <i>decimal(22,2)</i>" in shown
    assert "shuffled" in shown
    assert "rows = min(" in shown


def test_a_document_without_aggregates_says_so() -> None:
    assert "There is no aggregate" in html(of("SELECT * FROM orders"))


def test_a_table_leads_to_every_aggregate() -> None:
    first, second = of(TWO), of(TWO, aggregate="2")
    assert any(frame.key.startswith("planviz.aggregates.") for frame in first.dataframe)
    titles = [re.search(r"<h2>(.*?)<span>", html(app))[1] for app in (first, second)]  # type: ignore[index]
    assert sorted(titles) == ["count(1)", "max(amount)"]


def test_rows_without_columns_are_counted() -> None:
    shown = html(of("SELECT count(*) AS n FROM orders"))
    assert "rows are only counted" in shown
    assert "8 sample rows" in shown
    assert "<td>8</td>" in shown


def test_a_setting_may_be_tried() -> None:
    app = of(OBJECTS)
    control = app.get("button_group")[0]
    assert [option.content for option in control.proto.options] == ["as planned", "useObjectHashAggregateExec = false"]
    assert "Final Object Hash Aggregate" in html(app)
    (found,) = aggregations.variants(shop(OBJECTS), 1)
    assert "Final Sort Aggregate" in aggregations.cards(found.report, found.report, None)


def test_a_pasted_plan_has_its_stages_and_rows_where_it_can_be_read() -> None:
    (report,) = aggregations.reports(shop(OBJECTS))
    text = f"== Physical Plan ==\n{report.execution.text('physical')}\n"  # type: ignore[union-attr]
    app = page(plan=str(links.pack(text)))
    assert not app.exception
    assert "8 sample rows" in html(app)
    assert "Final Object Hash Aggregate" in html(app)


def test_a_plan_whose_tests_are_unknown_says_what_would_show_them() -> None:
    """No word of marks in a list that is not there."""
    text = (
        "== Physical Plan ==\n"
        "PhotonGroupingAgg(keys=[r#1], functions=[finalmerge_sum(merge sum#2) AS sum(a)#3])\n"
        "+- PhotonGroupingAgg(keys=[r#1], functions=[partial_sum(a#4) AS sum#2])\n"
        "   +- PhotonScan parquet main.sales.orders[r#1,a#4]\n"
    )
    shown = html(page(plan=str(links.pack(text))))
    assert "The SQL itself, or <code>df.explain(True)</code>, planned again here, shows each test" in shown
    assert "marked ?" not in shown


def test_texts_of_a_plan_are_escaped() -> None:
    shown = html(of(EVIL))
    assert "<b onclick" not in shown
    assert "<script>" not in shown
    assert "&lt;b onclick" in shown


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
        "a &lt; b",
    ]
    twice = open_document(
        "SELECT a.n_name, b.n_name, sum(a.n_nationkey) FROM nation a JOIN nation b ON a.n_regionkey = b.n_regionkey "
        "GROUP BY a.n_name, b.n_name",
        "tpch",
    )
    cards = aggregate_views.sent(twice, 1, "", None, None).cards
    assert "<code>n_name ×2</code>" in cards
    assert re.search(r"by n_name ×2<br>\d+ partitions", cards)


def test_texts_are_shown_without_ids_and_catalogue() -> None:
    assert stage_cards.plain("count(spark_catalog.default.orders.item_id#12L)") == "count(orders.item_id)"


def test_an_estimate_of_more_than_any_exchange_moves_is_no_size() -> None:
    sql = (
        "SELECT a.user_id, a.item_id, b.item_id AS other, c.order_id, d.order_id AS last, count(*) AS n "
        "FROM orders a, orders b, orders c, orders d GROUP BY 1, 2, 3, 4, 5"
    )
    report = model(sql)
    assert max(found.bytes or 0 for found in aggregations.stage_estimates(report)) > 1 << 53
    cards = aggregations.cards(report, report, None)
    assert "size unknown" in cards
    assert "no usable estimate" in cards
    assert "shuffled" not in cards


def test_many_keys_stand_in_few_lines() -> None:
    keys = "user_id, store_id, item_id, quantity, status"
    report = model(f"SELECT {keys} FROM orders GROUP BY {keys}")
    cards = aggregations.cards(report, report, None)
    assert '<ul class="pv-list pv-many"><li><code>user_id</code>' in cards
    assert "by user_id, store_id, item_id and 2 more" in cards
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
