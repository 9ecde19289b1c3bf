"""Writing a file so that it is whole or not there: beside its place first, then renamed."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from planviz.errors import ExportError


def save(path: Path, data: bytes) -> None:
    """Write a file, making its folder; what stood there before stays until all of the new is on the disk.

    A pipe or a device is written to as it is. Raises ExportError when it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
        _replace(target, data, _new_mode() if mode is None else stat.S_IMODE(mode))
    except OSError as error:
        raise ExportError(f"{path}: {error.strerror or error}. Choose a folder that can be written.") from None


def _replace(target: Path, data: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:60]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as beside:
            beside.write(data)
            beside.flush()
            os.fsync(beside.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _new_mode() -> int:
    """What a new file may be, by the process's mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
