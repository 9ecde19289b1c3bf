"""Functions of arrays and maps (the form is told in the package)."""

TABLE = """
size | R|M | I | tail=false! tolerant
cardinality | R|M | I | tail=false! tolerant
array_size | R | I
array_contains | R * | B
array_distinct | R | 0
array_position | R * | L
array_remove | R * | 0
array_append | R * | 0 | tolerant
array_prepend | R * | 0 | tolerant
array_insert | R I * | 0 | tail=false
array_compact | R | 0
array_max | R | elem | null=yes
array_min | R | elem | null=yes
array_join | S[] S S? | S | option
array_repeat | * I | 0[]
array_union | R R | 0
array_except | R R | 0
array_intersect | R R | 0
arrays_overlap | R R | B | null=yes
sort_array | R B?=true | 0 | fold=2
slice | R I I | 0
flatten | R | flat
element_at | R|M * | elem | tail=None,true! null=yes
try_element_at | R|M * | elem | null=yes
get | R I | elem | null=yes
map_keys | M | keys
map_values | M | values
map_entries | M | entries
map_from_arrays | R|NUL R|NUL | mfa
map_from_entries | R | mfe
map_concat | M... | 0
map_contains_key | M * | B
str_to_map | S! S!?=',' S!?=':' | MSS
"""
