"""`planviz samples`: the bundled plans."""

from __future__ import annotations

import argparse

from planviz.cli.files import write
from planviz.errors import InputError


def samples(options: argparse.Namespace) -> int:
    """List the samples, or print one."""
    from planviz.samples import load
    from planviz.samples import samples as bundled

    known = bundled()
    if options.name is None:
        width = max(len(sample.name) for sample in known)
        write("".join(f"{sample.name:<{width}}  {sample.about}\n" for sample in known))
        return 0
    if options.name not in {sample.name for sample in known}:
        raise InputError(f"There is no sample “{options.name}”; `planviz samples` lists them.")
    write(load(options.name))
    return 0
