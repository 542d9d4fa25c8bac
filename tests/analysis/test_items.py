"""What is printed can be typed back: an item's text, given to explain and why-not, is the item."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata import ContextFreeGrammar, DependencyRules
from schemata.analysis.explain import explain, find_item
from schemata.analysis.why_not import why_not
from schemata.engine.chart import Chart
from schemata.language.model import terminal
from tests.golden.cases import cases, references
from tests.support.charts import names_over, shipped

ODD = st.text("ab'\"\\#[](), .-*^", min_size=1, max_size=4)


def check_round_trips(chart: Chart, most: int) -> int:
    numbers = range(chart.raw.item_count)
    some = numbers[:: max(1, len(numbers) // most)]
    for number in some:
        text = str(chart.item(number))
        assert find_item(chart, text).number == number
    for number in some[:: max(1, len(some) // 3)]:
        text = str(chart.item(number))
        assert str(explain(chart, text).item) == text
        reason = why_not(chart, text)
        assert reason.derivable
        assert reason.item == text
    return len(some)


@pytest.mark.parametrize("reference", references())
@pytest.mark.rotated(4)
def test_items_of_shipped_schemata(reference: str) -> None:
    schema = shipped(reference)
    few = schema.definition.grammar == "facts"
    runs = (case for case in cases(schema.definition.grammar, reference) if few or len(case.words) > 1)
    found = 0
    for case in itertools.islice(runs, 0 if few else 1, None, 1 if few else 5):
        chart = schema.run(case.words, case.grammar_for(schema), engine="python")
        found += check_round_trips(chart, 25)
    assert found > (4 if few else 20)


@given(st.sampled_from(["earley", "left-corner"]), st.lists(ODD, min_size=2, max_size=3))
@settings(max_examples=25)
def test_words_of_context_free_rules(name: str, words: list[str]) -> None:
    words = ["".join(word.split()) or "-" for word in words]
    bodies = [(*map(terminal, words),), ("N-bar", "N"), (terminal(words[0]), "S")]
    rules = [("S", body) for body in bodies] + [
        ("N-bar", (terminal(words[0]),)),
        ("N", (terminal(words[1]),)),
    ]
    chart = shipped(name).run(words, ContextFreeGrammar.of(rules, "S"))
    assert len(chart.items) > 1
    check_round_trips(chart, 40)


# As published, a rule that begins with a dependent is opened by nothing.
@given(st.sampled_from([x for x in names_over("dependency-rules") if x != "kahane1998-published"]), ODD, ODD)
@settings(max_examples=25)
def test_odd_categories_of_dependency_rules(name: str, noun: str, verb: str) -> None:
    noun, verb = f"n{noun}", f"{verb}v"
    grammar = DependencyRules.of(
        [schemata.grammars.rules.Rule(verb, (noun, "^")), schemata.grammars.rules.Rule(noun, ("^",))],
        {verb},
        {"a": {noun}, "b": {verb}},
    )
    chart = shipped(name).run("a b", grammar)
    assert chart.accepted
    check_round_trips(chart, 40)


def test_spelling() -> None:
    """One pair of quotes, which a shell leaves alone."""
    grammar = ContextFreeGrammar.of([("S", ('"a"', "S", '"b"')), ("S", ('"a"', '"b"'))], "S")
    chart = shipped("earley").run("a b", grammar)
    assert "edge[S('a' . S 'b'), 1, 1]" in map(str, chart.items)
    assert str(explain(chart, "edge[S( 'a' 'b' • ), 1, n]").item) == "edge[S('a' 'b' .), 1, 2]"


def test_symbols_in_patterns_keep_their_quotes() -> None:
    grammar = ContextFreeGrammar.of([("S", ("N-bar", '"b"')), ("N-bar", ('"a"', '"a"'))], "S")
    chart = shipped("earley").run("a b", grammar)
    reason = why_not(chart, "edge[\"N-bar\"('a' 'a' .), 1, 2]")
    assert reason.attempts[0].present == ("edge[\"N-bar\"('a' . 'a'), 1, 1]", "word[2]")
    assert [lack.said for lack in reason.attempts[0].lacks] == ["word 2 (b) is not of category 'a'"]
    reason = why_not(chart, "edge[S(\"N-bar\" . 'b'), 1, 1]")
    lacks = [lack.said for attempt in reason.attempts for lack in attempt.lacks]
    assert 'there is no edge["N-bar"(*_ .), 1, 1]' in lacks
    assert 'word 1 (a) is not of category "N-bar"' in lacks
