"""Permalinks: a plan's text inside an address, so that a link needs no server's memory.

A link's text is `<version>.<payload>`; every version that was ever written stays readable:

    1    gzip of the UTF-8 text, as base64url without padding
"""

from __future__ import annotations

import binascii
import gzip
import io
import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable

from planviz.errors import InputError

#: Most characters of a packed text. The server takes 64 kB of request head, in which an address may stand twice (as the
#: page's and as the referrer of what the page loads); mail and chat programs cut later than this too.
LINK_LIMIT = 16_000

#: Above this many characters no plan packs into `LINK_LIMIT`, so none is tried: megabytes take a tenth of a second.
_WORTH_TRYING = 400_000

#: Bytes that a link may unpack to: well above what `pack` ever took, far below what a few kB of gzip can hold.
_MOST = 8_000_000

#: Texts that one link may hold beside the first.
_MOST_PAIRS = 24


def pack(text: str) -> str | None:
    """The text in the newest form, the same for the same text, or None when that is longer than `LINK_LIMIT`."""
    if len(text) > _WORTH_TRYING:
        return None
    packed = gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0)
    link = "1." + urlsafe_b64encode(packed).rstrip(b"=").decode()
    return link if len(link) <= LINK_LIMIT else None


def unpack(link: str) -> str:
    """The text of a link of any version.

    Raises InputError when the link is damaged, of a version this planviz does not know, or unpacks to more than a
    link can have been made of.
    """
    version, dot, payload = link.partition(".")
    reader = _READERS.get(version)
    if not dot or reader is None:
        raise InputError(
            "This link was not made by planviz, or by a newer one than this. Ask for the plan's text and paste it."
        )
    try:
        return reader(payload)
    except (binascii.Error, ValueError, OSError, EOFError, zlib.error):
        raise InputError(
            "This link is damaged: its plan cannot be unpacked. It may have been cut off when it was copied; "
            "ask for it again, or for the plan's text."
        ) from None


def pack_pairs(pairs: Iterable[tuple[str, str]]) -> str | None:
    """Names and texts, as `pack` packs one text."""
    return pack(json.dumps([*pairs]))


def unpack_pairs(link: str) -> tuple[tuple[str, str], ...]:
    """The names and texts of a link of `pack_pairs`. Raises InputError as `unpack` does."""
    try:
        told = json.loads(unpack(link))
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, list):
        pairs = [pair for pair in told if isinstance(pair, list) and len(pair) == 2]
        found = tuple((name, text) for name, text in pairs if isinstance(name, str) and isinstance(text, str))
        if len(found) == len(told) <= _MOST_PAIRS:
            return found
    raise InputError("This link is damaged: the plans that it names cannot be read. Ask for it again.")


def _version_1(payload: str) -> str:
    packed = urlsafe_b64decode(payload.encode("ascii") + b"=" * (-len(payload) % 4))
    if not packed:
        raise ValueError("nothing is no gzip file")
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        content = file.read(_MOST + 1)
    if len(content) > _MOST:
        raise InputError("This link holds more text than planviz opens.")
    return content.decode("utf-8", "surrogatepass")


_READERS: dict[str, Callable[[str], str]] = {"1": _version_1}
