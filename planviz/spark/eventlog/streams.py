"""The bytes of a log's file in large pieces, whatever it is compressed with, without ever holding the file.

What a file is compressed with is told by its first bytes, not by its name. Damage costs what it hit: the pieces go on
behind it where the codec allows (blocks of lz4, snappy and lzf), and a `Gap` stands where bytes are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from planviz.errors import InputError
from planviz.spark.eventlog.blocks import FORMS, unpacked
from planviz.spark.eventlog.logs import filesystem

if TYPE_CHECKING:
    import pyarrow

#: Bytes unpacked at once, and at once near a place that is damaged.
_PIECE, _CRUMB = 1 << 20, 64
#: Bytes asked of a file at once: a file far away is asked seldom.
_ASKED = 4 << 20
#: First bytes of what is known: the name of the codec.
_MAGIC = ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x1f\x8b", "gzip"), *((form.magic, name) for name, form in FORMS.items()))
_CUT = "runcated"


@dataclass(frozen=True)
class Gap:
    """Bytes that cannot be read; `cut` when there is nothing behind them because the file ends."""

    reason: str
    cut: bool = False


def pieces(path: str, skip: int = 0) -> Iterator[bytes | Gap]:
    """The text of a file from its byte `skip` on, unpacked.

    Raises InputError for an empty file and for what is no event log; OSError when it cannot be opened or reached.
    """
    with _opened(path) as stream:
        codec = codec_of(stream)
        if not codec:
            stream.seek(skip)
            yield from iter(lambda: stream.read(_PIECE), b"")
            return
        packed = unpacked(stream, FORMS[codec]) if codec in FORMS else _unpacked(path, stream, codec)
        for found in packed:
            piece = Gap(str(found), isinstance(found, EOFError)) if isinstance(found, Exception) else found
            if isinstance(piece, bytes) and skip:
                skip, piece = max(0, skip - len(piece)), piece[skip:]
            if piece:
                yield piece


def codec_of(stream: BinaryIO) -> str:
    """The codec of an open file, "" for plain text; the stream is at its beginning again."""
    start = stream.read(16)
    if not start:
        raise InputError("is empty")
    stream.seek(0)
    codec = next((name for magic, name in _MAGIC if start.startswith(magic)), "")
    if not codec and not start.lstrip().startswith(b"{"):
        raise InputError("is no event log: it is neither text that begins with an event as JSON nor packed with zstd,"
                         " gzip, lz4, snappy or lzf")  # fmt: skip
    return codec


def _opened(path: str) -> pyarrow.NativeFile:
    files, inner = filesystem(path)
    return files.open_input_file(inner)


def _unpacked(path: str, stream: object, codec: str) -> Iterator[bytes | OSError | EOFError]:
    """A zstd or gzip file, then an error where it is cut off or damaged: nothing behind that can be unpacked.

    pyarrow gives nothing of a piece in which it meets damage, so that piece is read once more, in very small ones.
    """
    given = 0
    text = _text(stream, codec)
    try:
        while piece := text.read(_PIECE):
            given += len(piece)
            yield piece
        return
    except OSError as error:
        damage = error
    with _opened(path) as again:
        text = _text(again, codec)
        while given:
            given -= len(text.read(min(given, _PIECE)))
        found = bytearray()
        try:
            while more := text.read(_CRUMB):
                found += more
        except OSError:  # the damage itself: what was read before it is all there is
            pass
    if found:
        yield bytes(found)
    yield EOFError("it is cut off") if _CUT in str(damage) else damage


def _text(stream: object, codec: str) -> pyarrow.CompressedInputStream:
    import pyarrow

    return pyarrow.CompressedInputStream(pyarrow.BufferedInputStream(stream, _ASKED), codec)
