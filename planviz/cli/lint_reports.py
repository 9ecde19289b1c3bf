"""What `planviz lint` found, as text, JSON, SARIF and Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import planviz
from planviz.cli.sarif import sarif_invocation, sarif_result
from planviz.errors import PlanvizError
from planviz.findings import SEVERITIES, Finding, Severity, checks
from planviz.findings.documents import QueryFindings, counted, finding_json
from planviz.findings.workload import WorkloadFinding
from planviz.render.text import file_name, markdown, one_line
from planviz.units import duration

_SIGNS: dict[Severity, str] = {"problem": "✗", "warning": "▲", "info": "·"}
_LEVELS = {"problem": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True)
class Linted:
    """One file: its name, how many queries it has, their findings, and what of it could not be read or planned."""

    name: str
    queries: int
    found: list[QueryFindings]
    errors: tuple[PlanvizError, ...] = ()

    def least(self, level: Severity) -> list[QueryFindings]:
        """The findings that are at least so grave."""
        most = SEVERITIES.index(level)
        kept = [
            replace(query, findings=tuple(f for f in query.findings if SEVERITIES.index(f.severity) <= most))
            for query in self.found
        ]
        return [query for query in kept if query.findings]

    @property
    def findings(self) -> list[tuple[QueryFindings, Finding]]:
        """Every finding with its query."""
        return [(query, finding) for query in self.found for finding in query.findings]


def _line(query: QueryFindings, finding: Finding) -> int:
    return finding.line or query.line


def _place(query: QueryFindings, finding: Finding) -> str:
    """Where a finding is: the execution of an event log, whose lines nobody reads, else the line."""
    return f" execution {one_line(query.execution, 100)}" if query.execution else str(_line(query, finding))


def _error_line(error: PlanvizError) -> int:
    return getattr(error, "line", None) or 1


def text_report(linted: Sequence[Linted]) -> str:
    """Four lines for each finding, in the order what, why, what to do, what was planned; and the sum."""
    lines = []
    for one in linted:
        for query, finding in one.findings:
            place = f"{file_name(one.name)}:{_place(query, finding)}"
            lines.append(f"{place}: {_SIGNS[finding.severity]} {finding.severity} {finding.name}: {finding.title}")
            lines += [f"    {one_line(text, 400)}" for text in (finding.evidence, finding.why)]
            lines.append(f"    To do: {one_line(finding.advice, 400)} Cost: {one_line(finding.cost, 300)}")
            if finding.what_if is not None:
                change = finding.what_if
                lines.append(f"    Planned with {change.change}: {change.before} → {change.after}")
    if any(one.queries or not one.errors for one in linted):
        lines.append(_sum(linted))
    return "".join(f"{line}\n" for line in lines)


def _sum(linted: Sequence[Linted]) -> str:
    counts = counted([finding for one in linted for _, finding in one.findings])
    queries = sum(one.queries for one in linted)
    told = ", ".join(f"{n:,} {s if n == 1 or s == 'info' else s + 's'}" for s, n in counts.items()) or "no finding"
    errors = sum(len(one.errors) for one in linted)
    unread = f"; {errors:,} {'error' if errors == 1 else 'errors'}, of what could not be read" if errors else ""
    counted_files = f"{len(linted):,} {_files(len(linted))}"
    return f"{queries:,} {'query' if queries == 1 else 'queries'} in {counted_files}: {told}{unread}."


def _files(count: int) -> str:
    return "file" if count == 1 else "files"


def _execution(query: QueryFindings) -> dict[str, object]:
    number, _, description = query.execution.partition(": ")
    return {"execution": {"id": int(number), "description": description}} if number.isdigit() else {}


def json_report(linted: Sequence[Linted]) -> str:
    """`{"format": "planviz-lint/1", "files": [{"file", "queries", "errors": [{"line", "message"}], "findings"}]}`."""
    files = [
        {
            "file": one.name,
            "queries": one.queries,
            "errors": [{"line": _error_line(error), "message": str(error)} for error in one.errors],
            "findings": [
                {
                    **finding_json(f),
                    "line": _line(query, f),
                    "plan": query.plan,
                    "statement": query.statement,
                    **_execution(query),
                }
                for query, f in one.findings
            ],
        }
        for one in linted
    ]
    return json.dumps({"format": "planviz-lint/1", "files": files}, ensure_ascii=True, indent=1) + "\n"


def sarif_report(linted: Sequence[Linted]) -> str:
    """SARIF 2.1.0: a rule for each kind of finding, a result for each at its line; errors as notifications."""
    results: list[dict[str, object]] = []
    for one in linted:
        for query, finding in one.findings:
            head = f"Execution {query.execution}. " if query.execution else ""
            words = f"{head}{finding.title}: {finding.evidence} {finding.why} {finding.advice}"
            results.append(
                sarif_result(finding.name, _LEVELS[finding.severity], words, one.name, _line(query, finding))
            )
    errors = [(str(error), one.name, _error_line(error)) for one in linted for error in one.errors]
    used = dict.fromkeys(str(result["ruleId"]) for result in results)
    rules = [
        {
            "id": name,
            "shortDescription": {"text": checks()[name].title},
            "fullDescription": {"text": checks()[name].why},
            "help": {"text": f"{checks()[name].advice} Cost: {checks()[name].cost}"},
        }
        for name in used
    ]
    driver = {"name": "planviz", "version": planviz.__version__, "rules": rules}
    told = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "invocations": [sarif_invocation(errors)], "results": results}],
    }
    return json.dumps(told, ensure_ascii=True, indent=1) + "\n"


def markdown_report(linted: Sequence[Linted]) -> str:
    """A heading for each file with findings and a list of them, for a comment on a change."""
    lines = [f"**planviz lint**: {_sum(linted)}", ""]
    for one in linted:
        if one.findings or one.errors:
            lines += [f"### {markdown(one.name)}", ""]
        lines += [f"- **Not read** (line {_error_line(e)}): {markdown(one_line(str(e), 400))}" for e in one.errors]
        for query, finding in one.findings:
            place = f"execution {query.execution}" if query.execution else f"line {_line(query, finding)}"
            head = f"- **{markdown(finding.title)}** ({finding.severity}, `{finding.name}`, {markdown(place)})"
            lines += [head, f"  - {markdown(finding.evidence)}", f"  - {markdown(finding.why)}"]
            lines.append(f"  - To do: {markdown(finding.advice)} Cost: {markdown(finding.cost)}")
            if finding.what_if is not None:
                change = finding.what_if
                lines.append(
                    f"  - Planned with {markdown(change.change)}: {markdown(change.before)} → {markdown(change.after)}"
                )
    return "\n".join(lines).rstrip() + "\n"


def workload_report(found: Sequence[WorkloadFinding], executions: int, milliseconds: float, format: str) -> str:
    """The findings of a catalogue, most time first. SARIF has no place for executions and is given as JSON."""
    if format in ("json", "sarif"):
        told = [
            {
                "name": one.name, "title": one.title, "severity": one.severity, "milliseconds": one.milliseconds,
                "executions": [{"execution": name, "milliseconds": time} for name, time in one.executions],
                "example": finding_json(one.example) if one.example is not None else None,
            }
            for one in found
        ]  # fmt: skip
        return (
            json.dumps({"format": "planviz-lint-workload/1", "executions": executions, "findings": told}, indent=1)
            + "\n"
        )
    lines = [f"{executions:,} executions of {duration(milliseconds)} in all; times are those of the executions.", ""]
    for one in found:
        share = f"{one.milliseconds / milliseconds:.0%}" if milliseconds else "0%"
        head = f"{duration(one.milliseconds)} ({share}) in {len(one.executions):,}: {one.title} ({one.name})"
        example = f"{one.executions[0][0]}: {one.example.evidence}" if one.example is not None else ""
        if format == "markdown":
            lines += [f"- **{markdown(head)}**", f"  - {markdown(example)}"]
        else:
            lines += [f"{_SIGNS[one.severity]} {head}", f"    {one_line(example, 400)}"]
    return "\n".join(lines) + "\n"


#: Reports by the names that `--format` takes.
REPORTS: dict[str, Callable[[Sequence[Linted]], str]] = {
    "text": text_report,
    "json": json_report,
    "sarif": sarif_report,
    "markdown": markdown_report,
}
