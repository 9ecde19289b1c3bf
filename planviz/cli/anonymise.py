"""`planviz anonymise`: files without the names of tables, columns, values, paths, hosts and users, and back."""

from __future__ import annotations

import argparse
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planviz.cli.files import complain, read_text, write, write_file
from planviz.errors import ExportError, InputError, PlanvizError
from planviz.pseudonyms import Key, read_key, restore, write_key
from planviz.pseudonyms import anonymise as anonymised
from planviz.pseudonyms.texts import scanned


def anonymise(options: argparse.Namespace) -> int:
    """Rewrite files with a key, which learns the names it has not seen; status 2 where a file could not be read."""
    if options.output and len(options.files) > 1:
        raise InputError("-o is for one file; several go into the folder of --out.")
    place = Path(options.key)
    if options.restore:
        return _all(options, read_key(place))
    with _alone(place):
        key = read_key(place) if place.exists() else Key.new()
        return _all(options, key)


def _all(options: argparse.Namespace, key: Key) -> int:
    status, made = 0, []
    for name in options.files:
        try:
            text = read_text(name, whole=True)
            made.append((name, restore(text, key) if options.restore else anonymised(text, key)))
        except PlanvizError as error:
            status = 2
            complain(name, error)
    places = [_place(name, options, key) for name, _ in made]
    if len(set(places) - {None}) < len(places) - places.count(None):
        raise InputError("Two of the files have the same name: write them to folders of their own.")
    if not options.restore:
        # The key first: no file may be there whose pseudonyms nobody knows.
        write_key(key, Path(options.key))
    for (_, text), place in zip(made, places, strict=True):
        data = text.encode("utf-8", "surrogateescape")
        if place is None:
            write(text)
        else:
            write_file(place, _packed(data) if place.suffix == ".gz" else data)
    return status


def _place(name: str, options: argparse.Namespace, key: Key) -> Path | None:
    """Where a file goes; in a folder under its own name, without what that tells."""
    if options.output:
        return Path(options.output)
    if not options.out:
        return None
    own = "stdin" if name == "-" else Path(name).name
    stem, point, endings = own.partition(".")
    return Path(options.out) / ((restore if options.restore else scanned)(stem, key) + point + endings)


def _packed(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, 9, mtime=0)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold the key's folder: two commands at once would each forget what the other drew."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(place.parent, os.O_RDONLY)
    except OSError as error:
        raise ExportError(
            f"{place}: {error.strerror or error}. Choose a place for the key that can be written."
        ) from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
