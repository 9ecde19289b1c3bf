"""The operator that every visitor looks at, told by the browser beside the page's reruns.

Selecting costs no rerun; what comes later (another stage, another page) finds the operator here. A visitor's name is a
random word that only the own page knows.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from copy import deepcopy
from threading import Lock

from planviz.jsontypes import JsonObject

#: Visitors whose selection is kept; the oldest are forgotten.
KEPT = 4_096
_LONGEST = 200

_lock = Lock()
_selected: OrderedDict[str, tuple[str, int | None]] = OrderedDict()
_shown: dict[str, JsonObject] = {}


def new_visitor() -> str:
    """A name for a visitor, which nobody can guess."""
    name = secrets.token_urlsafe(18)
    with _lock:
        _selected[name] = ("", None)
        while len(_selected) > KEPT:
            _shown.pop(_selected.popitem(last=False)[0], None)
    return name


def show(visitor: str, document: Mapping[str, object] | None) -> None:
    """Note what a visitor has open (`planviz.ui.state.DOCUMENT`), without its text; None: nothing."""
    with _lock:
        _shown.pop(visitor, None)
        if document is not None and visitor in _selected:
            _shown[visitor] = deepcopy({part: value for part, value in document.items() if part != "text"})


def shown(visitor: str) -> JsonObject | None:
    """What a visitor has open, to be changed at will; None for no such visitor."""
    with _lock:
        return deepcopy(_shown.get(visitor))


def select(visitor: str, view: object, number: object) -> bool:
    """Note what a visitor selected in a view (the picture's key): a node, a join or a step; False for no such visitor.

    What is no name of a view or no number is not noted.
    """
    with _lock:
        if visitor not in _selected:
            return False
        whole = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 10**9
        if isinstance(view, str) and len(view) <= _LONGEST and (number is None or whole):
            _selected[visitor] = (view, number if isinstance(number, int) else None)
            _selected.move_to_end(visitor)
    return True


def selected(visitor: str) -> tuple[str, int | None]:
    """The view in which a visitor selected something last, and what; an empty name where nothing was."""
    with _lock:
        return _selected.get(visitor, ("", None))
