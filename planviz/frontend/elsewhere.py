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
#: Tokens back to the bracket of a call that an error is in.
_AROUND = 60
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
    return _clause_instead(tokens, at) or _call_instead(tokens, at)


def _clause_instead(tokens: Tokens, at: int) -> str:
    """What to write for a clause of several words that ends at a token or goes on there."""
    keys = tokens.keys
    key, before, second = keys[at], *(keys[at - n] if at >= n else "" for n in (1, 2))
    if key == "APPLY" and before in ("CROSS", "OUTER"):
        join = "CROSS JOIN LATERAL (...)" if before == "CROSS" else "LEFT JOIN LATERAL (...) ON true"
        return f"Spark has no {before} APPLY; {join} says the same"
    if key == "(" and before in ("EXCLUDE", "REPLACE", "RENAME") and second == "*":
        told = (
            "EXCEPT (...) says the same"
            if before == "EXCLUDE"
            else "* EXCEPT (...) with the new columns behind it does"
        )
        return f"Spark has no * {before}; {told}"
    if key == "TIME" and before == "AT" and keys[at + 1] == "ZONE":
        return "Spark has no AT TIME ZONE; from_utc_timestamp(t, zone) and to_utc_timestamp(t, zone) convert"
    if key == ")" and before == "+" and second == "(":
        return "Spark has no (+); LEFT JOIN ... ON says the same"
    if any(keys[i : i + 2] == ["(", "NOLOCK"] for i in range(max(at - 4, 0), at)):
        return "Spark has no WITH (NOLOCK) and locks nothing that is read: take it away"
    return ""


def _call_instead(tokens: Tokens, at: int) -> str:
    """What to write for a call in the words of another system, or an array in its brackets, around a token."""
    keys, depth = tokens.keys, 0
    for i in range(at - 1, max(at - _AROUND, 0), -1):
        depth += (keys[i] in (")", "]")) - (keys[i] in ("(", "["))
        if depth >= 0:
            continue
        if keys[i] == "[" and keys[i - 1] == "ARRAY":
            return "Spark has no ARRAY[...]; array(...) says the same"
        if keys[at] == "AS" and keys[i] == "(" and keys[i - 1] in ("SAFE_CAST", "TRY_CONVERT"):
            return f"Spark has no {keys[i - 1]}; TRY_CAST says the same"
        return ""
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
