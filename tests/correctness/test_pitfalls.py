"""Schemata made to mislead a prover: each is wrong in a way that types, invariants or licences alone do not show.

For each, runs find a tree that refutes the claim (a long one where it is wrong only far out), and no proof is found.
The numbers are those of the list at the end of docs/proofs.md.
"""

from __future__ import annotations

import itertools

import pytest

import schemata
from schemata.correctness.answers import prove
from schemata.correctness.checker import Checker
from schemata.correctness.lengthen import derivations
from schemata.correctness.questions import Questions, QuickQuestions
from schemata.correctness.search import find_proof
from schemata.correctness.steps import boundary
from schemata.language.shipped import shipped_files
from schemata.program.linear import Linear, Provided, variable
from tests.correctness.mutants import proved, refuted, schema_from

ONE_FREE_COLUMN = """\
schema free-final
  grammar d-rules

# Items carry a number that nothing depends on; final items are those of any number.

hypothesis word[i]  where 0 <= i <= n

item right[h: position, e: position, g: position]      where 0 <= h <= e <= n, 0 <= g <= n
item left[e: position, h: position, g: position]       where 1 <= e <= h <= n, 0 <= g <= n
item right_row[h: position, m: position, g: position]  where 0 <= h < m <= n, 0 <= g <= n
item left_row[m: position, h: position, g: position]   where 1 <= m < h <= n, 0 <= g <= n

step R-Initter
  word[h]   word[g]
  -----------------
  right[h, h, g]

step L-Initter
  word[h]   word[g]
  -----------------
  left[h, h, g]

step R-Link
  right[h, e, g]   left[e + 1, m, g]
  ----------------------------------  attach m to h
  right_row[h, m, g]

step L-Link
  right[m, e, g]   left[e + 1, h, g]
  ----------------------------------  attach m to h
  left_row[m, h, g]

step R-Complete
  right_row[h, m, g]   right[m, e, g]
  -----------------------------------
  right[h, e, g]

step L-Complete
  left[e, m, g]   left_row[m, h, g]
  ---------------------------------
  left[e, h, g]

final right[0, n, _]
"""

FORGETS = """\
schema forgets
  grammar d-rules

# The halves of a word with two numbers: the second step forgets one, and all its values come to the same item.

hypothesis word[i]  where 0 <= i <= n

item right[h: position, e: position]               where 0 <= h <= e <= n
item left[e: position, h: position]                where 1 <= e <= h <= n
item right_row[h: position, m: position, g: position]  where 0 <= h < m <= n, 0 <= g <= n
item left_row[m: position, h: position, g: position]   where 1 <= m < h <= n, 0 <= g <= n

mirror right[h, e] = left[e, h]
mirror right_row[h, m, g] = left_row[m, h, g]

step R-Initter
  word[h]
  -----------
  right[h, h]

mirror step R-Initter as L-Initter

step R-Link
  right[h, e]   left[e + 1, m]   word[g]
  --------------------------------------  attach m to h
  right_row[h, m, g]

mirror step R-Link as L-Link

step R-Complete
  right_row[h, m, _]   right[m, e]
  --------------------------------
  right[h, e]

mirror step R-Complete as L-Complete

final right[0, n]
"""

TWO_WORDS = """\
schema two-words extends eisner-split

# A tree is split at any of its words that the last word of the sentence lies below.

item whole[i: position, k: position, j: position]  where 0 <= i <= k <= j <= n

step Whole
  right[0, k]   word[k]
  ---------------------
  whole[0, k, k]

step Longer
  right[0, n]   word[k]
  ---------------------
  whole[0, k, n]

replace final whole[0, _, n]
"""

STARTS_NOWHERE = """\
schema starts-nowhere extends eisner-split

# A goal comes from another, and that from the goal itself; there is one without words to begin with.

item goal[h: position, e: position]   where 0 <= h <= e <= n
item again[h: position, e: position]  where 0 <= h <= e <= n

step Goal
  right[h, e]
  -----------  h == e
  goal[h, e]

step Again
  goal[h, e]
  -----------
  again[h, e]

step Back
  again[h, e]
  -----------
  goal[h, e]

replace final goal[0, n]
"""

NO_NINTH = """\
schema no-ninth extends eisner-split

# There is no hypothesis for word 9.

replace hypothesis word[i]  where 0 <= i <= n, i != 9
"""

LATE_CONTEXT = """\
schema late-context extends hybrid-once

# A word is read only if the word before it was read, and the seventh never is by the step that reads all others.

replace step sh
  given span[_, j, _]
  ----------------------  j <= n, j != 7
  span[j, j + 1, false]

step sh-seven
  given span[_, j, _]
  ----------------------  j <= n, j == 7, licensed 3 to 9
  span[j, j + 1, false]
"""

CONTEXT_TOO_FAR = """\
schema context-too-far extends hybrid-once

# A word is read only if a word two places before it was read.

replace step sh
  given span[j - 2, j, _]
  ----------------------  j <= n
  span[j, j + 1, false]
"""

NO_LICENCE = """\
schema no-licence extends eisner-split

replace step R-Link
  right[h, e]   left[e + 1, m]
  ----------------------------  link m to h
  right_row[h, m]
"""

ASKS_TOO_MUCH = """\
schema asks-too-much extends eisner-split

# Completing a half asks for the licence of a link that no step builds.

replace step R-Complete
  right_row[h, m]   right[m, e]
  -----------------------------  licensed e to m
  right[h, e]
"""

ONE_ROOT = """\
schema one-root extends eisner-split

# Node 0 has one dependent.

replace item right_row[h: position, m: position]  where 1 <= h < m <= n

mirror right_row[h, m] = left_row[m, h]

item sentence[m: position, e: position]  where 1 <= m <= e <= n

step Root
  left[1, m]   right[m, e]
  ------------------------  attach m to 0
  sentence[m, e]

replace final sentence[_, n]
"""

WRONG = {
    "12 a final item with a free column": (ONE_FREE_COLUMN, "each_once", 0),
    "12 an antecedent with a column that is forgotten": (FORGETS, "each_once", 0),
    "12 a cut anywhere in a final item": (TWO_WORDS, "each_once", 0),
    "3 items that come from each other": (STARTS_NOWHERE, "complete", 0),
    "6 a hypothesis that is not there": (NO_NINTH, "complete", 10),
    "7 a link without its licence": (NO_LICENCE, "sound", 0),
    "7 a licence without its link": (ASKS_TOO_MUCH, "complete", 0),
    "13 a context that is missing once": (LATE_CONTEXT, "complete", 9),
    "13 a context two places before": (CONTEXT_TOO_FAR, "complete", 0),
}


@pytest.mark.parametrize("about", WRONG)
@pytest.mark.rotated(3)
def test_no_false_yes(about: str) -> None:
    """What runs refute is not proved."""
    text, claim, n = WRONG[about]
    schema = schema_from(text)
    if n:
        assert "complete" not in refuted(schema.definition, 4)  # short trees do not show it
        path = tuple(range(n))
        assert derivations(schema, path) == 0
    else:
        assert claim in refuted(schema.definition, 4)
    assert claim in proved(schema.definition, (claim,))


def test_what_is_right_about_them() -> None:
    """The free column makes derivations many and nothing else; the missing link of one root is no fault."""
    schema = schema_from(ONE_ROOT)
    assert not refuted(schema.definition, 4)
    found = prove(schema)  # pitfall 9: proofs are about trees with several words under node 0
    assert found.sound is not False
    assert found.complete is None
    assert found.reason is not None


def test_items_that_need_ever_more_licences() -> None:
    """Where each step moves the licence that an item needs by one, there is no end of them: nothing is proved."""
    text = shipped_files(".schema")["arc-eager-once"].read_text(encoding="utf-8")
    head, step, rest = text.partition("replace step re\n")
    moved = head + step + rest.replace("span[i, b, j, false]", "span[i - 1, b, j, false]", 1)
    found = prove(schemata.schema(moved.partition("means")[0]))
    assert found.complete is False
    assert found.each_once is None
    assert "need ever more licences" in str(found.reason)


def test_many_final_columns_do_not_refute() -> None:
    """A final item with a column that others fix is derived once."""
    text = ONE_FREE_COLUMN.replace("final right[0, n, _]", "final right[0, n, n]")
    schema = schema_from(text)
    assert schema.verify("projective", 4).each_once is True
    assert "each_once" not in proved(schema.definition, ("sound", "each_once"))


@pytest.mark.parametrize("name", ["arc-standard", "generalised-eisner-satta"])
def test_layouts_with_few_types(name: str) -> None:
    """Pitfall 2: the layout with most letters is taken; the other has a thousand types."""
    found = find_proof(schemata.load(name).definition, QuickQuestions(), ("complete",))
    assert found.certificate is not None
    assert len(found.certificate.types) < 150


def test_empty_segments_are_no_variables() -> None:
    """Pitfall 1: a segment that is always empty is no variable of a pattern."""
    found = find_proof(schemata.load("eisner-split").definition, QuickQuestions(), ("complete",))
    assert found.certificate is not None
    for plan in filter(None, found.certificate.plans):
        assert all(len([x for x in pattern if x == "x"]) <= 2 for pattern in plan.patterns)


def test_contexts_of_two_kinds_are_one_step() -> None:
    """Pitfall 4: instances that differ in their contexts alone are one derivation."""
    assert schemata.load("arc-eager-once").verify("projective", 4).each_once is True
    assert "each_once" not in proved(schemata.load("arc-eager-once").definition, ("each_once",))


def test_impossible_items_are_no_gaps() -> None:
    """Pitfall 5: items of lengths that no sentence has need no derivation."""
    assert not proved(schemata.load("eisner1996-once:end=1").definition)


@pytest.mark.parametrize("name", ["eisner1996:end=1", "hybrid", "yamada-matsumoto2003"])
def test_the_node_behind_the_last_word(name: str) -> None:
    """Pitfall 8: without the feature `end`, nothing is proved of final items that end behind the last word."""
    found = find_proof(schemata.load(name).definition, QuickQuestions(), ("sound",))
    assert found.certificate is not None
    assert "end" in found.certificate.features


def test_refuted_first() -> None:
    """Pitfall 11: what runs refute is not looked for."""
    found = prove("eisner1996")
    assert found.each_once is False
    assert found.certificate is not None
    assert not found.certificate.each_once


def test_licences_follow_from_nothing() -> None:
    """Pitfall 7: that a licence is within the sentence does not say that a grammar grants it."""
    i, j = variable("i"), variable("j")
    within = [Linear(">=", i - 1), Linear(">=", variable("n") - j), Linear(">=", j - i - 1)]
    for questions in (Questions(), QuickQuestions()):
        assert not questions.follows(within, Provided("licensed", (i, j)))
        assert questions.follows([Provided("licensed", (i, j))], Linear(">=", i - 1))


def test_names_of_boundaries_are_no_columns() -> None:
    """Columns that a proof adds have numbers as names, and boundaries have other variables."""
    found = find_proof(schemata.load("arc-standard-hook").definition, QuickQuestions(), ("sound",))
    assert found.cover is not None
    checker: Checker = found.cover.checker
    columns = {x for kind in checker.layouts for t in checker.generic(kind).terms for x in t.variables}
    assert any(x[1:].isdecimal() for x in columns)
    assert columns.isdisjoint(x for k in range(12) for x in boundary(k).variables)


def test_questions_agree() -> None:
    """Pitfall 10: the quick answers to questions are the solver's."""
    slow, quick = Questions(), QuickQuestions()
    terms = [variable("i"), variable("j"), variable("n")]
    tests = [
        Linear(relation, x - y + c)
        for relation in (">=", "==", "!=")
        for x, y in itertools.permutations(terms, 2)
        for c in (-1, 0)
    ]
    for one, other in itertools.combinations(tests, 2):
        assert slow.possible([one, other]) == quick.possible([one, other])
        assert slow.follows([one], other) == quick.follows([one], other)


PARTS = """\
schema parts extends eisner-split
replace final right[0, n]  where n <= 6
final right[0, n]  where n >= 5
"""
TWO_KINDS = """\
schema two-kinds extends eisner-split
item goal[h: position, e: position]  where 0 <= h <= e <= n

step Goal
  right[0, e]
  -----------
  goal[0, e]

replace final right[0, n]  where n <= 6
final goal[0, n]  where n >= 7
"""


@pytest.mark.parametrize("text", [PARTS, TWO_KINDS])
def test_the_reason_is_what_is_amiss(text: str) -> None:
    """Not that profiles with few features tell too little: no final item is for trees of all lengths."""
    schema = schema_from(text)
    assert not refuted(schema.definition, 4)
    assert "no final item surely has trees" in proved(schema.definition, ("complete",))["complete"]
