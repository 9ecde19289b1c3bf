"""Where `persist` keeps rows, under PySpark's names."""

from __future__ import annotations

from planviz.logical import cached


class StorageLevel:
    """PySpark's levels: rows are kept as bytes, but for MEMORY_AND_DISK_DESER, which `cache` takes."""

    NONE = cached.StorageLevel(False, False, False, False)
    DISK_ONLY = cached.StorageLevel(True, False, False, False)
    DISK_ONLY_2 = cached.StorageLevel(True, False, False, False, 2)
    DISK_ONLY_3 = cached.StorageLevel(True, False, False, False, 3)
    MEMORY_ONLY = cached.StorageLevel(False, True, False, False)
    MEMORY_ONLY_2 = cached.StorageLevel(False, True, False, False, 2)
    MEMORY_AND_DISK = cached.StorageLevel(True, True, False, False)
    MEMORY_AND_DISK_2 = cached.StorageLevel(True, True, False, False, 2)
    OFF_HEAP = cached.StorageLevel(True, True, True, False)
    MEMORY_AND_DISK_DESER = cached.StorageLevel(True, True, False, True)
