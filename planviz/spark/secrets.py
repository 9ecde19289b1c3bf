"""Which settings may hold a secret: their values are given to Spark and shown to nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

#: What stands in place of a value.
HIDDEN = "••••"
#: The setting that tells Spark, and planviz, of more secrets: by keys, and by values.
SETTING = "spark.redaction.regex"
#: Spark's own list (`spark.redaction.regex`) and more: keys of stores, credentials, passes in addresses.
_SECRET = re.compile(r"secret|passw|passphrase|token|credential|key\b|keytab|\.pin\b|signature", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(://[^/@\s:]+:)[^/@\s]+(@)")
_IN_OPTIONS = re.compile(r"((?:token|password|secret|key)=)[^;&\s]+", re.IGNORECASE)
#: Shorter values are too much like other text to be looked for in it.
_SHORTEST = 4


def is_secret(key: str, conf: Mapping[str, str] | None = None) -> bool:
    """Whether a setting's name says that its value is nobody's business, or `spark.redaction.regex` of `conf` does."""
    own = (conf or {}).get(SETTING)
    return _SECRET.search(key) is not None or (own is not None and _found(own, key))


def redacted(conf: Mapping[str, str]) -> dict[str, str]:
    """Settings without those that are secret, for their key or, as `spark.redaction.regex` has it, for their value."""
    own = conf.get(SETTING)
    return {k: v for k, v in conf.items() if not is_secret(k, conf) and not (own is not None and _found(own, v))}


def without_secrets(text: str) -> str:
    """An address or a message with passes in it made unreadable (`sc://host/;token=…`, `jdbc://user:pass@host`)."""
    return _IN_OPTIONS.sub(rf"\1{HIDDEN}", _IN_ADDRESS.sub(rf"\1{HIDDEN}\2", text))


class Secrets:
    """The secret values of one Spark's settings and address, to be taken out of whatever is told about it."""

    def __init__(self, conf: Mapping[str, str], address: str = "") -> None:
        values = {value for key, value in conf.items() if is_secret(key, conf)}
        with suppress(ValueError):
            parts = urlsplit(address)
            options = parse_qsl(f"{parts.path.lstrip('/;')};{parts.query}", separator=";")
            values |= {parts.password or ""} | {value for key, value in options if is_secret(key)}
        self._values = sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True)

    def hide(self, text: str) -> str:
        """A text, plain or JSON, without the values."""
        for form in self._forms():
            text = text.replace(form, HIDDEN)
        return text

    def _forms(self) -> Iterator[str]:
        for value in self._values:
            yield value
            if (escaped := json.dumps(value)[1:-1]) != value:
                yield escaped


def _found(pattern: str, text: str) -> bool:
    """Whether a pattern of Java, as far as Python reads it, is in a text."""
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False
