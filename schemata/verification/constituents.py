"""Verification of context-free schemata: whether they derive each constituent tree once, under small grammars.

Every word has one category, so that a tree has one choice of rules, and two derivations of it are the schema's doing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.run import compile_kernel, run_kernel
from schemata.errors import BudgetError, UsageError
from schemata.forest.constituents import Brackets, constituent_forms
from schemata.forest.states import count_states
from schemata.grammars.rules import ContextFreeGrammar
from schemata.language import model as m
from schemata.shards import Places
from schemata.structures import Sentence
from schemata.structures.constituents import ConstituentTree
from schemata.verification.progress import Limits, Progress, answers_of, followed, loaded, settle
from schemata.verification.verdicts import Ambiguous, ConstituentVerdict, Refutation
from schemata.workbench import ParsingSchema, Watcher

RANDOM_GRAMMARS = 20
"""The number of random grammars for each length."""

CONSTITUENT_UNIONS = 2_000_000
"""The combinations of constituent trees that one chart may take."""

Rules: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class ConstituentCase:
    """The rules of a grammar with start symbol S, and the categories of a sentence's words, one each."""

    rules: Rules
    categories: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.categories)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, all different."""
        return tuple(f"w{k}" for k in range(1, self.n + 1))

    @property
    def key(self) -> tuple[object, ...]:
        """The order of cases: fewer words, then fewer and shorter rules first."""
        return self.n, len(self.rules), sum(len(body) for _, body in self.rules), self.rules, self.categories

    @property
    def grammar(self) -> ContextFreeGrammar:
        """The grammar."""
        words = {word: [name] for word, name in zip(self.words, self.categories, strict=True)}
        return ContextFreeGrammar.of(self.rules, "S", words)

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        rules = [f"{lhs} -> {' '.join(body)}" for lhs, body in self.rules]
        return {"rules": rules, "categories": list(self.categories)}


@dataclass(frozen=True, slots=True)
class ConstituentOutcome:
    """The outcome of a case: how many trees are built, and one with several derivations, with their number."""

    case: ConstituentCase
    number: int
    repeated: tuple[ConstituentTree, int | float] | None


class ConstituentTrees:
    """A context-free schema under test.

    Parameters
    ----------
    schema : the schema.
    limits : the limits of the test.
    """

    answers = ("each_once",)

    def __init__(self, schema: m.Schema, limits: Limits) -> None:
        self.limits, self.kernel = limits, compile_kernel(schema)

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[ConstituentCase]]:
        """Return the number of cases that test n words, and the cases."""
        cases = [*small_cases(n), *(random_case(n, seed, k) for k in range(RANDOM_GRAMMARS))]
        return len(cases), cases

    def parts(self, case: ConstituentCase) -> Iterator[ConstituentCase]:
        """Yield nothing: an undecided case is left undecided."""
        return iter(())

    def run(self, case: ConstituentCase) -> Any:
        """Run the schema in a case.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        sentence = Sentence(case.words)
        return run_kernel(self.kernel, sentence, case.grammar.for_sentence(sentence), self.limits.of_run)

    def examine(self, case: ConstituentCase) -> ConstituentOutcome:
        """Run the schema in a case and count the derivations of each tree.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its trees take too many combinations.
        """
        chart = self.run(case)
        forest = chart.forest()
        if forest.cyclic:  # trees would grow without end, so all derivations are taken for those of one
            return ConstituentOutcome(case, 1, (ConstituentTree((), case.words), math.inf))
        building = Brackets.of(chart)
        counts = count_states(forest, building, self.limits.unions)
        if counts is None:
            raise BudgetError(f"the trees of a chart take more than {self.limits.unions} combinations")
        several = (
            (building.value(structure), number)
            for state, number in counts.items()
            if number > 1 and (structure := building.structure(state)) is not None
        )
        found = min(several, default=None)
        return ConstituentOutcome(case, len(counts), found)

    def refute(self, answer: str, outcome: ConstituentOutcome) -> Iterator[Refutation]:
        """Yield what refutes the answer in an outcome."""
        if outcome.repeated is not None:
            yield Refutation(outcome.case.key, outcome.case, outcome.repeated, "")

    def smaller(self, case: ConstituentCase) -> Iterator[ConstituentCase]:
        """Yield the case without one of its rules."""
        rules = case.rules
        return (replace(case, rules=rules[:k] + rules[k + 1 :]) for k in range(len(rules)))

    def renamed(self, case: ConstituentCase) -> ConstituentCase:
        """Return the case: its names are plain."""
        return case

    def name(self, answer: str, refutation: Refutation) -> Ambiguous:
        """Return a counterexample without evidence."""
        return Ambiguous(refutation.case, *refutation.structure)

    def explain(self, answer: str, refutation: Refutation) -> Ambiguous:
        """Return a counterexample with two derivations.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        chart, example = self.run(refutation.case), self.name(answer, refutation)
        endless, nodes, forest = example.count == math.inf, refutation.structure[0].nodes, chart.forest()
        building = Brackets.of(chart)
        return example.explained(
            forest, building, lambda state: endless or building.structure(state) == nodes
        )


def small_cases(n: int) -> Iterator[ConstituentCase]:
    """Yield the plainest grammars: all binary trees, all of two and three branches, two categories, one unary rule."""
    word = ("S", ("t",))
    pairs, triples = ("S", ("S", "S")), ("S", ("S", "S", "S"))
    both: Rules = tuple((x, (y, z)) for x, y, z in product("SA", repeat=3))
    for rules in (
        (word, pairs),
        (word, pairs, triples),
        (word, ("A", ("t",)), *(both if n < 5 else both[::3])),
        (("A", ("t",)), ("A", ("S", "A")), ("S", ("A",)), ("S", ("A", "S"))),
        (("S", ("t", "S")), ("S", ("S", "t")), word),
    ):
        yield ConstituentCase(tuple(sorted(rules)), ("t",) * n)


def random_case(n: int, seed: int, number: int) -> ConstituentCase:
    """Return random rules over three categories, for words of two; unary rules never lead back to a category."""
    rng = Random(f"constituents {seed} {n} {number}")
    rules = {("S", ("S", "S")), ("S", ("A",)), ("A", ("t",)), (rng.choice("SAB"), ("u",))}
    for _ in range(rng.randint(1, 5)):
        body = tuple(rng.choice("SABtu") for _ in range(rng.choice((2, 2, 3))))
        rules.add((rng.choice("SAB"), body))
    if rng.random() < 0.5:
        rules.add((rng.choice("SA"), ("B",)))
    return ConstituentCase(tuple(sorted(rules)), tuple(rng.choice("tu") for _ in range(n)))


def verify_constituents(
    schema: ParsingSchema | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    jobs: int | Places = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> ConstituentVerdict:
    """Test whether a context-free schema derives each constituent tree once.

    Parameters
    ----------
    schema : a schema over context-free grammars, or the name of one.
    max_n : try sentences of at most so many words.
    seed, jobs, budget, seconds, watch : as for `verify`.

    Raises
    ------
    UsageError : no such schema, one over something else or without constituents, numbers out of range.
    SchemaError : the schema has errors.

    >>> verify_constituents("earley", 3).each_once
    True
    """
    started = time.perf_counter()
    chosen = loaded(schema, max_n=(max_n, 1), jobs=(jobs, 1))
    kind = chosen.definition.grammar
    built = chosen.definition.atom_names or constituent_forms(chosen.definition)
    if kind != "context-free" or chosen.definition.structure != "constituent tree" or not built:
        raise UsageError(
            f"schema {chosen.name} runs over {kind} grammars, and what it should derive is not known",
            code="no-constituents",
            expected="a schema over context-free grammars with items of a category and two positions",
        )

    def work(state: Progress) -> None:
        settle(state, chosen.name, range(1, max_n + 1), seed)

    limits = Limits.of(budget, CONSTITUENT_UNIONS, seconds)
    state = followed(ConstituentTrees, (chosen.definition,), limits, jobs, watch, work)
    return ConstituentVerdict(
        **answers_of(state, chosen, "constituents", max_n, seed),
        ambiguous=state.example("each_once", seconds),
        grammars=state.runs,
        trees=state.structures,
        seconds=time.perf_counter() - started,
    )
