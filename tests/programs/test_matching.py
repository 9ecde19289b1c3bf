"""What programs do with match, itertools, re and classes: each value is the one that Python gives."""

from __future__ import annotations

import pytest

from planviz.programs import read_program
from tests.programs.test_python import value_of

_NODES = """
from dataclasses import dataclass
@dataclass
class Num: value: float
@dataclass
class Bin:
    op: str
    left: object
    right: object
class Pair:
    __match_args__ = ('b', 'a')
    def __init__(self, a, b): self.a, self.b = a, b
def shown(e):
    match e:
        case Num(value=v): return v
        case Bin('+', l, r): return f'({shown(l)} plus {shown(r)})'
        case Bin(op, left=l) if op == 'not': return f'not {shown(l)}'
        case Pair(x): return x
        case {'table': t, **rest} if rest: return (t, rest)
        case {'table': t}: return t
        case str(s) | int(s): return s
        case _: return None
"""
_KEPT = """
class Repo:
    def __init__(self): self.names = ['a']
    def __contains__(self, k): return k in self.names
r = Repo()
"""
_SIGNS = """
class Sign:
    def __init__(self, n): self.n = n
    def __neg__(self): return -self.n
    def __lt__(self, other): return self.n < other.n
"""
_QUEUE = """
from collections import deque
q = deque([1, 2])
q.append(3)
q.appendleft(0)
"""
_POINT = """
from dataclasses import dataclass, replace, asdict, fields
@dataclass
class Point:
    x: int
    y: int = 2
p = Point(1)
"""
_REGISTER = """
class Job:
    known = {}
    def __init_subclass__(cls, kind='plain', **kw): Job.known[cls.name] = kind
class A(Job):
    name = 'a'
class B(A, kind='new'):
    name = 'b'
"""


@pytest.mark.parametrize(
    ("before", "expression"),
    [
        (
            _NODES,
            "[shown(Num(1)), shown(Bin('+', Num(1), Num(2))), shown(Bin('not', Num(3), 0)), shown(Pair(1, 2))]",
        ),
        (_NODES, "[shown({'table': 'x'}), shown({'table': 'x', 'n': 1}), shown('s'), shown(4), shown(2.5)]"),
        (_KEPT, "['a' in r, 'b' in r, 'a' not in r, 'b' not in r]"),
        (_REGISTER, "sorted(Job.known.items())"),
        ("import re", "re.sub(r'(?<!^)(?=[A-Z])', '_', 'FirstName').lower()"),
        ("import re", "re.sub('[a-z]', '', 'aBc1', flags=re.I) + re.sub('a', 'b', 'aaa', count=1)"),
        ("import re", "re.sub(r'_(\\w)', lambda m: m.group(1).upper(), 'first_name_of')"),
        ("import re\np = re.compile(r'(\\w)(\\d+)')", "[p.match('a12')[2], p.sub(r'\\2', 'a1 b2'), p.findall('a1b2')]"),
        ("import itertools as it", "[(k, list(g)) for k, g in it.groupby(['aa', 'ab', 'b'], key=lambda s: s[0])]"),
        ("import itertools as it", "list(it.accumulate([1, 2, 3])) + list(it.islice(it.count(5), 2))"),
        ("import itertools as it", "[list(it.permutations('ab')), list(it.pairwise([1, 2, 3]))]"),
        ("from typing import cast", "cast(int, 7) + 1"),
        (_SIGNS, "[-Sign(3), str(sorted([Sign(2), Sign(1)])[0].n), Sign(1) < Sign(2)]"),
        (_QUEUE, "[q.popleft(), q[0], len(q)]"),
        (
            "from collections import Counter",
            "[Counter('abca')['a'], Counter('abca')['z'], Counter('abca').most_common(1)]",
        ),
        (_POINT, "[replace(p, y=5).y, asdict(p), [f.name for f in fields(p)]]"),
        ("def f(): return 4", "globals()['f']()"),
    ],
)
def test_a_value_is_as_in_python(before, expression):
    names: dict[str, object] = {}
    exec(before, names)
    assert value_of(before, expression) == str(eval(expression, names))


def test_a_pattern_that_would_take_long_is_not_tried():
    text = "import re\nx = re.sub(r'(?=(a+)+$)b', '', 'a' * 40 + 'c')\nspark.range(1).toDF(str(x)).show()\n"
    (action,) = read_program(text).actions
    assert "re.sub" in action.execution.analyzed.output[0].name
