"""The rules, by family; `planviz.optimizer.batches` has their order.

aggregates            DecimalAggregates                           Sum and average of short decimals on their digits as integers.
aggregates            EliminateAggregateFilter                    A FILTER that is always true goes; one that never is leaves what no rows give.
aggregates            EliminateDistinct                           DISTINCT in an aggregate that repeats do not change.
aggregates            RemoveLiteralFromGroupExpressions           Keys that are the same for every row go.
aggregates            RemoveRepetitionFromGroupExpressions        A key that is there already goes.
aggregates            ReplaceDistinctWithAggregate                DISTINCT is a grouping by all columns.
aggregates            RewriteDistinctAggregates                   Several DISTINCT column sets: every row once per set, then two plain aggregates.
boolean               BooleanSimplification                       Shorten logic: constants, repeated and contradicting operands, common factors, NOT moved inwards.
boolean               ReplaceNullWithFalseInPredicate             A null where only true counts is false.
boolean               SimplifyBinaryComparison                    Comparisons of a value with itself, and with true and false.
casts                 SimplifyCasts                               Remove casts to the type that is there, the inner one of two widening casts, and widening casts tested for null.
casts                 UnwrapCastInBinaryComparison                Compare the column itself instead of its cast with a constant.
collations            RewriteCollationJoin                        Compare the collated columns of a join by bytes that are the same for equal texts.
conditionals          LikeSimplification                          Patterns with % only at their ends are plain text searches.
conditionals          PushFoldableIntoBranches                    Compute with a constant inside the branches when all but one of them are constants.
conditionals          SimplifyCaseConversionExpressions           Of two nested case conversions the outer one wins.
conditionals          SimplifyConditionals                        Take the branches out of CASE and IF that can never, or always, be taken.
conditionals          SimplifyExtractValueOps                     Take a part of what is just being put together.
constants             CombineConcats                              Flatten concat in concat.
constants             ConstantFolding                             Compute expressions of constants.
constants             ConstantPropagation                         Use what an equality with a constant says in the rest of a conjunction.
constants             FoldablePropagation                         Put a constant in the place of the attribute that names it.
constants             NullDownPropagation                         Ask of the operand what is asked of an expression that is null just when the operand is.
constants             NullPropagation                             Say what null makes of an expression.
constants             OptimizeIn                                  Repeated values of a list go; a single one is an equality; a long list of constants is a set.
constants             OptimizeRand                                Compare rand() with a constant outside of its range at once.
constants             ReorderAssociativeOperator                  Gather the constants of a sum or product of integers.
conversions           OptimizeCsvJsonExprs                        Of JSON or CSV text only the fields that are read.
conversions           SimplifyDateTimeConversions                 Writing and reading by one format, there and back again.
cte                   InlineCTE                                   Write a common table expression out where it is used.
cte                   ReplaceCTERefWithRepartition                A common table expression that was kept is computed once and shuffled, so that its uses can share the result.
cte                   UpdateCTERelationStats                      Tell every use of a common table expression how large the definition is.
cte_pushdown          CleanUpTempCTEInfo                          Forget what was noted about common table expressions while predicates were pushed into them.
cte_pushdown          PushdownPredicatesAndPruneColumnsForCTEDef  Compute of a shared common table expression only the rows and columns that its uses read.
earlier               CombineLimits                               Of two adjacent limits the lesser counts (since 3.1 a part of EliminateLimits).
earlier               FinishSubqueries                            Finish the analysis of subqueries' plans, which 3.0's Finish Analysis left to the subqueries' own optimization.
earlier               GetCurrentDatabase                          Put in the name of the current database (ReplaceCurrentLike since 3.1).
earlier               OptimizeLimitZero                           A limit of 0 is no rows (since 3.1 a part of EliminateLimits).
earlier               RemoveDispensableExpressions                Drop a plus sign.
filters               InferFiltersFromConstraints                 Write down what a filter or a join condition implies.
filters               InferFiltersFromGenerate                    An explode gives no row for null and empty input, so a filter below may say so.
filters               PruneFilters                                Remove filters that are always true, empty the plan under one that never is, drop what the child guarantees.
finish_analysis       ComputeCurrentTime                          Fix the instant and the day that the query calls now.
finish_analysis       EliminatePipeOperators                      Drop the marks of SQL pipes.
finish_analysis       EliminateResolvedHint                       Move join hints from the relations into the joins above them.
finish_analysis       EliminateSQLFunctionNode                    Drop the marks of SQL functions that give tables.
finish_analysis       EliminateSubqueryAliases                    Drop the names of relations.
finish_analysis       EliminateView                               Drop the marks of views.
finish_analysis       EvalInlineTables                            Make rows of VALUES that ask for the moment or the user.
finish_analysis       FinishAnalysis                              Run the rules that finish analysis once, then on the plan of every subquery.
finish_analysis       PullOutGroupingExpressions                  Compute a grouping expression once below the aggregate.
finish_analysis       ReplaceCurrentLike                          Put in the names of the current catalogue, database and user.
finish_analysis       ReplaceExpressions                          Put in what a function stands for.
floats                NormalizeFloatingNumbers                    Floating keys of joins and windows get one NaN and one zero.
join_reorder          CostBasedJoinReorder                        Join first what leaves the fewest rows and bytes.
joins                 CheckCartesianProducts                      Refuse a product that nobody asked for, when products are switched off.
joins                 EliminateOuterJoin                          An outer join whose null rows a filter removes anyway is a smaller kind of join.
joins                 OptimizeJoinCondition                       Write a null-safe comparison as one.
joins                 PushDownJoinThroughUnion                    Join the inputs of a union one by one.
joins                 ReorderJoin                                 Put inner joins in an order in which each has a condition.
limits                CollapseRepartition                         Of two repartitions that follow each other the upper one counts.
limits                EliminateLimits                             A limit of 0 is no rows; a limit that the child keeps anyway goes; of two limits the lesser counts.
limits                EliminateOffsets                            An offset of 0 goes; one beyond the last row leaves nothing; two are one.
limits                EliminateSorts                              Sorts that nobody can see.
limits                LimitPushDown                               Cut off early where the rest cannot be needed.
limits                LimitPushDownThroughWindow                  Rank only the first rows when only those are wanted and ranks depend on earlier rows alone.
limits                OptimizeRepartition                         Repartitioning by constants needs one partition.
limits                RemoveRedundantSorts                        A sort of what is sorted that way already.
maps                  InsertMapSortExpression                     Sort the entries of a map that rows are grouped or spread by.
merging               MergeScalarSubqueries                       Compute scalar subqueries that read the same rows together, once (Spark 3.3 to 4.1; MergeSubplans since 4.2).
merging               MergeSubplans                               Compute plans that give one row and read the same rows together, once.
nearest               RewriteNearestByJoin                        Join every row with all of the other side, and keep the best of them.
nested_aggregates     CollapseGroupedSumOfCount                   Counts of finer groups that are only added up again.
nested_aggregates     OptimizeExpand                              Repeated rows go before every row is written out once per DISTINCT.
nested_aggregates     RemoveRedundantAggregates                   A grouping of what is grouped already, and one of which only the groups count.
nested_data           GenerateOptimization                        Of an exploded array of structs of which nothing is read only the smallest field is exploded.
nested_data           PullOutNestedDataOuterRefExpressions        The value that a subquery takes out of an outer map becomes a column of the outer plan.
objects               CombineTypedFilters                         Two functions that filter are one.
objects               EliminateMapObjects                         A function over an array's elements that gives each element back is the array.
objects               EliminateSerialization                      Hand objects on where they would be made into rows and at once into objects again.
objects               ObjectSerializerPruning                     Do not make columns of objects that nothing reads.
objects               ReassignLambdaVariableID                    Number the variables of a query from -1 down.
partition_pruning     CleanupDynamicPruningFilters                Drop pruning filters that did not arrive at a scan.
partition_pruning     PartitionPruning                            Read only the partitions whose key the filtered side of the join has.
partition_pruning     PruneFileSourcePartitions                   Read of a table in files only the partitions that a filter leaves; from here on they alone are estimated.
predicate_subqueries  RewritePredicateSubquery                    IN and EXISTS over a query become joins.
projections           CollapseProject                             Merge a projection into the projection or aggregate below it.
projections           ColumnPruning                               Remove columns that nothing above reads; a projection is put where a child gives too many.
projections           PushProjectionThroughLimitAndOffset         Project before rows are cut off.
projections           PushProjectionThroughUnion                  Project before the inputs are put together.
projections           RemoveNoopOperators                         Remove a projection that changes nothing and a window without functions.
projections           RemoveRedundantAliases                      Remove an alias that only gives an attribute its own name.
pushdown              CombineFilters                              Merge two adjacent filters into one.
pushdown              PushDownPredicates                          Push filters as far as they go in one walk, merging them and passing joins.
pushdown              PushExtraPredicateThroughJoin               Push what an OR over both sides implies for each side.
pushdown              PushPredicateThroughJoin                    Move predicates over a join, or in its condition, to the side that they read.
pushdown              PushPredicateThroughNonJoin                 Move a filter below the operator under it.
python_udfs           ExtractGroupingPythonUDFFromAggregate       A Python function that is a key is computed below the aggregate.
python_udfs           ExtractPythonUDFFromAggregate               A Python function of what an aggregate gives is computed above it.
python_udfs           ExtractPythonUDFFromJoinCondition           A Python function of columns of both sides is no join condition: a filter above the join asks it.
python_udfs           ExtractPythonUDFs                           Python functions are computed below the operator that uses them, equal calls once.
python_udfs           ExtractPythonUDTFs                          A class written in Python that gives rows has an operator of its own.
relations             ConvertToLocalRelation                      Compute projections, filters and limits over known rows while planning.
relations             OptimizeOneRowPlan                          Over at most one row nothing has to be sorted, limited or grouped.
relations             PropagateEmptyRelation                      No rows in, no rows out, as far as the operator is of that kind.
relations             UpdateAttributeNullability                  Attributes may be null just when the child's column may.
runtime_filters       InjectRuntimeFilter                         Build a Bloom filter of the small side's keys and test the big side with it before the join.
schema_pruning        SchemaPruning                               Read of the structs in Parquet and ORC files only the fields that the query takes out of them.
semi_anti             PushDownLeftSemiAntiJoin                    Move a semi or anti join below the operator on its left.
semi_anti             PushLeftSemiLeftAntiThroughJoin             Move a semi or anti join below the join on its left, to the side that it reads.
sets                  CombineUnions                               A union of unions is one union.
sets                  RemoveNoopUnion                             A distinct union of equal inputs is a distinct of one.
sets                  ReplaceDeduplicateWithAggregate             dropDuplicates(keys) keeps the first row of each key.
sets                  ReplaceExceptWithAntiJoin                   EXCEPT is a distinct anti join over all columns.
sets                  ReplaceExceptWithFilter                     EXCEPT of two selections of the same rows is one selection.
sets                  ReplaceIntersectWithSemiJoin                INTERSECT is a distinct semi join over all columns.
sets                  RewriteExceptAll                            EXCEPT ALL by counting: 1 for rows of the left, -1 for rows of the right.
sets                  RewriteIntersectAll                         INTERSECT ALL by counting on both sides and taking the lesser count.
subqueries            OptimizeOneRowRelationSubquery              A subquery without FROM is its expressions: a scalar one its value, a lateral one a projection or generator.
subqueries            OptimizeSubqueries                          Run the whole optimizer on the plan of every subquery; a sort at its top goes.
subqueries            PullupCorrelatedPredicates                  Take predicates that read the outer query out of a subquery and keep them beside it.
subqueries            RewriteCorrelatedScalarSubquery             A correlated scalar subquery becomes a left outer join.
subqueries            RewriteLateralSubquery                      A lateral join whose right side was decorrelated is a join.
subqueries            RewriteNonCorrelatedExists                  EXISTS over a plan that does not read the outer query is a scalar subquery with one row.
updates               OptimizeUpdateFields                        Change the fields of a struct once, not of a changed struct again.
updates               ReplaceUpdateFieldsExpression               Put a changed struct together of its fields.
variants              PushVariantIntoScan                         Read of a variant in Parquet files only the values that the query takes out of it, as fields of a struct.
windows               CollapseWindow                              Two windows with the same keys and order are one.
windows               EliminateWindowPartitions                   Partition keys that are the same for every row go.
windows               InferWindowGroupLimit                       Of every partition only the rows that can have a small enough rank are needed.
windows               OptimizeWindowFunctions                     first() over a frame that begins at the first row is nth_value(1) there.
windows               PullUpProjectAliasThroughWindow             Rename above the windows what they do not read themselves.
windows               TransposeWindow                             Put the window with fewer keys below when the other's keys begin with them.
with_expression       RewriteWithExpression                       Give shared subexpressions a column below the operator; cheap ones are written out instead.
writes                V1Writes                                    Sort what is written by the columns that tell the folder and by the bucket: a task has one file open at a time.
"""
