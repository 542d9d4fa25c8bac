"""Runs random schemata on the naive reading and on every engine: the command behind `tests.random_schemata`."""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence

from schemata import ParsingSchema
from schemata.language.library import read_schema_text
from tests.engines_alike import TooLarge, differences
from tests.oracle import naive
from tests.random_drafts import Draft, shrink
from tests.random_schemata import random_draft

__all__ = ["grammars", "main", "what_differs"]

WORDS = (1, 2, 3, 4)
SECONDS = 60  # for one schema on one sentence: cutting long lists may take long between two looks at a budget


def grammars(n: int, seed: str) -> list[naive.Grammar]:
    """Return all links between n words, the links of one tree, and random ones."""
    rng = random.Random(seed)
    heads = [rng.choice([h for h in range(n + 1) if h != d]) for d in range(1, n + 1)]
    tree = frozenset(enumerate(heads, start=1))
    return [naive.all_links(n), rng.choice([tree, naive.random_grammar(rng, n, 0.4)])]


def what_differs(
    draft: Draft,
    seed: str,
    engines: Sequence[str],
    words: Sequence[int] = WORDS,
    tally: Counter[str] | None = None,
) -> list[str] | None:
    """Return what the engines do not agree on, None where the draft is no valid schema."""
    definition, _ = read_schema_text(draft.text)
    if definition is None:
        return None
    tally = Counter() if tally is None else tally
    derives = accepts = False
    schema = ParsingSchema(definition)
    for n in words:
        for links in grammars(n, f"{seed} {n}"):
            try:
                with _alarm():
                    truth, found = differences(schema, n, links, engines)
            except TooLarge:
                tally["runs too large"] += 1
                continue
            except Exception as error:
                found = [traceback.format_exc(limit=-4) if tally is not None else repr(error)]
            if found:
                return [f"{n} words, links {sorted(links)}:", *found]
            tally["runs"] += 1
            tally["items"] += len(truth.items)
            tally["instances"] += len(truth.instances)
            derives = derives or len(truth.instances) > n > 1
            accepts = accepts or truth.accepted
    tally["that derive something"] += derives
    tally["that accept something"] += accepts
    return []


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    """Give up after a minute, where the system has alarms and this is the main thread."""

    def ring(*_: object) -> None:
        raise TooLarge(f"more than {SECONDS} s")

    usable = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, ring) if usable else None
    try:
        if usable:
            signal.alarm(SECONDS)
        yield
    finally:
        if usable:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)


def report(draft: Draft, seed: str, engines: Sequence[str]) -> str:
    """Return the smallest failing schema with what differs."""
    words = [next(n for n in WORDS if what_differs(draft, seed, engines, [n]))]

    def fails(candidate: Draft) -> bool:
        return bool(what_differs(candidate, seed, engines, words))

    smallest = shrink(draft, fails)
    found = what_differs(smallest, seed, engines, words) or []
    return "\n".join([smallest.text, *found])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 1 if engines differ on some schema."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_schemata", description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="how many schemata (5000)")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first (1)")
    parser.add_argument("--engines", default="python", help="separated by commas (python)")
    parser.add_argument("--failures", type=int, default=1, help="stop after so many (1)")
    parser.add_argument("--show", action="store_true", help="print the schemata, and run nothing")
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    tally: Counter[str] = Counter()
    begun = shown = time.monotonic()
    failures = 0
    for number in range(options.seed, options.seed + options.count):
        draft = random_draft(random.Random(number))
        if options.show:
            print(draft.text)
            continue
        found = what_differs(draft, str(number), engines, tally=tally)
        tally["no valid schema" if found is None else "schemata"] += 1
        if found:
            failures += 1
            print(f"\n# schema {number}\n{report(draft, str(number), engines)}\n", flush=True)
            if failures >= options.failures:
                break
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            print(
                f"{number - options.seed + 1} of {options.count}, {shown - begun:.0f} s",
                end="\r",
                file=sys.stderr,
            )
    print(
        f"{', '.join(f'{value:,} {key}' for key, value in sorted(tally.items()))}; engines {options.engines}; "
        f"{failures} failures; {time.monotonic() - begun:.0f} s"
    )
    return 1 if failures else 0
