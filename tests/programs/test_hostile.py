"""Programs written to do harm: nothing of them runs, nothing of this machine is read, and each comes to an end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planviz.programs import read_program
from tests.conftest import ROOT
from tests.steps import instructions

_HEAD = "from pyspark.sql import SparkSession\nimport os, subprocess, importlib, re, math\n"
_HEAD += "spark = SparkSession.builder.getOrCreate()\ndf = spark.table('t')\n"
#: What would write, read, connect or start something. `MARK` is a file that must not come to be.
HARM = (
    "os.system('touch MARK')",
    "__import__('os').system('touch MARK')",
    "eval(\"__import__('os').system('touch MARK')\")",
    "exec('import os; os.system(\"touch MARK\")')",
    "compile('1', 'x', 'exec')",
    "subprocess.run(['touch', 'MARK'])",
    "importlib.import_module('os').system('touch MARK')",
    "spark.sparkContext._jvm.java.lang.Runtime.getRuntime().exec('touch MARK')",
    "open('MARK', 'w').write('x')",
    "x = open('/etc/passwd').read()\ndf.filter(f\"a = '{x}'\").show()",
    "x = os.environ['HOME']\ndf.filter(f\"a = '{x}'\").show()",
    "x = os.listdir('/')\ndf.filter(f\"a = '{x}'\").show()",
    "x = ().__class__.__bases__[0].__subclasses__()\ndf.filter(f\"a = '{x}'\").show()",
    "x = '{0.__class__.__init__.__globals__}'.format(df)\ndf.filter(f\"a = '{x}'\").show()",
    "x = (lambda: 0).__globals__\ndf.filter(f\"a = '{x}'\").show()",
    "x = type('X', (), {'__del__': lambda s: os.system('touch MARK')})()",
    "@os.system\ndef touch(): pass",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')",
    "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "import planviz_no_such_module.evil as e\ne.run()",
    "spark.read.csv('/etc/passwd', inferSchema=True).show()",
    "spark.read.schema('a int').json('/proc/self/environ').show()",
    "%run ./other\n!touch MARK",
)
#: What would take all time or all memory.
GREED = (
    "x = 10**10**10", "x = 9**9**9**9", "x = 'a'*10**10", "x = [0]*10**10", "x = list(range(10**12))",
    "x = 1 << 10**10",
    "x = sum(range(10**12))", "while True: pass", "def f(x): return f(x)\nf(1)", "x = re.match('(a+)+$', 'a'*60 + 'b')",
    "x = '%10000000000d' % 1", "x = f'{1:>10000000000}'", "x = 'x'.zfill(10**10)", "x = pow(7, 10**9)",
    "x = math.factorial(10**7)", "x = 'a'\nfor i in range(100): x += x", "x = 2\nfor i in range(60): x = x*x",
    "for i in range(10**9): df = df.union(df)", "for i in range(60): df = df.union(df)",
    "x = ('a'*10**6).replace('a', 'b'*10**6)", "x = bytes(10**11)", "x = int('9'*1000000)",
    "x = " + "[" * 3000 + "]" * 3000,
    "x = lambda: x()\nx()", "x = [i for i in range(10**6) for j in range(10**6)]", "import time\ntime.sleep(100)",
    "x = ','.join(['a'*1000]*10**7)", "x = []\nx.append(x)\nprint(str(x))",
    "x = [1]\nfor i in range(60): x = [x, x]\ny = str(x)", "x = [1]\nfor i in range(60): x = [x, x]\ny = f'{x}'",
    "x = [1]\ny = [1]\nfor i in range(60): x, y = [x, x], [y, y]\nz = x == y",
    "x = [1]\ny = [1]\nfor i in range(60): x, y = [x, x], [y, y]\nz = x in [y]",
    "x = {}\nfor i in range(60): x = {'a': x, 'b': x}\ny = '%s' % x",
    "x = ()\nfor i in range(60): x = (x, x)\ny = {x: 1}",
    "x = ()\nfor i in range(60): x = (x, x)\ny = {x}", "x = ()\nfor i in range(60): x = (x, x)\ny = {}\ny[x] = 1",
    "x = [1]\nfor i in range(60): x = [x, x]\ndf = df.filter(df.a.isin(x))",
    "df = df.groupBy('a').pivot('b', list(range(10**6))).sum('c')", "df = df.filter(df.a.isin(list(range(10**6))))",
    "from pyspark.sql.types import *\ns = IntegerType()\n"
    "for i in range(60): s = StructType([StructField('a', s), StructField('b', s)])\ndf = spark.createDataFrame([], s)",
    "from pyspark.sql.types import *\ns = IntegerType()\nfor i in range(60): s = MapType(s, s)\n"
    "df = spark.createDataFrame([], StructType([StructField('a', s)]))",
    "from pyspark.sql.functions import when\nc = df.a\nfor i in range(60): c = when(c > c, c).otherwise(c)\nx = str(c)",
)  # fmt: skip
_WATCHED = """
import json, sys
from planviz.programs import read_program
harm, mark = json.loads(sys.argv[1]), sys.argv[2]
head, programs = harm
read_program(head + "df.show()")
seen, watched = [], ("subprocess", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.listdir", "os.scandir",
                     "os.putenv", "socket", "urllib", "shutil", "ctypes", "exec", "pty", "webbrowser")
own = tuple(path for path in sys.path if path) + (sys.prefix, sys.base_prefix)
def hook(name, args):
    if name == "open" and not str(args[0]).startswith(own):
        seen.append([name, str(args[0])])
    elif name.startswith(watched) and not (name == "exec" and "planviz" in str(args[0])):
        seen.append([name, str(args)[:200]])
sys.addaudithook(hook)
open("/dev/null").close()
assert seen, "the hook sees nothing"
told = []
for program in programs:
    seen.clear()
    found = read_program(head + program.replace("MARK", mark) + "\\ndf.show()")
    told.append([list(seen), "".join(str(a.execution.sql) + a.execution.text("analyzed") for a in found.actions
                                     if a.error is None)])
print(json.dumps(told))
"""


def test_nothing_of_a_program_runs_and_nothing_of_the_machine_is_read(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    asked = json.dumps([_HEAD, HARM])
    ran = subprocess.run(
        [sys.executable, "-c", _WATCHED, asked, str(mark)], capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    assert not mark.exists()
    for program, (events, plans) in zip(HARM, json.loads(ran.stdout), strict=True):
        assert events == [], program
        for secret in ("root:x:0", str(Path.home()), "<class '", "__builtins__", "usr, "):
            assert secret not in plans, program


@pytest.mark.slow
@pytest.mark.parametrize("program", GREED)
def test_a_program_that_would_not_end_is_read_to_its_end(program: str) -> None:
    assert read_program(f"{_HEAD}{program}\ndf.show()\n").actions is not None


def test_a_dataframe_that_doubles_with_every_turn_is_refused_in_a_sentence() -> None:
    program = f"{_HEAD}for i in range(60): df = df.union(df)\ndf.show()\n"
    found = read_program(program)
    assert found.error is not None
    assert "doubles the plan" in found.error.message
    assert found.error.place.line == 5


@pytest.mark.parametrize("number", ["05", "0x", "9" * 5_000, "1e", "٣"])
def test_odd_numbers_of_scala_are_read(number: str) -> None:
    found = read_program(f'val df = spark.read.table("t").limit({number})\ndf.filter($"a" > 1).show()\n')
    assert found is not None


def test_half_characters_in_scala_are_read() -> None:
    found = read_program(
        'val d\udcff = spark.read.table("t\udcff")\nval df = spark.read.table("t")\ndf.filter($"a" > 1).show()\n'
    )
    assert found is not None


def test_a_frame_that_asks_an_outer_query_s_columns_is_no_query_of_its_own() -> None:
    text = _HEAD + "d = spark.table('u').where(F.col('i.a') == F.col('o.a').outer()).select(F.avg('pay'))\n"
    program = read_program("from pyspark.sql import functions as F\n" + text)
    assert all(action.execution.error_until("analyzed") is None for action in program.actions)


def test_a_loop_whose_condition_nothing_in_it_touches_is_read_once() -> None:
    text = _HEAD + "done = False\nwhile not done:\n    df = df.filter('a > 1')\ndf.show()\n"
    (action,) = read_program(text).actions
    assert sum(node.node_name == "Filter" for node in action.execution.parsed.walk()) == 1
    counted = _HEAD + "i = 0\nwhile i < 3:\n    df = df.filter('a > 1')\n    i += 1\ndf.show()\n"
    (action,) = read_program(counted).actions
    assert sum(node.node_name == "Filter" for node in action.execution.parsed.walk()) == 3


def test_a_dataframe_over_many_others_is_read_in_steps_that_grow_with_their_number() -> None:
    def reading(rounds: int) -> int:
        return instructions(lambda: read_program(f"{_HEAD}for i in range({rounds}): df = df.filter('a > 1')\n"))

    reading(3)
    few, many = reading(80), reading(320)
    assert many < 5 * few


def test_a_loop_that_nothing_leaves_ends_with_its_line() -> None:
    text = _HEAD + "while True:\n    df = df.filter('a > 1')\n    if df is None: break\n"
    assert (5, "Reading stopped here: a loop goes on for too long.") in read_program(text).not_understood


@pytest.mark.parametrize("word", ["break", "continue"])
def test_a_function_that_leaves_a_loop_of_nobody_ends_there(word: str) -> None:
    program = read_program(
        f"def f(spark):\n    spark.range(3).show()\n    {word}\n    spark.range(4).show()\n\nf(spark)\n"
    )
    assert [action.place.line for action in program.actions] == [2]
    assert program.error is None
    called_by_nobody = read_program(
        f"spark.range(1).show()\ndef test_f(spark):\n    spark.range(3).show()\n    {word}\n"
    )
    assert len(called_by_nobody.actions) == 2
