"""Drafts of schemata: their declarations as lists of text, so that parts can be left out one at a time."""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Clause:
    """A hypothesis, final item or equation with its conditions."""

    text: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormDraft:
    """An item form: fields as (name, type)."""

    name: str
    fields: tuple[tuple[str, str], ...]
    where: tuple[str, ...] = ()

    def text(self, term: str) -> str:
        """Return an item of the form with one term in all fields."""
        return f"{self.name}[{', '.join(term for _ in self.fields)}]"


@dataclass(frozen=True)
class Rule:
    """One case of a step; `family` is the lines that make it a family."""

    antecedents: tuple[str, ...]
    consequent: str
    conditions: tuple[str, ...] = ()
    family: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines of the rule."""
        above = [f"  {'   '.join(self.antecedents)}"] if self.antecedents else []
        line = f"  ----------{_listed('  ', self.conditions)}"
        return "\n".join([*(f"  {line}" for line in self.family), *above, line, f"  {self.consequent}"])


@dataclass(frozen=True)
class Step:
    """A step and its cases."""

    name: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Draft:
    """A schema in parts; `text` is the file."""

    name: str
    parameters: tuple[tuple[str, int], ...]
    hypotheses: tuple[Clause, ...]
    forms: tuple[FormDraft, ...]
    equations: tuple[Clause, ...]
    steps: tuple[Step, ...]
    finals: tuple[Clause, ...]
    grammar: str = "d-rules"
    declared: tuple[str, ...] = ()  # structure, types, relations and inputs, a line each
    more: tuple[str, ...] = ()  # parts, composed steps and mirror images, a declaration each

    @property
    def text(self) -> str:
        """The schema file."""
        return "\n".join(_lines(self)) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    settings = ", ".join(f"{name} = {value}" for name, value in draft.parameters)
    yield f"schema {draft.name}({settings})" if settings else f"schema {draft.name}"
    if draft.grammar != "d-rules":
        yield f"  grammar {draft.grammar}"
    yield from draft.declared
    yield ""
    for clause in draft.hypotheses:
        yield f"hypothesis {clause.text}{_listed('  where ', clause.conditions)}"
    for form in draft.forms:
        fields = ", ".join(f"{name}: {kind}" for name, kind in form.fields)
        yield f"item {form.name}[{fields}]{_listed('  where ', form.where)}"
    if draft.equations:
        yield "normal form"
        for clause in draft.equations:
            yield f"  {clause.text}{_listed(' if ', clause.conditions)}"
    for step in draft.steps:
        yield ""
        yield f"step {step.name}"
        for rule in step.rules:
            if len(step.rules) > 1:
                yield "case"
            yield rule.text
    yield from draft.more
    yield ""
    for clause in draft.finals:
        yield f"final {clause.text}{_listed('  where ', clause.conditions)}"


def _listed(before: str, conditions: tuple[str, ...]) -> str:
    return f"{before}{', '.join(conditions)}" if conditions else ""


def shrink(draft: Draft, fails: Callable[[Draft], bool]) -> Draft:
    """Return a smaller draft that still fails: parts are left out as long as it does."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(draft):
            if fails(candidate):
                draft, smaller = candidate, True
                break
    return draft


def _smaller(draft: Draft) -> Iterator[Draft]:
    """Yield the draft without one of its parts, large parts first."""
    for name in ("steps", "equations", "finals", "hypotheses", "forms", "declared", "more"):
        parts = getattr(draft, name)
        for k in range(len(parts)):
            if len(parts) > 1 or name in ("equations", "declared", "more"):
                yield dataclasses.replace(draft, **{name: _without(parts, k)})
    for k, step in enumerate(draft.steps):
        for rules in _smaller_rules(step.rules):
            steps = (*draft.steps[:k], dataclasses.replace(step, rules=rules), *draft.steps[k + 1 :])
            yield dataclasses.replace(draft, steps=steps)
    for name in ("equations", "finals", "forms", "hypotheses"):
        attribute = "where" if name == "forms" else "conditions"
        parts = getattr(draft, name)
        for k, part in enumerate(parts):
            conditions = getattr(part, attribute)
            for at in range(len(conditions)):
                less = dataclasses.replace(part, **{attribute: _without(conditions, at)})
                yield dataclasses.replace(draft, **{name: (*parts[:k], less, *parts[k + 1 :])})
    for k in range(len(draft.parameters)):
        yield dataclasses.replace(draft, parameters=_without(draft.parameters, k))


def _smaller_rules(rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, ...]]:
    if len(rules) > 1:
        for k in range(len(rules)):
            yield _without(rules, k)
    for k, rule in enumerate(rules):
        for at in range(len(rule.conditions)):
            less = dataclasses.replace(rule, conditions=_without(rule.conditions, at))
            yield (*rules[:k], less, *rules[k + 1 :])
        for at in range(len(rule.antecedents)):
            less = dataclasses.replace(rule, antecedents=_without(rule.antecedents, at))
            yield (*rules[:k], less, *rules[k + 1 :])


def _without(parts: tuple, k: int) -> tuple:  # type: ignore[type-arg]
    return (*parts[:k], *parts[k + 1 :])
