"""Make docs/inventory.md: every item of the documents in words, where it is to be seen, and the test that asserts it.

    python tools/list_inventory.py            writes it anew

Words and places stand in tests/acceptance/inventory.txt, the words of most items in the headings of the tables there.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "tests" / "acceptance"
FILE = ROOT / "docs" / "inventory.md"
_ITEM = re.compile(r"([A-G]-\d{3}) ([^|]+)(?:\|([^|]+)\|(.+))?")
_HEADING = re.compile(r"# ([A-G]-\d{3}) (.+)")
_GROUPS = {
    "A": "Rules", "B": "Joins", "C": "Aggregates", "D": "Planner", "E": "Estimates", "F": "Texts, traces, examples",
    "G": "The program as a whole",
}  # fmt: skip


def items() -> dict[str, tuple[str, str, str]]:
    """By item its words, where it is, and the test under tests/ that asserts it ("-": none), in their order."""
    words: dict[str, str] = {}
    for group in "abce":
        for line in (TABLES / f"group_{group}.txt").read_text("utf-8").splitlines():
            if found := _HEADING.match(line):
                words.setdefault(found[1], found[2].strip())
    groups: dict[str, tuple[str, str]] = {}
    own: dict[str, tuple[str, str]] = {}
    for line in (TABLES / "inventory.txt").read_text("utf-8").splitlines():
        if line.startswith("group "):
            name, where, check = (part.strip() for part in line.split("|"))
            groups[name[-1]] = (where, check)
        elif found := _ITEM.match(line):
            words[found[1]] = found[2].strip()
            if found[3]:
                own[found[1]] = (found[3].strip(), found[4].strip())
    return {item: (words[item], *own.get(item, groups.get(item[0], ("", "-")))) for item in sorted(words)}


def text() -> str:
    """The whole file."""
    found = items()
    lines = [
        "# Inventory",
        "",
        f"What the documents that planviz grew from tell, {len(found)} items: in words, where to see each, and the",
        "test that asserts it. Made by `python tools/list_inventory.py`.",
    ]
    for group, title in _GROUPS.items():
        lines += ["", f"## {title}", "", "| item | in words | where | checked by |", "|---|---|---|---|"]
        for item, (said, where, check) in found.items():
            if item.startswith(group):
                told = "not by a test" if check == "-" else f"`tests/{check}`"
                lines.append(f"| {item} | {said.replace('|', chr(92) + '|')} | {where} | {told} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
