"""Substitution keeps the value of a condition: brute force over small values."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.language import model as m
from schemata.language.substitute import item_conditions, linear_of, substitute

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
    return st.recursive(
        simple,
        lambda inner: st.one_of(
            inner.map(m.Not),
            st.builds(
                lambda word, parts: m.Junction(word, tuple(parts)),
                st.sampled_from(("and", "or")),
                st.lists(inner, min_size=1, max_size=3),
            ),
        ),
        max_leaves=4,
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
