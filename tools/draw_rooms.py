"""Draws docs/images/rooms.svg, and the arrows in docs/architecture.md: the rooms of planviz on their floors.

`python -m tools.draw_rooms` writes both from what tests/test_architecture.py enforces, and the test compares them, so
that they show what holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURE, PAGE = DOCS / "images" / "rooms.svg", DOCS / "architecture.md"
WIDTH, LEFT, HOUSE, ROW, GAP, HEAD = 1120, 24, 560, 44, 8, 78
TOWERS_AT, TOWER, LINE = 624, 472, 15
#: About how wide a letter of 12 px is.
LETTER = 6.6
STYLE = (
    "text{font:12px 'Source Sans Pro','Segoe UI',sans-serif;fill:#1f2933}"
    ".title{font-size:16px;font-weight:600}.small{font-size:11px;fill:#52606d}"
    ".room{fill:#e8f0fe;stroke:#8aa4d6}.tower{fill:#fdf3e1;stroke:#d9a441}"
)


def drawn(floors: Sequence[Collection[str]], towers: Mapping[str, Collection[str]]) -> str:
    """The picture as SVG: floors from the ground up on the left, towers with the rooms that they see on the right."""
    boxes = [_text(LEFT, 30, "The rooms of planviz", "title")]
    boxes.append(_text(LEFT, 52, "A room may import its own floor and those below.", "small"))
    boxes.append(
        _text(
            TOWERS_AT,
            52,
            "A tower imports the rooms that it names, and none of the floors but the top sees it.",
            "small",
        )
    )
    top = HEAD
    for floor in reversed(floors):
        boxes += _floor(sorted(floor), top)
        top += ROW
    at = HEAD
    for name, seen in sorted(towers.items()):
        rows = _wrapped(sorted(seen), TOWER - 120)
        height = max(1, len(rows)) * LINE + 12
        boxes.append(f'<rect class="tower" x="{TOWERS_AT}" y="{at}" width="{TOWER}" height="{height}" rx="6"/>')
        boxes.append(_text(TOWERS_AT + 10, at + 18, name))
        boxes += [_text(TOWERS_AT + 100, at + 18 + LINE * n, row, "small") for n, row in enumerate(rows)]
        at += height + GAP
    height = max(top, at) + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
        f'<style>{STYLE}</style><rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join(boxes)
        + "\n</svg>\n"
    )


def told(
    floors: Sequence[Collection[str]], towers: Mapping[str, Collection[str]], more: Mapping[str, Collection[str]]
) -> str:
    """The same in words: floors from the ground up, a line each, then who sees what beside them."""
    lines = [("  " if at == 0 else "<- ") + ", ".join(sorted(floor)) for at, floor in enumerate(floors)]
    lines += ["", "towers, with all that they see; the top floor sees every one of them:"]
    wide = max(map(len, towers))
    lines += [f"  {name:{wide}} <- {', '.join(sorted(seen)) or 'nothing'}" for name, seen in sorted(towers.items())]
    lines += ["", "rooms of a floor that see towers:"]
    lines += [f"  {name:{wide}} <- {', '.join(sorted(seen))}" for name, seen in sorted(more.items())]
    return "\n".join(lines)


def in_page(page: str, words: str) -> str:
    """The page with these words in its first block that stands by itself behind "Imports point one way"."""
    before, found, behind = page.partition("Imports point one way")
    head, _, rest = behind.partition("```\n")
    _, _, tail = rest.partition("```\n")
    return f"{before}{found}{head}```\n{words}\n```\n{tail}"


def _floor(rooms: Sequence[str], top: int) -> list[str]:
    width = (HOUSE - GAP * (len(rooms) - 1)) / len(rooms)
    out = []
    for n, room in enumerate(rooms):
        x = LEFT + n * (width + GAP)
        out.append(f'<rect class="room" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{ROW - GAP}" rx="6"/>')
        out.append(_text(x + width / 2, top + 22, room, "", "middle"))
    return out


def _wrapped(words: Sequence[str], width: float) -> list[str]:
    rows: list[str] = []
    for word in words:
        longer = f"{rows[-1]}, {word}" if rows else word
        if rows and len(longer) * LETTER <= width:
            rows[-1] = longer
        else:
            rows.append(word)
    return rows


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    name = f' class="{style}"' if style else ""
    return f'<text{name} x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


if __name__ == "__main__":
    from tests.test_architecture import FLOORS, MORE, TOWERS

    PICTURE.write_text(drawn(FLOORS, TOWERS), encoding="utf-8")
    PAGE.write_text(in_page(PAGE.read_text(encoding="utf-8"), told(FLOORS, TOWERS, MORE)), encoding="utf-8")
