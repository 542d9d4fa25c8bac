"""Step instances: those of a chart read back, those of a rule listed, and rules that may find one in two ways.

A chart stores an instance as numbers. Here the rule is matched again against the instance's items, which
gives its variables their values back.

An instance is a step's name, its antecedents and consequent in normal form, and the links it builds. It may be
found twice where items have several writings, where a variable shows in none of these, or where two rules of
one name (two cases, or two choices of kinds) can agree in all of them. For such rules a kernel remembers the
instances it met.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from schemata.charts import hyperedge_names, instance_names
from schemata.grammars.relations import FREE
from schemata.language import model as m
from schemata.language.bounds import NotLinear
from schemata.program.evaluation import evaluate, fulfils
from schemata.program.facts import conditions_of, difference, facts_of
from schemata.program.kinds import affine
from schemata.program.linear import Affine, Asks, Linear, Provided, learn, linear_terms, solved, variable
from schemata.program.matching import Equals, Goal, Match, match_pattern, solve
from schemata.program.model import Atom, ColumnShape, Program, Rule
from schemata.program.rewriting import all_writings, normal_form

if TYPE_CHECKING:
    from schemata.charts import BareChart, Instance


Values = tuple[m.Value, ...]
Links = tuple[tuple[m.Value, ...], ...]
How = Literal["never", "writings", "always"]
CONSEQUENT = -1
Several = frozenset[int]  # antecedents by number, and CONSEQUENT


def chart_writings(chart: BareChart, number: int) -> tuple[Values, ...]:
    """Return the writings under which an item of a chart is an antecedent; a hypothesis has only its own."""
    values = chart.raw.values[number]
    if number < chart.raw.hypothesis_count:
        return (values,)
    return all_writings(chart.schema.forms[chart.raw.form_of[number]], values, chart.n)


def final_bindings(chart: BareChart, number: int) -> Iterator[tuple[int, Mapping[str, m.Value]]]:
    """Yield the final clauses that an item of a chart matches, by number, each with a binding under which it does."""
    form = chart.schema.forms[chart.raw.form_of[number]]
    for k, clause in enumerate(chart.schema.finals):
        for writing in chart_writings(chart, number) if clause.pattern.form == form.name else ():
            goals = [*match_pattern(form, clause.pattern, writing), *clause.conditions]
            for solution in solve(goals, {"n": chart.n}, clause.types, chart.grammar):
                yield k, solution.binding


def instance_bindings(chart: BareChart, instance: Instance) -> Iterator[dict[str, m.Value]]:
    """Yield every binding under which the instance's rule makes the instance, each once, in a fixed order.

    None is yielded if the rule does not make the instance at all, which would be a fault of the engine.
    """
    case = chart.schema.cases[instance.case]
    values = chart.raw.values
    consequent = values[instance.consequent]
    built = tuple(chart.arguments(link, ends) for link, ends in zip(case.links, instance.links, strict=True))
    links = [
        goal
        for link, ends in zip(case.links, built, strict=True)
        if isinstance(link, m.Built)
        for goal in map(Match, ends, link.terms, link.types)
    ]
    seen: set[Any] = set()
    ways = [chart_writings(chart, x) for x in instance.antecedents]
    for antecedents in itertools.product(*ways):
        for binding, made, ends in _made(
            chart.schema, case, antecedents, chart.n, chart.grammar, consequent=consequent, more=links
        ):
            key = tuple(sorted(binding.items()))
            if made == consequent and ends == built and key not in seen:
                seen.add(key)
                yield binding


def first_binding(chart: BareChart, instance: Instance) -> dict[str, m.Value]:
    """Return the first binding of an instance."""
    return next(instance_bindings(chart, instance), {"n": chart.n})


def bindings_of(case: m.Case, binding: Mapping[str, m.Value]) -> tuple[tuple[str, m.Value], ...]:
    """Return the variables of a rule with their values, in the order of the rule."""
    return tuple((name, binding[name]) for name in case.types if name in binding)


def inferences(
    schema: m.Schema, case: m.Case, antecedents: Sequence[Values], n: int, grammar: Any
) -> Iterator[tuple[Values, Links]]:
    """Yield the results of a rule for antecedents given as writings: consequents in normal form, and links.

    An inference may come more than once. The conditions of the item form are checked; whether a consequent equals an
    antecedent is not.

    >>> import schemata
    >>> from schemata.grammars.drules import all_licences
    >>> schema = schemata.load("eisner1996").definition
    >>> combine = next(c for c in schema.cases if c.step == "CombineSpans")
    >>> spans = [(0, 1, False, True), (1, 2, False, True)]
    >>> list(inferences(schema, combine, spans, 2, all_licences(2)))
    [((0, 2, False, True), ())]
    """
    for _, made, links in _made(schema, case, antecedents, n, grammar):
        yield made, links


def _made(
    schema: m.Schema,
    case: m.Case,
    antecedents: Sequence[Values],
    n: int,
    grammar: Any,
    *,
    consequent: Values | None = None,
    more: Sequence[Goal] = (),
) -> Iterator[tuple[dict[str, m.Value], Values, Links]]:
    """Yield binding, consequent and links of each way a rule applies; a given consequent narrows the search."""
    goals: list[Goal] = []
    for antecedent, values in zip(case.antecedents, antecedents, strict=True):
        goals += match_pattern(schema.form(antecedent.pattern.form), antecedent.pattern, values)
    form = schema.form(case.consequent.form)
    names = [str(k) for k in range(len(form.fields))]
    fields = zip(names, case.consequent.terms, form.fields, strict=True)
    goals += [Equals(name, term, field.type) for name, term, field in fields]
    goals += [*more, *case.conditions]
    start: dict[str, m.Value] = {"n": n}
    if consequent is not None and not form.has_normal_form:
        start |= zip(names, consequent, strict=True)
    for solution in solve(goals, start, case.types, grammar):
        if solution.waiting:
            raise AssertionError(f"step {case.step} of {schema.name} is not determined by its antecedents")
        binding = solution.binding
        written = tuple([binding.pop(name) for name in names])
        links = [_link(link, binding, grammar) for link in case.links]
        known = tuple([link for link in links if link is not None])
        if len(known) < len(links) or not fulfils(form, written, n):
            continue
        made = normal_form(form, written, n)
        if not form.has_normal_form or fulfils(form, made, n):
            yield binding, made, known


def _link(link: m.Built | m.Join, binding: Mapping[str, m.Value], grammar: Any) -> tuple[m.Value, ...] | None:
    """Return the arguments of the built link; None if a step cannot join two words, or no list is composed."""
    if isinstance(link, m.Join):
        if link.when is not None and not evaluate(link.when, binding):
            return -1, -1
        known = [evaluate(t, binding) for t in (link.left, link.right, link.by.left, link.by.right)]
        pairs: Sequence[tuple[int, int]] = grammar.relations["join"].rows(*known, FREE, FREE)
        return pairs[0] if pairs else None
    try:
        return tuple([evaluate(term, binding) for term in link.terms])
    except LookupError:  # a yield function that does not fit
        return None


def variable_terms(program: Program, rule: Rule) -> Mapping[str, Affine]:
    """Return terms over a rule's variables for those of its case, as far as antecedents and consequent determine them.

    Variables in items with a normal form are left out, since the item may stand in another writing.
    """
    schema = program.schema
    case = schema.cases[rule.case]
    patterns = [*(a.pattern for a in case.antecedents), case.consequent]
    equal: list[Affine] = []
    for pattern, atom in zip(patterns, (*rule.antecedents, rule.consequent), strict=True):
        kind = program.kinds[atom.kind]
        if kind.form in program.equations:
            continue
        for term, shape in zip(pattern.terms, kind.shapes, strict=True):
            if isinstance(shape, ColumnShape):
                with suppress(NotLinear):
                    own = affine(term)
                    renamed = {x: variable(f"own {x}") for x in own.names if x != "n"}
                    equal.append(own.substitute(renamed) - atom.terms[shape.column])
    names = [f"own {name}" for name in case.types]
    found, _ = solved(equal, names)
    known = {name: found[f"own {name}"] for name in case.types if f"own {name}" in found}
    return {x: term for x, term in known.items() if not any(y.startswith("own ") for y in term.names)}


# Duplicate instances ---------------------------------------------------------------------------------------------


def repetitions(program: Program, hyperedges: bool = False) -> Mapping[int, How]:
    """Return, by rule, when an instance may be found again: where an antecedent has several writings, or always.

    With `hyperedges`, instances that differ in context antecedents alone are the same.
    """
    agreeing = {number for pair in agreeing_rules(program, hyperedges) for number in pair}
    found: dict[int, How] = {}
    for rule, whole in zip(_rules(program, hyperedges), program.rules, strict=True):
        how: How = "writings" if any(_has_writings(program, a) for a in rule.antecedents) else "never"
        if (
            rule.number in agreeing
            or not _is_traced(program, rule)
            or len(rule.variables) < len(whole.variables)
        ):
            how = "always"
        found[rule.number] = how
    return found


def repeating_rules(program: Program, hyperedges: bool = False) -> Mapping[int, frozenset[Several]]:
    """Return the rules that may find an instance again when they begin with any writing of the consequent.

    Each has sets of atoms, numbered without context antecedents for `hyperedges`. An instance is found again only where
    all atoms of one of the sets have several writings; with an empty set, anywhere.
    """
    found: dict[int, frozenset[Several]] = {}
    rules = _rules(program, hyperedges)
    for number, how in repetitions(program, hyperedges).items():
        if how == "always":
            found[number] = frozenset([frozenset[int]()])
        elif how == "writings" or _has_writings(program, rules[number].consequent):
            found[number] = _rewritten(program, rules[number])
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    groups: dict[object, list[Rule]] = {}
    for number in found:
        forms = [program.kinds[atom.kind].form for atom in _atoms(rules[number]).values()]
        groups.setdefault((names[rules[number].case], *forms), []).append(rules[number])
    for one, other in (pair for group in groups.values() for pair in itertools.permutations(group, 2)):
        others = _atoms(other)
        unlike = {k: atom for k, atom in _atoms(one).items() if atom.kind != others[k].kind}
        if unlike and all(_has_writings(program, atom) for atom in unlike.values()):
            found[one.number] |= {frozenset(unlike)}  # the same items in writings of different kinds
    return {
        number: frozenset(s for s in sets if not any(s > t for t in sets)) for number, sets in found.items()
    }


def _atoms(rule: Rule) -> Mapping[int, Atom]:
    """Return the antecedents and the consequent by number."""
    return {**dict(enumerate(rule.antecedents)), CONSEQUENT: rule.consequent}


def _rewritten(program: Program, rule: Rule) -> frozenset[Several]:
    """Return, for each variable that may differ where an instance is found again, the atoms that it is read from.

    An item with only one writing determines the variables in it.
    """
    atoms = _atoms(rule)
    known = {"n"}
    fixed = [atom for atom in atoms.values() if not _has_writings(program, atom)]
    equal = (t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "==")
    learn(known, [*linear_terms((tuple(fixed), rule.links)), *equal])

    def open_in(terms: Sequence[Affine]) -> set[str]:
        unknown = ([x for x in term.variables if x not in known] for term in terms)
        return {names[0] for names in unknown if len(names) == 1}

    read = {k: open_in(atom.terms) for k, atom in atoms.items()}
    return frozenset(
        frozenset(k for k, names in read.items() if x in names) for x in rule.variables if x not in known
    )


def step_numbers(program: Program, hyperedges: bool = False) -> tuple[int, ...]:
    """Return, for every rule, the number that distinguishes its instances, or hyperedges, from those of other
    steps.
    """
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    return tuple(names[rule.case] for rule in program.rules)


def instance_text(program: Program, numbers: Sequence[str]) -> list[str]:
    """Return in code the words that distinguish an instance from others; an absent value is not a number."""
    pairs = itertools.zip_longest(numbers[::2], numbers[1::2], fillvalue=str((1 << 32) - 1))
    words = [f"({first}) * {1 << 32} + {second}" for first, second in pairs]
    return words + ["-1"] * (program.instance_words - len(words))


def _rules(program: Program, hyperedges: bool) -> Sequence[Rule]:
    """Return the rules, without their context antecedents where instances are hyperedges."""

    def structural(rule: Rule) -> Rule:
        kept = [a for a, context in zip(rule.antecedents, rule.contexts, strict=True) if not context]
        return replace(rule, antecedents=tuple(kept), contexts=(False,) * len(kept))

    return [structural(rule) for rule in program.rules] if hyperedges else program.rules


def agreeing_rules(program: Program, hyperedges: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two rules of one name that may find the same instance, or the same hyperedge."""
    groups: dict[object, list[Rule]] = {}
    names = (hyperedge_names if hyperedges else instance_names)(program.schema)
    for rule in _rules(program, hyperedges):
        end = rule.consequent.kind
        form = program.kinds[end].form
        kinds = tuple(a.kind for a in rule.antecedents), form if form in program.equations else -1 - end
        groups.setdefault((names[rule.case], kinds, tuple(map(len, rule.links))), []).append(rule)
    for group in groups.values():
        for k, rule in enumerate(group):
            for other in group[k + 1 :]:
                if _may_agree(program, rule, other):
                    yield rule.number, other.number


def _has_writings(program: Program, atom: Atom) -> bool:
    return program.kinds[atom.kind].form in program.equations


def _traces(program: Program, rule: Rule) -> Iterator[Affine]:
    """Yield the terms of a rule whose values an instance has: not those of a consequent in another writing."""
    made = () if _has_writings(program, rule.consequent) else rule.consequent
    return linear_terms((rule.antecedents, made, rule.links))


def _is_traced(program: Program, rule: Rule) -> bool:
    """Whether an instance determines the values of all variables that stand in more than one place."""
    terms = list(_traces(program, rule))
    terms += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    asks = [t for t in rule.tests if isinstance(t, Asks)]
    known: set[str] = {"n"}
    learn(known, terms)
    while True:
        for test in asks:
            bound = [k for k, term in enumerate(test.terms) if known.issuperset(term.names)]
            determined = [test.terms[k] for k in test.query.determined(bound) or ()]
            terms += [term for term in determined if term.single is not None]
        if not learn(known, terms):
            return known.issuperset(rule.shared)


def _may_agree(program: Program, one: Rule, other: Rule) -> bool:
    """Whether nothing shows that two rules never find the same instance."""
    again = {name: variable(f"{name}'") for name in other.variables}
    pairs = zip(_traces(program, one), _traces(program, other), strict=True)
    same = [Linear("==", a - b.substitute(again)) for a, b in pairs]
    if any(not t.left.terms and t.left.constant for t in same):
        return False
    tests = [*one.tests, *(t.substitute(again) for t in other.tests)]
    kinds = [t for a in one.antecedents for t in conditions_of(program.kinds, a)]
    facts = facts_of([*kinds, *tests, *same])
    if facts.contradictory():
        return False
    # a link to the left is none to the right: licences hold between different words
    for test in tests:
        if isinstance(test, Provided) and test.table.is_irreflexive:
            left, right = test.arguments
            sides = [difference(left - right), difference(right - left)]
            if all(side is not None and facts.proves([side]) for side in sides):
                return False
    return True
