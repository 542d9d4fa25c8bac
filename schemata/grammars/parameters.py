"""The weights of a grammar as parameters: their owners, the groups that add up to 1, and the grammar with other
weights.

Weights that share a *normaliser* are a distribution. Of context-free rules these are the rules and the words of one
category. Of dependency rules they are the rules of a category, its words, and the roots; of D-rules the rules of one
head, and the roots. For facts the user states them: `next: after` are distributions of the facts of `next` that have
the same `after`, and `lexical: category binary: parent` are distributions of the facts of both relations. Without a
statement, the weights determine them, if they add up to 1 in one way only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from schemata.errors import UsageError, did_you_mean, one_of
from schemata.grammars.drules import DRules, DRuleSet
from schemata.grammars.facts import Facts
from schemata.grammars.rule_files import write_context_free, write_d_rules, write_dependency_rules
from schemata.grammars.rules import ContextFreeGrammar, DependencyRules, Lexicon, RuleSet
from schemata.grouping import grouped
from schemata.kinds import GrammarKind
from schemata.records import Record, replace
from schemata.wording import listing

if TYPE_CHECKING:
    from schemata.grammars.kinds import Grammar
    from schemata.language import model as m

Key = Any
"""The key of a weight: a rule, or a tuple whose first element names its kind; as in `Chart.gradient`."""

_TOLERANCE = 1e-6  # of sums of weights that a person has written


class Parameters(Record, eq=False):
    """The weights of a grammar.

    Attributes
    ----------
    grammar : the grammar.
    weights : by key the weight in log space.
    normalisers : by key of those that are estimated, the normaliser of its distribution.
    """

    grammar: Grammar
    weights: Mapping[Key, float]
    normalisers: Mapping[Key, object]

    @property
    def groups(self) -> Mapping[object, list[Key]]:
        """The keys of each distribution."""
        return grouped((normaliser, key) for key, normaliser in self.normalisers.items())

    def reweighted(self, weights: Mapping[Key, float]) -> Grammar:
        """Return the grammar with other weights, in log space; those without one keep theirs."""
        merged = {**self.weights, **weights}
        match self.grammar:
            case ContextFreeGrammar() as grammar:
                return replace(grammar, weights=tuple(merged.items()))
            case Facts() as facts:
                return facts.reweighted(merged)
            case DependencyRules(RuleSet() as rules) as grammar:
                return replace(grammar, basis=replace(rules, weights=tuple(merged.items())))
            case DRules(DRuleSet() as links) as grammar:
                return replace(grammar, basis=replace(links, weights=tuple(merged.items())))
        raise _unweighed(self.grammar.kind)


def parameters_of(
    grammar: Grammar, relations: Sequence[m.Relation] = (), given: Iterable[str] = ()
) -> Parameters:
    """Return the weights of a grammar, and the distributions that they make up.

    Parameters
    ----------
    grammar : the grammar; facts as they are for a schema.
    relations : the schema's relations, where the grammar is facts.
    given : for facts, the distributions: relations with the arguments that are given, such as `next: after`; if there
        are none, the weights determine them.

    Raises
    ------
    UsageError : the grammar has no weights; a relation or an argument does not exist; the weights leave open which
        distributions they form.
    """
    chosen, of = list(given), dict[Key, object]()
    if chosen and not isinstance(grammar, Facts):
        raise UsageError(f"{grammar.kind.noun} have normalisers of their own", code="usage", expected="facts")
    match grammar:
        case ContextFreeGrammar(rules, _, lexicon):
            of |= {rule: rule.lhs for rule in rules}
            of |= dict(_entries(lexicon))
            weights = dict(grammar.weights)
        case DependencyRules(RuleSet(rules, roots, lexicon)):
            of |= {rule: ("rules", rule.lhs) for rule in rules}
            of |= {key: ("words", category) for key, category in _entries(lexicon)}
            of |= {("root", root): ("roots", "") for root in sorted(roots)}
            weights = dict(grammar.basis.weights)  # type: ignore[union-attr]
        case DRules(DRuleSet(rules, roots)):
            of |= {rule: rule.head for rule in rules}
            of |= dict.fromkeys(roots, "roots")
            weights = dict(grammar.basis.weights)  # type: ignore[union-attr]
        case Facts():
            return _of_facts(grammar, relations, chosen)
        case _:
            raise _unweighed(grammar.kind)
    return Parameters(grammar, {key: weights.get(key, 0.0) for key in of}, of)


def _unweighed(kind: GrammarKind) -> UsageError:
    message = f"{kind.grammar} has no weights that can be estimated"
    return UsageError(message, code="no-parameters", expected="a file of rules or facts")


def _entries(lexicon: Lexicon) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Yield the entries of a lexicon, each with its category."""
    for kind, entries in (("word", lexicon.words), ("tag", lexicon.tags)):
        yield from (((kind, key, category), category) for key, category in entries)


# Facts ----------------------------------------------------------------------------------------------------------


def _of_facts(facts: Facts, relations: Sequence[m.Relation], given: Sequence[str]) -> Parameters:
    assert facts.table is not None
    rows = facts.table.rows
    names = {relation.name: [name for name, _ in relation.arguments] for relation in relations}
    places = [_places(part, names) for part in given]
    twice = [name for name, own in grouped((x, p) for p in places for x in p).items() if len(own) > 1]
    if twice:
        raise UsageError(f"{twice[0]} has two normalisers", code="usage", expected="each relation once")
    if not places:
        places = _distributions({x: own for x, own in rows.items() if any(own.values())}, names)
    weighed = [name for name in rows if any(rows[name].values()) or any(name in part for part in places)]
    weights = {(name, *row): weight for name in weighed for row, weight in rows[name].items()}
    normalisers = {
        (name, *row): (number, *(row[k] for k in own))
        for number, part in enumerate(places)
        for name, own in part.items()
        for row in rows[name]
    }
    return Parameters(facts, weights, normalisers)


def _places(given: str, names: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Return the places of the arguments that are given, by relation, of `next: after` or `lexical:c binary:a`."""
    found: dict[str, tuple[int, ...]] = {}
    for part in given.replace(": ", ":").replace(", ", ",").split():
        name, _, listed = part.partition(":")
        if name not in names:
            hint = did_you_mean(name, names)
            message = f"the schema declares no relation {name or given!r}"
            raise UsageError(message, code="bad-option", expected=one_of(names), hint=hint)
        arguments = [argument for argument in listed.split(",") if argument]
        for argument in arguments:
            if argument not in names[name]:
                hint = did_you_mean(argument, names[name])
                message = f"{name} has no argument {argument}"
                raise UsageError(message, code="bad-option", expected=one_of(names[name]), hint=hint)
        found[name] = tuple(names[name].index(argument) for argument in arguments)
    if len({len(own) for own in found.values()}) != 1:
        message = f"the relations of one distribution are given as many arguments each, not so {given!r}"
        raise UsageError(message, code="bad-option", expected='"lexical: category binary: parent"')
    return found


def _distributions(
    rows: Mapping[str, Mapping[tuple[Any, ...], float]], names: Mapping[str, Sequence[str]]
) -> list[dict[str, tuple[int, ...]]]:
    """Return the distributions that weights make up: those with the fewest arguments given that add up to 1.

    Raises
    ------
    UsageError : there are no weights; they do not add up, or do so in several ways.
    """
    if not rows:
        message, hint = "no fact has a weight", 'say what is estimated: --given "next: after"'
        raise UsageError(message, code="no-parameters", hint=hint)
    found: list[dict[str, tuple[int, ...]]] = []
    rest: list[str] = []
    for name, own in rows.items():
        sizes = range(len(names[name]))
        ways = ([c for c in combinations(sizes, k) if _adds_up({name: own}, {name: c})] for k in sizes)
        fitting = next((way for way in ways if way), [])
        if len(fitting) > 1:
            raise _unclear([name], names)
        if fitting:
            found.append({name: fitting[0]})
        else:
            rest.append(name)
    if rest:
        together = {name: rows[name] for name in rest}
        choices: Iterator[dict[str, tuple[int, ...]]] = (
            {name: (place,) for name, place in zip(rest, chosen, strict=True)}
            for chosen in product(*(range(len(names[name])) for name in rest))
        )
        fitting_all = [one for one in choices if _adds_up(together, one)]
        if len(fitting_all) != 1:
            raise _unclear(rest, names)
        found += fitting_all
    return found


def _adds_up(rows: Mapping[str, Mapping[tuple[Any, ...], float]], given: Mapping[str, Sequence[int]]) -> bool:
    """Whether the weights of facts add up to 1 for each choice of the arguments that are given."""
    pairs = (
        (tuple(row[k] for k in given[name]), math.exp(weight) if weight < 1 else math.inf)
        for name, own in rows.items()
        for row, weight in own.items()
    )
    return all(math.isclose(math.fsum(parts), 1.0, abs_tol=_TOLERANCE) for parts in grouped(pairs).values())


def _unclear(relations: Sequence[str], names: Mapping[str, Sequence[str]]) -> UsageError:
    said = listing(list(relations))
    message = f"the weights of {said} leave open which distributions they form"
    example = " ".join(f"{name}: {names[name][0]}" if names[name] else name for name in relations)
    hint = f'say which arguments are given, such as --given "{example}"'
    return UsageError(message, code="unclear-normaliser", hint=hint)


# Files ----------------------------------------------------------------------------------------------------------

_WRITERS: Mapping[type, Callable[..., str]] = {
    ContextFreeGrammar: write_context_free,
    DependencyRules: lambda grammar, header: write_dependency_rules(grammar.basis, header=header),
    DRules: lambda grammar, header: write_d_rules(grammar.basis, header=header),
    Facts: lambda facts, header: facts.to_text(header),
}


def grammar_text(grammar: Grammar, header: Iterable[str] = ()) -> str:
    """Return a file that reads back to an equal grammar of rules or facts; lines of comment begin it.

    Raises
    ------
    UsageError : the grammar is not a list of rules or facts.
    """
    writer = _WRITERS.get(type(grammar))
    if writer is None:
        raise _unweighed(grammar.kind)
    return writer(grammar, header=header)
