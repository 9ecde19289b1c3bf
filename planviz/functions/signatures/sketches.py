"""Functions of binary values: bitmaps, sketches, encryption, geography, vectors; variants and XML."""

TABLE = """
bitmap_bit_position | L | L
bitmap_bucket_number | L | L
bitmap_count | X!! | L
aes_encrypt | X X S?='GCM' S?='DEFAULT' X?='' X?='' | X | null=yes
aes_decrypt | X X S?='GCM' S?='DEFAULT' X?='' | X | null=yes
try_aes_decrypt | X X S?='GCM' S?='DEFAULT' X?='' | X | null=yes plain
hll_sketch_estimate | X! | L
hll_union | X! X! B!?=false | X
theta_sketch_estimate | X! | L
theta_union | X! X! I!?=12 | X
theta_intersection | X! X! | X
theta_difference | X! X! | X
tuple_sketch_estimate_double | X! | D
tuple_sketch_estimate_integer | X! | D
tuple_sketch_theta_double | X! | D
tuple_sketch_theta_integer | X! | D
tuple_sketch_summary_double | X! S!?='sum' | D | check=tuple
tuple_sketch_summary_integer | X! S!?='sum' | L | check=tuple
tuple_union_double | X! X! I!?=12 S!?='sum' | X | check=tuple
tuple_union_integer | X! X! I!?=12 S!?='sum' | X | check=tuple
tuple_union_theta_double | X! X! I!?=12 S!?='sum' | X | check=tuple
tuple_union_theta_integer | X! X! I!?=12 S!?='sum' | X | check=tuple
tuple_intersection_double | X! X! S!?='sum' | X | check=tuple
tuple_intersection_integer | X! X! S!?='sum' | X | check=tuple
tuple_intersection_theta_double | X! X! S!?='sum' | X | check=tuple
tuple_intersection_theta_integer | X! X! S!?='sum' | X | check=tuple
tuple_difference_double | X! X! | X
tuple_difference_integer | X! X! | X
tuple_difference_theta_double | X! X! | X
tuple_difference_theta_integer | X! X! | X
kll_sketch_to_string_bigint | X | S
kll_sketch_to_string_float | X | S
kll_sketch_to_string_double | X | S
kll_sketch_get_n_bigint | X | L
kll_sketch_get_n_float | X | L
kll_sketch_get_n_double | X | L
kll_sketch_merge_bigint | X X | X
kll_sketch_merge_float | X X | X
kll_sketch_merge_double | X X | X
kll_sketch_get_quantile_bigint | X D|D[] | quantile:L | fold=2 early
kll_sketch_get_quantile_float | X D|D[] | quantile:F | fold=2 early
kll_sketch_get_quantile_double | X D|D[] | quantile:D | fold=2 early
kll_sketch_get_rank_bigint | X L|L[] | quantile:D | fold=2 early
kll_sketch_get_rank_float | X F|F[] | quantile:D | fold=2 early
kll_sketch_get_rank_double | X D|D[] | quantile:D | fold=2 early
approx_top_k_estimate | ST I?=5 | ? | check=state
st_asbinary | GEOG|GEOM S?='NDR' | X
st_geogfromwkb | X | GEOG
st_geomfromwkb | X I?=0 | GEOM
st_setsrid | GEOG|GEOM I | srid
st_srid | GEOG|GEOM | I
vector_cosine_similarity | F[]!! F[]!! | F | null=yes
vector_inner_product | F[]!! F[]!! | F
vector_l2_distance | F[]!! F[]!! | F
vector_norm | F[]!! F!?=2.0F | F
vector_normalize | F[]!! F!?=2.0F | F[]
parse_json | S! | VAR | tail=true
try_parse_json | S! | VAR | null=yes tail=false
is_variant_null | VAR! | B | null=no tolerant
is_valid_variant | VAR! | B
schema_of_variant | VAR! | S
to_variant_object | * | VAR | check=object
variant_set | VAR! S! * B!?=true | VAR | null=yes tail=true
try_variant_set | VAR! S! * B!?=true | VAR | null=yes tail=false
variant_insert | VAR! S! * | VAR | null=yes tail=true
try_variant_insert | VAR! S! * | VAR | null=yes tail=false
variant_array_append | VAR! S! * | VAR | null=yes tail=true
try_variant_array_append | VAR! S! * | VAR | null=yes tail=false
variant_strip_nulls | VAR! B!?=true | VAR
xpath | S! S! | S[]n | null=yes fold=2 early
xpath_boolean | S! S! | B | fold=2 early null=yes
xpath_short | S! S! | SH | fold=2 early null=yes
xpath_int | S! S! | I | fold=2 early null=yes
xpath_long | S! S! | L | fold=2 early null=yes
xpath_float | S! S! | F | fold=2 early null=yes
xpath_double | S! S! | D | fold=2 early null=yes
xpath_number | S! S! | D | fold=2 early null=yes
xpath_string | S! S! | S | null=yes fold=2 early
"""
