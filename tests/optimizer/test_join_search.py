"""The search for the cheapest order of joins as relations are added (inventory E-061..E-068)."""

from __future__ import annotations

import pytest

from benchmarks.reorder import SETTINGS, catalog_of, chain, star
from planviz.config import OptimizerConfig
from planviz.execution import explain
from tests.steps import steps


def _search(sql, count):
    query = explain(sql, catalog_of(count), OptimizerConfig().with_settings(SETTINGS))
    query.reorderings = []
    taken = steps(lambda: query.optimized)
    (search,) = query.reorderings
    return search, taken


@pytest.mark.parametrize("count", [3, 5, 7, 9])
def test_a_star_compares_every_set_with_the_large_table(count):
    search, _ = _search(star(count), count)

    assert sum(map(len, search.levels)) == (count - 1) * 2 ** (count - 2)
    assert all(c.left & c.right == 0 for level in search.levels for c in level)


@pytest.mark.parametrize("count", [3, 5, 7, 9])
def test_a_chain_compares_every_split_of_every_stretch(count):
    search, _ = _search(chain(count), count)

    assert sum(map(len, search.levels)) == count * (count - 1) * (count + 1) // 6


@pytest.mark.slow
def test_the_work_on_twelve_relations_is_that_of_their_candidates():
    search, taken = _search(star(12), 12)

    assert taken < 150 * sum(map(len, search.levels))
