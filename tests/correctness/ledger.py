"""All mutants of all proved schemata, in several sittings: `python -m tests.correctness.ledger FILE [NAME ...]`.

Each mutant is a line of the file; a sitting goes on where the last one stopped. Brute force comes first (`judging`;
of schemata whose items have gaps, runs on all trees of five words). The prover is asked for what it refutes: a yes that
comes with a certificate that the checker accepts is wrong. Of some mutants that it does not refute, the prover is asked
for everything. What is refuted of the schema itself, such as each tree once, is left; `--rest` asks for that alone, in
another file. Mutants come in turns, a few of each schema, of each sort of change and each distance. Two more names are
those of 500 schemata each: `intervals`, drawn at random, and `twice`, proved schemata with two changes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import schemata
from schemata.correctness import search
from schemata.correctness.certificate import NotProved
from schemata.correctness.shipped import CLAIMS
from schemata.correctness.steps import program_of
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema
from tests.correctness.intervals import random_intervals
from tests.correctness.judging import KeptTypes, SharedQuestions, is_over_node_0, proofs, refutations
from tests.correctness.mutants import DISTANCES, PROVED, mutants, schema_from
from tests.correctness.test_gaps import changed

WITH_GAPS = {"wg1": "wg-1", "mg1": "mg-1", "wgk:k=1": "wg-1"}
INTERVALS, TWICE = "intervals", "twice"
DRAWN = 500  # schemata of these
CHUNK = 24  # mutants of a schema in a row
MOST = 6000  # answers, and tables of instances, that are kept
SOME = 12  # one in so many of those that are not refuted is given to the prover
Row = tuple[str, int, m.Schema]


def rows_of(name: str, end: int = DRAWN) -> list[Row]:
    """Return the mutants of a schema, each under a name of its own, those of different sorts in turns.

    Of schemata that are drawn, `end` are returned.
    """
    if name == INTERVALS:
        return [(f"seed {seed}", 0, schema_from(random_intervals(seed)).definition) for seed in range(end)]
    if name == TWICE:
        return list(itertools.islice(changed_twice(), end))
    if name in WITH_GAPS:
        found = [(said, 0, mutant) for said, mutant in changed(name)]
    else:
        found = list(mutants(schemata.load(name).definition, DISTANCES))
    met: Counter[str] = Counter()
    sorts: dict[str, list[Row]] = defaultdict(list)
    random.Random(name).shuffle(found)
    for said, needed, mutant in found:
        met[said] += 1
        sort = re.sub(r"^(case|form|final|hypothese) [^:]*: |\d+|\w+ - \w+", "", said) + f" {needed}"
        sorts[sort].append((f"{said} ({met[said]})" if met[said] > 1 else said, needed, mutant))
    order = sorted(sorts, key=lambda sort: (-max(row[1] for row in sorts[sort]), sort))
    return [sorts[s][k] for k in range(max(map(len, sorts.values()))) for s in order if k < len(sorts[s])]


def changed_twice() -> Iterator[Row]:
    """Yield proved schemata with two changes, drawn at random."""
    rng = random.Random(2)
    first = cache(lambda name: list(mutants(schemata.load(name).definition, DISTANCES)))
    while True:
        name = rng.choice(PROVED)
        said, needed, once = rng.choice(first(name))
        again, more, twice = rng.choice(list(mutants(once, DISTANCES)))
        yield f"{name}, {said}, {again}", max(needed, more), twice


def waiting(names: Sequence[str], done: set[str], skipped: int = 0) -> Iterator[tuple[str, list[Row]]]:
    """Yield mutants that are not done, a few of each schema in turn, but the first ones, which may be `skipped`."""
    left = {
        name: [row for row in rows_of(name)[skipped:] if f"{name}: {row[0]}" not in done] for name in names
    }
    while any(left.values()):
        for name, rows in left.items():
            if rows:
                yield name, rows[:CHUNK]
                del rows[:CHUNK]


class Judge:
    """Judges mutants of one schema: what is refuted of them and not of it; or the rest."""

    def __init__(self, name: str, rest: bool = False) -> None:
        self.name, self.class_name = name, WITH_GAPS.get(name)
        self.questions, self.types = SharedQuestions(), KeptTypes()
        self.instances: dict[Any, Any] = {}
        self.is_drawn = name in (INTERVALS, TWICE)
        own = None if self.is_drawn or self.class_name else program_of(schemata.load(name).definition)
        self.over_node_0 = own is not None and is_over_node_0(own)
        self.rest, self.base = rest, {} if own is None else refutations(own, self.over_node_0)

    @contextmanager
    def sitting(self) -> Iterator[None]:
        """Judge a few mutants: what many share is kept, as long as it is not much."""
        # However busy the machine is: proofs tell the time by the processor.
        with patch.object(search, "Closure", self.types), patch.object(EFFORTS, "solver_seconds", 3600.0):
            yield
        self.types.forget()
        if self.questions.size > MOST:
            self.questions = SharedQuestions()
        if len(self.instances) > MOST:
            self.instances.clear()

    def row(self, said: str, needed: int, mutant: m.Schema) -> dict[str, Any]:
        """Return what brute force refutes, with numbers of words, and what the prover proves of that."""
        try:
            refuted = self._refuted(said, needed, mutant)
        except (NotProved, UsageError) as error:
            return {"refused": str(error).splitlines()[0]}
        everything = CLAIMS if self.class_name is None else ("sound", "complete")
        is_asked = self.is_drawn or random.Random(f"{self.name}: {said}").random() < 1 / SOME
        wanted = [claim for claim in refuted if (claim in self.base) == self.rest]
        found: dict[str, Any] = {"refuted": refuted}
        if len(wanted) < len(refuted):
            found["left"] = [claim for claim in refuted if claim not in wanted]
        if is_asked and (self.is_drawn or not refuted):
            wanted = [*everything]
        if wanted:
            yes, reasons = proofs(mutant, wanted, self.questions, class_name=self.class_name)
            found["wrong"] = [claim for claim in yes if claim in refuted]
            found["late"] = [claim for claim in reasons if "was found within" in reasons[claim]]
            if not refuted.keys() >= {*wanted}:
                found["right"] = [claim for claim in yes if claim not in refuted]
        return found

    def _refuted(self, said: str, needed: int, mutant: m.Schema) -> dict[str, int]:
        if self.class_name is None:
            several, is_of_final = self.over_node_0, said.startswith("final")
            if self.name == TWICE:
                base = program_of(schemata.load(said.split(",", maxsplit=1)[0]).definition)
                several, is_of_final = is_over_node_0(base), ", final" in said
            fewer = needed > 0 and " or " not in said and not self.is_drawn
            found = refutations(
                program_of(mutant),
                (several and not is_of_final) or self.name == INTERVALS,
                needed,
                not fewer,
                self.instances,
                several,
            )
            if self.is_drawn:
                self.instances.clear()
            return found
        found = {}
        for n in (4, 5):
            if len(found) < 2:
                verdict = ParsingSchema(mutant).verify(self.class_name, n)
                for claim in ("sound", "complete"):
                    if getattr(verdict, claim) is False:
                        found.setdefault(claim, n)
        return found


def main(arguments: list[str] | None = None) -> int:
    """Judge mutants until all are done or the time is over; print the figures of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("names", nargs="*", metavar="NAME", help="schemata; all that are proved by default")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument(
        "--rest", action="store_true", help="ask for what is refuted of the schema itself, too"
    )
    parser.add_argument(
        "--skip",
        type=int,
        default=0,
        metavar="N",
        help="leave out the first N of each schema, judged in a file that is lost",
    )
    asked = parser.parse_args(arguments)
    end = time.monotonic() + 60 * asked.minutes
    names = asked.names or [*WITH_GAPS, *PROVED, INTERVALS, TWICE]
    left = 0
    judges: dict[str, Judge] = {}
    with asked.file.open("a+", encoding="utf-8") as ledger:
        ledger.seek(0)
        done = {json.loads(line)["mutant"] for line in ledger}
        for name, rows in waiting(names, done, asked.skip):
            if time.monotonic() > end:
                left += len(rows)
                continue
            judge = judges.get(name) or judges.setdefault(name, Judge(name, asked.rest))
            with judge.sitting():
                for said, needed, mutant in rows:
                    began = time.process_time()
                    row = {"mutant": f"{name}: {said}"} | judge.row(said, needed, mutant)
                    row["seconds"] = round(time.process_time() - began, 2)
                    ledger.write(json.dumps(row) + "\n")
                    ledger.flush()
        ledger.seek(0)
        return report([json.loads(line) for line in ledger], left)


def report(rows: Sequence[dict[str, Any]], left: int) -> int:
    """Print figures of each schema, and each yes that is wrong; returns 1 if there is one."""
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        refuted = row.get("refuted", {})
        figures[row["mutant"].split(": ")[0]].update(
            {
                "mutants": 1,
                "refuted": bool(refuted),
                "from seven words on": any(n > 6 for n in refuted.values()),
                "claims": len(refuted),
                "wrong": len(row.get("wrong", ())),
                "late": len(row.get("late", ())),
                "asked of what is not refuted": "right" in row,
                "something of it proved": bool(row.get("right")),
                "claims of it proved": len(row.get("right", ())),
                "claims left": len(row.get("left", ())),
                "no schemata": "refused" in row,
            }
        )
        for claim in row.get("wrong", ()):
            print(f"WRONG {row['mutant']}: {claim}, refuted by {refuted[claim]} words")
    total = sum(figures.values(), Counter())
    print("schema:", ", ".join(total))
    for name, own in [*sorted(figures.items()), ("all", total)]:
        print(f"{name}:", ", ".join(str(own[key]) for key in total))
    print(f"left: {left}")
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
