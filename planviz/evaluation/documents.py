"""JSON, URLs, types as text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus, unquote_plus

from planviz.evaluation.core import function, type_of
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.expressions.core import AttributeReference

function("typeof", typed=True, nulls=True)(lambda e, _: type_of(e, 0).simple_string)
function("url_encode")(lambda s: quote_plus(s, safe="*"))


@function("url_decode")
def _url_decode(s: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", s):
        raise FailsError(f"'{s}' is no encoded URL", "CANNOT_DECODE_URL")
    return unquote_plus(s, errors="strict")


@function("try_url_decode")
def _try_url_decode(s: str) -> str | None:
    try:
        decoded: str = _url_decode(s)
        return decoded
    except (FailsError, ValueError):
        return None


_URL = re.compile(
    r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://((?:([^/?#@]*)@)?([^/?#:]*)(?::\d*)?))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?"
)


def _url_part(url: str, part: str, key: str | None = None) -> str | None:
    found = _URL.fullmatch(url)
    if found is None or re.search(r"[\s\"<>\\^`{|}]", url):
        raise FailsError(f"'{url}' is no URL", "INVALID_URL")
    scheme, authority, user, host, path, query, fragment = found.groups()
    parts = {"HOST": host, "PATH": path, "QUERY": query, "REF": fragment, "PROTOCOL": scheme, "AUTHORITY": authority,
             "USERINFO": user, "FILE": path + (f"?{query}" if query is not None else "")}  # fmt: skip
    if key is None:
        return parts.get(part)
    if part != "QUERY" or query is None:
        return None
    values = re.search(rf"(?:^|&){re.escape(key)}=([^&]*)", query)
    return values[1] if values else None


function("parse_url")(_url_part)


@function("try_parse_url")
def _try_url_part(url: str, part: str, key: str | None = None) -> str | None:
    try:
        return _url_part(url, part, key)
    except FailsError:
        return None


def _read(text: str) -> Value:
    """A JSON document; None for what is none, or holds numbers that would not print again as they were."""
    try:
        return json.loads(text)
    except ValueError:
        return None


@function("json_array_length")
def _json_array_length(text: str) -> int | None:
    value = _read(text)
    return len(value) if isinstance(value, list) else None


@function("json_object_keys")
def _json_object_keys(text: str) -> tuple[str, ...] | None:
    value = _read(text)
    return tuple(value) if isinstance(value, dict) else None


_STEP = re.compile(r"\.(\w+)|\['([^']*)'\]|\[(\d+)\]|\[(\*)\]")


@function("get_json_object")
def _get_json_object(text: str, path: str) -> str | None:
    if not path.startswith("$"):
        return None
    try:
        found: list[AttributeReference] = [json.loads(text, parse_float=Raw, parse_int=Raw)]
    except ValueError:
        return None
    at, several = 1, False
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise UnknownValueError(path)
        at = step.end()
        name = step[1] if step[1] is not None else step[2]
        if name is not None:
            found = [v[name] for v in found if isinstance(v, dict) and name in v]
        elif step[3] is not None:
            found = [v[int(step[3])] for v in found if isinstance(v, list) and int(step[3]) < len(v)]
        else:
            several = True
            found = [x for v in found if isinstance(v, list) for x in v]
    if not found or (len(found) == 1 and found[0] is None):
        return None
    if several and len(found) > 1:
        return written(found)
    value = found[0]
    return value if isinstance(value, str) and not isinstance(value, Raw) else written(value)


class Raw(str):
    """A number as it was written."""


def written(value: object) -> str:
    """A document as text, without spaces."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{written(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
