"""Generators, window functions, grouping, the session."""

from __future__ import annotations

from planviz.expressions.aggregates import Grouping, GroupingID
from planviz.expressions.arithmetic import UnaryMinus
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.counters import CounterDiff
from planviz.expressions.generators import Explode, GeneratorCall, Stack
from planviz.expressions.windows import LagLead, NthValue, NTile, RankLike
from planviz.functions.builders.base import Args, Builder, Entry, plain_call
from planviz.types import BOOLEAN, INT, NULL, STRING, VARIANT, StructField


def _explode(name: str) -> Builder:
    return lambda a: Explode(a[0], name)


def _json_tuple(a: Args) -> Expression:
    return GeneratorCall("json_tuple", a, tuple(StructField(f"c{i}", STRING, True) for i in range(len(a) - 1)))


_VARIANT_ROW = (StructField("pos", INT, False), StructField("key", STRING), StructField("value", VARIANT, False))


_COLLATION_ROW = tuple(
    StructField(name, STRING, nullable)
    for name, nullable in (
        ("CATALOG", False), ("SCHEMA", False), ("NAME", False), ("LANGUAGE", True), ("COUNTRY", True),
        ("ACCENT_SENSITIVITY", False), ("CASE_SENSITIVITY", False), ("PAD_ATTRIBUTE", False), ("ICU_VERSION", True),
    )
)  # fmt: skip
_KEYWORD_ROW = (StructField("keyword", STRING, False), StructField("reserved", BOOLEAN, False))


def _lag_lead(name: str) -> Builder:
    def make(a: Args) -> Expression:
        offset = a[1] if len(a) > 1 else lit(1)
        if name == "lag":
            offset = (
                Literal(-offset.value, offset.type)
                if isinstance(offset, Literal) and isinstance(offset.value, int)
                else UnaryMinus(offset)
            )
        ignore = len(a) > 3 and isinstance(a[3], Literal) and a[3].value is True
        return LagLead(name, a[0], offset, a[2] if len(a) > 2 else Literal(None, NULL), ignore)

    return make


def _rank(name: str) -> Builder:
    return lambda a: RankLike(name, a)


BUILDERS: dict[str, Entry] = {
    **{
        name: (1, 1, _explode(name)) for base in ("explode", "posexplode", "inline") for name in (base, base + "_outer")
    },
    "json_tuple": (2, -1, _json_tuple),
    "stack": (2, -1, Stack),
    "variant_explode": (1, 1, lambda a: GeneratorCall("variant_explode", a, _VARIANT_ROW)),
    "variant_explode_outer": (1, 1, lambda a: GeneratorCall("variant_explode", a, _VARIANT_ROW, True)),
    "collations": (0, 0, lambda a: GeneratorCall("collations", a, _COLLATION_ROW)),
    "sql_keywords": (0, 0, lambda a: GeneratorCall("sql_keywords", a, _KEYWORD_ROW)),
    "grouping": (1, 1, lambda a: Grouping(a[0])),
    "grouping_id": (0, -1, GroupingID),
    "row_number": (0, 0, lambda a: RankLike("row_number")),
    "rank": (0, -1, _rank("rank")),
    "dense_rank": (0, -1, _rank("dense_rank")),
    "percent_rank": (0, -1, _rank("percent_rank")),
    "counter_diff": (1, 2, lambda a: CounterDiff(a[0], a[1] if len(a) > 1 else None)),
    "cume_dist": (0, 0, lambda a: RankLike("cume_dist")),
    "ntile": (0, 1, lambda a: NTile(a[0] if a else lit(1))),
    "nth_value": (2, 3, lambda a: NthValue(a[0], a[1], len(a) > 2 and getattr(a[2], "value", None) is True)),
    "lag": (1, 4, _lag_lead("lag")),
    "lead": (1, 4, _lag_lead("lead")),
    "current_database": (0, 0, plain_call("current_schema", STRING, False)),
    "user": (0, 0, plain_call("user", STRING, False)),
    "session_user": (0, 0, plain_call("session_user", STRING, False)),
}
