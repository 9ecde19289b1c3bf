"""Functions of dates, timestamps and intervals (the form: `signatures/__init__.py`)."""

TABLE = """
year | A | I
month | A | I
day | A | I
dayofmonth | A | I
dayofyear | A | I
dayofweek | A | I
weekday | A | I
weekofyear | A | I
quarter | A | I
dayname | A | S
monthname | A | S
hour | TT | I | zone
minute | TT | I | zone
second | TT | I | zone
last_day | A | A
next_day | A S | A | tail=true! null=yes
add_months | A I | A
date_add | A! I|SH|Y! | A
dateadd | A! I|SH|Y! | A | as=date_add
date_sub | A! I|SH|Y! | A
datediff | A A | I
date_diff | A A | I
months_between | T T B?=true | D | zone
trunc | A S | A | null=yes tolerant
date_trunc | S T | T | zone null=yes tolerant
date_format | T|TM S | S | zone
from_unixtime | L S?='yyyy-MM-dd HH:mm:ss' | S | zone null=yes
unix_date | A! | I
date_from_unix_date | I | A
unix_seconds | T|TN! | L
unix_millis | T|TN! | L
unix_micros | T|TN! | L
timestamp_seconds | N! | T | null=yes
timestamp_millis | IL! | T
timestamp_micros | IL! | T
make_date | I I I | A | tail=true!
make_interval | I?=0 I?=0 I?=0 I?=0 I?=0 I?=0 U18?=0.000000 | V | tail=true!
try_make_interval | I I?=0 I?=0 I?=0 I?=0 I?=0 U18?=0.000000 | V | null=yes plain
make_dt_interval | I?=0 I?=0 I?=0 U18?=0.000000 | DT
make_ym_interval | I?=0 I?=0 | YM
to_utc_timestamp | T S | T
from_utc_timestamp | T S | T
convert_timezone | S S TN | TN
time_bucket | DT|YM! TT! TT! | bucket | zone check=bucket
current_timezone | | S | null=no
to_unix_timestamp | S|A|T|TN! S!?='yyyy-MM-dd HH:mm:ss' | L | tail=ZONE,true!
window_time | ST | T
"""
