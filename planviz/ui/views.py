"""What Explore shows, as plain frozen values: no Streamlit in here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from planviz.document import Document
from planviz.document.opening.sql import notes_of
from planviz.execution import QueryExecution
from planviz.findings import findings
from planviz.findings.documents import finding_json, plan_findings
from planviz.graph import PlanGraph, scan_names
from planviz.graph.planned import PART
from planviz.jsontypes import JsonObject
from planviz.render import render
from planviz.render.glossary import meaning
from planviz.render.png import MOST_PIXELS, MOST_SIDE
from planviz.render.scene import MANY, build_scene
from planviz.render.text import one_line
from planviz.ui.cache import guesses
from planviz.ui.opened import Opened, in_worker
from planviz.ui.workbench import workbench_data

#: What a program calls itself.
_APPLICATION = re.compile(r"""\.(?:appName|setAppName)\(\s*f?["']([^"'{}\n]+)["']""")
_LABELS = {
    "parsed": "Parsed",
    "analyzed": "Analyzed",
    "optimized": "Optimized",
    "sparkPlan": "sparkPlan",
    "physical": "Physical",
    "initial": "Initial",
}

#: What the title of a part's plan names it by.
_OWNER = re.compile(r"subquery#\d+|cached data")

#: What a query without FROM reads.
_NO_TABLE = "OneRowRelation"

#: Characters of a line of a text that are shown around an error.
_LONGEST_LINE = 400

#: Stages are tabs up to this number and a list beyond.
MOST_TABS = 6

#: Pixels on a side that no PDF page holds, even at a tenth of the size (planviz/render/pdf.py).
PDF_SIDE = 190_000

#: A Markdown snippet draws plans up to this size; viewers refuse larger diagrams, which go in as an indented list.
MERMAID_NODES = 150


@dataclass(frozen=True)
class Tab:
    """One plan of a document: `plan` is its name (`Opened.graph`), `slug` its name in addresses, `label` in words."""

    plan: str
    slug: str
    label: str


@dataclass(frozen=True)
class Truth:
    """A badge that says what the numbers and the plan are worth; `tone` is "plain", "estimated" or "warning"."""

    word: str
    tone: str
    why: str


@dataclass(frozen=True)
class Step:
    """One row of the rule log."""

    number: int
    rule: str
    batch: str


@in_worker
def tabs(opened: Opened) -> tuple[Tab, ...]:
    """The document's plans in the order of the text, initial plans of a query's parts behind the others.

    Labels and slugs are unique. A part's plan that was printed again inside the query's initial plan is there once.
    """
    groups = opened.document.groups
    shown = [at for group in groups for at in _apart(opened.document.plans, group)]
    plans = [opened.document.plans[at] for at in shown]
    labels = [_label(plan) for plan in plans]
    many, seen = Counter(labels), Counter[str]()
    several = len(groups) > 1 and any(len(group) > 1 for group in groups)
    query = {at: number for number, group in enumerate(groups, 1) for at in group}
    executions = {at: ran for group in groups if (ran := executed(opened.document, group)) for at in group}
    found = []
    for at, plan, label in zip(shown, plans, labels, strict=True):
        seen[label] += 1
        number = seen[label]
        slug = label.lower().replace(" ", "-") if label in {"Final", *_LABELS.values()} else "plan"
        if many[label] > 1 or slug == "plan":
            slug = f"{slug}-{at + 1}"
        words = f"{label} {number}" if many[label] > 1 else label
        if len(plans) > MOST_TABS or plan.stage == "other":
            title = label if at in executions else one_line(plan.title, 80) or label
            words = f"Query {query[at]} · {title}" if several else f"{at + 1} · {title}"
            words = f"#{executions[at]} · {label}" if at in executions else words
        found.append(Tab(str(at), slug, words))
    return tuple(found)


def executed(document: Document, group: Sequence[int]) -> str:
    """The number that Spark gave the execution of these plans; "" where no event log tells it."""
    ran = next((document.plans[at] for at in group if document.plans[at].milliseconds is not None), None)
    return "" if ran is None else ran.title.partition(":")[0]


def _apart(plans: Sequence[PlanGraph], group: Sequence[int]) -> list[int]:
    """The plans of one query, those of its parts last and each once."""
    whole = [at for at in group if not plans[at].title.startswith(PART)]
    parts = {(plans[at].title, len(plans[at])): at for at in reversed(group) if at not in whole}
    return [*whole, *sorted(parts.values())]


def stages(opened: Opened, plan: str) -> dict[str, str]:
    """The plans of the query of a plan, by the labels of their tabs; none where they are a list or of a rule log."""
    found = stage_tabs(opened, plan)
    return {label: plan for plan, label in found.items()} if len(found) <= MOST_TABS else {}


@in_worker
def stage_tabs(opened: Opened, plan: str) -> dict[str, str]:
    """The words of the plans that belong together with a plan, by their names: all plans of a text with one query."""
    plans, groups = opened.document.plans, opened.document.groups
    group = next((g for g in groups if plan.isdigit() and int(plan) in g), ())
    if len(groups) < 2 or not group:
        return {tab.plan: tab.label for tab in tabs(opened)}
    shown = _apart(plans, group)
    labels = [_label(plans[at]) for at in shown]
    titles = [one_line(plans[at].title, 80) for at in shown]
    return {
        str(at): label if labels.count(label) == 1 else title or label
        for at, label, title in zip(shown, labels, titles, strict=True)
    }


def _label(plan: PlanGraph) -> str:
    if plan.stage == "physical" and plan.title.endswith("· final"):
        return "Final"
    if plan.title.startswith(PART) and (part := _OWNER.search(plan.title)):
        return f"Initial of {part.group()}"
    return _LABELS.get(plan.stage, "Plan")


@in_worker
def steps(opened: Opened) -> tuple[Step, ...]:
    """The rows of a rule log."""
    trace = opened.document.trace
    return tuple(
        Step(at + 1, one_line(step.short_rule, 80), one_line(step.batch or "", 60))
        for at, step in enumerate(trace.steps)
    )


@in_worker
def first_plan(opened: Opened) -> str:
    """The plan shown first: of a script the last of its first query, of an event log that of the execution that took
    longest, else the last physical one, else the last of all, else the outcome of a log's first step.
    """
    plans = opened.document.plans
    if ran := [(plan.milliseconds, at) for at, plan in enumerate(plans) if plan.milliseconds is not None]:
        return str(max(ran)[1])
    first = next((s.plans for s in opened.document.statements if s.plans and s.error is None), ())
    if first:
        return str(first[-1])
    for at in reversed(range(len(plans))):
        if plans[at].stage == "physical":
            return str(at)
    if plans:
        return str(len(plans) - 1)
    return "0a" if opened.document.trace.steps else ""


def plan_of_address(opened: Opened, stage: str, step: str) -> str | None:
    """The plan that an address means, or None when it means none of this document's."""
    if step.isascii() and step.isdigit() and len(step) < 9 and stage in ("", "before", "after"):
        number = int(step)
        if not 1 <= number <= opened.facts.steps:
            return None
        return f"{number - 1}{'b' if stage == 'before' else 'a'}"
    return next((tab.plan for tab in tabs(opened) if tab.slug == stage), None)


def around(text: str, line: int, column: int | None, most: int = 3) -> str:
    """The lines around a place, numbered from 1, with a mark below its column: at most `most` before and behind."""
    lines = text.split("\n")
    first, last = max(1, line - most), min(len(lines), line + most)
    wide = len(str(last))
    out = []
    for number in range(first, last + 1):
        shown = lines[number - 1].expandtabs(1).rstrip()[:_LONGEST_LINE]
        out.append(f"{number:>{wide}}  {shown}".rstrip())
        if number == line and column is not None and 0 < column <= _LONGEST_LINE:
            out.append(" " * (wide + 1 + column) + "^")
    return "\n".join(out)


def address_of_plan(opened: Opened, plan: str) -> dict[str, str]:
    """The part of an address that names a plan: the inverse of `plan_of_address`."""
    if plan.endswith(("a", "b")):
        return {"step": str(int(plan[:-1]) + 1), "stage": "before" if plan.endswith("b") else "after"}
    slug = next((tab.slug for tab in tabs(opened) if tab.plan == plan), "")
    return {"stage": slug} if slug else {}


@in_worker
def name_of(opened: Opened) -> str:
    """A name for a text that came without one: the tables its plan reads, at most three of them, a subquery's last.

    A program is called as its application is (`appName`), where it says so.
    """
    recognised = opened.facts.recognised
    program = recognised if recognised.endswith(" program") else ""
    application = _APPLICATION.search(opened.text) if program else None
    if application is not None:
        return one_line(application[1], 60)
    plan = first_plan(opened)
    if not plan:
        return "Pasted text"
    tables = tables_of(opened.graph(plan))
    other = "Rule log" if plan.endswith("a") else "Pasted plan"
    return tables or program or (other if opened.facts.is_pasted else recognised)


def tables_of(graph: PlanGraph) -> str:
    """The tables that a plan reads, at most three of them, a subquery's last; "" for none."""
    tables: dict[str, None] = {}
    first = [node for root in graph.roots for node in graph.beneath(root) if node.kind == "scan"]
    scans = {node.id: node for node in (*first, *(n for n in graph if n.kind == "scan"))}
    for scan in islice(scans.values(), 50):
        told = scan.arguments.get("table") or scan.arguments.get("location")
        if told and told != _NO_TABLE and len(tables) < 4:
            tables[scan_names.name_of(scan).partition(", ")[0]] = None
    shown = [one_line(table, 40) for table in list(tables)[:3]]
    return ", ".join(shown) + (" …" if len(tables) > 3 else "")


@in_worker
def truths_of(opened: Opened, plan: str) -> tuple[Truth, ...]:
    """The badges of a plan by its name."""
    return truths(opened.graph(plan))


@in_worker
def kinds(opened: Opened, plan: str) -> frozenset[str]:
    """The kinds of the operators of a plan."""
    return frozenset(node.kind for node in opened.graph(plan))


@in_worker
def is_planned(opened: Opened, plan: str) -> bool:
    """Whether a plan belongs to a query that planviz planned."""
    return execution_of(opened, plan) is not None


def truths(graph: PlanGraph) -> tuple[Truth, ...]:
    """The badges of a plan: final or initial, measured or estimated numbers, cut off or not."""
    found = []
    if graph.stage == "initial":
        found.append(Truth("initial", "plain", meaning("initial")))
    elif graph.title.endswith("· final"):
        found.append(Truth("final", "plain", meaning("final")))
    elif any(node.op == "AdaptiveSparkPlan" and node.arguments.get("final") is False for node in graph):
        found.append(Truth("not final", "plain", meaning("not final")))
    if any(node.metrics for node in graph):
        found.append(Truth("measured", "plain", meaning("measured")))
    elif any(node.estimate for node in graph):
        found.append(Truth("estimated", "estimated", meaning("estimated")))
    cut = sum("truncated" in node.badges for node in graph)
    if cut:
        where = "1 operator" if cut == 1 else f"{cut:,} operators"
        found.append(
            Truth(
                "truncated",
                "warning",
                f"Spark shortened {where} of this text; the two settings beside the paste box switch that off.",
            )
        )
    return tuple(found)


@in_worker
def tables_words(opened: Opened) -> str:
    """Where tables that are in no catalogue come from: made by the text, or guessed; it may read none."""
    if guesses(opened.document):
        return "guessed"
    return "made in the text" if any(s.kind == "ddl" for s in opened.document.statements) else "no tables"


@in_worker
def notes(opened: Opened, plan: str) -> tuple[str, ...]:
    """Sentences about the text as a whole, and what of it was not understood."""
    document = opened.document
    said = list(document.notes)
    own = next((s.index for s in document.statements if plan.isdigit() and int(plan) in s.plans), None)
    if own is not None:
        # Of the other statements of a script only errors are told: their warnings are about other plans.
        whole = notes_of(document.statements)
        said = [*notes_of(document.statements, own), *(note for note in said if note not in whole)]
    said = [one_line(note, 600) for note in said]
    if opened.document.unparsed:
        lines = [line for line, text in opened.document.unparsed if text.strip()]
        if lines:
            shown = ", ".join(f"{line:,}" for line in lines[:5]) + (" …" if len(lines) > 5 else "")
            count = "1 line was" if len(lines) == 1 else f"{len(lines):,} lines were"
            said.append(f"{count} not understood and stayed as text: {shown}.")
    return tuple(said)


def found(opened: Opened, plan: str) -> list[JsonObject]:
    """The findings of a plan as the workbench takes them."""
    if plan.isdigit():
        return [finding_json(finding) for finding in plan_findings(opened.document, int(plan))]
    return [finding_json(finding) for finding in findings(opened.graph(plan), text=opened.text)]


def file_name(name: str, slug: str) -> str:
    """A file's name, without its ending, for a picture of this document: letters, digits and dashes."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in f"{name} {slug}").lower().split()
    return "-".join(words)[:80].strip("-") or "plan"


@in_worker
def workbench(opened: Opened, plan: str, node: int | None) -> bytes:
    """What the workbench draws of one plan, with `node` (an id) selected at first: the same bytes for the same picture.

    Large plans leave their details, findings and text to `details_url` (planviz/ui/routes.py): what is not seen at once
    need not arrive at once.
    """
    made = opened.made.get(("workbench", plan, node))
    if made is not None:
        return made  # type: ignore[no-any-return]
    graph = opened.graph(plan)
    scene = build_scene(graph).to_json()
    opened.made["size", plan] = scene["size"]
    ids = scene["nodes"]["id"]
    data = workbench_data(
        scene,
        f"{opened.key}/{plan}",
        text=None if len(graph) > MANY else opened.text_of(plan),
        written=opened.written,
        findings=() if len(graph) > MANY else found(opened, plan),
        selected=ids.index(node) if node in ids else None,
        details_url=f"/plan/{opened.key}/{plan}/details.json",
        why_url=f"/plan/{opened.key}/{plan}/why",
    )
    # One picture of each plan is enough: another starting node comes only with another address.
    for old in [name for name in opened.made if name[:2] == ("workbench", plan)]:
        del opened.made[old]
    opened.made["workbench", plan, node] = data
    return data


@in_worker
def too_large(opened: Opened, plan: str, format: str) -> str | None:
    """Why a plan cannot be exported in this format, before anybody tries, or None."""
    width, height = opened.made.get(("size", plan), (0, 0))
    refused = {
        "png": max(width, height) > MOST_SIDE or width * height > MOST_PIXELS,
        "pdf": max(width, height) > PDF_SIDE,
    }
    if not refused.get(format):
        return None
    return f"Too large: {width:,.0f} × {height:,.0f} pixels. SVG and HTML have no such limit."


def execution_of(opened: Opened, plan: str) -> QueryExecution | None:
    """The query that a plan of an SQL text belongs to; None for a plan of a pasted text."""
    statements = opened.document.statements if plan.isdigit() else ()
    return next((s.execution for s in statements if int(plan) in s.plans), None)


@in_worker
def exported(opened: Opened, plan: str, format: str, theme: str, name: str) -> bytes:
    """A plan as a file of one of `planviz.render.FORMATS`, "md", a Markdown snippet, or, of SQL, "txt".

    That is what Spark's explain prints: formatted for a physical plan, with estimates for an optimized one, else all
    stages. Raises ExportError.
    """
    graph = opened.graph(plan)
    execution = execution_of(opened, plan)
    if format == "txt" and execution is not None:
        mode = {"physical": "formatted", "optimized": "cost"}.get(graph.stage, "extended")
        return execution.explain_string(mode).encode("utf-8", "replace")
    title = f"{name}: {graph.title}" if graph.title else name
    if format != "md":
        return render(graph, format, theme=theme, title=title)
    fence = "`" * 3
    if len(graph) <= MERMAID_NODES:
        body = f"{fence}mermaid\n{render(graph, 'mmd', theme=theme, title=title).decode()}{fence}\n"
    else:
        shown = [f"{'  ' * node.depth}{one_line(node.text, 160).replace(fence, chr(39) * 3)}" for node in graph.walk()]
        body = f"{fence}text\n{chr(10).join(shown)}\n{fence}\n"
    return f"{body}\n{len(graph):,} operators, drawn by planviz.\n".encode("utf-8", "replace")
