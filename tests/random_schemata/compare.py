"""Runs random schemata on the naive reading and on every engine: the command `python -m tests.random_schemata`."""

import argparse
import contextlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from schemata import ParsingSchema
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.thresholds import EFFORTS, WAYS, changed
from tests.oracle import naive
from tests.oracle.facts import random_facts
from tests.oracle.rule_systems import random_cfg
from tests.oracle.rules import random_dependency_grammar
from tests.random_schemata.drafts import Draft, shrink
from tests.random_schemata.writer import GRAMMARS, random_draft
from tests.support.engines import (
    GivenGrammar,
    Refused,
    TooLarge,
    TooLong,
    differences,
    has_order,
    is_lowerable,
    of_inputs,
)

WORDS = (1, 2, 3, 4)
SECONDS = 30  # for one schema on one sentence
PROOF = 5.0  # seconds in which an order is looked for
PATIENCE = 120  # seconds in which a smaller schema is looked for
LARGE = WAYS.optimised_lines
PORTION = 20  # schemata between two reports of a process
TURNED: dict[str, tuple[float, ...]] = {  # thresholds that small schemata would leave on one side
    "dense_places": (-1,), "met_places": (16,), "noted_entries": (16, 64), "fan_words": (0, 2), "first_work": (20,),
    "slice_work": (10,), "block_lines": (10,), "part_lines": (10,), "kept_answers": (1,), "pool_entries": (2,),
    "chain_columns": (2, 9), "binomial_rows": (1,), "key_columns": (1, 2), "carried_columns": (0, 1),
    "ranged_columns": (0, 1), "tuple_parts": (1, 2), "unpacked_lists": (1,), "kept_bytes": (0,), "kept_lengths": (1,),
    "spread_places": (0,), "ordered_columns": (2, 3), "ordered_writings": (1,), "derived_constraints": (1,),
    "threadless_places": (0,), "array_steps": (0, 10**9), "numpy_steps": (0, 10**9), "few_states": (1,),
    "states_at_once": (1,), "newton_slow": (0,), "limbs": (1,), "edges_together": (3,),
    "split_kinds": (1, 2), "writings_room": (1,), "kept_writings": (1,), "alternatives": (1, 4), "disjuncts": (1, 4),
    "written_steps": (0,), "kept_measures": (1,), "sparse_places": (0,),
}  # fmt: skip


def grammars(n: int, seed: str, kind: str = "d-rules", schema: m.Schema | None = None) -> list[GivenGrammar]:
    """Return all links between n words, and the links of one tree or random ones; or two grammars of rules or facts."""
    rng = random.Random(seed)
    if kind == "facts" and schema is not None:
        return [random_facts(rng, n, schema.relations, len(schema.inputs) or 1) for _ in range(2)]
    if kind == "dependency-rules":
        return [replace(random_dependency_grammar(rng, n), weighted=k > 0) for k in range(2)]
    if kind == "context-free":
        some = [random_cfg(rng, n, normal_form=normal) for normal in (True, False)]
        return [replace(one, weighted=rng.random() < 0.5) for one in some]
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
    """Return what the engines do not agree on, None where the draft is no valid schema.

    With a tally for many schemata, each is run with two grammars of one length and one of each other.
    """
    definition, _ = read_schema_text(draft.text)
    if definition is None:
        return None
    derives = accepts = compared = False
    schema = ParsingSchema(definition)
    runs = [(n, given) for n in words for given in grammars(n, f"{seed} {n}", draft.grammar, definition)]
    if tally is not None:
        length = int(seed) % len(words)
        runs = [run for k, run in enumerate(runs) if k // 2 == length or (k + length) % 2]
    tally = Counter() if tally is None else tally
    for n, given in runs:
        try:
            with _alarm():
                truth, found = differences(schema, n, given, engines, turn=int(seed))
        except TooLong as reason:
            tally[f"given up: {reason}"] += 1
            break  # longer sentences take longer
        except TooLarge as reason:
            tally[f"given up: {reason}"] += 1
            continue
        except (
            Refused
        ):  # one that lacks what it needs: random ones have it, those that are made smaller may not
            tally["given up: the schema cannot be run"] += 1
            continue
        except Exception:
            found = [traceback.format_exc(limit=-4)]
        if found:
            shown = f"links {sorted(given)}" if isinstance(given, frozenset) else given
            return [f"{n} words, {shown}:", *found]
        tally["runs"] += 1
        tally["items"] += len(truth.items)
        tally["instances"] += len(truth.instances)
        compared = True
        derives = derives or len(truth.instances) > n > 1
        accepts = accepts or truth.accepted
    tally["that derive something"] += derives
    tally["that accept something"] += accepts
    tally["of which no run could be compared"] += not compared
    schema = of_inputs(schema, runs[-1][1])
    tally["that native kernels run"] += is_lowerable(schema, engines)
    tally["with a proved order"] += has_order(schema, engines)
    return []


@contextlib.contextmanager
def _alarm() -> Iterator[None]:
    """Give up after a while, where the system has alarms and this is the main thread."""

    def ring(*_: object) -> None:
        raise TooLong(f"more than {SECONDS} s with all engines")

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

    end = time.monotonic() + PATIENCE

    def fails(candidate: Draft) -> bool:
        return time.monotonic() < end and bool(what_differs(candidate, seed, engines, words))

    smallest = shrink(draft, fails)
    found = what_differs(smallest, seed, engines, words) or []
    return "\n".join([smallest.text, *found])


def random_thresholds(rng: random.Random) -> dict[str, float]:
    """Return values for some thresholds, in one of three cases, on the other side of small schemata than usual."""
    if rng.randrange(3):
        return {}
    return {name: rng.choice(values) for name, values in TURNED.items() if rng.randrange(3) == 0}


def _compare(numbers: range, engines: Sequence[str], grammar: str | None) -> tuple[Counter[str], list[str]]:
    """Compare the engines on some schemata; returns figures, and a report for each on which they differ."""
    EFFORTS.solver_seconds = PROOF
    tally: Counter[str] = Counter()
    reports: list[str] = []
    for number in numbers:
        draft = random_draft(random.Random(number), grammar)
        WAYS.optimised_lines = (
            0 if number % 4 else LARGE
        )  # most are compiled with as few passes as large kernels
        with changed(**random_thresholds(random.Random(f"{number} thresholds"))):
            found = what_differs(draft, str(number), engines, tally=tally)
        tally["contradict themselves" if found is None else "schemata"] += 1
        if found:
            thresholds = random_thresholds(random.Random(f"{number} thresholds"))
            with changed(**thresholds):
                shown = report(draft, str(number), engines)
            reports.append(f"# schema {number}{f', {thresholds}' if thresholds else ''}\n{shown}")
    return tally, reports


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 1 if engines differ on some schema."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_schemata", description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="how many schemata (5000)")
    parser.add_argument("--seed", type=int, default=1, help="the number of the first (1)")
    parser.add_argument("--engines", default="python", help="separated by commas (python)")
    parser.add_argument("--grammar", choices=dict.fromkeys(GRAMMARS), help="only schemata over such grammars")
    parser.add_argument("--failures", type=int, default=1, help="stop after so many (1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--show", action="store_true", help="print the schemata, and run nothing")
    options = parser.parse_args(arguments)
    numbers = range(options.seed, options.seed + options.count)
    if options.show:
        for number in numbers:
            print(random_draft(random.Random(number), options.grammar).text)
        return 0
    tally: Counter[str] = Counter()
    begun = time.monotonic()
    failures = done = 0
    with contextlib.ExitStack() as stack:
        portions = [numbers[k : k + PORTION] for k in range(0, len(numbers), PORTION)]
        for found, reports in _results(portions, options, stack):
            tally += found
            done += found["schemata"] + found["contradict themselves"]
            for text in reports:
                failures += 1
                print(f"\n{text}\n", flush=True)
            spent = time.monotonic() - begun
            print(f"{done} of {options.count}, {spent:.0f} s", end="\r", file=sys.stderr)
            if failures >= options.failures:
                break
    print(_summary(tally, options.engines, failures, time.monotonic() - begun))
    return 1 if failures else 0


def _results(
    portions: Sequence[range], options: argparse.Namespace, stack: contextlib.ExitStack
) -> Iterator[tuple[Counter[str], list[str]]]:
    """Return the results of portions, in processes where there are to be several.

    Kernels and orders are kept in a folder of the run's own: they are of no use to anyone else.
    """
    os.environ["XDG_CACHE_HOME"] = stack.enter_context(tempfile.TemporaryDirectory())
    compare = partial(_compare, engines=options.engines.split(","), grammar=options.grammar)
    if options.jobs == 1:
        return map(compare, portions)
    pool = stack.enter_context(multiprocessing.get_context("spawn").Pool(options.jobs))
    return pool.imap(compare, portions)


def _summary(tally: Counter[str], engines: str, failures: int, seconds: float) -> str:
    """Return one line that says what was run."""
    shown = [
        "that native kernels run", "with a proved order", "that derive something", "that accept something",
        "of which no run could be compared",
    ]  # fmt: skip
    parts = ", ".join(f"{tally[key]:,} {key}" for key in shown)
    given_up = {key.removeprefix("given up: "): value for key, value in tally.items() if "given up" in key}
    reasons = ", ".join(f"{value:,} {reason}" for reason, value in sorted(given_up.items()))
    return (
        f"{tally['schemata']:,} schemata ({tally['contradict themselves']:,} more contradict themselves), {parts}; "
        f"{tally['runs']:,} runs with {tally['items']:,} items and {tally['instances']:,} instances; "
        f"{sum(given_up.values()):,} runs given up{f' ({reasons})' if reasons else ''}; "
        f"engines {engines}; {failures} differences; {seconds:.0f} s"
    )
