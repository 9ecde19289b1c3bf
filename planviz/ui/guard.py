"""What stands before every address of the server: whose names it answers to, and what its pages may load.

A name that somebody lets point at this machine (DNS rebinding) gets nothing: browsers take such a page for the server's
own, but the Host of its requests is the foreign name. `planviz serve` says which names are the server's.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import os
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocketClose

from planviz.ui.front import scripts_of_pages

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Carries what `planviz serve --address --host` said to the app: an address, then names, with commas between.
VARIABLE = "PLANVIZ_HOSTS"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_AUTHORITY = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::(?P<port>\d{1,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}
#: Methods that change nothing.
_READING = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Names:
    """The names that a server answers to: `hosts` with their ports ("": any); `any_address`: also every IP address.

    An address in the place of a name is no name that anybody could point elsewhere.
    """

    hosts: tuple[tuple[str, str], ...]
    any_address: bool = False

    def answers(self, host: str | None) -> bool:
        """Whether a request's Host is one of the server's names."""
        found = authority(host)
        if found is None:
            return False
        if any(name == found[0] and port in ("", found[1]) for name, port in self.hosts):
            return True
        return self.any_address and _is_address(found[0])

    def is_own(self, origin: str | None, host: str | None, scheme: str) -> bool:
        """Whether a request comes from a page of this server itself: same name, same port.

        Without an Origin it comes from no page. Behind a proxy that changes the Host, a name of `--host` counts, at the
        port that was given with it or else the usual one.
        """
        if origin is None:
            return True
        match = _ORIGIN.fullmatch(origin.lower())
        told = authority(match["authority"]) if match else None
        if match is None or told is None:
            return False
        usual = _PORTS[match["scheme"]]
        there, here = (told[0], told[1] or usual), authority(host)
        if here is not None and there in {(here[0], here[1] or port) for port in (_PORTS.get(scheme, "80"), usual)}:
            return True
        own = [(name, port or usual) for name, port in self.hosts if name not in _LOOPBACK]
        return there in own


def authority(text: str | None) -> tuple[str, str] | None:
    """Name (in lower case, without brackets) and port ("": none) of a Host; None for what is none."""
    match = _AUTHORITY.fullmatch((text or "").lower())
    if match is None or int(match["port"] or 0) > 65535:
        return None
    name = match["name"].strip("[]")
    if match["name"].startswith("[") and not _is_address(name):
        return None
    return name, match["port"] or ""


def names_of(address: str | None, hosts: Iterable[str] = ()) -> Names:
    """The names of a server that listens at an address (None: all of the machine's) and was given `--host` names.

    Raises ValueError with the name that is none.
    """
    given = []
    for host in hosts:
        found = authority(host)
        if found is None:
            raise ValueError(host)
        given.append(found)
    everywhere = not address or (_is_address(address) and ipaddress.ip_address(address).is_unspecified)
    own = [] if everywhere else [(str(address).lower().strip("[]"), "")]
    if everywhere:
        own = [(socket.gethostname().lower(), "")]
    if everywhere or _is_loopback(str(address)):
        own += [(name, "") for name in _LOOPBACK]
    return Names((*own, *given), any_address=everywhere)


def names() -> Names:
    """The names of the running server: those that `planviz serve` derived, else those of Streamlit's own address."""
    said = os.environ.get(VARIABLE)
    if said is None:
        return names_of(streamlit.get_option("server.address") or "127.0.0.1")
    address, *hosts = [part.strip() for part in said.split(",")]
    return names_of(address, [host for host in hosts if host])


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


@lru_cache(maxsize=64)
def page_policy(host: str = "") -> str:
    """The content security policy of the app's own pages, which nobody may frame.

    Scripts are the server's own files and those of our elements, which Streamlit loads as blobs; the scripts that
    stand in the page itself (`planviz.ui.front`) are allowed by their hashes. Styles are made by scripts, so they may
    stand anywhere.
    """
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts_of_pages()]
    sockets = f" ws://{host} wss://{host}" if host and "[" not in host else ""
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self' blob:", *hashes)),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self'{sockets}",
            "worker-src 'self' blob:",
            "media-src 'self'",
            "manifest-src 'self'",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


#: What every answer says, unless a route says something else.
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_REFUSED = (
    "This server answers only to its own names. If this is one of them, let who runs it start planviz with it: "
    "planviz serve --host NAME\n"
)
_ELSEWHERE = "Only planviz's own page may send this.\n"


class Guard:
    """The ASGI middleware that turns foreign names and origins away and gives every page its policy."""

    def __init__(self, app: ASGIApp) -> None:
        """`app` is what stands behind."""
        self.app = app
        self._names: Names | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let through."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if self._names is None:  # the address is known once the server runs
            self._names = names()
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else None
        own = self._names.is_own(headers.get("origin"), host, scope["scheme"])
        answered = self._names.answers(host)
        if scope["type"] == "websocket":
            if answered and own:
                await self.app(scope, receive, send)
            else:
                await WebSocketClose(1008)(scope, receive, send)
            return
        if not answered:
            await _plain(_REFUSED, 421)(scope, receive, send)
            return
        elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        if scope["method"] not in _READING and (not own or elsewhere):
            await _plain(_ELSEWHERE, 403)(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                if "content-security-policy" not in answer:
                    answer["Content-Security-Policy"] = page_policy(host or "")
                    answer["X-Frame-Options"] = "DENY"
                    answer.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            await send(message)

        await self.app(scope, receive, guarded)


def _plain(text: str, status: int) -> PlainTextResponse:
    policy = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cache-Control": "no-store"}
    return PlainTextResponse(text, status, headers=_HEADERS | policy)
