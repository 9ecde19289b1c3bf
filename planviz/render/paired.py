"""Two plans of one query side by side: what stands in both stands at one place, where that can be read."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.graph import PlanGraph
from planviz.graph.diff import diff
from planviz.graph.union import NOWHERE, StepUnion
from planviz.jsontypes import JsonObject
from planviz.layout.spine import spine
from planviz.render.scene import build_scene
from planviz.render.theme import tokens

#: Room between a card and the next below, in px: numbers stand beside the edge.
GAP = 36
#: The same where cards have one line.
NEAR_GAP = 20
#: Plans that are taller, in px, are drawn in cards of one line: more of them is seen at once.
TALL = 760
#: Cards are no wider: what counts here is the numbers between them.
WIDEST = 236
#: The common geometry may be so many times as wide as the wider plan alone; beyond, each has places of its own.
STRETCH = 1.25

Json = JsonObject


def paired_scenes(before: PlanGraph, after: PlanGraph) -> tuple[list[Json], list[list[int]], bool]:
    """The scenes of both plans (`Scene.to_json`), which node is which (`[before, after]` ids), whether places agree.

    Plans whose joins stand in another order have no common places: each is laid out alone.
    """
    found = diff(before, after, numbers=True)
    pairs = [[match.before, match.after] for match in found.matches]
    scenes = [_scene(before), _scene(after)]
    if any(scene["size"][1] > TALL for scene in scenes):
        for scene in scenes:
            _shorten(scene)
    if found.moved:
        return scenes, pairs, False
    alone = [max(scene["size"][side] for scene in scenes) for side in (0, 1)]
    union = StepUnion(before)
    slots = [list(union.slots), union.advance(found)]
    parent = [above if above != NOWHERE else -1 for above in union.parent]
    together = _layout(union.order(), parent, scenes, slots)
    if any(size > STRETCH * own for size, own in zip(together[2], alone, strict=True)):
        return scenes, pairs, False
    for scene, at in zip(scenes, slots, strict=True):
        _put(scene, at, together)
    return scenes, pairs, True


def single_scene(graph: PlanGraph) -> Json:
    """The scene of one plan with the same room for numbers."""
    scene = _scene(graph)
    if scene["size"][1] > TALL:
        _shorten(scene)
    return scene


def _scene(graph: PlanGraph) -> Json:
    """Cards of a title and one line, in their places."""
    card = tokens()["card"]
    scene = build_scene(graph, full=True).to_json()
    nodes = scene["nodes"]
    nodes["sub"] = [lines[:1] for lines in nodes["sub"]]
    nodes["h"] = [
        card["bare_height"] + card["line"] * (len(lines) + bool(badges))
        for lines, badges in zip(nodes["sub"], nodes["badges"], strict=True)
    ]
    nodes["w"] = [min(width, WIDEST) for width in nodes["w"]]
    scene["line"] = False
    _place_alone(scene)
    return scene


def _shorten(scene: Json) -> None:
    """Cards of a title alone; what it is about the page writes beside it, where there is room."""
    from planviz.render.fonts import text_width

    snug = tokens()["card"]["snug"]
    nodes = scene["nodes"]
    nodes["h"] = [snug["height"]] * len(nodes["h"])
    nodes["w"] = [
        min(snug["most"], round(text_width(title, snug["size"], bold=True) + snug["x"] + snug["right"] + 4))
        for title in nodes["title"]
    ]
    scene["line"] = True
    _place_alone(scene)


_Places = tuple[dict[int, float], dict[int, float], list[float]]


def _place_alone(scene: Json) -> None:
    parent = scene["nodes"]["parent"]
    order = list(range(len(parent)))
    _put(scene, order, _layout(order, parent, [scene], [order]))


def _layout(order: Sequence[int], parent: Sequence[int], scenes: Sequence[Json], slots: Sequence[list[int]]) -> _Places:
    """Left and top of every slot, parents before children in `order`, and the size; a slot is as large as its cards."""
    layout = tokens()["layout"]
    width, height = [0.0] * len(parent), [0.0] * len(parent)
    for scene, at in zip(scenes, slots, strict=True):
        for i, slot in enumerate(at):
            width[slot] = max(width[slot], scene["nodes"]["w"][i])
            height[slot] = max(height[slot], scene["nodes"]["h"][i])
    rank = {slot: at for at, slot in enumerate(order)}
    aside = [False] * len(parent)
    for scene, at in zip(scenes, slots, strict=True):
        for i, slot in enumerate(at):
            aside[slot] = aside[slot] or scene["nodes"]["edge"][i] == "s"
    xs, ys = spine(
        [rank[parent[slot]] if parent[slot] >= 0 else -1 for slot in order],
        [width[slot] for slot in order],
        [height[slot] for slot in order],
        gap_x=layout["gap_x"],
        gap_y=NEAR_GAP if scenes[0]["line"] else GAP,
        aside=[aside[slot] for slot in order],
    )
    margin = layout["margin"]
    x = {slot: round(xs[at] + margin, 1) for slot, at in rank.items()}
    y = {slot: round(ys[at] + margin, 1) for slot, at in rank.items()}
    right = max((x[slot] + width[slot] for slot in order), default=0.0)
    bottom = max((y[slot] + height[slot] for slot in order), default=0.0)
    return x, y, [round(right + margin, 1), round(bottom + margin, 1)]


def _put(scene: Json, slots: Sequence[int], places: _Places) -> None:
    x, y, size = places
    nodes = scene["nodes"]
    nodes["x"], nodes["y"] = [x[slot] for slot in slots], [y[slot] for slot in slots]
    scene["size"] = size
