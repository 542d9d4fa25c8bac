"""Words that a grammar does not know: the sentence is rejected with a warning, whatever the kind of grammar."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from schemata import load
from schemata.analysis.compare import compare
from schemata.analysis.why_not import why_not
from schemata.budget import EngineName
from schemata.errors import GrammarError, SchemataError
from schemata.grammars import LinkGrammar, grammar_from_option
from schemata.grammars.drules import UNREAD
from schemata.language.shipped import shipped_schemata
from schemata.records import replace
from schemata.structures.sentence import Sentence, tagged_sentence
from tests.support.commands import Cli, Prints, Tells

STRANGE = "xqzzy"
NATIVELY = {"eisner1996", "kahane1998", "earley", "cyk", "eisner-lg", "lcfrs", "tag-cky"}
NOT_ABOUT_ALL = {  # words may stay without anything; or the final items say that a word has no value
    "nussinov", "noncrossing", "noncrossing-acyclic", "constraint-propagation"
}  # fmt: skip
DICTIONARY = "the: D+; cat: D- & S+; sleeps: S-;"


@cache
def has_example(name: str) -> bool:
    """Whether a shipped schema is over words that an example grammar names."""
    try:
        grammar = load(name).check_grammar("example")
        return bool(grammar.for_sentence(Sentence((STRANGE,), ("XQ",))).warnings)
    except SchemataError:  # no example is shipped for it
        return False


def examples() -> list[str]:
    return [name for name in shipped_schemata() if has_example(name)]


@pytest.mark.thorough
def test_all_kinds_of_grammars_have_examples() -> None:
    kinds = {load(name).definition.grammar for name in examples()}
    assert kinds == {"d-rules", "dependency-rules", "context-free", "link-grammar", "facts"}
    assert {"earley", "cyk", "lcfrs", "tag-cky", "ccg", "barbero1998", "kahane1998", "eisner-lg"} <= {
        *examples()
    }
    assert len(examples()) > len(shipped_schemata()) - 8


@pytest.mark.parametrize("name", shipped_schemata())
@pytest.mark.rotated(4)
def test_a_sentence_with_a_strange_word_is_rejected(name: str) -> None:
    if not has_example(name):
        pytest.skip("no example grammar names its words")
    schema = load(name)
    inputs = len(schema.definition.inputs) if schema.definition.reads_inputs else 1
    given = [[STRANGE, STRANGE]] * inputs if inputs > 1 else Sentence((STRANGE, STRANGE), ("XQ", "XQ"))
    engines: tuple[EngineName, ...] = ("python", "native") if name in NATIVELY else ("python",)
    charts = [schema.run(given, "example", engine=engine) for engine in engines]
    accepts = name in NOT_ABOUT_ALL or name.endswith("-system")
    for chart in charts:
        unknown = [one for one in chart.grammar.warnings if one.code in ("unknown-word", "unlinked-word")]
        assert sum(one.message.count(STRANGE) for one in unknown) == 2 * inputs
        assert {one.severity for one in chart.grammar.warnings} == {"warning"}
        assert chart.accepted == accepts
    assert [str(item) for item in charts[0].items] == [str(item) for item in charts[-1].items]
    assert charts[0].step_count == charts[-1].step_count
    left_out = any(one.code == UNREAD for one in charts[0].grammar.warnings)
    refused = "leaves out" if left_out else STRANGE  # lines of the example, before any sentence
    with pytest.raises(GrammarError, match=refused) as caught:
        schema.run(given, "example", strict=True)
    assert {one.severity for one in caught.value.diagnostics} == {"error"}
    if not accepts:
        assert STRANGE in why_not(charts[0]).unknown[0]


def test_lines_of_examples_are_left_out_by_few_schemata() -> None:
    """Those that attach no word to node 0 leave out root lines; among rules, one schema as it was published."""
    found = {}
    for name in examples():
        if codes := [
            one.message for one in load(name).check_grammar("example").warnings if one.code == UNREAD
        ]:
            found[name] = "root lines" in codes[0]
    assert {name for name, roots in found.items() if not roots} == {"kahane1998-published"}
    assert {"collins1996", "wg1", "noncrossing", "swap-system"} <= found.keys()
    assert not {"eisner1996", "arc-standard", "mh", "cky-arity", "covington-lsup"} & found.keys()


def test_other_words_keep_what_they_have() -> None:
    schema = load("earley")
    chart = schema.run(f"the cat slept {STRANGE}", "example")
    alone = schema.run("the cat slept", "example")
    assert alone.accepted
    assert not chart.accepted
    assert not alone.grammar.warnings
    assert {str(x) for x in alone.items} <= {str(x) for x in chart.items}


def test_a_word_that_only_tags_know() -> None:
    grammar = grammar_from_option("example", "context-free")
    tags = replace(grammar, lexicon=replace(grammar.lexicon, tags=(("NOUN", "N"),)))
    warnings = tags.for_sentence(tagged_sentence("the/DET zebra/NOUN xqzzy/X")).warnings
    assert [one.message for one in warnings] == [
        'word 3, "xqzzy", has no category in the grammar, nor has its part of speech X'
    ]
    with pytest.raises(GrammarError, match="parts of speech"):  # it is not known what is in the sentence
        tags.for_sentence(Sentence.of("the zebra"))


def test_a_dictionary_that_serves_other_words_knows_them() -> None:
    serving = LinkGrammar.from_text(DICTIONARY + "<UNKNOWN-WORD>: D- & S+;")
    for grammar in (serving, replace(serving, strict=True)):
        chart = load("eisner-lg").run("the xqzzy sleeps", grammar)
        assert chart.accepted
        assert [one.code for one in chart.grammar.warnings] == ["guessed-word"]
    assert not load("eisner-lg").run("the xqzzy sleeps", LinkGrammar.from_text(DICTIONARY)).accepted


@pytest.mark.parametrize("name", ["cyk", "earley"])
def test_who_steps_is_warned_as_who_runs_is(name: str, cli: Cli) -> None:
    for words, said in ((f"the cat {STRANGE}", 1), ("the cat slept", 0)):
        stepped, run = (cli(f"{command} {name} --grammar example", words) for command in ("step", "run"))
        assert stepped.code == 0
        assert stepped.err == run.err
        assert stepped.err.count(f'word 3, "{STRANGE}", has no category in the grammar') == said


def test_many_sentences() -> None:
    texts = ["the cat slept", f"the {STRANGE} slept", "the cat slept"]
    schema = load("cyk")
    assert [one.accepted for one in schema.counts(texts, "example")] == [True, False, True]
    with pytest.raises(GrammarError, match=STRANGE):
        list(schema.counts(texts, "example", strict=True))
    found = compare(["earley", "cyk"], texts, "example")
    assert [(row.label, row.derivations) for row in found.rows] == [
        ("earley", 1), ("cyk", 1), ("earley", 0), ("cyk", 0), ("earley", 1), ("cyk", 1)
    ]  # fmt: skip
    assert not found.skipped
    assert len(found.warned) == 1


def test_commands(tmp_path: Path, prints: Prints, tells: Tells) -> None:
    words = (f"the {STRANGE} slept", "--grammar", "example")
    found = tells("run earley", *words, code=1)
    assert found["accepted"] is False
    assert [one["code"] for one in found["warnings"]] == ["unknown-word"]
    assert "because word 2" in prints("why-not earley", *words, code=1)
    reasons = tells("why-not earley", *words, code=1)
    assert reasons["unknown"] == [f'word 2, "{STRANGE}", has no category in the grammar']
    for command in ("run earley", "run tag-cky", "why-not cyk", "compare earley"):
        assert tells(command, *words, "--strict", code=2)["errors"][0]["code"] == "unknown-word"
    rows = [
        f"{i}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_" for i, word in enumerate(("the", STRANGE, "slept"), start=1)
    ]
    file = tmp_path / "two.conllu"
    file.write_text("\n".join([*rows, "", *rows, "", ""]), "utf-8")
    corpus = ("run earley", "--conllu", str(file), "--grammar", "example")
    lines = prints(*corpus, "--json").splitlines()
    assert [json.loads(line)["accepted"] for line in lines] == [False, False]
    assert [json.loads(line)["warnings"][0]["code"] for line in lines] == ["unknown-word"] * 2
    assert prints(*corpus, "--strict", code=2)
