"""Who asks: one machine's user, or on a server with accounts (`planviz serve --auth`) whoever signed in.

Streamlit asks the OpenID provider and keeps what that told in a signed cookie; a page's run finds it in `st.user`, our
own addresses read the cookie. Both are judged by `person_of`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from hashlib import sha256

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks, get_origin_from_redirect_uri
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from planviz.errors import PlanvizError
from planviz.render.text import one_line
from planviz.store import ALONE, NOBODY, Person

#: Carries that people sign in here: the names of the providers in Streamlit's settings, with commas between.
VARIABLE = "PLANVIZ_AUTH"
#: Carry `--auth-allow` (addresses and domains, with commas between), `--auth-hours` and `--auth-trust-email`.
ALLOWED, HOURS, TRUSTED = "PLANVIZ_AUTH_ALLOW", "PLANVIZ_AUTH_HOURS", "PLANVIZ_AUTH_TRUST_EMAIL"
#: Hours after which somebody signs in anew.
DEFAULT_HOURS = 12.0
#: Seconds by which the provider's clock may be ahead of ours.
_AHEAD = 300


class NotLetIn(PlanvizError):
    """Somebody who did not sign in, or may not use this server."""


def is_on() -> bool:
    """Whether people sign in at this server."""
    return bool(os.environ.get(VARIABLE))


def providers() -> tuple[str, ...]:
    """The names of the providers that people sign in with; "default" for the only one without a name."""
    return tuple(name for name in os.environ.get(VARIABLE, "").split(",") if name)


def person_of(claims: Mapping[str, object]) -> Person:
    """The person whom a provider's claims tell. Raises NotLetIn for nobody, or who is not to use this server.

    A person is the provider with its own name for them (`iss`, `sub`): an e-mail may be another's tomorrow. Their
    e-mail counts only when the provider has verified it, or `--auth-trust-email` says that all of its addresses are
    right.
    """
    issuer, subject, at = claims.get("iss"), claims.get("sub"), claims.get("iat")
    if claims.get("is_logged_in") is not True or not _word(issuer) or not _word(subject):
        raise NotLetIn("Sign in to use this server.")
    hours = float(os.environ.get(HOURS) or DEFAULT_HOURS)
    if isinstance(at, bool) or not isinstance(at, int | float) or not -_AHEAD < time.time() - at < hours * 3600:
        raise NotLetIn(f"You signed in more than {hours:g} hours ago. Sign in again.")
    email = _email(claims)
    _judge(email)
    key = sha256(f"{issuer}\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
    names = (claims.get("name"), email, claims.get("preferred_username"))
    name = next((one_line(str(name), 80) for name in names if _word(name)), "Somebody")
    return Person(f"oidc-{key}", email, name)


def _word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _email(claims: Mapping[str, object]) -> str:
    email, verified = claims.get("email"), claims.get("email_verified")
    # Some providers write the truth as text.
    trusted = verified in (True, "true") or (verified is None and os.environ.get(TRUSTED) == "yes")
    if not isinstance(email, str) or not trusted or len(email) > 320 or not email.isprintable():
        return ""
    return email.strip().lower()


def _judge(email: str) -> None:
    allowed = [word for word in os.environ.get(ALLOWED, "").split(",") if word]
    if not allowed:
        return
    if not email:
        raise NotLetIn("This server is for some e-mail addresses, and your provider tells none that it verified.")
    if email not in allowed and f"@{email.rpartition('@')[2]}" not in allowed:
        raise NotLetIn(f"You signed in as {email}, who may not use this server. Ask whoever runs it.")


def here() -> Person:
    """Whose page runs in this thread. Raises NotLetIn where people sign in and this one did not."""
    if not is_on():
        return ALONE
    if get_script_run_ctx(suppress_warning=True) is None:
        raise NotLetIn("Sign in to use this server.")
    return person_of(st.user.to_dict())


def asking(cookies: Mapping[str, str]) -> Person:
    """Who sent a request, by its cookies; one machine's user or NOBODY where there is none."""
    if not is_on():
        return ALONE
    try:
        return person_of(_claims(cookies))
    except NotLetIn:
        return NOBODY


def enters(cookies: Mapping[str, str]) -> bool:
    """Whether who sent a request may use this server."""
    return asking(cookies) is not NOBODY


def _claims(cookies: Mapping[str, str]) -> dict[str, object]:
    """What Streamlit wrote into its cookie when somebody signed in at this server, {} for none and for a forged one."""
    secret = get_cookie_secret()

    def signed(name: str) -> bytes | None:
        value = cookies.get(name)
        # A header is Latin-1.
        return None if value is None else decode_signed_value(secret, name, value.encode("latin-1", "replace"))

    try:
        told = json.loads(get_cookie_with_chunks(signed, USER_COOKIE_NAME) or b"")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(told, dict) or told.get("origin") != get_origin_from_redirect_uri():
        return {}
    return told
