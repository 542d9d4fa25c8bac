"""Relations between schemata over dependency rules, against random grammars in which categories coincide.

The checker takes rules whose categories differ wherever they may and says that this decides all grammars. Here the
rules are copied by hand, grammars are random over one or two categories, and the step instances are those of real
runs: what was found to hold must hold for every instance, and what was refuted must fail for some.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from schemata.language.library import load_schema
from schemata.relations.discovery import relate_kind
from schemata.relations.systems import SharedSystems
from tests.oracle.naive import Derived, Instance, Item, run
from tests.oracle.rule_systems import DEPENDENCY_RULE_SYSTEMS
from tests.oracle.rules import Dotted, Rule, RuleGrammar

BENCH = SharedSystems()
GRAMMARS = 60


def same(item: Item) -> Item:
    return item


def second_dot(item: Item) -> Item:
    form, (dotted, *places) = item
    if form != "edge":
        return item
    return form, (Dotted(dotted.category, ((), *dotted.parts)), *places)


# The schema whose steps are looked at, the other, the kind from the one to the other, maps, the same as a function.
PAIRS: list[tuple[str, str, str, tuple[str, ...], Callable[[Item], Item]]] = [
    ("head-corner3", "dvh1", "step-refinement", (), same),
    ("dvh1", "head-corner3", "step-refinement", (), same),
    ("dvh2", "dvh1", "step-refinement", (), same),
    ("dvh1", "dvh2", "step-refinement", (), same),
    ("dvh3", "dvh2", "step-refinement", (), same),
    ("dvh2", "dvh3", "step-refinement", (), same),
    ("bulc", "dvh3", "step-refinement", ("edge[A(*b . *c), i, j] to edge[A(. *b . *c), i, j]",), second_dot),
    ("bulc", "kahane1998", "step-refinement", (), same),
    ("kahane1998", "bulc", "step-refinement", (), same),
    ("kahane1998", "lombardo-lesmo1996", "step-refinement", (), same),
    ("lombardo-lesmo1996", "kahane1998", "step-refinement", (), same),
    ("barbero1998", "bulc", "step-refinement", (), same),
    ("barbero1998", "lombardo-lesmo1996", "step-refinement", (), same),
    ("bulc", "barbero1998", "step-refinement", (), same),
    ("bulc", "lombardo-lesmo1996", "step-refinement", (), same),
]  # fmt: skip


def _grammar(rng: random.Random) -> RuleGrammar:
    names = "AB"[: rng.randint(1, 2)]
    rules = {Rule(rng.choice(names), ("^",))}
    for _ in range(rng.randint(1, 4)):
        body = [rng.choice(names) for _ in range(rng.randint(0, 2))]
        body.insert(rng.randint(0, len(body)), "^")
        rules.add(Rule(rng.choice(names), tuple(body)))
    lexicon = tuple(
        frozenset(rng.sample(names, rng.randint(1, len(names)))) for _ in range(rng.randint(1, 3))
    )
    return RuleGrammar(frozenset(rules), frozenset(rng.choice(names)), lexicon)


def _least(grammar: RuleGrammar, instance: Instance, chains: bool) -> RuleGrammar:
    """Return the grammar with what an instance may ask for alone; left corners may ask for any rule."""
    dotted = [
        v
        for _, values in (*instance.antecedents, instance.consequent)
        for v in values
        if isinstance(v, Dotted)
    ]
    rules = grammar.rules if chains else frozenset(d.rule for d in dotted if d.rule is not None)
    roots = {d.parts[0] + d.parts[1] for d in dotted if d.category is None}
    starts = grammar.starts if instance.name.endswith("-1") else frozenset(s for (s,) in roots)
    scanned = {values[0] for form, values in instance.antecedents if form == "word"}
    own = instance.consequent[1][0].category
    lexicon = tuple(
        words & {own} if w in scanned else frozenset() for w, words in enumerate(grammar.lexicon, start=1)
    )
    return replace(grammar, rules=rules, starts=starts, lexicon=lexicon)


def _derives(name: str, grammar: RuleGrammar, given: set[Item], wanted: Item) -> bool:
    """Whether a system derives an item from given ones."""
    system = DEPENDENCY_RULE_SYSTEMS[name]()
    n = len(grammar.lexicon)
    known = given | set(system.hypotheses(n))
    while wanted not in known:
        new = {
            i.consequent for i in system.steps(n, grammar, Derived(known)) if system.where(n, i.consequent)
        }
        if new <= known:
            return False
        known |= new
    return True


@pytest.mark.parametrize(("first", "second", "kind", "maps", "mapping"), PAIRS)
def test_emulation_under_random_grammars(first, second, kind, maps, mapping):
    answer = relate_kind(load_schema(first), load_schema(second), kind, maps, 3, systems=BENCH)
    rng = random.Random(5)
    failures = []
    for _ in range(GRAMMARS):
        grammar = _grammar(rng)
        n = len(grammar.lexicon)
        chart = run(DEPENDENCY_RULE_SYSTEMS[first](), n, grammar)
        instances = sorted(chart.instances, key=str)
        for instance in rng.sample(instances, min(40, len(instances))):
            least = _least(grammar, instance, chains=first == "barbero1998")
            given = {mapping(a) for a in instance.antecedents}
            if not _derives(second, least, given, mapping(instance.consequent)):
                failures.append((grammar, instance))
    if answer.holds:
        assert not failures
    else:
        assert failures
