"""Functions of numbers (the form: `signatures/__init__.py`)."""

TABLE = """
sqrt | D | D | sql=SQRT null=yes
cbrt | D | D | sql=CBRT null=yes
exp | D | D | sql=EXP null=yes
expm1 | D | D | sql=EXPM1 null=yes
ln | D | D | null=yes
log10 | D | D | sql=LOG10 null=yes
log2 | D | D | sql=LOG2 null=yes
log1p | D | D | sql=LOG1P null=yes
power | D D | D | sql=POWER
pow | D D | D
sin | D | D | sql=SIN null=yes
cos | D | D | sql=COS null=yes
tan | D | D | sql=TAN null=yes
cot | D | D | sql=COT null=yes
csc | D | D | sql=CSC null=yes
sec | D | D | sql=SEC null=yes
asin | D | D | sql=ASIN null=yes
acos | D | D | sql=ACOS null=yes
atan | D | D | sql=ATAN null=yes
atan2 | D D | D | sql=ATAN2
sinh | D | D | sql=SINH null=yes
cosh | D | D | sql=COSH null=yes
tanh | D | D | sql=TANH null=yes
asinh | D | D | sql=ASINH null=yes
acosh | D | D | sql=ACOSH null=yes
atanh | D | D | sql=ATANH null=yes
degrees | D | D | sql=DEGREES null=yes
radians | D | D | sql=RADIANS null=yes
rint | D | D | sql=rint null=yes
sign | D|YM|DT | D | null=yes
signum | D|YM|DT | D | sql=SIGNUM null=yes
hypot | D D | D | sql=HYPOT
pi | | D | sql=PI null=no
factorial | I | L | null=yes
round | N I?=0 | round | fold=2 tolerant overflow null=yes
bround | N I?=0 | round | fold=2 tolerant overflow null=yes
ceil | D|DEC|L | ceil | sql=CEIL null=yes
ceiling | D|DEC|L | ceil | null=yes
floor | D|DEC|L | ceil | sql=FLOOR null=yes
isnan | D|F | B | null=no
nanvl | D D | D | tolerant
rand | I|L|NUL!? | D | random null=no
random | I|L|NUL!? | D | random null=no sql=rand
randn | I|L|NUL!? | D | random null=no
uniform | N! N! I|L!? | between | random tail=false,ZONE fold=1,2,3
bit_count | IL|B! | I
bit_get | IL I | Y
getbit | IL I | Y
width_bucket | D|YM|DT D|YM|DT D|YM|DT L | L | null=yes check=range
bin | L | S
conv | S I I | S | tail=true! null=yes
"""
