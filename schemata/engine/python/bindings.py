"""What is bound at a place of a generated block: the code so far, and its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemata.engine.code import Code
from schemata.engine.python.expressions import term_text
from schemata.engine.python.names import Names
from schemata.language import model as m
from schemata.language.cases import unknowns

__all__ = ["Bindings"]


@dataclass(slots=True)
class Bindings:
    """The code of a generated block so far, and the variables bound so far.

    `runs` are the sequences of labels matched so far, `awaited` the matches of labels not tested yet.
    """

    code: Code
    names: Names
    types: Mapping[str, m.Type]
    bound: set[str] = field(default_factory=set)
    temporaries: int = 0
    runs: list[tuple[m.Term, ...]] = field(default_factory=list)
    awaited: list[m.Matches] = field(default_factory=list)

    def fresh(self, hint: str) -> str:
        """Return an unused local name."""
        self.temporaries += 1
        return f"_{hint}{self.temporaries}"

    def text(self, term: m.Term) -> str:
        """Return a bound term as an expression."""
        return term_text(term, self.names)

    def is_bound(self, term: m.Condition | m.Region | m.Pattern) -> bool:
        """Whether every variable of the term is bound."""
        return not unknowns(term, self.bound)

    def bind(self, name: str, value: str) -> None:
        """Bind a variable to the value of an expression."""
        target = self.names[name]
        if value != target:
            self.code.line(f"{target} = {value}")
        self.bound.add(name)

    def bind_or_test(self, name: str, value: str) -> None:
        """Bind a variable, or test that it has the value of an expression."""
        if name in self.bound:
            self.code.test(f"{value} == {self.names[name]}")
        else:
            self.bind(name, value)
