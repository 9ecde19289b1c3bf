"""Text made harmless, cut by the font's own widths, numbers in short form."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planviz.render.fonts import clip, has_glyph, subset, text_width, wrap
from planviz.render.text import file_name, lines, markdown, one_line
from tests.render import made_plans as plans

ANY = st.text(st.characters(codec=None, categories=None), max_size=80)


@given(ANY | st.sampled_from(plans.HOSTILE))
def test_one_line_holds_nothing_that_acts(text: str) -> None:
    clean = one_line(text)

    assert not [c for c in clean if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert "\n" not in clean
    clean.encode()
    assert one_line(clean) == clean


@given(ANY | st.sampled_from(plans.HOSTILE))
def test_lines_keep_only_line_breaks(text: str) -> None:
    clean = lines(text)

    assert not [c for c in clean if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    clean.encode()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\tb\n  c", "a b c"),
        ("\x1b[31mred", "[31mred"),
        ("a\u202eb", "ab"),
        ("nul\x00l", "null"),
        ("\ud83d", "\ufffd"),
        ("中文 é", "中文 é"),
    ],
)
def test_one_line_examples(text: str, clean: str) -> None:
    assert one_line(text) == clean


def test_markdown_finds_nothing_in_a_text() -> None:
    assert markdown("[a](b) `c` *d* _e_ |f| <b>&lt;</b>\n# g ~h~ \\") == (
        r"\[a\](b) \`c\` \*d\* \_e\_ \|f\| &lt;b&gt;&amp;lt;&lt;/b&gt; \# g \~h\~ \\"
    )
    assert markdown("@org/team, s3://key@host") == "@\u200borg/team, s3://key@host"


def test_a_file_s_name_is_one_line() -> None:
    assert file_name("a  b.sql") == "a  b.sql"
    assert file_name("a\n::error::\x1b[31m.sql") == "a ::error::[31m.sql"


def test_long_text_ends_in_a_mark() -> None:
    assert one_line("x" * 1000, 10) == "x" * 9 + "…"
    assert lines("y" * 30, 10) == "y" * 10 + "\n… 20 more characters in the plan's text"


@given(ANY, st.floats(20, 300), st.booleans())
def test_clip_keeps_within_the_width(text: str, width: float, bold: bool) -> None:
    fitting = clip(text, width, 13, bold)

    assert text_width(fitting, 13, bold) <= width
    assert fitting == text or (fitting.endswith("…") and text.startswith(fitting[:-1]))


def test_clip_cuts_no_more_than_needed() -> None:
    text = "Partial Object Hash Aggregate"
    fitting = clip(text, 150, 13, True)

    assert text_width(text[: len(fitting)] + "…", 13, True) > 150


def test_widths_are_the_fonts() -> None:
    from fontTools.ttLib import TTFont

    from planviz.render.fonts import font_path

    for bold in (False, True):
        with TTFont(font_path(bold)) as font:
            advance, _ = font["hmtx"][font.getBestCmap()[ord("W")]]
            assert text_width("WW", 10, bold) == pytest.approx(2 * 10 * advance / font["head"].unitsPerEm)


@settings(deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=20), st.integers(1, 5))
def test_wrap_keeps_every_word_that_fits(parts: list[str], most: int) -> None:
    found = wrap(" ".join(parts), 120, 12, most)

    assert 1 <= len(found) <= most
    assert all(text_width(line, 12) <= 120 for line in found)
    if not any("…" in line for line in found):
        assert " ".join(found).split() == parts


def test_a_subset_is_small_and_always_the_same() -> None:
    characters = frozenset("Sort Merge Join")
    first = subset(characters, True)
    subset.cache_clear()

    assert subset(characters, True) == first
    assert first[:4] == b"wOFF"
    assert len(first) < 4_000
    assert not has_glyph("中")
