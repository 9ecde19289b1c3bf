"""The Cardinality page: two ways of planning beside each other, edits, links, measured rows, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planviz.catalog import read_catalog
from planviz.samples import load
from planviz.ui import cache, cardinality, links
from planviz.ui.cache import Opened
from planviz.ui.examples import ESTIMATED
from planviz.ui.statistics import used_tables
from tests.ui.pages import components, page
from tests.ui.test_routes import Client

ROOT = Path(__file__).parents[2]
SALES = ESTIMATED[0].sql


def sales() -> Opened:
    return cache.open_document(SALES, "tpcds")


def asked(**more: Any) -> dict[str, Any]:
    return {"left": "off", "right": "reorder", "edits": {}} | more


def titles(side: dict[str, Any]) -> list[str]:
    return [str(title) for title in side["scene"]["nodes"]["title"]]


def join_rows(side: dict[str, Any]) -> list[Any]:
    nodes, kinds = side["scene"]["nodes"], side["scene"]["kinds"]
    return [rows for rows, kind in zip(nodes["rows"], nodes["kind"], strict=True) if kinds[kind] == "join"]


def test_without_cbo_spark_knows_bytes_alone_and_with_it_rows() -> None:
    off, on = cardinality.answer(sales(), asked())["sides"]
    assert off["imagined"]
    assert not on["imagined"]
    assert join_rows(off) == [None, None]
    assert all(rows is not None for rows in join_rows(on))
    joins = [card for card, title in zip(off["cards"], titles(off), strict=True) if title == "Inner Join"]
    assert [card["label"] for card in joins] == ["unknown", "unknown"]
    assert all(card["imagined"] > 0 for card in joins)


def test_projections_are_left_out_and_partners_are_of_one_kind() -> None:
    found = cardinality.answer(sales(), asked())
    one, two = found["sides"]
    assert "Project" not in one["scene"]["nodes"]["op"][1:]
    for left, right in found["pairs"]:
        assert one["scene"]["nodes"]["kind"][left] == two["scene"]["nodes"]["kind"][right]


def test_a_card_tells_the_formula_its_inputs_and_what_it_assumes() -> None:
    side = cardinality.answer(sales(), asked())["sides"][1]
    at = titles(side).index("Inner Join")
    card = side["cards"][at]
    assert card["label"] == "estimated"
    assert card["rows"] == f"{side['scene']['nodes']['rows'][at]:,}"
    assert card["steps"]
    assert {name for name, _ in card["assumes"]} >= {"containment"}
    assert any("store_sales" in table for table, _ in card["sources"])


def test_an_edit_moves_the_plan_and_the_numbers() -> None:
    opened = sales()
    edits = {"customer": {"rowCount": 5, "columns": {"c_customer_sk": {"distinctCount": 5}}}}
    before = cardinality.answer(opened, asked())["sides"][1]
    after = cardinality.answer(opened, asked(edits=edits))["sides"][1]
    assert join_rows(before) != join_rows(after)
    # Five customers leave less of the sales than a year does, so that they come first now.
    assert _conditions(before) == ["c_customer_sk = ss_customer_sk", "ss_sold_date_sk = d_date_sk"]
    assert _conditions(after) == ["ss_sold_date_sk = d_date_sk", "c_customer_sk = ss_customer_sk"]


def _conditions(side: dict[str, Any]) -> list[str]:
    nodes = side["scene"]["nodes"]
    return [sub[0][1] for title, sub in zip(nodes["title"], nodes["sub"], strict=True) if title == "Inner Join"]


def test_edits_that_cannot_be_true_are_told() -> None:
    found = cardinality.answer(sales(), asked(edits={"store_sales": {"rowCount": 1}}))
    assert any("store_sales" in words for words in found["problems"])
    assert cardinality.answer(sales(), asked())["problems"] == []


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ({"nowhere": {"rowCount": 1}}, "no table nowhere"),
        ({"store_sales": {"rows": 1}}, "no statistic rows"),
        ({"store_sales": {"rowCount": -1}}, "whole number"),
        ({"store_sales": {"rowCount": "many"}}, "whole number"),
        ({"store_sales": {"columns": {"nope": {}}}}, "no column nope"),
        ({"store_sales": {"columns": {"ss_item_sk": {"size": 1}}}}, "no statistic size"),
    ],
)
def test_an_edit_that_is_none_is_refused_in_a_sentence(edits: dict[str, Any], words: str) -> None:
    status, body = cardinality.asked_for(sales(), "", json.dumps(asked(edits=edits)).encode())
    assert status == 422
    assert words in json.loads(body)["message"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"\xff", b'{"edits": 3}', b'{"edits": {"store_sales": 3}}', b'{"left": 5}']
)
def test_what_is_no_question_is_refused(body: bytes) -> None:
    status, answer = cardinality.asked_for(sales(), "", body)
    assert status in (400, 422)
    assert json.loads(answer)["message"]


def test_the_table_of_orders_has_every_level_and_the_chosen_order() -> None:
    status, body = cardinality.asked_for(sales(), "order", b'{"edits": {}}')
    assert status == 200
    (search,) = json.loads(body)["searches"]
    assert [level["level"] for level in search["levels"]] == [1, 2]
    names = [relation["name"] for relation in search["relations"]]
    assert sorted(names) == ["customer", "date_dim", "store_sales"]
    # Customers and dates share no key: that product is no candidate.
    pairs = {frozenset(names[i] for i in one["set"]) for one in search["levels"][0]["sets"]}
    assert pairs == {frozenset({"store_sales", "date_dim"}), frozenset({"store_sales", "customer"})}
    inner = next(part for part in search["chosen"] if isinstance(part, list))
    assert {names[i] for i in inner} == {"store_sales", "date_dim"}
    last = search["levels"][1]["sets"][0]
    assert last["chosen"]
    assert last["count"] == len(last["candidates"]) == 2
    assert last["candidates"][0][4] == 1
    assert last["candidates"][1][4] > 1


def test_too_few_relations_are_told_as_the_reason() -> None:
    opened = cache.open_document("SELECT 1 FROM store_sales JOIN item ON ss_item_sk = i_item_sk", "tpcds")
    status, body = cardinality.asked_for(opened, "order", b"{}")
    assert status == 200
    assert json.loads(body) == {"searches": [], "refused": ["There is nothing to choose between two relations."]}


def test_a_plan_is_a_picture_under_its_own_title() -> None:
    import base64

    for way, format in (("off", "svg"), ("reorder", "png")):
        body = json.dumps({"left": way, "edits": {}, "format": format, "theme": "dark"}).encode()
        status, answer = cardinality.asked_for(sales(), "picture", body)
        told = json.loads(answer)
        assert (status, told["name"]) == (200, f"cardinality-{way}.{format}")
        picture = base64.b64decode(told["base64"])
        assert picture.startswith(b"\x89PNG") if format == "png" else b"CBO off" in picture
    assert cardinality.asked_for(sales(), "picture", b'{"left": "nowhere"}')[0] in (400, 422)


def test_the_catalogue_with_the_edits_can_be_read_back() -> None:
    edits = {"item": {"rowCount": 7, "columns": {"i_item_sk": {"distinctCount": 7}}}}
    status, body = cardinality.asked_for(sales(), "catalogue", json.dumps({"edits": edits}).encode())
    assert status == 200
    table = read_catalog(json.loads(body)["text"]).table(("item",))
    assert table is not None
    assert table.row_count == 7
    stats = table.statistics_of("i_item_sk")
    assert stats is not None
    assert stats.distinct_count == 7


def test_the_route_answers_and_knows_what_it_holds() -> None:
    opened, client = sales(), Client()
    good = client.ask("POST", f"/cardinality/{opened.key}", body=json.dumps(asked()).encode())
    assert good.status_code == 200
    assert len(json.loads(good.content)["sides"]) == 2
    assert client.ask("POST", "/cardinality/nothing", body=b"{}").status_code == 404
    assert client.ask("POST", f"/cardinality/{opened.key}/what", body=b"{}").status_code == 404
    foreign = client.ask("POST", f"/cardinality/{opened.key}", {"sec-fetch-site": "cross-site"}, b"{}")
    assert foreign.status_code == 403
    assert client.ask("POST", f"/cardinality/{opened.key}", body=b" " * 1_000_001).status_code == 413


def test_a_pasted_explain_cost_shows_the_numbers_as_printed() -> None:
    data = components(page("cardinality", sample="cost-with-statistics"))["planviz_cardinality"]
    (side,) = data["answer"]["sides"]
    assert [way["id"] for way in data["ways"]][1:] == ["printed", "off", "on"]
    assert {table["name"] for table in data["tables"]} == {"orders", "stores", "items", "users"}
    assert join_rows(side) == [105_000, 104_000, 100_000]
    join = side["cards"][titles(side).index("Inner Join")]
    assert (join["label"], join["size_label"]) == ("spark", "spark")
    assert "three figures" in join["note"]


def test_a_run_shows_what_was_measured() -> None:
    data = components(page("cardinality", sample="rest-execution"))["planviz_cardinality"]
    (side,) = data["answer"]["sides"]
    assert side["scene"]["rows_are"] == "measured"
    assert {card["label"] for card in side["cards"]} >= {"measured"}


def test_a_plan_without_numbers_takes_them_and_claims_none() -> None:
    data = components(page("cardinality", sample="window-top-n"))["planviz_cardinality"]
    assert data["tables"]
    assert all(table["sizeInBytes"] is None and table["rowCount"] is None for table in data["tables"])
    (side,) = data["answer"]["sides"]
    assert "estimated" not in {card["size_label"] for card in side["cards"]}


@pytest.mark.parametrize("example", ESTIMATED, ids=lambda example: example.title)
def test_every_query_to_begin_with_is_planned(example: Any) -> None:
    app = page("cardinality")
    app.button(key=f"planviz.estimated.{example.title}").click().run()
    assert not app.exception
    data = components(app)["planviz_cardinality"]
    assert [side["way"] for side in data["answer"]["sides"]] == ["off", "reorder"]
    assert data["tables"]


def test_an_address_comes_back_to_its_edits_and_a_damaged_one_to_the_usual_pair() -> None:
    packed = str(links.pack(SALES))
    kept = asked(left="on", edits={"date_dim": {"rowCount": 10}})
    data = components(page("cardinality", plan=packed, catalog="tpcds", numbers=json.dumps(kept))).get(
        "planviz_cardinality"
    )
    assert data["asked"] == kept
    for damaged in ("{", "[]", '{"left": "sideways"}', '{"left": "off", "right": "", "edits": {"x": {}}}'):
        data = components(page("cardinality", plan=packed, catalog="tpcds", numbers=damaged))["planviz_cardinality"]
        assert data["asked"] == asked()


def test_rows_of_a_run_stand_beside_the_estimates_and_the_first_wrong_one_is_named() -> None:
    opened = cache.open_document(
        "SELECT u.country FROM orders o JOIN users u ON o.user_id = u.user_id "
        "JOIN stores s ON o.store_id = s.store_id WHERE s.country = 'FR'",
        "shop",
    )
    run = cache.open_document(load("rest-execution"))
    found = cardinality.answer(opened, asked(right="", left="on", measured=run.key))
    (side,) = found["sides"]
    measured = {
        sub[0][1] if sub else title: card.get("measured")
        for title, sub, card in zip(titles(side), side["scene"]["nodes"]["sub"], side["cards"], strict=True)
    }
    assert 300_000 in measured.values()
    assert 8_432 in measured.values()
    # A million orders were expected and 83,657 read: what is above inherits that.
    assert titles(side)[found["divergence"]["node"]] == "Relation orders"
    assert "first divergence" in side["scene"]["nodes"]["badges"][found["divergence"]["node"]]
    far = cardinality.answer(opened, asked(right="", left="on", measured=run.key, factor=100))
    assert far["divergence"] is None
    nothing = cache.open_document(load("window-top-n"))
    status, body = cardinality.asked_for(opened, "", json.dumps(asked(measured=nothing.key)).encode())
    assert status == 422
    assert "no measured rows" in json.loads(body)["message"]


def test_a_factor_grows_rows_and_keys_and_can_be_undone_by_its_inverse() -> None:
    opened = sales()
    body = {"edits": {}, "tables": ["customer"], "factor": 10}
    status, answer = cardinality.asked_for(opened, "scale", json.dumps(body).encode())
    assert status == 200
    edits = json.loads(answer)["edits"]
    tables = {table["name"]: table for table in used_tables(cardinality.execution_of(opened))}  # type: ignore[arg-type]
    assert edits["customer"]["rowCount"] == 10 * tables["customer"]["rowCount"]
    assert set(edits) == {"customer"}
    body = {"edits": edits, "tables": ["customer"], "factor": 0.1}
    status, answer = cardinality.asked_for(opened, "scale", json.dumps(body).encode())
    assert json.loads(answer)["edits"].get("customer", {}).get("rowCount") is None
    for wrong in ({"tables": ["nope"], "factor": 2}, {"tables": ["item"], "factor": 0}, {"factor": 2}):
        assert cardinality.asked_for(opened, "scale", json.dumps(wrong).encode())[0] in (400, 422)


def test_edited_numbers_are_no_longer_those_that_were_counted() -> None:
    side = cardinality.answer(sales(), asked(edits={"date_dim": {"rowCount": 10}}))["sides"][1]
    card = side["cards"][titles(side).index("Relation date_dim")]
    assert "ANALYZE" not in card["sources"][0][1]


def test_over_tables_of_which_nothing_is_known_one_plan_stands_alone() -> None:
    guessed = cache.open_document("SELECT a, count(*) FROM nowhere.t JOIN nowhere.u USING (k) GROUP BY a", cache.AUTO)
    assert cardinality.asked_of(guessed, None) == {"left": "off", "right": "", "edits": {}}
    known = cache.open_document("SELECT count(*) FROM orders JOIN customer ON o_custkey = c_custkey", "tpch")
    assert cardinality.asked_of(known, None) == {"left": "off", "right": "reorder", "edits": {}}
