"""What of Spark could reach outside: every function and option of every data source, tried on a Spark without guards.

    python -m tests.spark.surface          writes docs/spark-surface.md anew (some minutes)

Each text in the examples that Spark gives of its functions, and each option, is replaced by the path of a file and by
an address of this machine. Whether the file was read (its access time) or the address was asked stands in the table,
beside what planviz lets through. The tests hold the names in the table against the Spark that is installed, so a new
version's functions and options are seen, and refused until somebody has looked.
"""

from __future__ import annotations

import http.server
import logging
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from planviz.errors import StatementRefused
from planviz.spark.function_options import OPTIONS, known_functions
from planviz.spark.safety import queries_of
from planviz.spark.tables import PROVIDERS

TABLE = Path(__file__).parents[2] / "docs" / "spark-surface.md"
_CATALYST, _SQL = "org.apache.spark.sql.catalyst.", "org.apache.spark.sql.execution.datasources."
#: Data sources and the classes that name their options.
_OF_SOURCES = {
    "json": (f"{_CATALYST}json.JSONOptions$",),
    "csv": (f"{_CATALYST}csv.CSVOptions$",),
    "xml": (f"{_CATALYST}xml.XmlOptions$",),
    "avro": ("org.apache.spark.sql.avro.AvroOptions$",),
    "protobuf": ("org.apache.spark.sql.protobuf.utils.ProtobufOptions$",),
    "parquet": (f"{_SQL}parquet.ParquetOptions$",),
    "orc": (f"{_SQL}orc.OrcOptions$",),
    "text": (f"{_SQL}text.TextOptions$",),
    "jdbc": (f"{_SQL}jdbc.JDBCOptions$",),
    "every source of files": (f"{_CATALYST}FileSourceOptions$",),
}
#: A call of each function that takes options, whose texts are real ones.
_CALLS = {
    "from_json": "from_json('{{\"a\": 1}}', 'a INT', {0})",
    "to_json": "to_json(named_struct('a', 1), {0})",
    "schema_of_json": "schema_of_json('{{\"a\": 1}}', {0})",
    "from_csv": "from_csv('1', 'a INT', {0})",
    "to_csv": "to_csv(named_struct('a', 1), {0})",
    "schema_of_csv": "schema_of_csv('1', {0})",
    "from_xml": "from_xml('<p><a>1</a></p>', 'a INT', {0})",
    "to_xml": "to_xml(named_struct('a', 1), {0})",
    "schema_of_xml": "schema_of_xml('<p><a>1</a></p>', {0})",
    "from_avro": "from_avro(to_avro(1), '\"int\"', {0})",
    "schema_of_avro": "schema_of_avro('\"int\"', {0})",
    "from_protobuf": "from_protobuf(X'00', 'M', X'00', {0})",
    "to_protobuf": "to_protobuf(named_struct('a', 1), 'M', X'00', {0})",
}
#: Texts in the examples of one function that are replaced.
_MOST = 4
_HEAD = """\
Made by `python -m tests.spark.surface`, which tries each function and option on a Spark without planviz's guards: a
text is replaced by the path of a file and by an address, and both are watched. What is not listed here is refused by a
live Spark of planviz ([security.md](security.md)) until somebody has looked. `tests/spark/test_surface.py` holds it
against the installed Spark."""
_OPTIONS = """\
A query gives options to functions only (`from_json(x, schema, map('mode', 'FAILFAST'))`): tables of a pasted catalogue
carry none, and `WITH (...)` behind a table is refused."""
_TEXT = re.compile(r"'(?:[^'\\]|\\.|'')*'")


def functions(session: Any) -> dict[str, tuple[str, str, str]]:
    """Every function of a Spark: its group, whether it gives a table, and its examples."""
    java, catalog = session._jvm, session._jsparkSession.sessionState()
    found = {}
    for name in sorted({row[0] for row in session.sql("SHOW SYSTEM FUNCTIONS").collect()}):
        place = java.org.apache.spark.sql.catalyst.FunctionIdentifier(
            name, java.scala.Option.apply("builtin"), java.scala.Option.apply("system")
        )
        group, kind, examples = "operators", "", ""
        for registry, word in ((catalog.functionRegistry(), ""), (catalog.tableFunctionRegistry(), "table")):
            info = registry.lookupFunction(place)
            if info.isDefined():
                group, kind, examples = info.get().getGroup(), word, info.get().getExamples()
                break
        found[name] = (group, kind, examples)
    return found


def options(session: Any) -> dict[str, tuple[str, ...]]:
    """Every option that the classes of Spark's data sources name, by source."""
    found = {}
    for source, classes in _OF_SOURCES.items():
        names: set[str] = set()
        for name in classes:
            with suppress(Exception):  # a source that is not in this distribution
                names |= _named(session._jvm, name)
        found[source] = tuple(sorted(names, key=str.lower))
    return found


def _named(java: Any, name: str) -> set[str]:
    loader = java.Thread.currentThread().getContextClassLoader()
    of = java.java.lang.Class.forName(name, True, loader)
    module = of.getField("MODULE$").get(None)
    if any(method.getName() == "getAllOptions" for method in of.getMethods()):
        asked = java.scala.jdk.javaapi.CollectionConverters.asJava(module.getAllOptions().toSeq())
        return {str(option) for option in asked}
    texts = [m for m in of.getMethods() if re.fullmatch(r"[A-Z][A-Z_0-9]+", m.getName()) and not m.getParameterCount()]
    return {str(getattr(module, m.getName())()) for m in texts if m.getReturnType().getName() == "java.lang.String"}


def sources(session: Any) -> dict[str, str]:
    """Every data source that this Spark registers: its short name and its class."""
    java = session._jvm
    loader = java.Thread.currentThread().getContextClassLoader()
    register = java.java.lang.Class.forName("org.apache.spark.sql.sources.DataSourceRegister")
    found, all_ = {}, java.java.util.ServiceLoader.load(register, loader).iterator()
    while all_.hasNext():
        source = all_.next()
        found[str(source.shortName())] = str(source.getClass().getName())
    return found


def verdict(name: str, kind: str) -> str:
    """What planviz says of a function that is called with columns, and with more that it could be given."""
    if name not in known_functions():
        return "refused: nobody has looked"
    said = {call: _refused(call) for call in _tries(name, kind)}
    if all(said.values()):
        return "refused"
    if name in OPTIONS:
        more = {"xml": ", of XML without a document type", "buf": ", without a file's path"}
        return f"with the options below{more.get(name[-3:], '')}"
    conditions = []
    if any("DOCTYPE" in call and no for call, no in said.items()):
        conditions.append("of XML without a document type")
    if any("1000000000" in call and no for call, no in said.items()):
        conditions.append("of constants that stay small")
    if any("(a+)+" in call and no for call, no in said.items()):
        conditions.append("of patterns that end")
    return ", ".join(conditions) or "passes"


def _tries(name: str, kind: str) -> Iterator[str]:
    quoted = f"`{name}`"
    columns = [", ".join(f"a{i}" for i in range(count)) for count in range(4)]
    if kind:
        yield from (f"SELECT * FROM {quoted}({c})" for c in columns)
        return
    yield from (f"SELECT {quoted}({c}) FROM t" for c in columns)
    yield f"SELECT {quoted}(a, 'M', '/f')"
    yield f"SELECT {quoted}('<!DOCTYPE a><a/>', 'a')"
    yield from (
        f"SELECT {quoted}({a})" for a in ("1000000000", "'a', 1000000000", "1, 1000000000", "array(1), 1000000000, 1")
    )
    yield f"SELECT {quoted}('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '(a+)+$')"


def _refused(sql: str) -> bool:
    try:
        queries_of(sql)
    except StatementRefused as error:
        return "cannot read this SQL" not in str(error)
    return False


class Watch:
    """A file and an address that nobody has reason to touch."""

    def __init__(self, folder: Path, port: int) -> None:
        """`folder` for the file, `port` of the address."""
        self.file = folder / "canary.txt"
        self.file.write_text("a\n1\n", encoding="utf-8")
        self.address = f"http://127.0.0.1:{port}/canary"
        self.asked = 0

    def effects(self, work: Any) -> set[str]:
        """What happened to the two while some work was done, whether it failed or not."""
        os.utime(self.file, (0, 1_000_000_000))
        before = self.asked
        with suppress(Exception):
            work()
        found = {"asks the address"} if self.asked > before else set()
        return found | ({"reads the file"} if self.file.stat().st_atime > 0 else set())

    @property
    def values(self) -> tuple[str, ...]:
        """What stands for a text."""
        return (str(self.file), self.file.as_uri(), self.address)


@contextmanager
def watch() -> Iterator[Watch]:
    """A watch whose address answers."""
    with tempfile.TemporaryDirectory() as folder:
        found: list[Watch] = []

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found[0].asked += 1
                self.send_response(404)
                self.end_headers()

            do_HEAD = do_POST = do_GET  # noqa: N815

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            found.append(Watch(Path(folder), server.server_address[1]))
            yield found[0]
            server.shutdown()


def examples(text: str) -> Iterator[str]:
    """The statements among a function's examples that are one query on one line."""
    for line in text.splitlines():
        if line.strip().startswith("> SELECT"):
            yield line.strip().removeprefix("> ").rstrip("; ")


def tried(session: Any, watched: Watch, statements: Iterator[str]) -> tuple[int, set[str]]:
    """Each text of each statement replaced by what is watched: how many statements, and what they did."""
    effects: set[str] = set()
    places = [(sql, text) for sql in statements for text in _TEXT.finditer(sql)][:_MOST]
    for sql, text in places:
        for value in (str(watched.file), watched.address):
            hostile = f"{sql[: text.start()]}'{value}'{sql[text.end() :]}"
            effects |= watched.effects(lambda sql=hostile: session.sql(sql).collect())
    return 2 * len(places), effects


def option_effects(session: Any, watched: Watch, source: str, option: str) -> set[str]:
    """What happens when an option is given to the functions of a format, and to a reader of the format."""
    effects: set[str] = set()
    calls = [call for name, call in _CALLS.items() if name.endswith(f"_{source}")]
    for value in watched.values:
        for call in calls:
            given = f"map('{option}', '{value}')"
            sql = f"SELECT {call.format(given)} AS a"
            effects |= {f"{e} in functions" for e in watched.effects(lambda sql=sql: session.sql(sql).collect())}
        if source != "protobuf":
            format = "csv" if source.startswith("every") else source
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "x").write_text("<p><a>1</a></p>", encoding="utf-8")
                work = partial(_read, session, format, option, value, folder)
                effects |= {f"{e} as a table" for e in watched.effects(work)}
    return effects


def _read(session: Any, format: str, option: str, value: str, folder: str) -> None:
    session.read.format(format).option("rowTag", "p").option(option, value).schema("a INT").load(folder).collect()


def main() -> None:
    """Write the table."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    logging.disable(logging.CRITICAL)
    with watch() as watched:
        TABLE.write_text("\n".join(lines(session, watched)) + "\n", encoding="utf-8")


def lines(session: Any, watched: Watch) -> Iterator[str]:
    """The table's lines."""
    yield f"# What of Spark {session.version} could reach outside"
    yield ""
    yield from _HEAD.splitlines()
    yield ""
    yield "## Functions"
    yield ""
    yield "| function | group | statements tried | seen | in a query for a live Spark |"
    yield "|---|---|---|---|---|"
    for name, (group, kind, text) in functions(session).items():
        count, effects = tried(session, watched, examples(text))
        shown, of = name.replace("|", "\\|"), f"{group} (table)" if kind else group
        yield f"| `{shown}` | {of} | {count} | {words(effects)} | {verdict(name, kind)} |"
    yield ""
    yield "## Options"
    yield ""
    yield from _OPTIONS.splitlines()
    yield ""
    yield "| source | option | seen | given to a function |"
    yield "|---|---|---|---|"
    for source, names in options(session).items():
        for option in names:
            effects = option_effects(session, watched, source, option)
            yield f"| {source} | `{option}` | {words(effects)} | {given_to(source, option)} |"
    yield ""
    yield "## Data sources"
    yield ""
    yield "| source | class | a table of a pasted catalogue |"
    yield "|---|---|---|"
    for name, of in sorted(sources(session).items()):
        made = "made, empty" if name.lower() in PROVIDERS else "refused"
        yield f"| `{name}` | `{of.rpartition('.')[2]}` | {made} |"


def given_to(source: str, option: str) -> str:
    """Which functions may be given an option."""
    takes = [name for name in OPTIONS if name.endswith(f"_{source}")]
    if not takes:
        return "no function takes it"
    allowed = [name for name in takes if option.lower() in OPTIONS[name][1]]
    return "refused" if not allowed else "passes" if allowed == takes else f"passes to {', '.join(allowed)}"


def words(effects: set[str]) -> str:
    """What was seen, in a cell."""
    return ", ".join(sorted(effects)) or "nothing"


if __name__ == "__main__":
    main()
