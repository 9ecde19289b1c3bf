"""What-ifs as a short text for addresses: `shuffle.partitions=20;size.item=99999;hint.2=broadcast,;type.2=Inner`."""

from __future__ import annotations

from planviz.document.alternatives.what_if import ASKABLE, WhatIf
from planviz.errors import InputError
from planviz.settings import spark_words

_SHORT = {key.rsplit(".", 1)[-1] if key.count(".") == 2 else key.removeprefix("spark.sql."): key for key in ASKABLE}


def to_text(asked: WhatIf) -> str:
    """The text, the same for the same what-ifs; empty for none. Joins count from 1."""
    names = {key: short for short, key in _SHORT.items()}
    parts = [f"{names[key]}={spark_words(asked.settings[key])}" for key in ASKABLE if key in asked.settings]
    parts += [f"size.{name}={size}" for name, size in sorted(asked.sizes.items())]
    parts += [f"hint.{n + 1}={left or ''},{right or ''}" for n, (left, right) in sorted(asked.hints.items())]
    parts += [f"type.{n + 1}={kind}" for n, kind in sorted(asked.types.items())]
    parts += [f"profile={asked.profile}"] if asked.profile else []
    return ";".join(parts)


def from_text(text: str) -> WhatIf:
    """The what-ifs of a text. Raises InputError for a part that cannot be read."""
    settings: dict[str, object] = {}
    sizes: dict[str, int] = {}
    hints: dict[int, tuple[str | None, str | None]] = {}
    types: dict[int, str] = {}
    profile = ""
    for part in filter(None, text.split(";")):
        name, _, value = part.partition("=")
        kind, _, of = name.partition(".")
        try:
            if name in _SHORT:
                settings[_SHORT[name]] = value == "true" if value in ("true", "false") else int(value)
            elif name == "profile":
                profile = value
            elif kind == "size" and of:
                sizes[of] = int(value)
            elif kind == "hint":
                left, _, right = value.partition(",")
                hints[int(of) - 1] = (left or None, right or None)
            elif kind == "type":
                types[int(of) - 1] = value
            else:
                raise ValueError(name)
        except ValueError:
            raise InputError(f"The address asks for something that planviz does not know: {part[:80]}") from None
    return WhatIf(settings, sizes, hints, types, profile)


def as_json(asked: WhatIf) -> dict[str, object]:
    """As the page's element keeps it: joins by their number from 0, as text."""
    return {
        "settings": dict(asked.settings),
        "sizes": dict(asked.sizes),
        "hints": {str(n): list(hints) for n, hints in asked.hints.items()},
        "types": {str(n): kind for n, kind in asked.types.items()},
        "profile": asked.profile,
    }
