"""The parts of the proof of order, each against a brute force of its own."""

import itertools
import signal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata import cache
from schemata.cache import values_written
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars import DRules
from schemata.language.bounds import Bounds
from schemata.order.invariants import (
    Invariants,
    NormalForms,
    divide,
    find_invariants,
    regions_of_atoms,
    take_samples,
    undivided,
)
from schemata.order.kept import key_of, look_up, prove_order
from schemata.order.logic import Solver, options_of
from schemata.order.model import Order, Refusal
from schemata.program.facts import extended, follows
from schemata.program.linear import Affine, AnyOf, Linear, Provided, variable
from schemata.program.lower import lower
from schemata.program.model import Program, encoded
from schemata.program.queries import Terms
from schemata.quick_start import interrupts_put_off
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS
from tests.support.charts import schema_of, schema_text
from tests.support.commands import Prints, Tells, Written
from tests.support.orders import _instances, _normal, _writings


def program_of(name: str) -> Program:
    return lower(schemata.load(name).definition)


# Differences ----------------------------------------------------------------------------------------------

NAMES = ("i", "j", "k")
RANGE = range(-13, 14)

differences = st.builds(
    lambda x, y, c, relation: Linear(
        relation, (Affine(c) + variable(x) if x else Affine(c)) - (variable(y) if y else Affine())
    ),
    st.sampled_from([*NAMES, "n", None]),
    st.sampled_from([*NAMES, "n", None]),
    st.integers(-2, 2),
    st.sampled_from([">=", ">=", "=="]),
)


def assignments(tests: list[Linear], n: int = 4) -> list[dict[str, int]]:
    found = []
    for values in itertools.product(RANGE, repeat=len(NAMES)):
        known = {"n": n, **dict(zip(NAMES, values, strict=True))}
        if all(t.holds(known) for t in tests):
            found.append(known)
    return found


@settings(max_examples=40)
@given(st.lists(differences, max_size=4), differences)
def test_differences(tests: list[Linear], goal: Linear) -> None:
    facts = extended(Bounds(), [*tests, Linear("==", variable("n") - 4)])
    found = assignments(tests)
    assert (facts is not None) == bool(found)  # constants are so small that a solution lies in the range
    if facts is not None and goal.relation == ">=" and follows(facts, goal.left):
        assert all(goal.holds(known) for known in found)
    if facts is not None:
        for name in NAMES:
            if facts.lowest(name) and facts.highest(name):
                assert {known[name] for known in found}.isdisjoint({RANGE[0], RANGE[-1]})


@settings(max_examples=60)
@given(
    st.lists(differences, max_size=2),
    st.lists(st.lists(st.lists(differences, min_size=1, max_size=2), min_size=1, max_size=3), max_size=2),
    st.booleans(),
)
def test_options_stand_for_all_disjunctions(
    plain: list[Linear], choices: list[list[list[Linear]]], licence: bool
) -> None:
    tests = [*plain, *(AnyOf(tuple(map(tuple, choice))) for choice in choices)]
    if licence:
        tests.append(Provided("licensed", (variable("i"), variable("j"))))
    options = options_of(tests)
    for values in itertools.product(range(-2, 6), repeat=len(NAMES)):
        known = {"n": 4, **dict(zip(NAMES, values, strict=True))}
        holds = all(t.holds(known) for t in plain)
        holds = holds and all(any(all(t.holds(known) for t in o) for o in choice) for choice in choices)
        if licence:
            holds = holds and 1 <= known["i"] <= 4 and 0 <= known["j"] <= 4 and known["i"] != known["j"]
        assert holds == any(all(t.holds(known) for t in option) for option in options)


# Invariants -----------------------------------------------------------------------------------------------


def invariants_of(program: Program) -> Invariants:
    return find_invariants(program, take_samples(program), Solver())


@pytest.mark.parametrize(
    "name", ["eisner1996", "arc-eager", "arc-standard-hook", "mh:k=4", "wg1-unlexicalised"]
)
def test_invariants_hold_for_longer_sentences(name: str) -> None:
    program = program_of(name)
    invariants = invariants_of(program)
    assert invariants.unbounded() is None
    sentence = Sentence.of(["w"] * 7)
    chart = run_kernel(compile_kernel(program.schema), sentence, DRules.all().for_sentence(sentence))
    seen = 0
    for form, values in zip(chart.raw.form_of, chart.raw.values, strict=True):
        coded = encoded(program.kinds, form, values, Terms(()).number)
        if coded is not None:
            kind = program.kinds[coded[0]]
            known = {"n": 7, **{c.name: x for c, x in zip(kind.columns, coded[1], strict=True)}}
            assert all(test.holds(known) for test in invariants.by_kind[kind.number])
            seen += 1
    assert seen == len(chart.raw.values)


def test_what_holds_for_short_sentences_only_is_no_invariant() -> None:
    text = schema_text("jump")
    program = lower(schema_of(text).definition)
    invariants = invariants_of(program)
    told = {str(t) for t in invariants.by_kind[1]}
    assert "1 <= j" in told
    assert "i <= j" in told
    assert "1 <= i" not in told
    assert "j <= i" not in told


# Regions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["wg1", "mgk:k=1", "wg1-unlexicalised"])
def test_regions_share_out_all_items(name: str) -> None:
    program = program_of(name)
    invariants = invariants_of(program)
    division = divide(program, invariants)
    assert division is not None
    for kind in program.kinds:
        names = [c.name for c in kind.columns]
        for values in itertools.product(range(1, 6), repeat=len(names)):
            known = {"n": 5, **dict(zip(names, values, strict=True))}
            if all(t.holds(known) for t in invariants.by_kind[kind.number]):
                regions = division.by_kind[kind.number]
                assert sum(all(t.holds(known) for t in tests) for tests in regions) == 1


def test_a_kind_without_comparisons_is_whole() -> None:
    program = program_of("collins1996")
    invariants = invariants_of(program)
    assert divide(program, invariants) is None
    rule = program.rules[0]
    assert list(regions_of_atoms(invariants, undivided(program), rule)) == [(0, 0, 0)]


# Normal forms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "n"), [("wg1", 4), ("mgk:k=1", 4)])
@pytest.mark.thorough
def test_dropped_instances_are_recognised(name: str, n: int) -> None:
    """An instance is left aside in the proof exactly if its consequent is one of its antecedents."""
    program = program_of(name)
    solver = Solver()
    forms = NormalForms.of(program, solver)
    sentence = Sentence.of(["w"] * n)
    grammar = DRules.all().for_sentence(sentence)
    chart = run_kernel(compile_kernel(program.schema), sentence, grammar)
    items = list(zip(chart.raw.form_of, chart.raw.values, strict=True))
    writings = dict(_writings(program, n, items, set(items[: chart.raw.hypothesis_count])))
    dropped = kept = 0
    for number, (rule, before, after, values) in enumerate(_instances(program, n, grammar, writings)):
        formulas = []
        for atom in rule.antecedents:
            same = forms.same(rule.consequent, atom, Bounds())
            formulas += [] if same is None else [same]
        really = _normal(program, n, after) in [writings[w] for w in before]
        if not really and number % 7:
            continue
        fixed = [solver.test(Linear("==", variable(x) - v)) for x, v in values.items()]
        told = bool(formulas) and solver.possible(solver.any_of(formulas), *fixed)
        assert told == really, (rule, before, after)
        dropped, kept = dropped + really, kept + (not really)
    assert dropped > 5
    assert kept > 5


# The cache ------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "schemata" / "orders"


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(program: Program, patience: float) -> Order:
        raise AssertionError("proved again")

    monkeypatch.setattr("schemata.order.proof.find_order", fail)


@pytest.mark.parametrize("name", ["eisner1996", "wg1"])
def test_an_order_is_proved_once(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(name)
    first = prove_order(program)
    assert isinstance(first, Order)
    assert len(list(folder.iterdir())) == 1
    forbid(monkeypatch)
    assert prove_order(program) == first


def test_another_schema_has_another_key() -> None:
    keys = [key_of(program_of(name)) for name in ("arc-eager", "arc-eager-published", "mh:k=3", "mh:k=4")]
    assert len(set(keys)) == 4
    assert keys[0] == key_of(program_of("arc-eager"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: b"[]",
        lambda content: content[:-1] + b"!",
        lambda content: b"[" * 100_000,
    ],
)
def test_a_spoilt_file_is_passed_over(spoil, folder: Path) -> None:  # type: ignore[no-untyped-def]
    program = program_of("collins1996")
    order = prove_order(program)
    (file,) = folder.iterdir()
    before = file.read_bytes()
    file.write_bytes(spoil(before))
    assert prove_order(program) == order
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"[]", values_written(("no", "order")), None])
def test_content_that_is_no_order_is_passed_over(content: bytes | None, folder: Path) -> None:
    program = program_of("collins1996")
    key = key_of(program)
    assert key is not None
    content = values_written((key, "no order")) if content is None else content
    cache.store("orders", cache.named(program.schema.name, key), content)
    assert look_up(program, key) is None


def test_a_folder_that_cannot_be_written_is_no_mistake(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = written("file", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert isinstance(prove_order(program_of("collins1996")), Order)


def test_refusals_are_kept_but_not_those_of_a_solver_that_gave_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of("collins1996")
    with monkeypatch.context() as patched:
        patched.setattr(EFFORTS, "solver_seconds", -1.0)
        assert isinstance(prove_order(program), Refusal)
    assert not folder.exists()
    assert isinstance(prove_order(program), Order)


def test_a_proof_that_took_too_long_is_tried_again_by_those_with_more_patience(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = program_of("collins1996")
    late = Refusal("no proof was found within 2 seconds", undecided=True, patience=2.0)
    with monkeypatch.context() as patched:
        patched.setattr("schemata.order.proof.find_order", lambda program, patience: late)
        assert prove_order(program, 2.0) == late
    with monkeypatch.context() as patched:
        forbid(patched)
        assert prove_order(program, 1.0) == late
        assert prove_order(program, 2.0) == late
    assert isinstance(prove_order(program, 30.0), Order)
    forbid(monkeypatch)
    assert isinstance(prove_order(program, 1.0), Order)


def test_ctrl_c_is_put_off_until_the_next_question(hearing_ctrl_c: None) -> None:
    heard = []

    def ask_twice() -> None:
        with interrupts_put_off() as interrupted:
            solver = Solver(interrupted=interrupted)
            assert solver.possible(solver.test(Linear(">=", variable("i"))))
            signal.raise_signal(signal.SIGINT)
            assert interrupted()
            heard.append("put off")
            solver.possible(solver.test(Linear(">=", variable("i"))))
            heard.append("never")

    with pytest.raises(KeyboardInterrupt):
        ask_twice()
    assert heard == ["put off"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


# The command ----------------------------------------------------------------------------------------------


def test_explain_prints_the_proof(folder: Path, prints: Prints) -> None:
    out = prints("compile eisner1996 --explain")
    for line in (
        "  span(b = true, c = false)   1 <= i < j <= n",
        "  span(b = false, c = false)  j - i",
        "  R-Link                                          the same level",
        "  CombineSpans (b = false, c = true, d = false)   k - j > 0;  j - i > 0",
        "  1  R-Link, L-Link",
    ):
        assert line in out.splitlines()


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "arc-eager"])
def test_json_says_the_same_as_the_order(name: str, folder: Path, tells: Tells) -> None:
    told = tells("compile", name, "--explain")["order"]
    order = prove_order(program_of(name))
    assert told["proved"] is True
    assert (told["depth"], told["strata"]) == (order.depth, order.strata)
    assert len(told["regions"]) == len(order.regions)
    assert [rule["stratum"] for rule in told["rules"]] == [rule.stratum for rule in order.rules]


def test_explain_says_which_step_prevents_an_order(
    written: Written, folder: Path, tells: Tells, prints: Prints
) -> None:
    file = written("peeling.schema", schema_text("peeling"))
    out = prints("compile", str(file), "--explain", code=1)
    assert out.startswith("peeling: no proved order\n")
    assert (
        "with 1 word: Drop takes span[0, 1] to span[0, 0], Put Back takes span[0, 0] to span[0, 1]"
        in " ".join(out.split())
    )
    told = tells("compile", str(file), "--explain", code=1)["order"]
    assert told["proved"] is False
    assert told["step"] == "Drop"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "covington2001",
            "for items of positions, flags and symbols, not for lists without a bound on their length",
        ),
        ("earley", "orders are proved for schemata over D-rules only"),
    ],
)
def test_explain_says_for_what_no_order_is_looked_for(name: str, reason: str, tells: Tells) -> None:
    assert tells("compile", name, "--explain", code=1)["order"]["reason"].endswith(reason)
