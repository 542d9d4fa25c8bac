"""Named thresholds that refuse something, just below what a case needs, at it, and above it."""

import pytest

import schemata
from schemata.correctness.certificate import as_whole
from schemata.errors import GrammarError, SchemataError
from schemata.grammars.prefix_weights import PrefixTotals
from schemata.grammars.prefixes import Productions
from schemata.grammars.rule_files import parse_context_free
from schemata.thresholds import REFUSALS, changed


@pytest.mark.parametrize("most", [1, 10, REFUSALS.certificate_numbers])
def test_numbers_in_certificates(most: int) -> None:
    with changed(certificate_numbers=most):
        for number in (0, most - 1, most, -most):
            assert as_whole(number) == number
        for number in (most + 1, -most - 1, True, 1.0, "1", None):
            with pytest.raises(ValueError):
                as_whole(number)


WEIGHTED = 'S -> A S [.5] | "b" [.5]\nA -> "a" [1]'


def test_symbols_of_prefix_sums() -> None:
    grammar = Productions.of(parse_context_free(WEIGHTED))
    many = len(PrefixTotals(grammar).symbols)
    assert many > 1
    for allowed in (many, many + 1):
        with changed(prefix_symbols=allowed):
            assert len(PrefixTotals(grammar).symbols) == many
    with changed(prefix_symbols=many - 1), pytest.raises(GrammarError, match=f"at most {many - 1} symbols"):
        PrefixTotals(grammar)


def _runs(name: str, most: int) -> bool:
    with changed(entry_values=most):
        try:
            chart = schemata.load(name).run("the cat slept", "example", engine="python")
        except SchemataError as error:
            if f"more than {most} values that one antecedent binds" not in str(error):
                raise
            return False
    assert chart.accepted
    return True


@pytest.mark.parametrize(("name", "needs"), [("earley", True), ("shift-reduce", False)])
def test_values_that_one_antecedent_binds(name: str, needs: bool) -> None:
    """The least number under which a schema runs is what its widest entry needs; one less is refused."""
    runs = [_runs(name, most) for most in range(8)]
    least = runs.index(True)
    assert (least > 0) == needs  # shift-reduce asks no query about what an antecedent binds
    assert runs == [False] * least + [True] * (8 - least)
