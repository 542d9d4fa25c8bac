"""Normal forms in the proof: when two items are writings of one item, and what equations must preserve.

An instance whose consequent is a writing of one of its antecedents proves nothing and is dropped; the proof may
leave it aside. That two items *are* writings of one is said here only where the rewriting, with the first
equation that fits, leads from both to the same; so nothing is left aside that is not dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from schemata.engine.order.differences import Differences
from schemata.engine.order.logic import Formula, Solver
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Atom, Equation, Program

__all__ = ["NormalForms"]


@dataclass(frozen=True, slots=True)
class _Applied:
    """An equation applied to an item.

    It applies where the tests hold, and no conjunction of `earlier` does: those of the equations before it.
    """

    tests: tuple[Linear, ...]
    earlier: tuple[tuple[Linear, ...], ...]
    to: Atom


@dataclass(slots=True)
class NormalForms:
    """A program's equations, ready to be asked about items in rules."""

    program: Program
    solver: Solver
    rewritten_hypotheses: frozenset[int]  # forms that have hypotheses to which an equation would apply

    @staticmethod
    def of(program: Program, solver: Solver) -> NormalForms:
        """Return a program's normal forms; finds out which forms have hypotheses in no normal form."""
        found = NormalForms(program, solver, frozenset())
        forms = set()
        for given in program.hypotheses:
            kind = program.kinds[given.atom.kind]
            for equation in found.equations(given.atom.kind):
                applied = _apply(equation, given.atom)
                tests = (*given.tests, *conditions_of(program.kinds, given.atom))
                if applied is None or solver.possible(solver.tests((*tests, *applied.tests))):
                    forms.add(kind.form)
        return NormalForms(program, solver, frozenset(forms))

    def equations(self, kind: int) -> tuple[Equation, ...]:
        """Return the equations whose left side is of a kind, in order of precedence."""
        rows = self.program.equations.get(self.program.kinds[kind].form, ())
        return tuple(e for e in rows if e.left.kind == kind)

    def has(self, kind: int) -> bool:
        """Whether items of the kind may have several writings."""
        return bool(self.program.equations.get(self.program.kinds[kind].form))

    def same(self, consequent: Atom, antecedent: Atom, known: Differences) -> Formula | None:
        """Return a formula under which the consequent is a writing of the antecedent; None if there is none.

        `known` are differences that hold for the rule's variables; ways that contradict them are left out.
        """
        kinds = self.program.kinds
        form = kinds[consequent.kind].form
        if form != kinds[antecedent.kind].form or form in self.rewritten_hypotheses:
            return None
        ways: list[Formula] = []
        others = [_Applied((), (), antecedent), *self._rewritten(antecedent, known)]
        for one in (_Applied((), (), consequent), *self._rewritten(consequent, known)):
            for other in others:
                if one.to.kind != other.to.kind:
                    continue
                pairs = zip(one.to.terms, other.to.terms, strict=True)
                same = tuple(Linear("==", a - b) for a, b in pairs if a != b)
                tests = dict.fromkeys((*one.tests, *other.tests, *same))
                if known.copy().add_all(tests):
                    earlier = dict.fromkeys((*one.earlier, *other.earlier))
                    fits = [self.solver.opposite(self.solver.tests(e)) for e in earlier]
                    ways.append(self.solver.all_of((self.solver.tests(tests), *fits)))
        return self.solver.any_of(ways) if ways else None

    def _rewritten(self, atom: Atom, known: Differences) -> list[_Applied]:
        """Return what an item may be rewritten to at once, where that does not contradict what is known."""
        found: list[_Applied] = []
        earlier: list[tuple[Linear, ...]] = []
        for equation in self.equations(atom.kind):
            applied = _apply(equation, atom)
            if applied is None:
                break  # where it applies is not known, so neither is where later ones do
            if known.copy().add_all(applied.tests):
                found.append(replace(applied, earlier=tuple(earlier)))
                earlier.append(applied.tests)
        return found


def _apply(equation: Equation, atom: Atom) -> _Applied | None:
    """Return an equation applied to an item, or None where it is not certain where it applies."""
    equation = _renamed(equation)
    given = _match(equation.left, atom)
    if given is None:
        return None
    tests: list[Linear] = []
    for pattern, value in zip(equation.left.terms, atom.terms, strict=True):
        left = pattern.substitute(given) - value
        if left.terms or left.constant:
            tests.append(Linear("==", left))
    terms = [*equation.right.terms]
    for test in equation.tests:
        if not isinstance(test, Linear):
            return None
        tests.append(test.substitute(given))
        terms.append(test.left)
    if any(x not in given for term in terms for x in _variables(term)):
        return None
    right = Atom(equation.right.kind, tuple(t.substitute(given) for t in equation.right.terms))
    return _Applied(tuple(tests), (), right)


def _match(pattern: Atom, atom: Atom) -> dict[str, Affine] | None:
    """Return the values that a pattern's variables must have to be an item; None where some stay open."""
    given: dict[str, Affine] = {}
    waiting = list(zip(pattern.terms, atom.terms, strict=True))
    while waiting:
        for pair in waiting:
            term, value = pair
            free = [x for x in _variables(term) if x not in given]
            if not free:
                break
            k = term.coefficient(free[0])
            if len(free) == 1 and abs(k) == 1:
                rest = (term - variable(free[0]) * k).substitute(given)
                given[free[0]] = (value - rest) * k
                break
        else:
            return None
        waiting.remove(pair)
    return given


def _variables(term: Affine) -> list[str]:
    return [x for x in term.names if x != "n" and not x.startswith("'")]


@lru_cache(maxsize=1024)
def _renamed(equation: Equation) -> Equation:
    """Return an equation with variables that no rule has."""
    terms = [*equation.left.terms, *equation.right.terms]
    for test in equation.tests:
        options = ((test,),) if isinstance(test, Linear) else test.options
        terms += [one.left for option in options for one in option]
    given = {x: variable(f"{x} of the equation") for term in terms for x in _variables(term)}

    def atom(old: Atom) -> Atom:
        return Atom(old.kind, tuple(t.substitute(given) for t in old.terms))

    return Equation(
        atom(equation.left),
        atom(equation.right),
        tuple(t.substitute(given) if isinstance(t, Linear) else t for t in equation.tests),
    )
