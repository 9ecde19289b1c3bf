"""A pasted explain with the optimizer's steps taken again."""

from __future__ import annotations

from planviz.__main__ import main
from planviz.document import open_text
from planviz.document.replayed import with_replayed_trace

#: What 3.5 prints of a temporary view over a file.
EXTENDED = """== Parsed Logical Plan ==
'Project ['a]
+- 'Filter ('b > 1)
   +- 'UnresolvedRelation [w], [], false

== Analyzed Logical Plan ==
a: int
Project [a#1]
+- Filter (b#2 > 1)
   +- SubqueryAlias w
      +- View (`w`, [a#1,b#2,c#3])
         +- Relation [a#1,b#2,c#3] parquet

== Optimized Logical Plan ==
Project [a#1]
+- Filter (isnotnull(b#2) AND (b#2 > 1))
   +- Relation [a#1,b#2,c#3] parquet
"""


def test_the_steps_lead_to_what_spark_printed() -> None:
    document = with_replayed_trace(open_text(EXTENDED))
    assert document is not None
    assert document.recognised == "explain extended · replayed, equals what Spark printed"
    assert [step.short_rule for step in document.trace.steps] == ["FinishAnalysis", "InferFiltersFromConstraints"]
    assert "Filter (isnotnull(b#2) AND (b#2 > 1))" in document.trace.steps[-1].after


def test_a_plan_that_differs_says_so() -> None:
    filtered = "+- Filter (isnotnull(b#2) AND (b#2 > 1))\n   +- Relation"
    document = with_replayed_trace(open_text(EXTENDED.replace(filtered, "+- Relation")))
    assert document is not None
    assert document.recognised == "explain extended · replayed, differs from what Spark printed"


def test_without_both_plans_nothing_is_replayed() -> None:
    logical, optimized = EXTENDED.split("== Optimized Logical Plan ==")
    assert with_replayed_trace(open_text(logical)) is None
    assert with_replayed_trace(open_text(f"== Optimized Logical Plan =={optimized}")) is None


def test_the_command_prints_the_steps(tmp_path, capsys) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(EXTENDED)
    assert main(["trace", str(path), "--format", "diff"]) == 0
    shown = capsys.readouterr().out
    assert "InferFiltersFromConstraints" in shown
    assert "isnotnull(b#2)" in shown
    assert main(["trace", str(path), "--stage", "physical"]) == 2
    assert "taken again" in capsys.readouterr().err
