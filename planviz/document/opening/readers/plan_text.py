"""Plan texts: explain in any mode, rule logs, whatever prints operators as a tree."""

from __future__ import annotations

import re

from planviz.document.model import Document
from planviz.document.opening.readers.pasted import Pasted
from planviz.document.opening.readers.sql import begins_with_a_statement
from planviz.document.opening.refusals import is_of_another_engine
from planviz.plantext import scanner
from planviz.plantext.origin import engines_of
from planviz.plantext.stated import with_stated
from planviz.plantext.versions import printed_by


def read(pasted: Pasted) -> Document | None:
    """The document of plans and rule logs, or of what Spark says in their place; None for any other text."""
    text, scanned = pasted.text, pasted.scanned
    if pasted.may_be_other_than_a_plan and is_of_another_engine(text):
        return None
    if not scanned.plans and not scanned.trace:
        empty = _spark_without_plan(text)
        if empty is None:
            return None
        recognised, note = empty
        return Document(text, recognised, (), (), scanned.trace, (), (note,), bytes(scanned.owners))
    unparsed = _unparsed(pasted)
    recognised, reasons = _recognised(scanned)
    engines = engines_of(scanned.plans)
    gluten = any(name.startswith("Gluten") for name in engines)
    printed = printed_by(scanned.plans, pasted.owned(scanner.DETAIL), stages=not gluten)
    printed = with_stated(printed, pasted.owned(scanner.UNPARSED, scanner.HEADING))
    return Document(
        text,
        recognised,
        reasons,
        tuple(scanned.plans),
        scanned.trace,
        unparsed,
        _notes(pasted, bool(unparsed)),
        bytes(scanned.owners),
        origin=(*engines, *filter(None, [printed.words])),
        printed=printed,
    )


def _unparsed(pasted: Pasted) -> tuple[tuple[int, str], ...]:
    """The lines of the text that nothing was read from, with their numbers."""
    raw, lines = pasted.text.split("\n"), pasted.lines
    owners = list(enumerate(pasted.scanned.owners))
    read = {lines.number[at] for at, owner in owners if owner not in (scanner.UNPARSED, scanner.BLANK)}
    left = dict.fromkeys(
        lines.number[at]
        for at, owner in owners
        # What closes a string of which the rest was read is nothing to understand.
        if owner == scanner.UNPARSED and (lines.number[at] not in read or any(map(str.isalnum, lines.text[at])))
    )
    return tuple((number, raw[number - 1].rstrip("\r")) for number in left)


def _notes(pasted: Pasted, unparsed: bool) -> tuple[str, ...]:
    notes = list(pasted.scanned.notes)
    if unparsed and begins_with_a_statement(_before_plans(pasted)):
        notes.append("The text begins with SQL and holds a plan; the plan is shown. Paste the SQL alone to plan it.")
    if pasted.had_lost_its_lines:
        notes.insert(
            0,
            "The text had lost its line breaks; they were put back where operators begin. "
            "Paste the original to be sure.",
        )
    if pasted.lines.stripped:
        notes.append(f"Taken off before reading: {', '.join(pasted.lines.stripped)}.")
    return tuple(notes)


def _before_plans(pasted: Pasted) -> str:
    """The text above the first plan."""
    first = min((n.source[0] for plan in pasted.scanned.plans for n in plan if n.source is not None), default=1)
    return "\n".join(pasted.text.split("\n", first)[: first - 1])


def _recognised(scanned: scanner.Scanned) -> tuple[str, tuple[str, ...]]:
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
    elif {"physical", "initial"} & features:
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
