"""Which rules may find one step instance in two ways, so that a kernel has to remember what it found.

An instance is a step's name, its antecedents and consequent in normal form, and the links it builds. It may be
found twice where items have several writings, where a variable shows in none of these, or where two rules of
one name (two cases, or two choices of kinds) can agree in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from schemata.language.cases import instance_names
from schemata.program.facts import conditions_of, difference, facts_of
from schemata.program.linear import (
    Affine,
    AnyOf,
    CategoryLicence,
    CategoryOf,
    Licence,
    Linear,
    Test,
    variable,
)
from schemata.program.model import Atom, Program, Rule


def repeating_rules(program: Program) -> frozenset[int]:
    """Return the numbers of the rules that may find an instance that they, or another rule, find again."""
    found = {rule.number for rule in program.rules if _written(program, rule) or _hidden(rule)}
    return frozenset(found.union(*agreeing_rules(program)))


def agreeing_rules(program: Program) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two rules of one name that may find the same instance."""
    groups: dict[object, list[Rule]] = {}
    names = instance_names(program.schema)
    for rule in program.rules:
        step = names[rule.case]
        kinds = tuple(a.kind for a in rule.antecedents), rule.consequent.kind, len(rule.links)
        groups.setdefault((step, kinds), []).append(rule)
    for group in groups.values():
        for k, rule in enumerate(group):
            for other in group[k + 1 :]:
                if _may_agree(program, rule, other):
                    yield rule.number, other.number


def _written(program: Program, rule: Rule) -> bool:
    """Whether an item of the rule may have several writings."""
    forms = {program.kinds[atom.kind].form for atom in (*rule.antecedents, rule.consequent)}
    return any(program.equations.get(form) for form in forms)


def _hidden(rule: Rule) -> bool:
    """Whether some variable is not determined by the items and links of an instance."""
    shown = [t for atom in (*rule.antecedents, rule.consequent) for t in atom.terms]
    shown += [t for link in rule.links for t in link]
    shown += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    known: set[str] = {"n"}
    while True:
        more = set(known)
        for term in shown:
            unknown = [x for x in term.names if x not in more and not x.startswith("'")]
            if len(unknown) == 1:
                more.add(unknown[0])
        if more == known:
            return not set(rule.variables) <= known
        known = more


def _may_agree(program: Program, rule: Rule, other: Rule) -> bool:
    """Whether nothing shows that two rules never find the same instance."""
    renaming = {x: variable(f"{x} again") for x in other.variables}
    tests: list[Test] = [*rule.tests, *_renamed(other.tests, renaming)]
    for mine, yours in zip(
        (*rule.antecedents, rule.consequent), (*other.antecedents, other.consequent), strict=True
    ):
        tests += _equal(mine.terms, [t.substitute(renaming) for t in yours.terms])
        tests += conditions_of(program.kinds, mine)
    for mine_link, your_link in zip(rule.links, other.links, strict=True):
        tests += _equal(mine_link, [t.substitute(renaming) for t in your_link])
    return not facts_of(tests).contradictory()


def _equal(mine: Iterable[Affine], yours: Iterable[Affine]) -> list[Test]:
    return [Linear("==", a - b) for a, b in zip(mine, yours, strict=True)]


def _renamed(tests: Iterable[Test], renaming: Mapping[str, Affine]) -> list[Test]:
    return [t.substitute(renaming) for t in tests if isinstance(t, Linear)]


How = Literal["never", "writings", "always"]

_WORD = 62  # bits of a word that numbers are packed into
_ITEM = 31  # bits of an item's number
_NODE = 24  # bits of a node's number


class Doubles:
    """How instances of a program's rules must be told apart, and the words by which those met are known."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._names = instance_names(program.schema)
        self._found: dict[int, How] = {}
        rules = program.rules
        for rule in rules:
            how: How = "never"
            if any(self._has_writings(a) for a in rule.antecedents):
                how = "writings"
            if not self._traced(rule) or any(
                self._overlap(rule, other) for other in rules if other is not rule
            ):
                how = "always"
            self._found[rule.number] = how

    def of(self, rule: Rule) -> How:
        """Return when instances of a rule must be compared with those met in the turn."""
        return self._found[rule.number]

    def name(self, rule: Rule) -> int:
        """Return what tells a rule's instances from those of other steps."""
        return self._names[rule.case]

    @cached_property
    def width(self) -> int:
        """The number of words that tell an instance from others of the turn."""
        return max((len(self._packed(self._parts(r))) for r in self.program.rules), default=1)

    def words(self, rule: Rule, slot: int, ids: Sequence[str], ends: Sequence[str]) -> list[str]:
        """Return in code what tells an instance from others of the turn, packed into words.

        The first word has room for the consequent in its lowest bits.

        Parameters
        ----------
        rule, slot : the rule, and the place of the item whose turn it is.
        ids : the antecedents.
        ends : the ends of links.
        """
        others = [y for k, y in enumerate(ids) if k != slot]
        what = self.name(rule) * self._slots + slot + 1
        parts = self._parts(rule)
        texts = ["0", *others, str(what), *ends]
        found = [
            " | ".join(_shifted(texts[k], shift) for k, shift in word if texts[k] != "0") or "0"
            for word in self._packed(parts)
        ]
        return found + ["0"] * (self.width - len(found))

    @cached_property
    def _slots(self) -> int:
        return 1 + max((len(r.antecedents) for r in self.program.rules), default=0)

    def _parts(self, rule: Rule) -> list[int]:
        """Return how many bits the parts of an instance take: consequent, other antecedents, name, links' ends."""
        end = _NODE if self._licensed else _WORD
        others = max(0, len(rule.antecedents) - 1)
        return [_ITEM] * (others + 1) + [self._name_bits] + [end] * (2 * len(rule.links))

    @cached_property
    def _name_bits(self) -> int:
        names = max((self.name(r) for r in self.program.rules), default=0) + 1
        return (names * self._slots).bit_length()

    @cached_property
    def _licensed(self) -> bool:
        """Whether all links are between nodes of the sentence: each is one that the grammar licenses."""
        return all(
            Licence(dependent, head) in rule.tests
            for rule in self.program.rules
            for dependent, head in rule.links
        )

    def _packed(self, bits: Sequence[int]) -> list[list[tuple[int, int]]]:
        """Return the parts of each word with their shifts."""
        found: list[list[tuple[int, int]]] = []
        used = _WORD
        for k, size in enumerate(bits):
            if used + size > _WORD:
                found.append([])
                used = 0
            found[-1].append((k, used))
            used += size
        return found

    def _has_writings(self, atom: Atom) -> bool:
        return self.program.kinds[atom.kind].form in self.program.equations

    def _traced(self, rule: Rule) -> bool:
        """Whether an instance determines the values of all variables."""
        terms = [t for a in rule.antecedents for t in a.terms]
        if not self._has_writings(rule.consequent):
            terms += rule.consequent.terms
        terms += [t for link in rule.links for t in link]
        terms += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
        known: set[str] = set()
        while True:
            before = len(known)
            for term in terms:
                unknown = [x for x in term.names if x != "n" and not x.startswith("'") and x not in known]
                if len(unknown) == 1:
                    known.add(unknown[0])
            if len(known) == before:
                return known.issuperset(rule.variables)

    def _overlap(self, one: Rule, other: Rule) -> bool:
        """Whether rules may give the same instance between items with one writing each."""
        if self.name(one) != self.name(other) or len(one.links) != len(other.links):
            return False
        if [a.kind for a in one.antecedents] != [a.kind for a in other.antecedents]:
            return False
        kinds = self.program.kinds
        ends = one.consequent, other.consequent
        if kinds[ends[0].kind].form != kinds[ends[1].kind].form:
            return False
        normal = self._has_writings(one.consequent)
        if not normal and ends[0].kind != ends[1].kind:
            return False
        renamed = _apart(other)
        pairs = [
            (a, b)
            for x, y in zip(one.antecedents, renamed.antecedents, strict=True)
            for a, b in zip(x.terms, y.terms, strict=True)
        ]
        if not normal:
            pairs += zip(one.consequent.terms, renamed.consequent.terms, strict=True)
        pairs += [
            (a, b) for x, y in zip(one.links, renamed.links, strict=True) for a, b in zip(x, y, strict=True)
        ]
        same = [Linear("==", a - b) for a, b in pairs]
        if any(not t.left.terms and t.left.constant for t in same):
            return False
        known: list[Test] = [
            t for r in (one, renamed) for a in r.antecedents for t in conditions_of(kinds, a)
        ]
        facts = facts_of([*known, *one.tests, *renamed.tests, *same])
        if facts.contradictory():
            return False
        # a link to the left is none to the right: licences hold between different words
        for test in (*one.tests, *renamed.tests):
            if isinstance(test, Licence):
                sides = [difference(test.dependent - test.head), difference(test.head - test.dependent)]
                if all(side is not None and facts.proves([side]) for side in sides):
                    return False
        return True


def _shifted(text: str, shift: int) -> str:
    whole = text if text.isidentifier() or text.isdigit() else f"({text})"
    return f"({whole} << {shift})" if shift else whole


def _apart(rule: Rule) -> Rule:
    """Return a rule with other names for its variables."""
    given = {name: variable(f"{name}'") for name in rule.variables}

    def atom(a: Atom) -> Atom:
        return Atom(a.kind, tuple(t.substitute(given) for t in a.terms))

    def test(t: Test) -> Test:
        match t:
            case Linear():
                return t.substitute(given)
            case AnyOf(options):
                return AnyOf(tuple(tuple(x.substitute(given) for x in o) for o in options))
            case Licence(a, b):
                return Licence(_in(a, given), _in(b, given))
            case CategoryOf(a, b):
                return CategoryOf(_in(a, given), _in(b, given))
            case CategoryLicence(a, b):
                return CategoryLicence(_in(a, given), _in(b, given))

    return Rule(
        rule.number,
        rule.case,
        tuple(atom(a) for a in rule.antecedents),
        rule.contexts,
        atom(rule.consequent),
        tuple(test(t) for t in rule.tests),
        tuple((_in(a, given), _in(b, given)) for a, b in rule.links),
        rule.note,
    )


def _in(term: Affine, given: dict[str, Affine]) -> Affine:
    return term.substitute(given)
