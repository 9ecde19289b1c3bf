"""Which version's parser reads a piece of SQL first, asked of those Sparks; what is not named here all of them read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

#: By piece of SQL, as errors name it, the version that reads it first.
SINCE: Mapping[str, str] = MappingProxyType(
    {
        "LIKE ANY and LIKE ALL": "3.1",
        "DISTINCT beside FILTER": "3.1",
        "a LATERAL subquery": "3.2",
        "IGNORE NULLS": "3.2",
        "TRY_CAST": "3.2",
        "a type INTERVAL of fields": "3.2",
        "grouping sets beside other keys": "3.2",
        "ILIKE": "3.3",
        "a raw text": "3.3",
        "WITHIN GROUP": "3.3",
        "REPEATABLE": "3.3",
        "OFFSET": "3.4",
        "literals of TIMESTAMP_NTZ and TIMESTAMP_LTZ": "3.4",
        "a function behind LATERAL": "3.4",
        "any_value()": "3.4",
        "UNPIVOT": "3.4",
        "a parameter": "3.4",
        "a named argument": "3.5",
        "INSERT BY NAME": "3.5",
        "IDENTIFIER()": "3.5",
        "a function in SQL": "4.0",
        "a session variable": "4.0",
        "EXECUTE IMMEDIATE": "4.0",
        "mode() WITHIN GROUP": "4.0",
        "a pipe operator": "4.0",
        "EXCEPT in a select list": "4.0",
        "WITH RECURSIVE": "4.0",
        "a shift operator": "4.0",
        "the cast operator ::": "4.0",
        "COLLATE": "4.0",
        "a path into a VARIANT": "4.1",
        "the type TIME": "4.1",
        "IDENTIFIER() for an alias": "4.1",
        "QUALIFY": "4.2",
        "a method of TABLESAMPLE": "4.2",
        "JOIN with NEAREST": "4.3",
    }
)


def later_than(profile: str, profiles: Sequence[str]) -> Mapping[str, str]:
    """What a profile's parser does not read yet, each with the version that does; `profiles`: all, the newest first."""
    newer = {name.removeprefix("spark-") for name in profiles[: profiles.index(profile)]}
    return {piece: version for piece, version in SINCE.items() if version in newer}
