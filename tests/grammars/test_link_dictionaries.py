"""Dictionaries of Link Grammar: what each piece of the format means, and the disjuncts it leads to."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.grammars import LinkGrammar
from schemata.grammars.link_grammar.expressions import (
    All,
    Expression,
    One,
    Single,
    all_of,
    costing,
    one_of_these,
    optional,
)
from schemata.grammars.link_grammar.files import entry_for, read_regexes, translated
from schemata.grammars.link_grammar.preparation import Preparation
from schemata.grammars.link_grammar.pruning import FREE
from schemata.grammars.text import text_of
from schemata.structures import Sentence
from schemata.structures.linkages import NO_LIMITS, Connector, read_connector
from tests.oracle.linkages import count_clauses
from tests.support.commands import Written

DICTIONARIES = Path(__file__).with_name("dictionaries")


def disjuncts(expression: str, before: str = "") -> list[tuple[str, float]]:
    grammar = LinkGrammar.from_text(f"{before} w: {expression};")
    return [(str(d), d.cost) for d in grammar.disjuncts_of("w")]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("A+", ["A+"]),
        ("A+ & B-", ["B- & A+"]),
        ("A- & B- & C+ & D+", ["A- & B- & C+ & D+"]),
        ("A+ and B+", ["A+ & B+"]),
        ("A+ or B+", ["A+", "B+"]),
        ("A+ | B+", ["A+", "B+"]),
        ("A+ ^ B+", ["A+ & B+", "B+ & A+"]),
        ("A+ sym B+", ["A+ & B+", "B+ & A+"]),
        ("A+ ^ B+ ^ C+", ["A+ & B+ & C+", "B+ & A+ & C+", "C+ & A+ & B+", "C+ & B+ & A+"]),
        ("A$", ["A+", "A-"]),
        ("{A+} & B+", ["A+ & B+", "B+"]),
        ("(A+ or ()) & B+", ["A+ & B+", "B+"]),
        ("@A- & hBs*x+ & dC+", ["@A- & hBs*x+ & dC+"]),
        ("<m> & C+", ["A+ & C+", "B+ & C+"]),
        ("<m> & <m>", ["A+ & A+", "A+ & B+", "B+ & A+", "B+ & B+"]),
    ],
)
def test_operators(expression: str, expected: list[str]) -> None:
    assert sorted(text for text, _ in disjuncts(expression, "<m>: A+ or B+;")) == sorted(expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[A+]", [1.0]),
        ("[[A+]]", [2.0]),
        ("[A+]0.5", [0.5]),
        ("[A+].5", [0.5]),
        ("[[A+]]1.2", [2.2]),
        ("[[A+]0.1]2.6", [2.7]),
        ("[A+]-0.5", [-0.5]),
        ("[A+]2.71", []),
        ("[A+]1.5 & [B+]2", [3.5]),  # a sum may be beyond the cut-off; no operand is
        ("[A+ & B+]2.8", []),
        ("[A+ & [B+]1.5]1.5", []),
        ("[[A+]-1 & B+]2.7", [1.7]),
        ("[A+ or B+]2 & [()]", [3.0, 3.0]),
        ("A+ & ([()]1.5 or B+)", [0.0, 1.5]),
        ("[A+]0.5 or A+ or [[A+]]", [0.0]),  # equal disjuncts: the cheapest is kept
        ("[A+ & B+] or (A+ & [[B+]])", [1.0]),
        ("{[A+]} & B+", [0.0, 1.0]),
        ("[{A+}] & B+", [1.0, 1.0]),
        ("A+ & ([] or B+)", [0.0, 1.0]),
    ],
)
def test_costs(expression: str, expected: list[float]) -> None:
    assert sorted(cost for _, cost in disjuncts(expression)) == expected


def test_the_cutoff() -> None:
    text = "w: A+ or [B+]2 or [C+]3;"
    counts = {
        cutoff: len(LinkGrammar.from_text(text, cutoff=cutoff).disjuncts_of("w"))
        for cutoff in (1, 2, None, 3)
    }
    assert counts == {1: 1, 2: 2, None: 2, 3: 3}
    assert LinkGrammar.from_text("#define max-disjunct-cost 0.5;" + text).cutoff == 0.5
    assert (
        len(LinkGrammar.from_text("#define max-disjunct-cost 0.5;" + text, cutoff=3).disjuncts_of("w")) == 3
    )


def test_a_disjunct_without_connectors_is_left_out() -> None:
    assert [text for text, _ in disjuncts("{A+}")] == ["A+"]
    assert disjuncts("()") == []


def test_entries_of_one_word() -> None:
    grammar = LinkGrammar.from_text("saw.n saw.v: A+; saw: A+; saw.x: [A+]; z.1: B+; Dr.: C+;")
    assert [(d.word, d.cost) for d in grammar.disjuncts_of("saw")] == [
        ("saw", 0.0), ("saw.n", 0.0), ("saw.v", 0.0), ("saw.x", 1.0),
    ]  # fmt: skip
    assert [d.word for d in grammar.disjuncts_of("z.1")] == ["z.1"]
    assert [d.word for d in grammar.disjuncts_of("Dr.")] == ["Dr."]


def test_words_may_stand_for_their_expressions() -> None:
    grammar = LinkGrammar.from_text("run.v: A+ or B+; walk: run.v & C+; stroll: [walk]0.5;")
    assert [(str(d), d.cost) for d in grammar.disjuncts_of("stroll")] == [("A+ & C+", 0.5), ("B+ & C+", 0.5)]


def test_comments_and_quotes() -> None:
    text = '% a: A+;\na: A+ % & B+\n; "%" ";" """ b: B+;'
    grammar = LinkGrammar.from_text(text)
    assert [str(d) for d in grammar.disjuncts_of("a")] == ["A+"]
    for word in ("%", ";", '"', "b"):
        assert [str(d) for d in grammar.disjuncts_of(word)] == ["B+"]


def test_idioms() -> None:
    grammar = LinkGrammar.from_text("kind_of: A+; a_b_c: B+; of: C-;")
    forms = {
        word: [(d.word, str(d)) for d in grammar.disjuncts_of(word)] for word in ("kind", "of", "a", "b", "c")
    }
    assert forms == {
        "kind": [("kind.I", "ID+")],
        "of": [("of", "C-"), ("of.I", "ID- & A+")],
        "a": [("a.I", "IDC+")],
        "b": [("b.I", "IDC- & IDB+")],
        "c": [("c.I", "IDB- & B+")],
    }
    assert [str(d) for d in grammar.disjuncts_of("kind_of")] == ["A+"]


def test_the_words_of_an_idiom_must_follow_one_another_in_order() -> None:
    grammar = LinkGrammar.from_text("as_well_as: X+; it: X-; as: Y-;")
    sizes = {
        text: grammar.for_sentence(Sentence.of(text)).size
        for text in ("as well as it", "well as as it", "as it")
    }
    assert sizes == {"as well as it": 4, "well as as it": 0, "as it": 0}


def test_word_files(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "words").mkdir(parents=True)
    (folder / "4.0.dict").write_text("/own/words/nouns dog: A+;\n/words/verbs: A-;\n")
    (folder / "words" / "nouns").write_text("cat.n\nsnake.n  park\n")
    (folder / "words" / "verbs").write_text("runs")
    grammar = LinkGrammar.read(folder)
    assert [grammar.disjuncts_of(w)[0].word for w in ("cat", "snake", "park", "dog", "runs")] == [
        "cat.n", "snake.n", "park", "dog", "runs",
    ]  # fmt: skip


def test_dialects(tmp_path: Path, written: Written) -> None:
    (tmp_path / "4.0.dict").write_text("w: [A+]cheap or [B+]dear or [C+]never or [[D+]cheap]1.5;")
    written(
        "4.0.dialect",
        "% costs\n[default]\nplain\n\n[plain]\ncheap: 0.5\ndear: 4\nnever:\n[other]\ncheap: 9\n",
    )
    grammar = LinkGrammar.read(tmp_path)
    assert [(str(d), d.cost) for d in grammar.disjuncts_of("w")] == [("A+", 0.5), ("D+", 2.0)]


def test_reading_a_folder_a_file_and_a_text() -> None:
    folder = LinkGrammar.read(DICTIONARIES / "mini")
    file = LinkGrammar.read(DICTIONARIES / "mini" / "4.0.dict")
    assert folder == file
    assert hash(folder) == hash(file)
    assert folder != LinkGrammar.read(DICTIONARIES / "mini", cutoff=1)
    assert folder != LinkGrammar.read(DICTIONARIES / "classic")
    assert {w.code for w in folder.warnings} == {"lonely-connector"}
    lines = (DICTIONARIES / "classic" / "4.0.dict").read_text()
    text = LinkGrammar.from_text(lines)
    assert text.disjuncts_of("cat") == LinkGrammar.read(DICTIONARIES / "classic").disjuncts_of("cat")


def test_words_that_were_no_text_before_python_read_them() -> None:
    word = "caf\udce9"
    assert [str(d) for d in LinkGrammar.from_text(f"{word}: A+;").disjuncts_of(word)] == ["A+"]


def test_idiom_names_do_not_run_out_of_letters() -> None:
    words = " ".join(f"a_x{i}" for i in range(60))
    grammar = LinkGrammar.from_text(f"{words}: A+;")
    assert len({str(d) for d in grammar.disjuncts_of("a")}) == 60


_CONNECTOR = st.sampled_from([read_connector(c) for c in ("A+", "B+", "A-", "@C-")])
_COST = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.4, -0.3])


def _deeper(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(all_of, some),
        st.builds(one_of_these, some),
        inner.map(optional),
        st.builds(costing, inner, _COST),
    )


_EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(_CONNECTOR.map(Single), _deeper, max_leaves=8)
_Clause = tuple[tuple[Connector, ...], float, float]


def _by_definition(e: Expression) -> list[_Clause]:
    """Every clause: its connectors in order, its cost, and its number for the cut-off."""
    if isinstance(e, Single):
        return [((e.connector,), e.cost, e.cost)]
    if isinstance(e, One):
        return [
            (c, cost + e.cost, m + e.cost) for operand in e.operands for c, cost, m in _by_definition(operand)
        ]
    found: list[_Clause] = [((), 0.0, 0.0)]
    for operand in e.operands:
        following = _by_definition(operand)
        found = [(c + d, a + b, max(m, o)) for c, a, m in found for d, b, o in following]
    return [(c, cost + e.cost, m + e.cost) for c, cost, m in found]


@settings(max_examples=120)
@given(_EXPRESSIONS, st.sampled_from([0.0, 1.0, 2.7]))
def test_expansion_against_its_definition(expression: Expression, cutoff: float) -> None:
    clauses = [(c, cost) for c, cost, m in _by_definition(expression) if m <= cutoff + 1e-6]
    best: dict[tuple[tuple[Connector, ...], tuple[Connector, ...]], float] = {}
    for connectors, cost in clauses:
        key = tuple(c for c in connectors if not c.right), tuple(c for c in connectors if c.right)
        best[key] = min(cost, best.get(key, cost))
    best.pop(((), ()), None)
    found = Preparation(NO_LIMITS, cutoff).disjuncts([[("w", expression)]], FREE).disjuncts[0]
    assert {(d.left, d.right) for d in found} == set(best)
    assert all(abs(best[d.left, d.right] - d.cost) < 1e-5 for d in found)
    assert list(found) == sorted(found)
    assert count_clauses(expression, cutoff) == len(clauses)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^[^[:alpha:]]+$", ["12"], ["1a", "a1"]),
        ("^[[:upper:]].*[^iuoys']s$", ["Dogs"], ["dogs", "Boss"]),
        ("^[0-9,.]*[0-9]$", ["10", "1,000.5"], ["10.", "x"]),
        (r"^[0-9]+\/[0-9]+$", ["1/2"], ["12"]),
        (r"^[[:alnum:].-]+$", ["a-b.c"], ["a_b"]),
        (r"^[][]$", ["[", "]"], ["x"]),
        (r"^[^[:punct:]]$", ["x"], [".", "/"]),
        (r"^[^'’]*[^[:alnum:]]$", ["a."], ["'a.", "ab"]),
        ("^[a-c-]$", ["b", "-"], ["d"]),
    ],
)
def test_patterns(pattern: str, yes: list[str], no: list[str]) -> None:
    (found,) = read_regexes(text_of(f"<X>: /{pattern}/", "4.0.regex"))
    assert [bool(found.pattern.search(word)) for word in (*yes, *no)] == [True] * len(yes) + [False] * len(no)
    assert translated("a(b|c)*") == "a(b|c)*"


def test_the_first_pattern_counts_and_exclusions_close_a_run() -> None:
    lines = "<A>: !/^x/\n<A>: /y$/\n<B>: /^./ % rest\n<C>:\n  /^z/\n"
    patterns = read_regexes(text_of(lines, "4.0.regex"))
    assert [entry_for(patterns, word) for word in ("ay", "xy", "a")] == ["<A>", "<B>", "<B>"]
    assert entry_for(patterns[:2], "q") is None
    assert patterns[3].name == "<C>"


def test_expressions_compare_by_identity() -> None:
    assert All(()) != All(())
