"""Classes written in Python that give rows (`udtf`), called in programs and in their SQL."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import read_program

_SQUARES = """
from pyspark.sql.functions import udtf, lit, col
@udtf(returnType="num: int, squared: int")
class Squares:
    def eval(self, a: int, b: int):
        yield a, b
spark.udtf.register("squares", Squares)
"""


def plans(text, stage="optimized", profile="spark-4.3"):
    program = read_program(_SQUARES + text, None, OptimizerConfig.of(profile))
    assert program.error is None, program.error
    return [a.execution.text(stage) for a in program.actions]


def test_a_call_is_a_dataframe_of_its_columns():
    assert plans("Squares(lit(1), lit(3)).filter(col('num') > 1).show()\n") == [
        "Filter (isnotnull(num#2) AND (num#2 > 1))\n"
        "+- ArrowEvalPythonUDTF Squares(1, 3)#1, [num#2, squared#3], 301\n"
        "   +- OneRowRelation\n"
    ]


def test_sql_calls_it_by_the_name_it_is_registered_under():
    (plan,) = plans("spark.sql('SELECT id, num FROM range(3), LATERAL squares(1, int(id))').show()\n")
    assert "+- ArrowEvalPythonUDTF squares(1, cast(id#" in plan
    assert ", [id#" in plan
    (plan,) = plans("spark.sql('SELECT s.a FROM squares(1, 3) AS s(a, b)').show()\n", "physical")
    assert "\n+- ArrowEvalPythonUDTF squares(1, 3)#" in plan


def test_a_decorator_without_arguments_waits_for_no_class():
    assert (
        "ArrowEvalPythonUDTF One(1)#1, [x#2L], 301"
        in plans("class One:\n    def eval(self, a): yield a\nudtf(One, returnType='x: bigint')(lit(1)).show()\n")[0]
    )


@pytest.mark.parametrize(("profile", "operator"), [("spark-4.1", "Batch"), ("spark-4.3", "Arrow")])
def test_how_rows_reach_it_is_said_by_the_version_or_the_class(profile, operator):
    (plan,) = plans("Squares(lit(1), lit(3)).show()\n", profile=profile)
    assert plan.startswith(f"{operator}EvalPythonUDTF Squares(1, 3)")
    told = "udtf(Squares2, returnType='a: int', useArrow=False)(lit(1)).show()\n"
    (plan,) = plans(f"class Squares2:\n    def eval(self, a): yield a,\n{told}", profile=profile)
    assert plan.startswith("BatchEvalPythonUDTF Squares2(1)")


@pytest.mark.parametrize(
    "text",
    [
        "@udtf\nclass Own:\n    @staticmethod\n    def analyze(a): ...\n    def eval(self, a): yield a\n"
        "spark.udtf.register('own', Own)\nspark.sql('SELECT * FROM own(1)').show()\n",
        "spark.sql('SELECT * FROM squares(TABLE(t))').show()\n",
    ],
)
def test_what_only_its_run_tells_ends_no_program(text):
    program = read_program(_SQUARES + text + "spark.range(3).show()\n", None)
    assert program.error is None
    assert len(program.actions) >= 1


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("SELECT squares(1, 2)", "NOT_A_SCALAR_FUNCTION"),
        ("SELECT id FROM range(2) LATERAL VIEW squares(1, 2) AS x, y", "ROUTINE_NOT_FOUND"),
    ],
)
def test_it_is_no_value(query, condition):
    program = read_program(f"{_SQUARES}spark.sql('{query}').show()\n", None)
    assert program.error is not None
    assert program.error.condition == condition


@pytest.mark.parametrize("more", ["", ".partitionBy('id').orderBy('id')", ".withSinglePartition()"])
def test_the_rows_of_a_dataframe_as_an_argument_are_no_error(more):
    program = read_program(
        "from pyspark.sql.functions import udtf\nclass Big:\n    def eval(self, row):\n        yield row['id'],\n"
        f"f = udtf(Big, returnType='n: int')\nf(spark.range(10).asTable(){more}).filter('n > 3').show()\n"
    )

    assert program.error is None
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["n"]
    assert any("a table function over the rows of a DataFrame" in told for _, told in program.not_understood)


def test_a_transposed_dataframe_has_the_values_of_its_first_column_as_names():
    program = read_program(
        "d = spark.createDataFrame([('b', 1), ('a', 2)], ['k', 'x'])\nd.transpose().show()\n"
        "spark.read.parquet('/x').transpose('id').select('key', 'z').show()\n"
    )

    assert program.error is None
    assert [[c.name for c in a.execution.analyzed.output] for a in program.actions] == [["key", "a", "b"], ["key", "z"]]


def test_merge_into_joins_its_target_with_its_source():
    program = read_program(
        "from pyspark.sql import functions as F\ns = spark.table('updates').alias('s')\n"
        "s.mergeInto('t', F.expr('t.k = s.k')).whenMatched().updateAll().whenNotMatched().insertAll().merge()\n"
    )

    assert program.error is None
    assert [a.name for a in program.actions] == ["merge"]
    assert program.actions[0].execution.text("analyzed").startswith("Join RightOuter, (k#")
