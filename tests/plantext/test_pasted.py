"""Texts as strangers paste them: one form a test, each found in an issue, a question or a program of somebody's."""

from __future__ import annotations

import pytest

from planviz.document import Document, open_text
from planviz.errors import NotAPlan


def trees(document: Document) -> list[list[tuple[int, str]]]:
    return [[(node.depth, node.op) for node in plan] for plan in document.plans]


def test_the_lines_of_an_error_as_pytest_shows_it() -> None:
    document = open_text(
        "    def test_report(spark):\n"
        ">       raise converted from None\n"
        "E       pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN] `nope` cannot be resolved;\n"
        "E       'Project ['nope]\n"
        "E       +- SubqueryAlias orders\n"
        "E          +- Relation default.orders[a#1] parquet\n"
        "E\n"
        "E       JVM stacktrace:\n"
        "\n"
        "tests/test_report.py:12: AnalysisException\n"
    )
    assert trees(document) == [[(0, "Project"), (1, "SubqueryAlias"), (2, "Relation")]]
    assert [node.source for node in document.plans[0]] == [(4, 4), (5, 5), (6, 6)]


def test_prose_that_begins_with_a_word_of_sql() -> None:
    plan = "```\n== Physical Plan ==\n*(1) Filter (a#1 > 2)\n+- *(1) Range (0, 10, step=1, splits=2)\n```\n"
    for prose in ("With 25.04 I get\n", "From the docs of Spark:\n", "Show me why this is slow\n"):
        assert not [note for note in open_text(prose + plan).notes if "SQL" in note], prose
    for sql in ("WITH t AS (SELECT 1 a) SELECT * FROM t;\n", "SELECT a FROM t\n", "explain select 1 as a\n"):
        assert [note for note in open_text(sql + plan).notes if "SQL" in note], sql


def test_an_array_of_lines_in_single_quotes() -> None:
    document = open_text(
        "  const plan = [\n"
        "    '== Analyzed Logical Plan ==',\n"
        "    'a: int',\n"
        "    'Project [a#1]',\n"
        "    '+- SubqueryAlias t',\n"
        "    '   +- LocalRelation [a#1]',\n"
        "    '== Physical Plan ==',\n"
        "    'LocalTableScan [a#1]',\n"
        "  ].join('\\n');\n"
    )
    assert trees(document) == [[(0, "Project"), (1, "SubqueryAlias"), (2, "LocalRelation")], [(0, "LocalTableScan")]]
    unresolved = open_text("lines = [\n  '\\'Project [*]',\n  '+- \\'UnresolvedRelation [t], [], false',\n]\n")
    assert trees(unresolved) == [[(0, "Project"), (1, "UnresolvedRelation")]]
    assert unresolved.plans[0].stage == "parsed"


def test_the_initial_plan_alone() -> None:
    document = open_text("+- == Initial Plan ==\n   Filter (a#1 > 2)\n   +- LocalTableScan [a#1]\n")
    assert (document.recognised, document.plans[0].stage) == ("explain", "initial")


def test_the_program_behind_a_string_with_escaped_line_breaks() -> None:
    document = open_text(
        "\t\treturn \"Planning failed: \\n'Project ['nope]\\n+- OneRowRelation\", nil\n"
        '\t}\n\treturn "== Physical Plan ==\\n*(1) Project [1 AS 1#0]\\n+- Scan OneRowRelation[]", nil\n'
    )
    assert trees(document) == [[(0, "Project"), (1, "OneRowRelation")], [(0, "Project"), (1, "Scan")]]
    assert [plan[len(plan) - 1].text for plan in document.plans] == ["OneRowRelation", "Scan OneRowRelation[]"]


def test_operators_in_bold() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "**SortMergeJoin** [a#1], [b#2], Inner\n"
        ":- *(1) **Sort** [a#1 ASC NULLS FIRST], false, 0\n"
        ":  +- **Exchange** hashpartitioning(a#1, 200), [id=#7]\n"
        ":     +- LocalTableScan [a#1]\n"
        "+- *(2) Sort [b#2 ASC NULLS FIRST], false, 0\n"
        "   +- LocalTableScan [b#2]\n"
    )
    exchange = document.plans[0][2]
    assert (exchange.op, exchange.arguments["partitions"]) == ("Exchange", 200)
    assert document.plans[0][0].arguments["left_keys"] == ["a#1"]
    assert document.plans[0][1].codegen_stage == 1


def test_a_java_array_and_the_fence_below_it() -> None:
    document = open_text(
        "```\n== Physical Plan ==\n"
        "Filter (name#1 = x)\n"
        "+- Scan JDBCRelation(jdbc:mysql://db:3306/shop,orders,[Lorg.apache.spark.Partition;@6f1c29b7,{user=u, "
        "password=p})[id#0,name#1] PushedFilters: [EqualTo(name,x)]\n"
        "```\nWhy is the filter still there?\n"
    )
    scan = document.plans[0][1]
    assert (scan.arguments["table"], scan.arguments["output"]) == ("orders", ["id#0", "name#1"])
    assert scan.arguments["pushed_filters"] == ["EqualTo(name,x)"]
    assert "cut" not in scan.arguments
    assert [number for number, _ in document.unparsed] == [1, 5, 6]


def test_where_a_notebook_cut_its_output_off() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "BroadcastHashJoin [a#1], [a#11], LeftOuter, BuildRight, false\n"
        ":- LocalTableScan [a#1]\n"
        "+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false])), [plan_id=1\n"
        "\n*** WARNING: max output size exceeded, skipping output. ***\n"
    )
    exchange = document.plans[0][2]
    assert "output" not in exchange.arguments
    assert "WARNING" not in exchange.text
    assert document.plans[0].notes == ["Line 6: the notebook cut its output off here; what comes below is missing."]


def test_the_output_of_gluten_s_exchange() -> None:
    document = open_text(
        "== Physical Plan ==\nVeloxColumnarToRow\n"
        "+- ColumnarExchange hashpartitioning(k#7L, 5), ENSURE_REQUIREMENTS, [plan_id=14], [shuffle_writer_type=hash], "
        "[OUTPUT] List(k:LongType, price:DecimalType(10,2))\n"
        "   +- ^(1) ProjectExecTransformer [k#7L, price#8]\n"
    )
    assert document.plans[0][1].arguments["output"] == ["k", "price"]


def test_an_initial_plan_that_somebody_indented() -> None:
    document = open_text(
        "# AdaptiveSparkPlan isFinalPlan=true\n"
        "# +- == Final Plan ==\n"
        "#    *(2) BroadcastHashJoin [a#1], [b#2], Inner, BuildLeft   <- switched\n"
        "#    +- AQEShuffleRead local    <- reads in place\n"
        "#    ...\n"
        "#    +- == Initial Plan ==\n"
        "#       SortMergeJoin [a#1], [b#2], Inner   <- was planned\n"
    )
    assert trees(document) == [
        [(0, "AdaptiveSparkPlan"), (1, "BroadcastHashJoin"), (2, "AQEShuffleRead")],
        [(0, "SortMergeJoin")],
    ]
    assert [plan.stage for plan in document.plans] == ["physical", "initial"]
    alone = open_text("AdaptiveSparkPlan isFinalPlan=false\n+- == Initial Plan ==\n   LocalTableScan [a#1]\n")
    assert trees(alone) == [[(0, "AdaptiveSparkPlan"), (1, "LocalTableScan")]]


def test_remarks_with_brackets_and_behind_a_name_alone() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "PhotonBroadcastHashJoin Inner\n"
        ":- PhotonShuffleExchangeSource      <- orders (14 MiB) are built\n"
        "+- Exchange RoundRobinPartitioning(8) ...  <-- [the shuffle] of (all) rows!\n"
        "   +- Filter ((a#1 <= 5) AND (b#2 = x // y))\n"
    )
    _, source, exchange, filtered = document.plans[0]
    assert source.arguments == {"remark": "orders (14 MiB) are built"}
    assert exchange.arguments["remark"] == "[the shuffle] of (all) rows!"
    assert (exchange.arguments["partitioning"], exchange.arguments["partitions"]) == ("RoundRobinPartitioning(8)", 8)
    assert filtered.arguments == {"condition": "(a#1 <= 5) AND (b#2 = x // y)"}


def test_the_operator_that_an_error_ends_in() -> None:
    no_plan = open_text(
        "java.lang.AssertionError: assertion failed: No plan for EventTimeWatermark t#7: timestamp, 10 seconds\n"
        "+- LocalRelation [t#7]\n\n\tat scala.Predef$.assert(Predef.scala:170)\n"
    )
    assert trees(no_plan) == [[(0, "EventTimeWatermark"), (1, "LocalRelation")]]
    assert no_plan.notes == (
        "Line 1: the error above the plan: java.lang.AssertionError: assertion failed: No plan for",
    )
    lost = open_text(
        "AnalysisException: When resolving 'f, fail to find subplan with plan_id=2 in 'Aggregate ['f], ['f]\n"
        "+- Project [f#1]\n   +- LocalRelation [f#1]\n"
    )
    assert trees(lost) == [[(0, "Aggregate"), (1, "Project"), (2, "LocalRelation")]]
    assert lost.plans[0].stage == "parsed"


def test_an_empty_line_below_the_root() -> None:
    document = open_text(
        "Filter isnotnull(k#3), Statistics(sizeInBytes=743.9 MiB, rowCount=6.50E+7)\n\n"
        "+- RelationV2[k#3] cat.db.customer, Statistics(sizeInBytes=248.0 MiB, rowCount=6.50E+7)\n"
    )
    assert trees(document) == [[(0, "Filter"), (1, "RelationV2")]]
    assert (
        len(open_text("Sort the rows first\n\n+- Filter (a#1 > 2)\n   +- Range (0, 9, step=1, splits=1)\n").plans[0])
        == 2
    )


def test_a_diff_of_expected_plans() -> None:
    document = open_text(
        "approved/q1/simplified.txt:10\n```diff\n"
        "-    Project [a,b]\n"
        "-      BroadcastHashJoin [a,k]\n"
        "-        Scan parquet default.t [a,b]\n"
        "+    Project [a,b]\n"
        "+      WholeStageCodegen (2)\n"
        "+        SortMergeJoin [a,k]\n"
        "```\n"
    )
    assert trees(document) == [
        [(0, "Project"), (1, "WholeStageCodegen"), (2, "SortMergeJoin")],
        [(0, "Project"), (1, "BroadcastHashJoin"), (2, "Scan")],
    ]


def test_a_plan_of_hive_is_none_of_spark() -> None:
    text = (
        "STAGE DEPENDENCIES:\n  Stage-1 is a root stage\n\nSTAGE PLANS:\n  Stage: Stage-1\n    Map Reduce\n"
        "      Map Operator Tree:\n          TableScan\n            alias: t1\n            Select Operator\n"
    )
    with pytest.raises(NotAPlan, match="a plan of Hive"):
        open_text(text)


def test_one_operator_below_the_message_of_an_error() -> None:
    document = open_text(
        "org.apache.spark.sql.AnalysisException: Table or view not found: orders; line 1 pos 14;\n"
        "'UnresolvedRelation [orders], [], false\n\n"
        "\tat org.apache.spark.sql.catalyst.analysis.package$.fail(p.scala:42)\n"
    )
    assert trees(document) == [[(0, "UnresolvedRelation")]]
    assert [number for number, _ in document.unparsed] == [1, 4]


def test_arguments_as_engines_and_people_write_them() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "ReplaceData IcebergWrite(table=cat.db.t, format=PARQUET)\n"
        "+- SortMergeJoin [store_id], Inner\n"
        "   :- Sort [store_id]\n"
        "   :  +- ColumnarRange 0, 10, 1, 2, 10, [id#3L]\n"
        "   +- CometHashAggregate [a#1, b#2, ... 2056 more fields]\n"
        "      +- Filter [store_id,qty]\n"
    )
    write, join, sort, numbers, aggregate, filtered = document.plans[0]
    assert write.arguments == {"sink": "IcebergWrite(table=cat.db.t, format=PARQUET)"}
    assert (join.arguments["left_keys"], join.arguments["right_keys"]) == (["store_id"], ["store_id"])
    assert sort.arguments == {"sort_order": ["store_id"]}
    assert list(numbers.arguments.values()) == [0, 10, 1, 2, 10, ["id#3L"]]
    assert list(numbers.arguments) == ["start", "end", "step", "splits", "rows", "output"]
    assert aggregate.arguments == {"input": ["a#1", "b#2", "... 2056 more fields"]}
    assert filtered.arguments == {"references": ["store_id", "qty"]}


def test_a_cache_whose_indentation_is_lost() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "*Project [id#5]\n"
        "+- SortMergeJoin [id#5], [id#10L], FullOuter\n"
        ":- *Sort [id#5 ASC NULLS FIRST], false, 0\n"
        ": +- InMemoryTableScan [id#5]\n"
        ": +- InMemoryRelation [id#5], true, 10000, StorageLevel(disk, memory, deserialized, 1 replicas)\n"
        ": +- LocalTableScan [id#5]\n"
        "+- *Sort [id#10L ASC NULLS FIRST], false, 0\n"
        "+- *Range (0, 10, step=1, splits=8)\n"
    )
    plan = document.plans[0]
    assert [node.depth for node in plan] == [0, 1, 2, 3, 4, 5, 2, 3]
    assert [(link.source, link.target, link.type) for link in plan.links()] == [(3, 4, "subquery"), (4, 5, "subquery")]


def test_a_call_behind_the_last_line_of_an_array() -> None:
    document = open_text("plan = [\n  'Filter (a#1 > 2)',\n  '+- Scan ExistingRDD[a#1]',\n].join('\\n');\n")
    assert [node.text for node in document.plans[0]] == ["Filter (a#1 > 2)", "Scan ExistingRDD[a#1]"]


def test_an_operator_that_its_author_wrapped() -> None:
    document = open_text(
        "  // whose plan looks like:\n"
        "  //    ObjectHashAggregate(keys=[a#10], functions=[collect_list(b#11, 0, 0)],\n"
        "  //                        output=[a#10, collect_list(b)#17])\n"
        "  //      +- Exchange hashpartitioning(a#10, 200), true, [id=#13]\n"
        "  //        +- ObjectHashAggregate(keys=[a#10], functions=[partial_collect_list(b#11, 0, 0)],\n"
        "  //                               output=[a#10, buf#21])\n"
        "  //          +- LocalTableScan [a#10, b#11]\n"
        "  //\n  //    We override the type of buf#21.\n"
    )
    names = ["ObjectHashAggregate", "Exchange", "ObjectHashAggregate", "LocalTableScan"]
    assert trees(document) == [list(enumerate(names))]
    final, _, partial, _ = document.plans[0]
    assert [len(node.arguments["functions"]) for node in (final, partial)] == [1, 1]
    assert [node.arguments["output"][1] for node in (final, partial)] == ["collect_list(b)#17", "buf#21"]


def test_a_scan_that_a_log_announces() -> None:
    document = open_text(
        "[main] WARN  org.example.Writer [] - executedPlan:\n"
        "*(1) Scan ExistingRDD[_commit#206,_record#208,\n     _path#209,id#211,ts#214L]\n\nwhich is slow.\n"
    )
    assert [len(node.arguments["output"]) for node in document.plans[0]] == [5]
    assert [number for number, _ in document.unparsed] == [1, 5]


def test_what_a_command_says_by_true_and_false() -> None:
    hive, other = open_text(
        "== Physical Plan ==\n"
        "Execute InsertIntoHiveTable `db`.`t`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe, "
        "Map(pt -> Some(1)), true, false, [a, b]\n+- LocalTableScan [a#1, b#2]\n"
        "\n== Physical Plan ==\nExecute InsertIntoLakeCommand Map(pt -> Some(1)), true\n+- LocalTableScan [a#1, b#2]\n"
    ).plans
    assert (hive[0].arguments["overwrite"], hive[0].arguments["if_partition_not_exists"]) == (True, False)
    assert hive[0].arguments["table"] == "db.t"
    assert "if_partition_not_exists" not in other[0].arguments


def test_levels_of_six_columns_are_inputs() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "TakeOrderedAndProject(limit=5, orderBy=[n#9L DESC], output=[a#1,n#9L])\n"
        "+- *HashAggregate(keys=[a#1], functions=[count(1)])\n"
        "\t\t+- Exchange hashpartitioning(a#1, 5)\n"
        "\t\t\t\t+- *HashAggregate(keys=[a#1], functions=[partial_count(1)])\n"
        "\t\t\t\t\t\t+- InMemoryTableScan [a#1]\n"
        "\t\t\t\t\t\t\t\t+- InMemoryRelation [a#1], StorageLevel(disk, memory, deserialized, 1 replicas)\n"
        "\t\t\t\t\t\t\t\t\t\t+- *Scan csv [a#1]\n"
    )
    plan = document.plans[0]
    assert [node.depth for node in plan] == [*range(7)]
    assert [(link.source, link.target) for link in plan.links()] == [(4, 5), (5, 6)]
    subquery = open_text(
        "== Physical Plan ==\nProject [a#1]\n+- Filter (a#1 > Subquery scalar-subquery#2, [id=#9])\n"
        "   :  +- Subquery scalar-subquery#2, [id=#9]\n   :     +- LocalTableScan [b#3]\n   +- LocalTableScan [a#1]\n"
    ).plans[0]
    assert [(link.source, link.target, link.type) for link in subquery.links()] == [(1, 2, "subquery")]


def test_a_remark_between_the_root_and_its_child() -> None:
    document = open_text(
        "  /*\n"
        "    *(1) ColumnarToRow\n"
        "    // PartitionFilters: [isnotnull(c#2), (c#2 = RU)] -> one folder is read\n"
        "    +- FileScan parquet [a#1,c#2] Batched: true, DataFilters: [], Format: Parquet\n"
        "  */\n"
    )
    assert trees(document) == [[(0, "ColumnarToRow"), (1, "FileScan")]]
    assert [number for number, _ in document.unparsed] == [1, 3, 5]


def test_the_border_of_a_table_behind_a_plan_on_one_line() -> None:
    document = open_text(
        "scala> q.explain == Physical Plan == *(3) SortMergeJoin [id#5], [id#9], Inner :- *(1) Sort [id#5 ASC NULLS "
        "FIRST], false, 0 : +- Exchange hashpartitioning(id#5, 200) : +- LocalTableScan [id#5] +- *(2) Sort [id#9 ASC "
        "NULLS FIRST], false, 0 +- ReusedExchange [id#9], Exchange hashpartitioning(id#5, 200) |\nKey | Name |\n"
    )
    plan = document.plans[0]
    assert plan[5].arguments["reuses"] == "Exchange hashpartitioning(id#5, 200)"
    assert [(link.source, link.target, link.type) for link in plan.links()] == [(5, 2, "reuse")]


def test_what_a_cut_leaves_of_an_operator_is_no_operator() -> None:
    document = open_text(
        "rand(7) * 8.0)) AS salt#9]\n"
        "   :  +- FileScan csv [a#1] Batched: false, Format: CSV\n"
        "   +- Filter isnotnull(b#2)\n"
        "      +- FileScan csv [b#2] Batched: false, Format: CSV\n"
    )
    assert trees(document) == [[(0, "FileScan"), (0, "Filter"), (1, "FileScan")]]
    assert [number for number, _ in document.unparsed] == [1]


def test_a_comment_that_begins_and_ends_on_lines_of_a_plan() -> None:
    document = open_text(
        "  /* Project [a#1, n#4]\n     +- Generate explode(b#2), false, [n#4]\n        +- LocalRelation [a#1, b#2] */\n"
        '  "A" should "b" in {\n'
    )
    assert trees(document) == [[(0, "Project"), (1, "Generate"), (2, "LocalRelation")]]
    assert document.plans[0][2].arguments == {"output": ["a#1", "b#2"]}


def test_the_lineage_of_an_rdd_below_a_plan() -> None:
    document = open_text(
        "== Physical Plan ==\nFilter (a#1 = 2)\n HiveTableScan [a#1], (MetastoreRelation default, t, None), None\n\n"
        "== RDD ==\n(2) MappedRDD[14] at map at HiveContext.scala:350\n"
        "  HadoopRDD[9] at HadoopRDD at TableReader.scala:230\n"
    )
    assert "formatted" not in document.recognised
    assert [number for number, _ in document.unparsed] == [6, 7]


def test_a_generated_root_above_an_empty_line() -> None:
    document = open_text(
        "*(1) HashAggregate(keys=[country], functions=[avg(pay)])\n\n+- *(1) Project [country, pay]\n\n"
        "   +- *(1) Scan parquet ...\n"
    )
    assert trees(document) == [[(0, "HashAggregate"), (1, "Project"), (2, "Scan")]]


def test_lines_of_an_operator_that_stand_below_its_name() -> None:
    document = open_text(
        "== Physical Plan ==\n"
        "*(1) ColumnarToRow\n"
        "+- CometFilter [a#1], (a#1 > 5)\n"
        "  +- CometScan parquet [a#1] Batched: true, DataFilters: [(a#1 > 5)],\n"
        "     Format: CometParquet, PartitionFilters: [],\n"
        "     PushedFilters: [GreaterThan(a,5)], ReadSchema: struct<a:int>\n"
    )
    scan = document.plans[0][2]
    assert (scan.arguments["pushed_filters"], scan.arguments["read_schema"]) == (["GreaterThan(a,5)"], "struct<a:int>")
    assert not document.unparsed
    keyed = open_text(
        "BroadcastHashJoin [d#1], [e#2], Inner, BuildRight\n"
        ":- FileScan parquet [d#1, q#3]\n"
        ":  PartitionFilters: [isnotnull(d#1)]\n"
        "+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=3]\n"
        "   +- LocalTableScan [e#2]\n"
    )
    assert [node.depth for node in keyed.plans[0]] == [0, 1, 1, 2]
    assert keyed.plans[0][1].arguments["partition_filters"] == ["isnotnull(d#1)"]
    assert keyed.plans[0][1].arguments["output"] == ["d#1", "q#3"]


def test_the_second_input_of_a_join_under_the_mark_of_a_last_child() -> None:
    document = open_text(
        "// BroadcastHashJoin\n// +- HashAggregate\n//    +- Exchange\n//       +- FileScan\n//\n"
        "// +- BroadcastQueryStage\n//    +- ReusedExchange\n"
    )
    assert [node.depth for node in document.plans[0]] == [0, 1, 2, 3, 1, 2]
    lost = open_text("== Physical Plan ==\nSort [a#1 ASC], true, 0\n+- Filter (a#1 > 2)\n+- LocalTableScan [a#1]\n")
    assert [node.depth for node in lost.plans[0]] == [0, 1, 2]


def test_operators_that_an_author_left_out_of_a_tree() -> None:
    document = open_text(
        "Union\n:- Filter (a#1 <= 2)\n:  +- ...\n:     +- UnresolvedRelation\n"
        "+- Filter isnull(a#1)\n   +- ...\n      +- UnresolvedRelation\n"
    )
    assert [node.depth for node in document.plans[0]] == [0, 1, 2, 1, 2]
    assert not document.plans[0].links()
    assert [number for number, _ in document.unparsed] == [3, 6]


def test_an_operator_between_equals_signs() -> None:
    document = open_text(
        "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=true\n"
        "+- == BroadcastHashJoin [a#1], [b#2], Inner, BuildRight ==\n"
        "   :- LocalTableScan [a#1]\n   +- LocalTableScan [b#2]\n"
    )
    assert document.plans[0][1].op == "BroadcastHashJoin"
    assert document.plans[0][1].arguments["build_side"] == "right"


def test_the_end_of_a_string_behind_the_last_operator() -> None:
    document = open_text(
        '      assert(output.contains(\n        """== Parsed Logical Plan ==\n          |\'Project [*]\n'
        '          |+- \'UnresolvedRelation [tmp]""".stripMargin))\n      // the other one\n'
    )
    assert document.plans[0][1].arguments == {"table": "tmp"}


def test_how_rapids_hashes_is_no_key() -> None:
    (plan,) = open_text(
        "== Physical Plan ==\nGpuColumnarToRow false, [loreId=4]\n"
        "+- GpuColumnarExchange gpuhashpartitioning(k#2, 200, Murmur3Mode), "
        "ENSURE_REQUIREMENTS, [plan_id=3], [loreId=3]\n   +- GpuRange (0, 10, step=1, splits=2)\n"
    ).plans
    assert (plan[1].arguments["partition_keys"], plan[1].arguments["partitions"]) == (["k#2"], 200)


def test_the_plan_in_an_analysis_error_is_the_analyzed_one() -> None:
    tree = "!Aggregate [sum(a#1L) AS b#4L]\n+- LocalRelation <empty>, [a#2L]\n"
    error = "org.apache.spark.sql.AnalysisException: Resolved attribute(s) a#1L missing from a#2L.;\n"
    assert [plan.stage for plan in open_text(error + tree).plans] == ["analyzed"]
    assert [plan.stage for plan in open_text(tree).plans] == ["optimized"]


def test_a_relation_of_one_column_and_one_of_a_stream() -> None:
    document = open_text(
        "== Optimized Logical Plan ==\nUnion\n:- Relation[a] parquet\n"
        "+- Streaming RelationV2 kafka[key#28, value#29] (Options: [subscribe=t])\n"
    )
    _, relation, stream = document.plans[0]
    assert relation.arguments == {"output": ["a"], "format": "parquet"}
    assert (stream.op, stream.kind, stream.arguments["output"]) == (
        "Streaming RelationV2",
        "scan",
        ["key#28", "value#29"],
    )


def test_a_list_of_a_detail_block_that_was_broken_into_lines() -> None:
    document = open_text(
        "== Physical Plan ==\n* Filter (2)\n+- Scan parquet db.t (1)\n\n\n(1) Scan parquet db.t\n"
        "Output [3]: [a#1, b#2,\n             c#3]\nBatched: true\n\n"
        "(2) Filter\nInput [3]: [a#1, b#2, c#3]\nCondition : (a#1 > 2)\n"
    )
    assert document.plans[0][1].arguments["output"] == ["a#1", "b#2", "c#3"]


def test_lines_that_hyperspace_highlights() -> None:
    document = open_text(
        "SortMergeJoin [a#11], [b#21], Inner\n"
        "<----:- *(1) Project [a#11]---->\n"
        "<----:  +- *(1) Filter isnotnull(a#11)---->\n"
        "<----+- *(2) Project [b#21]---->\n"
    )
    assert [node.depth for node in document.plans[0]] == [0, 1, 2, 1]


def test_rails_alone_among_the_lines_of_an_operator_are_read_and_passed() -> None:
    document = open_text(
        "== Physical Plan ==\nProject [a#1]\n+- Filter (a#1 = x\n:  :\ny))\n   +- Scan x[a#1]\n"  # one bracket too many
    )
    assert [node.op for node in document.plans[0]] == ["Project", "Filter", "Scan"]
    assert document.plans[0][1].text.endswith(":  :\ny))")


def test_several_plans_of_one_scan_each() -> None:
    scan = "*(1) Scan JDBCRelation({0}) [numPartitions=1] [a#1] PushedFilters: [], ReadSchema: struct<a:int>"
    document = open_text(
        f"/*\n== Physical Plan ==\n{scan.format('orders')}\n*/\nval b = read()\n"
        f"== Physical Plan ==\n{scan.format('lines')}\n"
    )
    assert [[node.arguments["table"] for node in plan] for plan in document.plans] == [["orders"], ["lines"]]
    assert "val b = read()" in [text for _, text in document.unparsed]


def test_a_comment_s_slashes_right_before_a_generated_stage() -> None:
    document = open_text("df.explain()\n//== Physical Plan ==\n//*(1) Range (0, 10, step=1, splits=2)\n\ndf.show()\n")
    assert [(node.op, node.codegen_stage) for node in document.plans[0]] == [("Range", 1)]


def test_a_generated_stage_that_has_lost_its_star() -> None:
    document = open_text(
        "== Physical Plan ==\n(2) HashAggregate(keys=[a#1], functions=[])\n"
        "+- Exchange hashpartitioning(a#1, 200)\n   +- (1) Project [a#1]\n"
        "      +- *(1) Range (0, 9, step=1, splits=2)\n"
    )
    assert [(node.op, node.codegen_stage) for node in document.plans[0]] == [
        ("HashAggregate", 2),
        ("Exchange", None),
        ("Project", 1),
        ("Range", 1),
    ]
    formatted = open_text(
        "== Physical Plan ==\n* Filter (2)\n+- * Range (1)\n\n\n(1) Range [codegen id : 1]\nOutput: [a#1]\n"
    )
    assert trees(formatted) == [[(0, "Filter"), (1, "Range")]]


def test_a_scan_s_value_below_its_key() -> None:
    document = open_text(
        "== Physical Plan ==\n*(2) Sort [a#1 ASC NULLS FIRST], false, 0\n"
        "+- *(1) Scan JDBCRelation((select * from t) as t)\n         [numPartitions=1] [a#1] PushedFilters:\n"
        "         [*IsNotNull(a)], ReadSchema: struct<a:int>\n"
    )
    scan = document.plans[0][1].arguments
    assert (scan["pushed_filters"], scan["read_schema"]) == (["*IsNotNull(a)"], "struct<a:int>")


def test_a_comment_s_stars_right_before_the_marks() -> None:
    document = open_text(
        "/**\n * Prints:\n *\n *|== Physical Plan ==\n *Project (3)\n *+- * Filter (2)\n *   +- Range (1)\n *\n *\n"
        " *(1) Range\n *Output [1]: [id#2L]\n *\n *(2) Filter [codegen id : 1]\n *Condition : (id#2L > 1)\n */\n"
    )
    assert trees(document) == [[(0, "Project"), (1, "Filter"), (2, "Range")]]
    assert document.plans[0][1].arguments["condition"] == "id#2L > 1"


def test_a_heading_whose_first_marks_were_not_selected() -> None:
    for heading in ("Physical Plan ==", "= Physical Plan =="):
        document = open_text(f"{heading}\nAdaptiveSparkPlan isFinalPlan=false\n\n+- Range (0, 10, step=1, splits=2)\n")
        assert trees(document) == [[(0, "AdaptiveSparkPlan"), (1, "Range")]]


def test_a_comment_s_slashes_right_before_the_rails() -> None:
    document = open_text(
        "//== Optimized Logical Plan ==\n//Union\n//:- Filter (a#1 > 1)\n//:  +- Range (0, 9)\n//+- Range (0, 9)\n"
    )
    assert [depth for depth, _ in trees(document)[0]] == [0, 1, 2, 1]


def test_a_cache_that_is_printed_with_its_builder() -> None:
    scan = "FileScan csv [a#1,b#2] Batched: false, Format: CSV, PartitionFilters: [], ReadSchema: struct<a:int,b:int>"
    text = f"""== Physical Plan ==
InMemoryTableScan [a#1, b#2]
   +- InMemoryRelation [a#1, b#2], CachedRDDBuilder(true,10000,StorageLevel(disk, 1 replicas),*(2) Project [a#1, b#2]
+- *(2) BroadcastHashJoin [a#1], [c#3], Inner, BuildRight
   :- *(2) {scan}
   +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false]))
      +- LocalTableScan [c#3]
,None)
         +- *(2) Project [a#1, b#2]
            +- *(2) BroadcastHashJoin [a#1], [c#3], Inner, BuildRight
               :- *(2) {scan}
               +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false]))
                  +- LocalTableScan [c#3]
"""
    document = open_text(text)
    (plan,) = document.plans
    assert [(node.depth, node.op) for node in plan] == [
        (0, "InMemoryTableScan"),
        (1, "InMemoryRelation"),
        (2, "Project"),
        (3, "BroadcastHashJoin"),
        (4, "FileScan"),
        (4, "BroadcastExchange"),
        (5, "LocalTableScan"),
    ]
    assert document.unparsed == ()
    assert plan[1].source == (3, 8)


def test_an_initial_plan_below_a_final_one_whose_head_is_missing() -> None:
    text = """   *(2) Sort [a#1 ASC NULLS FIRST], true, 0
   +- AQEShuffleRead coalesced
      +- ShuffleQueryStage 0
         +- Exchange rangepartitioning(a#1 ASC NULLS FIRST, 200), ENSURE_REQUIREMENTS, [plan_id=9]
            +- LocalTableScan [a#1]
+- == Initial Plan ==
   Sort [a#1 ASC NULLS FIRST], true, 0
   +- Exchange rangepartitioning(a#1 ASC NULLS FIRST, 200), ENSURE_REQUIREMENTS, [plan_id=4]
      +- LocalTableScan [a#1]
"""
    final, initial = open_text(text).plans
    assert [node.op for node in final] == ["Sort", "AQEShuffleRead", "ShuffleQueryStage", "Exchange", "LocalTableScan"]
    assert (initial.stage, [node.op for node in initial]) == ("initial", ["Sort", "Exchange", "LocalTableScan"])
