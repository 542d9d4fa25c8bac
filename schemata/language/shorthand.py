"""Shorthand: families of steps, one rule for every layout of letters; abbreviations, `define f(b, c) = b or c`; mirror
images, `mirror step R-Link as L-Link`.

A layout is a string of letters, no letter twice in a row. It cuts a stretch of positions into consecutive
non-empty pieces, one for each letter. In the rule, `first(a)`, `last(a)` and `gaps(a)` are the first position
of the pieces of a, the last one, and the intervals between them that belong to other letters. Each piece's
first position is a variable of its own, named by the letter and a number.

An abbreviation is expanded where it is used, before names and types are resolved: `linked(x, not y)` is read as
`x or not y`. Its body speaks of its parameters, the schema's parameters and `n` alone, so that it means the same
everywhere. Mistakes in the definition are reported there.

The mirror image of a step is made of its checked cases: the positions of words are counted from the other end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from schemata.errors import did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.model import nodes, rewrite
from schemata.language.parse import CONDITION_WORDS, RESERVED
from schemata.language.source import Findings, Span
from schemata.language.substitute import linear_form, linear_of, substitute, sum_of
from schemata.records import Record
from schemata.thresholds import REFUSALS
from schemata.wording import quantity


def expand_family(step: s.StepDeclaration, problems: Findings) -> list[s.StepDeclaration]:
    """Return a step's members, named by the step and their layouts; the step itself where it is not a family."""
    families = [c.family for c in step.cases if c.family is not None]
    if not families:
        return [step]
    if len(step.cases) > 1:
        message = "a family of steps has one rule"
        problems.report(families[0].span, "family-case", message, "a step without cases")
        return []
    (case,) = step.cases
    (family,) = families
    needed = _letters_used(case) & {x.id for x in family.letters}
    members = []
    mistakes = Findings()
    for layout in layouts(family, needed, step.environment, problems):
        member = _member(case, family, layout, mistakes)
        members.append(replace(step, name=f"{step.name} {layout}", cases=(member,)))
    problems += dict.fromkeys(mistakes)
    return [] if mistakes else members


def layouts(family: s.Family, needed: Set[str], environment: s.Environment, problems: Findings) -> list[str]:
    """Return the layouts of a family, shortest first, then in the order of its letters.

    `needed` are the letters whose pieces the rule asks for: each occurs in every layout.
    """
    letters = [name.id for name in family.letters]
    for name in family.letters:
        if len(name.id) > 1 or letters.count(name.id) > 1:
            problems.report(name.span, "bad-letter", f"{name.id} is not a letter", "different single letters")
            return []
    for name in (*family.first, *family.last):
        if name.id not in letters:
            message = f"{name.id} is not a letter of the layout"
            problems.report_unknown(name.span, "unknown-letter", message, letters)
            return []
    bounds = [_read_bound(c, letters, environment, problems) for c in family.where]
    tests = [b for b in bounds if b is not None]
    if len(tests) < len(bounds):
        return []
    end = [name.id for name in family.last] or letters
    fitting: list[str] = []
    pending = deque([name.id for name in family.first] or letters)
    while pending:
        layout = pending.popleft()
        if not all(t.still_possible(layout) for t in tests):
            continue
        if len(layout) > REFUSALS.layout_pieces or len(pending) + len(fitting) > REFUSALS.family_members:
            message = "there are too many layouts, or infinitely many"
            expected = "a bound on the pieces of every letter, for example pieces(a) <= 2"
            problems.report(family.span, "endless-family", message, expected)
            return []
        if layout[-1] in end and needed <= set(layout) and all(t.holds(layout) for t in tests):
            fitting.append(layout)
        pending += [layout + letter for letter in letters if letter != layout[-1]]
    if not fitting:
        message = "no layout fulfils the conditions"
        problems.report(family.span, "empty-family", message, "at least one")
    return fitting


def pieces(layout: str, letters: Sequence[str]) -> int:
    """Return the number of pieces of some letters, touching ones counted once.

    >>> pieces("abgab", "a"), pieces("abgab", "ab")
    (2, 2)
    """
    inside = [x in letters for x in layout]
    return sum(1 for before, here in zip([False, *inside], inside, strict=False) if here and not before)


class _Bound(Record):
    """A condition `pieces(a b) <= 3` on layouts."""

    letters: tuple[str, ...]
    relation: s.ComparisonSign
    number: int

    def holds(self, layout: str) -> bool:
        return s.holds([pieces(layout, self.letters), self.number], [self.relation])

    def still_possible(self, layout: str) -> bool:
        """Whether a longer layout may fulfil the condition: pieces of one letter only grow in number."""
        count = pieces(layout, self.letters)
        if self.relation in ("<=", "=="):
            return count <= self.number
        return self.relation != "<" or count < self.number


def _read_bound(
    condition: s.ConditionSyntax, letters: Sequence[str], environment: s.Environment, problems: Findings
) -> _Bound | None:
    match condition:
        case s.ComparisonSyntax((s.Dotted(s.Name("pieces"), (operands,)), right), (relation,)):
            names = [x.id for x in operands if isinstance(x, s.Name)]
            number = s.number_of(right, environment)
            if isinstance(number, int) and len(names) == len(operands) and set() < set(names) <= set(letters):
                return _Bound(tuple(names), relation, number)
    message = "this is not a condition on layouts"
    expected = f"pieces({letters[0]}) <= a number or parameter, with letters {', '.join(letters)}"
    problems.report(condition.span, "bad-layout", message, expected)
    return None


def _letters_used(case: s.StepCase) -> set[str]:
    """Return the letters to which `first` and `last` apply, one at a time."""
    letters = set()
    for node in m.nodes((case.antecedents, case.consequent, case.conditions)):
        match node:
            case s.Dotted(s.Name("first" | "last"), ((s.Name(letter),),)):
                letters.add(letter)
    return letters


def _member(case: s.StepCase, family: s.Family, layout: str, problems: Findings) -> s.StepCase:
    """Return one member of a family: the rule with a layout's positions in place of its functions."""
    # The first position of every piece, and the last of all.
    starts = [f"{letter}{layout[: k + 1].count(letter)}" for k, letter in enumerate(layout)] + ["end"]
    known = [x.id for x in family.letters]

    def end_of(piece: int, span: Span) -> s.TermSyntax:
        """Return the last position of a piece: the one before the next piece begins."""
        following = s.Name(starts[piece + 1], span=span)
        if piece == len(layout) - 1:
            return following
        return s.Sum(((1, following), (-1, s.ConstantSyntax(1, "number", span=span))), span=span)

    def change(node: object) -> s.TermSyntax | None:
        """Return the positions that a function of the layout stands for."""
        match node:
            case s.Dotted(s.Name("first" | "last" | "gaps" as name), (operands,), span=span):
                letters = [x.id for x in operands if isinstance(x, s.Name)]
            case _:
                return None
        if not letters or len(letters) < len(operands) or not set(letters) <= set(known):
            message = f"{name} takes letters of the layout"
            problems.report(span, "unknown-letter", message, one_of(known))
            return s.ConstantSyntax(0, "number", span=span)
        inside = [k for k, letter in enumerate(layout) if letter in letters]
        if name == "first":
            return s.Name(starts[inside[0]], span=span)
        if name == "last":
            return end_of(inside[-1], span)
        between = [(a + 1, b - 1) for a, b in pairwise(inside) if b > a + 1]
        gaps = ((s.Name(starts[a], span=span), end_of(b, span)) for a, b in between)
        return s.ListTermSyntax(tuple(s.TupleTermSyntax(ends, span=span) for ends in gaps), span=span)

    positions = tuple(s.Name(x, span=family.span) for x in starts)
    before: list[s.ComparisonSign] = ["<"] * (len(positions) - 2)
    order = s.ComparisonSyntax(positions, (*before, "<="), span=family.span)
    parts = (case.antecedents, case.consequent, case.conditions)
    antecedents, consequent, conditions = m.rewrite(parts, change)
    return replace(
        case,
        antecedents=antecedents,
        consequent=consequent,
        conditions=(*conditions, order),
        family=None,
        generated=frozenset(starts),
    )


# Abbreviations -----------------------------------------------------------------------------------------------


def read_definitions(
    definitions: Iterable[s.Definition], relations: Iterable[str], names: Iterable[str], problems: Findings
) -> dict[str, s.Definition]:
    """Return abbreviations by name, those in their bodies expanded; reports those with mistakes.

    Parameters
    ----------
    definitions : as written, in order.
    relations : the names of declared relations.
    names : parameters of the schema, which bodies may speak of.
    """
    known: dict[str, s.Definition] = {}
    for definition in definitions:
        if _is_sound(definition, {*known, *relations}, {"n", *names}, problems):
            known[definition.name] = replace(definition, body=spelt_out(definition.body, known, problems))
    return known


def _is_sound(definition: s.Definition, taken: set[str], names: set[str], problems: Findings) -> bool:
    """Whether an abbreviation can be used; reports it if not."""
    name, before = definition.name, len(problems)
    if name in taken or name in RESERVED | CONDITION_WORDS | {"given", "reverse"}:
        problems.report(definition.span, "duplicate-definition", f"{name} is taken", "another name")
    own = [parameter.id for parameter in definition.parameters]
    free = {*own, *names}
    called = _called(definition.body)
    known = free.union(found.id for found in called)
    if used := next((x for x in s.names_in(definition.body) if x.id not in known), None):
        message, hint = f"{used.id} is not a parameter of {name}", did_you_mean(used.id, own)
        problems.report(used.span, "unbound-variable", message, one_of(own) if own else "n", hint)
    if found := next((x for x in called if x.id not in taken), None):
        message = f"{found.id} is not defined before {name}"
        expected = "an abbreviation or relation declared before"
        problems.report(found.span, "unknown-relation", message, expected)
    return len(problems) == before


def _called(node: Any) -> list[s.Name]:
    """Return the names in a node that may be those of abbreviations or relations."""
    parts = map(s.application, nodes(node))
    return [part[0] for part in parts if part is not None]


def spelt_out(node: Any, known: Mapping[str, s.Definition], problems: Findings) -> Any:
    """Expand the abbreviations in a node."""

    def change(part: Any) -> Any:
        call = s.application(part)
        definition = known.get(call[0].id) if call is not None else None
        if call is None or definition is None:
            return None
        name, terms = call
        wanted = [parameter.id for parameter in definition.parameters]
        if len(terms) != len(wanted):
            message = f"{name.id} takes {quantity(len(wanted), 'argument')}, not {len(terms)}"
            problems.report(part.span, "wrong-arity", message, f"{name.id}({', '.join(wanted)})")
            return s.ConstantSyntax(True, "flag", span=part.span)
        given = dict(zip(wanted, (spelt_out(term, known, problems) for term in terms), strict=True))
        body = rewrite(definition.body, lambda x: given.get(x.id) if isinstance(x, s.Name | s.Star) else None)
        return body[0] if len(body) == 1 else s.JunctionSyntax("and", body, span=part.span)

    return rewrite(node, change)


# Mirror images -----------------------------------------------------------------------------------------------


Forms: TypeAlias = Mapping[str, m.Form]  # by name
_WORDS = m.Linear(1, ((m.Var("n"), 1),))  # word p is word n + 1 - p in the mirror


class NoImageError(Exception):
    """A rule has no mirror image; the message says why."""


class Reflection(Record):
    """The mirror image of a form's items: its form, and for each field its source field and the value
    from which positions are subtracted.

    In the mirror, words are n + 1 - p, and places between words n - p.
    """

    form: str
    sources: tuple[int, ...]
    pivots: tuple[m.Term, ...]


def reflections_of(form: m.Form, left: m.Pattern, right: m.Pattern, image: m.Form) -> list[Reflection]:
    """Return the reflections that `mirror span[i, j] = span[n - j, n - i]` declares: of the left form,
    and the right.

    Empty if the declaration cannot be used.
    """
    names = [term.name for term in left.terms if isinstance(term, m.Var)]
    sources: list[int] = []
    pivots: list[m.Term] = []
    for term in right.terms:
        match term:
            case m.Var(name):
                pivots.append(_WORDS)
            case m.Linear(constant, atoms) if len(atoms) == 2 and (m.Var("n"), 1) in atoms:
                ((name, factor),) = ((x.name, k) for x, k in atoms if x != m.Var("n"))
                if factor != -1:
                    return []
                pivots.append(linear_of(constant, {m.Var("n"): 1}))
            case _:
                return []
        sources += [names.index(name)] if name in names else []
    if not len(set(names)) == len(set(sources)) == len(form.fields) == len(image.fields):
        return []
    if any(form.fields[of].type != field.type for of, field in zip(sources, image.fields, strict=True)):
        return []
    back = [sources.index(k) for k in range(len(sources))]
    there = Reflection(image.name, tuple(sources), tuple(pivots))
    again = Reflection(form.name, tuple(back), tuple(pivots[k] for k in back))
    return [there, again] if form is not image or there == again else []


def _has_positions(kind: m.Type) -> bool:
    return kind.kind == "position" or any(map(_has_positions, kind.arguments))


def mirrored(
    case: m.Case, step: str, forms: Forms, known: Mapping[str, Reflection], fixed: Collection[str]
) -> m.Case:
    """Return the mirror image of a case, as a case of another step.

    Parameters
    ----------
    case, step : the case, and the name of the step that its image belongs to.
    forms, known : the schema's forms, and its declared mirror images.
    fixed : names that are not variables.

    Raises
    ------
    NoImageError : the case asks for something that has a direction.

    The antecedents of the image stand in their order or in the opposite one, whichever makes it more like the case. Its
    variables are renamed so that they first occur in the order of the case. They keep their names if one form is the
    image of another: fields then have other places, and the names identify them.
    """
    images = [_Image(case, forms, known, fixed, order).case_of(step) for order in (1, -1)]
    used = {pattern.form for pattern in (*(a.pattern for a in case.antecedents), case.consequent)}
    if all(known[form].form == form for form in used & set(known)):
        images = [_renamed_in_order(case, image, fixed) for image in images]
    return max(images, key=partial(_alike, case))


def _alike(one: m.Case, other: m.Case) -> int:
    """Return how many terms of the items of two cases are the same."""
    items = ([*(a.pattern for a in case.antecedents), case.consequent] for case in (one, other))
    pairs = zip(*([term for item in row for term in item.terms] for row in items), strict=True)
    return sum(a == b for a, b in pairs)


def _renamed_in_order(case: m.Case, image: m.Case, fixed: Collection[str]) -> m.Case:
    """Return the image with variables of a type renamed so that they appear in the order of the case's."""
    names: dict[str, str] = {}
    for kind in dict.fromkeys(case.types.values()):
        same = {name for name, its in case.types.items() if its == kind and name not in fixed}
        orders = (
            [x for x in dict.fromkeys(m.variables((c.antecedents, c.consequent, c.conditions))) if x in same]
            for c in (image, case)
        )
        names |= dict(zip(*orders, strict=True))

    slots = ("antecedents", "consequent", "conditions", "links", "head", "weight")
    return replace(image, **{slot: m.renamed(getattr(image, slot), names) for slot in slots})


class _Image:
    """The mirror image of one case.

    Each position variable x becomes a pivot minus x, and each position a pivot minus it: so most terms stay as they
    are, and others change the sign of their constants.
    """

    def __init__(
        self, case: m.Case, forms: Forms, known: Mapping[str, Reflection], fixed: Collection[str], order: int
    ) -> None:
        self.case, self.forms, self.known = case, forms, known
        self.antecedents = case.antecedents[::order]
        self.places = range(len(case.antecedents))[::order]  # of antecedents, by their old ones
        self.pivots: dict[str, m.Term] = {}
        rest: dict[str, m.Term] = {}
        for pattern in (*(a.pattern for a in self.antecedents), case.consequent):
            way = self._reflection(pattern.form)
            for source, pivot in zip(way.sources, way.pivots, strict=True):
                match pattern.terms[source]:
                    case m.Linear(constant, ((m.Var(name), 1),)):
                        self.pivots.setdefault(name, sum_of(-constant, [(pivot, 1)]))
                    case m.Var(name):
                        self.pivots.setdefault(name, pivot)
                    case term:
                        for name in m.variables(term):
                            rest.setdefault(name, pivot)
        self.pivots = {
            name: self.pivots.get(name) or rest.get(name, _WORDS)
            for name, kind in case.types.items()
            if name not in fixed and name != "n" and _has_positions(kind)
        }

    def case_of(self, step: str) -> m.Case:
        """Return the image as a case of a step."""
        case, places = self.case, self.places
        above = (m.Antecedent(self.pattern(a.pattern), a.context) for a in self.antecedents)
        heads = (replace(x, dependent=places[x.dependent], head=places[x.head]) for x in case.head_links)
        return replace(
            case,
            step=step,
            antecedents=tuple(above),
            consequent=self.pattern(case.consequent),
            conditions=tuple(map(self.condition, case.conditions)),
            links=tuple(self.links()),
            head_links=tuple(heads),
            head=None if case.head is None else self.word(case.head),
            weight=self.weight(),
            lines=(f"the mirror image of {case.step}", *case.lines),
        )

    def _reflection(self, form: str) -> Reflection:
        if form in self.known:
            return self.known[form]
        fields = self.forms[form].fields
        if sum(_has_positions(field.type) for field in fields) > 1:
            raise NoImageError(f"the mirror image of {form} is not declared")
        return Reflection(form, tuple(range(len(fields))), (_WORDS,) * len(fields))

    def pattern(self, pattern: m.Pattern) -> m.Pattern:
        way, fields = self._reflection(pattern.form), self.forms[pattern.form].fields
        terms = (
            self.term(pattern.terms[source], fields[source].type, pivot)
            for source, pivot in zip(way.sources, way.pivots, strict=True)
        )
        return m.Pattern(way.form, tuple(terms))

    def term(self, term: m.Term, kind: m.Type, pivot: m.Term) -> m.Term:
        """Return the image of a term of a type; positions p in it become the pivot minus p."""
        match kind.kind, term:
            case (_, m.Any() | m.Splice()) | (_, m.Lit(None)):
                return term
            case "optional", _:
                return self.term(term, kind.arguments[0], pivot)
            case "list", _ if kind.arcs or isinstance(term, m.Positions):
                raise NoImageError("sets of arcs, and lists of all positions, have one order")
            case "list", m.ListTerm(elements):
                turned = (
                    self.term(x, kind if isinstance(x, m.Run) else kind.arguments[0], pivot)
                    for x in elements[::-1]
                )
                return m.ListTerm(tuple(turned))
            case "list", m.Run(shape):
                return m.Run(self.term(shape, kind.arguments[0], pivot))
            case "tuple", m.TupleTerm(parts):
                turned = (self.term(t, k, pivot) for t, k in zip(parts, kind.arguments, strict=True))
                pair = kind == m.INTERVALS.arguments[0]
                return m.TupleTerm(tuple(turned)[:: -1 if pair else 1])
            case "position", _:
                return self._position(term, pivot)
            case "flag", _:
                flag: m.Term = self.condition(term)
                return flag
            case (("dotted" | "label" | "labels" | "dotted labels"), _):
                raise NoImageError(f"{kind}s {_DIRECTED}" if kind.kind == "dotted" else f"labels {_DIRECTED}")
        return term

    def word(self, term: m.Term) -> m.Term:
        """Return the image of a word's position."""
        if term == m.Lit(0):
            raise NoImageError("it names node 0, the artificial root, which stands on the left")
        return self._position(term, _WORDS)

    def _position(self, term: m.Term, pivot: m.Term) -> m.Term:
        """Return the pivot minus a position, in whose variables their own pivots are taken from."""
        match term:
            case m.Var(name) if self.pivots.get(name) == pivot:
                return term
        return sum_of(0, [(pivot, 1), (self._distance(term), -1)])

    def _distance(self, term: m.Term) -> m.Term:
        """Return a number with the images of its variables in it."""
        if any(isinstance(x, m.Var) and x.optional for x in nodes(term)):
            raise NoImageError("it counts with a position that may be absent")
        places = {x: p for x, p in self.pivots.items() if self.case.types[x].kind in ("position", "optional")}
        return substitute(term, {x: sum_of(0, [(p, 1), (m.Var(x), -1)]) for x, p in places.items()})

    def _pivot(self, *terms: m.Term) -> m.Term | None:
        """Return a pivot for terms that are positions, None if they are distances or no numbers."""
        for term in terms:
            _, atoms = linear_form(term) or (0, ())
            places = [(x.name, k) for x, k in atoms if isinstance(x, m.Var) and x.name in self.pivots]
            if places and sum(k for _, k in places) and not self._is_list(term):
                return self.pivots[places[0][0]]
        return None

    def _is_list(self, term: m.Term) -> bool:
        return isinstance(term, m.Var) and self._kind(term).kind in ("list", "tuple")

    def _kind(self, *terms: m.Term) -> m.Type:
        names = (t.name for t in terms if isinstance(t, m.Var | m.Splice))
        return next((self.case.types[x] for x in names if x in self.case.types), m.POSITION)

    def condition(self, condition: m.Condition) -> Any:
        """Return the image of a condition."""
        return rewrite(condition, self._turned)

    def _turned(self, node: Any) -> m.Condition | None:
        match node:
            case m.Junction(word, operands) if all(isinstance(x, m.Compare) for x in operands):
                return m.Junction(word, tuple(map(self.condition, operands[::-1])))
            case m.Compare(relation, left, right):
                return self._comparison(relation, left, right)
            case m.Member(element, region):
                pivot = self._pivot(element) or _WORDS
                return m.Member(self._position(element, pivot), self._region(region, pivot))
            case m.AllWithin(intervals, outer):
                return m.AllWithin(self.term(intervals, m.INTERVALS, _WORDS), self._region(outer, _WORDS))
            case m.Matches() | m.HasFact("rule" | "left_corner" | "disjunct", _, None):
                raise NoImageError(f"rules of the grammar and labels {_DIRECTED}")
            case m.HasFact():
                others = m.variables(m.with_words(node, lambda _: m.Any()))
                if set(others) & set(self.pivots):
                    raise NoImageError("it asks the grammar for a number that is a position here")
                return m.with_words(node, self.word)
        return None

    def _comparison(self, relation: Any, left: m.Term, right: m.Term) -> m.Compare:
        sides = (left, right)
        pivot = self._pivot(*sides)
        if pivot is not None:
            left, right = (self._position(x, pivot) if x != m.Lit(None) else x for x in sides)
            turned = (left, right) if relation in ("==", "!=") else (right, left)
            return m.Compare(relation, *turned)
        kind = self._kind(*sides)
        if any(isinstance(x, m.ListTerm | m.TupleTerm) for x in sides):
            return m.Compare(relation, *(self.term(x, kind, _WORDS) for x in sides))
        numbers = all(isinstance(x, m.Var | m.Lit | m.Linear | m.Length) for x in sides)
        return m.Compare(relation, *map(self._distance if numbers else self.condition, sides))

    def _region(self, region: m.Region, pivot: m.Term) -> Any:
        match region:
            case m.Interval(low, high):
                low, high = (x if x == m.Lit(None) else self._position(x, pivot) for x in (low, high))
                return m.Interval(high, low)
            case m.Without(left, right):
                rest = self._region(left, pivot)
                if isinstance(right, m.ListTerm):
                    return m.Without(rest, self.term(right, m.INTERVALS, pivot))  # type: ignore[arg-type]
                return m.Without(rest, self._region(right, pivot))
        return region

    def links(self) -> Iterable[m.Built]:
        for built in self.case.links:
            match built:
                case m.Built("link", (dependent, head, *label)):
                    yield replace(built, terms=(self.word(dependent), self.word(head), *label))
                case m.Built("bracket", (category, *places), _, over):
                    turned = (category, *map(self.word, reversed(places)))
                    yield replace(built, terms=turned, over=None if over is None else self.places[over])
                case m.Built(name):
                    raise NoImageError(f"it builds {name}, of which the mirror image is not known")
                case _:
                    raise NoImageError(f"labels {_DIRECTED}")

    def weight(self) -> m.Weight | None:
        weight = self.case.weight
        scores = [x for x in m.nodes(weight) if isinstance(x, m.Arithmetic) and x.operation == "score"]
        words = {x for x in m.variables(tuple(scores)) if self.pivots.get(x) == _WORDS}
        if set(m.variables(weight)) & set(self.pivots) - words:
            raise NoImageError("it weighs positions")
        return weight


_DIRECTED = "run from left to right"
