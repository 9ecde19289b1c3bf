"""The stages of an aggregate to one Aggregate.

Keys and functions stand on the lowest stage. What the columns of the result hold, only the formatted mode says; else it
follows from their number, names and the `L` of bigints, and where that leaves more than one answer the column reads
every function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.arithmetic import Divide
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression
from planviz.expressions.internal import KnownFloatingPointNormalized, MakeDecimal, NormalizeNaNAndZero, UnscaledValue
from planviz.logical.operators import Aggregate
from planviz.logical.plan import LogicalPlan
from planviz.replay.lifting.steps import Step
from planviz.replay.opaque import OpaqueExpression, OpaqueOperator
from planviz.replay.operator_lines import Line, Operator, columns_of
from planviz.types import DOUBLE, LONG, STRING, UNKNOWN, DecimalType

if TYPE_CHECKING:
    from planviz.replay.lifting.lifter import Lifter

#: A column that is wanted: its name, its id and whether it is a bigint.
Wanted = tuple[str, int, bool]
_OPERATORS = ("HashAggregate", "ObjectHashAggregate", "SortAggregate", "TungstenAggregate")
_PASSED = ("Exchange", "ShuffleExchange", "Sort", "ColumnarExchange")
_LISTS = re.compile(r"\w+\s?\(keys?=\[")
_STATE = re.compile(r"StateStore|SessionWindowStateStore|MergingSessions")
_PARTIAL = re.compile(r"(?:\[|, )(?:partial_|merge_)\w")
_COLUMN_ID = re.compile(r"#\d+")
_KEY_ID = re.compile(r"#(\d+)L?$")


@dataclass(frozen=True)
class Stage:
    """One stage's line taken apart: texts of keys and functions, and the output where the line has it."""

    keys: str
    functions: str
    output: str | None


def is_aggregate(step: Step) -> bool:
    """Whether an operator is a stage of an aggregate with keys and functions."""
    if step.op not in _OPERATORS or len(step.inputs) != 1 or _LISTS.match(step.text) is None:
        return False
    try:
        return stage(step) is not None
    except ValueError:
        return False


def is_partial(step: Step) -> bool:
    """Whether it is a stage whose rows a later one merges."""
    if not is_aggregate(step):
        return False
    return _PARTIAL.search(stage(step).functions) is not None


def groups_at_once(step: Step) -> bool:
    """Whether it groups rows by keys, without a function, right where they are: the first stage of two, or the only one
    where the rows of a group stand together already."""
    return is_aggregate(step) and not stage(step).functions.strip("[] ") and step.inputs[0].op != "Exchange"


def is_stage_of_a_stream(step: Step) -> bool:
    """Whether it is a stage that reads a state store, or one whose rows a state store or a later stage takes."""
    return is_aggregate(step) and (is_partial(step) or _takes_state(step))


def _takes_state(step: Step) -> bool:
    """Whether a stage reads a state store, by way of an exchange in Spark 2.2."""
    at = step.inputs[0]
    while at.op in _PASSED and len(at.inputs) == 1:
        at = at.inputs[0]
    return _STATE.match(at.op) is not None


def stage(step: Step) -> Stage:
    """The lists of a stage's line. Raises ValueError for a line without them."""
    return _stage(step.text)


@lru_cache(maxsize=4096)
def _stage(text: str) -> Stage:
    start = text.index("=[") + 1
    keys = _bracket(text, start)
    functions = _bracket(text, text.index("=[", start + len(keys)) + 1)
    at = text.rfind("output=[")
    return Stage(keys, functions, _bracket(text, at + 7) if at > 0 else None)


def _bracket(text: str, start: int) -> str:
    """The list that begins at a bracket, with its brackets."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "[(") - (text[at] in "])")
        if depth == 0:
            return text[start : at + 1]
    raise ValueError(text[start : start + 80])


def _items(text: str) -> list[str]:
    """The items of a list in brackets."""
    found, depth, start = [], 0, 1
    for at, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if (c == "," and depth == 1) or (depth == 0 and c == "]"):
            item = text[start:at].strip()
            found += [item] if item else []
            start = at + 1
    return found


def key_ids(step: Step) -> list[int]:
    """The ids of the keys' columns, in order."""
    found = (_KEY_ID.search(item) for item in _items(stage(step).keys))
    return [int(m.group(1)) for m in found if m is not None]


def functions_in(step: Step) -> list[str]:
    """The functions of a stage, as texts."""
    return _items(stage(step).functions)


# ------------------------------------------------------------------------------------------------ stages


def stages(lifter: Lifter, top: Step) -> list[Step]:
    """The stages of the aggregate that ends at `top`, the last one first."""
    found = [top]
    if is_partial(top):
        return found
    said = stage(top)
    distinct = "(distinct " in said.functions
    keys = key_ids(top)
    at = _next(lifter, top)
    while at is not None and is_aggregate(at):
        if said.functions == "[]":
            # Without functions, a stage has the same keys, and there is one more at most.
            if len(found) == 2 or stage(at).functions != "[]" or key_ids(at) != keys:
                break
        elif not is_partial(at) and not (distinct and stage(at).functions == "[]" and len(found) >= 2):
            break
        found.append(at)
        if not distinct and not stage(at).functions.count("merge_"):
            break
        if len(found) == 4:
            break
        at = _next(lifter, at)
    return found


def _next(lifter: Lifter, step: Step) -> Step | None:
    """The next operator beneath that is more than the planner's exchange or sort."""
    at = step.inputs[0]
    while True:
        if at.op.startswith("Reused"):
            target = lifter.target(at) if _stage_is_used_again(at) else None
            if target is None:
                return None
            at = target
        elif at.op in _PASSED and len(at.inputs) == 1 and not _asked_for(at):
            at = at.inputs[0]
        else:
            return at


def _stage_is_used_again(step: Step) -> bool:
    return step.reuses is not None and bool(step.reuses.inputs) and is_aggregate(step.reuses.inputs[0])


def _asked_for(step: Step) -> bool:
    return "REPARTITION_" in step.text or "REBALANCE_" in step.text or step.text.endswith((", true, 0", ", true"))


def beneath(lifter: Lifter, step: Step) -> list[Step]:
    """The operators that an aggregate reads: what is beneath its lowest stage."""
    return stages(lifter, step)[-1].inputs


@dataclass
class _Read:
    """Keys as they were grouped by, the columns they are called by, and the functions."""

    grouping: list[Expression] = field(default_factory=list)
    named: list[AttributeReference] = field(default_factory=list)
    functions: list[AggregateExpression] = field(default_factory=list)


def lifted(lifter: Lifter, step: Step) -> LogicalPlan:
    """The Aggregate of the stages that end here. Raises ValueError or Unreadable for a line that is none."""
    every = stages(lifter, step)
    lowest = every[-1]
    if is_partial(step) or _takes_state(step):
        raise ValueError(step.text)  # a stage of its own, whose rest is not planned as an aggregate is
    child = lifter.lifted(lowest.inputs[0])
    read = _Read()
    _keys(lifter, lowest, child, len(_items(stage(step).keys)), read)
    for at in every if len(every) > 1 else (step,):
        _functions(lifter, at, child, read, lowest)
    if len(every) > 1:
        _ordered(read, stage(step))
    results = _results(lifter, step, child, read)
    return Aggregate(tuple(read.grouping), tuple(results), child)


def _keys(lifter: Lifter, step: Step, child: LogicalPlan, number: int, read: _Read) -> None:
    operator = lifter.operator(step, [child])
    operator.at = operator.text.index("=[") + 1
    for key in operator.expressions()[:number]:
        plain = _without_norm(key)
        if isinstance(plain, Alias):
            read.grouping.append(plain.child)
            read.named.append(plain.to_attribute())
        else:
            read.grouping.append(plain)
            if isinstance(plain, NamedExpression):
                read.named.append(plain.to_attribute())


def _without_norm(key: Expression) -> Expression:
    """A key as it was before the planner gave a floating number one zero and one NaN."""
    child = key.child if isinstance(key, Alias) else key
    if isinstance(child, KnownFloatingPointNormalized) and isinstance(child.child, NormalizeNaNAndZero):
        inner = child.child.child
        if isinstance(inner, AttributeReference) and isinstance(key, Alias) and inner.name == key.name:
            return inner.with_id(key.expr_id) if inner.expr_id != key.expr_id else inner
        return key.replace(child=inner) if isinstance(key, Alias) else inner
    return key


def _functions(lifter: Lifter, step: Step, child: LogicalPlan, read: _Read, lowest: Step) -> None:
    """The functions that a stage computes from rows: of the lowest one all, of others those with DISTINCT."""
    text = stage(step).functions
    if text == "[]":
        return
    inputs = _inputs(lifter, lowest, child)
    operator = lifter.operator(step, [inputs])
    operator.at = operator.text.index(text, operator.text.index("=[") + 2)
    for e in operator.expressions():
        if not isinstance(e, AggregateExpression):
            if any(isinstance(x, AggregateExpression) for x in e.walk()):
                read.functions += [x for x in e.walk() if isinstance(x, AggregateExpression)]
            continue
        if e.mode in ("PartialMerge", "Final") or (step is not lowest and not e.distinct):
            continue
        made = e.replace(mode="Complete")
        _told(lifter, step, made)
        if made.canonicalized not in {f.canonicalized for f in read.functions}:
            read.functions.append(_over_keys(made, lowest, inputs))


def _told(lifter: Lifter, step: Step, f: AggregateExpression) -> None:
    """What the operator says of the type of a column: only a sort merges texts, a hash map holds numbers."""
    kind = {"HashAggregate": DOUBLE, "SortAggregate": STRING}.get(step.op)
    name = f.function.pretty_name
    if name not in ("sum", "avg", "min", "max", "first", "last") or (kind == STRING and name in ("sum", "avg")):
        return
    for a in f.function.children:
        if kind is not None and isinstance(a, AttributeReference) and a.type == UNKNOWN:
            lifter.found.told.setdefault(a.expr_id, kind)


def _inputs(lifter: Lifter, lowest: Step, child: LogicalPlan) -> LogicalPlan:
    """The columns that functions read: the child's, and the lowest keys', by which DISTINCT expressions are called."""
    operator = lifter.operator(lowest, [child])
    operator.at = operator.text.index("=[") + 1
    aliases = {k.expr_id: k for k in operator.expressions() if isinstance(k, Alias)}
    if not aliases:
        return child
    given = (*child.output, *(k.to_attribute() for k in aliases.values()))
    return OpaqueOperator(("keys",), tuple(aliases.values()), (), given)


def _over_keys(e: AggregateExpression, lowest: Step, inputs: LogicalPlan) -> AggregateExpression:
    """The function over what the keys stand for."""
    if not isinstance(inputs, OpaqueOperator) or inputs.pieces != ("keys",):
        return e
    known = {k.expr_id: k.child for k in inputs.columns if isinstance(k, Alias)}

    def meant(x: Expression) -> Expression:
        return known.get(x.expr_id, x) if isinstance(x, AttributeReference) else x

    return cast(AggregateExpression, e.transform_up(meant, AttributeReference.BIT))


def _ordered(read: _Read, last: Stage) -> None:
    """The functions in the order of the last stage, which is that of the results."""
    places: dict[str, list[int]] = {}
    for at, text in enumerate(_items(last.functions)):
        places.setdefault(_COLUMN_ID.sub("#", text), []).append(at)

    def place(f: AggregateExpression) -> int:
        # The stage that computes a function from rows alone says which rows it sees.
        found = places.get(_COLUMN_ID.sub("#", str(f.replace(where=None))))
        return found.pop(0) if found else len(read.functions)

    read.functions.sort(key=place)


# ------------------------------------------------------------------------------------------------ results


def _results(lifter: Lifter, step: Step, child: LogicalPlan, read: _Read) -> list[Expression]:
    if step.line.results:
        return _printed_results(lifter, step, child, read)
    text = stage(step).output
    if text is not None:
        wanted = columns_of(text)
    else:
        asked, needed = lifter.open.of(step), lifter.open.needed(step)
        wanted = [(a.name, a.expr_id, a.type == LONG) for a in read.named if needed is None or a.expr_id in needed]
        wanted += [c for c in asked if c[1] not in {a.expr_id for a in read.named}]
    return _assigned(lifter, wanted, read, text is not None)


def _printed_results(lifter: Lifter, step: Step, child: LogicalPlan, read: _Read) -> list[Expression]:
    """The results as the formatted mode spells them, over the functions' columns."""
    attributes = columns_of(step.line.attributes) if step.line.attributes else []
    by_id: dict[int, Expression] = {}
    for (_, number, _), function in zip(attributes, read.functions, strict=False):
        by_id[number] = function
    named = {a.expr_id: g for a, g in zip(read.named, read.grouping, strict=False)}
    given = [
        *(AttributeReference(n, by_id[i].data_type if i in by_id else UNKNOWN, True, i) for n, i, _ in attributes),
        *read.named,
    ]
    source = OpaqueOperator(("results",), (), (), tuple(given))
    line = f"Project {step.line.results}"
    plans = lifter.operator(step, [child], line).line.plans
    operator = Operator(Line("Project", line, (source,), plans, {}, True), lifter.columns, lifter.ansi, lifter.found)

    def meant(x: Expression) -> Expression:
        if not isinstance(x, AttributeReference):
            return x
        return by_id.get(x.expr_id) or named.get(x.expr_id, x)

    made: list[Expression] = []
    for e in operator.expressions():
        if isinstance(e, AttributeReference):
            whole = meant(e)
            made.append(whole if isinstance(whole, NamedExpression) else Alias(whole, e.name, e.expr_id))
        else:
            new: Expression = e.transform_up(meant, AttributeReference.BIT)
            made.append(new)
    return made


def _assigned(lifter: Lifter, wanted: Sequence[Wanted], read: _Read, whole: bool) -> list[Expression]:
    """A result for every column; `whole` says that these are all."""
    keys = {a.expr_id: g for a, g in zip(read.named, read.grouping, strict=False)}
    made: dict[int, Expression] = {}
    open_ones: list[Wanted] = []
    for c in wanted:
        key = keys.get(c[1])
        if key is None:
            open_ones.append(c)
        else:
            made[c[1]] = key if isinstance(key, AttributeReference) and key.expr_id == c[1] else Alias(key, c[0], c[1])
    absent = [a for a in read.named if a.expr_id not in made]
    if len(open_ones) > len(read.functions):
        open_ones = _renamed_keys(open_ones, absent, keys, len(read.functions), made)
    if len(open_ones) == len(read.functions) or (not whole and len(open_ones) <= len(read.functions)):
        _by_place(open_ones, read.functions, made)
        rest = read.functions[len(open_ones) :]
    else:
        lifter.assumed.append("which function a column of an aggregate holds is not printed")
        for c in open_ones:
            made[c[1]] = Alias(_any_of(read, c[2]), c[0], c[1])
        rest = [] if open_ones else read.functions
    results = [made[i] for _, i, _ in wanted if i in made]
    return results + [Alias(f, str(f), next(lifter.fresh)) for f in rest]


def _renamed_keys(
    open_ones: list[Wanted],
    absent: list[AttributeReference],
    keys: dict[int, Expression],
    functions: int,
    made: dict[int, Expression],
) -> list[Wanted]:
    """Give columns the keys that they are other names of: by the likeness of names, else by their order."""
    left = list(open_ones)
    for a in absent:
        if len(left) <= functions:
            break
        alike = [c for c in left if c[2] == (a.type == LONG)] or left
        best = max(alike, key=lambda c: _likeness(c[0], a.name))
        left.remove(best)
        made[best[1]] = Alias(keys[a.expr_id], best[0], best[1])
    return left


def _likeness(a: str, b: str) -> int:
    """How many letters two names end alike with."""
    n = 0
    while n < min(len(a), len(b)) and a[-1 - n].lower() == b[-1 - n].lower():
        n += 1
    return n


def _by_place(columns: Sequence[Wanted], functions: Sequence[AggregateExpression], made: dict[int, Expression]) -> None:
    """The functions in the order of the columns, a column that is called like one first."""
    left = list(functions)
    later: list[Wanted] = []
    for c in columns:
        same = [f for f in left if re.sub(r"#\d+L?", "", str(f)) == c[0]]
        if same:
            left.remove(same[0])
            made[c[1]] = Alias(same[0], c[0], c[1])
        else:
            later.append(c)
    for c, f in zip(later, left, strict=False):
        made[c[1]] = Alias(_result_of(f, c[2]), c[0], c[1])


def _result_of(f: AggregateExpression, long: bool) -> Expression:
    """What a function's column holds: of an unscaled decimal the decimal again, as the optimizer writes it."""
    arguments = [x for x in f.walk() if isinstance(x, UnscaledValue)]
    kind = arguments[0].child.data_type if arguments and not long else None
    if isinstance(kind, DecimalType):
        if f.data_type == LONG:
            return MakeDecimal(f, min(kind.precision + 10, 38), kind.scale)
        if f.data_type == DOUBLE:
            scaled = Divide(f, Literal(float(10**kind.scale), DOUBLE), "LEGACY")
            return Cast(scaled, DecimalType(min(kind.precision + 4, 38), min(kind.scale + 4, 38)), "LEGACY")
    if f.data_type != UNKNOWN and (f.data_type == LONG) != long:
        return OpaqueExpression(("?(", ")"), (f,), LONG if long else UNKNOWN)
    return f


def _any_of(read: _Read, long: bool) -> Expression:
    """A value made of all keys and functions in a way that the text does not say."""
    parts = (*read.functions, *(g for g in read.grouping if not read.functions))
    pieces = ("?(", *([", "] * (len(parts) - 1)), ")") if parts else ("?",)
    return OpaqueExpression(pieces, parts, LONG if long else UNKNOWN)
