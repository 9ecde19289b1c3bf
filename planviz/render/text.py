"""Text of a plan made harmless before it is drawn anywhere, and numbers in short form."""

from __future__ import annotations

import re
import unicodedata

# str.isprintable() is false for what must not reach a picture (controls, directional marks, lone surrogates, line
# separators) and for a few harmless things such as a no-break space, so it can only serve as the fast way out.
_SPACES = re.compile(r"\s+")
_MARKS = re.compile(r"([\\`*_\[\]|~#])")
#: Where GitHub and GitLab find the name of somebody; behind a letter it is the host of an address.
_MENTION = re.compile(r"(?<!\w)@(?=\w)")
#: What terminals obey, to the signs that Unicode has for seeing it.
_OBEYED = {code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)} | {0x7F: "\u2421"}
_OBEYED |= dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
_NONCHARACTERS = {chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)}


def one_line(text: str, limit: int = 400) -> str:
    """`text` on one line without control characters, directional marks, noncharacters and lone surrogates.

    Runs of white space become one space, a lone surrogate becomes U+FFFD; what is longer than `limit` characters ends
    in an ellipsis. Terminal escapes lose their escape character and so their meaning; their letters stay visible.
    """
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    if text.isprintable() and "  " not in text:
        return text
    return _SPACES.sub(" ", "".join(map(_harmless, text))).strip()


def lines(text: str, limit: int = 8_000) -> str:
    """Like `one_line`, but line breaks and indentation stay; says how much was left out beyond `limit` characters."""
    rest = len(text) - limit
    if rest > 0:
        text = text[:limit]
    if not text.isprintable():
        text = "\n".join("".join(map(_harmless, line)) for line in text.splitlines())
    return f"{text}\n… {rest:,} more characters in the plan's text" if rest > 0 else text


def markdown(text: str, limit: int = 600) -> str:
    """`text` on one line in which Markdown finds no marks, tags, links or tables, and a code host nobody to call."""
    shown = _MARKS.sub(r"\\\1", one_line(text, limit)).strip()
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MENTION.sub("@\u200b", shown)


def within_tag(text: str, limit: int = 600) -> str:
    """`text` on one line for a tag of HTML that stands in Markdown: no tag, and a code host nobody to call."""
    shown = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MENTION.sub("@\u200b", shown)


def on_terminal(text: str) -> str:
    """`text` for a terminal: what it would obey (escapes, controls, directional marks) becomes a sign that is seen."""
    return text.replace("\r\n", "\n").translate(_OBEYED)


def file_name(name: str) -> str:
    """A file's name as it is, or on one line where it holds line breaks or what a terminal obeys."""
    return name if name.isprintable() else one_line(name, 1_000)


def _harmless(character: str) -> str:
    if character.isprintable():
        return character
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    return "" if category in {"Cc", "Cf"} or character in _NONCHARACTERS else character
