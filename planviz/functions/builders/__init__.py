"""Functions that need more than a signature: name -> fewest arguments, most arguments (-1: any), builder."""

from planviz.functions.builders import (
    aggregates,
    collections,
    conditions,
    datetimes,
    formats,
    lambdas,
    numbers,
    rows,
    texts,
    time_windows,
)
from planviz.functions.builders.base import Args, Builder, Entry

BUILDERS: dict[str, Entry] = {
    **conditions.BUILDERS,
    **numbers.BUILDERS,
    **texts.BUILDERS,
    **datetimes.BUILDERS,
    **collections.BUILDERS,
    **lambdas.BUILDERS,
    **formats.BUILDERS,
    **rows.BUILDERS,
    **aggregates.BUILDERS,
    **time_windows.BUILDERS,
}

__all__ = ["BUILDERS", "Args", "Builder", "Entry"]
