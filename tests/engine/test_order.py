"""Which schemata have a proved order, whether it is one, and what is said of those that have none."""

import itertools
from dataclasses import replace

import pytest

from schemata.language.shipped import shipped_schemata
from schemata.order.kept import prove_order
from schemata.order.model import Order, Refusal
from schemata.order.proof import find_order
from schemata.program.linear import Linear, variable
from schemata.program.lower import lower
from schemata.program.model import Program
from schemata.thresholds import EFFORTS
from tests.support.charts import schema_of, schema_text, shipped
from tests.support.orders import check_order


def program_of(text: str) -> Program:
    return lower(schema_of(text).definition)


def proved(name: str) -> Order:
    found = prove_order(shipped(name).kernel.program)  # once for all tests
    assert isinstance(found, Order), found
    return found


LINEAR = {  # name: words, depth of the level, strata
    "collins1996": (6, 1, 1),
    "eisner1996": (6, 1, 2),
    "eisner1996:end=1": (6, 1, 2),
    "eisner-satta1999": (6, 1, 1),
    "generalised-eisner-satta": (6, 1, 1),
    "yamada-matsumoto2003": (6, 1, 1),
    "arc-standard": (6, 1, 1),
    "arc-standard-hook": (6, 1, 3),
    "arc-eager": (6, 2, 1),
    "arc-eager-published": (6, 2, 1),
    "hybrid": (6, 2, 1),
    "mh:k=3": (6, 1, 2),
    "mh:k=4": (6, 1, 3),
    "mh:k=5": (5, 1, 4),
}


@pytest.mark.parametrize("name", LINEAR)
def test_schemata_without_normal_forms(name: str) -> None:
    words, depth, strata = LINEAR[name]
    order = proved(name)
    assert (order.depth, order.strata) == (depth, strata)
    for n in range(1, words + 1):
        check_order(order, n)
    assert check_order(order, 4, {(2, 1), (1, 3), (3, 0), (4, 3), (2, 4)}) >= 0


NORMAL = {"wg1": 5, "wg1-unlexicalised": 4, "mg1": 4, "wgk:k=1": 3, "wgk:k=2": 4, "mgk:k=1": 3}


@pytest.mark.parametrize("name", NORMAL)
@pytest.mark.rotated(2)
def test_schemata_with_normal_forms(name: str) -> None:
    words = NORMAL[name]
    order = proved(name)
    assert order.depth == 1
    assert len(order.regions) > len(order.program.kinds), "the head's place makes a difference"
    for n in range(1, words + 1):
        check_order(order, n)


def test_regions_that_make_no_difference_are_one() -> None:
    """Whether the head is the first word of an item is asked by a step, but the level does not depend on it."""
    order = proved("wg1-unlexicalised")
    assert len(order.regions) == 12
    kinds = [r.kind for r in order.regions]
    assert [kinds.count(k) for k in range(len(order.program.kinds))] == [3, 1, 5, 1, 1, 1]


OTHERS = sorted(shipped_schemata().keys() - {name.partition(":")[0] for name in (*LINEAR, *NORMAL, "mgk")})


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.rotated(4)
def test_every_shipped_schema_with_a_native_form_is_proved(name: str) -> None:
    schema = shipped(name)
    if schema.definition.inputs or not schema.kernel.program.is_linear:
        pytest.skip("it has no dense tables, so that no order is looked for")
    assert proved(name)


@pytest.mark.thorough
def test_a_large_family() -> None:
    order = proved("mgk:k=2")
    assert len(order.program.rules) == 92
    check_order(order, 3)


def test_the_level_of_wg1_is_the_number_of_words_in_the_projection() -> None:
    order = proved("wg1")
    program = order.program
    constants = set()
    for region in order.regions:
        names = [c.name for c in program.kinds[region.kind].columns]
        for values in itertools.product(range(1, 6), repeat=len(names)):
            given = {"n": 5, **dict(zip(names, values, strict=True))}
            if all(t.holds(given) for t in (*region.tests, *region.invariants)):
                words = set(range(given["i"], given["j"] + 1)) | {given["h"]}
                if "l" in given:
                    words -= set(range(given["l"], given["r"] + 1)) - {given["h"]}
                constants.add(region.level[0].value(given) - len(words))
    assert len(constants) == 1


def test_the_check_finds_wrong_orders() -> None:
    order = proved("eisner1996")
    upside_down = replace(
        order, regions=tuple(replace(r, level=tuple(-t for t in r.level)) for r in order.regions)
    )
    one_stratum = replace(order, rules=tuple(replace(r, stratum=0) for r in order.rules))
    too_narrow = replace(
        order,
        regions=tuple(
            replace(r, invariants=(*r.invariants, Linear(">=", variable("i") - 1))) for r in order.regions
        ),
    )
    unannounced = replace(order, rules=tuple(replace(r, ties=(), stratum=0) for r in order.rules))
    too_few = replace(order, rules=order.rules[:-1])
    for wrong in (upside_down, one_stratum, too_narrow, unannounced, too_few):
        with pytest.raises(AssertionError):
            check_order(wrong, 4)


# Refusals ------------------------------------------------------------------------------------------------

SPANS = """
hypothesis word[i]  where 0 <= i <= n
item span[i: position, j: position, b: flag]  where 0 <= i < j <= n

step Start
  word[i]   word[i + 1]
  ---------------------
  span[i, i + 1, false]

step Join
  span[i, j, b]   span[j, k, c]
  -----------------------------
  span[i, k, b and c]
"""

CIRCULAR = {
    "toggle": """
step Toggle
  span[i, j, b]
  -----------------  attach i to j
  span[i, j, not b]
""",
    "pop": """
step Pop
  span[i, j, b]
  -----------------  i < j - 1
  span[i, j - 1, b]
""",
    "late-pop": """
step Pop
  span[i, j, b]
  -----------------  i + 7 < j
  span[i, j - 1, b]
""",
    "context": """
step Pop
  given span[i, j, b]   span[k, m, c]
  -----------------------------------  i <= k, m < j - 1
  span[k, m + 1, c]
""",
}


@pytest.mark.parametrize("name", CIRCULAR)
def test_steps_that_go_round_are_refused(name: str) -> None:
    found = find_order(program_of(f"schema {name}\n{SPANS}{CIRCULAR[name]}\nfinal span[0, n, _]\n"))
    assert found.reason == "an item helps to derive itself"
    assert found.example is not None
    assert not found.undecided
    if name == "late-pop":  # no run of fewer words shows it
        assert found.example == (
            "with 8 words: Join takes span[0, 7, false] to span[0, 8, false], "
            "Pop takes span[0, 8, false] to span[0, 7, false]"
        )


def test_what_fits_small_sentences_is_not_believed() -> None:
    """The steps go round with thirty words, which no run sees; all shorter sentences would bear the level j - i."""
    pop = "step Pop\n  span[i, j, b]\n  -----------------  i + 29 < j\n  span[i, j - 1, b]\n"
    found = find_order(program_of(f"schema far\n{SPANS}\n{pop}\nfinal span[0, n, _]\n"))
    assert not found.undecided
    assert found.rule is not None
    assert found.example is not None


def test_a_relabelling_in_one_direction_is_a_stratum() -> None:
    text = f"schema mark\n{SPANS}\nstep Mark\n  span[i, j, false]\n  -----------------\n  span[i, j, true]\n"
    text += "\nfinal span[0, n, _]\n"
    order = find_order(program_of(text))
    assert order.strata == 2
    for n in range(1, 6):
        check_order(order, n)


def test_going_down_alone_is_an_order() -> None:
    """A schema that only peels words off: the level turns round."""
    text = schema_text("peel")
    order = find_order(program_of(text))
    assert isinstance(order, Order)
    for n in range(1, 6):
        check_order(order, n)


def test_strata_alone_may_do() -> None:
    text = schema_text("chain-2")
    order = find_order(program_of(text))
    assert isinstance(order, Order)
    check_order(order, 3)


def test_columns_must_be_bounded() -> None:
    text = schema_text("counting")
    found = find_order(program_of(text))
    assert found.reason == "nothing bounds s in items run"


def test_all_writings_of_an_item_are_on_one_level() -> None:
    text = schema_text("twice-2")
    order = find_order(program_of(text))
    assert isinstance(order, Order), "the sum of both positions is the same for both writings"
    for n in range(1, 5):
        check_order(order, n)


def test_a_solver_that_gives_up_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "solver_seconds", -1.0)
    found = find_order(shipped("collins1996").kernel.program)
    assert found.undecided


def test_without_the_solver_there_is_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    found = find_order(shipped("collins1996").kernel.program)
    assert found == Refusal("the solver (z3-solver) is not installed", undecided=True)
