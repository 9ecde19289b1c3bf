"""Rows, bytes and times in one form: what Python says and what the browser's script says are the same."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest

import planviz.render.web
from planviz.units import byte_size, duration, exact, short

NUMBERS = [0, 1, 7, 950, 999.4, 999.6, 1_023, 1_024, 1_351, 2_047, 2_048, 6_400, 9_960, 12_250, 12_345, 99_949, 99_951]
NUMBERS += [
    999_499,
    999_999,
    24_000_000,
    287_997_024,
    500_000_000,
    3_400_000_000,
    11_600_000_000,
    1.2e12,
    10**14,
    10**15,
]
NUMBERS += [10**16, 1 << 61, (1 << 63) - 1, 10_000 << 60, 2.7e40, 2.3536094438568185e22 * 2**60, 2e30]
TIMES = [0, 0.004, 0.42, 0.996, 1, 3.14, 9.94, 9.96, 42.5, 850, 999.4, 999.6, 4_200, 59_949, 59_951, 187_000, 7_500_000]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (950, "950"),
        (999.6, "1K"),
        (1_234, "1.2K"),
        (9_960, "10K"),
        (12_345, "12.3K"),
        (999_499, "999K"),
        (999_999, "1M"),
        (24_000_000, "24M"),
        (287_997_024, "288M"),
        (3_400_000_000, "3.4B"),
        (1.2e12, "1.2T"),
        (9.99e14, "999T"),
        (9.996e14, ">10¹⁵"),
        (2e30, ">10¹⁵"),
    ],
)
def test_counts_in_short(number: float, said: str) -> None:
    assert short(number) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 B"),
        (1_351, "1351 B"),
        (6_400, "6.3 KiB"),
        (11 << 10, "11 KiB"),
        (500_000_000, "476.8 MiB"),
        ((1 << 63) - 1, "8 EiB"),
        (10**36 * 217, "over 10,000 EiB"),
        (2.7e40, "over 10,000 EiB"),
        (10**400, "over 10,000 EiB"),
        (math.inf, "over 10,000 EiB"),
    ],
)
def test_bytes_never_have_a_row_of_digits(number: float, said: str) -> None:
    assert byte_size(number) == said


def test_exact_numbers_stay_readable() -> None:
    assert exact(1_234_567) == "1,234,567"
    assert exact(int(2.3536094438568185e22)) == "2.4e22"


def test_times() -> None:
    said = [duration(ms) for ms in (0.42, 3.14, 42.5, 999.6, 4_200, 187_000, 7_500_000)]
    assert said == ["0.42 ms", "3.1 ms", "43 ms", "1.0 s", "4.2 s", "3 min 07 s", "2 h 05 min"]


def test_the_browser_says_the_same() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here to run the browser's module with")
    module = (Path(planviz.render.web.__file__).parent / "units.js").as_uri()
    program = f"""import {{ byteSize, duration, grouped, short }} from {json.dumps(module)};
    const numbers = {json.dumps(NUMBERS)}, times = {json.dumps(TIMES)};
    const told = [numbers.map(short), numbers.map(byteSize), numbers.map(grouped), times.map(duration)];
    console.log(JSON.stringify(told));"""
    told = subprocess.run(
        [node, "--input-type=module", "-e", program], capture_output=True, text=True, check=True, timeout=60
    )
    shorts, sizes, groups, times = json.loads(told.stdout)
    assert shorts == [short(n) for n in NUMBERS]
    assert sizes == [byte_size(n) for n in NUMBERS]
    assert groups == [exact(n) for n in NUMBERS]
    assert times == [duration(t) for t in TIMES]
