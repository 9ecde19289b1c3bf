"""`planviz trace`: what every rule did to the queries of an SQL file, step by step."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import error_json, errors_of, statement_json
from planviz.cli.settings import given_of, open_file
from planviz.document import Document, SqlStatement, open_text
from planviz.document.opening.replays import with_replayed_trace
from planviz.document.rules.logs import LoggedRun, logged_runs, step_difference
from planviz.errors import InputError, PlanvizError
from planviz.graph.trace import RuleTrace
from planviz.plantext.printing import rule_log, step_diff

_ENDINGS = {"log": "log", "json": "json", "diff": "diff", "why": "txt"}
_EXECUTORS = {
    "analyzed": ("Analyzer",),
    "optimized": ("Optimizer",),
    "sparkPlan": ("SparkPlanner",),
    "physical": ("SparkPlanner", "Preparations"),
}


def trace(options: argparse.Namespace) -> int:
    """Print the trace of each file's queries, also of one that fails up to where it failed."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        text = read_text(name)
        if "=== Applying Rule" in text:
            return _logged(text, name, options), ()
        if all(f"== {stage} Logical Plan ==" in text for stage in ("Analyzed", "Optimized")):
            return _replayed(text, name, options), ()
        document = open_file(text, options, options.stage or "optimized")
        if document.plans and not any(s.trace.steps or s.error or not s.replay for s in document.statements):
            raise InputError(
                f"{name}: no steps: rules run from an analyzed plan to an optimized one, and the text has not both, "
                "nor a physical plan that comes out again as Spark printed it. Paste what explain(True) prints, or see "
                "what planviz makes of the plan: planviz replay FILE."
            )
        return _shown(document, name, options), errors_of(document)

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _shown(document: Document, name: str, options: argparse.Namespace) -> str:
    traces = {s.index: _chosen(s.trace, options) for s in document.statements if s.kind == "query"}
    if options.format == "json":
        statements = [
            {
                **statement_json(s),
                "error": error_json(s.error),
                **(_trace_json(traces[s.index]) if s.index in traces else {}),
            }
            for s in document.statements
        ]
        return json.dumps({"file": name, "statements": statements}, ensure_ascii=True, indent=1) + "\n"
    if options.format == "diff":
        return "\n".join(step_diff(step) for found in traces.values() for step in found.steps)
    if options.format == "why":
        return "\n".join(_why(s, traces[s.index]) for s in document.statements if s.index in traces)
    return "".join(map(rule_log, traces.values()))


def _logged(text: str, name: str, options: argparse.Namespace) -> str:
    """Every step of Spark's own log with what planviz does in its place; of the first that differs the lines."""
    document = open_text(text)
    runs = logged_runs(document, given_of(options))
    steps = document.trace.steps
    if options.format == "json":
        told = [_run_json(document, run) for run in runs]
        entry = {"file": name, "recognised": document.recognised, "steps": len(steps), "runs": told}
        return json.dumps(entry, ensure_ascii=True, indent=1) + "\n"
    if not runs:
        raise InputError("The log holds no step of the optimizer whose plan can be optimized again.")
    lines = []
    for run in runs:
        lines.append(run.words)
        lines += [
            f"  {run.replay.config.profile}",
            *(f"  {s.key}={s.value}: {s.evidence}" for s in run.replay.settings),
        ]
        for step in run.steps:
            mark = "same" if step.same else "DIFFERS" if step is run.first else "differs"
            lines.append(f"{step.number + 1:>5}  {mark:<8}{steps[step.number].short_rule}")
            if not step.same and (step is run.first or options.format == "diff"):
                lines += [f"         {line}" for line in step_difference(step, steps[step.number])]
    return "\n".join(lines) + "\n"


def _run_json(document: Document, run: LoggedRun) -> dict[str, object]:
    steps = document.trace.steps
    return {
        "words": run.words,
        "first": None if run.first is None else run.first.number + 1,
        "steps": [
            {
                "step": s.number + 1,
                "rule": steps[s.number].rule,
                "same": s.same,
                "planviz": None if s.ours is None else {"rule": s.ours.rule, "after": s.ours.after},
            }
            for s in run.steps
        ],
    }


def _replayed(text: str, name: str, options: argparse.Namespace) -> str:
    """The steps from the analyzed plan of a pasted explain on, taken again: the optimizer's where no stage is asked."""
    document = with_replayed_trace(open_text(text), given_of(options))
    stage = options.stage or "optimized"
    found = RuleTrace() if document is None else _chosen(document.trace, options, stage)
    if document is None or (not found.steps and stage != "optimized" and options.rule is None):
        raise InputError("Of a pasted explain the steps from its analyzed plan on are taken again; there are none of "
                         "this stage, or this plan cannot be planned again as Spark printed it.")  # fmt: skip
    if options.format == "json":
        entry = {"file": name, "recognised": document.recognised, **_trace_json(found)}
        return json.dumps(entry, ensure_ascii=True, indent=1) + "\n"
    if options.format == "why":
        raise InputError("Why a rule took a branch is told of SQL; --format log or diff shows the steps of this plan.")
    return "\n".join(step_diff(step) for step in found.steps) if options.format == "diff" else rule_log(found)


def _chosen(found: RuleTrace, options: argparse.Namespace, stage: str | None = None) -> RuleTrace:
    asked = options.stage or stage
    if asked is not None:
        found = found.only(*_EXECUTORS[asked])
    if options.rule is None:
        return found
    from planviz.optimizer.reference import rule_named

    wanted = rule_named(options.rule, [rule.rule for rule in found.rules])
    return RuleTrace([step for step in found.steps if step.rule == wanted], runs=found.runs)


def _why(statement: SqlStatement, chosen: RuleTrace) -> str:
    """Why the rules of these steps did what they did, as far as they have logic to tell."""
    from planviz.document.rules.branches import explained

    if statement.execution is None:
        return ""
    wanted = set(map(id, chosen.steps))
    parts = []
    for at, step in enumerate(statement.trace.steps):
        for told in explained(statement.execution, at) if id(step) in wanted else ():
            branch = told.branch
            lines = [f"Step {at + 1}, {branch.rule}: {getattr(branch.node, 'simple_string', branch.node)}"]
            lines += [f"  {getattr(o.what, 'simple_string', o.what)} {o.gave}" for o in branch.seen]
            lines += [f"  {branch.reason}", ""]
            lines += [
                f"{'>' if line.branch and line.branch == branch.took else ' '} {line.text}" for line in told.logic
            ]
            parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _trace_json(found: RuleTrace) -> dict[str, object]:
    executors = {run.number: run.executor for run in found.runs}
    return {
        "runs": [{"run": run.number, "parent": run.parent, "executor": run.executor} for run in found.runs],
        "trace": [
            {
                "run": step.run,
                "executor": executors.get(step.run if step.run is not None else -1),
                "batch": step.batch,
                "iteration": step.iteration,
                "rule": step.rule,
                "milliseconds": step.milliseconds,
                **({"matched": step.matched()} if step.matched is not None else {}),
                "before": step.before,
                "after": step.after,
            }
            for step in found.steps
        ],
        "batches": [
            {"run": batch.run, "batch": batch.name, "effective": batch.effective, "iterations": batch.iterations}
            for batch in found.batches
        ],
        "silent": [
            {"rule": rule.rule, "runs": rule.runs, "looked": rule.looked, "milliseconds": rule.milliseconds}
            for rule in found.silent
        ],
    }
