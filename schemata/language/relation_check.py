"""From a relation file's declarations to checked `Relation`s: schemata, kind and maps, all mistakes at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from schemata.errors import Diagnostic, UsageError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.bounds import impossible
from schemata.language.cases import undetermined
from schemata.language.forms import FormTable, field_names
from schemata.language.parse import NUMBER_DIGITS
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
from schemata.language.source import Findings, Span
from schemata.language.substitute import item_conditions
from schemata.language.syntax_errors import RESERVED
from schemata.language.terms import conjuncts

VALUES_LIMIT = 100  # claims of one file; each is checked by itself
SchemaFinder: TypeAlias = Callable[[s.SchemaReference, Mapping[str, int]], m.Schema | None]
_NEAR_KINDS = {
    "sr": "did you mean step-refinement?",
    "ir": "did you mean item-refinement?",
    "sf": "did you mean static-filter?",
    "df": "did you mean dynamic-filter?",
    "sc": "did you mean step-contraction?",
    "ic": "did you mean item-contraction?",
    "filter": "a static-filter leaves out, a dynamic-filter adds antecedents",
}


def check_relation(
    syntax: s.RelationSyntax, name: str, given: Mapping[str, int], find: SchemaFinder, problems: Findings
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
    header = syntax.header
    ends = (header.first, header.second) if header else ()
    relations: list[Relation] = []
    reader = MapReader(problems, syntax.whole, checker.doubtful)
    for setting in itertools.product(*(range(v.low, v.high + 1) for v in variables)):
        environment = dict(zip((v.name for v in variables), setting, strict=True))
        schemata = [checker.schema(reference, environment, find) for reference in (*ends, *syntax.through)]
        if header is None or None in schemata:
            continue
        first, second, *through = cast("list[m.Schema]", schemata)
        maps: tuple[ItemMap, ...] = ()
        if kind not in CHAIN_KINDS:
            maps = reader.maps(syntax.maps, first, second, kind, environment, header.span)
        values = tuple(environment.items())
        reference, source = syntax.reference, syntax.source
        relations.append(
            Relation(name, first, second, kind, maps, requires, reference, tuple(through), values, source)
        )
    reader.report_impossible()
    return variables, tuple(relations)


@dataclass(slots=True)
class _Checker:
    """Resolves what a relation file says beside its maps."""

    syntax: s.RelationSyntax
    problems: Findings
    doubtful: set[str] = field(default_factory=set)

    def variables(self, given: Mapping[str, int]) -> tuple[Variable, ...]:
        """Resolve the file's variables; each range has at least one value."""
        self.doubtful.update(self.syntax.lost_names)
        known: dict[str, Variable] = {}
        for declared in self.syntax.ranges:
            name = declared.name
            if name in known or name == "n" or name in RESERVED:
                what = f"{name} is declared twice" if name in known else f"{name} names no variable"
                self.problems.report(declared.span, "duplicate-parameter", what, "another name")
                continue
            low, high = (self._number(term, {}) for term in (declared.low, declared.high))
            if name in given:
                low = high = given[name]
            if low is None or high is None:
                self.doubtful.add(name)
                continue
            if low > high:
                message, expected = f"there is no value from {low} to {high}", f"for {name} in [LOW..HIGH]"
                self.problems.report(declared.low.span, "empty-range", message, expected)
                high = low
            known[name] = Variable(name, low, high)
        for name in given:
            if name not in known and self.syntax.whole and name not in self.doubtful:
                message, hint = f"the relation has no variable {name}", did_you_mean(name, known)
                expected = one_of(known) if known else "no variable"
                raise UsageError(Diagnostic("unknown-parameter", message, expected=expected, hint=hint))
        count = math.prod(v.high - v.low + 1 for v in known.values())
        if count <= VALUES_LIMIT:
            return tuple(known.values())
        place, message = self.syntax.ranges[0].span, f"these are {count:,} claims"
        self.problems.report(place, "too-many-values", message, f"at most {VALUES_LIMIT}")
        return tuple(Variable(v.name, v.low, v.low) for v in known.values())

    def _number(self, term: s.Term, environment: Mapping[str, int]) -> int | None:
        """Return the value of a sum of numbers and variables; None, reported, where it is none."""
        constants = (x for x in m.nodes(term) if isinstance(x, s.Constant) and x.kind == "number")
        if any(len(x.span.text) > NUMBER_DIGITS for x in constants):
            return None  # that was reported
        value = s.number_of(term, environment)
        if isinstance(value, int):
            return value
        hint = None
        if isinstance(value, s.Name):
            if value.id in self.doubtful:
                return None
            hint = did_you_mean(value.id, environment)
            hint = hint if environment else "variables are declared: for d in [1..3]"
        message = f"{value.span.text} is no number"
        expected = "a number" + "".join(f" or {name}" for name in environment)
        self.problems.report(value.span, "bad-argument", message, expected, hint)
        return None

    def schema(
        self, reference: s.SchemaReference, environment: Mapping[str, int], find: SchemaFinder
    ) -> m.Schema | None:
        values: dict[str, int] = {}
        complete = True
        for argument in reference.arguments:
            value = self._number(argument.value, environment)
            complete = complete and value is not None
            if argument.name in values:
                message = f"parameter {argument.name} is set twice"
                self.problems.report(argument.span, "duplicate-parameter", message, "one value")
            if value is not None:
                values[argument.name] = value
        return find(reference, values) if complete else None

    def kind(self) -> Kind | None:
        if self.syntax.kind is None:
            return None
        name, span = self.syntax.kind
        if name in KINDS:
            return name
        hint = did_you_mean(name.replace(" ", "-"), KINDS) or _NEAR_KINDS.get(name)
        message = f"unknown kind of relation {name}"
        self.problems.report(span, "unknown-kind", message, one_of(KINDS), hint)
        return None

    def requirements(self) -> tuple[Requirement, ...]:
        for name, span in self.syntax.requires:
            if name not in REQUIREMENTS:
                message, hint = (
                    f"nothing is known of the requirement {name!r}",
                    did_you_mean(name, REQUIREMENTS),
                )
                self.problems.report(span, "unknown-requirement", message, one_of(REQUIREMENTS), hint)
        names = dict.fromkeys(name for name, _ in self.syntax.requires if name in REQUIREMENTS)
        return cast("tuple[Requirement, ...]", tuple(names))

    def check_parts(self, kind: Kind | None) -> None:
        """Report maps of a chain, and stations of what is none."""
        if kind in CHAIN_KINDS and self.syntax.maps:
            message = f"a {kind} is a chain of relations, and has no maps of its own"
            expected = "a relation file for each part of the chain"
            self.problems.report(self.syntax.maps[0].span, "misplaced-map", message, expected)
        if kind is not None and kind not in CHAIN_KINDS and self.syntax.through:
            message = f"a {kind} is one relation, and passes no other schema"
            expected = f"kind {' or kind '.join(CHAIN_KINDS)}"
            self.problems.report(self.syntax.through[0].span, "misplaced-station", message, expected)


# Maps ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class MapReader:
    """Resolves maps for pairs of schemata; `doubtful` names are not reported where they are unbound.

    Without `whole`, a map may be missing, so that no form is reported for having none. For each map, `futile`
    has a finding for every claim in which it can never match; it is one where that is so in all claims.
    """

    problems: Findings
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
        maps = [x for line in lines if (x := self._map(line, first, second, environment)) is not None]
        source, target = (second, first) if backwards else (first, second)
        mapped = {line.source.form for line in lines if line.reversed == backwards}
        for form in source.forms:
            if form.name not in mapped and (carried := _carried(form, target, backwards, head)):
                maps.append(carried)
        if self.whole and all(line.reversed == backwards for line in lines):
            self._check_all(source, target, {x.source.form for x in maps} | mapped, head)
        return tuple(maps)

    def report_impossible(self) -> None:
        """Report the maps that can match in no claim."""
        self.problems += [found[0] for found in self.futile.values() if len(found) == self.claims]

    def _direction(
        self, lines: Sequence[s.ItemMapLine], first: m.Schema, second: m.Schema, kind: Kind | None
    ) -> bool:
        """Return whether items of the second schema are carried to the first; reports maps that differ."""
        if kind is None:
            wanted = lines[0].reversed if lines else False
            reason = "the maps before carry items the other way"
        else:
            wanted = kind in INTO_FIRST
            start, end = (second, first) if wanted else (first, second)
            article = "an" if kind[0] in "aeiou" else "a"
            reason = f"{article} {kind} carries items of {start.name} to items of {end.name}"
        expected = f"map ITEM {'from' if wanted else 'to'} ITEM"
        hint = "the item on the left is of the first schema, the one on the right of the second"
        for line in lines:
            if line.reversed != wanted:
                self.problems.report(line.span, "wrong-direction", reason, expected, hint)
        return wanted

    def _map(
        self, line: s.ItemMapLine, first: m.Schema, second: m.Schema, environment: Mapping[str, int]
    ) -> ItemMap | None:
        """Resolve one map; None where it has errors."""
        before = len(self.problems)
        source, target = (second, first) if line.reversed else (first, second)
        if not self._has_forms(line, source, target):
            return None
        rules, images = (
            RuleReader(
                FormTable(self.problems, forms={f.name: f for f in schema.forms}), self.problems, None, True
            )
            for schema in (source, target)
        )
        scope = rules.scope(environment)
        scope.doubtful.update(self.doubtful)
        scope.fields_of = ""
        pattern = rules.table.pattern(line.source, scope, binding=True)
        hint = "a map speaks of items, whatever the grammar"
        conditions = rules.plain_conditions(conjuncts(line.where), scope, "a map has no such condition", hint)
        image = images.table.pattern(line.target, scope, binding=False)
        if pattern is None or image is None or len(self.problems) > before:
            return None
        free = undetermined(pattern.terms, conditions)
        rules.unsolvable(free, scope, (*pattern.terms, *conditions))
        if free:
            return None
        rules.once(scope, m.variables((pattern, *conditions, image)))
        self._find_futile(line, source.form(pattern.form), pattern, conditions, target, image)
        return ItemMap(pattern, image, conditions, dict(scope.types), line.reversed, line.span)

    def _has_forms(self, line: s.ItemMapLine, source: m.Schema, target: m.Schema) -> bool:
        """Return whether the items' forms are those of their schemata; reports them if not."""
        sides = [(source, target, line.source), (target, source, line.target)]
        if line.reversed:
            sides.reverse()
        here = [_form(schema, item.form) for schema, _, item in sides]
        there = [_form(other, item.form) for _, other, item in sides]
        both_there = None not in there
        for (schema, other, item), known, elsewhere in zip(sides, here, there, strict=True):
            if known is None:
                forms = [f.name for f in schema.forms]
                hint = did_you_mean(item.form, forms)
                if elsewhere is not None:
                    hint = (
                        f"{item.form} is a form of {other.name}: the item on the left is of the first schema"
                    )
                message = f"schema {schema.name} has no item form {item.form}"
                self.problems.report(item.name_span, "unknown-form", message, one_of(forms), hint)
                if both_there:
                    return False  # if both forms are wrong, it is one mistake: the sides are exchanged
        return None not in here

    def _find_futile(
        self,
        line: s.ItemMapLine,
        form: m.Form,
        pattern: m.Pattern,
        conditions: tuple[m.Condition, ...],
        target: m.Schema,
        image: m.Pattern,
    ) -> None:
        """Note a map that no item can match, or whose result is never an item."""
        given = [*conditions, *item_conditions(form, pattern.terms)]
        end = target.form(image.form)
        notes = self.futile.setdefault(line.span, [])
        if impossible(given):
            message, expected = "this map can never match", "conditions that some items fulfil"
            hint = f"its conditions contradict each other, or those of form {form.name}"
            notes.append(line.span.report("contradiction", message, expected=expected, hint=hint))
        elif not end.has_normal_form and impossible([*given, *item_conditions(end, image.terms)]):
            message = f"this is never an item of {target.name}"
            expected = "an item that fulfils the conditions of its form"
            hint = f"the conditions of form {end.name} contradict those of the map"
            notes.append(line.target.span.report("contradiction", message, expected=expected, hint=hint))

    def _check_all(self, source: m.Schema, target: m.Schema, mapped: set[str], head: Span) -> None:
        """Report forms of items that correspond to nothing."""
        images = ", ".join(_shape(target, f) for f in dict.fromkeys(c.consequent.form for c in target.cases))
        for name in dict.fromkeys(c.consequent.form for c in source.cases):
            if name not in mapped:
                hint = None
                if _form(target, name):
                    hint = f"form {name} of {target.name} has other fields: {_shape(target, name)}"
                message = f"nothing says what {_shape(source, name)} of {source.name} is in {target.name}"
                self.problems.report(head, "unmapped-form", message, f"a map from it to {images}", hint)


def _carried(form: m.Form, target: m.Schema, backwards: bool, head: Span) -> ItemMap | None:
    """Return the map of a form that is carried over unchanged."""
    same = _form(target, form.name)
    if same is None or same.fields != form.fields:
        return None
    terms = tuple(m.Var(f.name, f.type.kind == "optional") for f in form.fields)
    pattern = m.Pattern(form.name, terms)
    types = {f.name: f.type for f in form.fields}
    return ItemMap(pattern, pattern, (), types, backwards, head, written=False)


def _form(schema: m.Schema, name: str) -> m.Form | None:
    return next((f for f in schema.forms if f.name == name), None)


def _shape(schema: m.Schema, name: str) -> str:
    return field_names(schema.form(name))
