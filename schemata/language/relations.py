"""Relations: found and loaded, from a file, from maps given as text or from other relations; and checked.

A relation file's declarations become checked `Relation`s: schemata, kind and maps, all mistakes at once.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from schemata.errors import (
    Diagnostic,
    SchemaError,
    SchemataError,
    UsageError,
    did_you_mean,
    one_of,
    require_known,
)
from schemata.language import library, shipped
from schemata.language import model as m
from schemata.language import relation_model as r
from schemata.language import syntax as s
from schemata.language.bounds import impossible
from schemata.language.files import checked
from schemata.language.forms import FormTable, field_names
from schemata.language.parse import RESERVED
from schemata.language.reader import parse_map, parse_relation
from schemata.language.rules import RuleReader
from schemata.language.source import Findings, SourceText, Span, line_span, read_source, source_from_text
from schemata.language.substitute import item_conditions
from schemata.language.terms import conjuncts
from schemata.thresholds import REFUSALS


def load_relation(reference: str | Path, values: s.Environment | None = None) -> r.RelationFile:
    """Load a relation file by shipped name or path; warnings are dropped (see `check_relation_file`).

    Parameters
    ----------
    reference : a shipped name or a path to a .relation file.
    values : values for the file's variables, instead of those of their ranges.

    Raises
    ------
    SchemaError : the file has errors; carries all of them.
    UsageError : there is no such relation or variable.

    Examples
    --------
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> claim.kind, claim.first.name, claim.second.name
    ('step-refinement', 'eisner-satta1999', 'eisner1996')
    """
    path = reference if isinstance(reference, Path) else library.relation_path(reference)
    relation, problems = check_relation_file(path, values)
    if relation is None:
        raise SchemaError([p for p in problems if p.severity == "error"])
    return relation


def check_relation_file(
    path: Path, values: s.Environment | None = None
) -> tuple[r.RelationFile | None, list[Diagnostic]]:
    """Read and check a relation file; returns it (None if there are errors) and all findings.

    Raises
    ------
    UsageError : a variable is given that the file does not have.
    """
    return _check(lambda: read_source(path), values or {})


def read_relation_text(
    text: str, file: str = "relation", values: s.Environment | None = None, path: Path | None = None
) -> tuple[r.RelationFile | None, list[Diagnostic]]:
    """Check a relation given as text; returns it (None if there are errors) and all findings.

    `path` says where the text would stand: the schemata are looked for beside it.
    """
    return _check(lambda: source_from_text(text, file, path), values or {})


def _check(
    read: Callable[[], SourceText], values: s.Environment
) -> tuple[r.RelationFile | None, list[Diagnostic]]:
    def file(source: SourceText, problems: Findings) -> r.RelationFile:
        syntax, found = parse_relation(source)
        problems += found
        return _Checker(syntax, problems).file(values)

    return checked(read, file)


# Checking --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Checker:
    """Resolver of a relation file; schemata are searched beside the file, then among the shipped ones."""

    syntax: s.RelationSyntax
    problems: Findings
    doubtful: set[str] = field(default_factory=set)
    known: dict[tuple[str, tuple[tuple[str, int], ...]], m.Schema | None] = field(default_factory=dict)

    def file(self, given: s.Environment) -> r.RelationFile:
        """Return the file's variables and its claims; `given` are values of variables, in place of their ranges.

        Raises
        ------
        UsageError : a variable is given that the file does not have.
        """
        syntax, header, source = self.syntax, self.syntax.header, self.syntax.source
        variables = self._variables(given)
        kind, requires = self._kind(), self._requirements()
        self._check_parts(kind)
        ends = (header.first, header.second) if header else ()
        name = " to ".join(end.name for end in ends) or "relation"
        name = source.path.stem if source.path else name
        relations: list[r.Relation] = []
        reader = MapReader(self.problems, syntax.whole, self.doubtful)
        for setting in itertools.product(*(range(v.low, v.high + 1) for v in variables)):
            environment = dict(zip((v.name for v in variables), setting, strict=True))
            schemata = [self._schema(reference, environment) for reference in (*ends, *syntax.through)]
            if header is None or None in schemata:
                continue
            first, second, *through = cast("list[m.Schema]", schemata)
            maps: tuple[r.ItemMap, ...] = ()
            if kind not in r.CHAIN_KINDS:
                maps = reader.maps(syntax.maps, first, second, kind, environment, header.span)
            origin = (syntax.reference, tuple(through), tuple(environment.items()), source)
            relations.append(r.Relation(name, first, second, kind, maps, requires, *origin))
        reader.report_impossible()
        return r.RelationFile(name, variables, tuple(relations), source)

    def _variables(self, given: s.Environment) -> tuple[r.Variable, ...]:
        """Resolve the file's variables; each range has at least one value."""
        self.doubtful.update(self.syntax.lost_names)
        known: dict[str, r.Variable] = {}
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
            known[name] = r.Variable(name, low, high)
        for name in (x for x in given if self.syntax.whole and x not in self.doubtful):
            message = f"the relation has no variable {name}"
            require_known(name, known, message, "unknown-parameter", None if known else "no variable")
        count = math.prod(v.high - v.low + 1 for v in known.values())
        if count <= REFUSALS.family_values:
            return tuple(known.values())
        place, message = self.syntax.ranges[0].span, f"these are {count:,} claims"
        self.problems.report(place, "too-many-values", message, f"at most {REFUSALS.family_values}")
        return tuple(r.Variable(v.name, v.low, v.low) for v in known.values())

    def _number(self, term: s.TermSyntax, environment: s.Environment) -> int | None:
        """Return the value of a sum of numbers and variables; None, with an error reported, if it has
        no value.
        """
        value = s.number_of(term, environment)
        if isinstance(value, int):
            return value
        hint = None
        if isinstance(value, s.Name):
            if value.id in self.doubtful:
                return None
            hint = did_you_mean(value.id, environment)
            hint = hint if environment else "variables are declared: for d in [1..3]"
        message = f"{value.span.text} is not a number"
        expected = "a number" + "".join(f" or {name}" for name in environment)
        self.problems.report(value.span, "bad-argument", message, expected, hint)
        return None

    def _schema(self, reference: s.SchemaReference, environment: s.Environment) -> m.Schema | None:
        """Return the schema of a reference; None, reported, where it has errors."""
        values: dict[str, int] = {}
        for argument in reference.arguments:
            if argument.name in values:
                message = f"parameter {argument.name} is set twice"
                self.problems.report(argument.span, "duplicate-parameter", message, "one value")
            if (value := self._number(argument.value, environment)) is not None:
                values[argument.name] = value
        if {a.name for a in reference.arguments} > values.keys():
            return None
        key = reference.name, tuple(sorted(values.items()))
        if key not in self.known:
            self.known[key] = self._find(reference, values)
        return self.known[key]

    def _find(self, reference: s.SchemaReference, values: s.Environment) -> m.Schema | None:
        file, name = self.syntax.source.path, reference.name
        folder = file.parent if file else None
        path = shipped.schema_near(name, folder) or shipped.schema_near(shipped.ALIASES.get(name, ""), None)
        if path is None:
            message, expected = f"there is no schema {name}", "a schema in the same folder, or a shipped one"
            hint = did_you_mean(name, [*shipped.names_near(folder), *shipped.ALIASES])
            self.problems.report(reference.span, "unknown-schema", message, expected, hint)
            return None
        default, findings = library.load_file(path)
        if default is None:
            message, expected = f"schema {name} has errors", "a schema without errors"
            self.problems.report(reference.span, "bad-schema", message, expected, f"see {path.name}")
            self.problems += [f for f in findings if f.severity == "error"]
            return None
        parameters = [p.name for p in default.parameters]
        unknown = [a for a in reference.arguments if a.name not in parameters]
        for argument in unknown:
            place, message = argument.span, f"schema {name} has no parameter {argument.name}"
            self.problems.report_unknown(place, "unknown-parameter", message, parameters, "no parameter")
        if unknown or not values:
            return None if unknown else default
        try:
            return library.load_file(path, values)[0]
        except UsageError as problem:
            for d in problem.diagnostics:
                self.problems.report(reference.arguments[0].span, d.code, d.message, d.expected, d.hint)
        return None

    def _kind(self) -> r.Kind | None:
        if self.syntax.kind is None:
            return None
        name, span = self.syntax.kind
        if name in r.KINDS:
            return name
        message, hint = f"unknown kind of relation {name}", r.kind_hint(name, r.KINDS)
        self.problems.report(span, "unknown-kind", message, one_of(r.KINDS), hint)
        return None

    def _requirements(self) -> tuple[r.Requirement, ...]:
        names: dict[str, None] = {}
        for name, span in self.syntax.requires:
            if name in r.REQUIREMENTS:
                names[name] = None
                continue
            message = f"there is no requirement {name!r}"
            self.problems.report_unknown(span, "unknown-requirement", message, r.REQUIREMENTS)
        return cast("tuple[r.Requirement, ...]", tuple(names))

    def _check_parts(self, kind: r.Kind | None) -> None:
        """Report maps of a chain, and stations of a relation that is not a chain."""
        if kind in r.CHAIN_KINDS and self.syntax.maps:
            message = f"a {kind} is a chain of relations, and has no maps of its own"
            expected = "a relation file for each part of the chain"
            self.problems.report(self.syntax.maps[0].span, "misplaced-map", message, expected)
        if kind is not None and kind not in r.CHAIN_KINDS and self.syntax.through:
            message = f"a {kind} is one relation, and passes no other schema"
            expected = f"kind {' or kind '.join(r.CHAIN_KINDS)}"
            self.problems.report(self.syntax.through[0].span, "misplaced-station", message, expected)


# Maps ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class MapReader:
    """Resolves maps for pairs of schemata; `doubtful` names are not reported where they are unbound.

    Without `whole`, a map may be missing, so that no form is reported for having none. For each map, `futile` has a
    finding for every claim in which it can never match; these become one finding if that is so in all claims.
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
        kind: r.Kind | None,
        environment: s.Environment,
        head: Span,
    ) -> tuple[r.ItemMap, ...]:
        """Return the maps that resolve, and one for each form that is carried over unchanged.

        `head` is the place of findings about the whole relation.
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
        self, lines: Sequence[s.ItemMapLine], first: m.Schema, second: m.Schema, kind: r.Kind | None
    ) -> bool:
        """Return whether items of the second schema are carried to the first; reports maps that differ."""
        if kind is None:
            wanted = lines[0].reversed if lines else False
            reason = "the maps before carry items the other way"
        else:
            wanted = kind in r.INTO_FIRST
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
        self, line: s.ItemMapLine, first: m.Schema, second: m.Schema, environment: s.Environment
    ) -> r.ItemMap | None:
        """Resolve one map; None if it has errors."""
        before = len(self.problems)
        source, target = (second, first) if line.reversed else (first, second)
        if not self._has_forms(line, source, target):
            return None
        own, images = (
            FormTable(self.problems, forms={f.name: f for f in schema.forms}) for schema in (source, target)
        )
        rules = RuleReader(own, self.problems, None, True)
        scope = rules.scope(environment)
        scope.doubtful.update(self.doubtful)
        scope.fields_of = ""
        pattern = own.pattern(line.source, scope, binding=True)
        message, hint = "a map cannot have this condition", "a map speaks of items, whatever the grammar"
        conditions = rules.plain_conditions(conjuncts(line.where), scope, message, hint)
        image = images.pattern(line.target, scope, binding=False)
        if pattern is None or image is None or len(self.problems) > before:
            return None
        if not rules.determined(scope, pattern.terms, conditions):
            return None
        rules.once(scope, m.variables((pattern, *conditions, image)))
        resolved = r.ItemMap(pattern, image, conditions, dict(scope.types), line.reversed, line.span)
        self._find_futile(line, resolved, source.form(pattern.form), target)
        return resolved

    def _has_forms(self, line: s.ItemMapLine, source: m.Schema, target: m.Schema) -> bool:
        """Return whether the items' forms are those of their schemata; reports them if not."""
        sides = [(source, target, line.source), (target, source, line.target)][:: -1 if line.reversed else 1]
        wrong = [side for side in sides if _form(side[0], side[2].form) is None]
        if len(wrong) == 2 and all(_form(other, item.form) for _, other, item in sides):
            del wrong[1]  # if both forms are wrong, it is one mistake: the sides are exchanged
        for schema, other, item in wrong:
            forms = [f.name for f in schema.forms]
            hint = did_you_mean(item.form, forms)
            if _form(other, item.form):
                hint = f"{item.form} is a form of {other.name}: the item on the left is of the first schema"
            message = f"schema {schema.name} has no item form {item.form}"
            self.problems.report(item.name_span, "unknown-form", message, one_of(forms), hint)
        return not wrong

    def _find_futile(self, line: s.ItemMapLine, resolved: r.ItemMap, form: m.Form, target: m.Schema) -> None:
        """Note a map that no item can match, or whose result is never an item."""
        given = [*resolved.conditions, *item_conditions(form, resolved.source.terms)]
        end = target.form(resolved.target.form)
        notes = self.futile.setdefault(line.span, [])
        if impossible(given):
            message, expected = "this map can never match", "conditions that some items fulfil"
            hint = f"its conditions contradict each other, or those of form {form.name}"
            notes.append(line.span.report("contradiction", message, expected=expected, hint=hint))
        elif not end.has_normal_form and impossible([*given, *item_conditions(end, resolved.target.terms)]):
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
                shape = _shape(source, name)
                if same := _form(target, name):
                    other = _shape(target, name)
                    if other == shape:
                        shape = field_names(source.form(name), types=True)
                        other = field_names(same, types=True)
                    hint = f"form {name} of {target.name} has other fields: {other}"
                message = f"nothing says what {shape} of {source.name} is in {target.name}"
                self.problems.report(head, "unmapped-form", message, f"a map from it to {images}", hint)


def _carried(form: m.Form, target: m.Schema, backwards: bool, head: Span) -> r.ItemMap | None:
    """Return the map of a form that is carried over unchanged."""
    same = _form(target, form.name)
    if same is None or same.fields != form.fields:
        return None
    terms = tuple(m.Var(f.name, f.type.kind == "optional") for f in form.fields)
    pattern = m.Pattern(form.name, terms)
    types = {f.name: f.type for f in form.fields}
    return r.ItemMap(pattern, pattern, (), types, backwards, head, written=False)


def _form(schema: m.Schema, name: str) -> m.Form | None:
    return next((f for f in schema.forms if f.name == name), None)


def _shape(schema: m.Schema, name: str) -> str:
    return field_names(schema.form(name))


# Maps without a file ----------------------------------------------------------------------------------------


def read_maps(
    texts: Sequence[str],
    first: m.Schema,
    second: m.Schema,
    kind: r.Kind | None = None,
    *,
    lenient: bool = False,
) -> r.Relation:
    """Return the relation between two schemata that maps given as texts describe.

    Parameters
    ----------
    texts : each `ITEM to ITEM where ...` or `ITEM from ITEM where ...`; none for forms carried over alone.
    first, second : the schemata; the item on the left is always of the first one.
    kind : the kind claimed, if any; it fixes the direction of the maps.
    lenient : leave forms without a map alone, which is an error otherwise.

    Raises
    ------
    SchemaError : a text is not a map between the two; carries every mistake, with its place in the text.

    Examples
    --------
    >>> from schemata.language.library import load_schema
    >>> first, second = load_schema("yamada-matsumoto2003"), load_schema("eisner1996", {"end": 1})
    >>> read_maps(["span[i, j] to span[i, j, false, false]"], first, second).maps[0].target.form
    'span'
    """
    problems = Findings()
    lines: list[s.ItemMapLine] = []
    for text in texts:
        if not text.partition("#")[0].strip():
            expected = "ITEM to ITEM, or ITEM from ITEM"
            raise SchemaError("a map is empty", code="empty-map", expected=expected)
        source = source_from_text(text, "map")
        try:
            line, found = parse_map(source)
        except RecursionError:
            line, found = None, Findings()
            found.report(line_span(source, 1), "too-deep", "a map is nested too deeply")
        problems += found
        lines += [line] if line is not None else []
    name = f"{first.name} to {second.name}"
    title = source_from_text(name, "map")
    head = Span(title, 1, 1, len(title.lines[0]) + 1)
    reader = MapReader(problems, whole=not problems and not lenient)
    maps = reader.maps(lines, first, second, kind, {}, head)
    reader.report_impossible()
    if errors := problems.errors:
        # What is said of forms without a map has no place in a text, and a map with errors may be the missing one.
        placed = [p for p in errors if p.code != "unmapped-form"]
        raise SchemaError(placed or [replace(p, location=None, source_line=None) for p in errors])
    return r.Relation(name, first, second, kind, maps)


# Relations from relations ------------------------------------------------------------------------------------


def chain_parts(relation: r.Relation) -> tuple[tuple[r.Relation, ...], ...]:
    """Return, for each part of a claimed chain, the relations that could establish it.

    A part holds if one of its relations does. They are those of the shipped files, or with items carried
    over unchanged, of the kinds a chain may consist of; those from files come first.
    """
    if relation.kind not in r.CHAINS:
        return ((relation,),)
    chain: r.ChainKind = relation.kind  # type: ignore[assignment]
    pairs = itertools.pairwise((relation.first, *relation.through, relation.second))
    return tuple(tuple(_parts(a, b, r.CHAINS[chain], relation.requires)) for a, b in pairs)


def _parts(
    first: m.Schema, second: m.Schema, kinds: Sequence[r.StepKind], requires: tuple[str, ...]
) -> Iterator[r.Relation]:
    found: set[r.Kind | None] = set()
    for claim in shipped_claims(first, second):
        if claim.kind in kinds:
            found.add(claim.kind)
            yield claim
    for kind in kinds:
        if kind not in found:
            try:
                yield read_maps((), first, second, kind)
            except SchemataError:
                continue  # items of some form would correspond to nothing


def shipped_claims(first: m.Schema, second: m.Schema, by_name: bool = False) -> Iterator[r.Relation]:
    """Yield the claims of shipped relation files about two schemata, and those read from the second to the first.

    A claim of a kind without an inverse is turned into one of no kind: its maps can be read backwards all the same.
    With `by_name`, claims about schemata that have the names of the two come last.
    """
    near: list[r.Relation] = []
    for name, text in _texts().items():
        if first.name not in text or second.name not in text:
            continue  # reading a file with all its schemata takes long
        for claim in _claims(name):
            for one in (claim, r.turned(claim)):
                if (one.first, one.second) == (first, second):
                    yield one
                elif by_name and (one.first.name, one.second.name) == (first.name, second.name):
                    near.append(one)
    yield from near


@functools.cache
def _texts() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in library.shipped_relations().items()}


@functools.cache
def _claims(name: str) -> tuple[r.Relation, ...]:
    return load_relation(name).relations
