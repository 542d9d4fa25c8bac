"""What holds for every instance of a rule that is not dropped: the premises of all questions about the rule."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemata.engine.order.differences import Differences
from schemata.engine.order.invariants import Invariants
from schemata.engine.order.logic import Formula, Solver
from schemata.engine.order.normal_forms import NormalForms
from schemata.program.linear import Linear, Test
from schemata.program.model import Program, Rule

__all__ = ["Premises"]


@dataclass(slots=True)
class Premises:
    """The premises of a program's rules, made once each."""

    program: Program
    invariants: Invariants
    normal_forms: NormalForms
    solver: Solver
    _made: dict[int, list[Formula]] = field(default_factory=dict)

    def tests(self, rule: Rule) -> list[Test]:
        """Return the tests of a rule, and what holds for its items."""
        tests = [*rule.tests]
        for atom in (*rule.antecedents, rule.consequent):
            tests += self.invariants.of(atom)
        return list(dict.fromkeys(tests))

    def of(self, rule: Rule) -> list[Formula]:
        """Return what holds for the instances of a rule: its tests, and that none of them is dropped."""
        if rule.number not in self._made:
            tests = self.tests(rule)
            names = {x for term in rule.all_terms() for x in term.names}
            known = Differences.of(x for x in names if x != "n")
            known.add_all(t for t in tests if isinstance(t, Linear))
            formulas = [self.solver.tests(tests)]
            for atom in rule.antecedents:
                same = self.normal_forms.same(rule.consequent, atom, known)
                if same is not None:
                    formulas.append(self.solver.opposite(same))
            self._made[rule.number] = formulas
        return self._made[rule.number]
