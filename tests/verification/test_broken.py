"""The checker checked: broken schemata must be found wrong, with the counterexample that brute force finds.

Each broken schema is written twice: as a schema file, and as a system of the naive fixpoint engine. Brute
force runs the naive engine under every tree and every grammar, the smallest first, straight from the
definitions, and shares nothing with the checker.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

import schemata
from schemata import UsageError, verify
from tests.oracle import d_rule_systems, gapped_systems, naive
from tests.oracle import trees as brute
from tests.oracle.naive import Derived, Grammar, Instance, Item, System
from tests.support.charts import schema_text
from tests.support.commands import Written

Heads = tuple[int, ...]


@dataclass(frozen=True)
class Broken:
    """A broken schema: its text, the same as a naive system, its class, whether it has a node 0."""

    text: str
    system: System[Grammar]
    member: Callable[[Heads], bool]
    class_name: str
    root_node: bool
    max_n: int = 3
    harmless: bool = False


def edited(system: System[Grammar], edit: Callable[[Instance, Grammar], Instance | None]) -> System[Grammar]:
    """Return a system each of whose step instances is edited, or dropped where the edit is None."""

    def steps(n: int, grammar: Grammar, derived: Derived) -> Iterator[Instance]:
        # Steps run under all links, so that an edit can license what the good system would not.
        for instance in system.steps(n, naive.all_links(n), derived):
            made = edit(instance, grammar)
            if made is not None:
                yield made

    return replace(system, steps=steps)


def licensed(instance: Instance, grammar: Grammar) -> Instance | None:
    return instance if set(instance.links) <= grammar else None


def swapped_r_link(instance: Instance, grammar: Grammar) -> Instance | None:
    if instance.name == "R-Link":
        instance = instance._replace(links=tuple((h, d) for d, h in instance.links))
    return licensed(instance, grammar)


def without(*names: str) -> Callable[[Instance, Grammar], Instance | None]:
    return lambda instance, grammar: None if instance.name in names else licensed(instance, grammar)


def unlicensed_l_link(instance: Instance, grammar: Grammar) -> Instance | None:
    return instance if instance.name == "L-Link" else licensed(instance, grammar)


def licensed_left_arcs(instance: Instance, grammar: Grammar) -> Instance | None:
    return licensed(instance, grammar) if instance.name == "la" else instance


def forgetful_eisner() -> System[Grammar]:
    """Return Eisner's system whose CombineSpans does not ask that exactly one side has found j's head."""
    good = d_rule_systems.eisner1996()

    def steps(n: int, grammar: Grammar, derived: Derived) -> Iterator[Instance]:
        yield from (i for i in good.steps(n, grammar, derived) if i.name != "CombineSpans")
        for i, j, b, c in derived.of("span"):
            for _, k, b2, d in derived.with_field("span", 0, j):
                yield Instance(
                    "CombineSpans", (naive_span(i, j, b, c), naive_span(j, k, b2, d)), naive_span(i, k, b, d)
                )

    return replace(good, steps=steps)


def naive_span(*values: object) -> Item:
    return ("span", values)


def greedy_arc_eager() -> System[Grammar]:
    """Return arc-eager whose left arcs take nodes that have a head already."""
    good = d_rule_systems.arc_eager()

    def steps(n: int, grammar: Grammar, derived: Derived) -> Iterator[Instance]:
        yield from good.steps(n, grammar, derived)
        for i, b, k in derived.of("span"):
            for _, c, j in derived.with_field("span", 0, k):
                if c and j < n + 1 and (k, j) in grammar:
                    yield Instance(
                        "la", (naive_span(i, b, k), naive_span(k, c, j)), naive_span(i, b, j), ((k, j),)
                    )

    return replace(good, steps=steps)


def one_root(member: Callable[[Heads], bool]) -> Callable[[Heads], bool]:
    return lambda heads: heads.count(0) == 1 and member(heads)


PROJECTIVE = one_root(brute.projective)

BROKEN = {
    "swapped-link": Broken(
        """
schema swapped-link extends collins1996
replace step R-Link
  tree[i, j, h1]   tree[j + 1, k, h2]
  -----------------------------------  attach h2 to h1
  tree[i, k, h2]
""",
        edited(d_rule_systems.collins1996(), swapped_r_link),
        PROJECTIVE,
        "projective",
        root_node=False,
    ),
    "no-left-links": Broken(
        "schema no-left-links extends collins1996\nwithout step L-Link\n",
        edited(d_rule_systems.collins1996(), without("L-Link")),
        PROJECTIVE,
        "projective",
        root_node=False,
    ),
    "no-right-combiner": Broken(
        "schema no-right-combiner extends eisner-satta1999\nwithout step R-Combiner\n",
        edited(d_rule_systems.eisner_satta1999(), without("R-Combiner")),
        PROJECTIVE,
        "projective",
        root_node=True,
    ),
    "forgotten-flag": Broken(
        """
schema forgotten-flag extends eisner1996
replace step CombineSpans
  span[i, j, b, _]   span[j, k, _, d]
  -----------------------------------
  span[i, k, b, d]
""",
        forgetful_eisner(),
        PROJECTIVE,
        "projective",
        root_node=True,
    ),
    "unlicensed": Broken(
        """
schema unlicensed extends yamada-matsumoto2003
replace step L-Link
  span[i, j]   span[j, k]
  -----------------------  link j to i
  span[i, k]
""",
        edited(d_rule_systems.yamada_matsumoto2003(), unlicensed_l_link),
        PROJECTIVE,
        "projective",
        root_node=True,
    ),
    "dropped-condition": Broken(
        """
schema dropped-condition extends arc-eager
replace step la
  span[i, b, k]   span[k, _, j]
  -----------------------------  attach k to j, j <= n
  span[i, b, j]
""",
        greedy_arc_eager(),
        PROJECTIVE,
        "projective",
        root_node=True,
        harmless=True,  # arcs are built where the flag is used up, so that no word gets two
    ),
    "no-licence": Broken(
        """
schema no-licence extends arc-eager-published
replace step ra
  given span[i, _, j]
  --------------------  j <= n
  span[j, true, j + 1]
""",
        edited(d_rule_systems.arc_eager_published(), licensed_left_arcs),
        PROJECTIVE,
        "projective",
        root_node=True,
    ),
    "no-left-arcs": Broken(
        "schema no-left-arcs extends hybrid\nwithout step la\n",
        edited(d_rule_systems.hybrid(), without("la")),
        PROJECTIVE,
        "projective",
        root_node=True,
    ),
    "no-r-link": Broken(
        "schema no-r-link extends covington2001\nwithout step R-Link\n",
        edited(d_rule_systems.covington2001(), without("R-Link")),
        one_root(lambda heads: True),
        "all",
        root_node=False,
    ),
    "no-opening": Broken(
        "schema no-opening extends wg1\nwithout step Link Gapped\n",
        edited(gapped_systems.wg1(), without("Link Gapped")),
        one_root(lambda heads: brute.well_nested(heads) and brute.gap_degree(heads) <= 1),
        "wg-1",
        root_node=False,
    ),
    "wrong-class": Broken(
        "schema wrong-class extends mh(k = 4)\n",
        d_rule_systems.mh(k=4),
        PROJECTIVE,
        "projective",
        root_node=True,
        max_n=4,
    ),
}


def first_missing(broken: Broken) -> Heads | None:
    """Return the smallest tree of the class that is not derived under its own links, by brute force."""
    for n in range(1, broken.max_n + 1):
        for heads in sorted(brute.trees_under_zero(n, single_root=True)):
            if not broken.member(heads):
                continue
            grammar = naive.heads_grammar(heads)
            wanted = grammar if broken.root_node else frozenset((d, h) for d, h in grammar if h)
            if wanted not in naive.structures(naive.run(broken.system, n, grammar)):
                return heads
    return None


def first_offence(broken: Broken) -> tuple[Grammar, tuple[tuple[int, int], ...]] | None:
    """Return the smallest grammar that gives a wrong structure, and the smallest one it gives."""
    for n in range(1, 4):
        for grammar in naive.all_grammars(n):
            bad = [
                tuple(sorted(links))
                for links in naive.structures(naive.run(broken.system, n, grammar))
                if is_wrong(broken, n, links, grammar)
            ]
            if bad:
                return grammar, min(bad, key=lambda links: (len(links), links))
    return None


def is_wrong(broken: Broken, n: int, links: Grammar, grammar: Grammar) -> bool:
    if not links <= grammar or len({d for d, _ in links}) < len(links):
        return True
    headless = set(range(1, n + 1)) - {d for d, _ in links}
    if len(headless) != (0 if broken.root_node else 1):
        return True
    heads = tuple(dict(links).get(d, 0) for d in range(1, n + 1))
    if not brute.is_tree(heads):
        return True
    return heads.count(0) == 1 and not broken.member(heads)


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.rotated(3)
def test_broken_schemata(name: str, written: Written) -> None:
    broken = BROKEN[name]
    path = written(f"{name}.schema", broken.text.lstrip())
    verdict = verify(schemata.load(path), broken.class_name, broken.max_n)
    if verdict.unsound is not None:  # its derivation builds its links
        derived = {link for step in verdict.unsound.derivation for link in step.links}
        assert derived == set(verdict.unsound.structure.links)
    missing = first_missing(broken)
    assert (verdict.incomplete.structure.heads if verdict.incomplete else None) == missing
    assert verdict.complete is (missing is None)
    if broken.max_n <= 3:
        offence = first_offence(broken)
        found = verdict.unsound
        assert verdict.sound is (offence is None)
        if offence is not None:
            assert (frozenset(map(tuple, found.case.to_json()["pairs"])), found.structure.links) == offence
    assert verdict.holds is broken.harmless


def test_broken_schema_over_rules(written: Written) -> None:
    """A left corner parser that opens rules by words only misses trees with left dependents."""
    path = written("words-only.schema", "schema words-only extends bulc\nwithout step LC-complete\n")
    verdict = verify(schemata.load(path), "projective", 4)
    assert verdict.sound
    assert verdict.incomplete.structure.heads == (2, 0)


def test_schema_over_rules_that_skips_words(written: Written) -> None:
    """Completing with a constituent that stands further right leaves words without a head."""
    path = written(
        "skipping.schema",
        """schema skipping extends bulc
replace step Completer
  edge[A(*alpha . B *beta), i, j]   edge[B(*_ .), m, k]
  -----------------------------------------------------  j < m, link head of 2 to head of 1
  edge[A(*alpha B . *beta), i, k]
""",
    )
    verdict = verify(schemata.load(path), "projective", 4)
    assert verdict.complete
    assert "no head" in verdict.unsound.fault


def test_words_of_a_category_that_no_rule_fits(written: Written) -> None:
    """Lombardo & Lesmo's Scanner without its category: the smallest sentence has one word."""
    path = written(
        "any-word.schema",
        """schema any-word extends lombardo-lesmo1996
replace step Scanner
  edge[A(*alpha . ^ *beta), i, h - 1]   word[h]
  ---------------------------------------------  head h
  edge[A(*alpha ^ . *beta), i, h]
""",
    )
    found = verify(schemata.load(path), "projective", 3).unsound
    assert found.case.to_json() == {"rules": ["A(*)"], "roots": ["A"], "categories": [["B"]]}
    assert found.structure.heads == (0,)


def test_schemata_of_sets_have_no_class(written: Written) -> None:
    path = written("notes.schema", schema_text("notes"))
    with pytest.raises(UsageError, match="derives sets, and classes are of trees"):
        schemata.verify(str(path), max_n=2)
