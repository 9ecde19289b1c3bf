"""What to say of a text that holds no plan: what it looks like, and what to paste instead."""

from __future__ import annotations

import re
from difflib import get_close_matches

from planviz.errors import ParseError

_ADVICE = "planviz reads Spark's plans: paste what EXPLAIN prints in Spark."
#: What plans of other engines show, those that look most like Spark's first.
_ENGINES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?m)^STAGE DEPENDENCIES:|Map Operator Tree:|Reduce Operator Tree:"), "a plan of Hive"),
    (
        re.compile(
            r"== Optimized Execution Plan ==|\bCalc\(select=|\b(?:TableSource|DataStream)Scan\(table=|"
            r"\bExchange\(distribution=\["
        ),
        "a plan of Flink",
    ),
    (re.compile(r"\bLogicalTableScan\(table=\[\["), "a plan of Calcite"),
    (re.compile(r"\bcop\[tikv\]|\bTable(?:Reader|FullScan)_\d+\b"), "a plan of TiDB"),
    (
        re.compile(r"\(cost=[\d.]+\.\.[\d.]+ rows=|->  (?:Seq|Index|Bitmap)\b|\bSeq Scan on \w"),
        "a plan of PostgreSQL",
    ),
    (
        re.compile(r"(?m)^Fragment \d+ \[|^\s*- (?:Output|RemoteExchange|RemoteSource|LocalExchange|TableScan)\["),
        "a plan of Trino or Presto",
    ),
    (re.compile(r"\b\w+Exec: |\b(?:TableScan|Projection): "), "a plan of DataFusion"),
    (re.compile(r"(?m)^ *-> [^\n]*\(cost=[\d.]+ rows=|\| *select_type *\|"), "a plan of MySQL"),
    (re.compile(r"\| Id +\| Operation\b"), "a plan of Oracle"),
    (
        re.compile(
            r"(?m)^ *\|--(?:(?:Clustered )?Index|Table Scan|Hash Match|Nested Loops|Merge Join|Stream|Compute)\b"
        ),
        "a plan of SQL Server",
    ),
    (re.compile(r"│ +(?:SEQ_SCAN|TABLE_SCAN|PROJECTION|FILTER|[A-Z]+_JOIN|[A-Z_]*GROUP_BY) +"), "a plan of DuckDB"),
    (re.compile(r"\bReadFrom(?:MergeTree|Storage|PreparedSource|Remote)\b"), "a plan of ClickHouse"),
    (re.compile(r"(?m)^PLAN-ROOT SINK|^[| ]*\d\d:(?:SCAN|EXCHANGE|HASH JOIN|AGGREGATE)\b"), "a plan of Impala"),
    (re.compile(r"\bpartitionsTotal=\d"), "a plan of Snowflake"),
    (re.compile(r"(?m)^QUERY PLAN$|^[`| ]*--(?:SCAN|SEARCH) \w"), "a plan of SQLite"),
    (re.compile(r"\bPhysical(?:OlapScan|Distribute|ResultSink)\[|\bV?OlapScanNode\b"), "a plan of Doris or StarRocks"),
)
#: How many of those have trees that are drawn as Spark's are.
_SPARKLIKE = 4
#: What a text shows, what it is then, what to do.
_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"^PK\x03\x04"), "a zip archive", "Unpack it, and open the file in it that has the plan or the log."),
    (
        re.compile(r"[*!@#+](?:Exec|Expression|Partitioning|Command|Scan) <\w+>.* (?:will run|cannot run|could run)"),
        "the RAPIDS Accelerator's report on what runs on the GPU",
        "It names operators without the plan they stand in: paste what df.explain() prints.",
    ),
    (
        re.compile(r"(?i)^\s*(?:optimize|vacuum|restore|reorg|copy\s+into|convert\s+to\s+delta|call)\s+[\w.`'\"/]+"),
        "a command of Delta Lake, Iceberg or Databricks",
        "It has no plan of Spark's own: paste a query, or what EXPLAIN prints of what the command runs.",
    ),
    (
        re.compile(
            r"(?m)^\s*\(\d+\) [A-Z][^\n]*\n\s*(?:Output|Input|Left keys|Result) \[\d+\]\s*:|"
            r"^\s*\(\d+\) [A-Z][^\n]*\n\s*(?:Arguments|Condition) ?: "
        ),
        "the details of explain formatted without the tree of operators",
        "Paste the tree that stands above them, too: it begins below “== Physical Plan ==”.",
    ),
    (
        re.compile(r"=== Applying Rule \S+ ==="),
        "a list of rules out of Spark's rule log, without the plans that they changed",
        "Paste the log itself: every “=== Applying Rule” with the lines below it.",
    ),
    (
        re.compile(r"(?m)^\(\d+\) \w*RDD\b.*\[\]$|^ \|  \w*RDD\["),
        "the lineage of an RDD (toDebugString)",
        "It knows no operators of a query: paste what df.explain() prints.",
    ),
    (
        re.compile(r"(?m)^root\s*\n\s*\|-- \w+"),
        "a schema (printSchema)",
        "Paste what df.explain() prints; a schema can be pasted where a catalogue is asked for.",
    ),
    *((pattern, name, _ADVICE) for pattern, name in _ENGINES),
    (
        re.compile(r"(?m)^Traceback \(most recent call last\)|^\s+at [\w.$]+\(\w+\.(?:java|scala):\d+\)"),
        "an error without a plan",
        "Paste what df.explain() prints, or the whole message where it holds a plan.",
    ),
)
_STATEMENT = re.compile(r"(?im)^[^\S\n]*+(?:select|with|insert|merge|create|from)\s+\S+.*$")


def is_of_another_engine(text: str) -> bool:
    """Whether another engine printed a text whose indented operators look as Spark's do, or are called so."""
    head = text[:200_000]
    return any(pattern.search(head) is not None for pattern, _ in _ENGINES[:_SPARKLIKE])


def other_engine(text: str) -> str | None:
    """Two sentences as `what_it_is` gives them, of a plan that another engine printed; None for any other text."""
    head, advice = text[:200_000], _ADVICE
    return next((f"This looks like {name}. {advice}" for pattern, name in _ENGINES if pattern.search(head)), None)


def what_it_is(text: str) -> str | None:
    """Two sentences: what the text seems to be and what to paste instead; None when it looks like nothing known."""
    head = text[:200_000]
    for pattern, name, advice in _KNOWN:
        if pattern.search(head):
            return f"This looks like {name}. {advice}"
    if match := _STATEMENT.search(head):
        line = head.count("\n", 0, match.end()) + 1
        return f"Line {line} looks like SQL: paste the statement alone, and planviz plans it."
    return None


#: Words that SQL statements begin with, and words that show that a text is one.
_FIRST = ("ALTER", "ANALYZE", "CACHE", "CREATE", "DELETE", "DESCRIBE", "DROP", "EXPLAIN", "INSERT", "MERGE",
          "REFRESH", "SELECT", "SHOW", "TABLE", "TRUNCATE", "UNCACHE", "UPDATE", "VALUES", "WITH")  # fmt: skip
_FIRST_WORD = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*+\(?\s*+([A-Za-z]{3,12})\s", re.DOTALL)
_SECOND_WORD = re.compile(r"\b(?:SELECT|FROM|INTO|TABLE|VALUES|AS|SET|DATABASE|VIEW|WHERE)\b", re.IGNORECASE)


def misspelt_statement(text: str) -> ParseError | None:
    """The error of SQL whose first word is nearly one that statements begin with; None for any other text."""
    head = text[:20_000]
    match = _FIRST_WORD.match(head)
    if match is None or _SECOND_WORD.search(head, match.end()) is None:
        return None
    near = get_close_matches(match[1].upper(), _FIRST, n=1, cutoff=0.7)
    if not near or near[0] == match[1].upper():
        return None
    before = head[: match.start(1)]
    line, column = before.count("\n") + 1, match.start(1) - before.rfind("\n")
    return ParseError(
        "PARSE_SYNTAX_ERROR",
        f"Syntax error at or near '{match[1]}': no statement begins so. Did you mean {near[0]}?",
        line=line,
        column=column,
    )
