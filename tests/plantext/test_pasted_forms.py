"""More forms in which strangers paste plans: bold, in programs and logs, under headings of their own, other engines."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.errors import NotAPlan
from tests.plantext.test_pasted import trees


def test_an_operator_in_bold_with_all_that_is_said_of_it() -> None:
    document = open_text(
        "Filter (b#3 > 1)\n"
        "+- **SortMergeJoin [a#1], [b#2], LeftOuter**\n"
        "   :- **Sort [a#1 ASC NULLS FIRST], false, 0**\n"
        "   :  +- LocalTableScan [a#1]\n"
        "   +- **(2) Filter (b#2 > 1)**\n"
        "      +- LocalTableScan [b#2]\n"
    )
    nodes = list(document.plans[0])
    assert [node.op for node in nodes][1:5] == ["SortMergeJoin", "Sort", "LocalTableScan", "Filter"]
    assert nodes[1].arguments["join_type"] == "LeftOuter"
    assert not nodes[1].badges
    assert nodes[4].codegen_stage == 2
    assert nodes[4].text == "Filter (b#2 > 1)"


def test_lists_below_the_name_of_their_operator() -> None:
    document = open_text(
        "VeloxColumnarToRow\n"
        "+- ^(1) ExpandExecTransformer        ← native\n"
        "   [[1, null, _file],  ← a row that goes\n"
        "    [3, id, null]]     ← a row that comes\n"
        "   +- ^(1) FilterExecTransformer (region=APAC)\n"
        "      +- BatchScan [id, _file]\n"
    )
    assert trees(document) == [
        [(0, "VeloxColumnarToRow"), (1, "ExpandExecTransformer"), (2, "FilterExecTransformer"), (3, "BatchScan")]
    ]
    assert "[3, id, null]]" in document.plans[0][1].text


def test_numbered_headings_in_a_comment_above_a_program() -> None:
    document = open_text(
        "  /**\n"
        "   * == Physical Plan 1 ==\n"
        "   * Call (1)\n"
        "   *\n"
        "   * == Physical Plan 2 ==\n"
        "   * AppendData (2)\n"
        "   * +- BatchScan db.t (1)\n"
        "   */\n"
        "  doAs(\n"
        "    admin, {\n"
        "      spark.sql(rewrite).collect()\n"
    )
    assert trees(document) == [[(0, "Call")], [(0, "AppendData"), (1, "BatchScan")]]
    assert [plan.title for plan in document.plans] == ["Physical Plan 1", "Physical Plan 2"]
    assert document.plans[1][1].arguments["table"] == "db.t"


def test_what_photon_says_ends_where_the_author_goes_on() -> None:
    document = open_text(
        "== Physical Plan ==\nPhotonFilter (a#1 > 2)\n+- PhotonScan parquet db.t[a#1]\n\n"
        "== Photon Explanation ==\nThe query is fully supported by Photon.\n\n"
        "--------------------\n\n# Experiment B\n"
    )
    assert document.notes == ("Line 5: Photon says: The query is fully supported by Photon.",)
    assert [text for _, text in document.unparsed] == ["--------------------", "# Experiment B"]


def test_a_scan_of_which_the_author_leaves_out_the_beginning() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "*(2) BroadcastHashJoin [user_id], [user_id], Inner, BuildRight\n"
        ":- BatchScan ... lake.public.orders\n"
        ":       PushedFilters: [IsNotNull(user_id)]    ← pushed down\n"
        "+- BroadcastExchange ...\n"
        "   +- FileScan parquet ... user_profile  ← the other side\n"
    )
    assert [node.arguments.get("table") for node in document.plans[0]] == [
        None,
        "lake.public.orders",
        None,
        "user_profile",
    ]


def test_a_scala_string_whose_first_line_has_a_margin() -> None:
    document = open_text(
        "    val input =\n"
        '      """|BatchEvalPython [f(a#0)#1], [pythonUDF0#2]\n'
        '         |+- LocalTableScan [a#0]""".stripMargin\n'
        '    val nested = s"""|Sort [a#1 ASC], true\n'
        "                     |+- LocalTableScan [a#1]\n"
        '                     |""".stripMargin\n'
    )
    assert trees(document) == [[(0, "BatchEvalPython"), (1, "LocalTableScan")], [(0, "Sort"), (1, "LocalTableScan")]]


def test_operators_that_go_on_behind_a_backslash() -> None:
    document = open_text(
        'PLAN = """== Physical Plan ==\n'
        "Project [a#1]\n"
        "+- FileScan parquet [a#1] Batched: true, \\\n"
        "Location: InMemoryFileIndex(1 paths)[s3://lake/bronze/\\\n"
        "sensors], PushedFilters: []\n"
        '"""\n'
    )
    scan = document.plans[0][1]
    assert scan.arguments["location"] == "InMemoryFileIndex(1 paths)[s3://lake/bronze/sensors]"
    assert scan.source == (3, 5)


def test_the_first_line_of_a_plan_whose_star_is_lost() -> None:
    document = open_text(
        "(2) HashAggregate(keys=[a#6], functions=[])\n+- Exchange hashpartitioning(a#6, 200)\n   +- *(1) Scan t [a#6]\n"
    )
    assert trees(document) == [[(0, "HashAggregate"), (1, "Exchange"), (2, "Scan")]]
    assert document.plans[0][0].codegen_stage == 2


def test_a_plan_in_one_string_that_begins_with_a_star() -> None:
    document = open_text(
        '        plan = "* Project (2)\\n+- BroadcastExchange (1)\\n"\n        assert count(plan) == 0\n'
    )
    assert trees(document) == [[(0, "Project"), (1, "BroadcastExchange")]]


def test_what_adaptive_execution_logs_of_a_changed_plan() -> None:
    document = open_text(
        "24/01/05 10:00:00 WARN AdaptiveSparkPlanExec: Plan changed from SortMergeJoin [a#1], [b#2], Inner\n"
        ":- Sort [a#1 ASC NULLS FIRST], false, 0\n"
        ":  +- ShuffleQueryStage 0\n"
        "+- Sort [b#2 ASC NULLS FIRST], false, 0\n"
        "   +- ShuffleQueryStage 1\n"
        " to BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false\n"
        ":- ShuffleQueryStage 0\n"
        "+- BroadcastQueryStage 2\n"
    )
    assert [[op for _, op in tree] for tree in trees(document)] == [
        ["SortMergeJoin", "Sort", "ShuffleQueryStage", "Sort", "ShuffleQueryStage"],
        ["BroadcastHashJoin", "ShuffleQueryStage", "BroadcastQueryStage"],
    ]
    assert not document.unparsed


def test_a_heading_and_one_operator_in_literals() -> None:
    document = open_text(
        '  "plan": (\n    "== Physical Plan ==\\n"\n    "FileScan lake.db.events[tenant#1] "\n    "\\n"\n  ),\n'
    )
    assert trees(document) == [[(0, "FileScan")]]


def test_what_closes_a_string_is_nothing_that_was_not_understood() -> None:
    document = open_text("{'plan': '== Physical Plan ==\\n*(1) Filter (a#1 > 2)\\n+- *(1) Range (0, 10)\\n\\n'}\n")
    assert trees(document) == [[(0, "Filter"), (1, "Range")]]
    assert not document.unparsed


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("EXPLAIN (ANALYZE) SELECT 1\n\nSort  (cost=99.1..99.2 rows=4 width=9)\n  ->  Seq Scan on t\n", "PostgreSQL"),
        ("-> Filter: (t.a > 3)  (cost=1.10 rows=3)\n    -> Table scan on t  (cost=1.10 rows=10)\n", "MySQL"),
        ("Join(where=[=(a, b)])\n:- Exchange(distribution=[hash[a]])\n+- TableSourceScan(table=[[x]])\n", "Flink"),
        ("LogicalProject(a=[$0])\n  LogicalTableScan(table=[[db, t]])\n", "Calcite"),
        ("│         HASH_JOIN         │\n│         SEQ_SCAN          │\n", "DuckDB"),
        ("|   0 | x |\n| Id  | Operation          | Name |\n", "Oracle"),
    ],
)
def test_plans_of_other_engines_are_called_so(text: str, engine: str) -> None:
    with pytest.raises(NotAPlan, match=f"a plan of {engine}"):
        open_text(text)


def test_a_block_of_a_formatted_plan_ends_where_its_comment_does() -> None:
    document = open_text(
        "  /**\n   * == Physical Plan ==\n   * * Filter (2)\n   * +- Range (1)\n   *\n   *\n"
        "   * (1) Range\n   * Output [1]: [a#1]\n   *\n   * (2) Filter\n   * Condition : (a#1 > 2)\n"
        "   */\n  def x = 3\n"
    )
    assert document.plans[0][0].arguments["condition"] == "a#1 > 2"
    assert [text.strip() for _, text in document.unparsed][-2:] == ["*/", "def x = 3"]


def test_characters_that_json_escapes() -> None:
    document = open_text('  "Filter (gr\\u00f6\\u00dfe#1 > 2)\\n",\n  "+- LocalTableScan [gr\\u00f6\\u00dfe#1]\\n"\n')
    assert document.plans[0][1].arguments["output"] == ["größe#1"]


def test_a_page_that_left_one_space_of_all_indentation_keeps_the_inputs_of_joins() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "TungstenProject [a#1]\n"
        " SortMergeJoin [a#1], [b#2]\n"
        " TungstenSort [a#1 ASC], false, 0\n"
        " TungstenExchange hashpartitioning(a#1)\n"
        " Scan PhysicalRDD[a#1]\n"
        " TungstenSort [b#2 ASC], false, 0\n"
        " Scan PhysicalRDD[b#2]\n"
    )
    assert [depth for depth, _ in trees(document)[0]] == [0, 1, 2, 3, 4, 2, 3]


@pytest.mark.parametrize(
    "more",
    [
        " Scan PhysicalRDD[b#2]\n Scan PhysicalRDD[c#3]\n",  # one input too many
        " Union\n Scan PhysicalRDD[b#2]\n",  # of any number of inputs
    ],
)
def test_lines_in_one_column_that_are_no_tree_by_their_inputs_stay_side_by_side(more: str) -> None:
    document = open_text(
        f"== Physical Plan ==\nTungstenProject [a#1]\n Filter (a#1 > 1)\n Sort [a#1], false, 0\n{more}"
    )
    assert {depth for depth, _ in trees(document)[0]} == {0, 1}


def test_a_root_in_quotes_that_was_broken_belongs_to_its_tree() -> None:
    document = open_text(
        '"""Project [clerk#0,comment#1,\nkey#2L]\n+- SortMergeJoin [key#2L], [key#3L]\n'
        '   :- Scan ExistingRDD[clerk#0,key#2L]\n   +- Scan ExistingRDD[comment#1,key#3L]"""\n\n"""select 1"""\n'
    )
    assert trees(document) == [[(0, "Project"), (1, "SortMergeJoin"), (2, "Scan"), (2, "Scan")]]
    assert document.plans[0][0].arguments["project_list"] == ["clerk#0", "comment#1", "key#2L"]


def test_a_comment_on_the_operator_below_is_no_part_of_the_one_above() -> None:
    document = open_text(
        "      :  +- WindowGroupLimit [a#1 DESC], rank(a#1), 10, Final\n"
        "      # Sorts the rows, 'a' first.\n"
        "      :     +- Sort [a#1 DESC], false, 0\n"
        "      # Reads them.\n"
        "      :        +- LocalTableScan [a#1]\n"
    )
    assert trees(document) == [[(0, "WindowGroupLimit"), (1, "Sort"), (2, "LocalTableScan")]]
    assert document.plans[0][0].text == "WindowGroupLimit [a#1 DESC], rank(a#1), 10, Final"
    assert [line for line, _ in document.unparsed] == [2, 4]


def test_aggregates_whose_functions_an_author_left_out() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "*(2) HashAggregate(...)\n"
        "+- Exchange hashpartitioning(k, 200)\n"
        "   +- *(1) HashAggregate(... partial_sum ...)\n"
        "      +- CometHashAggregate (Partial): keys = [k, l]\n"
        "         +- CometFilter: day <= 1998-09-24\n"
        "            +- CometScan: lineitem.parquet\n"
    )
    nodes = list(document.plans[0])
    modes = [[f["mode"] for f in n.arguments["functions"]] for n in nodes if n.kind == "aggregate"]
    assert modes == [[None], ["partial"], ["partial"]]
    assert nodes[3].arguments["keys"] == ["k", "l"]
    assert "<= 1998-09-24" in str(nodes[4].arguments)
    assert "remark" not in nodes[4].arguments


def test_a_remark_behind_an_arrow_is_none_of_a_condition() -> None:
    document = open_text("== Physical Plan ==\nFilter age#1 <= 30\n+- LocalTableScan [age#1] <= the people we know\n")
    first, second = document.plans[0]
    assert first.arguments["condition"] == "age#1 <= 30"
    assert second.arguments["remark"] == "the people we know"
