"""All mutants of all proved schemata, in several sittings: `python -m tests.correctness.ledger FILE [NAME ...]`.

Each mutant is a line of the file; a sitting goes on where the last one stopped. Runs of a mutant come first: all trees
of four words (of five, where items have gaps), then numbers of derivations and random trees of as many words as its
distance needs. The prover is asked for what they refute from five words on, and for soundness wherever that is refuted.
A yes that comes with a certificate that the checker accepts is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemata
from schemata.correctness.lengthen import derivations
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.structures.generation import random_projective_tree
from schemata.workbench import ParsingSchema
from tests.correctness.mutants import mutants, proved, refuted
from tests.correctness.test_gaps import changed
from tests.correctness.test_mutants import DISTANCES, NEAR, PROVED, is_over_node_0, projective_trees

WITH_GAPS = {"wg1": "wg-1", "mg1": "mg-1", "wgk:k=1": "wg-1"}
TREES = 24  # random ones of each length
COUNTED = ("mutants", "near", "far", "wrong", "late", "refused")


def refuted_far(schema: m.Schema, needed: int, over_node_0: bool) -> set[str]:
    """Return the claims that runs refute beyond four words: by all trees of five, then by numbers and random trees."""
    runs, found = ParsingSchema(schema), set(refuted(schema, 5))
    longest = max(NEAR, needed + 1)
    for n in (longest - 1, longest):
        if "sound" not in found and "each_once" not in found:
            count = runs.run([f"w{k}" for k in range(1, n + 1)], "all").forest().derivation_count
            trees = projective_trees(n, over_node_0)
            # Derivations of trees alone: fewer miss some, more repeat one.
            if count != trees:
                found.add("complete" if count < trees else "each_once")
        for seed in range(TREES):
            times = derivations(runs, random_projective_tree(n, seed).heads)
            if times is not None and times != 1:
                found.add("each_once" if times else "complete")
    return found


def judged(schema: m.Schema, needed: int, over_node_0: bool) -> dict[str, list[str]]:
    """Return what runs refute of a schema over intervals, what the prover was asked for, and what it proved of that."""
    near = refuted(schema, 4)
    asked = ["sound"] if "sound" in near else []
    far = set() if {"sound", "complete", "each_once"} <= {*near} else refuted_far(schema, needed, over_node_0)
    asked += sorted(far - {*near})
    reasons = proved(schema, tuple(asked)) if asked else {}
    return {
        "near": sorted(near),
        "far": sorted(far - {*near}),
        "wrong": [claim for claim in asked if claim not in reasons],
        "late": [claim for claim, reason in reasons.items() if "no proof was found within" in reason],
    }


def judged_with_gaps(schema: m.Schema, class_name: str) -> dict[str, list[str]]:
    """Return what runs refute of a schema whose items have gaps, and what the prover proved of that."""
    verdict = ParsingSchema(schema).verify(class_name, 4)
    no = [claim for claim in ("sound", "complete") if getattr(verdict, claim) is False]
    if len(no) < 2:
        verdict = ParsingSchema(schema).verify(class_name, 5)
    far = [claim for claim in ("sound", "complete") if claim not in no and getattr(verdict, claim) is False]
    reasons = proved(schema, (*no, *far), class_name=class_name) if no or far else {}
    return {
        "near": no,
        "far": far,
        "wrong": [claim for claim in (*no, *far) if claim not in reasons],
        "late": [claim for claim, reason in reasons.items() if "no proof was found within" in reason],
    }


def waiting(names: list[str], done: set[str]) -> Iterator[tuple[str, str, int, m.Schema]]:
    """Yield mutants that are not done: those near by first, of all schemata in turn, of each in a random order."""
    rows: list[tuple[int, float, str, str, int, m.Schema]] = []
    for name in names:
        gaps = name in WITH_GAPS
        found = list(
            ((said, 0, mutant) for said, mutant in changed(name))
            if gaps
            else mutants(schemata.load(name).definition, DISTANCES)
        )
        met: Counter[str] = Counter()
        named = []
        for said, needed, mutant in found:
            met[said] += 1
            named.append((f"{said} ({met[said]})" if met[said] > 1 else said, needed, mutant))
        random.Random(name).shuffle(named)
        for place, (said, needed, mutant) in enumerate(named):
            if f"{name}: {said}" not in done:
                rows.append((needed > 0 or gaps, place / len(named), name, said, needed, mutant))
    for *_, name, said, needed, mutant in sorted(rows, key=lambda row: row[:4]):
        yield name, said, needed, mutant


def main(arguments: list[str] | None = None) -> int:
    """Judge mutants until all are done or the time is over; print the figures of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("names", nargs="*", metavar="NAME", help="schemata; all that are proved by default")
    parser.add_argument("--minutes", type=float, default=60.0)
    asked = parser.parse_args(arguments)
    end = time.monotonic() + 60 * asked.minutes
    names = asked.names or [*PROVED, *WITH_GAPS]
    places = {
        name: name not in WITH_GAPS and is_over_node_0(schemata.load(name).definition) for name in names
    }
    left = 0
    with asked.file.open("a+", encoding="utf-8") as ledger:
        ledger.seek(0)
        done = {json.loads(line)["mutant"] for line in ledger}
        for name, said, needed, mutant in waiting(names, done):
            if time.monotonic() > end:
                left += 1
                continue
            began = time.process_time()
            try:
                row: dict[str, Any] = dict(
                    judged_with_gaps(mutant, WITH_GAPS[name])
                    if name in WITH_GAPS
                    else judged(mutant, needed, places[name])
                )
            except UsageError as error:
                row = {"refused": str(error).splitlines()[0]}
            row = {"mutant": f"{name}: {said}"} | row | {"seconds": round(time.process_time() - began, 1)}
            ledger.write(json.dumps(row) + "\n")
            ledger.flush()
        ledger.seek(0)
        return report([json.loads(line) for line in ledger], left)


def report(rows: list[dict[str, Any]], left: int) -> int:
    """Print figures of each schema, and each yes that is wrong; returns 1 if there is one."""
    figures: dict[str, Counter[str]] = {}
    for row in rows:
        own = figures.setdefault(row["mutant"].split(": ")[0], Counter())
        own.update({"mutants": 1} | {key: key in row and bool(row[key]) for key in COUNTED[1:]})
        for claim in row.get("wrong", ()):
            print(f"WRONG {row['mutant']}: {claim}")
    print(
        "schema: mutants, refuted to 4 words, beyond, proved of these, without an answer in time, no schemata"
    )
    for name, own in [*sorted(figures.items()), ("all", sum(figures.values(), Counter()))]:
        print(f"{name}:", ", ".join(str(own[key]) for key in COUNTED))
    print(f"left: {left}")
    return int(any(own["wrong"] for own in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
