"""Functions of arrays and maps (the form: `signatures/__init__.py`)."""

TABLE = """
size | R|M! | I | tail=false! tolerant
cardinality | R|M! | I | tail=false! tolerant
array_size | R | I
array_contains | R!! * | B | check=element
array_distinct | R! | 0 | check=ordered
array_position | R!! * | L | check=element
array_remove | R!! * | 0 | check=element
array_append | R!! * | 0 | tolerant check=element
array_prepend | R!! * | 0 | tolerant check=element
array_insert | R!! I! * | 0 | tail=false check=element tolerant
array_compact | R | compact
array_max | R | elem | null=yes check=ordered
array_min | R | elem | null=yes check=ordered
array_join | S[] S! S!? | S | option tolerant
array_repeat | * I! | 0[] | tolerant
array_union | R!! R!! | 0 | check=arrays
array_except | R!! R!! | 0 | check=arrays
array_intersect | R!! R!! | 0 | check=arrays
arrays_overlap | R!! R!! | B | null=yes check=arrays
sort_array | R! B!?=true | 0 | fold=2 early check=ordered
slice | R I I | 0
flatten | R | flat | check=nested
element_at | R|M!! * | elem | tail=None,true! null=yes check=at
try_element_at | R|M!! * | elem | null=yes check=at
get | R!! I | elem | null=yes
map_keys | M! | keys
map_values | M! | values
map_entries | M! | entries
map_from_arrays | R|NUL! R|NUL! | mfa
map_from_entries | R!! | mfe
map_concat | M!!... | 0 | check=maps tolerant
map_contains_key | M * | B | check=key null=yes
str_to_map | S! S!?=',' S!?=':' | MSS
"""
