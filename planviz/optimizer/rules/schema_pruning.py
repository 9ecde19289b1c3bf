"""Files of nested columns: of a struct only the fields that count are read."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.complex import GetArrayStructFields, GetStructField
from planviz.expressions.predicates import conjunction
from planviz.logical.operators import Filter, Project, Subquery
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.lineage import partition_ids
from planviz.optimizer.nested_fields import read_types
from planviz.optimizer.scan_operation import ALWAYS_INLINE, physical_operation

#: Whether the rule is on.
NESTED_SCHEMAS = "spark.sql.optimizer.nestedSchemaPruning.enabled"


def prunes_fields(relation: LogicalRelation) -> bool:
    """Whether the files of a table are read by the fields of their nested columns."""
    return relation.provider.lower() in ("parquet", "orc")


class SchemaPruning(OptimizerRule):
    """Read of the structs in Parquet and ORC files only the fields that the query takes out of them.

    Project [s.a] over Filter (p AND (q AND r)) over t  =>  Project [s.a] over Filter ((p AND q) AND r) over t(s.a)

    Pays where files keep every field in a column of its own. Projections and filters over the table become one of
    each, whose conditions stand in a row; the relation looks as before, but for its columns' types, which its scan
    shows.
    """

    matches = (GetStructField, GetArrayStructFields)
    settings = (NESTED_SCHEMAS, ALWAYS_INLINE)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) and plan.correlated:
            return plan
        if not self.context.on(NESTED_SCHEMAS):
            return self.refuse(plan, "a setting switches it off", setting=NESTED_SCHEMAS)
        return plan.transform_down(self._step, self.mask, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Project | Filter):
            return plan
        found = physical_operation(plan, self.context)
        if found is None or found.all_filters is None or not prunes_fields(found.relation):
            return plan
        filters = found.all_filters
        by_partition = partition_ids(found.relation)
        columns = [a for a in found.relation.output if a.expr_id not in by_partition]
        transforms = self.context.config.behaviour.transforms_prune_fields
        types = read_types(columns, (*found.projects, *filters), transforms)
        if not types or all(a.type == t for a, t in zip(columns, types, strict=True)):
            return plan
        left = {a.expr_id: t for a, t in zip(columns, types, strict=True)}
        read = tuple(left.get(a.expr_id, a.type) for a in found.relation.output)
        # Estimates go by what is left; expressions keep the whole types, of which the scan takes the parts once more.
        relation = found.relation.replace(read_types=read)
        below = Filter(conjunction(filters), relation) if filters else relation
        return Project(found.projects, below)
