"""What is new in planviz is not in every version of Spark: who adds a rule or a function says since when it is there.

The lists are those of the oldest versions. `functions_of_3_0.txt` is what SHOW FUNCTIONS prints in Spark 3.0, and
`rules_of_3_1.txt` names the rules that planviz has of Spark 3.1, the oldest version that is made of 4.3 by edits.
"""

from __future__ import annotations

from pathlib import Path

from planviz.functions.signatures import AGGREGATE_SIGNATURES, SIGNATURES
from planviz.optimizer.reference import rule_references
from planviz.reference import entries
from planviz.reference.rules import place_in
from planviz.versions import PROFILES
from planviz.versions.functions import functions_after

HERE = Path(__file__).parent
#: Functions with no first version of their own: the grammar knows them, or DataFrames alone have them.
NOT_IN_SQL = {
    "percentile_cont": "the grammar's before it was a function",
    "percentile_disc": "the grammar's before it was a function",
    "product": "of DataFrames alone",
    "time": "a cast by the name of its type",
    "timestampadd": "the grammar's",
    "timestampdiff": "the grammar's",
}


def listed(name: str) -> set[str]:
    return set((HERE / name).read_text(encoding="utf-8").split())


def test_every_function_is_as_old_as_3_0_or_says_since_when_it_is_there() -> None:
    known = {*SIGNATURES, *AGGREGATE_SIGNATURES, *(name for kind, name in entries() if kind == "function")}
    later = functions_after("spark-3.0", tuple(PROFILES))
    missing = known - listed("functions_of_3_0.txt") - set(later) - set(NOT_IN_SQL)
    assert not missing, f"say in _SINCE of planviz/versions/functions.py since when Spark has {sorted(missing)}"
    assert not set(later) & listed("functions_of_3_0.txt")


def test_a_rule_that_an_old_version_has_is_listed() -> None:
    there = {name for name, rule in rule_references().items() if place_in(rule, "spark-3.1")}
    new, gone = there - listed("rules_of_3_1.txt"), listed("rules_of_3_1.txt") - there
    assert not new, (
        f"{sorted(new)} would run in Spark 3.1, too: write gone(...) into the newest version without it, "
        "or, where 3.1 has it, its name into rules_of_3_1.txt"
    )
    assert not gone, f"Spark 3.1 has lost {sorted(gone)}"
