"""Judgements about schemata of trees with gaps: the words that items cover, the composition of trees by steps,
and whether all trees are derived.

An item stands for trees with a head over a set of words Y: the head, and blocks low..high that cover the rest, with the
head or without it. The judgements (lemmas 8 to 10 of `docs/proofs.md`):

readings    equations rewrite an item to one over the same words, in one step, and no two items in normal form have them
steps       put trees together that share nothing but a head and do not interleave: *sound*
splits      for each split of an arrangement that is listed, a step surely derives the whole from the two parts
types       each arrangement of an item with several dependents has a listed split: *complete*

A judgement raises `NotProved` with its reason. It trusts lowering, the questions that it is given, and the lemmas.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemata.correctness.arrangements import (
    BLOCK,
    HEAD,
    HOLE,
    ONE,
    OTHER,
    SEVERAL,
    WHOLE,
    WordProperties,
    factors_of,
    gaps_in,
    shapes_of,
    splits_of,
    swapped,
    type_by_trial,
)
from schemata.correctness.certificate import NotProved
from schemata.correctness.gap_certificate import CoveredWords, GapCertificate, Use
from schemata.correctness.questions import Questions
from schemata.correctness.steps import N, Step, boundary, steps_of
from schemata.order.logic import nothing_of
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test, linear_terms, solved, variable
from schemata.program.model import Atom, Equation, Program
from schemata.records import Record

Block = tuple[Affine, Affine]


class Part(Record):
    """The words that an item covers: its head, and the runs of some letters in a text.

    `aside` says that the head is the letter `h`; else it is in one of the runs.
    """

    text: str
    letters: tuple[str, ...]
    head: Affine
    aside: bool = True

    def blocks(self, with_head: bool) -> list[Block]:
        """Return the blocks of words, with the run of the head or without; neighbouring runs are one block."""
        found: list[Block] = []
        for low, high in runs_of(
            self.text, (*self.letters, HEAD) if with_head and self.aside else self.letters
        ):
            if found and found[-1][1] + 1 == low:
                found[-1] = found[-1][0], high
            else:
                found.append((low, high))
        return found


class GapChecker:
    """Judges the parts of a proof about one schema.

    Parameters
    ----------
    program : the lowered schema.
    readings : of each kind.
    questions : decides whether tests can hold together.
    nested : whether trees are to be well-nested; else they are mildly ill-nested (GCW11, section 7.7).
    """

    def __init__(
        self, program: Program, readings: Mapping[int, CoveredWords], questions: Questions, nested: bool
    ) -> None:
        self.program, self.readings, self.questions, self.nested = program, readings, questions, nested
        self.steps = steps_of(program)
        self.gaps = max((len(reading.blocks) - 1 for reading in readings.values()), default=0)

    @property
    def class_name(self) -> str:
        """The class of trees that a proof is about."""
        return f"{'wg' if self.nested else 'mg'}-{self.gaps}"

    # What items cover -----------------------------------------------------------------------------------------

    def head(self, atom: Atom) -> Affine:
        """Return the head of an item."""
        return self.readings[atom.kind].head.substitute(self.program.kinds[atom.kind].by_name(atom.terms))

    def blocks(self, atom: Atom) -> list[Block]:
        """Return the first and the last word of each block of an item."""
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        return [
            (low.substitute(given), high.substitute(given)) for low, high in self.readings[atom.kind].blocks
        ]

    def within(self, atom: Atom, place: Affine) -> AnyOf:
        """The formula that an item covers a word: the head, or one in its blocks."""
        return AnyOf(((_same(place, self.head(atom)),), *_in_blocks(self.blocks(atom), place).options))

    def without(self, atom: Atom, place: Affine) -> list[Test]:
        """The formula that an item does not cover a word."""
        return [_apart(place, self.head(atom)), *_in_no_block(self.blocks(atom), place)]

    def conditions(self, *atoms: Atom) -> list[Test]:
        """Return the facts about items."""
        return [test for atom in atoms for test in conditions_of(self.program.kinds, atom)]

    def generic(self, kind: int, mark: str) -> Atom:
        """Return an item of a kind with variables of its own as columns."""
        columns = self.program.kinds[kind].columns
        return Atom(kind, tuple(variable(f"@{mark}{column.name}") for column in columns))

    def _never(self, reason: str, *tests: Test) -> None:
        if self.questions.possible(tests):
            raise NotProved(reason)

    def _always(self, reason: str, known: Sequence[Test], tests: Iterable[Test]) -> None:
        if not self.questions.all_follow(known, tests):
            raise NotProved(reason)

    # Readings, normal forms -----------------------------------------------------------------------------------

    def check_readings(self) -> None:
        """Judge that items cover words of the sentence, in blocks with gaps between."""
        for kind in self.program.kinds:
            reading = self.readings.get(kind.number)
            if reading is None or not reading.blocks:
                raise NotProved(f"no reading of {kind.name}")
            names = {column.name for column in kind.columns} | {"n"}
            parts = [reading.head, *(end for block in reading.blocks for end in block)]
            if not names.issuperset(x for term in parts for x in term.names):
                raise NotProved(f"a term about {kind.name} names no column of it")
            atom = self.generic(kind.number, "")
            known, blocks, head = self.conditions(atom), self.blocks(atom), self.head(atom)
            wanted = [_least(head, 1), _least(N - head, 0), _least(blocks[0][0], 1)]
            wanted += [_least(N - blocks[-1][1], 0), *(_least(high - low, 0) for low, high in blocks)]
            wanted += [_least(after[0] - before[1], 2) for before, after in itertools.pairwise(blocks)]
            self._always(f"{kind.name} is not made of blocks with gaps between", known, wanted)

    def check_equations(self) -> None:
        """Judge that each head and set of words has one item in normal form, and that equations lead to it.

        An equation keeps the head and the words; its result fulfils the form's conditions, and no equation applies to
        it. So each writing has a normal form in one step.
        """
        for equation in self._equations():
            known = [*self.conditions(equation.left), *equation.tests]
            reason = (
                f"an equation of {self.program.kinds[equation.left.kind].name} does not keep what is covered"
            )
            self._always(reason, known, self.conditions(equation.right))
            self._same_words(reason, known, equation.left, equation.right)
            for after in self._equations():
                if after.left.kind == equation.right.kind:
                    applies = self._applies(after, equation.right)
                    self._never("equations apply to their own results", *known, *applies)
        for clause in self.program.hypotheses:
            for equation in self._equations():
                if equation.left.kind == clause.atom.kind:
                    known = [*clause.tests, *self.conditions(clause.atom)]
                    applies = self._applies(equation, clause.atom)
                    self._never("a hypothesis is not in normal form", *known, *applies)
        kinds = [kind.number for kind in self.program.kinds]
        for one, other in itertools.combinations_with_replacement(kinds, 2):
            self._check_unique(self.generic(one, "1:"), self.generic(other, "2:"))

    def _equations(self) -> Iterator[Equation]:
        for row in self.program.equations.values():
            yield from row

    def _applies(self, equation: Equation, atom: Atom) -> list[Test]:
        """The formula that an equation applies to an item of the kind of its left side."""
        names = {x for term in linear_terms((equation.left, equation.tests)) for x in term.variables}
        apart = {x: variable(f"{x} of the equation") for x in names}
        left = equation.left.substitute(apart)
        pairs = zip(left.terms, atom.terms, strict=True)
        return [*(_same(x, y) for x, y in pairs), *(test.substitute(apart) for test in equation.tests)]

    def _check_unique(self, one: Atom, other: Atom) -> None:
        """Judge that two items in normal form with the same head and words are the same."""
        known = [*self.conditions(one, other), _same(self.head(one), self.head(other))]
        known += [*self._irreducible(one), *self._irreducible(other)]
        for left, right in ((one, other), (other, one)):
            head, blocks = self.head(left), self.blocks(left)
            for low, high in blocks:
                # What is in the one is in the other; what stands beside a block is not, unless it is the head.
                known += [self.within(right, low), self.within(right, high)]
                for beside in (low - 1, high + 1):
                    options: list[tuple[Linear, ...]] = [(_same(beside, head),)]
                    sides = [((a - beside - 1), (beside - b - 1)) for a, b in self.blocks(right)]
                    options += [tuple(_least(x, 0) for x in row) for row in itertools.product(*sides)]
                    known.append(AnyOf(tuple(options)))
        if one.kind == other.kind:
            pairs = zip(one.terms, other.terms, strict=True)
            known.append(AnyOf(tuple((Linear("!=", x - y),) for x, y in pairs)))
        name = self.program.kinds[one.kind].name
        self._never(f"two items in normal form, of {name}, may cover the same words", *known)

    def _irreducible(self, atom: Atom) -> list[Test]:
        """The formula that no equation applies to an item, as far as its columns decide that."""
        found: list[Test] = []
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        for equation in self._equations():
            if equation.left.kind != atom.kind:
                continue
            # The columns that an equation names as variables of their own; the rest is what it asks.
            own: dict[str, Affine] = {}
            asked: list[Linear] = []
            for term, value in zip(equation.left.terms, given.values(), strict=True):
                single = term.single
                if single is not None and single not in own:
                    own[single] = value
            open_ = [x for t in equation.left.terms for x in t.variables if x not in own]
            if open_ or any(not isinstance(test, Linear) for test in equation.tests):
                continue  # less is known then
            for term, value in zip(equation.left.terms, given.values(), strict=True):
                asked.append(_same(term.substitute(own), value))
            asked += [test.substitute(own) for test in equation.tests if isinstance(test, Linear)]
            if all(test.left.terms or test.holds({}) for test in asked):
                options = [(opposite,) for test in asked if test.left.terms for opposite in nothing_of(test)]
                found.append(AnyOf(tuple(options)))
        return found

    def _same_words(self, reason: str, known: Sequence[Test], one: Atom, other: Atom) -> None:
        """Judge that two items have the same head and cover the same words."""
        self._always(reason, known, [_same(self.head(one), self.head(other))])
        place = variable("@word")
        self._never(reason, *known, self.within(one, place), *self.without(other, place))
        self._never(reason, *known, self.within(other, place), *self.without(one, place))

    # Soundness ------------------------------------------------------------------------------------------------

    def check_sound(self) -> None:
        """Judge that all items stand for trees over the words that they cover, and final ones for all words."""
        for step in self.steps:
            self._check_step(step)
        place = variable("@word")
        for clause in self.program.finals:
            if clause.asks:
                raise NotProved("final items ask the grammar")
            known = [*clause.tests, *self.conditions(clause.atom), _least(place, 1), _least(N - place, 0)]
            self._never("final items may leave out words", *known, *self.without(clause.atom, place))

    def _check_step(self, step: Step) -> None:
        known = [*step.tests, *self.conditions(step.consequent, *step.antecedents)]
        place, head, whole = variable("@word"), self.head(step.consequent), step.consequent
        if not self.questions.possible(known):
            return
        if step.contexts or step.facts:
            raise NotProved(f"step {step.name} has contexts")
        if not step.antecedents and not step.links:
            self._never(
                f"items of step {step.name} are not words alone",
                *known,
                self.within(whole, place),
                _apart(place, head),
            )
            return
        if len(step.antecedents) != 2 or len(step.links) > 1:
            raise NotProved(f"step {step.name} does not put two trees together")
        one, other = self._parts(step, known)
        not_one, not_other = self.without(one, place), self.without(other, place)
        covers = f"step {step.name} covers other words than its antecedents"
        self._never(covers, *known, self.within(whole, place), *not_one, *not_other)
        for part in (one, other):
            self._never(covers, *known, self.within(part, place), *self.without(whole, place))
        both = [self.within(one, place), self.within(other, place)]
        # Trees that are put together share their head; one that is linked does not have it.
        apart = [] if step.links else [_apart(place, head)]
        self._never(f"antecedents of step {step.name} may share a word", *known, *both, *apart)
        if self.nested and self.may_interleave(step):
            raise NotProved(f"trees of step {step.name} may interleave")

    def may_interleave(self, step: Step) -> bool:
        """Whether the antecedents of a step may interleave, apart from the head that they share."""
        if len(step.antecedents) != 2:
            return False
        known = [*step.tests, *self.conditions(step.consequent, *step.antecedents)]
        head = self.head(step.consequent)
        places = [variable(f"@word {k}") for k in range(4)]
        known += [_least(after - before, 1) for before, after in itertools.pairwise(places)]
        known += [_apart(place, head) for place in places]
        first, second, third, fourth = places
        for left, right in (step.antecedents, step.antecedents[::-1]):
            inside = [self.within(left, x) for x in (first, third)]
            inside += [self.within(right, x) for x in (second, fourth)]
            if self.questions.possible([*known, *inside]):
                return True
        return False

    def _parts(self, step: Step, known: Sequence[Test]) -> tuple[Atom, Atom]:
        """Return the antecedents of a step: that with the head of the consequent first, where a link joins them."""
        one, other = step.antecedents
        head = self.head(step.consequent)
        if not step.links:
            reason = f"antecedents of step {step.name} may have different heads"
            self._always(reason, known, [_same(self.head(one), head), _same(self.head(other), head)])
            return one, other
        if step.unlicensed:
            raise NotProved(f"step {step.name} builds a link without asking for its licence")
        [(dependent, above)] = step.links
        if not self.questions.follows(known, _same(self.head(one), above)):
            one, other = other, one
        reason = f"the link of step {step.name} does not join the heads of its antecedents"
        ends = [_same(self.head(one), above), _same(self.head(other), dependent), _same(head, above)]
        self._always(reason, known, ends)
        reason = f"step {step.name} may link a tree with more than {self.gaps} gaps"
        self._always(reason, known, [_in_blocks(self.blocks(other), dependent)])
        return one, other

    # Completeness ---------------------------------------------------------------------------------------------

    def check_complete(self, certificate: GapCertificate) -> None:
        """Judge that each arrangement of an item is derived in some way, and that items over all words are final."""
        self.check_alone()
        for shape in shapes_of(self.gaps):
            for place, letter in enumerate(shape):
                if letter == BLOCK and shape.count(BLOCK) <= self.gaps + 1:
                    use = certificate.links.get((shape, place))
                    if use is None:
                        raise NotProved(f"no step surely links a dependent in the arrangement {shape}")
                    self.check_link(shape, place, use)
        for split, use in certificate.splits.items():
            self.check_split(split, use)
        if self.nested:
            self.check_types(certificate.words, certificate.splits)
        else:
            for split in splits_of(self.gaps):
                if not {split, swapped(split)} & certificate.splits.keys():
                    raise NotProved(f"no step surely derives an item with the split {split}")
        self.check_finals()

    def check_alone(self) -> None:
        """Judge that each word alone is a hypothesis."""
        place, word = variable("@word"), variable("@head")
        known = [_least(word, 1), _least(N - word, 0)]
        for clause in self.program.hypotheses:
            head = self.head(clause.atom).single
            if head is None or {x for t in clause.atom.terms for x in t.variables} != {head}:
                continue
            atom = clause.atom.substitute({head: word})
            wanted = [*(test.substitute({head: word}) for test in clause.tests), *self.conditions(atom)]
            if all(self.questions.follows(known, test) for test in wanted):
                alone: list[Test] = [*known, self.within(atom, place), _apart(place, word)]
                self._never("hypotheses are not words alone", *alone)
                return
        raise NotProved("not each word alone is a hypothesis")

    def check_finals(self) -> None:
        """Judge that trees over all words are final items, whatever their head."""
        place, head = variable("@word"), variable("@head")
        known: list[Test] = [t for x in (place, head) for t in (_least(x, 1), _least(N - x, 0))]
        for clause in self.program.finals:
            name = self.head(clause.atom).single
            if name is None or {x for t in clause.atom.terms for x in t.variables} - {"n"} != {name}:
                continue
            atom = clause.atom.substitute({name: head})
            wanted = [*(test.substitute({name: head}) for test in clause.tests), *self.conditions(atom)]
            # A final item that leaves out words is none of a tree over all of them.
            left_out = self.questions.possible([*known, *self.without(atom, place)])
            if not left_out and all(self.questions.follows(known, test) for test in wanted):
                return
        raise NotProved("an item over all words may not be final")

    def check_split(self, split: str, use: Use) -> None:
        """Judge that a step surely derives an item from the two parts of a split."""
        if not {*split} <= {ONE, OTHER, HEAD, HOLE} or split.count(HEAD) != 1 or not {ONE, OTHER} <= {*split}:
            raise NotProved(f"{split} is not a split of dependents")
        step = self._step(use)
        if step.links or use.turned:
            raise NotProved(f"step {step.name} builds a link")
        head = boundary(split.index(HEAD))
        parts = [Part(split, letters, head) for letters in ((ONE, OTHER), (ONE,), (OTHER,))]
        self._check_use(f"step {step.name} does not derive the split {split}", use, run_facts(split), parts)

    def check_link(self, shape: str, place: int, use: Use) -> None:
        """Judge that a step surely links a dependent, in one run of a shape whose blocks together are the dependent's
        subtree.
        """
        step, head, dependent = self._step(use), boundary(shape.index(HEAD)), variable("@dependent")
        reason = f"step {step.name} does not surely link a dependent in the arrangement {shape}"
        if len(step.links) != 1:
            raise NotProved(reason)
        known = [*run_facts(shape), _least(dependent - edge(shape, place), 0)]
        known.append(_least(edge(shape, place + 1) - dependent, 1))
        parts = [Part(shape, (BLOCK,), head), Part(shape, (), head), Part(shape, (BLOCK,), dependent, False)]
        self._check_use(reason, use, known, parts, (dependent, head))

    def _step(self, use: Use) -> Step:
        if not 0 <= use.step < len(self.steps):
            raise NotProved("the certificate names a step that does not exist")
        step = self.steps[use.step]
        if len(step.antecedents) != 2 or len(use.heads) != 3 or step.contexts or step.facts:
            raise NotProved(f"step {step.name} does not put two trees together")
        return step

    def _check_use(
        self,
        reason: str,
        use: Use,
        known: Sequence[Test],
        parts: Sequence[Part],
        link: tuple[Affine, Affine] | None = None,
    ) -> None:
        """Judge that a step derives an item from two others, and builds a link if one is given. Items are given by
        the words that they cover.

        The derived item comes first.
        """
        step, whole, one, other = self._step(use), *parts
        parts = [whole, other, one] if use.turned else parts
        atoms = (step.consequent, *step.antecedents)
        equal: list[Affine] = []
        for atom, part, with_head in zip(atoms, parts, use.heads, strict=True):
            own, blocks = self.blocks(atom), part.blocks(with_head)
            if len(own) != len(blocks):
                raise NotProved(reason)
            equal.append(self.head(atom) - part.head)
            for (low, high), (first, last) in zip(own, blocks, strict=True):
                equal += [low - first, high - last]
        names = [x for x in step.variables if x != "n"]
        values, _ = solved(equal, names)
        # With these values the items have just these heads and blocks, term by term, so that they cover the parts.
        if any(term.substitute(values) != Affine() for term in equal):
            raise NotProved(reason)
        if any(x in names for value in values.values() for x in value.names) or values.keys() != {*names}:
            raise NotProved(reason)
        atoms = tuple(atom.substitute(values) for atom in atoms)
        if any(isinstance(test, Provided) and test.arguments not in step.links for test in step.tests):
            raise NotProved(f"step {step.name} asks for the licence of another link")
        tests = [test.substitute(values) for test in step.tests if not isinstance(test, Provided)]
        self._always(f"step {step.name} does not always apply", known, [*tests, *self.conditions(*atoms)])
        if link is not None:
            ends = [term.substitute(values) for term in step.links[0]]
            self._always(reason, known, [_same(x, y) for x, y in zip(ends, link, strict=True)])

    def check_types(self, words: Sequence[str], splits: Iterable[str]) -> None:
        """Judge that all arrangements with several dependents have a listed split.

        Each word is covered by a listed word whose type has no more splits (lemma 9). It is enough to show this of each
        listed word followed by a letter with listed words in its gaps; all of these are tried.
        """
        listed = frozenset(splits)
        kept, shapes = factors_of([*listed]), factors_of(shapes_of(self.gaps))
        whole = frozenset(shapes_of(self.gaps))

        def type_of(word: str) -> WordProperties | None:
            self.questions.heed()
            return type_by_trial(word, kept, shapes)

        types = {word: type_of(word) for word in words}
        met = [found for found in types.values() if found is not None]
        if len(met) < len(words) or "" not in types or any(gaps_in(word) > self.gaps for word in words):
            raise NotProved("a listed word is not an arrangement")
        letters = {type_of(letter): letter for letter in (HEAD, HOLE, WHOLE)}
        for count in range(1, self.gaps + 1):
            for row in itertools.product([word for word in words if word], repeat=count):
                letter = f"<{'|'.join(row)}>"
                letters.setdefault(type_of(letter), letter)
        for word, (of_letter, letter) in itertools.product(words, letters.items()):
            made = None if of_letter is None else type_of(word + letter)
            if made is not None and not any(found.covers(made) for found in met):
                raise NotProved(f"the type of {word + letter} is not listed")
        for word, found in types.items():
            assert found is not None
            if found.shape in whole and found.dependents == SEVERAL and not found.splits & listed:
                raise NotProved(f"no step surely derives an item with the arrangement {word}")


# Runs of an arrangement -----------------------------------------------------------------------------------------


def edge(text: str, place: int) -> Affine:
    """Return the first word of a run of a shape or a split: a variable, except behind the head, which is one word."""
    return boundary(place - 1) + 1 if place and text[place - 1] == HEAD else boundary(place)


def run_facts(text: str) -> list[Test]:
    """Return the facts about the runs of a shape or a split: each has a word, all stand within the sentence."""
    edges = [edge(text, place) for place in range(len(text) + 1)]
    lengths = [after - before for before, after in itertools.pairwise(edges)]
    return [_least(edges[0], 1), _least(N - edges[-1], -1), *(_least(length, 1) for length in lengths)]


def runs_of(text: str, letters: Sequence[str]) -> list[Block]:
    """Return the first and the last word of each run of some letters."""
    return [(edge(text, k), edge(text, k + 1) - 1) for k, letter in enumerate(text) if letter in letters]


def _least(term: Affine, least: int) -> Linear:
    return Linear(">=", term - least)


def _same(one: Affine, other: Affine) -> Linear:
    return Linear("==", one - other)


def _apart(one: Affine, other: Affine) -> Linear:
    return Linear("!=", one - other)


def _in_blocks(blocks: Sequence[Block], place: Affine) -> AnyOf:
    return AnyOf(tuple((_least(place - low, 0), _least(high - place, 0)) for low, high in blocks))


def _in_no_block(blocks: Sequence[Block], place: Affine) -> list[Test]:
    return [AnyOf(((_least(low - place, 1),), (_least(place - high, 1),))) for low, high in blocks]
