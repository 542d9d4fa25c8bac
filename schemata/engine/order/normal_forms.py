"""Normal forms in the proof: when two items are writings of one item, and what equations must preserve.

An instance whose consequent is a writing of one of its antecedents proves nothing and is dropped; the proof may
leave it aside. That two items *are* writings of one is said here only where the rewriting, with the first
equation that fits, leads from both to the same; so nothing is left aside that is not dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from schemata.engine.lowering.facts import conditions_of
from schemata.engine.lowering.model import Affine, Atom, Equation, Linear, Program, variable
from schemata.engine.order.logic import Conjunction, Formula, Solver

__all__ = ["NormalForms"]


@dataclass(slots=True)
class _Applied:
    """An equation applied to an item: the tests under which its left side fits, and what it leads to."""

    tests: Conjunction
    right: Atom


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
                applied = _apply(program, equation, given.atom)
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

    def same(self, consequent: Atom, antecedent: Atom) -> Formula | None:
        """Return a formula under which the consequent is a writing of the antecedent; None if there is none."""
        kinds = self.program.kinds
        form = kinds[consequent.kind].form
        if form != kinds[antecedent.kind].form:
            return None
        ways: list[Formula] = []
        others = [(self.solver.all_of(()), antecedent)]
        if form not in self.rewritten_hypotheses:
            others += self._rewritten(antecedent)
        for guard, one in [(self.solver.all_of(()), consequent), *self._rewritten(consequent)]:
            for other_guard, other in others:
                if one.kind == other.kind:
                    same = self.solver.equal(one.terms, other.terms)
                    ways.append(self.solver.all_of((guard, other_guard, same)))
        return self.solver.any_of(ways) if ways else None

    def _rewritten(self, atom: Atom) -> list[tuple[Formula, Atom]]:
        """Return what an item may be rewritten to at once, each with the formula under which it is."""
        found = []
        earlier: list[Formula] = []
        for equation in self.equations(atom.kind):
            applied = _apply(self.program, equation, atom)
            if applied is None:
                break  # where it applies is not known, so neither is where later ones do
            fits = self.solver.tests(applied.tests)
            found.append((self.solver.all_of((*earlier, fits)), applied.right))
            earlier.append(self.solver.opposite(fits))
        return found


@lru_cache(maxsize=4096)
def _applied(equation: Equation, atom: Atom) -> _Applied | None:
    given: dict[str, Affine] = {}
    pairs = list(zip(equation.left.terms, atom.terms, strict=True))
    tests: list[Linear] = []
    while pairs:
        for pair in pairs:
            pattern, value = pair
            free = [(x, k) for x, k in pattern.terms if x != "n" and x not in given and not x.startswith("'")]
            if not free:
                left = pattern.substitute(given) - value
                if left.terms or left.constant:
                    tests.append(Linear("==", left))
                break
            if len(free) == 1 and abs(free[0][1]) == 1:
                name, k = free[0]
                rest = (pattern - variable(name) * k).substitute(given)
                given[name] = (value - rest) * k
                break
        else:
            return None
        pairs.remove(pair)
    right = Atom(equation.right.kind, tuple(t.substitute(given) for t in equation.right.terms))
    free_names = {x for t in equation.right.terms for x in t.names}
    free_names |= {x for t in equation.tests if isinstance(t, Linear) for x in t.left.names}
    if any(x != "n" and x not in given and not x.startswith("'") for x in free_names):
        return None
    more: list[Linear] = []
    for test in equation.tests:
        if not isinstance(test, Linear):
            return None
        more.append(test.substitute(given))
    return _Applied((*tests, *more), right)


def _apply(program: Program, equation: Equation, atom: Atom) -> _Applied | None:
    """Return an equation applied to an item, or None where it is not certain where it applies.

    The variables of the item must not be those of the equation; the equation's are renamed.
    """
    del program
    return _applied(_renamed(equation), atom)


@lru_cache(maxsize=1024)
def _renamed(equation: Equation) -> Equation:
    terms = [t for a in (equation.left, equation.right) for t in a.terms]
    names = {x for t in terms for x in t.names if x != "n" and not x.startswith("'")}
    for test in equation.tests:
        options = (test,) if isinstance(test, Linear) else tuple(t for o in test.options for t in o)
        names |= {x for t in options for x in t.left.names if x != "n" and not x.startswith("'")}
    given = {x: variable(f"{x} in an equation") for x in names}

    def atom(old: Atom) -> Atom:
        return Atom(old.kind, tuple(t.substitute(given) for t in old.terms))

    return Equation(
        atom(equation.left),
        atom(equation.right),
        tuple(t.substitute(given) if isinstance(t, Linear) else t for t in equation.tests),
    )
