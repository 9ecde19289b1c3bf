"""`${name}` in SQL: the value that SET gave the name (Spark: VariableSubstitution)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from planviz.config import OptimizerConfig
from planviz.frontend import Statement
from planviz.settings import SETTINGS

#: `${name}`, `${hiveconf:name}`; names hold no space. `${env:...}` and `${system:...}` are the machine's and stay.
_REFERENCE = re.compile(r"\$\{(?:(?:spark|sparkconf|hivevar|hiveconf):)?([^\s{}:]{1,200})\}")
_ENABLED = "spark.sql.variable.substitute"


def names_values(script: str) -> bool:
    """Whether a text may hold names that stand for values."""
    return "${" in script


def with_values(script: str, statements: Sequence[Statement], config: OptimizerConfig) -> str:
    """The script with the values that its own SETs, and the settings before it, give to `${name}`.

    `statements` are the script's, in order. A name without a value stays as it stands; a value is put in as it is, and
    not read again for names within it.
    """
    given: dict[str, str] = {}
    ends = [*[s.start for s in statements[1:]], len(script)]
    out = [script[: statements[0].start] if statements else script]
    for s, end in zip(statements, ends, strict=False):
        text = script[s.start : end]
        enabled = given.get(_ENABLED, str(config.settings.get(_ENABLED, "true"))).lower() != "false"
        out.append(_substituted(text, given, config) if enabled else text)
        if s.kind == "set":
            given |= {key: _substituted(value, given, config) for key, value in s.options}
            if s.words == "RESET":
                given = {key: value for key, value in given.items() if s.name and key not in s.name}
    return "".join(out)


def _substituted(text: str, given: Mapping[str, str], config: OptimizerConfig) -> str:
    def value(m: re.Match[str]) -> str:
        key = m[1]
        if key in given:
            return given[key]
        if key not in config.settings and key not in SETTINGS:
            return m[0]
        found = config.get(key)
        return str(found).lower() if isinstance(found, bool) else str(found)

    return _REFERENCE.sub(value, text) if "${" in text else text
