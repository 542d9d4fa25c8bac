"""Conditions against brute force: difference facts over small boxes of integers, substitution over small values."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.language import model as m
from schemata.language.bounds import Bounds, differences, implied, impossible
from schemata.language.substitute import item_conditions, linear_of, substitute

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


def joined(simple, least, leaves):
    """Conditions made of simple ones by `not`, and by `and` and `or` of so many at least."""
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            inner.map(m.Not),
            st.builds(
                lambda word, parts: m.Junction(word, tuple(parts)),
                st.sampled_from(("and", "or")),
                st.lists(inner, min_size=least, max_size=3),
            ),
        ),
        max_leaves=leaves,
    )


def value(term, values):
    match term:
        case m.Var(name):
            return values[name]
        case m.Length(name):
            return len(values[name])
        case m.Lit(constant):
            return constant
        case m.Linear(constant, parts):
            return constant + sum(k * value(atom, values) for atom, k in parts)
        case m.ListTerm(elements):
            found = []
            for element in elements:
                found += values[element.name] if isinstance(element, m.Splice) else [value(element, values)]
            return tuple(found)
        case m.Not(operand):
            return not value(operand, values)
        case m.Junction(word, parts):
            return (all if word == "and" else any)(value(p, values) for p in parts)
        case m.Compare(relation, left, right):
            a, b = value(left, values), value(right, values)
            return {"<=": lambda: a <= b, "<": lambda: a < b, "==": lambda: a == b, "!=": lambda: a != b}[
                relation
            ]()
        case m.Member(element, m.Var(name)):
            return value(element, values) in values[name]
        case m.Member(element, m.Interval(low, high)):
            return value(low, values) <= value(element, values) <= value(high, values)
        case m.Member(element, m.Without(left, right)):
            return value(m.Member(element, left), values) and not value(m.Member(element, right), values)
    raise TypeError(term)


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
    return joined(st.one_of(comparisons, members, flags), 2, 5)


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


# Substitution keeps the value of a condition -----------------------------------------------------------------


POSITIONS = ("i", "j")
LISTS = ("L", "M")


def atoms():
    return st.one_of(
        st.sampled_from([m.Var(name) for name in POSITIONS]),
        st.sampled_from([m.Length(name) for name in LISTS]),
        st.integers(-2, 2).map(m.Lit),
        st.builds(
            lambda c, a, b, x: linear_of(c, {m.Var("i"): a, m.Var("j"): b, m.Length("L"): x}),
            *(st.integers(-2, 2) for _ in range(4)),
        ),
    )


def lists():
    elements = st.one_of(atoms(), st.sampled_from([m.Splice(name) for name in LISTS]))
    return st.one_of(
        st.sampled_from([m.Var(name) for name in LISTS]),
        st.lists(elements, max_size=3).map(lambda e: m.ListTerm(tuple(e))),
    )


def conditions():
    simple = st.one_of(
        st.builds(m.Compare, st.sampled_from(("<=", "<", "==", "!=")), atoms(), atoms()),
        st.builds(lambda x, name: m.Member(x, m.Var(name)), atoms(), st.sampled_from(LISTS)),
        st.builds(
            lambda x, a, b, c, d: m.Member(x, m.Without(m.Interval(a, b), m.Interval(c, d))),
            *(atoms() for _ in range(5)),
        ),
        st.builds(
            lambda name: m.Compare("==", m.Var(name), m.ListTerm((m.Var("i"),))), st.sampled_from(LISTS)
        ),
    )
    return joined(simple, 1, 4)


CONTENTS = [(), (0,), (1, 2), (2, 0, 2)]
VALUES = [
    {"i": i, "j": j, "L": left, "M": right}
    for i, j in itertools.product(range(-1, 3), repeat=2)
    for left, right in itertools.product(CONTENTS, repeat=2)
]


@given(conditions(), st.fixed_dictionaries({"i": atoms(), "j": atoms(), "L": lists(), "M": lists()}))
@settings(max_examples=100)
def test_substituting_is_evaluating_in_two_steps(condition, given_terms):
    result = substitute(condition, given_terms)
    for values in VALUES[::3]:
        inner = {name: value(term, values) for name, term in given_terms.items()}
        assert value(result, values) == value(condition, inner)


def test_conditions_on_fields_left_open_are_left_out():
    i, j = m.Var("i"), m.Var("j")
    fields = (m.Field("i", m.POSITION), m.Field("j", m.POSITION))
    form = m.Form("f", fields, (m.Compare("<", i, j), m.Compare("<=", m.Lit(0), i)), span=None)
    assert item_conditions(form, (m.Var("x"), m.Any())) == (m.Compare("<=", m.Lit(0), m.Var("x")),)


def test_membership_in_a_written_out_list():
    member = m.Member(m.Var("x"), m.Var("L"))
    written = m.ListTerm((m.Var("a"), m.Splice("B")))
    assert substitute(member, {"L": written}) == m.Junction(
        "or", (m.Compare("==", m.Var("x"), m.Var("a")), m.Member(m.Var("x"), m.Var("B")))
    )
    assert substitute(member, {"L": m.ListTerm(())}) == m.Lit(False)
    assert substitute(member, {"L": m.ListTerm((m.Run(m.Any()),))}) == m.Any()
