"""What the tests of the workers let workers do."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any


def forever() -> None:
    while True:
        pass


def forever_in_c() -> int:
    """No signal is looked at before it ends, which is in some hours."""
    return 3 ** (2**40)


def swallowing() -> None:
    while True:
        with suppress(Exception):
            time.sleep(60)


def hungry() -> Any:
    return [bytearray(10_000_000) for _ in range(10_000)]


def dead() -> None:
    os._exit(3)


def pid() -> int:
    return os.getpid()


def wrong() -> None:
    raise ValueError("no such number")
