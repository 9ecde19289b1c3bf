"""What the Joins page shows: a row for every join, the selected one's tree, and both planned anew under what-ifs.

Everything is a plain value, ready for JSON: the page's element asks for it again while a slider moves
(`POST /joins/<key>`), without a rerun of the page.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from urllib.parse import quote

from planviz.decisions.choices import Decision
from planviz.decisions.join_tree import DecisionTree, join_tree
from planviz.document.alternatives.what_if import ASKABLE, HINTS, WhatIf, tables_of, types_for
from planviz.document.alternatives.what_if_text import as_json, from_text, to_text
from planviz.document.decisions import charts
from planviz.document.decisions.join_inputs import MECHANISMS, JoinInput, join_inputs, plan_inputs, run_limits
from planviz.document.decisions.measured import measured_words
from planviz.document.decisions.model import Decided
from planviz.document.decisions.queries import ANEW, TAKEN, answer, line_of, plain, ran_words, seen
from planviz.errors import InputError, PlanvizError
from planviz.execution import QueryExecution
from planviz.graph.words import join_type_words, spaced
from planviz.jsontypes import JsonObject
from planviz.render.primitives import Drawing
from planviz.render.svg import svg
from planviz.render.text import one_line
from planviz.render.theme import tokens
from planviz.replay.opaque import reads_opaque
from planviz.ui import join_changes, queries
from planviz.ui.join_queries import numbered, numbered_all, numbered_joins, queries_of, weight
from planviz.ui.join_rows import condition, multiplied, row, side
from planviz.ui.opened import Opened, in_worker
from planviz.units import byte_size

NOT_OURS = (
    "What the planner saw is read from the text, as far as it says so. "
    "Paste df.explain(True) whole, or the SQL, to try other settings, sizes and hints."
)


def nothing_to_show(opened: Opened | None) -> str:
    """Why there is no join to show of what is open; empty when there is one, or nothing open."""
    return "" if opened is None else _nothing_to_show(opened)


@in_worker
def _nothing_to_show(opened: Opened) -> str:
    if opened.document.error is not None and not numbered_joins(queries_of(opened)):
        return "The SQL cannot be planned"
    if numbered_joins(queries_of(opened)):
        return ""
    if any(query.decisions for query in queries_of(opened)) or opened.document.statements:
        return "There is no join in what is open"
    return "There is no physical plan with a join in what is open"


def address(join: int | None, what: str) -> str | None:
    """The selected join and what is otherwise, as they stand in the address behind `join=`; None for neither."""
    if join is None and not what:
        return None
    return f"{join or 1}&what={quote(what)}" if what else str(join)


# -- the whole page


@in_worker
def data(opened: Opened, join: int | None, what: str, plan: str = "") -> bytes:
    """The element's data, gzipped: the same bytes for the same arguments.

    `join` is the selected one, from 1 as in the address (None: the one that matters most of the query that `plan` is
    of); `what` says in the address's words what is otherwise; what cannot be read of it is passed over.
    """
    name = ("joins-data", join, what, queries.number_of(opened, plan))
    if name not in opened.made:
        for old in [key for key in list(opened.made) if key[0] == "joins-data"]:
            opened.made.pop(old, None)
        told = page_data(opened, join, what, plan)
        opened.made[name] = gzip.compress(json.dumps(told, separators=(",", ":")).encode(), 6, mtime=0)
    made: bytes = opened.made[name]
    return made


def page_data(opened: Opened, join: int | None, what: str, plan: str = "") -> dict[str, object]:
    """The element's data as JSON values."""
    # A query that was replayed, but whose joins came out otherwise, has an execution and none of the joins.
    own = any(query.execution is not None for query, _ in numbered_all(opened))
    try:
        asked = from_text(what) if own else WhatIf()
        told = asked_for(opened, asked, None if join is None else join - 1, plan=plan)
    except PlanvizError:
        told = asked_for(opened, WhatIf(), None if join is None else join - 1, plan=plan)
    return {
        "key": f"{opened.key}/joins",
        "ask": f"/joins/{opened.key}",
        "theme": tokens(),
        "dark": None,
        "own": own,
        "note": "" if own else NOT_OURS,
        "settings": _settings(queries_of(opened)) if own else {},
        "profile": queries_of(opened)[0].profile if own else "",
        "first": _first(opened, numbered_all(opened), plan) + 1,
        "told": told,
        "written": opened.written_json(),
    }


def _settings(queries: tuple[Decided, ...]) -> dict[str, object]:
    config = next(query.execution.config for query in queries if query.execution is not None)
    return {key: config.get(key) for key in ASKABLE}


def asked_for(
    opened: Opened, asked: WhatIf, join: int | None, *, quick: bool = False, plan: str = ""
) -> dict[str, object]:
    """The rows of all joins and everything about the one of this number, from 0 (another: the first; None: the one
    that matters most of the query of `plan`, or of all).

    Raises PlanvizError for what cannot be asked or planned.
    """
    base, now = numbered_joins(queries_of(opened)), numbered_joins(queries_of(opened, asked, quick=quick))
    several = len({id(query) for query, _ in now}) > 1
    join = _first(opened, now, plan) if join is None else join
    join = join if 0 <= join < len(now) else 0
    same = len(base) == len(now)
    rows = [
        row(n, query, decision, base[n][1] if same and asked else None, several)
        | {"line": line_of(opened.document, decision)}
        for n, (query, decision) in enumerate(now)
    ]
    return {
        "what": to_text(asked),
        "asked": as_json(asked),
        "rows": rows,
        "chips": _chips(queries_of(opened)),
        "changed": sum(1 for entry in rows if entry["was"]) if same else None,
        "before": len(base),
        "join": detail(opened, join, *now[join]) if now else None,
    }


def _first(opened: Opened, joins: Sequence[tuple[Decided, Decision]], plan: str) -> int:
    """The number, from 0, of the join that matters most of the query of a plan, or of all; 0 where there is none."""
    mine = [n for n, (query, _) in enumerate(joins) if queries.has(opened, plan, query.statement, query.plan)]
    return max(mine or range(len(joins)), key=lambda n: (*weight(joins[n][1]), -n), default=0)


def _chips(queries: tuple[Decided, ...]) -> list[list[str]]:
    """Tone, words and reason of what is to be said of all joins together."""
    if all(query.execution is None for query in queries):
        return [["badge", "read back", "What the planner saw is read from the plan's text, as far as it says so."]]
    planned = [(q, q.execution) for q in queries if q.execution is not None]
    fitted = any(table.fitted for _, execution in planned for table in tables_of(execution).values())
    if fitted or any(reads_opaque(d.subject) for q, _ in planned for d in q.of("JoinSelection")):
        told = "The text gives no sizes: what is shown is what the decisions imply. What-ifs take sizes that fit them."
        return [["badge", "sizes not given", told]]
    return [["estimated", "estimated", "Sizes are estimates from the catalogue, as the planner sees them."]]


# -- the selected join


def _because(decision: Decision) -> str:
    """What chose the side that is built, or that only the text leads to the join; empty for neither."""
    because = one_line(str(decision.value("because") or ""), 200)
    if because in ("", ANEW, TAKEN) or decision.value("anew"):
        return because and f"{because[0].upper()}{because[1:]}."
    return f"The built side: {because}."


def _multiplied(query: Decided, decision: Decision) -> str:
    execution = query.execution
    return multiplied(decision, execution is None or bool(execution.config.get("spark.sql.cbo.enabled")))


def _ran(decision: Decision) -> str:
    words = ran_words(decision)
    return f"While the query ran it was chosen anew: it {words}." if words else ""


def detail(opened: Opened, n: int, query: Decided, decision: Decision) -> dict[str, object]:
    """All about one join: its tree as SVG, the path, what was rejected, the mechanism, what can be asked of it."""
    tree = join_tree(query.profile)
    drawing = charts.draw_join(decision, query.profile, titled=False)
    execution = query.execution
    return {
        "n": n,
        "svg": svg(drawing, embed_font=False),
        "heading": charts.heading(decision),
        "left": side(decision, "left"),
        "right": side(decision, "right"),
        "on": condition(decision),
        "because": _because(decision),
        "sizes": " ".join(
            filter(
                None, (_multiplied(query, decision), measured_words(opened.document, query, decision), _ran(decision))
            )
        ),
        "path": path(decision, tree),
        "tests": len(tree.questions),
        "rejected": [
            {"operator": spaced(r.operator), "reason": one_line(plain(r.reason), 300)}
            for r in decision.rejected
            if r.node
        ],
        "mechanism": mechanism(decision, _inputs(opened, query, decision))
        | {"limits": limits(decision, execution) if execution is not None else []},
    } | (_askable(opened, query, decision) if execution is not None else {})


def path(decision: Decision, tree: DecisionTree) -> list[JsonObject]:
    """The tests on the way, in order: question, answer, what was seen; `index` is its place in the drawing."""
    found = []
    order = {question.name: at for at, question in enumerate(tree.questions)}
    for check in decision.checks:
        question = tree.question(check.node)
        found.append(
            {
                "index": order.get(check.node),
                "title": question.title if question else check.condition,
                "condition": question.condition if question else check.condition,
                "answer": answer(check),
                "seen": one_line(seen(check) or charts.brief(check), 300),
                "setting": check.setting or "",
            }
        )
    return found


def _inputs(opened: Opened, query: Decided, decision: Decision) -> tuple[JoinInput, ...]:
    if query.execution is not None:
        return join_inputs(decision, query.execution)
    return plan_inputs(decision, opened.document.plans[query.plan]) if query.plan is not None else ()


def mechanism(decision: Decision, inputs: tuple[JoinInput, ...]) -> dict[str, object]:
    """How the operator works, and what stands beneath it on both sides for its sake."""
    return {
        "op": spaced(decision.outcome),
        "words": MECHANISMS.get(decision.outcome, ""),
        "sides": [
            {
                "side": found.side,
                "role": found.role,
                "names": side(decision, found.side)["names"],
                "size": side(decision, found.side)["size"],
                "asks": one_line(asks(found), 240),
                "put": [{"op": spaced(p.op), "kind": p.kind, "text": one_line(p.text, 160)} for p in found.put],
            }
            for found in inputs
        ],
    }


def limits(decision: Decision, execution: QueryExecution) -> list[list[str]]:
    """What its broadcast may not exceed while it runs: number and why, with the setting's key where there is one."""
    found = []
    for limit in run_limits(decision, execution):
        number = byte_size(limit.value) if limit.unit == "bytes" else f"{limit.value:,} {limit.unit}"
        found.append([number, limit.about, limit.setting or ""])
    return found


def asks(found: JoinInput) -> str:
    """What an operator asks of a side, in words."""
    asked = "; ".join(
        filter(None, (found.needs and f"needs {found.needs}", found.sorted and f"sorted by {found.sorted}"))
    )
    if asked:
        return asked if found.put else f"{asked}: its rows lie so already"
    return "takes the rows as they come" if found.role == "stream" and not found.put else ""


def _askable(opened: Opened, query: Decided, decision: Decision) -> dict[str, object]:
    """What can be asked of this join: its hints and type, as they are and `usual`ly, tables with their usual sizes."""
    base = next(q for q in queries_of(opened) if q.statement == query.statement)
    tables = tables_of(base.execution) if base.execution is not None else {}
    before = dict(zip(map(id, query.of("JoinSelection")), base.of("JoinSelection"), strict=False)).get(id(decision))
    usual = before or decision
    names = [*charts.side_relations(decision, "right"), *charts.side_relations(decision, "left")]
    return {
        "hints": list(decision.value("hints") or (None, None)),
        "known_hints": list(HINTS),
        "usual": {"hints": list(usual.value("hints") or (None, None)), "type": str(usual.value("type"))},
        "type": str(decision.value("type")),
        "types": [[kind, join_type_words(kind)] for kind in types_for(str(decision.value("type")))],
        "tables": [
            {"name": name, "size": tables[name].size_in_bytes} for name in dict.fromkeys(names) if name in tables
        ],
    }


# -- requests of the element


def reply(opened: Opened, body: JsonObject) -> dict[str, object]:
    """The answer to what the element asks: the joins as if `asked`, one of them whole (`join`, from 0).

    `quick` plans only the planner's part anew; `want` is "flips" for the candidate `at`, "diff"
    or "play".
    Raises InputError for a request that makes no sense, and what planning raises.
    """
    join = body.get("join")
    if not isinstance(join, int):
        raise InputError("The page sent a request that names no join.")
    asked = _asked(body.get("asked") or {})
    if body.get("want") == "flips":
        return join_changes.flip(opened, asked, join, int(body.get("at") or 0))
    if body.get("want") == "play":
        return {"play": join_changes.play(opened, asked, join)}
    if body.get("want") == "diff":
        return {"diff": join_changes.difference(opened, asked, join)}
    return asked_for(opened, asked, join, quick=bool(body.get("quick")))


def _asked(told: JsonObject) -> WhatIf:
    try:
        return WhatIf(
            {str(key): value for key, value in dict(told.get("settings") or {}).items() if key in ASKABLE},
            {str(name): int(size) for name, size in dict(told.get("sizes") or {}).items() if int(size) >= 0},
            {int(n): (hints[0] or None, hints[1] or None) for n, hints in dict(told.get("hints") or {}).items()},
            {int(n): str(kind) for n, kind in dict(told.get("types") or {}).items()},
            str(told.get("profile") or ""),
        )
    except (TypeError, ValueError, IndexError, KeyError):
        raise InputError("The page sent what-ifs that cannot be read.") from None


def join_drawing(opened: Opened, join: int, what: str, theme: str) -> Drawing:
    """A join's tree as a picture that stands alone, as if `what`. Raises as `numbered`, and for an unknown what-if."""
    query, decision = numbered(opened, from_text(what), join)
    return charts.draw_join(decision, query.profile, theme=theme)
