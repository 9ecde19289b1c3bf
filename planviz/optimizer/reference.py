"""What is known of every rule: for `planviz rules`, for rule cards and for the table of the rules' package."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from planviz.errors import InputError


def rule_named(name: str, known: Iterable[str]) -> str:
    """The rule among `known` (names with package) that `name` means, with or without package and in any case.

    Raises InputError that lists the nearest names.
    """
    short = {full.rsplit(".", 1)[-1].rsplit("$", 1)[-1].lower(): full for full in known}
    found = short.get(name.rsplit(".", 1)[-1].rsplit("$", 1)[-1].lower())
    if found is not None:
        return found
    names = {lowered: full.rsplit(".", 1)[-1] for lowered, full in short.items()}
    near = [names[n] for n in difflib.get_close_matches(name.lower(), names, 3, 0.5)]
    advice = f"Did you mean {', '.join(near)}?" if near else "`planviz rules` lists them."
    raise InputError(f"There is no rule {name}. {advice}")
