"""Plans whose lines were broken at a width, or lost their plus signs, as terminals, mails and pages hand them on."""

from __future__ import annotations

import textwrap

import pytest

from planviz.document import open_text
from planviz.errors import InputError
from planviz.graph import PlanGraph

LINES = [
    "AdaptiveSparkPlan isFinalPlan=false",
    "+- HashAggregate(keys=[city#1], functions=[sum(pay#2L), count(1), avg(bonus#5)])",
    "   +- Exchange hashpartitioning(city#1, 200), ENSURE_REQUIREMENTS, [plan_id=60]",
    "      +- HashAggregate(keys=[city#1], functions=[partial_sum(pay#2L), partial_count(1), partial_avg(bonus#5)])",
    "         +- Project [city#1, pay#2L, bonus#5]",
    "            +- BroadcastHashJoin [person#3], [id#9], Inner, BuildRight, false",
    "               :- Filter (isnotnull(person#3) AND (pay#2L > 100))",
    "               :  +- FileScan parquet staff[city#1,pay#2L,person#3] Batched: true, DataFilters: "
    "[isnotnull(person#3), (pay#2L > 100)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[s3://b/staff], "
    "PartitionFilters: [], PushedFilters: [IsNotNull(person), GreaterThan(pay,100)], ReadSchema: "
    "struct<city:string,pay:bigint,person:int>",
    "               +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),"
    "false), [plan_id=70]",
    "                  +- FileScan parquet bonus[id#9,bonus#5] Batched: true, DataFilters: [], Format: Parquet, "
    "Location: InMemoryFileIndex(1 paths)[s3://b/bonus], PartitionFilters: [], PushedFilters: [], ReadSchema: "
    "struct<id:int,bonus:double>",
]


def facts(plan: PlanGraph) -> list[tuple[int, str, object]]:
    return [(node.depth, node.op, node.arguments) for node in plan]


def whole() -> list[tuple[int, str, object]]:
    (plan,) = open_text("\n".join(["== Physical Plan ==", *LINES])).plans
    return facts(plan)


def between_words(line: str, width: int, hanging: str = "") -> list[str]:
    """A line as mail programs break it: its indentation stays, the rests begin in the first column."""
    return textwrap.wrap(
        line, width, break_long_words=False, break_on_hyphens=False, subsequent_indent=hanging, drop_whitespace=True
    )


@pytest.mark.parametrize("width", [80, 100, 120])
def test_lines_cut_within_words(width: int) -> None:
    cut = [line[at : at + width] for line in LINES for at in range(0, len(line), width)]
    (plan,) = open_text("\n".join(["== Physical Plan ==", *cut])).plans
    assert facts(plan) == whole()


@pytest.mark.parametrize("width", [90, 110, 130])
@pytest.mark.parametrize("hanging", ["", " "])
def test_lines_cut_between_words(width: int, hanging: str) -> None:
    cut = [part for line in LINES for part in between_words(line, width, hanging)]
    (plan,) = open_text("\n".join(["== Physical Plan ==", *cut])).plans
    assert facts(plan) == whole()


WIDE = ", ".join(f"a_rather_long_name_{k}#{k}" for k in range(1, 12))
TABLE = f"shop.sales[{WIDE.replace(' ', '')}]"
ANALYZED = [
    f"Project [{WIDE}]",
    f"+- Sort [{WIDE}], true",
    f"   +- Relation {TABLE} parquet",
]
EXTENDED = [
    "== Analyzed Logical Plan ==",
    ", ".join(f"a_rather_long_name_{k}: int" for k in range(1, 12)),
    *ANALYZED,
    "",
    "== Optimized Logical Plan ==",
    *ANALYZED,
]


def wholes() -> list[list[tuple[int, str, object]]]:
    return [facts(plan) for plan in open_text("\n".join(EXTENDED)).plans]


@pytest.mark.parametrize("width", [80, 97, 120])
def test_the_root_below_the_columns_of_an_analyzed_plan_cut_within_words(width: int) -> None:
    cut = [line[at : at + width].rstrip() for line in EXTENDED for at in range(0, len(line) or 1, width)]
    assert [facts(plan) for plan in open_text("\n".join(cut)).plans] == wholes()


@pytest.mark.parametrize("width", [80, 97, 120])
def test_a_word_that_is_longer_than_the_width_stands_alone(width: int) -> None:
    assert len(TABLE) > width
    cut = [part for line in EXTENDED for part in between_words(line, width) or [""]]
    assert [facts(plan) for plan in open_text("\n".join(cut)).plans] == wholes()


def test_rails_that_are_as_wide_as_the_lines() -> None:
    deep = ["Union"]
    for depth in range(1, 20):
        deep.append(":  " * (depth - 1) + f":- Union {'x' * 50}")
    deep += [":  " * depth + "+- LocalTableScan [a#1]" for depth in range(19, -1, -1)]
    cut = [line[at : at + 50].rstrip() for line in deep for at in range(0, len(line), 50)]
    (plan,) = open_text("\n".join(["== Physical Plan ==", *cut])).plans
    assert [(node.depth, node.op) for node in plan] == [
        (node.depth, node.op) for node in open_text("\n".join(["== Physical Plan ==", *deep])).plans[0]
    ]


def test_a_comma_or_an_open_bracket_at_the_end_of_a_line() -> None:
    text = "\n".join(["== Physical Plan ==", *LINES])
    for there in (
        ", ENSURE_REQ",
        ", functions=[partial",
        ", Inner",
        " (pay#2L > 100))",
        " PartitionFilters: [], PushedFilters: [IsN",
    ):
        assert there in text
        head, tail = text.split(there, 1)
        cut = there.index(" ")
        text = f"{head}{there[:cut]}\n{there[cut + 1 :]}{tail}"
    (plan,) = open_text(text).plans
    assert facts(plan) == whole()


def test_the_root_may_be_broken_too() -> None:
    (plan,) = open_text(
        "== Physical Plan ==\nHashAggregate(keys=[city#1],\nfunctions=[count(1)])\n+- LocalTableScan [city#1]\n"
    ).plans
    assert facts(plan)[0] == (
        0,
        "HashAggregate",
        {"keys": ["city#1"], "functions": [{"text": "count(1)", "mode": "final"}]},
    )


def test_the_operator_has_all_its_lines() -> None:
    cut = [line[at : at + 100] for line in LINES for at in range(0, len(line), 100)]
    (plan,) = open_text("\n".join(["== Physical Plan ==", *cut])).plans
    first = plan[2].source
    assert first == (4, 4)
    assert plan[3].source == (5, 6)


def test_words_behind_a_plan_are_none_of_it() -> None:
    cut = [line[at : at + 100] for line in LINES for at in range(0, len(line), 100)]
    document = open_text(
        "\n".join(["== Physical Plan ==", *cut, "What is slow here?", "I have tried all that I know."])
    )
    assert facts(document.plans[0]) == whole()
    assert [text for _, text in document.unparsed] == ["What is slow here?", "I have tried all that I know."]


@pytest.mark.parametrize("width", [70, 80, 100])
def test_words_that_are_longer_than_the_lines_are_cut_where_these_are_full(width: int) -> None:
    columns = ",".join(f"column_{i}#{i}" for i in range(100, 118))
    lines = [
        "Project [column_100#100, column_101#101, column_102#102, column_103#103, column_104#104, column_105#105]",
        "+- Filter ((isnotnull(column_100#100) AND isnotnull(column_101#101)) AND (column_100#100 > column_101#101))",
        f"   +- Relation shop.wide[{columns}] parquet",
    ]
    (plain,) = open_text("\n".join(["== Optimized Logical Plan ==", *lines])).plans
    cut = [part for line in lines for part in textwrap.wrap(line, width, break_on_hyphens=False)]
    assert len(cut) > len(lines) + 2
    (plan,) = open_text("\n".join(["== Optimized Logical Plan ==", *cut])).plans
    assert [(n.depth, n.text) for n in plan] == [(n.depth, n.text) for n in plain]


def test_a_line_break_in_a_value_stays() -> None:
    (plan,) = open_text("== Physical Plan ==\nFilter (a#1 = one\ntwo)\n+- LocalTableScan [a#1]\n").plans
    assert plan[0].arguments["condition"] == "a#1 = one\ntwo"


def test_spaces_in_place_of_plus_signs() -> None:
    text = "\n".join(["== Physical Plan ==", *LINES])
    (plan,) = open_text(text.replace("+- ", " - ")).plans
    assert facts(plan) == whole()


def test_a_list_of_remarks_is_no_tree_without_plus_signs() -> None:
    document = open_text("== Physical Plan ==\nLocalTableScan [a#1]\n\n - it reads a table\n - it is small\n")
    assert [node.op for node in document.plans[0]] == ["LocalTableScan"]


def test_a_heading_below_a_heading() -> None:
    document = open_text("== Physical Plan ==\n== Physical Plan ==\nLocalTableScan [a#1]\n")
    assert [node.op for node in document.plans[-1]] == ["LocalTableScan"]


def test_lost_indentation_below_an_empty_line_and_a_heading_with_its_root() -> None:
    text = "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=true\n+- == Final Plan == Sort [a#1]\n+- Exchange x\n"
    (plan,) = open_text(text + "+- LocalTableScan [a#1]\n").plans
    assert [(node.depth, node.op, node.source) for node in plan] == [
        (0, "AdaptiveSparkPlan", (2, 2)),
        (1, "Sort", (3, 3)),
        (2, "Exchange", (4, 4)),
        (3, "LocalTableScan", (5, 5)),
    ]
    assert open_text("== Physical Plan ==\nSort [a#1]\n\n+- Exchange x\n+- LocalTableScan [a#1]\n").plans


def test_thousands_of_lines_without_indentation() -> None:
    text = "== Physical Plan ==\nSort [a#1]\n" + "+- Project [a#1]\n+- == Final Plan ==\nFilter a#1\n" * 3_000
    assert len(open_text(text).plans[0]) > 5_000


FORMATTED = """== Physical Plan ==
AdaptiveSparkPlan (7)
+- Project (6)
   +- Filter (5)
      +- Scan parquet warehouse.a_table_of_a_long_name_that_fills_the_lines_of_a_terminal (1)


(1) Scan parquet warehouse.a_table_of_a_long_name_that_fills_the_lines_of_a_terminal
Output [4]: [shipment_id#38L, carrier_id#39L, product_code#41, gross_weight#42]
Batched: true
Location: InMemoryFileIndex [file:/data/warehouse/a_table_of_a_long_name_that_fills_the_lines]
PushedFilters: [IsNotNull(gross_weight), IsNotNull(carrier_id), GreaterThan(gross_weight,10.00)]
ReadSchema: struct<shipment_id:bigint,carrier_id:bigint,product_code:string,gross_weight:decimal(12,2)>

(5) Filter
Input [4]: [shipment_id#38L, carrier_id#39L, product_code#41, gross_weight#42]
Condition : (((isnotnull(gross_weight#42) AND isnotnull(carrier_id#39L)) AND (gross_weight#42 > Subquery subquery#7)))

(6) Project
Output [2]: [shipment_id#38L, concat(product_code#41, , gross_weight#42) AS label#50]
Input [4]: [shipment_id#38L, carrier_id#39L, product_code#41, gross_weight#42]

(7) AdaptiveSparkPlan
Output [2]: [shipment_id#38L, label#50]
Arguments: isFinalPlan=false

===== Subqueries =====

Subquery:1 Hosting operator id = 5 Hosting Expression = Subquery subquery#7, [id=#12] of the weights
AdaptiveSparkPlan (10)
+- LocalTableScan (9)


(9) LocalTableScan
Output [1]: [m#60]
Arguments: [m#60]

(10) AdaptiveSparkPlan
Output [1]: [m#60]
Arguments: isFinalPlan=false
"""


def folded(line: str, width: int) -> list[str]:
    """A line as `fold -s` breaks it: behind the last blank that fits, else within the word."""
    parts = []
    while len(line) > width:
        at = line.rfind(" ", 0, width) + 1 or width
        parts.append(line[:at])
        line = line[at:]
    return [*parts, line]


def every_way(line: str, width: int) -> list[list[str]]:
    return [
        [line[at : at + width] for at in range(0, len(line) or 1, width)],
        between_words(line, width) or [""],
        folded(line, width),
    ]


@pytest.mark.parametrize("width", [76, 80, 90])
@pytest.mark.parametrize("way", [0, 1, 2])
@pytest.mark.parametrize("mark", ["", "> "])
def test_the_blocks_of_explain_formatted_are_broken_too(width: int, way: int, mark: str) -> None:
    (plain,) = open_text(FORMATTED).plans
    cut = [mark + part for line in FORMATTED.split("\n") for part in every_way(line, width)[way]]
    (plan,) = open_text("\n".join(cut)).plans
    assert facts(plan) == facts(plain)
    assert [node.operator_id for node in plan] == [node.operator_id for node in plain]


def test_one_break_at_a_width_of_terminals_is_enough() -> None:
    line = f"+- Filter (isnotnull(name#1) AND ({'name_of_a_column#1 > ' * 2}another_name_of_a_column#2))"
    text = f"== Physical Plan ==\nProject [name#1]\n{line[:80]}\n{line[80:]}\n   +- LocalTableScan [name#1]\n"
    (plan,) = open_text(text).plans
    assert plan[1].text == line[3:]


def test_a_fence_is_no_rest_of_the_line_above_it() -> None:
    line = "+- Scan ExistingRDD[name#1,another_name#2,".ljust(79, "x") + "("
    document = open_text(f"```\n== Physical Plan ==\nProject [name#1]\n{line}\n```\nWhat is wrong here?\n")
    assert document.plans[0][1].text == line[3:]


@pytest.mark.parametrize("condition", ["(day#1 >= 5)", "(day#1 > 5)"])
def test_a_quoted_rest_that_begins_with_a_sign_of_its_own(condition: str) -> None:
    before, _, behind = condition.partition(" ")
    tree = [
        "Project [day#1]",
        f"+- Filter (isnotnull(day#1) AND {before}",
        f"{behind})",
        "   +- LocalTableScan [day#1]",
    ]
    text = "\n".join(f"> {line}" for line in ["== Physical Plan ==", *tree])
    (plan,) = open_text(text).plans
    assert [node.op for node in plan] == ["Project", "Filter", "LocalTableScan"]
    assert " ".join(plan[1].text.split()) == f"Filter (isnotnull(day#1) AND {condition})"


def test_a_backtick_of_a_name_at_the_end_of_a_line_closes_no_string() -> None:
    text = "== Physical Plan ==\nProject [n#1]\n+- Project [count(1) AS `\nn`#1]\n   +- LocalTableScan [n#1]\n"
    (plan,) = open_text(text).plans
    assert plan[1].text == "Project [count(1) AS `\nn`#1]"


def test_lines_behind_the_name_of_a_container() -> None:
    plain = "\n".join(["== Physical Plan ==", *LINES])
    logged = "\n".join(f"spark-driver-1  | {line}" for line in plain.split("\n"))
    assert facts(open_text(logged).plans[0]) == whole()


@pytest.mark.parametrize("fence", ["```", "~~~", ">>> df.explain()", "{code}", "</pre>", "Time taken: 3 s", "Batch 1."])
def test_a_fence_right_below_a_heading(fence: str) -> None:
    text = "\n".join(["== Physical Plan ==", fence, *LINES, fence])
    plan = max(open_text(text).plans, key=len)
    assert facts(plan) == whole()


def test_many_names_of_containers_in_one_line_are_one_name_and_what_it_wrote() -> None:
    with pytest.raises(InputError, match="No Spark plan was found"):
        open_text(("a | " * 20_000 + "\n") * 3)


def test_a_rest_that_looks_like_the_head_of_a_block() -> None:
    result = "Results [2]: [first(a_name_of_a_column#12, false)#20 AS a_longer_name_of_it#21, count"
    rest = "(1) AS how_many_there_are_of_them#1965L]"
    text = (
        "== Physical Plan ==\nHashAggregate (2)\n+- LocalTableScan (1)\n\n\n(1) LocalTableScan\nOutput [1]: [a#1]\n\n"
    )
    text += f"(2) HashAggregate\nInput [1]: [a#1]\n{result:80.80}\n{result[80:]}{rest}\n"
    (plan,) = open_text(text).plans
    assert plan[0].arguments["results"][1] == "count(1) AS how_many_there_are_of_them#1965L"
