"""Duplicate step instances: the rules that may find one in two ways, for which a kernel remembers those it met.

An instance is a step's name, its antecedents and consequent in normal form, and the links it builds. It may be
found twice where items have several writings, where a variable shows in none of these, or where two rules of
one name (two cases, or two choices of kinds) can agree in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from schemata.language.cases import hyperedge_names, instance_names
from schemata.program.facts import conditions_of, difference, facts_of
from schemata.program.linear import Asks, Linear, Provided, learn, variable
from schemata.program.model import Atom, Program, Rule

__all__ = ["Duplicates", "agreeing_rules", "repeating_rules"]

How = Literal["never", "writings", "always"]

_WORD = 62  # bits of a word that numbers are packed into
_ITEM = 31  # bits of an item's number
_NODE = 24  # bits of a node's number


def repeating_rules(program: Program, hyperedges: bool = False) -> frozenset[int]:
    """Return the numbers of the rules that may find an instance that they, or another rule, find again.

    With `hyperedges`, instances that differ in context antecedents alone are the same.
    """
    rules = _structural(program) if hyperedges else program.rules
    found = {
        rule.number
        for rule, whole in zip(rules, program.rules, strict=True)
        if any(_has_writings(program, a) for a in (*rule.antecedents, rule.consequent))
        or not _is_traced(program, rule)
        or len(rule.variables) < len(whole.variables)
    }
    return frozenset(found.union(*agreeing_rules(program, hyperedges)))


def _structural(program: Program) -> Sequence[Rule]:
    """Return the rules without their context antecedents."""

    def structural(rule: Rule) -> Rule:
        kept = [a for a, context in zip(rule.antecedents, rule.contexts, strict=True) if not context]
        return replace(rule, antecedents=tuple(kept), contexts=(False,) * len(kept))

    return [structural(rule) for rule in program.rules]


def agreeing_rules(program: Program, hyperedges: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two rules of one name that may find the same instance, or the same hyperedge."""
    groups: dict[object, list[Rule]] = {}
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    for rule in _structural(program) if hyperedges else program.rules:
        end = rule.consequent.kind
        form = program.kinds[end].form
        kinds = tuple(a.kind for a in rule.antecedents), form if form in program.equations else -1 - end
        groups.setdefault((names[rule.case], kinds, tuple(map(len, rule.links))), []).append(rule)
    for group in groups.values():
        for k, rule in enumerate(group):
            for other in group[k + 1 :]:
                if _may_agree(program, rule, other):
                    yield rule.number, other.number


def _has_writings(program: Program, atom: Atom) -> bool:
    return program.kinds[atom.kind].form in program.equations


def _is_traced(program: Program, rule: Rule) -> bool:
    """Whether an instance determines the values of all variables that stand in more than one place."""
    terms = [t for a in rule.antecedents for t in a.terms]
    if not _has_writings(program, rule.consequent):
        terms += rule.consequent.terms
    terms += [t for link in rule.links for t in link]
    terms += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    asks = [t for t in rule.tests if isinstance(t, Asks)]
    known: set[str] = {"n"}
    learn(known, terms)
    while True:
        for test in asks:
            bound = [k for k, term in enumerate(test.terms) if known.issuperset(term.names)]
            determined = [test.terms[k] for k in test.query.determined(bound) or ()]
            terms += [term for term in determined if term.single is not None]
        if not learn(known, terms):
            return known.issuperset(rule.shared)


def _may_agree(program: Program, one: Rule, other: Rule) -> bool:
    """Whether nothing shows that two rules never find the same instance."""
    again = {name: variable(f"{name}'") for name in other.variables}
    pairs = [
        (a, b.substitute(again))
        for x, y in zip(one.antecedents, other.antecedents, strict=True)
        for a, b in zip(x.terms, y.terms, strict=True)
    ]
    if not _has_writings(program, one.consequent):
        ends = zip(one.consequent.terms, other.consequent.terms, strict=True)
        pairs += [(a, b.substitute(again)) for a, b in ends]
    for x, y in zip(one.links, other.links, strict=True):
        pairs += [(a, b.substitute(again)) for a, b in zip(x, y, strict=True)]
    same = [Linear("==", a - b) for a, b in pairs]
    if any(not t.left.terms and t.left.constant for t in same):
        return False
    tests = [*one.tests, *(t.substitute(again) for t in other.tests)]
    kinds = [t for a in one.antecedents for t in conditions_of(program.kinds, a)]
    facts = facts_of([*kinds, *tests, *same])
    if facts.contradictory():
        return False
    # a link to the left is none to the right: licences hold between different words
    for test in tests:
        if isinstance(test, Provided) and test.table.is_irreflexive:
            left, right = test.arguments
            sides = [difference(left - right), difference(right - left)]
            if all(side is not None and facts.proves([side]) for side in sides):
                return False
    return True


class Duplicates:
    """The rules that need a table of the instances met, and the words by which it tells instances apart."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._names = instance_names(program.schema)
        agreeing = {number for pair in agreeing_rules(program) for number in pair}
        self._found: dict[int, How] = {}
        for rule in program.rules:
            how: How = "writings" if any(_has_writings(program, a) for a in rule.antecedents) else "never"
            if rule.number in agreeing or not _is_traced(program, rule):
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
        return [_ITEM] * (others + 1) + [self._name_bits] + [end] * sum(map(len, rule.links))

    @cached_property
    def _name_bits(self) -> int:
        names = max((self.name(r) for r in self.program.rules), default=0) + 1
        return (names * self._slots).bit_length()

    @cached_property
    def _licensed(self) -> bool:
        """Whether all links are between nodes of the sentence: each is one that the grammar licenses."""
        return not any(isinstance(t, Asks) for rule in self.program.rules for t in rule.tests) and all(
            Provided("licensed", link) in rule.tests for rule in self.program.rules for link in rule.links
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


def _shifted(text: str, shift: int) -> str:
    whole = text if text.isidentifier() or text.isdigit() else f"({text})"
    return f"({whole} << {shift})" if shift else whole
