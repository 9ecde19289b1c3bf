"""JSON that Python's own reader gives up on is answered in a sentence, or read as far as it goes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from planviz.catalog.edit import edited
from planviz.catalog.tables import Catalog
from planviz.document import open_text
from planviz.errors import InputError, NotAPlan
from planviz.pseudonyms import anonymise, restore
from planviz.pseudonyms.key import Key, parse_key
from planviz.samples import load

DEEP, LONG = "[" * 100_000, "9" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        f'[{{"nodeName": "a", "children": [], "x": {LONG}}}]',
        f'[{{"a": "{{\\"b\\": {LONG}}}"}}]',
        f'{{"format": "planviz-capture/1", "x": {DEEP}',
        f'{{"format": "planviz-capture/1", "x": {"[" * 5_000}{"]" * 5_000}}}',
        f'{{"format": "planviz-capture/1", "x": {LONG}}}',
    ],
)
def test_numbers_and_brackets_without_end_are_no_plan(text: str) -> None:
    with pytest.raises((NotAPlan, InputError)) as refused:
        open_text(text)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("text", [DEEP + '"customer"', '{"customer":' * 50_000, f'{{"customer": {LONG}}}'])
def test_what_is_no_json_that_can_be_read_is_anonymised_all_the_same(text: str) -> None:
    key = Key.new(random.Random(1))
    told = anonymise(text, key)
    assert "customer" not in told
    assert restore(told, key) == text


def test_a_key_that_nests_without_end_is_none() -> None:
    with pytest.raises(InputError, match="is no key of planviz"):
        parse_key('{"a":' * 100_000)


def test_a_key_whose_pseudonyms_are_all_taken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planviz.pseudonyms.key._MOST_TRIES", 2_000)
    key = Key.new(random.Random(1))
    for number in range(2, 10):
        key.names["number"][f"of another {number}"] = str(number)
    with pytest.raises(InputError, match=r"no pseudonym left for 7.*a new key"):
        key.number("7")


@pytest.mark.parametrize("value", [LONG, DEEP])
def test_a_value_that_is_no_number_of_a_catalogue_is_told(value: str) -> None:
    from planviz.catalog.bundled import read_bundled

    tpch: Catalog = read_bundled("tpch")
    with pytest.raises(InputError):
        edited(tpch, [f"orders.rowCount={value}"])


@pytest.mark.parametrize("dress", [lambda text: f"Out[5]: {text!r}", json.dumps], ids=["notebook", "string"])
def test_json_as_a_notebook_or_a_program_shows_it(dress: Callable[[str], str]) -> None:
    document = open_text(dress(load("plan-json").strip()))
    assert document.recognised == "plan as JSON"
    assert [node.op for node in document.plans[0]] == [node.op for node in open_text(load("plan-json")).plans[0]]
