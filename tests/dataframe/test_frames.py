"""DataFrames and Datasets beside what Spark 4.3 printed for the same methods (`frames.txt`, `datasets.txt`).

Every entry is Python, then `---- parsed`, `---- analyzed` (left out where it is the parsed plan) and `---- optimized`,
or `---- error` and Spark's error class; ids are renumbered. The names that the entries use are those of `names()`.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from planviz.config import OptimizerConfig
from planviz.dataframe import Encoders, Window, col, expr, functions, lit, session
from planviz.errors import AnalysisError
from tests.plans import canonical, small_catalog

#: Entries, by their text, that come out differently, with the reason.
KNOWN = {
    'pairs.map(f, PAIR).groupBy("_1").count()': "Scala's groupBy binds names, PySpark's leaves them",
}


def f(x):
    return x


def names():
    spark = session(small_catalog(), OptimizerConfig().with_settings({"spark.sql.session.timeZone": "UTC"}))
    pair = Encoders.tuple(Encoders.LONG, Encoders.STRING)
    pairs = spark.range(5).selectExpr("id as _1", "cast(id as string) as _2").as_(pair)
    return {
        "spark": spark, "F": functions, "E": Encoders, "PAIR": pair, "Window": Window, "col": col, "lit": lit,
        "expr": expr, "date": date, "Decimal": Decimal, "f": f, "pairs": pairs,
        **{t: spark.table(t) for t in ("t1", "t2", "t3", "orders", "arr")},
        "longs": spark.range(5).as_(Encoders.LONG),
        "flags": spark.range(5).selectExpr("id>2 as b").as_(Encoders.BOOLEAN),
        "texts": spark.sql("select array('a','b') v").as_(Encoders.array("string")),
        "numbers": spark.sql("select array(1,2) v").as_(Encoders.array("int")),
    }  # fmt: skip


def entries():
    out = []
    for name in ("frames.txt", "datasets.txt"):
        text = (Path(__file__).parent / name).read_text(encoding="utf-8")
        for block in text.rstrip("\n").split("\n\n====\n"):
            code, *parts = block.split("\n---- ")
            out.append((code, dict(p.split("\n", 1) for p in parts)))
    return out


def plain(text):
    """The text without what differs from run to run: numbers of lambda variables, names of generated functions."""
    text = canonical(text).replace("spark_catalog.default.", "").replace(" parquet", "").replace("Etc/UTC", "UTC")
    text = re.sub(r"CombineTypedFilters\(f, f\)", "f", text)
    text = re.sub(r"(lambdavariable\(MapObject, .*?, (?:true|false), )\d+\)", r"\1N)", text)
    return re.sub(r"\b([xyz])_\d+\b", r"\1_N", text)


ENTRIES = entries()


@pytest.mark.parametrize(("code", "expected"), ENTRIES, ids=[f"{i}" for i in range(len(ENTRIES))])
def test_plans_are_sparks(code, expected, request):
    if code in KNOWN:
        request.node.add_marker(pytest.mark.xfail(strict=True, reason=KNOWN[code]))
    if "error" in expected:
        with pytest.raises(AnalysisError) as e:
            eval(code, names())
        assert e.value.error_class == expected["error"]
        return

    made = eval(code, names()).execution

    assert plain(made.text("parsed")) == expected["parsed"]
    assert plain(made.text("analyzed")) == expected.get("analyzed", expected["parsed"])
    assert plain(made.text("optimized")) == expected["optimized"]
