"""A comparison with Spark as text and as JSON."""

from __future__ import annotations

from planviz.document.comparison.spark import Comparison, Expected, StageComparison
from planviz.document.comparison.spark_steps import StepComparison
from planviz.units import exact


def comparison_text(name: str, found: Comparison) -> str:
    """What matters most in the first line; then each stage, the rules and their steps, the estimates."""
    lines = [f"{name}: {headline(found)}"]
    for stage in found.stages:
        lines += _part(stage.stage, _stage(stage))
    lines += _part("rules", _rules(found))
    if found.steps:
        lines += _part("steps", [line for steps in found.steps for line in _steps(steps)])
    if found.expected:
        lines += _part("estimates", _estimates(found))
    return "\n".join(lines) + "\n"


def headline(found: Comparison) -> str:
    """The answer in one sentence: equal, or the first thing that is not."""
    if found.equal:
        return "equal"
    for stage in found.stages:
        if stage.missing:
            return f"not equal: {stage.missing} did not reach the {stage.stage} plan"
        if not stage.equal:
            return f"not equal: the {stage.stage} plans differ: {stage.words}"
    if found.wrong:
        return f"not equal: the estimates of {len(found.wrong)} operators differ"
    return "not equal: other rules changed the plan"


def _part(title: str, lines: list[str]) -> list[str]:
    return [f"  {title if not at else '':<10} {line}" for at, line in enumerate(lines)]


def _stage(stage: StageComparison) -> list[str]:
    if stage.missing:
        return [f"{stage.missing} did not reach this stage"]
    if stage.chance:
        return [f"equal ({stage.operators} operators), but for an order that Spark takes from hash codes"]
    if stage.difference is None:
        return [f"equal ({stage.operators} operators)"]
    spark, ours = stage.difference
    return [
        f"{stage.same} of {stage.operators} operators equal; the first that differs:",
        f"Spark    {spark or 'nothing'}",
        f"planviz  {ours or 'nothing'}",
    ]


def _rules(found: Comparison) -> list[str]:
    told = [f"{len(found.rules)} changed the plan on both sides"]
    for who, rules in (("Spark", found.only_spark), ("planviz", found.only_planviz)):
        if rules:
            told.append(f"only in {who}: {', '.join(rules)}")
    return told


def _steps(steps: StepComparison) -> list[str]:
    parting = steps.parting
    if parting is None:
        return [f"{steps.executor}: {steps.spark} steps, the same in the same order, with the same tree after each"]
    told = [
        f"{steps.executor}: {steps.spark} in Spark, {steps.planviz} in planviz; equal are the first {parting.steps}"
    ]
    at = f"then, in {parting.batch}," if parting.batch else "then"
    if parting.spark == parting.planviz:
        told.append(f"{at} {parting.spark} gives another tree: {parting.words}")
    else:
        told.append(f"{at} Spark {_ran(parting.spark)}, planviz {_ran(parting.planviz)}")
    return told


def _ran(rule: str | None) -> str:
    return "is done" if rule is None else f"runs {rule}"


def _estimates(found: Comparison) -> list[str]:
    told = [f"{len(found.expected) - len(found.wrong)} of {len(found.expected)} operators equal"]
    if any(one.measured is not None for one in found.expected):
        return told + _table(found.expected)
    return told + [f"{e.operator}: Spark {_size(*e.spark)}, planviz {_size(*e.planviz)}" for e in found.wrong]


def _table(expected: tuple[Expected, ...]) -> list[str]:
    rows = [("rows", "Spark expects", "planviz expects", "measured")]
    rows += [
        ("  " * e.depth + e.operator, _count(e.spark[0]), _count(e.planviz[0]), _count(e.measured)) for e in expected
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    return [f"{row[0]:<{widths[0]}}  " + "  ".join(f"{row[at]:>{widths[at]}}" for at in (1, 2, 3)) for row in rows]


def _count(rows: int | None) -> str:
    return "unknown" if rows is None else exact(rows)


def _size(rows: int | None, size: int | None) -> str:
    return f"{_count(rows)} rows, {exact(size or 0)} bytes"


def comparison_json(found: Comparison) -> dict[str, object]:
    """The same as JSON values."""
    return {
        "equal": found.equal,
        "headline": headline(found),
        "stages": [_stage_json(stage) for stage in found.stages],
        "rules": {"both": found.rules, "only_spark": found.only_spark, "only_planviz": found.only_planviz},
        "steps": [_steps_json(steps) for steps in found.steps],
        "estimates": [
            {"operator": e.operator, "depth": e.depth, "spark": e.spark, "planviz": e.planviz, "measured": e.measured}
            for e in found.expected
        ],
    }


def _stage_json(stage: StageComparison) -> dict[str, object]:
    return {
        "stage": stage.stage, "equal": stage.equal, "operators": stage.operators, "same": stage.same,
        "difference": stage.difference, "words": stage.words, "missing": stage.missing, "byChance": stage.chance,
    }  # fmt: skip


def _steps_json(steps: StepComparison) -> dict[str, object]:
    parting = steps.parting
    return {
        "executor": steps.executor, "spark": steps.spark, "planviz": steps.planviz,
        "parting": None if parting is None else {
            "after": parting.steps, "batch": parting.batch, "spark": parting.spark, "planviz": parting.planviz,
            "words": parting.words,
        },
    }  # fmt: skip
