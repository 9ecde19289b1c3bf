from __future__ import annotations

import json

import pytest

from planviz.catalog import NAMES
from planviz.catalogs import problems_of

BASE = {
    "format": "planviz-catalog/1",
    "tables": {
        "t": {
            "columns": [
                {"name": "a", "type": "int"},
                {"name": "d", "type": "date"},
                {"name": "m", "type": "decimal(7,2)"},
                {"name": "b", "type": "boolean"},
            ],
            "stats": {"rowCount": 10, "columns": {}},
        }
    },
}


def problems(tmp_path, change):
    document = json.loads(json.dumps(BASE))
    change(document, document["tables"]["t"])
    path = tmp_path / "c.json"
    path.write_text(json.dumps(document))
    return [str(p) for p in problems_of(str(path))]


def stats(column, **values):
    return lambda d, t: t["stats"]["columns"].update({column: values})


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (stats("a", distinctCount=11), "tables.t.stats.columns.a.distinctCount", "more than the table's 10 rows"),
        (stats("a", nullCount=11), "tables.t.stats.columns.a.nullCount", "more than the table's 10 rows"),
        (stats("a", min=5, max=4), "tables.t.stats.columns.a.min", "5 is more than max, 4"),
        (stats("a", min="9", max="10"), None, None),
        (stats("a", min="x"), "tables.t.stats.columns.a.min", "'x' is no value of the column's type int"),
        (stats("a", min=True), "tables.t.stats.columns.a.min", "no value of the column's type int"),
        (stats("d", min="2026-01-31", max="2025-01-01"), "tables.t.stats.columns.d.min", "is more than max"),
        (stats("d", max="soon"), "tables.t.stats.columns.d.max", "no value of the column's type date"),
        (stats("m", min="-1.50", max="2"), None, None),
        (stats("m", min="1,5"), "tables.t.stats.columns.m.min", "no value of the column's type decimal(7,2)"),
        (stats("b", min="false", max="true"), None, None),
        (stats("b", min=0), "tables.t.stats.columns.b.min", "no value of the column's type boolean"),
        (stats("a", avgLen=9, maxLen=4), "tables.t.stats.columns.a.avgLen", "9 is more than maxLen, 4"),
        (stats("x", nullCount=0), "tables.t.stats.columns.x", "none of the table's columns"),
        (stats("a", nullcount=0), "tables.t.stats.columns.a", '"nullcount" is unknown; did you mean nullCount?'),
        (stats("a", distinctCount=1.5), "tables.t.stats.columns.a.distinctCount", "must be a whole number"),
        (stats("a", histogram={"height": 1}), None, None),
        (
            stats("a", histogram={"height": 1, "bins": [{"lo": 1}]}),
            "tables.t.stats.columns.a.histogram",
            'each bin with numbers "lo"',
        ),
        (
            stats("a", histogram={"height": 1, "bins": [{"lo": 5, "hi": 9, "ndv": 1}, {"lo": 1, "hi": 2, "ndv": 1}]}),
            "tables.t.stats.columns.a.histogram.bins.1",
            "does not follow the bin before it",
        ),
        (lambda d, t: t.update(partition_columns=["p"]), "tables.t.partition_columns", "p is none of the table's"),
        (lambda d, t: t.update(partition_columns="a"), "tables.t.partition_columns", 'must be a list, not "a"'),
        (lambda d, t: t["columns"].append({"name": "A", "type": "int"}), "tables.t.columns.4.name", "there twice"),
        (lambda d, t: t["columns"].append({"name": "z", "type": "integr"}), "tables.t.columns.4.type", "'integr'"),
        (lambda d, t: t["columns"].append({"name": "z"}), "tables.t.columns.4", 'needs a "name" and a "type"'),
        (lambda d, t: t["columns"][0].update(nullable="no"), "tables.t.columns.0.nullable", "must be true or false"),
        (lambda d, t: d["tables"].update(T=t), "tables.T", "names do not differ by case"),
        (lambda d, t: d.update(view={}), "", 'the key "view" is unknown; did you mean views?'),
        (lambda d, t: d.update(views={"v": "SELECT z FROM t"}), "views.v", "UNRESOLVED_COLUMN"),
    ],
)
def test_each_mistake_is_named_with_its_path(tmp_path, change, path, message):
    found = problems(tmp_path, change)

    if path is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith(f"{path}: " if path else "")
        assert message in found[0]


def test_all_mistakes_are_told_at_once(tmp_path):
    def change(document, table):
        stats("a", distinctCount=11, nullCount=11, min=5, max=4)(document, table)
        table["extra"] = 1

    assert len(problems(tmp_path, change)) == 4


@pytest.mark.parametrize("name", NAMES)
def test_the_bundled_ones_are_sound(name):
    assert problems_of(name) == []
