"""The golden statements put to a real Spark of a version, and our plans under that version's profile beside its own.

`python -m tests.fidelity.real --python ENVIRONMENT/bin/python [--every N] [-v]`

`make fidelity-real VERSION=3.5.9` makes the environment itself. Equal means equal but for the numbers of ids, places of
files and seeds of random functions. The tables are empty ones of the same columns, without statistics on both sides.
`--answers FILE` keeps what Spark printed, or reads it where the file is there, so that a mend is measured quickly.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig, profile_of
from planviz.errors import AnalysisError, ParseError, PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import fresh_ids
from planviz.replay.compared import canonical, shape
from tests.golden.test_statements import ENTRIES
from tests.plans import small_catalog

#: Where the Python of an environment with a real Spark is said; several with the system's separator of paths.
VARIABLE = "PLANVIZ_REAL_SPARK"
STAGES = ("analyzed", "optimized", "physical")
#: What EXPLAIN prints beside them, where it was asked for.
MODES = ("formatted", "cost")
_CONF = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.debug.maxToStringFields": "1000000",
    "spark.sql.maxMetadataStringLength": "1000000",
}
_OURS = {"spark.sql.adaptive.enabled": False, "spark.sql.session.timeZone": "UTC"}


def pythons() -> list[str]:
    """The Pythons of environments with a real Spark that the environment variable names."""
    return [path for path in os.environ.get(VARIABLE, "").split(os.pathsep) if path]


@cache
def tables() -> Catalog:
    """The small tables, empty and without statistics, as a fresh Spark sees them."""
    known = small_catalog()
    empty = {n: replace(t, row_count=None, size_in_bytes=0, column_stats=()) for n, t in known.tables.items()}
    return replace(known, tables=empty)


def definitions() -> list[str]:
    """The same tables as CREATE TABLE statements."""
    found = []
    for table in tables().tables.values():
        columns = ", ".join(f"{c.name} {c.data_type.sql}" for c in table.columns)
        partitioned = f" PARTITIONED BY ({', '.join(table.partition_columns)})" if table.partition_columns else ""
        found.append(f"CREATE TABLE {table.name} ({columns}) USING parquet{partitioned}")
    return found


def asked_of(python: str, statements: list[str]) -> dict[str, Any]:
    """What the Spark of this Python prints of the statements (`real_spark.py`). Raises CalledProcessError."""
    answer = run_in(python, [{"setup": definitions(), "statements": statements}])
    return answer | {"plans": answer["plans"][0]}


def run_in(python: str, scripts: list[dict[str, Any]], **conf: str) -> dict[str, Any]:
    """What the Spark of this Python prints of scripts. Raises CalledProcessError."""
    script = Path(__file__).parent / "real_spark.py"
    request = json.dumps({"conf": _CONF | conf, "scripts": scripts})
    with_java = {k: v for k, v in os.environ.items() if k not in ("SPARK_HOME", "PYSPARK_PYTHON", "PYTHONPATH")}
    done = subprocess.run(
        # Of a virtual environment the link counts, not the Python that it leads to: absolute, not resolved.
        [str(Path(python).absolute()), str(script)],
        input=request,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=with_java,
        cwd="/",
    )
    answer: dict[str, Any] = json.loads(done.stdout.strip().rsplit("\n", 1)[-1])
    return answer


@dataclass
class Counted:
    """How many statements both sides refused or planned, and how many plans are equal; `differences` by stage."""

    version: str
    statements: int = 0
    refused: int = 0
    same_condition: int = 0
    only_one_refused: list[str] = field(default_factory=list)
    planned: int = 0
    equal: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STAGES, 0))
    alike: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STAGES, 0))
    differences: list[tuple[str, str, str, str]] = field(default_factory=list)


def measure(python: str, every: int = 1, answers: Path | None = None) -> Counted:
    """Every n-th golden statement in this Python's Spark and in ours; `answers` is where Spark's are kept."""
    statements = [sql for sql, _ in ENTRIES][::every]
    if answers is not None and answers.is_file():
        answer = json.loads(answers.read_text(encoding="utf-8"))
    else:
        answer = asked_of(python, statements)
        if answers is not None:
            answers.write_text(json.dumps(answer), encoding="utf-8")
    config = OptimizerConfig.of(profile_of(answer["version"]), **_OURS)
    counted = Counted(answer["version"])
    for sql, theirs in zip(statements, answer["plans"], strict=True):
        _count(counted, sql, theirs, config)
    return counted


def _count(counted: Counted, sql: str, theirs: dict[str, str], config: OptimizerConfig) -> None:
    own: dict[str, str] | PlanvizError
    try:
        with fresh_ids():
            execution = QueryExecution(sql, tables(), config)
            own = {stage: execution.text(stage) for stage in STAGES}
    except PlanvizError as error:
        own = error
    compare(counted, sql, own, theirs)


def compare(counted: Counted, sql: str, own: dict[str, str] | PlanvizError, theirs: dict[str, str]) -> None:
    """Counts a statement: our texts of its stages, or our error, beside Spark's texts or condition."""
    counted.statements += 1
    if isinstance(own, PlanvizError):
        condition = own.error_class if isinstance(own, AnalysisError | ParseError) else str(own)
        if "error" in theirs:
            counted.refused += 1
            counted.same_condition += theirs["error"] == condition
        else:
            counted.only_one_refused.append(f"planviz refuses {sql!r}: {condition}")
        return
    if "error" in theirs:
        counted.only_one_refused.append(f"Spark refuses {sql!r}: {theirs['error']} {theirs.get('message', '')[:80]!r}")
        return
    counted.planned += 1
    different = False
    for stage in [s for s in STAGES + MODES if s in theirs]:
        one, two = (canonical(_without_literals(text, sql)) for text in (own[stage], theirs[stage]))
        counted.equal[stage] = counted.equal.get(stage, 0) + (one == two)
        counted.alike[stage] = counted.alike.get(stage, 0) + (shape(one) == shape(two))
        if one != two and not different:
            pairs = zip(one.split("\n"), two.split("\n"), strict=False)
            a, b = next((pair for pair in pairs if pair[0] != pair[1]), (one[-200:], two[-200:]))
            counted.differences.append((stage, sql, a, b))
            different = True


def _without_literals(text: str, sql: str) -> str:
    """The text with what looks like an id in the statement itself, as in 'Brand#12', written otherwise."""
    for literal in set(re.findall(r"\w#\d+", sql)):
        text = re.sub(re.escape(literal) + r"(?!\d)", literal.replace("#", "-"), text)
    return text


def main() -> None:
    parser = argparse.ArgumentParser("python -m tests.fidelity.real", description=__doc__)
    parser.add_argument("--python", action="append", help=f"the Python of an environment ({VARIABLE})")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th statement only")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="where Spark's answers are kept and read again")
    parser.add_argument("-v", "--verbose", action="store_true", help="where each first differs")
    options = parser.parse_args()
    for python in options.python or pythons():
        counted = measure(python, options.every, options.answers)
        told = f"{counted.statements} statements, {counted.refused} refused by both ({counted.same_condition} alike)"
        print(f"Spark {counted.version}: {told}, {len(counted.only_one_refused)} by one, {counted.planned} planned")
        for stage in STAGES:
            print(f"  {stage:10} shape equal {counted.alike[stage]:4}   text equal {counted.equal[stage]:4}")
        for line in counted.only_one_refused if options.verbose else ():
            print(f"    {line[:300]}")
        for stage, sql, a, b in counted.differences if options.verbose else ():
            print(f"    {stage}: {sql[:200]}\n      planviz {a[:300]}\n      Spark   {b[:300]}")


if __name__ == "__main__":
    main()
