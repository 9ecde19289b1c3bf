"""Texts whose equality is not that of their bytes, in join conditions."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.collations import CollationKey
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.predicates import EqualNullSafe, EqualTo, IsNull
from planviz.functions.builders.lambdas import BUILDERS
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.types import STRING, ArrayType, StructType, is_collated, is_string
from planviz.types.collations import COLLATED


class RewriteCollationJoin(OptimizerRule[Join]):
    """Compare the collated columns of a join by bytes that are the same for equal texts.

    Join(l, r, l.a = r.a)  =>  Join(l, r, collationkey(l.a) = collationkey(r.a))

    Pays because such keys can be hashed: without it `ON l.a = r.a` under UTF8_LCASE would need sorted rows. Wrong for
    maps, which cannot be compared at all; only columns are rewritten.
    """

    matches = (Join,)
    since = "spark-4.0"
    package = "org.apache.spark.sql.catalyst.analysis."
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return super().apply(plan) if COLLATED else plan

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        if not isinstance(node, Join) or node.condition is None:
            return node
        condition = node.condition.transform_down(_by_keys, EqualTo.BIT | EqualNullSafe.BIT)
        return node if condition is node.condition else node.replace(condition=condition)


def _by_keys(e: Expression) -> Expression:
    if not isinstance(e, EqualTo | EqualNullSafe):
        return e
    if not isinstance(e.left, AttributeReference) or not isinstance(e.right, AttributeReference):
        return e
    left, right = _key(e.left), _key(e.right)
    return e if left is e.left and right is e.right else e.replace(left=left, right=right)


def _key(e: Expression) -> Expression:
    """What is the same for equal values: itself where they have the same bytes."""
    t = e.data_type
    if not is_collated(t):
        return e
    if is_string(t):
        return CollationKey(e)
    if isinstance(t, StructType):
        parts: list[Expression] = []
        for i, f in enumerate(t.fields):
            parts += [Literal(f.name, STRING), _key(GetStructField(e, i))]
        struct = CreateNamedStruct(tuple(parts))
        return If(IsNull(e), Literal(None, struct.data_type), struct) if e.nullable else struct
    if isinstance(t, ArrayType):
        mapped = BUILDERS["transform"][2]
        item = NamedLambdaVariable("a", t.element, t.contains_null, next_id())
        return mapped((e, LambdaFunction(_key(item), (item,))))
    return e
