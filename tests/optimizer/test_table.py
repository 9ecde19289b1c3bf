"""The table in the docstring of the rules' package is the one of the rules that are there."""

from __future__ import annotations

from planviz.optimizer import rules
from planviz.optimizer.profiles import rules_by_name
from planviz.optimizer.reference import package_docstring
from planviz.settings import SETTINGS
from tests.optimizer.golden import FOLDER, cases, run
from tests.optimizer.readers import recorded_readers


def test_the_package_carries_the_table() -> None:
    assert rules.__doc__ == package_docstring(), "run `python -m tests.optimizer`"


def test_a_rule_names_every_setting_that_it_reads() -> None:
    with recorded_readers() as read:
        for case in (case for file in sorted(FOLDER.glob("*.txt")) for case in cases(file)):
            run(case)
    missing = {rule.__name__: sorted(keys - set(rule.settings)) for rule, keys in read.items()}

    assert len(read) > 20
    assert not {name: keys for name, keys in missing.items() if keys}, "they belong to the rule's `settings`"


def test_settings_of_rules_are_settings() -> None:
    assert not {key for rule in rules_by_name().values() for key in rule.settings} - set(SETTINGS)
