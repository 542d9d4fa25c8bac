"""Native runs of a schema in this process, without what a whole call does besides; and derivations read off them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import schemata
from schemata.engine.native import NativeEngine, NativeKernel, begin_run
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables, Store
from schemata.ordered.kernel import OrderedKernel
from schemata.structures import Sentence

NO_LIMIT = schemata.Budget(steps=1 << 60, seconds=3600.0)
_WORK, _MEMORY = 1 << 30, 1 << 34


def words(n: int) -> list[str]:
    """Return a sentence of n words."""
    return ["w"] * n


@dataclass(slots=True)
class KernelRun:
    """A schema's kernel, compiled, and what a sentence of n words with every link licensed gives it."""

    engine: NativeEngine
    kernel: NativeKernel
    n: int
    grammar: Any
    tables: GrammarTables

    @classmethod
    def of(cls, schema: schemata.ParsingSchema, n: int, kernels: str = "") -> KernelRun:
        """Return the kernel that native runs of a schema take.

        Parameters
        ----------
        schema : a schema over D-rules.
        n : the number of words.
        kernels : "ordered" or "agenda" for these alone.
        """
        engine = NativeEngine(schema.kernel, kernels=kernels)
        sentence = Sentence.of(words(n))
        licences = schemata.DRules.all().for_sentence(sentence)
        tables = GrammarTables(engine.program, n, licences)
        for kernel in engine.choose(n, tables):
            found = cls(engine, kernel, n, licences, tables)
            try:
                found.fill()  # compiles
            except OutsideTables:
                continue
            return found
        raise OutsideTables

    @property
    def kind(self) -> str:
        """How the kernel works: "ordered" or "agenda"."""
        return "ordered" if isinstance(self.kernel, OrderedKernel) else "agenda"

    def fill(self) -> Any:
        """Run from empty tables to a complete chart; returns the finished run."""
        run = begin_run(self.engine, self.kernel, self.n, self.grammar, self.tables, _MEMORY)
        while not run.advance(1 << 60, _WORK, _MEMORY):
            pass
        return run

    def seconds(self) -> float:
        """Return how long `fill` takes."""
        started = time.perf_counter()
        self.fill()
        return time.perf_counter() - started


# Derivations read off a native chart whose back-pointers are implicit, by expanding the items on the way ----


def some_derivations(store: Store, count: int) -> list[dict[int, int]]:
    """Return the first derivations of the first final item, each as the head of every dependent.

    Derivations are numbered: at every item, going down, the number says which of its step instances is taken.

    Parameters
    ----------
    store : a chart without cycles that expands items.
    count : how many; no more than there are.
    """
    known: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    cases = store.program.schema.cases
    top = min(store.final_items())
    found = []
    for number in range(count):
        rest, waiting = number, [top]
        heads: dict[int, int] = {}
        while waiting:
            item = waiting.pop()
            if item < store.hypothesis_count:
                continue
            if item not in known:
                known[item] = list(store.expand(item) or ())
            rest, choice = divmod(rest, len(known[item]))
            case, row = known[item][choice]
            links = 1 + len(cases[case].antecedents)
            waiting += row[1:links]
            heads.update(zip(row[links::2], row[links + 1 :: 2], strict=True))
        found.append(heads)
    return found
