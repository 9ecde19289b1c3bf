"""What an opened input is: plans, traces, statements, and what was said of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from planviz.errors import InputError, PlanvizError
from planviz.graph import PlanGraph
from planviz.graph.planned import PART
from planviz.graph.trace import RuleTrace
from planviz.plantext.versions import NEWEST, OLDEST, PrintedBy, minor_words

if TYPE_CHECKING:
    from planviz.execution import QueryExecution
    from planviz.replay.result import Replay

_RANKS = {"parsed": 0, "analyzed": 1, "optimized": 2, "sparkPlan": 3, "physical": 4}

StatementKind = Literal["query", "ddl", "unsupported"]


@dataclass(frozen=True)
class SqlStatement:
    """One statement of an SQL text.

    `index` counts from 0, `line` is where it begins. `plans` are the indices of its plans in the document, of a query
    that failed those of the stages that were reached; `trace` holds the steps so far, `error` what stopped it, or None.
    `execution` is the query behind it (None for a definition).

    Of a pasted explain that was replayed, `sql` is empty, `replay` tells how, and `agrees` which decisions came out as
    Spark printed them: "joins", "aggregates".
    """

    index: int
    kind: StatementKind
    sql: str
    line: int
    plans: tuple[int, ...] = ()
    trace: RuleTrace = field(default_factory=RuleTrace, repr=False)
    error: PlanvizError | None = None
    execution: QueryExecution | None = field(default=None, repr=False)
    replay: Replay | None = field(default=None, repr=False)
    agrees: frozenset[str] = frozenset()

    def text(self, stage: str) -> str | None:
        """A stage as Spark's extended explain prints it, without heading; None when it was not reached."""
        plan = None if self.execution is None else self.execution.stages.get(stage)
        return None if plan is None else plan.tree_string


#: Line and column, from 1, of the clause or call that made an operator; None where nobody knows.
PlaceOf = Callable[[object], tuple[int, int] | None]


@dataclass(frozen=True)
class Document:
    """An opened input.

    `text` is the input, unchanged. `recognised` names what it is in a few words, `reasons` say why. `plans` stand in
    the order of the text. `trace` holds the steps of a rule log. `unparsed` lists `(line, text)` that was not
    understood and stays visible. `notes` are sentences about the whole input (cut off, unsure, stripped). `owners` has
    a byte for every clean line: what it is (`plantext.scanner`). `origin` names the engine and the versions of
    Spark that print so, as far as a text tells; `printed` has those versions with the evidence.

    Of an SQL text, `statements` holds every statement, `trace` is that of the last query with steps, and `error` is
    the first error of a statement; what was reached before it stands in `plans` and `trace`. `place_of` tells the line
    and column, from 1, of the clause or call that made an operator of a statement's plans, None where nobody knows;
    they count in `written`, which is the text, or of a notebook the code of its cells.
    """

    text: str
    recognised: str
    reasons: tuple[str, ...]
    plans: tuple[PlanGraph, ...]
    trace: RuleTrace
    unparsed: tuple[tuple[int, str], ...] = ()
    notes: tuple[str, ...] = ()
    owners: bytes = field(default=b"", repr=False)
    statements: tuple[SqlStatement, ...] = ()
    error: PlanvizError | None = None
    origin: tuple[str, ...] = ()
    printed: PrintedBy = field(default_factory=PrintedBy)
    place_of: PlaceOf | None = field(default=None, repr=False, compare=False)
    code: str | None = field(default=None, repr=False)

    @property
    def written(self) -> str:
        """The SQL or program that places count in."""
        return self.text if self.code is None else self.code

    @property
    def plan(self) -> PlanGraph:
        """The plan that the app opens: the last stage of the first query, else the last physical plan, else the last.

        Raises InputError where there is none, as for definitions alone.
        """
        first = next((s.plans for s in self.statements if s.plans and s.error is None), ())
        if first:
            return self.plans[first[-1]]
        physical = [plan for plan in self.plans if plan.stage == "physical"]
        if not self.plans:
            raise InputError("There is no plan in this text: it holds definitions or commands alone.")
        return (physical or self.plans)[-1]

    @property
    def is_pasted(self) -> bool:
        """Whether its plans are those of a text, and not planned here."""
        return all(s.replay is not None for s in self.statements)

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
            if not plan.title.startswith(PART):  # any stage can have one
                reached = max(reached, rank) if goes_on else rank
        return tuple(map(tuple, groups))

    def alone(self, group: int) -> Document:
        """One of the queries of `groups`, from 0, as a document: its plans, its statement, its trace.

        Text, notes and origin stay those of the whole, an error is that of the query or of no query (a program's). A
        rule log beside pasted plans stays, as nobody knows whose it is. Raises IndexError where there is no such query.
        """
        place = {old: new for new, old in enumerate(self.groups[group])}
        owners = [s for s in self.statements if place.keys() & {*s.plans}]
        statements = [
            replace(s, index=at, plans=tuple([place[plan] for plan in s.plans if plan in place]))
            for at, s in enumerate(owners)
        ]
        traces = [s.trace for s in statements if s.trace]
        logged = not any(s.trace for s in self.statements)
        errors = [s.error for s in statements if s.error is not None]
        apart = self.error is not None and all(s.error is not self.error for s in self.statements)
        return replace(
            self,
            plans=tuple([self.plans[at] for at in place]),
            statements=tuple(statements),
            trace=traces[-1] if traces else self.trace if logged else RuleTrace(),
            error=errors[0] if errors else self.error if apart else None,
        )


def printed_json(printed: PrintedBy) -> dict[str, object]:
    """The versions that may have printed a text as JSON values; `first` and `last` are null where unbounded."""
    return {
        "version": printed.stated or printed.words,
        "vendor": printed.vendor,
        "first": None if printed.first == OLDEST else minor_words(printed.first),
        "last": None if printed.last == NEWEST else minor_words(printed.last),
        "confidence": printed.confidence,
        "evidence": [{"line": e.line, "words": e.words, "versions": e.versions} for e in printed.evidence],
    }


def document_json(document: Document) -> dict[str, object]:
    """A document as JSON values, in the form that docs/architecture.md gives for `planviz parse --format json`."""
    from planviz.render.json_export import plan_json

    return {
        "recognised": document.recognised,
        "origin": list(document.origin),
        "spark": printed_json(document.printed),
        "plans": [plan_json(plan) for plan in document.plans],
        "trace": [
            {"batch": step.batch, "rule": step.rule, "before": step.before, "after": step.after}
            for step in document.trace.steps
        ],
        "unparsed": [list(entry) for entry in document.unparsed],
        "notes": list(document.notes),
    }
