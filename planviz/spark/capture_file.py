"""Captures as files, and `capture` for a DataFrame of the user's own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

from planviz.document import Document, open_text
from planviz.document.saving import save

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ENDING = ".planviz.json.gz"


def capture_text(captured: dict[str, object]) -> str:
    """A capture as text: what every page and command of planviz opens."""
    return json.dumps(captured, ensure_ascii=True, separators=(",", ":"))


def write_capture(captured: dict[str, object], path: Path) -> None:
    """Write a capture, the same bytes for the same capture. Raises ExportError when that fails."""
    data = capture_text(captured).encode()
    save(path, gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


def capture(df: object, path: str | Path | None = None, *, run: bool = False) -> Document:
    """Capture a PySpark DataFrame: plans, every rule at work, estimates; with `run`, what Spark measured.

    Works in the process that has the DataFrame, classic or Spark Connect. `run` executes the query and counts its rows.
    Written to `path` when there is one (by habit NAME.planviz.json.gz). Raises what Spark raises.
    """
    from planviz.spark.capturing import capture_frame

    captured = capture_frame(cast("DataFrame", df), run=run)
    if path is not None:
        write_capture(captured, Path(path))
    return open_text(capture_text(captured))
