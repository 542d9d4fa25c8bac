"""What brute force refutes of a schema, and what the prover says of that: a yes about what is refuted is wrong."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import comb
from typing import Any

from schemata.correctness import search
from schemata.correctness.certificate import NotProved
from schemata.correctness.closure import Closure, TooMany
from schemata.correctness.questions import Questions, QuickQuestions
from schemata.correctness.recheck import certificate_of, refusal
from schemata.correctness.shipped import CLAIMS
from schemata.language import model as m
from schemata.order.logic import SolverFailed
from schemata.program.model import Program
from schemata.structures.generation import random_projective_tree
from tests.correctness.grounded import Grounded, grammars, heads_number, is_tree
from tests.oracle.trees import projective_forests, projective_trees

NEAR = 6  # words: all trees of as many, all sets of links
FAR = 8  # words of longer trees, where a change is not one at a distance
FEW = 2  # uses of types that are not kept for long
TREES = 400  # random ones of each length beyond


def number_of_trees(n: int, over_node_0: bool) -> int:
    """Return how many projective trees of n words there are: under node 0 with any number of roots, or with one root.

    >>> [number_of_trees(n, True) for n in (1, 2, 3, 4)], [number_of_trees(n, False) for n in (1, 2, 3, 4)]
    ([1, 3, 12, 55], [1, 2, 7, 30])
    """
    return comb(3 * n, n) // (2 * n + 1) if over_node_0 else comb(3 * n - 2, n - 1) // n


@cache
def _far_trees(n: int) -> Any:
    """Return grammars of random trees, of chains and of stars."""
    rows = {random_projective_tree(n, seed).heads for seed in range(TREES)}
    for root in range(1, n + 1):
        rows.add(tuple(0 if w == root else w - 1 if w > root else w + 1 for w in range(1, n + 1)))
        rows.add(tuple(0 if w == root else root for w in range(1, n + 1)))
    return grammars(sorted(rows))


def _trees(n: int, over_node_0: bool) -> Sequence[tuple[int, ...]]:
    return projective_forests(n) if over_node_0 else projective_trees(n)


@cache
def _near_trees(n: int, over_node_0: bool) -> Any:
    return grammars(_trees(n, over_node_0))


@cache
def _numbers(n: int, over_node_0: bool) -> frozenset[int]:
    """Return what `Grounded.structures` has of each tree: of one over the words, the root may have no head."""
    return frozenset(
        heads_number([-1 if not over_node_0 and head == 0 else head for head in heads])
        for heads in _trees(n, over_node_0)
    )


def is_over_node_0(program: Program) -> bool:
    """Whether a schema derives two words that both hang under node 0."""
    return heads_number((0, 0)) in Grounded(program, 2).structures()


def refutations(
    program: Program,
    over_node_0: bool,
    needed: int = 0,
    far_sound: bool = True,
    kept: dict[Any, Any] | None = None,
    several_roots: bool = False,
) -> dict[str, int]:
    """Return the claims that brute force refutes, each with a number of words that shows it.

    Parameters
    ----------
    program : the lowered schema.
    over_node_0 : whether trees with several words under node 0 are to be derived, too.
    needed : as many words may be needed to see a fault.
    far_sound : whether more than `NEAR` words may show that it is not sound.
    kept : see `Grounded`.
    several_roots : whether such trees may be derived, though they need not.
    """
    found: dict[str, int] = {}
    for n in range(1, NEAR + 1):
        grounded = Grounded(program, n, kept)
        if "sound" not in found or "each_once" not in found:
            made = grounded.structures()
            if not all(is_tree(number, n) for number in made) or (n < NEAR and grounded.builds_unlicensed()):
                found.setdefault("sound", n)
            if any(count > 1 for number, count in made.items() if is_tree(number, n)):
                found.setdefault("each_once", n)
        if "complete" not in found:
            # What is not built under all links is not derived; nor is what has no derivation under its own.
            not_built = "sound" in found and not _numbers(n, over_node_0) <= grounded.structures().keys()
            if not_built or (grounded.times(_near_trees(n, over_node_0), 2) == 0).any():
                found["complete"] = n
    for n in sorted({FAR, max(FAR, needed), max(FAR, needed + 1)}):
        if len(found) == len(CLAIMS):
            break
        grounded = Grounded(program, n, kept)
        if far_sound and "sound" not in found and not grounded.is_sound():
            found["sound"] = n
        if "sound" not in found:
            count = grounded.total()
            if count > number_of_trees(n, over_node_0 or several_roots):
                found.setdefault("each_once", n)
            elif count < number_of_trees(n, over_node_0):
                found.setdefault("complete", n)
        times = grounded.times(_far_trees(n), 2)
        if (times == 0).any():
            found.setdefault("complete", n)
        if "sound" not in found and (times > 1).any():
            found.setdefault("each_once", n)
    return found


# The prover ------------------------------------------------------------------------------------------------------


class SharedQuestions(QuickQuestions):
    """Questions of several proofs, one after the other: what one has asked, the next need not ask again."""

    @property
    def size(self) -> int:
        """How many answers are kept."""
        return len(self._answers)

    def begin(self, patience: float) -> None:
        """Begin a proof with time of its own, of the processor."""
        self.clock, self.patience = time.process_time, patience
        self._end = self.clock() + patience
        self.solver._end = math.inf  # which tells the time by the clock


class KeptTypes:
    """Types of words, which depend on features and patterns alone, for several proofs."""

    def __init__(self) -> None:
        self.kept: dict[Any, Closure | TooMany] = {}
        self._uses: Counter[Any] = Counter()

    def forget(self) -> None:
        """Forget what was asked for once or twice."""
        self.kept = {key: found for key, found in self.kept.items() if self._uses[key] > FEW}

    def __call__(self, algebra: Any, patterns: Any, heed: Any) -> Closure:
        """Return them as `Closure` does."""
        key = algebra.features, frozenset(patterns)
        self._uses[key] += 1
        if key not in self.kept:
            try:
                self.kept[key] = Closure(algebra, patterns, heed)
            except TooMany as most:
                self.kept[key] = most
        found = self.kept[key]
        if isinstance(found, TooMany):
            raise found
        return found


def proofs(
    schema: m.Schema,
    wanted: Sequence[str],
    questions: SharedQuestions,
    patience: float = 40.0,
    class_name: str | None = None,
) -> tuple[list[str], dict[str, str]]:
    """Return the claims that a certificate of some search proves, as the checker agrees, and reasons for the others.

    All that a search meets counts: a certificate that it would pass over for another one, too.
    """
    questions.begin(patience)
    reasons: dict[str, str] = {}
    certificates = []
    try:
        if class_name is None:
            for attempt, certificate in search._attempts(schema, questions, wanted):
                certificates.append(certificate)
                reasons |= {claim: str(reason) for claim, reason in attempt.reasons.items()}
                if all(any(getattr(c, claim) for c in certificates) for claim in wanted):
                    break
        else:
            found = search.find_proof(schema, questions, wanted, class_name)
            certificates = [found.certificate] if found.certificate else []
            reasons = {claim: str(reason) for claim, reason in found.reasons.items()}
    except (NotProved, SolverFailed) as reason:
        reasons = {claim: str(reason) for claim in wanted} | reasons
    yes: dict[str, None] = {}
    for certificate in certificates:
        claims = [claim for claim in wanted if getattr(certificate, claim) and claim not in yes]
        if claims:
            read: Any = certificate_of(certificate.text(), "the certificate")
            try:
                refused = refusal(schema, read, Questions(clock=time.process_time))
            except SolverFailed as failure:
                refused = str(failure)
            if refused:
                reasons |= dict.fromkeys(claims, f"refused: {refused}")
            else:
                yes |= dict.fromkeys(claims)
    return [*yes], {claim: reasons.get(claim, "not tried") for claim in wanted if claim not in yes}
