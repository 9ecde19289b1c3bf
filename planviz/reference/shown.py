"""What of an entry needs planning: the step of a rule in its example, and what a setting does to a query."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.document.opening.plans import planned
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution
from planviz.findings.documents import difference_in_words
from planviz.logical.plan import LogicalPlan
from planviz.physical.plan import SparkPlan
from planviz.plantext.printing import step_diff
from planviz.reference.entry import Entry
from planviz.settings import SETTINGS, spark_words
from planviz.versions import PROFILES


def step_of(entry: Entry) -> str:
    """The example of a rule planned now, and its step in it as a diff; "" for an entry without one."""
    if not entry.sql:
        return ""
    stage = "physical" if entry.family == "preparations" else "optimized"
    config = OptimizerConfig().with_settings(dict(entry.settings))
    document = open_sql(entry.sql, find(entry.catalog), config, stage=stage)
    step = next((step for step in document.trace.steps if step.short_rule == entry.name), None)
    return step_diff(step) if step is not None else ""


def plan_of(entry: Entry) -> str:
    """The plan of an operator's example, planned now, as a tree text in which `+` stands before the operator.

    It is the physical plan of a physical operator; of a logical one the plan of the latest stage in which it stands.
    "" for an entry without an example. Raises PlanvizError where the example cannot be planned.
    """
    if not entry.sql:
        return ""
    execution = executed(entry)
    wanted = entry.name.removesuffix(" (logical)")
    for stage in ("physical",) if entry.family == "physical" else ("optimized", "analyzed", "parsed"):
        plan = execution.stage(stage)
        shown = {n.simple_string for n in _everywhere(plan) if type(n).__name__.removesuffix("Exec") == wanted}
        if shown:
            lines = plan.tree_string.splitlines()
            return "\n".join(f"{'+' if line.endswith(tuple(shown)) else ' '} {line}" for line in lines)
    return ""


def executed(entry: Entry) -> QueryExecution:
    """The query of an entry's example.

    Raises PlanvizError where it cannot be planned, ValueError for an entry without one.
    """
    config = OptimizerConfig().with_settings(dict(entry.settings))
    statements = open_sql(entry.sql, find(entry.catalog), config).statements
    found = statements[-1].execution if statements else None
    if found is None:
        raise ValueError(f"{entry.name} has no example")
    return found


def _everywhere(plan: LogicalPlan | SparkPlan) -> Iterator[LogicalPlan | SparkPlan]:
    """The operators of a plan, of its subqueries, too."""
    yield plan
    for below in (*plan.children, *plan.inner_children):
        yield from _everywhere(below)


def other_values(key: str, config: OptimizerConfig) -> list[str]:
    """Values of a setting worth trying: the other of two, those of other versions, -1 and ten times as much."""
    setting, now = SETTINGS[key], config.get(key)
    values: list[object] = []
    if isinstance(setting.default, bool):
        values.append(not now)
    values += [profile.settings[key] for profile in PROFILES.values() if key in profile.settings]
    values.append(setting.default)
    if isinstance(now, int) and not isinstance(now, bool):
        values += [now * 10] if now > 0 else []
        values += [-1] if setting.least == -1 else []
    values += list(setting.choices)
    unique = dict.fromkeys(spark_words(v) for v in values if v != now and v != "")
    return list(unique)[:4]


def effect(key: str, value: str, execution: QueryExecution) -> str:
    """What a setting's value does to a query's physical plan, in words. Raises what planning raises."""
    try:
        config = execution.config.with_settings({key: value})
        other = execution.again(config)
        _ = (execution.physical, other.physical)
    except PlanvizError as error:
        return f"cannot be planned: {error}"
    before, after = (planned(one, lambda _: None)[0][-1] for one in (execution, other))
    was, now = difference_in_words(before, after)
    if was != now:
        return f"{was} → {now}"
    same = [n.text for n in before] == [n.text for n in after]
    return "the same plan" if same else "the same operators with other arguments"
