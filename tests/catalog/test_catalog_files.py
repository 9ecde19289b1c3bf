from __future__ import annotations

import json

import pytest

from planviz.catalog import Catalog, Table, read_catalog, write_catalog
from planviz.catalog.files import parse_catalog
from planviz.catalog.text import catalog_text
from planviz.errors import InputError
from planviz.execution import Session
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


FUNCTIONS = {
    "py_mean": {"returns": "double", "evalType": "SQL_GROUPED_AGG_PANDAS_UDF"},
    "Draw": {"returns": "array<int>", "evalType": 200, "deterministic": False},
    "f": {},
}


def test_functions_written_in_python():
    catalog = read_catalog(json.dumps({**DOCUMENT, "functions": FUNCTIONS}))
    found = [catalog.function((name,)) for name in ("PY_MEAN", "draw", "f")]

    assert [(f.returns.simple_string, f.eval_type and int(f.eval_type), f.deterministic) for f in found] == [
        ("double", 202, True),
        ("array<int>", 200, False),
        ("string", None, True),
    ]
    assert read_catalog(write_catalog(catalog)) == catalog
    assert "Draw  Python function\n  SQL_SCALAR_PANDAS_UDF returns array<int>, not deterministic" in catalog_text(
        catalog
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"returns": "nonsense"}, r"functions\.f\.returns: .*nonsense"),
        ({"evalType": 203.5}, r"functions\.f\.evalType: There is no kind of Python function 203\.5"),
        ({"evalType": "SQL_GROUPED"}, "there are udf, SQL_BATCHED_UDF"),
        ({"deterministic": "yes"}, "must be true or false"),
        ({"return": "int"}, "did you mean returns"),
        (3, "must be a JSON object"),
    ],
)
def test_a_wrong_function_is_refused_by_name(entry, message):
    with pytest.raises(InputError, match=message):
        read_catalog(json.dumps({**DOCUMENT, "functions": {"f": entry}}))


def test_a_catalogue_of_functions_alone_leaves_the_tables_to_be_guessed():
    catalog = read_catalog(json.dumps({"format": "planviz-catalog/1", "functions": FUNCTIONS}))
    (outcome,) = Session(catalog, infer=None).run("SELECT b, py_mean(f(a)) FROM t GROUP BY b", "physical")

    assert outcome.error is None
    assert "ArrowAggregatePython [b#" in outcome.execution.text("physical")


def test_a_number_of_thousands_of_digits_is_refused():
    text = '{"tables": [{"name": "t", "columns": [], "rowCount": ' + "9" * 5_000 + "}]}"
    with pytest.raises(InputError, match=r"more than 4,300 digits"):
        parse_catalog(text)
