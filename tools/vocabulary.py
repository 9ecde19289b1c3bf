"""The words that are Spark's, SQL's and Python's own, which the anonymiser leaves as they are.

    python -m tools.vocabulary

adds to `planviz/pseudonyms/vocabulary.txt` what planviz has learned since: rules, operators, functions, settings,
keywords, expressions, methods. Words of Spark's metrics and event logs stand in that file by hand; nothing is removed.
"""

from __future__ import annotations

import ast
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
#: Where planviz says in words what differs between two plans: a difference is anonymised like any other text.
_SENTENCES = ("graph/effect.py", "graph/effects.py", "graph/join_effects.py", "graph/scan_effects.py",
              "graph/cells.py", "graph/differences.py", "graph/diff.py", "graph/words.py", "graph/facts.py",
              "graph/node.py", "document/comparison/plans.py", "document/comparison/text.py", "units.py")  # fmt: skip


def known() -> set[str]:
    """Every word that planviz itself knows for Spark's, SQL's or Python's, in small letters."""
    from planviz.dataframe import column, frame, session
    from planviz.frontend import cursor
    from planviz.reference.entries import entries

    texts: list[str] = [*keyword.kwlist, *dir(builtins), *cursor._KEYWORDS]
    texts += [name for _, name in entries()]
    texts += (FILE.parent.parent / "spark/functions.txt").read_text(encoding="utf-8").split()
    for module in (column, frame, session):
        for _, made in inspect.getmembers(module, inspect.isclass):
            texts += [name for name in dir(made) if not name.startswith("_")]
    texts += _classes()
    texts += _sentences()
    return {word.lower() for text in texts for word in _WORD.findall(text) if len(word) > 1} - {"card", "m2"}


def _sentences() -> Iterator[str]:
    for name in _SENTENCES:
        tree = ast.parse((FILE.parent.parent / name).read_text(encoding="utf-8"))
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docstrings = {id(node.body[0].value) for node in ast.walk(tree)
                      if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
        calls = (
            node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
        )
        patterns = {id(part) for call in calls for part in ast.walk(call)}
        aside = docstrings | patterns
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside:
                yield node.value


def _classes() -> Iterator[str]:
    for room in _ROOMS:
        package = import_module(f"planviz.{room}")
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            module = import_module(found.name)
            yield from (name for name, made in inspect.getmembers(module, inspect.isclass)
                        if made.__module__ == found.name and not name.startswith("_"))  # fmt: skip


def main() -> None:
    """Write the file."""
    there = set(FILE.read_text(encoding="utf-8").split()) if FILE.exists() else set()
    FILE.write_text("\n".join(sorted(there | known())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
