"""What would change a join, and what a what-if did to the whole plan."""

from __future__ import annotations

from collections import Counter

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Flip, SettingChange, StatisticsChange, TextChange
from planviz.document.alternatives.hints import HINTS as HINT_NAMES
from planviz.document.alternatives.join_flips import join_candidates
from planviz.document.alternatives.relation_names import named_relation
from planviz.document.alternatives.what_if import ASKABLE, WhatIf
from planviz.document.alternatives.what_if_text import as_json, to_text
from planviz.document.decisions.queries import outcome
from planviz.document.rows.joins import join_play
from planviz.document.rules.traces import plan_graph
from planviz.execution import QueryExecution
from planviz.graph import PlanGraph
from planviz.graph.diff import PlanDiff, diff
from planviz.graph.from_tree import Identities
from planviz.graph.trace import RuleStep, RuleTrace, TracedPlan
from planviz.graph.words import spaced
from planviz.jsontypes import JsonObject
from planviz.mechanics import CannotPlay
from planviz.render.step_drawing import draw_step
from planviz.render.steps import trace_data
from planviz.render.svg import svg
from planviz.ui.join_queries import numbered, queries_of
from planviz.ui.opened import Opened

_MOST_CHANGES = 12
_MOST_CANDIDATES = 10


def flip(opened: Opened, asked: WhatIf, join: int, at: int) -> dict[str, object]:
    """The candidate of this number (from 0, the nearest first) to flip a join as if `asked`.

    `flip` is None or tells `short` and `words`, the `outcome`, and what to ask for to get it: it was planned with all
    that was asked for, and gives what it says. `more` tells whether there is another candidate. One at a time, so that
    whoever waits for something else waits for one planning only.
    """
    query, decision = numbered(opened, asked, join)
    candidates = _candidates(opened, asked, join, query.execution, decision)
    if not 0 <= at < len(candidates):
        return {"flip": None, "more": False}
    found, changes = candidates[at]
    after = numbered(opened, _both(asked, changes), join)[1]
    kept = after.outcome == found.outcome and outcome(after) != outcome(decision)
    short = found.short.replace("autoBroadcastJoinThreshold", "threshold")
    words = outcome_words(after, after.outcome == decision.outcome)
    told: JsonObject = {"short": short, "words": found.words, "outcome": words, "asked": as_json(changes)}
    told |= {"cost": found.cost, "unsafe": found.unsafe}
    return {"flip": told if kept else None, "more": at + 1 < len(candidates)}


def _candidates(
    opened: Opened, asked: WhatIf, join: int, execution: QueryExecution | None, decision: Decision
) -> list[tuple[Flip, WhatIf]]:
    """What might flip a join and can be asked for here: not rows in place of bytes, and no text but hints."""
    key = ("join-flips", to_text(asked), join)
    if key not in opened.made:
        for old in [name for name in list(opened.made) if name[0] == "join-flips"]:
            opened.made.pop(old, None)
        opened.made[key] = [] if execution is None else _nearest(decision, execution, join)
    made: list[tuple[Flip, WhatIf]] = opened.made[key]
    return made


def _nearest(decision: Decision, execution: QueryExecution, join: int) -> list[tuple[Flip, WhatIf]]:
    found = []
    for each in sorted(join_candidates(decision, execution), key=lambda flip: flip.rank):
        changes = _asked_by(each, decision, execution, join)
        if changes is not None:
            found.append((each, changes))
    return found[:_MOST_CANDIDATES]


def outcome_words(decision: Decision, sided: bool) -> str:
    """The operator in short, `sided` with the side that it builds: Broadcast Hash, builds right."""
    side = {"BuildLeft": "left", "BuildRight": "right"}.get(str(decision.value("build")))
    operator = spaced(decision.outcome).removesuffix(" Join")
    return f"{operator}, builds {side}" if side and sided else operator


def _asked_by(flip: Flip, decision: Decision, execution: QueryExecution, join: int) -> WhatIf | None:
    """What to ask for to get a flip; None where that cannot be asked for."""
    settings: JsonObject = {}
    sizes: dict[str, int] = {}
    hints: dict[int, tuple[str | None, str | None]] = {}
    for change in flip.changes:
        if isinstance(change, SettingChange) and change.key in ASKABLE:
            settings[change.key] = change.value
        elif isinstance(change, StatisticsChange) and change.size_in_bytes is not None:
            sizes[change.table] = change.size_in_bytes
        elif isinstance(change, TextChange) and flip.kind == "hint":
            hinted = _hinted(flip, decision, execution)
            if hinted is None:
                return None
            hints[join] = hinted
        else:
            return None
    return WhatIf(settings, sizes, hints)


def _hinted(flip: Flip, decision: Decision, execution: QueryExecution) -> tuple[str | None, str | None] | None:
    """The join's hints after a flip by a hint on one of its sides."""
    hints = list(decision.value("hints") or (None, None))
    for at, side in enumerate((decision.subject.left, decision.subject.right)):
        named = named_relation(side, execution)
        if named is not None and named[0] == flip.relation:
            name = flip.short.partition("(")[0]
            hints[at] = next((s for s, hint in HINT_NAMES.items() if hint == name), None)
            return hints[0], hints[1]
    return None


def _both(one: WhatIf, other: WhatIf) -> WhatIf:
    """Both together; where they contradict each other, the other counts."""
    return WhatIf(
        {**one.settings, **other.settings},
        {**one.sizes, **other.sizes},
        {**one.hints, **other.hints},
        {**one.types, **other.types},
        other.profile or one.profile,
    )


def play(opened: Opened, asked: WhatIf, join: int) -> dict[str, object]:
    """The join played on a few made-up rows, as its player takes it. Raises CannotPlay where there is no model."""
    query, decision = numbered(opened, asked, join)
    if query.execution is None:
        raise CannotPlay("A pasted plan names no types to make rows of; paste the SQL to play its joins.")
    return join_play(decision, query.execution).to_json()


def difference(opened: Opened, asked: WhatIf, join: int) -> dict[str, object] | None:
    """The plan of a join's query before and after a what-if: `summary`, `words` on each change, both as one `svg`."""
    first = 0
    for before, after in zip(queries_of(opened), queries_of(opened, asked), strict=True):
        count = len(before.of("JoinSelection"))
        if first <= join < first + count and before.execution is not None and after.execution is not None:
            return _difference(before.execution, after.execution)
        first += count
    return None


def _difference(before: QueryExecution, after: QueryExecution) -> dict[str, object] | None:
    one, two = _graph(before), _graph(after)
    found = diff(one, two)
    if not found:
        return None
    step = RuleStep("what if", _traced(one, before), _traced(two, after), batch="The plan as it is, and as if")
    drawing = draw_step(trace_data(RuleTrace([step])), 0, view="merged")
    return {"summary": found.summary(), "words": _words(found), "svg": svg(drawing, embed_font=False)}


def _graph(execution: QueryExecution) -> PlanGraph:
    return plan_graph(
        execution.physical, Identities(), stage="physical", title="Physical Plan", source_of=lambda _: None
    )


def _traced(graph: PlanGraph, execution: QueryExecution) -> TracedPlan:
    return TracedPlan(lambda: execution.text("physical"), lambda: graph)


def _words(found: PlanDiff) -> list[list[str]]:
    """Every kind of change as a sign and words, with how often it occurs; the most frequent first."""
    told = Counter(("~", f"{spaced(found.before[m.before].op)}: {m.changes[0]}") for m in found.changed)
    told += Counter(("+", spaced(found.after[id].op)) for id in found.inserted)
    told += Counter(("−", spaced(found.before[id].op)) for id in found.removed)
    told += Counter(("↕", f"{spaced(found.after[m.after].op)} moved") for m in found.moved if not m.changes)
    shown = [[sign, f"{count} × {words}" if count > 1 else words] for (sign, words), count in told.items()]
    more = len(shown) - _MOST_CHANGES
    return [*shown[:_MOST_CHANGES], *([["", f"and {more} more"]] if more > 0 else [])]
