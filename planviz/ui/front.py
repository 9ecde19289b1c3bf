"""The page that browsers load first, and the files behind it: Streamlit's own, answered from memory and named ahead.

Streamlit's page names the scripts of its frame only; those of widgets follow when the first run of the page has asked
for them, one after the other. Here the page names them at once, says where the server is (which saves waiting for two
requests, and on an address such as /rules two that fail), and comes with a box that takes a text before any script has
run (`early.js`). Scripts and styles are compressed once and kept; their names change with their content, so browsers
may keep them for a year.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response

from planviz.jsontypes import JsonObject
from planviz.language import LANGUAGES, translations
from planviz.render.web import ELEMENTS, script, source, style, without_comments
from planviz.ui import people

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_STATIC = Path(streamlit.__file__).with_name("static")
_TYPES = {
    ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml",
    ".json": "application/json",
}  # fmt: skip
#: Files that are compressed when they are asked for first; fonts and pictures are so already.
_TEXTS = (".js", ".css", ".svg")
_FOREVER = "public, immutable, max-age=31536000"
#: Streamlit's widgets on the first screen, by the sources that its list of files names.
_WIDGETS = ("Html", "PageLink", "BidiComponent", "Selectbox", "Button")
#: Those of the pages that follow, fetched while nobody waits.
_LATER = ("ButtonGroup", "DownloadButton", "Checkbox", "ReadOnlyGrid")
_SAFE_NAME = re.compile(r"/static/(?:js|css|media)/[\w.\-]+")


@dataclass(frozen=True)
class Asset:
    """A file as it is sent: its bytes, compressed ones if they are worth it, its type."""

    body: bytes
    packed: bytes | None
    media_type: str


@lru_cache(maxsize=512)
def asset(path: str) -> Asset | None:
    """A file of Streamlit's by its address, None where there is none of this name."""
    if not _SAFE_NAME.fullmatch(path):
        return None
    file = _STATIC / path.removeprefix("/")
    if file.suffix not in _TYPES or not file.is_file():
        return None
    return packed(file.read_bytes(), _TYPES[file.suffix], file.suffix in _TEXTS)


def packed(body: bytes, media_type: str, worth: bool = True) -> Asset:
    """Bytes with their compressed form, where that is smaller."""
    small = gzip.compress(body, 6, mtime=0) if worth and len(body) > 500 else None
    return Asset(body, small, media_type)


@cache
def ahead(widgets: tuple[str, ...]) -> tuple[str, ...]:
    """The scripts of Streamlit's widgets and what they import, by their addresses; those of its frame are not among."""
    manifest = _STATIC / "manifest.json"
    if not manifest.is_file():
        return ()
    entries: dict[str, JsonObject] = json.loads(manifest.read_text("utf-8"))
    found: dict[str, None] = {}
    wanted = [name for name in entries if any(name.endswith(f"/{widget}.tsx") for widget in widgets)]
    while wanted:
        entry = entries.get(wanted.pop())
        if entry is not None and not entry.get("isEntry") and entry["file"] not in found:
            found[entry["file"]] = None
            wanted += entry.get("imports", [])
    frame = (_STATIC / "index.html").read_text("utf-8")
    return tuple(f"/{file}" for file in found if file.endswith(".js") and file not in frame)


@cache
def index(home: bool = False) -> str:
    """Streamlit's page with what is named ahead; `home` comes with the box that takes a text at once."""
    file = _STATIC / "index.html"
    page = file.read_text("utf-8")
    preloads = "".join(f'<link rel="modulepreload" href="{address}">\n' for address in ahead(_WIDGETS))
    own = files("planviz.ui")
    head = f"<script>{_where()}{without_comments(own.joinpath('languages.js').read_text('utf-8'))}</script>\n{preloads}"
    if home:
        style, body, script = (own.joinpath(f"early.{kind}").read_text("utf-8") for kind in ("css", "html", "js"))
        # The box's script before all style sheets: whatever follows one waits for it.
        head = f"<style>{style}</style>\n<script>{without_comments(script)}</script>\n{head}"
        page = page.replace("</body>", f"{body}</body>")
    page = page.replace("</body>", f'<script type="module" src="{elements()["ahead.js"][0]}"></script>\n</body>')
    page = page.replace("<title>Streamlit</title>", "<title>planviz</title>")
    # Before the first script, so that it finds what it is told.
    at = page.find("<script")
    return page[:at] + head + page[at:]


@cache
def elements() -> dict[str, tuple[str, Asset]]:
    """Our elements' scripts and styles, what shows them ahead or in other languages: address and content by name."""
    found = {
        "ahead.js": without_comments(files("planviz.ui").joinpath("ahead.js").read_text("utf-8")),
        "language.js": source("language.js"),
    }
    for language in LANGUAGES:
        found[f"{language}.json"] = json.dumps(translations(language), ensure_ascii=False, separators=(",", ":"))
    for name in ELEMENTS:
        found |= {f"{name}.js": script(name), f"{name}.css": style(name)}
    told = {}
    for name, text in found.items():
        body, stem, ending = text.encode(), *name.split(".")
        media_type = f"{_TYPES[f'.{ending}']}; charset=utf-8"
        told[name] = f"/element/{stem}-{sha256(body).hexdigest()[:16]}.{ending}", packed(body, media_type)
    return told


def linked(name: str) -> str:
    """The script of an element as Streamlit takes it: it loads the real one, which all pages then share."""
    address = elements()[f"{name}.js"][0]
    return f"const {{ default: main }} = await import(location.origin + {json.dumps(address)});\nexport default main;\n"


def _where() -> str:
    """What Streamlit's script would ask the server before it connects."""
    told = {
        "allowedOrigins": list(streamlit.get_option("client.allowedOrigins") or ()),
        "useExternalAuthToken": False,
        "enableCustomParentMessages": False,
        "enforceDownloadInNewTab": False,
        "metricsUrl": "",
        "blockErrorDialogs": False,
        "resourceCrossOriginMode": None,
    }
    words = json.dumps(told).replace("</", "<\\/")
    later = json.dumps(ahead(_LATER))
    own = json.dumps({name: [elements()[f"{name}.{kind}"][0] for kind in ("js", "css")] for name in ELEMENTS})
    place = f'window.__streamlit={{BACKEND_BASE_URL:location.origin+"/",HOST_CONFIG:{words}}};'
    texts = json.dumps({name: [elements()[file][0] for file in ("language.js", f"{name}.json")] for name in LANGUAGES})
    return f"{place}window.__planvizLater={later};window.__planvizElements={own};window.__planvizTexts={texts};"


def scripts_of_pages() -> list[str]:
    """The scripts that stand in the pages themselves."""
    found = [script for home in (False, True) for script in re.findall(r"<script>(.*?)</script>", index(home), re.S)]
    return list(dict.fromkeys(found))


@cache
def _page(home: bool) -> tuple[Asset, str]:
    body = index(home).encode()
    return packed(body, "text/html; charset=utf-8"), f'"{sha256(body).hexdigest()[:32]}"'


def make_ready() -> None:
    """Read and compress what every browser asks for, before the first does."""

    def read() -> None:
        for home in (True, False):
            _page(home)
        for address in re.findall(r'(?:href|src)="\.?(/static/[^"]+)"', index()):
            asset(address)
        for address in ahead(_LATER):
            asset(address)

    threading.Thread(target=read, daemon=True, name="planviz-front").start()


class Front:
    """The ASGI middleware that answers with these pages and files, and lets everything else through."""

    def __init__(self, app: ASGIApp, addresses: tuple[str, ...]) -> None:
        """`app` is what stands behind, `addresses` those of pages."""
        self.app = app
        self.addresses = frozenset(addresses)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let through."""
        answer = self._answer(scope) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        await (answer or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        path = scope["path"]
        headers = Headers(scope=scope)
        if path in self.addresses:
            home = path == "/" and not scope["query_string"] and people.enters(cookie_parser(headers.get("cookie", "")))
            page, tag = _page(home)
            if headers.get("if-none-match") == tag:
                return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "no-cache"})
            return _sent(page, headers, {"ETag": tag, "Cache-Control": "no-cache"})
        if path.startswith("/static/"):
            found = asset(path)
            return None if found is None else _sent(found, headers, {"Cache-Control": _FOREVER})
        if path.startswith("/element/"):
            own = next((file for address, file in elements().values() if address == path), None)
            return None if own is None else _sent(own, headers, {"Cache-Control": _FOREVER})
        return None


def _sent(found: Asset, headers: Headers, more: dict[str, str]) -> Response:
    if found.packed is not None and "gzip" in headers.get("accept-encoding", ""):
        more = {**more, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(found.packed, media_type=found.media_type, headers=more)
    return Response(found.body, media_type=found.media_type, headers=more)
