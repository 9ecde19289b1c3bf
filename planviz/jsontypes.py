"""JSON as Python holds it."""

from __future__ import annotations

from typing import Any, TypeAlias

#: An object of a JSON document. Its values have whatever shape the document gives them: whoever reads one checks what
#: it reads, and whoever writes one says in its docstring which keys there are.
JsonObject: TypeAlias = dict[str, Any]

#: Any value of a JSON document, for whoever checks it before it is read.
JsonValue: TypeAlias = object
