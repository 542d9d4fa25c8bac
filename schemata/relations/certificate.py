"""Certificates: a relation by single steps for every n, re-checked without the search that found it.

A certificate names, for every rule of one program, rules of the other by which its steps are emulated (`Way`), and the
values of their variables. `RelationChecker` trusts neither the search nor the ground systems. It lowers both schemata,
makes all cases anew (rules, times the maps that carry each antecedent), and asks the solver whether some instance of
some length is one that no way stands for. A test of the grammar holds in the least grammar of the step if the step has
asked the same about the same words. Items count modulo normal forms, whose equations are applied to symbolic items
until none applies (`_writings`).

Sikkel's definitions also require that items correspond: each item has exactly one image, the image is an item, and no
two items have the same image. The solver decides that, too. The method is for schemata over D-rules whose items consist
of positions.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.bounds import NotLinear
from schemata.language.relation_model import ItemMap, Relation, StepKind
from schemata.language.substitute import fold, substitute
from schemata.language.typeset import format_item
from schemata.order.logic import Solver, SolverFailed, SolverFormula
from schemata.program.evaluation import evaluate
from schemata.program.kinds import tests_of
from schemata.program.linear import Affine, Linear, Provided, Test, solved, variable
from schemata.program.lower import lower
from schemata.program.model import Atom, Equation, Final, Kind, Program, Rule
from schemata.records import Record, as_json, document, fields_json, json_of
from schemata.thresholds import EFFORTS

if TYPE_CHECKING:
    from schemata.relations.answers import Answer
    from schemata.relations.emulation import EmulationMeasure

SymbolicItem: TypeAlias = tuple[str, tuple[m.Term, ...]]
ImagePlace: TypeAlias = int | None
"""Where an item comes from: antecedent k of the emulated step is k, step s of the way -1 - s, a hypothesis None."""

# The kinds by single steps: whether the first schema's steps are looked at, and the demand on them.
BY_STEPS: dict[StepKind, tuple[bool, EmulationMeasure]] = {
    "step-refinement": (True, "emulated"),
    "step-contraction": (False, "emulated"),
    "static-filter": (False, "included"),
    "dynamic-filter": (False, "contained"),
}


FIELDS = "from=first to=second kind maps cases=certificate"
"""The fields of an answer in a document of certificates."""


class NotProvedError(Exception):
    """There is no proof for every n; the message says why, and `n` is the length of an instance that speaks against
    one.
    """

    def __init__(self, message: str, n: int | None = None) -> None:
        super().__init__(message)
        self.n = n


class WayStep(Record):
    """A rule of the other program, the sources of its antecedents, and the values of its variables."""

    rule: int
    places: tuple[ImagePlace, ...]
    values: tuple[tuple[str, Affine], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the step as a JSON object; a term is its constant and its coefficients."""
        values = {x: [t.constant, dict(t.terms)] for x, t in self.values}
        return {"rule": self.rule, "from": list(self.places), "values": values}


class Way(Record):
    """Steps that stand for instances of a rule, and where its consequent comes from."""

    steps: tuple[WayStep, ...]
    result: ImagePlace

    to_json = json_of("steps result")


CaseWays: TypeAlias = dict[tuple[int, tuple[ImagePlace, ...]], tuple[Way, ...]]
"""The ways of a case: the number of a rule, with the number of the map that carries each item of it (antecedents, then
the consequent), None for a hypothesis."""


class RelationCertificate(Record):
    """The ways of all cases of a relation; the answer that has it states the kind and the schemata."""

    ways: CaseWays

    def to_json(self) -> list[dict[str, Any]]:
        """Return the ways as JSON, which `certificate_of` reads."""
        return [
            {"rule": r, "maps": list(maps), "ways": as_json(ways)} for (r, maps), ways in self.ways.items()
        ]


def certificates_text(answers: Iterable[Answer]) -> str:
    """Return the certificates of answers as a JSON document, for `entries_of`."""
    proved = [fields_json(answer, FIELDS) for answer in answers if answer.certificate]
    return json.dumps(document({"certificates": proved}), indent=1) + "\n"


def entries_of(text: str, file: str) -> list[dict[str, Any]]:
    """Return the proved relations of a document of certificates, each with its kind, maps and cases.

    Raises
    ------
    UsageError : it is not such a document.
    """
    try:
        entries = json.loads(text)["certificates"]
        if all({"from", "to", "kind", "maps", "cases"} <= entry.keys() for entry in entries):
            return list(entries)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise UsageError(f"{file} is not a file that --certificate writes")


def certificate_of(cases: Any) -> RelationCertificate:
    """Return a certificate from its JSON.

    Raises
    ------
    UsageError : it is not a certificate.
    """
    try:
        found: CaseWays = {}
        for case in cases:
            ways = []
            for way in case["ways"]:
                steps = []
                for step in way["steps"]:
                    terms = ((x, Affine.of(int(k), t.items())) for x, (k, t) in step["values"].items())
                    steps.append(WayStep(int(step["rule"]), tuple(step["from"]), tuple(terms)))
                ways.append(Way(tuple(steps), way["result"]))
            found[int(case["rule"]), tuple(case["maps"])] = tuple(ways)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError("the certificate is not of the form that --certificate writes") from None
    return RelationCertificate(found)


def refusal(relation: Relation, kind: StepKind, certificate: RelationCertificate) -> str:
    """Return why a certificate does not prove a relation for every n; nothing where it does."""
    try:
        checker = RelationChecker(relation, kind)
        for case in checker.cases():
            checker.prove(case, certificate.ways.get(case.key, ()))
    except (NotProvedError, SolverFailed) as failure:
        return str(failure)
    except (IndexError, KeyError, TypeError, ValueError):
        return "it names rules, steps or variables that are not there"
    return ""


class ImageRule(Record):
    """A rule of the source with the images of its items, None for hypotheses, and the facts about its instances."""

    key: tuple[int, tuple[ImagePlace, ...]]
    rule: Rule
    items: tuple[SymbolicItem, ...]
    images: tuple[SymbolicItem | None, ...]
    assumed: SolverFormula


class _Side:
    """A program with its items as terms of the language."""

    def __init__(self, schema: m.Schema, solver: Solver) -> None:
        self.program: Program = lower(schema, outside=True)
        if not self.program.is_linear:
            raise NotProvedError(f"items of {schema.name} are not positions alone")
        self.schema, self.solver = schema, solver
        self._normal: dict[int, list[tuple[SolverFormula, Atom]]] = {}
        self._hypotheses: dict[tuple[SymbolicItem, bool], SolverFormula] = {}
        self.made = {case.consequent.form for case in schema.cases}

    def kinds(self, form: str) -> Iterator[Kind]:
        """Yield the kinds of a form."""
        return (kind for kind in self.program.kinds if self.schema.forms[kind.form].name == form)

    def item(self, atom: Atom) -> SymbolicItem:
        """Return an item of a rule as terms."""
        kind = self.program.kinds[atom.kind]
        values = kind.values(atom.terms, lambda _, term: term)
        return self.schema.forms[kind.form].name, tuple(map(_term, values))

    def conditions(self, atom: Atom, given: Mapping[str, Affine]) -> SolverFormula:
        """The formula that an item of a kind fulfils the kind's conditions."""
        kind = self.program.kinds[atom.kind]
        columns = kind.by_name([t.substitute(given) for t in atom.terms])
        return self.solver.tests(t.substitute(columns) for t in kind.conditions)

    def matched(
        self, atom: Atom, tests: Sequence[Test], item: SymbolicItem
    ) -> tuple[SolverFormula, dict[str, Affine]] | None:
        """The formula that an item matches a pattern and passes its tests, with the values of its variables."""
        names = {x: f"{x}'" for t in atom.terms for x in t.variables}
        apart = {x: variable(y) for x, y in names.items()}
        pattern = self.item(atom.substitute(apart))
        pairs = equal(pattern, item)
        if pairs is None:
            return None
        values, rest = solved([test.left for test in pairs], tuple(names.values()))
        given = {x: values[y] for x, y in names.items() if y in values}
        if len(given) < len(names) or any({*t.names} & {*names.values()} for t in given.values()):
            raise NotProvedError("a pattern does not determine its variables")
        kept = [Linear("==", left) for left in rest]
        here = self.solver.tests([*kept, *(test.substitute(given) for test in tests)])
        return self.solver.all_of((here, self.conditions(atom, given))), given

    def is_item(self, item: SymbolicItem) -> SolverFormula:
        """The formula that terms are an item of some kind."""
        ways = []
        for kind in self.kinds(item[0]):
            atom = Atom(kind.number, tuple(variable(c.name) for c in kind.columns))
            if item[0] in self.made and (found := self.matched(atom, (), item)) is not None:
                ways.append(found[0])
        return self.solver.any_of(ways)

    def is_hypothesis(self, item: SymbolicItem, surely: bool) -> SolverFormula:
        """Return the formula that an item is a hypothesis; one under conditions on the grammar does not count
        as sure.
        """
        if (item, surely) in self._hypotheses:
            return self._hypotheses[item, surely]
        clauses: list[Final] = [c for c in self.program.hypotheses if not (surely and c.asks)]
        found = (
            self.solver.all_of((there, matched[0]))
            for there, written in self.writings(item)
            for clause in clauses
            if (matched := self.matched(clause.atom, clause.tests, written)) is not None
        )
        formula = self._hypotheses[item, surely] = self.solver.any_of(found)
        return formula

    def same(self, one: SymbolicItem, other: SymbolicItem) -> SolverFormula:
        """The formula that two writings are of one item."""
        tests = equal(one, other)
        found = [] if tests is None else [self.solver.tests(tests)]
        if tests != [] and self.schema.form(one[0]).has_normal_form and one[0] == other[0]:
            for (here, a), (there, b) in itertools.product(self.writings(one), self.writings(other)):
                pairs = equal(a, b)
                if pairs is not None and (a, b) != (one, other):
                    found.append(self.solver.all_of((here, there, self.solver.tests(pairs))))
        return self.solver.any_of(found)

    def writings(self, item: SymbolicItem) -> Iterator[tuple[SolverFormula, SymbolicItem]]:
        """Yield the normal forms that an item may have, each with the condition under which it has it."""
        number = next(k for k, form in enumerate(self.schema.forms) if form.name == item[0])
        equations = self.program.equations.get(number, ())
        if not equations:
            yield self.solver.all_of(()), item
            return
        for kind in self.kinds(item[0]):
            atom = Atom(kind.number, tuple(variable(c.name) for c in kind.columns))
            matched = self.matched(atom, (), item)
            if matched is not None:
                if kind.number not in self._normal:  # once for all items of the kind
                    self.solver.assume((self.conditions(atom, {}),))
                    self._normal[kind.number] = list(self._rewritten(atom, equations, EFFORTS.rewritten))
                    self.solver.forget()
                for here, written in self._normal[kind.number]:
                    there = self.solver.substituted(here, matched[1])
                    yield self.solver.all_of((matched[0], there)), self.item(written.substitute(matched[1]))

    def _rewritten(
        self, atom: Atom, equations: Sequence[Equation], left: int
    ) -> Iterator[tuple[SolverFormula, Atom]]:
        before: list[SolverFormula] = []
        for equation in equations:
            matched = self.matched(equation.left, equation.tests, self.item(atom))
            if matched is None:
                continue
            here = self.solver.all_of((matched[0], *map(self.solver.opposite, before)))
            if self.solver.possible(here):
                if not left:
                    raise NotProvedError("normal forms are far from writings")
                result = equation.right.substitute(matched[1])
                self.solver.assume((here,))
                further = list(self._rewritten(result, equations, left - 1))
                self.solver.forget()
                yield from ((self.solver.all_of((here, more)), one) for more, one in further)
            before.append(matched[0])
        rest = self.solver.all_of(list(map(self.solver.opposite, before)))
        if self.solver.possible(rest):
            yield rest, atom


class RelationChecker:
    """Makes the cases of one relation, and checks the ways of each.

    Parameters
    ----------
    relation : the schemata and the maps.
    kind : of `BY_STEPS`.

    Raises
    ------
    NotProvedError : the schemata or maps are beyond the method, or items do not correspond.
    SolverFailed : the solver does not answer.
    """

    def __init__(self, relation: Relation, kind: StepKind) -> None:
        forward, measure = BY_STEPS[kind]
        first, second = relation.first, relation.second
        source, target = (first, second) if forward else (second, first)
        if forward == relation.reversed:
            raise NotProvedError("maps go from the other schema")
        if any(isinstance(c, m.HasFact) for one in relation.maps for c in one.conditions):
            raise NotProvedError("a map asks the grammar")
        if any(case.head_links for schema in (first, second) for case in schema.cases):
            raise NotProvedError("links between heads have no positions")
        self.solver, self.measure = Solver(), measure
        self.source, self.target = _Side(source, self.solver), _Side(target, self.solver)
        self.maps = relation.maps
        self.unchanged: set[str] = set()
        self._formulas: dict[tuple[object, Way], SolverFormula] = {}
        self.kept = {
            one.source.form: [k for k, t in enumerate(one.source.terms) if not isinstance(t, m.Any)]
            for one in relation.maps
        }
        self._check_items()

    def prove(self, case: ImageRule, ways: Sequence[Way]) -> None:
        """Check that ways stand for all instances of a case.

        Raises
        ------
        NotProvedError : they do not stand for all; the message has an instance.
        """
        gap = self.gap(case, ways)
        if gap is not None:
            given = defaultdict(lambda: 1, gap)  # of what does not matter, any value
            *above, below = (
                format_item(self.source.schema.form(form), [evaluate(term, given) for term in terms])
                for form, terms in case.items
            )
            step = self.source.schema.cases[case.rule.case].step
            raise NotProvedError(
                f"no way stands for {step} from {', '.join(above)} to {below} at n = {given['n']}", given["n"]
            )

    def gap(self, case: ImageRule, ways: Sequence[Way]) -> Mapping[str, int] | None:
        """Return an instance of a case that no way covers, as the values of its variables; None if every
        instance is covered.
        """
        opposites = [self.solver.opposite(self.formula(case, way)) for way in ways]
        return self.solver.example(case.assumed, *opposites)

    # Items --------------------------------------------------------------------------------------------------

    def carried(self, item: SymbolicItem) -> Iterator[tuple[int, SolverFormula, SymbolicItem]]:
        """Yield the images of an item under the maps: the number of the map, the condition under which it
        applies, the image.
        """
        for number, one in enumerate(self.maps):
            if one.source.form == item[0] and (found := self._image(one, item)) is not None:
                yield number, *found

    def _image(self, one: ItemMap, item: SymbolicItem) -> tuple[SolverFormula, SymbolicItem] | None:
        given: dict[str, m.Term] = {}
        tests: list[m.Term] = []
        pairs = list(zip(one.source.terms, item[1], strict=True))
        while pairs:
            match pairs.pop(0):
                case m.Any(), _:
                    pass
                case m.Var(name), value if name not in given:
                    given[name] = value
                case ((m.TupleTerm(parts) | m.ListTerm(parts)), m.TupleTerm(values)) if len(parts) == len(
                    values
                ):
                    pairs[:0] = zip(parts, values, strict=True)
                case pattern, value:
                    tests.append(m.Compare("==", substitute(pattern, given), value))
        conditions = (fold(substitute(c, given)) for c in one.conditions if not isinstance(c, m.HasFact))
        try:
            linear = tests_of(m.Junction("and", (*tests, *conditions)))
        except NotLinear:
            raise NotProvedError("the condition of a map is not linear") from None
        image = one.target.form, tuple(fold(substitute(t, given)) for t in one.target.terms)
        return None if linear is None else (self.solver.tests(linear), image)

    def _check_items(self) -> None:
        """Check that items correspond, as the definitions ask."""
        found: list[tuple[SymbolicItem, SolverFormula, SymbolicItem, bool]] = []
        for form in self.source.schema.forms:
            if form.name not in self.source.made:
                continue
            other = self._unchanged(form)
            if other is not None:
                self.unchanged.add(form.name)
            elif form.has_normal_form:
                raise NotProvedError("a map changes items that have several writings")
            for kind, apart in itertools.product(self.source.kinds(form.name), (False, True)):
                atom = Atom(kind.number, tuple(variable(c.name + '"' * apart) for c in kind.columns))
                item = self.source.item(atom)
                derived = self.solver.opposite(self.source.is_hypothesis(item, surely=True))
                there = self.solver.all_of((self.source.conditions(atom, {}), derived))
                ways = list(self.carried(item))
                if not apart:
                    self._ask("has no image", there, *(self.solver.opposite(here) for _, here, _ in ways))
                    for _, here, image in ways:
                        outside = self.solver.opposite(self.target.is_item(image))
                        self._ask("has an image that is not an item", there, here, outside)
                    for (_, here, one), (_, also, two) in itertools.combinations(ways, 2):
                        twice = self.solver.opposite(self.target.same(one, two))
                        self._ask("has two images", there, here, also, twice)
                if other is None:
                    found += ((item, self.solver.all_of((there, x)), image, apart) for _, x, image in ways)
        for (a, here, one, left), (b, there, two, right) in itertools.product(found, found):
            if left < right:
                self._ask("shares its image", here, there, self.target.same(one, two), self._told_apart(a, b))

    def _unchanged(self, form: m.Form) -> m.Form | None:
        """Return the form of the target that items are carried to as they are, where normal forms agree."""
        maps = [one for one in self.maps if one.source.form == form.name]
        if len(maps) != 1 or maps[0].written or maps[0].conditions:
            return None
        other = self.target.schema.form(maps[0].target.form)
        return other if (form.equations, form.cover) == (other.equations, other.cover) else None

    def _told_apart(self, one: SymbolicItem, other: SymbolicItem) -> SolverFormula:
        """The formula that two items differ; for a filter, in fields that the maps keep."""
        if one[0] == other[0] and self.measure != "emulated":
            kept = self.kept[one[0]]
            one, other = ((form, tuple(terms[k] for k in kept)) for form, terms in (one, other))
        tests = equal(one, other)
        return self.solver.all_of(()) if tests is None else self.solver.opposite(self.solver.tests(tests))

    def _ask(self, what: str, *formulas: SolverFormula) -> None:
        if self.solver.possible(*formulas):
            instance = self.solver.example(*formulas) or {}
            raise NotProvedError(f"some item of {self.source.schema.name} {what}", instance.get("n"))

    # Steps --------------------------------------------------------------------------------------------------

    def cases(self) -> Iterator[ImageRule]:
        """Yield all cases: the instances of each rule of the source, grouped by the maps that carry their items."""
        solver, source = self.solver, self.source
        for rule in source.program.rules:
            atoms = (*rule.antecedents, rule.consequent)
            items = tuple(map(source.item, atoms))
            known = [solver.tests(rule.tests), *(source.conditions(atom, {}) for atom in atoms)]
            if items[-1][0] not in self.unchanged:
                known += [solver.opposite(source.same(x, items[-1])) for x in items[:-1]]
            options: list[list[tuple[ImagePlace, SolverFormula, SymbolicItem | None]]] = []
            for k, item in enumerate(items):
                derived = solver.opposite(source.is_hypothesis(item, surely=True))
                mine: list[tuple[ImagePlace, SolverFormula, SymbolicItem | None]] = []
                if item[0] in source.made:
                    mine += [(x, solver.all_of((derived, here)), y) for x, here, y in self.carried(item)]
                if k < len(items) - 1:
                    mine.append((None, source.is_hypothesis(item, surely=False), None))
                options.append(mine)
            for chosen in itertools.product(*options):
                assumed = solver.all_of((*known, *(here for _, here, _ in chosen)))
                if solver.possible(assumed):
                    maps = tuple(x for x, _, _ in chosen)
                    images = tuple(y for _, _, y in chosen)
                    yield ImageRule((rule.number, maps), rule, items, images, assumed)

    def formula(self, case: ImageRule, way: Way) -> SolverFormula:
        """The formula that an emulation fits an instance of a case: its tests hold, items fit, the links are the
        same."""
        if (case.key, way) not in self._formulas:
            self._formulas[case.key, way] = self._formula(case, way)
        return self._formulas[case.key, way]

    def _formula(self, case: ImageRule, way: Way) -> SolverFormula:
        solver, target = self.solver, self.target
        parts: list[SolverFormula] = []
        made: list[SymbolicItem] = []
        built: list[list[tuple[Affine, ...]]] = []
        if self.measure != "emulated" and (len(way.steps) != 1 or way.result != -1):
            raise NotProvedError("a filter's steps are single ones")

        def come(place: ImagePlace, wanted: SymbolicItem | None) -> SymbolicItem | None:
            """Return the item at a place; without a place, the wanted item, which has to be a hypothesis."""
            if place is not None:
                return made[-1 - place] if place < 0 else case.images[:-1][place]
            if wanted is not None:
                parts.append(target.is_hypothesis(wanted, surely=True))
            return wanted

        for step in way.steps:
            rule, given = target.program.rules[step.rule], dict(step.values)
            for test in (test.substitute(given) for test in rule.tests):
                parts.append(self._granted(case, test) if isinstance(test, Provided) else solver.test(test))
            mine = _links(target.schema, rule, given)
            taken = [atom.substitute(given) for atom in rule.antecedents]
            result = target.item(rule.consequent.substitute(given))
            # Of items that are carried as they are, the consequent differs from an antecedent as it does in the source.
            whole = way.result == -1 - len(made) and case.items[-1][0] in self.unchanged
            for atom, place, context in zip(taken, step.places, rule.contexts, strict=True):
                item = target.item(atom)
                parts += [target.conditions(atom, {}), self._equal(come(place, item), item)]
                if place is not None and not (
                    place >= 0 and whole and case.items[place][0] in self.unchanged
                ):
                    parts.append(solver.opposite(target.same(item, result)))
                if place is not None and place < 0 and not context:
                    mine = [*mine, *built[-1 - place]]
            parts.append(target.conditions(rule.consequent, given))
            parts.append(solver.opposite(target.is_hypothesis(result, surely=False)))
            made.append(result)
            built.append(mine)
        image = case.images[-1]
        assert image is not None
        result_item = come(way.result, image)
        parts.append(solver.any_of(()) if result_item is None else target.same(result_item, image))
        own = _links(self.source.schema, case.rule, {})
        others = built[-1 - way.result] if way.result is not None and way.result < 0 else []
        for some, all_others in ((own, others), (others, own)):
            parts += [solver.any_of(solver.equal(x, y) for y in all_others) for x in some]
        if self.measure == "included":
            for image in case.images[:-1]:
                if image is not None:
                    used = [self._equal(image, target.item(atom)) for atom in taken]
                    parts.append(solver.any_of((*used, target.is_hypothesis(image, surely=True))))
        return solver.all_of(parts)

    def _equal(self, one: SymbolicItem | None, other: SymbolicItem) -> SolverFormula:
        tests = None if one is None else equal(one, other)
        return self.solver.any_of(()) if tests is None else self.solver.tests(tests)

    def _granted(self, case: ImageRule, asked: Provided) -> SolverFormula:
        """Return the formula that the step has put the same query to the grammar."""
        own = [t for t in case.rule.tests if isinstance(t, Provided) and t.relation == asked.relation]
        return self.solver.any_of(self.solver.equal(t.arguments, asked.arguments) for t in own)


def equal(one: SymbolicItem, other: SymbolicItem) -> list[Linear] | None:
    """Return the equations under which two items are written alike; None if they never are.

    Raises
    ------
    NotProvedError : they are equal under several alternative conditions.
    """
    if one[0] != other[0]:
        return None
    pairs = tuple(m.Compare("==", a, b) for a, b in zip(one[1], other[1], strict=True))
    tests = tests_of(m.Junction("and", pairs))
    if tests is None:
        return None
    linear = [test for test in tests if isinstance(test, Linear)]
    if len(linear) < len(tests):
        raise NotProvedError("items are equal under a choice of conditions")
    return linear


def _links(schema: m.Schema, rule: Rule, given: Mapping[str, Affine]) -> list[tuple[Affine, ...]]:
    """Return the ends of the links that a rule builds."""
    built = zip(schema.cases[rule.case].links, rule.links, strict=True)
    return [tuple(t.substitute(given) for t in ends[:2]) for one, ends in built if one.name == "link"]


def _term(value: Any) -> m.Term:
    match value:
        case Affine():
            return m.Linear(value.constant, tuple((m.Var(x), k) for x, k in value.terms))
        case tuple():
            return m.TupleTerm(tuple(map(_term, value)))
    return m.Lit(value)
