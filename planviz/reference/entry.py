"""One entry of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """A rule, preparation, operator, setting, batch, function or finding.

    `kind` is one of `KINDS`, `family` where it belongs, `summary` one sentence, `text` the paragraphs below it, `code`
    lines of pseudo-code such as `before => after`. `facts` are names with values, `versions` say what each version of
    Spark does, the newest first; `related` are (kind, name) of other entries. `sql` is a query that shows it, planned
    over the bundled catalogue `catalog` with `settings`.
    """

    kind: str
    name: str
    family: str
    summary: str
    text: tuple[str, ...] = ()
    code: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    related: tuple[tuple[str, str], ...] = ()
    sql: str = ""
    catalog: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What a search looks at, in lower case."""
        facts = " ".join(f"{name} {value}" for name, value in self.facts)
        return " ".join((self.name, self.family, self.summary, *self.text, self.code, facts)).lower()
