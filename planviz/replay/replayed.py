"""One explain planned again: what was read, which settings and sizes make it come out, and what still differs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import THRESHOLD
from planviz.errors import PlanvizError
from planviz.expressions.aggregates import AggregateCall, FirstLast
from planviz.expressions.earlier import undetermined
from planviz.expressions.ids import Ids, ids_from
from planviz.graph import PlanGraph
from planviz.graph.planned import PART, planned
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan, size_text
from planviz.optimizer import Optimizer
from planviz.optimizer.context import OptimizerContext
from planviz.physical.query import PhysicalPlan, plan_query
from planviz.plantext.versions import PrintedBy, printed_by
from planviz.replay.caches import with_caches
from planviz.replay.clock import NOW, moved_now, reads_the_clock
from planviz.replay.columns import Columns
from planviz.replay.compared import differences, distance, ends_early, verdict
from planviz.replay.fitted_tables import named, with_tables
from planviz.replay.fitting import Fitted, Fitting, with_estimates
from planviz.replay.given import Given
from planviz.replay.lifting.lifter import lifted_plan
from planviz.replay.names import relation_names
from planviz.replay.older import in_newer_words
from planviz.replay.opaque import OpaqueOperator
from planviz.replay.plans import ReadPlan, read_plan, row_counts_told, sizes_told
from planviz.replay.printed import PhysicalForm, printed
from planviz.replay.remembered import Remembered, same_batches
from planviz.replay.result import Replay
from planviz.replay.runtime_filters import rows_told
from planviz.replay.search import as_settings, optimizer_changes, planner_changes, smallest_change, tries_for
from planviz.replay.settings import ANSI, COST_BASED, SMALL, Setting, candidates, configured, found_settings
from planviz.replay.shared import with_shared_functions
from planviz.replay.taken import PrintedOrder, with_choices
from planviz.replay.told import lacking
from planviz.replay.tried import Tried, attempt
from planviz.replay.wanted import joins_in
from planviz.trees.trace import Trace

_IDS = re.compile(r"#(\d+)")
_READ = ("analyzed", "optimized", "physical", "initial")
#: How far the optimized and the physical plan are from the text, and what was made.
Scored = tuple[tuple[int, int], Tried]


@dataclass
class _Fit:
    """Sizes that were fitted, settings that they tell, and what went wrong in words."""

    fitted: Fitted | None = None
    settings: list[Setting] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Optimized:
    """An optimized plan with the optimizer's steps, and the orders of joins that were taken from the text; `profile`
    is the version whose steps they are."""

    plan: LogicalPlan
    trace: Trace
    taken: list[str]
    profile: str


def replay(
    plans: Sequence[PlanGraph], columns: Columns, printed: PrintedBy | None = None, given: Given | None = None
) -> Replay:
    """The plans of one explain, in the order of the text, replayed as the versions that may have printed them.

    What is `given` counts before what was found: a profile is then the only one. Raises nothing for what a text says.
    """
    made = Replay(stages=tuple(p.stage for p in plans), given=given or Given())
    try:
        _Replaying(in_newer_words(plans), columns, printed or printed_by(plans), made).run()
    except RecursionError:
        made.failures.append("The plan nests too deep to be planned again.")
    except Exception as error:  # a text can say what no Spark would
        made.failures.append(f"The plan could not be planned again ({type(error).__name__}).")
    for stage in ("optimized", "physical"):
        made.verdicts.setdefault(stage, "absent")
    return made


class _Replaying:
    def __init__(self, plans: Sequence[PlanGraph], columns: Columns, printed: PrintedBy, made: Replay) -> None:
        self.plans, self.columns, self.made = plans, columns, made
        self.graphs: dict[str, PlanGraph] = {}
        lacks: dict[str, str] = {}
        logical = any(p.stage in ("analyzed", "optimized") and not lacking(p) for p in plans)
        for plan in plans:
            said = lacking(plan, compared=logical and plan.stage == "physical")
            if not said and not plan.title.startswith(PART):
                self.graphs.setdefault(plan.stage, plan)
            elif said and plan.stage in _READ:
                lacks.setdefault(said, plan.stage)
        if "initial" in self.graphs and (whole := planned(plans)) is not None:
            self.graphs["initial"] = whole
        made.failures += [said for said, stage in lacks.items() if stage not in self._instead()]
        made.settings = made.given.over(found_settings(plans, printed))
        numbers = [int(m) for p in plans for n in p for m in _IDS.findall(n.text)]
        self.profiles = candidates(plans, printed, made.given.profile)
        #: What was read, by whether the session was in ANSI mode.
        self.readings: dict[bool, dict[str, ReadPlan]] = {}
        self.fits: Remembered[_Fit] = Remembered()
        self.optimizations = _optimizations()
        self.plannings: Remembered[tuple[PhysicalPlan, str]] = Remembered()
        physical = self._physical()
        older = printed.last < (3, 0) and not printed.contradicted
        made.older = printed.words if older else ""
        self.form = PhysicalForm(physical if physical is not None else PlanGraph("physical", ""), older)
        self.first_id = made.first_id = max((n for n in numbers if n < 1 << 40), default=0) + 1

    def run(self) -> None:
        """Read, fit, optimize, plan, compare: as the versions that may have printed the text, until one fits."""
        best: Scored | None = None
        for profile in self.profiles:
            found = self._as(configured(self.made.settings, profile), best)
            if best is None or found[0] < best[0]:
                best = found
            if best[0] == (0, 0):
                break
        assert best is not None
        config = best[1].config
        small = sum(len(g) for g in self.graphs.values()) < SMALL
        if small and not any(s.key == ANSI for s in self.made.settings) and best[0] != (0, 0):
            on = not config.get(ANSI)
            found = self._as(config.with_settings({ANSI: on}), best)
            if found[0] < best[0]:
                words = f"the plans come out nearer to the text with {ANSI}={str(on).lower()}"
                self.made.settings.append(Setting(ANSI, on, words))
                best = found
        self._keep(self._searched(best)[1])

    def _searched(self, best: Scored) -> Scored:
        """The same, or what comes out nearer under settings that a search finds."""
        (optimized, physical), found = best
        operators = max(len(g) for g in self.graphs.values()) if self.graphs else 0
        reads = found.read.values()
        if self.form.unfinished:
            return best  # the types of columns stand at the ends of lines, and some are missing
        if found.failures or found.taken or any(r.opaque or r.opaque_operators for r in reads):
            return best  # another cause is likelier
        config = found.config
        sizes = found.fitted.sizes if found.fitted is not None else {}
        given = self.made.given.settings
        made: list[Setting] = []
        plan, trace = found.start, found.trace
        if optimized and plan is not None and trace is not None and operators <= SMALL:
            theirs = self._text("optimized")
            tried = optimizer_changes(config, trace, theirs, found.texts["optimized"])

            def first(c: OptimizerConfig) -> int:
                again = attempt([], lambda: self._optimized(plan, sizes, c))
                return 1 << 20 if again is None else distance(theirs, again.plan.tree_string)

            tried = [c for c in tried if c.key not in given]
            made += as_settings(*smallest_change(config, tried, first, optimized, tries_for(operators)), "optimized")
        if physical and found.planned is not None and operators <= SMALL:
            logical = found.read.get("physical") or found.read["optimized"]

            def second(c: OptimizerConfig) -> int:
                again = attempt([], lambda: self._planned(logical, logical.plan, sizes, c))
                return 1 << 20 if again is None else self.form.distance(again[1])

            tried = [c for c in planner_changes(config) if c.key not in given]
            made += as_settings(*smallest_change(config, tried, second, physical, tries_for(operators)), "physical")
        if not made:
            return best
        again = self._as(config.with_settings({s.key: s.value for s in made}))
        if sum(again[0]) >= optimized + physical:
            return best
        again[1].settings += made
        return again

    def _as(self, config: OptimizerConfig, best: Scored | None = None) -> Scored:
        """How far the plans are from those of the text under these settings, and what was made; only as much of it as
        tells that it is no nearer than the `best` so far."""
        ansi = config.flag(ANSI)
        if ansi not in self.readings:
            self._read(ansi)
            other = self.readings.get(not ansi)
            alike = other is not None and _alike(other, self.made.read)
            self.readings[ansi] = dict(other if other is not None and alike else self.made.read)
        self.made.read = dict(self.readings[ansi])
        return self._tried(config, best)

    def _may_not_broadcast(self, fitted: Fitted) -> bool:
        """Whether the text has runtime filters that no sizes explain, and no join that broadcasts a side."""
        physical = self._physical()
        if physical is None or THRESHOLD in self.made.given.settings:
            return False
        filters = any(o.startswith("runtime filter") for o in fitted.open)
        return filters and not any(n.op == "BroadcastHashJoin" for n in physical)

    def _threshold(self, fitting: Fitting) -> Setting | None:
        """The threshold of broadcasts that the text's joins imply, where its sizes are told and the usual one is not
        consistent with them."""
        physical = self._physical()
        ran = (
            physical is not None and physical.stage != "initial" and any(n.op.endswith("QueryStage") for n in physical)
        )
        now = int(fitting.config.number(THRESHOLD))
        if THRESHOLD in self.made.given.settings or ran or not fitting.told:
            return None
        largest, smallest = fitting.bounds()
        if now < largest < smallest:
            words = f"a side of {size_text(largest)} was broadcast: the threshold was at least that"
            return Setting(THRESHOLD, largest, words)
        if largest < smallest <= now:
            words = f"a side of {size_text(smallest)} was not broadcast: the threshold was below that"
            off = ", or broadcasting was off" if largest < 0 else ""
            return Setting(THRESHOLD, -1 if largest < 0 else smallest - 1, words + off)
        return None

    def _read(self, ansi: bool) -> None:
        known: dict[str, int] = {}
        # What the optimized plan tells of types is as true of the analyzed one.
        for stage in ("analyzed", "optimized", "analyzed"):
            if stage in self.graphs and len(self.graphs[stage]) and known.get(stage) != len(self.columns.by_id):
                self.made.read[stage] = read_plan(self.graphs[stage], self.columns, ansi)
                known[stage] = len(self.columns.by_id)
        graph = self._physical()
        read = self.made.read.get("optimized")
        if (read is None or unplannable(read.plan)) and graph is not None and len(graph):
            others = [p for p in self.plans if p.stage in ("physical", "initial") and p is not graph]
            try:
                lifted = lifted_plan(graph, others, self.columns, ansi, self.first_id)
                self.made.read["physical"] = lifted
                self.first_id = self.made.first_id = max(self.first_id, lifted.first_id)
            except (PlanvizError, TypeError, ValueError, LookupError, AttributeError, AssertionError):
                self.made.failures += ["The physical plan could not be read back to a logical one."]
        self.made.names = relation_names((r.plan for r in self.made.read.values()), self.graphs.values())

    def _instead(self) -> set[str]:
        """The stages for which another plan of the text stands, which tells enough."""
        return {"physical", "initial"} if self._physical() is not None else set()

    def _physical(self) -> PlanGraph | None:
        """The physical plan as it was planned: an adaptive one before it ran."""
        return self.graphs.get("initial") or self.graphs.get("physical")

    def _tried(self, config: OptimizerConfig, best: Scored | None = None) -> Scored:
        """How far the plans are from those of the text under these settings, and what was made."""
        found = Tried(config, self.made.read, config)
        analyzed = self.made.read.get("analyzed")
        optimized = self.made.read.get("optimized")
        logical = self.made.read.get("physical") or optimized
        sizes: dict[str, int] = {}
        fitted: Fitted | None = None
        if logical is not None:
            if optimized is not None:
                self.made.told = sizes_told(self.graphs["optimized"])
                self.made.told_rows = row_counts_told(self.graphs["optimized"])
            read = logical
            made = self.fits.of(read.plan, self.first_id, config, lambda c: self._fit(read, c))
            fitted, found.settings = made.fitted, list(made.settings)
            found.failures += made.failures
            config = found.config = config.with_settings({s.key: s.value for s in made.settings})
            if fitted is not None:
                found.fitted, sizes = fitted, fitted.sizes
        score = [0, 0]
        if analyzed is not None and optimized is not None:
            start = found.start = self._with_caches(analyzed.plan, optimized.plan, sizes, config)
            again = attempt(found.failures, lambda: self._optimized(start, sizes, config))
            if again is not None:
                found.optimized, found.trace = again.plan, again.trace
                found.stepped_as = again.profile
                found.texts["optimized"] = again.plan.tree_string
                score[0] = distance(self._text("optimized"), found.texts["optimized"])
                if score[0] and NOW not in self.made.given.settings and reads_the_clock(self._text("analyzed")):
                    score[0] = self._timed(found, start, score[0], sizes)
                    config = found.config
            else:
                score[0] = 1 << 20
            if score[0] and optimized.plan.bits & Join.BIT:
                score[0] = self._ordered(found, start, score[0], sizes, config)
            if best is not None and (score[0], 0) >= best[0]:
                return (score[0], 0), found
            if logical is optimized and not score[0] and found.optimized is not None:
                logical = with_shared_functions(optimized, found.optimized)
                found.read = found.read | {"optimized": logical}
        if logical is not None and self._physical() is not None:
            names = unplannable(logical.plan)
            if names:
                found.failures.append(
                    f"The optimized plan is not planned again: what {', '.join(names)} does is not known here."
                )
                score[1] = 1 << 20
            else:
                score[1] = self._physically(found, logical, sizes, config, fitted)
        return (score[0], score[1]), found

    def _fit(self, logical: ReadPlan, config: OptimizerConfig) -> _Fit:
        """The sizes that the decisions are consistent with, and the settings that they tell."""
        made = _Fit()
        said = {key: self.made.given.size_of(name) for key, name in self.made.names.items()}
        told = self.made.told | {key: size for key, size in said.items() if size is not None}
        joins = logical.joins or joins_in(self._physical())
        fitting = Fitting(logical.plan, joins, config, self.columns, told)
        fitting.take(logical)
        threshold = attempt(made.failures, lambda: self._threshold(fitting))
        if threshold is not None:
            made.settings = [threshold]
            config = fitting.config = config.with_settings({THRESHOLD: threshold.value})
        made.fitted = attempt(made.failures, fitting.search)
        if made.fitted is not None and self._may_not_broadcast(made.fitted):
            again = Fitting(logical.plan, joins, config.with_settings({THRESHOLD: -1}), self.columns, told)
            again.take(logical)
            better = attempt(made.failures, again.search)
            if better is not None and not better.open:
                words = "a runtime filter was built of a side that would have been broadcast: broadcasting was off"
                made.settings.append(Setting(THRESHOLD, -1, words))
                made.fitted = better
        return made

    def _timed(self, found: Tried, start: LogicalPlan, before: int, sizes: dict[str, int]) -> int:
        """The optimized plan of the instant that the text's constants tell, where that is nearer; how near it is."""
        theirs = self._text("optimized")
        now = moved_now(theirs, found.texts["optimized"], found.config)
        config = found.config.with_settings({NOW: now or ""})
        again = attempt([], lambda: self._optimized(start, sizes, config)) if now is not None else None
        after = before if again is None else distance(theirs, again.plan.tree_string)
        if again is None or after >= before:
            return before
        found.config, found.optimized, found.trace = config, again.plan, again.trace
        found.stepped_as = again.profile
        found.texts["optimized"] = again.plan.tree_string
        found.settings.append(
            Setting(NOW, now, "the constants of the optimized plan tell the instant that it calls now")
        )
        return after

    def _with_caches(
        self, analyzed: LogicalPlan, optimized: LogicalPlan, sizes: dict[str, int], config: OptimizerConfig
    ) -> LogicalPlan:
        """The analyzed plan with what the optimized one reads from caches."""
        theirs = self._text("optimized")

        def far(start: LogicalPlan) -> int:
            again = attempt([], lambda: self._optimized(start, sizes, config))
            return 1 << 20 if again is None else distance(theirs, again.plan.tree_string)

        return with_caches(analyzed, optimized, far)

    def _ordered(
        self, found: Tried, analyzed: LogicalPlan, before: int, sizes: dict[str, int], config: OptimizerConfig
    ) -> int:
        """The optimized plan with the order of its joins taken from the text, where that is nearer; how near it is.

        Costs take rows and distinct values, which a text without statistics does not say.
        """
        costs = config.with_settings(dict.fromkeys(COST_BASED, True))
        again = attempt([], lambda: self._optimized(analyzed, sizes, costs, self.made.read["optimized"].plan))
        after = before if again is None else distance(self._text("optimized"), again.plan.tree_string)
        if again is None or after >= before:
            return before
        found.optimized, found.trace, found.taken = again.plan, again.trace, again.taken
        found.stepped_as = again.profile
        found.texts["optimized"] = again.plan.tree_string
        words = "the order of the joins, or the rows that a runtime filter expects, come from costs"
        found.settings += [Setting(key, True, words) for key in COST_BASED]
        return after

    def _physically(
        self, found: Tried, logical: ReadPlan, sizes: dict[str, int], config: OptimizerConfig, fitted: Fitted | None
    ) -> int:
        """The physical plan, with the joins that no sizes explain as the text has them, where that is nearer; how near
        it is."""
        plan, words = with_choices(logical.plan, fitted.joins) if fitted is not None else (logical.plan, [])
        chosen = attempt([], lambda: self._planned(logical, plan, sizes, config)) if words else None
        far = 1 << 20 if chosen is None else self.form.distance(chosen[1])
        # A join that comes out otherwise than printed keeps the plan without choices from being the text's.
        if chosen is None or far:
            planned = attempt(found.failures, lambda: self._planned(logical, logical.plan, sizes, config))
            before = 1 << 20 if planned is None else self.form.distance(planned[1])
            if planned is not None:
                found.planned, found.texts["physical"] = planned
            if chosen is None or far >= before:
                return before
        found.planned, found.texts["physical"] = chosen
        found.taken = [*found.taken, *words]
        return far

    def _optimized(
        self, plan: LogicalPlan, sizes: dict[str, int], config: OptimizerConfig, ordered: LogicalPlan | None = None
    ) -> _Optimized:
        """The plan optimized; with the order of joins of `ordered`, and the rows that it tells, where that is given."""

        def make(config: OptimizerConfig) -> _Optimized:
            trace, rows = Trace(), None if ordered is None else rows_told(ordered)
            start = plan
            if not config.behaviour.ordered_functions_are_deterministic:
                mask = FirstLast.BIT | AggregateCall.BIT
                start = plan.transform_with_subqueries(lambda p: p.transform_expressions_up(undetermined, mask))
            order = None if ordered is None else PrintedOrder(ordered)
            with ids_from(Ids(self.first_id)):
                context = OptimizerContext(config, join_order=order)
                made = Optimizer(config, context).optimize(with_tables(start, sizes, self.columns, rows), trace)
            return _Optimized(made, trace, [] if order is None else order.used, config.profile)

        return self.optimizations.of(plan, (self.first_id, sizes, ordered is not None), config, make)

    def _planned(
        self, read: ReadPlan, plan: LogicalPlan, sizes: dict[str, int], config: OptimizerConfig
    ) -> tuple[PhysicalPlan, str]:
        """The plan planned again, and its text in the form of the text; `read` has the same operators."""

        def make(config: OptimizerConfig) -> tuple[PhysicalPlan, str]:
            with ids_from(Ids(self.first_id)):
                over = named(with_tables(plan, sizes, self.columns), self.columns)
                made = plan_query(with_estimates(read, over), config)
                return made, self.form.of(made.executed)

        return self.plannings.of(plan, (self.first_id, sizes), config, make)

    def _text(self, stage: str) -> str:
        """A stage as Spark printed it."""
        return self.form.text if stage == "physical" else printed(self.graphs[stage])

    def _keep(self, found: Tried) -> None:
        if found.stepped_as not in ("", found.config.profile):
            # The same plan; but the rules that are listed are those of another version.
            self.optimizations, settings = _optimizations(), found.settings
            found = self._tried(found.under)[1]
            found.settings = settings
        made = self.made
        made.config, made.read = found.config, found.read
        made.fitted, made.failures = found.fitted, [*made.failures, *found.failures]
        made.settings += found.settings
        made.taken = found.taken
        made.optimized, made.planned = found.optimized, found.planned
        made.start = found.start
        made.trace = found.trace or made.trace
        for stage in ("analyzed", "optimized"):
            if stage in made.read and stage not in found.texts:
                made.texts[stage] = made.read[stage].text
        if "physical" in made.read and "optimized" not in made.read:
            # The plan that was lifted is what the optimizer must have given.
            made.optimized, made.texts["optimized"] = made.read["physical"].plan, made.read["physical"].text
        for stage in ("optimized", "physical"):
            ours = found.texts.get(stage)
            if ours is None:
                continue
            theirs = self._text(stage)
            made.texts[stage] = ours
            made.verdicts[stage] = self.form.verdict(ours) if stage == "physical" else verdict(theirs, ours)
            if stage == "optimized" and made.verdicts[stage] == "differs" and self._lacks_its_root():
                made.verdicts[stage] = "absent"
                made.failures.append(
                    "The analyzed plan lacks its beginning, so that the optimized one cannot be planned from it."
                )
                continue
            if self.form.ends_early(ours) if stage == "physical" else ends_early(theirs, ours):
                made.failures.append(f"The text of the {stage} plan ends early: it is compared as far as it goes.")
            if made.verdicts[stage] != "equal":
                made.differences[stage] = (
                    self.form.differences(ours) if stage == "physical" else differences(theirs, ours)
                )

    def _lacks_its_root(self) -> bool:
        """Whether the analyzed plan does not give what the optimized one does: its first lines were not copied."""
        if self.columns.shortened:
            return False  # nobody knows what else it gives
        analyzed, optimized = self.made.read["analyzed"].plan, self.made.read["optimized"].plan
        given = {a.expr_id for a in analyzed.output}
        return not all(a.expr_id in given for a in optimized.output)


def _optimizations() -> Remembered[_Optimized]:
    """What remembers optimized plans."""
    return Remembered(lambda made, before, now: same_batches(made.trace, before, now))


def _alike(one: dict[str, ReadPlan], other: dict[str, ReadPlan]) -> bool:
    """Whether two readings of a text gave the same, estimates, which count by operator, aside."""
    if one.keys() != other.keys() or any(r.estimates for r in (*one.values(), *other.values())):
        return False
    return all(a == other[stage] for stage, a in one.items())


def unplannable(plan: LogicalPlan) -> list[str]:
    """The names of the operators that no planner knows, each once."""
    opaque = (n for n in plan.walk() if isinstance(n, OpaqueOperator) and not n.physical)
    return list(dict.fromkeys(n.node_name.split("[")[0] for n in opaque))
