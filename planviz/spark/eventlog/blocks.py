"""Files made of compressed blocks as Spark's lz4, snappy and lzf codecs write them.

These are frames of the Java libraries that Spark uses (LZ4BlockOutputStream of lz4-java, SnappyOutputStream of
snappy-java, LZFOutputStream of compress-lzf), which pyarrow does not know; the blocks inside of lz4 and snappy it does.
A block that is damaged is left out, and reading goes on with the next one that can be found.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, BinaryIO, ClassVar

if TYPE_CHECKING:
    import pyarrow

_ASKED = 4 << 20
_PIECE = 1 << 20
#: No block that Spark writes is larger, whatever a damaged head says.
_LARGEST = 32 << 20


class _Form(ABC):
    """How blocks lie in a file."""

    #: First bytes of a file.
    magic: ClassVar[bytes]
    #: First bytes of every block; b"" when blocks are known by the length of the one before alone.
    mark: ClassVar[bytes]

    @abstractmethod
    def head(self, data: bytes, at: int) -> tuple[int, int, int, bool]:
        """Length of the head at `at`, of the packed bytes behind it, of the text in them, and whether they are packed.

        Raises IndexError or struct.error when the data ends before, ValueError when this is no head.
        """

    @abstractmethod
    def unpack(self, data: bytes, size: int) -> bytes:
        """The text of a block. Raises ValueError or OSError when it is damaged."""


class _Lz4(_Form):
    magic = mark = b"LZ4Block"

    def head(self, data: bytes, at: int) -> tuple[int, int, int, bool]:
        # A byte of method and level, sizes packed and unpacked, a checksum (little endian). An empty block ends a
        # stream; another stream may follow where the file was flushed.
        _marked(data, at, self.mark)
        method, packed, size = struct.unpack_from("<Bii", data, at + 8)
        struct.unpack_from("<i", data, at + 17)
        if method & 0xF0 not in (0x10, 0x20):
            raise ValueError("a block of lz4 has a wrong head")
        return 21, packed, size, method & 0xF0 == 0x20

    def unpack(self, data: bytes, size: int) -> bytes:
        return _decompressed("lz4_raw", data, size)


class _Snappy(_Form):
    magic = b"\x82SNAPPY\x00"
    mark = b""

    def head(self, data: bytes, at: int) -> tuple[int, int, int, bool]:
        # Magic, version and the oldest version that reads it, again where a stream follows a stream; then for each
        # block its packed size (big endian) and snappy's own format, which begins with the size unpacked.
        if data.startswith(self.magic[:4], at):
            return 16, 0, 0, False
        (packed,) = struct.unpack_from(">i", data, at)
        size = 0
        for place in range(5):
            byte = data[at + 4 + place]
            size |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                break
        return 4, packed, size, True

    def unpack(self, data: bytes, size: int) -> bytes:
        return _decompressed("snappy", data, size)


class _Lzf(_Form):
    magic = mark = b"ZV"

    def head(self, data: bytes, at: int) -> tuple[int, int, int, bool]:
        # A byte of kind, the size (big endian), and of a packed block the size unpacked.
        _marked(data, at, self.mark)
        kind, packed = struct.unpack_from(">BH", data, at + 2)
        if kind == 0:
            return 5, packed, packed, False
        if kind != 1:
            raise ValueError("a block of lzf has a wrong head")
        return 7, packed, struct.unpack_from(">H", data, at + 5)[0], True

    def unpack(self, data: bytes, size: int) -> bytes:
        found = bytearray()
        at = 0
        try:
            while at < len(data):
                control = data[at]
                at += 1
                if control < 32:  # so many bytes and one more as they are
                    found += data[at : at + control + 1]
                    at += control + 1
                    continue
                length = control >> 5
                if length == 7:
                    length += data[at]
                    at += 1
                distance = ((control & 31) << 8 | data[at]) + 1
                at += 1
                if distance > len(found):
                    raise ValueError("a block of lzf is damaged")
                again = found[len(found) - distance :]
                found += (again * ((length + 2) // distance + 1))[: length + 2]
        except IndexError:
            raise ValueError("a block of lzf is damaged") from None
        if len(found) != size:
            raise ValueError("a block of lzf is damaged")
        return bytes(found)


FORMS: dict[str, _Form] = {"lz4": _Lz4(), "snappy": _Snappy(), "lzf": _Lzf()}


def unpacked(stream: BinaryIO, form: _Form) -> Iterator[bytes | OSError | EOFError]:
    """The text of a file of blocks in pieces of about a megabyte, and an error at each place that cannot be read.

    OSError stands for damage, EOFError for a file that is cut off.
    """
    data, at = b"", 0
    while more := stream.read(_ASKED):
        data, at = data[at:] + more, 0
        ready: list[bytes] = []
        held = 0
        while True:
            try:
                end, text = _block(data, at, form)
            except (IndexError, struct.error):  # the rest of this block has not been read yet
                break
            except ValueError as error:
                yield b"".join(ready)
                yield OSError(str(error))
                ready, held = [], 0
                at = _behind(data, at, form)
                continue
            at = end
            ready.append(text)
            held += len(text)
            if held >= _PIECE:
                yield b"".join(ready)
                ready, held = [], 0
        yield b"".join(ready)
    if at < len(data):
        yield EOFError("it is cut off")


def _block(data: bytes, at: int, form: _Form) -> tuple[int, bytes]:
    """The end of the block at `at` and its text; IndexError when it is not all there, ValueError when it is damaged."""
    head, packed, size, is_packed = form.head(data, at)
    if not (0 <= packed <= _LARGEST and 0 <= size <= _LARGEST):
        raise ValueError("the size of a block is damaged")
    end = at + head + packed
    if end > len(data):
        raise IndexError
    found = data[at + head : end]
    return end, form.unpack(found, size) if is_packed else found


def _behind(data: bytes, at: int, form: _Form) -> int:
    """Where to go on behind a damaged block: at the next mark, or where the block would have ended."""
    if form.mark:
        found = data.find(form.mark, at + 1)
        return max(at + 1, len(data) - len(form.mark) + 1) if found < 0 else found
    try:
        head, packed, _, _ = form.head(data, at)
    except (IndexError, struct.error):
        return len(data)
    end = at + head + packed
    return end if packed >= 0 and end <= len(data) else len(data)


def _marked(data: bytes, at: int, mark: bytes) -> None:
    found = data[at : at + len(mark)]
    if found != mark[: len(found)]:
        raise ValueError("a block is damaged")
    if len(found) < len(mark):
        raise IndexError


@cache
def _codec(name: str) -> pyarrow.Codec:
    import pyarrow

    return pyarrow.Codec(name)


def _decompressed(name: str, data: bytes, size: int) -> bytes:
    try:
        return bytes(_codec(name).decompress(data, size, asbytes=True))
    except OSError as error:
        raise ValueError(str(error)) from None
