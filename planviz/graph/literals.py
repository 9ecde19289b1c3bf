"""Text literals that look as if they had an expression id: `Brand#12` beside the column `p_brand#12`.

Spark prints literals without quotes, so that only the rest of the plan tells the two apart: a literal is compared with
something, and never stands where a column is declared, in a list, behind `AS`, with its type or as a lambda's variable.
"""

from __future__ import annotations

import re

from planviz.graph.plan_graph import PlanGraph

_COMPARED = re.compile(r"(?:[=<>] |LIKE |IN \(|INSET )(?:[^#()\[\],=<>]* )?(\w+)#\d+L?(?=[),\s])")
#: Lists of values: `p_brand#9 IN (Brand#12,Brand#13)`, `INSET Brand#12, Brand#13`, `In(p_brand, [Brand#12,Brand#13])`.
_VALUES = re.compile(r"\bIN \([^()]*\)|\bINSET [^()\[\]]*|\bIn\([^()\[\]]*, ?\[[^\]]*\]\)")
_LISTED = ("[", ", ", " AS ")
#: The same behind a name of several words, a lambda's variable, a column with its type, the last word of an operator.
_DECLARED = r"[\[,] ?(?:[^#,\[\]()=<>]* )?{0}#\d+L?[,\] ]|\b(?:AS|lambda) (?:[^#,\[\]()=<>]* )?{0}#|\b{0}#\d+L?(?:: |$)"
#: Words of Spark before the id of a subquery.
_SUBQUERIES = frozenset({"subquery", "ScalarSubquery", "dynamicpruning", "dynamicpruningexpression", "exists", "list"})


def literal_words(*plans: PlanGraph) -> frozenset[str]:
    """The words of plans that stand before `#` and digits and are no column's, `Brand` of `Brand#12`.

    Nothing where Spark cut a list short: what is declared in the part that is missing cannot be known.
    """
    if any("truncated" in node.badges for plan in plans for node in plan):
        return frozenset()
    text = "\n".join(node.text for plan in plans for node in plan)
    found = set(_COMPARED.findall(text)) - _SUBQUERIES
    if not found:
        return frozenset()
    text = _VALUES.sub("", text)
    found = {word for word in found if not any(f"{lead}{word}#" in text for lead in _LISTED)}
    return frozenset(word for word in found if not re.search(_DECLARED.format(word), text, re.MULTILINE))
