"""What the SQL of other systems has and Spark has not, and what to write instead: for errors and notes."""

from __future__ import annotations

import re

from planviz.frontend.lexer import END, NUMBER, Tokens

#: Commands that are not in Spark's own grammar, and whose they are.
COMMANDS = {
    **dict.fromkeys(("CONVERT", "GENERATE", "OPTIMIZE", "REORG", "RESTORE", "VACUUM"), "Delta Lake"),
    **dict.fromkeys(("APPLY", "COPY", "DENY", "FSCK", "UNDROP"), "Databricks"),
}
#: Types by Spark's names.
TYPES = {
    **dict.fromkeys(("TEXT", "CLOB", "NVARCHAR", "VARCHAR2", "NVARCHAR2", "UUID", "UNIQUEIDENTIFIER"), "STRING"),
    **dict.fromkeys(("INT4", "MEDIUMINT", "SERIAL"), "INT"),
    **dict.fromkeys(("INT8", "INT64", "BIGSERIAL"), "BIGINT"),
    **dict.fromkeys(("FLOAT8", "FLOAT64"), "DOUBLE"),
    **dict.fromkeys(("BOOL", "BIT"), "BOOLEAN"),
    **dict.fromkeys(("DATETIME", "DATETIME2", "TIMESTAMPTZ", "SMALLDATETIME"), "TIMESTAMP"),
    **dict.fromkeys(("BYTES", "BYTEA", "BLOB", "VARBINARY", "RAW"), "BINARY"),
    **dict.fromkeys(("NUMBER", "MONEY", "BIGNUMERIC"), "DECIMAL"),
    **dict.fromkeys(("JSON", "JSONB"), "STRING or VARIANT"),
}
_DATE = re.compile(r"[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


def instead(tokens: Tokens, at: int) -> str:
    """What Spark has instead of the clause or operator that the token at a place belongs to; "" for no other's."""
    key, before = tokens.keys[at], tokens.keys[at - 1]
    following = tokens.texts[at + 1] if tokens.kinds[at] != END and tokens.kinds[at + 1] == NUMBER else ""
    if before == "TOP" and tokens.kinds[at] == NUMBER:
        return f"Spark has no TOP; LIMIT {tokens.texts[at]} at the end says the same"
    if key in ("FIRST", "NEXT") and before == "FETCH" and following:
        return f"Spark has no FETCH; LIMIT {following} says the same"
    if key == "," and tokens.keys[at - 2] == "LIMIT" and following:
        skipped = tokens.texts[at - 1]
        return f"Spark has no LIMIT {skipped}, {following}; LIMIT {following} OFFSET {skipped} says the same"
    if key == "~":
        return "Spark has no ~ between two values; RLIKE says the same"
    operator = {"&": "AND", "|": "OR"}.get(key)
    if operator is not None and before == key:
        return f"Spark has no {key}{key}; {operator} says the same"
    return ""


def unquoted_dates(tokens: Tokens, start: int, end: int) -> tuple[str, ...]:
    """What is to be said of each 2024-01-31 that stands without quotes from one token up to, not with, another."""
    found = []
    for at in range(start, end - 4):
        shown = tokens.text[tokens.starts[at] : tokens.ends[at + 4]]
        if tokens.keys[at + 1] == "-" == tokens.keys[at + 3] and _DATE.fullmatch(shown):
            year, month, day = map(int, shown.split("-"))
            told = f"{shown} without quotes is a subtraction and gives {year - month - day}"
            found.append(f"{told}; the date is DATE '{shown}'.")
    return tuple(dict.fromkeys(found))
