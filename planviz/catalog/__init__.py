"""Tables, their columns and statistics.

tables.py   Catalog, Table, Statistics: data and lookup by name
files.py    planviz-catalog/1 JSON: reading and writing
check.py    statistics that contradict each other
edit.py     numbers set one by one, tables grown or shrunk
text.py     catalogues as text for a person
ddl.py      tables of CREATE TABLE
described.py  what DESCRIBE and SHOW CREATE TABLE printed
bundled/    the catalogues that come with planviz
"""

from planviz.catalog.bundled import NAMES, read_bundled
from planviz.catalog.edit import edited, scaled
from planviz.catalog.files import read_catalog, write_catalog
from planviz.catalog.statistics import ColumnStatistics, Histogram
from planviz.catalog.tables import Catalog, Table, View, scaled_table

__all__ = [
    "NAMES",
    "Catalog",
    "ColumnStatistics",
    "Histogram",
    "Table",
    "View",
    "edited",
    "read_bundled",
    "read_catalog",
    "scaled",
    "scaled_table",
    "write_catalog",
]
