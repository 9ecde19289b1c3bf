"""`planviz why`: why the planner chose each join and each aggregate, and what would change it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of, statement_heading, statement_json
from planviz.cli.settings import NOT_REPLAYED, config_of, open_input
from planviz.decisions.choices import Decision
from planviz.document import Document, SqlStatement
from planviz.document.alternatives.aggregate_flips import what_ifs
from planviz.document.alternatives.flips import with_flips
from planviz.document.alternatives.what_if import decided_if
from planviz.document.alternatives.what_if_text import from_text
from planviz.document.cardinality.estimates import estimate_json, estimates_of, estimates_text
from planviz.document.comparison.replays import report_json, report_text
from planviz.document.decisions.aggregates import REPLACE, AggregateReport, aggregates, stage_words
from planviz.document.decisions.measured import measured_words
from planviz.document.decisions.model import Decided
from planviz.document.decisions.queries import (
    answer,
    decided,
    decision_json,
    line_of,
    outcome,
    plain,
    ran_words,
    seen,
    subject,
    title,
)
from planviz.errors import InputError, PlanvizError

_ENDINGS = {"text": "txt", "json": "json", "svg": "svg"}
_NOUNS = {"JoinSelection": "Join", "Aggregation": "Aggregate"}


def why(options: argparse.Namespace) -> int:
    """Print the decisions on each file's queries, or on its pasted plans."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_input(read_text(name), options, "physical")
        if options.estimates:
            return _estimates(document, name, options.format), errors_of(document)
        found = decided(document, config_of(options))
        if options.what:
            found = decided_if(found, from_text(options.what))
        if options.format == "svg":
            return _svg(found, options.join or 1, options.theme), errors_of(document)
        if options.join is not None:
            found = _one(found, options.join)
        if options.flips:
            # Of one join all are tried; of all of them as many as some seconds allow.
            found = tuple([with_flips(f) if options.join is None else with_flips(f, None) for f in found])
        shown = (
            _json(document, found, name)
            if options.format == "json"
            else _text(document, found, options.flips, options.join)
        )
        return shown, errors_of(document) if document.statements else []

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _estimates(document: Document, name: str, format: str) -> str:
    """The estimates of a file's queries."""
    if document.is_pasted and not document.statements:
        raise InputError(NOT_REPLAYED)
    planned = [s for s in document.statements if s.execution is not None and s.error is None]
    found = [(s, estimates_of(s.execution)) for s in planned if s.execution is not None]
    if format == "json":
        told = [{**statement_json(s), "estimates": [estimate_json(r) for r in records]} for s, records in found]
        return json.dumps({"file": name, "queries": told}, ensure_ascii=True, indent=1) + "\n"
    heads = [statement_heading(s) if len(found) > 1 else "" for s, _ in found]
    heads = [h + (report_text(s, "optimized") if s.replay else "") for h, (s, _) in zip(heads, found, strict=True)]
    return "\n".join(head + estimates_text(records) for head, (_, records) in zip(heads, found, strict=True))


def _svg(found: Sequence[Decided], number: int, theme: str) -> str:
    """The decision tree of the join of a number, from 1 over all queries. Raises InputError when there is none."""
    from planviz.document.decisions.charts import draw_join
    from planviz.render.svg import svg

    (query,) = _one(found, number)
    return svg(draw_join(query.decisions[0], query.profile, theme=theme))


def _one(found: Sequence[Decided], number: int) -> tuple[Decided]:
    """The query with nothing but the join of a number. Raises InputError when there is none."""
    joins = [(query, decision) for query in found for decision in query.of("JoinSelection")]
    if not 1 <= number <= len(joins):
        raise InputError(f"There is no join {number}: there are {len(joins)}.")
    query, decision = joins[number - 1]
    return (replace(query, decisions=(decision,)),)


def _json(document: Document, found: Sequence[Decided], name: str) -> str:
    entries: list[dict[str, object]] = []
    for query in found:
        statement = {} if query.statement is None else _statement_json(document.statements[query.statement])
        place = {} if query.plan is None else {"plan": query.plan}
        entries.append({**statement, **place, "decisions": [decision_json(d) for d in query.decisions]})
    return json.dumps({"file": name, "queries": entries}, ensure_ascii=True, indent=1) + "\n"


def _statement_json(statement: SqlStatement) -> dict[str, object]:
    replay = {} if statement.replay is None else {"replay": report_json(statement)}
    return {**statement_json(statement), **replay}


def _text(document: Document, found: Sequence[Decided], flips: bool, only: int | None) -> str:
    """The decisions in words; `only` is the number of the join over all queries where there is one alone."""
    parts = []
    # An initial plan beside the one that ran: what was planned is told there.
    found = [f for f in found if f.decisions or f.plan is None or document.plans[f.plan].stage != "initial"] or found
    joins = 0 if only is None else only - 1
    executed = {id(r.decisions[-1].subject): r for r in aggregates(document) if r.decisions}
    for query in found:
        if len(found) > 1:
            parts.append(_heading(document, query))
        if query.statement is not None and document.statements[query.statement].replay is not None:
            parts.append(report_text(document.statements[query.statement], "joins"))
        counts = {**dict.fromkeys(_NOUNS, 0), "JoinSelection": 0 if only is None else only - 1}
        for d in query.decisions:
            counts[d.strategy] = counts.get(d.strategy, 0) + 1
            joins += d.strategy == "JoinSelection"
            measured = measured_words(document, query, d)
            told = _decision(document, d, counts[d.strategy]) + (f"    {measured}\n" if measured else "")
            parts.append(told + _untried(d, joins) + _stages(d, executed.get(id(d.subject)), flips))
        if not query.decisions and not _read_from_text(document, query, found):
            parts.append("No join and no aggregate.\n")
    return "\n".join(parts)


def _read_from_text(document: Document, query: Decided, found: Sequence[Decided]) -> bool:
    """Whether what a replayed query decided is told of its plans, since it did not come out as the text has it."""
    if query.statement is None or (statement := document.statements[query.statement]).replay is None:
        return False
    return any(other.decisions for other in found if other.plan in statement.plans)


def _heading(document: Document, query: Decided) -> str:
    if query.statement is None:
        return f"Plan {(query.plan or 0) + 1}\n"
    if document.statements[query.statement].replay is not None:
        return f"Query {query.statement + 1}, plans from line {document.statements[query.statement].line}\n"
    heading = statement_heading(document.statements[query.statement])
    return f"{heading.rstrip()}: what fills its cache\n" if query.fills_cache else heading


def _decision(document: Document, d: Decision, number: int) -> str:
    """One decision: the question's answers with what they saw, outcome, what was rejected, flips."""
    line = line_of(document, d)
    place = f" (line {line})" if line else ""
    lines = [f"{_NOUNS.get(d.strategy, d.strategy)} {number}{place}: {subject(d)}"]
    lines.append(f"  {outcome(d)}{_because(d)}")
    # The tests of the join tree have names of their own that nobody needs; a stage of an aggregate is told by its name.
    names = ["" if d.strategy == "JoinSelection" else f"{c.node}  " for c in d.checks]
    name, wide = max(map(len, names), default=0), max((len(title(c)) for c in d.checks), default=0)
    lines += [
        f"    {answer(c):<7} {n:<{name}}{title(c):<{wide}}  {seen(c)}".rstrip()
        for c, n in zip(d.checks, names, strict=True)
    ]
    lines += [f"    not {r.operator}: {plain(r.reason)}" for r in d.rejected if r.node or d.strategy != "JoinSelection"]
    for f in d.flips:
        lines.append(f"    {'unsafe flip' if f.unsafe else 'flip'}: {f.words} -> {f.promise}")
        lines += [f"      {f.cost}"] if f.cost else []
    return "\n".join(lines) + "\n"


def _untried(d: Decision, join: int) -> str:
    """That changes were not tried, and how to have them tried; `join` is its number over all queries."""
    if not d.untried:
        return ""
    more = f"{d.untried} more changes" if d.untried > 1 else "1 more change"
    ask = f": --join {join} tries them" if d.strategy == "JoinSelection" else ""
    return f"    {more} might flip it and were not tried, for the query has many{ask}\n"


def _stages(d: Decision, executed: AggregateReport | None, flips: bool) -> str:
    """The stages of an aggregate as they run, and what became of those that were planned."""
    if executed is not None:
        lines = [*stage_words(executed), *executed.notes]
        # The other setting flips what the strategy decided and stands there.
        changed = [w for w in what_ifs(executed) if w.key == REPLACE] if flips else []
        lines += [f"flip: set {w.key} to {str(w.value).lower()} -> {w.operators[-1]}" for w in changed]
    else:
        # Of a pasted plan the decision has them in words; those of an upper aggregate stand with the lower one.
        lines = [s for s in d.value("stages") or () if isinstance(s, str)]
    return "".join(f"    {line}\n" for line in lines)


def _because(d: Decision) -> str:
    said = "; ".join(filter(None, (str(d.value("because") or ""), ran_words(d))))
    return f" ({said})" if said else ""
