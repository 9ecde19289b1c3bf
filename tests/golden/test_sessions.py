"""Scripts of several statements, the last one as Spark 4.3 planned or refused it (`sessions.txt`).

Every entry is the statements, one after the other behind semicolons, then `---- analyzed`, `---- optimized`,
`---- physical` or `---- error`; ids are renumbered. Adaptive execution is off, the zone is America/Los_Angeles.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import Session
from planviz.replay.compared import canonical
from tests.golden.test_statements import blocks

ENTRIES = blocks(Path(__file__).parent / "sessions.txt")
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
    "spark.master": "local[2]",
    "planviz.unknownFunctions": "refuse",
}


@pytest.mark.parametrize(("script", "expected"), ENTRIES, ids=[f"{i}" for i in range(len(ENTRIES))])
def test_session(script, expected):
    *_, last = Session(config=OptimizerConfig.of(**SETTINGS)).run(script, "physical")
    if "error" in expected:
        assert isinstance(last.error, AnalysisError | ParseError), last.error
        assert last.error.error_class == expected["error"]
        return
    assert last.error is None
    for stage, text in expected.items():
        assert canonical(last.execution.text(stage)).rstrip("\n") == canonical(text).rstrip("\n")
