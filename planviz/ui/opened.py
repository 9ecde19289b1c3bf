"""An open document: what every page may know of it at once, and the way to the rest, which lives in a worker.

A function of an open document that looks at plans is marked with `in_worker`: where workers run it runs in the one that
has the document open (`planviz.ui.workers`), and what it takes and returns are plain values; in a worker, a test or a
program of its own it is called as it stands.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, wraps
from threading import Event, RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from planviz.config import OptimizerConfig, default_profile
from planviz.document import Document
from planviz.errors import InternalError, PlanvizError
from planviz.graph import PlanGraph
from planviz.plantext.versions import PrintedBy
from planviz.replay.settings import candidates
from planviz.ui import links, questions

P = ParamSpec("P")
R = TypeVar("R")

#: Answers of a worker that are kept of one document, and their bytes.
ANSWERS = 96
ANSWER_BYTES = 48_000_000
#: What an answer that is neither text nor bytes counts.
_SMALL = 2_000


@dataclass(frozen=True)
class Source:
    """All that a process needs to open a document again: text, catalogue, version of Spark, what makes a derived one.

    `made` turns the document of `text`, or of the source `base` where there is one, into the one that is meant, under
    the name `variant`.
    """

    text: str = field(repr=False)
    catalog: str
    variant: str = ""
    profile: str = ""
    made: Callable[[Document], Document | None] | None = None
    base: Source | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Facts:
    """What is known of a document without its plans.

    `statements` counts those of an SQL text, `planned` says whether one of them is a query of ours; `stages` has the
    stage of every plan, `steps` counts those of the trace; `printed` and `is_pasted` are the document's.
    """

    recognised: str
    reasons: tuple[str, ...]
    origin: tuple[str, ...]
    error: PlanvizError | None
    statements: int
    planned: bool
    stages: tuple[str, ...]
    steps: int
    printed: PrintedBy
    is_pasted: bool


def facts_of(document: Document) -> Facts:
    """The facts of a document."""
    return Facts(
        document.recognised,
        document.reasons,
        document.origin,
        document.error,
        len(document.statements),
        any(statement.execution is not None for statement in document.statements),
        tuple(plan.stage for plan in document.plans),
        len(document.trace.steps),
        document.printed,
        document.is_pasted,
    )


@dataclass(eq=False)
class Opened:
    """An open document with what was made from it.

    `key` is the SHA-256 of the text in hex: the same text has the same key in every process, and nobody can guess the
    key of a text that he has not got. `made` holds scenes, findings and pictures under a name, made once; of a document
    that lives in a worker, the worker's answers. `catalog` is the name of the catalogue that SQL was planned with, ""
    for anything but SQL. `near` is the key of a document that the same worker should hold, "" for none.
    """

    key: str
    source: Source
    facts: Facts
    catalog: str = ""
    near: str = ""
    here: Document | None = field(default=None, repr=False)
    made: OrderedDict[tuple[object, ...], Any] = field(default_factory=OrderedDict, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)
    _asking: dict[tuple[object, ...], Event] = field(default_factory=dict, repr=False)

    @property
    def document(self) -> Document:
        """The document itself, where it lives."""
        if self.here is None:
            raise InternalError("A page asked for plans that a worker holds. Please report it together with the text.")
        return self.here

    @property
    def profile(self) -> str:
        """The version of Spark that was chosen, "" for the default one of SQL, or the one that is found of a text."""
        return self.source.profile

    @property
    def config(self) -> OptimizerConfig:
        """The settings that SQL is planned with; of a plan's text the version that was chosen or likely printed it."""
        if self.profile or not self.facts.is_pasted:
            return OptimizerConfig.of(self.profile or default_profile())
        return OptimizerConfig.of(candidates(self.document.plans, self.document.printed)[0])

    @property
    def text(self) -> str:
        """The text that was opened."""
        return self.source.text

    def graph(self, plan: str) -> PlanGraph:
        """The plan of a name: `3` is the fourth of the text, `12b` and `12a` are before and after the trace's step 12.

        Raises KeyError when the document has no such plan.
        """
        try:
            if plan.isascii() and plan.isdigit():
                return self.document.plans[int(plan)]
            number, side = int(plan[:-1]), {"b": 0, "a": 1}[plan[-1:]]
            if number < 0:
                raise KeyError(plan)
            return self.document.trace.steps[number].graphs()[side]
        except (IndexError, ValueError):
            raise KeyError(plan) from None

    def text_of(self, plan: str) -> str:
        """The text that the plan's source lines count in."""
        if self.document.statements and not self.document.is_pasted:
            return self.document.written
        if plan[-1:] in ("a", "b"):
            step = self.document.trace.steps[int(plan[:-1])]
            return step.after if plan[-1] == "a" else step.before
        return self.text

    @property
    def written(self) -> str | None:
        """What stands beside its plans: "Program", "SQL", or None for a text that is plans itself."""
        if self.document.is_pasted or not self.document.statements:
            return None
        return "Program" if self.document.recognised.endswith("program") else "SQL"

    def written_json(self) -> dict[str, str] | None:
        """`title` and `text` of what stands beside the plans."""
        title = self.written
        return None if title is None else {"title": title, "text": self.document.written}

    def link(self) -> str | None:
        """The packed text for an address, or None when it is too long for one."""
        if ("link",) not in self.made:
            self.made["link",] = links.pack(self.text)
        link: str | None = self.made["link",]
        return link

    def answer(self, name: tuple[object, ...], ask: Callable[[], object]) -> Any:
        """A worker's answer, asked for once and kept within `ANSWERS` and `ANSWER_BYTES`.

        Who asks for what another is being told waits for that: the same work is not done twice at a time.
        """
        while True:
            with self._lock:
                if name in self.made:
                    self.made.move_to_end(name)
                    return self.made[name]
                told = self._asking.get(name)
                if told is None:
                    told = self._asking[name] = Event()
                    break
            while not told.wait(questions.LOOK):
                questions.look()
        try:
            found = ask()
            return self._kept(name, found)
        finally:
            with self._lock:
                del self._asking[name]
            told.set()

    def _kept(self, name: tuple[object, ...], found: object) -> object:
        with self._lock:
            self.made[name] = found
            while len(self.made) > ANSWERS or (len(self.made) > 1 and self.size > ANSWER_BYTES):
                self.made.popitem(last=False)
        return found

    @property
    def size(self) -> int:
        """Characters and bytes that are kept of its worker's answers."""
        with self._lock:
            return sum(len(v) if isinstance(v, bytes | str) else _SMALL for v in self.made.values())


def in_worker(function: Callable[Concatenate[Opened, P], R]) -> Callable[Concatenate[Opened, P], R]:
    """Mark a function of an open document, the same for the same arguments, as one that runs where that lives."""

    @wraps(function)
    def call(opened: Opened, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if opened.here is not None:
            return function(opened, *args, **kwargs)
        found: R
        try:
            name = ("answer", function.__module__, function.__qualname__, args, tuple(sorted(kwargs.items())))
            hash(name)
        except TypeError:
            found = _asked(opened, function, args, kwargs)
        else:
            found = opened.answer(name, partial(_asked, opened, function, args, kwargs))
        return found

    return call


def _asked(opened: Opened, function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
    return questions.ask(opened.key, function.__module__, function.__qualname__, args, kwargs, near=opened.near)
