"""What became otherwise, in a sentence for the person who upgrades: of settings' defaults and of behaviour.

Each sentence says what the newer version does. Rules speak for themselves, by their own cards.
"""

from __future__ import annotations

#: By a setting's key, a preparation's name or a field of Behaviour. A test asks for all that some version changes.
CHANGES: dict[str, str] = {
    # ---------------------------------------------------------------- defaults
    "spark.sql.ansi.enabled": "ANSI mode is the default: invalid casts, overflows and divisions by zero are errors, "
    "and values of different types are compared by the standard's rules.",
    "spark.sql.legacy.ctePrecedencePolicy": "A definition of WITH within another one may have the name of an outer "
    "one, and counts; before, that was an error.",
    "spark.sql.legacy.timeParserPolicy": "A text that only the reader of dates before 3.0 could read is null or an "
    "error as any other that cannot be read; before, an error asked which reader to take.",
    "spark.sql.maxSinglePartitionBytes": "Rows are gathered in one partition without a shuffle of both sides only up "
    "to 128 MiB.",
    "spark.sql.unionOutputPartitioning": "A union whose inputs are spread by the same keys is spread by them, too, and "
    "needs no shuffle above it.",
    "spark.sql.variant.pushVariantIntoScan": "Paths into a variant of a Parquet file are read as columns of the scan, "
    "which skips the rest of the value.",
    "spark.sql.execution.pythonUDF.arrow.enabled": "Python functions exchange rows as Arrow batches by default.",
    "spark.sql.parquet.enableNestedColumnVectorizedReader": "Arrays, maps and structs of Parquet files are "
    "read as batches of columns.",
    "spark.sql.orc.enableNestedColumnVectorizedReader": "Arrays, maps and structs of ORC files are read as batches of "
    "columns.",
    "spark.sql.optimizer.collapseProjectAlwaysInline": "A projection that would write costly expressions twice is not "
    "merged with the one below it.",
    "spark.sql.optimizer.avoidDoubleFilterEval": "A filter stays above a projection whose costly expressions it would "
    "compute twice.",
    "spark.sql.optimizer.mergeSubplans.filterPropagation.enabled": "Subqueries that differ only in a filter are merged "
    "and computed once.",
    "spark.sql.codegen.wholeStage.union.enabled": "Unions are part of the generated code of a stage.",
    "spark.sql.execution.replaceHashWithSortAgg": "An aggregate whose rows arrive sorted by its keys is done by sort.",
    "spark.sql.optimizer.windowGroupLimitThreshold": "A filter on a rank stops each group of a window early.",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "The large side of a join is filtered by a bloom filter of the "
    "small side.",
    "spark.sql.readSideCharPadding": "CHAR columns are padded when they are read.",
    "spark.sql.legacy.noCharPaddingInPredicate": "A CHAR column that is read without its padding is padded in "
    "comparisons.",
    "spark.sql.adaptive.enabled": "Adaptive execution is the default: the plan is made anew while the query runs.",
    "spark.sql.legacy.charVarcharAsString": "CHAR and VARCHAR are types of their own, no longer plain strings.",
    # ---------------------------------------------------------------- preparations
    "CoalesceBucketsInJoin": "Where two bucketed tables of different numbers of buckets are joined, the buckets of one "
    "may be read together.",
    "CombineAdjacentAggregation": "A partial and a final aggregate with no shuffle between them are one.",
    "DisableUnnecessaryBucketedScan": "A bucketed table is read file by file where its buckets help nobody.",
    "InsertSortForLimitAndOffset": "A limit over sorted rows keeps their order while its partitions are gathered.",
    "PushDownLocalSort": "Rows are sorted once by all keys that operators above each other ask for.",
    "RemoveRedundantProjects": "Projections that change nothing are removed from the physical plan.",
    "RemoveRedundantSorts": "Sorts of rows that are sorted already are removed from the physical plan.",
    "RemoveRedundantWindowGroupLimits": "Of two group limits of a window next to each other one is removed.",
    "ReplaceHashWithSortAgg": "A hash aggregate over rows that are sorted by its keys may be a sort aggregate.",
    # ---------------------------------------------------------------- analysis
    "ctes_are_kept": "A definition of WITH stays one definition that is read several times, and is computed once where "
    "that pays; it was written out wherever it was named.",
    "cte_references_know_most_rows": "What reads a definition of WITH knows how many rows it has at most.",
    "cte_definitions_show_a_flag": "Definitions of WITH show one more flag.",
    "cte_reference_flags": "References to definitions of WITH show one more flag.",
    "relations_are_deduplicated": "A table that is read twice has columns of its own wherever it stands.",
    "order_reads_blanked_keys": "ORDER BY may name a key of ROLLUP, CUBE or GROUPING SETS that the select list lacks.",
    "between_is_a_function": "BETWEEN computes its value once.",
    "added_aggregates_are_named_by_sql": "Aggregates that HAVING and ORDER BY add are named by their SQL.",
    "aliases_are_renewed": "Columns computed in a plan that is used twice get ids of their own each time.",
    "decimals_are_promoted": "Decimal arithmetic computes its result's precision itself, without casts around it.",
    "overflow_checks_show_null": "Checks of decimal overflows no longer show what they give.",
    "window_inputs_are_shared": "What several windows read is computed once.",
    "windows_are_hashed": "Windows of one query are computed in the order in which they are written.",
    "added_columns_are_hashed": "Columns that ORDER BY adds to a projection stand in the order of its input.",
    "relations_name_the_catalogue": "A table is named with its catalogue.",
    "relations_show_names": "Relations show the table's name.",
    "cte_references_are_renewed": "Each reference to a definition of WITH has columns of its own.",
    "having_finds_grouping_values": "HAVING reads grouping() and grouping_id() that the select list computes, and "
    "asks the aggregate for no further column.",
    "having_reuses_results": "HAVING reads an aggregate that the select list computes.",
    "grouping_id_is_long": "grouping_id() is a BIGINT.",
    "intervals_are_subtracted": "An interval taken from a date is subtracted, no longer added with a minus sign.",
    "order_finds_results_before_their_casts": "ORDER BY finds an aggregate's result also where its operand was cast.",
    "set_operations_are_spaced": "INTERSECT ALL and EXCEPT ALL are printed in two words.",
    "wide_decimals_keep_whole_digits": "Decimals that would need more than 38 digits to agree lose digits "
    "behind the point, not before it.",
    "collections_show_nulls": "collect_list() and collect_set() show whether they leave nulls out.",
    "unions_show_flags": "Unions show whether they go by name and fill missing columns.",
    "abs_shows_whether_it_fails": "abs() no longer shows whether it fails on the lowest number.",
    "coercions_run_together": "Implicit casts are found in one walk over each expression.",
    "intervals_are_typed": "Intervals are of years and months or of days and time, two types of their own.",
    "names_leave_out_casts": "The name of a column leaves out the casts that the analyzer put in.",
    "only_widened_inputs_are_projected": "Of a union's inputs only those that need wider types get a projection.",
    "order_reads_results_first": "ORDER BY over an aggregate reads its results, and computes only what they lack.",
    "ranks_are_never_null": "rank(), row_number() and their like are known never to be null.",
    "sums_take_any_number": "sum() and avg() take whole numbers and floats as they are, without a cast.",
    "json_readers_show_a_flag": "from_json() shows one more flag.",
    "parsers_name_a_function": "What reads dates by a pattern shows the function to take where it fails.",
    "databases_are_schemas": "current_database() is named current_schema().",
    "raised_errors_have_a_class": "raise_error() of a message alone shows the class of its error.",
    "views_are_dropped_as_tables": "DROP TABLE drops views, too.",
    "own_functions_come_first": "Spark's own functions come before registered ones of the same name.",
    "functions_are_routines": "DROP FUNCTION of what is not there, or is Spark's own, has a condition of its own.",
    "lambdas_take_queries": "The lambda of a higher-order function may hold a subquery.",
    "assertions_show_sql": "The message of assert_true() shows its condition as SQL.",
    "outer_columns_are_renamed": "A column of the outer query that a subquery gives has an id of its own there.",
    "hidden_columns_come_alone": "A USING or NATURAL join gives only those of its hidden columns that are named.",
    "order_looks_below_having": "ORDER BY may hold aggregate functions beside a HAVING.",
    "doubled_quotes_are_one": "A quote that is doubled in a text is a quote; it ended the text and began another one.",
    "predicates_stand_in_lists": "IN and EXISTS with a subquery may stand in a select list.",
    "dates_are_ranged_by_days": "A window's range over a DATE may be an INTERVAL of days.",
    "lists_hold_generators": "A select list may hold several functions that make rows.",
    "lists_name_themselves": "A select list may name what stands before it in the list; GROUP BY ALL groups by all.",
    "names_have_escapes": "The name of a LIKE with ESCAPE shows it.",
    "views_cast_their_columns": "The columns of a view are cast to the types that it was made with.",
    "lags_are_negative": "The offset of lag() is shown with its sign.",
    "repartitions_leave_their_number_open": "DISTRIBUTE BY leaves the number of partitions to the planner.",
    "scan_rules_inline_all": "What a projection above a table of files uses twice is computed once there, where rules "
    "about partitions and fields used to write it out.",
    "structs_are_put_together_twice": "Two projections stay two where one would put together a struct, array or map of "
    "costly parts twice.",
    "base64_is_replaced": "base64() is written as a method of Java.",
    "truth_is_not_compared": "A condition that is compared with true is that condition.",
    "fields_are_known_not_to_be_null": "A field of a column that is compared is tested for null itself.",
    "generators_are_coded": "Functions that make rows are part of the generated code.",
    "booleans_are_pushed": "Data sources are given columns of truth values as filters.",
    "calls_show_less": "Functions that parse dates and codes show whether they fail, levenshtein() its limit.",
    "calls_begin_later": "element_at() shows what it gives where there is no such element.",
    "split_texts_are_no_nulls": "What split() gives is known not to be null, and is not tested for it.",
    "aggregates_take_fields": "The fields of structs that an aggregate reads are taken below it.",
    "fields_are_named": "Columns of fields that are taken below an operator have the fields' names.",
    "regexp_replace_shows_its_start": "regexp_replace() shows where it begins.",
    "moments_move_by_bigints": "timestampadd() takes a BIGINT, no longer an INT.",
    "single_rows_are_tested": "A correlated scalar subquery may be one that need not give a single row, "
    "and have a LIMIT.",
    "existence_is_decorrelated": "EXISTS and IN may read the query around in a select list, in ON and below windows "
    "and aggregates, and are unnested as scalar subqueries are.",
    "aggregates_stand_above_comparisons": "The aggregate of a correlated subquery may stand above a comparison with "
    "the query around that is no equality.",
    "dates_are_unwrapped": "A DATE that is compared with a moment is compared with a day, "
    "by which data sources can filter.",
    "dates_name_their_own_parser": "to_date() names try_to_date() as what to take where it fails.",
    "session_gaps_are_read": "The gap of session_window() that is written as a text is not tested for every row.",
    "python_calls_are_cheap": "What a Python function gives is computed below the projections that read it twice, "
    "where it is called with something that costs.",
    "pivots_count_rows": 'The aggregates of a DataFrame\'s pivot refuse count("*").',
    "tried_casts_are_casts": "try_cast() of a column has the column's name.",
    "shared_ctes_leave_their_number_open": "The shuffle of a definition that is read several times leaves the number "
    "of its partitions to the planner.",
    "days_are_cast": "date_add() and date_sub() cast a text that says how many days.",
    "names_hide_replacements": "The names of nvl(), nullif(), left(), to_date() and their like leave out qualifiers.",
    "rlike_stands_between": "RLIKE is shown as a function.",
    "time_windows": "GROUP BY window() computes the window of a moment by another formula.",
    "samples_show_their_method": "TABLESAMPLE shows its method.",
    "grouping_columns_are_named_by_sql": "Expressions of ROLLUP, CUBE and GROUPING SETS are named by their SQL.",
    # ---------------------------------------------------------------- optimizer
    "more_functions_are_replaced": "More functions are written as other functions or as methods of Java.",
    "join_conditions_ask_subqueries": "Subqueries in the condition of a join become joins where they are not pushed "
    "below it, too, and keep what they share with the outer query.",
    "aggregates_take_the_first_answer": "An aggregate takes the first of its group's answers of IN and EXISTS.",
    "maps_are_grouped": "GROUP BY takes maps.",
    "windows_take_filters": "An aggregate function over a window takes FILTER.",
    "parsed_json_shows_three_flags": "What parse_json() becomes shows a third flag.",
    "ciphers_take_vectors": "aes_encrypt() and aes_decrypt() show an initial vector and what is authenticated beside.",
    "transforms_prune_fields": "A scan leaves out the fields of an array's structs that transform() does not read.",
    "modes_show_their_order": "mode() shows how WITHIN GROUP orders its values.",
    "filtered_arrays_are_marked": "An array without its nulls is known to have none.",
    "static_calls_are_short": "Methods of Java are shown as calls.",
    "aggregates_pass_constants_on": "What reads a constant result of an aggregate reads the constant.",
    "constraints_are_hashed": "Conditions that are found about a table stand in the order in which they were found.",
    "functions_are_known_to_be_strict": "A filter over a function also tests that its arguments are not null.",
    "unions_combine_through_projections": "Unions with a projection between them become one.",
    "unions_drop_empty_inputs": "The empty inputs of a union are dropped.",
    "windows_swap_through_projections": "Windows with a projection between them change places and become one.",
    "branches_become_conditions": "CASE whose branches are true or false becomes a condition.",
    "filters_mind_their_subqueries": "A filter whose subquery gives one of its columns keeps the projection below it.",
    "grouping_expressions_are_pulled_out": "Expressions of GROUP BY that the select list takes apart are computed "
    "below the aggregate.",
    "joins_know_most_rows": "A join knows how many rows it gives at most, so that a limit over single rows goes.",
    "expressions_are_shared": "An expression that stands for a function may be computed once and read several times.",
    "plus_signs_are_replaced": "Signs and arithmetic of intervals are resolved before the optimizer's rules.",
    "names_are_no_matter_to_caches": "A projection that only renames columns reads what is cached of them.",
    "single_constants_move": "A constant of a sum or product stands behind its columns.",
    "equalities_contradict": "A column that should equal two constants at once gives no rows.",
    "root_repartitions_stay": "A repartitioning that gives the query its partitions stays where there are no rows.",
    "days_are_ranges_of_moments": "A timestamp whose day is compared with a date is compared itself, and so pushed "
    "to the source.",
    "comparisons_take_constants": "A column that equals a constant is replaced by it in every other comparison.",
    "lists_are_unwrapped": "A column whose cast is looked for in a list of constants is looked for itself.",
    "casts_are_merged": "A widening cast of a cast is one cast.",
    "null_tests_look_through_casts": "A test for null looks through a cast that keeps every value.",
    "conjuncts_stand_in_a_row": "The conditions of a filter keep the order in which rules found them.",
    "unique_rows_are_not_grouped": "A grouping by keys that are unique already is dropped.",
    "one_row_is_unsorted_here": "The sort of a single row is dropped by a rule of its own.",
    "semi_joins_compute_columns_again": "A semi join stays above a projection that computes columns.",
    "unique_keys_bound_joins": "A join over the unique keys of one side is known to be no larger than the other side.",
    "semi_joins_need_a_broadcast": "A semi join goes below an aggregate or window only where it can be a broadcast "
    "join.",
    "semi_joins_need_keys": "A semi join without keys stays above an aggregate.",
    "join_cost": "The cost-based reorder compares two orders of joins by another formula.",
    "sorts_keep_rows": "With the cost-based optimizer a sort keeps the number of rows that its input is known to have, "
    "and so do the limits above it.",
    "cost_shows_every_estimate": "explain cost prints the estimates of all operators, also below an aggregate without "
    "keys.",
    "unions_count_distinct_values": "The estimate of a union has the distinct values of its columns.",
    "renamed_columns_keep_their_names": "What a correlated subquery gives keeps its name.",
    "outer_joins_are_dropped_for": "An outer join whose other side nobody reads goes in more cases: above it repeated "
    "rows do not count, or the keys are unique.",
    "bloom_filters_follow_keys": "A bloom filter is also made of a side that is a join itself.",
    "bloom_filters_take_a_byte_a_row": "A bloom filter of a known number of rows has as many bits as few false "
    "positives take.",
    # ---------------------------------------------------------------- planner and preparations
    "joins": "The decision tree of joins knows null-aware anti joins and warns of hints that do not apply.",
    "adaptive_subqueries_have_own_roots": "A subquery that stands twice in an adaptive plan has a root each time.",
    "exchange_numbers_are_short": "Exchanges show plan_id.",
    "coded_merge_joins": "Merge joins of more types are part of the generated code.",
    "coded_sort_aggregates": "Aggregates over sorted rows are part of the generated code.",
    "hash_joins_build_kept_sides": "A shuffled hash join may build the side of which an outer join keeps every row.",
    "full_hash_joins_are_coded": "Shuffled hash joins that keep all rows of both sides are part of the generated code.",
    "pruning_queries_have_their_own_name": "The query that dynamic pruning makes for itself is called dynamicpruning.",
    "unions_give_batches": "A union of scans gives batches of columns, which are turned into rows once, above it.",
    "json_is_coded": "Functions that read and write JSON, CSV, XML and URLs are part of the generated code.",
    "lambdas_are_coded": "Functions that take lambdas are part of the generated code.",
    "limits_show_offsets": "Operators of limits show their offset.",
    "nested_loop_joins_are_coded": "Nested loop joins are part of the generated code and keep the order and spread of "
    "the side that is not broadcast.",
    "values_are_shown_as_stored": "Dates and timestamps are printed as such, no longer as numbers.",
    "temporary_views_are_marked": "Temporary views are marked in analyzed plans, too.",
    "views_space_columns": "The columns of a view are printed with spaces between.",
    "ranges_show_open_slices": "range() prints its number of slices where the query says it, and nothing else.",
    "distincts_are_filtered": "Several DISTINCTs in one aggregate are told apart by FILTER, not by IF within.",
    "session_keys_are_lists": "What merges sessions prints its keys as List(…), not as ArrayBuffer(…).",
    "lists_are_named": "Lists in arguments of operators are printed in brackets.",
    "operators_of_3_0": "Operators are printed in another form.",
    "arrow_takes_columns": "Python functions over Arrow batches take a scan's batches as they are.",
    "arrow_in_aggregates": "Aggregates and windows of Python functions have operators named after Arrow.",
    "casts_of_declared_texts_stay": "Casts of CHAR and VARCHAR columns to STRING, as views make them, stay.",
    "filters_of_functions_are_coded": "Code is generated for hash aggregates whose functions have FILTER.",
    "scans_tell_buckets": "A scan of a bucketed table shows whether it reads its buckets one by one.",
    "ordered_functions_are_shared": "first(), last() and collect_list() are computed once however often they stand.",
    "scans_take_subqueries": "Filters with scalar subqueries are pushed to scans.",
    "projections_mind_qualifiers": "A projection above a scan that gives just the scan's columns is left out.",
    "sums_note_emptiness": "A sum notes whether it saw any row.",
    "hash_joins_show_two_flags": "Broadcast hash joins show one more flag.",
    "pruning_keys_are_listed": "Subqueries of dynamic partition pruning show their keys' places as a list.",
    "single_rows_are_parallelized": "A query without FROM has an operator of its own, without a distributed row.",
    "joins_tell_their_type": "Explain's formatted mode tells a join's type beneath the tree, too.",
    "sorts_go_last": "Sorts that change nothing are removed last of all preparations.",
    "reused_in_one_walk": "Exchanges and subqueries are reused in one walk over the plan, so that more is reused.",
}
