"""Functions of numbers (the form is told in the package)."""

TABLE = """
sqrt | D | D | sql=SQRT
cbrt | D | D | sql=CBRT
exp | D | D | sql=EXP
expm1 | D | D | sql=EXPM1
ln | D | D | null=yes
log10 | D | D | sql=LOG10 null=yes
log2 | D | D | sql=LOG2 null=yes
log1p | D | D | sql=LOG1P null=yes
power | D D | D | sql=POWER
pow | D D | D
sin | D | D | sql=SIN
cos | D | D | sql=COS
tan | D | D | sql=TAN
cot | D | D | sql=COT
csc | D | D | sql=CSC
sec | D | D | sql=SEC
asin | D | D | sql=ASIN
acos | D | D | sql=ACOS
atan | D | D | sql=ATAN
atan2 | D D | D | sql=ATAN2
sinh | D | D | sql=SINH
cosh | D | D | sql=COSH
tanh | D | D | sql=TANH
asinh | D | D | sql=ASINH
acosh | D | D | sql=ACOSH
atanh | D | D | sql=ATANH
degrees | D | D | sql=DEGREES
radians | D | D | sql=RADIANS
rint | D | D | sql=rint
sign | D|YM|DT | D
signum | D|YM|DT | D | sql=SIGNUM
hypot | D D | D | sql=HYPOT
pi | | D | sql=PI null=no
factorial | I | L | null=yes
round | N I?=0 | round | fold=2 tolerant overflow
bround | N I?=0 | round | fold=2 tolerant overflow
ceil | D|DEC|L | ceil | sql=CEIL
ceiling | D|DEC|L | ceil
floor | D|DEC|L | ceil | sql=FLOOR
isnan | D|F | B | null=no
nanvl | D D | D | tolerant
rand | I|L|NUL!? | D | random null=no
random | I|L|NUL!? | D | random null=no sql=rand
randn | I|L|NUL!? | D | random null=no
uniform | N! N! I|L!? | common2 | random tail=false,ZONE fold=1,2,3
bit_count | IL|B! | I
bit_get | IL I | Y
getbit | IL I | Y
width_bucket | D|YM|DT D|YM|DT D|YM|DT L | L | null=yes check=range
bin | L | S
conv | S I I | S | tail=true! null=yes
"""
