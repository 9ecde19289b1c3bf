"""Everything that planviz knows of Spark by name, made from the code and data that it plans with.

entry.py     Entry
entries.py   all entries, search and lookup
rules.py, operators.py, settings.py   where the entries of each kind come from
shown.py     what needs planning: an example's step, a setting's effect on a query
"""

from planviz.reference.entries import KINDS, entries, entry_named, search
from planviz.reference.entry import Entry

__all__ = ["KINDS", "Entry", "entries", "entry_named", "search"]
