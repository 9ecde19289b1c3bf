"""Every regular expression over pasted text, or over a constant in it, takes time in step with the text.

All compiled patterns of the rooms that read pasted text are collected from their modules. How a pattern is used (from
the beginning of a text, or anywhere in it) is read off the module's source.
"""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import planviz

ROOMS = ("plantext", "replay", "document", "graph", "ui", "pseudonyms", "programs", "frontend", "types", "catalog",
         "evaluation", "spark")  # fmt: skip
SEEDS = (" ", "a", "(", "[", ")", "]", "`", "'", "#", "a#1, ", "a, ", ": ", "=", "-", "(1) ", "a b ", "1", "\n", "a\n",
         " \n",         "\t", "_", ".", "Ab ", "{", "*", "|", ", ", "/*a*/ ", "/* ", "-- a\n",
         '.sql("/*', '""" ')  # fmt: skip
BEFORE = ("", "(1) Scan parquet", "a", "A", "(", "[", "'", "== ", '.sql("')
AFTER = ("!", "\x00 x")
#: Repetitions, and the seconds of the processor from which on it is asked how the time grows: twice as much for twice
#: the text, four times as much where it grows with the square. How long it takes says little: a machine may be busy.
TIMES, ASKED, GROWTH = 4_000, 0.01, 3
_CALLED = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub")
#: Repetitions that are tried first, and the seconds that they may take: what doubles with each of them is found before
#: it takes for ever.
FEW, MOST = 22, 0.05


def patterns() -> Iterator[tuple[str, str, re.Pattern[str], bool]]:
    """Module, name, pattern, and whether it is looked for anywhere in a text."""
    seen = set()
    for room in ROOMS:
        package = importlib.import_module(f"planviz.{room}")
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            source = Path(module.__file__ or "").read_text("utf-8")
            for name, value in vars(module).items():
                if (
                    isinstance(value, re.Pattern)
                    and isinstance(value.pattern, str)
                    and re.search(rf"^{name} = ", source, re.M)
                ):
                    anywhere = re.search(rf"\b{name}\.(search|findall|finditer|split|subn?)\b", source) is not None
                    if (value.pattern, value.flags, anywhere) not in seen:
                        seen.add((value.pattern, value.flags, anywhere))
                        yield info.name, name, value, anywhere


def written_in_place() -> Iterator[tuple[str, str, re.Pattern[str], bool]]:
    """The same of patterns that stand where they are used: `re.search(r"...", text)`."""
    for room in ROOMS:
        for path in sorted((Path(planviz.__file__).parent / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == "re"
                    and node.func.attr in _CALLED
                    and isinstance(node.args[0], ast.Constant)
                ):
                    told = " ".join(map(ast.unparse, (*node.args[2:], *(k.value for k in node.keywords))))
                    flags = re.MULTILINE if "re.M" in told else re.NOFLAG
                    pattern = re.compile(node.args[0].value, flags | (re.DOTALL if "DOTALL" in told else re.NOFLAG))
                    yield room, f"{path.name}:{node.lineno}", pattern, node.func.attr not in ("match", "fullmatch")


PATTERNS = [*patterns(), *written_in_place()]


def test_patterns_are_found() -> None:
    assert len(PATTERNS) > 50
    assert Path(planviz.__file__).is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("module", "name", "pattern", "anywhere"), PATTERNS, ids=[f"{p[0]}.{p[1]}" for p in PATTERNS])
def test_a_pattern_takes_time_in_step_with_the_text(
    module: str, name: str, pattern: re.Pattern[str], anywhere: bool
) -> None:
    for seed in SEEDS:
        for before in BEFORE:
            for after in AFTER:
                few, text = (before + seed * n + after for n in (FEW, TIMES))
                assert _seconds(pattern, few, anywhere) < MOST or _least(pattern, few, anywhere) < MOST, few
                if _seconds(pattern, text, anywhere) > ASKED:
                    texts = [before + seed * n + after for n in (TIMES, 2 * TIMES)]
                    # Whoever else uses the machine does so now and then: a square grows every time.
                    assert any(_keeps_step(pattern, texts, anywhere) for _ in range(4)), (before, seed, after)


def _keeps_step(pattern: re.Pattern[str], texts: list[str], anywhere: bool) -> bool:
    taken, twice = (_least(pattern, text, anywhere) for text in texts)
    return twice < GROWTH * max(taken, ASKED)


def _seconds(pattern: re.Pattern[str], text: str, anywhere: bool) -> float:
    gc.disable()  # a collection takes longer than what is measured
    begun = time.process_time()
    sum(1 for _ in pattern.finditer(text)) if anywhere else pattern.match(text)
    taken = time.process_time() - begun
    gc.enable()
    return taken


def _least(pattern: re.Pattern[str], text: str, anywhere: bool) -> float:
    """What it takes at best of three."""
    return min(_seconds(pattern, text, anywhere) for _ in range(3))


def test_a_square_is_found() -> None:
    square = re.compile(r"\s*x")
    taken, twice = (_least(square, " " * n, True) for n in (2 * TIMES, 4 * TIMES))
    assert taken > ASKED
    assert twice > GROWTH * taken
