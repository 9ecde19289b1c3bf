"""Strings of a plan are text in every format, whatever they carry."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planviz.graph import PlanGraph, PlanNode
from planviz.render import render
from planviz.render.scene import build_scene
from tests.render import made_plans as plans

ANY = st.text(st.characters(codec=None, categories=None), min_size=1, max_size=40) | st.sampled_from(plans.HOSTILE)
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "rect", "g", "path", "text")}


def plan_of(text: str) -> PlanGraph:
    """One node that carries the text in every place a plan has for text."""
    arguments = {"condition": text, "table": text, "output": [text], "alias": text}
    nodes = [
        PlanNode(0, text, "other", text, arguments=arguments, badges=(text,)),
        PlanNode(1, "FileScan", "scan", text, parent=0, depth=1, arguments=arguments),
        PlanNode(
            2, "Sort", "sort", text, parent=1, depth=2, metrics={"number of output rows": text, "data size": text}
        ),
    ]
    return PlanGraph.from_nodes(text, text, nodes, notes=(text,))


def acting(text: str) -> list[str]:
    """Characters that steer a terminal or the direction of writing, or that no file may hold."""
    return [c for c in text if c not in "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(ANY)
def test_svg(text: str) -> None:
    picture = render(plan_of(text), "svg", title=text).decode()
    root = ElementTree.fromstring(picture)

    assert not acting(picture)
    assert {element.tag for element in root.iter()} <= ALLOWED
    styles = [element.text or "" for element in root.iter(f"{SVG}style")]
    assert all(re.fullmatch(r"(@font-face\{[\w':;,\- ()/+=.]*\})*", style) for style in styles)
    for element in root.iter():
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_dot(text: str) -> None:
    """Outside of quoted strings nothing of the plan's text is left."""
    written = render(plan_of(text), "dot", title=text).decode()

    assert not acting(written)
    bare = re.sub(r'"(?:[^"\\\n]|\\["\\n])*"', "S", written)
    assert re.fullmatch(
        r"digraph plan \{\n(?:  (?:graph|node|edge|n\d|n\d -> n\d)(?: \[[\w=,. ]*\])?;\n)*\}\n", bare
    ), bare
    assert not re.search(r"&[#\w]+;", written.replace("&amp;", ""), re.ASCII)


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_mermaid(text: str) -> None:
    """Labels hold letters, digits, spaces, entity codes and our own line breaks; the rest is the chart's grammar."""
    written = render(plan_of(text), "mmd", title=text).decode()

    assert not acting(written)
    label = r"(?:[^\W_]|[ ,_=]|#\d+;|<br/>)*"
    lines = [
        "flowchart TD",
        rf"  accTitle: {label}",
        rf'  n\d\["{label}"\]:::\w+',
        r"  n\d --- n\d",
        r'  n\d ---\|"[\w#;]*"\| n\d',
        r"  classDef \w+ fill:#\w{6},stroke:#\w{6},stroke-width:2px,color:#\w{6}",
    ]
    for line in written.splitlines():
        assert any(re.fullmatch(allowed, line) for allowed in lines), line


@settings(max_examples=150, deadline=None)
@given(ANY)
def test_json(text: str) -> None:
    written = render(plan_of(text), "json", title=text).decode("ascii")

    assert not acting(written)
    assert not set(written) & set("<&")
    plan = json.loads(written)
    assert plan["nodes"][0]["op"] == text
    assert plan["nodes"][1]["arguments"]["output"] == [text]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(ANY)
def test_pdf(text: str) -> None:
    from pypdf import PdfReader

    page = PdfReader(io.BytesIO(render(plan_of(text), "pdf", title=text))).pages[0]

    assert "/Annots" not in page
    assert "/AA" not in page
    assert not acting(page.extract_text().replace("\xa0", " "))


@settings(max_examples=10, deadline=None)
@given(ANY)
def test_png(text: str) -> None:
    assert render(plan_of(text), "png", title=text).startswith(b"\x89PNG")


@pytest.mark.parametrize("format", ["svg", "png", "pdf", "html", "dot", "mmd", "json"])
def test_all_at_once(format: str) -> None:
    made = render(plans.hostile(), format, title=" ".join(plans.HOSTILE))

    assert made
    if format in {"png", "pdf"}:
        return  # compressed; the tests above read what these say
    for forbidden in (b"\x1b", b"\x00", "\u202e".encode(), "\u2066".encode(), "\u2028".encode()):
        assert forbidden not in made
    if format != "dot":  # where quotes alone have a meaning
        assert b"<script>alert" not in made
        assert b"<svg onload" not in made


@given(ANY)
@settings(max_examples=150, deadline=None)
def test_the_scene_holds_only_harmless_strings(text: str) -> None:
    def strings(value: object) -> list[str]:
        if isinstance(value, dict):
            return [found for item in value.values() for found in strings(item)]
        if isinstance(value, (list, tuple)):
            return [found for item in value for found in strings(item)]
        return [value] if isinstance(value, str) else []

    for found in strings(build_scene(plan_of(text)).to_json()):
        assert not acting(found)
        found.encode()
