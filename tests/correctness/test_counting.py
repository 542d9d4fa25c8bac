"""Numbers of derivations read off the steps of proved schemata: those of runs, to ten words."""

from __future__ import annotations

import re
from math import comb

import pytest

import schemata
from schemata.correctness.answers import read_certificate
from schemata.correctness.counting import equations_of, fitted_equation, series_of
from schemata.language.shipped import shipped_files
from tests.support.commands import Prints, Tells

SHIPPED = shipped_files(".certificate")
WITHOUT: dict[str, str] = {  # why nothing is read off
    "arc-eager": "contexts",
    "arc-eager-once": "contexts",
    "arc-eager-published": "not proved sound",
    "arc-standard-words": "context of step sh",
    "cky-arity": "may have any value",
    "eisner-satta1999": "give back",
    "generalised-eisner-satta": "give back",
    "hybrid-once": "context of step sh",
    **{
        x: "trees with gaps are not words" for x in SHIPPED if re.fullmatch("(wg|mg)(1|k.*|k-published.*)", x)
    },
    "vine": "does not always apply",
}


@pytest.mark.rotated(6, 2)
@pytest.mark.parametrize(
    "stem",
    [
        pytest.param(x, marks=pytest.mark.thorough) if x in ("generalised-eisner-satta", "mh-once") else x
        for x in SHIPPED
    ],
)
def test_counts_are_those_of_runs(stem: str) -> None:
    """To ten words, ambiguous schemata included; where positions matter, nothing is said."""
    certificate = read_certificate(SHIPPED[stem])
    schema = schemata.load(certificate.schema)
    found = series_of(schema.definition, certificate)
    if stem in WITHOUT:
        assert found.reason is not None
        assert WITHOUT[stem] in found.reason
        return
    for n, count in enumerate(found.counts, 1):
        chart = schema.run([f"w{k}" for k in range(1, n + 1)], "all")
        assert chart.forest().derivation_count == count, n
    assert len(found.counts) == 10
    assert found.equation is not None
    if certificate.each_once:
        node_0 = found.counts[1] == 3
        forests = "x F^3 - F + 1 = 0"
        trees = "F^3 - 5 F^2 + 8 F - x - 4 = 0"  # with G = F - 1, which counts them: G (1 - G)^2 = x, moved by one
        assert found.equation == (forests if node_0 else trees)


def test_a_condition_at_a_distance() -> None:
    """Where a step has an exception for items of nine gaps, no equation holds for every length."""
    text = (
        "schema far extends eisner1996-once\n"
        "replace step CombineSpans\n"
        "  span[i, j, b, c, _]   span[j, k, not c, d, false]\n"
        "  -------------------------------------------------  i != j, j != k, k - i != 9\n"
        "  span[i, k, b, d, true]\n"
    )
    schema = schemata.schema(text)
    found = series_of(schema.definition, schemata.prove(schema).certificate)
    assert found.reason is not None
    assert "does not always apply" in found.reason


def test_equations() -> None:
    """The smallest equation that fits; none for numbers that grow too fast."""
    catalan = [comb(2 * n, n) // (n + 1) for n in range(1, 41)]
    assert fitted_equation(catalan) == "x F^2 - F + 1 = 0"
    assert fitted_equation([1] * 40) == "x F - F + 1 = 0"
    assert fitted_equation([2 ** (n * n) for n in range(1, 41)]) is None


def test_eisner_split_by_hand() -> None:
    """The equations of halves: unknowns for halves and rows, each product with the gaps that its step adds."""
    certificate = read_certificate(SHIPPED["eisner-split"])
    equations = equations_of(schemata.load("eisner-split").definition, certificate)
    assert equations.counts(6) == tuple(comb(3 * n, n) // (2 * n + 1) for n in range(1, 7))
    gaps = {product.gaps for products in equations.sums.values() for product in products}
    assert gaps == {0, 1}  # only links add a gap: between two halves


def test_the_option(tells: Tells, prints: Prints) -> None:
    """`--series` says the numbers, or why there are none."""
    answer = tells("verify eisner-split --for-every-n --max-n 2 --series")
    assert answer["series"]["counts"][:3] == [1, 3, 12]
    assert answer["series"]["equation"] == "x F^3 - F + 1 = 0"
    assert "not read off the steps" in prints("verify nivre2003 --for-every-n --max-n 2 --series", code=2)
