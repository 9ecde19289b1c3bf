"""The one-file page and the script that goes into it, without a browser."""

from __future__ import annotations

import json
import re

import pytest

from planviz.errors import ExportError
from planviz.graph import PlanGraph, PlanNode
from planviz.render.html import html_page
from planviz.render.web import script, style

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028 & \ud800"


def graph(words: str = "Filter") -> PlanGraph:
    nodes = [
        PlanNode(0, "Filter", "filter", words, source=(1, 1), arguments={"condition": words}),
        PlanNode(1, words, "scan", words, source=(2, 2), depth=1, parent=0, arguments={}),
    ]
    return PlanGraph.from_nodes("physical", words, nodes, notes=(words,))


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="planviz-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_equal_input_gives_equal_bytes() -> None:
    assert html_page([graph()], text="Filter\n", title="t") == html_page([graph()], text="Filter\n", title="t")


def test_words_of_a_plan_cannot_end_their_place() -> None:
    page = html_page([graph(HOSTILE)], text=HOSTILE)
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "<!--" not in page.split("<style>")[1]
    data = data_of(page)
    assert data["plans"][0]["text"] == HOSTILE  # type: ignore[index]
    page.encode()  # no lone surrogate is left outside an escape


def test_the_title_is_text() -> None:
    page = html_page([graph()], title='<b>&"x"')
    assert "<title>&lt;b&gt;&amp;&quot;x&quot;</title>" in page


def test_without_a_title_the_plans_own_heads_the_page() -> None:
    assert "<title>Filter</title>" in html_page([graph()])


def test_the_policy_allows_the_pages_own_script_and_nothing_else() -> None:
    page = html_page([graph()])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]


def test_nothing_is_loaded_from_anywhere() -> None:
    page = html_page([graph()])
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)|@import|url\((?!data:)""", page)


def test_a_page_for_one_theme() -> None:
    assert data_of(html_page([graph()], theme="dark"))["dark"] is True
    assert data_of(html_page([graph()]))["dark"] is None
    with pytest.raises(ExportError, match="no theme 'pink'"):
        html_page([graph()], theme="pink")


def test_a_page_needs_a_plan() -> None:
    with pytest.raises(ValueError, match="at least one plan"):
        html_page([])


def test_large_plans_carry_their_details() -> None:
    nodes = [PlanNode(i, "Filter", "filter", "Filter", depth=i, parent=i - 1 if i else None) for i in range(2_500)]
    plans = data_of(html_page([PlanGraph.from_nodes("physical", "deep", nodes)]))["plans"]
    assert plans[0]["scene"]["details"] is not None  # type: ignore[index]


def test_the_script_is_one_module() -> None:
    code = script()
    assert not re.search(r"^import ", code, re.MULTILINE)
    assert code.count("\nexport ") == 2
    assert "</script" not in code
    assert "</script" not in script(page=True)
    assert "\nexport " not in script(page=True)


def test_plan_words_never_become_markup() -> None:
    for code in (script(), script(page=True)):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", code)
    assert "</style" not in style()


def test_the_plan_that_is_seen_first_can_be_chosen():
    assert '"opened":1' in html_page([graph(), graph()], opened=1).replace('"opened": 1', '"opened":1')
