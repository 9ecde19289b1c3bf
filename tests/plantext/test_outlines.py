"""Trees without Spark's marks, diffs, tags: what people and old versions print."""

from __future__ import annotations

from planviz.document import Document, open_text
from planviz.graph import PlanGraph


def shape(plan: PlanGraph) -> list[tuple[int, str]]:
    return [(node.depth, node.op) for node in plan]


def shapes(text: str) -> list[list[tuple[int, str]]]:
    return [shape(plan) for plan in open_text(text).plans]


def left(document: Document) -> list[str]:
    return [text for _, text in document.unparsed]


def test_spark_1_indents_by_one_space() -> None:
    document = open_text(
        "== Parsed Logical Plan ==\n'Project ['city]\n 'Filter ('age > 30)\n  UnresolvedRelation None, people, None\n\n"
        "== Physical Plan ==\nProject [city#3]\n BroadcastHashJoin [id#1], [id#7], BuildRight\n"
        "  Filter (age#2 > 30)\n   HiveTableScan [city#3,age#2], (MetastoreRelation default, people, None), None\n"
        "  Exchange (HashPartitioning [id#7], 200)\n   PhysicalRDD [id#7], MapPartitionsRDD[4] at rdd at X.scala:9\n\n"
        "Code Generation: false\n"
    )
    parsed, physical = document.plans
    assert shape(parsed) == [(0, "Project"), (1, "Filter"), (2, "UnresolvedRelation")]
    assert shape(physical) == [
        (0, "Project"),
        (1, "BroadcastHashJoin"),
        (2, "Filter"),
        (3, "HiveTableScan"),
        (2, "Exchange"),
        (3, "PhysicalRDD"),
    ]
    assert parsed[2].arguments["table"] == "people"
    assert physical[1].arguments["join_type"] == "Inner"
    assert physical[4].arguments["partition_keys"] == ["id#7"]
    assert left(document) == ["Code Generation: false"]


def test_the_expected_plans_of_spark_s_tests() -> None:
    text = (
        "WholeStageCodegen (2)\n  HashAggregate [brand,sum] [total]\n    InputAdapter\n      Exchange [brand] #1\n"
        "        WholeStageCodegen (1)\n          Scan parquet shop.items [brand,price]\n"
    )
    (plan,) = open_text(text).plans
    assert [node.depth for node in plan] == [0, 1, 2, 3, 4, 5]
    assert plan[3].arguments["number"] == 1
    stamped = "".join(f"2024-05-01T10:20:30.1234567Z [info] {line}\n" for line in text.splitlines())
    assert shapes(stamped) == [shape(plan)]


def test_code_and_prose_are_no_trees() -> None:
    text = "Filter what you read early.\n  Project only what you need.\n\n== Physical Plan ==\nRange (0, 9, step=1)\n"
    assert shapes(text) == [[(0, "Range")]]


def test_a_chain_that_lost_its_indentation() -> None:
    text = "== Physical Plan ==\nFilter (k#1 = 1)\nHiveTableScan [k#1], (MetastoreRelation default, t, None), None\n"
    assert shapes(text) == [[(0, "Filter"), (1, "HiveTableScan")]]


def test_drawn_with_box_characters() -> None:
    text = "Project\n├── Ignored\n"
    drawn = "Union\n ├── Project\n │    └── Filter\n │          └── Scan parquet\n └── LocalTableScan\n"
    expected = [(0, "Union"), (1, "Project"), (2, "Filter"), (3, "Scan"), (1, "LocalTableScan")]
    assert shapes(drawn) == [expected]
    assert shapes("".join(f"# {line}\n" for line in drawn.splitlines())) == [expected]
    assert left(open_text(drawn + "\nfiles:\n├── README.md\n└── src\n" + text))[:3] == [
        "files:",
        "├── README.md",
        "└── src",
    ]


def test_an_operator_that_is_cut_off_does_not_go_on_in_a_diffs_other_side() -> None:
    lines = ["Project [a#1]", "+- Filter (a#1 > 1", "   +- Scan t [a#1"]
    text = "".join(f"+{line}\n-{line}\n" for line in ("== Physical Plan ==", *lines))
    for plan in open_text(text).plans:
        for node in plan:
            assert node.source is not None
            assert node.source[0] <= node.source[1]


def test_both_sides_of_a_diff() -> None:
    document = open_text(
        "@@ -1,4 +1,4 @@\n == Physical Plan ==\n Sort [k#1 ASC], true, 0\n"
        "-+- Exchange rangepartitioning(k#1 ASC, 200)\n-   +- Range (0, 9, step=1)\n"
        "++- Exchange rangepartitioning(k#1 ASC, 20)\n+   +- LocalTableScan [k#1]\n"
    )
    new, old = document.plans
    assert shape(new) == [(0, "Sort"), (1, "Exchange"), (2, "LocalTableScan")]
    assert shape(old) == [(0, "Sort"), (1, "Exchange"), (2, "Range")]
    assert (new[1].source, old[1].source) == ((6, 6), (4, 4))
    assert left(document) == ["@@ -1,4 +1,4 @@"]


def test_a_plan_as_a_web_page_holds_it() -> None:
    expected = [(0, "Filter"), (1, "Range")]
    assert shapes(
        "<pre><code>== Physical Plan ==\n<b>Filter</b> (k#1 &gt; 2)\n+- Range (0, 9, step=1)\n</code></pre>\n"
    ) == [expected]
    assert shapes("<p>== Physical Plan ==<br>Filter (k#1 &gt; 2)<br/>+- Range (0, 9, step=1)</p>") == [expected]
    (plan,) = open_text("MapElements <function1>, obj#3: scala.Tuple2\n+- LocalRelation [a#1]\n<p>and</p>\n").plans
    assert plan[0].text == "MapElements <function1>, obj#3: scala.Tuple2"


def test_a_second_last_child_is_a_child() -> None:
    document = open_text(
        "AdaptiveSparkPlan (5)\n   +- Sort (4)\n   +- Exchange (3)\n       +- Project (2)\n       +- Filter (1)\n"
    )
    (plan,) = document.plans
    assert [node.depth for node in plan] == [0, 1, 2, 3, 4]
    assert "indentation was lost" in plan.notes[0]


def test_more_than_one_space_after_the_mark() -> None:
    (plan,) = open_text(
        "CometProject\n+-  SortMergeJoin [COMET: SortMergeJoin is not enabled (see the settings)]\n   :- CometSort\n"
        "   +- CometSinkPlaceHolder\n"
    ).plans
    assert shape(plan)[1] == (1, "SortMergeJoin")
    assert plan[1].badges == ()
    assert plan[1].arguments == {"fallback": "SortMergeJoin is not enabled (see the settings)"}


def test_a_sentence_above_a_tree_is_no_root() -> None:
    document = open_text("The plan of the second query:\n+- Project [a#1]\n   +- LocalRelation [a#1]\n")
    assert [shape(plan) for plan in document.plans] == [[(0, "Project"), (1, "LocalRelation")]]
    assert left(document) == ["The plan of the second query:"]


def test_remarks_behind_operators() -> None:
    (plan,) = open_text(
        "== Physical Plan ==\nHashAggregate(keys=[k#1], functions=[count(1)])   <- the final one\n"
        "+- Exchange hashpartitioning(k#1, 200), true, [id=#7] //---- first shuffle\n"
        "   +- Filter (k#1 <= 5)   # pushed\n      +- Range (0, 9, step=1)\n"
    ).plans
    assert [node.arguments.get("remark") for node in plan] == ["the final one", "first shuffle", "pushed", None]
    assert plan[2].arguments["condition"] == "k#1 <= 5"


def test_a_plan_in_a_string_of_a_program() -> None:
    document = open_text('    plan = "Project [a#1]\\n+- LocalRelation [a#1]\\n"\n')
    assert [shape(plan) for plan in document.plans] == [[(0, "Project"), (1, "LocalRelation")]]


def test_arguments_that_somebody_wrapped() -> None:
    (plan,) = open_text(
        "*(1) ColumnarToRow\n+- Filter (k#1 > 2)\n   +- BatchScan shop.orders[k#1]\n      IcebergScan(\n"
        "         table=shop.orders,\n         snapshotId=7\n      )\n"
    ).plans
    assert len(plan) == 3
    assert plan[2].source == (3, 7)


def test_one_string_literal_a_line() -> None:
    expected = [(0, "Sort"), (1, "Exchange"), (2, "LocalRelation")]
    lines = ["Sort [a#1 ASC], true, 0", "+- Exchange SinglePartition", "   +- LocalRelation [a#1]"]
    assert shapes("    val plan =\n" + "".join(f'      "{line}\\n" +\n' for line in lines) + '      ""\n') == [expected]
    assert shapes('PLAN = """' + "\n".join(lines) + '""".strip()\n') == [expected]


def test_what_photon_says_of_a_plan() -> None:
    document = open_text(
        "== Physical Plan ==\nLocalTableScan (1)\n\n(1) LocalTableScan\nOutput [1]: [a#1]\n\n"
        "== Photon Explanation ==\nPhoton does not fully support the query because:\n"
        "\tUnsupported node: LocalTableScan [a#1].\n\nReference node:\n\tLocalTableScan [a#1]\n```\nthe end\n"
    )
    assert [len(plan) for plan in document.plans] == [1]
    assert "does not fully support the query because: Unsupported node" in document.notes[0]
    assert left(document) == ["```", "the end"]


def test_headings_of_three_equal_signs() -> None:
    document = open_text("=== Executed Plan ===\nFilter (a#1 > 2)\n+- LocalTableScan [a#1]\n\n=== My own heading ===\n")
    assert [plan.stage for plan in document.plans] == ["physical"]
    assert left(document) == ["=== My own heading ==="]


def test_a_block_of_a_rule_log_that_was_cut_off() -> None:
    document = open_text(
        " * === Applying Rule org.apache.spark.sql.X ===\n * !Project [a#1]                    Project [a#1]\n"
        " * !+- Filter true                   +- LocalRelation [a#1]\n */\n"
    )
    (step,) = document.trace.steps
    assert step.before == "Project [a#1]\n+- Filter true"
    assert step.after == "Project [a#1]\n+- LocalRelation [a#1]"


def test_arguments_wrapped_in_an_indented_tree() -> None:
    (plan,) = open_text(
        "== Physical Plan ==\nAggregate false, [k#1], [k#1,SUM(PartialSum#5) AS total#6]\n"
        " Exchange (HashPartitioning [k#1], 200)\n  Aggregate true, [k#1], [k#1,\n       SUM(v#2) AS PartialSum#5]\n"
        "   Filter scalaUDF(scalaUDF(k#1))\n    PhysicalRDD [k#1,v#2], MapPartitionsRDD[4] at rdd at X.scala:9\n"
    ).plans
    assert [node.depth for node in plan] == [0, 1, 2, 3, 4]
    assert plan[2].source == (4, 5)
    assert plan[2].arguments["partial"] is True
    assert plan[4].arguments["rdd"].startswith("MapPartitionsRDD[4]")


def test_marks_that_a_wiki_escaped() -> None:
    (plan,) = open_text(
        "\\*(1) Project [user\\_id#1]\n\\+- \\*(1) Filter (user\\_id#1 > 2)\n   +- LocalRelation [a#3]\n"
    ).plans
    assert shape(plan) == [(0, "Project"), (1, "Filter"), (2, "LocalRelation")]
    assert plan[0].arguments["project_list"] == ["user_id#1"]
    (kept,) = open_text("Filter a#1 LIKE %x\\_y\n+- LocalRelation [a#1]\n").plans
    assert kept[0].arguments["condition"] == "a#1 LIKE %x\\_y"


def test_a_remark_below_a_heading() -> None:
    text = "== Parsed Logical Plan ==\n// the cast is gone\n'Project ['a]\n+- 'UnresolvedRelation [t], [], false\n"
    assert shapes(text) == [[(0, "Project"), (1, "UnresolvedRelation")]]


def test_caches_and_tables_of_spark_1() -> None:
    (plan,) = open_text(
        "== Physical Plan ==\nUnion\n InMemoryColumnarTableScan [a#1], [(a#1)], (InMemoryRelation [a#1], true, 10000, "
        "StorageLevel(true, true, false, true, 1), (Project [a#1]), Some(people))\n"
        " HiveTableScan [a#5], (MetastoreRelation default, src, None)\n"
    ).plans
    cache, table = plan[1].arguments, plan[2].arguments
    assert (cache["table"], cache["output"], cache["filters"]) == ("people", ["a#1"], ["(a#1)"])
    assert table["table"] == "default.src"


def test_columns_and_root_on_one_line() -> None:
    text = "== Analyzed Logical Plan ==\nid: string, n: decimal(26,2) GlobalLimit 10\n+- LocalLimit 10\n"
    assert shapes(text) == [[(0, "GlobalLimit"), (1, "LocalLimit")]]


def test_a_mark_where_the_text_was_cut_off() -> None:
    document = open_text(
        "== executedPlan ==\nCartesianProduct\n:- BroadcastNestedLoopJoin BuildRight, Inner\n:  :- *\n"
    )
    (plan,) = document.plans
    assert shape(plan) == [(0, "CartesianProduct"), (1, "BroadcastNestedLoopJoin")]
    assert plan[1].arguments == {"build_side": "right", "join_type": "Inner"}
    assert left(document) == [":  :- *"]


def test_the_closing_quote_of_a_string() -> None:
    (plan,) = open_text('  plan = "Generate explode(a#1)\\n+- LocalRelation [a#1]"\n  check(plan)\n').plans
    assert plan[1].text == "LocalRelation [a#1]"


def test_code_below_a_plan_is_not_its_text() -> None:
    document = open_text(
        "# Filter (a#1 > 2)\n# +- LocalRelation [a#1]\n        if (plan == null)\n"
        "            throw new Error()\n        rows = plan.collect()\n"
    )
    (plan,) = document.plans
    assert plan[1].source == (2, 2)
    assert len(document.unparsed) == 3


def test_a_rule_log_quoted_and_cut_within_a_line() -> None:
    log = (
        "24/01/02 10:20:30 WARN PlanChangeLogger: Batch Substitution has no effect.\n"
        "24/01/02 10:20:31 WARN PlanChangeLogger: \n=== Applying Rule org.apache.spark.sql.X ===\n"
        " Project [a#1]           Project [a#1]\n!+- Filter (a#1 > 2)     +- LocalRelation [a#1]\n"
    )
    for text in ("".join(f"> {line}\n" for line in log.splitlines()), log + "    +- LocalRelation [a#1]   "):
        document = open_text(text)
        assert [step.before for step in document.trace.steps] == ["Project [a#1]\n+- Filter (a#1 > 2)"]
        assert document.unparsed == ()


def test_nor_behind_a_blank_line_there() -> None:
    both = "+== Physical Plan ==\n-== Physical Plan ==\n+CommandResult <empty>\n-CommandResult <empty>\n"
    cut = "+   +- Execute Foo file:/w, false, [\n-   +- Execute Foo file:/w, false, [\n"
    document = open_text("+\n-\n+4]\n-4]\n" + both + cut)
    assert [[node.source for node in plan] for plan in document.plans] == [[(7, 7), (9, 9)], [(8, 8), (10, 10)]]
