"""What `planviz spark capture` wrote of one query (planviz-capture/1) -> plans, trace and notes.

    {"format": "planviz-capture/1", "sql", "at", "spark": {"version", "master", "kind"}, "conf": {...},
     "milliseconds": {"planned", "analysis", ...}, "explain": {MODE: text}, "estimates": [[rows, bytes] | null ...],
     "trace": {"texts", "runs", "steps", "batches", "differs", "adaptive", "rules": [[name, runs, effective, ms]]},
     "executed": {"milliseconds", "rows", "plan": {...}, "failed": text}, "notes": [...]}

`at` is when the query was planned (ISO 8601); `estimates` stand in the order of the optimized plan's text; `trace` and
`executed` may be missing. `rows` is null for a query that failed while it ran, and `failed` says why. `plan` has the
form of Spark's sparkPlanInfo with values and estimates.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from planviz.errors import NotAPlan
from planviz.graph import PlanGraph
from planviz.graph.node import Estimate
from planviz.graph.trace import BatchRecord, RuleCalls, RuleRun, RuleStep, RuleTrace, RunMetrics, TracedPlan
from planviz.jsontypes import JsonObject
from planviz.plantext.json_plans import plan_info_graph
from planviz.plantext.json_values import count_of, loads, must_be, number_of
from planviz.plantext.lines import clean
from planviz.plantext.scanner import graph_of_text, scan

FORMAT = "planviz-capture/1"
#: The modes of `explain` that a capture holds.
MODES = ("simple", "extended", "codegen", "cost", "formatted")


def looks_like_capture(text: str) -> bool:
    """Whether a text is a capture: its format is named at the beginning."""
    return f'"{FORMAT}"' in text[:200]


def read_capture(text: str) -> tuple[list[PlanGraph], RuleTrace, tuple[str, ...], tuple[str, ...], str]:
    """Plans, trace, reasons, notes and Spark's version of a capture. Raises NotAPlan when it is cut off or damaged."""
    try:
        capture = must_be(dict, loads(text))
        plans = _plans(capture)
        trace = _trace(capture["trace"]) if "trace" in capture else RuleTrace()
        return plans, trace, _reasons(capture), _notes(capture), str(capture["spark"]["version"])
    except json.JSONDecodeError as error:
        raise NotAPlan(
            f"This capture ends too early or is damaged, at line {error.lineno}. Capture the query again.",
            line=error.lineno,
            column=error.colno,
        ) from None
    except RecursionError:
        raise NotAPlan(
            "This capture nests too deep to be read: Spark writes none like it. Capture the query again."
        ) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise NotAPlan(f"This capture is damaged ({type(error).__name__}: {error}). Capture the query again.") from None


def captured_explain(text: str) -> tuple[str, str]:
    """The SQL of a capture, "" where it was none, and what `explain` printed. Raises NotAPlan for a damaged one."""
    read_capture(text)
    capture = must_be(dict, loads(text))
    explain = capture["explain"]
    return str(capture.get("sql") or ""), str(explain.get("extended") or explain.get("formatted") or "")


def _plans(capture: JsonObject) -> list[PlanGraph]:
    explain = capture["explain"]
    plans = list(scan(clean(explain.get("extended") or explain.get("formatted") or "")).plans)
    for plan in plans:
        for node in plan:
            # The lines are those of a text inside the file.
            node.source = None
    estimates = capture.get("estimates") or []
    for plan in plans:
        if plan.stage == "optimized" and len(plan) == len(estimates):
            for node, estimate in zip(plan, estimates, strict=True):
                if estimate is not None:
                    rows, size = must_be(list, estimate)
                    node.estimate = Estimate(count_of(rows), count_of(size))
    executed = capture.get("executed")
    if executed:
        plan = plan_info_graph(executed["plan"], "Executed Plan")
        plan.title = "Executed Plan · final"
        plan.notes.append(_outcome(executed))
        plans.append(plan)
    return plans


def _outcome(executed: dict[str, object]) -> str:
    spent = f"{number_of(executed['milliseconds']) or 0:,.0f} ms"
    if "failed" in executed:
        return f"The query failed after {spent}; the numbers are those up to then. Spark says: {executed['failed']}"
    count = count_of(executed["rows"])
    rows = "an unknown number of rows" if count is None else "1 row" if count == 1 else f"{count:,} rows"
    return f"Spark ran the query in {spent} and it gave {rows}."


def _trace(trace: JsonObject) -> RuleTrace:
    texts = [must_be(str, text) for text in trace["texts"]]
    plans = [TracedPlan(partial(str, text), partial(graph_of_text, text)) for text in texts]
    steps = [
        RuleStep(
            must_be(str, s["rule"]), plans[s["before"]], plans[s["after"]], batch=must_be(str, s["batch"]),
            run=count_of(s["run"]), iteration=count_of(s["iteration"]), milliseconds=number_of(s["ms"]),
        )
        for s in trace["steps"]
    ]  # fmt: skip
    batches = [_batch(b, plans.__getitem__) for b in trace["batches"]]
    calls = {
        must_be(str, name): _calls(name, count_of(runs) or 0, count_of(effective) or 0, number_of(spent) or 0.0)
        for name, runs, effective, spent in trace.get("rules", ())
    }
    order = dict.fromkeys(rule for batch in batches for rule in batch.rules)
    rules = [calls.pop(rule) for rule in order if rule in calls] + list(calls.values())
    runs = [RuleRun(number, None, must_be(str, executor)) for number, executor in enumerate(trace["runs"])]
    metrics = [_metrics(run, steps, batches) for run in runs]
    return RuleTrace(steps, batches, metrics, runs, rules)


def _calls(name: str, runs: int, effective: int, spent: float) -> RuleCalls:
    return RuleCalls(name, runs, runs, effective, spent, spent if effective else 0.0)


def _batch(batch: JsonObject, plan: Callable[[int], TracedPlan]) -> BatchRecord:
    before, after = (plan(batch[side]) if side in batch else None for side in ("before", "after"))
    return BatchRecord(
        must_be(str, batch["name"]), bool(batch["effective"]), must_be(int, batch["steps"]), None,
        count_of(batch["run"]), count_of(batch["iterations"]), tuple([must_be(str, rule) for rule in batch["rules"]]),
        before, after,
    )  # fmt: skip


def _metrics(run: RuleRun, steps: list[RuleStep], batches: list[BatchRecord]) -> RunMetrics:
    own = [step for step in steps if step.run == run.number]
    calls = sum(len(b.rules) * (b.iterations or 0) for b in batches if b.run == run.number)
    ended = sum((b.run or 0) <= run.number for b in batches)
    spent = sum(step.milliseconds or 0.0 for step in own)
    return RunMetrics(run.executor, calls, None, len(own), spent, ended, run.number)


def _reasons(capture: JsonObject) -> tuple[str, ...]:
    spark = capture["spark"]
    found = [f"captured from Spark {spark['version']} at {spark['master']}"]
    if "trace" in capture:
        found.append(f"{len(capture['trace']['steps'])} effective rules")
    if "executed" in capture:
        found.append("failed while it ran" if "failed" in capture["executed"] else "executed")
    return tuple(found)


def _notes(capture: JsonObject) -> tuple[str, ...]:
    found = [must_be(str, note) for note in capture.get("notes", ())]
    trace = capture.get("trace")
    if trace:
        found.append(
            "Each rule was applied once more, one by one, to see what it does; a step's time is that of this call, the "
            "times of the rules' totals are Spark's own."
        )
        if trace.get("adaptive"):
            found.append(
                "The steps of Preparations are those that Spark takes without adaptive execution; with it, the plan is "
                "made ready anew whenever a stage has run."
            )
        if trace["differs"]:
            found.append(
                f"The plan of the steps differs from Spark's own at the end of: {', '.join(trace['differs'])}."
            )
    return tuple(found)
