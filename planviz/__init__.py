"""planviz: see what Spark does with your query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from planviz.document import Document

__version__ = "0.1.0"


def capture(df: Any, path: str | Path | None = None, *, run: bool = False) -> Document:
    """Capture a PySpark DataFrame; see `planviz.spark.capture_file.capture`."""
    from planviz.spark.capture_file import capture

    return capture(df, path, run=run)
