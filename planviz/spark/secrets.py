"""Which settings may hold a secret: their values are given to Spark and shown to nobody."""

from __future__ import annotations

import re

#: What stands in place of a value.
HIDDEN = "••••"
#: Spark's own list (`spark.redaction.regex`) and more: keys of stores, credentials, passes in addresses.
_SECRET = re.compile(r"secret|passw|passphrase|token|credential|key\b|keytab|\.pin\b|signature", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(://[^/@\s:]+:)[^/@\s]+(@)")
_IN_OPTIONS = re.compile(r"((?:token|password|secret|key)=)[^;&\s]+", re.IGNORECASE)


def is_secret(key: str) -> bool:
    """Whether a setting's name says that its value is nobody's business."""
    return _SECRET.search(key) is not None


def without_secrets(text: str) -> str:
    """An address or a message with passes in it made unreadable (`sc://host/;token=…`, `jdbc://user:pass@host`)."""
    return _IN_OPTIONS.sub(rf"\1{HIDDEN}", _IN_ADDRESS.sub(rf"\1{HIDDEN}\2", text))
