"""Texts without their names: tables, columns, literals, paths, hosts and users by pseudonyms, and back with a key.

key.py        which pseudonym stands for what; the file that keeps it
texts.py      any text rewritten: SQL, programs, plans, logs as words, JSON by its strings
vocabulary.py, vocabulary.txt  words that are Spark's, SQL's and Python's own; every other word is somebody's
"""

from planviz.pseudonyms.key import Key, read_key, write_key
from planviz.pseudonyms.texts import anonymise, restore

__all__ = ["Key", "anonymise", "read_key", "restore", "write_key"]
