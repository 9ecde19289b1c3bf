from __future__ import annotations

import json

import pytest

from planviz.catalog import Catalog, Table, read_catalog, write_catalog
from planviz.errors import InputError
from planviz.types import INT, StructField

DOCUMENT = {
    "format": "planviz-catalog/1",
    "name": "small",
    "tables": {
        "t": {
            "columns": [{"name": "a", "type": "int", "nullable": False}, {"name": "b", "type": "decimal(7,2)"}],
            "stats": {"rowCount": 10, "sizeInBytes": 80, "columns": {"a": {"distinctCount": 5, "min": 1, "max": 9}}},
        },
        "db.u": {"columns": [{"name": "x", "type": "string"}], "provider": "orc"},
    },
}


def test_reading_and_writing_agree():
    catalog = read_catalog(json.dumps(DOCUMENT))
    again = read_catalog(write_catalog(catalog))

    assert again == catalog
    table = catalog.table(("T",))
    assert table is not None
    assert (table.row_count, table.columns[0].nullable) == (10, False)
    assert table.statistics_of("A").distinct_count == 5


def test_names_may_carry_database_and_catalogue():
    catalog = read_catalog(json.dumps(DOCUMENT))

    assert catalog.table(("db", "u")).provider == "orc"
    assert catalog.table(("spark_catalog", "default", "t")) is catalog.table(("t",))
    assert catalog.table(("u",)) is None
    assert catalog.names() == ["db.u", "t"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "planviz-catalog/1"),
        ({"extra": 1}, '"extra" is unknown'),
        ({"tables": {"t": {"columns": [{"name": "a", "type": "nonsense"}]}}}, "nonsense"),
        ({"tables": {"t": {"columns": [{"name": "a"}]}}}, '"type"'),
        ({"tables": {"t": {"stats": {"rowCount": -1}}}}, "rowCount"),
        ({"tables": {"t": {"colums": []}}}, '"colums" is unknown'),
    ],
)
def test_a_wrong_catalogue_is_refused_by_name(change, message):
    with pytest.raises(InputError, match=message):
        read_catalog(json.dumps({**DOCUMENT, **change}))


def test_text_that_is_no_json_tells_where():
    with pytest.raises(InputError) as e:
        read_catalog('{"format": }')

    assert e.value.line == 1


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_catalog(tmp_path / "none.json")


def test_a_catalogue_grows_by_copies():
    empty = Catalog()
    one = empty.with_table(Table("t", (StructField("a", INT),)))

    assert empty.names() == []
    assert one.names() == ["t"]
    assert one.without(("t",)).names() == []
