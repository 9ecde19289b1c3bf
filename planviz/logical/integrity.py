"""Whether a plan still holds together after a rule (Spark: LogicalPlanIntegrity)."""

from __future__ import annotations

from planviz.logical.plan import LogicalPlan
from planviz.trees.rule import Rule


def broken(rule: Rule, before: LogicalPlan, after: LogicalPlan) -> str | None:
    """What a rule of the optimizer broke, in words, or None; the analyzer's rules leave things open for one another.

    The columns must stay (how many, and their types), every operator must get what it reads from its children, and the
    plan must stay resolved. A check for `RuleExecutor`; it walks both plans.
    """
    if "catalyst.analysis" in rule.package or not before.resolved:
        return None
    if not after.resolved:
        return "the plan is not resolved any more"
    if [a.data_type for a in before.output] != [a.data_type for a in after.output]:
        return "the columns or their types changed"
    for operator in after.walk():
        if operator.children and operator.missing_input:
            return f"{_line(operator)} reads what its children do not give"
    return None


def _line(operator: LogicalPlan) -> str:
    text: str = operator.simple_string
    return text if len(text) < 200 else text[:200] + "..."
