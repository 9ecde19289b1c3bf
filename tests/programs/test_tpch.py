"""TPC-H's 22 queries as DataFrame programs: their plans are those that real Spark 4.3 gave the same programs.

`tpch/qNN.py` are the programs; `tpch/plans.json.gz` has what `df._jdf.queryExecution().toString()` was of each action
(adaptive execution off, empty parquet tables with the catalogue's sizes), under the names of the stages. File scans
are compared up to their metadata, which tells where the files were.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.programs import read_program
from tests.plans import canonical

FOLDER = Path(__file__).parent / "tpch"
PROGRAMS = sorted(p.stem for p in FOLDER.glob("q*.py"))
SPARK = json.loads(gzip.decompress((FOLDER / "plans.json.gz").read_bytes()))


def plain(text: str) -> str:
    """A plan without what differs from run to run: ids, and where files are."""
    text = re.sub(r" Batched: true.*", "", text)
    text = re.sub(r"\bBrand#(\d+)", r"Brand~\1", text)
    text = re.sub(r"(plan_id=|\[id=#)\d+", r"\1N", text)
    return canonical(text)


def test_there_is_a_program_for_every_query() -> None:
    assert [f"q{n:02}" for n in range(1, 23)] == PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_the_plans_that_spark_gives_it(name: str) -> None:
    config = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": "false"})
    program = read_program((FOLDER / f"{name}.py").read_text(), find("tpch"), config)
    assert program.error is None
    assert program.not_understood == []
    (action,) = program.actions
    assert action.error is None
    for stage, text in SPARK[name].items():
        assert plain(action.execution.text(stage)) == plain(text), stage
