"""Functions that Spark cannot see into, generated code that breaks off, rows made of arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import LOOSE, PlanView, count, ids, listed, short
from planviz.graph.differences import conjuncts
from planviz.graph.node import PlanNode
from planviz.units import exact

_ROW_BY_ROW = frozenset({"BatchEvalPython", "BatchEvalPythonUDTF"})
_IN_BATCHES = frozenset(
    {"ArrowEvalPython", "ArrowEvalPythonUDTF", "MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas",
     "FlatMapGroupsInArrow", "FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow", "AggregateInPandas",
     "ArrowAggregatePython", "WindowInPandas", "ArrowWindowPython"}
)  # fmt: skip
_TYPED = frozenset({"MapElements", "MapPartitions", "MapGroups", "FlatMapGroups", "CoGroup", "AppendColumns"})
#: Operators for which Spark always generates code, unless an expression or the number of columns bars it.
_GENERATING = frozenset({"Project", "Filter", "HashAggregate", "BroadcastHashJoin", "Expand"})
_FALLBACKS = re.compile(
    r"\b(from_json|jsontostructs|from_csv|csvtostructs|schema_of_json|schema_of_csv|xpath\w*|json_tuple|"
    r"lambdafunction|transform|aggregate|zip_with|map_filter|transform_keys|transform_values|HiveSimpleUDF|"
    r"HiveGenericUDF|inline|java_method|reflect|sentences|str_to_map|parse_url|histogram_numeric)\(",
    re.IGNORECASE,
)
#: A user's function: Spark calls one without a name UDF, and tests for null what is given to one of primitive values.
_OPAQUE = re.compile(r"\b(UDF|Hive(?:Simple|Generic)UDF#[\w.]{1,200})\(|\belse (\w{1,200})\(knownnotnull\(")
#: Columns from which on no code is generated (`spark.sql.codegen.maxFields`).
MOST_FIELDS = 100


def _names(node: PlanNode) -> list[str]:
    """The functions of a Python operator by name."""
    texts = [f["text"] for f in node.arguments.get("functions") or () if isinstance(f, dict)]
    texts += [str(node.arguments[key]) for key in ("function", "generator") if key in node.arguments]
    return [re.split(r"[(#]", text)[0].strip() for text in texts]


def _amount(plan: PlanView, node: PlanNode) -> tuple[str, Stake | None]:
    inputs = plan.inputs(node)
    rows = plan.rows(inputs[0]) if inputs else None
    if rows is None:
        return "", None
    return f", for {count(rows[0], 'row')}", Stake(rows[0], "rows", rows[1])


class PythonRowByRow(Check):
    """A Python function whose rows are pickled to a worker and back."""

    name = "python-row-udf"
    title = "Python function, row by row"
    severity = "warning"
    why = "Every row is pickled, sent to a Python process, computed and sent back, and generated code ends here."
    advice = "Write it with Spark's own functions; else let rows go as Arrow batches: pandas_udf, or "
    advice += "spark.sql.execution.pythonUDF.arrow.enabled (since 3.5)."
    cost = "Another function to test; Arrow's conversions of types differ a little from pickle's."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op in _ROW_BY_ROW:
                names = _names(node)
                amount, stake = _amount(plan, node)
                told = f"{node.op}: {count(len(names), 'function')} ({listed(names)}){amount}."
                setting = (
                    (("spark.sql.execution.pythonUDF.arrow.enabled", "true"),) if node.op == "BatchEvalPython" else ()
                )
                yield Hit(told, (node.id,), listed(names), stake=stake, settings=setting)


class PythonInBatches(Check):
    """A Python function that takes Arrow batches."""

    name = "python-batches"
    title = "Python function in batches"
    why = "Rows leave the JVM as Arrow batches and come back; Spark cannot look into the function nor "
    why += "push anything past it."
    advice = "Filter and select columns before it; replace it where Spark has a function of its own."
    cost = "None for filtering first."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op in _IN_BATCHES:
                names = _names(node)
                amount, stake = _amount(plan, node)
                told = f"{node.op}: {count(max(1, len(names)), 'function')} ({listed(names) or 'unnamed'}){amount}."
                yield Hit(told, (node.id,), f"{node.op} {listed(names)}", stake=stake)


class OpaqueFunction(Check):
    """A Scala, Java or Hive function of the user's in a condition or a list of columns."""

    name = "opaque-function"
    title = "Function that Spark cannot see into"
    why = (
        "No condition over it is pushed to a scan or used to prune, its values are converted there and back, and it is "
    )
    why += "computed wherever it is written, more than once if need be."
    advice = "Write it with Spark's own functions or as an SQL function, which are planned like any expression."
    cost = "Another expression to test."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        found: dict[str, list[PlanNode]] = {}
        for node in plan.nodes:
            if node.kind in ("filter", "project", "join", "aggregate", "generate") and node.op not in _IN_BATCHES:
                for name in dict.fromkeys(one[1] or one[2] for one in _OPAQUE.finditer(node.text)):
                    found.setdefault(name, []).append(node)
        for name, nodes in found.items():
            filters = sum(node.kind == "filter" for node in nodes)
            told = f"{count(len(nodes), 'operator')} ({listed(node.op for node in nodes)}) with {name}()."
            if filters:
                told += f" No scan gets {count(filters, 'filter')} of them."
            yield Hit(told, tuple(node.id for node in nodes), cause=name)


class TypedLambda(Check):
    """A Scala or Java function over objects of a typed Dataset."""

    name = "typed-lambda"
    title = "Function over objects"
    why = "Each row becomes an object and a row again; Spark pushes no filter and prunes no column past the function."
    advice = "Use columns and Spark's own functions in place of map, filter and groupByKey with a function."
    cost = "The types are checked when the query is planned, not when it is compiled."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        found = [n for n in plan.nodes if n.op in _TYPED]
        if found:
            objects = sum(n.op in ("DeserializeToObject", "SerializeFromObject") for n in plan.nodes)
            told = f"{count(len(found), 'operator')} ({listed(n.op for n in found)}) with a function of its own"
            yield Hit(
                f"{told}, and {count(objects, 'conversion')} between rows and objects.", tuple(n.id for n in found)
            )


class CodegenBroken(Check):
    """An operator without generated code among operators that have it, and what bars it."""

    name = "codegen-broken"
    title = "Generated code breaks off"
    why = (
        "Rows go through an operator that is interpreted one call at a time, between operators compiled into one loop."
    )
    advice = "Replace the expression by one with generated code, or keep it to as few rows as possible."
    cost = "Another expression with the same result."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op not in _GENERATING or node.codegen_stage is not None or "truncated" in node.badges:
                continue
            if node.id in plan.foreign:
                continue
            near = [up for up in [plan.parent(node), *plan.inputs(node)] if up is not None]
            if not any(n.codegen_stage is not None for n in near):
                continue
            text = node.text
            found = _FALLBACKS.search(text)
            columns = len(node.arguments.get("project_list") or ())
            if found:
                told = f"{node.op}: {found[1]}() has no generated code, "
                told += f"among {count(_generated(plan), 'operator')} that have."
                yield Hit(told, (node.id,), found[1])
            elif columns > MOST_FIELDS:
                told = f"{node.op}: {exact(columns)} columns are more than {MOST_FIELDS} (spark.sql.codegen.maxFields)."
                yield Hit(told, (node.id,), "columns")


def _generated(plan: PlanView) -> int:
    return sum(n.codegen_stage is not None for n in plan.nodes)


class ExplodeTwice(Check):
    """Two generators one above the other, the upper one over an array that the lower one did not make."""

    name = "explode-product"
    title = "Arrays exploded against each other"
    severity = "warning"
    why = "Each element of the one array is paired with each of the other: the rows are the product of the lengths."
    advice = "Explode arrays_zip of both, if elements belong together by place; else explode them in separate queries."
    cost = "Another result where the product was meant."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            lower = plan.below(node, LOOSE) if _explodes(node) else None
            if lower is None or not _explodes(lower):
                continue
            mine = ids(node.arguments.get("generator"))
            # Through a projection the names may be new ones: only what stood beneath the lower one is certain.
            older = mine and not mine & ids(lower.arguments.get("output"))
            if older and mine <= ids(" ".join(n.text for n in plan.walk(lower) if n is not lower)):
                upper, under = (short(n.arguments.get("generator"), 40) for n in (node, lower))
                yield Hit(f"2 arrays multiply each row: {under}, then {upper}.", (node.id, lower.id))


def _explodes(node: PlanNode) -> bool:
    generator = str(node.arguments.get("generator", ""))
    return node.op == "Generate" and generator.startswith(("explode(", "posexplode(", "inline("))


class ExplodeBeforeFilter(Check):
    """A filter on the elements of an array, above the generator that makes rows of all of them."""

    name = "explode-before-filter"
    title = "Array exploded, then filtered"
    why = "Every element becomes a row with all other columns before most of them may be dropped."
    advice = "Filter the array before: explode(filter(array, x -> condition))."
    cost = "A function more in the query; with explode_outer rows without elements must be kept apart."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            below = plan.input(node) if node.op == "Filter" else None
            if below is None or not _explodes(below) or "truncated" in node.badges:
                continue
            if not str(below.arguments["generator"]).startswith("explode("):
                continue  # A filtered array has other positions.
            made = ids(below.arguments.get("output"))
            parts = conjuncts(str(node.arguments.get("condition", "")))
            mine = [p for p in parts if ids(p) and ids(p) <= made and not p.startswith("isnotnull(")]
            if mine:
                told = f"{len(mine)} of {count(len(parts), 'condition')} could test elements before "
                told += f"{short(below.arguments.get('generator'), 40)}: {short(mine[0])}."
                yield Hit(told, (node.id, below.id))
