"""What a file of a version is made of: settings, behaviour, edits of the optimizer's batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Literal

#: What a setting may be; which of these, its default says.
SettingValue = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What Spark does in its code and no setting says; the engine asks for these by name. The values are 4.3's.

    A version's file names those that it has otherwise; all older versions have them so, too, until one says more.
    """

    # ---------------------------------------------------------------- analysis
    #: WITH becomes definitions and references; else a definition is written where it is named, as it was before 3.2.
    ctes_are_kept: bool = True
    #: A reference to a definition knows how many rows that has at most.
    cte_references_know_most_rows: bool = True
    #: A definition shows whether it was made by MergeSubplans or for a subquery.
    cte_definitions_show_a_flag: bool = True
    #: How many flags it has: whether it streams, whether it is recursive.
    cte_reference_flags: int = 2
    #: A table that is read twice gets fresh ids wherever it stands; else only where the sides of one operator clash.
    relations_are_deduplicated: bool = True
    #: ORDER BY knows the keys of grouping sets that the select list does not have.
    order_reads_blanked_keys: bool = True
    #: HAVING reads grouping() and grouping_id() that the select list computes; else it asks the Aggregate for the id.
    having_finds_grouping_values: bool = True
    #: Which fields the hidden column `_metadata` of files has: with blocks and rows, sizes alone (3.3), or none.
    file_metadata: Literal["blocks", "sizes", "none"] = "blocks"
    #: BETWEEN is a function over its value; else two comparisons from the first.
    between_is_a_function: bool = True
    #: What HAVING and ORDER BY add to an aggregate is named as its SQL; else as a plan shows it, ids and all.
    added_aggregates_are_named_by_sql: bool = True
    #: What makes a column under an id is renewed where the id is there already, in the middle of a plan, too; else
    #: only relations are, and what clashes at the top of the sides of one operator.
    aliases_are_renewed: bool = True
    #: Both sides of decimal arithmetic are cast to one type (promote_precision), its result is checked (CheckOverflow).
    decimals_are_promoted: bool = False
    #: UNION's and INTERSECT's kin: "Intersect All true"; else "IntersectAll true".
    set_operations_are_spaced: bool = True
    #: A decimal that is wider than 38 digits where two must agree keeps its whole digits; else those behind the point.
    wide_decimals_keep_whole_digits: bool = True
    #: collect_list() and collect_set() show whether they leave nulls out.
    collections_show_nulls: bool = True
    #: A union shows whether it goes by name and fills missing columns.
    unions_show_flags: bool = True
    #: An interval that is taken from a date is subtracted, and added with a minus sign before the planner sees it; else
    #: the latter at once, and from a moment it is subtracted to the end.
    intervals_are_subtracted: bool = True
    #: abs() shows whether it fails where a number has no opposite (3.2 alone).
    abs_shows_whether_it_fails: bool = False
    #: rank(), row_number() and their like are never null.
    ranks_are_never_null: bool = True
    #: Every coercion looks at an expression after its children; else one rule after the other goes over the whole plan.
    coercions_run_together: bool = True
    #: Where the columns of a union's inputs are cast to wider types, only inputs that have some get a Project.
    only_widened_inputs_are_projected: bool = True
    #: CheckOverflow shows that it gives null, and comparisons of decimals cast both sides (before 3.3).
    overflow_checks_show_null: bool = False
    #: What windows read is computed once for equal expressions.
    window_inputs_are_shared: bool = True
    #: Windows of one query lie in the order of a hash of their keys, ids and all, not as they are written.
    windows_are_hashed: bool = False
    #: More than four columns that ORDER BY adds to a projection stand in such an order, too.
    added_columns_are_hashed: bool = False
    #: The columns that ORDER BY and filters add to a projection stand as its input has them; else as they are named.
    added_columns_follow_the_input: bool = True
    #: INSERT tells the rights that it needs.
    inserts_tell_privileges: bool = True
    #: How many of these INSERT tells: whether it overwrites, IF NOT EXISTS, BY NAME, whether the schema may change.
    insert_flags: int = 4
    #: A table's name is that of its catalogue, database and table; else of the latter two.
    relations_name_the_catalogue: bool = True
    #: PySpark's `sample(0.5, seed=3)` takes a seed of its own.
    samples_forget_seeds: bool = True
    #: Plan texts mark what reads a stream; a source shows its name, and a file source nothing else.
    streams_are_marked: bool = True
    streams_are_named: bool = True
    #: A relation of a logical plan shows its name.
    relations_show_names: bool = True
    #: References to a definition get ids of their own wherever the query reads it; else where sides of a join clash.
    cte_references_are_renewed: bool = True
    #: HAVING reads an aggregate function that the select list computes; else it computes its own.
    having_reuses_results: bool = True
    #: grouping_id() is a BIGINT.
    grouping_id_is_long: bool = True
    #: A column's name leaves out the casts that the analyzer put in; else only those that come after it was named.
    names_leave_out_casts: bool = True
    #: Where a column's name has the fields of other columns in it as they are written, without names of their own:
    #: always, in the list of an Aggregate but for fields of arrays, or never.
    names_leave_out_fields: Literal["always", "in groups", "never"] = "always"
    #: What another expression replaces is named as other functions are; else as SQL, qualifiers and quotes included.
    names_hide_replacements: bool = True
    #: sum() and avg() take whole numbers and floats as they are; else as BIGINT and DOUBLE.
    sums_take_any_number: bool = True
    #: Intervals are of years and months or of days and time; else of months, days and microseconds, all in one.
    intervals_are_typed: bool = True
    #: ORDER BY over an Aggregate reads its results; else what is not bound yet is computed in it, as HAVING is.
    order_reads_results_first: bool = True
    #: Where it does so, it finds avg(a) among them although its own is avg(cast(a as bigint)) already (not in 3.0).
    order_finds_results_before_their_casts: bool = True
    #: Dates and moments are shown as days and microseconds since 1970, sets as they lie in a hash set.
    values_are_shown_as_stored: bool = False
    #: A temporary view is marked as a View, as a catalogue's is; else its query alone stands there.
    temporary_views_are_marked: bool = True
    #: A view shows its columns with spaces between.
    views_space_columns: bool = True
    #: from_json() shows whether keys may stand twice in a VARIANT.
    json_readers_show_a_flag: bool = True
    #: What reads dates by a pattern shows the function that takes its place where it fails.
    parsers_name_a_function: bool = True
    #: current_database() is named current_schema().
    databases_are_schemas: bool = True
    #: raise_error() of a message alone holds the class of the error, too.
    raised_errors_have_a_class: bool = True
    #: DROP TABLE drops views, too.
    views_are_dropped_as_tables: bool = True
    #: A function that the session registers under a name of Spark's own is not found by that name; else it is.
    own_functions_come_first: bool = True
    #: DROP and REFRESH FUNCTION know what they do not find as a routine; else as a function that a plan would call.
    functions_are_routines: bool = True
    #: The lambda of a higher-order function may hold a subquery.
    lambdas_take_queries: bool = False
    #: assert_true() shows its condition as SQL; else as a plan shows it, ids and all.
    assertions_show_sql: bool = True
    #: A column of the outer query that a subquery gives gets an id of its own there; else it keeps the outer one.
    outer_columns_are_renamed: bool = True
    #: Of the columns that USING and NATURAL joins hide only those that are named are given; else all where one is.
    hidden_columns_come_alone: bool = True
    #: The hint REBALANCE is known.
    queries_are_rebalanced: bool = True
    #: A hint that repartitions may name columns that the select list lacks.
    hints_find_missing_columns: bool = True
    #: REBALANCE takes a number of partitions.
    rebalancing_takes_a_number: bool = True
    #: Where all come, they stand behind what the join gives; else before it.
    hidden_columns_come_last: bool = True
    #: The columns that USING and NATURAL joins hide can be named at all.
    joins_give_hidden_columns: bool = True
    #: The end of a session is known to be nullable: window functions over sessions show so.
    session_ends_may_be_null: bool = True
    #: What files ask of the rows that are written, as their order, is part of the plan; else it comes while it runs.
    writes_are_planned: bool = True
    #: A table is saved by a command that makes the table's own commands.
    tables_are_saved_by_a_command: bool = True
    #: What the plan of a write into nothing (format "noop") shows; empty: what changes with every run.
    noop_write: str = "noop-table NoopWrite"
    #: A query that goes into a table gets the table's names even where it has them already.
    inserts_name_every_column: bool = True
    #: The function that spreads rows over the buckets that are written.
    bucket_hash: str = "collation_aware_hash"
    #: TABLESAMPLE shows its method.
    samples_show_their_method: bool = True
    #: Expressions of ROLLUP, CUBE and GROUPING SETS are named as their SQL; else as a plan shows them, ids and all.
    grouping_columns_are_named_by_sql: bool = True
    #: range() says that its number of slices is open: "splits=None".
    ranges_show_open_slices: bool = False
    #: ORDER BY computes in the Aggregate what it lacks below HAVING, too: also where HAVING did so ("projection"), only
    #: where it did not ("filter"), or never.
    order_looks_below_having: Literal["projection", "filter", "no"] = "projection"
    #: A quote that is doubled in a text stands for itself; else two texts next to each other are one.
    doubled_quotes_are_one: bool = True
    #: IN and EXISTS with a subquery stand in select lists, too.
    predicates_stand_in_lists: bool = True
    #: A range of a window over a DATE may be given in days as an INTERVAL.
    dates_are_ranged_by_days: bool = True
    #: A select list may hold several functions that make rows.
    lists_hold_generators: bool = True
    #: A select list may name what stands before it in the list; GROUP BY ALL is no column.
    lists_name_themselves: bool = True
    #: The name of LIKE has its ESCAPE.
    names_have_escapes: bool = True
    #: Functions that show less beside their arguments than 4.3, by how much: ("to_date", 1) lacks the last of it.
    calls_show_less: tuple[tuple[str, int], ...] = ()
    #: Functions that show less right behind their arguments: ("element_at", 1) lacks the first of it.
    calls_begin_later: tuple[tuple[str, int], ...] = ()
    #: A correlated scalar subquery that may give several rows is tested when it runs, and one may have a limit.
    single_rows_are_tested: bool = True
    #: EXISTS and IN are unnested as other correlated subqueries are; else the predicates that read the query around are
    #: taken out of WHERE and HAVING, and nothing else may read it.
    existence_is_decorrelated: bool = True
    #: A scalar or lateral subquery's aggregate may stand above a comparison with the query around that is no equality.
    aggregates_stand_above_comparisons: bool = True
    #: to_date() names try_to_date() as what to take where it fails; else try_to_timestamp().
    dates_name_their_own_parser: bool = True
    #: The gap of session_window() that is written as a text is known to be longer than nothing, and not tested for it.
    session_gaps_are_read: bool = True
    #: A Python function costs nothing to write twice whatever it is called with; else what it is called with counts.
    python_calls_are_cheap: bool = False
    #: The aggregates of a DataFrame's pivot may be count("*"); else a star is refused there.
    pivots_count_rows: bool = False
    #: try_cast() is a cast, and named as one is; else it is named as SQL.
    tried_casts_are_casts: bool = True
    #: The shuffle of a definition that is read several times leaves the number of its partitions to the planner.
    shared_ctes_leave_their_number_open: bool = True
    #: timestampadd() takes a BIGINT; else an INT.
    moments_move_by_bigints: bool = True
    #: date_add() and date_sub() cast a text that says how many days; else it is read while they are resolved.
    days_are_cast: bool = True
    #: regexp_replace() shows where it begins.
    regexp_replace_shows_its_start: bool = True
    #: None of the texts that split() gives is null.
    split_texts_are_no_nulls: bool = True
    #: RLIKE is shown between its sides; else as the function that it was written as.
    rlike_stands_between: bool = False
    #: GROUP BY takes maps.
    maps_are_grouped: bool = True
    #: An aggregate function over a window takes FILTER.
    windows_take_filters: bool = True
    #: What parse_json() becomes shows a third flag.
    parsed_json_shows_three_flags: bool = True
    #: aes_encrypt() and aes_decrypt() take an initial vector and what is authenticated beside.
    ciphers_take_vectors: bool = True
    #: Of an array of structs that transform() reads a scan leaves out the fields that it does not ask for.
    transforms_prune_fields: bool = True
    #: dropDuplicates() compares columns in the order in which they are given; else as a set of their names has them.
    duplicates_compare_in_order: bool = True
    #: mode() shows how WITHIN GROUP orders its values.
    modes_show_their_order: bool = True
    #: Of an array from which a filter has taken the nulls it is known that it has none.
    filtered_arrays_are_marked: bool = True
    #: Columns of a view are cast to the types that they have; else what the view's query gives are its columns.
    views_cast_their_columns: bool = True
    #: The offset of lag() is shown as it is kept, negative.
    lags_are_negative: bool = True
    #: DISTRIBUTE BY shows no number of partitions that it does not name.
    repartitions_leave_their_number_open: bool = True
    #: How GROUP BY window() finds the window of a moment: a remainder that may be "negative", one that is "positive",
    #: or the quotient's "ceiling".
    time_windows: Literal["negative", "positive", "ceiling"] = "negative"
    #: Of several DISTINCTs each has a FILTER; else a test within, and names of columns stand in quotes, in PIVOT, too.
    distincts_are_filtered: bool = True
    #: What merges sessions shows its keys as a List(a, b); else as an ArrayBuffer(a, b).
    session_keys_are_lists: bool = True
    #: Lists in the arguments of an operator are shown as Scala's: List(a, b).
    lists_are_named: bool = False
    # ---------------------------------------------------------------- optimizer
    #: What the rules about scans of files make one projection of is written out as often as it is used.
    scan_rules_inline_all: bool = False
    #: CollapseProject writes structs, arrays and maps that are put together as often as they are used.
    structs_are_put_together_twice: bool = False
    #: What stands for a function may name an expression that is computed once (WITH); else that is written out.
    expressions_are_shared: bool = True
    #: A projection that only gives all columns other names reads the cache of what is below it.
    names_are_no_matter_to_caches: bool = True
    #: array_append(), encode(), json_array_length() and their like are replaced by other functions and Java's methods.
    more_functions_are_replaced: bool = True
    #: A generator in a select list that reads an alias beside it fails.
    generators_read_no_aliases: bool = True
    #: try_sum() and try_avg() of short decimals are computed on their digits, as sum() and avg() are.
    sums_that_try_are_unscaled: bool = True
    #: Subqueries in a join's condition are taken apart as those of a filter are; else only what is pushed below it.
    join_conditions_ask_subqueries: bool = True
    #: What an aggregate asks of a subquery is the first of its group's answers, not a column outside of the groups.
    aggregates_take_the_first_answer: bool = True
    #: What is computed from aggregate functions and asks a subquery about them stands over the aggregate.
    groups_ask_subqueries: bool = True
    #: VALUES that ask for the moment stay as they are until the optimizer knows it.
    inline_tables_wait: bool = True
    #: base64() is replaced by a static method.
    base64_is_replaced: bool = True
    #: A comparison of a condition with true is the condition.
    truth_is_not_compared: bool = True
    #: The fields that an Aggregate or Expand reads are taken below it, too.
    aggregates_take_fields: bool = True
    #: The columns of such fields have the fields' names; else they are numbered: _gen_alias_7.
    fields_are_named: bool = True
    #: Of a column's field that is compared with something it is known not to be null; else of the column alone.
    fields_are_known_not_to_be_null: bool = True
    #: A static method is shown as its call; else with all that its expression holds.
    static_calls_are_short: bool = True
    #: A plus sign and arithmetic of intervals are replaced in Finish Analysis.
    plus_signs_are_replaced: bool = True
    #: ReorderAssociativeOperator moves a single constant behind the columns; else it wants two.
    single_constants_move: bool = True
    #: ConstantPropagation puts the last of two constants for one column into the comparison with the other.
    equalities_contradict: bool = True
    #: ConstantPropagation puts constants into every comparison; else into equalities only.
    comparisons_take_constants: bool = True
    #: A repartitioning that gives the query its partitions stays over no rows.
    root_repartitions_stay: bool = True
    #: A moment whose day is compared with a date is compared with that day's first and last moment itself.
    days_are_ranges_of_moments: bool = True
    #: UnwrapCastInBinaryComparison takes a cast to a moment off a DATE.
    dates_are_unwrapped: bool = True
    #: UnwrapCastInBinaryComparison takes casts off what is looked for in a list, too.
    lists_are_unwrapped: bool = True
    #: SimplifyCasts takes widening casts together.
    casts_are_merged: bool = True
    #: SimplifyCasts leaves the cast of a column to a string that is declared as char(n) or varchar(n).
    casts_of_declared_texts_stay: bool = True
    #: SimplifyCasts looks through a cast that keeps every value where it is tested for null.
    null_tests_look_through_casts: bool = True
    #: RewritePredicateSubquery puts the conjuncts of every filter in a row, ((a AND b) AND c), not only where they ask.
    conjuncts_stand_in_a_row: bool = False
    #: ColumnPruning leaves a projection below a filter whose subquery gives one of its columns.
    filters_mind_their_subqueries: bool = True
    #: Expressions of GROUP BY are computed below the Aggregate where the select list takes them apart.
    grouping_expressions_are_pulled_out: bool = True
    #: FoldablePropagation knows the constants among an Aggregate's results.
    aggregates_pass_constants_on: bool = True
    #: A filter over a function says that its arguments are not null, where null would make it null.
    functions_are_known_to_be_strict: bool = True
    #: More than four known conditions lie in the order of a hash, of columns' ids among others, not as they were found.
    constraints_are_hashed: bool = False
    #: TransposeWindow and CombineUnions look through projections.
    windows_swap_through_projections: bool = True
    unions_combine_through_projections: bool = True
    #: PropagateEmptyRelation takes the empty inputs of a union away; else a union is empty where all are.
    unions_drop_empty_inputs: bool = True
    #: SimplifyConditionals makes conditions of branches that are true or false, and drops ELSE NULL.
    branches_become_conditions: bool = True
    #: A join knows how many rows it gives at most, so that a limit over single rows goes.
    joins_know_most_rows: bool = True
    #: RemoveRedundantAggregates drops a grouping by keys that are unique.
    unique_rows_are_not_grouped: bool = True
    #: EliminateSorts drops the sort of a single row; since 3.3 OptimizeOneRowPlan does.
    one_row_is_unsorted_here: bool = False
    #: A semi join goes below a projection that computes columns, too.
    semi_joins_compute_columns_again: bool = False
    #: What is known of a cache's columns holds for those under which a query reads it.
    caches_know_their_columns: bool = True
    #: A join over the unique keys of one side is no larger than the other side.
    unique_keys_bound_joins: bool = True
    #: A semi join goes below an aggregate or window only where it can be a broadcast join.
    semi_joins_need_a_broadcast: bool = True
    #: Below an aggregate it goes only where it has keys that are compared for equality, too.
    semi_joins_need_keys: bool = True
    #: What is cheaper of two orders of joins: "product" of the ratios of rows and bytes, or their weighted "sum".
    join_cost: Literal["product", "sum", "absolute"] = "product"
    #: A union's estimate has its columns' distinct values.
    unions_count_distinct_values: bool = True
    #: With the cost-based optimizer a filter is taken to have no more bytes than its input.
    filters_shrink_sizes: bool = True
    #: A union's estimate has rows, and a constant's column statistics.
    unions_count_rows: bool = True
    #: How many rows a query has that is known by its rows alone.
    local_rows_are_counted: bool = True
    #: Constants have statistics as columns have; else a text among them counts as any text.
    constants_have_statistics: bool = True
    #: Of the partitions that a filter leaves rows and columns are estimated, too; else only bytes are known.
    partitions_keep_rows: bool = True
    #: A sort, and an operator without a formula of its own, is known to give as many rows as it reads.
    sorts_keep_rows: bool = True
    #: explain cost shows every operator's estimate; else only those that the root's estimate was computed from.
    cost_shows_every_estimate: bool = True
    #: What a correlated subquery gives under a new id keeps its name; else it is named with the old id.
    renamed_columns_keep_their_names: bool = True
    #: For what an outer join goes whose other side nobody reads: an aggregate of "groups" alone, over "columns" or any
    #: "projections", "extremes" that do not count repeats, functions of "DISTINCT" values, "uniqueness" of the other
    #: side's keys.
    outer_joins_are_dropped_for: frozenset[str] = frozenset(
        {"groups", "columns", "projections", "extremes", "DISTINCT", "uniqueness"}
    )
    #: A bloom filter is also made of a side that is a join.
    bloom_filters_follow_keys: bool = True
    #: No partitions are left out by a key that a filter fixes to one value already.
    pruning_minds_constants: bool = True
    #: Repartitioning beneath a rebalancing is dropped.
    rebalancing_counts_alone: bool = True
    #: A hint in a subquery holds for the join that the subquery becomes.
    subqueries_keep_hints: bool = True
    #: Of a join, of the scan that a key's partner comes from, too.
    bloom_filters_follow_partners: bool = True
    #: A key that a bloom filter tests already gets none for its partner in a join either.
    tested_keys_keep_their_partners: bool = False
    #: A bloom filter of known rows has eight bits for each; else as many as few false positives take.
    bloom_filters_take_a_byte_a_row: bool = False
    # ---------------------------------------------------------------- planner
    #: The decision tree of joins: that of 3.0 knows no null-aware join and warns of no hint.
    joins: str = "spark-4.3"
    #: An exchange shows [id=#7], not [plan_id=7].
    exchange_numbers_are_short: bool = False
    #: The merge joins that have generated code: "all", those that drop or fill rows of "one side" at most, or "inner"
    #: ones only.
    coded_merge_joins: Literal["all", "one side", "inner"] = "all"
    #: The same of shuffled hash joins that keep every row of both sides.
    full_hash_joins_are_coded: bool = True
    #: A shuffled hash join may build the side of which an outer join keeps every row.
    hash_joins_build_kept_sides: bool = True
    #: A query without FROM reads a row that Spark makes into a distributed one, as the formatted mode shows.
    single_rows_are_parallelized: bool = False
    #: Explain's formatted mode tells a join's type beneath the tree, too.
    joins_tell_their_type: bool = True
    #: The query that dynamic pruning makes where no broadcast serves it is called dynamicpruning, not subquery.
    pruning_queries_have_their_own_name: bool = True
    #: A union of batches of columns gives batches.
    unions_give_batches: bool = True
    #: Code is generated for functions that take lambdas, and for those that read and write JSON, CSV, XML and URLs.
    lambdas_are_coded: bool = True
    json_is_coded: bool = True
    #: Code is generated for hash aggregates whose functions have FILTER.
    filters_of_functions_are_coded: bool = True
    #: Operators of limits show their offset: "all", all but those over sorted rows ("unsorted"), or none.
    limits_show_offsets: Literal["all", "unsorted", "none"] = "all"
    #: What fills a cache takes numbers of its own in explain's formatted mode; else they are given once more.
    caches_take_numbers: bool = True
    #: A scan of a cached table shows the table's whole name in quotes, as Spark 3.0 does.
    cached_tables_are_quoted: bool = False
    #: Explain's formatted mode tells of a scan of a cache whether it takes and gives batches.
    caches_tell_batches: bool = True
    #: A scan of a cache gives rows as well as batches, as its reader asks; else batches where all columns are numbers.
    caches_give_rows: bool = True
    #: Code is generated for nested loop joins, which keep the order and the spread of the side that is not sent.
    nested_loop_joins_are_coded: bool = True
    #: Aggregates over sorted rows that have generated code: all, those "without keys", or none.
    coded_sort_aggregates: Literal["all", "without keys", "none"] = "all"
    #: The operators of Spark 3.0 with their texts.
    operators_of_3_0: bool = False
    #: Aggregates and windows of Python functions take Arrow batches by operators of their own name.
    arrow_in_aggregates: bool = True
    #: A projection above a scan stays where its columns have qualifiers, of a table's name, that the scan's have not.
    projections_mind_qualifiers: bool = False
    #: Code is generated for functions that make rows.
    generators_are_coded: bool = True
    #: A data source is given columns of truth values as filters.
    booleans_are_pushed: bool = True
    #: Python functions over Arrow batches take the batches that a scan gives.
    arrow_takes_columns: bool = True
    #: first(), last() and what collects values count as deterministic: filters go below, projections merge.
    ordered_functions_are_deterministic: bool = True
    #: The names of a derived table's columns stand below its name, so that t.a means one; else above, and it does not.
    aliases_name_columns_last: bool = True
    #: What an outer join lacks on a side without rows is null; else null cast to the column's type.
    missing_columns_are_null: bool = True
    #: RemoveRedundantAliases leaves those of a union's first input, whose ids the union has.
    unions_keep_aliases: bool = True
    #: A filter on columns that an Expand hands on goes below it.
    filters_go_below_expands: bool = True
    #: Of a filter of partitions and other columns a scan is told what it says about either alone.
    filters_are_taken_apart: bool = True
    #: A scan is given filters that hold scalar subqueries.
    scans_take_subqueries: bool = True
    #: A scan of a bucketed table shows whether it reads its buckets one by one, and why not.
    scans_tell_buckets: bool = True
    #: An aggregate function whose value depends on the order of rows is computed once however often it stands.
    ordered_functions_are_shared: bool = True
    #: A sum notes whether it saw a row.
    sums_note_emptiness: bool = True
    #: The keys that a subquery of dynamic pruning broadcasts are a list: [0]; else one alone: 0.
    pruning_keys_are_listed: bool = True
    #: A broadcast hash join shows whether it is null-aware and whether its keys are one; else the first alone.
    hash_joins_show_two_flags: bool = True
    # ---------------------------------------------------------------- preparations
    #: The names of preparations that are there.
    preparations: frozenset[str] = frozenset(
        {
            "CoalesceBucketsInJoin",
            "RemoveRedundantProjects",
            "InsertSortForLimitAndOffset",
            "CombineAdjacentAggregation",
            "ReplaceHashWithSortAgg",
            "PushDownLocalSort",
            "RemoveRedundantWindowGroupLimits",
            "DisableUnnecessaryBucketedScan",
            "RemoveRedundantSorts",
        }
    )
    #: Buckets of which a filter leaves some out are read one by one, whether that serves what is above or not.
    pruned_buckets_are_read_apart: bool = False
    #: Adaptive execution plans what fills a cache whatever the setting says that lets it spread rows otherwise.
    caches_are_planned_anew: bool = True
    #: A query that reads a cache runs under adaptive execution, whether it has an exchange or not (3.5 alone).
    caches_ask_for_adaptive: bool = False
    #: CoalesceBucketsInJoin runs under adaptive execution, too.
    adaptive_plans_coalesce_buckets: bool = True
    #: Adaptive execution plans queries that leave out partitions while they run, too.
    adaptive_plans_prune: bool = True
    #: A join's sides are spread by exactly its keys in their order, and agree once they have as many partitions.
    joins_agree_by_number: bool = False
    #: A subquery that stands twice in a plan of adaptive execution has a root of its own each time.
    adaptive_subqueries_have_own_roots: bool = True
    #: Sorts that change nothing are removed last of all; else before bucketed scans are looked at.
    sorts_go_last: bool = True
    #: A sort whose rows a shuffle puts into another order is removed with those that change nothing.
    shuffled_sorts_are_dropped: bool = True
    #: Exchanges and subqueries are reused in one walk, bottom up; else exchanges first and then subqueries.
    reused_in_one_walk: bool = True


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the optimizer's batches, going back from the next newer version.

    `batches` are the names of batches that it is about, by their beginning; none: all. `drop` takes rules away,
    `put` puts rules in before or after the rule `at` ("" and `before`: first; "" alone: last). `strategy` gives a batch
    another one, `name` another name, `place` puts it before the batch of that name. A batch that is new has `name`,
    `strategy`, `put` and `place` and no `batches`.
    """

    batches: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    put: tuple[str, ...] = ()
    at: str = ""
    before: bool = False
    strategy: str = ""
    name: str = ""
    place: str = ""


def gone(*rules: str, batches: tuple[str, ...] = ()) -> Edit:
    """Rules that a version does not have yet, in these batches or in any."""
    return Edit(batches, drop=rules)


@dataclass(frozen=True)
class Version:
    """A version of Spark as it differs from the next newer one.

    `settings`: defaults, `behaviour`: fields of Behaviour, `edits`: batches of the optimizer, `without`: strategies of
    the planner that are not there yet.
    """

    name: str
    about: str
    settings: Mapping[str, SettingValue] = field(default_factory=lambda: MappingProxyType({}))
    behaviour: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Profile:
    """A version of Spark whole: what differs from 4.3, gathered over all versions between."""

    name: str
    about: str
    settings: Mapping[str, SettingValue]
    behaviour: Behaviour
    edits: tuple[Edit, ...]
    without: frozenset[str]


def applied(profile: Profile, version: Version) -> Profile:
    """A profile with what a version does otherwise, which goes before what the profile says."""
    return Profile(
        version.name or profile.name,
        version.about or profile.about,
        MappingProxyType({**profile.settings, **version.settings}),
        replace(profile.behaviour, **version.behaviour),
        (*profile.edits, *version.edits),
        profile.without | set(version.without),
    )


def profiles_of(versions: tuple[Version, ...]) -> dict[str, Profile]:
    """The versions, the newest first, each with all that the newer ones said.

    Raises ValueError for a behaviour that there is not.
    """
    known = {f.name for f in fields(Behaviour)}
    found: dict[str, Profile] = {}
    profile = Profile("", "", MappingProxyType({}), Behaviour(), (), frozenset())
    for v in versions:
        if not v.behaviour.keys() <= known:
            raise ValueError(f"{v.name}: there is no behaviour {sorted(v.behaviour.keys() - known)[0]}.")
        found[v.name] = profile = applied(profile, v)
    return found
