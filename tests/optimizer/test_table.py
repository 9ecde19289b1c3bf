"""The table in the docstring of the rules' package is the one of the rules that are there."""

from __future__ import annotations

import re
from pathlib import Path

from planviz.optimizer import rules
from planviz.optimizer.reference import package_docstring, rule_references
from planviz.settings import SETTINGS


def test_the_package_carries_the_table() -> None:
    assert rules.__doc__ == package_docstring(), "run `python -m tests.optimizer`"


def test_every_setting_that_a_family_reads_is_named_by_a_rule_of_it() -> None:
    for path in Path(str(rules.__file__)).parent.glob("*.py"):
        read = set(re.findall(r'(?:on|get)\("(spark\.[\w.]+)"\)', path.read_text(encoding="utf-8")))
        named = {key for rule in rule_references().values() if rule.family == path.stem for key in rule.settings}
        assert read <= named, path.name
        assert named <= set(SETTINGS)
