"""Decisions read back from a pasted plan, as far as its text says what the planner saw; nothing is guessed.

Facts are what the text states: keys, types of joins, build sides, hints and sizes of the optimized plan beside it.
A question is answered when every way through the tree that fits the facts and the operator answers it alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from planviz.config import OptimizerConfig
from planviz.decisions.choices import Check, Decision, Rejected
from planviz.decisions.join_tree import (
    FACTOR,
    PARTITIONS,
    PREFER_SORT,
    THRESHOLD,
    DecisionTree,
    Question,
    join_tree,
)
from planviz.document.decisions.adaptive import is_changed, is_final, late_broadcast, measured_sides, planned_joins
from planviz.document.decisions.model import Decided
from planviz.document.model import Document
from planviz.graph import PlanGraph
from planviz.graph.kinds import spark_operator
from planviz.graph.node import PlanNode
from planviz.graph.scan_names import name_of
from planviz.graph.words import spaced, without_brackets
from planviz.plantext.operators import untold
from planviz.replay.older import newer_operator
from planviz.versions.model import SettingValue

OPERATORS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "CartesianProduct", "BroadcastNestedLoopJoin")
#: What a hash join over shuffled sides may have been before another engine took it over: they replace sort-merge joins.
_HASHED = ("ShuffledHashJoin", "SortMergeJoin")
_INNER = ("Inner", "Cross")
_HINT = re.compile(r"(left|right)Hint=\(strategy=(\w+)\)")
#: Whose failure a no is.
_LOSERS = {
    "N2": "BroadcastHashJoin", "N3": "ShuffledHashJoin", "N4": "ShuffledHashJoin", "N5": "ShuffledHashJoin",
    "N6": "SortMergeJoin", "N7": "CartesianProduct", "N12": "CartesianProduct",
}  # fmt: skip


def reconstructed(document: Document, config: OptimizerConfig | None = None) -> tuple[Decided, ...]:
    """The decisions behind every physical plan of a pasted text.

    Of `config` only settings that somebody set are facts: a text does not say the others. Of a plan that has run the
    joins are told as they ran, each with what it was planned as where that is another one; the initial plan beside it
    has no decisions of its own then.
    """
    config = config or OptimizerConfig()
    found = []
    for group in document.groups:
        logical = next((document.plans[i] for i in group if document.plans[i].stage == "optimized"), None)
        ran = any(is_final(document.plans[i]) for i in group)
        for index in group:
            plan = document.plans[index]
            if plan.stage == "physical" or (plan.stage == "initial" and not ran):
                joins = _Joins(plan, logical, config, planned_joins(document, index))
                found.append(Decided(tuple(joins.decisions()), None, index, None, config.profile))
    return tuple(found)


@dataclass(frozen=True)
class _Known:
    """What the text says of one join; None for what it does not say."""

    kind: str
    keyed: bool | None
    hints: tuple[str | None, str | None] | None
    sizes: tuple[tuple[int, int], tuple[int, int]] | None


class _Joins:
    """The joins of one physical plan, with those of the optimized plan that they came from."""

    def __init__(
        self,
        plan: PlanGraph,
        logical: PlanGraph | None,
        config: OptimizerConfig,
        planned: Mapping[int, PlanNode],
    ) -> None:
        self.plan, self.logical, self.config, self.planned = plan, logical, config, planned
        self.tree = join_tree(config.profile)
        self.ran = is_final(plan)
        self.sources = [n for n in logical if n.op == "Join"] if logical is not None else []

    def decisions(self) -> Iterator[Decision]:
        """One for every join, in the order of the text."""
        for node in self.plan:
            if planned_as(node.op):
                yield self._decision(node)

    def _decision(self, node: PlanNode) -> Decision:
        arguments = node.arguments
        known = self._known(node)
        build = {"left": "BuildLeft", "right": "BuildRight"}.get(str(arguments.get("build_side")), "")
        facts = self._facts(node, known)
        checks = tuple(self._checks(node, known, facts))
        rejected = tuple(
            Rejected(_LOSERS[c.node], f"the answer to “{_title(self.tree, c.node)}” was no", c.node, c.values)
            for c in checks
            if c.passed is False and c.node in _LOSERS and _LOSERS[c.node] not in planned_as(node.op)
        )
        keys = zip(arguments.get("left_keys", ()), arguments.get("right_keys", ()), strict=False)
        values = {
            "type": known.kind,
            "build": build,
            "because": self._because(node, known),
            "anew": bool(self._anew(node)),
            "keys": tuple(f"{a} = {b}" for a, b in keys),
            "sizes": None if known.sizes is None else tuple(sum(s) // 2 for s in known.sizes),
            "hints": known.hints,
            "sides": self._sides(node),
            "node": node.id,
        }
        return Decision("JoinSelection", node, node.op, checks, rejected, tuple(values.items()))

    def _anew(self, node: PlanNode) -> bool | None:
        """Whether a join was chosen anew while the query ran; None where the text leaves it open."""
        if not self.ran:
            return False
        if node.id in self.planned:
            return is_changed(node, self.planned[node.id])
        return True if late_broadcast(self.plan, node) else None

    def _because(self, node: PlanNode, known: _Known) -> str:
        if not self._anew(node):
            return ""
        measured = known.sizes is not None
        if node.id in self.planned:
            op = spaced(self.planned[node.id].op)
            if measured:
                return f"chosen anew while the query ran, by measured sizes; {op} was planned"
            return f"chosen anew while the query ran; {op} was planned"
        if measured:
            return "chosen anew while the query ran, by measured sizes"
        return "chosen anew while the query ran"

    # -------------------------------------------------------------------------------------------- what is known

    def _known(self, node: PlanNode) -> _Known:
        source = self._source(node)
        product = "CartesianProduct" in planned_as(node.op)
        kind = str(node.arguments.get("join_type") or ("Inner" if product else ""))
        hints = None
        if source is not None:
            said = dict(_HINT.findall(source.text))
            hints = (said.get("left"), said.get("right"))
        return _Known(kind, _keyed(node), hints, self._measured(node) if self._anew(node) else self._sizes(source))

    def _source(self, node: PlanNode) -> PlanNode | None:
        """The only join of the optimized plan with the same keys or condition; None where that is not one."""
        pairs = list(zip(node.arguments.get("left_keys", ()), node.arguments.get("right_keys", ()), strict=False))
        condition = node.arguments.get("condition")

        def fits(join: PlanNode) -> bool:
            text = str(join.arguments.get("condition") or "")
            said = all(_says(text, a, b) for a, b in pairs) and (
                condition is None or without_brackets(str(condition)) in text
            )
            return said and (bool(pairs) or bool(condition) == bool(text))

        found = [join for join in self.sources if fits(join)]
        return found[0] if len(found) == 1 else None

    def _sizes(self, source: PlanNode | None) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """From and to which size the sides were estimated; printed sizes are rounded."""
        if source is None or self.logical is None:
            return None
        sides = [self.logical[c].estimate for c in self.logical.children(source.id)]
        sizes = [e.size_in_bytes for e in sides if e is not None and e.size_in_bytes is not None]
        if len(sides) != 2 or len(sizes) != 2:
            return None
        return _range(sizes[0]), _range(sizes[1])

    def _measured(self, node: PlanNode) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """From and to which size both sides were measured; None where one was not, or did not end in a stage."""
        sides = measured_sides(self.plan, node)
        known = [side for side in sides if side is not None]
        return (_range(known[0].bytes), _range(known[1].bytes)) if len(sides) == len(known) == 2 else None

    def _setting(self, key: str) -> SettingValue | None:
        return self.config.get(key) if key in self.config.settings else None

    @cached_property
    def _broadcast(self) -> int:
        """The largest side in bytes that was broadcast and not hinted: what is no larger is small enough, too."""
        found = [-1]
        for node in self.plan:
            built = node.arguments.get("build_side") if "BroadcastHashJoin" in planned_as(node.op) else None
            if built in ("left", "right"):
                known = self._known(node)
                if known.sizes is not None and "broadcast" not in (known.hints or ()):
                    found.append(known.sizes[built == "right"][0])
        return max(found)

    # -------------------------------------------------------------------------------------------- facts

    def _facts(self, node: PlanNode, known: _Known) -> dict[str, bool]:
        """The questions that the text answers by itself."""
        answers = {
            "N0": known.keyed,
            "N9": bool(node.arguments.get("null_aware")) or (False if known.kind != "LeftAnti" else None),
            "N7": known.kind in _INNER if known.kind else None,
            "N12": known.kind in _INNER if known.kind else None,
            **self._hint_facts(known),
            **self._size_facts(known),
        }
        if self._anew(node) and node.id in self.planned and self.planned[node.id].op != node.op:
            answers |= {"N1": False, "N10": False}  # a hint would have been followed before anything was measured
        return {name: passed for name, passed in answers.items() if passed is not None}

    def _hint_facts(self, known: _Known) -> Mapping[str, bool | None]:
        if known.hints is None:
            return {}
        hinted, kind = known.hints, known.kind
        may = {
            "broadcast": (kind in (*_INNER, "RightOuter"), kind not in ("RightOuter", "FullOuter")),
            "shuffle_hash": (not kind.startswith(("LeftSemi", "LeftAnti", "Existence")), True),
        }
        follows = {h: any(hint == h and ok for hint, ok in zip(hinted, sides, strict=True)) for h, sides in may.items()}
        replicate = "shuffle_replicate_nl" in hinted and kind in _INNER
        return {
            "N1": any(hinted),
            "N10": any(hinted),
            "H1": follows["broadcast"],
            "H2": None if "merge" in hinted else False,
            "H3": follows["shuffle_hash"],
            "H4": replicate,
            "H5": "broadcast" in hinted,
            "H6": replicate,
        }

    def _size_facts(self, known: _Known) -> Mapping[str, bool | None]:
        prefer = self._setting(PREFER_SORT)
        facts: dict[str, bool | None] = {"N3": None if prefer is None else not prefer}
        threshold = self._setting(THRESHOLD)
        if known.sizes is None:
            return facts
        kind = known.kind
        allowed = (kind in (*_INNER, "RightOuter"), kind not in ("RightOuter", "FullOuter"))
        if threshold is None:
            within: list[bool | None] = [high <= self._broadcast or None for _, high in known.sizes]
        else:
            within = [_within(s, int(threshold)) for s in known.sizes]
        facts["N2"] = _any(w for w, ok in zip(within, allowed, strict=True) if ok)
        facts["N11"] = _any(within)
        return facts

    # -------------------------------------------------------------------------------------------- checks

    def _checks(self, node: PlanNode, known: _Known, facts: Mapping[str, bool]) -> Iterator[Check]:
        """The path up to where ways part, the question there, and what every way answers alike behind it."""
        ways = [w for w in map(dict, _ways(self.tree, self.tree.root)) if self._fits(w, node, facts)]
        parted = False
        for name, passed in ways[0].items() if ways else ():
            answers = {w.get(name) for w in ways}
            if len(answers) == 1:
                yield self._check(name, passed, known)
            elif not parted:
                parted = True
                yield self._check(name, None, known)

    def _fits(self, way: Mapping[str, bool], node: PlanNode, facts: Mapping[str, bool]) -> bool:
        """Whether a way leads to the operator by answers that the text does not deny."""
        last, passed = list(way.items())[-1]
        q = self.tree.question(last)
        leaf = self.tree.outcome(q.yes if passed else q.no) if q is not None else None
        null_aware = bool(node.arguments.get("null_aware"))
        return (
            leaf is not None
            and leaf.operator in planned_as(node.op)
            and (leaf.name == "L_NAAJ") is null_aware
            and all(facts.get(name, answer) is answer for name, answer in way.items())
        )

    def _check(self, name: str, passed: bool | None, known: _Known) -> Check:
        q = self.tree.question(name)
        assert q is not None
        return Check(name, q.condition, passed, q.reads[-1] if q.reads else None, None, tuple(self._values(q, known)))

    def _values(self, q: Question, known: _Known) -> Iterator[tuple[str, object]]:
        if known.hints is not None and (q.name in ("N1", "N10") or q.name.startswith("H")):
            yield "left_hint", known.hints[0]
            yield "right_hint", known.hints[1]
        if known.sizes is not None and q.name in ("N2", "N4", "N5", "N11"):
            yield "left", sum(known.sizes[0]) // 2
            yield "right", sum(known.sizes[1]) // 2
        if q.name in ("N7", "N12"):
            yield "type", known.kind
        names = {THRESHOLD: "limit", PARTITIONS: "partitions", PREFER_SORT: "value", FACTOR: "factor"}
        for key in q.reads:
            if key in names and self._setting(key) is not None:
                yield names[key], self._setting(key)

    def _sides(self, node: PlanNode) -> tuple[str, ...]:
        """The names of the relations beneath either side."""
        return tuple(self._names(c) for c in self.plan.inputs(node.id)[:2])

    def _names(self, start: int) -> str:
        names = [name_of(n) for n in self.plan.beneath(start) if n.kind == "scan"]
        # Of what has no name its columns stand behind the format, which are no names of relations.
        return ", ".join(dict.fromkeys(name.partition(" (")[0] for name in names))


def planned_as(op: str) -> tuple[str, ...]:
    """The joins of Spark's planner that an operator stands for, whichever engine or version printed it; () for no join.

    Engines execute sort-merge joins as hash joins, too, so that the name of such a join leaves two.
    """
    spark = newer_operator(op)
    name = spark_operator(spark)
    if name not in OPERATORS:
        return ()
    return _HASHED if name == "ShuffledHashJoin" and name != spark else (name,)


def _ways(tree: DecisionTree, name: str) -> Iterator[list[tuple[str, bool]]]:
    """Every way from a question to an outcome: questions with their answers."""
    q = tree.question(name)
    if q is None:
        yield []
        return
    for passed, target in ((True, q.yes), (False, q.no)):
        for rest in _ways(tree, target):
            yield [(name, passed), *rest]


def _title(tree: DecisionTree, name: str) -> str:
    q = tree.question(name)
    return name if q is None else q.title


def _keyed(node: PlanNode) -> bool | None:
    """Whether the join had keys; loops and products do not say it when their condition holds an equality."""
    if node.arguments.get("null_aware"):
        return False
    if node.arguments.get("left_keys"):
        return True
    if untold(node):
        return None
    conjuncts = _split(str(node.arguments.get("condition") or ""), " AND ")
    return None if any(len(_split(c, " = ")) > 1 or len(_split(c, " <=> ")) > 1 for c in conjuncts) else False


def _split(text: str, by: str) -> list[str]:
    """The parts of an expression between an operator that stands in no brackets but those around it all."""
    text = without_brackets(text)
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and text.startswith(by, at):
            parts.append(text[start:at])
            start = at + len(by)
    return [*parts, text[start:]]


def _says(condition: str, a: str, b: str) -> bool:
    """Whether a condition compares two keys; a null-safe comparison became two pairs of keys."""
    if any(f"{x} {op} {y}" in condition for x, y in ((a, b), (b, a)) for op in ("=", "<=>")):
        return True
    inner = [re.fullmatch(r"(?:coalesce\((.*), [^,]*\)|isnull\((.*)\))", k) for k in (a, b)]
    if not all(inner):
        return False
    x, y = ((m[1] or m[2]) if m else "" for m in inner)
    return f"{x} <=> {y}" in condition or f"{y} <=> {x}" in condition


def _range(size: int) -> tuple[int, int]:
    """From and to which number a size was that Spark printed as this one, with a tenth of its unit."""
    unit = max((p for p in range(0, 70, 10) if size >= 2 << p), default=0)
    half = 0 if unit == 0 else (1 << unit) // 20 + 1
    return size - half, size + half


def _within(size: tuple[int, int], limit: int) -> bool | None:
    """Whether a size is no larger than a limit; None where rounding hides it."""
    if size[1] <= limit:
        return True
    return False if size[0] > limit else None


def _any(answers: Iterable[bool | None]) -> bool | None:
    """True when one is, False when all are, else None."""
    known = list(answers)
    if True in known:
        return True
    return None if None in known else False
