"""The page that plays mechanics: one file, no request, rows of any text."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from planviz.errors import ExportError
from planviz.render.mechanics import mechanics_page, packed, player_data
from planviz.render.web import script, style
from tests.mechanics.plays import plays_of

HOSTILE = (
    "SELECT k, count(*) FROM VALUES ('</script><img src=x>'), ('<!--'), ('</script><img src=x>') AS t(k) GROUP BY k"
)


def page(**options: str) -> str:
    return mechanics_page([p.to_json() for p in plays_of(HOSTILE)], **options)


def test_the_page_carries_everything() -> None:
    text = page()
    assert text == page()
    assert "default-src 'none'" in text
    assert "<title>Partial Hash Aggregate</title>" in text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
    found = re.search(r'<script type="application/json" id="planviz-data">(.*?)</script>', text, re.S)
    assert found is not None
    assert "<" not in found[1]
    assert [p["title"] for p in json.loads(found[1])["plays"]] == [
        "Partial Hash Aggregate",
        "Exchange by hash",
        "Final Hash Aggregate",
    ]


def test_themes() -> None:
    assert '"dark":true' in page(theme="dark")
    assert '"dark":null' in page()
    with pytest.raises(ExportError, match="no theme 'pink'"):
        page(theme="pink")
    with pytest.raises(ValueError, match="at least one play"):
        mechanics_page([])


def test_the_component_gets_equal_bytes() -> None:
    plays = [p.to_json() for p in plays_of(HOSTILE)]
    data = packed(player_data(plays, "query 1", play=1, step=3))
    assert data == packed(player_data(plays, "query 1", play=1, step=3))
    told = json.loads(gzip.decompress(data))
    assert (told["key"], told["play"], told["step"], told["dark"]) == ("query 1", 1, 3, None)


def test_the_script_is_one_module() -> None:
    code = script("mechanics")
    assert "export const mount = $mechanics.mount" in code
    assert not re.search(r"^import ", code, re.M)
    assert "innerHTML" not in code
    assert ".pv-table" in style("mechanics")
