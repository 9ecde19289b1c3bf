"""Signatures of the functions that need no class of their own: one line each.

A line is `name | arguments | result | remarks`. Arguments are codes of what is accepted, `?` marks an optional one with
its default behind `=`; `...` repeats the last. Remarks: `tail=` what plans print behind the arguments, `sql=` the name
in SQL text, `null=` when the result is null (any, yes, no), `random`, `hide=` arguments that SQL text leaves out.
Source: Spark's FunctionRegistry and the expression classes; the printed forms are those of real plans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.expressions.calls import Accepts, FunctionSpec
from planviz.expressions.core import Expression, Literal, lit
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    YearMonthIntervalType,
    is_integral,
    is_numeric,
)

Result = Callable[[tuple[Expression, ...]], DataType]

ACCEPTS: dict[str, Accepts] = {
    "S": Accepts('"STRING"', lambda t: t == STRING, STRING),
    "X": Accepts('"BINARY"', lambda t: t == BINARY, BINARY),
    "SX": Accepts('("STRING" or "BINARY")', lambda t: t in (STRING, BINARY), STRING),
    "I": Accepts('"INT"', lambda t: t == INT, INT),
    "L": Accepts('"BIGINT"', lambda t: t == LONG, LONG),
    "D": Accepts('"DOUBLE"', lambda t: t == DOUBLE, DOUBLE),
    "N": Accepts('"NUMERIC"', is_numeric, DOUBLE),
    "IL": Accepts('"INTEGRAL"', is_integral, LONG),
    "B": Accepts('"BOOLEAN"', lambda t: t == BOOLEAN, BOOLEAN),
    "A": Accepts('"DATE"', lambda t: t == DATE, DATE),
    "T": Accepts('"TIMESTAMP"', lambda t: t == TIMESTAMP, TIMESTAMP),
    "TT": Accepts('"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)"', lambda t: t in (TIMESTAMP, TIMESTAMP_NTZ), TIMESTAMP),
    "R": Accepts('"ARRAY"', lambda t: isinstance(t, ArrayType)),
    "M": Accepts('"MAP"', lambda t: isinstance(t, MapType)),
    "RM": Accepts('("ARRAY" or "MAP")', lambda t: isinstance(t, ArrayType | MapType)),
    "SR": Accepts('("STRING" or "ARRAY")', lambda t: t == STRING or isinstance(t, ArrayType), STRING),
    "DN": Accepts(
        '("DOUBLE" or "DECIMAL" or "BIGINT")', lambda t: t in (DOUBLE, LONG) or isinstance(t, DecimalType), DOUBLE
    ),
    "ISB": Accepts('("INT" or "SMALLINT" or "TINYINT")', lambda t: is_integral(t) and t != LONG, INT),
    "LSX": Accepts('("BIGINT" or "BINARY" or "STRING")', lambda t: t in (LONG, BINARY, STRING), LONG),
    "ST": Accepts(
        '("ARRAY<STRING>" or "STRING")',
        lambda t: t == STRING or (isinstance(t, ArrayType) and t.element == STRING),
        STRING,
    ),
    "U": Accepts('"DECIMAL(16,6)"', lambda t: t == DecimalType(16, 6), DecimalType(16, 6)),
    "*": Accepts('"ANY"', lambda t: True),
}

_RESULTS: dict[str, DataType] = {
    "S": STRING, "X": BINARY, "I": INT, "L": LONG, "D": DOUBLE, "B": BOOLEAN, "A": DATE, "T": TIMESTAMP, "N": NULL,
    "Y": BYTE, "V": CALENDAR_INTERVAL, "DT": DayTimeIntervalType(), "YM": YearMonthIntervalType(), "TN": TIMESTAMP_NTZ,
    "S[]": ArrayType(STRING, False), "?": UNKNOWN, "S[]n": ArrayType(STRING), "MSS": MapType(STRING, STRING),
}  # fmt: skip


def _element(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    return t.element if isinstance(t, ArrayType) else t.value if isinstance(t, MapType) else UNKNOWN


def _array_of_first(args: tuple[Expression, ...]) -> DataType:
    return ArrayType(args[0].data_type, args[0].nullable)


def _rounded(args: tuple[Expression, ...]) -> DataType:
    """round: decimals lose the digits behind the scale and may gain one before it."""
    t = args[0].data_type
    if not isinstance(t, DecimalType):
        return t
    scale = args[1].value if isinstance(args[1], Literal) and isinstance(args[1].value, int) else 0
    whole = t.precision - t.scale + 1
    if scale < 0:
        return DecimalType(max(min(max(whole, -scale + 1), 38), 1), 0)
    kept = min(scale, t.scale)
    return DecimalType(min(whole + kept, 38), kept)


def _ceiled(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    if isinstance(t, DecimalType):
        return DecimalType(min(t.precision - t.scale + 1, 38), 0)
    return LONG


def _keys(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    return ArrayType(t.key, False) if isinstance(t, MapType) else UNKNOWN


def _values(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    return ArrayType(t.value, t.value_contains_null) if isinstance(t, MapType) else UNKNOWN


def _entries(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    if not isinstance(t, MapType):
        return UNKNOWN
    fields = (StructField("key", t.key, False), StructField("value", t.value, t.value_contains_null))
    return ArrayType(StructType(fields), False)


def _map_from_arrays(args: tuple[Expression, ...]) -> DataType:
    k, v = args[0].data_type, args[1].data_type
    if isinstance(k, ArrayType) and isinstance(v, ArrayType):
        return MapType(k.element, v.element, v.contains_null)
    return UNKNOWN


def _flat(args: tuple[Expression, ...]) -> DataType:
    t = args[0].data_type
    return t.element if isinstance(t, ArrayType) and isinstance(t.element, ArrayType) else t


def _zipped(args: tuple[Expression, ...]) -> DataType:
    fields = []
    for i, a in enumerate(args):
        t = a.data_type
        name = getattr(a, "name", str(i))
        fields.append(StructField(str(name), t.element if isinstance(t, ArrayType) else t, True))
    return ArrayType(StructType(tuple(fields)), False)


_COMPUTED: dict[str, Result] = {
    "0": lambda args: args[0].data_type,
    "1": lambda args: args[1].data_type,
    "elem": _element,
    "0[]": _array_of_first,
    "round": _rounded,
    "ceil": _ceiled,
    "keys": _keys,
    "values": _values,
    "entries": _entries,
    "mfa": _map_from_arrays,
    "flat": _flat,
    "zip": _zipped,
}

TABLE = """
upper | S | S
lower | S | S
ucase | S | S
lcase | S | S
length | SX | I
len | SX | I
char_length | SX | I
character_length | SX | I
bit_length | SX | I
octet_length | SX | I
initcap | S | S
reverse | SR | 0
repeat | S I | S
replace | S S S?='' | S
translate | S S S | S
ascii | S | I
base64 | X | S
unbase64 | S | X
hex | LSX | S
unhex | S | X | null=yes
md5 | X | S
sha | X | S
sha1 | X | S
sha2 | X I | S
crc32 | X | L
hash | *... | I | null=no extra=42
xxhash64 | *... | L | null=no extra=42
format_number | N * | S
format_string | S *... | S | null=yes
printf | S *... | S | null=yes
char | L | S
chr | L | S
left | S I | S
right | S I | S
soundex | S | S
levenshtein | S S | I | tail=None
space | I | S
bin | L | S
conv | S I I | S | tail=true null=yes
find_in_set | S S | I
instr | S S | I
lpad | SX I S?=' ' | 0
rpad | SX I S?=' ' | 0
concat_ws | S ST... | S | null=first
elt | I *... | 1 | null=yes
split | S S I?=-1 | S[]
split_part | S S I | S
substring_index | S S I | S
regexp_replace | S S S I?=1 | S
regexp_extract | S S I?=1 | S
regexp_extract_all | S S I?=1 | S[]n
regexp_count | S S | I
regexp_substr | S S | S | null=yes
regexp_instr | S S I?=0 | I
encode | S S | X
decode | X S | S
is_valid_utf8 | S | B
luhn_check | S | B
sentences | S S?='' S?='' | ?
quote | S | S
parse_url | S... | S | null=yes tail=true
url_encode | S | S
url_decode | S | S
get_json_object | S S | S | null=yes
to_number | S S | ?
try_to_number | S S | ? | null=yes
to_char | * S | S
to_varchar | * S | S
to_binary | S S?='hex' | X
mask | S *... | S
sqrt | D | D | sql=SQRT
cbrt | D | D | sql=CBRT
exp | D | D | sql=EXP
expm1 | D | D | sql=EXPM1
ln | D | D | null=yes
log10 | D | D | sql=LOG10 null=yes
log2 | D | D | sql=LOG2 null=yes
log1p | D | D | sql=LOG1P null=yes
power | D D | D | sql=POWER
pow | D D | D
sin | D | D | sql=SIN
cos | D | D | sql=COS
tan | D | D | sql=TAN
cot | D | D | sql=COT
asin | D | D | sql=ASIN
acos | D | D | sql=ACOS
atan | D | D | sql=ATAN
atan2 | D D | D | sql=ATAN2
sinh | D | D | sql=SINH
cosh | D | D | sql=COSH
tanh | D | D | sql=TANH
degrees | D | D | sql=DEGREES
radians | D | D | sql=RADIANS
rint | D | D | sql=rint
sign | D | D
signum | D | D | sql=SIGNUM
hypot | D D | D | sql=HYPOT
pi | | D | sql=PI null=no
e | | D | sql=E null=no
factorial | I | L | null=yes
round | N I?=0 | round
bround | N I?=0 | round
ceil | DN | ceil | sql=CEIL
ceiling | DN | ceil
floor | DN | ceil | sql=FLOOR
isnan | D | B | null=no
nanvl | D D | D
rand | IL? | D | random null=no
random | IL? | D | random null=no
randn | IL? | D | random null=no
uuid | | S | random null=no
monotonically_increasing_id | | L | random null=no
spark_partition_id | | I | random null=no sql=SPARK_PARTITION_ID
input_file_name | | S | random null=no
bit_count | IL | I
bit_get | IL I | Y
getbit | IL I | Y
width_bucket | D D D L | L | null=yes
year | A | I
month | A | I
day | A | I
dayofmonth | A | I
dayofyear | A | I
dayofweek | A | I
weekday | A | I
weekofyear | A | I
quarter | A | I
dayname | A | S
monthname | A | S
hour | T | I | zone
minute | T | I | zone
second | T | I | zone
last_day | A | A
next_day | A S | A | tail=true
add_months | A I | A
date_add | A ISB | A
dateadd | A ISB | A
date_sub | A ISB | A
datediff | A A | I
date_diff | A A | I
months_between | T T B?=true | D | zone
trunc | A S | A | null=yes
date_trunc | S T | T | zone null=yes
date_format | T S | S | zone
from_unixtime | L S?='yyyy-MM-dd HH:mm:ss' | S | zone null=yes
unix_date | A | I
date_from_unix_date | I | A
unix_seconds | T | L
unix_millis | T | L
unix_micros | T | L
timestamp_seconds | N | T | null=yes
timestamp_millis | IL | T
timestamp_micros | IL | T
make_date | I I I | A | tail=true
make_timestamp | I I I I I U | T | tail=None,Some(Etc/UTC),true,TimestampType
make_interval | I? | V
make_dt_interval | I?=0 I?=0 I?=0 U?=0 | DT
make_ym_interval | I?=0 I?=0 | YM
to_utc_timestamp | T S | T
from_utc_timestamp | T S | T
convert_timezone | S S TT | TN
size | RM | I | tail=false
cardinality | RM | I | tail=false
array_contains | R * | B
array_distinct | R | 0
array_position | R * | L
array_remove | R * | 0
array_append | R * | 0
array_prepend | R * | 0
array_insert | R I * | 0 | tail=false
array_compact | R | 0
array_max | R | elem | null=yes
array_min | R | elem | null=yes
array_join | R S S?=None | S
array_repeat | * I | 0[]
array_union | R R | 0
array_except | R R | 0
array_intersect | R R | 0
arrays_overlap | R R | B | null=yes
arrays_zip | R... | zip
sort_array | R B?=true | 0
slice | R I I | 0
flatten | R | flat
element_at | RM * | elem | tail=None,true null=yes
try_element_at | RM * | elem | null=yes
get | R I | elem | null=yes
shuffle | R | 0 | random
map_keys | M | keys
map_values | M | values
map_entries | M | entries
map_from_arrays | R R | mfa
map_from_entries | R | ?
map_concat | M... | 0
map_contains_key | M * | B
str_to_map | S S?=',' S?=':' | MSS
from_json | S S | ? | null=yes
to_json | * | S | tail=Some(Etc/UTC)
schema_of_json | S | S
json_object_keys | S | S[]n | null=yes
json_array_length | S | I | null=yes
from_csv | S S | ? | null=yes
to_csv | * | S | tail=Some(Etc/UTC)
typeof | * | S | null=no
version | | S | null=no
current_catalog | | S | null=no
current_schema | | S | null=no
current_user | | S | null=no
input_file_block_start | | L | random null=no
assert_true | B S? | N | null=yes
raise_error | S | N | null=yes
java_method | S S *... | S | null=yes random
reflect | S S *... | S | null=yes random
bitwise_not | IL | 0
extractansiintervaldays | * | I
named_lambda | * | 0
""".strip()


def read_table() -> dict[str, tuple[FunctionSpec, int, int, tuple[Any, ...], tuple[str, ...]]]:
    """name -> (signature, fewest arguments, most (-1: any), defaults of the optional ones, extra arguments)."""
    out = {}
    for line in TABLE.splitlines():
        cells = [c.strip() for c in line.split("|")]
        name, arguments, result = cells[0], cells[1].split(" ") if cells[1] else [], cells[2]
        arguments = _joined(arguments)
        remarks = dict(r.partition("=")[::2] for r in (cells[3] if len(cells) > 3 else "").split(" ") if r)
        inputs, defaults, fewest, many = [], [], 0, False
        for a in arguments:
            many = many or a.endswith("...")
            code, optional, default = a.removesuffix("...").partition("?")
            inputs.append(ACCEPTS[code])
            if optional:
                defaults.append(_default(default.removeprefix("=")) if default else None)
            elif not a.endswith("..."):
                fewest += 1
        fixed = _RESULTS.get(result)
        spec = FunctionSpec(
            name,
            tuple(inputs),
            _always(fixed) if fixed is not None else _COMPUTED[result],
            {"yes": True, "no": False}.get(remarks.get("null", "any"), "any"),
            "random" not in remarks,
            tuple(remarks["tail"].split(",")) if "tail" in remarks else (),
            0,
            remarks.get("sql", ""),
            "zone" in remarks,
        )
        most = -1 if many else len(inputs)
        fewest = max(fewest, 1) if many else fewest
        out[name] = (spec, fewest, most, tuple(defaults), tuple(remarks.get("extra", "").split()))
    return out


def _always(t: DataType) -> Result:
    return lambda _: t


def _joined(words: list[str]) -> list[str]:
    """Put `' '` defaults that the split broke together again."""
    out: list[str] = []
    for w in words:
        if out and out[-1].count("'") % 2:
            out[-1] += " " + w
        elif w:
            out.append(w)
    return out


def _default(text: str) -> Expression:
    if text.startswith("'"):
        return lit(text[1:-1])
    if text in ("true", "false"):
        return lit(text == "true")
    if text == "None":
        return Literal(None, NULL)
    return lit(int(text))
