"""eisner-lg-printed against a naive deduction of its own, and what the missing conditions let through."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.structures.generation import random_disjuncts
from schemata.structures.linkages import Connector, Disjunct, connectors_match
from tests.linkgrammar.test_random_sentences import run, sentences

Row = tuple[Any, ...]


def advanced(done: Row, todo: Row) -> Iterator[tuple[Row, Row]]:
    """Yield what is done and to do after a link by the first connector of what is to do."""
    first: Connector = todo[0]
    yield (*done, first), todo[1:]
    if first.multi:
        yield done, todo


def told_apart(disjuncts: Sequence[Disjunct]) -> list[int]:
    """Return the numbers by which items tell disjuncts apart: those without connectors have that of the first one."""
    bare = [k for k, x in enumerate(disjuncts) if not (x.left or x.right)]
    return [bare[0] if k in bare else k for k in range(len(disjuncts))]


def deduced(disjuncts: SentenceDisjuncts, acyclic: bool) -> tuple[set[Row], Counter[str]]:
    """Return the items (i, j, right of i, left of j, left of i, right of j, connected), and the step instances.

    A requirement is (disjunct, connectors done, connectors to do); what stays untouched has a disjunct as well.
    """
    n = len(disjuncts.words) - 1
    rows: set[Row] = set()
    steps: set[Row] = set()
    agenda: list[tuple[str, Row, Row]] = []
    numbers = [told_apart(of_word) for of_word in disjuncts.disjuncts]
    for i in range(n):
        for a, one in enumerate(disjuncts.disjuncts[i]):
            for b, other in enumerate(disjuncts.disjuncts[i + 1]):
                ends = (numbers[i][a], (), one.right), (numbers[i + 1][b], (), other.left)
                agenda.append(("Initter", (("disjuncts", a, b),), (i, i + 1, *ends, False)))
    while agenda:
        name, antecedents, row = agenda.pop()
        if row in antecedents:
            continue
        steps.add((name, antecedents, row))
        if row in rows:
            continue
        rows.add(row)
        i, j, (a, done, todo), (b, done2, todo2), connected = row
        if todo and todo2 and connectors_match(todo[0], todo2[0]) and not (acyclic and connected):
            for right in advanced(done, todo):
                for left in advanced(done2, todo2):
                    agenda.append(("Link", (row,), (i, j, (a, *right), (b, *left), True)))
        for other in list(rows):
            for one, two in {(row, other), (other, row)}:
                if one[1] == two[0] and one[3][0] == two[2][0] and not one[3][2] and not two[2][2]:
                    both = one[4] and two[4]
                    agenda.append(("Combiner", (one, two), (one[0], two[1], one[2], two[3], both)))
    return rows, Counter(name for name, _, _ in steps)


@settings(max_examples=40)
@given(sentences(), st.booleans())
def test_items_and_steps_are_those_of_the_naive_deduction(given_: SentenceDisjuncts, acyclic: bool) -> None:
    rows, steps = deduced(given_, acyclic)
    chart = run(f"eisner-lg-printed:acyclic={int(acyclic)}", given_)
    assert chart.item_count == len(rows)
    assert chart.steps_by_name == {"Initter": 0, "Link": 0, "Combiner": 0} | steps
    whole = [row for row in rows if (row[0], row[1], row[4]) == (0, len(given_.words) - 1, True)]
    final = [r for r in whole if not r[2][2] and not r[3][2] and nothing_outside(r, given_)]
    assert len(chart.final_items) == len(final)


def nothing_outside(row: Row, given_: SentenceDisjuncts) -> bool:
    """Whether the ends of a sentence want nothing outside it."""
    first, last = given_.disjuncts[0][row[2][0]], given_.disjuncts[-1][row[3][0]]
    return not first.left and not last.right


def test_words_are_left_out_and_linked_twice() -> None:
    found = Counter[bool]()
    for seed in range(60):
        words, disjuncts = random_disjuncts(4, seed)
        sentence = SentenceDisjuncts(words, disjuncts)
        printed, mended = (
            run(name, sentence).forest().derivation_count for name in ("eisner-lg-printed", "eisner-lg")
        )
        found[printed > mended] += 1
        assert printed >= mended
    assert found[True]
    assert found[False]
