"""The schema as a whole: its parameters, item forms, hypotheses, cases of steps and final items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from schemata.language.model.rules import Case, Clause, Form, Join, Link
from schemata.language.source import SourceText

__all__ = ["GrammarKind", "Parameter", "Schema"]

GrammarKind: TypeAlias = Literal["d-rules", "dependency-rules", "context-free", "link-grammar"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the schema: its value here and its default."""

    name: str
    value: int
    default: int


@dataclass(frozen=True, slots=True)
class Schema:
    """A checked parsing schema.

    `name` is the schema's name; `step_names` are the distinct names of its steps in the order declared.
    """

    name: str
    title: str | None
    reference: str | None
    grammar: GrammarKind
    parameters: tuple[Parameter, ...]
    forms: tuple[Form, ...]
    hypotheses: tuple[Clause, ...]
    cases: tuple[Case, ...]
    step_names: tuple[str, ...]
    finals: tuple[Clause, ...]
    source: SourceText = field(compare=False)
    extends: str | None = None
    parameter_conditions: tuple[str, ...] = ()

    @property
    def builds_links(self) -> bool:
        """Whether some step builds a link; if none does, derivations stand for no dependency trees."""
        return any(case.head_links or _with(Link, case) for case in self.cases)

    @property
    def builds_linkages(self) -> bool:
        """Whether derivations stand for linkages: labelled links between connectors."""
        return any(_with(Join, case) for case in self.cases)

    def form(self, name: str) -> Form:
        """Return the item form of that name.

        Raises
        ------
        KeyError : there is none.
        """
        for form in self.forms:
            if form.name == name:
                return form
        raise KeyError(name)


def _with(kind: type, case: Case) -> bool:
    return any(isinstance(link, kind) for link in case.links)
