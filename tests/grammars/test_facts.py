"""Relations that schemata declare: their grammars of facts, against the naive reading, in both engines."""

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata import GrammarError
from schemata.grammars import Facts
from schemata.grammars.facts import sample
from schemata.grammars.kinds import check_grammar_file, sample_of
from schemata.structures.sentence import tagged_sentence
from tests.oracle.facts import random_facts
from tests.oracle.interpreter import interpret
from tests.support.charts import facts, oracle_facts, schema_of, schema_text
from tests.support.commands import Prints, Written

CHART = schema_text("chart")
BILEXICAL = schema_text("bilexical")
LISTS = schema_text("lists")


@pytest.mark.parametrize("text", [CHART, BILEXICAL, LISTS], ids=["chart", "bilexical", "lists"])
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.rotated(4)
def test_runs_are_those_of_the_naive_reading(text: str, engine: Any, seed: int) -> None:
    schema, rng = schema_of(text), random.Random(seed)
    grammar = random_facts(rng, rng.randint(1, 4), schema.definition.relations)
    chart = schema.run(grammar.words, Facts.from_text(grammar.text), engine=engine)
    truth = interpret(schema.definition, len(grammar.words), grammar)
    assert facts(chart) == oracle_facts(truth)


GRAMMAR = """
lexical("the", D)      # words with quotes or without
lexical(cat, N)
lexical(tag VERB, V)
binary(NP, D, N)
binary(S, NP, V)
start	S
"""


def test_a_file_of_facts(tmp_path: Path) -> None:
    schema = schema_of(CHART)
    grammar = Facts.from_text(GRAMMAR)
    words = tagged_sentence("the/DET cat/NOUN sleeps/VERB")
    chart = schema.run(words, grammar)
    assert [str(item) for item in chart.final_items] == ["c[S, 0, 3]"]
    assert chart.items_by_form == {"c": 5}  # facts are no items
    assert chart.steps_by_name == {"Lex": 3, "Comb": 2}
    assert pickle.loads(pickle.dumps(grammar)) == grammar
    again = pickle.loads(pickle.dumps(chart))
    assert [str(item) for item in again.items] == [str(item) for item in chart.items]


def test_words_that_no_fact_names() -> None:
    schema, grammar = schema_of(CHART), Facts.from_text(GRAMMAR)
    with pytest.raises(GrammarError) as caught:
        schema.run("the cats sleeps", grammar)
    told = [d.code for d in caught.value.diagnostics]
    assert told == ["unknown-word", "untagged-sentence"]
    unknown = caught.value.diagnostics[0]
    assert unknown.message == 'words "cats" (2) and "sleeps" (3) are in no fact'
    assert unknown.expected == "facts that name them, such as lexical(the, D)"
    assert unknown.hint == "cats: did you mean cat?"
    endings = {6: 'z5" (5) and "z6" (6)', 7: 'z6" (6) and 1 other', 8: 'z6" (6) and 2 others'}
    for count, ending in endings.items():
        words = [f"z{k}" for k in range(1, count + 1)]
        (warning,) = schema.run(words, Facts.from_text("lexical(the, D)\n")).grammar.unknown
        assert warning.message.startswith('words "z1" (1), "z2" (2), ')
        assert warning.message.endswith(f"{ending} are in no fact")
    anything = Facts.from_text(GRAMMAR + "lexical(_, N)\n")
    assert schema.run("the mat", anything).items_by_form["c"] == 4


def test_facts_that_another_schema_asks_for_are_left_out_with_a_warning() -> None:
    schema = schema_of(CHART)
    chart = schema.run("the", Facts.from_text("lexical(the, D)\nadjoin(a, b)\n"))
    (warning,) = chart.grammar.warnings
    assert warning.message == "the schema declares no relation adjoin: its facts are not used"
    assert warning.severity == "warning"


@pytest.mark.parametrize("function", ["rest", '"0,2"', '"0,"', '"01 "', '""'])
def test_what_steps_compose_with_are_yield_functions(function: str) -> None:
    schema = schemata.load("lcfrs")
    with pytest.raises(GrammarError, match=r"yield function of 2 parts|nothing stands"):
        schema.run("a b", Facts.from_text(f"binary(A, B, C, {function})\n"))
    relations = schema.definition.relations
    assert Facts.from_text(sample(relations)).for_schema(relations).table is not None


SILENT = schema_text("silent")


def test_parts_of_a_yield_function_may_have_no_spans() -> None:
    """A digit that is missing stands for a part without spans; the function is right, and derives what it says."""
    grammar = Facts.from_text('lexical(a, A)\nsilent(E)\nbinary(S, E, A, "1")\nstart(S)\n')
    for engine in ("python", "native"):
        assert schema_of(SILENT).run("a", grammar, engine=engine).accepted


def test_the_sample_that_show_prints_will_do(written: Written, prints: Prints) -> None:
    for text in (CHART, BILEXICAL, LISTS):
        relations = schema_of(text).definition.relations
        assert Facts.from_text(sample(relations)).for_schema(relations).table is not None
    for kind, suffix in (
        ("d-rules", "drules"),
        ("dependency-rules", "deprules"),
        ("context-free", "cfg"),
        ("link-grammar", "dict"),
    ):
        path = written(f"sample.{suffix}", sample_of(kind))  # type: ignore[arg-type]
        assert check_grammar_file(path) == []
    schema = written("chart.schema", CHART.strip() + "\n")
    printed = prints("show", str(schema))
    assert "asks        lexical(w: word, c: symbol)\n" in printed
    assert 'a grammar   lexical("word", c1)\n' in printed


def test_relations_between_schemata_over_facts() -> None:
    one = schema_of(CHART.replace(", not blocked(A, i)", "").replace(", not blocked(A, k + 1)", ""))
    split = """
item d[A: symbol, C: symbol, i: position, j: position] where 0 <= i < j <= n
step Left
  c[B, i, j]
  -----------------------  binary(A, B, C)
  d[A, C, i, j]
step Right
  d[A, C, i, j]   c[C, j, k]
  --------------------------
  c[A, i, k]
final"""
    text = one.definition.source.text
    begin, end = text.index("step Comb"), text.index("final")
    two = schema_of(text[:begin] + split.strip() + text[end + len("final") :])
    kinds = [answer.kind for answer in one.relate(two, max_n=3)]
    assert kinds == ["step-refinement"]
    assert schemata.relate(two, one, "step-contraction", max_n=2)[0].holds
    blocked = schema_of(CHART)  # asks blocked nowhere but to be lacking
    assert blocked.relate(blocked, "static-filter", max_n=2)[0].holds
    both = schema_of(CHART.replace("not blocked(A, i)", "blocked(A, i)"))
    with pytest.raises(
        schemata.UsageError, match="conditions ask for facts of blocked, and that there are none"
    ):
        blocked.relate(both, max_n=2)
