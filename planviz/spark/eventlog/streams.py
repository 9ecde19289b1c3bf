"""The lines of a log's file, whatever it is compressed with, without ever holding the file.

What a file is compressed with is told by its first bytes, not by its name. Spark's lz4 and snappy files are in the
frames of the Java libraries that it uses (lz4-java's LZ4BlockOutputStream, snappy-java's SnappyOutputStream), which
pyarrow does not know; the blocks inside it does.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from planviz.errors import InputError
from planviz.spark.eventlog.logs import filesystem

_BUFFER = 1 << 20
#: Bytes unpacked at once, and at once near a place that is damaged.
_PIECE, _CRUMB = 1 << 18, 64
_LZ4 = b"LZ4Block"
_SNAPPY = b"\x82SNAPPY\x00"
#: First bytes of what is known: the name of the codec.
_MAGIC = ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x1f\x8b", "gzip"), (_LZ4, "lz4"), (_SNAPPY, "snappy"), (b"ZV", "lzf"))


@contextmanager
def open_lines(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """A file to be read line by line, and its codec ("" for plain text).

    Raises InputError for an empty file and a codec that is not known; OSError when it cannot be opened. Damage shows as
    OSError while lines are read.
    """
    with _opened(path) as stream:
        start = stream.peek(16)[:16]
        if not start:
            raise InputError("is empty")
        codec = next((name for magic, name in _MAGIC if start.startswith(magic)), "")
        if codec == "lzf":
            raise InputError("is compressed with lzf, which is not supported; write logs with zstd (Spark's default)")
        if not codec and start[:1] != b"{":
            raise InputError("is no event log: it does not begin with an event as JSON")
        yield _unpacked(path, stream, codec), codec


def _opened(path: str) -> Any:
    if "://" not in path:
        return open(path, "rb", buffering=_BUFFER)
    files, inner = filesystem(path)
    return io.BufferedReader(files.open_input_stream(inner), _BUFFER)


def _unpacked(path: str, stream: Any, codec: str) -> Any:
    if not codec:
        return stream
    if codec in ("zstd", "gzip"):
        return io.BufferedReader(_Unpacked(path, stream, codec), _BUFFER)
    raw = {"lz4": _lz4_block, "snappy": _snappy_block}[codec]
    if codec == "snappy":
        stream.read(16)  # magic, version, oldest version that reads it
    return io.BufferedReader(_Blocks(stream, raw), _BUFFER)


class _Unpacked(io.RawIOBase):
    """A zstd or gzip file as a stream that gives everything before the place where it is damaged.

    pyarrow gives nothing of a piece in which it meets damage, so that piece is read once more, in very small ones.
    """

    def __init__(self, path: str, stream: Any, codec: str) -> None:
        self._path = path
        self._codec = codec
        self._stream = self._open(stream)
        self._given = 0
        self._damage: OSError | None = None

    def _open(self, stream: Any) -> Any:
        import pyarrow

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, "r"), self._codec)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end. Raises OSError behind the last good byte."""
        if self._damage is not None:
            raise self._damage
        try:
            data = self._stream.read(min(len(buffer), _PIECE))
        except OSError as error:
            self._damage = error
            data = self._before_damage()
            if not data:
                raise
        buffer[: len(data)] = data
        self._given += len(data)
        return len(data)

    def _before_damage(self) -> bytes:
        found = b""
        with _opened(self._path) as again:
            stream = self._open(again)
            left = self._given
            while left:
                left -= len(stream.read(min(left, _PIECE)))
            try:
                while (more := stream.read(_CRUMB)) and len(found) < _PIECE - _CRUMB:
                    found += more
            except OSError:  # the damage itself: what was read before it is all there is
                pass
        return found


class _Blocks(io.RawIOBase):
    """A file of compressed blocks as one stream."""

    def __init__(self, stream: BinaryIO, block: Callable[[BinaryIO], bytes]) -> None:
        self._stream = stream
        self._block = block
        self._left = memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as the current block goes; 0 at the end."""
        while not self._left:
            block = self._block(self._stream)
            if not block:
                return 0
            self._left = memoryview(block)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _lz4_block(stream: BinaryIO) -> bytes:
    """The next block: magic, a byte of method and level, sizes packed and unpacked, a checksum (little endian)."""
    import pyarrow

    while head := stream.read(21):
        if len(head) < 21 or not head.startswith(_LZ4):
            raise OSError("the lz4 stream is cut off or damaged")
        packed, size = struct.unpack_from("<ii", head, 9)
        data = stream.read(packed)
        if len(data) < packed:
            raise OSError("the lz4 stream is cut off")
        if size:
            raw = head[8] & 0xF0 == 0x10
            return data if raw else bytes(pyarrow.Codec("lz4_raw").decompress(data, size, asbytes=True))
        # An empty block ends a stream; another one may follow where the file was flushed.
    return b""


def _snappy_block(stream: BinaryIO) -> bytes:
    """The next block: its packed size (big endian), then snappy's own format, which begins with the size unpacked."""
    import pyarrow

    head = stream.read(4)
    if not head:
        return b""
    if head == _SNAPPY[:4]:  # a stream behind the stream
        stream.read(12)
        head = stream.read(4)
    if len(head) < 4:
        raise OSError("the snappy stream is cut off")
    packed = struct.unpack(">i", head)[0]
    data = stream.read(packed)
    if len(data) < packed:
        raise OSError("the snappy stream is cut off")
    size, shift = 0, 0
    for byte in data[:5]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return bytes(pyarrow.Codec("snappy").decompress(data, size, asbytes=True))
