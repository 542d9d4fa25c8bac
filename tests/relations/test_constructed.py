"""Relations that hold because of how one schema was made from the other, and that broken ones do not hold."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.language import model as m
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from tests.support.charts import schema_of

BENCH = SharedSystems()
BASES = {
    name: schemata.load(name).definition
    for name in (
        "eisner1996", "collins1996", "eisner-satta1999", "yamada-matsumoto2003", "mh", "nivre2003",
        "covington2001", "arc-standard", "arc-eager", "hybrid",
    )
}  # fmt: skip
WORDS = 3


@st.composite
def schema_and_case(draw: st.DrawFn) -> tuple[m.Schema, int]:
    """A schema and the number of one of its rules."""
    schema = BASES[draw(st.sampled_from(sorted(BASES)))]
    return schema, draw(st.integers(0, len(schema.cases) - 1))


def _with_case(schema: m.Schema, number: int, case: m.Case) -> m.Schema:
    return replace(schema, cases=(*schema.cases[:number], case, *schema.cases[number + 1 :]))


def without_case(schema: m.Schema, number: int) -> m.Schema:
    """The schema with one rule less."""
    return replace(schema, cases=schema.cases[:number] + schema.cases[number + 1 :])


def with_antecedent(schema: m.Schema, number: int, form: m.Form) -> m.Schema:
    """The schema with one more antecedent in a rule: any item of a form."""
    case = schema.cases[number]
    more = m.Antecedent(m.Pattern(form.name, tuple(m.Any() for _ in form.fields)), context=True)
    return _with_case(schema, number, replace(case, antecedents=(*case.antecedents, more)))


def split(schema: m.Schema, number: int) -> m.Schema:
    """The schema with a rule in two: its first antecedent is set aside as an item of a new form."""
    case = schema.cases[number]
    first, *others = case.antecedents
    form = schema.form(first.pattern.form)
    aside = replace(form, name="aside")
    variables = {f.name: f.type for f in form.fields}
    terms = tuple(m.Var(f.name, f.type.kind == "optional") for f in form.fields)
    keep = replace(
        case,
        step=f"{case.step} begun",
        antecedents=(m.Antecedent(m.Pattern(form.name, terms), first.context),),
        consequent=m.Pattern("aside", terms),
        conditions=(),
        links=(),
        types=variables,
    )
    go_on = replace(
        case, antecedents=(m.Antecedent(m.Pattern("aside", first.pattern.terms), first.context), *others)
    )
    changed = _with_case(schema, number, go_on)
    return replace(
        changed,
        forms=(*changed.forms, aside),
        cases=(*changed.cases, keep),
        step_names=(*changed.step_names, keep.step),
    )


def with_mark(schema: m.Schema, form: m.Form, marks: list[bool]) -> m.Schema:
    """The schema with a flag more in a form's items, which each rule sets in its own way and none looks at."""
    assert form.fields
    marked = replace(form, fields=(*form.fields, m.Field("mark", m.FLAG)))

    def pattern(old: m.Pattern, term: m.Term) -> m.Pattern:
        return m.Pattern(old.form, (*old.terms, term)) if old.form == form.name else old

    cases = tuple(
        replace(
            case,
            antecedents=tuple(replace(a, pattern=pattern(a.pattern, m.Any())) for a in case.antecedents),
            consequent=pattern(case.consequent, m.Lit(mark)),
        )
        for case, mark in zip(schema.cases, marks, strict=True)
    )
    return replace(
        schema,
        forms=tuple(marked if f.name == form.name else f for f in schema.forms),
        cases=cases,
        hypotheses=tuple(replace(h, pattern=pattern(h.pattern, m.Lit(False))) for h in schema.hypotheses),
        finals=tuple(replace(f, pattern=pattern(f.pattern, m.Any())) for f in schema.finals),
    )


def holds(first: m.Schema, second: m.Schema, kind, maps=(), n: int = WORDS) -> bool | None:
    return decide(read_maps(maps, first, second, kind, lenient=True), kind, n, systems=BENCH).holds


@settings(max_examples=15)
@given(schema_and_case())
def test_a_step_dropped_is_a_static_filter(chosen):
    schema, number = chosen
    smaller = without_case(schema, number)
    assert holds(schema, smaller, "static-filter")
    assert holds(schema, smaller, "dynamic-filter")
    assert holds(schema, smaller, "step-contraction")
    assert holds(smaller, schema, "step-refinement")


@settings(max_examples=15)
@given(schema_and_case(), st.data())
@pytest.mark.thorough
def test_an_antecedent_added_is_a_dynamic_filter(chosen, data):
    schema, number = chosen
    forms = [f for f in schema.forms if f.name in {c.consequent.form for c in schema.cases}]
    filtered = with_antecedent(schema, number, data.draw(st.sampled_from(forms)))
    assert holds(schema, filtered, "dynamic-filter")
    assert holds(schema, filtered, "step-contraction")
    assert holds(filtered, schema, "step-refinement")


@settings(max_examples=15)
@given(schema_and_case())
def test_a_step_split_in_two_is_a_step_refinement(chosen):
    schema, number = chosen
    if not schema.cases[number].antecedents:
        return
    assert holds(schema, split(schema, number), "step-refinement")
    assert holds(split(schema, number), schema, "step-contraction")


@settings(max_examples=15)
@given(st.sampled_from(sorted(BASES)), st.data())
@pytest.mark.thorough
def test_a_field_dropped_is_an_item_contraction(name, data):
    schema = BASES[name]
    form = schema.form(schema.cases[-1].consequent.form)
    marks = data.draw(st.lists(st.booleans(), min_size=len(schema.cases), max_size=len(schema.cases)))
    finer = with_mark(schema, form, marks)
    fields = ", ".join(f.name for f in form.fields)
    texts = [f"{form.name}[{fields}, _] to {form.name}[{fields}]"]
    assert holds(finer, schema, "item-contraction", texts)
    back = [f"{form.name}[{fields}] from {form.name}[{fields}, _]"]
    assert holds(schema, finer, "item-refinement", back)


@pytest.mark.parametrize("name", ["eisner1996", "yamada-matsumoto2003", "arc-standard", "collins1996"])
def test_a_rule_that_looks_at_the_dropped_field_is_no_item_contraction(name):
    """One rule takes marked items only: derivations that use it on others are images of none."""
    schema = BASES[name]
    number = len(schema.cases) - 1
    form = schema.form(schema.cases[number].consequent.form)
    finer = with_mark(schema, form, [False] * len(schema.cases))
    case = finer.cases[number]
    wanted = m.Antecedent(
        m.Pattern(form.name, (*case.antecedents[0].pattern.terms[:-1], m.Lit(True))), context=False
    )
    finer = _with_case(finer, number, replace(case, antecedents=(wanted, *case.antecedents[1:])))
    fields = ", ".join(f.name for f in form.fields)
    texts = [f"{form.name}[{fields}, _] to {form.name}[{fields}]"]
    assert holds(finer, schema, "item-contraction", texts) is False


@pytest.mark.parametrize("name", ["eisner1996", "yamada-matsumoto2003", "arc-standard", "mh", "nivre2003"])
def test_a_step_dropped_is_missed_the_other_way_round(name):
    schema = BASES[name]
    for number in range(len(schema.cases)):
        smaller = without_case(schema, number)
        assert holds(smaller, schema, "static-filter") is False
        answer = decide(
            read_maps((), schema, smaller, "step-refinement", lenient=True), "step-refinement", WORDS
        )
        if answer.counterexample and answer.counterexample.instance:
            assert answer.holds is False
            assert answer.counterexample.instance.step == schema.cases[number].step


def test_links_that_differ_are_no_refinement():
    """With the two links of Yamada & Matsumoto exchanged, everything is derivable but other trees are built."""
    schema = BASES["yamada-matsumoto2003"]
    turned = replace(
        schema,
        cases=tuple(
            replace(
                case,
                links=tuple(replace(link, terms=link.terms[::-1]) for link in case.links),
                conditions=tuple(
                    replace(c, terms=c.terms[::-1]) if m.asks(c, "licensed") else c for c in case.conditions
                ),
            )
            for case in schema.cases
        ),
    )
    assert holds(schema, turned, "step-refinement", n=4) is False
    unlinked = replace(schema, cases=tuple(replace(case, links=()) for case in schema.cases))
    assert holds(schema, unlinked, "step-refinement", n=4) is False


CHAIN = """schema chain
grammar d-rules
hypothesis word[i]  where 1 <= i <= n
item one[i: position]  where 1 <= i <= n
item all[i: position]  where 1 <= i <= n
step One
  word[i]
  -------  head i
  one[i]
step All
  one[i]   one[i + 1]   one[i + 2]
  --------------------------------  {}
  all[i]
final all[n]
"""


@pytest.mark.parametrize("kind", ["static-filter", "step-refinement"])
def test_heads_of_antecedents_that_are_attached_themselves_are_told_apart(kind):
    """A head that hangs under one that hangs, and two under one, are different trees."""
    chain, broad, other = (
        schema_of(CHAIN.format(links)).definition
        for links in (
            "link head of 3 to head of 2, link head of 2 to head of 1",
            "link head of 3 to head of 1, link head of 2 to head of 1",
            "link head of 2 to head of 1, link head of 3 to head of 2",
        )
    )
    assert holds(chain, broad, kind) is False
    assert holds(broad, chain, kind) is False
    assert holds(chain, other, kind)


WAITING = """step Wait
  one[i]
  -------  link head of 1
  wait[i]
item wait[i: position]  where 1 <= i <= n
"""


@pytest.mark.parametrize(
    ("parts", "links", "other", "alike"),
    [
        # the head that the step names is not that of the first, which is not attached
        ("one one one", "link head of 3 to head of 1, head i + 1", "link head of 3, head i + 1", False),
        # of two that are not attached, each has its own head
        ("one one one", "link head of 3 to head of 1", "link head of 3 to head of 2", False),
        ("one one one", "link head of 3 to head of 1", "link head of 3", True),  # the first heads all
        # a place is filled by a head: what waited, and what comes to wait, hang under one
        ("one wait one", "link head of 3 to head of 2", "link head of 3 to head of 1", True),
        ("wait one one", "link head of 3 to head of 1", "link head of 3 to head of 2", True),
        ("wait one one", "link head of 3 to head of 2, head i", "link head of 3 to head of 1, head i", False),
        ("wait wait one", "link head of 3 to head of 1", "link head of 3 to head of 2", True),
    ],
)
@pytest.mark.parametrize("kind", ["static-filter", "step-refinement"])
def test_words_never_become_one_and_places_do(kind, parts, links, other, alike):
    """Trees of three words, told apart also where the new head is not that of an antecedent."""
    above = "   ".join(f"{form}[i + {k}]" for k, form in enumerate(parts.split()))
    text = f"{CHAIN}{WAITING}".replace("one[i]   one[i + 1]   one[i + 2]", above).replace("all[n]", "all[1]")
    one, two = (schema_of(text.format(f"{x}, attach i + 1 to i + 2")) for x in (links, other))
    assert holds(one.definition, two.definition, kind, n=3) is alike
    trees = [[tree.heads for tree in x.run("a b c").forest().trees()] for x in (one, two)]
    assert not alike or trees[0] == trees[1]


@pytest.mark.parametrize(("builds", "carried"), [("i < j", True), ("link i to j, i < j", False)])
def test_a_step_that_is_carried_to_none_builds_nothing(builds, carried):
    """Trees that have one link more are not those of the coarser schema."""
    mark = f"step Mark\n  tree[i, j, false]\n  -----------------  {builds}\n  tree[i, j, true]\n"
    coarse = schema_of(PAIRS.format(field="", no="", any="", mark=""))
    fine = schema_of(PAIRS.format(field=", b: flag", no=", false", any=", _", mark=mark))
    found = holds(coarse.definition, fine.definition, "item-refinement", ["tree[i, k] from tree[i, k, _]"], 3)
    assert found is carried


PAIRS = """schema pairs
hypothesis word[i]  where 1 <= i <= n
item tree[i: position, k: position{field}]  where 1 <= i <= k <= n
step Word
  word[k]
  -------
  tree[k, k{no}]
step Pair
  tree[i, j{no}]   tree[j + 1, k{no}]
  -----------------------------------  link j to k
  tree[i, k{no}]
{mark}final tree[1, n{any}]
"""
