"""SQL text to tokens, by Spark's lexer (SqlBaseLexer.g4)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from planviz.errors import ParseError

#: Kinds of tokens: a word, a quoted identifier, a string, a number, an operator, the start of a hint, the end.
WORD, QUOTED, STRING, NUMBER, OPERATOR, HINT, END = "word", "quoted", "string", "number", "operator", "hint", "end"

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--(?:\\\n|[^\n])*)
  | (?P<hint>/\*\+)
  | (?P<comment>/\*)
  | (?P<string>[rR]'[^']*'|[rR]"[^"]*"|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
  | (?P<number>(?:\d+[lLsSyY]|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[dDfF])?)(?![A-Za-z0-9_]))
  | (?P<word>\w+)
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<operator><=>|>>>|\|>|<>|!=|==|<=|>=|!>|!<|<<|>>|\|\||->|=>|::|[-+*/%()\[\],.;:=<>!&|^~?{}@$\#\\])
    """,
    re.X | re.S,
)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text, in parallel lists.

    `keys` holds what the grammar compares: words in capitals, operators as they are, and an empty text for strings,
    quoted identifiers and numbers, so that these never look like a keyword.
    """

    text: str
    kinds: list[str]
    keys: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def _end_of_comment(text: str, start: int) -> int:
    depth, at = 1, start + 2
    while depth:
        opened, closed = text.find("/*", at), text.find("*/", at)
        if closed < 0:
            line, column = line_and_column(text, start)
            raise ParseError(
                "UNCLOSED_BRACKETED_COMMENT", "Found an unclosed bracketed comment. Append */ at the end of the "
                    "comment.",
                line=line, column=column,
            )  # fmt: skip
        if 0 <= opened < closed:
            depth, at = depth + 1, opened + 2
        else:
            depth, at = depth - 1, closed + 2
    return at


def tokenize(text: str) -> Tokens:
    """The tokens of `text`, ended by one of kind END.

    Raises ParseError at a character that starts no token (an unclosed quote above all).
    """
    kinds: list[str] = []
    keys: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at, size, match = 0, len(text), _TOKEN.match
    in_hint = False
    while at < size:
        m = match(text, at)
        if m is None:
            line, column = line_and_column(text, at)
            what = {"'": "string", '"': "string", "`": "quoted name"}.get(text[at])
            why = f"the {what} that starts here is not closed" if what else "no SQL has this character here"
            raise ParseError(
                "PARSE_SYNTAX_ERROR", f"Syntax error at or near {text[at]!r}: {why}.", line=line, column=column
            )
        kind = m.lastgroup
        end = m.end()
        if kind == "space":
            at = end
            continue
        if kind == "comment":
            at = _end_of_comment(text, at)
            continue
        piece = m.group()
        if kind == "hint":
            in_hint = True
        elif in_hint and piece == "*" and text.startswith("*/", at):
            in_hint, end, piece = False, at + 2, "*/"
        kinds.append(kind or OPERATOR)
        texts.append(piece)
        keys.append(piece.upper() if kind == WORD else piece if kind in (OPERATOR, HINT) else "")
        starts.append(at)
        ends.append(end)
        at = end
    kinds.append(END)
    keys.append("")
    texts.append("")
    starts.append(size)
    ends.append(size)
    return Tokens(text, kinds, keys, texts, starts, ends)


def with_quoted_names(tokens: Tokens) -> Tokens:
    """The tokens where text in double quotes is a name, as in backquotes."""
    kinds, texts = list(tokens.kinds), list(tokens.texts)
    for i, (kind, text) in enumerate(zip(tokens.kinds, tokens.texts, strict=True)):
        if kind == STRING and text.startswith('"'):
            kinds[i] = QUOTED
            texts[i] = "`" + text[1:-1].replace('""', '"').replace("`", "``") + "`"
    return replace(tokens, kinds=kinds, texts=texts)
