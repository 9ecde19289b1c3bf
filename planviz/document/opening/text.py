"""Plan texts, rule logs, JSON plans and event logs opened; SQL is recognised and handed on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planviz.document.model import Document
from planviz.document.opening.embedded_sql import embedded_sql
from planviz.document.opening.refusals import misspelt_statement, what_it_is
from planviz.errors import InputTooLarge, NotAPlan, ParseError
from planviz.graph import is_known
from planviz.graph.trace import RuleTrace
from planviz.plantext import scanner
from planviz.plantext.captures import looks_like_capture, read_capture
from planviz.plantext.collapsed import restore_indentation, restore_lines
from planviz.plantext.indentation import marks_for_indentation
from planviz.plantext.json_plans import looks_like_json, read_json
from planviz.plantext.lines import Lines, clean
from planviz.plantext.origin import engines_of
from planviz.plantext.stated import stated, with_stated
from planviz.plantext.versions import PrintedBy, printed_by
from planviz.trees.collector import collector_at_rest

if TYPE_CHECKING:
    from planviz.catalog.tables import Catalog
    from planviz.config import OptimizerConfig

#: Characters that the paste box takes; a file given to the command line may be of any size.
PASTE_LIMIT = 50_000_000

_SQL = re.compile(
    r"^\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*"
    r"((SELECT|WITH|EXPLAIN|INSERT|CREATE|MERGE|UPDATE|DELETE|FROM|VALUES|SET|DROP|ANALYZE|\(\s*SELECT)\b"
    r"|(TABLE|CACHE|UNCACHE|DECLARE|BEGIN|USE|SHOW|DESC|DESCRIBE|ALTER|TRUNCATE|REFRESH)\s+[\w`])",
    re.IGNORECASE | re.DOTALL,
)


#: What every program has that is worth reading as one.
_PROGRAM = re.compile(
    r"pyspark|\b(?:spark|sqlContext|sc|session)\s*\.|\.(?:select|filter|where|groupBy|withColumn|join)\("
)


def open_text(
    text: str, *, limit: int | None = None, catalog: Catalog | None = None, config: OptimizerConfig | None = None
) -> Document:
    """Open pasted text: an explain text of any mode, a rule log, a JSON plan, an event log, SQL.

    `limit` is the most characters taken (None: any number); `catalog` and `config` are what SQL is planned with. Raises
    `InputTooLarge` above the limit, `NotAPlan` when nothing was recognised, `ParseError` for SQL that cannot be read.
    """
    if limit is not None and len(text) > limit:
        raise InputTooLarge(
            f"This text has {len(text) / 1e6:,.0f} million characters; the box takes up to {limit / 1e6:,.0f} million. "
            "Paste the plan alone or one execution of the log, or open the file with `planviz parse FILE`."
        )
    with collector_at_rest():
        return _open(text, catalog, config)


def looks_like_sql(text: str) -> bool:
    """Whether a text begins as statements do or holds SQL in a cell or a program; a plan's text may, too, by chance."""
    return _SQL.match(embedded_sql(text)[0]) is not None


def _open(text: str, catalog: Catalog | None, config: OptimizerConfig | None) -> Document:
    if looks_like_capture(text):
        plans, trace, reasons, remarks, version = read_capture(text)
        printed = stated(printed_by(plans), version, f"captured from Spark {version}")
        return Document(text, "Spark capture", reasons, tuple(plans), trace, (), remarks, printed=printed)
    if looks_like_json(text):
        notebook = _open_program(text, catalog, config) if '"cells"' in text else None
        if notebook is not None:
            return notebook
        found = read_json(text)
        if found is not None:
            plans, recognised, reasons, remarks, unread = found
            first = enumerate(text[:200_000].split("\n"), 1)
            printed = with_stated(PrintedBy(), first)
            told = (printed.words,) if printed.words else ()
            return Document(
                text, recognised, reasons, tuple(plans), RuleTrace(), unread, remarks, origin=told, printed=printed
            )
    lines = clean(text)
    restored = restore_lines(lines)
    lines = restored or restore_indentation(lines) or lines
    lines = marks_for_indentation(lines) or lines
    scanned = scanner.scan(lines)
    if not scanned.plans and not scanned.trace and scanned.features <= {"tree"}:
        program = _open_program(text, catalog, config)
        if program is not None:
            return program
    # A line of SQL may look like an operator without marks; headings, logs and trees prove that it is none.
    if looks_like_sql(text) and scanned.features <= {"tree"} and not scanned.trace and not _holds_tree(scanned):
        try:
            return _open_sql(text, catalog, config)
        except ParseError:
            if not scanned.plans:
                raise
    if not scanned.plans and not scanned.trace:
        empty = _spark_without_plan(text)
        if empty is None:
            raise misspelt_statement(text) or _not_a_plan(text, lines)
        recognised, note = empty
        return Document(text, recognised, (), (), scanned.trace, (), (note,), bytes(scanned.owners))
    raw = text.split("\n")
    left = dict.fromkeys(lines.number[at] for at, owner in enumerate(scanned.owners) if owner == scanner.UNPARSED)
    unparsed = tuple((number, raw[number - 1].rstrip("\r")) for number in left)
    notes = list(scanned.notes)
    if unparsed and _SQL.match(text):
        notes.append("The text begins with SQL and holds a plan; the plan is shown. Paste the SQL alone to plan it.")
    if restored is not None:
        notes.insert(
            0,
            "The text had lost its line breaks; they were put back where operators begin. "
            "Paste the original to be sure.",
        )
    if lines.stripped:
        notes.append(f"Taken off before reading: {', '.join(lines.stripped)}.")
    recognised, reasons = _recognised(scanned, lines)
    engines = engines_of(scanned.plans)
    gluten = any(name.startswith("Gluten") for name in engines)
    printed = printed_by(scanned.plans, _owned(scanned, lines, (scanner.DETAIL,)), stages=not gluten)
    printed = with_stated(printed, _owned(scanned, lines, (scanner.UNPARSED, scanner.HEADING)))
    return Document(
        text,
        recognised,
        reasons,
        tuple(scanned.plans),
        scanned.trace,
        unparsed,
        tuple(notes),
        bytes(scanned.owners),
        origin=(*engines, *filter(None, [printed.words])),
        printed=printed,
    )


def _owned(scanned: scanner.Scanned, lines: Lines, owners: tuple[int, ...]) -> Iterator[tuple[int, str]]:
    """The clean lines that are of these kinds, with their numbers in the text."""
    return ((lines.number[at], lines.text[at]) for at, owner in enumerate(scanned.owners) if owner in owners)


def _holds_tree(scanned: scanner.Scanned) -> bool:
    return any(len(plan) > 1 and sum(is_known(node.op) for node in plan) > 0.6 * len(plan) for plan in scanned.plans)


def _open_sql(text: str, catalog: Catalog | None, config: OptimizerConfig | None) -> Document:
    # Plan texts must open without the whole optimizer being loaded.
    from planviz.document.opening.sql import open_sql

    return open_sql(text, catalog, config)


def _open_program(text: str, catalog: Catalog | None, config: OptimizerConfig | None) -> Document | None:
    if not _PROGRAM.search(text):
        return None
    from planviz.document.opening.programs import open_program

    return open_program(text, catalog, config)


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
    at = next((index for index, line in enumerate(lines.text) if line.strip()), 0)
    shown = lines.text[at].strip()[:60]
    known = what_it_is(text)
    if known is not None:
        return NotAPlan(f"No Spark plan was found. {known}", line=lines.number[at], column=1)
    return NotAPlan(
        f"No Spark plan was found. Expected a heading such as “== Physical Plan ==”, lines that begin with “+- ” or "
        "“:- ”, "
        f"a rule log (“=== Applying Rule”), or a plan as JSON; line {lines.number[at]} is “{shown}”. "
        'df.explain("formatted") prints the best text to paste.',
        line=lines.number[at],
        column=1,
    )
