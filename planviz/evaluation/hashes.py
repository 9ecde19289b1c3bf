"""Checksums and hashes: the digests, Murmur3 (hash) and XxHash64 as Spark seeds and chains them."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from planviz.evaluation.arithmetic import wrapped
from planviz.evaluation.core import function
from planviz.evaluation.errors import UnknownValueError
from planviz.evaluation.instants import EPOCH, MICROSECOND, micros_of
from planviz.expressions.literals import nanos_of
from planviz.expressions.specs import SignatureCall
from planviz.types import (
    BOOLEAN,
    CALENDAR_INTERVAL,
    DOUBLE,
    FLOAT,
    LONG,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    YearMonthIntervalType,
    is_integral,
)
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.expressions.core import Expression


def _bytes(x: Value) -> bytes:
    return x.encode("utf-8") if isinstance(x, str) else bytes(x)


function("md5")(lambda x: hashlib.md5(_bytes(x), usedforsecurity=False).hexdigest())
function("sha", "sha1")(lambda x: hashlib.sha1(_bytes(x), usedforsecurity=False).hexdigest())
function("crc32")(lambda x: zlib.crc32(_bytes(x)))


@function("sha2")
def _sha2(x: Expression, bits: int) -> str | None:
    name = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}.get(bits)
    return None if name is None else hashlib.new(name, _bytes(x)).hexdigest()


_M32, _M64 = (1 << 32) - 1, (1 << 64) - 1


def _rotated(x: int, n: int, bits: int) -> int:
    return (x << n | x >> bits - n) & (1 << bits) - 1


def _mix1(k: int) -> int:
    return _rotated(k * 0xCC9E2D51 & _M32, 15, 32) * 0x1B873593 & _M32


def _mix(h: int, k: int) -> int:
    return (_rotated(h ^ _mix1(k), 13, 32) * 5 + 0xE6546B64) & _M32


def _final(h: int, length: int) -> int:
    h ^= length
    h = (h ^ h >> 16) * 0x85EBCA6B & _M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & _M32
    return h ^ h >> 16


def _murmur_int(value: int, seed: int) -> int:
    return _final(_mix(seed, value & _M32), 4)


def _murmur_long(value: int, seed: int) -> int:
    return _final(_mix(_mix(seed, value & _M32), value >> 32 & _M32), 8)


def _murmur_bytes(data: bytes, seed: int) -> int:
    h, whole = seed, len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = _mix(h, int.from_bytes(data[i : i + 4], "little"))
    for b in data[whole:]:
        h = _mix(h, (b - 256 if b > 127 else b) & _M32)
    return _final(h, len(data))


def murmur_of(data: bytes) -> int:
    """The hash of a row's or an array's bytes (Spark: hashCode of UnsafeRow and UnsafeArrayData)."""
    return _murmur_bytes(data, 42)


_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _avalanche(h: int) -> int:
    h = (h ^ h >> 33) * _P2 & _M64
    h = (h ^ h >> 29) * _P3 & _M64
    return h ^ h >> 32


def _xx_int(value: int, seed: int) -> int:
    h = (seed + _P5 + 4) ^ (value & _M32) * _P1 & _M64
    return _avalanche((_rotated(h & _M64, 23, 64) * _P2 + _P3) & _M64)


def _xx_round(h: int, k: int) -> int:
    h ^= _rotated(k * _P2 & _M64, 31, 64) * _P1 & _M64
    return (_rotated(h, 27, 64) * _P1 + _P4) & _M64


def _xx_long(value: int, seed: int) -> int:
    return _avalanche(_xx_round((seed + _P5 + 8) & _M64, value & _M64))


def _xx_lane(v: int, k: int) -> int:
    return _rotated((v + k * _P2) & _M64, 31, 64) * _P1 & _M64


def _xx_bytes(data: bytes, seed: int) -> int:
    i, n = 0, len(data)
    if n >= 32:
        lanes = [seed + _P1 + _P2, seed + _P2, seed, seed - _P1]
        while i + 32 <= n:
            words = struct.unpack_from("<4Q", data, i)
            lanes = [_xx_lane(v & _M64, k) for v, k in zip(lanes, words, strict=True)]
            i += 32
        h = sum(_rotated(v, r, 64) for v, r in zip(lanes, (1, 7, 12, 18), strict=True)) & _M64
        for v in lanes:
            h = ((h ^ _xx_lane(0, v)) * _P1 + _P4) & _M64
    else:
        h = seed + _P5
    h = (h + n) & _M64
    while i + 8 <= n:
        h = _xx_round(h, int.from_bytes(data[i : i + 8], "little"))
        i += 8
    if i + 4 <= n:
        h = (_rotated(h ^ int.from_bytes(data[i : i + 4], "little") * _P1 & _M64, 23, 64) * _P2 + _P3) & _M64
        i += 4
    for b in data[i:]:
        h = _rotated(h ^ b * _P5 & _M64, 11, 64) * _P1 & _M64
    return _avalanche(h)


_Step = Callable[[Value, int], int]


class _Kind:
    """One of the two hashes: how it takes ints, longs and bytes."""

    def __init__(self, bits: int, ints: _Step, longs: _Step, data: _Step) -> None:
        self.bits, self.ints, self.longs, self.data = bits, ints, longs, data

    def of(self, value: Value, t: DataType, seed: int) -> int:
        """The hash of a value; null leaves the seed."""
        if value is None:
            return seed
        if isinstance(t, ArrayType | StructType | MapType):
            return self._nested(value, t, seed)
        if isinstance(value, str | bytes):
            return self.data(_bytes(value), seed)
        if isinstance(t, DecimalType):
            digits = int(value.scaleb(t.scale))
            if t.precision <= 18:
                return self.longs(digits, seed)
            size = (digits + (digits < 0)).bit_length() // 8 + 1
            return self.data(digits.to_bytes(size, "big", signed=True), seed)
        if t == FLOAT:
            return self.ints(int.from_bytes(struct.pack("<f", value + 0.0), "little"), seed)
        if t == DOUBLE:
            return self.longs(int.from_bytes(struct.pack("<d", value + 0.0), "little"), seed)
        if isinstance(value, datetime):
            micros = micros_of(value) if t == TIMESTAMP else (value - EPOCH) // MICROSECOND
            return self.longs(micros, seed)
        if isinstance(value, time):
            return self.longs(nanos_of(value), seed)
        if isinstance(value, date):
            return self.ints((value - EPOCH.date()).days, seed)
        if t == BOOLEAN or (is_integral(t) and t != LONG) or isinstance(t, YearMonthIntervalType):
            return self.ints(int(value), seed)
        if isinstance(value, int):
            return self.longs(value, seed)
        if t == CALENDAR_INTERVAL:
            months, days, micros = value
            return self.ints(months, self.ints(days, self.longs(micros, seed)))
        raise UnknownValueError(str(t))

    def _nested(self, value: Value, t: DataType, seed: int) -> int:
        if isinstance(t, ArrayType):
            pairs = [(v, t.element) for v in value]
        elif isinstance(t, StructType):
            pairs = [(v, f.data_type) for v, f in zip(value, t.fields, strict=True)]
        elif isinstance(t, MapType):
            pairs = [x for k, v in value for x in ((k, t.key), (v, t.value))]
        else:
            raise UnknownValueError(str(t))
        for v, kind in pairs:
            seed = self.of(v, kind, seed)
        return seed

    def over(self, values: Sequence[int], types: Sequence[DataType]) -> int:
        """The hash of several values, each seeded with the one before; 42 begins."""
        seed = 42
        for v, t in zip(values, types, strict=True):
            seed = self.of(v, t, seed) & (1 << self.bits) - 1
        return wrapped(seed, self.bits)

    def chained(self, e: SignatureCall, *values: Value) -> int:
        """The hash of a call's arguments."""
        return self.over(values, [a.data_type for a in e.arguments])


MURMUR3 = _Kind(32, _murmur_int, _murmur_long, _murmur_bytes)
function("hash", typed=True, nulls=True)(MURMUR3.chained)
function("xxhash64", typed=True, nulls=True)(_Kind(64, _xx_int, _xx_long, _xx_bytes).chained)
