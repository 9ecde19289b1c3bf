"""What the Rules page shows: the trace as the player takes it, the rules' cards, final plans without a rule."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache

from planviz.document.rules.logs import LoggedRun, logged_runs, step_difference
from planviz.document.rules.refusals import why_not
from planviz.document.rules.traces import plan_graph
from planviz.errors import PlanvizError
from planviz.graph import PlanGraph
from planviz.graph.diff import PlanDiff, diff
from planviz.graph.from_tree import Identities
from planviz.graph.trace import RuleStep, RuleTrace, TracedPlan
from planviz.jsontypes import JsonObject
from planviz.optimizer.reference import needed
from planviz.physical.planner import corrections
from planviz.physical.strategies.reference import Strategy, strategy_classes
from planviz.render.html import steps_page
from planviz.render.steps import trace_data
from planviz.render.text import one_line
from planviz.trees.rule import Rule
from planviz.ui.explained import explanations
from planviz.ui.opened import Opened, in_worker
from planviz.ui.player import player_data

#: Lines of a step that planviz takes otherwise which are told.
_LINES = 24
#: Guards of one rule that are told.
_GUARDS = 12
_EXCLUDED = "spark.sql.optimizer.excludedRules"

#: Queries to begin with: title and SQL.
EXAMPLES = (
    (
        "An outer join that a filter makes inner",
        "SELECT o.order_id, u.name, u.country\nFROM orders o FULL OUTER JOIN users u ON o.user_id = u.user_id\n"
        "WHERE o.amount > 20 AND u.tier = 'gold'",
    ),
    (
        "Filters pushed through an aggregate",
        "SELECT city, total\nFROM (\n  SELECT s.city, s.country, sum(o.amount) AS total\n"
        "  FROM orders o JOIN stores s ON o.store_id = s.store_id\n  GROUP BY s.city, s.country\n) t\n"
        "WHERE country = 'DE' AND total > 100 + 900",
    ),
    (
        "EXISTS and NOT IN become joins",
        "SELECT u.name\nFROM users u\n"
        "WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.user_id AND o.amount > 50)\n"
        "  AND u.country NOT IN (SELECT country FROM stores WHERE country IS NOT NULL)",
    ),
    (
        "EXCEPT becomes an anti join",
        "SELECT item_id FROM items WHERE price > 10\nEXCEPT\nSELECT item_id FROM orders WHERE quantity > 3",
    ),
    (
        "A join without condition is put last",
        "SELECT i.name, u.name, o.amount\nFROM items i, users u, orders o\n"
        "WHERE o.item_id = i.item_id AND o.user_id = u.user_id AND 100 + 20 < o.amount",
    ),
)


# -- the rules' cards


@cache
def _classes() -> dict[str, type[Rule] | type[Strategy]]:
    import planviz.analysis.analyzer
    import planviz.optimizer.batches
    import planviz.physical.preparations.rules  # noqa: F401

    def below(rule: type[Rule]) -> Iterator[type[Rule]]:
        for child in rule.__subclasses__():
            yield child
            yield from below(child)

    return {rule.__name__: rule for rule in below(Rule)} | strategy_classes()


@cache
def card(rule: str) -> JsonObject | None:
    """What is to be said of a rule, by its short name: `what` it does, its `algebra`, and `unsafe` paragraphs.

    From the documentation of our own rule of that name; None when there is none.
    """
    found = _classes().get(rule)
    if found is None or not found.__doc__ or found.__doc__ == Rule.__doc__:
        return None
    first, *others = inspect.cleandoc(found.__doc__).split("\n\n")
    algebra = [form for text in others if "=>" in text for form in _forms(text)]
    rest = [_joined(text) for text in others if "=>" not in text]
    rest += [f"The documents say “{said}”. Spark: {done}." for said, done in corrections(rule)]
    return {
        "what": _joined(first),
        "algebra": algebra,
        "unsafe": rest,
    }


def _joined(paragraph: str) -> str:
    """A paragraph of several lines in one."""
    return re.sub(r"\n\s*", " ", paragraph)


def _forms(paragraph: str) -> list[str]:
    """The forms `before => after` of a paragraph, one a line; one that takes several lines is all of it."""
    lines = [line.strip() for line in paragraph.splitlines()]
    forms = lines if all("=>" in line for line in lines) else [_joined(paragraph)]
    return [re.sub("(?<! ) *=> *", " ⇒ ", form) for form in forms]


def _fixed() -> list[str]:
    """Rules that no setting switches off: those of the analyzer, and a few of the optimizer."""
    return [name for name, rule in _classes().items() if not getattr(rule, "excludable", False)]


# -- the trace


def trace_of(opened: Opened) -> dict[str, object]:
    """The document's trace for the player, made once."""
    made = opened.made.get(("trace",))
    if made is None:
        made = opened.made["trace",] = trace_data(opened.document.trace, origins=opened.written is not None) | {
            "explained": explanations(opened),
            "beside": beside(opened),
        }
    found: JsonObject = made
    return found


def logged(opened: Opened) -> tuple[LoggedRun, ...]:
    """The optimizer's runs in Spark's log beside planviz's, made once."""
    if ("logged",) not in opened.made:
        opened.made["logged",] = logged_runs(opened.document)
    found: tuple[LoggedRun, ...] = opened.made["logged",]
    return found


def beside(opened: Opened) -> dict[str, JsonObject]:
    """For every step of Spark's log (from 0, as text) that was taken again: `words`, and the `lines` that differ."""
    found = {}
    for run in logged(opened):
        for step in run.steps:
            lines = [] if step.same else step_difference(step, opened.document.trace.steps[step.number])
            first = " It is the first that differs." if step is run.first else ""
            words = "Takes the same step." if step.same else f"Takes another step (− Spark, + planviz).{first}"
            found[str(step.number)] = {"words": words, "lines": [one_line(line, 240) for line in lines[:_LINES]]}
    return found


def cards_of(trace: RuleTrace) -> dict[str, object]:
    """The cards of all rules of a trace."""
    found = {step.short_rule: card(step.short_rule) for step in trace.steps}
    return {rule: told for rule, told in found.items() if told}


@in_worker
def data(opened: Opened, step: int | None, off: list[str], why: list[str]) -> bytes:
    """The player's data for a document with a trace: the same bytes for the same arguments.

    `off` are rules that the plan is also to be made without, `why` those that are asked why they did not fire.
    """
    name = ("player", step, *off, "why", *why)
    if name not in opened.made:
        for old in [key for key in opened.made if key[0] == "player"]:
            del opened.made[old]
        own = _optimized_again(opened)
        opened.made[name] = player_data(
            trace_of(opened),
            f"{opened.key}/trace",
            step=step,
            cards=cards_of(opened.document.trace),
            own=own,
            fixed=_fixed() if own else None,
            without={rule: without(opened, rule) for rule in off} if own else None,
            exports=f"/plan/{opened.key}/",
            sql=as_sql(opened),
            silent=silent(opened.document.trace),
            why={rule: why_silent(opened, rule) for rule in why},
            written=opened.written_json(),
        )
    made: bytes = opened.made[name]
    return made


@in_worker
def page(opened: Opened, name: str, theme: str | None = None) -> bytes:
    """The trace as one interactive HTML file."""
    return steps_page(trace_of(opened), title=name, theme=theme, cards=cards_of(opened.document.trace)).encode()


def _optimized_again(opened: Opened) -> bool:
    """Whether the query can be optimized otherwise: SQL, or a replayed explain whose steps lead to Spark's plan."""
    executions = [s.execution for s in opened.document.statements if s.execution is not None and s.trace]
    if opened.document.is_pasted:
        return bool(executions) and executions[-1].optimizes
    return bool(opened.document.statements)


def as_sql(opened: Opened) -> dict[str, object] | None:
    """The query as it was written and as its optimized plan would be (A-026): `written`, `optimized`, `notes`.

    None for anything but SQL that was planned to its end; where SQL has no words for the plan, `notes` say for what.
    """
    shown = [s for s in opened.document.statements if s.execution is not None and "optimized" in s.execution.stages]
    if not shown or shown[-1].execution is None:
        return None
    from planviz.frontend.writing.plans import sql_of

    try:
        written = sql_of(shown[-1].execution.optimized)
    except PlanvizError as error:
        return {"written": shown[-1].sql, "optimized": None, "notes": [str(error)]}
    return {"written": shown[-1].sql, "optimized": written.text, "notes": list(written.notes)}


def silent(trace: RuleTrace) -> dict[str, object]:
    """Why rules changed nothing, as far as their calls tell: `runs`, how often they `looked`, what it `needs`.

    A rule looks only at a plan that holds one of the operators or expressions that it needs. Empty for a parsed log.
    """
    found: JsonObject = {}
    for calls in sorted(trace.silent, key=lambda calls: calls.short_rule):
        rule = _classes().get(calls.short_rule)
        needs = needed(rule) if rule is not None and issubclass(rule, Rule) else []
        told = card(calls.short_rule) or {}
        found[calls.short_rule] = {"runs": calls.runs, "looked": calls.looked, "needs": needs} | told
    return found


def why_silent(opened: Opened, rule: str) -> dict[str, object] | None:
    """Why a rule did not fire in the last query: `sentence`, `guards` that said no, `looked_at`. None when unknown."""
    executions = [s.execution for s in opened.document.statements if s.execution is not None and s.trace]
    if not executions or not executions[-1].optimizes:
        return None
    try:
        told = why_not(executions[-1], rule)
    except PlanvizError:
        return None  # a rule of the analyzer: no guard of it is noted
    guards = [
        {
            "node": one_line(refusal.node_text, 300),
            "reason": one_line(refusal.reason, 300),
            "value": None if refusal.value_text is None else one_line(refusal.value_text, 300),
        }
        for refusal in told.refusals[:_GUARDS]
    ]
    looked_at = [one_line(str(getattr(node, "simple_string", node)), 300) for node in told.looked_at]
    return {"sentence": told.sentence, "guards": guards, "looked_at": looked_at}


# -- without a rule


def without(opened: Opened, rule: str) -> dict[str, object]:
    """The final plan without and with a rule: `words` on what is lost without it, and a `trace` of one step, which
    leads from the plan without the rule to the plan with it."""
    key = ("without", rule)
    if key not in opened.made:
        opened.made[key] = _without(opened, rule)
    made: JsonObject = opened.made[key]
    return made


def _without(opened: Opened, rule: str) -> dict[str, object]:
    document = opened.document
    execution = next(s.execution for s in reversed(document.statements) if s.execution is not None and s.trace)
    try:
        other = execution.again(execution.config.with_settings({_EXCLUDED: _spark_name(document.trace, rule)}))
        mine, theirs = (plan_graph(e.optimized, Identities(), stage="optimized") for e in (execution, other))
    except PlanvizError as error:
        return {"words": f"There is no plan without it: {error}", "trace": None}
    return _difference(rule, mine, theirs)


def _difference(rule: str, mine: PlanGraph, theirs: PlanGraph) -> dict[str, object]:
    found = diff(mine, theirs, numbers=True)
    return {"words": _lost(found), "trace": trace_data(RuleTrace([work_of(rule, theirs, mine)])) if found else None}


def work_of(rule: str, without: PlanGraph, final: PlanGraph) -> RuleStep:
    """What a rule made of the final plan, as a step from the plan without it to the plan with it: + is its own work."""
    return RuleStep(
        rule,
        TracedPlan(lambda: _text(without), lambda: without),
        TracedPlan(lambda: _text(final), lambda: final),
        batch="Final plans",
    )


def _spark_name(trace: RuleTrace, rule: str) -> str:
    return next((step.rule for step in trace.steps if step.short_rule == rule), rule)


def _text(plan: PlanGraph) -> str:
    return "\n".join("  " * node.depth + node.text for node in plan.walk())


def _lost(found: PlanDiff) -> str:
    """What the plan without a rule (the one after) has more, less and otherwise."""
    if not found:
        return "The final plan is the same: other rules do this work too."
    more = _counted([found.after[id].op for id in found.inserted])
    less = _counted([found.before[id].op for id in found.removed])
    words = [f"{more} more" if more else "", f"{less} less" if less else ""]
    changed = [f"{found.after[match.after].op}: {match.changes[0]}" for match in found.changed[:3]]
    words += changed + ([f"{len(found.changed) - 3} more changes"] if len(found.changed) > 3 else [])
    if found.moved:
        words.append(f"{len(found.moved)} moved")
    return "Without it the final plan has " + "; ".join(word for word in words if word) + "."


def _counted(ops: list[str]) -> str:
    kinds = {op: ops.count(op) for op in ops}
    return ", ".join(f"{count} {op}{'s' if count > 1 else ''}" for op, count in kinds.items())
