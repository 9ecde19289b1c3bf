from __future__ import annotations

from pathlib import Path

import pytest

from planviz.catalog import read_bundled, read_catalog
from planviz.catalog.bundled import NAMES
from planviz.errors import InputError
from planviz.execution import explain
from tests.steps import steps

FACTS = Path(__file__).resolve().parents[3] / "shared/corpus/tpcds/catalog.json"


@pytest.mark.parametrize("name", NAMES)
def test_each_loads_fast_and_says_what_it_is(name):
    read_bundled(name)
    read_bundled.cache_clear()
    taken = steps(lambda: read_bundled(name))
    catalog = read_bundled(name)

    assert catalog.name == name
    assert catalog.description
    assert taken < 40_000


@pytest.mark.skipif(not FACTS.exists(), reason="the captures are not at hand")
def test_tpcds_states_the_counted_facts():
    facts = read_catalog(FACTS)
    ours = read_bundled("tpcds")

    assert set(ours.tables) == set(facts.tables)
    for key, table in facts.tables.items():
        assert ours.tables[key].columns == table.columns
        assert dict(ours.tables[key].column_stats) == dict(table.column_stats)
        assert (ours.tables[key].row_count, ours.tables[key].size_in_bytes) == (table.row_count, table.size_in_bytes)


def test_tpch_follows_the_rules_of_generation():
    catalog = read_bundled("tpch")
    orders, line = catalog.table(("orders",)), catalog.table(("lineitem",))

    assert orders is not None
    assert line is not None
    assert (orders.row_count, line.row_count) == (150_000_000, 600_037_902)
    assert orders.statistics_of("o_custkey").distinct_count == 10_000_000
    assert (orders.statistics_of("o_orderdate").min, orders.statistics_of("o_orderdate").max) == (
        "1992-01-01", "1998-08-02",
    )  # fmt: skip
    assert line.statistics_of("l_shipdate").distinct_count == 2526
    assert line.statistics_of("l_extendedprice").max == "104949.50"


def test_the_documents_data_sets_are_views_of_values():
    text = explain("SELECT * FROM ds1 FULL OUTER JOIN ds2 ON ds1.id = ds2.no", read_bundled("documents")).text(
        "optimized"
    )

    assert text.splitlines()[1].startswith(":- LocalRelation [id#")


def test_another_name_is_refused():
    with pytest.raises(InputError, match="documents, shop, tpch, tpcds"):
        read_bundled("nothing")
