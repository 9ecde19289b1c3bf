"""Programs beside what Spark 4.3 printed of their last action (`printed.txt`).

Every entry is a sentence, the program, and `---- STAGE` with the text of one stage, ids renumbered, or `---- error`
with the condition with which Spark ends the program. Sessions are local[1] in UTC, adaptive, and print whole lists.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import read_program
from tests.plans import canonical

_IMPORTS = "from pyspark.sql import functions as F, Window\nfrom pyspark.sql.types import *\n"


def _entries():
    text = (Path(__file__).parent / "printed.txt").read_text(encoding="utf-8")
    for block in text.rstrip("\n").split("\n\n====\n"):
        code, stage, shown = re.split(r"\n---- (\w+)\n", block)
        title, _, program = code.partition("\n")
        yield pytest.param(program, stage, shown, id=title.lstrip("# "))


def _plain(text):
    """The text without what differs from run to run: places of files, numbers in names of lambda variables."""
    text = re.sub(r"(Location: \w+)(\(\d+ paths?\))?\s*\[[^\]\n]*\]", r"\1 [PATH]", canonical(text))
    return re.sub(r"\b([xyz])_\d+(?=#)", r"\1_N", re.sub(r"plan_id=\d+", "plan_id=P", text))


@pytest.mark.parametrize(("program", "stage", "shown"), list(_entries()))
def test_a_program_is_planned_as_spark_plans_it(program, stage, shown):
    config = OptimizerConfig().with_settings(
        {"spark.sql.adaptive.enabled": "true", "spark.sql.session.timeZone": "UTC"}
    )
    read = read_program(_IMPORTS + program, None, config)
    if stage == "error":
        assert read.error is not None
        assert read.error.condition == shown
        return
    assert read.error is None, read.error
    assert not read.not_understood
    assert _plain(read.actions[-1].execution.text(stage)).rstrip() == shown
