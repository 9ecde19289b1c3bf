"""Commands and writes: where to, in which format and mode, which table."""

from __future__ import annotations

import re

from planviz.plantext.operators.pieces import Parts, in_order, is_list, items, rest, split, whole, without_class
from planviz.plantext.operators.positions import POSITIONS
from planviz.plantext.operators.scans import FORMATS, read_local

_MODES = {"Append", "Overwrite", "ErrorIfExists", "Ignore"}
_NAME = re.compile(r"([A-Z]\w+)(?: |$)")
_COLUMN = re.compile(r"[^\[\](),:]+#\d+L?")
_VALUE = re.compile(r"[^\[\](),:=]*=")
_UNRESOLVED = re.compile(r"'?UnresolvedRelation \[(.*)\]$")
_CATALOG_TABLE = re.compile(r"CatalogTable\(\s.*?Database: (\S+).*?Table: ([^\n]+)", re.DOTALL)
_STORAGE = re.compile(r"Storage\(Location: ([^,)]*).*\)$")


def read_execute(op: str, text: str) -> Parts:
    """`Execute InsertIntoHadoopFsRelationCommand file:/t, false, Parquet, ..`: the command and its parts."""
    match = _NAME.match(text)
    if match is None:
        return rest({}, split(text))
    command = match[1]
    return {"command": command, **read_command(command, text[match.end() :])}


def read_result(op: str, text: str) -> Parts:
    """`CommandResult <empty>`, `CommandResult [a#1], Execute ..`: what an executed command left."""
    if text.startswith("<empty>"):
        return {"empty": True}
    at = text.find("Execute ")
    parts = read_local(op, text[:at] if at >= 0 else text)
    return {**parts, **read_execute(op, text[at + len("Execute ") :])} if at >= 0 else parts


def read_command(op: str, text: str) -> Parts:
    """A command's arguments, by their place where the command is known, else by what they look like."""
    pieces = split(text.removeprefix(f"{op} "))  # ExecutedCommandExec has printed the name twice
    if op in POSITIONS:
        parts = in_order(pieces, POSITIONS[op])
    else:
        parts = {}
        rest(parts, [piece for piece in pieces if not _recognise(op, piece, parts)])
    if "sink" not in parts and "Lambda" not in str(parts.get("refresh", "Lambda")):
        parts["sink"] = parts.pop("refresh")  # Iceberg's own, which refreshes nothing
    table = parts.get("table")
    if isinstance(table, str) and (unresolved := _UNRESOLVED.match(table)):
        parts["table"] = unresolved[1].replace(", ", ".")
    elif isinstance(table, str):
        parts["table"] = without_class(table.replace("`", ""))
    location = parts.get("location")
    if isinstance(location, str) and (storage := _STORAGE.match(location)):
        parts["location"] = storage[1]
    if isinstance(parts.get("condition"), str):
        parts["condition"] = whole(parts["condition"])
    return parts


def _recognise(op: str, piece: str, parts: Parts) -> bool:
    """Take a piece into `parts` by what it looks like; False when it looks like nothing known."""
    if is_list(piece):
        listed = items(piece)
        if listed and all(_COLUMN.fullmatch(entry) for entry in listed):
            name = "partition_columns" if "format" not in parts and "partition_columns" not in parts else "columns"
        elif listed and all(_VALUE.match(entry) for entry in listed):
            name = "options" if "format" in parts else "static_partition"
        elif any(is_list(entry) or " [" in entry for entry in listed):
            return False
        else:
            name = "columns"
        if name in parts:
            return False
        parts[name] = listed
    elif piece in _MODES and "mode" not in parts:
        parts["mode"] = piece
    elif piece.lower() in FORMATS and "format" not in parts:
        parts["format"] = piece
    elif piece[:1] == "`" and "table" not in parts:
        parts["table"] = piece
    elif (match := _CATALOG_TABLE.match(piece)) and "table" not in parts:
        parts["table"] = f"{match[1]}.{match[2].strip()}"
    elif "location" not in parts and re.match(r"(?:\w+:)?/\S*$|Storage\(", piece):
        parts["location"] = piece
    elif "FileIndex" in piece:
        parts["file_index"] = without_class(piece)
    elif piece in ("true", "false") and "HadoopFs" in op and "if_partition_not_exists" not in parts:
        parts["if_partition_not_exists"] = piece == "true"
    else:
        return False
    return True
