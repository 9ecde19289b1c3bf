"""Calls of functions as they are printed, to the call that is printed so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from planviz.analysis.coercion.expressions import coerced_tree, in_mode
from planviz.analysis.coercion.lattice import ANSI
from planviz.analysis.coercion.legacy import LEGACY
from planviz.errors import PlanvizError
from planviz.expressions.aggregates import AggregateExpression, AggregateFunction, AggregateMode
from planviz.expressions.calls import (
    FunctionCall,
    Replaced,
)
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.python import PythonEvalType, PythonUDAF, PythonUDF
from planviz.expressions.specs import FunctionSpec, OpenZone, SignatureCall
from planviz.functions.registry import build, known
from planviz.replay.forms import FORMS
from planviz.replay.found import Found
from planviz.replay.literals import constant
from planviz.replay.opaque import OpaqueExpression
from planviz.replay.term import Term, columns_in
from planviz.types import (
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    DataType,
    is_string,
    zones,
)

if TYPE_CHECKING:
    from planviz.replay.expressions import Elaborator

#: Functions whose arguments are all of one type, or all but the first.
_ALIKE = {"coalesce", "greatest", "least", "array", "nullif", "nvl", "ifnull", "array_contains", "pmod"}
_PREFIXES = ("partial_", "merge_")
_MODES: dict[str, AggregateMode] = {"partial_": "Partial", "merge_": "PartialMerge"}
_ZONE = re.compile(r"Some\(([\w/+:-]+)\)(?:, (?:true|false))*\)?$")
_FLAG = re.compile(r"true|false|-?\d+|None|Some\(.*\)|[A-Z]\w*/\w+|[A-Z][a-z]+(?:NTZ)?Type")


class Calls:
    """Reads calls for an `Elaborator`, which has the operator's columns and reads all other terms."""

    scope: Mapping[int, AttributeReference]
    python: Mapping[int | str, PythonEvalType]
    zone: str
    mode: str
    found: Found

    def expression(self, term: Term, wanted: DataType | None = None) -> Expression:
        """The expression of a term, of the `wanted` type if it is a constant."""
        raise NotImplementedError

    def opaque(self, term: Term, type: DataType = UNKNOWN) -> OpaqueExpression:
        """A term that nobody can read, with the columns in it."""
        raise NotImplementedError

    def as_it_stands(self, term: Term, type: DataType = UNKNOWN) -> OpaqueExpression:
        """A term whose text is kept around what can be read in it."""
        raise NotImplementedError

    def _common(self, terms: Sequence[Term], wanted: DataType | None) -> DataType | None:
        raise NotImplementedError

    def _python(self, term: Term, wanted: DataType | None) -> Expression:
        """A call of a function written in Python. Only the operator that computes it says how rows reach it."""
        name, number, long = term.value if term.kind == "python" else (term.value[0], "0", "")
        kind = self.python.get(int(number) or name)
        if kind is None:
            return self.opaque(term, LONG if long else UNKNOWN)
        arguments = tuple(self.expression(t) for t in term.children)
        returns = LONG if long else UNKNOWN if wanted in (None, NULL) else wanted
        if not kind.aggregates:
            return PythonUDF(name, arguments, returns, kind, True, int(number))
        function = PythonUDAF(name, arguments, returns, kind, True, int(number))
        return AggregateExpression(function, "Complete", False, None, next_id())

    def _call(self, term: Term, wanted: DataType | None) -> Expression:
        name = term.value[0]
        if name in self.python:
            return self._python(term, wanted)
        made = self._special(term, name)
        if made is None:
            made = self._known(term, name)
        if made is None and (other := _with_empty_texts(term)) is not None:
            made = self._known(other, name)
        if made is None and not columns_in(term) and (wanted is None or is_string(wanted)) and not _known_name(name):
            # No function of that name and no column in it: a text that looks like a call.
            return constant(term.text, STRING)
        return made if made is not None else self._unknown(term)

    def _special(self, term: Term, name: str) -> Expression | None:
        """A function whose text is its own, a stage of an aggregate's too; None for others."""
        mode = next((p for p in _PREFIXES if name.startswith(p)), "")
        special = FORMS.get(name.removeprefix(mode))
        if special is None:
            return None
        elaborator = cast("Elaborator", self)
        if not mode:
            return special(elaborator, term)
        made = special(elaborator, replace(term, value=(name.removeprefix(mode), *term.value[1:])))
        return made.replace(mode=_MODES[mode]) if isinstance(made, AggregateExpression) else None

    def _unknown(self, term: Term) -> Expression:
        self.found.opaque.append(term.text)
        name = term.value[0]
        spec = FunctionSpec(name, (), lambda _: UNKNOWN, True, null_intolerant=False, foldable=False)
        made = FunctionCall(name, tuple(self.expression(t) for t in term.children), spec)
        return made if made.text == term.text else self.as_it_stands(term)

    def _known(self, term: Term, name: str) -> Expression | None:
        """A function of the registry, if some way to call it is printed as the text is."""
        mode = next((p for p in _PREFIXES if name.startswith(p)), "")
        plain = name.removeprefix(mode)
        distinct = "distinct" in term.value[1:]
        for arguments in self._choices(term, plain):
            for k in range(len(arguments), max(len(arguments) - 5, -1), -1):
                try:
                    made = build((plain,), arguments[:k], None)
                except PlanvizError:
                    continue
                if made is None:
                    break
                made = self._settled(made, term)
                whole = self._whole(made, distinct, mode)
                if whole.text == term.text:
                    return whole
                for other in _flagged(made, f"Some({self.zone})"):
                    whole = self._whole(other, distinct, mode)
                    if whole.text == term.text:
                        return whole
                rest = tuple(t.text for t in term.children[k:])
                if rest and isinstance(made, SignatureCall) and all(_FLAG.fullmatch(t) for t in rest):
                    # Flags that a function prints behind its arguments change from version to version.
                    whole = self._whole(made.replace(tail=rest), distinct, mode)
                    if whole.text == term.text:
                        return whole
        return None

    def _settled(self, made: Expression, term: Term) -> Expression:
        """A call as the analyzer leaves it: with the time zone that the text says, and what it stands for cast."""
        m = _ZONE.search(term.text)
        m = m if m is not None and zones.zone_of(m.group(1)) is not None else None
        zone = f"Some({m.group(1) if m is not None else self.zone})"
        if m is not None:
            for part in ("tail", "parameters"):
                held = getattr(made, part, ())
                if any(isinstance(t, OpenZone) for t in held):
                    made = made.replace(**{part: tuple(zone if isinstance(t, OpenZone) else t for t in held)})
        if isinstance(made, Replaced):
            made = made.replace(replacement=_zoned(self._present(made.replacement), zone))
        if (
            isinstance(made, Replaced)
            and not made.resolved
            and all(p.resolved for p in made.parameters if isinstance(p, Expression))
        ):
            for _ in range(5):
                before, made = made, coerced_tree(made, ANSI if self.mode == "ANSI" else LEGACY)
                if made is before:
                    break
        return made

    def _present(self, e: Expression) -> Expression:
        """What a call stands for, over the columns that are there.

        Where a table is read twice, Spark gives the columns of the second use new ids, but not in the parameters that
        such a call only keeps to be printed.
        """

        def one(x: Expression) -> Expression:
            if not isinstance(x, AttributeReference) or x.expr_id in self.scope:
                return x
            same = [a for a in self.scope.values() if a.name == x.name]
            return same[0] if len(same) == 1 else x

        made: Expression = e.transform_up(one, AttributeReference.BIT)
        return made

    def _whole(self, made: Expression, distinct: bool, mode: str) -> Expression:
        if not isinstance(made, AggregateFunction) or hasattr(made, "frame"):
            return made
        stage = _MODES.get(mode, "Complete")
        return AggregateExpression(made, stage, distinct, None, next_id())

    def _choices(self, term: Term, name: str) -> Iterator[tuple[Expression, ...]]:
        """The arguments as they may be meant: by their own types, by that of the first, as texts."""
        terms = tuple(map(_given, term.children))
        if name in _ALIKE:
            kind = self._common(terms, None)
            yield tuple(self.expression(t, kind) for t in terms)
            return
        guessed = tuple(self.expression(t) for t in terms)
        fitted = guessed
        try:
            made = build((name,), guessed, None)
        except PlanvizError:
            made = None
        spec = made.spec if isinstance(made, SignatureCall) else None
        if spec is not None and spec.inputs:
            fitted = tuple(
                self._fitting(t, a, spec.inputs[min(i, len(spec.inputs) - 1)].test)
                for i, (t, a) in enumerate(zip(terms, guessed, strict=True))
            )
        elif made is not None and made.check_input_types() is not None:
            fitted = tuple(
                constant(t.text, STRING) if is_constant(t) and not re.fullmatch(r"-?\d+|null", t.text) else a
                for t, a in zip(terms, guessed, strict=True)
            )
        yield fitted
        if fitted != guessed:
            yield guessed

    def _fitting(self, term: Term, guessed: Expression, accepts: Callable[[DataType], bool]) -> Expression:
        if not is_constant(term) or accepts(guessed.data_type):
            return guessed
        for kind in (STRING, INT, LONG, DOUBLE, DATE, TIMESTAMP):
            if accepts(kind):
                made = constant(term.text, kind)
                if made.type == kind:
                    return made
        return guessed


def _zoned(e: Expression, zone: str) -> Expression:
    """An expression whose functions are in a time zone, where they say none."""

    def one(x: Expression) -> Expression:
        if not isinstance(x, FunctionCall) or not any(isinstance(t, OpenZone) for t in x.tail):
            return x
        return x.replace(tail=tuple(zone if isinstance(t, OpenZone) else t for t in x.tail))

    made: Expression = e.transform_up(one, FunctionCall.BIT)
    return made


def _flagged(made: Expression, zone: str) -> Iterator[Expression]:
    """The call as it is in a session without ANSI, and as Sparks show it that have no such flag, nor the time zone."""
    if isinstance(made, SignatureCall):
        off = in_mode(made, LEGACY)
        assert isinstance(off, SignatureCall)
        yield off
        if off.tail and off.tail[-1] in ("true", "false"):
            yield off.replace(tail=off.tail[:-1])
        if isinstance(off, FunctionCall):
            # An older Spark shows less: `to_date(a#1, None)`.
            zoned = off.replace(tail=tuple(zone if isinstance(t, OpenZone) else t for t in off.tail))
            for less in range(2, len(off.tail) + 1):
                yield zoned.replace(unshown=(0, less))


def _with_empty_texts(term: Term) -> Term | None:
    """A call whose arguments that begin with a comma are an empty text and what follows; None where none does.

    `regexp_replace(a#1, b, , 1)` is read with the text `, 1` first, as is right for `concat_ws(, , a#1)`.
    """
    parts: list[Term] = []
    for t in term.children:
        at, text = t.start, t.text
        while t.kind == "constant" and text.startswith(", "):
            parts.append(Term("constant", at, at, ("",), (), ""))
            at, text = at + 2, text[2:]
        parts.append(t if at == t.start else Term("constant", at, t.end, (text,), (), text))
    return replace(term, children=tuple(parts)) if len(parts) > len(term.children) else None


def _given(term: Term) -> Term:
    """An argument without the `Some(...)` around one that need not be given; a text in it may hold commas."""
    if term.kind != "call" or term.value[0] != "Some" or not term.children:
        return term
    if len(term.children) == 1:
        return term.children[0]
    inside = term.text[len("Some(") : -1]
    return Term("constant", term.children[0].start, term.children[-1].end, (inside,), (), inside)


def _known_name(name: str) -> bool:
    return known(name)


def is_constant(term: Term) -> bool:
    """Whether a term is a constant, with a sign or without."""
    return term.kind == "constant" or (term.kind == "minus" and term.children[0].kind == "constant")
