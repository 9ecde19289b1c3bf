"""Names as SQL writes them: in backquotes where they are not plain."""

from __future__ import annotations

import re

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quote_if_needed(name: str) -> str:
    """An identifier, in backquotes when it is not plain (letters, digits and underscores, no leading digit)."""
    return name if PLAIN_NAME.match(name) else quote(name)


def quote(name: str) -> str:
    """An identifier in backquotes."""
    return "`" + name.replace("`", "``") + "`"
