"""Names that a constant text gives: IDENTIFIER('db.t')."""

from __future__ import annotations

from planviz.errors import ParseError
from planviz.expressions.calls import Concat
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.expressions.variables import VariableReference
from planviz.frontend.lexer import END, QUOTED, WORD, tokenize
from planviz.types import STRING


def constant_text(e: Expression) -> str | None:
    """The text that an expression surely is, or None: a literal, a variable, or several of them put together."""
    if isinstance(e, VariableReference):
        e = e.literal
    if isinstance(e, Literal):
        return e.value if isinstance(e.value, str) else None
    if isinstance(e, Cast) and e.data_type == STRING:
        return constant_text(e.child)
    together = isinstance(e, UnresolvedFunction) and tuple(p.lower() for p in e.parts) == ("concat",)
    if not isinstance(e, Concat) and not together:
        return None
    parts = [constant_text(c) for c in e.children]
    return None if None in parts else "".join(p for p in parts if p is not None)


def name_parts(text: str) -> tuple[str, ...]:
    """The parts of a dotted name; ParseError when the text is no name."""
    tokens = tokenize(text)
    if not text.strip():
        raise ParseError("PARSE_EMPTY_STATEMENT", "An empty text is no name.")
    parts: list[str] = []
    for i, (kind, given) in enumerate(zip(tokens.kinds, tokens.texts, strict=False)):
        if kind == END:
            break
        if i % 2 == 0 and kind in (WORD, QUOTED):
            parts.append(given[1:-1].replace("``", "`") if kind == QUOTED else given)
        elif i % 2 == 0 or given != ".":
            raise ParseError("PARSE_SYNTAX_ERROR", f"Syntax error at or near {given!r} in the name {text!r}.")
    return tuple(parts)
