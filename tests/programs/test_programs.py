"""PySpark programs read as text: what they build, what they are told, what never happens."""

from __future__ import annotations

import json
import random
import re
import sys

import pytest

from planviz.catalogs import find
from planviz.cli.main import run
from planviz.document import open_text
from planviz.errors import ParseError
from planviz.logical.relations import LogicalRelation
from planviz.programs import imports_spark, looks_like_program, read_program
from planviz.programs.learning import FEW_READINGS
from planviz.programs.reading import MOST_READINGS

IMPORTS = "from pyspark.sql import functions as F, Window\n"


def plans(text, catalog="tpch"):
    return [a.execution.text("optimized") for a in read_program(text, find(catalog) if catalog else None).actions]


def one(text, catalog="tpch"):
    program = read_program(text, find(catalog) if catalog else None)
    assert program.error is None, program.error
    assert not program.not_understood
    (action,) = program.actions
    return action


def test_a_chain_is_a_plan_at_the_line_of_its_action():
    action = one(
        IMPORTS
        + """
df = (spark.table("orders")
    .filter(F.col("o_totalprice") > 100)
    .groupBy("o_orderstatus")
    .agg(F.count("*").alias("n")))
df.orderBy(F.desc("n")).show()
"""
    )
    assert (action.name, action.place.line, action.place.column) == ("show", 7, 25)
    assert "Sort [n#" in action.execution.text("optimized")


@pytest.mark.parametrize(
    "program",
    [
        "def f(d, k='o_orderkey'):\n    return d.select(k)\nf(spark.table('orders')).show()",
        "cols = ['o_orderkey']\nspark.table('orders').select(*[c for c in cols if c]).show()",
        "d = spark.table('orders')\nfor c in d.columns:\n    if c != 'o_orderkey':\n        d = d.drop(c)\nd.show()",
        "class A:\n    k = 'key'\n    def __init__(self, p): self.p = p\n"
        "    def go(self): return spark.table('orders').select(f'{self.p}_order{self.k}')\nA('o').go().show()",
        "from functools import reduce\nreduce(lambda d, c: d.select(c), ['o_orderkey'], spark.table('orders')).show()",
        "n = 'orders'\nspark.sql(f'SELECT o_orderkey FROM {n}').show()",
        "spark.sql('SELECT o_orderkey FROM %s' % 'orders').show()",
        "spark.sql('SELECT o_orderkey FROM {}'.format('orders')).show()",
        "t = {'a': 'orders'}\nspark.table(t['a']).select('o_' + 'orderkey').show()",
        "spark.table('orders').createOrReplaceTempView('v')\nspark.sql('SELECT o_orderkey FROM v').show()",
        "spark.table('orders').transform(lambda d: d.select('o_orderkey')).show()",
        "import os\nx = os.environ.get('X', 'orders')\nspark.table(x).select('o_orderkey').show()",
        "k = 'b'\nmatch k:\n    case 'a':\n        c = 'x'\n    case _:\n        c = 'o_orderkey'\n"
        "spark.table('orders').select(c).show()",
        "match ['o_custkey', 'x', 'o_orderkey']:\n    case [first, *rest] if rest:\n        c = rest[-1]\n"
        "spark.table('orders').select(c).show()",
        "try:\n    d = spark.table('nosuch')\nexcept Exception:\n    d = spark.table('orders')\n"
        "d.select('o_orderkey').show()",
    ],
)
def test_pythons_ways_lead_to_the_same_plan(program):
    assert one(program).execution.text("optimized").startswith("Project [o_orderkey#")


def test_errors_have_sparks_class_and_the_place():
    for text, condition, place in [
        ("d = spark.table('orders')\nd.select('nosuch').show()", "UNRESOLVED_COLUMN.WITH_SUGGESTION", (2, 3)),
        ("d = spark.table('orders')\nd.nosuch", "ATTRIBUTE_NOT_SUPPORTED", (2, 3)),
        ("spark.table('orderz')", "TABLE_OR_VIEW_NOT_FOUND", (1, 7)),
        ("x = nosuch", "NameError", (1, 1)),
        ("d = spark.table('orders')\nif d.o_orderkey > 1: pass", "CANNOT_CONVERT_COLUMN_INTO_BOOL", (2, 1)),
    ]:
        error = read_program(text, find("tpch")).error
        assert error is not None
        assert (error.condition, (error.place.line, error.place.column)) == (condition, place)


def test_what_comes_after_an_error_is_read_too():
    program = read_program("x = nosuch\nspark.table('orders').show()", find("tpch"))
    assert program.error is not None
    assert [a.after_error for a in program.actions] == [True]


def test_unknown_conditions_are_read_both_ways():
    program = read_program(
        "import sys\nd = spark.table('orders')\nif len(sys.argv) > 1:\n    d.show()\nelse:\n    d.count()", find("tpch")
    )
    assert [(a.name, bool(a.variant)) for a in program.actions] == [("show", True), ("count", True)]


def test_tables_that_nobody_describes_are_guessed_and_said():
    program = read_program(
        IMPORTS
        + "d = spark.read.csv('x.csv', header=True, inferSchema=True)\n"
        + "e = spark.table('e')\n"
        + "d.filter(d.age > 3).join(e, 'city').groupBy('name').agg(F.sum('amount')).show()\n"
    )
    assert program.error is None
    (action,) = program.actions
    assert "sum(amount#" in action.execution.text("optimized")
    assert "x.csv, e" in program.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "while True:\n    pass",
        "x = 'a'\nfor i in range(10**9):\n    x = x * 2",
        "x = 10 ** 10 ** 10",
        "x = [0] * 10 ** 10",
        "def f(n): return f(n + 1)\nf(0)",
        "x = '{:>1000000000}'.format('a')",
        "x = f'{1:>1000000000}'",
        "x = '%1000000000d' % 1",
        "import re\nre.match('(a|a)*$', 'a' * 50 + 'b')",
        "x = 'a'\nwhile len(x) < 10**9:\n    x = x.replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')",
        "x = " + "(" * 80 + "1" + ")" * 80,
        "d = spark.range(5)\nwhile True:\n    d = d.filter('id > 1')\n    if d is None: break",
    ],
)
def test_reading_comes_to_an_end(program):
    read_program(program + "\n")


HOSTILE = """
import os, subprocess, socket, shutil, urllib.request
os.system("touch /tmp/planviz-was-run")
open("/tmp/planviz-was-run", "w").write("x")
subprocess.run(["touch", "/tmp/planviz-was-run"])
eval("__import__('os').system('true')")
exec("import os")
__import__("os").system("true")
().__class__.__bases__[0].__subclasses__()
"{0.__class__.__init__.__globals__}".format(spark)
spark.__class__.__init__.__globals__["os"].system("true")
(lambda: 0).__globals__
getattr(spark, "__" + "class" + "__").__mro__
spark.execution.__func__.__globals__
spark._execution
spark.catalog.session.act.__globals__
import ctypes, pickle
pickle.loads(b"cos\\nsystem\\n(S'true'\\ntR.")
from planviz import errors
errors.__loader__.load_module("os")
spark.read.text("/etc/passwd").show()
spark.sparkContext.textFile("/etc/passwd").collect()
urllib.request.urlopen("http://127.0.0.1/")
socket.create_connection(("127.0.0.1", 9))
"""

_SEEN: list[str] = []
_WATCHED = ("open", "import", "exec", "compile", "os.", "subprocess.", "socket.", "shutil.", "urllib.", "ctypes.",
            "pickle.", "glob.")  # fmt: skip
_LISTENING = [False]


def _listen(event, arguments):
    # A hook cannot be taken off again: it is deaf unless a test says so.
    if _LISTENING[0] and event.startswith(_WATCHED) and not _harmless(event, arguments):
        _SEEN.append(f"{event} {arguments!r}"[:200])


def _harmless(event, arguments):
    # planviz's own: Python's parser makes a tree of the text, and modules of its own are loaded when first needed.
    if event == "compile":
        return True
    return event == "import" and str(arguments[0]).startswith(("planviz", "re2", "_strptime"))


def test_nothing_of_a_program_is_opened_imported_or_run():
    read_program(HOSTILE)  # what planviz itself loads lazily is there from now on
    sys.addaudithook(_listen)
    _SEEN.clear()
    _LISTENING[0] = True
    try:
        program = read_program(HOSTILE)
    finally:
        _LISTENING[0] = False
    assert not _SEEN
    assert [a.name for a in program.actions] == ["show"]


def test_the_command_line_gives_json_with_places(tmp_path, capsys):
    path = tmp_path / "job.py"
    path.write_text("spark.table('orders').show()\nspark.table('orders').select('nosuch').show()\n")
    assert run(["explain", str(path), "--catalog", "tpch", "--format", "json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [(a["line"], a["action"]) for a in found["actions"]] == [(1, "show")]
    assert found["actions"][0]["extended"].startswith("== Parsed Logical Plan ==")
    assert (found["error"]["line"], found["error"]["condition"]) == (2, "UNRESOLVED_COLUMN.WITH_SUGGESTION")


def test_a_syntax_error_has_its_line(tmp_path, capsys):
    path = tmp_path / "job.py"
    path.write_text("df = spark.table('orders'\ndf.show()\n")
    assert run(["explain", str(path)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_programs_are_told_from_sql_and_plans():
    assert looks_like_program("from pyspark.sql import functions as F\n")
    assert looks_like_program("df = spark.table('t')\ndf.show()")
    assert not looks_like_program("SELECT * FROM spark")
    assert not looks_like_program("SET spark.sql.ansi.enabled = false;\nSELECT * FROM t")
    assert looks_like_program("print(spark.sql('SELECT 1').count())")
    assert not looks_like_program("== Physical Plan ==\n*(1) Filter (a#1 > 1)")


@pytest.mark.parametrize(
    ("program", "plan"),
    [
        # A literal on the left: PySpark turns + and * round, not - and /.
        ("d.select(1 + d.n, 2 - d.n)", "Project [(n#1L + 1) AS (n + 1)#2L, (2 - n#1L) AS (2 - n)#3L]"),
        ("d.agg({'n': 'max', '*': 'count'})", "Aggregate [count(1) AS count(1)#1L, max(n#2L) AS max(n)#3L]"),
        ("d.select(F.mean('n').alias('m'))", "Aggregate [avg(n#1L) AS m#2]"),
        ("d.mapInPandas(f, 'x int')", "MapInPandas f(n#1L)#2, [x#3], false"),
        ("d.groupBy('n').applyInPandas(f, 'x int')", "FlatMapGroupsInPandas [n#1L], f(n#1L)#2, [x#3]"),
    ],
)
def test_plans_are_those_of_pyspark(program, plan):
    action = one(
        f"{IMPORTS}def f(x): return x\nd = spark.range(3).withColumnRenamed('id', 'n')\n"
        f"d = spark.createDataFrame([(1,)], 'n bigint')\n{program}.show()"
    )
    seen: dict[str, str] = {}
    shown = action.execution.text("optimized").split("\n")[0]
    assert re.sub(r"#(\d+)", lambda m: "#" + seen.setdefault(m[1], str(len(seen) + 1)), shown) == plan


def test_a_view_of_a_dataframe_casts_nothing():
    action = one("spark.table('orders').createOrReplaceTempView('v')\nspark.table('v').show()")
    lines = action.execution.text("analyzed").splitlines()
    assert [line.strip(" +-").split(" ")[0] for line in lines] == ["SubqueryAlias", "View", "SubqueryAlias", "Relation"]


def test_exists_names_the_query_around():
    action = one(
        IMPORTS + "c = spark.table('customer').alias('c')\n"
        "spark.table('orders').alias('o').where(\n"
        "    c.where(F.col('c.c_custkey') == F.col('o.o_custkey').outer()).exists()).show()"
    )
    assert action.execution.text("optimized").startswith("Join LeftSemi")


def test_operators_know_the_line_and_column_of_their_call(tmp_path, capsys):
    path = tmp_path / "job.py"
    path.write_text("d = spark.table('orders')\ne = (d\n    .groupBy('o_orderstatus')\n    .count())\ne.show()\n")
    assert run(["explain", str(path), "--catalog", "tpch", "--origin"]) == 0
    assert "4:6    HashAggregate" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        ">>> d = spark.table('orders')\n>>> d.select(\n...     'o_orderkey').show()\n+---+\n|o_o|\n+---+\n",
        "# Databricks notebook source\nd = spark.table('orders')\nd.createOrReplaceTempView('v')\n"
        "# COMMAND ----------\n# MAGIC %sql\n# MAGIC SELECT o_orderkey\n# MAGIC FROM v\n",
        "%matplotlib inline\n!pip install x\nspark.table('orders').select('o_orderkey').show()",
        json.dumps(
            {
                "cells": [
                    {"cell_type": "markdown", "source": ["# no code"]},
                    {"cell_type": "code", "source": ["d = spark.table('orders')\n", "d.createTempView('v')"]},
                    {"cell_type": "code", "source": "%%sql\nSELECT o_orderkey FROM v"},
                ]
            }
        ),
    ],
    ids=["prompts", "databricks", "magics", "notebook"],
)
def test_programs_are_taken_out_of_what_they_come_in(text):
    action = one(text)
    assert action.execution.text("optimized").startswith("Project [o_orderkey#")


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("count()", "Aggregate [count(1) AS count#1L]"),
        ("head()", "GlobalLimit 1"),
        ("first()", "GlobalLimit 1"),
        ("head(3)", "GlobalLimit 3"),
        ("take(7)", "GlobalLimit 7"),
    ],
)
def test_an_action_has_the_query_that_it_runs(call, line):
    action = one(f"spark.table('orders').where('o_custkey > 7').{call}")
    assert re.sub(r"#\d+", "#1", action.query.text("optimized").split("\n")[0]) == line
    assert action.execution.text("optimized").startswith("Filter")
    (statement,) = open_text(f"spark.table('orders').where('o_custkey > 7').{call}", catalog=find("tpch")).statements
    assert statement.execution.text("optimized").split("\n")[0].startswith(line.split("#")[0])


def test_json_tells_the_query_of_the_dataframe_and_the_one_that_runs(tmp_path, capsys):
    path = tmp_path / "job.py"
    path.write_text("d = spark.table('orders')\nd.count()\nd.show()\n")
    assert run(["explain", str(path), "--catalog", "tpch", "--format", "json"]) == 0
    counted, shown = json.loads(capsys.readouterr().out)["actions"]
    assert "count(1)" not in counted["extended"]
    assert "Aggregate [count(1) AS count#" in counted["run"]
    assert "run" not in shown


def test_the_app_opens_programs_with_a_statement_for_every_action():
    text = "d = spark.table('orders')\nd.select('o_orderkey').show()\nd.count()\n"
    document = open_text(text, catalog=find("tpch"))
    assert document.recognised == "PySpark program"
    assert [(s.line, s.kind) for s in document.statements] == [(2, "query"), (3, "query")]
    project = next(n for p in document.plans if p.stage == "analyzed" for n in p.walk() if n.op == "Project")
    assert project.source == (2, 2)


def test_mutated_programs_raise_nothing():
    rng = random.Random(7)
    marks = ["(", ")", "[", "]", ".", ",", "'", "\n", " ", "=", "for ", "1", "x", "F.", "*", "None", "{", "}", ":"]
    texts = [
        HOSTILE,
        IMPORTS + "d = spark.table('orders')\nfor c in d.columns:\n    d = d.withColumn(c, F.col(c) + 1)\n",
    ]
    for _ in range(150):
        text = rng.choice(texts)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["", rng.choice(marks)]) + text[at + rng.randrange(4) :]
        try:
            program = read_program(text, find("tpch"))
        except ParseError:
            continue
        assert program.error is None or program.error.condition != "INTERNAL_ERROR", (text, program.error)


ENUMERATION = "from enum import Enum, IntEnum, StrEnum, auto\n"


@pytest.mark.parametrize(
    "program",
    [
        "class C(str, Enum):\n    KEY = 'o_orderkey'\nspark.table('orders').select(C.KEY.value).show()",
        "class C(str, Enum):\n    KEY = 'o_orderkey'\nspark.table('orders').select(C.KEY).show()",
        "class C(Enum):\n    KEY = 'o_orderkey'\nspark.table('orders').select(C['KEY'].value).show()",
        "class C(Enum):\n    KEY = 'o_orderkey'\nspark.table('orders').select(*[c.value for c in C]).show()",
        "class C(Enum):\n    KEY = 'o_orderkey'\nspark.table('orders').select(C('o_orderkey').value).show()",
        "class C(StrEnum):\n    o_orderkey = auto()\nspark.table('orders').select(C.o_orderkey).show()",
        "class C(Enum):\n    KEY = 'key'\n    @property\n    def column(self): return 'o_order' + self.value\n"
        "spark.table('orders').select(C.KEY.column).show()",
        "class C(IntEnum):\n    A = 1\nspark.table('orders').select(['x', 'o_orderkey'][C.A]).show()",
    ],
)
def test_members_of_enumerations_are_values(program):
    assert one(ENUMERATION + program).execution.text("optimized").startswith("Project [o_orderkey#")


def test_a_column_may_be_looked_up_in_a_dataframe():
    action = one(
        "o = spark.table('orders')\no.filter(o.o_custkey.isin(spark.table('customer').select('c_custkey'))).show()"
    )
    assert "Join LeftSemi, (o_custkey#" in action.execution.text("optimized")


def test_global_views_have_a_database():
    action = one(
        "spark.table('orders').select('o_orderkey').createOrReplaceGlobalTempView('g')\n"
        "spark.sql('SELECT * FROM global_temp.g').show()"
    )
    assert "SubqueryAlias global_temp.g" in action.execution.text("analyzed")
    alone = read_program("spark.table('orders').createGlobalTempView('g')\nspark.table('g')", find("tpch"))
    assert alone.error is not None
    assert alone.error.condition == "TABLE_OR_VIEW_NOT_FOUND"


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("F.pow('o_totalprice', 2)", "POWER(o_totalprice, 2)"),
        ("F.log('o_totalprice')", "ln(o_totalprice)"),
        ("F.log(2.0, 'o_totalprice')", "LOG(2.0, o_totalprice)"),
    ],
)
def test_functions_have_the_names_that_pyspark_gives_them(column, shown):
    assert (
        one(f"{IMPORTS}d = spark.table('orders').select({column})\nd.show()").execution.analyzed.output[0].name == shown
    )


def test_a_pivots_first_passes_over_the_rows_of_other_values():
    action = one(
        IMPORTS
        + "spark.table('orders').groupBy('o_custkey').pivot('o_orderstatus', ['F']).agg(F.first('o_comment')).show()"
    )
    assert "first(if ((o_orderstatus#" in action.execution.text("optimized")
    assert "else null, true) AS F#" in action.execution.text("optimized")
    assert "cast(cast(" not in action.execution.text("analyzed")


def test_the_quartiles_of_a_summary_are_one_function():
    action = one("spark.table('orders').select('o_totalprice').summary().show()")
    assert "percentile_approx(o_totalprice#" in action.execution.text("optimized")
    assert "[0.25,0.5,0.75], 10000" in action.execution.text("optimized")


def test_a_text_is_no_new_column():
    error = read_program("spark.table('orders').withColumn('x', 'o_orderkey')", find("tpch")).error
    assert error is not None
    assert (error.condition, error.message) == (
        "NOT_EXPECTED_TYPE",
        "[NOT_EXPECTED_TYPE] Argument `col` should be Column, got str.",
    )


def test_a_value_without_a_type_has_no_address_in_its_error():
    error = read_program("spark.table('orders').filter(spark.table('orders') == 1).show()", find("tpch")).error
    assert error is None or " at 0x" not in error.message
    error = read_program(f"{IMPORTS}F.lit(spark.table('orders'))", find("tpch")).error
    assert error is not None
    assert " at 0x" not in error.message


def test_the_plan_of_a_dataframe_is_checked_once(monkeypatch):
    from planviz.analysis import check

    seen = []
    whole = check._check_operator
    monkeypatch.setattr(check, "_check_operator", lambda plan, context: (seen.append(plan), whole(plan, context))[1])
    chain = "d = spark.table('orders')\n" + "d = d.withColumn('x', d.o_orderkey + 1)\n" * 30 + "d.show()\n"
    one(chain)
    assert len(seen) < 100


def test_rows_of_pandas_are_a_local_relation_with_the_types_that_spark_infers():
    action = one(
        "import pandas as pd\n"
        "p = pd.DataFrame({'k': [1, 2], 'gap': [1, None], 't': pd.to_datetime(['2024-01-01', '2024-01-02'])})\n"
        "spark.createDataFrame(p).show()\n"
    )
    output = action.execution.analyzed.output
    assert [(a.name, a.type.simple_string) for a in output] == [("k", "bigint"), ("gap", "double"), ("t", "timestamp")]
    assert action.execution.text("optimized").startswith("LocalRelation [k#")


def test_a_frame_of_pandas_that_was_changed_is_not_known():
    program = read_program(
        "import pandas as pd\np = pd.DataFrame({'k': [1]})\np['x'] = 2\nspark.createDataFrame(p).select('x').show()\n"
    )
    assert program.error is None
    assert "LocalRelation" not in program.actions[0].execution.text("analyzed")


def test_a_table_that_was_written_in_buckets_is_read_without_a_shuffle():
    program = read_program(
        "spark.table('orders').write.bucketBy(8, 'o_custkey').sortBy('o_custkey').saveAsTable('b')\n"
        "spark.table('orders').write.saveAsTable('p', partitionBy='o_orderdate')\n"
        "spark.table('b').groupBy('o_custkey').count().show()\n"
        "spark.table('p').filter(\"o_orderdate = '1995-01-01'\").show()\n",
        find("tpch"),
    )
    assert "Exchange" not in program.actions[2].execution.text("physical")
    assert "PartitionFilters: [isnotnull(o_orderdate#" in program.actions[3].execution.text("physical")
    assert program.actions[3].execution.analyzed.output[-1].name == "o_orderdate"


def test_a_dataframes_column_that_using_leaves_out_can_be_named():
    action = one(
        "a = spark.table('orders').withColumnRenamed('o_custkey', 'k')\n"
        "b = spark.table('customer').withColumnRenamed('c_custkey', 'k')\n"
        "a.join(b, 'k', 'left').select(a.k, b.k, b['c_name']).show()\n"
    )
    assert [a.name for a in action.execution.analyzed.output] == ["k", "k", "c_name"]
    assert len({a.expr_id for a in action.execution.analyzed.output}) == 3


@pytest.mark.parametrize(
    "columns",
    [
        "*dict.fromkeys(['o_orderkey', 'o_orderkey'])",
        "*map(str.lower, ['O_ORDERKEY'])",
        "*itertools.chain.from_iterable([['o_orderkey']])",
        "__import__('pyspark').sql.functions.col('o_orderkey')",
    ],
)
def test_methods_by_their_class_are_followed(columns):
    action = one(f"import itertools\nspark.table('orders').select({columns}).show()\n")
    assert [a.name for a in action.execution.analyzed.output] == ["o_orderkey"]


def test_a_distinct_union_of_a_dataframe_with_itself_reads_it_once():
    action = one("p = spark.table('nation')\np.union(p).union(p).distinct().show()\n")
    assert action.execution.text("optimized").count("Relation") == 1


def test_the_current_database_is_that_which_the_program_sets():
    program = read_program(
        "spark.table('orders').write.saveAsTable('other.mine')\n"
        "spark.catalog.setCurrentDatabase('other')\nspark.table('mine').show()\n",
        find("tpch"),
    )
    assert program.error is None


def test_groups_by_an_expression_are_named_as_it_is_written():
    action = one(
        "d = spark.table('orders').select('o_orderkey')\n"
        "d.groupBy(d.o_orderkey % 2).applyInPandas(lambda x: x, d.schema).show()\n"
    )
    assert "AS '`%`(o_orderkey#" in action.execution.text("analyzed")


def test_what_is_read_through_a_view_made_by_sql_is_guessed_of_its_table():
    made = one(
        """
spark.sql("CREATE OR REPLACE TEMP VIEW ev AS SELECT * FROM raw.events WHERE event_date = '2024-01-01'")
spark.table("ev").join(spark.table("dim.users"), ["user_id"]).select("user_id", "kind").show()
""",
        None,
    )
    assert "raw.events[event_date#" in made.execution.text("optimized")
    assert "user_id#" in made.execution.text("optimized")


def test_a_filter_s_column_is_a_boolean_one():
    made = one('spark.read.table("bronze.customers").where("is_active").show()', None)
    assert "is_active#" in made.execution.text("optimized")
    (table,) = made.execution.catalog.tables.values()
    assert [c.data_type.simple_string for c in table.columns] == ["boolean"]


def test_a_catalogue_s_table_may_have_a_placeholder_in_its_name():
    made = one(
        """
import sys
from awsglue.utils import getResolvedOptions
from awsglue.context import GlueContext
args = getResolvedOptions(sys.argv, ["db"])
glueContext = GlueContext(sc)
rows = glueContext.create_dynamic_frame.from_catalog(database=args["db"], table_name="clicks")
rows.toDF().filter("user_id is not null").select("user_id").show()
""",
        None,
    )
    assert "clicks[user_id#" in made.execution.text("optimized")


def test_a_table_may_be_guessed_from_more_statements_than_readings():
    steps = "".join(f"d = d.filter(F.col('a{i}') > 1)\n" for i in range(MOST_READINGS + 10))
    program = read_program(IMPORTS + "d = spark.table('nobody_knows')\n" + steps + "d.show()\n")
    assert program.error is None
    (action,) = program.actions
    assert [a.name for a in action.execution.analyzed.output] == [f"a{i}" for i in range(MOST_READINGS + 10)]


def test_columns_by_attribute_are_guessed_through_what_was_derived_before():
    steps = "".join(f"d = d.withColumn('c{i}', d.a{i} * 2).filter(d['b{i}'] > 1)\n" for i in range(FEW_READINGS + 5))
    program = read_program(IMPORTS + "d = spark.table('nobody_knows')\n" + steps + "d.show()\n")
    assert program.error is None
    assert program.not_understood == []
    (action,) = program.actions
    text = action.execution.text("analyzed")
    assert all(f"{name}{i}#" in text for name in "abc" for i in range(FEW_READINGS + 5))
    # What only served to learn is in no plan.
    assert "null" not in text.lower()


def test_many_guesses_tell_the_sides_of_a_join_apart():
    chain = "".join(f"d = d.filter(F.col('a{i}') > 1)\n" for i in range(FEW_READINGS + 5))
    program = read_program(
        IMPORTS
        + "d = spark.table('one')\ne = spark.table('other')\n"
        + chain
        + "d.join(e, d.k == e.j).groupBy(e.name).agg(F.max(d.amount)).show()\n"
    )
    assert program.error is None
    (action,) = program.actions
    tables = {t.name[-1]: {a.name for a in t.output} for t in action.execution.analyzed.collect(LogicalRelation)}
    assert tables["other"] == {"j", "name"}
    assert {"k", "amount"} < tables["one"]


def test_an_event_log_is_no_program_whatever_its_plans_and_call_sites_hold() -> None:
    site = r"at x.Main$.main(Main.scala:3)\nimport org.apache.spark.sql.SparkSession; val df = spark.table(\"t\")"
    log = (
        '{"Event":"SparkListenerLogStart","Spark Version":"4.3.0"}\n'
        f'{{"Event":"SparkListenerStageSubmitted","details":"{site}"}}\nimport org.apache.spark.sql.SparkSession\n'
    )
    assert looks_like_program(log.rpartition("\n{")[2].rpartition("}\n")[2])
    assert not looks_like_program(log)
    assert not imports_spark(log)
