"""`planviz lint`: the findings of SQL files, programs, plans, captures and event logs, or of a whole catalogue."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from planviz.cli.files import complain, read_text, write, write_file
from planviz.cli.lint_reports import REPORTS, Linted, workload_report
from planviz.cli.settings import open_file, open_input
from planviz.errors import InputError, PlanvizError
from planviz.findings import SEVERITIES, check_named
from planviz.findings.documents import document_findings, together
from planviz.graph import PlanGraph

_PROGRAMS = (".py", ".ipynb", ".scala", ".java", ".sql")


def lint(options: argparse.Namespace) -> int:
    """Print the findings; status 1 where one is as grave as `--fail-on`, 2 where a file could not be read."""
    silent = _silent(options)
    if any(Path(name).is_dir() for name in options.files):
        return _workload(options, silent)
    linted, status = [], 0
    for name in options.files:
        try:
            linted.append(_linted(name, options, silent))
        except PlanvizError as error:
            status = 2
            complain(name, error)
    told = [Linted(one.name, one.queries, one.least(options.level)) for one in linted]
    _give(REPORTS[options.format](told), options.output)
    worst = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1] if options.fail_on != "never" else ()
    failed = any(finding.severity in worst for one in told for query in one.found for finding in query.findings)
    return status or int(failed)


def _silent(options: argparse.Namespace) -> set[str]:
    """The names that are left out. Raises InputError for a name that no finding has."""
    from planviz.findings import checks

    ignored, only = (_names(texts) for texts in (options.ignore, options.only))
    return ignored | ({name for name in checks() if name not in only} if only else set())


def _names(texts: Sequence[str]) -> set[str]:
    return {check_named(name.strip()).name for text in texts for name in text.split(",") if name.strip()}


def _linted(name: str, options: argparse.Namespace, silent: set[str]) -> Linted:
    text = read_text(name)
    opened = open_file if name.endswith(_PROGRAMS) else open_input
    document = opened(text, options, "physical")
    for statement in document.statements:
        if statement.error is not None:
            complain(f"{name}: line {statement.line}", statement.error)
    return Linted(name, len(document.groups), together(document_findings(document, silent, options.what_if)))


def _workload(options: argparse.Namespace, silent: set[str]) -> int:
    """Findings over a catalogue of past executions. Raises InputError for what is none."""
    from planviz.findings.workload import workload_findings
    from planviz.history.catalogue import Catalogue
    from planviz.history.opened import plan_of
    from planviz.history.questions import Question
    from planviz.history.ranked import ranked

    if len(options.files) != 1:
        raise InputError("A catalogue is looked at by itself: name one folder, or files alone.")
    catalogue = Catalogue(options.files[0])
    answer = ranked(catalogue, Question("slowest", limit=options.limit))
    failed: list[tuple[str, PlanvizError]] = []

    def plans() -> Iterator[tuple[str, float | None, PlanGraph]]:
        for execution in answer.executions:
            try:
                yield (
                    execution.reference,
                    execution.milliseconds,
                    plan_of(catalogue, execution.log, execution.execution_id),
                )
            except PlanvizError as error:
                failed.append((execution.reference, error))

    found = [
        one
        for one in workload_findings(plans(), silent)
        if SEVERITIES.index(one.severity) <= SEVERITIES.index(options.level)
    ]
    for reference, error in failed[:5]:
        complain(reference, error)
    total = sum(execution.milliseconds or 0 for execution in answer.executions)
    _give(workload_report(found, len(answer.executions), total, options.format), options.output)
    worst = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1] if options.fail_on != "never" else ()
    return int(any(one.severity in worst for one in found))


def _give(report: str, output: str | None) -> None:
    if output:
        write_file(Path(output), report.encode("utf-8", "surrogateescape"))
    else:
        write(report)
