"""A chain of plans as text for a terminal, as Markdown for a pull request, as pictures and as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping

from planviz.document.comparison.chains import Chain
from planviz.document.comparison.plans import Difference
from planviz.document.comparison.text import difference_markdown, difference_text, table_lines
from planviz.document.comparison.view import difference_data
from planviz.graph.cells import number_words
from planviz.render.html import page
from planviz.render.primitives import Drawing, Group, Primitive, shifted
from planviz.render.step_drawing import draw_step
from planviz.render.text import markdown, one_line
from planviz.render.theme import palette, tokens

_NAME = 60
_GAP = 24.0


def _title(chain: Chain) -> str:
    return " → ".join(one_line(name, _NAME) for name in chain.names)


def _came(chain: Chain) -> list[str]:
    """For every effect from the first plan to the last, the plan that brought it."""
    return [
        f"{one_line(effect.words, 240)}: since {one_line(since, _NAME)}"
        for effect in chain.whole.effects
        if (since := chain.since(effect))
    ]


def _rows(chain: Chain) -> list[tuple[str, ...]]:
    return [(row.cell.name, *(number_words(value, row.cell.unit) for value in row.values)) for row in chain.rows]


def chain_text(chain: Chain) -> str:
    """Every step, the way from the first to the last, and the numbers of all plans: lines for a terminal."""
    parts = [f"{_title(chain)}: {chain.headline}\n", *map(difference_text, chain.steps)]
    if len(chain.steps) > 1:
        parts.append(f"From the first to the last:\n\n{difference_text(chain.whole)}")
        parts += _block([f"  {line}" for line in _came(chain)])
        parts += _block(table_lines(("", *chain.names), _rows(chain)) if chain.rows else [])
    return "\n".join(parts)


def _block(lines: list[str]) -> list[str]:
    return ["\n".join(lines) + "\n"] if lines else []


def chain_markdown(chain: Chain) -> str:
    """The same for a pull request, each step below its heading."""
    parts = [f"## Query plan: {markdown(_title(chain))}\n\n**{markdown(chain.headline)}**\n"]
    if chain.rows and len(chain.steps) > 1:
        rows = [["", *chain.names], *_rows(chain)]
        head, *body = [f"| {' | '.join(map(markdown, row))} |" for row in rows]
        parts += _block([head, f"|:--|{'--:|' * len(chain.names)}", *body])
    parts += _block([f"- {markdown(line)}" for line in _came(chain)])
    return "\n".join([*parts, *map(difference_markdown, chain.steps)])


def draw_chain(chain: Chain, *, view: str = "split", theme: str = "light") -> Drawing:
    """The pictures of all steps, one below the other. Raises ExportError for an unknown theme."""
    drawn = [
        draw_step(step.trace, 0, view=view, theme=theme, heading=heading(step), names=step.names)
        for step in chain.steps
    ]
    items: list[Primitive | Group] = []
    top = 0.0
    for one in drawn:
        items += shifted(one.items, 0.0, top)
        top += one.height + _GAP
    said = f"{_title(chain)}: {chain.headline}"
    return Drawing(max(one.width for one in drawn), top - _GAP, drawn[0].background, said, said, tuple(items))


def heading(step: Difference) -> str:
    """What stands above the picture of one difference."""
    return f"{step.names[0]} → {step.names[1]}: {step.headline}"


def chain_data(chain: Chain, key: str) -> dict[str, object]:
    """What `planviz/render/web/compare.js` takes, without colours: every difference as `difference_data` makes it."""
    whole = [] if len(chain.steps) < 2 else [chain.whole]
    told = [difference_data(each, f"{key}/{at}") for at, each in enumerate([*chain.steps, *whole])]
    for each in told[len(chain.steps) :]:
        listed = each["effects"]
        assert isinstance(listed, list)
        for effect, words in zip(chain.whole.effects, listed, strict=False):
            words["since"] = one_line(chain.since(effect), 80)
    return {
        "key": key,
        "chain": told,
        "names": [one_line(name, 80) for name in chain.names],
        "headline": chain.headline,
        "rows": [{"name": name, "values": values} for name, *values in _rows(chain)],
    }


def chain_page(chain: Chain, theme: str | None = None) -> str:
    """The chain as one interactive HTML file that requests nothing. Raises ExportError for an unknown theme."""
    if theme is not None:
        palette(theme)
    data: Mapping[str, object] = chain_data(chain, "chain") | {
        "theme": tokens(),
        "dark": None if theme is None else theme == "dark",
    }
    return page("compare", data, _title(chain), theme)
