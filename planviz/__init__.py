"""planviz: see what Spark does with your query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from planviz.document import Document
    from planviz.notebook import diff, explain, show

__version__ = "0.1.0"
__all__ = ["__version__", "capture", "diff", "explain", "show"]
_NOTEBOOK = ("diff", "explain", "show")


def capture(df: object, path: str | Path | None = None, *, run: bool = False) -> Document:
    """Capture a PySpark DataFrame; see `planviz.spark.capture_file.capture`."""
    from planviz.spark.capture_file import capture

    return capture(df, path, run=run)


def __getattr__(name: str) -> object:
    # What a notebook uses is loaded when it is asked for: the command line starts without it.
    if name in _NOTEBOOK:
        from planviz import notebook

        return getattr(notebook, name)
    raise AttributeError(f"module 'planviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext planviz`: the magic `%%planviz`; `shell` is IPython's, which planviz does not depend on."""
    from planviz.notebook import load_magic

    load_magic(shell)
