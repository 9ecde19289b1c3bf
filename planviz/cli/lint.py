"""`planviz lint`: the findings of SQL files, programs, plans, captures and event logs, or of a whole catalogue."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from planviz.cli.files import complain, read_text, write, write_file
from planviz.cli.lint_reports import REPORTS, Linted, workload_report
from planviz.cli.settings import open_file, open_input, pairs
from planviz.cli.workload import PROGRAMS, SQL, Settings, queries_in, read_query, settings_of
from planviz.errors import InputError, PlanvizError
from planviz.findings import SEVERITIES, check_named
from planviz.findings.documents import document_findings, together
from planviz.graph import PlanGraph


def lint(options: argparse.Namespace) -> int:
    """Print the findings; status 1 where one is as grave as `--fail-on`, 2 where a file could not be read."""
    silent = _silent(options)
    if any(_is_catalogue(Path(name)) for name in options.files):
        return _workload(options, silent)
    linted = []
    for name, top in _files(options.files):
        try:
            given = options if top is None else _settled(name, top, options)
            one = _linted(name, given, silent)
        except PlanvizError as error:
            one = Linted(name, 0, [], (error,))
        for told in one.errors:
            complain(name, told)
        linted.append(replace(one, found=one.least(options.level)))
    _give(REPORTS[options.format](linted), options.output)
    if any(one.errors for one in linted):
        return 2  # what nobody could read was not looked at, whatever was found in the rest
    worst = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1] if options.fail_on != "never" else ()
    return int(any(finding.severity in worst for one in linted for _, finding in one.findings))


def _is_catalogue(folder: Path) -> bool:
    return (folder / "executions").is_dir()


def _files(names: Sequence[str]) -> Iterator[tuple[str, Path | None]]:
    """The files to look at, those of a folder with the folder. Raises InputError for one that holds none."""
    for name in names:
        if not Path(name).is_dir():
            yield name, None
            continue
        found = queries_in(Path(name), (*SQL, *PROGRAMS))
        if not found:
            raise InputError(
                f"{name}: there is no query or program in there ({', '.join((*SQL, *PROGRAMS))}), and it is no "
                "catalogue of executions. `planviz spark ingest LOGS -o DIR` makes one of event logs."
            )
        yield from ((str(path), Path(name)) for path in found)


def _settled(name: str, top: Path, options: argparse.Namespace) -> argparse.Namespace:
    """The options of a file of a folder: what its comments and `planviz.toml` say counts where the command does not."""
    given = Settings(options.catalog or "", options.profile or "", "", pairs(options.conf, "--conf"))
    found = settings_of(read_query(Path(name)), Path(name), top, given)
    conf = [f"{key}={value}" for key, value in found.conf.items()]
    return argparse.Namespace(**{**vars(options), "catalog": found.catalog, "profile": found.profile, "conf": conf})


def _silent(options: argparse.Namespace) -> set[str]:
    """The names that are left out. Raises InputError for a name that no finding has."""
    from planviz.findings import checks

    ignored, only = (_names(texts) for texts in (options.ignore, options.only))
    return ignored | ({name for name in checks() if name not in only} if only else set())


def _names(texts: Sequence[str]) -> set[str]:
    return {check_named(name.strip()).name for text in texts for name in text.split(",") if name.strip()}


def _linted(name: str, options: argparse.Namespace, silent: set[str]) -> Linted:
    text = read_text(name)
    opened = open_file if name.endswith((*SQL, *PROGRAMS)) else open_input
    document = opened(text, options, "physical")
    errors = [statement.error for statement in document.statements if statement.error is not None]
    found = together(document_findings(document, silent, options.what_if))
    return Linted(name, len(document.groups), found, tuple(errors))


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
