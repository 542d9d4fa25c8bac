"""Refinements and filters, decided twice: step by step, derivation by derivation, and under random grammars."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import schemata
from schemata.language.library import load_schema
from schemata.language.relation_model import StepKind
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.discovery import relate_kind
from schemata.relations.systems import SharedSystems
from tests.oracle import relations as brute
from tests.oracle.d_rule_systems import d_rule_system
from tests.oracle.naive import Derived, Instance, Item, run
from tests.oracle.rule_systems import DEPENDENCY_RULE_SYSTEMS
from tests.oracle.rules import Dotted, Rule, RuleGrammar

BENCH = SharedSystems()
FLAGS = (False, True)


def _places(n: int) -> range:
    return range(n + 2)


def _lists(n: int) -> list[tuple[int, ...]]:
    return [c for size in range(2, n + 3) for c in combinations(range(n + 2), size)]


def _gapped(n: int) -> dict[str, list[Any]]:
    ends = [None, *range(n + 2)]
    return {"tree": [_places(n), _places(n), _places(n), ends, ends]}


FORMS: dict[str, Callable[[int], dict[str, list[Any]]]] = {
    "collins1996": lambda n: {"tree": [_places(n)] * 3},
    "eisner1996": lambda n: {"span": [_places(n), _places(n), FLAGS, FLAGS]},
    "eisner-satta1999": lambda n: {"tree": [_places(n)] * 3},
    "generalised-eisner-satta": lambda n: {"tree": [_places(n)] * 3},
    "yamada-matsumoto2003": lambda n: {"span": [_places(n)] * 2},
    "hybrid": lambda n: {"span": [_places(n)] * 2},
    "arc-standard": lambda n: {"tree": [_places(n)] * 3},
    "arc-standard-hook": lambda n: {name: [_places(n)] * 3 for name in ("tree", "hookl", "hookr")},
    "arc-eager": lambda n: {"span": [_places(n), FLAGS, _places(n)]},
    "mh": lambda n: {"heads": [_lists(n)]},
    "attardi2006": lambda n: {"heads": [_lists(n)]},
    "wg1": _gapped,
    "mg1": _gapped,
}  # fmt: skip


def _fits_tabulated(n: int, item: Item) -> bool:
    """The item sets of the tabulated systems, which their copies in the oracle leave open."""
    form, (i, *middle, j) = item
    if form == "hookl":
        return 0 <= i < middle[0] <= j <= n
    if form == "hookr":
        return 0 <= i < middle[0] < j <= n + 1
    return i < j and (form != "tree" or i <= middle[0] < j)


TABULATED = ("hybrid", "arc-standard", "arc-standard-hook", "arc-eager")


def same(item: Item) -> Item | None:
    return item


def es_to_eisner(item: Item) -> Item | None:
    i, j, h = item[1]
    return ("span", (i, j, h != i, h == i)) if i < j else None


def with_flags(b: bool, c: bool) -> Callable[[Item], Item | None]:
    return lambda item: ("span", (*item[1], b, c))


def to_list(item: Item) -> Item | None:
    return ("heads", (item[1],))


ES = (
    "tree[i, j, i] to span[i, j, false, true] where i < j",
    "tree[i, j, j] to span[i, j, true, false] where i < j",
)
BROKEN = (
    "tree[i, j, i] to span[i, j, true, false] where i < j",
    "tree[i, j, j] to span[i, j, false, true] where i < j",
)
FF, FT, TF = (
    f"span[i, j] to span[i, j, {b}, {c}]"
    for b, c in (("false", "false"), ("false", "true"), ("true", "false"))
)
LIST = "span[i, j] to heads[<i, j>]"

# Schemata, maps from the items of the one whose steps are looked at, the same as a function, words.
PAIRS: list[tuple[str, str, tuple[str, ...], Callable[[Item], Item | None], int]] = [
    ("eisner-satta1999", "eisner1996", ES, es_to_eisner, 3),
    ("eisner-satta1999", "eisner1996", BROKEN, lambda item: _swapped(es_to_eisner(item)), 3),
    ("yamada-matsumoto2003", "eisner1996:end=1", (FF,), with_flags(False, False), 3),
    ("yamada-matsumoto2003", "eisner1996:end=1", (FT,), with_flags(False, True), 2),
    ("yamada-matsumoto2003", "eisner1996:end=1", (TF,), with_flags(True, False), 2),
    ("yamada-matsumoto2003", "eisner1996", (FF,), with_flags(False, False), 2),
    ("yamada-matsumoto2003", "mh", (LIST,), to_list, 3),
    ("yamada-matsumoto2003", "hybrid", (), same, 3),
    ("hybrid", "yamada-matsumoto2003", (), same, 3),
    ("collins1996", "generalised-eisner-satta", (), same, 3),
    ("generalised-eisner-satta", "collins1996", (), same, 2),
    ("eisner-satta1999", "generalised-eisner-satta", (), same, 3),
    ("collins1996", "eisner-satta1999", (), same, 3),
    ("arc-standard", "arc-standard-hook", (), same, 3),
    ("hybrid", "arc-eager", ("span[i, j] to span[i, false, j]",), lambda x: ("span", (x[1][0], False, x[1][1])), 3),
    ("mh", "attardi2006:d=1", (), same, 3),
    ("attardi2006:d=1", "attardi2006:d=2", (), same, 3),
    ("attardi2006:d=2", "attardi2006:d=1", (), same, 3),
    ("attardi2006:d=2", "mh:k=4", (), same, 3),
    ("mh:k=4", "attardi2006:d=2", (), same, 3),
    ("wg1", "mg1", (), same, 3),
]  # fmt: skip


def _swapped(item: Item | None) -> Item | None:
    return item and (item[0], (*item[1][:2], item[1][3], item[1][2]))


def _space(reference: str, n: int) -> brute.Space:
    name, _, settings = reference.partition(":")
    parameters = {k: int(v) for k, v in (s.split("=") for s in settings.split(",") if s)}
    system = d_rule_system(name, **parameters)
    if name in TABULATED:
        system = replace(system, where=_fits_tabulated)
    return brute.space(system, n, FORMS[name](n))


@pytest.mark.parametrize(
    ("first", "second", "maps", "mapping", "n"), PAIRS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_steps_are_judged_as_brute_force_does(first, second, maps, mapping, n):
    source, target = schemata.load(first).definition, schemata.load(second).definition
    kinds: list[tuple[StepKind, Callable[..., bool]]] = [
        ("step-refinement", brute.emulated),
        ("dynamic-filter", brute.contained),
        ("static-filter", brute.included),
    ]
    verdicts = []
    for kind, measure in kinds:
        expected = all(measure(_space(first, k), _space(second, k), mapping) for k in range(1, n + 1))
        forward = kind == "step-refinement"
        ends = (source, target) if forward else (target, source)
        texts = maps if forward else map(_turned, maps)
        relation = read_maps(list(texts), *ends) if maps else read_maps((), *ends, kind)
        assert decide(relation, kind, n, systems=BENCH).holds == expected, kind
        verdicts.append(expected)
    # A static filter is a dynamic one, a dynamic one a step contraction.
    emulated, contained, included = verdicts
    assert contained or not included
    assert emulated or not contained


def _turned(text: str) -> str:
    """Return a map the other way round."""
    ends, where, condition = text.partition(" where ")
    a, _, b = ends.partition(" to ")
    return f"{b} from {a}{where}{condition}"


def test_brute_force_knows_no_from_yes():
    """What the comparison above rests on: pairs of which the answer is known and differs."""
    es, eisner = _space("eisner-satta1999", 3), _space("eisner1996", 3)
    assert brute.emulated(es, eisner, es_to_eisner)
    assert not brute.contained(es, eisner, es_to_eisner)
    collins, wide = _space("collins1996", 3), _space("generalised-eisner-satta", 3)
    assert brute.included(collins, wide, same)
    assert not brute.emulated(wide, collins, same)


# Item refinements -------------------------------------------------------------------------------------------


def without_flag(item: Item) -> Item:
    form, values = item
    return (form, (values[0], values[2])) if form == "span" else item


def without_freshness(item: Item) -> Item:
    form, values = item
    return (form, values[:2]) if form == "state" else item


DERIVATIONS = [
    ("arc-eager", "hybrid", ["span[i, _, j] to span[i, j]"], without_flag, 1, 4),
    ("arc-eager", "hybrid", ["span[i, _, j] to span[i, j]"], without_flag, 2, 4),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 1, 6),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 2, 7),
    ("covington-lsup", "nivre2003", ["state[i, L, _] to state[i, L]"], without_freshness, 3, 7),
    ("hybrid", "hybrid", [], same, 2, 4),
    ("nivre2003", "nivre2003", [], same, 2, 7),
    ("covington2001", "covington2001", [], same, 2, 5),
]  # fmt: skip


@pytest.mark.parametrize(("fine", "coarse", "maps", "carry", "n", "depth"), DERIVATIONS)
def test_derivations_that_are_no_images(fine, coarse, maps, carry, n, depth):
    relation = read_maps(maps, load_schema(fine), load_schema(coarse), "item-contraction")
    expected = brute.every_derivation_is_an_image(d_rule_system(fine), d_rule_system(coarse), carry, n, depth)
    answer = decide(relation, "item-contraction", n, systems=BENCH)
    assert answer.holds == expected
    if not expected:
        assert answer.counterexample.n == n
        assert answer.counterexample.derivation


def test_both_answers_occur():
    systems = d_rule_system("covington-lsup"), d_rule_system("nivre2003")
    assert brute.every_derivation_is_an_image(*systems, without_freshness, 2, 7)
    assert not brute.every_derivation_is_an_image(*systems, without_freshness, 3, 7)


# Schemata over dependency rules -----------------------------------------------------------------------------
#
# The checker takes rules whose categories differ wherever they may and says that this decides all grammars. Here the
# rules are copied by hand, grammars are random over one or two categories, and the step instances are those of real
# runs: what was found to hold must hold for every instance, and what was refuted must fail for some.


RANDOM_GRAMMARS = 60


def second_dot(item: Item) -> Item:
    form, (dotted, *places) = item
    if form != "edge":
        return item
    return form, (Dotted(dotted.category, ((), *dotted.parts)), *places)


# The schema whose steps are looked at, the other, the kind from the one to the other, maps, the same as a function.
RULES: list[tuple[str, str, str, tuple[str, ...], Callable[[Item], Item]]] = [
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


@pytest.mark.parametrize(("first", "second", "kind", "maps", "mapping"), RULES)
@pytest.mark.rotated(3)
def test_emulation_under_random_grammars(first, second, kind, maps, mapping):
    answer = relate_kind(load_schema(first), load_schema(second), kind, maps, 3, systems=BENCH)
    rng = random.Random(5)
    failures = []
    for _ in range(RANDOM_GRAMMARS):
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
