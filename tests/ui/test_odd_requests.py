"""Odd bodies of requests: an answer with a sentence, never a failure of the server."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from planviz.ui import cache, selections
from planviz.ui.bodies import read_json
from planviz.ui.routes import _refusal
from tests.ui.test_routes import Client

SQL = "SELECT c_name, count(DISTINCT o_orderkey) FROM customer JOIN orders ON c_custkey = o_custkey GROUP BY c_name"
LEAVES = (None, True, False, 0, -1, 7, 1.5, 10**30, -(10**30), 1e308, "", "x", "0", "\udcff", "c" * 300, [], {}, [[]])
NAMES = ("join", "asked", "want", "at", "quick", "settings", "sizes", "hints", "types", "profile", "left",
         "right", "edits", "measured", "factor", "table",
         "tables", "customer", "rowCount", "0", "spark.sql.cbo.enabled", "x",
         "number", "setting", "rows", "room", "c_name", "o_orderkey")  # fmt: skip
WORDS = (
    "flips",
    "diff",
    "play",
    "plays",
    "page",
    "settings",
    "off",
    "on",
    "reorder",
    "customer",
    "spark-3.0",
    "broadcast",
)
PATHS = ("/joins/{}", "/cardinality/{}", "/cardinality/{}/order", "/cardinality/{}/sizes", "/cardinality/{}/scale",
         "/cardinality/{}/catalogue", "/aggregations/{}", "/cardinality/{}/else")  # fmt: skip


def made(chance: random.Random, depth: int = 0) -> Any:
    """A JSON value, names and words of real requests among it."""
    kind = chance.random()
    if depth > 3 or kind < 0.4:
        return chance.choice((*LEAVES, *WORDS))
    if kind < 0.6:
        return [made(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(NAMES): made(chance, depth + 1) for _ in range(chance.randrange(5))}


@pytest.fixture(scope="module")
def key() -> str:
    return cache.open_document(SQL, "tpch").key


@pytest.mark.slow
def test_no_body_makes_the_server_fail(key: str) -> None:
    client, chance = Client(), random.Random(15)
    for n in range(800):
        body = made(chance)
        if isinstance(body, dict) and n % 2:
            body |= {"join": 0, "left": "off", "right": "on", "number": 1}
        path = PATHS[n % len(PATHS)].format(key)
        answer = client.ask("POST", path, None, json.dumps(body).encode())
        assert answer.status_code in (200, 400, 404, 422), (path, body)
        if answer.status_code != 200:
            assert json.loads(answer.content)["message"].endswith((".", "?")), (path, body, answer.content)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff", b"[" * 50_000, b'{"a":' * 50_000, b'{"join": NaN}', b'{"join": 1e999}',
     b'{"join": ' + b"9" * 20_000 + b"}", b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}", b"\x00", b'"x"', b"{}\x00"],
)  # fmt: skip
def test_what_is_no_json_object_is_told(body: bytes, key: str) -> None:
    for path in PATHS[:-1]:
        answer = Client().ask("POST", path.format(key), None, body)
        assert answer.status_code in (400, 413)
        assert json.loads(answer.content)["message"]


ODD_NUMBERS = ("%C2%B2", "%D9%A3", "9" * 5_000, "-1", "1e3", "%EF%BC%91", "0x1", "a" * 3_000, "..", "%00", "00", "1.0")


@pytest.mark.parametrize("number", ODD_NUMBERS, ids=range(len(ODD_NUMBERS)))
def test_what_is_no_number_in_an_address_is_not_there(number: str, key: str) -> None:
    """Digits of other scripts are digits to `isdigit`, and Python reads no number of more than 4,300."""
    visitor = selections.new_visitor()
    shown = {"key": key, "plan": "0", "node": None, "given": "", "step": None, "off": [], "why": None, "join": None}
    selections.show(visitor, shown)
    for address in (
        f"/plan/{key}/{number}/details.json", f"/plan/{key}/{number}/why.json", f"/plan/{key}/{number}/why/0.json",
        f"/plan/{key}/0/why/{number}.json", f"/plan/{key}/{number}.svg", f"/plan/{key}/step-{number}.svg",
        f"/joins/{key}/{number}.svg", f"/aggregations/{key}/{number}.svg",
        f"/plan/{number}/0.svg", f"/plan/{number}.svg", f"/plan/{key}/0.{number}",
        f"/ahead/{visitor}/explore?plan={number}", f"/ahead/{number}/explore", f"/ahead/{visitor}/{number}",
    ):  # fmt: skip
        assert Client().get(address).status_code in (200, 204, 400, 404, 422), address


def test_a_text_that_is_no_utf_8_is_told() -> None:
    for body in (b"\xff", b"SELECT 1\xc3", b"\xed\xa0"):
        answer = Client().ask("POST", "/plan", None, body)
        assert answer.status_code == 400
        assert "is no UTF-8" in json.loads(answer.content)["message"]


def test_brackets_without_end_are_no_plan() -> None:
    answer = Client().ask("POST", "/plan", None, b"[" * 50_000)
    assert answer.status_code == 422
    assert json.loads(answer.content)["message"]


def test_what_a_page_sends_is_read() -> None:
    asked = {"join": 0, "asked": {"sizes": {"t": 10**18}, "hints": {"0": ["broadcast", None]}}, "quick": True}
    assert read_json(json.dumps(asked).encode()) == asked


def test_a_refusal_may_quote_half_a_character() -> None:
    body = json.loads(_refusal("no setting \udcff", None, 400).body)
    assert body == {"message": "no setting \udcff", "line": None}
