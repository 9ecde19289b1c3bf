"""Texts rewritten word by word: what is nobody's own stays, everything else gets its pseudonym.

No grammar is asked: the same scanner reads SQL, programs, plans of any Spark, rule logs and the strings of JSON, so a
name is the same name in all of them. It keeps the words of the vocabulary and no others, so a dialect that planviz does
not know gives away no more than one that it does.

Numbers are replaced where they are values (compared, calculated with, listed, in quotes) and stay where they are
Spark's (ids, partitions, metrics, limits, precisions).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from planviz.pseudonyms.key import Key, Reverse
from planviz.pseudonyms.vocabulary import is_common, setting_end, zone_end

_TOKEN = re.compile(
    r"""(?P<escape>\\+[nrtbfdwsDWS"'/0])
    |(?P<uuid>(?<!\w)[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?!\\u[0-9a-fA-F]{4}|\w))
    |(?P<address>(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\\u[0-9a-fA-F]{4}|[\w.])|(?<=\bip-)[0-9]{1,3}(?:-[0-9]{1,3}){3}(?!\\u[0-9a-fA-F]{4}|\w)
        |(?<![\w:])(?=[0-9a-fA-F:]*:[0-9a-fA-F]*:[0-9a-fA-F]*:)[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7}(?!\\u[0-9a-fA-F]{4}|[\w:]))
    |(?P<date>(?<!\w)[0-9]{4}-[0-9][0-9]-[0-9][0-9](?!\\u[0-9a-fA-F]{4}|[0-9]|(?:\.[0-9]{1,3}){3}))
    |(?P<time>T?(?<![0-9])[0-9]{1,2}:[0-9][0-9](?::[0-9][0-9](?:\.[0-9]+)?)?(?!\\u[0-9a-fA-F]{4}|[\w:])Z?)
    |(?P<hex>(?<!\w)[xX]'[0-9a-fA-F]+')
    |(?P<number>(?P<whole>[0-9]+)(?:\.(?P<fraction>[0-9]+))?(?P<end>(?:[eE][+-]?[0-9]+)?(?:[LSYDF]|BD)?)(?!\\u[0-9a-fA-F]{4}|\w))
    |(?P<word>(?:\w|\\u[0-9a-fA-F]{4})+)
    |(?P<space>[^\S\n]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_STRING = {"'": re.compile(r"'((?:[^'\\\n]|\\.|'')*)'"), '"': re.compile(r'"((?:[^"\\\n]|\\.|"")*)"')}
#: A text between double quotes that holds code, a query in a program, is no value.
_CODE = re.compile(r"[=<>(;]|\b(?:select|from|where|limit)\b", re.IGNORECASE)
#: Letters before a quote that say which kind of string it is.
_PREFIXES = frozenset({"r", "f", "b", "u", "s", "x", "rb", "br", "fr", "rf", "raw"})
#: After these words comes a value; after those of `_LISTS` in parentheses or brackets come values.
_BEFORE_VALUES = frozenset({"then", "else", "when", "between", "and", "or", "not", "like", "rlike", "lit", "literal",
                            "case", "default", "cast"})  # fmt: skip
_LISTS = frozenset({"in", "inset", "isin", "values", "equalto", "equalnullsafe", "greaterthan", "greaterthanorequal",
                    "lessthan", "lessthanorequal", "between"})  # fmt: skip
_SIGNS = frozenset("=<>!+-*/%")
#: What `explain formatted` prints before the number of the operator that a subquery belongs to.
_HOST = "Hosting operator id "
_UNITS = frozenset({"B", "s", "m", "h"})


#: What is put in place of what.
Names = Key | Reverse


def anonymise(text: str, key: Key) -> str:
    """A text with pseudonyms for all names and values; `key` learns what it sees for the first time.

    Of a catalogue in JSON the smallest and largest values and the histograms go: no other numbers keep their order.
    """
    return _rewritten(text, key, values=False)


def restore(text: str, key: Key) -> str:
    """The text behind an anonymised one, or behind what was made of one: a diff, a report."""
    return _rewritten(text, Reverse(key), values=True)


def _rewritten(text: str, names: Names, *, values: bool) -> str:
    if text.lstrip()[:1] not in ("{", "["):
        return scanned(text, names)
    try:
        told = json.loads(text)
    except RecursionError:  # brackets without end are no file of ours; their words are found as in any text
        return scanned(text, names)
    except ValueError:
        first, _, _ = text.lstrip().partition("\n")
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            return scanned(text, names)
        return _strings(text, names)
    if not values and isinstance(told, dict) and told.get("format") == "planviz-catalog/1":
        text = json.dumps(_without_values(told), ensure_ascii=True, indent=1) + "\n"
    return _strings(text, names)


# -- JSON

#: A string of JSON and whether it is a key; a file that was cut off may end within one.
_JSON_STRING = re.compile(r'"(?P<inner>(?:[^"\\]|\\.)*)(?:"(?P<key>\s*:)?|\Z)', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
#: Strings under these keys are values, whatever stands around them.
_VALUES = frozenset({"value", "min", "max", "lo", "hi"})


def _strings(text: str, names: Names) -> str:
    """JSON, or lines of it, with its strings rewritten; everything between them stays as it is, byte for byte."""
    key = ""

    def one(found: re.Match[str]) -> str:
        nonlocal key
        inner = found["inner"]
        try:
            plain = json.loads(f'"{inner}"', strict=False)
        except ValueError:
            return '"' + scanned(inner, names) + found[0][1 + len(inner) :]
        made = scanned(plain, names, value=not found["key"] and key in _VALUES)
        if found["key"]:
            key = plain
        escaped = "\\u" in inner or _SURROGATE.search(made) is not None
        written = inner if made == plain else json.dumps(made, ensure_ascii=escaped)[1:-1]
        return '"' + written + found[0][1 + len(inner) :]

    return _JSON_STRING.sub(one, text)


def _without_values(told: object) -> object:
    if isinstance(told, dict):
        return {key: _without_values(value) for key, value in told.items()
                if key not in ("min", "max", "histogram") or (isinstance(value, dict) and "type" in value)}  # fmt: skip
    return [_without_values(value) for value in told] if isinstance(told, list) else told


# -- text


def scanned(text: str, names: Names, *, value: bool = False) -> str:
    """A text rewritten; `value`: all of it is one."""
    return _Scan(text, names, value=value).run()


class _Scan:
    """One pass over a text. `at_value` says that a number that came now would be a value."""

    def __init__(self, text: str, names: Names, *, value: bool) -> None:
        self.text, self.names = text, names
        self.at_value = self.all_values = value
        self.quoted_until = self.code_until = self.setting_until = 0
        self.list_word = ""
        self.depth = 0
        self.last = self.last_kind = ""  # the token before, spaces left out
        self.spaced = False  # a space stands between it and this one

    def run(self) -> str:
        """The text rewritten."""
        made = []
        for found in _TOKEN.finditer(self.text):
            kind, token = found.lastgroup or "", found[0]
            # `lastgroup` names the last group that closed: that of a number closes after its parts.
            made.append(self._act(kind)(found) if kind not in ("time", "escape", "space") else token)
            if kind == "space":
                self.spaced = True
            else:
                self.last, self.last_kind, self.spaced = token, kind, False
        return "".join(made)

    def _act(self, kind: str) -> Callable[[re.Match[str]], str]:
        return {"word": self._word, "number": self._number, "other": self._other, "hex": self._hex}.get(
            kind, lambda found: str(getattr(self.names, kind)(found[0]))
        )

    def _hex(self, found: re.Match[str]) -> str:
        return found[0][:2] + self.names.digits(found[0][2:-1]) + "'"

    def _number(self, found: re.Match[str]) -> str:
        if self.last == "#" or self._stays(found):
            return found[0]
        whole, fraction = self.names.number(found["whole"]), found["fraction"]
        behind = f".{self.names.fraction(fraction)}" if fraction else ""
        return f"{whole}{behind}{found['end']}"

    def _stays(self, found: re.Match[str]) -> bool:
        if found.start() < self.quoted_until or self.all_values:
            return self.list_word == "interval"
        behind = self.text[found.end() : found.end() + 4].lower()
        if self.text.startswith(" more", found.end()):  # "a, b and 4 more": a count of planviz's own
            return True
        return not (self.at_value or (self.depth and self.list_word) or behind == " as ")

    def _word(self, found: re.Match[str]) -> str:
        word = found[0]
        small = word.lower()
        if small in ("spark", "planviz"):
            self.setting_until = setting_end(self.text, found.start())
        elif self.text[found.end() : found.end() + 1] == "/":
            self.setting_until = max(self.setting_until, zone_end(self.text, found.start()))
        if found.start() < self.setting_until:
            self.at_value = False
            return word
        if found.start() < self.quoted_until:
            return word if is_common(word) else self.names.word(word)
        if (
            small in _PREFIXES
            and self.text[found.end() : found.end() + 1] in ("'", '"')
            and found.end() != self.code_until
        ):
            return word
        if word in _UNITS and self.spaced and self.last_kind == "number" and (word == "B" or "." in self.last):
            return word
        if is_common(word):
            if small in ("select", "limit"):
                self.list_word, self.depth = "", 0
            elif not self.depth:
                self.list_word = small if small in _LISTS or small == "interval" else ""
            self.at_value = small in _BEFORE_VALUES
            return word
        self.at_value = self.all_values
        return self.names.word(word)

    def _other(self, found: re.Match[str]) -> str:
        sign = found[0]
        if found.start() < self.quoted_until:
            return sign
        if sign in _STRING:
            self._quote(found.start(), sign)
        elif sign in _SIGNS:
            self.at_value = self._before_value(found, sign)
        elif sign in "([":
            if self.list_word and self.list_word != "interval":
                self.depth += 1
            # `cast(5 AS int)`, `lit(5)`: still before the value.
            self.at_value = self.at_value and self.last.lower() in _BEFORE_VALUES
        elif sign in ")]" and self.depth:
            self.depth -= 1
            if not self.depth and self.list_word != "values":
                self.list_word = ""
            self.at_value = False
        else:
            self.at_value = sign == "$" or self.all_values
        return sign

    def _before_value(self, found: re.Match[str], sign: str) -> bool:
        """Whether a sign compares or calculates: with a space before and after, or after somebody's own name.

        `plan_id=77` and `+- Project` are Spark's; `(a#1 > 5)`, `a=5` and `x >= -5` are not.
        """
        behind = self.text[found.end() : found.end() + 1]
        if self.text.startswith(_HOST, found.start() - len(_HOST)):
            return False
        if found.start() == self.setting_until and found.start():  # `spark.sql.shuffle.partitions=200`
            return False
        if sign in "=<>!" and self.last[-1:] and self.last[-1] in _SIGNS:
            return True
        if sign in "+-" and self.at_value:
            return True
        if self.spaced and (behind.isspace() or behind in _SIGNS):
            return True
        return sign in "=<>" and not self.spaced and self.last not in ("", "]", ")") and not is_common(self.last)

    def _quote(self, start: int, sign: str) -> None:
        """A string begins, unless the quote marks an unresolved name as Spark prints it (`'Project ['a, 'b]`)."""
        found = _STRING[sign].match(self.text, start)
        if found is None:
            return
        inner = found[1]
        first = _TOKEN.match(inner)
        if sign == "'" and first and first.lastgroup == "word" and inner[-1:] in (" ", "(", "[", ","):
            return
        if sign == '"' and _CODE.search(inner):
            self.code_until = found.end() - 1
            return
        self.quoted_until = found.end() - 1
