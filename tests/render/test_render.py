"""Every format: right kind of file, same bytes for the same plan, clear refusals, only what it needs imported."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from planviz.errors import ExportError
from planviz.graph import PlanGraph
from planviz.render import FORMATS, render
from planviz.render.json_export import plan_json
from tests.render import made_plans as plans

MADE_HERE = [format for format in FORMATS if format != "html"]
SVG = "{http://www.w3.org/2000/svg}"


def svg_of(graph: PlanGraph, **options: str) -> ElementTree.Element:
    return ElementTree.fromstring(render(graph, "svg", **options))


@pytest.mark.slow
@pytest.mark.parametrize("format", MADE_HERE)
@pytest.mark.parametrize("make", [plans.brand_sales, plans.with_links, plans.hostile], ids=lambda make: make.__name__)
def test_equal_plans_give_equal_bytes(format: str, make: object) -> None:
    assert render(make(), format) == render(make(), format)  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("format", MADE_HERE)
def test_bytes_do_not_depend_on_the_process(format: str) -> None:
    script = (
        "import hashlib, sys; sys.path.insert(0, 'tests/render'); import made_plans as plans\n"
        "from planviz.render import render\n"
        f"print(hashlib.sha256(render(plans.with_links(), {format!r})).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "TZ": zone},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(found) == 1


@pytest.mark.parametrize("format", MADE_HERE)
@pytest.mark.parametrize("graph", [PlanGraph("physical", ""), plans.chain(1)], ids=["empty", "one"])
def test_the_smallest_plans(format: str, graph: PlanGraph) -> None:
    assert render(graph, format)


def test_an_svg_is_one_closed_file() -> None:
    root = svg_of(plans.brand_sales(), title="Sales & brands")
    text = render(plans.brand_sales(), "svg").decode()

    assert root.find(f"{SVG}title").text == "Sales & brands"  # type: ignore[union-attr]
    assert root.get("width") == root.get("viewBox", "").split()[2]
    assert len(root.findall(f"{SVG}g")) == 14
    assert set(re.findall(r"url\(([^,]*),", text)) == {"data:font/woff;base64"}
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_an_svg_tells_in_full_what_a_card_clips() -> None:
    condition = "a_very_long_column_name = 1 AND " * 10
    graph = PlanGraph.from_nodes("physical", "", [plans.node(0, None, "Filter", condition=condition)])
    card = svg_of(graph).find(f"{SVG}g/{SVG}title")

    assert card is not None
    assert card.text == f"Filter\nwhere {condition.strip()}"


@pytest.mark.parametrize(("theme", "ground"), [("light", b"#fbfbfa"), ("dark", b"#14161a")])
def test_themes(theme: str, ground: bytes) -> None:
    assert ground in render(plans.brand_sales(), "svg", theme=theme)


def png_size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def test_a_png_is_sharp_and_carries_words() -> None:
    from PIL import Image

    data = render(plans.brand_sales(), "png")
    root = svg_of(plans.brand_sales())
    with Image.open(io.BytesIO(data)) as image:
        # Header with the title at twice the size: letters in the ink's colour, so the font was found.
        title = image.convert("L").crop((56, 40, 320, 80))
        dark = sum(title.histogram()[:80])

    assert png_size(data) == (2 * int(root.get("width", "0")), 2 * int(root.get("height", "0")))
    assert 500 < dark < title.width * title.height / 2


def test_a_large_png_keeps_its_own_size() -> None:
    width, height = png_size(render(plans.fan(60), "png"))

    assert width == round(float(svg_of(plans.fan(60)).get("width", "0")) * 2)
    assert max(width, height) <= 30_000


@pytest.mark.parametrize(
    ("graph", "format", "advice"),
    [
        (plans.fan(3_000), "png", "SVG or HTML"),
        (plans.chain(5_000), "png", "SVG or HTML"),
        (plans.fan(3_000), "pdf", "SVG"),
    ],
)
def test_pictures_beyond_measure_are_refused_with_a_way_out(graph: PlanGraph, format: str, advice: str) -> None:
    with pytest.raises(ExportError, match=advice):
        render(graph, format)


def test_a_pdf_is_one_page_with_text_and_both_fonts_inside() -> None:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(render(plans.brand_sales(), "pdf", title="Sales by brand")))
    text = reader.pages[0].extract_text()
    fonts = reader.pages[0]["/Resources"]["/Font"].values()  # type: ignore[index]

    assert len(reader.pages) == 1
    assert reader.metadata is not None
    assert reader.metadata.title == "Sales by brand"
    assert "Sort Merge Inner Join" in text
    assert "ss_item_sk = i_item_sk" in text
    assert {str(font.get_object()["/BaseFont"]).split("+")[1] for font in fonts} == {
        "SourceSansPro",
        "SourceSansProSemibold",
    }


def test_a_long_plan_is_one_shrunken_pdf_page() -> None:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(render(plans.chain(400), "pdf")))

    assert len(reader.pages) == 1
    assert float(reader.pages[0].mediabox.height) <= 14_400
    assert reader.pages[0].extract_text().count("Project") >= 400


def test_dot_has_every_node_edge_and_link() -> None:
    text = render(plans.with_links(), "dot").decode()

    assert len(re.findall(r"^  n\d+ \[label=", text, re.M)) == 10
    assert len(re.findall(r"^  n\d+ -> n\d+", text, re.M)) == 9 + 3
    assert '  n8 -> n6 [label="reuse", style=dashed' in text
    assert '  n2 [label="Filter\\nwhere a > subquery\\n[truncated, unsure]"' in text


def test_mermaid_has_every_node_edge_and_link() -> None:
    text = render(plans.with_links(), "mmd").decode()

    assert text.startswith("flowchart TD\n")
    assert '  n7["Scan u"]:::scan\n' in text
    assert len(re.findall(r"^  n\d+ (?:---|-\.-) n\d+$", text, re.M)) == 9
    assert '  n8 -.->|"reuse"| n6\n' in text
    assert "n2 -.- n4" in text


def test_mermaid_says_when_its_own_limit_is_passed() -> None:
    assert b"%% 600 edges" in render(plans.fan(601), "mmd")
    assert b"%%" not in render(plans.brand_sales(), "mmd")


def test_json_is_the_plan() -> None:
    graph = plans.with_links()
    plan = json.loads(render(graph, "json"))

    assert plan == plan_json(graph)
    assert list(plan) == ["stage", "title", "nodes", "links", "notes"]
    assert [node["id"] for node in plan["nodes"]] == list(range(10))
    assert plan["nodes"][0]["parent"] is None
    assert plan["nodes"][6]["arguments"] == {"partitioning_kind": "hash", "plan_id": 7}
    assert plan["nodes"][6]["source"] == [7, 7]
    assert {"from": 8, "to": 6, "type": "reuse"} in plan["links"]
    assert {"from": 2, "to": 4, "type": "subquery"} in plan["links"]


@pytest.mark.parametrize("format", ["gif", "SVG", ""])
def test_unknown_formats_are_refused(format: str) -> None:
    with pytest.raises(ExportError, match="svg, png, pdf, html, dot, mmd, json"):
        render(plans.brand_sales(), format)


@pytest.mark.parametrize("format", MADE_HERE)
def test_unknown_themes_are_refused(format: str) -> None:
    with pytest.raises(ExportError, match="light, dark"):
        render(plans.brand_sales(), format, theme="sepia")


@pytest.mark.skipif(find_spec("planviz.render.html") is None, reason="the page for the browser is not here")
def test_html_is_a_page() -> None:
    page = render(plans.brand_sales(), "html", title="Sales by brand")

    assert page == render(plans.brand_sales(), "html", title="Sales by brand")
    assert page.lower().startswith(b"<!doctype html>")
    assert b"Sales by brand" in page


def test_importing_the_package_imports_no_library() -> None:
    script = (
        "import sys, planviz.render\n"
        "print([n for n in ('networkx', 'fontTools', 'fpdf', 'resvg_py', 'font_source_sans_pro') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=".")

    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("graph", [plans.chain(20_000), plans.fan(10_000)], ids=["deep", "wide"])
def test_svg_has_no_limit(graph: PlanGraph) -> None:
    assert len(svg_of(graph).findall(f"{SVG}g")) == len(graph)
