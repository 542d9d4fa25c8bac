"""The ways to a verdict agree: one run or many, one process or several; and what stops it short says so."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from unittest.mock import patch

import pytest

import schemata
from schemata import verify
from schemata.budget import Budget
from schemata.errors import UsageError
from schemata.grammars.rules import Rule
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from schemata.structures import Sentence, tree_class
from schemata.thresholds import EFFORTS
from schemata.verification.grammars import (
    LicensedLinks,
    RuleGrammar,
    complete_rules,
    every_link_grammar,
    random_rule_grammars,
)
from schemata.verification.progress import Subject
from schemata.verification.trees import decided_by_links, tree_subject
from schemata.verification.verdicts import Refutation, Verdict

OF_TREES = [name for name in shipped_schemata() if load_schema(name).structure == "dependency tree"]
D_RULES = [name for name in OF_TREES if load_schema(name).grammar == "d-rules"]
DECIDED = [name for name in D_RULES if decided_by_links(load_schema(name))]


@dataclass
class Found:
    """What all runs together found: trees under their own grammar, trees under any, the smallest offence."""

    parsed: set[tuple[int, ...]] = field(default_factory=set)
    built: set[tuple[int, ...]] = field(default_factory=set)
    offence: Refutation | None = None


def subject_of(name: str, single_root: bool = True) -> Subject:
    return tree_subject(load_schema(name), None, single_root, Budget())


def found_by(name: str, n: int, by_links: bool, single_root: bool = True) -> Found:
    with patch("schemata.verification.trees.decided_by_links", lambda schema: by_links):
        subject = subject_of(name, single_root)
    found = Found()
    for case in subject.cases(n, 0)[1]:
        outcome = subject.examine(case)
        built = {structure.heads for structure in outcome.built if structure.heads}
        trees = {heads for heads in built if not single_root or heads.count(0) == 1}
        found.built |= trees
        found.parsed |= trees if by_links else trees & {case.tree}
        offences = [o for o in (found.offence, subject.refute("sound", outcome)) if o is not None]
        found.offence = min(offences, key=lambda o: o.key, default=None)
    return found


def test_what_one_run_decides() -> None:
    assert {"arc-eager", "arc-eager-published", "hybrid"} & set(DECIDED) == set()
    assert {"eisner1996", "collins1996", "wg1", "nivre2003", "covington2001", "arc-standard-hook"} <= set(
        DECIDED
    )


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.rotated(4)
def test_one_run_says_what_all_runs_say(name: str, single_root: bool) -> None:
    """One run under all links against every grammar and every tree of up to three words."""
    slow = name in ("mgk", "wgk", "wgk-published")
    many_roots = ("eisner1996", "collins1996", "nivre2003", "attardi2006", "covington2001")
    for n in (1, 2) if slow or not (single_root or name in many_roots) else (1, 2, 3):
        one = found_by(name, n, True, single_root)
        many = found_by(name, n, False, single_root)
        assert one.parsed == many.parsed
        assert one.built == many.built
        assert (one.offence is None) == (many.offence is None)
        if one.offence is not None and many.offence is not None:
            assert one.offence.case == many.offence.case
            assert one.offence.structure == many.offence.structure


@pytest.mark.parametrize("name", ["eisner1996", "arc-eager-published", "hybrid", "bulc"])
def test_the_number_of_jobs_changes_nothing(name: str) -> None:
    n = 4 if name == "eisner1996" else 3  # the others have a run for every grammar and every tree
    one = verify(name, "planar", n, random=9)
    two = verify(name, "planar", n, random=9, jobs=2)
    assert replace(one, seconds=0) == replace(two, seconds=0)
    first, second = verify(name, None, n - 1), verify(name, None, n - 1, jobs=2)
    assert replace(first, seconds=0) == replace(second, seconds=0)


def test_the_seed_fixes_everything() -> None:
    first, second = (verify("hybrid", "projective", 2, seed=3, random=9) for _ in range(2))
    assert replace(first, seconds=0) == replace(second, seconds=0)


def test_many_roots() -> None:
    assert verify("eisner1996", "projective", 4, single_root=False).holds
    found = verify("collins1996", "projective", 4, single_root=False)
    assert found.sound
    assert found.incomplete.structure.heads == (0, 0)
    assert verify("arc-eager", None, 4, single_root=False).parses == ("projective",)


def test_random_trees_find_what_exhaustion_did_not_reach() -> None:
    verdict = verify("wg1", "well-nested", 5, random=120)
    assert (verdict.sound, verdict.complete) == (True, False)
    assert verdict.incomplete is not None
    assert verdict.complete_to < len(verdict.incomplete.structure.heads)
    verdict = verify("collins1996", "all", 1, random=30)
    assert verdict.complete is False
    assert verdict.incomplete is not None
    assert verdict.complete_to == 1
    assert verdict.random.words == (2, 4)


def test_random_tests_are_counted() -> None:
    verdict = verify("eisner1996", "projective", 3, random=10)
    assert (verdict.random.trees, verdict.random.grammars, verdict.random.words) == (10, 10, (4, 6))
    assert verdict.random.skipped == 0


# Budgets and interruptions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["eisner1996", "arc-eager", "bulc"])
def test_a_run_over_budget_gives_no_answer(name: str, jobs: int) -> None:
    verdict = verify(name, "projective", 5, budget=Budget(steps=30), jobs=jobs)
    assert verdict.stopped == "steps"
    assert verdict.sound is None
    assert verdict.holds is None
    assert 1 <= verdict.sound_to < 5
    found = verify(name, None, 5, budget=Budget(steps=30), jobs=jobs)
    assert found.stopped == "steps"
    assert found.parses is None
    assert "projective" in found.consistent


def test_structures_over_budget_give_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "chart_unions", 500)
    verdict = verify("attardi-unbounded", "all", 5)
    assert (verdict.stopped, verdict.holds) == ("structures", None)


def test_a_counterexample_found_before_the_budget_is_hit_counts() -> None:
    verdict = verify("covington-lsup", "projective", 6, budget=Budget(steps=60))
    assert verdict.complete is False
    assert verdict.sound is None
    assert verdict.holds is False


@pytest.mark.parametrize("name", ["eisner1996", "arc-eager"])
def test_interrupted(name: str) -> None:
    def interrupt(results: Iterable[object], total: int, description: str) -> Iterator[object]:
        if "4 words" in description:
            raise KeyboardInterrupt
        yield from results

    for jobs in (1, 2):
        verdict = verify(name, "projective", 6, jobs=jobs, watch=interrupt)
        assert (verdict.stopped, verdict.sound_to, verdict.complete_to) == ("interrupt", 3, 3)
        assert (verdict.sound, verdict.complete) == (None, None)
        assert verify(name, None, 6, jobs=jobs, watch=interrupt).covered == 3


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("eisner1996", "projectiv"), {}),
        (("eisner", "projective"), {}),
        (("eisner1996", "projective", 0), {}),
        (("eisner1996", "projective"), {"jobs": 0}),
        (("eisner1996", "projective"), {"random": -1}),
        (("earley", "projective"), {}),
    ],
)
def test_bad_requests(arguments: tuple[object, ...], options: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        verify(*arguments, **options)  # type: ignore[arg-type]


def test_verdicts_are_values() -> None:
    verdict = verify("eisner1996", "projective", 2)
    assert isinstance(verdict, Verdict)
    with pytest.raises(AttributeError):
        verdict.sound = False  # type: ignore[misc]


# Grammars under test ----------------------------------------------------------------------------------------


def test_every_grammar_of_three_words_comes_once_smallest_first() -> None:
    grammars = list(every_link_grammar(3))
    assert len(set(grammars)) == 512
    assert [g.key for g in grammars] == sorted(g.key for g in grammars)


def test_rule_grammars_license_what_they_derive() -> None:
    """All trees that the rules license are derived by dVH1, and no others."""
    import random

    from schemata.structures import all_trees

    subject = subject_of("dvh1")
    for grammar in [complete_rules(4), *random_rule_grammars(4, 40, random.Random(1))]:
        derived = {structure.heads for structure in subject.examine(grammar).built}
        allowed = {
            tree.heads
            for tree in all_trees(4)
            if grammar.find_unlicensed(tree.links, tree.heads) is None
            and tree_class("projective").contains(tree)
        }
        assert derived == allowed


def test_a_rule_grammar_by_hand() -> None:
    rules = (Rule("A", ("^",)), Rule("A", ("A", "^")))
    grammar = RuleGrammar(rules, frozenset("A"), (frozenset("A"),) * 2)
    assert grammar.find_unlicensed((), (2, 0)) is None
    assert grammar.find_unlicensed((), (0, 1)) is not None


def test_grammars_provide_what_the_public_ones_do() -> None:
    grammar = LicensedLinks.of_tree((2, 0, 2))
    sentence = Sentence(("a", "b", "c"))
    assert grammar.provide() == schemata.DRules.from_heads((2, 0, 2)).for_sentence(sentence)
