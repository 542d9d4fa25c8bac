"""The catalogue: every shipped schema with the claims of its source, a verdict on them, and its size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from schemata.budget import Budget, BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.grammars.link_grammar import LinkGrammar
from schemata.structures import Sentence
from schemata.verification.claims import (
    Claim,
    Theorem,
    constituent_claims,
    linkage_claims,
    shipped_claims,
    theorems,
)
from schemata.verification.constituents import verify_constituents
from schemata.verification.grammars import GrammarUnderTest, TreeRules, every_link
from schemata.verification.linkages import verify_linkages
from schemata.verification.trees import verify
from schemata.verification.verdicts import ConstituentVerdict, LinkageVerdict, Verdict, all_of
from schemata.verification.workers import Limits, crew
from schemata.workbench import ParsingSchema, load

SIZE_TREE = (2, 4, 2, 0, 6, 4, 6, 7)
"""The tree of eight words under whose rules schemata over dependency rules are measured."""

SIZE_BUDGET = Budget(steps=3_000_000, seconds=60.0)
"""The limits of the run that measures a schema."""

Watcher: TypeAlias = Callable[[Iterable["CatalogueRow"], int, str], Iterable["CatalogueRow"]]


@dataclass(frozen=True, slots=True)
class Size:
    """Items and step instances for eight words; None where the run hit its budget."""

    items: int | None
    steps: int | None


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One schema: its source, the claim, the verdict and its size."""

    claim: Claim
    source: str | None
    verdict: Verdict
    size: Size
    over_rules: bool


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """A theorem with the verdicts that bear on it; `holds` is None where none does or not all are known."""

    theorem: Theorem
    verdicts: tuple[CatalogueRow, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool | None:
        """Whether the theorem holds as far as the verdicts reach."""
        says = {"correct": "holds"}.get(self.theorem.says, self.theorem.says)
        return all_of(*(getattr(row.verdict, says) for row in self.verdicts)) if self.verdicts else None


def catalogue(
    max_n: int = 6,
    *,
    claims: Sequence[Claim] | None = None,
    seed: int = 0,
    jobs: int = 1,
    watch: Watcher | None = None,
) -> tuple[tuple[CatalogueRow, ...], tuple[TheoremRow, ...]]:
    """Verify every claim about a shipped schema, and collect what bears on the theorems.

    Parameters
    ----------
    max_n : exhaustively to so many words.
    claims : the claims to verify; all about shipped schemata if None.
    seed : of the random grammars.
    jobs : processes; the result does not depend on it.
    watch : is shown the rows as they come.

    References
    ----------
    GCW11, sections 5 to 7, for the theorems.
    """
    chosen = shipped_claims() if claims is None else claims
    with crew(_Verifier, (max_n, seed), jobs) as workers:
        rows = workers.outcomes(chosen, chunk=1)
        found = tuple(watch(rows, len(chosen), "catalogue") if watch else rows)
    by_reference = {row.claim.reference: row for row in found}
    about = tuple(
        TheoremRow(
            theorem,
            tuple(by_reference[name] for name in theorem.rows if name in by_reference),
            tuple(name for name in theorem.rows if name not in by_reference),
        )
        for theorem in theorems()
    )
    return found, about


class _Verifier:
    """Verifies claims, in each process of a crew."""

    limits = Limits.of(None, 0, None)

    def __init__(self, max_n: int, seed: int) -> None:
        self.max_n, self.seed = max_n, seed

    def examine(self, claim: Claim) -> CatalogueRow:
        """Return a claim's row."""
        schema = load(claim.name, **claim.parameters)
        over_rules = schema.definition.grammar != "d-rules"
        verdict = verify(schema, claim.class_name, self.max_n, seed=self.seed)
        size = _measure(schema, over_rules)
        return CatalogueRow(claim, schema.definition.reference, verdict, size, over_rules)


def _measure(schema: ParsingSchema, over_rules: bool) -> Size:
    grammar: GrammarUnderTest = TreeRules(SIZE_TREE) if over_rules else every_link(8)
    sentence = Sentence(tuple(f"w{i}" for i in range(1, 9)))
    try:
        chart = run_kernel(schema.kernel, sentence, grammar.provide(), SIZE_BUDGET)
    except BudgetExceeded:
        return Size(None, None)
    return Size(len(chart.derived_ids), chart.step_count)


SIZE_DICTIONARY = """% Ten lines of English.
LEFT-WALL: W+;
the a: D+;
big black: A+;
cat dog.n park: {@A-} & D- & {@M+} & (O- or J- or ({W-} & S+));
Mary: {@M+} & (O- or J- or ({W-} & S+));
she: {W-} & S+;
ran sleeps: S- & {@MV+};
chased saw.v: S- & O+ & {@MV+};
in with: (M- or MV-) & J+;
today: MV-;
"""
"""The dictionary under which the schemata are measured."""

SIZE_SENTENCE = "Mary saw the big black cat in the park with a dog today"
"""The sentence on which they are measured."""


@dataclass(frozen=True, slots=True)
class LinkageRow:
    """One schema: its source, the claim, the verdict, and its items and step instances."""

    claim: Claim
    source: str | None
    verdict: LinkageVerdict
    items: int
    steps: int


def linkage_catalogue(
    max_n: int = 6, *, claims: Sequence[Claim] | None = None, seed: int = 0
) -> tuple[LinkageRow, ...]:
    """Verify every claim about a shipped Link Grammar schema.

    Parameters
    ----------
    max_n : to sentences of so many words, at least 2.
    claims : the claims to verify; all if None.
    seed : of the random dictionaries.
    """
    grammar = LinkGrammar.from_text(SIZE_DICTIONARY)
    rows = []
    for claim in linkage_claims() if claims is None else claims:
        schema = load(claim.name, **claim.parameters)
        verdict = verify_linkages(schema, claim.class_name, max(max_n, 2), seed=seed)
        chart = schema.run(SIZE_SENTENCE, grammar, engine="python")
        rows.append(
            LinkageRow(claim, schema.definition.reference, verdict, chart.item_count, chart.step_count)
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class ConstituentRow:
    """One context-free schema: its source, the claim and the verdict."""

    claim: Claim
    source: str | None
    verdict: ConstituentVerdict


def constituent_catalogue(max_n: int = 6, *, seed: int = 0) -> tuple[ConstituentRow, ...]:
    """Verify every claim about a shipped context-free schema."""
    found = []
    for claim in constituent_claims():
        schema = load(claim.name, **claim.parameters)
        verdict = verify_constituents(schema, max_n, seed=seed)
        found.append(ConstituentRow(claim, schema.definition.reference, verdict))
    return tuple(found)
