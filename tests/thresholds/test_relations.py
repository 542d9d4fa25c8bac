"""Thresholds of relations, repairs and improvements on both sides, by formulas and by what larger ones give."""

import itertools

import pytest

from schemata.order.logic import Solver
from schemata.program.linear import variable
from schemata.program.model import Atom
from schemata.relations.certificate import NotProvedError, _Side
from schemata.relations.improve import improve
from schemata.relations.repair import repair
from schemata.relations.universe import rule_universe
from schemata.structures import tree_class
from schemata.thresholds import changed
from tests.support.charts import schema_of
from tests.thresholds.test_sides import SWAPPED, fresh

PROJECTIVE = tree_class("projective")


def test_candidates_of_a_repair() -> None:
    """One too few: none is found, and the search says that it was stopped."""
    whole = repair(fresh("collins1996"), PROJECTIVE)
    assert whole.found is not None
    assert whole.stopped is None
    for most in (whole.found.tried - 1, whole.found.tried):
        with changed(repair_candidates=most):
            found = repair(fresh("collins1996"), PROJECTIVE)
        if most == whole.found.tried:
            assert found.found is not None
            assert (found.found.text, found.stopped) == (whole.found.text, None)
        else:
            assert (found.found, found.stopped) == (None, "candidates")


@pytest.mark.parametrize("most", [1, 2, 5])
def test_words_to_which_a_repair_is_a_filter(most: int) -> None:
    with changed(repair_related=most):
        found = repair(fresh("collins1996"), PROJECTIVE).found
    assert found is not None
    assert (found.relation.holds, found.relation.extent.max_n) == (True, most)


@pytest.mark.parametrize(("verified", "related"), [(1, 2), (2, 3), (3, 1)])
def test_words_to_which_an_improvement_is_examined(verified: int, related: int) -> None:
    with changed(improved_words=verified, improved_related=related):
        found = improve(fresh("arc-standard"), PROJECTIVE, folds_only=True)
    assert found is not None
    assert found.verdict is not None
    assert found.relation is not None
    assert (found.verdict.holds, found.verdict.max_n) == (True, verified)
    assert (found.relation.holds, found.relation.extent.max_n) == (True, related)


@pytest.mark.parametrize("most", range(5))
def test_writings_far_from_their_normal_form(most: int) -> None:
    """To sort three positions by exchanges of neighbours takes three; with fewer nothing is said."""
    side = _Side(schema_of(SWAPPED).definition, Solver())
    kind = next(side.kinds("set"))
    item = side.item(Atom(kind.number, tuple(variable(c.name) for c in kind.columns)))
    with changed(rewritten=most):
        if most < 3:
            with pytest.raises(NotProvedError, match="far from"):
                list(side.writings(item))
            return
        found = [repr(written) for _, written in side.writings(item)]
    orders = itertools.permutations(item[1])
    assert sorted(found) == sorted(repr((item[0], order)) for order in orders)


@pytest.mark.parametrize("most", range(5))
def test_levels_of_which_no_two_categories_share_dependents(most: int) -> None:
    """With two symbols a rule and three levels: a level doubles while levels are apart, and is two wide after that."""
    with changed(apart_levels=most):
        found = rule_universe.__wrapped__(2, "dependency-rules", 3, 3, 0)
    widths = [1]
    for level in range(3):
        widths.append(2 * widths[-1] if level < most else 2)
    assert [sum(x[0] == letter for x in found.symbols) for letter in "ABCD"] == widths
    below: dict[str, set[str]] = {}
    for rule in found.grammar.table.rules:
        below.setdefault(rule.lhs, set()).update(x for x in rule.body if x in found.symbols)
    for letter in "ABC"[:most]:
        own = [below[x] for x in found.symbols if x[0] == letter]
        assert sum(map(len, own)) == len(set().union(*own)), letter
