"""Each bound on a search, nearly at nothing: what is answered then is unknown, or less, and never the opposite.

That a formula is not proved is such an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from schemata.errors import BudgetError
from schemata.structures import DependencyTree
from schemata.structures.classes import binarization_degree
from schemata.structures.generation import all_linkages
from schemata.structures.linkages import Disjunct, read_connector
from schemata.structures.planarity import plane_count
from schemata.thresholds import POSITIVE, Efforts, changed, thresholds
from tests.support import ROOT
from tests.support.commands import Cli, Written, conllu
from tests.support.cuts import Told, documents, faults

# By command: thresholds that it reads, and for which the answer at a thousandth is compared with the whole one.
COMMANDS: dict[str, str] = {
    'run eisner1996 "a b c d"': "unions forest_steps",
    "run eisner1996 --conllu BANK --grammar gold": "corpus_unions",
    'run eisner1996 "a b c d e" --max-steps 20': "partial_bytes partial_steps",
    'run eisner1996 "a b c d" --engine native': "native_steps run_seconds run_steps",
    'exercise 10-class-collins "projective; 3 4 0 3"': "why_not_rules grace_share",
    'explain eisner1996 "a b c d" "span[0, 2, true, true]"': "compared_items near_items",
    "compare eisner1996 collins1996 --lengths 2..4": "count_bits",
    "verify eisner1996 --class projective --max-n 3": "chart_unions probe_steps searched_derivations shrunk",
    "verify eisner1996 --max-n 3": "compared_words",
    "verify eisner1996 --class all --max-n 3": "item_unions pieces why_not_bindings why_not_matches",
    "verify cyk --max-n 2": "exhaustive_brackets random_bracketings",
    "verify eisner-satta-lg --max-n 2": "random_dictionaries small_dictionaries",
    "verify eisner1996 --max-n 2 --for-every-n": "difference_alternatives layouts types question_milliseconds "
    "lengthened_words random_trees",
    "relate mh:k=3 mh:k=4 --kind step-refinement --max-n 3": "sequence_instances",
    "relate eisner1996 collins1996 --max-n 2": "first_words guesses form_values",
    "complexity eisner1996 --degrees": "circle_starts sample_steps",
    "complexity eisner1996": "complexity_late complexity_share counted_words",
    'profile eisner1996 "a b c"': "profile_steps",
    "constraints --grammar CONSTRAINTS --verify --max-n 1": "assignments repair_chain",
    "verify wg1 --class wg-1 --max-n 3 --repair": "repair_derivations repair_refused repair_words repair_seconds",
}  # fmt: skip
CASES = [(line, name) for line, names in COMMANDS.items() for name in names.split()]


@contextmanager
def noted() -> Iterator[set[str]]:
    """Note which thresholds are read."""
    found: set[str] = set()
    plain = Efforts.__getattribute__

    def reading(self: Efforts, name: str) -> Any:
        found.add(name)
        return plain(self, name)

    Efforts.__getattribute__ = reading  # type: ignore[method-assign,assignment]
    try:
        yield found
    finally:
        del Efforts.__getattribute__


WHOLE: dict[str, Told] = {}


@pytest.mark.parametrize(("line", "name"), CASES, ids=[name for _, name in CASES])
@pytest.mark.rotated(3)
def test_an_answer_within_little_effort(line: str, name: str, cli: Cli, written: Written) -> None:
    bank = written("bank.conllu", conllu(one="a/D/2 b/N/3 c/V/0", two="a/D/3 b/N/4 c/V/0 d/N/3"))
    places = {"BANK": str(bank), "CONSTRAINTS": str(ROOT / "examples" / "constraint-propagation.constraints")}
    words = re.findall(r'"[^"]*"|\S+', line)
    words = [re.sub(r"\b[A-Z]{4,}\b", lambda found: places[found[0]], word.strip('"')) for word in words]

    def told() -> Told:
        answer = cli(words[0], *words[1:], "--json")
        return Told(answer.code, documents(answer.out), answer.err)

    if line not in WHOLE:
        WHOLE[line] = told()
    value = thresholds()[name]
    for low in {0 if isinstance(value, int) else 0.0, int(value) // 1000 if value > 1000 else value / 1000}:
        least = type(value)(low) if name not in POSITIVE else max(1, int(low))
        with changed(**{name: least}), noted() as read:
            cut = told()
        assert name in read
        found = [
            one
            for one in faults(WHOLE[line], cut)
            if name != "complexity_share" or ".proved is False" not in one
        ]
        assert not found, (least, json.dumps(cut.documents)[:500], cut.messages[-500:])


TREE = DependencyTree((2, 4, 2, 0, 2, 1, 2, 3, 5, 7))
CHOICES = [[Disjunct("a", (), (read_connector("A+"),))], [Disjunct("b", (read_connector("A-"),), ())]]
SEARCHES: dict[str, tuple[Callable[[], Any], Any]] = {
    "coloured_vertices": (lambda: plane_count(DependencyTree((3, 4, 0, 3))), 2),
    "ill_nested_pairs": (lambda: binarization_degree(TREE), 2),
    "unfinished_linkages": (lambda: len([*all_linkages(["a", "b"], CHOICES)]), 1),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_ends_without_an_answer(name: str) -> None:
    """Up to some effort it is refused, and beyond it is the answer."""
    search, answer = SEARCHES[name]
    found: list[Any] = []
    for effort in range(200):
        with changed(**{name: effort}):
            try:
                found.append(search())
            except BudgetError:
                found.append(None)
    least = found.index(answer)
    assert 0 < least < 199
    assert found == [None] * least + [answer] * (200 - least)
