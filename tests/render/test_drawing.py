"""The picture: header, legend, badges, edges; every text within its card."""

from __future__ import annotations

import pytest

from planviz.errors import ExportError
from planviz.graph import KINDS, PlanGraph
from planviz.render.drawing import draw, edge_width, icon_path
from planviz.render.fonts import text_width
from planviz.render.primitives import Drawing, Group, Path, Rect, Text
from planviz.render.scene import build_scene
from planviz.render.svg import texts
from tests.render import made_plans as plans

GRAPHS = {
    "brand": plans.brand_sales,
    "links": plans.with_links,
    "hostile": plans.hostile,
    "chain": lambda: plans.chain(30),
    "fan": lambda: plans.fan(30),
    "empty": lambda: PlanGraph("physical", "Physical Plan"),
}


def drawn(name: str, theme: str = "light") -> Drawing:
    return draw(build_scene(GRAPHS[name]()), theme=theme)


def words(drawing: Drawing) -> list[str]:
    return [text.text for text in texts(drawing.items)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", GRAPHS)
def test_every_text_stays_within_the_picture_and_its_card(name: str, theme: str) -> None:
    drawing = drawn(name, theme)

    for item in drawing.items:
        if isinstance(item, Group):
            card = item.items[0]
            assert isinstance(card, Rect)
            for text in texts(item.items):
                assert card.x <= left(text)
                assert left(text) + text.width <= card.x + card.width
                assert card.y + text.size * 0.7 <= text.y <= card.y + card.height
    for text in texts(drawing.items):
        assert text.width == pytest.approx(text_width(text.text, text.size, text.bold))
        assert left(text) >= 0
        assert left(text) + text.width <= drawing.width
        assert 0 <= text.y <= drawing.height


def left(text: Text) -> float:
    return text.x - text.width if text.anchor == "end" else text.x


@pytest.mark.parametrize("name", ["brand", "links", "hostile"])
def test_texts_of_a_card_do_not_run_into_each_other(name: str) -> None:
    for item in drawn(name).items:
        if not isinstance(item, Group):
            continue
        found = list(texts(item.items))
        for a in found:
            for b in found:
                if a is not b and abs(a.y - b.y) < 6 and left(a) <= left(b):
                    assert left(a) + a.width <= left(b) + 0.5, (a.text, b.text)


def test_title_and_summary_stand_on_top_and_the_legend_at_the_bottom() -> None:
    drawing = draw(build_scene(plans.brand_sales()), title="Sales by brand")
    cards = [item.items[0].y for item in drawing.items if isinstance(item, Group) and isinstance(item.items[0], Rect)]
    place = {text.text: text.y for text in texts(drawing.items)}

    assert place["Sales by brand"] < place["14 operators · 2 joins · 4 exchanges · 10 levels"] < min(cards)
    assert max(cards) < place["Scan"] < drawing.height
    assert drawing.title == "Sales by brand"
    assert drawing.description == "14 operators · 2 joins · 4 exchanges · 10 levels"


def test_the_legend_names_only_what_is_there() -> None:
    brand, links = words(drawn("brand")), words(drawn("links"))

    assert {"Scan", "Join", "Aggregate", "Exchange", "Sort", "Limit"} < set(brand)
    assert not {"Window", "Generate", "Filter", "Command"} & set(brand)
    assert "no child: bloom, pruning, reuse, subquery" in links
    assert not any(text.startswith("rows") for text in links)


def test_estimated_rows_never_look_measured() -> None:
    estimated = words(drawn("brand"))
    assert "rows estimated" in estimated
    assert "≈288M" in estimated
    assert "288M" not in estimated

    nodes = [plans.node(0, None, "Sort"), plans.node(1, 0, "FileScan", metrics={"number of output rows": "1,200,000"})]
    measured = words(draw(build_scene(PlanGraph.from_nodes("physical", "", nodes))))
    assert "rows measured" in measured
    assert "1.2M" in measured
    assert not any("≈" in text for text in measured)


def test_badges_and_notes_are_shown() -> None:
    found = words(drawn("links"))

    assert {"truncated", "unsure", "skew", "reused", "streaming", "missing input"} <= set(found)
    assert any("cut off after 10 operators" in text for text in found)


def test_links_are_dashed_and_point_at_their_target() -> None:
    paths = [item for item in drawn("links").items if isinstance(item, Path)]

    assert sum(path.dash is not None for path in paths) == 3 + 1 + 1  # links, the subquery's edge, the legend
    assert sum(path.fill is not None for path in paths) == 3


def test_colour_is_never_the_only_signal() -> None:
    icons = {kind: icon_path(kind, 0, 0, 16, "#000000").steps for kind in KINDS}

    assert len(set(icons.values())) == len(KINDS)


@pytest.mark.parametrize(("rows", "width"), [(None, 2), (0, 2), (1, 2), (1_000, 6.9), (10**9, 12)])
def test_edge_width_is_the_clamped_logarithm(rows: int | None, width: float) -> None:
    assert edge_width(rows) == width


def test_thirty_nodes_are_legible_at_1200_px() -> None:
    """Five joins in a row, each with an exchange, filter and scan beside: words keep ten pixels, the numbers nine."""
    nodes = [plans.node(0, None, "TakeOrderedAndProject", limit=100)]
    parent = 0
    for _ in range(5):
        for op in ("Project", "SortMergeJoin"):
            nodes.append(plans.node(len(nodes), parent, op))
            parent = len(nodes) - 1
        nodes.append(plans.node(len(nodes), parent, "Exchange"))
        for op in ("Filter", "FileScan"):
            nodes.append(plans.node(len(nodes), len(nodes) - 1, op))
    nodes += [plans.node(len(nodes), parent, "Filter")]
    nodes += [plans.node(len(nodes), len(nodes) - 1, "FileScan")]
    drawing = draw(build_scene(PlanGraph.from_nodes("physical", "", plans.with_depths(nodes))))

    scale = min(1, 1200 / drawing.width)
    sizes = sorted({text.size for text in texts(drawing.items)})
    assert sizes[0] * scale >= 9
    assert sizes[1] * scale >= 10


def test_an_empty_plan_says_so() -> None:
    assert "nothing to draw" in " ".join(words(drawn("empty")))


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ExportError, match="choose one of light, dark"):
        draw(build_scene(plans.brand_sales()), theme="sepia")
