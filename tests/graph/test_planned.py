"""The plan of an adaptive query before it ran, with its subqueries as they were planned."""

from __future__ import annotations

from planviz.document.opening.text import open_text
from planviz.graph.planned import lists_once, planned

RAN = """HashAggregate(keys=[], functions=[max(v#3L)], output=[max(v)#5L])
+- ShuffleQueryStage 0
   +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=41]
      +- *(1) HashAggregate(keys=[], functions=[partial_max(v#3L)], output=[max#6L])
         +- *(1) BroadcastHashJoin [k#2L], [k#4L], Inner, BuildRight, false
            :- *(1) Range (0, 9, step=1, splits=1)
            +- BroadcastQueryStage 1
               +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=40]
                  +- *(2) Range (0, 9, step=1, splits=1)"""
BEFORE = """HashAggregate(keys=[], functions=[max(v#3L)], output=[max(v)#5L])
+- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=21]
   +- HashAggregate(keys=[], functions=[partial_max(v#3L)], output=[max#6L])
      +- SortMergeJoin [k#2L], [k#4L], Inner
         :- Range (0, 9, step=1, splits=1)
         +- Range (0, 9, step=1, splits=1)"""


def beneath(indent, text):
    first, *rest = text.split("\n")
    return "\n".join([f"{indent}{first}", *[f"{indent}{line}" for line in rest]])


def subquery(indent):
    """A subquery that has run, as it stands below an operator: its two plans behind each other."""
    plans = [
        f"{indent}+- == Final Plan ==",
        beneath(f"{indent}   ", RAN),
        f"{indent}+- == Initial Plan ==",
        beneath(f"{indent}   ", BEFORE),
    ]
    return "\n".join(plans)


EXTENDED = f"""== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(1) Filter (id#0L > Subquery subquery#1, [id=#9])
   :  +- Subquery subquery#1, [id=#9]
   :     +- AdaptiveSparkPlan isFinalPlan=true
{subquery("            ")}
   +- *(1) Range (0, 9, step=1, splits=1)
+- == Initial Plan ==
   Filter (id#0L > Subquery subquery#1, [id=#9])
   :  +- Subquery subquery#1, [id=#9]
   :     +- AdaptiveSparkPlan isFinalPlan=true
{subquery("            ")}
   +- Range (0, 9, step=1, splits=1)
"""


def test_a_subquery_inside_an_initial_plan_stands_there_as_it_was_planned():
    document = open_text(EXTENDED)
    assert [p.stage for p in document.plans] == ["physical", "initial", "initial", "initial"]

    whole = planned(document.plans)

    assert [n.op for n in whole.walk()] == [
        *("Filter", "Subquery", "AdaptiveSparkPlan", "HashAggregate", "Exchange", "HashAggregate"),
        *("SortMergeJoin", "Range", "Range", "Range"),
    ]
    assert [n.depth for n in whole] == [0, 1, 2, 3, 4, 5, 6, 7, 7, 1]
    assert whole.edge_type(0, 1) == "subquery"
    assert all(whole[c].parent == n.id for n in whole for c in whole.children(n.id))


def test_without_an_initial_plan_there_is_none():
    assert planned(open_text("== Physical Plan ==\n*(1) Range (0, 9, step=1, splits=1)\n").plans) is None


FORMATTED = """== Physical Plan ==
AdaptiveSparkPlan (6)
+- == Final Plan ==
   * Filter (2)
   +- * Range (1)
+- == Initial Plan ==
   Filter (4)
   +- Range (1)


(1) Range [codegen id : 1]
Output [1]: [id#0L]
Arguments: Range (0, 9, step=1, splits=Some(2))

(2) Filter [codegen id : 1]
Input [1]: [id#0L]
Condition : (id#0L > Subquery subquery#1, [id=#9])

(4) Filter
Input [1]: [id#0L]
Condition : (id#0L > Subquery subquery#1, [id=#9])

(6) AdaptiveSparkPlan
Output [1]: [id#0L]
Arguments: isFinalPlan=true

===== Subqueries =====

Subquery:1 Hosting operator id = 2 Hosting Expression = Subquery subquery#1, [id=#9]
AdaptiveSparkPlan (14)
+- == Final Plan ==
   * HashAggregate (10)
   +- ShuffleQueryStage (9), Statistics(sizeInBytes=16.0 B, rowCount=1)
      +- Exchange (8)
         +- * HashAggregate (7)
            +- * Range (5)
+- == Initial Plan ==
   HashAggregate (13)
   +- Exchange (12)
      +- HashAggregate (11)
         +- Range (5)


(5) Range [codegen id : 1]
Output [1]: [id#2L]
Arguments: Range (0, 9, step=1, splits=Some(2))

(7) HashAggregate [codegen id : 1]
Input [1]: [id#2L]
Keys: []
Functions [1]: [partial_max(id#2L)]
Aggregate Attributes [1]: [max#6L]
Results [1]: [max#7L]

(8) Exchange
Input [1]: [max#7L]
Arguments: SinglePartition, ENSURE_REQUIREMENTS, [plan_id=41]

(9) ShuffleQueryStage
Output [1]: [max#7L]
Arguments: 0

(10) HashAggregate [codegen id : 2]
Input [1]: [max#7L]
Keys: []
Functions [1]: [max(id#2L)]
Aggregate Attributes [1]: [max(id#2L)#5L]
Results [1]: [max(id#2L)#5L AS max(id)#3L]

(11) HashAggregate
Input [1]: [id#2L]
Keys: []
Functions [1]: [partial_max(id#2L)]
Aggregate Attributes [1]: [max#6L]
Results [1]: [max#7L]

(12) Exchange
Input [1]: [max#7L]
Arguments: SinglePartition, ENSURE_REQUIREMENTS, [plan_id=21]

(13) HashAggregate
Input [1]: [max#7L]
Keys: []
Functions [1]: [max(id#2L)]
Aggregate Attributes [1]: [max(id#2L)#5L]
Results [1]: [max(id#2L)#5L AS max(id)#3L]

(14) AdaptiveSparkPlan
Output [1]: [max(id)#3L]
Arguments: isFinalPlan=true

"""


def test_the_formatted_mode_has_a_subquery_beside_the_plan_that_ran_and_it_stands_where_it_is_asked():
    whole = planned(open_text(FORMATTED).plans)
    assert [n.op for n in whole.walk()] == ["Filter", "HashAggregate", "Exchange", "HashAggregate", "Range", "Range"]
    assert whole.links()[0].type == "subquery"


def test_a_bloom_filter_s_subquery_that_is_listed_twice_counts_twice():
    scan = "(1) Range\nOutput [1]: [id#0L]\nArguments: Range (0, 9, step=1, splits=Some(2))\n"
    asked = "might_contain(Subquery subquery#1, [id=#9], xxhash64(id#0L, 42))"
    filters = "".join(f"\n({n}) Filter\nInput [1]: [id#0L]\nCondition : {asked}\n" for n in (2, 3))
    once = "== Physical Plan ==\nFilter (3)\n+- Filter (2)\n   +- Range (1)\n\n\n" + scan + filters
    subquery = "\n===== Subqueries =====\n" + "".join(
        f"\nSubquery:{n} Hosting operator id = {host} Hosting Expression = Subquery subquery#1, [id=#9]\nRange (4)\n"
        for n, host in enumerate((3, 2), 1)
    )
    (twice,) = open_text(once + subquery).plans
    assert [link.type for link in twice.links()] == ["bloom", "bloom"]
    assert not lists_once(twice)
