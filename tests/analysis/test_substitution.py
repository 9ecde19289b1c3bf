"""`${name}` in a script has the value that SET gave the name."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document.opening.templates import read_template
from planviz.execution import Session

TABLE = "CREATE TABLE t (a INT, day STRING) USING parquet;\n"


def last(sql, **settings):
    *_, outcome = Session(config=OptimizerConfig.of(**settings)).run(TABLE + sql)
    return outcome


@pytest.mark.parametrize(
    ("sql", "filter_"),
    [
        ("SET src = t; SELECT a FROM ${src} WHERE a > 1", "(a#1 > 1)"),
        ("SET run.day=2024-01-01; SELECT a FROM t WHERE day = '${hivevar:run.day}'", "(day#2 = 2024-01-01)"),
        ("SET n = 1; SET m = ${n}; SET n = 2; SELECT a FROM t WHERE a IN (${hiveconf:m}, ${n})", "a#1 IN (1,2)"),
        ("SELECT a FROM t WHERE a < ${spark.sql.shuffle.partitions}", "(a#1 < 200)"),
        ("SET x = 1; RESET x; SELECT a FROM t WHERE day = '${x}'", "(day#2 = ${x})"),
        ("SELECT a FROM t WHERE day = '${env:HOME}'", "(day#2 = ${env:HOME})"),
        ("SET x = 1; SET spark.sql.variable.substitute = false; SELECT a FROM t WHERE day = '${x}'", "(day#2 = ${x})"),
    ],
)
def test_a_name_stands_for_what_set_gave_it(sql, filter_):
    outcome = last(sql)
    assert outcome.error is None
    assert f"Filter {filter_}\n" in outcome.execution.text("analyzed")


def test_errors_stand_at_their_place_in_the_text_with_the_values():
    error = last("SET src = t;\nSELECT a,\n nosuch FROM ${src}").error
    assert (error.line, error.column) == (4, 2)


def test_a_template_knows_what_set_gave_names():
    template = read_template("SET d = 2024-01-01;\nSELECT * FROM t WHERE day = '${d}' AND a = ${hiveconf:k}")
    assert template.sql.startswith("SET d = 2024-01-01;\nSELECT * FROM t WHERE day = '2024-01-01' AND a = 1")
    assert "(k)" in template.notes[0]
