"""Random schemata: the naive reading and every engine derive the same, down to forests."""

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from schemata import Budget, BudgetExceeded, ParsingSchema, Sentence
from schemata.grammars import LinkGrammar
from schemata.language.files import read_schema_text
from schemata.verification.dictionaries import random_case
from tests.oracle import naive
from tests.oracle.interpreter import Endless, interpret
from tests.random_schemata.compare import grammars, what_differs
from tests.random_schemata.drafts import Draft
from tests.random_schemata.writer import (
    abbreviated,
    random_draft,
    random_images,
    random_over_dictionaries,
    random_parts,
)
from tests.support.charts import Given, facts
from tests.support.engines import GivenGrammar, TooLarge, of_inputs, read_otherwise, run

ENGINES = ["python", "agenda", "ordered"]
CHECKED = ["python", "checked-agenda", "checked-ordered"]  # every index is tested; slow
SAMPLE = range(40)
BUDGET = Budget(steps=3_000)


@cache
def sample(number: int) -> Draft:
    return random_draft(random.Random(f"sample {number}"))


@pytest.mark.parametrize("number", SAMPLE)
@pytest.mark.rotated(4)
def test_a_sample_of_random_schemata(number: int) -> None:
    draft = sample(number)
    found = what_differs(draft, str(number), ENGINES, words=(1, 2, 3), tally=Counter())
    assert not found, "\n".join([draft.text, *found])


@pytest.mark.parametrize("number", range(100, 108))
@pytest.mark.rotated(8, 2)
def test_random_schemata_index_nothing_outside(number: int) -> None:
    draft = sample(number)
    found = what_differs(draft, str(number), CHECKED, words=(1, 2, 3), tally=Counter())
    assert not found, "\n".join([draft.text, *found])


@pytest.mark.parametrize("number", range(40))
@pytest.mark.rotated(4)
def test_mirror_images_of_random_steps_derive_mirror_images(number: int) -> None:
    rng = random.Random(f"image {number}")
    draft = random_images(rng)
    schema, problems = read_schema_text(draft.text)
    if schema is None:  # words before the first one, which have no image
        assert {p.code for p in problems if p.severity == "error"} <= {"no-mirror-image", "contradiction"}
        return
    plain, images = (
        replace(schema, cases=tuple(c for c in schema.cases if c.step.endswith(" image") is wanted))
        for wanted in (False, True)
    )
    for n in (1, 2, 3):
        links = frozenset(link for link in naive.random_grammar(rng, n, 0.5) if 0 not in link)
        turned = frozenset((n + 1 - d, n + 1 - h) for d, h in links)
        one, other = interpret(plain, n, links), interpret(images, n, turned)
        assert {image(item, n) for item in one.items} == set(other.items), draft.text
        counts = Counter(f"{i.name} image" for i in one.instances)
        assert counts == Counter(i.name for i in other.instances), draft.text


def image(item: naive.Item, n: int) -> naive.Item:
    form, values = item
    turned = [n + 1 - x if type(x) is int else x for x in values]
    return form, tuple(turned if form == "mark" else [*turned[1::-1], *turned[2:]])


@pytest.mark.parametrize("number", range(60))
@pytest.mark.rotated(4)
def test_composed_steps_do_what_their_parts_do_one_after_the_other(number: int) -> None:
    rng = random.Random(f"parts {number}")
    drafts = random_parts(rng)
    composed, apart = (read_schema_text(draft.text)[0] for draft in drafts)
    if composed is None or apart is None:  # one may contradict itself where the other only derives nothing
        return
    for n in (1, 2, 3):
        links = naive.random_grammar(rng, n, 0.6)
        try:
            one, other = interpret(composed, n, links), interpret(apart, n, links)
        except Endless:
            return
        assert one.final_items == other.final_items, drafts[0].text
        second = [i for i in other.instances if i.name == "Other"]
        pairs = {
            (i.antecedents, j.consequent, i.links + j.links)
            for i in other.instances
            for j in second
            if i.name == "One" and j.antecedents == (i.consequent,) and j.consequent not in i.antecedents
        }
        found = {(i.antecedents, i.consequent, i.links) for i in one.instances if i.name == "Both"}
        assert found == pairs, drafts[0].text


@pytest.mark.thorough
def test_abbreviations_are_what_they_stand_for() -> None:
    found = 0
    for number in range(40):
        rng = random.Random(f"short {number}")
        draft = random_draft(rng, "d-rules" if number % 2 else "facts")
        short = abbreviated(rng, draft)
        schemata = [read_schema_text(text)[0] for text in (draft.text, short.text)]
        assert (schemata[0] is None) == (schemata[1] is None), short.text
        if schemata[0] is not None and schemata[1] is not None:
            assert schemata[0].cases == schemata[1].cases, short.text
            found += draft != short
    assert found > 10


@pytest.mark.parametrize("number", range(5))
@pytest.mark.rotated(5, 2)
def test_random_schemata_over_dictionaries(number: int) -> None:
    """Both engines derive the same, and what the matcher finds by itself; there is no naive reading of labels."""
    rng = random.Random(f"labels {number}")
    schema = ParsingSchema(random_over_dictionaries(rng))
    instances = 0
    for n in (2, 2, 3, 3):
        case = random_case(n, number, rng.randrange(100))
        given = LinkGrammar.from_text(case.to_dictionary()).for_sentence(
            Sentence(case.words), prune_disjuncts=False
        )
        charts = []
        for engine in ("python", "native"):
            try:
                charts.append(
                    schema.run(case.words, Given("link-grammar", given), budget=BUDGET, engine=engine)
                )
            except BudgetExceeded:
                charts.append(None)
        one, other = charts
        if one is None or other is None:
            assert one is other is None
            continue
        assert facts(one) == facts(other)
        assert one.forest().linkages(20) == other.forest().linkages(20)
        assert not read_otherwise(one, 1_000)
        instances += one.step_count
    assert instances > 0


@pytest.mark.thorough
def test_most_random_schemata_are_valid_and_derive_something() -> None:
    valid = derives = 0
    for number in SAMPLE:
        definition, _ = read_schema_text(sample(number).text)
        if definition is not None:
            valid += 1
            derives += any(
                steps(ParsingSchema(definition), given) > 2
                for given in grammars(2, f"{number} 2", definition.grammar, definition)
            )
    assert valid >= 0.8 * len(SAMPLE)
    assert derives >= 0.4 * len(SAMPLE)


def steps(schema: ParsingSchema, given: GivenGrammar) -> int:
    try:
        return run(of_inputs(schema, given), 2, given, "python").step_count
    except TooLarge:
        return 0
