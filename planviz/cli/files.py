"""Reading and writing what a command line names: files, standard input, an output folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from planviz.errors import InputError, PlanvizError, defect
from planviz.render.text import one_line
from planviz.units import byte_size

#: Bytes that a packed file may unpack to: a kilobyte of gzip can hold a megabyte of one letter.
_MOST = 1 << 30
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"

#: Bytes that text hardly has; a few come with what a terminal printed.
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
#: How event logs end that Spark compressed (spark.eventLog.compress).
_COMPRESSED = frozenset({".zstd", ".zst", ".lz4", ".lzf", ".snappy"})
_INGEST = "Compressed and rolling event logs are read by: planviz spark ingest LOG -o CATALOGUE, then planviz history."


def read_text(name: str) -> str:
    """The text of a file or, for `-`, of standard input, unpacked where it is gzip.

    Bytes that are no UTF-8 survive a round trip, line endings stay. Raises `InputError` when it cannot be read.
    """
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        hint = "Name an existing file, or - for standard input."
        if len(name.split()) > 1 and not Path(name).suffix:
            hint += " A query goes there: echo 'SELECT 1' | planviz explain -"
        if isinstance(error, IsADirectoryError) and Path(name).name.startswith("eventlog_v2_"):
            hint = _INGEST
        raise InputError(f"{one_line(name, 120)}: {error.strerror or error}. {hint}") from None
    if data[:2] == _GZIP:
        data = _unpacked(name, data)
    if data[:4] == _ZIP:  # so Spark's history server gives event logs away
        raise InputError(f"{name} is a zip archive. Unpack it, and open the file in it that has the plan or the log.")
    if len(data[:4096].translate(None, _CONTROLS)) < 0.95 * len(data[:4096]):
        hint = _INGEST if Path(name).suffix in _COMPRESSED else "Save the text as UTF-8."
        raise InputError(f"{name} holds binary data or UTF-16, not plain text. {hint}")
    return data.decode("utf-8", errors="surrogateescape")


def _unpacked(name: str, data: bytes) -> bytes:
    import gzip
    import io
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(_MOST + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a gzip file that ends too early or is damaged. Copy it whole.") from None
    if len(unpacked) > _MOST:
        raise InputError(
            f"{name} unpacks to more than {byte_size(_MOST)}. Unpack it, and open the part that has the plan."
        )
    return unpacked


def write(text: str) -> None:
    """Print to standard output, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogateescape"))
    sys.stdout.buffer.flush()


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole, making its folder; raises `ExportError` when that fails, and leaves what was there."""
    from planviz.document.saving import save

    save(path, data)


def complain(name: str, error: PlanvizError) -> None:
    """Tell on standard error what is wrong with a file; its name is told once."""
    said = str(error)
    print(f"planviz: {said if said.startswith(name) else f'{name}: {said}'}", file=sys.stderr)


#: Makes what is shown of the file of this name; the second value are errors of parts of it.
Show = Callable[[str], tuple[str, Sequence[PlanvizError]]]


def show_each(names: Sequence[str], out: str | None, ending: str, show: Show) -> int:
    """Print what `show` makes of each file, or write it to `out/<stem>.<ending>`; the exit status.

    A file that fails does not stop the others: its errors go to standard error with its name.
    """
    status = 0
    for name in names:
        try:
            shown, errors = show(name)
            if out is None:
                write(shown)
            else:
                path = Path(out) / f"{'stdin' if name == '-' else Path(name).stem}.{ending}"
                write_file(path, shown.encode("utf-8", errors="surrogateescape"))
        except PlanvizError as failure:
            errors = [failure]
        except (OSError, ImportError):
            raise
        except Exception as failure:
            errors = [defect("This file", failure)]
        for error in errors:
            status = 2
            complain(name, error)
    return status
