"""The findings of a workload: all executions of a catalogue, by the time of the executions that have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from planviz.findings.finding import SEVERITIES, Finding, Severity
from planviz.findings.registry import findings
from planviz.graph.plan_graph import PlanGraph


@dataclass
class WorkloadFinding:
    """One kind of finding over many executions.

    `milliseconds` is the time of all executions that have it, `executions` their names with their own time, the
    longest first; `example` is the finding of the longest.
    """

    name: str
    title: str
    severity: Severity
    milliseconds: float = 0.0
    executions: list[tuple[str, float]] = field(default_factory=list)
    example: Finding | None = None


def workload_findings(
    plans: Iterable[tuple[str, float | None, PlanGraph]], without: Collection[str] = ()
) -> list[WorkloadFinding]:
    """The findings of executions, each given by its name, its time in milliseconds and its plan; most time first.

    An execution counts once for each kind of finding. The time is that of the whole execution: how much of it the
    finding costs is not known from it.
    """
    found: dict[str, WorkloadFinding] = {}
    for name, milliseconds, plan in plans:
        for finding in findings(plan, without=without):
            one = found.setdefault(finding.name, WorkloadFinding(finding.name, finding.title, finding.severity))
            time = milliseconds or 0.0
            if any(known == name for known, _ in one.executions):
                continue
            if one.example is None or time > max(t for _, t in one.executions):
                one.example = finding
            one.severity = min(one.severity, finding.severity, key=SEVERITIES.index)
            one.milliseconds += time
            one.executions.append((name, time))
    for one in found.values():
        one.executions.sort(key=lambda e: -e[1])
    return sorted(found.values(), key=lambda one: (-one.milliseconds, SEVERITIES.index(one.severity), one.name))
