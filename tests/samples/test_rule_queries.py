"""The queries of `sample_queries/rules` and `sample_queries/documents` do what their headers say (F-011)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.execution import Session
from tests.acceptance.engines import real_spark, short, skip_without_java
from tests.acceptance.table import Case

FOLDER = Path(__file__).parents[2] / "sample_queries"
FILES = sorted([*(FOLDER / "rules").glob("*.sql"), *(FOLDER / "documents").glob("*.sql")])
NAMES = [f"{f.parent.name}/{f.stem}" for f in FILES]
HEADER = re.compile(r"(?m)^-- ([a-z]+): (.*)$")


def header(text):
    return dict(HEADER.findall(text))


def settings(head):
    return dict(pair.split("=", 1) for pair in head["settings"].split(", ")) if "settings" in head else {}


def listed(head, key):
    return {r.strip() for r in head.get(key, "").split(",") if r.strip()}


def statements(text):
    return [s.strip() for s in re.sub(r"(?m)^-- .*$", "", text).split(";") if s.strip()]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_planviz_applies_the_rules_that_the_header_names(path):
    text = path.read_text(encoding="utf-8")
    head = header(text)
    assert {"title", "about", "catalogue", "rules"} <= head.keys()
    config = OptimizerConfig().with_settings(settings(head))

    outcomes = list(Session(read_bundled(head["catalogue"]), config).run(text))
    outcome = outcomes[-1]

    assert [o.error for o in outcomes if o.error is not None] == []
    assert "source" not in head  # numbers of a list that the reader does not have
    assert outcome.execution is not None
    assert outcome.execution.optimized.resolved
    fired = {short(a.rule) for a in outcome.execution.trace}
    assert listed(head, "rules") <= fired


def test_a_file_is_named_after_its_rule():
    for path in (FOLDER / "rules").glob("*.sql"):
        rule = header(path.read_text(encoding="utf-8"))["title"]
        assert path.stem == re.sub(r"(?<=[a-z])(?=[A-Z])", "-", rule).lower()


@pytest.fixture(scope="module")
def real():
    skip_without_java()
    engine = real_spark()
    engine.spark.sql("CREATE DATABASE IF NOT EXISTS tpcds")
    for name, table in read_bundled("tpcds").tables.items():
        columns = ", ".join(f"{c.name} {c.data_type.simple_string}" for c in table.columns)
        engine.spark.sql(f"CREATE TABLE IF NOT EXISTS tpcds.{name.split('.')[-1]} ({columns}) USING parquet")
    yield engine
    engine.spark.sql("USE default")


@pytest.mark.spark
@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_real_spark_applies_them_too(path, real):
    text = path.read_text(encoding="utf-8")
    head = header(text)
    real.spark.sql(f"USE {'tpcds' if head['catalogue'] == 'tpcds' else 'default'}")
    *before, query = statements(text)
    for statement in before:
        if made := re.match(r"CREATE TABLE (\w+)", statement):
            real.spark.sql(f"DROP TABLE IF EXISTS {made[1]}")
        real.spark.sql(statement)

    given = [f"{k}={v}" for k, v in settings(head).items()]
    answer = real.run(Case("F-011", re.sub(r"\s+", " ", query), {"set": given}))

    assert answer.error is None
    assert listed(head, "rules") <= answer.fired
