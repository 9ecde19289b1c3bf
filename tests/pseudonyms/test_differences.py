"""The difference of two anonymised plans is the anonymised difference, of these; docs/anonymise.md says how often."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.comparison.plans import Difference, compare_plans, difference_json
from planviz.pseudonyms import Key, anonymise, restore


def _captured(corpus: Path, mode: str, query: str) -> str:
    import gzip

    told = json.loads(gzip.decompress((corpus / f"tpcds/captures/{mode}/{query}.json.gz").read_bytes()))
    return str(told["explain"]["extended"])


def _bags(told: object) -> object:
    """Words in alphabetical order in every sentence: names are listed by the alphabet, which pseudonyms have not."""
    if isinstance(told, dict):
        return {key: _bags(value) for key, value in told.items()}
    if isinstance(told, list):
        return [_bags(value) for value in told]
    return sorted(re.findall(r"\w+", told)) if isinstance(told, str) else told


@pytest.mark.parametrize("query", ["q3", "q12", "q26", "q58", "q74"])
def test_with_and_without_cbo(corpus: Path, query: str) -> None:
    key = Key.new(random.Random(7))
    texts = [_captured(corpus, mode, query) for mode in ("nocbo-aqeoff", "cbo-aqeoff")]
    made = [anonymise(text, key) for text in texts]
    assert [restore(text, key) for text in made] == texts
    for at in (-1, -2):
        plain = difference_json(compare_plans(*(open_text(text).plans[at] for text in texts)))
        other = difference_json(compare_plans(*(open_text(text).plans[at] for text in made)))
        expected = json.loads(anonymise(json.dumps(plain), key))
        assert _bags(other) == _bags(expected)


# -- the law for queries that nobody has seen: what stands for what, what it means and every number is the same

_JOINS = (
    "JOIN orders ON c_custkey = o_custkey",
    "JOIN lineitem ON o_orderkey = l_orderkey",
    "LEFT JOIN nation ON c_nationkey = n_nationkey",
    "JOIN region ON n_regionkey = r_regionkey",
)
_FILTERS = (
    "c_mktsegment = 'BUILDING'", "c_name LIKE '%Brand#12%'", "c_acctbal > 512.25", "o_orderdate >= DATE'1994-03-01'",
    "o_totalprice BETWEEN 17 AND 4711", "c_phone IN ('13-555', '31-777')",
    "o_custkey IN (SELECT s_nationkey FROM supplier)",
)  # fmt: skip
_SETTINGS = ("spark.sql.autoBroadcastJoinThreshold=1000000000000", "spark.sql.shuffle.partitions=7",
             "spark.sql.cbo.enabled=true", "spark.sql.adaptive.enabled=false")  # fmt: skip


@st.composite
def _plans(draw: st.DrawFn) -> str:
    """The text of the optimized and physical plan of a query over TPC-H."""
    joins = " ".join(_JOINS[: draw(st.integers(1, len(_JOINS)))])
    filters = draw(st.lists(st.sampled_from(_FILTERS), unique=True, max_size=3))
    where = f"WHERE {' AND '.join(filters)}" if filters else ""
    key = draw(st.sampled_from(("c_name", "o_orderstatus", "o_orderpriority")))
    tail = draw(st.sampled_from(("", f"ORDER BY {key}", "LIMIT 12")))
    sql = f"SELECT {key}, sum(o_totalprice) AS spent FROM customer {joins} {where} GROUP BY {key} {tail}"
    conf = dict(pair.split("=") for pair in draw(st.lists(st.sampled_from(_SETTINGS), unique=True, max_size=2)))
    document = open_sql(sql, find("tpch"), OptimizerConfig.of("spark-4.3", **conf))
    (query,) = (statement for statement in document.statements if statement.execution is not None)
    parts = (("Optimized Logical Plan", "optimized"), ("Physical Plan", "physical"))
    return "\n".join(f"== {heading} ==\n{query.text(stage)}" for heading, stage in parts)


def _law(told: Difference) -> object:
    found = difference_json(told)
    effects = [{name: value for name, value in effect.to_json().items() if name != "words"} for effect in told.effects]
    operators = json.loads(json.dumps(found["operators"]))
    for match in operators["matches"]:
        match["changes"] = [change["part"] for change in match["changes"]]
    numbers = [[cell.to_json() for cell in cells] for _, _, cells in told.operator_cells()]
    return effects, operators, found["cells"], numbers, found["headline"], found["plans"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(one=_plans(), other=_plans(), seed=st.integers(0, 2**32), numbers=st.booleans())
def test_pseudonyms_change_nothing_of_a_difference_but_its_names(
    one: str, other: str, seed: int, numbers: bool
) -> None:
    key = Key.new(random.Random(seed))
    made = [anonymise(text, key) for text in (one, other)]
    for at in (0, 1):
        plain = compare_plans(*(open_text(text).plans[at] for text in (one, other)), numbers=numbers)
        hidden = compare_plans(*(open_text(text).plans[at] for text in made), numbers=numbers)
        assert _law(hidden) == _law(plain)
        expected = json.loads(anonymise(json.dumps(difference_json(plain)), key))
        assert _bags(difference_json(hidden)["effects"]) == _bags(expected["effects"])
