"""What decisions share: kernels, ground systems, the grammar of everything, and the limits they are made under."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schemata.analysis.relations.label_universe import label_universe
from schemata.analysis.relations.systems import System, ground_system
from schemata.analysis.relations.universe import Universe, link_universe, rule_universe
from schemata.engine.budget import Budget
from schemata.engine.run import Kernel, compile_kernel
from schemata.language import model as m
from schemata.language.model import HEAD_WORD, ROOT

__all__ = ["DEFAULT_BUDGET", "Workbench", "limits_of", "reference_of", "rules_text"]

DEFAULT_BUDGET = Budget(steps=5_000_000, seconds=300.0)


def reference_of(schema: m.Schema) -> str:
    """Return how a schema is referred to: its name, and the parameters that differ from their defaults.

    >>> import schemata
    >>> reference_of(schemata.load("mh", k=4).definition)
    'mh:k=4'
    """
    changed = [f"{p.name}={p.value}" for p in schema.parameters if p.value != p.default]
    return f"{schema.name}:{','.join(changed)}" if changed else schema.name


@dataclass
class Workbench:
    """Kernels and ground systems, each made once; and the limits under which they are made.

    Attributes
    ----------
    budget : of one run that finds the step instances; its seconds are those of a whole decision.
    rule_length : symbols in a rule, for schemata over rules.
    """

    budget: Budget = DEFAULT_BUDGET
    rule_length: int = 3
    _kernels: dict[str, list[Kernel]] = field(default_factory=dict)
    _systems: dict[Any, System] = field(default_factory=dict)

    def kernel(self, schema: m.Schema) -> Kernel:
        """Return a schema's kernel."""
        known = self._kernels.setdefault(reference_of(schema), [])
        for kernel in known:
            if kernel.schema == schema:
                return kernel
        known.append(compile_kernel(schema))
        return known[-1]

    def universe(self, first: m.Schema, second: m.Schema, n: int) -> Universe:
        """Return the grammar of everything that two schemata over one kind of grammar share."""
        if first.grammar == "d-rules":
            return link_universe(n)
        if first.grammar == "link-grammar":
            return label_universe(n, max(1, self.rule_length - 1))
        chain = int(any(isinstance(c, m.LeftCorner) for _, c in _conditions(first, second)))
        spoken = max(_rules_spoken_of(case) for schema in (first, second) for case in schema.cases)
        named = _categories_named(first, second)
        return rule_universe(n, first.grammar, self.rule_length, min(max(spoken, 2) + chain, 5), chain, named)

    def system(self, schema: m.Schema, universe: Universe) -> System:
        """Return a schema's ground system.

        Raises
        ------
        BudgetExceeded : it has too many step instances.
        UsageError : it has too many items.
        """
        kernel = self.kernel(schema)
        key = id(kernel), id(universe)
        if key not in self._systems:
            self._systems[key] = ground_system(kernel, universe, self.budget)
        return self._systems[key]


def rules_text(universe: Universe, length: int) -> str | None:
    """Say which rules there were."""
    if universe.kind == "d-rules":
        return None
    if universe.kind == "link-grammar":
        count = max(1, length - 1)
        return (
            f"disjuncts of up to {count} connector{'s' * (count > 1)}; the items that some dictionary derives"
        )
    said = f"rules of up to {length} symbols, categories different wherever they may"
    return f"{said}, left corners at most {universe.chain} rule away" if universe.chain else said


def _conditions(*schemata: m.Schema) -> Iterator[tuple[m.Case, m.Condition]]:
    for schema in schemata:
        for case in schema.cases:
            for condition in case.conditions:
                yield case, condition


def _rules_spoken_of(case: m.Case) -> int:
    """Return how many different rules of the grammar an instance of a rule can speak of."""
    dotted = sum(any(isinstance(t, m.TupleTerm) for t in a.pattern.terms) for a in case.antecedents)
    return dotted + sum(isinstance(c, m.HasRule) for c in case.conditions)


def _tells_categories_apart(*schemata: m.Schema) -> bool:
    """Whether a condition compares categories with each other, which generic ones do not show."""
    for case, condition in _conditions(*schemata):
        if not isinstance(condition, m.GRAMMAR_CONDITIONS):
            symbols = {name for name in m.variables(condition) if case.types.get(name) == m.SYMBOL}
            if len(symbols) > 1:
                return True
    return False


def _categories_named(*schemata: m.Schema) -> tuple[str, ...]:
    """Return the categories that rules of schemata name, sorted."""
    found: set[str] = set()
    for schema in schemata:
        for case in schema.cases:
            patterns = (*(a.pattern for a in case.antecedents), case.consequent)
            for node in (*patterns, *case.conditions):
                found.update(_constants(node))
    return tuple(sorted(found - {HEAD_WORD, ROOT}))


def _constants(node: object) -> Iterator[str]:
    """Yield the names of categories in a term, item or condition."""
    parts: tuple[object, ...] = ()
    match node:
        case m.Lit(str() as text):
            yield text
        case m.Pattern(_, terms) | m.TupleTerm(terms) | m.ListTerm(terms) | m.Junction(_, terms):
            parts = terms
        case (
            m.HasRule(one, other)
            | m.HasCategory(one, other)
            | m.LeftCorner(one, other)
            | m.CategoryLicence(one, other)
            | m.Compare(_, one, other)
        ):
            parts = one, other
        case m.RootCategory(operand) | m.Not(operand):
            parts = (operand,)
    for part in parts:
        yield from _constants(part)


def limits_of(first: m.Schema, second: m.Schema, with_links: bool) -> list[str]:
    """Return in words what an answer about two schemata does not cover.

    Parameters
    ----------
    first, second : the schemata.
    with_links : whether what steps build was compared.
    """
    found = []
    if not with_links:
        found.append("links are not compared: one schema builds by positions, one by heads")
    if first.grammar == second.grammar == "d-rules" and _categories_named(first, second):
        found.append("no word is of the categories that the schemata name: each is of one of its own")
    if _tells_categories_apart(first, second):
        found.append("categories are compared: equal ones are gone through only where rules ask for them")
    return found
