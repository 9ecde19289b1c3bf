"""Logical plans as Spark prints them, read back."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest

from planviz.document import open_text
from planviz.expressions.arithmetic import UnaryMinus
from planviz.expressions.core import Literal
from planviz.expressions.predicates import In
from planviz.logical.operators import Filter
from planviz.replay.plans import ReadPlan, columns_in, read_plan
from planviz.replay.term import Unreadable
from planviz.replay.terms import Terms
from planviz.types import INT, LONG, STRING, DataType, DecimalType
from tests.fidelity.replay import CORPUS, round_trip, sql_tests

RELATION = "Relation shop.sales[id#1L,kind#2,price#3,day#4,n#5,tags#6] parquet"
SCAN = (
    "FileScan parquet shop.sales[id#1L,kind#2,price#3,day#4,n#5,tags#6] Batched: true, "
    "ReadSchema: struct<id:bigint,kind:string,price:decimal(7,2),day:date,n:int,tags:array<string>>"
)


def read(*lines: str) -> ReadPlan:
    """A plan of one operator above another, read back; the last one is a relation."""
    tree = "\n".join(("   " * (i - 1) + "+- " if i else "") + line for i, line in enumerate((*lines, RELATION)))
    text = f"== Optimized Logical Plan ==\n{tree}\n\n== Physical Plan ==\n{SCAN}\n"
    document = open_text(text)
    made = read_plan(document.plans[0], columns_in(document.plans, text))
    assert made.text == tree + "\n"
    return made


@pytest.mark.parametrize(
    "line",
    [
        "Filter ((isnotnull(kind#2) AND (kind#2 = a, b)) AND (n#5 > -3))",
        "Filter (NOT kind#2 IN (x,y z,(w)) OR kind#2 LIKE %a%)",
        "Filter n#5 INSET 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9",
        "Filter ((price#3 >= 100.00) AND (price#3 <= 1.50))",
        "Filter (day#4 <= cast(1999-02-01 as date) + 1 months 2 days)",
        "Filter ((day#4 >= 10623) AND (day#4 <= -3))",
        "Aggregate [kind#2, n#5]",
        "CTERelationDef 0",
        "Project [CheckOverflow((promote_precision(price#3) * 1.20), DecimalType(10,4), true) AS x#9]",
        "Filter (day#4 >= 2000-01-01)",
        "Filter (day#4 < 1993-07-01 + INTERVAL '3' MONTH)",
        "Filter ((day#4 + INTERVAL '1' YEAR < 2000-01-01) AND (n#5 = ~5))",
        "Filter (cast(day#4 as timestamp) >= 2000-01-01 10:00:00 - INTERVAL '7' DAY)",
        "Filter (cast(day#4 as string) = 2000-01-01)",
        "Project [concat(kind#2, , , kind#2) AS concat(kind, , , kind)#9]",
        "Project [coalesce(kind#2, ) AS c#9, n#5]",
        "Project [CASE WHEN (n#5 = 1) THEN one WHEN (n#5 = 2) THEN two ELSE many END AS word#9]",
        "Project [if ((n#5 = 1)) price#3 else null AS p#9]",
        "Project [cast((price#3 * 1.2) as decimal(9,3)) AS (price * 1.2)#9]",
        "Project [tags#6[0] AS t#9, transform(tags#6, lambdafunction(lambda x_1#8, lambda x_1#8, false)) AS u#10]",
        "Aggregate [kind#2], [kind#2, count(distinct n#5) AS c#9L, sum(n#5) FILTER (WHERE (n#5 > 1)) AS s#10L]",
        "Aggregate [MakeDecimal(sum(UnscaledValue(price#3)),17,2) AS sum(price)#9]",
        "Window [row_number() windowspecdefinition(kind#2, n#5 ASC NULLS FIRST, specifiedwindowframe(RowFrame, "
        "unboundedpreceding$(), currentrow$())) AS rn#9], [kind#2], [n#5 ASC NULLS FIRST]",
        "Expand [[kind#2, n#5, 0], [kind#2, null, 1]], [kind#2, n#11, spark_grouping_id#12L]",
        "Generate explode(tags#6), [5], false, [tag#9]",
        "Sort [n#5 DESC NULLS LAST], true",
        "RepartitionByExpression [kind#2], 7",
        "Project [ AS nothing#9, n#5]",
        "Project [knownnullable(n#5) AS n#9]",
        "Project [precisetimestampconversion((precisetimestampconversion(cast(day#4 as timestamp), TimestampType, "
        "LongType) - 0), LongType, TimestampType) AS start#9]",
        "Frobnicate [kind#2], what, ever",
        "Project [frob(kind#2, }{) AS x#9]",
    ],
)
def test_a_line_is_printed_as_it_stood(line: str) -> None:
    read(line)


def test_constants_take_the_type_of_what_stands_beside_them() -> None:
    made = read("Filter (((kind#2 = 12) AND (price#3 = 100)) AND ((id#1L = 7) AND n#5 IN (1,2)))").plan
    assert isinstance(made, Filter)
    types = {e.text: e.type for e in made.condition.collect(Literal)}
    assert types["12"] == STRING
    assert types["100"] == DecimalType(7, 2)
    assert types["7"] == LONG
    assert types["1"] == INT
    assert made.condition.bits & In.BIT


def test_what_nobody_knows_is_opaque_and_counted() -> None:
    made = read("Project [n#5, frob(kind#2) AS x#9]")
    assert made.opaque == ["frob(kind#2)"]
    assert [a.name for a in made.plan.output] == ["n", "x"]
    assert read("Frobnicate kind#2").opaque_operators == ["Frobnicate kind#2"]


@pytest.mark.parametrize(
    "expression",
    [
        "to_date(kind#2, None, Some(Etc/UTC), false)",
        "to_date(kind#2, Some(yyyy-MM-dd), Some(Etc/UTC), true)",
        "to_timestamp(kind#2, Some(HH:mm, dd.MM.yyyy), TimestampType, Some(Europe/Berlin), false)",
        "cast(gettimestamp(kind#2, yyyy-MM-dd, TimestampType, Some(UTC), false) as date)",
        "cast(gettimestamp(kind#2, yyyy-MM-dd, TimestampType, try_to_date, Some(UTC), true) as date)",
        "kind#2 LIKE %ship%",
        "concat_ws(-, kind#2, cast(n#5 as string))",
        "add_months(1993-07-01 + INTERVAL '3' MONTH, n#5)",
        "(day#4 > 1993-07-01 + INTERVAL '3' MONTH)",
        "(day#4 + INTERVAL '1' YEAR < current_date(Some(UTC)))",
        "(n#5 + ~5)",
        "split(kind#2, -, -1)",
    ],
)
def test_an_expression_with_a_name_is_known(expression: str) -> None:
    made = read(f"Project [{expression} AS x#9]")
    assert made.opaque == []


def test_a_frame_that_begins_an_interval_before_a_row_is_known() -> None:
    made = read(
        "Window [max(price#3) windowspecdefinition(kind#2, day#4 ASC NULLS FIRST, specifiedwindowframe(RangeFrame, "
        "-INTERVAL '7' DAY, currentrow$())) AS m#9], [kind#2], [day#4 ASC NULLS FIRST]"
    )
    assert made.opaque == []
    assert any(e.text == "-INTERVAL '7' DAY" for e in made.plan.expressions[0].collect(UnaryMinus))
    assert made.opaque_operators == []


@pytest.mark.parametrize(("items", "kind"), [("1,2,3", INT), ("count,mean", STRING)])
def test_a_generator_over_constants_says_their_type(items: str, kind: DataType) -> None:
    made = read(f"Generate explode([{items}]), false, [x#9]")
    assert made.opaque == []
    assert made.plan.output[-1].type == kind


def test_a_call_of_arguments_that_do_not_suit_it_stays_as_it_stands() -> None:
    read("Project [make_timestamp(1970-01-01, Some(00:00:00), None, Some(America/Los_Angeles), true) AS x#9]")


def test_a_sample_shows_its_method_where_the_text_does() -> None:
    assert read("Sample 0.0, 0.1, false, 42").opaque_operators == []
    assert read("Sample 0.0, 0.1, false, 42, Bernoulli").opaque_operators == []


def test_a_streams_relation_gives_the_columns_that_it_lists_last() -> None:
    line = "StreamingRelation DataSource(x,rate,List(a#1),None), FileSource[file:/in], [at#7, value#8L]"
    text = f"== Optimized Logical Plan ==\nFilter (value#8L > 3)\n+- {line}\n"
    document = open_text(text)
    made = read_plan(document.plans[0], columns_in(document.plans, text))
    assert [(a.name, a.expr_id) for a in made.plan.output] == [("at", 7), ("value", 8)]
    assert made.opaque_operators == []


def test_what_a_command_runs_stands_beneath_it() -> None:
    tree = (
        "CreateDataSourceTableAsSelectCommand `shop`.`best`, Ignore, [kind]\n"
        "   +- Project [kind#2]\n      +- Relation shop.sales[kind#2,n#5] parquet\n"
    )
    document = open_text(f"== Optimized Logical Plan ==\n{tree}")
    made = read_plan(document.plans[0], columns_in(document.plans, document.text))
    assert made.text == tree
    assert made.opaque_operators == []


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_what_spark_printed_is_printed_again() -> None:
    only = ("q1", "q5", "q8", "q9", "q14a", "q23a", "q27", "q32", "q36", "q47", "q64", "q66", "q70", "q75")
    score = round_trip("tpcds/captures/nocbo-aqeoff", only)
    assert (score.plans, score.equal) == (28, 28), score.differences
    assert not score.opaque


def test_the_column_of_a_range_is_known_from_the_lines_above() -> None:
    text = (
        "== Analyzed Logical Plan ==\nid: bigint, g: bigint\n"
        "Project [id#7L, if ((id#7L < 900)) 1 else id#7L AS g#8L]\n+- Filter NOT (id#7L = 3)\n"
        "   +- Range (0, 1000, step=1, splits=Some(4))\n"
    )
    plans = open_text(text).plans
    made = read_plan(plans[0], columns_in(plans, text))
    assert not made.opaque_operators
    assert made.text == text.split("\n", 2)[2]
    assert [(a.name, a.expr_id, a.type) for a in made.plan.output] == [("id", 7, LONG), ("g", 8, LONG)]


def test_a_bigint_stays_one_where_nothing_tells_what_it_is_made_of() -> None:
    tree = "Aggregate [k#1], [k#1, sum(v#2) AS s#3L, frob(v#2) AS f#4L]\n+- LocalRelation [k#1, v#2]\n"
    text = f"== Optimized Logical Plan ==\n{tree}"
    document = open_text(text)
    made = read_plan(document.plans[0], columns_in(document.plans, text))
    assert made.text == tree
    assert [a.type for a in made.plan.output[1:]] == [LONG, LONG]


def test_what_spark_had_resolved_is_not_printed_as_unresolved() -> None:
    """A call whose arguments seem not to suit it is kept as it stands, and counted."""
    made = read("Project [date_format(kind#2, 3, Some(UTC)) AS d#9, make_interval(kind#2, n#5, n#5) AS i#10]")
    assert not made.text.startswith("'")


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")
def test_plans_of_sql_tests_are_printed_again() -> None:
    score = sql_tests(("group-by-alias", "postgreSQL__float8", "datetime-special"))
    assert score.plans > 100
    assert score.equal >= 0.97 * score.plans, score.differences[:3]


def test_a_condition_that_cannot_be_read_is_looked_over_once_from_each_place(monkeypatch: pytest.MonkeyPatch) -> None:

    looked: list[int] = []
    ends = Terms._constant_ends

    def counted(self: Terms, start: int, stops: Any) -> list[int]:
        looked.append(start)
        return ends(self, start, stops)

    monkeypatch.setattr(Terms, "_constant_ends", counted)
    text = _halved(0, 16).replace("(a#1 = 9)", "(a#1 = 9) x")  # nothing that Spark prints
    terms = Terms(text, {1: ("a",), 2: ("b",)}.get)
    with pytest.raises(Unreadable):
        terms.one()
    assert terms.left < 0
    assert len(looked) < 15 * len(text)


def _halved(low: int, high: int) -> str:
    """A condition of pairs as Spark prints it: a tree in brackets."""
    if high - low == 1:
        return f"((a#1 = {low}) AND NOT (b#2 = {low}))"
    middle = (low + high) // 2
    return f"({_halved(low, middle)} OR {_halved(middle, high)})"


def test_a_struct_with_a_name_too_many_is_read_as_it_stands():
    assert "named_struct" in read("Project [named_struct(a, n#5, b) AS s#9]").text


def test_a_line_of_thousands_of_columns_is_read_in_step_with_their_number() -> None:
    """What is copied or searched for every column is a C call that no count of steps sees: memory and time tell."""
    text = "[" + ", ".join(f"a{i}#{i}" for i in range(20_000)) + "]"
    begun = time.process_time()
    terms = Terms(text, lambda _: None, open=True)
    assert time.process_time() - begun < 1.5

    few = Terms(text[: text.index(", a4000#")] + "]", lambda _: None, open=True)
    tracemalloc.start()
    try:
        items, end = few.listed(1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(items) == 4_000
    assert few.text[end] == "]"
    assert peak < 30_000_000  # with a copy of the list for every item: 64 MB more
    assert len(terms.columns) == 20_000
