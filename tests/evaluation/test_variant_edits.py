"""Changes of variants: the values, NULLs and errors that Spark 4.3 gives."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import Catalog
from planviz.errors import PlanvizError
from planviz.execution import explain


def value(call: str) -> str:
    line = explain(f"SELECT {call} AS v", Catalog()).text("optimized").split("\n")[0]
    return line.removeprefix("Project [").rpartition(" AS v#")[0]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("""variant_set(parse_json('{"a": 1}'), '$.b', 3)""", '{"a":1,"b":3}'),
        ("""variant_set(parse_json('{"a": 1}'), '$.b', 2, false)""", '{"a":1}'),
        ("""variant_set(parse_json('["a","b"]'), '$[3]', 'z')""", '["a","b",null,"z"]'),
        ("""variant_set(parse_json('{"a": 1}'), '$.b.c[1]', array(1, 2))""", '{"a":1,"b":{"c":[null,[1,2]]}}'),
        ("""try_variant_set(parse_json('{"a": 1}'), '$.a.b', 2)""", "null"),
        ("""variant_set(parse_json('{"a": 1}'), '$.a', cast(null as int))""", "null"),
        ("""variant_insert(parse_json('["a","c"]'), '$[1]', 'b')""", '["a","b","c"]'),
        ("""variant_insert(parse_json('[]'), '$[2][1].x', 1.50)""", '[null,null,[null,{"x":1.5}]]'),
        ("""try_variant_insert(parse_json('{"a": 1}'), '$.a', 2)""", "null"),
        ("""variant_array_append(parse_json('[1]'), '$', parse_json('[2, 3]'))""", "[1,[2,3]]"),
        ("""variant_array_append(parse_json('{"a": 1}'), '$.missing', 2)""", '{"a":1}'),
        ("""try_variant_array_append(parse_json('{"a": 1}'), '$.a', 2)""", "null"),
        ("""variant_strip_nulls(parse_json('{"a": {"b": null, "c": [1, null]}}'))""", '{"a":{"c":[1]}}'),
        ("""variant_strip_nulls(parse_json('[[null],{"a":null}]'), false)""", "[[null],{}]"),
    ],
)
def test_values(call: str, expected: str) -> None:
    assert value(call) == expected


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("""variant_set(parse_json('{"a": 1}'), '$.a.b', 2)""", "VARIANT_PATH_TYPE_MISMATCH"),
        ("""variant_set(parse_json('{"a": 1}'), '$[0]', 1)""", "VARIANT_PATH_TYPE_MISMATCH"),
        ("""variant_insert(parse_json('{"a": 1}'), '$.a', 2)""", "VARIANT_DUPLICATE_KEY"),
        ("""variant_set(parse_json('{"a": 1}'), '$', 2)""", "INVALID_VARIANT_PATH"),
        ("""variant_array_append(parse_json('{"a": 1}'), '$.a', 2)""", "VARIANT_PATH_TYPE_MISMATCH"),
    ],
)
def test_errors(call: str, condition: str) -> None:
    with pytest.raises(PlanvizError, match=condition):
        value(call)
