"""An operator in words: the title on its card and the lines below; those of its panel: `facts.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from planviz.graph.inner_names import spelled
from planviz.graph.node import Arguments, PlanNode

#: The longest title.
TITLE_LENGTH = 60
#: Characters of one line below the title; a card shows fewer, a search finds them.
LINE_LENGTH = 400

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# What engines put behind the name of an operator, and Scala behind that of an object.
_WRAPPING = re.compile(r"(?: Exec)?(?: Transformer)?\$?$")
_EXPRESSION_ID = re.compile(r"#\d+L?(?:-T\d+ms)?(?!\w)")
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+| {2,}")
_JOIN_TYPES = {
    "Inner": "Inner",
    "Cross": "Cross",
    "LeftOuter": "Left Outer",
    "RightOuter": "Right Outer",
    "FullOuter": "Full Outer",
    "LeftSemi": "Left Semi",
    "LeftAnti": "Left Anti",
    "LeftSingle": "Left Single",
    "ExistenceJoin": "Existence",
}
_OVER_NAMES = re.compile(r"(?:Using|Natural)Join\((\w+)")
_MODES = {"partial": "Partial", "merge": "Merge", "final": "Final", "complete": "Complete"}
_SCANS = {"FileScan", "Scan", "BatchScan", "HiveTableScan", "FileSourceScan"}
_FIRST_PATH = re.compile(r"\[([^\[\],]+)")
_PART_OF_TABLE = re.compile(r"[^/=]+=[^/]*|part-[^/]*|_temporary")
_ROUND = re.compile(r"[()]")
_NOT_NULL = re.compile(r"isnotnull\(([^()]*)\)")
_CAST = re.compile(r"\bcast\(([\w.#`]+) as \w+(?:\(\d+,\d+\))?\)")
_LONGEST_CONDITION = 4_000
_AND_OR_BRACKET = re.compile(r"[()]| AND ")
_WINDOW = re.compile(r" windowspecdefinition\(.*\)(?= AS )", re.DOTALL)
_PUSHED = re.compile(
    r"\*?(EqualTo|EqualNullSafe|GreaterThan|GreaterThanOrEqual|LessThan|LessThanOrEqual)\(([^,()]+),(.*)\)$"
)
_SIGNS = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
}


@lru_cache(maxsize=4096)
def spaced(op: str) -> str:
    """An operator's name with its words apart: `SortMergeJoin` is "Sort Merge Join"."""
    return _CAMEL.sub(" ", op)


@lru_cache(maxsize=4096)
def _words(op: str) -> str:
    return _WRAPPING.sub("", spaced(op)) or op


def without_ids(text: str) -> str:
    """Text without expression ids: `a#12L = b#13` is `a = b`."""
    return _EXPRESSION_ID.sub("", text) if "#" in text else text


def join_type_words(join_type: str) -> str:
    """Spark's join type in words: `LeftSemi` is "Left Semi"; `ExistenceJoin(exists#1)` is "Existence"."""
    if inner := _OVER_NAMES.match(join_type):
        join_type = inner[1]
    return _JOIN_TYPES.get(join_type.split("(")[0], join_type)


def aggregate_mode(node: PlanNode) -> str | None:
    """The mode of an aggregate's functions ("partial" ...): the earliest of several, None without functions."""
    functions = [f for f in node.arguments.get("functions", ()) if isinstance(f, Mapping)]
    modes = {function.get("mode") for function in functions}
    return next((mode for mode in _MODES if mode in modes), None)


def clean(text: str, length: int) -> str:
    """One line of at most `length` characters, without control characters and marks that turn the text around."""
    text = _NO_TEXT.sub(" ", text).strip()
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


# -- titles


_WRITE = re.compile(r"(?:Execute )?InsertIntoHadoopFsRelationCommand ")


def title(node: PlanNode) -> str:
    """The operator in words, one line of at most 60 characters: "Sort Merge Inner Join", "Scan store_sales"."""
    return clean(_title(node), TITLE_LENGTH)


def _title(node: PlanNode) -> str:
    arguments, words, kind = node.arguments, _words(node.op), node.kind
    if kind == "join":
        return _join_title(words, str(arguments["join_type"])) if "join_type" in arguments else words
    if kind == "aggregate" and words.endswith(("Aggregate", "Agg")):
        mode = aggregate_mode(node) if node.op != "Aggregate" else None
        return f"{_MODES[mode]} {words}" if mode else words
    if kind == "scan":
        return _scan_title(node.op, words, arguments.get("table"), arguments.get("format"), arguments.get("location"))
    if kind == "exchange":
        partitioning = arguments.get("partitioning_kind")
        return words if not partitioning or "Broadcast" in node.op else f"{words} {partitioning}"
    if kind == "limit" and isinstance(arguments.get("limit"), int):
        return f"{words.replace(' And Project', '')} {arguments['limit']}"
    if kind == "command" and (target := written_to(node)):
        return f"Insert {'overwrite' if arguments['mode'] == 'Overwrite' else 'into'} {target}"
    if kind == "command" and isinstance(arguments.get("command"), str):
        return f"{words} {spaced(arguments['command'])}"
    return words


def written_to(node: PlanNode) -> str:
    """The table that a command writes rows to, or the folder; "" where it writes none, or its text does not say it."""
    if node.kind != "command" or not _WRITE.match(node.text):
        return ""
    given = node.arguments
    if not isinstance(given.get("mode"), str):
        return ""
    table = given.get("table")
    if isinstance(table, str):
        return table.replace("`", "").removeprefix("spark_catalog.").removeprefix("default.")
    return path_name(f"[{given.get('location', '')}]")


def folder_columns(node: PlanNode) -> list[str]:
    """The columns that tell the folder of each row that a command writes, without those of one value for all rows."""
    columns, fixed = (node.arguments.get(name) or () for name in ("partition_columns", "static_partition"))
    return [without_ids(str(column)) for column in columns[len(fixed) :]]


def _join_title(words: str, join_type: str) -> str:
    if not words.endswith("Join"):
        return words if words.endswith("Product") else f"{words} {join_type_words(join_type)}"
    base = words.removesuffix("Join").strip()
    base = base.removesuffix(" Hash") if base.endswith("Broadcast Hash") else base
    return " ".join(part for part in (base, join_type_words(join_type), "Join") if part)


def _scan_title(op: str, words: str, table: str | None, format: object, location: object) -> str:
    lead = "Scan" if op in _SCANS else words.replace(" File Scan", " Scan")
    if table:
        name = str(table).replace("`", "").replace("spark_catalog.", "").removeprefix("default.")
        if format != "jdbc":
            name = name.partition(", ")[0]  # a relation of Hive prints its SerDe after the name
        if format == "in-memory":
            return f"{lead} cached {name}"
        if " " in name and format == "jdbc":  # a query, not a table
            return f"{lead} JDBCRelation"
        return f"{lead} {name.rstrip('/').rpartition('/')[2] or name}"
    if format and lead.endswith("Scan"):
        return f"{lead} {format} {path_name(str(location or ''))}".rstrip()
    return lead if lead != "Scan" else words


def path_name(location: str) -> str:
    """The folder or file that a scan's location names, without partitions and files of a table; "" where none is whole.

    `InMemoryFileIndex(3 paths)[s3://b/sales/orders/day=1, ...]` is `orders`; of a path that was cut (`s3://b/sales/ord...`)
    it is `sales/…`.
    """
    found = _FIRST_PATH.search(location)
    if found is None:
        return ""
    path, cut, _ = found[1].strip().partition("...")
    above, _, parts = path.partition(":")
    names = [name for name in (parts or above).split("/") if name]
    if cut and names:
        del names[-1]
    while names and _PART_OF_TABLE.fullmatch(names[-1]):
        del names[-1]
        cut = ""
    return f"{names[-1]}/…" if names and cut else names[-1] if names else ""


#: A subquery within an expression, as plans of either kind print it.
_SUBQUERY = re.compile(
    r"(?:(?:Reused)?Subquery )?\b(?:scalar-)?subquery#\d{1,19}(?:, \[id=#\d{1,19}\]| \[(?:\w+#\d{1,19}L?(?: && )?)*\])?"
)
#: What stands before a table's columns in the names that RewriteDistinctAggregates gives: a card has no room for it.
_QUALIFIER = re.compile(r"\bspark_catalog\.\w+\.(?=\w+\.)")
_JOIN_IN_TEXT = re.compile(
    r"\b(Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|LeftSingle|ExistenceJoin)\b"
)
_SCAN_IN_TEXT = re.compile(r"\w+ (?:([a-z]\w*)(?: |(?=\[)|$))?((?:[\w`/][^\s\[(,]*)?)")
_RELATION_IN_TEXT = re.compile(r"\w+ ?\[?((?:[\w`/][^\s\[\](,]*)?)")
_MODE_IN_TEXT = re.compile(r"functions=\[(partial_|merge_|finalmerge_|\]|.)")
_PARTITIONING_IN_TEXT = re.compile(r"hash|range|Single|RoundRobin", re.IGNORECASE)
_LIMIT_IN_TEXT = re.compile(r"(?:limit=| )(\d+)(?=,|$)")
_PREFIX_MODES = {"partial_": "Partial ", "merge_": "Merge ", "finalmerge_": "Final ", "]": ""}
_WORDS_OF_PARTITIONING = {"hash": "hash", "range": "range", "single": "single", "roundrobin": "round robin"}


def quick_title(node: PlanNode) -> str:
    """A title from the name and the text alone, for plans so large that reading every argument would take too long.

    It says what `title` says about join type, table, mode, partitioning and limit, as far as one look at the
    text tells.
    """
    op, kind, text = node.op, node.kind, node.text
    words = _words(op)
    if kind == "project" or kind == "filter" or kind == "other" or len(text) == len(op):
        pass
    elif kind == "join":
        if found := _JOIN_IN_TEXT.search(text, 0, 2_000):
            words = _join_title(words, found[1])
    elif kind == "scan":
        if op.endswith("Scan"):
            if found := _SCAN_IN_TEXT.match(text):
                words = _scan_title(op, words, found[2], found[1], None)
        elif op.endswith("Relation") and (found := _RELATION_IN_TEXT.match(text)) and "#" not in found[1]:
            words = _scan_title(op, words, found[1].rstrip(","), None, None)
    elif kind == "aggregate":
        if found := _MODE_IN_TEXT.search(text, 0, 4_000):
            words = _PREFIX_MODES.get(found[1], "Final ") + words
    elif kind == "exchange":
        if (
            "Broadcast" not in op
            and "Reused" not in op
            and (found := _PARTITIONING_IN_TEXT.search(text, len(op), len(op) + 40))
        ):
            words = f"{words} {_WORDS_OF_PARTITIONING[found[0].lower()]}"
    elif kind == "limit" and (found := _LIMIT_IN_TEXT.search(text, len(op), len(op) + 40)):
        words = f"{words.replace(' And Project', '')} {found[1]}"
    return words if words.isprintable() and len(words) <= TITLE_LENGTH else clean(words, TITLE_LENGTH)


# -- the lines below


def subtitle(node: PlanNode, names: Mapping[str, str] = MappingProxyType({})) -> list[tuple[str, str]]:
    """At most three `(lead word, text)` lines for the card, most telling first; the lead word may be empty.

    `names` has the expressions for names within the plan (`planviz.graph.inner_names`).
    """
    lines = _LINES.get(node.kind, _other_lines)(node)
    said = [(lead, _line(text, names)) for lead, text in lines if text]
    return [(lead, text) for lead, text in said if text.lower() != node.op.lower()][:3]


def _line(text: str, names: Mapping[str, str]) -> str:
    if names and "_" in text:
        text = spelled(text, names)
    if "ubquery" in text:
        text = _SUBQUERY.sub("subquery", text)
    return clean(_QUALIFIER.sub("", without_ids(text)), LINE_LENGTH)


def _join_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    pairs = zip(arguments.get("left_keys", ()), arguments.get("right_keys", ()), strict=False)
    keys = ", ".join(f"{left} = {right}" for left, right in pairs)
    return [
        ("on", keys),
        ("where" if keys else "on", condition_words(str(arguments.get("condition", "")))),
        ("build", str(arguments.get("build_side", ""))),
        ("", str(arguments.get("subquery", ""))),
    ]


def _aggregate_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    computed = _joined([_function_text(f) for f in arguments.get("functions", ())])
    projections = arguments.get("projections")
    copies = f"{len(projections)} rows for each" if projections else ""
    return [("by", _joined(arguments.get("keys"))), ("", computed), ("", copies), *_details(arguments)]


def _exchange_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    count = arguments.get("partitions")
    keys = ", ".join(map(order_words, arguments.get("partition_keys", ())))
    if keys:
        return [("by", f"{keys} · {count}" if count is not None else keys)]
    if "reuses" in arguments:
        return [("reuses", str(arguments["reuses"]))]
    if "read" in arguments:
        return [("", ", ".join(arguments["read"]))]
    if "stage" in arguments:
        return [("", f"stage {arguments['stage']}")]
    if isinstance(count, int) and arguments.get("partitioning_kind") != "single":
        return [("", f"{count} partitions")]
    return _details(arguments)


def _scan_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    output = arguments.get("output")
    columns = ""
    if output:
        # A list that Spark cut ends in its marker, so its length says nothing.
        many = len(output) > 4 and not output[-1].startswith("...")
        columns = f"{len(output)} columns" if many else _joined(output)
    lines = [("", columns)]
    partitions = arguments.get("partition_filters")
    if partitions:
        lines.append(("where", filter_words(partitions)))
    filters = arguments.get("data_filters") or arguments.get("pushed_filters") or arguments.get("filters")
    if filters and filters != partitions:
        lines.append(("where", filter_words(filters)))
    if "id" in arguments:
        lines.insert(0, ("id", str(arguments["id"])))
    if "alias" in arguments:
        lines.insert(0, ("as", str(arguments["alias"])))
    if "start" in arguments and "end" in arguments:
        lines.insert(0, ("", f"{arguments['start']} to {arguments['end']}"))
    if len(lines) == 1 and not columns:
        return _details(arguments)
    return lines


def _filter_lines(node: PlanNode) -> list[tuple[str, str]]:
    return [("where", condition_words(str(node.arguments.get("condition", ""))))]


def condition_words(condition: str) -> str:
    """A condition as a card has room for it: `((cast(a#1 as bigint) = b#2L) AND isnotnull(a#1))` is `a#1 = b#2L`.

    Brackets around its parts, casts of columns and, beside anything else, tests for null are left out. One that is
    longer than any card is not taken apart.
    """
    if len(condition) > _LONGEST_CONDITION:
        return without_brackets(condition)
    parts = [_CAST.sub(r"\1", part) for part in _conjuncts(without_brackets(condition))]
    bare = [
        f"({without_brackets(part)})"
        if len(parts) > 1 and (" OR " in part or " || " in part)
        else without_brackets(part)
        for part in parts
    ]
    telling = [part for part in bare if not _NOT_NULL.fullmatch(part)]
    return " AND ".join(telling or [_NOT_NULL.sub(r"\1 is not null", part) for part in bare])


def _conjuncts(text: str, deep: int = 40) -> list[str]:
    """The parts that AND joins at the top of a condition; the whole where brackets do not match or nest too deep."""
    parts, depth, start = [], 0, 0
    for mark in _AND_OR_BRACKET.finditer(text):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ")":
            depth -= 1
        elif depth == 0:
            parts.append(text[start : mark.start()])
            start = mark.end()
    parts.append(text[start:])
    if depth or len(parts) == 1 or not deep:
        return [text]
    return [inner for part in parts for inner in _conjuncts(without_brackets(part), deep - 1)]


def without_brackets(text: str) -> str:
    """A condition without the brackets around all of it."""
    leading = len(text) - len(text.lstrip("("))
    closes: dict[int, int] = {}
    opened: list[int] = []
    for match in _ROUND.finditer(text) if leading and text.endswith(")") else ():
        if match[0] == "(":
            opened.append(match.start())
        elif opened:
            closes[opened.pop()] = match.start()
    around = 0
    while around < leading and closes.get(around) == len(text) - 1 - around:
        around += 1
    return text[around : len(text) - around]


def _project_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    if functions := arguments.get("functions"):
        return [("", _joined([_function_text(f) for f in functions]))]
    listed = arguments.get("project_list")
    if not listed:
        return [("", str(arguments.get("function", ""))), *_details(arguments)]
    computed = [entry for entry in listed if " AS " in entry]
    if computed:
        return [("", _joined(computed))]
    return [("", f"{len(listed)} columns" if len(listed) > 4 else _joined(listed))]


_OTHER = (
    ("window_expressions", ""),
    ("rank_function", ""),
    ("partition_spec", "by"),
    ("sort_order", "by"),
    ("generator", ""),
    ("condition", "where"),
    ("subquery", ""),
    ("reuses", "reuses"),
    ("alias", "as"),
    ("location", "to"),
    ("column", ""),
    ("hints", ""),
    ("names", ""),
    ("stage", "stage"),
    ("id", "id"),
)


def _other_lines(node: PlanNode) -> list[tuple[str, str]]:
    arguments = node.arguments
    lines: list[tuple[str, str]] = []
    if written_to(node):
        fixed = arguments.get("static_partition") or ()
        parts = ", ".join([*map(str, fixed), *folder_columns(node)])
        lines.append(("", f"{arguments['mode']}, {arguments.get('format', 'files')}"))
        return [*lines, ("folders", parts)] if parts else lines
    if node.kind == "command" and "table" in arguments:
        lines.append(("table", str(arguments["table"])))
    for name, lead in _OTHER:
        value = arguments.get(name)
        if value is None or value == []:
            continue
        if name == "sort_order":
            lead = "order" if node.kind == "window" else lead
            lines.append((lead, ", ".join(map(order_words, value[:12]))))
        elif name == "window_expressions":
            lines.append((lead, _joined([_WINDOW.sub("", entry) for entry in value])))
        else:
            lines.append((lead, _joined(value) if isinstance(value, list) else str(value)))
    return lines or _details(arguments)


_LINES = {
    "join": _join_lines,
    "aggregate": _aggregate_lines,
    "exchange": _exchange_lines,
    "scan": _scan_lines,
    "filter": _filter_lines,
    "project": _project_lines,
}


def _details(arguments: Arguments) -> list[tuple[str, str]]:
    return [("", _joined(arguments["details"]))] if "details" in arguments else []


def _joined(entries: list[str] | None) -> str:
    """Entries in a row; no more of them than a line holds."""
    if not entries:
        return ""
    text = ", ".join(map(str, entries[:24]))
    return text if len(entries) <= 24 else f"{text}, …"


def order_words(order: str) -> str:
    """A sort order in words; what Spark does by itself is left out: `a#1 DESC NULLS LAST` is `a#1 desc`."""
    for ending, words in ((" ASC NULLS FIRST", ""), (" DESC NULLS LAST", " desc"), (" ASC", ""), (" DESC", " desc")):
        if order.endswith(ending):
            return order.removesuffix(ending) + words
    for ending, words in ((" ASC NULLS LAST", " nulls last"), (" DESC NULLS FIRST", " desc nulls first")):
        if order.endswith(ending):
            return order.removesuffix(ending) + words
    return order


def filter_words(filters: list[str]) -> str:
    """Filters in a row, those that only keep null values out last; `GreaterThan(id,3)` is `id > 3`."""
    telling = [text for text in filters if not text.lower().lstrip("*").startswith("isnotnull(")]
    shown = telling or filters
    return ", ".join(map(_filter_words, shown[:12]))


def _filter_words(text: str) -> str:
    if (match := _PUSHED.match(text)) is not None:
        return f"{match[2]} {_SIGNS[match[1]]} {match[3]}"
    return text[1:-1] if text[:1] == "(" and text[-1:] == ")" and text.count("(") == 1 else text


def _function_text(function: object) -> str:
    """A function as printed; a damaged text has lists of words where operators have functions."""
    return str(function["text"]) if isinstance(function, dict) else str(function)
