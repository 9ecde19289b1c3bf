"""Functions of strings (the form: `signatures/__init__.py`)."""

TABLE = """
upper | S | 0
lower | S | 0
ucase | S | 0
lcase | S | 0
length | S|X | I
len | S|X | I
char_length | S|X | I
character_length | S|X | I
bit_length | S|X | I
octet_length | S|X | I
initcap | S | 0
reverse | S|X|R | 0
repeat | S I | 0
replace | SA SA SA?='' | 0
translate | SA SA SA | 0
ascii | S | I
base64 | X | S
to_base32 | X | S
from_base32 | S | X
hmac | X X S?='SHA-256' | X | null=yes
unbase64 | S | X | tail=false
hex | L|X|S | S
unhex | S | X | null=yes tail=false
format_number | N! I|S! | S | null=yes
format_string | S *... | S | null=first tolerant
printf | S *... | S | null=first tolerant
char | L | S
chr | L | S
left | S|X I | 0
right | S I | 0 | null=yes
soundex | S! | S
levenshtein | S S I? | I | option
jaro_winkler_similarity | S S | D | null=yes
space | I | S
find_in_set | S S | I
instr | SA SA I? I? | I
lpad | S I S?=' ' | 0
rpad | S I S?=' ' | 0
concat_ws | S S[]|S... | 0 | null=first tolerant
elt | I S|X S|X... | 1 | null=yes tail=true! unfolded tolerant
split | SL SL I?=-1 | 0[]!
split_part | SA SA I | 0 | null=yes
substring_index | SA SA I | 0
regexp_replace | SL SL SL I?=1 | 0 | check=position
regexp_extract | SL SL I?=1 | 0
regexp_extract_all | SL SL I?=1 | 0[]n
regexp_count | SL SL | I
regexp_substr | SL SL | 0 | null=yes
regexp_instr | SL SL I?=0 | I
encode | S S | X | null=yes
decode | X S | S | null=yes
is_valid_utf8 | S | B | null=yes
make_valid_utf8 | S | 0 | null=yes
validate_utf8 | S | 0 | null=yes
try_validate_utf8 | S | 0 | null=yes
luhn_check | S | B
sentences | S S?='' S?='' | S[][] | null=yes tolerant
quote | S | S | null=yes
parse_url | S!... | S | null=yes tail=true! most=3
try_parse_url | S!... | S | null=yes most=3
url_encode | S | S | null=yes
url_decode | S | S | tail=true null=yes
try_url_decode | S | S | null=yes
to_number | S S | number | fold=2
try_to_number | S S | number | null=yes fold=2
mask | S! S!?='X' S!?='x' S!?='n' S!?=None | 0 | tolerant fold=2,3,4,5 check=mask
collation | S! | S | null=no
randstr | SH|I! I|L!? | S | random tail=false null=no fold=1,2 check=length
"""
