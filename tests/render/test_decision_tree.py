"""The drawing of a decision tree: every box in its place, the path lit, nothing over anything else."""

from __future__ import annotations

import re
import runpy
import shutil
from itertools import combinations
from pathlib import Path

import pytest

from planviz.decisions.join_tree import JOIN_TREES
from planviz.errors import ExportError
from planviz.render.decision_layout import HEIGHT, ROW_GAP, lay_out, places
from planviz.render.decision_tree import Box, Way, draw_decisions
from planviz.render.svg import svg

TOOL = Path(__file__).parents[2] / "tools" / "lay_out_decisions.py"
PROFILES = list(JOIN_TREES)


@pytest.fixture(scope="module")
def tool():
    return runpy.run_path(str(TOOL))


def whole(profile, lit=()):
    """The tree with the answers of `lit` taken, and everything else passed by."""
    tree = JOIN_TREES[profile]
    boxes = [Box(q.name, q.title, state="taken" if q.name in dict(lit) else "passed") for q in tree.questions]
    ways = []
    for e in tree.edges:
        end, on = tree.outcome(e.target), dict(lit).get(e.source) == e.answer
        leaf = f"{e.source}.{e.label}"
        if end is not None:
            boxes.append(Box(leaf, end.operator, "", "chosen" if on else "passed", is_test=False))
        ways.append(Way(e.source, leaf if end is not None else e.target, e.label, on))
    return boxes, ways


@pytest.mark.parametrize("profile", PROFILES)
def test_every_test_and_every_outcome_has_a_place_of_its_own(profile):
    boxes, _ = whole(profile)
    found = places(f"joins-{profile}")
    assert found.keys() == {box.id for box in boxes}
    for (one, a), (other, b) in combinations(found.items(), 2):
        apart = abs(a.x - b.x) >= (a.width + b.width) / 2 + 16 or abs(a.y - b.y) >= HEIGHT + ROW_GAP
        assert apart, (one, other)


@pytest.mark.parametrize("profile", PROFILES)
def test_an_answer_leads_down_or_aside_and_never_up(profile):
    found = places(f"joins-{profile}")
    for way in whole(profile)[1]:
        assert found[way.target].y >= found[way.source].y, way


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("profile", PROFILES)
def test_the_kept_places_are_those_of_graphviz(profile, tool):
    made = lay_out(tool["shape_of"](JOIN_TREES[profile]))
    assert made == places(f"joins-{profile}")


def test_a_path_is_drawn_in_the_accent_above_everything_else():
    lit = (("N0", True), ("N1", False), ("N2", False), ("N3", False), ("N6", True))
    boxes, ways = whole("spark-4.3", lit)
    drawn = svg(draw_decisions(boxes, ways, places("joins-spark-4.3")), embed_font=False)
    assert drawn.count('stroke="#3450b0" stroke-width="3"') == len(lit)
    first = drawn.index('stroke-width="3"')
    assert first > drawn.rindex('stroke-width="1.5"')
    assert 'fill="#3450b0"' in drawn[drawn.index("<title>SortMergeJoin") :]
    assert len(re.findall("<g>", drawn)) == len(boxes)


def test_it_is_legible_where_1200_pixels_are_all_there_is():
    boxes, ways = whole("spark-4.3")
    drawing = draw_decisions(boxes, ways, places("joins-spark-4.3"), title="A join", subtitle="of two tables")
    assert drawing.width <= 1000
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg(drawing, embed_font=False))]
    assert min(sizes) * 1200 / 1300 >= 10


def test_texts_are_escaped_and_stay_within_their_boxes():
    boxes, ways = whole("spark-4.3")
    boxes[0] = Box("N0", "<script>alert(1)</script>" * 9, "a < b & c", "taken")
    drawing = draw_decisions(boxes, ways, places("joins-spark-4.3"), theme="dark", title="<b>")
    drawn = svg(drawing, embed_font=False)
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn
    assert "a &lt; b &amp; c" in drawn
    for text in re.findall(r'<text x="([\d.]+)"[^>]* textLength="([\d.]+)"', drawn):
        assert float(text[0]) + float(text[1]) <= drawing.width


def test_an_unknown_theme_is_refused():
    boxes, ways = whole("spark-4.3")
    with pytest.raises(ExportError):
        draw_decisions(boxes, ways, places("joins-spark-4.3"), theme="pink")
