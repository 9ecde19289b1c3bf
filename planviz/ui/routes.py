"""Own addresses beside Streamlit's: a plan's details for the workbench, and pictures for other pages to embed.

    POST /plan?catalog=&profile=                 a text, answered with its key and what Explore shows of it
    GET /plan/<key>/<plan>/details.json
    GET /plan/<key>/<plan>/why.json              why its joins are what they are, in short
    GET /plan/<key>/<plan>/why/<node>.json       why one operator is there, for the panel beside the picture
    GET /plan/<key>/<plan>.svg|png|html?theme=light|dark
    GET /plan/<id or packed text>.svg|png|html|json?stage=&query=&step=&page=    for other pages (`planviz.ui.embeds`)
    POST /cardinality/<key>[/order|/catalogue]   what is edited on the Cardinality page, answered with plans (JSON)
    GET /plan/<key>/step-<n>.svg|png?theme=light|dark&view=split|merged      a step of the trace, from 1
    GET /ahead/<visitor>/<page>?plan=            what a page will show, before its run (`planviz.ui.ahead`)
    POST /selected/<visitor>                     which operator a visitor looks at, for the next stage or page
    POST /joins/<key>                            what-ifs of the Joins page, answered with the joins planned anew
    GET /joins/<key>/<n>.svg|png?theme=light|dark&what=...                   a join's decision tree, from 1
    POST /aggregations/<key>                     another aggregate, setting or sample rows, answered with its stages
    GET /aggregations/<key>/<n>.svg|png?theme=light|dark&setting=...         an aggregate's stages, from 1

`key` is the hash of the document's text, so only who has the text can ask for it, and only while this process holds it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from planviz.document import PASTE_LIMIT
from planviz.errors import ExportError, InputError, LimitExceeded, PlanvizError
from planviz.ui import pictures, questions, workers
from planviz.ui.bodies import ODD, json_bytes, read_json
from planviz.ui.opened import Opened

#: Most bytes of a question about joins.
_QUESTION = 100_000
#: Most bytes of a question about estimates: edits of many tables are some kB.
_EDITS = 1_000_000
#: Seconds between two looks whether whoever asked is still there.
_LOOK = 0.25
#: Questions of one address that are worked on or wait at once; many people may come from one (a proxy's).
_TOGETHER = 32
_asked: Counter[str] = Counter()
_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}

# A picture runs nothing and loads nothing; the page runs its own script in an origin of its own, without network.
_POLICIES = {
    "svg": "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox",
    "png": "default-src 'none'; sandbox",
    "html": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; "
    "base-uri 'none'; form-action 'none'; sandbox allow-scripts",
    "json": "default-src 'none'; sandbox",
}


def routes() -> list[Route]:
    """The routes, for `st.App`."""
    return [
        Route("/plan", upload, methods=["POST"]),
        Route("/plan/{file}", embed, methods=["GET"]),
        Route("/plan/{key}/{plan}/details.json", details, methods=["GET"]),
        Route("/plan/{key}/{plan}/why.json", joins_in_short, methods=["GET"]),
        Route("/plan/{key}/{plan}/why/{node}.json", reasons, methods=["GET"]),
        Route("/plan/{key}/{file}", picture, methods=["GET"]),
        Route("/ahead/{visitor}/{page}", ahead, methods=["GET"]),
        Route("/selected/{visitor}", selected, methods=["POST"]),
        Route("/joins/{key}", joins_as_if, methods=["POST"]),
        Route("/joins/{key}/{file}", join_picture, methods=["GET"]),
        Route("/aggregations/{key}", aggregates_as_if, methods=["POST"]),
        Route("/aggregations/{key}/{file}", stages_picture, methods=["GET"]),
        Route("/cardinality/{key}", estimates, methods=["POST"]),
        Route("/cardinality/{key}/{what}", estimates, methods=["POST"]),
    ]


async def upload(request: Request) -> Response:
    """Open a text: `{"key", "element", "data"}`, or 422 with `{"message", "line"}` when it cannot be opened.

    The box sends texts here and only the key through Streamlit, whose run of the page takes longer than the work: what
    it will show is in the answer. Pages of other origins are turned away.
    """
    body = await _body(request, 4 * PASTE_LIMIT)
    if body is None:
        return _refusal(f"The box takes up to {PASTE_LIMIT // 10**6} million characters.", None, 413)
    if isinstance(body, Response):
        return body
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        return _refusal(f"Byte {error.start + 1} of the text is no UTF-8. Save the text as UTF-8.", None, 400)
    asked = request.query_params
    return await worked(request, _opened, text, asked.get("catalog", ""), asked.get("profile", ""))


async def _body(request: Request, most: int) -> bytearray | Response | None:
    """What was sent; None when it is more than `most` bytes, the answer when it comes from elsewhere."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return PlainTextResponse("Only planviz's own page may send texts here.\n", status_code=403, headers=_SAFE)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                return None
    except ClientDisconnect:
        return Response(status_code=499)
    return body


async def selected(request: Request) -> Response:
    """Note what a visitor selected: `{"view", "number"}`; nothing to answer."""
    from planviz.ui import selections

    body = await _body(request, 1_000)
    if isinstance(body, Response):
        return body
    told = None if body is None else read_json(body)
    if told is None:
        return _refusal(ODD, None, 400)
    if not selections.select(str(request.path_params["visitor"]), told.get("view"), told.get("number")):
        return _missing()
    return Response(status_code=204, headers=_SAFE | {"Cache-Control": "no-store"})


async def joins_as_if(request: Request) -> Response:
    """The joins of a document as if settings, sizes, hints or types were others (`planviz.ui.joins.reply`)."""
    return await _as_if(request, pictures.joins_if)


async def aggregates_as_if(request: Request) -> Response:
    """An aggregate with a setting or other sample rows (`planviz.ui.aggregate_views.reply`)."""
    return await _as_if(request, pictures.aggregates_if)


async def _as_if(request: Request, ask: Callable[[Opened, dict[str, object]], tuple[int, bytes]]) -> Response:
    body = await _body(request, _QUESTION)
    if isinstance(body, Response):
        return body
    opened = _find(request.path_params["key"])
    if opened is None:
        return _refusal("The server no longer holds this plan in memory. Reload the page.", None, 404)
    if body is None:
        return _refusal("That many changes are not taken at once.", None, 413)
    asked = read_json(body)
    if asked is None:
        return _refusal(ODD, None, 400)
    return await worked(request, _told, ask, opened, asked)


async def join_picture(request: Request) -> Response:
    """A join's decision tree as SVG or PNG."""
    number, _, format = str(request.path_params["file"]).rpartition(".")
    asked = request.query_params
    what, theme = asked.get("what", ""), asked.get("theme", "light")
    return await worked(request, _picture, request, format, lambda o: pictures.join(o, number, format, what, theme))


async def stages_picture(request: Request) -> Response:
    """An aggregate's stages as SVG or PNG."""
    number, _, format = str(request.path_params["file"]).rpartition(".")
    asked = request.query_params
    setting, theme = asked.get("setting", ""), asked.get("theme", "light")
    return await worked(
        request, _picture, request, format, lambda o: pictures.stages(o, number, format, setting, theme)
    )


async def estimates(request: Request) -> Response:
    """What the Cardinality page asks while somebody edits: JSON of `planviz.ui.cardinality.asked_for`."""
    body = await _body(request, _EDITS)
    if body is None:
        return _refusal("That many edits are not taken at once.", None, 413)
    if isinstance(body, Response):
        return body
    opened = _find(request.path_params["key"])
    if opened is None:
        return _missing()
    return await worked(request, _told, pictures.estimates, opened, request.path_params.get("what", ""), body)


def _told(ask: Callable[..., tuple[int, bytes]], *asked: object) -> Response:
    status, body = ask(*asked)
    return Response(body, status, media_type="application/json", headers=_SAFE | {"Cache-Control": "no-store"})


async def worked(request: Request, function: Callable[..., Response], *args: object) -> Response:
    """The answer of a function that works in a thread, until whoever asked has gone away.

    More than `_TOGETHER` questions of one address are turned away before they take a thread from others.
    """
    asker = request.client.host if request.client is not None else ""
    if _asked[asker] >= _TOGETHER:
        return _refusal("The server is busy with your other questions. Try again in a moment.", None, 503)
    _asked[asker] += 1
    try:
        return await _worked(request, asker, function, *args)
    finally:
        _asked[asker] -= 1
        if not _asked[asker]:
            del _asked[asker]


async def _worked(request: Request, asker: str, function: Callable[..., Response], *args: object) -> Response:
    gone = threading.Event()

    def watch() -> None:
        if gone.is_set():
            raise ClientDisconnect

    def work() -> Response:
        questions.watch.set(watch)
        questions.asker.set(asker)
        try:
            return function(*args)
        except LimitExceeded as error:
            return _refusal(str(error), None, 503)

    task = asyncio.ensure_future(anyio.to_thread.run_sync(work, limiter=_threads()))
    while not (await asyncio.wait({task}, timeout=_LOOK))[0]:
        if await request.is_disconnected():
            gone.set()
    try:
        return task.result()
    except ClientDisconnect:
        return Response(status_code=499)


@lru_cache
def _threads() -> anyio.CapacityLimiter:
    """The threads in which questions wait: more than the workers let wait, so that these say when they are busy."""
    return anyio.CapacityLimiter(2 * workers.WAITING)


def _opened(text: str, catalog: str, profile: str) -> Response:
    from planviz.ui import ahead, cache

    if cache.is_catalogue(text):
        return JSONResponse({}, headers=_SAFE | {"Cache-Control": "no-store"})
    try:
        opened = cache.open_next(text, catalog if cache.is_catalog(catalog) else cache.AUTO, profile)
        look = ahead.first_look(opened)
    except LimitExceeded:
        raise
    except PlanvizError as error:
        return _refusal(str(error), getattr(error, "line", None), 422)
    more = b"" if look is None else b',"element":"workbench","data":' + look
    body = b'{"key":"' + opened.key.encode() + b'"' + more + b"}"
    return Response(body, media_type="application/json", headers=_SAFE | {"Cache-Control": "no-store"})


async def ahead(request: Request) -> Response:
    """What a page will show: JSON of its element, whose name is in `X-Planviz-Element`; 204 where it has none."""
    path = request.path_params
    return await worked(request, _ahead, path["visitor"], path["page"], request.query_params.get("plan"))


def _ahead(visitor: str, page: str, plan: str | None) -> Response:
    from planviz.ui import ahead

    headers = _SAFE | {"Cache-Control": "no-store"}
    try:
        found = ahead.page_data(visitor, page, plan)
    except (PlanvizError, KeyError):
        found = None  # the page itself says what is wrong
    if found is None:
        return Response(status_code=204, headers=headers)
    name, body = found
    headers |= {"X-Planviz-Element": name} | ({"Content-Encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {})
    return Response(body, media_type="application/json", headers=headers)


def _refusal(message: str, line: int | None, status: int) -> Response:
    # A message may quote half a character, which JSONResponse cannot write.
    body = json_bytes({"message": message, "line": line})
    return Response(body, status_code=status, headers=_SAFE, media_type="application/json")


async def details(request: Request) -> Response:
    """What a large plan's picture comes without: titles, lines and details of all nodes, findings and the text."""
    plan = request.path_params["plan"]
    return await worked(request, _picture, request, "json", lambda o: pictures.details(o, plan))


async def reasons(request: Request) -> Response:
    """Why one operator is there: JSON of `planviz.ui.reasons.reasons_of`."""
    path = request.path_params
    return await worked(request, _reasons, request, lambda o: pictures.why(o, path["plan"], str(path["node"])))


async def joins_in_short(request: Request) -> Response:
    """Why a plan's joins are what they are: JSON of `planviz.ui.reasons.joins_in_short`."""
    plan = request.path_params["plan"]
    return await worked(request, _reasons, request, lambda o: pictures.joins_in_short(o, plan))


async def picture(request: Request) -> Response:
    """A plan, or a step of its trace, as SVG, PNG or one-file HTML page."""
    plan, _, format = str(request.path_params["file"]).rpartition(".")
    theme, view = request.query_params.get("theme", "light"), request.query_params.get("view", "split")

    def draw(opened: Opened) -> bytes:
        if plan.startswith("step-"):
            return pictures.step(opened, plan[5:], format, view, theme)
        return pictures.picture(opened, plan, format, theme)

    return await worked(request, _picture, request, format, draw)


async def embed(request: Request) -> Response:
    """A picture of a saved or packed document, for other pages."""
    return await worked(request, _embedded, request)


def _embedded(request: Request) -> Response:
    from planviz.ui import embeds, people

    headers = _SAFE | {"Cache-Control": "no-store"}
    try:
        wanted = embeds.asked(str(request.path_params["file"]), request.query_params)
    except InputError as error:
        return PlainTextResponse(f"{error}\n", status_code=400, headers=headers)
    try:
        body = embeds.figure(wanted, people.asking(request.cookies))
    except KeyError:
        return PlainTextResponse("The document has no such part.\n", status_code=404, headers=headers)
    except LimitExceeded:
        raise
    except ExportError as error:
        return PlainTextResponse(f"{error}\n", status_code=422, headers=headers)
    except PlanvizError as error:
        return PlainTextResponse(f"{error}\n", status_code=404, headers=headers)
    # What is deleted is to be gone from the browsers that showed it, too: they ask before they show it again.
    return _answer(request, body, _TYPES[wanted.format], _POLICIES[wanted.format], "private, no-cache")


def _picture(request: Request, format: str, draw: Callable[[Opened], bytes]) -> Response:
    opened = _find(request.path_params["key"])
    if opened is None or format not in _TYPES:
        return _missing()
    try:
        body = draw(opened)
    except KeyError:
        return _missing()
    except LimitExceeded:
        raise
    except PlanvizError as error:
        if format == "json":
            return _refusal(str(error), None, 422)
        return PlainTextResponse(f"{error}\n", status_code=422, headers=_SAFE)
    return _answer(request, body, _TYPES[format], _POLICIES[format])


def _reasons(request: Request, draw: Callable[[Opened], bytes]) -> Response:
    """What is told of a plan's operators: of a pasted plan by its replay, where that takes no time."""
    from planviz.ui.replayed import with_reasons

    return _picture(request, "json", lambda opened: draw(with_reasons(opened)))


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


def _answer(
    request: Request, body: bytes, media_type: str, policy: str, kept: str = "private, max-age=3600"
) -> Response:
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = _SAFE | {"Content-Security-Policy": policy, "Cache-Control": kept, "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
