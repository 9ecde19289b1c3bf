"""The words that are Spark's, SQL's and Python's own, which the anonymiser leaves as they are.

    python -m tools.vocabulary

adds to `planviz/pseudonyms/vocabulary.txt` what planviz has learned since: rules, strategies, preparations, batches,
operators, functions, keywords, expressions, methods by their words, settings by their whole names (`parser` is a word
of one, and may be anybody's column). Only what has Spark's name is asked, and no sentence of planviz's own, whose words
are plain English that columns are called by. Words of metrics, of event logs and of what planviz says about differences
stand in that file by hand; nothing is removed.
"""

from __future__ import annotations

import builtins
import inspect
import keyword
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

FILE = Path(__file__).parent.parent / "planviz/pseudonyms/vocabulary.txt"
_WORD = re.compile(r"\w*[^\W\d]\w*")
#: Rooms whose classes have the names of Spark's.
_ROOMS = ("expressions", "logical", "physical", "types", "optimizer")


def known() -> set[str]:
    """Every word that planviz itself knows for Spark's, SQL's or Python's, and every setting, in small letters."""
    from planviz.frontend import cursor
    from planviz.physical.preparations.rules import preparation_classes
    from planviz.physical.strategies.reference import strategy_classes
    from planviz.reference.entries import entries
    from planviz.settings import SETTINGS
    from planviz.versions.unread import UNREAD

    texts: list[str] = [*keyword.kwlist, *dir(builtins), *cursor._KEYWORDS]
    texts += [name for kind, name in entries() if kind not in ("setting", "finding")]
    texts += (FILE.parent.parent / "spark/functions.txt").read_text(encoding="utf-8").split()
    texts += [*strategy_classes(), *preparation_classes(), *_methods(), *_classes()]
    words = {word.lower() for text in texts for word in _WORD.findall(text) if len(word) > 1}
    return words | {setting.lower() for setting in (*SETTINGS, *UNREAD)}


def _methods() -> Iterator[str]:
    """Methods that planviz has as PySpark has them; those of planviz's own have other names."""
    from pyspark.sql import Column, DataFrame, SparkSession

    from planviz.dataframe import column, frame
    from planviz.dataframe.session import SparkSession as OurSession

    pairs = ((column.Column, Column), (frame.DataFrame, DataFrame), (OurSession, SparkSession))
    for ours, theirs in pairs:
        yield from (name for name in dir(ours) if not name.startswith("_") and hasattr(theirs, name))


def _classes() -> Iterator[str]:
    """Classes that stand for one of Spark's: nodes of trees, data types, rules."""
    from planviz.trees.node import TreeNode
    from planviz.trees.rule import Rule
    from planviz.types.data import DataType

    for room in _ROOMS:
        package = import_module(f"planviz.{room}")
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            module = import_module(found.name)
            yield from (name for name, made in inspect.getmembers(module, inspect.isclass)
                        if made.__module__ == found.name and not name.startswith("_")
                        and issubclass(made, (TreeNode, Rule, DataType)))  # fmt: skip


def main() -> None:
    """Write the file."""
    there = set(FILE.read_text(encoding="utf-8").split()) if FILE.exists() else set()
    FILE.write_text("\n".join(sorted(there | known())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
