"""The inventory: complete, as the generator makes it, and every test that it names is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance import (
    test_group_a,
    test_group_b,
    test_group_c,
    test_group_d,
    test_group_e,
    test_group_f,
    test_group_g,
)
from tools.list_inventory import FILE, items, text

TESTS = Path(__file__).resolve().parent.parent
FOUND = items()


def test_every_item_is_there() -> None:
    tables = (
        test_group_a,
        test_group_b,
        test_group_c,
        test_group_d,
        test_group_e,
        test_group_f,
        test_group_g,
    )
    wanted = set().union(*(table.ITEMS for table in tables)) | {"F-017", "G-016", "G-017"}
    assert set(FOUND) == wanted


def test_the_file_is_what_the_generator_makes() -> None:
    assert FILE.read_text("utf-8") == text()


@pytest.mark.parametrize("check", sorted({check for _, _, check in FOUND.values() if check != "-"}))
def test_every_check_is_a_test_of_ours(check: str) -> None:
    assert "def test_" in (TESTS / check).read_text("utf-8")


def test_every_item_has_words_and_a_place() -> None:
    assert all(len(words) > 3 and where for words, where, _ in FOUND.values())
    assert [item for item, (_, _, check) in FOUND.items() if check == "-"] == ["F-017", "G-016", "G-017"]
