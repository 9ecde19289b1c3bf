"""A small OpenID provider for tests: discovery, code with PKCE, RS256 tokens, keys, the end of a session."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

CLIENT, SECRET = "planviz", "secret-of-the-tests"


@dataclass
class Provider:
    """The provider: who can sign in, by login, with their claims; `spoil` changes tokens on their way."""

    people: dict[str, dict[str, object]]
    address: str = ""
    spoil: Callable[[dict[str, object], str], str] | None = None
    ended: list[str] = field(default_factory=list)
    _codes: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from joserfc.jwk import RSAKey

        self.key = RSAKey.generate_key(2048, {"kid": "test", "alg": "RS256", "use": "sig"})

    def token(self, login: str, nonce: str) -> str:
        """The signed id_token of somebody."""
        from joserfc import jwt

        now = int(time.time())
        claims = {
            "iss": self.address, "aud": CLIENT, "sub": f"sub-{login}", "iat": now, "exp": now + 600, "nonce": nonce,
            **self.people[login],
        }  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self.key)
        return signed if self.spoil is None else self.spoil(claims, signed)


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            here = provider.address
            if parts.path == "/.well-known/openid-configuration":
                self.tell(
                    {
                        "issuer": here, "authorization_endpoint": f"{here}/authorize",
                        "token_endpoint": f"{here}/token", "jwks_uri": f"{here}/jwks",
                        "end_session_endpoint": f"{here}/end",
                        "id_token_signing_alg_values_supported": ["RS256"], "response_types_supported": ["code"],
                        "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256"],
                    }
                )  # fmt: skip
            elif parts.path == "/jwks":
                self.tell({"keys": [provider.key.as_dict(private=False)]})
            elif parts.path == "/authorize" and "login" not in asked:
                links = "".join(
                    f'<p><a href="{escape(self.path)}&amp;login={quote(login)}">{escape(login)}</a></p>'
                    for login in provider.people
                )
                self.page(f"<h1>Who are you?</h1>{links}")
            elif parts.path == "/authorize" and asked["client_id"] == CLIENT and asked["response_type"] == "code":
                code = secrets.token_urlsafe(16)
                provider._codes[code] = asked["login"], asked
                self.send_response(302)
                told = urlencode({"code": code, "state": asked["state"]})
                self.send_header("Location", f"{asked['redirect_uri']}?{told}")
                self.end_headers()
            elif parts.path == "/end":
                provider.ended.append(asked.get("post_logout_redirect_uri", ""))
                self.page("<h1>Signed out</h1>")
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked = {name: values[0] for name, values in parse_qs(body).items()}
            login, began = provider._codes.pop(asked.get("code", ""), ("", {}))
            basic = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
            proof = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
            right = (
                self.path == "/token" and bool(login) and basic == f"{CLIENT}:{SECRET}"
                and asked.get("redirect_uri") == began["redirect_uri"]
                and base64.urlsafe_b64encode(proof).rstrip(b"=").decode() == began.get("code_challenge")
            )  # fmt: skip
            if not right:
                self.tell({"error": "invalid_grant"}, 400)
                return
            token = provider.token(login, began.get("nonce", ""))
            self.tell({"access_token": secrets.token_urlsafe(8), "token_type": "Bearer", "id_token": token})

        def tell(self, what: dict[str, Any], status: int = 200) -> None:
            self.body(json.dumps(what), "application/json", status)

        def page(self, html: str) -> None:
            self.body(f"<!doctype html><title>provider</title>{html}", "text/html; charset=utf-8", 200)

        def body(self, text: str, kind: str, status: int) -> None:
            sent = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

    return Handler


@contextlib.contextmanager
def providing(people: dict[str, dict[str, object]]) -> Iterator[Provider]:
    """A provider on a free port, for as long as it is needed."""
    provider = Provider(people)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    provider.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def settings(provider: Provider, port: int, cookie_secret: str = "c" * 40) -> str:
    """The file of settings of a server at a port."""
    return f"""[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "{cookie_secret}"
client_id = "{CLIENT}"
client_secret = "{SECRET}"
server_metadata_url = "{provider.address}/.well-known/openid-configuration"
"""
