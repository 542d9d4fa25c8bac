"""Judgements about how items come about: each in some way (complete), none in two (each once).

ways        each tuple of words of each element of a meaning has a step that derives it (lemmas 6 and 7): *complete*
repetition  no tuple of words comes about by two steps, or by one in two ways (lemma 6): *each once*

An *element* is derived if, for each tuple of types of words with its profiles, a way is listed that these words match
and whose step surely applies. That it applies may follow only from facts about all items with such words.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemata.correctness.certificate import Element, Gap, NotProved, ProfiledStep
from schemata.correctness.checker import Checker
from schemata.correctness.contexts import check_contexts, discharge
from schemata.correctness.steps import (
    N,
    Woven,
    boundary,
    shown,
    told,
)
from schemata.correctness.words import EMPTY, Profile, Types, variables_in
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test, linear_terms, solved, variable
from schemata.program.model import Atom


class Cover:
    """Judges ways and repetitions, by the facts of a checker whose plans are worked out and whose meanings are set."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self._ways: dict[object, NotProved | None] = {}
        self._applies: dict[object, bool] = {}

    def factorized(
        self, woven: Woven, element: Element, values: Sequence[Profile]
    ) -> tuple[Atom, list[Test]]:
        """Return an item in general, and the facts that hold if its words, of an element, have a factorization.

        Boundary k is the variable `@:k`, column c of the item the variable `@c`.
        """
        step, plan = woven.step, woven.plan
        atom = self.checker.generic(step.consequent.kind)
        known = [
            *self.checker.facts(atom),
            *self.checker.lengths(atom, element[0]),
            *self.checker.marked(atom, element[1]),
        ]
        for cut, at in zip(self.checker.cuts(atom), plan.cuts, strict=True):
            known.append(Linear("==", boundary(at) - cut))
        profile_of = dict(zip((place for place, _, _ in woven.order), values, strict=True))
        for place, piece in enumerate(plan.pieces):
            gaps = boundary(place + 1) - boundary(place)
            if place in profile_of:
                known += self.checker.length(gaps, profile_of[place])
            elif piece.antecedent is not None:
                known.append(Linear("==", gaps))
            elif not piece.empty:
                known.append(Linear("==", gaps - 1))
        for sign, low, high in plan.links:
            head, dependent = (
                (boundary(low), boundary(high)) if sign == "(" else (boundary(high), boundary(low))
            )
            known += [Linear(">=", dependent - 1), Linear(">=", N - dependent)]
            known += [Linear(">=", head), Linear(">=", N - head)]
        return atom, known

    def parts(self, woven: Woven, values: Sequence[Profile]) -> list[tuple[Profile, ...]]:
        """Return the profiles of the words of each antecedent in a factorization."""
        found = {(k, s): value for (_, k, s), value in zip(woven.order, values, strict=True)}
        return [
            tuple(found.get((k, s), EMPTY) for s in self.checker.layouts[atom.kind].segments)
            for k, atom in enumerate(woven.step.antecedents)
        ]

    def way_refusal(self, number: int, element: Element, way: ProfiledStep) -> NotProved | None:
        """Return why a step does not surely derive items whose words have a factorization; None if it does.

        Parameters
        ----------
        number : the number of the given that the items have as a context. element : the element of the words. way : the
            step, and the profiles of the factorization.
        """
        key = number, element, way
        if key not in self._ways:
            try:
                self._judge(number, element, way)
                self._ways[key] = None
            except NotProved as reason:
                self._ways[key] = reason
        return self._ways[key]

    def _judge(self, number: int, element: Element, way: ProfiledStep) -> None:
        woven = self.checker.woven[way.step]
        if woven is None:
            raise NotProved("the step never applies")
        step = woven.step
        atom, known = self.factorized(woven, element, way.values)
        if not self.checker.questions.possible(known):
            return  # there are no such items
        values, tests = self._bound(woven, atom)
        for part in (*step.antecedents, *step.facts):
            fixed = part.substitute(values)
            open_ = {x for term in fixed.terms for x in term.variables if not x.startswith("@")}
            if open_:
                raise NotProved(f"{', '.join(sorted(open_))} of step {step.name} may have any value")
        licences = step.foreign_licences
        tests += [t.substitute(values) for t in step.tests if not isinstance(t, Provided)]
        above = [a.substitute(values) for a in step.antecedents]
        tests += [test for one in above for test in self.checker.facts(one)]
        tests += [test for fact in step.facts for test in self.hypothesis(fact.substitute(values))]
        for test in tests:
            if any(not x.startswith("@") for term in linear_terms(test) for x in term.variables):
                raise NotProved(
                    f"a condition of step {step.name} is about values that its items do not determine"
                )
            if not self.checker.questions.follows(known, test):
                message = f"step {step.name} does not always apply: {shown(test)}"
                raise NotProved(message, refuted=(known, test))
        contexts = [a.substitute(values) for a in step.contexts]
        for one in (*above, *contexts):
            if one.kind == atom.kind:
                pairs = zip(self.checker.own(one), self.checker.own(atom), strict=True)
                same = [Linear("==", x - y) for x, y in pairs if x != y]
                if self.checker.questions.possible([*known, *same]):
                    raise NotProved(f"step {step.name} may give back its antecedent")
        for one, profiles in zip(above, self.parts(woven, way.values), strict=True):
            meaning = frozenset(self.checker.meanings.get(one.kind, ()))
            for flags in self.checker.flags(one.kind):
                marks = self.checker.marked(one, flags)
                if (profiles, flags) not in meaning and self.checker.questions.possible([*known, *marks]):
                    name = self.checker.program.kinds[one.kind].name
                    raise NotProved(f"{name} does not have words {told([(profiles, flags)])}")
        check_contexts(self, number, woven, values, known, contexts, licences, atom)
        discharge(self, number, step, values, known, above, atom)

    def _bound(self, woven: Woven, atom: Atom) -> tuple[dict[str, Affine], list[Test]]:
        """Return the values of a step's variables in a factorization of an item, and the further conditions on
        them.
        """
        step = woven.step
        equal = [x - y for x, y in zip(step.consequent.terms, atom.terms, strict=True)]
        equal += [bound - boundary(k) for k, bound in enumerate(woven.bounds)]
        for place, ends in enumerate(woven.ends):
            if ends is not None:
                equal += [ends[0] - boundary(place), ends[1] - boundary(place + 1)]
        values, rest = solved(equal, step.variables)
        return values, [Linear("==", term) for term in rest if term.terms or term.constant]

    def hypothesis(self, atom: Atom) -> list[Test]:
        """Return tests under which an item is surely a hypothesis.

        Raises
        ------
        NotProved : there are no such tests that are linear.
        """
        options: list[list[Test]] = []
        for clause in self.checker.program.hypotheses:
            if clause.atom.kind != atom.kind:
                continue
            names = {x: f"{x} of the hypothesis" for term in clause.atom.terms for x in term.variables}
            apart = {x: variable(y) for x, y in names.items()}
            terms = [t.substitute(apart) for t in clause.atom.terms]
            values, rest = solved(
                [t - x for t, x in zip(terms, atom.terms, strict=True)], list(names.values())
            )
            tests: list[Test] = [Linear("==", term) for term in rest if term.terms or term.constant]
            tests += [test.substitute(apart).substitute(values) for test in clause.tests]
            tests += conditions_of(self.checker.program.kinds, atom)
            options.append(tests)
        if len(options) == 1:
            return options[0]
        linear = [tuple(t for t in tests if isinstance(t, Linear)) for tests in options]
        if not options or any(len(a) < len(b) for a, b in zip(linear, options, strict=True)):
            raise NotProved(f"{self.checker.program.kinds[atom.kind].name} may be no hypothesis")
        return [AnyOf(tuple(linear))]

    # Ways for all types -------------------------------------------------------------------------------------------

    def check_ways(
        self, types: Types, ways: Mapping[tuple[int, int, Element], Sequence[ProfiledStep]]
    ) -> None:
        """Judge that every item with words of an element is derived, for all words."""
        edges: dict[tuple[int, tuple[Profile, ...]], set[tuple[int, tuple[Profile, ...]]]] = {}
        for kind in sorted(self.checker.layouts):
            for number in range(max(1, len(self.checker.givens.get(kind, ())))):
                for element in self.checker.elements(kind):
                    listed = ways.get((kind, number, element), ())
                    for words in types.tuples(element[0]):
                        way = next((w for w in listed if self.matches(types, words, kind, w)), None)
                        if way is None:
                            name = self.checker.program.kinds[kind].name
                            raise NotProved(
                                f"no step surely derives {name} over words such as {types.shown(words)}"
                            )
                        reason = self.way_refusal(number, element, way)
                        if reason is not None:
                            raise reason
                        for below in self.units(way):
                            edges.setdefault((kind, element[0]), set()).add(below)
        while free := [x for x in edges if not edges[x] & edges.keys()]:
            for x in free:
                del edges[x]
        if edges:
            raise NotProved(f"{self.checker.program.kinds[min(edges)[0]].name} is derived from itself")

    def matches(self, types: Types, words: Sequence[int], kind: int, way: ProfiledStep) -> bool:
        """Whether words of some types have the factorization of a way."""
        woven = self.checker.woven[way.step] if 0 <= way.step < len(self.checker.woven) else None
        if woven is None or woven.step.consequent.kind != kind or len(way.values) != len(woven.order):
            return False
        at = 0
        for word, pattern in zip(words, woven.patterns, strict=True):
            size = variables_in(pattern)
            if way.values[at : at + size] not in types.tables[word][pattern]:
                return False
            at += size
        return True

    def units(self, way: ProfiledStep) -> Iterator[tuple[int, tuple[Profile, ...]]]:
        """Yield the antecedents that may have as many letters as the consequent: kinds and profiles."""
        woven = self.checker.woven[way.step]
        assert woven is not None
        gained = woven.letters + len(self.checker.layouts[woven.step.consequent.kind].pending)
        parts = self.parts(woven, way.values)
        for k, (atom, profiles) in enumerate(zip(woven.step.antecedents, parts, strict=True)):
            others = any(p != EMPTY for x, row in enumerate(parts) if x != k for p in row)
            more = gained - len(self.checker.layouts[atom.kind].pending) + others
            if more < 0:
                raise NotProved(f"step {woven.step.name} loses letters")
            if more == 0:
                yield atom.kind, profiles

    def check_class(self, profiles: Iterable[Profile]) -> None:
        """Judge that every projective tree is that of a final item, among words of some profiles."""
        shapes = self.checker.shapes()
        if not shapes:
            raise NotProved("there are no final items")
        for goal in self.goals(min(shapes), profiles):
            if not any(self.final_items(min(shapes), goal, surely=True)):
                raise NotProved(f"no final item surely has trees of profiles {told([(goal, ())])}")

    def goals(self, shape: str, profiles: Iterable[Profile]) -> Iterator[tuple[Profile, ...]]:
        """Yield the profiles of the words of trees over the nodes of a shape."""
        rows = sorted({*profiles})
        if shape == "1..n":
            lefts = [p for p in rows if p[:2] in ("", "10")]
            yield from itertools.product(lefts, [p for p in rows if p[:2] in ("", "01")])
            return
        for profile in rows:
            if profile[:2] == "01":
                whole = (
                    profile
                    if shape == "0..n"
                    else self.checker.algebra.joined(profile, self.checker.algebra.gap)
                )
                assert whole is not None
                yield (whole,)

    def final_items(
        self, shape: str, goal: tuple[Profile, ...], surely: bool
    ) -> Iterator[tuple[int, tuple[Affine, ...]]]:
        """Yield the items whose words have given profiles over the nodes of a shape and that are surely, or perhaps,
        final.
        """
        ends = (Affine(0), N if shape == "0..n" else N + 1)
        nodes = (Affine(1), variable("@root"), N) if shape == "1..n" else ends
        known: list[Test] = []
        for (low, high), profile in zip(itertools.pairwise(nodes), goal, strict=True):
            known += self.checker.length(high - low, profile)
        if not self.checker.questions.possible(known):
            return
        for clause in self.checker.program.finals:
            layout = self.checker.layouts.get(clause.atom.kind)
            if layout is None or layout.pending or not all(layout.owned):
                continue  # `check_finals` has refused these
            if surely and self.checker.givens.get(clause.atom.kind):
                continue  # such items may not be derived
            cuts = self.checker.cuts(clause.atom)
            for at in _monotone(len(cuts), len(nodes)):
                profiles = tuple(goal[x] if y == x + 1 else EMPTY for x, y in itertools.pairwise(at))
                names = [x for term in clause.atom.terms for x in term.variables]
                values, rest = solved([c - nodes[x] for c, x in zip(cuts, at, strict=True)], names)
                item = clause.atom.substitute(values)
                if any(x != "@root" for term in item.terms for x in term.variables):
                    if not surely:
                        yield item.kind, item.terms
                    continue
                tests: list[Test] = [Linear("==", t) for t in rest if t.terms or t.constant]
                tests += [test.substitute(values) for test in clause.tests] + self.checker.facts(item)
                meaning = frozenset(self.checker.meanings.get(item.kind, ()))
                if not surely:
                    fits = (
                        (profiles, flags) in meaning
                        and self.checker.questions.possible(
                            [*known, *tests, *self.checker.marked(item, flags)]
                        )
                        for flags in self.checker.flags(item.kind)
                    )
                    if any(fits):
                        yield item.kind, item.terms
                elif all(self.checker.questions.follows(known, test) for test in tests) and all(
                    (profiles, flags) in meaning
                    or not self.checker.questions.possible([*known, *self.checker.marked(item, flags)])
                    for flags in self.checker.flags(item.kind)
                ):
                    yield item.kind, item.terms

    # Each once --------------------------------------------------------------------------------------------------

    def check_once(self, types: Types) -> None:
        """Judge, with the meanings, that no words of an item come about in two ways, and no tree in two final items."""
        for woven in filter(None, self.checker.woven):
            self._check_fixed(woven)
        by_kind: dict[int, list[Woven]] = {}
        for woven in filter(None, self.checker.woven):
            by_kind.setdefault(woven.step.consequent.kind, []).append(woven)
        for kind in sorted(self.checker.layouts):
            for element in self.checker.elements(kind):
                for words in types.tuples(element[0]):
                    if self.count(types, words, element, by_kind.get(kind, ())) > 1:
                        name = self.checker.program.kinds[kind].name
                        gap = Gap(kind, element, tuple(types.words[t] for t in words))
                        raise NotProved(
                            f"{name} over words such as {types.shown(words)} may be derived twice", gap
                        )
        self.checker.check_finals()
        self._check_final_columns()
        for shape in self.checker.shapes():
            for goal in self.goals(shape, types.profiles):
                if len({*self.final_items(shape, goal, surely=False)}) > 1:
                    raise NotProved("two final items may have the same tree")

    def _check_final_columns(self) -> None:
        """Judge that the nodes of a tree, and its root, determine the columns of a final item.

        Otherwise items of one clause that have the same words, but differ in other columns, would share a tree.
        """
        follows = self.checker.questions.follows
        for clause in self.checker.program.finals:
            known = self.checker.of_final(clause)
            if not self.checker.questions.possible(known):
                continue
            shape = self.checker.shape(clause)
            first, *between, last = self.checker.cuts(clause.atom)
            if shape == "1..n":
                # One cut between is the root, the one word without a head; all other columns follow from it.
                if len(between) != 1:
                    raise NotProved("final items have cuts beside the root")
            elif not all(
                any(follows(known, Linear("==", cut - end)) for end in (first, last)) for cut in between
            ):
                raise NotProved("final items may have a cut at any node")
            fixed = between if shape == "1..n" else []
            names = dict.fromkeys(x for term in clause.atom.terms for x in term.variables)
            apart = {x: variable(f"{x} too") for x in names}
            twice: list[Test] = [*known, *(test.substitute(apart) for test in known)]
            twice += [Linear("==", term - term.substitute(apart)) for term in fixed]
            for term in clause.atom.terms:
                other = term.substitute(apart)
                if term != other and self.checker.questions.possible([*twice, Linear("!=", term - other)]):
                    raise NotProved("final items with the same words may differ in other columns")

    def count(self, types: Types, words: Sequence[int], element: Element, steps: Iterable[Woven]) -> int:
        """Return in how many ways words of an element may come about: 2 for more than one."""
        total = 0
        counted = set()
        for woven in steps:
            rows = (types.tables[word][p].items() for word, p in zip(words, woven.patterns, strict=True))
            for combination in itertools.product(*rows):
                values = tuple(value for row, _ in combination for value in row)
                times = min(2, max((n for _, n in combination), default=1))
                step = woven.step
                place = woven.plan.pieces, woven.plan.cuts
                key = step.case, step.antecedents, step.facts, step.consequent, step.links, place, values
                if key not in counted and self.may_apply(woven, element, values):
                    counted.add(key)  # instances that differ in contexts alone are one
                    total += times
                    if total > 1:
                        return 2
        return total

    def may_apply(self, woven: Woven, element: Element, values: tuple[Profile, ...]) -> bool:
        """Whether a step may make words of an element in a factorization, without giving back its antecedent."""
        key = woven.step.number, element, values
        if key not in self._applies:
            self._applies[key] = self._may_apply(woven, element, values)
        return self._applies[key]

    def _may_apply(self, woven: Woven, element: Element, values: tuple[Profile, ...]) -> bool:
        step = woven.step
        parts = self.parts(woven, values)
        known = [*woven.premises, *self.checker.lengths(step.consequent, element[0])]
        known += self.checker.marked(step.consequent, element[1])
        for atom, profiles in zip(step.antecedents, parts, strict=True):
            known += self.checker.lengths(atom, profiles)
            if atom.kind == step.consequent.kind:
                pairs = zip(self.checker.own(atom), self.checker.own(step.consequent), strict=True)
                other = [Linear("!=", x - y) for x, y in pairs if x != y]
                if not other:
                    return False
                known.append(AnyOf(tuple((test,) for test in other)) if len(other) > 1 else other[0])
        for atom, profiles in zip(step.antecedents, parts, strict=True):
            meaning = frozenset(self.checker.meanings.get(atom.kind, ()))
            choices = [flags for flags in self.checker.flags(atom.kind) if (profiles, flags) in meaning]
            if not any(
                self.checker.questions.possible([*known, *self.checker.marked(atom, flags)])
                for flags in choices
            ):
                return False
        return self.checker.questions.possible(known)

    def _check_fixed(self, woven: Woven) -> None:
        """Judge that an item and the boundaries of a step determine its antecedents and links."""
        step = woven.step
        atom = self.checker.generic(step.consequent.kind)
        values, _ = self._bound(woven, atom)
        parts = (step.antecedents, step.facts, step.links)
        open_ = {x for term in linear_terms(parts) for x in term.substitute(values).variables}
        if all(x.startswith("@") for x in open_):
            return
        apart = {x: variable(f"{x} too") for x in step.variables}
        known: list[Test] = [*woven.premises, *(test.substitute(apart) for test in woven.premises)]
        fixed = [*step.consequent.terms, *woven.bounds]
        known += [Linear("==", t - t.substitute(apart)) for t in fixed if t != t.substitute(apart)]
        for term in linear_terms(parts):
            if self.checker.questions.possible([*known, Linear("!=", term - term.substitute(apart))]):
                raise NotProved(
                    f"antecedents of step {step.name} may differ in what their consequent forgets"
                )


def _monotone(size: int, values: int) -> Iterator[tuple[int, ...]]:
    """Yield the sequences of a size that climb from 0 to values - 1 in steps of 0 and 1."""
    for rest in itertools.product((0, 1), repeat=size - 1):
        if sum(rest) == values - 1:
            yield tuple(itertools.accumulate(rest, initial=0))
