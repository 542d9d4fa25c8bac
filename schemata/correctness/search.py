"""The search for proofs of correctness: layouts, plans, meanings, types and ways, put together as a certificate.

If the search finds nothing, there is no answer. It asks `checker.Checker` for each judgement, with `QuickQuestions`;
users of a certificate have it checked again (`checker.check`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from schemata.correctness.certificate import (
    Certificate,
    Element,
    Gap,
    Given,
    NotProved,
    ProfiledStep,
    checksum_of,
)
from schemata.correctness.closure import Closure, TooMany
from schemata.correctness.cover import Cover
from schemata.correctness.frames import Frame, frames_of
from schemata.correctness.gap_certificate import GapCertificate
from schemata.correctness.gap_search import find_gap_proof, gap_checker_of
from schemata.correctness.questions import QuickQuestions
from schemata.correctness.shipped import CLAIMS, CLASS
from schemata.correctness.steps import Step, Woven, program_of, steps_of
from schemata.correctness.words import Profile, Types, variables_in
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.order.logic import SolverFailed
from schemata.program.linear import Affine, solved, variable
from schemata.program.model import Atom, Program
from schemata.records import Record
from schemata.thresholds import EFFORTS

FEATURES = (
    ("end",),
    ("end", "many"),
    ("end", "two"),
    ("end", "first"),
    ("end", "last"),
    ("end", "many", "first"),
    ("end", "many", "last"),
    ("end", "first", "last"),
    ("end", "many", "first", "last"),
)
"""Sets of features of profiles, in the order in which they are tried."""


class ProofOutcome(Record):
    """The results of a search: a certificate if anything is proved, and the reasons why the rest is not, by
    claim.

    `late` is set where the search did not come to its end. `arrangement` is one of trees with gaps that no step was
    shown to derive.
    """

    certificate: Certificate | GapCertificate | None
    reasons: Mapping[str, NotProved]
    cover: Cover | None = None
    late: SolverFailed | None = None
    arrangement: str = ""


def proved_class(schema: m.Schema, questions: QuickQuestions) -> str:
    """Return the class of trees that proofs about a schema are about: projective, or of a number of gaps.

    Raises
    ------
    SolverFailed : a question was not decided in time.
    """
    try:
        program = program_of(schema)
        return gap_checker_of(program, questions).class_name if program.equations else CLASS
    except NotProved:
        return CLASS


def find_proof(
    schema: m.Schema,
    questions: QuickQuestions,
    wanted: Sequence[str] = CLAIMS,
    class_name: str | None = None,
) -> ProofOutcome:
    """Look for proofs of some claims.

    Parameters
    ----------
    schema : the schema.
    questions : with the limits of the search.
    wanted : the claims: `sound`, `complete`, `each_once`.
    class_name : the class of trees; None for that which the schema is for.

    Raises
    ------
    NotProved : the schema is beyond the method.
    SolverFailed : a question was not decided in time.
    """
    program = program_of(schema)
    if program.equations:
        found, reasons, missing = find_gap_proof(
            schema, gap_checker_of(program, questions, class_name), wanted
        )
        return ProofOutcome(found, reasons, arrangement=missing)
    if class_name not in (None, CLASS):
        raise NotProved("proofs about items without gaps are about projective trees")
    best: Certificate | None = None
    chosen: _Attempt | None = None
    late: SolverFailed | None = None
    reached = -1, -1
    try:
        for attempt, certificate in _attempts(schema, questions, wanted):
            if (here := (_strength(certificate), attempt.reach)) > reached:
                best, chosen, reached = certificate, attempt, here
            if reached[0] == len(wanted):
                break
    except SolverFailed as failure:
        # What was found in time counts.
        if reached[0] < 1:
            raise
        late = failure
    if chosen is None:
        raise NotProved("words of its items have too many types")
    return ProofOutcome(best if reached[0] else None, chosen.reasons, chosen.cover, late)


def _attempts(
    schema: m.Schema, questions: QuickQuestions, wanted: Sequence[str]
) -> Iterator[tuple[_Attempt, Certificate]]:
    """Yield attempts with one layout and each set of features in turn; the next layout if words have too many types."""
    program = program_of(schema)
    checksum = checksum_of(schema, program)
    for frame in frames_of(program, questions):
        met = False
        for features in FEATURES:
            attempt = _Attempt(schema, checksum, frame, features, questions)
            certificate = attempt.certificate(wanted)
            if certificate is None:
                break
            met = True
            yield attempt, certificate
            if attempt.is_final:
                break
        if met:
            return


def _strength(certificate: Certificate) -> int:
    return certificate.sound + certificate.complete + certificate.each_once


# Meanings, ways -------------------------------------------------------------------------------------------------


class _Attempt:
    """A frame with some features: its meanings, and the claims that it proves."""

    def __init__(
        self,
        schema: m.Schema,
        checksum: str,
        frame: Frame,
        features: tuple[str, ...],
        questions: QuickQuestions,
    ) -> None:
        self.schema, self.checksum, self.frame, self.features = schema, checksum, frame, features
        self.givens = _givens(frame.program)
        self.checker = frame.checker(features, questions, self.givens)
        self.cover = Cover(self.checker)
        self.reasons: dict[str, NotProved] = {}
        self.dead = self._meanings()

    def _meanings(self) -> str:
        """Take the least meanings that all steps preserve; returns a step whose result is not a forest, if any."""
        checker, dead = self.checker, ""
        found: dict[int, dict[Element, None]] = {kind: {} for kind in checker.layouts}
        seen: set[object] = set()
        changed = True
        while changed:
            changed = False
            for woven in filter(None, checker.woven):
                rows = [list(found[atom.kind]) for atom in woven.step.antecedents]
                mine = found[woven.step.consequent.kind]
                for elements in itertools.product(*rows):
                    if (woven.step.number, elements) in seen:
                        continue
                    seen.add((woven.step.number, elements))
                    for outcome in checker.outcomes(woven, elements, mine):
                        if outcome is None:
                            dead = dead or f"step {woven.step.name} may make what is not a forest"
                        else:
                            mine[outcome] = None
                            changed = True
        checker.meanings = {kind: frozenset(elements) for kind, elements in found.items()}
        return dead

    def certificate(self, wanted: Sequence[str]) -> Certificate | None:
        """Return a certificate of the claims that are proved; None if there are too many types."""
        checker = self.checker
        proved = dict.fromkeys(CLAIMS, False)
        types: tuple[str, ...] = ("",)
        ways: dict[tuple[int, int, Element], tuple[ProfiledStep, ...]] = {}
        if "sound" in wanted:
            proved["sound"] = self._tried("sound", self._check_sound)
        if "complete" in wanted or "each_once" in wanted:
            patterns = {p for woven in checker.woven if woven is not None for p in woven.patterns}
            try:
                closed = Closure(checker.algebra, patterns, checker.questions.heed).types
            except TooMany:
                return None
            if "complete" in wanted:

                def complete() -> None:
                    ways.update(self._ways(closed))
                    self.cover.check_ways(closed, ways)
                    self.cover.check_class(closed.profiles)

                proved["complete"] = self._tried("complete", complete)
            if "each_once" in wanted and (proved["complete"] or "complete" not in wanted or not self.dead):

                def once() -> None:
                    if self.dead:
                        raise NotProved(self.dead)
                    self.cover.check_once(closed)

                proved["each_once"] = self._tried("each_once", once)
            if proved["complete"] or proved["each_once"]:
                types = tuple(closed.words)
        frame = self.frame
        return Certificate(
            reference_of(self.schema),
            self.checksum,
            proved["sound"],
            proved["complete"],
            proved["each_once"],
            self.features,
            frame.hidden,
            frame.invariants,
            frame.layouts,
            frame.plans,
            {kind: frozenset(elements) for kind, elements in checker.meanings.items()},
            self.givens,
            types,
            ways if proved["complete"] else {},
        )

    def _tried(self, claim: str, judge: object) -> bool:
        assert callable(judge)
        try:
            judge()
        except NotProved as reason:
            self.reasons[claim] = reason
            return False
        return True

    def _check_sound(self) -> None:
        if self.dead:
            raise NotProved(self.dead)
        self.checker.check_sound()

    @property
    def reach(self) -> int:
        """How far an attempt gets that does not prove a claim. A condition of a step is further than words without a
        step; final items and contexts are further than both.
        """
        gaps = [reason.gap for reason in self.reasons.values()]
        return sum(2 if gap is None else bool(gap.ways) for gap in gaps)

    @property
    def is_final(self) -> bool:
        """Whether nothing but a licence is missing, so that other features prove no more."""
        return {*self.reasons} == {"sound"} and any(step.unlicensed for step in self.checker.steps)

    def _ways(self, types: Types) -> dict[tuple[int, int, Element], tuple[ProfiledStep, ...]]:
        """Return the ways in which the items of each element are derived."""
        checker = self.checker
        found: dict[tuple[int, int, Element], tuple[ProfiledStep, ...]] = {}
        for kind in sorted(checker.layouts):
            steps = [w for w in checker.woven if w is not None and w.step.consequent.kind == kind]
            for number in range(max(1, len(self.givens.get(kind, ())))):
                for element in checker.elements(kind):
                    found[kind, number, element] = self._ways_of(types, kind, number, element, steps)
        return found

    def _ways_of(
        self, types: Types, kind: int, number: int, element: Element, steps: Sequence[Woven]
    ) -> tuple[ProfiledStep, ...]:
        checker = self.checker
        chosen: list[ProfiledStep] = []
        for words in types.tuples(element[0]):
            if any(self.cover.matches(types, words, kind, way) for way in chosen):
                continue
            fallback: ProfiledStep | None = None
            refused: dict[ProfiledStep, NotProved] = {}
            for way in self._candidates(types, words, steps):
                reason = self.cover.way_refusal(number, element, way)
                if reason is not None:
                    refused[way] = reason
                elif not any(self.cover.units(way)):
                    chosen.append(way)
                    break
                else:
                    fallback = fallback or way
            else:
                if fallback is None:
                    name = checker.program.kinds[kind].name
                    more = f": {next(iter(refused.values()))}" if refused else ""
                    message = f"no step surely derives {name} over words such as {types.shown(words)}{more}"
                    raise NotProved(
                        message, Gap(kind, element, tuple(types.words[t] for t in words), tuple(refused))
                    )
                chosen.append(fallback)
        return tuple(sorted(chosen, key=lambda way: any(self.cover.units(way))))

    def _candidates(
        self, types: Types, words: Sequence[int], steps: Sequence[Woven]
    ) -> Iterator[ProfiledStep]:
        meanings = {
            kind: {profiles for profiles, _ in elements} for kind, elements in self.checker.meanings.items()
        }
        for woven in steps:
            rows = (types.tables[word][p] for word, p in zip(words, woven.patterns, strict=True))
            for combination in itertools.product(*rows):
                values: tuple[Profile, ...] = tuple(value for row in combination for value in row)
                assert len(values) == sum(map(variables_in, woven.patterns))
                parts = self.cover.parts(woven, values)
                pairs = zip(woven.step.antecedents, parts, strict=True)
                if all(profiles in meanings[atom.kind] for atom, profiles in pairs):
                    yield ProfiledStep(woven.step.number, values)


def _givens(program: Program) -> dict[int, tuple[Given, ...]]:
    """Return, by kind, the contexts with licences that items need: for a step that derives them, or because their
    antecedents need them.
    """
    steps = steps_of(program)
    found: dict[int, tuple[Given, ...]] = {}

    def over_columns(step: Step, parts: Sequence[Affine]) -> list[Affine]:
        """Return terms over a step's variables as terms over the columns of its consequent, where these fix them."""
        columns = [variable(column.name) for column in program.kinds[step.consequent.kind].columns]
        apart = {x: variable(f"{x} of the step") for x in step.variables}
        pairs = zip(step.consequent.terms, columns, strict=True)
        values, _ = solved([t.substitute(apart) - c for t, c in pairs], [x.names[0] for x in apart.values()])
        return [t.substitute(apart).substitute(values) for t in parts]

    def add(step: Step, kind: int, parts: Sequence[Affine], own: bool) -> bool:
        """Add a given for a step's consequent; returns whether it is a new one."""
        open_ = dict.fromkeys(x for t in parts for x in t.variables if x.endswith(" of the step"))
        if open_ and not own:
            return False
        named = {x: variable(f"?{k}") for k, x in enumerate(open_)}
        *terms, dependent, head = (t.substitute(named) for t in parts)
        given, kept = Given(kind, tuple(terms), (dependent, head)), found.get(step.consequent.kind, ())
        if given in kept:
            return False
        if len(kept) == EFFORTS.givens:  # a step that shifts a position gives others for ever
            raise NotProved(
                f"items of {program.kinds[step.consequent.kind].name} need ever more licences around them"
            )
        found[step.consequent.kind] = (*kept, given)
        return True

    for step in steps:
        licences = step.foreign_licences
        if len(licences) != 1 or len(step.contexts) != 1 or step.antecedents or step.links:
            continue
        [context], [licence] = step.contexts, licences
        add(step, context.kind, over_columns(step, [*context.terms, *licence.arguments]), True)
    changed = True
    while changed:
        changed = False
        for step in steps:
            for k, atom in enumerate(step.antecedents):
                givens = found.get(atom.kind, ())
                others = [one for x, one in enumerate(step.antecedents) if x != k]
                if any(_supplied(program, step, atom, given, one) for given in givens for one in others):
                    continue
                columns = program.kinds[atom.kind].by_name(atom.terms)
                for given in givens:
                    parts = [t.substitute(columns) for t in (*given.terms, *given.licence)]
                    changed = add(step, given.kind, over_columns(step, parts), False) or changed
    return found


def _supplied(program: Program, step: Step, atom: Atom, given: Given, other: Atom) -> bool:
    """Whether the antecedent `other` is the context that `atom` needs, and the step builds the link that is its
    licence.
    """
    columns = program.kinds[atom.kind].by_name(atom.terms)
    taken = {
        term.single: value
        for term, value in zip(given.terms, other.terms, strict=False)
        if term.single is not None and term.single.startswith("?")
    }
    licence = tuple(t.substitute(columns).substitute(taken) for t in given.licence)
    return given.kind == other.kind and licence in step.links
