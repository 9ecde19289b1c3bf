"""Plans and traces as text in Spark's form (TreeNode.generateTreeString, PlanChangeLogger): the way back to text."""

from __future__ import annotations

import difflib

from planviz.graph import PlanGraph, PlanNode
from planviz.graph.node import MARKS
from planviz.graph.trace import BatchRecord, RuleStep, RuleTrace, RunMetrics

_MARKS = {badge: mark for mark, badge in MARKS.items()}

#: The classes that Spark's log names for its two executors.
_EXECUTORS = {
    "Analyzer": "org.apache.spark.sql.internal.BaseSessionStateBuilder$$anon$1",
    "Optimizer": "org.apache.spark.sql.internal.BaseSessionStateBuilder$$anon$2",
}


def operator_text(node: PlanNode) -> str:
    """One operator as Spark prints it behind the tree marks: codegen stage, marks, name and arguments."""
    if node.codegen_stage is not None:
        # `explain formatted` prints the stage's number in the detail block alone.
        codegen = f"*({node.codegen_stage}) " if node.operator_id is None else "* "
    else:
        codegen = "* " if "codegen" in node.badges else ""
    marks = "".join(_MARKS[badge] for badge in node.badges if badge in _MARKS)
    return f"{codegen}{marks}{node.text}"


def side_by_side(before: str, after: str) -> str:
    """Two tree texts in the form of Spark's rule log: paired by position, ` ` before equal lines and `!` before others.

    The inverse of `rulelog.split_columns` (Spark's `sideBySide`; inventory F-001).
    """
    left, right = before.split("\n"), after.split("\n")
    width = max(map(len, left)) + 3
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    rows = zip(left, right, strict=True)
    return "\n".join(f"{' ' if a == b else '!'}{a.ljust(width)}{b}" for a, b in rows)


def rule_log(trace: RuleTrace) -> str:
    """A trace as Spark's PlanChangeLogger writes it: effective steps, the end of every batch, the metrics of every run.

    Reading it back gives the same steps, batches and metrics. The "Output Information" of Spark 4 is left out.
    """
    out: list[str] = []
    done = 0
    metrics = list(trace.metrics)
    for number, batch in enumerate(trace.batches, 1):
        out += map(_step_block, trace.steps[done : batch.steps_before])
        done = max(done, batch.steps_before)
        out.append(_batch_block(batch))
        while metrics and metrics[0].batches_before <= number:
            out.append(_metrics_block(metrics.pop(0)))
    out += map(_step_block, trace.steps[done:])
    out += map(_metrics_block, metrics)
    return "".join(out)


def step_diff(step: RuleStep, context: int = 2) -> str:
    """A step as a unified diff of its two tree texts under a heading, with `context` equal lines around a change."""
    before, after = step.before.split("\n"), step.after.split("\n")
    lines = list(difflib.unified_diff(before, after, lineterm="", n=context))[2:]
    iteration = f"iteration {step.iteration}" if step.iteration else None
    where = ", ".join(filter(None, [step.batch, iteration]))
    heading = f"=== {step.short_rule}{f' ({where})' if where else ''} ==="
    return "\n".join([heading, *lines]) + "\n"


def _step_block(step: RuleStep) -> str:
    return f"\n=== Applying Rule {step.rule} ===\n{side_by_side(step.before, step.after)}\n"


def _batch_block(batch: BatchRecord) -> str:
    if not batch.effective:
        return f"Batch {batch.name} has no effect.\n"
    plans = batch.before_plan, batch.after_plan
    rows = "" if plans[0] is None or plans[1] is None else f"{side_by_side(plans[0].text, plans[1].text)}\n"
    return f"\n=== Result of Batch {batch.name} ===\n{rows}"


def _metrics_block(metrics: RunMetrics) -> str:
    name = f" {_EXECUTORS.get(metrics.executor, metrics.executor)}" if metrics.executor else ""
    rows = [
        ("Total number of runs", metrics.runs, ""),
        ("Total time", metrics.milliseconds, " ms"),
        ("Total number of effective runs", metrics.effective_runs, ""),
        ("Total time of effective runs", metrics.effective_milliseconds, " ms"),
    ]
    told = "".join(f"{what}: {_number(value)}{unit}\n" for what, value, unit in rows if value is not None)
    return f"\n=== Metrics of Executed Rules{name} ===\n{told}"


def _number(value: float) -> str:
    # Spark counts nanoseconds.
    return str(value) if isinstance(value, int) else str(round(value, 6)) if value >= 0.001 else f"{value:.6f}"


def tree_text(graph: PlanGraph, start: int | None = None) -> str:
    """The plan, or the subtree at `start`, one operator a line; subqueries stand two levels below their host.

    Equals what Spark printed for every plan without adaptive sections, whose indentation Spark itself gets wrong below
    subqueries and caches.
    """
    out: list[str] = []
    roots = graph.roots if start is None else [start]
    stack: list[tuple[int, str, str]] = [(root, "", "") for root in reversed(roots)]
    while stack:
        id, prefix, mark = stack.pop()
        out.append(f"{prefix}{mark}{operator_text(graph[id])}")
        below = prefix + {"": "", "+- ": "   ", ":- ": ":  "}[mark]
        inner = [child for child in graph.children(id) if graph.edge_type(id, child) != "child"]
        children = [child for child in graph.children(id) if graph.edge_type(id, child) == "child"]
        lines = [
            (child, below + (":  " if children else "   "), "+- " if at == len(inner) - 1 else ":- ")
            for at, child in enumerate(inner)
        ]
        lines += [(child, below, "+- " if at == len(children) - 1 else ":- ") for at, child in enumerate(children)]
        stack.extend(reversed(lines))
    return "\n".join(out)
