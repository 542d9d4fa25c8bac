"""Judgements about the parts of a proof: invariants, layouts, the plans of steps, and meanings, hence soundness.

A judgement raises `NotProved` with its reason. It trusts lowering, the questions that it is given, and the lemmas of
`docs/proofs.md`; it searches for nothing.

invariants  hold for all hypotheses, and each step keeps them
plans       the pieces of a step stand side by side, and its links join boundaries: the step's pattern (lemma 3)
meanings    no step leads out of them, and none builds anything but forests (lemma 5); with the final items: *sound*
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemata.correctness.certificate import Decomposition, Element, Given, ItemLayout, NotProved
from schemata.correctness.questions import Questions
from schemata.correctness.steps import (
    N,
    Step,
    Woven,
    is_hidden,
    linear_names,
    negated,
    read_patterns,
    steps_of,
    told,
)
from schemata.correctness.words import EMPTY, Algebra, Profile
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, Linear, Test, variable
from schemata.program.model import Atom, Final, Program


class Checker:
    """Judges the parts of a proof about one schema.

    Parameters
    ----------
    program : the lowered schema, forgotten columns kept.
    features : the features of profiles.
    invariants : by kind; `check_invariants` judges them.
    layouts : by kind, for all kinds that rules derive.
    questions : decides whether tests can hold together.
    givens : by kind, the contexts of its items.
    """

    def __init__(
        self,
        program: Program,
        features: tuple[str, ...],
        invariants: Mapping[int, Sequence[Linear]],
        layouts: Mapping[int, ItemLayout],
        questions: Questions,
        givens: Mapping[int, tuple[Given, ...]] | None = None,
    ) -> None:
        self.program, self.questions = program, questions
        self.algebra, self.invariants, self.layouts = Algebra(features), invariants, layouts
        self.steps = steps_of(program)
        self.givens = givens or {}
        self.meanings: Mapping[int, Iterable[Element]] = {}
        self.woven: list[Woven | None] = []

    # Facts about items ----------------------------------------------------------------------------------------

    def facts(self, atom: Atom) -> list[Test]:
        """Return the facts about an item: the conditions of its kind, and the invariants."""
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        kept = (test.substitute(given) for test in self.invariants.get(atom.kind, ()))
        return list(dict.fromkeys([*conditions_of(self.program.kinds, atom), *kept]))

    def premises(self, step: Step) -> tuple[Test, ...]:
        """Return the facts about the instances of a step."""
        atoms = (step.consequent, *step.antecedents, *step.contexts, *step.facts)
        return tuple(dict.fromkeys([*step.tests, *(test for atom in atoms for test in self.facts(atom))]))

    def cuts(self, atom: Atom) -> tuple[Affine, ...]:
        """Return the cuts of an item."""
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        return tuple(cut.substitute(given) for cut in self.layouts[atom.kind].cuts)

    def own(self, atom: Atom) -> tuple[Affine, ...]:
        """Return the columns of an item that it does not forget: those that distinguish it from other items."""
        columns = zip(self.program.kinds[atom.kind].columns, atom.terms, strict=True)
        return tuple(term for column, term in columns if not is_hidden(column))

    def lengths(self, atom: Atom, profiles: Sequence[Profile]) -> list[Test]:
        """Return the lengths of the segments of an item whose words have given profiles."""
        cuts, layout = self.cuts(atom), self.layouts[atom.kind]
        found: list[Test] = []
        for segment, profile in zip(layout.segments, profiles, strict=True):
            found += self.length(cuts[segment + 1] - cuts[segment], profile)
        return found

    def length(self, gaps: Affine, profile: Profile) -> list[Test]:
        """Return how many gaps a word of a profile has."""
        least, most = self.algebra.gaps(profile)
        if least == most:
            return [Linear("==", gaps - least)]
        return [Linear(">=", gaps - least), *([] if most is None else [Linear(">=", -gaps + most)])]

    def marked(self, atom: Atom, flags: Sequence[bool]) -> list[Test]:
        """The formula that each mark of an item holds or fails, as its flag says."""
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        marks = (test.substitute(given) for test in self.layouts[atom.kind].marks)
        return [mark if flag else negated(mark) for mark, flag in zip(marks, flags, strict=True)]

    def flags(self, kind: int) -> Iterator[tuple[bool, ...]]:
        """Yield all choices of the marks of a kind."""
        return itertools.product((False, True), repeat=len(self.layouts[kind].marks))

    # Invariants, layouts, plans -------------------------------------------------------------------------------

    def check_invariants(self) -> None:
        """Judge that invariants hold for all items."""
        for kind in self.program.kinds:
            self._check_names(kind.number, self.invariants.get(kind.number, ()))
        for step in self.all_steps():
            above = (*step.antecedents, *step.contexts, *step.facts)
            known = [*step.tests, *conditions_of(self.program.kinds, step.consequent)]
            known += [test for atom in above for test in self.facts(atom)]
            given = self.program.kinds[step.consequent.kind].by_name(step.consequent.terms)
            for test in self.invariants.get(step.consequent.kind, ()):
                if not self.questions.follows(known, test.substitute(given)):
                    raise NotProved(f"step {step.name} does not keep {test}")

    def all_steps(self) -> Iterator[Step]:
        """Yield all steps, and the hypotheses of kinds that no rule derives."""
        yield from self.steps
        made = {step.consequent.kind for step in self.steps}
        for clause in self.program.hypotheses:
            if clause.atom.kind not in made:
                yield Step(-1, "hypothesis", None, (), (), (), clause.atom, clause.tests, ())

    def check_layouts(self) -> None:
        """Judge that the cuts of each kind are in order, and that pending links lead over a cut."""
        for kind in {step.consequent.kind for step in self.steps}:
            layout = self.layouts.get(kind)
            if layout is None or len(layout.owned) != len(layout.cuts) - 1:
                raise NotProved(f"no layout of {self.program.kinds[kind].name}")
            atom = self.generic(kind)
            known, cuts = self.facts(atom), self.cuts(atom)
            self._check_names(kind, (layout.cuts, layout.marks))
            for given in self.givens.get(kind, ()):
                open_ = {x for x in linear_names(given.terms) if x.startswith("?")}
                self._check_names(kind, (given.terms, given.licence), open_)
            for low, high in itertools.pairwise(cuts):
                if not self.questions.follows(known, Linear(">=", high - low)):
                    raise NotProved(f"cuts of {self.program.kinds[kind].name} are not in order")
            for _, start, end in layout.pending:
                if not 0 <= start < end < len(cuts) or (end == start + 1 and layout.owned[start]):
                    raise NotProved(f"a pending link of {self.program.kinds[kind].name} leads over no cut")

    def _check_names(self, kind: int, parts: object, more: Iterable[str] = ()) -> None:
        """Judge that terms are over the columns of a kind."""
        names = {column.name for column in self.program.kinds[kind].columns} | {"n", *more}
        if not names.issuperset(linear_names(parts)):
            raise NotProved(f"a term about {self.program.kinds[kind].name} names no column of it")

    def generic(self, kind: int) -> Atom:
        """Return an item of a kind with variables of its own as columns."""
        columns = self.program.kinds[kind].columns
        return Atom(kind, tuple(variable(f"@{column.name}") for column in columns))

    def weave(self, step: Step, plan: Decomposition | None) -> Woven | None:
        """Judge the plan of a step; returns the step with its boundaries as terms, None if it never applies."""
        premises = self.premises(step)
        if plan is None:
            if self.questions.possible(premises):
                raise NotProved(f"no plan of step {step.name}")
            return None

        def same(one: Affine, other: Affine) -> None:
            difference = one - other
            zero = not difference.terms and not difference.constant
            if not zero and not self.questions.follows(premises, Linear("==", difference)):
                raise NotProved(f"pieces of step {step.name} do not stand side by side")

        layout, cuts = self.layouts[step.consequent.kind], self.cuts(step.consequent)
        bounds, ends, used = [cuts[0]], [], []
        skipped: dict[int, int] = {}
        for place, piece in enumerate(plan.pieces):
            end: tuple[Affine, Affine] | None = None
            if piece.antecedent is not None:
                own = self.cuts(step.antecedents[piece.antecedent])
                used.append((piece.antecedent, piece.segment))
                end = own[piece.segment], own[piece.segment + 1]
                same(bounds[-1], end[0])
                bounds.append(end[1])
                if piece.empty:
                    same(*end)
            elif piece.empty:
                segment = next(
                    (
                        k
                        for k, at in enumerate(plan.cuts[:-1])
                        if at == place and plan.cuts[k + 1] == place + 1
                    ),
                    None,
                )
                if segment is None or layout.owned[segment]:
                    raise NotProved(f"step {step.name} leaves out a segment")
                skipped[segment] = place
                same(bounds[-1], cuts[segment])
                bounds.append(cuts[segment + 1])
            else:
                bounds.append(bounds[-1] + 1)
            ends.append(end)
        wanted = [(k, s) for k, atom in enumerate(step.antecedents) for s in self.layouts[atom.kind].segments]
        if sorted(used) != wanted:
            raise NotProved(f"step {step.name} does not use each piece once")
        if len(plan.cuts) != len(cuts) or list(plan.cuts) != sorted(plan.cuts):
            raise NotProved(f"cuts of step {step.name} are not in order")
        if plan.cuts[0] != 0 or plan.cuts[-1] != len(plan.pieces):
            raise NotProved(f"step {step.name} does not fill its consequent")
        for cut, at in zip(cuts, plan.cuts, strict=True):
            same(cut, bounds[at])
        if {k for k, own in enumerate(layout.owned) if not own} != skipped.keys():
            raise NotProved(f"step {step.name} fills a segment that its consequent does not have")
        if skipped.keys() & {k for k in range(len(layout.owned)) if plan.cuts[k + 1] - plan.cuts[k] != 1}:
            raise NotProved(f"step {step.name} fills a segment that its consequent does not have")
        self._check_links(step, plan, bounds, same)
        order = read_patterns(step, plan, layout)
        return Woven(step, plan, tuple(bounds), tuple(ends), order, premises)

    def _check_links(self, step: Step, plan: Decomposition, bounds: Sequence[Affine], same: object) -> None:
        """Judge that links join the boundaries that a plan names."""
        assert callable(same)
        wanted: list[tuple[Affine, Affine] | tuple[str, Affine, Affine]] = [*step.links]
        for atom in step.antecedents:
            cuts = self.cuts(atom)
            wanted += [(sign, cuts[low], cuts[high]) for sign, low, high in self.layouts[atom.kind].pending]
        for link, (sign, low, high) in zip(wanted, plan.links, strict=True):
            if not 0 <= low < high < len(bounds):
                raise NotProved(f"a link of step {step.name} joins no two boundaries")
            if len(link) == 3:
                ends: tuple[Affine, Affine] = link[1], link[2]
                if link[0] != sign:
                    raise NotProved(f"a pending link of step {step.name} is turned round")
            else:
                dependent, head = link
                ends = (head, dependent) if sign == "(" else (dependent, head)
            same(ends[0], bounds[low])
            same(ends[1], bounds[high])
            # Two nodes are not the same where a bracket pair stands.
            if not self.questions.follows(self.premises(step), Linear(">=", bounds[high] - bounds[low] - 1)):
                raise NotProved(f"a link of step {step.name} may join a node with itself")

    # Soundness --------------------------------------------------------------------------------------------------

    def elements(self, kind: int) -> list[Element]:
        """Return the elements of the meaning of a kind, in order."""
        return sorted(self.meanings.get(kind, ()))

    def outcomes(
        self, woven: Woven, elements: Sequence[Element], known: Iterable[Element]
    ) -> Iterator[Element | None]:
        """Yield the new elements that a step makes of its antecedents' elements; None if the result is not a
        forest.
        """
        kind = woven.step.consequent.kind
        values = iter([elements[k][0][self._place(woven, k, s)] for _, k, s in woven.order])
        profiles = [self.algebra.evaluate(pattern, values) for pattern in woven.patterns]
        whole = tuple(p for p in profiles if p is not None)
        dead = len(whole) < len(profiles)
        open_ = [()] if dead else [flags for flags in self.flags(kind) if (whole, flags) not in known]
        if not open_:
            return
        premises: list[Test] = list(woven.premises)
        for atom, (parts, flags) in zip(woven.step.antecedents, elements, strict=True):
            premises += [*self.lengths(atom, parts), *self.marked(atom, flags)]
        for flags in open_:
            marks = [] if dead else self.marked(woven.step.consequent, flags)
            if self.questions.possible((*premises, *marks)):
                yield None if dead else (whole, flags)

    def _place(self, woven: Woven, antecedent: int, segment: int) -> int:
        kind = woven.step.antecedents[antecedent].kind
        return self.layouts[kind].segments.index(segment)

    def check_meanings(self) -> None:
        """Judge that the meanings are closed under all steps, which make nothing but forests."""
        sets = {kind: frozenset(elements) for kind, elements in self.meanings.items()}
        for woven in filter(None, self.woven):
            rows = [self.elements(atom.kind) for atom in woven.step.antecedents]
            known = sets.get(woven.step.consequent.kind, frozenset())
            for elements in itertools.product(*rows):
                for outcome in self.outcomes(woven, elements, known):
                    if outcome is None:
                        raise NotProved(
                            f"step {woven.step.name} makes something that is not a forest of {told(elements)}"
                        )
                    raise NotProved(
                        f"step {woven.step.name} makes {told([outcome])}, no element of the meaning"
                    )

    def check_sound(self) -> None:
        """Judge, with the meanings, that final items have trees only, and that every link is licensed."""
        self.check_finals()
        for step in self.steps:
            if step.unlicensed:
                raise NotProved(f"step {step.name} builds a link without asking for its licence")

    def check_finals(self) -> None:
        """Judge, with the meanings, that final items have trees only."""
        self.shapes()
        for clause in self.program.finals:
            known = self.of_final(clause)
            if not self.questions.possible(known):
                continue
            shape = self.shape(clause)
            layout = self.layouts[clause.atom.kind]
            if layout.pending or not all(layout.owned):
                raise NotProved("final items have links that lead over cuts, or gaps")
            for profiles, flags in self.elements(clause.atom.kind):
                tests = [*known, *self.lengths(clause.atom, profiles), *self.marked(clause.atom, flags)]
                if not self._is_tree(shape, profiles) and self.questions.possible(tests):
                    raise NotProved(f"a final item may have words of profiles {told([(profiles, flags)])}")

    def of_final(self, clause: Final) -> list[Test]:
        """Return the facts about the final items of a clause."""
        return [*clause.tests, *self.facts(clause.atom)]

    def shapes(self) -> set[str]:
        """Return the nodes over which final items stand, the same for all.

        Raises
        ------
        NotProved : final items stand over different nodes.
        """
        finals = [f for f in self.program.finals if self.questions.possible(self.of_final(f))]
        if any(f.atom.kind not in self.layouts for f in finals):
            raise NotProved("a hypothesis is final")
        found = {self.shape(f) for f in finals}
        if len(found) > 1:
            raise NotProved("some final items are over node 0, and some are not")
        return found

    def shape(self, clause: Final) -> str:
        """Return the nodes over which the words of a final item stand: `0..n`, `0..n+1`, or `1..n`.

        In the last case, a cut within them is the root.
        """
        known, cuts = self.of_final(clause), self.cuts(clause.atom)

        def is_(term: Affine, value: Affine) -> bool:
            return self.questions.follows(known, Linear("==", term - value))

        if is_(cuts[0], Affine(0)) and is_(cuts[-1], N):
            return "0..n"
        if is_(cuts[0], Affine(0)) and is_(cuts[-1], N + 1):
            return "0..n+1"
        if is_(cuts[0], Affine(1)) and is_(cuts[-1], N):
            return "1..n"
        raise NotProved("final items are not over all words")

    def _is_tree(self, shape: str, profiles: Sequence[Profile]) -> bool:
        """Whether words of these profiles in a final item are a tree."""
        if shape == "1..n":
            # Some cut is the root: to its left, all heads are within, as they are to its right.
            left, right = profiles[0], profiles[1] if len(profiles) == 2 else EMPTY
            return len(profiles) == 2 and left[:2] in ("", "10") and right[:2] in ("", "01")
        total: Profile | None = EMPTY
        for profile in profiles:
            total = None if total is None else self.algebra.joined(total, profile)
        if not total:
            return False
        if shape == "0..n":
            return total[:2] == "01"
        features = self.algebra.features
        return total[:2] == "00" and "end" in features and total[2 + features.index("end")] == "1"
