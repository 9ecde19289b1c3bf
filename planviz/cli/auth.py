"""`planviz serve --auth`: the settings of the OpenID provider, looked at before the server starts."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from planviz.errors import InputError
from planviz.ui import guard, people

#: What an OpenID provider needs to be told, in `[auth]` itself or in an `[auth.NAME]` of it.
_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_SHORTEST = 32
_CALLBACK = "/oauth2callback"


def begin(options: argparse.Namespace, hosts: list[str], script: Path) -> dict[str, list[str]]:
    """Hand on that people sign in; returns the settings of Streamlit that say so, {} without `--auth`.

    Raises InputError for settings that are missing, or with which nobody could sign in.
    """
    os.environ.pop(people.VARIABLE, None)
    if options.auth is None:
        for option in ("allow", "hours", "trust_email"):
            if getattr(options, f"auth_{option}"):
                raise InputError(f"--auth-{option.replace('_', '-')} goes with --auth.")
        return {}
    for module in ("authlib", "httpx"):
        if importlib.util.find_spec(module) is None:
            raise InputError(f"--auth needs {module}, which is not installed: pip install 'planviz[auth]'.")
    file = _file(options.auth, script)
    auth = _section(file)
    names = _providers(file, auth)
    _callback(file, auth, options.port, guard.names_of(options.address, hosts))
    os.environ[people.VARIABLE] = ",".join(names)
    os.environ[people.ALLOWED] = ",".join(_allowed(word) for word in options.auth_allow)
    os.environ[people.HOURS] = str(_hours(options.auth_hours))
    os.environ[people.TRUSTED] = "yes" if options.auth_trust_email else ""
    return {"secrets.files": [str(file)]}


def _file(named: str, script: Path) -> Path:
    """The file of settings: the one that was named, else the first where Streamlit looks for one."""
    if named:
        if not Path(named).is_file():
            raise InputError(f"--auth {named}: there is no such file.")
        return Path(named).resolve()
    places = [Path.cwd(), script.parent, Path.home()]
    files = list(dict.fromkeys(place / ".streamlit" / "secrets.toml" for place in places))
    found = next((file for file in files if file.is_file()), None)
    if found is None:
        raise InputError(
            f"--auth: none of {', '.join(map(str, files))} is there. Write one with {_example()}, or name another file."
        )
    return found


def _section(file: Path) -> Mapping[str, object]:
    try:
        told = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"--auth {file}: the file cannot be read as TOML ({error}).") from None
    auth = told.get("auth")
    if not isinstance(auth, dict):
        raise InputError(f"--auth {file}: there is no [auth]. Write {_example()}.")
    missing = [name for name in ("redirect_uri", "cookie_secret") if not _told(auth, name)]
    if "cookie_secret" in missing:
        raise InputError(f"--auth {file}: [auth] has no {' and no '.join(missing)}. {_secret()}")
    if missing:
        raise InputError(
            f"--auth {file}: [auth] has no redirect_uri. Write the server's own address with {_CALLBACK} behind it, as "
            "it is registered with the provider."
        )
    if len(str(auth["cookie_secret"])) < _SHORTEST:
        raise InputError(f"--auth {file}: cookie_secret has fewer than {_SHORTEST} characters. {_secret()}")
    return auth


def _told(section: Mapping[str, object], name: str) -> bool:
    value = section.get(name)
    return isinstance(value, str) and bool(value.strip())


def _example() -> str:
    names = ", ".join(("redirect_uri", "cookie_secret", *_PROVIDER))
    return f"an [auth] of {names} (docs/library.md has an example)"


def _secret() -> str:
    return f'Here is one that nobody knows: cookie_secret = "{secrets.token_urlsafe(48)}"'


def _providers(file: Path, auth: Mapping[str, object]) -> list[str]:
    """The names of the providers, "default" for the one that stands in [auth] itself."""
    found: dict[str, Mapping[str, object]] = {
        name: part for name, part in auth.items() if isinstance(part, dict) and name != "client_kwargs"
    }
    if not found or any(name in auth for name in _PROVIDER):
        found = {"default": auth} | found
    for name, section in found.items():
        said = "[auth]" if name == "default" else f"[auth.{name}]"
        missing = [key for key in _PROVIDER if not _told(section, key)]
        if missing:
            raise InputError(f"--auth {file}: {said} has no {', no '.join(missing)}.")
        if not re.fullmatch(r"[A-Za-z0-9-]{1,40}", name):
            raise InputError(f"--auth {file}: {said}: a provider's name has letters, digits and hyphens alone.")
        address = urlsplit(str(section["server_metadata_url"]))
        if address.scheme != "https" and not (address.scheme == "http" and _here(address.hostname)):
            raise InputError(f"--auth {file}: {said}: server_metadata_url is no https address.")
    return list(found)


def _here(host: str | None) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")


def _callback(file: Path, auth: Mapping[str, object], port: int, names: guard.Names) -> None:
    """The provider sends people back to `redirect_uri`: that is to be an address of this server."""
    told = str(auth["redirect_uri"]).replace("{port}", str(port))
    address = urlsplit(told)
    if address.scheme not in ("http", "https") or address.path != _CALLBACK or address.query or address.fragment:
        raise InputError(f"--auth {file}: redirect_uri is {told}: write the server's name, then {_CALLBACK}.")
    if address.scheme == "http" and not _here(address.hostname):
        raise InputError(f"--auth {file}: redirect_uri is {told}: only https keeps what signs people in from others.")
    if not names.answers(address.netloc):
        raise InputError(
            f"--auth {file}: redirect_uri is {told}, and this server does not answer to {address.netloc}: "
            "add it with --host."
        )


def _allowed(word: str) -> str:
    """An e-mail, or a domain with an @ before it, as e-mails are compared."""
    told = word.strip().lower()
    if not re.fullmatch(r"[^@\s,]*@[^@\s,]+", told):
        raise InputError(f"--auth-allow {word}: write an e-mail address, or @example.com for all of a domain.")
    return told


def _hours(hours: float | None) -> float:
    if hours is None:
        return people.DEFAULT_HOURS
    if not 0 < hours <= 24 * 30:
        raise InputError(f"--auth-hours {hours:g}: a number of hours, more than 0 and at most 720 (30 days).")
    return hours
