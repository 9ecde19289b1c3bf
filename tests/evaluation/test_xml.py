"""Structs as XML, rows of XML as structs, and bytes within values, as Spark 4.3 computes them while it plans."""

from __future__ import annotations

import time

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import explain


def optimized(sql: str, **settings: object) -> str:
    return explain(sql, config=OptimizerConfig.of(**settings)).text("optimized")


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        (
            "to_xml(named_struct('a', 1, 'b', array(1, 2)))",
            "[<ROW>\n    <a>1</a>\n    <b>1</b>\n    <b>2</b>\n</ROW> AS",
        ),
        ("to_xml(named_struct('a', struct('x')), map('indent', ''))", "[<ROW><a><col1>x</col1></a></ROW>\n AS"),
        (
            "to_xml(named_struct('d', DATE'2024-01-02'), map('rowTag', 'r', 'dateFormat', 'dd/MM', 'indent', ''))",
            "[<r><d>02/01</d></r>\n AS",
        ),
        ("from_xml('<p><a>1</a><a>2</a><b>x&amp;y</b></p>', 'a ARRAY<INT>, b STRING, c DATE')", "[[[1,2],x&y,null] AS"),
        ("from_xml('<p><a><b>7</b></a><d>2012-12-15</d></p>', 'a STRUCT<b: INT>, d DATE')", "[[[7],15689] AS"),
        ("from_xml('<p><a>x</a></p>', 'a INT')", "[[null] AS"),
        ("to_csv(struct(X'6162', 1))", "[[61 62],1 AS"),
    ],
)
def test_it_is_computed(sql, shown):
    assert shown in optimized(f"SELECT {sql}")


@pytest.mark.parametrize(
    "text",
    [
        "<p><a>1</b></p>",
        "<p><a>1</a>",
        "<!DOCTYPE p [<!ENTITY e 'x'>]><p><a>&e;</a></p>",
        "<p a=''1''><a>1</a></p>",
        "<p><a>1</a></p><p/>",
        "<p><a>&#65;</a></p>",
    ],
)
def test_what_is_more_than_elements_is_left_to_spark(text):
    quoted = text.replace("'", "\\'")
    assert "[from_xml(StructField(a,IntegerType,true)" in optimized(f"SELECT from_xml('{quoted}', 'a INT')")


@pytest.mark.parametrize("text", ["<a>" * 20_000, "<a>" * 300 + "</a>" * 300, "<" * 50_000, "<a x" * 20_000])
def test_texts_that_never_end_are_given_up_at_once(text):
    started = time.process_time()
    assert "from_xml(" in optimized(f"SELECT from_xml('{text}', 'a INT')")
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("style", "shown"), [("HEX", "61FF"), ("BASE64", "Yf8"), ("BASIC", "[97, -1]"), ("HEX_DISCRETE", "[61 FF]")]
)
def test_bytes_are_shown_in_the_style_of_the_session(style, shown):
    settings = {"spark.sql.binaryOutputStyle": style}
    text = optimized("SELECT to_xml(struct(X'61FF'), map('indent', ''))", **settings)
    assert f"<col1>{shown}</col1>" in text


def test_bytes_within_a_value_are_shown_as_java_shows_an_array():
    text = optimized("SELECT array(X'61', X''), X'61'")
    assert text.startswith("Project [[[B@e8b7be43,[B@00000000] AS")
    assert ", 0x61 AS" in text
