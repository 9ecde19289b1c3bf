"""Reading and writing what a command line names: files, standard input, an output folder."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from planviz.errors import VALUE, ExportError, InputError, PlanvizError, cut, defect
from planviz.render.text import file_name, on_terminal
from planviz.units import byte_size

#: Bytes that a packed file may unpack to: a kilobyte of gzip can hold a megabyte of one letter.
_MOST = 1 << 30
#: Bytes up to which an event log is kept as it is, and of one line of a longer one at most.
_SHORT, _LONGEST = 32 << 20, 256 << 20
_EVENT = b'{"Event":"'
GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"

#: The files (device and number) that this command has read: what it makes takes the place of none of them.
_READ: set[tuple[int, int]] = set()

#: Bytes that text hardly has; a few come with what a terminal printed.
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
#: How event logs end that Spark compressed (spark.eventLog.compress).
_COMPRESSED = frozenset({".zstd", ".zst", ".lz4", ".lzf", ".snappy"})
_INGEST = "Compressed and rolling event logs are read by: planviz spark ingest LOG -o CATALOGUE, then planviz history."


def read_text(name: str, whole: bool = False) -> str:
    """The text of a file or, for `-`, of standard input, unpacked where it is gzip.

    Bytes that are no UTF-8 survive a round trip, line endings stay. Of an event log of more than 32 MB each event that
    says nothing of executions has its name alone, unless the text is asked for `whole`: such a log is read line by
    line, however long it is. Raises `InputError` when it cannot be read.
    """
    try:
        with nullcontext(_standard_input()) if name == "-" else Path(name).open("rb") as file:
            return _text_of(named(name), file, whole)
    except OSError as error:
        hint = "Name an existing file, or - for standard input."
        if len(name.split()) > 1 and not Path(name).suffix:
            hint += " A query goes there: echo 'SELECT 1' | planviz explain -"
        if isinstance(error, IsADirectoryError) and Path(name).name.startswith("eventlog_v2_"):
            hint = _INGEST
        raise InputError(f"{named(name)}: {error.strerror or error}. {hint}") from None


def named(name: str) -> str:
    """A file's name as a message shows it: on one line, and not without end."""
    return cut(file_name(name), VALUE)


def begin() -> None:
    """A command begins: it has read nothing yet, and a stream that was closed before it is an empty one.

    Python has None in its place, and the next file that is opened would get its number.
    """
    _READ.clear()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def note_read(file: io.BufferedReader) -> None:
    """Remember that a file was read, if it is a plain one."""
    try:
        told = os.fstat(file.fileno())
    except (OSError, ValueError):  # what a test put in the place of standard input
        return
    if stat.S_ISREG(told.st_mode):
        _READ.add((told.st_dev, told.st_ino))


def _standard_input() -> io.BufferedReader:
    stream = sys.stdin.buffer
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(io.BytesIO(stream.read()))


def _text_of(name: str, file: io.BufferedReader, whole: bool) -> str:
    note_read(file)
    if file.peek(2)[:2] == GZIP:
        return _unpacked(name, file, whole)
    data = file.read(_SHORT)
    if data[:4] == _ZIP:  # so Spark's history server gives event logs away
        raise InputError(f"{name} is a zip archive. Unpack it, and open the file in it that has the plan or the log.")
    return _decoded(name, data, file, whole)


def _decoded(name: str, data: bytes, file: io.BufferedIOBase, whole: bool, most: int | None = None) -> str:
    """The text that begins with `data` and goes on in a file; `most`: bytes that it may have, unless a log is read."""
    if len(data[:4096].translate(None, _CONTROLS)) < 0.95 * len(data[:4096]):
        hint = _INGEST if Path(name).suffix in _COMPRESSED else "Save the text as UTF-8."
        raise InputError(f"{name} holds binary data or UTF-16, not plain text. {hint}")
    if len(data) >= _SHORT and data.startswith(_EVENT) and not whole:
        from planviz.plantext.eventlog.brief import brief

        return b"\n".join(brief(_lines(name, data, file))).decode("utf-8", errors="surrogateescape")
    data += file.read() if most is None else file.read(max(most + 1 - len(data), 0))
    if most is not None and len(data) > most:
        raise InputError(
            f"{name} unpacks to more than {byte_size(most)}. Unpack it, and open the part that has the plan."
        )
    return data.decode("utf-8", errors="surrogateescape")


def _lines(name: str, data: bytes, file: io.BufferedIOBase) -> Iterator[bytes]:
    """The lines of what begins with `data`, of a bounded length each."""
    whole, found, last = data.rpartition(b"\n")
    yield from whole.split(b"\n") if found else ()
    while line := file.readline(_LONGEST):
        yield last + line
        last = b""
        if len(line) == _LONGEST:
            raise InputError(f"{name} has a line of more than {byte_size(_LONGEST)}, which no event log has.")
    if last:
        yield last


def _unpacked(name: str, file: io.BufferedReader, whole: bool) -> str:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            return _decoded(name, unpacked.read(_SHORT), unpacked, whole, _MOST)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a gzip file that ends too early or is damaged. Copy it whole.") from None


def write(text: str) -> None:
    """Print to standard output: byte for byte into a file or pipe, without what a terminal obeys on one."""
    sys.stdout.flush()
    seen = on_terminal(text).encode("utf-8", "replace") if sys.stdout.isatty() else None
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogateescape") if seen is None else seen)
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Print to standard error, further lines indented: no name and no text of a file makes a line of its own."""
    print(on_terminal(text).replace("\n", "\n  "), file=sys.stderr)


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole, making its folder; raises `ExportError` when that fails, and leaves what was there.

    What the command has read is never overwritten: nobody means that, and nobody could undo it.
    """
    from planviz.document.saving import save

    try:
        there = path.stat()
    except OSError:
        there = None
    if there is not None and (there.st_dev, there.st_ino) in _READ:
        raise ExportError(f"{named(str(path))}: this is what was read, which is not overwritten. Name another file.")
    save(path, data)


def complain(name: str, error: PlanvizError) -> None:
    """Tell on standard error what is wrong with a file; its name is told once."""
    said, shown = str(error), named(name)
    say(f"planviz: {said if said.startswith((name, shown)) else f'{shown}: {said}'}")


def stems_of(names: Sequence[str]) -> list[str]:
    """What is made of files in one folder is called by; raises InputError where two would be one."""
    stems = ["stdin" if name == "-" else Path(name).stem for name in names]
    for at, stem in enumerate(stems):
        if stem in stems[:at]:
            first = named(names[stems.index(stem)])
            raise InputError(
                f"{first} and {named(names[at])} would be written to the same place, {named(stem)}. Name them in "
                "commands of their own, with folders of their own."
            )
    return stems


#: Makes what is shown of the file of this name; the second value are errors of parts of it.
Show = Callable[[str], tuple[str, Sequence[PlanvizError]]]


def show_each(names: Sequence[str], out: str | None, ending: str, show: Show) -> int:
    """Print what `show` makes of each file, or write it to `out/<stem>.<ending>`; the exit status.

    A file that fails does not stop the others: its errors go to standard error with its name.
    """
    status = 0
    stems = stems_of(names) if out is not None else [""] * len(names)
    for name, stem in zip(names, stems, strict=True):
        try:
            shown, errors = show(name)
            if out is None:
                write(shown)
            else:
                write_file(Path(out) / f"{stem}.{ending}", shown.encode("utf-8", errors="surrogateescape"))
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
