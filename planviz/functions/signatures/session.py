"""Hashes, JSON and CSV, the session, the rest (the form: `signatures/__init__.py`)."""

TABLE = """
md5 | X | S
sha | X | S
sha1 | X | S
sha2 | X I | S | null=yes
crc32 | X | L
get_json_object | S! S! | S | null=yes tolerant
uuid | I|L!? | S | random null=no fold=1
monotonically_increasing_id | | L | random null=no
spark_partition_id | | I | random null=no sql=SPARK_PARTITION_ID
input_file_name | | S | random null=no
json_object_keys | S! | S[]n | null=yes
json_array_length | S! | I | null=yes
typeof | * | S | null=no
version | | S | null=no
current_catalog | | S | null=no
current_schema | | S | null=no
current_user | | S | null=no
input_file_block_start | | L | random null=no
java_method | S! S! *... | S | null=yes random tail=true fold=1,2 early
reflect | S! S! *... | S | null=yes random tail=true fold=1,2 early
current_path | | S | null=no
try_reflect | S! S! *... | S | null=yes random fold=1,2 early
input_file_block_length | | L | random null=no
"""
