"""Which pseudonym stands for what. It is drawn by chance when something is first seen, and only the key knows it.

Words become invented ones of three syllables, numbers others of as many digits, dates move by the same number of days,
addresses and UUIDs become others. Spellings of one word that differ in capitals are spellings of one pseudonym: SQL
takes them for the same name, and its pseudonyms must be the same name, too.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import product
from pathlib import Path

from planviz.errors import ExportError, InputError
from planviz.pseudonyms.vocabulary import is_common

FORMAT = "planviz-key/1"
_DAYS = date.max.toordinal()
_SYLLABLES = [a + b for a, b in product("bdfgklmnprstvz", "aeiou")]
#: A pseudonym must not begin as `\n` goes on: behind a backslash it would be read as an escape.
_FIRST = [a + b for a, b in product("gklmpvz", "aeiou")]
#: The largest values of int and bigint: a literal must not become one of a larger type.
_LARGEST = (2**31 - 1, 2**63 - 1)
_TRIES = 100
#: Of the 90,000 numbers of five digits the last one is found within a few times as many draws.
_MOST_TRIES = 1_000_000
_HEXADECIMAL = "0123456789abcdefABCDEF"
#: What a key holds pseudonyms of.
KINDS = ("word", "number", "fraction", "digits", "address", "uuid")


@dataclass
class Key:
    """`days` is by how much dates move; `names` has, for each of `KINDS`, the pseudonym of everything seen.

    `chance` draws: the system's own, which nobody can guess, but in tests.
    """

    days: int
    names: dict[str, dict[str, str]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    chance: random.Random = field(default_factory=random.SystemRandom, repr=False, compare=False)

    @classmethod
    def new(cls, chance: random.Random | None = None) -> Key:
        """A key that knows nothing yet; dates move by one to thirty years, either way."""
        chance = chance or random.SystemRandom()
        return cls(chance.randint(365, 30 * 365) * chance.choice((1, -1)), chance=chance)

    def word(self, word: str) -> str:
        """The pseudonym of a word."""
        known = self.names["word"]
        if word not in known:
            known[word] = self._spelt(word)
        return known[word]

    def number(self, digits: str) -> str:
        """Another whole number of as many digits; 0 and 1 stay, they mean something everywhere."""
        bare = digits.lstrip("0")
        if bare in ("", "1"):
            return digits
        low, high = max(2, 10 ** (len(bare) - 1)), 10 ** len(bare) - 1
        for largest in _LARGEST:
            if low <= largest < high:
                low, high = (low, largest) if int(bare) <= largest else (largest + 1, high)
        made = self._drawn("number", bare, lambda: str(self.chance.randint(low, high)))
        return "0" * (len(digits) - len(bare)) + made

    def fraction(self, digits: str) -> str:
        """The digits behind a point, others; zeros at their end stay, they make no other number."""
        bare = digits.rstrip("0")
        if not bare:
            return digits
        made = self._drawn(
            "fraction", bare, lambda: self._random(len(bare) - 1, "0123456789") + self._random(1, "123456789")
        )
        return made + "0" * (len(digits) - len(bare))

    def digits(self, digits: str) -> str:
        """As many hexadecimal digits."""
        return self._drawn("digits", digits, lambda: self._random(len(digits), _HEXADECIMAL))

    def date(self, text: str) -> str:
        """A date as YYYY-MM-DD moved by the key's days; behind the last possible one comes the first."""
        return moved(text, self.days)

    def address(self, text: str) -> str:
        """Another address of the internet protocol, with the same signs between its numbers."""
        return self._drawn("address", text, lambda: self._address(text))

    def _address(self, like: str) -> str:
        if ":" in like:
            return "fd00:" + ":".join(self._random(4, _HEXADECIMAL[:16]) for _ in range(7))
        return ("-" if "-" in like else ".").join(["10", *(str(self.chance.randrange(256)) for _ in range(3))])

    def uuid(self, text: str) -> str:
        """Another UUID."""
        return self._drawn("uuid", text, lambda: str(uuid.UUID(int=self.chance.getrandbits(128), version=4)))

    def _random(self, count: int, letters: str) -> str:
        return "".join(self.chance.choices(letters, k=count))

    def _drawn(self, kind: str, text: str, draw: Callable[[], str]) -> str:
        known = self.names[kind]
        if text not in known:
            taken = self._taken[kind]
            made = draw()
            tries = 0
            # Itself is the last resort: of the digits 2 to 9 it may be the only one left.
            while made in taken or (made == text and tries < _TRIES):
                made, tries = draw(), tries + 1
                if tries > _MOST_TRIES:
                    raise InputError(
                        f"The key has no pseudonym left for {text[:40]}: all that look like it are taken, which no key "
                        "that planviz wrote comes to. Take a copy of it, or a new key."
                    )
            known[text] = made
            taken.add(made)
        return known[text]

    @cached_property
    def _taken(self) -> dict[str, set[str]]:
        return {kind: set(known.values()) for kind, known in self.names.items()}

    @cached_property
    def _plain(self) -> dict[str, tuple[str, int]]:
        """The small letters of the pseudonym of every word in small letters, and how many spellings it has so far."""
        found: dict[str, tuple[str, int]] = {}
        for word, made in self.names["word"].items():
            found[word.casefold()] = made.lower(), found.get(word.casefold(), ("", 0))[1] + 1
        return found

    @cached_property
    def _stems(self) -> set[str]:
        """The small letters of all pseudonyms."""
        return {made for made, _ in self._plain.values()}

    def _spelt(self, word: str) -> str:
        """A spelling of the word's pseudonym that is not taken, its first letter as large as the word's."""
        plain, count = self._plain.get(word.casefold(), ("", 0))
        plain = plain or self._invented()
        self._plain[word.casefold()] = plain, count + 1
        self._stems.add(plain)
        first = plain[0].upper() if word[0].isupper() else plain[0]
        for capitals in range(1 << (len(plain) - 1)):
            rest = "".join(c.upper() if capitals >> at & 1 else c for at, c in enumerate(plain[1:]))
            if (made := first + rest) not in self._taken["word"]:
                self._taken["word"].add(made)
                return made
        raise InputError(f"The text spells one word of {len(word)} letters in more ways than a pseudonym has.")

    def _invented(self) -> str:
        while True:
            more = 2 if len(self._stems) < 50_000 else 4
            made = self.chance.choice(_FIRST) + "".join(self.chance.choices(_SYLLABLES, k=more))
            if made not in self._stems and made not in self._plain and not is_common(made):
                return made


class Reverse:
    """A key the other way: pseudonyms back to what they stand for. What is no pseudonym stays."""

    def __init__(self, key: Key) -> None:
        self._days = key.days
        self._names = {kind: {made: text for text, made in known.items()} for kind, known in key.names.items()}

    def word(self, word: str) -> str:
        """The word that a pseudonym stands for."""
        return self._names["word"].get(word, word)

    def number(self, digits: str) -> str:
        """The whole number behind another."""
        bare = digits.lstrip("0")
        return "0" * (len(digits) - len(bare)) + self._names["number"].get(bare, bare)

    def fraction(self, digits: str) -> str:
        """The digits behind a point."""
        bare = digits.rstrip("0")
        return self._names["fraction"].get(bare, bare) + "0" * (len(digits) - len(bare))

    def digits(self, digits: str) -> str:
        """Hexadecimal digits."""
        return self._names["digits"].get(digits, digits)

    def date(self, text: str) -> str:
        """A date moved back."""
        return moved(text, -self._days)

    def address(self, text: str) -> str:
        """An address."""
        return self._names["address"].get(text, text)

    def uuid(self, text: str) -> str:
        """A UUID."""
        return self._names["uuid"].get(text, text)


def moved(text: str, days: int) -> str:
    """A date as YYYY-MM-DD so many days later; what is no date of the calendar stays."""
    try:
        at = date.fromisoformat(text).toordinal()
    except ValueError:
        return text
    return date.fromordinal((at - 1 + days) % _DAYS + 1).isoformat()


def key_text(key: Key) -> str:
    """A key as the text of its file."""
    return json.dumps({"format": FORMAT, "days": key.days, "names": key.names}, ensure_ascii=True, indent=1) + "\n"


def parse_key(text: str, name: str = "The key") -> Key:
    """A key of the text of its file. Raises InputError for a text that is none."""
    wrong = InputError(f"{name} is no key of planviz: name the file that `planviz anonymise --key` wrote.")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise wrong from None
    if not isinstance(told, Mapping) or told.get("format") != FORMAT:
        raise wrong
    days, names = told.get("days"), told.get("names")
    if not isinstance(days, int) or not isinstance(names, Mapping) or set(names) != set(KINDS):
        raise wrong
    for known in names.values():
        if not isinstance(known, Mapping) or not all(isinstance(made, str) and made for made in known.values()):
            raise wrong
        if len(set(known.values())) < len(known):
            raise InputError(f"{name} is damaged: two names have the same pseudonym. Take a copy of it, or a new key.")
    return Key(days, {kind: dict(names[kind]) for kind in KINDS})


def read_key(path: Path) -> Key:
    """The key of a file. Raises InputError when it cannot be read."""
    try:
        return parse_key(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise InputError(f"{path} is no key of planviz: it is no text.") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}. Name the file of the key.") from None


def write_key(key: Key, path: Path) -> None:
    """Write a key whole or not at all, readable by its owner alone. Raises ExportError when that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # mkstemp makes files that only their owner reads; a key must never be readable by others, not even at first.
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(key_text(key))
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ExportError(
            f"{path}: {error.strerror or error}. Choose a place for the key that can be written."
        ) from None
