"""What stands before a server with accounts: who did not sign in gets the page that asks for it, and nothing else.

Closed is whatever is not named here, so that an address added later is closed, too. Open are Streamlit's own parts of a
page, which hold nothing of a document, and pictures (`/plan/<id>.svg`), which look themselves at who asks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse
from streamlit.auth_util import get_origin_from_redirect_uri

from planviz.ui import people

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The cookie that remembers the address somebody came for, while they sign in.
_BOUND_FOR = "planviz_bound_for"
#: The longest such address: a browser keeps 4,096 bytes.
_LONGEST = 3_500
_SECONDS = 900
_OPEN = re.compile(
    r"/_stcore/(?:health|host-config|script-health-check|stream)|/(?:static|element)/.+|/auth/(?:login|logout)"
    r"|/oauth2callback|/favicon\.\w+|/manifest\.json|/robots\.txt"
)
_PICTURE = re.compile(r"/plan/[^/]+")
_MESSAGE = "Sign in first: reload the page, or open the server's own address in a tab of its own."


class Doors:
    """The ASGI middleware that lets in whoever signed in."""

    def __init__(self, app: ASGIApp, addresses: tuple[str, ...]) -> None:
        """`app` is what stands behind, `addresses` those of pages."""
        self.app = app
        self.addresses = frozenset(addresses)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let through."""
        # A WebSocket carries pages alone, and these ask themselves (app.py).
        if scope["type"] != "http" or not people.is_on():
            await self.app(scope, receive, send)
            return
        send = _secured(send)
        request = HTTPConnection(scope)
        reads, path = scope["method"] in ("GET", "HEAD"), str(scope["path"])
        enters = people.enters(request.cookies)
        if reads and path in self.addresses:
            await self._page(request, enters, receive, send)
        elif enters or _OPEN.fullmatch(path) or (reads and _PICTURE.fullmatch(path)):
            await self.app(scope, receive, send)
        else:
            refused = JSONResponse({"message": _MESSAGE, "line": None}, 401, {"Cache-Control": "no-store"})
            await refused(scope, receive, send)

    async def _page(self, request: HTTPConnection, enters: bool, receive: Receive, send: Send) -> None:
        """A page; whoever signed in goes on to the address that they came for."""
        query = request.url.query
        came_for = request.url.path + (f"?{query}" if query else "")
        if enters and came_for == "/" and (address := self._bound_for(request)):
            answer = RedirectResponse(address, 303, {"Cache-Control": "no-store"})
            answer.delete_cookie(_BOUND_FOR, path="/")
            await answer(request.scope, receive, send)
            return
        kept = quote(came_for, safe="/")
        noted = "" if enters or came_for == "/" or len(kept) > _LONGEST else kept

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start" and noted:
                cookie = f"{_BOUND_FOR}={noted}; Max-Age={_SECONDS}; Path=/; HttpOnly; SameSite=Lax"
                message["headers"] = [*message["headers"], (b"set-cookie", cookie.encode("latin-1"))]
            await send(message)

        await self.app(request.scope, receive, noting)

    def _bound_for(self, request: HTTPConnection) -> str:
        """The address that a cookie remembers, "" for what is no page of this server."""
        address = unquote(request.cookies.get(_BOUND_FOR, ""))
        path, mark, query = address.partition("?")
        if path not in self.addresses or not query.isprintable():
            return ""
        return path + mark + quote(query, safe="%=&+/:;,.-_~!*'()@$?")


def _secured(send: Send) -> Send:
    """Where the server's name is an https one its cookies never travel without, which Streamlit leaves open."""
    if not (get_origin_from_redirect_uri() or "").startswith("https:"):
        return send

    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, value + b"; Secure" if name.lower() == b"set-cookie" else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return secured
