"""Statements that a generator wrote and that once came out differently, as Spark 4.3 planned them (`generated.txt`).

The file begins with the tables, which are empty. Every entry is the SQL, then the stages that are held against, by
name, or `---- error` and Spark's error class; ids are renumbered.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution, Session
from planviz.expressions.ids import fresh_ids
from planviz.replay.compared import canonical
from tests.golden.test_statements import blocks

(TABLES, _), *ENTRIES = blocks(Path(__file__).parent / "generated.txt")
CONFIG = OptimizerConfig.of("spark-4.3", **{"spark.sql.adaptive.enabled": False, "planviz.unknownFunctions": "refuse"})


@cache
def tables() -> Catalog:
    session = Session()
    list(session.run(TABLES))
    empty = {n: replace(t, row_count=None, size_in_bytes=0) for n, t in session.catalog.tables.items()}
    return replace(session.catalog, tables=empty)


@pytest.mark.parametrize(("sql", "expected"), ENTRIES, ids=[f"{i}" for i in range(len(ENTRIES))])
def test_a_generated_statement(sql: str, expected: dict[str, str]) -> None:
    with fresh_ids():
        execution = QueryExecution(sql, tables(), CONFIG)
        if "error" in expected:
            with pytest.raises((AnalysisError, ParseError)) as e:
                _ = execution.physical
            assert e.value.error_class == expected["error"]
            return
        for stage, text in expected.items():
            assert canonical(execution.text(stage)) == text
