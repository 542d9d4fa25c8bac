"""From a relation file's declarations to checked `Relation`s: schemata, kind and maps, all mistakes at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from schemata.errors import Diagnostic, UsageError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import relation_syntax as r
from schemata.language import syntax as s
from schemata.language.build_terms import NUMBER_DIGITS
from schemata.language.relation_maps import MapReader
from schemata.language.relation_model import (
    CHAIN_KINDS,
    KINDS,
    REQUIREMENTS,
    ItemMap,
    Kind,
    Relation,
    Requirement,
    Variable,
)
from schemata.language.source import Span
from schemata.language.syntax_errors import RESERVED

__all__ = ["VALUES_LIMIT", "SchemaFinder", "check_relation"]

VALUES_LIMIT = 100  # claims of one file; each is checked by itself
SchemaFinder = Callable[[r.SchemaReference, Mapping[str, int]], m.Schema | None]


def check_relation(
    syntax: r.RelationSyntax,
    name: str,
    given: Mapping[str, int],
    find: SchemaFinder,
    problems: list[Diagnostic],
) -> tuple[tuple[Variable, ...], tuple[Relation, ...]]:
    """Return a file's variables and its claims; `problems` gets errors and warnings.

    Parameters
    ----------
    syntax : the file as written.
    name : the relation's name.
    given : values of variables set from outside, instead of those of their ranges.
    find : returns the schema of a reference, or None and reports why there is none.

    Raises
    ------
    UsageError : a variable is given that the file does not have.
    """
    checker = _Checker(syntax, problems)
    variables = checker.variables(given)
    kind = checker.kind()
    requires = checker.requirements()
    checker.check_parts(kind)
    found: list[Relation] = []
    values = [range(v.low, v.high + 1) for v in variables]
    reader = MapReader(problems, syntax.whole, checker.doubtful)
    for setting in itertools.product(*values):
        environment = dict(zip((v.name for v in variables), setting, strict=True))
        schemata = [checker.schema(reference, environment, find) for reference in checker.references()]
        if syntax.header is None or None in schemata:
            continue
        first, second, *through = cast("list[m.Schema]", schemata)
        maps: tuple[ItemMap, ...] = ()
        if kind not in CHAIN_KINDS:
            maps = reader.maps(syntax.maps, first, second, kind, environment, syntax.header.span)
        found.append(
            Relation(
                name,
                first,
                second,
                kind,
                maps,
                requires,
                syntax.reference,
                tuple(through),
                tuple(environment.items()),
                syntax.source,
            )
        )
    reader.report_impossible()
    return variables, tuple(found)


@dataclass(slots=True)
class _Checker:
    syntax: r.RelationSyntax
    problems: list[Diagnostic]
    doubtful: set[str] = field(default_factory=set)

    def report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))

    def references(self) -> Iterator[r.SchemaReference]:
        """Yield the schemata that the file names: the two related ones, then those on the way."""
        if self.syntax.header is not None:
            yield self.syntax.header.first
            yield self.syntax.header.second
        yield from self.syntax.through

    # variables

    def variables(self, given: Mapping[str, int]) -> tuple[Variable, ...]:
        """Resolve the file's variables; each range has at least one value."""
        self.doubtful.update(self.syntax.lost_names)
        found: dict[str, Variable] = {}
        for declared in self.syntax.ranges:
            if declared.name in found or declared.name == "n" or declared.name in RESERVED:
                what = "is declared twice" if declared.name in found else "names no variable"
                self.report(
                    declared.span, "duplicate-parameter", f"{declared.name} {what}", expected="another name"
                )
                continue
            low, high = (self._number(term, {}) for term in (declared.low, declared.high))
            if declared.name in given:
                low = high = given[declared.name]
            if low is None or high is None:
                self.doubtful.add(declared.name)
                continue
            if low > high:
                self.report(
                    declared.low.span,
                    "empty-range",
                    f"there is no value from {low} to {high}",
                    expected=f"for {declared.name} in [LOW..HIGH]",
                )
                high = low
            found[declared.name] = Variable(declared.name, low, high)
        for name in given:
            if name not in found and self.syntax.whole and name not in self.doubtful:
                raise UsageError(
                    Diagnostic(
                        "unknown-parameter",
                        f"the relation has no variable {name}",
                        expected=one_of(found) if found else "no variable",
                        hint=did_you_mean(name, found),
                    )
                )
        count = 1
        for variable in found.values():
            count *= variable.high - variable.low + 1
        if count > VALUES_LIMIT:
            self.report(
                self.syntax.ranges[0].span,
                "too-many-values",
                f"these are {count:,} claims",
                expected=f"at most {VALUES_LIMIT}",
            )
            return tuple(Variable(v.name, v.low, v.low) for v in found.values())
        return tuple(found.values())

    def _number(self, term: s.Term, environment: Mapping[str, int]) -> int | None:
        """Return the value of a sum of numbers and variables; None, reported, where it is none."""
        match term:
            case s.Constant(int() as number, "number", span):
                return number if len(span.text) <= NUMBER_DIGITS else None  # else it was reported
            case s.Name(name) if name in environment:
                return environment[name]
            case s.Name(name) if name in self.doubtful:
                return None
            case s.Sum(parts):
                total = 0
                for sign, part in parts:
                    value = self._number(part, environment)
                    if value is None:
                        return None
                    total += sign * value
                return total
        self.report(
            term.span,
            "bad-argument",
            f"{term.span.text} is no number",
            expected="a number" + ("".join(f" or {name}" for name in environment)),
            hint=did_you_mean(term.id, environment)
            if isinstance(term, s.Name) and environment
            else "variables are declared: for d in [1..3]"
            if isinstance(term, s.Name)
            else None,
        )
        return None

    # schemata

    def schema(
        self, reference: r.SchemaReference, environment: Mapping[str, int], find: SchemaFinder
    ) -> m.Schema | None:
        values: dict[str, int] = {}
        complete = True
        for argument in reference.arguments:
            value = self._number(argument.value, environment)
            complete = complete and value is not None
            if argument.name in values:
                self.report(
                    argument.span,
                    "duplicate-parameter",
                    f"parameter {argument.name} is set twice",
                    expected="one value",
                )
            if value is not None:
                values[argument.name] = value
        return find(reference, values) if complete else None

    # kind and requirements

    def kind(self) -> Kind | None:
        if self.syntax.kind is None:
            return None
        name, span = self.syntax.kind
        if name in KINDS:
            return name
        self.report(
            span,
            "unknown-kind",
            f"unknown kind of relation {name}",
            expected=one_of(KINDS),
            hint=did_you_mean(name.replace(" ", "-"), KINDS) or _NEAR_KINDS.get(name),
        )
        return None

    def requirements(self) -> tuple[Requirement, ...]:
        found: list[Requirement] = []
        for name, span in self.syntax.requires:
            if name in REQUIREMENTS:
                found.append(cast("Requirement", name))
                continue
            self.report(
                span,
                "unknown-requirement",
                f"nothing is known of the requirement {name!r}",
                expected=one_of(REQUIREMENTS),
                hint=did_you_mean(name, REQUIREMENTS),
            )
        return tuple(dict.fromkeys(found))

    def check_parts(self, kind: Kind | None) -> None:
        """Report maps of a chain, and stations of what is none."""
        if kind in CHAIN_KINDS and self.syntax.maps:
            self.report(
                self.syntax.maps[0].span,
                "misplaced-map",
                f"a {kind} is a chain of relations, and has no maps of its own",
                expected="a relation file for each part of the chain",
            )
        if kind is not None and kind not in CHAIN_KINDS and self.syntax.through:
            self.report(
                self.syntax.through[0].span,
                "misplaced-station",
                f"a {kind} is one relation, and passes no other schema",
                expected=f"kind {' or kind '.join(CHAIN_KINDS)}",
            )


_NEAR_KINDS = {
    "sr": "did you mean step-refinement?",
    "ir": "did you mean item-refinement?",
    "sf": "did you mean static-filter?",
    "df": "did you mean dynamic-filter?",
    "sc": "did you mean step-contraction?",
    "ic": "did you mean item-contraction?",
    "filter": "a static-filter leaves out, a dynamic-filter adds antecedents",
}
