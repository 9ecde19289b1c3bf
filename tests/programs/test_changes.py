"""Rows that a program changes: Delta's merge, and MERGE, UPDATE and DELETE in spark.sql."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import Program, read_program

_HEAD = """from delta.tables import DeltaTable
from pyspark.sql import functions as F
target = DeltaTable.forPath(spark, "/lake/target").alias("t")
source = spark.read.parquet("/in/updates").groupBy("id").agg(F.max("v").alias("v"), F.max("at").alias("at")).alias("s")
merge = target.merge(source, "t.id = s.id AND t.day = '2024-01-01'")
"""


def read(text: str) -> Program:
    program = read_program(text, None, OptimizerConfig())
    assert program.error is None, program.error
    assert not program.not_understood
    return program


@pytest.mark.parametrize(
    ("clauses", "kind", "target"),
    [
        (
            'whenMatchedUpdate(condition="s.at > t.at", set={"v": "s.v", "seen": F.lit(True)})',
            "Inner",
            "at day id seen v",
        ),
        ("whenMatchedDelete().whenNotMatchedInsertAll()", "RightOuter", "day id"),
        ('whenMatchedUpdateAll().whenNotMatchedBySourceDelete("t.old < 3")', "LeftOuter", "day id old"),
        ("whenMatchedDelete().whenNotMatchedInsertAll().whenNotMatchedBySourceDelete()", "FullOuter", "day id"),
        ('whenNotMatchedInsert(values={"id": "s.id", "v": "upper(s.v)"})', "LeftAnti", "day id v"),
    ],
)
def test_a_merge_joins_as_its_clauses_say(clauses, kind, target):
    (action,) = read(f"{_HEAD}merge.{clauses}.execute()").actions
    plan = action.execution.analyzed
    (join,) = [node for node in plan.walk() if type(node).__name__ == "Join"]
    (leaf,) = [node for node in plan.walk() if not node.children and "delta" in node.simple_string]

    assert action.name == "merge"
    assert join.kind == kind
    assert " ".join(sorted(a.name for a in leaf.output)) == target


def test_a_merge_on_what_nobody_knows_computes_its_source():
    head = _HEAD.replace("\"t.id = s.id AND t.day = '2024-01-01'\"", "args.keys")
    (action,) = read(f"import settings as args\n{head}merge.whenMatchedDelete().execute()").actions
    assert "Join" not in str(action.execution.analyzed)


def test_statements_that_change_rows_are_actions():
    program = read("""spark.sql("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET v = u.w")
spark.sql("UPDATE t SET v = 1 WHERE old < 3")
spark.sql("DELETE FROM t WHERE id IN (SELECT id FROM bad)")
""")
    assert [(a.name, a.place.line) for a in program.actions] == [("sql.merge", 1), ("sql.update", 2), ("sql.delete", 3)]
    assert "Join LeftSemi" in str(program.actions[2].execution.optimized)


def test_a_name_of_the_other_side_is_no_struct_of_a_guessed_table():
    program = read(f"{_HEAD}spark.read.parquet('/x').alias('x').join(source, F.expr('x.id = s.id')).show()")
    (leaf,) = [
        n for n in program.actions[0].execution.analyzed.walk() if not n.children and "at#" not in n.simple_string
    ]

    assert [a.name for a in leaf.output] == ["id"]
