"""What is chosen on the Live page: which Spark with which settings, and which tables it plans with (no Streamlit)."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from planviz.catalog.bundled import NAMES, read_bundled
from planviz.catalog.files import write_catalog
from planviz.catalog.tables import Catalog
from planviz.catalogs import read
from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.spark.process import SparkSettings
from planviz.spark.reach import is_connect
from planviz.spark.secrets import HIDDEN, is_secret, without_secrets
from planviz.ui import live_places
from planviz.ui.live_places import LOCAL
from planviz.ui.sparks import Work

#: Tables that do not come with planviz.
PASTED, FOLDER, OWN, SAMPLE = "pasted", "folder", "spark", "sample"
#: Those that hold rows.
REAL = (SAMPLE, FOLDER, OWN)
TABLES = {
    SAMPLE: "Sample data: a small shop with rows",
    "shop": "A small shop, with statistics",
    "tpch": "TPC-H, with statistics",
    "tpcds": "TPC-DS, with statistics",
    "documents": "Customers, orders and items",
    "slides": "The slides' examples",
    PASTED: "Pasted: CREATE TABLE or a catalogue",
    FOLDER: "A folder of Parquet",
    OWN: "Spark's own catalogue",
}
#: Both sides of a comparison take times to be in this zone, unless a setting says otherwise.
ZONE = {"spark.sql.session.timeZone": "UTC"}
#: Settings of SQL that a Spark has from its start on; any other can differ from query to query.
_FROM_START = re.compile(
    r"spark\.sql\.(catalog\.|catalogImplementation|warehouse\.|extensions|hive\.metastore|hive\.thriftServer|ui\."
    r"|queryExecutionListeners|streaming\.streamingQueryListeners|filesourceTableRelationCacheSize|cache\.serializer"
    r"|globalTempDatabase|sources\.schemaStringLengthThreshold|event\.truncate|codegen\.cache|debug$|reflect\.)"
)
_LINE = re.compile(r"([\w.\-]+)\s*[=\s]\s*(.*)")


@dataclass(frozen=True)
class Choices:
    """What was chosen: `master`, `memory` and `folder` are offered by the server, `conf` holds settings on the list.

    `tables` is a key of `TABLES`; `text` is what was pasted for tables.
    """

    master: str = LOCAL
    memory: str = "2g"
    conf: tuple[tuple[str, str], ...] = ()
    tables: str = "shop"
    text: str = ""
    folder: str = ""

    def spark(self) -> SparkSettings:
        """The Spark that is asked for. Raises InputError for one that the server does not offer."""
        offered = live_places.masters()
        if self.master not in offered:
            raise InputError(
                f"This server offers {', '.join(map(without_secrets, offered))}. Who starts it adds others with "
                "planviz serve --live-master ADDRESS."
            )
        if self.memory not in live_places.MEMORY:
            raise InputError(f"Memory is one of {', '.join(live_places.MEMORY)}.")
        return SparkSettings(self.master, () if is_connect(self.master) else _of_server(True), self.memory)

    def session(self) -> dict[str, str]:
        """The settings of the session that a query gets."""
        own = live_places.conf() if is_connect(self.master) else dict(_of_server(False))
        return {**ZONE, **own, **{key: value for key, value in self.conf if key in live_places.ALLOWED}}

    def catalog(self) -> Catalog | None:
        """The planviz catalogue that is chosen. Raises InputError when what was pasted is none."""
        if self.tables in NAMES:
            return read_bundled(self.tables)
        if self.tables != PASTED:
            return None
        if not self.text.strip():
            raise InputError("Paste the tables first: CREATE TABLE statements or a planviz catalogue.")
        return read(self.text, "pasted")

    def arguments(self) -> JsonObject:
        """What a task is told of session and tables (`planviz.spark.tasks.capture`). Raises InputError."""
        found: JsonObject = {"conf": self.session()}
        catalog = self.catalog()
        if catalog is not None:
            found["catalog"] = write_catalog(catalog)
        elif self.tables == SAMPLE:
            if not sample_folder().is_dir():
                raise InputError("The sample data is not there yet: press Make sample data.")
            found["data"] = str(sample_folder())
        elif self.tables == FOLDER:
            if self.folder not in live_places.folders():
                raise InputError(
                    "Choose a folder of Parquet tables. Who starts the server offers them with planviz serve "
                    "--live-data DIR."
                )
            found["data"] = str(Path(live_places.folders()[self.folder]).expanduser().absolute())
        return found

    def folder_shown(self) -> str:
        """The folder of the chosen tables; that of the sample data as people write it."""
        return _SAMPLE_SHOWN if self.tables == SAMPLE else live_places.folders().get(self.folder, "")

    def command(self, part: str, more: str = "") -> str:
        """The same on the command line, without values that may be secret."""
        words = ["planviz spark", part, more]
        if self.master != LOCAL:
            words.append(f"--master '{without_secrets(self.master)}'")
        if self.memory != "2g":
            words.append(f"--memory {self.memory}")
        words += [f"--conf {key}={_quoted(HIDDEN if is_secret(key) else value)}" for key, value in self.conf]
        if self.tables in NAMES:
            words.append(f"--catalog {self.tables}")
        elif self.tables == PASTED:
            words.append("--catalog tables.sql")
        elif self.tables in (SAMPLE, FOLDER) and (folder := self.folder_shown()):
            words.append(f"--data {_quoted(folder)}")
        return " ".join(word for word in words if word)


def _of_server(from_start: bool) -> tuple[tuple[str, str], ...]:
    """The settings of who started the server: those that a Spark has from its start on, or those of a session."""
    return tuple(
        (key, value)
        for key, value in live_places.conf().items()
        if from_start == (not key.startswith("spark.sql.") or _FROM_START.match(key) is not None)
    )


_SAMPLE_SHOWN = "~/.cache/planviz/sample-data"
#: A hundred thousand orders, 15 MB: made within seconds.
SAMPLE_SCALE = 0.1


def sample_folder() -> Path:
    """Where the sample data of this machine's user lies."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return Path(cache, "planviz", "sample-data") if cache else Path(_SAMPLE_SHOWN).expanduser()


def sample_job(work: Work) -> dict[str, object]:
    """The work that makes the sample data; its value is the catalogue of its tables.

    A folder that is whole appears at once: one that was stopped half way leaves nothing behind.
    """
    target = sample_folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="making-") as folder:
        made = work.call("sample_data", {"folder": f"{folder}/data", "scale": SAMPLE_SCALE}, limit=3_600.0)
        if not target.exists():
            Path(folder, "data").rename(target)
    catalog: JsonObject = made["catalogue"]
    return catalog


def sample_catalog() -> str | None:
    """The catalogue of the sample data with its statistics, as text; None before it was made."""
    path = sample_folder() / "catalog.json"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _quoted(value: str) -> str:
    return value if re.fullmatch(r"[\w./:\-\[\]*,~]+", value) else "'" + value.replace("'", "'\\''") + "'"


def read_conf(text: str, known: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """The settings that lines of `KEY=VALUE`, `KEY VALUE` or `--conf KEY=VALUE` name; `#` begins a remark.

    A hidden value stands for the one that was known before. Raises InputError with the line.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(_unquoted(line.strip().removeprefix("--conf ").strip()))
        if match is None:
            raise InputError(f"Line {number} of the settings: write spark.some.key=value.", line=number)
        key, value = match[1], _unquoted(match[2].strip())
        if not key.startswith("spark."):
            raise InputError(f"Line {number} of the settings: Spark's settings begin with spark., not {key[:60]}.")
        if key not in live_places.ALLOWED:
            near = get_close_matches(key, live_places.ALLOWED, 1, 0.8)
            hint = f"Did you mean {near[0]}?" if near else "Who starts the server sets others: --live-conf FILE."
            raise InputError(
                f"Line {number} of the settings: {key[:80]} is not on the list of those that only change plans. {hint}"
            )
        found[key] = (known or {}).get(key, value) if value == HIDDEN else value
    return tuple(found.items())


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def shown_conf(pairs: tuple[tuple[str, str], ...]) -> str:
    """Settings as lines, values that may be secret hidden."""
    return "\n".join(f"{key}={HIDDEN if is_secret(key) else value}" for key, value in pairs)


def statistics_job(
    patterns: list[str], arguments: dict[str, object], limit: float
) -> Callable[[Work], dict[str, object]]:
    """The work that collects statistics of tables; its value is a planviz-catalog/1 document that grows."""
    from planviz.catalog.files import FORMAT

    def job(work: Work) -> dict[str, object]:
        tables: JsonObject = {}
        work.value = {"format": FORMAT, "name": "collected", "tables": tables}
        work.at = "looking for tables"
        names = work.call("tables", {"tables": patterns, **arguments})
        for at, name in enumerate(names, 1):
            if work.stopped:
                break
            told = f"{at} of {len(names)}"
            tables[name] = work.call("analyze", {"table": name, **arguments}, limit=limit, told=told)
        found: JsonObject = work.value
        return found

    return job
