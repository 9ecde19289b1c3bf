"""Whose documents these are: one machine's user, or the people who signed in at a server."""

from __future__ import annotations

from dataclasses import dataclass

#: Owns what is saved where one machine's user is alone with a library.
_ALONE = ""
#: Owns nothing.
_NOBODY = "nobody"


@dataclass(frozen=True)
class Person:
    """Who asks. `key` owns documents and never changes; `email` opens folders that are shared with it.

    `email` is in lower case, "" where none is known for certain; `name` is shown to others.
    """

    key: str
    email: str = ""
    name: str = ""

    @property
    def signed_in(self) -> bool:
        """Whether this is one of the people of a server with accounts."""
        return self.key not in (_ALONE, _NOBODY)


#: One machine's user.
ALONE = Person(_ALONE)
#: Whoever has an address and did not say who they are.
NOBODY = Person(_NOBODY)
