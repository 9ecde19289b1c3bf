"""What visitors of the Live page may do: a Spark that anybody may give settings to is a way to run programs.

On a server that only this machine reaches, everything; else nothing, unless who started it said so
(`planviz serve --live plan|all`).
"""

from __future__ import annotations

import ipaddress
import os
from enum import Enum

#: Carries what `planviz serve --live` said to the pages.
VARIABLE = "PLANVIZ_LIVE"


class Access(Enum):
    """What a visitor may do: `NONE`; `PLAN`, bundled or pasted tables and the local Spark's own settings; `ALL`.

    `ALL` is: any master and settings, folders of the server, executions.
    """

    NONE = "none"
    PLAN = "plan"
    ALL = "all"


def access(address: str | None) -> Access:
    """What visitors may do when the server listens at an address (None: at all of the machine's)."""
    said = os.environ.get(VARIABLE, "")
    if said in (a.value for a in Access):
        return Access(said)
    return Access.ALL if is_this_machine(address) else Access.NONE


def is_this_machine(address: str | None) -> bool:
    """Whether only this machine reaches a server that listens at an address (None: at all of the machine's)."""
    if not address:
        return False
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
