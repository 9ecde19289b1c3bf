"""Programs in languages that are not read: what says so, and in which language they are."""

from __future__ import annotations

import re

#: What only a program of the language has, by its name.
_SIGNS = {
    "R": re.compile(
        r"^[^\S\n]*(?:library|require)\((?:SparkR|sparklyr|dplyr)\)|\bspark_connect\("
        r"|[\w)][^\S\n]*%>%[^\S\n]*(?:$|\w+\()",  # no pattern of LIKE, which stands in quotes
        re.MULTILINE,
    ),
    "C#": re.compile(r"^[^\S\n]*using\s+Microsoft\.Spark\b", re.MULTILINE),
    "F#": re.compile(r"^[^\S\n]*open\s+Microsoft\.Spark\b", re.MULTILINE),
    "Kotlin": re.compile(r"^[^\S\n]*(?:import\s+org\.jetbrains\.kotlinx\.spark\b|fun\s+main\()", re.MULTILINE),
    "Go": re.compile(r"^[^\S\n]*package\s+main\n[\s\S]{0,2000}?spark-connect-go", re.MULTILINE),
}


def other_language(text: str) -> tuple[str, int] | None:
    """The language of a program that is not read here, and the line that says so; None for any other text."""
    for language, sign in _SIGNS.items():
        if (found := sign.search(text)) is not None:
            return language, text.count("\n", 0, found.start()) + 1
    return None
