"""What of a document is searched for: its tables, operators, findings and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from planviz.document import Document
from planviz.findings.documents import document_findings

#: What a search may name; every other word is looked for in all of a document's words.
KINDS = ("table", "operator", "finding", "tag", "word")
#: Words that are kept of one text: a rule log of megabytes is found by its first ones.
MOST = 400
_WORD = re.compile(r"[^\W\d][\w.-]{1,79}")
_LONGEST = 120


@dataclass(frozen=True)
class Terms:
    """What a document is found by, in lower case without repetition, and what it was recognised as."""

    recognised: str = ""
    tables: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def pairs(self) -> set[tuple[str, str]]:
        """`(kind, term)`; the names of tables, operators and findings are words, too."""
        named = {"table": self.tables, "operator": self.operators, "finding": self.findings}
        found = {(kind, term[:_LONGEST]) for kind, terms in named.items() for term in terms}
        return found | {("word", term[:_LONGEST]) for term in chain(self.words, *named.values())}


def terms_of(document: Document) -> Terms:
    """The terms of an open document, its findings included."""
    nodes = [node for plan in document.plans for node in plan]
    tables = dict.fromkeys(
        chain.from_iterable(
            _table_names(str(node.arguments.get("table") or "")) for node in nodes if node.kind == "scan"
        )
    )
    found = [finding.name for query in document_findings(document) for finding in query.findings]
    return Terms(
        document.recognised[:200],
        tuple(tables),
        tuple(dict.fromkeys(node.op.lower() for node in nodes)),
        tuple(dict.fromkeys(name.lower() for name in found)),
        words_of(document.text),
    )


def words_of(text: str) -> tuple[str, ...]:
    """The first different words of a text, in lower case."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        found.setdefault(match[0].lower().strip(".-"))
        if len(found) >= MOST:
            break
    return tuple(found)


def _table_names(table: str) -> tuple[str, ...]:
    """A table by its whole name and by its last part."""
    name = table.partition(", ")[0].replace("`", "").lower()
    return tuple(dict.fromkeys(part for part in (name, name.rsplit(".", 1)[-1]) if part))
