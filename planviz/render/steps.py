"""A trace as data for the step player: one geometry for all steps, what is shown once, steps as sets of changes.

The browser script plays it (`planviz/render/web/rules.js`); pictures of one step are drawn from it as well
(`planviz.render.step_drawing`). Steps of different plans (a subquery planned on its own) are in scenes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from planviz.graph import KINDS, PlanGraph, PlanNode
from planviz.graph.diff import PlanDiff, diff
from planviz.graph.inner_names import inner_names
from planviz.graph.trace import RuleStep, RuleTrace, short_name
from planviz.graph.union import NOWHERE, StepUnion
from planviz.graph.words import subtitle, title
from planviz.jsontypes import JsonObject
from planviz.layout import tidy
from planviz.render.text import one_line
from planviz.render.theme import tokens

#: Matched nodes, as a part of both plans, from which a plan is taken for the last one after changes that no rule told.
_SAME_PLAN = 0.6
_KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
_MARKS = " :+-"
_NO_NAMES: Mapping[str, str] = {}


#: What the difference between two states of a plan is.
Differ = Callable[[PlanGraph, PlanGraph], PlanDiff]


class _Words:
    """Texts told once: the index of each."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._at: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        at = self._at.get(text)
        if at is None:
            at = self._at[text] = len(self.all)
            self.all.append(text)
        return at


@dataclass
class _Scene:
    """One plan through its steps."""

    union: StepUnion
    looks: list[list[Any]] = field(default_factory=list)
    look_at: dict[tuple[object, ...], int] = field(default_factory=dict)
    state: dict[int, tuple[int, int]] = field(default_factory=dict)  # slot -> (look, slot above)
    graph: PlanGraph | None = None
    text: str = ""
    lines: list[tuple[int, int]] = field(default_factory=list)
    origins: bool = False
    spelled: list[Mapping[str, str]] | None = None  # names within each plan as what stands behind them; None: left

    def look(
        self, slot: int, node: PlanNode, badges: tuple[str, ...], words: _Words, names: Mapping[str, str] = _NO_NAMES
    ) -> int:
        """The number of how a node looks in its slot; equal looks are told once."""
        line = node.source[0] if self.origins and node.source else 0
        key = (slot, node.op, node.text, badges, line, id(names))  # `spelled` keeps them all
        at = self.look_at.get(key)
        if at is None:
            at = self.look_at[key] = len(self.looks)
            sub = [[lead, one_line(text)] for lead, text in subtitle(node, names)]
            heading = one_line(title(node), 200) or "?"
            kind = _KIND_INDEX.get(node.kind, len(KINDS) - 1)
            shown = [one_line(badge, 40) for badge in badges]
            self.looks.append([slot, kind, heading, sub, one_line(node.op, 200), words(node.text), shown])
            if line:
                self.looks[-1].append(line)
        return at

    def state_of(self, graph: PlanGraph, slots: Sequence[int], words: _Words) -> dict[int, tuple[int, int]]:
        """What stands where: the look and the slot above, by slot."""
        names = _NO_NAMES
        if self.spelled is not None and (found := inner_names(graph)):
            self.spelled.append(names := found)
        return {
            slots[node.id]: (
                self.look(slots[node.id], node, graph.shown_badges(node), words, names),
                NOWHERE if node.parent is None else slots[node.parent],
            )
            for node in graph.walk()
        }


class _Builder:
    def __init__(self, trace: RuleTrace, differ: Differ, origins: bool) -> None:
        self.trace = trace
        self.origins = origins
        self.differ = differ
        self.words, self.prefixes = _Words(), _Words()
        self.scenes: list[_Scene] = []
        self.openings: list[list[int]] = []
        self.known_lines: dict[str, tuple[int, int]] = {}

    def steps(self) -> list[JsonObject]:
        batches = _batch_of_steps(self.trace)
        return [self.step(step, batch) for step, batch in zip(self.trace.steps, batches, strict=True)]

    def step(self, step: RuleStep, batch: int) -> JsonObject:
        before, after = step.graphs()
        told: dict[str, object] = {
            "rule": one_line(step.short_rule, 120),
            "name": one_line(step.rule, 300),
            "batch": batch,
        }
        for name in ("iteration", "milliseconds"):
            value = getattr(step, name, None)
            if value is not None:
                told[name] = value
        if step.matched is not None:
            told["matched"] = one_line(step.matched(), 600)
        scene = self.scene_of(step, before, told)
        found = self.differ(before, after)
        slots_before = scene.union.slots
        slots = scene.union.advance(found)
        state = scene.state_of(after, slots, self.words)
        told["to"] = _delta(scene.state, state)
        told |= _marks(found, slots_before, slots)
        lines = self.lines(step.after)
        told["lines"] = _hunks(scene.lines, lines)
        if step.output_before is not None and step.output_before != step.output_after:
            told["output"] = [self.all_words(step.output_before), self.all_words(step.output_after or "")]
        scene.state, scene.graph, scene.text, scene.lines = state, after, step.after, lines
        return told

    def scene_of(self, step: RuleStep, before: PlanGraph, told: dict[str, object]) -> _Scene:
        """The scene in which a step plays, brought to the state before it."""
        number = self.scene_with(step, before)
        lines = self.lines(step.before)
        if number is None:
            number = len(self.scenes)
            # Two plans beside each other: of a trace's steps one may be what made up the name.
            spelled: list[Mapping[str, str]] | None = [] if len(self.trace.steps) == 1 else None
            scene = _Scene(StepUnion(before), graph=before, text=step.before, origins=self.origins, spelled=spelled)
            self.scenes.append(scene)
            state = scene.state_of(before, scene.union.slots, self.words)
            self.openings.append(_delta({}, state)["set"])
        else:
            scene = self.scenes[number]
            state = scene.state
            if scene.text != step.before and scene.graph is not None:
                # The plan changed between two logged steps: by a rule that is not logged, or by other ids.
                state = scene.state_of(before, scene.union.advance(diff(scene.graph, before, ids=True)), self.words)
                told["from"] = _delta(scene.state, state)
        told["scene"] = number
        if lines != scene.lines:
            told["before"] = [number for pair in lines for number in pair]
        scene.state, scene.lines = state, lines
        return scene

    def scene_with(self, step: RuleStep, before: PlanGraph) -> int | None:
        for number in reversed(range(len(self.scenes))):
            if self.scenes[number].text == step.before:
                return number
        for number in reversed(range(max(0, len(self.scenes) - 3), len(self.scenes))):
            last = self.scenes[number].graph
            if last is not None and _same_plan(last, before):
                return number
        return None

    def lines(self, text: str) -> list[tuple[int, int]]:
        """A tree text as (tree marks, words) by their numbers, line by line."""
        found = []
        for line in text.splitlines():
            numbers = self.known_lines.get(line)
            if numbers is None:
                words = line.lstrip(_MARKS)
                numbers = self.prefixes(line[: len(line) - len(words)]), self.words(words)
                self.known_lines[line] = numbers
            found.append(numbers)
        return found

    def all_words(self, text: str) -> list[int]:
        return [number for pair in self.lines(text) for number in pair]


def _all(before: PlanGraph, after: PlanGraph) -> PlanDiff:
    return diff(before, after, ids=True, numbers=True)


def trace_data(trace: RuleTrace, *, title: str = "", differ: Differ = _all, origins: bool = False) -> dict[str, object]:
    """A trace as JSON values, the same for the same trace; it needs at least one step.

    `differ` says what a step changed; by default other expression ids and numbers count, too.

    `words` and `prefixes` hold every text once. `scenes` give per slot its place (`x`, `y`, `w`, `h` in px) and per
    look `[slot, kind, title, lines below, operator, words, badges]`, with `origins` also the line of the user's text,
    where known, that the operators' `source` tells; `start` lists look and slot above of what stands
    there at first. Every step tells its `rule`, `batch`, `scene` and what became of the plan: `to` with `gone` slots
    and `set`, pairs of look and slot above; `from` the same for what changed before it without a rule; `changed` as
    `[slot, [[part, text], ...], confidence]`, `moved` as `[slot before, slot after]`, `lines` as hunks of the text
    `[first, last, [prefix, words, ...]]` against the lines before, which `before` gives where they do not follow.
    """
    builder = _Builder(trace, differ, origins)
    steps = builder.steps()
    return {
        "version": 1,
        "title": one_line(title, 200),
        "kinds": list(KINDS),
        "batches": _batches(trace, steps),
        "totals": _totals(trace),
        "words": builder.words.all,
        "prefixes": builder.prefixes.all,
        "scenes": [
            _geometry(scene) | {"start": start} for scene, start in zip(builder.scenes, builder.openings, strict=True)
        ],
        "steps": steps,
    }


# -- batches and totals


def _batch_of_steps(trace: RuleTrace) -> list[int]:
    """For every step the number of its entry in `_batches`."""
    ends = [(record.steps_before, at) for at, record in enumerate(trace.batches)]
    found, at = [], 0
    extra: list[str | None] = []
    for number, step in enumerate(trace.steps):
        while at < len(ends) and ends[at][0] <= number:
            at += 1
        if at < len(ends):
            found.append(ends[at][1])
            continue
        if not extra or extra[-1] != step.batch:
            extra.append(step.batch)
        found.append(len(ends) + len(extra) - 1)
    return found


def _batches(trace: RuleTrace, steps: Sequence[JsonObject]) -> list[dict[str, object]]:
    """Name and steps of every run of a batch, silent ones have none; its executor and its silent rules, if known."""
    of: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        of.setdefault(step["batch"], []).append(at)
    names = [record.name for record in trace.batches]
    for batch in range(len(names), max(of, default=-1) + 1):
        names.append(trace.steps[of[batch][0]].batch or "Batch not logged")
    found: list[JsonObject] = [{"name": one_line(name, 200), "steps": of.get(at, [])} for at, name in enumerate(names)]
    executors = {run.number: run.executor for run in trace.runs}
    for entry, record in zip(found, trace.batches, strict=False):
        if record.run in executors:
            entry["executor"] = one_line(executors[record.run], 60)
        effective = {trace.steps[at].rule for at in entry["steps"]}
        silent = [one_line(short_name(rule), 120) for rule in record.rules if rule not in effective]
        if silent:
            entry["silent"] = silent
    return found


def _totals(trace: RuleTrace) -> dict[str, object]:
    """What is known of all rules that ran, effective or not; absent where it is not known."""
    told: dict[str, object] = {"effective": len({step.rule for step in trace.steps}), "steps": len(trace.steps)}
    if trace.rules:
        told["rules"] = len(trace.rules)
    passes = [batch.iterations for batch in trace.batches if batch.iterations is not None]
    runs = [record.runs for record in trace.metrics if record.runs is not None and not record.run]
    if passes:
        told["passes"] = sum(passes)
    elif runs:
        told["runs"] = sum(runs)
    return told


# -- what a step did


def _delta(old: dict[int, tuple[int, int]], new: dict[int, tuple[int, int]]) -> dict[str, list[int]]:
    told = [number for slot, entry in new.items() if old.get(slot) != entry for number in entry]
    return {"gone": [slot for slot in old if slot not in new], "set": told}


def _marks(found: PlanDiff, before: Sequence[int], after: Sequence[int]) -> dict[str, object]:
    marks: dict[str, object] = {}
    changed = [
        [after[match.after], [[change.part, one_line(change.text)] for change in match.changes], match.confidence]
        for match in found.changed
    ]
    moved = [
        [before[match.before], after[match.after]]
        for match in found.matches
        if match.moved or before[match.before] != after[match.after]
    ]
    if changed:
        marks["changed"] = changed
    if moved:
        marks["moved"] = moved
    return marks


def _hunks(before: list[tuple[int, int]], after: list[tuple[int, int]]) -> list[list[object]]:
    """Replaced lines: `[first, end, [prefix, words, ...]]` in lines of the text before; marks count, they are text."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        [a0, a1, [number for pair in after[b0:b1] for number in pair]]
        for tag, a0, a1, b0, b1 in matcher.get_opcodes()
        if tag != "equal"
    ]


def _same_plan(one: PlanGraph, other: PlanGraph) -> bool:
    found = diff(one, other)
    return 2 * len(found.matches) >= _SAME_PLAN * (len(one) + len(other))


# -- places


def _geometry(scene: _Scene) -> dict[str, object]:
    """Every slot's place in the layout of the union, each as large as its largest look."""
    from planviz.render.fonts import text_width

    card, layout = tokens()["card"], tokens()["layout"]
    order = scene.union.order()
    width = [float(card["width"])] * len(order)
    height = [float(card["bare_height"])] * len(order)
    room = card["max_width"] - card["title"]["x"] - 2 * card["number"]["right"]
    for slot, _, heading, sub, _, _, badges, *_ in scene.looks:
        wished = min(text_width(heading, card["title"]["size"], bold=True), room) + card["title"]["x"]
        line = max((text_width(f"{lead} {text}", card["sub"]["size"]) for lead, text in sub), default=0.0)
        wished = max(wished, min(line, room) + card["sub"]["x"]) + 2 * card["number"]["right"]
        width[slot] = max(width[slot], round(min(wished, card["max_width"])))
        height[slot] = max(height[slot], card["bare_height"] + card["line"] * (len(sub) + bool(badges)))
    rank = {slot: at for at, slot in enumerate(order)}
    parent = [rank[scene.union.parent[slot]] if scene.union.parent[slot] != NOWHERE else -1 for slot in order]
    xs, ys = tidy(
        parent,
        [width[slot] for slot in order],
        [height[slot] for slot in order],
        gap_x=layout["gap_x"],
        gap_y=layout["gap_y"],
        fork_gap=layout["fork_gap"],
    )
    margin = layout["margin"]
    places: dict[str, list[float]] = {name: [0.0] * len(order) for name in "xywh"}
    for at, slot in enumerate(order):
        for name, value in (("x", xs[at] + margin), ("y", ys[at] + margin), ("w", width[slot]), ("h", height[slot])):
            places[name][slot] = _short(value)
    right = _most(places["x"], places["w"]) + margin
    bottom = _most(places["y"], places["h"]) + margin
    return places | {"size": [_short(right), _short(bottom)], "looks": scene.looks}


def _most(starts: Iterable[float], sizes: Iterable[float]) -> float:
    return max((start + size for start, size in zip(starts, sizes, strict=True)), default=0.0)


def _short(value: float) -> float:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded
