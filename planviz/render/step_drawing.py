"""One step of a trace as a picture: the plan before and after, side by side or as one tree, what changed in colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planviz.graph.union import NOWHERE
from planviz.jsontypes import JsonObject
from planviz.layout import tidy
from planviz.render.cards import Scene
from planviz.render.drawing import Painter
from planviz.render.fonts import text_width
from planviz.render.primitives import Drawing, Group, Path, Primitive, Rect, Text, shifted
from planviz.render.theme import tokens

VIEWS = ("split", "merged")

_GAP = 40
_PAD = 28
_LABEL_GAP = 96  # between cards where labels such as "~ condition" stand beside them
_DASH = (5.0, 4.0)
_WORDS = (("removed", "removed"), ("inserted", "inserted"), ("changed", "changed"), ("moved", "moved"))

State = dict[int, tuple[int, int]]  # slot -> (look, slot above)


def draw_step(
    trace: JsonObject,
    step: int,
    *,
    view: str = "split",
    theme: str = "light",
    heading: str | None = None,
    names: tuple[str, str] = ("before", "after"),
) -> Drawing:
    """The picture of step `step` (from 0) of `planviz.render.steps.trace_data`, as one of `VIEWS`.

    `heading` stands above it, by default the step's number and rule; `names` are those of the two plans.

    Raises IndexError when there is no such step, ExportError for an unknown theme.
    """
    if step < 0:
        raise IndexError(step)
    told = trace["steps"][step]
    before, after = states(trace, step)
    if view == "merged":
        panes = [_Pane(trace, told, before | after, "merged", theme)]
    else:
        panes = [_Pane(trace, told, before, "before", theme), _Pane(trace, told, after, "after", theme)]
    box = _bounds([pane.scene for pane in panes])
    width = max(560.0, len(panes) * box[2] + (len(panes) - 1) * _GAP + 2 * _PAD)
    heading = heading or f"{step + 1} / {len(trace['steps'])}  {told['rule']}"
    top = 100.0
    items: list[Primitive | Group] = [
        *panes[0].words(_PAD, 38, heading, 18, "ink", width - 2 * _PAD, bold=True),
        *panes[0].words(_PAD, 60, _place(trace, told), 12.5, "muted", width - 2 * _PAD),
    ]
    for at, pane in enumerate(panes):
        left = _PAD + at * (box[2] + _GAP)
        items += pane.words(
            left, top - 12, " and ".join(names) if view == "merged" else names[at], 12.5, "muted", box[2]
        )
        items += shifted(pane.items(), left - box[0], top - box[1])
    legend, bottom = panes[0].legend_of_marks(width, top + box[3] + 16)
    return Drawing(
        width,
        bottom,
        panes[0].colours["surface"],
        heading,
        f"The plan before and after {told['rule']}",
        (*items, *legend),
    )


def states(trace: JsonObject, step: int) -> tuple[State, State]:
    """What stands where before and after a step. Raises IndexError when there is no such step."""
    number = trace["steps"][step]["scene"]
    looks = trace["scenes"][number]["looks"]
    state = _changed({}, {"gone": [], "set": trace["scenes"][number]["start"]}, looks)
    before = state
    for told in trace["steps"][: step + 1]:
        if told["scene"] == number:
            before = _changed(state, told["from"], looks) if "from" in told else state
            state = _changed(before, told["to"], looks)
    return before, state


def _changed(state: State, delta: Mapping[str, list[int]], looks: list[list[Any]]) -> State:
    found = {slot: entry for slot, entry in state.items() if slot not in set(delta["gone"])}
    pairs = delta["set"]
    return found | {looks[pairs[at]][0]: (pairs[at], pairs[at + 1]) for at in range(0, len(pairs), 2)}


def _place(trace: JsonObject, told: Mapping[str, object]) -> str:
    parts = [trace["batches"][told["batch"]]["name"]]
    if "iteration" in told:
        parts.append(f"iteration {told['iteration']}")
    return " · ".join(parts)


def _places(scene: JsonObject, state: State) -> dict[str, dict[int, float]]:
    """Where the cards of a state stand in a layout of its own: `x` and `y` in px by slot.

    One layout for before and after keeps what is kept in its place; where operators move it would have gaps.
    """
    below: dict[int, list[int]] = {}
    for slot in sorted(state, key=scene["x"].__getitem__):  # inputs in their order
        below.setdefault(state[slot][1], []).append(slot)
    order: list[int] = []
    stack = list(reversed(below.get(NOWHERE, [])))
    while stack:
        order.append(stack.pop())
        stack.extend(reversed(below.get(order[-1], [])))
    rank = {slot: at for at, slot in enumerate(order)}
    layout = tokens()["layout"]
    xs, ys = tidy(
        [rank.get(state[slot][1], NOWHERE) for slot in order],
        *([scene[name][slot] for slot in order] for name in "wh"),
        gap_x=max(layout["gap_x"], _LABEL_GAP),
        gap_y=layout["gap_y"],
        fork_gap=layout["fork_gap"],
    )
    return {"x": dict(zip(order, xs, strict=True)), "y": dict(zip(order, ys, strict=True))}


def _bounds(scenes: list[Scene]) -> tuple[float, float, float, float]:
    """Left, top, width and height that hold the cards of all scenes with their labels."""
    label = 150
    x = [value for scene in scenes for value in scene.nodes["x"]] or [0]
    y = [value for scene in scenes for value in scene.nodes["y"]] or [0]
    right = [a + b for scene in scenes for a, b in zip(scene.nodes["x"], scene.nodes["w"], strict=True)] or [1]
    bottom = [a + b for scene in scenes for a, b in zip(scene.nodes["y"], scene.nodes["h"], strict=True)] or [1]
    return min(x), min(y), max(right) - min(x) + label, max(bottom) - min(y)


class _Pane(Painter):
    """A state with its marks, drawn with the cards and edges of every other picture."""

    def __init__(self, trace: JsonObject, told: JsonObject, state: State, side: str, theme: str) -> None:
        self.side = side
        self.slots = list(state)
        place = {slot: at for at, slot in enumerate(self.slots)}
        scene = trace["scenes"][told["scene"]]
        if side != "merged" and told.get("moved"):
            scene = scene | _places(scene, state)
        looks = [scene["looks"][state[slot][0]] for slot in self.slots]
        none = [None] * len(looks)
        nodes: JsonObject = {
            "id": self.slots,
            **{name: [scene[name][slot] for slot in self.slots] for name in "xywh"},
            "kind": [look[1] for look in looks],
            "op": [look[4] for look in looks],
            "title": [look[2] for look in looks],
            "sub": [look[3] for look in looks],
            "parent": [place.get(state[slot][1], -1) for slot in self.slots],
            "edge": ["c"] * len(looks),
            "depth": [0] * len(looks),
            "codegen": [-1] * len(looks),
            "number": [""] * len(looks),
            "badges": [look[6] for look in looks],
            "rows": none,
            "sign": [0] * len(looks),
            "bytes": none,
        }
        super().__init__(Scene("", "other", [], tuple(scene["size"]), nodes, "unknown", [], None), theme)
        self.marks, self.labels = _marks(told, *states(trace, trace["steps"].index(told)), side)

    def items(self) -> list[Primitive | Group]:
        """Edges, cards and labels."""
        edges, _ = self.edges()
        return [*edges, *self.cards(), *self.mark_labels()]

    def card(self, i: int) -> Group:
        """The card in the colours of its mark; what was left alone is muted."""
        card, mark = super().card(i), self.marks.get(self.slots[i])
        frame = card.items[0]
        if not isinstance(frame, Rect):
            return card
        if mark is None:
            muted = [
                replace(item, fill=self.colours["muted"]) if isinstance(item, Text) else item for item in card.items
            ]
            return Group(card.label, tuple(muted))
        shade = self.colours[{"was": "removed", "is": "inserted", "changed": "inserted"}.get(mark, mark)]
        left = self.colours["removed"] if mark == "changed" else shade
        filled = replace(frame, fill=shade["fill"], stroke=None)
        right, bottom, x, y = frame.x + frame.width, frame.y + frame.height, frame.x, frame.y
        middle = frame.x + frame.width / 2
        dash = _DASH if mark == "removed" else None
        outline = (
            Path(
                (("M", middle, y), ("L", x, y), ("L", x, bottom), ("L", middle, bottom)), left["border"], 2, dash=dash
            ),
            Path(
                (("M", middle, y), ("L", right, y), ("L", right, bottom), ("L", middle, bottom)),
                shade["border"],
                2,
                dash=dash,
            ),
        )
        return Group(card.label, (filled, *outline, *card.items[1:]))

    def mark_labels(self) -> list[Primitive]:
        """What changed, on the right of its card."""
        found: list[Primitive] = []
        nodes = self.nodes
        for i, slot in enumerate(self.slots):
            words = self.labels.get(slot)
            if not words:
                continue
            mark = {"was": "removed", "is": "inserted", "changed": "inserted"}.get(self.marks[slot], self.marks[slot])
            x, y = nodes["x"][i] + nodes["w"][i] + 8, nodes["y"][i] + nodes["h"][i] / 2 + 4
            text = self.text(x, y, words, 11.5, "ink", 140, bold=True)
            patch = Rect(x - 3, y - 12, text.width + 6, 16, self.colours["surface"], radius=4)
            found += [patch, replace(text, fill=self.colours[mark]["text"])]
        return found

    def words(
        self, x: float, y: float, text: str, size: float, colour: str, room: float, *, bold: bool = False
    ) -> list[Primitive]:
        """One line of text."""
        return [self.text(x, y, text, size, colour, room, bold=bold)]

    def legend_of_marks(self, width: float, top: float) -> tuple[list[Primitive], float]:
        """What the colours mean, and where the picture ends."""
        items: list[Primitive] = [Path((("M", _PAD, top), ("L", width - _PAD, top)), self.colours["line"], 1)]
        x = float(_PAD)
        for mark, words in _WORDS:
            shade = self.colours["inserted" if mark == "changed" else mark]
            sign = {"removed": "−", "inserted": "+", "changed": "~", "moved": "→"}[mark]
            items += [
                Rect(x, top + 15, 18, 13, shade["fill"], shade["border"], 3),
                self.text(x + 25, top + 26, f"{sign} {words}", 12, "muted", 200),
            ]
            x += 25 + text_width(f"{sign} {words}", 12) + 22
        return items, top + 44


def _marks(told: JsonObject, before: State, after: State, side: str) -> tuple[dict[int, str], dict[int, str]]:
    """The mark and the label of every slot that the step touched."""
    marks: dict[int, str] = {}
    labels: dict[int, str] = {}
    merged = side == "merged"
    for slot in before.keys() - after.keys():
        marks[slot], labels[slot] = "removed", "− removed" if merged else ""
    for slot in after.keys() - before.keys():
        marks[slot], labels[slot] = "inserted", "+ inserted" if merged else ""
    moved: dict[int, int] = dict(told.get("moved", ()))
    home = {end: start for start, end in moved.items()}
    for start, end in moved.items():
        # What moves with the operator above it is not named again.
        along = moved.get(before[start][1]) == after[end][1]
        for slot in (start, end):
            marks[slot], labels[slot] = "moved", "" if along else "moved"
    for slot, parts, _ in told.get("changed", ()):
        words = " ".join(filter(None, parts[0])) if merged else ", ".join(dict.fromkeys(part for part, _ in parts))
        place = home.get(slot, slot) if side == "before" else slot
        labels[place] = f"~ {words}"
        if slot not in home:
            marks[place] = "changed" if merged else "was" if side == "before" else "is"
    return marks, labels
