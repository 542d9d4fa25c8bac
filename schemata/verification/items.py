"""Claims about items: which forests an item stands for, decided for all items of short sentences by brute force.

A schema states them (`means`, `schemata.language.meanings`), of the items that match a pattern:

    means span[i, j]: trees i, j over [i..j], projective
    means tree[i, j, h, l?, r?]: tree h over [i..j] minus [l..r] with h, below gap-degree-1, well-nested
    means state[i, L]: trees i, x for (x, false) in L over [0..i], projective, open i, x for (x, _) in L

All heads have no head, and all other words of the item have one among them. `projective`, `well-nested`,
`gap-degree-K` and `mg-K` are about all words of the forest, `below gap-degree-K` about those that are not heads.
*Open* words can take dependents behind the forest: no link passes over them, and they are under no word behind them.
`link m to h` says that a forest has this link, `not link m to h` that it does not, and `one link _ to h` that h has
one dependent; `docs/language-meanings.md` lists the other claims about links. The first claim whose pattern matches
counts.

Under a grammar that licenses every link, an item must be derived exactly if some forest is as claimed, and its
contents (`analysis.contents`) must be exactly these forests; items over one word alone need not be derived. Where steps
ask for nothing but the links that they build, this decides all grammars: a forest is built under a grammar exactly if
the grammar licenses its links. Over facts, they are all facts over one symbol.

Over dependency rules, `trees *alpha` are trees of the symbols of the item's rule, in order, each with the rules of its
words; the symbol ^ is a word of the rule's category, and the other symbols are its dependents. The rule root(S) has
the word 0. They are compared under the rules of each tree, of all projective trees, and random ones.

References
----------
GCW11, definition 4, sections 3 and 7 (lemma 1, proposition 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement, pairwise, product
from random import Random
from typing import TYPE_CHECKING, Any, cast

from schemata.analysis.compare import sentence_of_length
from schemata.analysis.contents import ExtendedTree, PartialForest, contents, dotted_forms
from schemata.budget import Budget
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.engine.run import run_kernel
from schemata.errors import BudgetError, UsageError
from schemata.grammars import DRules
from schemata.kinds import D_RULES, FACTS
from schemata.language import model as m
from schemata.language.meanings import EXAMPLE, read_claim
from schemata.language.typeset import format_item, meaning_text, reference_of
from schemata.program.evaluation import Binding, fulfils
from schemata.program.matching import match_pattern, solve
from schemata.program.rewriting import normal_form
from schemata.records import Record, Shown, document, fields_json, json_of, replace
from schemata.structures import Sentence, all_trees
from schemata.thresholds import EFFORTS
from schemata.verification.forests import Links, RuleTrees, claimed, links_below
from schemata.verification.grammars import (
    GrammarUnderTest,
    RuleGrammar,
    TreeRules,
    complete_rules,
    decided_by_facts,
    every_link,
    fact_cases,
    random_rule_grammars,
)
from schemata.verification.progress import RUN_BUDGET, run_case
from schemata.workbench import ParsingSchema, load

if TYPE_CHECKING:
    from schemata.grammars.rules import RuleSentenceGrammar


class WrongItem(Record):
    """An item that is not as claimed: a forest that it should not have, or one that it lacks.

    `fault` is "unsound", "incomplete" or, of an item that no claim is about, "unclaimed"; `links` are the forest's.
    Over dependency rules `trees` are its extended trees, and `grammar` has the rules.
    """

    n: int
    item: str
    fault: str
    links: Links
    trees: str = ""
    grammar: GrammarUnderTest | None = None

    to_json = json_of("n item fault links trees? grammar?")


class ItemsVerdict(Record, Shown):
    """The verdict on claims about the meaning of items, for all items of at most `max_n` words.

    `sound`: no item has a forest that is not claimed; `complete`: each claimed forest is built, its item derived.
    `items` and `forests` are how many were compared; `wrong` are the smallest items against either.
    """

    schema: str
    max_n: int
    claims: tuple[str, ...]
    items: int
    forests: int
    sound: bool
    complete: bool
    wrong: tuple[WrongItem, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all is as claimed."""
        return self.sound and self.complete

    def to_json(self) -> dict[str, Any]:
        """Return the object that `schemata verify --items --json` prints."""
        return document(fields_json(self, "schema max_n claims items forests sound complete wrong"))


def verify_items(
    schema: ParsingSchema | str, claims: Sequence[str] = (), max_n: int = 4, *, budget: Budget | None = None
) -> ItemsVerdict:
    """Decide claims about the meaning of a schema's items by brute force: see the module.

    Parameters
    ----------
    schema : a schema over D-rules, whose items have positions, flags, absent values and lists of these; over facts; or
        over dependency rules.
    claims : the claims, as behind `means`; those of the schema if there are none.
    max_n : words, at most.
    budget : of each run.

    Raises
    ------
    SchemaError : a claim is not written as one.
    UsageError : there is none; the schema builds no forests; other facts may derive more.
    BudgetExceeded, BudgetError : a run hit a limit, or an item has too many derivations.

    >>> verify_items("yamada-matsumoto2003", max_n=3).holds
    True
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    definition = chosen.definition
    if not definition.builds_forests:
        message = f"claims about items are about forests, which {definition.name} does not build"
        expected = "a schema over D-rules, dependency rules or facts that builds links of trees"
        raise UsageError(message, code="no-forests", expected=expected)
    if definition.grammar == FACTS and not decided_by_facts(definition):
        message = f"{definition.name} may derive more under fewer facts, or under facts over more symbols"
        expected = "steps that ask for facts alone, not for what is not a fact, nor for symbols that differ"
        raise UsageError(message, code="no-forests", expected=expected)
    meanings = tuple(read_claim(text, definition) for text in claims) or definition.meanings
    if not meanings:
        message = f"nothing is claimed about the items of {definition.name}"
        hint = f"state it in the schema, as in: means {EXAMPLE}; or --means CLAIM"
        raise UsageError(message, code="no-claims", hint=hint)
    items = forests = 0
    wrong: dict[str, WrongItem] = {}
    for n in range(1, max_n + 1):
        for case, chart in _charts(chosen, n, budget):
            for item, wanted, built in _compared(chart, meanings, n):
                items, forests = items + 1, forests + len(built)
                faults = [("unsound", built if wanted is None else built - wanted)]
                faults.append(("incomplete", frozenset() if wanted is None else wanted - built))
                for fault, found in faults:
                    if found and (fault not in wrong):
                        kind = "unclaimed" if wanted is None else fault
                        wrong[fault] = _wrong_item(n, item, kind, found, case)
            if len(wrong) == 2:
                break
        if len(wrong) == 2:
            break
    answers = "unsound" not in wrong, "incomplete" not in wrong
    texts = tuple(meaning_text(definition, one, ascii=True) for one in meanings)
    return ItemsVerdict(
        reference_of(definition), max_n, texts, items, forests, *answers, tuple(wrong.values())
    )


def _matched(meaning: m.Meaning, schema: m.Schema, item: Item, n: int) -> Binding | None:
    """Return the values of a claim's variables for an item that it is about; None for others."""
    if meaning.clause.pattern.form != item.form:
        return None
    goals = match_pattern(schema.form(item.form), meaning.clause.pattern, item.values)
    whole = (*goals, *meaning.clause.conditions)
    return next((found.binding for found in solve(whole, {"n": n}, meaning.clause.types)), None)


def _charts(
    schema: ParsingSchema, n: int, budget: Budget | None
) -> Iterator[tuple[GrammarUnderTest | None, Chart]]:
    """Yield the charts of n words in which claims are decided, each with its grammar; None if it licenses all links."""
    definition, limits = schema.definition, RUN_BUDGET.unless(budget)
    if any(m.asks(c, "licensed_categories") for case in definition.cases for c in case.conditions):
        # All words are of one category, so that each may be licensed under each.
        licences = replace(every_link(n).provide(), shared=("w",) * n)
        yield None, run_kernel(schema.kernel, sentence_of_length(n), licences, limits)
        return
    if definition.grammar == D_RULES:
        yield None, schema.run(Sentence(tuple(f"w{k}" for k in range(1, n + 1))), DRules.all(), budget=budget)
        return
    cases: Iterable[GrammarUnderTest]
    if definition.grammar == FACTS:
        cases = (next(fact_cases(definition, n, 0)[1]),)
    else:
        random = random_rule_grammars(n, EFFORTS.random_facts, Random(f"items {n}"))
        trees = (TreeRules(tree.heads) for tree in all_trees(n, single_root=True))
        cases = chain(trees, [complete_rules(n)], random)
    for case in cases:
        yield case, run_case(schema, case, limits)


def _wrong_item(
    n: int, item: Item, fault: str, found: Iterable[Any], case: GrammarUnderTest | None
) -> WrongItem:
    """Return the smallest forest of some, or row of trees, as a fault of an item."""
    if not isinstance(case, TreeRules | RuleGrammar):
        return WrongItem(n, str(item), fault, min(found, key=lambda x: (len(x), x)))
    row = min(found, key=lambda trees: (len(str(trees)), str(trees)))
    links = tuple(sorted(link for tree in row for link in links_below(tree)))
    return WrongItem(n, str(item), fault, links, " ".join(map(str, row)), case)


def _compared(
    chart: Chart, meanings: Sequence[m.Meaning], n: int
) -> Iterator[tuple[Item, frozenset[Any] | None, frozenset[Any]]]:
    """Yield items, the forests that are claimed of them (None where no claim is about one), and those they have."""
    of_rules = dotted_forms(chart.schema)
    rules = RuleTrees(cast("RuleSentenceGrammar", chart.grammar)) if of_rules else None
    for item in _candidates(chart, n):
        number = chart.find(item.form, item.values)
        wanted: frozenset[Any] | None = None
        size = 0
        for meaning in meanings:
            binding = _matched(meaning, chart.schema, item, n)
            if binding is not None:
                if rules is not None and item.form in of_rules:
                    rule: Any = item.values[of_rules[item.form]]
                    wanted, size = rules.claimed(meaning, binding, n, rule[0]), 2
                else:
                    wanted, size = claimed(meaning, binding, n)
                break
        built: set[Any] = set()
        if number is not None:
            found = contents(chart, item, None)
            if found.complete is None:
                raise BudgetError(f"{item} has more than {EFFORTS.extended_derivations} derivations")
            for one in found.contents:
                if isinstance(one, PartialForest):
                    built.add(tuple(sorted({link[:2] for link in one.links})))
                elif isinstance(one, ExtendedTree):
                    built.add(tuple(child for child in one.children if not child.predicted))
        if number is not None or (wanted and size > 1):
            yield item, wanted, frozenset(built)


def _candidates(chart: Chart, n: int) -> Iterator[Item]:
    """Yield all items in normal form whose lists ascend, and the derived ones whose lists do not; no hypotheses."""
    hypotheses = set(chart.hypothesis_ids)
    symbols = _symbols(chart)
    for form in chart.schema.forms:
        ranges = [_range(field.type, n, symbols) for field in form.fields]
        seen: set[tuple[Any, ...]] = set()
        for values in product(*ranges) if all(ranges) else ():
            if not fulfils(form, values, n) or chart.find(form.name, values) in hypotheses:
                continue
            if not form.has_normal_form or normal_form(form, values, n) == values:
                seen.add(values)
                yield Item(form.name, values, format_item(form, values))
        yield from (item for item in chart.items if item.form == form.name and item.values not in seen)


def _symbols(chart: Chart) -> Mapping[m.Type, list[Any]]:
    """Return the symbols that the derived items have, and the dotted rules of the grammar."""
    found: dict[m.Type, list[Any]] = {}
    for form in chart.schema.forms:
        for k, one in enumerate(form.fields):
            if one.type.kind == "dotted":
                grammar = cast("RuleSentenceGrammar", chart.grammar)
                rules = [(rule.lhs, rule.body) for rule in grammar.rules]
                rules += [(m.ROOT, (name,)) for name in sorted(grammar.roots)]
                found[one.type] = [
                    (lhs, *(body[a:b] for a, b in pairwise((0, *cuts, len(body)))))
                    for lhs, body in rules
                    for cuts in combinations_with_replacement(range(len(body) + 1), one.type.dots)
                ]
            elif one.type == m.SYMBOL:
                more = {item.values[k] for item in chart.items if item.form == form.name}
                found[one.type] = sorted({*found.get(one.type, ()), *more})
    return found


def _range(kind: m.Type, n: int, symbols: Mapping[m.Type, list[Any]]) -> list[Any]:
    """Return the values of a type, of lists those that ascend; none where they are not made of positions, flags and
    symbols.
    """
    match kind.kind:
        case "symbol" | "dotted":
            return symbols.get(kind, [])
        case "position" if kind == m.POSITION:
            return list(range(n + 2))
        case "flag":
            return [False, True]
        case "optional":
            return [None, *_range(kind.arguments[0], n, symbols)]
        case "tuple":
            return list(product(*(_range(part, n, symbols) for part in kind.arguments)))
        case "list" if not kind.arcs:
            return list(_ascending(_range(kind.arguments[0], n, symbols), kind.intervals))
    return []


def _ascending(elements: Sequence[Any], intervals: bool, above: int = -1) -> Iterator[tuple[Any, ...]]:
    """Yield the lists of elements whose first positions ascend; intervals leave a place between them."""
    yield ()
    for element in elements:
        first, last = (element[0], element[1]) if intervals else (_first(element), _first(element))
        if first > above and first <= last:
            yield from ((element, *rest) for rest in _ascending(elements, intervals, last + intervals))


def _first(element: Any) -> int:
    found = element[0] if isinstance(element, tuple) else element
    return int(found)
