"""The one door: opens any input, says what it recognised, and gives plans and traces (inventory G-002, G-009)."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from planviz.errors import InputTooLarge, NotAPlan
from planviz.graph import PlanGraph
from planviz.graph.trace import RuleTrace
from planviz.plantext import scanner
from planviz.plantext.collapsed import restore_indentation, restore_lines
from planviz.plantext.json_plans import looks_like_json, read_json
from planviz.plantext.lines import Lines, clean

#: Characters that the paste box takes; a file given to the command line may be of any size.
PASTE_LIMIT = 50_000_000

_RANKS = {"parsed": 0, "analyzed": 1, "optimized": 2, "physical": 3}
_SQL = re.compile(
    r"^\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|UPDATE|DELETE|FROM|VALUES)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Document:
    """An opened input.

    `text` is the input, unchanged. `recognised` names what it is in a few words, `reasons` say why. `plans` stand in
    the order of the text. `trace` holds the steps of a rule log. `unparsed` lists `(line, text)` that was not
    understood and stays visible. `notes` are sentences about the whole input (cut off, unsure, stripped). `owners` has
    a byte for every clean line: what it is (`plantext.scanner`).
    """

    text: str
    recognised: str
    reasons: tuple[str, ...]
    plans: tuple[PlanGraph, ...]
    trace: RuleTrace
    unparsed: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()
    owners: bytes = field(default=b"", repr=False)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the plans that belong together: one group for each query whose plans the text holds.

        The stages of one `explain` follow each other; a stage that came before opens the next group. Adaptive initial
        plans and codegen subtrees stay with the plan before them.
        """
        groups: list[list[int]] = []
        reached = -1
        for index, plan in enumerate(self.plans):
            rank = _RANKS.get(plan.stage, len(_RANKS))
            subtree = re.match(r"Codegen subtree (\d+) ", plan.title)
            goes_on = plan.stage == "initial" or (subtree is not None and subtree.group(1) != "1")
            if not groups or not (goes_on or rank > reached):
                groups.append([])
            groups[-1].append(index)
            reached = max(reached, rank) if goes_on else rank
        return tuple(map(tuple, groups))


def open_text(text: str, *, limit: int | None = None) -> Document:
    """Open pasted text: an explain text of any mode, a rule log, a JSON plan, an event log.

    `limit` is the most characters taken (None: any number). Raises `InputTooLarge` above it and `NotAPlan` when nothing
    was recognised.
    """
    if limit is not None and len(text) > limit:
        raise InputTooLarge(
            f"This text has {len(text) / 1e6:,.0f} million characters; the box takes up to {limit / 1e6:,.0f} million. "
            "Paste the plan alone or one execution of the log, or open the file with `planviz parse FILE`."
        )
    with _collector_at_rest():
        return _open(text)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    # Everything built here stays; the cyclic collector would only walk the growing plan again and again, which at a
    # million operators doubles the time.
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _open(text: str) -> Document:
    if looks_like_json(text):
        found = read_json(text)
        if found is not None:
            plans, recognised, reasons, remarks, unread = found
            return Document(text, recognised, reasons, tuple(plans), RuleTrace(), unread, remarks)
    lines = clean(text)
    restored = restore_lines(lines)
    lines = restored or restore_indentation(lines) or lines
    scanned = scanner.scan(lines)
    if not scanned.plans and not scanned.trace:
        empty = _spark_without_plan(text)
        if empty is None:
            raise _not_a_plan(text, lines)
        recognised, note = empty
        return Document(text, recognised, (), (), scanned.trace, (), (note,), bytes(scanned.owners))
    raw = text.split("\n")
    left = dict.fromkeys(lines.number[at] for at, owner in enumerate(scanned.owners) if owner == scanner.UNPARSED)
    unparsed = tuple((number, raw[number - 1].rstrip("\r")) for number in left)
    notes = list(scanned.notes)
    if restored is not None:
        notes.insert(
            0,
            "The text had lost its line breaks; they were put back where operators begin. "
            "Paste the original to be sure.",
        )
    if lines.stripped:
        notes.append(f"Taken off before reading: {', '.join(lines.stripped)}.")
    recognised, reasons = _recognised(scanned, lines)
    return Document(
        text, recognised, reasons, tuple(scanned.plans), scanned.trace, unparsed, tuple(notes), bytes(scanned.owners)
    )


def _recognised(scanned: scanner.Scanned, lines: Lines) -> tuple[str, tuple[str, ...]]:
    features = scanned.features
    names: list[str] = []
    reasons: list[str] = []
    if "formatted" in features:
        names.append("explain formatted")
        reasons.append("operators are numbered and described in blocks")
    elif "codegen" in features:
        names.append("explain codegen")
        reasons.append("codegen subtrees")
    elif any(node.estimate for plan in scanned.plans if plan.stage == "optimized" for node in plan.walk()):
        names.append("explain cost")
        reasons.append("operators carry Statistics(...)")
    elif {"parsed", "analyzed", "optimized"} & features:
        names.append("explain extended")
        reasons.append("logical and physical plans under their headings")
    elif "physical" in features:
        names.append("explain")
        reasons.append("a physical plan under its heading")
    elif "tree" in features:
        names.append("plan tree")
        reasons.append("indented operators without a heading")
    if "adaptive" in features:
        names.append("adaptive")
        reasons.append("AdaptiveSparkPlan with its final or current plan")
    if "rule log" in features:
        names.append("rule log")
        reasons.append(f"{len(scanned.trace.steps)} effective rules logged")
    return " · ".join(names), tuple(reasons)


def _spark_without_plan(text: str) -> tuple[str, str] | None:
    """What Spark says in place of a plan: the name of the case and what to do; None for any other text."""
    start = text.lstrip()
    if re.match(r"Found 0 WholeStageCodegen subtrees", start):
        return (
            "explain codegen · empty",
            "Spark found no codegen subtree. With adaptive execution a plan has none before it ran: "
            'set spark.sql.adaptive.enabled=false, or paste df.explain("formatted").',
        )
    if start.startswith("Error occurred during query planning"):
        return (
            "Spark error · no plan",
            "Spark could not plan the query, so there is no plan in this text; the error stands in it.",
        )
    return None


def _not_a_plan(text: str, lines: Lines) -> NotAPlan:
    if not text.strip():
        return NotAPlan(
            'There is no text yet. Paste what df.explain("formatted") printed, or a rule log, or a plan\'s JSON.'
        )
    if _SQL.match(text):
        return NotAPlan(
            "This is a SQL statement, not a plan. Run EXPLAIN FORMATTED on it in Spark and paste what that prints.",
            line=1,
        )
    at = next((index for index, line in enumerate(lines.text) if line.strip()), 0)
    shown = lines.text[at].strip()[:60]
    return NotAPlan(
        f"No Spark plan was found. Expected a heading such as “== Physical Plan ==”, lines that begin with “+- ” or "
        "“:- ”, "
        f"a rule log (“=== Applying Rule”), or a plan as JSON; line {lines.number[at]} is “{shown}”. "
        'df.explain("formatted") prints the best text to paste.',
        line=lines.number[at],
        column=1,
    )


def document_json(document: Document) -> dict[str, object]:
    """A document as JSON values, in the form that docs/architecture.md gives for `planviz parse --format json`."""
    from planviz.render.json_export import plan_json

    return {
        "recognised": document.recognised,
        "plans": [plan_json(plan) for plan in document.plans],
        "trace": [
            {"batch": step.batch, "rule": step.rule, "before": step.before, "after": step.after}
            for step in document.trace.steps
        ],
        "unparsed": [list(entry) for entry in document.unparsed],
        "notes": list(document.notes),
    }
