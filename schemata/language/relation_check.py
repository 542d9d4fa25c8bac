"""From a relation file's declarations to checked `Relation`s: schemata, kind and maps, all mistakes at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from schemata.errors import Diagnostic, UsageError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.bounds import impossible
from schemata.language.build import NUMBER_DIGITS
from schemata.language.cases import undetermined
from schemata.language.forms import FormTable
from schemata.language.relation_model import (
    CHAIN_KINDS,
    INTO_FIRST,
    KINDS,
    REQUIREMENTS,
    ItemMap,
    Kind,
    Relation,
    Requirement,
    Variable,
)
from schemata.language.rules import RuleReader
from schemata.language.source import Span
from schemata.language.substitute import item_conditions
from schemata.language.syntax_errors import RESERVED
from schemata.language.terms import STEP_CONDITIONS, conjuncts, in_binding_order


@dataclass(slots=True)
class MapReader:
    """Resolves maps for pairs of schemata; `doubtful` names are not reported where they are unbound.

    Without `whole`, a map may be missing, so that no form is reported for having none. For each map, `futile`
    has a finding for every claim in which it can never match; it is one where that is so in all claims.
    """

    problems: list[Diagnostic]
    whole: bool = True
    doubtful: set[str] = field(default_factory=set)
    claims: int = 0
    futile: dict[Span, list[Diagnostic]] = field(default_factory=dict)

    def maps(
        self,
        lines: Sequence[s.ItemMapLine],
        first: m.Schema,
        second: m.Schema,
        kind: Kind | None,
        environment: Mapping[str, int],
        head: Span,
    ) -> tuple[ItemMap, ...]:
        """Return the maps that resolve, and one for each form that is carried over unchanged.

        `head` is the place of what is said of the relation as a whole.
        """
        self.claims += 1
        backwards = self._direction(lines, first, second, kind)
        written = [self._map(line, first, second, environment) for line in lines]
        found = [x for x in written if x is not None]
        source, target = (second, first) if backwards else (first, second)
        mapped = {line.source.form for line in lines if line.reversed == backwards}
        for form in source.forms:
            if form.name not in mapped:
                carried = self._carried(form, target, backwards, head)
                found += [carried] if carried is not None else []
        if self.whole and all(line.reversed == backwards for line in lines):
            self._check_all(source, target, {x.source.form for x in found} | mapped, head)
        return tuple(found)

    def report_impossible(self) -> None:
        """Report the maps that can match in no claim."""
        for findings in self.futile.values():
            if len(findings) == self.claims:
                self.problems.append(findings[0])

    def _direction(
        self, lines: Sequence[s.ItemMapLine], first: m.Schema, second: m.Schema, kind: Kind | None
    ) -> bool:
        """Return whether items of the second schema are carried to the first; reports maps that differ."""
        if kind is None:
            wanted = lines[0].reversed if lines else False
            reason = "the maps before carry items the other way"
        else:
            wanted = kind in INTO_FIRST
            article = "an" if kind[0] in "aeiou" else "a"
            start, end = (second, first) if wanted else (first, second)
            reason = f"{article} {kind} carries items of {start.name} to items of {end.name}"
        for line in lines:
            if line.reversed != wanted:
                self._report(
                    line.span,
                    "wrong-direction",
                    reason,
                    f"map ITEM {'from' if wanted else 'to'} ITEM",
                    "the item on the left is of the first schema, the one on the right of the second",
                )
        return wanted

    def _map(
        self, line: s.ItemMapLine, first: m.Schema, second: m.Schema, environment: Mapping[str, int]
    ) -> ItemMap | None:
        """Resolve one map; None where it has errors."""
        before = len(self.problems)
        source, target = (second, first) if line.reversed else (first, second)
        if not self._has_forms(line, source, target):
            return None
        rules = RuleReader(_table(source, self.problems), self.problems, None, True)
        scope = rules.scope(environment)
        scope.doubtful.update(self.doubtful)
        scope.fields_of = ""
        pattern = rules.table.pattern(line.source, scope, binding=True)
        resolved: dict[int, m.Term] = {}
        for k, condition in in_binding_order(conjuncts(line.where), scope):
            if isinstance(condition, STEP_CONDITIONS):
                self._report(
                    condition.span,
                    "misplaced-condition",
                    "a map has no such condition",
                    "a comparison, a flag or membership",
                    "a map speaks of items, whatever the grammar",
                )
                scope.doubt(condition)
            else:
                resolved[k] = scope.condition(condition, binding=True)
        reached = _table(target, self.problems).pattern(line.target, scope, binding=False)
        if pattern is None or reached is None or len(self.problems) > before:
            return None
        conditions = tuple(resolved[k] for k in sorted(resolved))
        free = undetermined(pattern.terms, conditions)
        rules.unsolvable(free, scope, (*pattern.terms, *conditions))
        if free:
            return None
        parts: tuple[m.Condition | m.Pattern, ...] = (pattern, *conditions, reached)
        rules.once(scope, (name for part in parts for name in m.variables(part)))
        self._find_futile(line, source.form(pattern.form), pattern, conditions, target, reached)
        return ItemMap(pattern, reached, conditions, dict(scope.types), line.reversed, line.span)

    def _has_forms(self, line: s.ItemMapLine, source: m.Schema, target: m.Schema) -> bool:
        """Return whether the items' forms are those of their schemata; reports them if not."""
        sides = [(source, target, line.source), (target, source, line.target)]
        if line.reversed:
            sides.reverse()
        here = [_has_form(schema, item.form) for schema, _, item in sides]
        there = [_has_form(other, item.form) for _, other, item in sides]
        if not any(here) and all(there):
            self._unknown_form(*sides[0], elsewhere=True)  # one mistake: the sides are exchanged
            return False
        for (schema, other, item), known, elsewhere in zip(sides, here, there, strict=True):
            if not known:
                self._unknown_form(schema, other, item, elsewhere=elsewhere)
        return all(here)

    def _unknown_form(self, schema: m.Schema, other: m.Schema, item: s.Item, *, elsewhere: bool) -> None:
        forms = [f.name for f in schema.forms]
        self._report(
            item.name_span,
            "unknown-form",
            f"schema {schema.name} has no item form {item.form}",
            one_of(forms),
            f"{item.form} is a form of {other.name}: the item on the left is of the first schema"
            if elsewhere
            else did_you_mean(item.form, forms),
        )

    def _find_futile(
        self,
        line: s.ItemMapLine,
        form: m.Form,
        pattern: m.Pattern,
        conditions: tuple[m.Condition, ...],
        target: m.Schema,
        reached: m.Pattern,
    ) -> None:
        """Note a map that no item can match, or whose result is never an item."""
        given = [*conditions, *item_conditions(form, pattern.terms)]
        end = target.form(reached.form)
        finding: Diagnostic | None = None
        if impossible(given):
            finding = line.span.report(
                "contradiction",
                "this map can never match",
                expected="conditions that some items fulfil",
                hint=f"its conditions contradict each other, or those of form {form.name}",
            )
        elif not end.has_normal_form and impossible([*given, *item_conditions(end, reached.terms)]):
            finding = line.target.span.report(
                "contradiction",
                f"this is never an item of {target.name}",
                expected="an item that fulfils the conditions of its form",
                hint=f"the conditions of form {end.name} contradict those of the map",
            )
        if finding is not None:
            self.futile.setdefault(line.span, []).append(finding)

    # forms that are carried over unchanged

    def _carried(self, form: m.Form, target: m.Schema, backwards: bool, head: Span) -> ItemMap | None:
        same = next((f for f in target.forms if f.name == form.name and f.fields == form.fields), None)
        if same is None:
            return None
        terms = tuple(m.Var(f.name, f.type.kind == "optional") for f in form.fields)
        pattern = m.Pattern(form.name, terms)
        types = {f.name: f.type for f in form.fields}
        return ItemMap(pattern, pattern, (), types, backwards, head, written=False)

    def _check_all(self, source: m.Schema, target: m.Schema, mapped: set[str], head: Span) -> None:
        """Report forms of items that correspond to nothing."""
        made = dict.fromkeys(c.consequent.form for c in source.cases)
        for name in made:
            if name in mapped:
                continue
            shown, like = _shape(source, name), None
            if _has_form(target, name):
                like = f"form {name} of {target.name} has other fields: {_shape(target, name)}"
            forms = ", ".join(
                _shape(target, f) for f in dict.fromkeys(c.consequent.form for c in target.cases)
            )
            self._report(
                head,
                "unmapped-form",
                f"nothing says what {shown} of {source.name} is in {target.name}",
                f"a map from it to {forms}",
                like,
            )

    def _report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))


def _table(schema: m.Schema, problems: list[Diagnostic]) -> FormTable:
    return FormTable(problems, forms={f.name: f for f in schema.forms})


def _has_form(schema: m.Schema, name: str) -> bool:
    return any(f.name == name for f in schema.forms)


def _shape(schema: m.Schema, name: str) -> str:
    return f"{name}[{', '.join(f.name for f in schema.form(name).fields)}]"


VALUES_LIMIT = 100  # claims of one file; each is checked by itself
SchemaFinder = Callable[[s.SchemaReference, Mapping[str, int]], m.Schema | None]


def check_relation(
    syntax: s.RelationSyntax,
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
    syntax: s.RelationSyntax
    problems: list[Diagnostic]
    doubtful: set[str] = field(default_factory=set)

    def report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))

    def references(self) -> Iterator[s.SchemaReference]:
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
        self, reference: s.SchemaReference, environment: Mapping[str, int], find: SchemaFinder
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
