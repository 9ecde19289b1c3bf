"""Aggregate functions (the form: `signatures/__init__.py`). `0,0` in the tail are the offsets of a typed buffer."""

TABLE = """
max_by | * * I? | best | fold=3 check=best null=yes
min_by | * * I? | best | fold=3 check=best null=yes
count_if | B | L | null=no
collect_list | * | 0[]! | null=no tail=0,0,true
array_agg | * | 0[]! | null=no as=collect_list tail=0,0,true
collect_set | * | 0[]! | null=no tail=0,0,true check=nomap
median | N|YM|DT | middle | null=yes
percentile | N|YM|DT D|D[] IL?=1L | percentile | null=yes tail=0,0,false fold=2 check=share
percentile_approx | N|A|T|TN|YM|DT D|D[] IL?=10000 | share | null=yes tail=0,0 fold=2,3 check=share
approx_percentile | N|A|T|TN|YM|DT D|D[] IL?=10000 | share | null=yes tail=0,0 fold=2,3 check=share
listagg | S|X S|X|NUL?=None | 0 | null=yes tail=0,0 fold=2 check=delimiter
string_agg | S|X S|X|NUL?=None | 0 | null=yes tail=0,0 fold=2 check=delimiter
percentile_cont | D | D | null=yes tail=false
percentile_disc | D | D | null=yes tail=false,0,0,false
stddev | D | D | null=yes
stddev_samp | D | D | null=yes
stddev_pop | D | D | null=yes
std | D | D | null=yes
variance | D | D | null=yes
var_samp | D | D | null=yes
var_pop | D | D | null=yes
skewness | D | D | null=yes
kurtosis | D | D | null=yes
product | D | D | null=yes
corr | D D | D | null=yes
covar_pop | D D | D | null=yes
covar_samp | D D | D | null=yes
regr_slope | D D | D | null=yes
regr_intercept | D D | D | null=yes
regr_r2 | D D | D | null=yes
regr_sxx | D D | D | null=yes
regr_syy | D D | D | null=yes
regr_sxy | D D | D | null=yes
regr_avgx | N N | D | null=yes
regr_avgy | N N | D | null=yes
regr_count | N N | L | null=no
histogram_numeric | N|A|T|TN|YM|DT I | bins | null=yes tail=0,0 fold=2 check=bins
bool_and | B | B | null=yes
bool_or | B | B | null=yes
every | B | B | null=yes
some | B | B | null=yes
any | B | B | null=yes
bit_and | IL! | 0 | null=yes
bit_or | IL! | 0 | null=yes
bit_xor | IL! | 0 | null=yes
bitmap_construct_agg | L | X | null=no tail=0,0
bitmap_or_agg | X!! | X | null=no tail=0,0
bitmap_and_agg | X!! | X | null=no tail=0,0
count_min_sketch | IL|S|X! D! D! I|L! | X | null=no tail=0,0 fold=2,3,4 check=sketch
approx_top_k | * I?=5 I?=10000 | top | null=no tail=0,0 check=frequent
approx_top_k_accumulate | * I?=10000 | ? | null=no tail=0,0 check=frequent
approx_top_k_combine | ST I?=None | ? | check=state null=no tail=0,0
hll_sketch_agg | I|L|S|X! I!?=12 | X | null=no tail=0,0
hll_union_agg | X! B!?=false | X | null=no tail=0,0
theta_sketch_agg | I[]|L[]|X|D|F|I|L|S! I!?=12 | X | null=no tail=0,0
theta_union_agg | X! I!?=12 | X | null=no tail=0,0
theta_intersection_agg | X! | X | null=no tail=0,0
tuple_sketch_agg_double | I[]|L[]|X|D|F|I|L|S D I?=12 S?='sum' | X | null=no tail=0,0 fold=3,4 check=tuple
tuple_sketch_agg_integer | I[]|L[]|X|D|F|I|L|S I I?=12 S?='sum' | X | null=no tail=0,0 fold=3,4 check=tuple
tuple_union_agg_double | X I?=12 S?='sum' | X | null=no tail=0,0 check=tuple
tuple_union_agg_integer | X I?=12 S?='sum' | X | null=no tail=0,0 check=tuple
tuple_intersection_agg_double | X S?='sum' | X | null=no tail=0,0 check=tuple
tuple_intersection_agg_integer | X S?='sum' | X | null=no tail=0,0 check=tuple
kll_sketch_agg_bigint | Y|SH|I|L! I!? | X | null=no option tail=0,0 fold=2 check=kll
kll_sketch_agg_float | F! I!? | X | null=no option tail=0,0 fold=2 check=kll
kll_sketch_agg_double | F|D! I!? | X | null=no option tail=0,0 fold=2 check=kll
kll_merge_agg_bigint | X! I!? | X | null=no option tail=0,0 fold=2 check=kll
kll_merge_agg_float | X! I!? | X | null=no option tail=0,0 fold=2 check=kll
kll_merge_agg_double | X! I!? | X | null=no option tail=0,0 fold=2 check=kll
schema_of_variant_agg | VAR! | S | null=no tail=0,0
vector_avg | F[]!! | F[] | null=yes tail=0,0
vector_sum | F[]!! | F[] | null=yes tail=0,0
collect_union | R!! | 0 | null=no tail=0,0,true
measure | * | 0 | null=yes
"""
