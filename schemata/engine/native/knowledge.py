"""What is known while a rule's antecedents are found: its variables by their locals, and the tests still to be made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from schemata.engine.native.lines import Lines
from schemata.engine.native.ranges import differences_of
from schemata.engine.native.terms import any_of_text, linear_text, term_text
from schemata.language.bounds import Bounds
from schemata.program.facts import conditions_of, facts_of, range_of
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
from schemata.program.model import Atom, NotLowerable, Program, Rule

__all__ = ["Knowledge", "terms_of"]


class Knowledge:
    """The code of a rule as far as it is written, and what holds there."""

    def __init__(self, program: Program, rule: Rule) -> None:
        self.program, self.rule = program, rule
        self.symbols = program.symbols
        self.names: dict[str, str] = {}  # bound variables and their locals
        self.unneeded: set[str] = set()  # variables of partners that stand nowhere else
        self.facts = Bounds()
        self.waiting: list[Test] = list(rule.tests)
        self.open_columns: list[tuple[str, Affine]] = []  # a column's value and the term it must equal
        self.code = Lines()
        self.fresh = 0

    # small helps

    def is_bound(self, term: Affine) -> bool:
        """Whether all variables of a term are known."""
        return not self.unbound(term)

    def unbound(self, term: Affine) -> list[str]:
        """Return the variables of a term that are not known."""
        return [x for x in term.names if x != "n" and not x.startswith("'") and x not in self.names]

    def text(self, term: Affine) -> str:
        """Return a term in code."""
        return term_text(term, self.names, self.symbols)

    def local(self, hint: str) -> str:
        """Return a new local name."""
        self.fresh += 1
        return f"{hint}{self.fresh}"

    def test(self, text: str) -> None:
        """Go on only where a condition holds."""
        self.code.open(f"if {text}:")

    def free_variables(self) -> list[str]:
        """Return the rule's variables that are not known and matter."""
        return [x for x in self.rule.variables if x not in self.names and x not in self.unneeded]

    # taking items apart

    def take_apart(self, slot: int, values: Mapping[int, str]) -> None:
        """Match columns of an antecedent (by number, with the local each is in) with their terms."""
        atom = self.rule.antecedents[slot]
        for column, value in values.items():
            term = atom.terms[column]
            name = term.single
            if name is not None and name not in self.names and name != "n" and not name.startswith("'"):
                self.names[name] = value
            else:
                self.open_columns.append((value, term))
        self.learn_kind(atom)

    def learn_kind(self, atom: Atom) -> None:
        """Know of an item what its kind's conditions say."""
        self.facts.learn(differences_of(conditions_of(self.program.kinds, atom)))

    # tests and equations

    def settle(self) -> None:
        """Make every test that can be made, and solve every equation with one unknown."""
        while self._solve() or self._make_test():
            pass

    def _solve(self) -> bool:
        for pair in list(self.open_columns):
            value, term = pair
            unknown = self.unbound(term)
            if len(unknown) > 1:
                continue
            self.open_columns.remove(pair)
            if unknown:
                self._bind(unknown[0], term, value)
            else:
                self.test(f"{value} == {self.text(term)}")
            return True
        for test in list(self.waiting):
            if isinstance(test, Linear) and test.relation == "==":
                unknown = self.unbound(test.left)
                if len(unknown) == 1:
                    self.waiting.remove(test)
                    self._bind(unknown[0], test.left, "0")
                    return True
        return False

    def _bind(self, name: str, term: Affine, value: str) -> None:
        """Bind the one unknown variable of a term that equals a value."""
        k = term.coefficient(name)
        rest = term - variable(name) * k
        local = self.local("v")
        shown = self.text(rest)
        difference_text = value if shown == "0" else f"{value} - ({shown})" if value != "0" else f"-({shown})"
        if k < 0:
            difference_text = f"-({difference_text})"
        if abs(k) != 1:
            self.test(f"({difference_text}) % {abs(k)} == 0")
            difference_text = f"({difference_text}) // {abs(k)}"
        self.code.line(f"{local} = {difference_text}")
        self.names[name] = local
        if value == "0":
            self.facts.learn(differences_of([Linear("==", term)]))

    def _make_test(self) -> bool:
        for test in self.waiting:
            terms = list(terms_of(test))
            if all(self.is_bound(t) for t in terms):
                self.waiting.remove(test)
                self._write_test(test)
                return True
        return False

    def _write_test(self, test: Test) -> None:
        match test:
            case Linear():
                goal = differences_of([test])
                if goal and self.facts.proves(goal):
                    return
                self.test(linear_text(test, self.names, self.symbols))
                self.facts.learn(goal)
            case AnyOf():
                self.test(any_of_text(test, self.names, self.symbols))
            case Licence(dependent, head):
                for term, low in ((dependent, 1), (head, 0)):
                    self.within(term, Affine(low), variable("n"))
                self.test(f"LIC[({self.text(dependent)}) * (n + 1) + {self.text(head)}]")
            case CategoryOf(word, category):
                self.within(word, Affine(1), variable("n"))
                self.test(f"CAT[{self.text(word)}] == {self.text(category)}")
            case CategoryLicence(dependent, head):
                self.test(f"CLIC[({self.text(dependent)}) * symbols + {self.text(head)}]")

    def within(self, term: Affine, low: Affine, high: Affine) -> None:
        """Test that a known term lies between two others, as far as that is not known."""
        self.at_least(term - low)
        self.at_least(high - term)

    def at_least(self, left: Affine) -> None:
        """Test that a known term is not below 0, as far as that is not known."""
        if not left.terms:
            if left.constant < 0:
                self.test("False")
            return
        goal = differences_of([Linear(">=", left)])
        if not (goal and self.facts.proves(goal)):
            self.test(linear_text(Linear(">=", left), self.names, self.symbols))
            self.facts.learn(goal)

    # choices

    def choose(self) -> None:
        """Let a variable run over a range that the tests imply."""
        best: tuple[str, list[str], list[str]] | None = None
        for name in self.free_variables():
            low, high = self._range(name)
            if low and high:
                best = name, low, high
                break
        if best is None:
            best = self._implied_range()
        if best is None:
            raise NotLowerable("a variable that nothing bounds")
        name, low, high = best
        local = self.local("v")
        low_text = low[0] if len(low) == 1 else f"max({', '.join(low)})"
        high_text = high[0] if len(high) == 1 else f"min({', '.join(high)})"
        self.code.line(f"work -= max(0, {high_text} - ({low_text}) + 1)")
        self.code.open(f"for {local} in range({low_text}, {high_text} + 1):")
        self.names[name] = local

    def _implied_range(self) -> tuple[str, list[str], list[str]] | None:
        """Return a free variable that the tests bound only together, with its bounds by numbers and n."""
        facts = facts_of(self.waiting)
        for name in self.free_variables():
            low, high = range_of(facts, name)
            if low is not None and high is not None:
                return name, [self.text(low)], [self.text(high)]
        return None

    def _range(self, name: str) -> tuple[list[str], list[str]]:
        low: list[str] = []
        high: list[str] = []
        for test in self.waiting:
            match test:
                case Linear(">=", left) if self.unbound(left) == [name]:
                    k = left.coefficient(name)
                    rest = left - variable(name) * k
                    # k * name + rest >= 0
                    if k > 0:
                        low.append(self.text(-rest) if k == 1 else f"-(({self.text(rest)}) // {k})")
                    else:
                        high.append(self.text(rest) if k == -1 else f"({self.text(rest)}) // {-k}")
                case Licence(dependent, head):
                    if dependent.single == name:
                        low.append("1")
                        high.append("n")
                    if head.single == name:
                        low.append("0")
                        high.append("n")
                case CategoryOf(word, category):
                    if word.single == name:
                        low.append("1")
                        high.append("n")
                    if category.single == name:
                        low.append("0")
                        high.append("symbols - 1")
                case CategoryLicence(dependent, head):
                    if name in (dependent.single, head.single):
                        low.append("0")
                        high.append("symbols - 1")
        return list(dict.fromkeys(low)), list(dict.fromkeys(high))


def terms_of(test: Test) -> Iterator[Affine]:
    """Yield the terms of a test."""
    match test:
        case Linear(_, left):
            yield left
        case AnyOf(options):
            yield from (t.left for option in options for t in option)
        case Licence(a, b) | CategoryOf(a, b) | CategoryLicence(a, b):
            yield a
            yield b
