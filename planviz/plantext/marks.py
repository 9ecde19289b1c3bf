"""How lines of plans look, whatever surrounds them."""

from __future__ import annotations

import re

PLANISH = re.compile(
    r"^[\s:!]*[+:]-? ?- ?\S|\s[+:]- ['*!^~(]*(?:\d+\) )?[A-Z]\w|== \w[\w ()]* ==|=== \w|^[\s│:]*[├└╰]─+ ?[A-Z]"
)
MARKED = re.compile(r"^[\s:!]*[+:]- \S")
