"""SARIF 2.1.0, which code scanning shows at the lines of a pull request: differences of plans as results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

import planviz
from planviz.document.comparison.plans import Difference
from planviz.graph.effect import KINDS, Effect
from planviz.render.text import one_line


def difference_sarif(steps: Sequence[Difference], kinds: Sequence[str], places: Sequence[str]) -> str:
    """A result for each effect of differences, at the line of the operator in the file of the second side.

    `places` are those files, one for each difference. What only the first side has stands at line 1. Effects that
    `kinds` leaves out are notes; none names all.
    """
    results = []
    for told, place in zip(steps, places, strict=True):
        for effect in told.effects:
            spans = (told.after[id].source for id in effect.after)
            line = next((span[0] for span in spans if span is not None), 1)
            level = sarif_level(effect) if counted(effect, kinds) else "note"
            results.append(sarif_result(effect.kind, level, effect.words, place, line))
    return sarif(results, KINDS)


def counted(effect: Effect, kinds: Sequence[str]) -> bool:
    """Whether an effect is of the kinds that `--fail-on` named."""
    return not kinds or "any" in kinds or effect.kind in kinds


def sarif_level(effect: Effect) -> str:
    """An error costs more, a note costs less, a warning is what nobody can say."""
    return "note" if effect.worse is False else "error" if effect.worse else "warning"


def sarif_result(rule: str, level: str, words: str, path: str, line: int) -> dict[str, object]:
    """One result at a line of a file, counted from 1."""
    return {"ruleId": rule, "level": level, **_told(words, path, line)}


def sarif_invocation(errors: Sequence[tuple[str, str, int]]) -> dict[str, object]:
    """How a run went: a notification for each thing that could not be read, given as words, file and line from 1.

    SARIF 2.1.0, 3.20.21: code scanning shows a run that was not successful as such, not as one without results.
    """
    told = [{"level": "error", **_told(*error)} for error in errors]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": told}


def _told(words: str, path: str, line: int) -> dict[str, object]:
    # An address is an address however the file is named, and brackets before a parenthesis would be a link.
    uri = quote(path.replace("\\", "/").encode("utf-8", "surrogateescape"))
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}
    message = one_line(words, 1_000).replace("](", "] (")
    return {"message": {"text": message}, "locations": [{"physicalLocation": place}]}


def sarif(results: Sequence[Mapping[str, object]], rules: Mapping[str, str]) -> str:
    """Results with the sentences of the rules that they name."""
    used = dict.fromkeys(str(result["ruleId"]) for result in results)
    driver = {
        "name": "planviz",
        "version": planviz.__version__,
        "rules": [{"id": rule, "shortDescription": {"text": rules[rule]}} for rule in used],
    }
    told = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(told, ensure_ascii=True, indent=1) + "\n"
