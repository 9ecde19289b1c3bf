"""Own addresses beside Streamlit's: a plan's details for the workbench, and pictures for other pages to embed.

    GET /plan/<key>/<plan>/details.json
    GET /plan/<key>/<plan>.svg|png|html?theme=light|dark

`key` is the hash of the document's text, so only who has the text can ask for it, and only while this process holds it.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from planviz.errors import PlanvizError

if TYPE_CHECKING:
    from planviz.ui.cache import Opened

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "html": "text/html; charset=utf-8"}

# A picture runs nothing and loads nothing; the page runs its own script in an origin of its own, without network.
_POLICIES = {
    "svg": "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox",
    "png": "default-src 'none'; sandbox",
    "html": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; sandbox allow-scripts",
    "json": "default-src 'none'; sandbox",
}


def routes() -> list[Route]:
    """The routes, for `st.App`."""
    return [
        Route("/plan/{key}/{plan}/details.json", details, methods=["GET"]),
        Route("/plan/{key}/{file}", picture, methods=["GET"]),
    ]


def details(request: Request) -> Response:
    """What a large plan's picture comes without: titles, lines and details of all nodes, findings and the text."""
    from planviz.render.scene import scene_details
    from planviz.ui.views import found

    opened, plan = _find(request.path_params["key"]), request.path_params["plan"]
    if opened is None:
        return _missing()
    try:
        graph = opened.graph(plan)
    except KeyError:
        return _missing()
    more = scene_details(graph) | {"findings": found(graph), "text": opened.text(plan)}
    body = json.dumps(more, separators=(",", ":")).encode()
    return _answer(request, body, "application/json", _POLICIES["json"])


def picture(request: Request) -> Response:
    """A plan as SVG, PNG or one-file HTML page."""
    from planviz.render import render

    plan, _, format = str(request.path_params["file"]).rpartition(".")
    opened = _find(request.path_params["key"])
    if opened is None or format not in _TYPES:
        return _missing()
    theme = request.query_params.get("theme", "light")
    try:
        body = render(opened.graph(plan), format, theme=theme)
    except KeyError:
        return _missing()
    except PlanvizError as error:
        return PlainTextResponse(f"{error}\n", status_code=422, headers=_SAFE)
    return _answer(request, body, _TYPES[format], _POLICIES[format])


def _find(key: str) -> Opened | None:
    # Imported when asked: a reload of our modules gives pages a new cache, and this is to find the same one.
    from planviz.ui import cache

    return cache.find(key)


_SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def _missing() -> Response:
    return PlainTextResponse(
        "There is no such plan here: plans are held in memory while somebody looks at them. Open the text again.\n",
        status_code=404,
        headers=_SAFE | {"Cache-Control": "no-store"},
    )


def _answer(request: Request, body: bytes, media_type: str, policy: str) -> Response:
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = _SAFE | {"Content-Security-Policy": policy, "Cache-Control": "private, max-age=3600", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
