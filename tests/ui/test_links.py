"""Permalinks: every text comes back, every form stays readable, nothing unpacks without end."""

from __future__ import annotations

import gzip
from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planviz.errors import InputError
from planviz.samples import load, samples
from planviz.ui.links import LINK_LIMIT, pack, unpack


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_every_text_comes_back(text: str) -> None:
    link = pack(text)
    assert link is not None
    assert unpack(link) == text
    assert set(link) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def test_most_samples_fit_into_a_link() -> None:
    packed = {sample.name: pack(load(sample.name)) for sample in samples()}
    assert all(link is None or len(link) <= LINK_LIMIT for link in packed.values())
    small = [name for name in packed if len(load(name)) < 12_000]
    assert len(small) > 10
    assert all(packed[name] is not None for name in small)
    assert packed["two-years-of-reports"] is None


def test_the_same_text_has_the_same_link() -> None:
    assert pack("== Physical Plan ==\nRange (0, 10)") == pack("== Physical Plan ==\nRange (0, 10)")


def test_version_1_as_it_was_first_written() -> None:
    # Links live longer than code: these characters must open for ever.
    written = "1.H4sIAAAAAAACA7O1VQjIqCzOTE7MUQjIScxTsLXlCkrMS09V0DDQUTAE4uKS1AJbQ00uAPesmxUqAAAA"
    assert unpack(written) == "== Physical Plan ==\nRange (0, 10, step=1)\n"


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("", "not made by planviz"),
        ("abc", "not made by planviz"),
        ("2.abc", "a newer one"),
        ("1.", "damaged"),
        ("1.abc", "damaged"),
        ("1.H4sIAAAAAAAC", "damaged"),
        ("1.häßlich", "damaged"),
    ],
)
def test_a_bad_link_says_what_is_wrong(link: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        unpack(link)


def test_a_link_cut_off_says_so() -> None:
    link = pack(load("window-top-n"))
    assert link is not None
    for end in range(2, len(link) - 1, 97):
        with pytest.raises(InputError, match=r"damaged|not made"):
            unpack(link[:end])


def test_a_link_that_unpacks_without_end_is_refused() -> None:
    bomb = "1." + urlsafe_b64encode(gzip.compress(b"x" * 20_000_000)).rstrip(b"=").decode()
    with pytest.raises(InputError, match="more text than planviz opens"):
        unpack(bomb)
