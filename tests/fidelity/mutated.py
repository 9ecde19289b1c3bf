"""Texts of Spark with pieces changed, replayed: `python -m tests.fidelity.mutated [--count N] [--seed N] [--folder F]`.

Every text is cut, has lines dropped, doubled, moved, indented, or characters and words changed, by chance from a seed.
Told are exceptions and texts that took longer than 2 s of processor time, with their seeds; the count is what was run.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback

from planviz.document import open_text
from planviz.document.opening.replays import replayed, replays
from planviz.errors import PlanvizError
from tests.fidelity.reading import texts

FOLDERS = ("tpcds/captures/nocbo-aqeon", "versions/3.1.3/tpcds", "versions/3.5.9/tpcds", "weird", "programs", "old")
LIMIT = 2.0


def mutated(text: str, chance: random.Random) -> str:
    """A text with one to four pieces changed."""
    for _ in range(chance.randint(1, 4)):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        kind = chance.randrange(8)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif kind == 2:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        elif kind == 3:
            lines[at] = "   " + lines[at]
        elif kind == 4:
            lines = lines[: max(at, 1)]
        elif kind == 5 and lines[at]:
            place = chance.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + chance.choice("()[]#,'\"=`:+-L0 ~\u00e9") + lines[at][place + 1 :]
        elif kind == 6:
            words = lines[at].split(" ")
            chance.shuffle(words)
            lines[at] = " ".join(words)
        elif kind == 7:
            lines[at] = lines[at].replace(chance.choice("([#,"), chance.choice(")]#("), chance.randint(1, 3))
        text = "\n".join(lines)
    return text


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", action="append")
    parser.add_argument("--most", type=int, default=40_000, help="characters of a text at most")
    options = parser.parse_args(arguments)
    known = [t for folder in options.folder or FOLDERS for t in texts(folder, 3) if len(t[1]) <= options.most]
    failed = slow = refused = 0
    longest = 0.0
    for seed in range(options.seed, options.seed + options.count):
        chance = random.Random(seed)
        name, text = known[chance.randrange(len(known))]
        changed = mutated(text, chance)
        begin = time.process_time()
        try:
            document = open_text(changed)
            if seed % 4:
                replays(document)
            else:
                replayed(document)
        except PlanvizError:
            refused += 1
        except Exception:
            failed += 1
            print(f"seed {seed}, {name}: {traceback.format_exc(limit=-3)}", flush=True)
        took = time.process_time() - begin
        longest = max(longest, took)
        if took > LIMIT:
            slow += 1
            print(f"seed {seed}, {name}: {took:.1f} s", flush=True)
    counts = f"{failed} exceptions, {slow} slow, {refused} no plans any more; longest {longest:.2f} s"
    print(f"{options.count} texts from seed {options.seed}: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
