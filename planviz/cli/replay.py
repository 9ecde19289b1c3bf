"""`planviz replay`: the plans of a text planned again by planviz, beside what Spark printed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from planviz.cli.files import complain, read_text, stems_of, write, write_file
from planviz.cli.parse import version_text
from planviz.cli.settings import given_of
from planviz.document import open_text
from planviz.document.model import printed_json
from planviz.document.opening.replays import replays
from planviz.errors import PlanvizError
from planviz.plantext.versions import PrintedBy
from planviz.replay.reported import replay_json
from planviz.replay.result import Replay

_WORDS = {
    "equal": "equals what Spark printed",
    "shape": "has the shape of what Spark printed, and differs in its texts",
    "differs": "differs from what Spark printed",
    "absent": "cannot be compared: the text has not both plans that it takes",
}


def replay(options: argparse.Namespace) -> int:
    """Print what became of every file's plans; a file that fails does not stop the others."""
    status = 0
    entries: list[dict[str, object]] = []
    said = given_of(options)
    stems = stems_of(options.files) if options.out is not None else [""] * len(options.files)
    for name, stem in zip(options.files, stems, strict=True):
        try:
            document = open_text(read_text(name))
            found = replays(document, said)
        except PlanvizError as error:
            complain(name, error)
            status = 2
            continue
        if options.out is not None:
            status = max(status, _written(Path(options.out), stem, found))
        for made in found:
            spark = printed_json(document.printed)
            entries += [{"file": name, "spark": spark, **entry} for entry in replay_json(made)]
        if options.format == "text":
            write(_text(name, found, document.printed))
    if options.format == "json":
        write(json.dumps({"plans": entries}, ensure_ascii=True, indent=1) + "\n")
    return status


def _written(folder: Path, stem: str, found: Sequence[Replay]) -> int:
    """Write every replayed text as `stem.stage.txt`; those of a second explain in the text as `stem.2.stage.txt`."""
    for at, made in enumerate(found, 1):
        for stage, text in made.texts.items():
            path = folder / f"{stem}{'' if at == 1 else f'.{at}'}.{stage}.txt"
            try:
                write_file(path, text.encode("utf-8", errors="surrogateescape"))
            except PlanvizError as error:
                complain(str(path), error)
                return 2
    return 0


def _text(name: str, found: Sequence[Replay], printed: PrintedBy) -> str:
    lines: list[str] = version_text(printed).split("\n") if found else []
    for at, made in enumerate(found, 1):
        lines.append(name if len(found) == 1 else f"{name}, query {at}")
        lines += _one(made)
        lines.append("")
    return "\n".join(lines) + ("\n" if lines else "")


def _one(made: Replay) -> list[str]:
    lines = [f"  replayed as {made.config.profile}"]
    for stage, read in made.read.items():
        opaque = len(read.opaque) + len(read.opaque_operators)
        told = f"{read.operators} operators and {read.expressions} expressions, {opaque} opaque"
        if read.kept:
            told += f", {read.kept} kept as they stand (of Datasets, streams and commands)"
        more = f"; the types of {read.inferred} columns are inferred from use" if read.inferred else ""
        lines.append(f"  read {stage}: {told}{more}")
        lines += [f"  assumed: {sentence}" for sentence in read.assumed]
    for setting in made.settings:
        lines.append(f"  {setting.key}={setting.value}: {setting.evidence}")
    if made.fitted is not None and made.fitted.sizes and made.fitted.decisions:
        sizes = ", ".join(f"{table} {size:,}" for table, size in sorted(made.fitted.sizes.items()))
        decisions, rest = made.fitted.decisions, len(made.fitted.open) or "none"
        hang = "1 decision hangs" if decisions == 1 else f"{decisions} decisions hang"
        lines.append(f"  fitted, for the text gives no sizes (one possibility, in bytes): {sizes}")
        lines.append(f"  {hang} on sizes; with these {rest} would be another one")
    lines += [f"  taken from the text: {what}" for what in made.taken]
    for stage in ("optimized", "physical"):
        words = _WORDS[made.verdicts[stage]]
        if made.has_only_operators(stage):
            words = "has the operators of what Spark printed; the texts of its lines are not compared"
        lines.append(f"  the {stage} plan {words}")
        for difference in made.differences.get(stage, ()):
            lines.append(f"    Spark   {difference['spark'][:300]}")
            lines.append(f"    planviz {difference['planviz'][:300]}")
    return lines + [f"  {failure}" for failure in made.failures]
