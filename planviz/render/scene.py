"""The scene of a plan: every card, edge and link with its place and its words, as plain data.

One geometry for the screen and for every picture. The browser script draws `Scene.to_json()`, the exports draw it
through `planviz.render.drawing`.
"""

from __future__ import annotations

from collections.abc import Mapping

from planviz.graph import KINDS, PlanGraph, PlanNode
from planviz.graph.actual import carried_rows, measured_bytes
from planviz.graph.facts import facts
from planviz.graph.inner_names import inner_names
from planviz.graph.node import Estimate
from planviz.graph.words import quick_title, subtitle, title
from planviz.layout import tidy
from planviz.render import summary
from planviz.render.cards import AT_MOST, FORMULA, Scene, Sub
from planviz.render.text import lines, one_line
from planviz.render.theme import tokens

#: Above this number of nodes the words of the cards are loaded after the first paint, and all cards have one size.
LARGE = 1_000
#: Above this number of nodes details, findings and the text are loaded after the first paint.
MANY = 300

_KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}


def build_scene(graph: PlanGraph, *, full: bool | None = None) -> Scene:
    """Lay out a plan and put its cards into words.

    `full` forces (True) or puts off (False) everything that needs the operators' arguments; by default details are put
    off for plans of more than `MANY` nodes, which then carry `None` for `details`, and of more than `LARGE` nodes the
    words, too: `sub` is `None`, a title is made from the operator's name alone. The geometry does not depend on it.
    """
    nodes = list(graph)
    large = len(nodes) > LARGE
    detailed = len(nodes) <= MANY if full is None else full
    if full is None:
        full = not large
    index = {node.id: i for i, node in enumerate(nodes)}
    parent = [-1 if node.parent is None else index[node.parent] for node in nodes]
    links, edge = _links(graph, index, parent)
    rows_are, rows, size_in_bytes = _numbers(nodes, parent, edge)
    titles = (
        [_safe_title(node) for node in nodes] if full else [one_line(quick_title(node), 200) or "?" for node in nodes]
    )
    names = inner_names(nodes) if full else {}
    subs = [_sub(node, names) for node in nodes] if full else None
    numbers = [node.id + 1 if node.operator_id is None else node.operator_id for node in nodes]
    badges = [graph.shown_badges(node) for node in nodes]
    width, height = (
        _card_sizes(nodes, parent, titles, subs, numbers, badges)
        if subs is not None and not large
        else _equal_cards(len(nodes))
    )
    x, y, size = _places(parent, width, height)
    columns: dict[str, object] = {
        "id": [node.id for node in nodes],
        "x": x,
        "y": y,
        "w": width,
        "h": height,
        "kind": [_KIND_INDEX.get(node.kind, len(KINDS) - 1) for node in nodes],
        "op": [one_line(node.op, 200) for node in nodes],
        "title": titles,
        "sub": subs,
        "parent": parent,
        "edge": edge,
        "depth": [node.depth for node in nodes],
        "first": [node.source[0] if node.source else 0 for node in nodes],
        "last": [node.source[1] if node.source else 0 for node in nodes],
        "codegen": [-1 if node.codegen_stage is None else node.codegen_stage for node in nodes],
        "number": numbers,
        "badges": [[one_line(badge, 40) for badge in shown] for shown in badges],
        "rows": rows,
        "sign": _signs(nodes, rows_are),
        "bytes": size_in_bytes,
    }
    scene = Scene(
        title=one_line(graph.title),
        stage=one_line(graph.stage),
        notes=[one_line(note, 2_000) for note in graph.notes],
        size=size,
        nodes=columns,
        rows_are=rows_are,
        links=links,
        details=[_details(node) for node in nodes] if detailed else None,
    )
    scene.short.extend(summary.in_short(graph, scene))
    return scene


def scene_details(graph: PlanGraph) -> dict[str, object]:
    """What `build_scene` put off for a large plan: `title`, `sub` and `details` of every node in the order of text."""
    names = inner_names(graph)
    return {
        "title": [_safe_title(node) for node in graph],
        "sub": [_sub(node, names) for node in graph],
        "details": [_details(node) for node in graph],
    }


def _safe_title(node: PlanNode) -> str:
    return one_line(title(node), 200) or "?"


def _sub(node: PlanNode, names: Mapping[str, str]) -> Sub:
    return [[lead, one_line(text)] for lead, text in subtitle(node, names)]


def _details(node: PlanNode) -> list[list[str]]:
    return [[one_line(name, 100), lines(text)] for name, text in facts(node)]


def _links(graph: PlanGraph, index: dict[int, int], parent: list[int]) -> tuple[list[list[object]], list[str]]:
    """Cross links, and the type of every node's own edge to its parent as one letter."""
    links: list[list[object]] = []
    edge = ["c"] * len(parent)
    for link in graph.links():
        source, target = index[link.source], index[link.target]
        if parent[target] == source:
            edge[target] = "s"
        else:
            links.append([source, target, link.type])
    return links, edge


def _equal_cards(count: int) -> tuple[list[float], list[float]]:
    card = tokens()["card"]
    return [card["width"]] * count, [card["height"]] * count


def _card_sizes(
    nodes: list[PlanNode],
    parent: list[int],
    titles: list[str],
    subs: list[Sub],
    numbers: list[int],
    badges: list[tuple[str, ...]],
) -> tuple[list[float], list[float]]:
    """Cards as high as their lines and as wide as their title; wider for their lines while the picture stays handy."""
    from planviz.render.fonts import text_width

    card, comfortable = tokens()["card"], tokens()["layout"]["comfortable"]
    titled: list[float] = []
    wished: list[float] = []
    height: list[float] = []
    for i, node in enumerate(nodes):
        mark = number_mark(numbers[i], -1 if node.codegen_stage is None else node.codegen_stage)
        margins = 2 * card["number"]["right"]
        head = text_width(titles[i], card["title"]["size"], bold=True) + text_width(mark, card["number"]["size"])
        head += card["title"]["x"] + margins
        line = max((text_width(f"{lead} {text}", card["sub"]["size"]) for lead, text in subs[i]), default=0.0)
        titled.append(min(max(card["width"], round(head + 0.5)), card["max_width"]))
        wished.append(max(titled[i], round(line + card["sub"]["x"] + margins)))
        # Badges have a line of their own here, so that they never cost words.
        height.append(card["bare_height"] + card["line"] * (len(subs[i]) + bool(badges[i])))
    total = _places(parent, titled, height)[2][0]
    if total >= comfortable or not nodes:
        return titled, height
    # So many cards stand side by side at the widest place, about; the room that is left goes to each alike.
    columns = max(1, round(total / (card["width"] + tokens()["layout"]["gap_x"])))
    most = min(card["width"] + (comfortable - total) / columns, card["roomy_width"])
    return [max(title, round(min(wish, most))) for title, wish in zip(titled, wished, strict=True)], height


def number_mark(number: int, codegen: int) -> str:
    """What stands last on a card: the codegen stage in Spark's form, if any, and the node's number."""
    return f"*({codegen})\xa0\xa0{number}" if codegen >= 0 else str(number)


def _places(
    parent: list[int], width: list[float], height: list[float]
) -> tuple[list[float], list[float], tuple[float, float]]:
    layout = tokens()["layout"]
    margin = layout["margin"]
    x, y = tidy(parent, width, height, gap_x=layout["gap_x"], gap_y=layout["gap_y"], fork_gap=layout["fork_gap"])
    x = [_short(value + margin) for value in x]
    y = [_short(value + margin) for value in y]
    right = max((a + b for a, b in zip(x, width, strict=True)), default=margin)
    bottom = max((a + b for a, b in zip(y, height, strict=True)), default=margin)
    return x, y, (_short(right + margin), _short(bottom + margin))


def _short(value: float) -> float:
    """At most one decimal, and none when it is whole, which makes the JSON a third shorter."""
    rounded = round(value, 1)
    whole = int(rounded)
    return whole if whole == rounded else rounded


def _numbers(
    nodes: list[PlanNode], parent: list[int], edge: list[str]
) -> tuple[str, list[int | None], list[int | None]]:
    """Rows and bytes of every node: measured ones if the plan ran, else the optimizer's, never both in one picture."""
    if any(node.metrics for node in nodes):
        rows = carried_rows(nodes, [p if letter == "c" else -1 for p, letter in zip(parent, edge, strict=True)])
        size = [measured_bytes(node) for node in nodes]
        if any(value is not None for value in rows + size):
            return "measured", rows, size
    estimates = [node.estimate for node in nodes]
    rows = [_expected_rows(estimate) for estimate in estimates]
    size = [estimate.size_in_bytes if estimate else None for estimate in estimates]
    known = any(value is not None for value in rows) or any(value is not None for value in size)
    return "estimated" if known else "unknown", rows, size


def _expected_rows(estimate: Estimate | None) -> int | None:
    if estimate is None:
        return None
    return estimate.formula_rows if estimate.rows is None else estimate.rows


def _signs(nodes: list[PlanNode], rows_are: str) -> list[int]:
    """What each number of rows is worth: 0 as `rows_are` says, or one of `FORMULA` and `AT_MOST`."""
    if rows_are != "estimated":
        return [0] * len(nodes)
    told = (node.estimate for node in nodes)
    return [0 if e is None or e.formula_rows is None else AT_MOST if e.at_most else FORMULA for e in told]
