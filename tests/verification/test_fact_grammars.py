"""Schemata over facts that build trees, against brute force: all facts over a symbol, over two, and random ones."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata import Facts, verify
from schemata.cli.main import main
from schemata.errors import UsageError
from schemata.verification.grammars import FactGrammar, decided_by_facts, every_fact, random_facts
from tests.oracle import trees as brute

HEAD = """schema {name}
  structure dependency tree

relation label(dependent: word, head: word, name: symbol)
relation below_root(form: word, name: symbol)

hypothesis word[i]  where 0 <= i <= n
"""

# Links one by one, from the last word's to the first one's: all sets of a link for each word, cycles too.
LOOSE = f"""{HEAD.format(name="loose")}
item row[i: position]  where 0 <= i <= n

step First
  word[n]
  -------  below_root(n, L), link n to 0 by L
  row[n]

step FirstBelow
  word[n]   word[j]
  -----------------  label(n, j, L), link n to j by L
  row[n]

step Next
  row[i]   word[j]
  ----------------  label(i - 1, j, L), link i - 1 to j by L
  row[i - 1]

step NextRoot
  row[i]
  ----------  below_root(i - 1, L), link i - 1 to 0 by L
  row[i - 1]

final row[1]
"""

# Chains to the right, whose links have a label or none of a second fact that the tree does not tell.
CHAIN = f"""{HEAD.format(name="chain")}
item row[i: position]  where 0 <= i <= n

step First
  word[1]
  -------  below_root(1, L), link 1 to 0 by L
  row[1]

step Next
  row[i]
  ----------  label(i + 1, i, L), link i + 1 to i by L
  row[i + 1]

final row[n]
"""
HIDDEN = CHAIN.replace("schema chain", "schema hidden").replace(
    "label(i + 1, i, L), link i + 1 to i by L", "label(i + 1, i, _), link i + 1 to i"
)
STATES = CHAIN.replace("schema chain", "schema states").replace(
    "item row[i: position]  where", "item row[i: position, S: symbol]  where"
).replace("by L\n  row[1]", "by L\n  row[1, L]").replace("  row[i]\n", "  row[i, S]\n").replace(
    "label(i + 1, i, L), link i + 1 to i by L\n  row[i + 1]", "label(i + 1, i, T), link i + 1 to i\n  row[i + 1, T]"
).replace("final row[n]", "final row[n, _]")  # fmt: skip


def of_text(text: str) -> schemata.ParsingSchema:
    return schemata.schema(text)


@pytest.mark.parametrize("name", ["eisner-labelled", "eisner-tagged"])
def test_shipped_schemata_derive_all_projective_trees_once(name: str) -> None:
    found = verify(name, "projective", 4, random=3)
    assert (found.sound, found.complete, found.each_once) == (True, True, True)
    assert found.random is not None
    recognised = verify(name, None, 4)
    assert recognised.parses == ("projective",)
    assert recognised.counts == tuple(len(brute.projective_trees(n)) for n in (1, 2, 3, 4))
    assert recognised.between.lower == recognised.between.upper == ("projective",)


def test_what_is_outside_a_class_is_found_with_few_facts() -> None:
    found = verify("eisner-tagged", "covington-lsup", 3)
    assert (found.sound, found.complete) == (False, True)
    case, structure = found.unsound.case, found.unsound.structure
    assert isinstance(case, FactGrammar)
    assert len(case.rows) <= 5
    assert structure.heads in brute.projective_trees(3)
    assert structure.heads not in brute.covington_lsup(3)
    chart = schemata.load("eisner-tagged").run(list(case.words), _facts(case))
    assert structure.heads in {tree.heads for tree in chart.forest().structures(None)}
    for row in case.rows:  # no fact can be spared
        fewer = FactGrammar(case.words, case.sorts, case.rows - {row})
        if fewer.rows:
            less = schemata.load("eisner-tagged").run(list(case.words), _facts(fewer), strict=False)
            assert structure.heads not in {tree.heads for tree in less.forest().structures(None)}


def _facts(case: FactGrammar) -> Facts:
    rows: dict[str, list[tuple[object, ...]]] = {}
    for name, row in case.rows:
        rows.setdefault(name, []).append(row)
    return Facts.of(rows)


def test_cycles_and_missing_trees() -> None:
    loose = verify(of_text(LOOSE), "all", 3)
    assert (loose.sound, loose.complete) == (False, True)
    assert "cycle" in loose.unsound.fault
    chain = verify(of_text(CHAIN), "projective", 3)
    assert (chain.sound, chain.complete, chain.each_once) == (True, False, True)
    assert chain.complete_to == 1
    assert chain.incomplete.structure.heads == (2, 0)
    between = verify(of_text(CHAIN), None, 3).between
    assert between.lower == ()
    assert "projective" in between.upper or "covington-lsup" in between.upper


@pytest.mark.parametrize(("text", "once"), [(CHAIN, True), (HIDDEN, True), (STATES, False)])
def test_what_a_tree_does_not_tell_is_ambiguous(text: str, once: bool) -> None:
    """States that the tree lacks make several derivations of it; labels make several trees."""
    schema = of_text(text)
    found = verify(schema, "projective", 3)
    assert found.each_once is once
    if once:
        return
    case = found.ambiguous.case
    forest = schema.run(list(case.words), _facts(case)).forest()
    assert forest.derivation_count > forest.count_structures().exact


NEGATED = CHAIN.replace("schema chain", "schema negated").replace(
    "label(i + 1, i, L), link", "label(i + 1, i, L), not label(i, i, L), link"
)
DIFFERENT = STATES.replace("schema states", "schema different").replace(
    "label(i + 1, i, T), link", "label(i + 1, i, T), S != T, link"
)


@pytest.mark.parametrize(
    ("text", "decided"), [(CHAIN, True), (STATES, True), (NEGATED, False), (DIFFERENT, False)]
)
def test_all_facts_decide_where_more_facts_derive_more(text: str, decided: bool) -> None:
    """Where they do not, whether a tree is missed is unknown, and what is derived is sound all the same."""
    schema = of_text(text)
    assert decided_by_facts(schema.definition) is decided
    found = verify(schema, "planar", 3)
    assert found.sound is True
    assert found.complete is (False if decided else None)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["eisner-labelled", "eisner-tagged"]), st.integers(1, 4), st.integers(0, 10**6))
def test_trees_of_any_facts_are_those_of_all_facts(name: str, n: int, seed: int) -> None:
    """Random facts, of equal words too, derive no tree that all facts over one symbol do not."""
    schema = schemata.load(name)
    words = tuple(f"w{i}" for i in range(1, n + 1))
    whole = schema.run(list(words), _facts(every_fact(schema.definition, words, 1)))
    trees = {tree.heads for tree in whole.forest().structures(None)}
    assert trees == set(brute.projective_forests(n))
    (case,) = random_facts(schema.definition, n, 1, random.Random(seed))
    if case.rows:
        chart = schema.run(list(case.words), _facts(case))
        assert {tree.heads for tree in chart.forest().structures(None)} <= trees


def test_facts_are_left_out_in_halves_and_singly() -> None:
    case = every_fact(schemata.load("eisner-tagged").definition, ("w1", "w2", "w1"), 2)
    smaller = list(case.smaller())
    assert all(one.rows < case.rows for one in smaller)
    singles = {next(iter(case.rows - one.rows)) for one in smaller if len(one.rows) == len(case.rows) - 1}
    assert singles == case.rows
    words = {row[0] for name, row in case.rows if name == "lexical"}
    assert words == {"w1", "w2"}


def test_what_is_cut_short_is_unknown() -> None:
    found = verify("eisner-tagged", "projective", 4, budget=schemata.Budget(steps=20))
    assert found.stopped == "steps"
    assert (found.sound, found.complete, found.each_once) == (None, None, None)
    assert verify("eisner-tagged", None, 4, budget=schemata.Budget(steps=1)).between is None


def test_processes_find_the_same() -> None:
    one, two = (verify("eisner-labelled", "covington-lsup", 3, jobs=jobs) for jobs in (1, 2))
    assert (one.sound, one.complete, one.each_once) == (two.sound, two.complete, two.each_once)
    assert one.unsound.case == two.unsound.case


def test_facts_that_build_no_trees_are_refused() -> None:
    for name in ("bar-hillel", "itg", "hmm"):
        with pytest.raises(UsageError):
            verify(name, None, 2)


def test_counterexamples_name_their_facts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "eisner-tagged", "--class", "covington-lsup", "--max-n", "3"]) == 1
    shown = capsys.readouterr().out
    assert "with the facts" in shown
    assert "  lexical(w1, A)" in shown
    assert main(["verify", "eisner-labelled", "--class", "all", "--max-n", "3"]) == 1
    assert "whatever the facts the tree 2 0 1 is not derived" in capsys.readouterr().out
    assert list(itertools.islice(shown.splitlines(), 1)) == [
        "eisner-tagged: covington-lsup trees of at most 3 words"
    ]
