"""Nodes per second and memory of opening plan texts of 100, 10,000 and 1,000,000 lines.

    python -m benchmarks.parse [--lines 100 10000 1000000] [--shapes mixed binary chain wide]

Every measurement has a process of its own, which reads the text from a file first. Time: the best of several rounds,
tracemalloc off. Memory, in two more processes: how far the resident set grew at its peak while opening (`RSS`), and
what Python allocated (`tracemalloc`), at its peak and what the document keeps, per node and without the text itself.
Figures go to the screen as Markdown and to benchmarks/out/parse.json.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

from benchmarks.plans import SHAPES, plan_lines

OUT = Path(__file__).parents[1] / "out"


def resident(field: str) -> int:
    """A figure of this process from the kernel, in bytes: VmRSS now, VmHWM the peak since it was last reset."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"the kernel does not tell {field}")


def measure(path: Path, what: str) -> dict[str, Any]:
    """One measurement in this process: `what` is "time", "rss" or "tracemalloc"."""
    from planviz.document import open_text

    text = path.read_text(encoding="utf-8")
    open_text("== Physical Plan ==\nProject [a#1]\n+- Range (0, 10, step=1, splits=2)\n")  # imports and tables
    gc.collect()
    if what == "time":
        lines = text.count("\n")
        best = float("inf")
        for _ in range(max(1, min(50, 100_000 // lines))):
            begin = time.perf_counter()
            document = open_text(text)
            best = min(best, time.perf_counter() - begin)
        return {"seconds": best, "nodes": sum(map(len, document.plans)), "unparsed": len(document.unparsed)}
    if what == "rss":
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
        before = resident("VmRSS")
        document = open_text(text)
        peak = resident("VmHWM")
        return {"rss_peak": peak - before, "nodes": sum(map(len, document.plans))}
    tracemalloc.start()
    document = open_text(text)
    gc.collect()
    kept, peak = tracemalloc.get_traced_memory()
    return {"traced_peak": peak, "traced_kept": kept, "nodes": sum(map(len, document.plans))}


def in_process(path: Path, what: str) -> dict[str, Any]:
    """`measure` in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.parse", "--measure", what, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"measuring {what} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout))


def run(shape: str, lines: int, folder: Path) -> dict[str, Any]:
    """All figures of one shape and size; `lines` counts the heading."""
    path = folder / f"{shape}-{lines}.txt"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in plan_lines(shape, lines - 1))
    row: dict[str, Any] = {"shape": shape, "lines": lines, "megabytes": path.stat().st_size / 1e6}
    for what in ("time", "rss", "tracemalloc"):
        found = in_process(path, what)
        if found["nodes"] != lines - 1:
            raise SystemExit(f"{shape}, {lines} lines: {found['nodes']} nodes instead of {lines - 1}")
        row |= found
    path.unlink()
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """The figures in Markdown; `time per node` is relative to the same shape at its middle size: 1.0 is linear."""
    text = [
        "| shape | lines | MB | seconds | nodes/s | time per node | RSS, B/node | allocated, B/node | kept, B/node |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        same = sorted((other for other in rows if other["shape"] == row["shape"]), key=lambda other: other["lines"])
        middle = same[len(same) // 2]
        relative = (row["seconds"] / row["nodes"]) / (middle["seconds"] / middle["nodes"])
        # A resident set grows by pages: below ten thousand nodes the figure says nothing per node.
        rss = f"{row['rss_peak'] / row['nodes']:,.0f}" if row["nodes"] > 5_000 else "-"
        text.append(
            f"| {row['shape']} | {row['lines']:,} | {row['megabytes']:.1f} | {row['seconds']:.4f} | "
            f"{row['nodes'] / row['seconds']:,.0f} | {relative:.2f} | {rss} | "
            f"{row['traced_peak'] / row['nodes']:,.0f} | {row['traced_kept'] / row['nodes']:,.0f} |"
        )
    return "\n".join(text)


def main() -> None:
    """Measure every shape at every size, print the table and keep the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parse", description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, nargs="+", default=[100, 10_000, 1_000_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(Path(options.measure[1]), options.measure[0])))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes:
            for lines in options.lines:
                rows.append(run(shape, lines, Path(folder)))
                print(f"{shape}, {lines:,} lines: {rows[-1]['seconds']:.3f} s", file=sys.stderr)
    OUT.mkdir(exist_ok=True)
    (OUT / "parse.json").write_text(json.dumps(rows, indent=1) + "\n")
    (OUT / "parse.md").write_text(table(rows) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
