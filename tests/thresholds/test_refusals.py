"""Each size that is refused: the least threshold under which something is taken on; under one less it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from schemata import Facts, LinkGrammar, ParsingSchema, WordGraph, run_paths
from schemata.correctness.answers import read_certificate
from schemata.errors import SchemataError, UsageError
from schemata.grammars.prefix_weights import PrefixTotals
from schemata.grammars.prefixes import Productions
from schemata.grammars.rule_files import parse_context_free
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema
from schemata.learning.systems import SystemSettings
from schemata.structures import DependencyTree
from schemata.structures.oracles import oracle
from schemata.structures.word_graphs import Arc
from schemata.thresholds import changed, thresholds
from schemata.weights.scores import parse_weights
from tests.support.charts import schema_of
from tests.support.commands import Cli, Written, conllu

NEAR = pytest.approx(0.0754657019)
CYCLIC = 'S -> S S [.2] | "a" [.5] | "" [.3]\n'
PLAIN = """schema plain
hypothesis word[i] where 1 <= i <= n
item span[i: position, j: position, b: flag] where 0 <= i <= j <= n
step One
  word[i]
  --------------------
  span[i - 1, i, true]
step Two
  span[i, j, b] span[j, k, _]
  ---------------------------
  span[i, k, b]
final span[0, n, _]
"""
FACTS = PLAIN.replace("hypothesis", "relation of(word: word, category: symbol)\nhypothesis").replace(
    "  --------------------\n", "  --------------------  of(i, _)\n"
)


def fresh(name: str) -> ParsingSchema:
    """Return a shipped schema of which nothing was run yet."""
    return ParsingSchema(load_schema(name, {}))


def counts(schema: ParsingSchema, words: str, grammar: Any = None, engine: Any = "native") -> Any:
    chart = schema.run(words, grammar, engine=engine)
    return dict(chart.steps_by_name), chart.accepted


ANEW = count(100)


def readable(text: str) -> str:
    """Return the schema's name; its items have a name that was never read before, of which nothing is kept.

    Raises
    ------
    SchemataError : the text has errors.
    """
    schema, found = read_schema_text(text.replace("span", f"s{next(ANEW):06}"))
    if schema is None:
        raise SchemataError(found)
    return schema.name


FORKED = WordGraph.of_arcs([Arc("0", "1", word) for word in "abc"])
OF_WORDS = Facts.from_text("of(a, A)\nof(a, B)\n")
CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "distinct_structures": (
        lambda: fresh("eisner1996").run("a b c").total("count", distinct=True), "more than {} structures"
    ),
    "paths": (lambda: run_paths(fresh("nivre2003"), FORKED).accepted_count, "at most {} are run one by one"),
    "newton_rounds": (
        lambda: fresh("earley").run("a a", parse_context_free(CYCLIC)).total("real") == NEAR, "and {} rounds of Newton"
    ),
    "prefix_rounds": (
        lambda: [*PrefixTotals(Productions.of(parse_context_free(CYCLIC))).total], "is not found in {} rounds"
    ),
    "score_words": (lambda: bool(parse_weights("attach 12 to 7 [log -1]")), "no position 12.*from 0 to {}"),
    "kinds": (lambda: counts(schema_of(PLAIN), "a b c"), "more than {} shapes of items span"),
    "choices": (lambda: counts(schema_of(PLAIN), "a b c"), "more than {} choices of flags"),
    "rules": (lambda: counts(schema_of(PLAIN), "a b c"), "more than {} choices of flags"),
    "fact_rows": (lambda: counts(schema_of(FACTS), "a b a", OF_WORDS, "python"), "more than {} facts of of"),
    "stacks": (lambda: [*map(str, oracle("k-planar-system", DependencyTree((3, 4, 0, 3)), k=5))], "has {} at most"),
    "beam": (lambda: SystemSettings("arc-eager-system", oracle="static", beam=9).checked().beam, "{} at most"),
    "word_characters": (
        lambda: {*LinkGrammar.from_text("aaaaaaaaaa: B+; b: B-;").dictionary.entries}, "at most {} characters"
    ),
    "expression_levels": (
        lambda: len(LinkGrammar.from_text("a: (((((A+ or {B+}))) & {@C+ & {D+}})); b: A-;").dictionary.entries),
        "more than {} levels deep",
    ),
    "linkage_length": (
        lambda: counts(fresh("sleator-temperley1991"), "a b", LinkGrammar.from_text("a: A+; b: A-;")), "has at most {}"
    ),
    "nested_brackets": (lambda: readable(PLAIN.replace("0 <= i", "0 <= ((((i))))")), "nested more than {} deep"),
    "piece_characters": (lambda: readable(PLAIN), "at most {} characters"),
    "schema_line": (lambda: readable(PLAIN), "at most {} characters in a line"),
    "family_members": (lambda: load_schema("mgk", {"k": 1}).name, "too many layouts"),
    "layout_pieces": (lambda: load_schema("mgk", {"k": 1}).name, "too many layouts"),
}  # fmt: skip


def refusal(name: str, value: int, run: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return an answer under a threshold, and the message of a refusal."""
    with changed(**{name: value}):
        try:
            return run(), None
        except SchemataError as error:
            return None, "; ".join(f"{one.message}; {one.expected}" for one in error.diagnostics)


def assert_two_sides(name: str, run: Callable[[], Any], message: str) -> None:
    """There is a least value under which something runs, as always; one less is refused."""
    usual = run()
    low, high = 0, 1
    while refusal(name, high, run)[1] is not None:
        low, high = high, 2 * high
        assert low < thresholds()[name]
    while high - low > 1:
        middle = (low + high) // 2
        if refusal(name, middle, run)[1] is None:
            high = middle
        else:
            low = middle
    assert refusal(name, high, run) == (usual, None)
    found = refusal(name, low, run)[1]
    assert found is not None
    assert re.search(message.format(f"{low:,}"), found), found


@pytest.mark.parametrize("name", CASES)
def test_sizes(name: str) -> None:
    assert_two_sides(name, *CASES[name])


FILES = {
    "schema_bytes": ("check x.schema", "more than {} bytes"),
    "grammar_bytes": ("run cyk a --grammar x.cfg", "more than {} bytes"),
    "grammar_line": ("run cyk a --grammar x.cfg", "at most {} characters in a line"),
    "treebank_line": ("run eisner1996 --conllu x.conllu", "a line of more than {} bytes"),
    "made_up_words": ("compare eisner1996 collins1996 --lengths 2..3", "3 is more than {} words"),
    "certificate_file_bytes": ("relate --recheck x.json", "more than {} bytes"),
}


@pytest.mark.parametrize("name", FILES)
def test_sizes_of_files(name: str, cli: Cli, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written("x.schema", PLAIN.replace("schema plain", "schema x")).parent
    written("x.cfg", 'S -> "a"\n')
    written("x.conllu", conllu(one="a/D/2 b/N/0"))
    written("x.json", json.dumps([]))
    monkeypatch.chdir(folder)
    command, message = FILES[name]

    def run() -> str:
        answer = cli(command)
        if re.search(message.format("[0-9,]+"), answer.err):
            raise UsageError(answer.err)
        return re.sub(r"[0-9]+\.[0-9]+|[0-9,]+ sentences per", "", answer.out)  # seconds

    assert_two_sides(name, run, message)


LOOP = 'S -> S [.5] | "a" [.5]\n'


@pytest.mark.parametrize(("nearest", "total"), [(0.4, 1.0), (0.499, 1.0), (0.501, None), (0.6, None)])
def test_sums_near_one(nearest: float, total: float | None) -> None:
    """A round of a cycle that weighs a half is summed where that is far enough from 1, and else refused."""
    with changed(close_to_one=nearest):
        chart = fresh("earley").run("a", parse_context_free(LOOP))
        if total is not None:
            assert chart.total("real") == pytest.approx(total)
        else:
            with pytest.raises(UsageError, match=r"infinite|Newton"):
                chart.total("real")


@pytest.mark.parametrize("most", [0, 9, 10, 11])
def test_sizes_of_certificates(most: int, written: Written) -> None:
    """A file of ten bytes is not a certificate; it is too large just where fewer are allowed."""
    path = written("x.certificate", "0123456789")
    with changed(certificate_bytes=most), pytest.raises(UsageError) as error:
        read_certificate(path)
    assert (f"more than {most:,} bytes" in str(error.value)) == (most < 10)


@pytest.mark.parametrize("most", [1, 3, 16, 17, 1_000])
def test_lower_bounds_of_counts(most: int) -> None:
    """Where structures are not counted, as many are listed as are allowed; that there are no more is not claimed."""
    chart = fresh("eisner1996").run("a b c")
    exact = chart.forest().count_structures().exact
    with changed(lower_bound=most):
        count = fresh("eisner1996").run("a b c").forest().count_structures(0)
    assert exact is not None
    assert (count.exact, count.at_least) == (None, min(most, exact))
