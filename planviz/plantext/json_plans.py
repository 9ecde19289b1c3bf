"""Plans as Spark writes them in JSON: plan.toJSON, SQL REST JSON, sparkPlanInfo, event logs (inventory G-002).

`InputAdapter` and `WholeStageCodegen` nodes are no operators of their own in any explain text; here too they become the
codegen stage of the operators inside.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from planviz.errors import NotAPlan
from planviz.graph import Link, PlanGraph, PlanNode, kind_of
from planviz.graph.node import Estimate
from planviz.graph.stage_run import StageRun
from planviz.jsontypes import JsonObject
from planviz.plantext.estimates import MEASURED_STAGES, estimate_of
from planviz.plantext.eventlog.fold import UNREADABLE, EventFold, Execution, measure
from planviz.plantext.eventlog.messages import plan_text, read_plan
from planviz.plantext.expression_json import children_count, field_parts
from planviz.plantext.json_values import DECODER, count_of, entries_of, loads, number_of
from planviz.plantext.operators import Details, read_arguments
from planviz.plantext.references import link_references
from planviz.units import duration

Found = tuple[list[PlanGraph], str, tuple[str, ...], tuple[str, ...], tuple[tuple[int, str], ...]]

_CODEGEN = re.compile(r"WholeStageCodegen \((\d{1,18})\)")
_KEYS = ('"nodeName"', '"num-children"', '"edges"', '\\"nodeName\\"', '\\"num-children\\"', "sparkPlanInfo")
#: Where JSON may begin: in a line, behind a few words or a notebook's `Out[5]: `.
_BEGINS = re.compile(r"(?m)^(?:(?:In|Out) ?\[\d+\]:)?[^\n{\[]{0,80}?([{\[])")
_HEADING = re.compile(r"\s*== .*\bPlan\b.* ==\s*$")
_REASONS = {
    "SQL REST": "nodes and edges of an SQL execution",
    "sparkPlanInfo": "nested nodes with nodeName and simpleString",
    "plan as JSON": "an array of nodes with class and num-children",
}
#: The line of a Python traceback that names the exception; it stands at the margin.
_RAISED = re.compile(r"[A-Za-z_][\w.]*(?::|$)")
#: Characters of a failure's cause that are told.
_CAUSE = 400
_START = "SQLExecutionStart"
_UPDATE = "SQLAdaptiveExecutionUpdate"


def looks_like_json(text: str) -> bool:
    """Whether a text may hold a plan in JSON: one of the keys that Spark writes occurs in it."""
    # Most plan texts are megabytes without a single quotation mark.
    return '"' in text and any(key in text for key in _KEYS)


def read_json(text: str) -> Found | None:
    """Read a text that holds JSON, alone or behind prose; None when it holds no plan (then it is read as plain text).

    Returns plans, what was recognised, reasons, notes, and unparsed `(line, text)`. Raises `NotAPlan` when the JSON
    ends too early.
    """
    if _START in text or _UPDATE in text:
        found = _event_log(text)
        if found is not None:
            return found
    value, before, after = _json_in(text)
    if value is None:
        return None
    plans: list[PlanGraph] = []
    kinds: list[str] = []
    _collect(value, plans, kinds)
    if not plans:
        return None
    kind = kinds[0]
    lines = text.split("\n")
    left = [*enumerate(lines[:before], 1), *enumerate(lines[after:], after + 1)]
    unparsed = tuple((number, line.rstrip("\r")) for number, line in left if line.strip())
    if any(_HEADING.match(line) for _, line in unparsed):
        return None  # what explain printed, with JSON in one of its lines or below it
    return plans, kind, (_REASONS[kind], *([f"{len(plans)} plans"] if len(plans) > 1 else [])), (), unparsed


def _json_in(text: str) -> tuple[object, int, int]:
    """The first object or array in a text, the line it begins on (from 0) and the line after it."""
    if text.lstrip()[:1] == '"':  # as a string of JSON or of a program
        with contextlib.suppress(ValueError, RecursionError):
            inside = loads(text)
            return (_json_in(inside)[0], 0, text.count("\n") + 1) if isinstance(inside, str) else (None, 0, 0)
    problem: json.JSONDecodeError | None = None
    for tries, match in enumerate(_BEGINS.finditer(text)):
        at = match.start(1)
        try:
            value, end = DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            problem = problem or error
        except (RecursionError, ValueError):  # too deep, or a number of more than 4,300 digits
            return None, 0, 0
        else:
            if isinstance(value, dict | list) and value:
                return value, text.count("\n", 0, at), text.count("\n", 0, end) + 1
        if tries > 20:
            break
    if problem is not None and problem.pos >= len(text.rstrip()) - 1:
        raise NotAPlan(
            f"This JSON ends too early, at line {problem.lineno}. Copy it whole: from the first bracket to the last.",
            line=problem.lineno,
            column=problem.colno,
        )
    return None, 0, 0


def _collect(value: object, plans: list[PlanGraph], kinds: list[str]) -> None:
    """Plans anywhere inside a JSON value, in its order; strings that hold JSON are looked into as well."""
    stack = [value]
    while stack:
        value = stack.pop()
        kind = _kind(value)
        if kind is not None:
            plans.append(_GRAPHS[kind](value))
            kinds.append(kind)
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))
        elif isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and looks_like_json(value):
            with contextlib.suppress(ValueError, RecursionError):
                stack.append(loads(value))


def _kind(value: object) -> str | None:
    if isinstance(value, dict):
        if isinstance(value.get("nodes"), list) and "edges" in value:
            return "SQL REST"
        if "nodeName" in value and "children" in value:
            return "sparkPlanInfo"
    elif (
        isinstance(value, list)
        and value
        and isinstance(value[0], dict)
        and {"class", "num-children"} <= value[0].keys()
    ):
        return "plan as JSON"
    return None


def _node(id: int, name: str, text: str, parent: PlanNode | None, **more: Any) -> PlanNode:
    words = (text or name).strip()
    match = re.match(r"['!~]*([A-Za-z_][\w$.]*)", words)
    op = match.group(1) if match else (name.strip() or "?").split()[0]
    if name and not words.startswith(name.split(" ")[0].split("(")[0]) and not match:
        op = name.split()[0]
    return PlanNode(
        id,
        op,
        kind_of(op),
        words[match.start(1) :] if match else words,
        parent=None if parent is None else parent.id,
        depth=0 if parent is None else parent.depth + 1,
        estimate=estimate_of(words) if "Statistics(" in words and op not in MEASURED_STAGES else None,
        badges=("truncated",) if "..." in words else (),
        reader=_reader,
        **more,
    )


_DETAILS = Details()


def _reader(node: PlanNode) -> dict[str, object]:
    return read_arguments(_DETAILS, node)


# -- sparkPlanInfo


def plan_info_graph(
    info: dict[str, object], title: str = "Physical Plan", measured: dict[int, int] | None = None
) -> PlanGraph:
    """The plan of a `sparkPlanInfo` object (event log, status store).

    `measured` gets the operator of each accumulator.
    """
    nodes: list[PlanNode] = []
    links: list[Link] = []
    stack: list[tuple[JsonObject, PlanNode | None, int | None]] = [(info, None, None)]
    while stack:
        entry, parent, stage = stack.pop()
        name = str(entry.get("nodeName", ""))
        children = entries_of(entry.get("children"))
        if match := _CODEGEN.match(name):
            stack.extend((child, parent, int(match.group(1))) for child in reversed(children))
            continue
        if name == "InputAdapter":
            stack.extend((child, parent, None) for child in reversed(children))
            continue
        node = _node(len(nodes), name, str(entry.get("simpleString", "")), parent, codegen_stage=stage)
        _add_metadata(node, entry)
        if measured is not None:
            ids = (count_of(metric.get("accumulatorId")) for metric in entries_of(entry.get("metrics")))
            measured.update((id, node.id) for id in ids if id is not None)
        nodes.append(node)
        if node.op.startswith("Subquery") and parent is not None:
            links.append(Link(parent.id, node.id, "subquery"))
        stack.extend((child, node, stage) for child in reversed(children))
    final = any(node.op == "AdaptiveSparkPlan" and "isFinalPlan=true" in node.text for node in nodes[:1])
    graph = PlanGraph.from_nodes("physical", f"{title} · final" if final else title, nodes, links)
    link_references(graph)
    return graph


def _add_metadata(node: PlanNode, entry: JsonObject) -> None:
    told = entry.get("metadata")
    metadata = {key: value for key, value in told.items() if value not in ("", None)} if isinstance(told, dict) else {}
    measured = {str(metric.get("name")): _measured(metric) for metric in entries_of(entry.get("metrics"))}
    node.metrics = {name: value for name, value in measured.items() if value is not None} or None
    estimate = entry.get("estimate")
    if isinstance(estimate, list) and len(estimate) == 2:
        node.estimate = Estimate(count_of(estimate[0]), count_of(estimate[1]))
    if metadata and ", " not in node.text:
        node.text += " " + ", ".join(f"{key}: {value}" for key, value in metadata.items())


def _measured(metric: dict[str, object]) -> Any:
    """A metric's value, if it has one: counts and bytes raw, times in words, averages with the place Spark keeps."""
    told, type = metric.get("value"), metric.get("metricType")
    value = number_of(told)
    if value is None:
        return told if isinstance(told, str) else None
    if type in ("sum", "size"):
        return value
    if type == "average":
        return value / 10
    return f"{value / 1e6:,.1f} ms" if type == "nsTiming" else f"{value:,} ms"


# -- REST


def _printed(metric: JsonObject) -> tuple[str, str]:
    """A metric's name and value as the REST answer has them: words."""
    value = metric.get("value")
    number = number_of(value)
    return str(metric["name"]), value if isinstance(value, str) else "" if number is None else str(number)


def rest_graph(execution: JsonObject) -> PlanGraph:
    """The plan of one execution of `/api/v1/applications/<id>/sql/<n>?details=true`, metrics included."""
    numbered = [(count_of(entry.get("nodeId")), entry) for entry in entries_of(execution["nodes"])]
    entries = {number: entry for number, entry in numbered if number is not None}
    children: dict[int, list[int]] = {}
    has_parent: set[int] = set()
    for edge in entries_of(execution.get("edges")):
        child, parent = count_of(edge.get("fromId")), count_of(edge.get("toId"))
        if child in entries and parent in entries and child not in has_parent and child != parent:
            children.setdefault(parent, []).append(child)
            has_parent.add(child)
    nodes: list[PlanNode] = []
    links: list[Link] = []
    roots = [id for id, entry in entries.items() if id not in has_parent and not _is_cluster(entry)]
    stack: list[tuple[int, PlanNode | None]] = [(id, None) for id in reversed(roots)]
    seen: set[int] = set()
    # Edges in a circle have no root: whatever the roots do not lead to begins a tree of its own.
    rest = iter([id for id, entry in entries.items() if id in has_parent and not _is_cluster(entry)])
    while stack or (stack := [(id, None) for id in islice((id for id in rest if id not in seen), 1)]):
        id, parent_node = stack.pop()
        if id in seen:
            continue
        seen.add(id)
        entry = entries[id]
        stage = count_of(entry.get("wholeStageCodegenId"))
        text = str(entry.get("desc") or entry.get("nodeName", ""))
        node = _node(len(nodes), str(entry.get("nodeName", "")), text, parent_node, codegen_stage=stage)
        metrics = [metric for metric in entries_of(entry.get("metrics")) if "name" in metric]
        node.metrics = {name: value for name, value in map(_printed, metrics) if value} or None
        nodes.append(node)
        if node.op.startswith("Subquery") and parent_node is not None:
            links.append(Link(parent_node.id, node.id, "subquery"))
        stack.extend((child, node) for child in sorted(children.get(id, ()), reverse=True))
    title = str(execution.get("description") or "Physical Plan").strip().split("\n")[0][:80]
    graph = PlanGraph.from_nodes("physical", title, nodes, links)
    if any(node.metrics for node in nodes):
        graph.notes.append("Rows and times were measured by Spark.")
    link_references(graph)
    return graph


def _is_cluster(entry: dict[str, object]) -> bool:
    return str(entry.get("nodeName", "")).startswith("WholeStageCodegen")


# -- plan.toJSON


def to_json_graph(entries: list[object]) -> PlanGraph:
    """The plan of `plan.toJSON`: nodes in pre-order, each with its number of children and its fields."""
    nodes: list[PlanNode] = []
    open_parents: list[tuple[PlanNode, int]] = []
    for entry in entries:
        if not isinstance(entry, dict) or "class" not in entry:
            continue
        while open_parents and open_parents[-1][1] == 0:
            open_parents.pop()
        parent: PlanNode | None = None
        if open_parents:
            parent, left = open_parents.pop()
            open_parents.append((parent, left - 1))
        name = str(entry["class"]).rsplit(".", 1)[-1]
        op = name.removesuffix("Exec")
        fields = {
            key: value for key, value in entry.items() if key not in ("class", "num-children", "child", "left", "right")
        }
        arguments = field_parts(op, fields)
        text = " ".join([op, *(f"{key}={_short(value)}" for key, value in arguments.items())])
        node = PlanNode(
            len(nodes),
            op,
            kind_of(op),
            text,
            parent=None if parent is None else parent.id,
            depth=0 if parent is None else parent.depth + 1,
            arguments=arguments,
        )
        nodes.append(node)
        open_parents.append((node, children_count(entry)))
    first = entries[0] if entries else None
    named = str(first.get("class", "")) if isinstance(first, dict) else ""
    physical = named.startswith("org.apache.spark.sql.execution")
    stage = "physical" if physical else ("parsed" if any(n.op.startswith("Unresolved") for n in nodes) else "optimized")
    title = "Physical Plan" if physical else "Logical Plan"
    return PlanGraph.from_nodes(stage, title, nodes)


def _short(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


# -- event log


def _event_log(text: str) -> Found | None:
    """Every SQL execution of an event log: the last plan that was announced, with what was measured, and the first one
    where adaptive execution announced others after it."""
    fold = EventFold(excerpt=True, tasks=True)
    bad: list[tuple[int, str]] = []
    ended: list[Execution] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip().rstrip(",")
        if not stripped:
            continue
        try:
            fold.take(stripped.encode("utf-8", "replace"))
        except UNREADABLE:
            bad.append((number, line))
            if not fold.events and len(bad) > 200:
                return None
        ended += fold.ended
        fold.ended.clear()
    plans: list[PlanGraph] = []
    executions = 0
    for execution in sorted([*ended, *fold.open.values()], key=lambda execution: execution.number):
        try:
            plans += [_execution_graph(execution), *_initial_graph(execution)]
            executions += 1
        except UNREADABLE as error:
            bad.append((0, f"The plan of execution {execution.number} is damaged ({error})."))
    if not plans:
        return None
    told = ", and the initial one beside it" if len(plans) > executions else ""
    notes: tuple[str, ...] = (f"One plan for each SQL execution: the last one that Spark announced{told}.",)
    if bad:
        notes = (*notes, f"{len(bad)} lines could not be read, the first is line {bad[0][0]}.")
    return plans, "event log", (f"{fold.events} events, {executions} SQL executions",), notes, tuple(bad)


def _execution_graph(execution: Execution) -> PlanGraph:
    plan = read_plan(execution.plan)
    measure(plan, execution.values)
    title = (execution.start.description or "").strip().split("\n")[0][:80] or f"Execution {execution.number}"
    operators: dict[int, int] = {}
    graph = plan_info_graph(json.loads(plan_text(plan)), f"{execution.number}: {title}", operators)
    graph.settings = execution.settings
    graph.runs = [
        StageRun(stage, *summary, tuple(sorted({operators[id] for id in ids if id in operators})))
        for stage, summary, ids in execution.runs
    ]
    if execution.end is None:
        graph.notes.append("The log does not say that this execution ended; the numbers are those up to then.")
    elif execution.start.time and execution.end.time >= execution.start.time:  # a clock that was set back tells nothing
        graph.milliseconds = execution.end.time - execution.start.time
        tasks = f"{execution.tasks:,} task{'' if execution.tasks == 1 else 's'}"
        graph.notes.append(f"Spark ran this execution in {duration(graph.milliseconds)}, with {tasks}.")
    if execution.end is not None and execution.end.error_message:
        graph.failure = cause_of(execution.end.error_message)
        graph.notes.append(f"It failed: {graph.failure} Spark says: {execution.end.error_message[:500]}")
    return graph


def cause_of(message: str) -> str:
    """What a failure comes from, on one line: the last exception of a Python traceback, else the last "Caused by".

    Spark puts the cause last, below its own wrappings and, of Python, below the traceback.
    """
    python = message.rpartition("Traceback (most recent call last):")[2] if "Traceback (most" in message else ""
    raised = [line for line in python.split("\n")[1:] if line[:1].strip() and _RAISED.match(line)]
    caused = [line.strip()[10:].strip() for line in message.split("\n") if line.strip().startswith("Caused by:")]
    first = next((line.strip() for line in message.split("\n") if line.strip()), "")
    told = raised[0] if raised else caused[-1] if caused else first
    told = told.strip()[:_CAUSE]
    return told if told.endswith((".", "!", "?")) else f"{told}."


def _initial_graph(execution: Execution) -> list[PlanGraph]:
    """The plan that was announced first; none where it is the last one, or damaged."""
    first = execution.start.spark_plan_info
    if bytes(first) == bytes(execution.plan):
        return []
    try:
        graph = plan_info_graph(json.loads(plan_text(read_plan(first))), "Initial Plan")
    except UNREADABLE:
        return []
    adaptive = len(graph) > 0 and graph[0].op == "AdaptiveSparkPlan"
    graph.stage, graph.settings = "initial", execution.settings
    return [graph] if adaptive else []


_GRAPHS: dict[str, Callable[[Any], PlanGraph]] = {
    "SQL REST": rest_graph,
    "sparkPlanInfo": plan_info_graph,
    "plan as JSON": to_json_graph,
}
