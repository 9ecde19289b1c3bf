"""What is typed to search the library: words, and `table:`, `operator:`, `finding:`, `tag:` before a name."""

from __future__ import annotations

from dataclasses import dataclass

from planviz.errors import InputError
from planviz.store.terms import KINDS, words_of

#: The most parts of a search that are looked at.
MOST = 20


@dataclass(frozen=True)
class Query:
    """A search: every one of `terms` (kind and the beginning of a term) must be there.

    `trash` looks into the trash instead; `versions` lists every version of a query and not only its newest; `folder`
    (an id) and `own` leave out what lies elsewhere or is others'. `limit` and `offset` count documents.
    """

    terms: tuple[tuple[str, str], ...] = ()
    trash: bool = False
    versions: bool = False
    limit: int = 100
    offset: int = 0
    folder: str = ""
    own: bool = False


def read_query(text: str, *, trash: bool = False, versions: bool = False, limit: int = 100, offset: int = 0) -> Query:
    """The search that a person typed, such as `orders table:lineitem finding:cartesian-product tag:nightly`.

    Raises InputError for a name before a colon that nothing is searched by.
    """
    terms: list[tuple[str, str]] = []
    for part in text.lower().split()[:MOST]:
        kind, colon, name = part.partition(":")
        if colon and kind.isalpha():
            if kind not in KINDS:
                raise InputError(
                    f"Nothing is searched by “{kind}:”. Write {', '.join(f'{k}:NAME' for k in KINDS)}, or words alone."
                )
            if name:
                terms.append((kind, name.strip("`")))
        else:
            terms += [("word", word) for word in words_of(part)]
    return Query(tuple(dict.fromkeys(terms)), trash, versions, limit, offset)
