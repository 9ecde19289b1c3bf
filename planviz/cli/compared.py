"""A comparison with Spark as text and as JSON."""

from __future__ import annotations

from typing import Any

from planviz.document.compared import Comparison, StageComparison


def comparison_text(name: str, found: Comparison) -> str:
    """A few lines: each stage, the rules, the estimates; where they part, both sides."""
    lines = [f"{name}: {'equal' if found.equal else 'not equal'}"]
    for stage in found.stages:
        lines += [
            f"  {stage.stage:<10} {line}" if not at else f"             {line}" for at, line in enumerate(_stage(stage))
        ]
    lines.append(f"  {'rules':<10} {len(found.rules)} changed the plan on both sides")
    for who, rules in (("Spark", found.only_spark), ("planviz", found.only_planviz)):
        if rules:
            lines.append(f"             only in {who}: {', '.join(rules)}")
    if found.estimates is not None:
        lines.append(f"  {'estimates':<10} {found.estimates[0]} of {found.estimates[1]} operators equal")
    for op, spark, ours in found.wrong:
        lines.append(f"             {op}: Spark {_size(*spark)}, planviz {_size(*ours)}")
    return "\n".join(lines) + "\n"


def _stage(stage: StageComparison) -> list[str]:
    if stage.missing:
        return [f"{stage.missing} did not reach this stage"]
    if stage.difference is None:
        return [f"equal ({stage.operators} operators)"]
    spark, ours = stage.difference
    return [
        f"{stage.same} of {stage.operators} operators equal; the first that differs:",
        f"Spark    {spark or 'nothing'}",
        f"planviz  {ours or 'nothing'}",
    ]


def _size(rows: int | None, size: int | None) -> str:
    return f"{'unknown' if rows is None else format(rows, ',')} rows, {size:,} bytes"


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "equal": found.equal,
        "stages": [
            {
                "stage": s.stage,
                "operators": s.operators,
                "same": s.same,
                "difference": s.difference,
                "missing": s.missing,
            }
            for s in found.stages
        ],
        "rules": {"both": found.rules, "only_spark": found.only_spark, "only_planviz": found.only_planviz},
        "estimates": found.estimates,
        "wrong": found.wrong,
    }
