"""The library: documents that somebody saved, their versions, tags and notes, and what a server keeps for its links.

tables.py      what the database holds
database.py    opening one: SQLite by a file's path, PostgreSQL by an address; migrations
library.py     saving, finding, versions, trash
texts.py       each text once
people.py      who asks
access.py      who finds and reads what
accounts.py    people who signed in
folders.py     folders that people share
notes.py       notes on operators, which follow their operator through versions
terms.py       what of a document is searched for
query.py       what is typed to search
bundle.py      a library as one file: export and import
"""

from planviz.store.database import default_place, is_place
from planviz.store.library import Library, Saved
from planviz.store.people import ALONE, NOBODY, Person
from planviz.store.query import Query, read_query

__all__ = ["ALONE", "NOBODY", "Library", "Person", "Query", "Saved", "default_place", "is_place", "read_query"]
