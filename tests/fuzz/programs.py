"""Programs made odd: PySpark and Scala as tests and people write them, chains of methods, notebooks."""

from __future__ import annotations

import ast
import json
import random
import re
from functools import cache

from tests.conftest import ROOT as REPO
from tests.fuzz.typed import Typed
from tests.plantext.test_properties import mutate

_TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|\d+(?:\.\d+)?|[A-Za-z_]\w*|[^\w\s]")
_PYTHON = re.compile(r"\.show\(|\.collect\(|\.write|spark\.|F\.|\.count\(")
_COLUMN = ("id", "k", "name", "price", "d", "ts", "ok")
_CHAINED = (
    ".select('id', F.col('k') + 1)", ".filter(F.col('id') > {n})", ".where(\"{b}\")", ".selectExpr(\"{v} AS z\", 'id', 'k', 'name')",
    ".withColumn('{c}', F.expr(\"{v}\"))", ".groupBy('{c}').agg(F.sum('k').alias('k'), F.max('id').alias('id'))", ".groupBy('name').count()",
    ".join(spark.table('t2'), 'id', '{how}')", ".join(spark.table('t3').alias('o'), F.expr('id = o.id'), '{how}')", ".orderBy(F.desc('id'))",
    ".limit({n})", ".distinct()", ".dropDuplicates(['id'])", ".drop('{c}')", ".withColumnRenamed('{c}', 'id')", ".fillna({{'id': {n}}})",
    ".union(spark.table('t1'))", ".unionByName(spark.table('t2'), allowMissingColumns=True)", ".cache()", ".repartition({n}, 'id')", ".coalesce({n})",
    ".withColumn('w', F.row_number().over(Window.partitionBy('name').orderBy('id')))", ".groupBy('id').pivot('name', ['a', 'b']).sum('k')",
    ".dropna(subset=['id'])", ".sample(0.1, seed={n})", ".hint('broadcast')", ".alias('x')", ".toDF(*[f'c{{i}}' for i in range({n})])",
    ".transform(lambda df: df.filter('id > {n}'))", ".crossJoin(F.broadcast(spark.range({n})))", ".exceptAll(spark.table('t1'))", ".cube('id', 'name').count()",
    ".select('*', F.explode(F.array(F.lit(1), F.col('id'))).alias('e'))", ".unpivot(['id'], ['k'], 'a', 'b')", ".mapInPandas(f, 'id int')",
    ".select(udf1('name').alias('name'), 'id', 'k')", ".replace({{1: 2}})", ".agg({{'id': 'max', 'k': 'min'}})", ".rollup('name').agg(F.countDistinct('id'))",
    ".withWatermark('ts', '1 hour')", ".observe('m', F.count(F.lit(1)))", ".sortWithinPartitions('id')", ".describe()", ".na.drop()", ".rdd.map(lambda r: r).toDF()",
)  # fmt: skip
_ACTIONS = (".show()", ".collect()", ".count()", ".explain(True)", ".write.mode('overwrite').saveAsTable('out')", ".write.parquet('/tmp/x')",
            ".toPandas()", ".first()", ".write.insertInto('t3')", ".createOrReplaceTempView('v')\nspark.sql('SELECT * FROM v').show()",
            ".write.format('jdbc').save('file:///x')", ".take(3)", ".foreach(print)", ".writeTo('a.b').append()", "")  # fmt: skip
_AROUND = (
    "{}", "{}", "{}", "for i in range(3):\n{i}", "def run(df):\n{i}\n    return df\nrun(spark.table('t1')).show()", "if True:\n{i}\nelse:\n    pass",
    "try:\n{i}\nexcept Exception as e:\n    print(e)", "class Job:\n    def go(self):\n{ii}\nJob().go()", "while True:\n{i}\n    break",
    "with open('x') as f:\n{i}", "import sys\nn = int(sys.argv[1])\n{}", "async def main():\n{i}", "[None for x in (1, 2)]\n{}",
)  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """Programs of the tests, each as it stands there."""
    folder = REPO / "tests" / "programs"
    found = re.split(r"(?m)^=== .*\n", (folder / "pasted.txt").read_text(encoding="utf-8"))[1:]
    found += [path.read_text(encoding="utf-8") for path in sorted((folder / "tpch").glob("*.py"))]
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _PYTHON.search(node.value):
                found.append(node.value)
    return tuple(text[:8_000] for text in found if text.strip())


@cache
def _tokens() -> tuple[str, ...]:
    return tuple(sorted({token for text in texts() for token in _TOKEN.findall(text)}))


def _chain(dice: random.Random) -> str:
    """A program of chained methods."""
    writer, made = Typed(dice), []
    names = {"n": ["id", "k"], "s": ["name"], "c": ["price"], "d": ["d"], "t": ["ts"], "b": ["ok"]}
    for at in range(dice.randint(1, 3)):
        start = dice.choice(("spark.table('t1')", "spark.table('t1')", "spark.read.parquet('/data/t')", "df0", "spark.range(10)",
                             f'spark.sql("""{writer.ordered()}""")', "spark.createDataFrame([(1, 'a')], ['id', 'name'])"))  # fmt: skip
        line = f"df{at} = {start}"
        for _ in range(dice.randint(1, 6)):
            line += dice.choice(_CHAINED).format(
                n=dice.choice((0, 1, 3, 100, -1)), c=dice.choice(_COLUMN), how=dice.choice(("inner", "left", "full", "left_anti", "cross")),
                b=writer.value("b", names, 1).replace('"', "'"), v=writer.value(dice.choice(("n", "s", "c")), names, 1).replace('"', "'"),
            )  # fmt: skip
        made.append(f"{line}\ndf{at}{dice.choice(_ACTIONS)}")
    body = "\n".join(made)
    form = dice.choice(_AROUND)
    deeper = body.replace("\n", "\n    ")
    made_around = (
        form.replace("{ii}", "        " + body.replace("\n", "\n        "))
        .replace("{i}", "    " + deeper)
        .replace("{}", body)
    )
    return "from pyspark.sql import functions as F, Window\nudf1 = F.udf(lambda s: s)\n" + made_around


def odd_program(dice: random.Random) -> str:
    """One program, made odd in a few places, sometimes in a notebook."""
    text = _chain(dice) if dice.random() < 0.4 else dice.choice(texts())
    for _ in range(dice.choice((0, 1, 1, 2, 4))):
        kind = dice.randrange(5)
        if kind <= 1:
            found = list(_TOKEN.finditer(text))
            if found:
                match = dice.choice(found)
                text = text[: match.start()] + dice.choice(_tokens()) + text[match.end() :]
        elif kind == 2:
            lines = text.split("\n")
            at = dice.randrange(len(lines))
            lines[at:at] = dice.choice(texts()).split("\n")[: dice.randint(1, 6)]
            text = "\n".join(lines)
        elif kind == 3:
            lines = text.split("\n")
            del lines[dice.randrange(len(lines))]
            text = "\n".join(lines)
        elif dice.random() < 0.5:
            text = mutate(text, dice.choice(texts()), dice)
    if dice.random() < 0.03:
        at = dice.randrange(len(text) + 1)
        text = text[:at] + dice.choice(("\udcff", "\x00", "\u2028", "²", "é", "\ufeff")) + text[at:]
    if dice.random() < 0.12:
        text = dice.choice(_NOTEBOOKS)(text)
    return text


_NOTEBOOKS = (
    lambda text: json.dumps({"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True), "outputs": []}
                                       for cell in text.split("\n\n")], "metadata": {}, "nbformat": 4}),
    lambda text: "# Databricks notebook source\n" + text.replace("\n\n", "\n\n# COMMAND ----------\n\n"),
    lambda text: "%pyspark\n" + text,
    lambda text: "".join(f">>> {line}\n" for line in text.split("\n")),
    lambda text: "```python\n" + text + "\n```",
    lambda text: "In [1]: " + text.replace("\n", "\n   ...: "),
)  # fmt: skip
