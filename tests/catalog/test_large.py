"""Catalogues that are wide or deep without end: read in step with their size, or refused in a sentence."""

from __future__ import annotations

import json

import pytest

from planviz.catalog import read_catalog
from planviz.catalog.files import FORMAT
from planviz.errors import InputError
from tests.steps import steps


def _catalog(columns: list[dict[str, str]]) -> str:
    return json.dumps({"format": FORMAT, "name": "c", "tables": {"t": {"columns": columns}}})


@pytest.mark.parametrize("outer", ["array<", "map<int,", "struct<a:"])
def test_a_type_without_end_is_refused(outer: str) -> None:
    def of(depth: int) -> str:
        return _catalog([{"name": "a", "type": outer * depth + "int" + ">" * depth}])

    assert read_catalog(of(90)).tables
    for depth in (200, 50_000):
        with pytest.raises(InputError, match="nests at most 100 levels deep"):
            read_catalog(of(depth))


def test_columns_are_read_in_step_with_their_number() -> None:
    def took(count: int) -> int:
        text = _catalog([{"name": f"c{n}", "type": "int"} for n in range(count)])
        return steps(lambda: read_catalog(text))

    assert took(2_000) < 2.5 * took(1_000)
    with pytest.raises(InputError, match="is there twice"):
        read_catalog(_catalog([{"name": "a", "type": "int"}, {"name": "A", "type": "int"}]))
