"""The app's pages run without a browser, and what they send to their elements."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"


def page(name: str, /, **query: str) -> AppTest:
    """The page of a file's name, run with these parameters of its address."""
    app = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def components(app: AppTest) -> dict[str, Any]:
    """The data of the elements on the page, by their names."""
    told = {}
    for element in app.get("bidi_component"):
        proto = element.proto
        raw = proto.bytes if proto.WhichOneof("data") == "bytes" else proto.json.encode()
        told[proto.component_name] = json.loads(gzip.decompress(raw) if raw[:1] == b"\x1f" else raw)
    return told
