"""The valid-prefix property, words that can follow by a schema's items, and masks of other programs."""

from __future__ import annotations

import json
import sys
from itertools import chain, product
from pathlib import Path

import pytest

import schemata
from schemata import ContextFreeGrammar, DependencyRules, DRules, Facts, SchemataError, Sentence, UsageError
from schemata.structures import all_trees
from schemata.verification.masks import compare_masks, serve
from tests.support import ROOT
from tests.support.charts import schema_of
from tests.support.commands import Cli

HAVE = ["earley", "ghr", "lombardo-lesmo1996", "barbero1998"]
LACK = ["cyk", "bottom-up-earley", "shift-reduce", "bulc", "kahane1998", "dvh1"]
SMALL = ContextFreeGrammar.of(
    [("S", ("NP", "VP")), ("VP", ("V",)), ("VP", ("V", "NP")), ("NP", ("D", "N")), ("NP", ('"she"',))],
    "S",
    {"the": ["D"], "a": ["D"], "cat": ["N"], "dog": ["N"], "saw": ["V", "N"]},
)


@pytest.mark.parametrize("name", HAVE)
@pytest.mark.rotated(2)
def test_schemata_with_the_property(name: str) -> None:
    verdict = schemata.verify_prefixes(name, 3)
    assert verdict.holds is True
    assert verdict.unsound is None
    assert verdict.prefixes > 300


@pytest.mark.parametrize("name", LACK)
@pytest.mark.rotated(3)
def test_schemata_without(name: str) -> None:
    verdict = schemata.verify_prefixes(name, 2)
    assert (verdict.holds, verdict.only_valid, verdict.all_valid) == (False, False, True)
    assert verdict.unsound is not None


@pytest.mark.parametrize("name", ["left-corner", "top-down"])
@pytest.mark.thorough
def test_schemata_for_grammars_without_empty_bodies(name: str) -> None:
    assert schemata.verify_prefixes(name, 3, empty=False).holds is True
    verdict = schemata.verify_prefixes(name, 2)
    assert (verdict.only_valid, verdict.all_valid) == (True, False)
    assert verdict.incomplete is not None


def test_a_counterexample_is_one() -> None:
    """By hand: no sentence of the grammar begins so, and the schema derives an item from the word."""
    wrong = schemata.verify_prefixes("cyk", 2).unsound
    assert wrong is not None
    rules = [(lhs, tuple(body.split())) for lhs, _, body in (rule.partition(" -> ") for rule in wrong.rules)]
    assert rules == [("S", ("t",))]
    assert wrong.categories == ("u",)


def language(grammar: ContextFreeGrammar, longest: int) -> set[tuple[str, ...]]:
    """All sentences of at most so many words, as categories: strings of each symbol, until there are no more."""
    strings = {category: {(category,)} for category in grammar.full_lexicon.categories}
    grown = True
    while grown:
        grown = False
        for rule in grammar.rules:
            parts = [strings.get(symbol, set()) for symbol in rule.body]
            found = {tuple(chain(*some)) for some in product(*parts) if sum(map(len, some)) <= longest}
            known = strings.setdefault(rule.lhs, set())
            grown |= not found <= known
            known |= found
    return strings.get(grammar.start, set())


BINARY = ContextFreeGrammar.of(
    [("S", ("A", "B")), ("S", ("A", "S")), ("S", ("S", "S")), ("B", ("b",)), ("A", ("a", "c"))],
    "S",
    {x: x for x in "abc"},
)
ALWAYS = ContextFreeGrammar.of([("S", ("S", "S")), ("S", ("a",)), ("S", ("b",))], "S", {"a": "a", "b": "b"})


@pytest.mark.parametrize("grammar", [BINARY, ALWAYS])
def test_of_one_grammar(grammar: ContextFreeGrammar) -> None:
    """By the grammar's sentences of up to 9 words: cyk reads any word, so that it goes wrong where a prefix does."""
    sentences = language(grammar, 9)
    begins = {words[:n] for words in sentences for n in range(len(words) + 1)}
    words = sorted(grammar.full_lexicon.categories)
    tried = [(*p, w) for n in range(3) for p in product(words, repeat=n) if p in begins for w in words]
    wrong = min((p for p in tried if p not in begins), key=lambda p: (len(p), p), default=None)
    for name in ("cyk", "earley"):
        verdict = schemata.verify_prefixes(name, 3, grammar=grammar)
        expected = wrong if name == "cyk" else None
        assert (verdict.unsound and verdict.unsound.categories) == expected
        assert (verdict.unsound and verdict.unsound.words) == expected
        assert (verdict.only_valid, verdict.all_valid) == (expected is None, True)
        assert (verdict.prefixes, verdict.complete_to, verdict.given) == (len(tried), 3, True)


def test_a_prefix_that_one_grammar_has(cli: Cli, tmp_path: Path) -> None:
    """S is empty or a S b: left-corner loses `a b`, whose middle is an empty constituent, and has no fault before."""
    path = tmp_path / "brackets.cfg"
    path.write_text('S -> "a" S "b" | ε\n', encoding="utf-8")
    verdict = schemata.verify_prefixes("left-corner", 3, grammar=str(path))
    assert (verdict.only_valid, verdict.all_valid) == (True, False)
    assert verdict.incomplete is not None
    assert (verdict.incomplete.words, verdict.incomplete.completion) == (("a", "b"), ())
    answer = cli("verify", "left-corner", "--prefix", "--grammar", str(path))
    assert answer.code == 1
    assert "such as a b\nthis is a sentence" in answer.out
    assert "leaves out the rule S -> ε" in answer.err
    assert schemata.verify_prefixes("left-corner", 1, grammar=str(path)).holds is True


def test_one_grammar_is_tried_with_its_words() -> None:
    """A word has all its categories: of `A -> "a" A` alone the word a begins no sentence, yet of S it does."""
    always = ContextFreeGrammar.from_text('S -> S S | "a"\nA -> "a" A')
    assert schemata.verify_prefixes("cyk", 3, grammar=always).holds is True
    assert [str(word) for word in schemata.next_words("cyk", "a", always).words] == ["a"]
    two = ContextFreeGrammar.from_text("S -> V N\nsaw : V, N")
    wrong = schemata.verify_prefixes("cyk", 3, grammar=two).unsound
    assert wrong is not None
    assert (wrong.categories, wrong.words) == (("N|V",) * 3, ("saw",) * 3)
    with pytest.raises(UsageError, match=r"it accepts 'saw saw' with a word of category N\|V after it"):
        schemata.next_words("cyk", "saw saw", two)
    # The second word may be saw, but is no noun unless its part of speech says so.
    tagged = ContextFreeGrammar.from_text("S -> V N | V V\nsaw : V\ntag NOUN : N")
    wrong = schemata.verify_prefixes("cyk", 3, grammar=tagged).unsound
    assert wrong is not None
    assert (wrong.categories, wrong.words) == (("N",), ())
    assert schemata.verify_prefixes("earley", 3, grammar=tagged).prefixes == 3 + 2 * 3 + 3 * 2 * 3


def test_one_grammar_at_a_limit() -> None:
    verdict = schemata.verify_prefixes("earley", 60, grammar=ALWAYS, seconds=1.0)
    assert (verdict.holds, verdict.stopped) == (None, "seconds")
    assert verdict.complete_to is not None
    whole = sum(2**n for n in range(1, verdict.complete_to + 1))
    assert whole <= verdict.prefixes <= 2 * whole + 2


def test_a_grammar_without_sentences() -> None:
    endless = ContextFreeGrammar.of([("S", ("a", "S"))], "S", {"a": "a"})
    with pytest.raises(UsageError, match="no sentence derives"):
        schemata.verify_prefixes("earley", 2, grammar=endless)


def test_a_limit_leaves_the_answer_open() -> None:
    verdict = schemata.verify_prefixes("earley", 3, seconds=0.0)
    assert (verdict.holds, verdict.stopped, verdict.grammars) == (None, "seconds", 0)


def test_other_grammars_are_refused(cli: Cli) -> None:
    with pytest.raises(UsageError, match="is that for a grammar: which one"):
        schemata.verify_prefixes("tag-earley")
    assert cli("verify eisner-lg --prefix").code == 2
    for grammar in ("heads:2,0", "gold"):
        answer = cli("next", "eisner1996", "a b", "--grammar", grammar)
        assert (answer.code, "links of one sentence" in answer.err) == (2, True)


# Sentences that a schema accepts: D-rules and facts -------------------------------------------------------------

HEAD_FIRST = """schema head-first
  grammar d-rules
item state[i: position, open: list of position]
step Begin
  -------------
  state[0, <0>]
step Attach
  state[i, <*A, h, *_>]
  ----------------------  i + 1 <= n, attach i + 1 to h
  state[i + 1, <*A, h, i + 1>]
final state[n, _]
"""
RIGHTWARD = 'root "a"\nhead "a" takes "b" on the right\nhead "b" takes "c" on the right\n'
NEAR = 'root "v"\nhead "v" takes "n" on the left within 2\nhead "n" takes "d" on the left within 1\n'
BOTH = 'root "v"\nhead "v" takes "n"\nhead "n" takes "d" on the left\nhead "n" takes "p" on the right\n'


def does_not_cross(heads: tuple[int, ...]) -> bool:
    """Whether no link, from 0 too, has just one end within another; and no link passes over a word under 0."""
    links = [sorted(link) for link in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in links for c, d in links) and not any(
        heads[k - 1] == 0 for a, b in links if a for k in range(a + 1, b)
    )


def projective_sentences(rules: str, longest: int) -> set[tuple[str, ...]]:
    """All sentences that some projective tree licenses, by trying all trees of all strings of words."""
    grammar, found = DRules.from_text(rules), set()
    words = sorted({part.strip('",') for part in rules.split() if part.startswith('"')})
    for n in range(1, longest + 1):
        trees = [t.links for t in all_trees(n, single_root=False) if does_not_cross(t.heads)]
        for sentence in product(words, repeat=n):
            pairs = grammar.for_sentence(Sentence(sentence)).pairs
            if any(pairs.issuperset(links) for links in trees):
                found.add(sentence)
    return found


@pytest.mark.parametrize("rules", [RIGHTWARD, NEAR, BOTH])
@pytest.mark.rotated(2)
def test_next_words_of_d_rules(rules: str) -> None:
    """By all sentences of up to 5 words: a prefix of at most 2 words that any sentence has, one of these has."""
    sentences = projective_sentences(rules, 5)
    words = sorted({word for sentence in sentences for word in sentence})
    for n in range(3):
        for prefix in product(words, repeat=n):
            expected = sorted({s[n] for s in sentences if s[:n] == prefix and len(s) > n})
            found = schemata.next_words("arc-eager", " ".join(prefix), DRules.from_text(rules))
            assert sorted(map(str, found.words)) == expected
            assert (found.valid, found.sentence) == (
                bool(expected) or prefix in sentences,
                prefix in sentences,
            )
            assert not found.searched


def test_all_links_and_parts_of_speech_as_next_words() -> None:
    assert [str(word) for word in schemata.next_words("eisner1996", "a b", DRules.all()).words] == [
        "any other word"
    ]
    tagged = DRules.from_text('root V\nhead V takes N on the left\nhead N takes "the" on the left')
    found = schemata.next_words("eisner1996", "", tagged)
    assert sorted(map(str, found.words)) == ["tag N", "tag V", "the"]
    with pytest.raises(SchemataError, match="has no tags"):
        schemata.next_words("eisner1996", "the", tagged)
    # It does not ask which words may be roots, so that even one without a head is a sentence.
    found = schemata.next_words("covington2001", "b", DRules.from_text(RIGHTWARD), room=2)
    assert ([str(word) for word in found.words], found.sentence, found.searched) == (["c"], True, True)


def test_a_head_first_schema_has_the_property() -> None:
    schema = schema_of(HEAD_FIRST)
    verdict = schemata.verify_prefixes(schema, 3, grammar=DRules.from_text(RIGHTWARD), room=2)
    assert (verdict.holds, verdict.unsettled, verdict.prefixes) == (True, None, 3 + 3 + 2 * 3)
    found = schemata.next_words(schema, "a b", DRules.from_text(RIGHTWARD), room=2)
    assert (sorted(map(str, found.words)), found.checked) == (["a", "b", "c"], True)
    leftward = DRules.from_text('root "a"\nhead "a" takes "b" on the left')
    assert schemata.verify_prefixes("eisner1996", 2, grammar=leftward).incomplete is not None


def test_wrong_readers_of_d_rules(cli: Cli, tmp_path: Path) -> None:
    """A word under one that has no head itself; a word that waits for its head; a reader that never ends again."""
    path = tmp_path / "near.drules"
    rules = ['root "a"', 'head "a" takes "b", "c" on the right within 1', 'head "c" takes "b" on the left']
    path.write_text("\n".join(rules), encoding="utf-8")
    wrong = schemata.verify_prefixes("eisner1996", 3, grammar=str(path))
    assert wrong.unsound is not None
    assert (wrong.unsound.categories, wrong.unsound.completion) == (("a", "b", "c"), None)
    answer = cli("verify", "eisner1996", "--prefix", "--grammar", str(path), "--max-n", "3")
    assert "Accepted, though no sentence begins so\n\nwords a b c" in answer.out
    waits = schemata.verify_prefixes("arc-eager", 2, grammar=DRules.from_text(BOTH)).incomplete
    assert waits is not None
    assert (waits.categories, waits.completion) == (("d",), ("n", "v"))
    ends = schema_of(HEAD_FIRST.replace("state[n, _]", "state[n, <0, 1>]"))
    open_answer = schemata.verify_prefixes(ends, 2, grammar=DRules.from_text(RIGHTWARD), room=2)
    assert (open_answer.holds, open_answer.all_valid) == (None, True)
    assert open_answer.unsettled is not None
    assert open_answer.unsettled.categories == ("a", "a")


def test_trees_adjoined() -> None:
    """By the language: a .. d in equal numbers, in this order."""
    for k in range(1, 3):
        for prefix, words in (
            ("a " * k, "ab"), ("a " * k + "b", "b" if k > 1 else "c"), ("a " * k + "b " * k, "c"),
            ("a " * k + "b " * k + "c " * k, "d"), ("b" * k, ""),
        ):  # fmt: skip
            found = schemata.next_words("tag-earley", prefix, "example", room=9)
            assert "".join(map(str, found.words)) == words
    verdict = schemata.verify_prefixes("tag-earley", 2, grammar="example", room=6)
    assert (verdict.holds, verdict.all_valid, verdict.complete_to) == (True, True, 2)
    assert (verdict.room, verdict.prefixes) == (6, 4 + 4)
    short = schemata.verify_prefixes("tag-earley", 2, grammar="example", room=5)
    assert (short.holds, short.only_valid, short.all_valid) == (None, None, True)
    assert short.unsettled is not None
    assert short.unsettled.categories == ("a", "a")


def test_a_word_of_a_sentence_is_one_word() -> None:
    """z needs c as its head, and c is under nothing; a word that is c below and r above is none."""
    facts = Facts.from_text("below_root(r, top)\nlabel(a, r, sub)\nlabel(z, c, sub)\n")
    found = schemata.next_words("eisner-labelled", "z", facts, room=2)
    assert (found.valid, found.words) == (None, ())
    assert [str(word) for word in schemata.next_words("eisner-labelled", "a", facts, room=2).words] == [
        "a",
        "r",
    ]


@pytest.mark.parametrize("schema", ["earley", "ghr", "left-corner", "top-down"])
@pytest.mark.parametrize(
    ("prefix", "words", "ends"),
    [
        ("", ["a", "she", "the"], False),
        ("she", ["saw"], False),
        ("she saw", ["a", "she", "the"], True),
        ("the saw", ["saw"], False),
        ("saw", [], False),
    ],
)
def test_next_words(schema: str, prefix: str, words: list[str], ends: bool) -> None:
    found = schemata.next_words(schema, prefix, SMALL)
    assert sorted(map(str, found.words)) == words
    assert (found.valid, found.sentence) == (bool(words) or ends, ends)
    assert found.weight is None


def test_a_schema_without_the_property_is_refused() -> None:
    with pytest.raises(UsageError, match="cyk does not have the valid-prefix property"):
        schemata.next_words("cyk", "she", SMALL)


def test_useless_rules_are_no_way_on() -> None:
    """B never ends, so no sentence begins with b, though Earley's parser reads it."""
    grammar = ContextFreeGrammar.of(
        [("S", ("a",)), ("S", ("b", "B")), ("B", ("b", "B"))], "S", {"a": "a", "b": "b"}
    )
    assert [str(word) for word in schemata.next_words("earley", "", grammar).words] == ["a"]
    assert schemata.next_words("earley", "b", grammar).valid is False


def test_next_words_of_dependency_rules() -> None:
    rules = DependencyRules.of(
        ["V(N *)", "N(D *)", "N(*)", "D(*)"], {"V"}, {"the": "D", "cat": "N", "sat": "V"}
    )
    found = [
        schemata.next_words("lombardo-lesmo1996", p, rules) for p in ("", "the", "the cat", "the cat sat")
    ]
    assert [sorted(map(str, x.words)) for x in found] == [["cat", "the"], ["cat"], ["sat"], []]
    assert found[-1].sentence


def test_facts_are_completed_with_any_words() -> None:
    short = schemata.next_words("tag-earley", "a a", "example", room=4)
    assert (short.valid, short.words) == (None, ())
    long = schemata.next_words("tag-earley", "a a", "example", room=5)
    assert [str(word) for word in long.words] == ["b"]
    assert long.unconfirmed == ("a",)


def test_probabilities(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "small.cfg"
    path.write_text('S -> "a" S "b" [0.4] | ε [0.6]\n', encoding="utf-8")
    answer = cli("next", "earley", "a", "--grammar", str(path), "--json")
    found = json.loads(answer.out)
    assert {x["word"]: round(x["probability"], 9) for x in found["words"]} == {"a": 0.4, "b": 0.6}
    assert found["end_probability"] == 0.0
    assert cli("next", "earley", "b", "--grammar", str(path)).code == 1


# Masks ----------------------------------------------------------------------------------------------------------

PROGRAM = """
import json, sys
from schemata import ContextFreeGrammar
from schemata.verification.masks import serve
grammar = ContextFreeGrammar.read(sys.argv[1])
def change(prefix, answer):
    {change}
    return answer
for line in sys.stdin:
    asked = json.loads(line)
    for answer in serve(grammar, [line]):
        print(json.dumps(change(asked["prefix"], answer)), flush=True)
"""
RULES = 'S -> NP V | NP V NP\nNP -> D N | "she"\nthe : D\na : D\ncat : N\nsaw : V\n'


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that tests start find this package, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def against(tmp_path: Path, change: str) -> tuple[list[str], Path]:
    grammar, program = tmp_path / "small.cfg", tmp_path / "program.py"
    grammar.write_text(RULES, encoding="utf-8")
    program.write_text(PROGRAM.format(change=change), encoding="utf-8")
    return [sys.executable, str(program), str(grammar)], grammar


@pytest.mark.parametrize(
    ("change", "strict", "loose", "ends"),
    [
        ("pass", False, False, False),
        ("answer['next'] = [w for w in answer['next'] if w != 'a' or len(prefix) < 2]", True, False, False),
        ("answer['next'] += ['cat'] if prefix == ['she'] else []", False, True, False),
        ("answer['end'] = answer['end'] and len(prefix) < 4", False, False, True),
        ("answer['next'] += ['nonsense']", False, True, False),
    ],
)
def test_masks(tmp_path: Path, change: str, strict: bool, loose: bool, ends: bool) -> None:
    command, grammar = against(tmp_path, change)
    found = compare_masks(ContextFreeGrammar.read(grammar), command, max_n=5, random=5)
    assert (bool(found.strict), bool(found.loose), bool(found.ends)) == (strict, loose, ends)
    assert found.agrees is not (strict or loose or ends)
    assert found.complete_to == 5
    assert bool(found.differences) is (strict or loose or ends)


def test_the_counts_of_differences(tmp_path: Path) -> None:
    """The grammar has one class of words for `the` and `a`, so one prefix goes on from either."""
    command, grammar = against(tmp_path, "answer['next'] += ['cat'] if prefix == ['she'] else []")
    found = compare_masks(ContextFreeGrammar.read(grammar), command, max_n=2, random=0)
    [difference] = found.differences
    assert (difference.prefix, difference.missing, difference.extra) == (("she",), (), ("cat",))
    assert (found.loose, found.extra, found.prefixes) == (1, 1, 5)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("return 3", "is not an answer"),
        ("return {'next': 'a'}", "is not an answer"),
        ("sys.exit(3) if prefix else None", "ended with exit code 3"),
        ("answer['end'] = 1", "neither true nor false"),
        ("import time; time.sleep(60 if prefix else 0)", "no answer for 0.5 seconds"),
    ],
)
def test_programs_that_do_not_answer(tmp_path: Path, change: str, problem: str) -> None:
    command, grammar = against(tmp_path, change)
    patience = 0.5 if "sleep" in change else 60.0
    if "sleep" in change:  # Python takes longer to start than that: a program that needs no time for it
        command = ["sleep", "60"]
    found = compare_masks(ContextFreeGrammar.read(grammar), command, patience=patience)
    assert (found.agrees, found.stopped) == (None, "answer")
    assert problem in (found.problem or "")


def test_what_is_no_program(cli: Cli, tmp_path: Path) -> None:
    _, grammar = against(tmp_path, "pass")
    answer = cli("masks", str(grammar), "--against", "no-such-program-here")
    assert answer.code == 2
    assert "cannot be started" in answer.err
    assert cli("masks", str(grammar)).code == 2
    assert cli("masks", str(grammar), "--against", "'").code == 2


def test_answers_to_bad_requests(tmp_path: Path) -> None:
    _, path = against(tmp_path, "pass")
    lines = ["nonsense", '{"words": []}', '{"prefix": ["dog"]}', '{"prefix": ["she", "saw"]}']
    first, second, third = serve(ContextFreeGrammar.read(path), lines)
    assert "a request is" in first["error"]
    assert "not a word of the grammar" in second["error"]
    assert third == {"next": ["a", "she", "the"], "end": True}


@pytest.mark.parametrize(
    ("name", "grammar", "valid", "code"),
    [("earley", SMALL, False, 1), ("barbero1998", "example", False, 1), ("ccg", "example", None, 2)],
)
def test_no_sentence_begins_with_an_unknown_word(
    name: str, grammar: str | ContextFreeGrammar, valid: bool | None, code: int, cli: Cli
) -> None:
    found = schemata.next_words(name, "the unicorn", grammar)
    assert (found.valid, found.sentence, found.words) == (valid, False, ())
    assert [one.code for one in found.warnings if "unicorn" in one.message] == ["unknown-word"]
    said = cli(f"next {name} the unicorn --grammar example")
    assert said.code == code
    assert "no sentence" in said.out
    assert 'warning: word 2, "unicorn"' in said.err
