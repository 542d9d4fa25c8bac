"""Difference facts against brute force over small boxes of integers."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied, impossible
from tests.language.test_substitute import value

NAMES = ("i", "j", "k")
LARGEST = 5
facts = st.lists(
    st.tuples(st.sampled_from(("0", "n", *NAMES)), st.sampled_from(("0", "n", *NAMES)), st.integers(-3, 3)),
    max_size=6,
)


def assignments(low=-LARGEST, high=LARGEST):
    for n in range(1, 4):
        for values in itertools.product(range(low, high + 1), repeat=len(NAMES)):
            yield {"0": 0, "n": n, **dict(zip(NAMES, values, strict=True))}


ALL = list(assignments())


def fulfils(values, facts):
    return all(values[x] - values[y] <= c for x, y, c in facts)


@given(facts, facts.filter(len))
@settings(max_examples=80)
def test_what_is_proved_holds_and_what_is_contradictory_has_no_model(known, goals):
    bounds = Bounds()
    bounds.learn(known)
    models = [v for v in ALL if fulfils(v, known)]
    if bounds.contradictory():
        assert not models
    elif bounds.proves(goals):
        assert all(fulfils(v, goals) for v in models)


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(-1, 1)), max_size=4))
@settings(max_examples=80)
def test_facts_with_small_constants_without_a_model_are_contradictory(known):
    # Differences of up to 4 fit into the box, so that it has a model if there is one at all.
    bounds = Bounds()
    bounds.learn(known)
    assert bounds.contradictory() == (not any(fulfils(v, known) for v in ALL))


@given(facts, st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(-3, 3))
@settings(max_examples=100)
def test_proofs_are_complete_up_to_the_box(known, x, y, c):
    bounds = Bounds()
    bounds.learn([*known, *((name, "0", 1) for name in NAMES), *(("0", name, 1) for name in NAMES)])
    models = [v for v in ALL if fulfils(v, known) and all(abs(v[name]) <= 1 for name in NAMES)]
    # Constraints that only larger n fulfil are out of the sample; with a model here, proofs can be judged.
    if models and not bounds.proves([(x, y, c)]) and x != y:
        bounds.learn([(y, x, -c - 1)])
        assert not bounds.contradictory()


def terms():
    atoms = st.one_of(
        st.sampled_from([m.Var(name) for name in (*NAMES, "n")]),
        st.integers(-2, 3).map(m.Lit),
        st.tuples(st.integers(-2, 2), st.sampled_from(NAMES)).map(
            lambda p: m.Linear(p[0], ((m.Var(p[1]), 1),))
        ),
    )
    comparisons = st.builds(m.Compare, st.sampled_from(("<=", "<", "==", "!=")), atoms, atoms)
    members = st.builds(lambda x, a, b: m.Member(x, m.Interval(a, b)), atoms, atoms, atoms)
    flags = st.sampled_from([m.Var("b"), m.Var("c")])
    return st.recursive(
        st.one_of(comparisons, members, flags),
        lambda inner: st.one_of(
            inner.map(m.Not),
            st.builds(
                lambda word, parts: m.Junction(word, tuple(parts)),
                st.sampled_from(("and", "or")),
                st.lists(inner, min_size=2, max_size=3),
            ),
        ),
        max_leaves=5,
    )


SMALL = [
    {**v, "b": b, "c": c}
    for v in ALL
    if all(abs(v[name]) <= 3 for name in NAMES)
    for b in (False, True)
    for c in (False, True)
]


@given(terms())
@settings(max_examples=80)
def test_conditions_as_differences(condition):
    exact, weaker = differences(condition), implied(condition)
    for values in SMALL[::7]:
        truth = value(condition, values)
        if exact is not None:
            assert truth == fulfils(values, exact)
        if truth:
            assert fulfils(values, weaker)


@given(st.lists(terms(), min_size=1, max_size=3))
@settings(max_examples=80)
def test_what_is_called_impossible_is_never_true(conditions):
    if impossible(conditions):
        assert not any(all(value(c, values) for c in conditions) for values in SMALL)
