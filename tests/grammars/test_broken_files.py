"""Every kind of mistake in a grammar file is reported exactly as the fixtures say, and bad files are too."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schemata.engine.control import Control
from schemata.errors import Diagnostic, GrammarError
from schemata.grammars import ContextFreeGrammar, DependencyRules, DRules, Facts, LinkGrammar
from schemata.grammars.rule_files import parse_context_free, parse_d_rules, parse_dependency_rules
from schemata.language.model import Relation
from schemata.weights.scores import Weights
from tests.support import titled_blocks
from tests.support.charts import schema_of, schema_text

Reader = Callable[[Path], Any]
READERS: dict[str, Reader] = {
    "drules": DRules.read,
    "deprules": DependencyRules.read,
    "cfg": ContextFreeGrammar.read,
}
PARSERS: dict[str, Callable[[str, str], object]] = {
    "drules": parse_d_rules,
    "deprules": parse_dependency_rules,
    "cfg": parse_context_free,
    "dict": lambda text, name: LinkGrammar.from_text(text, name=name),
    "facts": lambda text, name: Facts.from_text(text, name).for_schema(relations("chart")),
}


@cache
def relations(name: str) -> tuple[Relation, ...]:
    """Return what a schema that only tests use asks of facts."""
    return schema_of(schema_text(name)).definition.relations


OTHERS: dict[str, Reader] = {  # files with numbers in them
    "facts": lambda path: Facts.read(path).for_schema(relations("declared")),
    "scores": Weights.read,
    "control": Control.of,
}
CASES = titled_blocks(Path(__file__).with_name("broken.txt"))
GOOD = {
    "drules": 'root VERB\nhead NOUN takes DET on the left within 3  # a comment\nhead "saw"/VERB takes any\n',
    "deprules": "root S, T\nS(N * N)\nT(*)\nN(*)\nsees, : S\n".replace("sees,", '"sees,"')
    + "tag NOUN : N, T\n",
    "facts": 'lexical(the, NP/N)  # a comment\nlexical("cat", N) [0.5]\nlexical(tag VERB, (S\\NP)/NP) [log -1]\n'
    "lexical(_, 'N')\nrest(<A B>, 3)\nrest(<>, 0) [2]\nrest\tB A\t3\nstart\tS\n",
    "scores": "words a hearing is\nattach a to hearing [log 2]  # a comment\nattach is to 0 [.5]\notherwise [log -1]\n"
    "step Shift [log -0.1]\nstep Left-Arc where i is a, j is 2 [log -1.3]\n",
    "control": "beam 8\norder left-to-right  # cells\nheuristic links\nprefer Left-Arc Right-Arc\n",
    "cfg": "start S\nS -> NP VP | 'go' | ε\nNP -> \"the\" N\nN -> 'cat'\nVP : VP\ntag VERB : VP\n",
}


@pytest.mark.parametrize("title", CASES)
def test_report(title: str) -> None:
    text, _, told = CASES[title].partition("--- is told: ")
    with pytest.raises(GrammarError) as caught:
        PARSERS[title.partition(":")[0]](text, "g")
    codes = " ".join(diagnostic.code for diagnostic in caught.value.diagnostics)
    assert f"{codes}\n{caught.value}" == told


def test_there_are_cases_of_every_kind() -> None:
    assert {title.partition(":")[0] for title in CASES} == set(PARSERS)
    assert len(CASES) > 160


@pytest.fixture(params=READERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def refusal(kind: str, path: Path) -> str:
    with pytest.raises(GrammarError) as caught:
        READERS[kind](path)
    (diagnostic,) = caught.value.diagnostics
    place = diagnostic.location
    assert place.file == str(path)
    hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
    return f"{place.line}:{place.column}: {diagnostic.message}{hint}"


class TestFiles:
    def test_missing(self, kind: str, tmp_path: Path) -> None:
        (tmp_path / "grammar.txt").touch()
        assert refusal(kind, tmp_path / "gramar.txt") == (
            "1:1: there is no such file (did you mean grammar.txt?)"
        )
        assert refusal(kind, tmp_path / "nowhere" / "x") == (
            "1:1: there is no such file (the path is taken relative to the current directory)"
        )

    def test_directory(self, kind: str, tmp_path: Path) -> None:
        assert refusal(kind, tmp_path) == "1:1: this is a directory, not a file (name a file in it)"

    def test_name_with_a_null_character(self, kind: str) -> None:
        assert refusal(kind, Path("a\0b")) == "1:1: the file cannot be read: embedded null byte"

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"root S\r\nab\0c", "2:3: a null byte: this is not a text file (if it is text in UTF-16, convert it to "
             "UTF-8)"),
            ("# ok\né".encode() + b"\xe9t\xe9\n", "2:2: byte 0xE9 is not valid UTF-8 (save the file in UTF-8)"),
            ("root S".encode("utf-16"), "(the file looks like UTF-16: convert it to UTF-8)"),
            (b"\x1f\x8b\x08abc", "1:2: byte 0x8B is not valid UTF-8 (the file is compressed: decompress it)"),
            (b"#\n" + b"x" * 30_000, "2:20001: the line has 30,000 characters"),
        ],
        ids=["binary", "Latin-1", "UTF-16", "compressed", "an endless line"],
    )  # fmt: skip
    def test_no_text(self, kind: str, content: bytes, said: str, tmp_path: Path) -> None:
        (tmp_path / "g").write_bytes(content)
        assert refusal(kind, tmp_path / "g").endswith(said)

    def test_too_large(self, kind: str, tmp_path: Path) -> None:
        path = tmp_path / "g"
        path.write_bytes(b"# a comment\n" * 1_700_000)
        assert refusal(kind, path) == "1:1: the file has more than 20,000,000 bytes"

    def test_too_many_mistakes_are_counted(self, kind: str, tmp_path: Path) -> None:
        path = tmp_path / "g"
        path.write_text("nonsense here\n" * 1_234)
        with pytest.raises(GrammarError) as caught:
            READERS[kind](path)
        assert len(caught.value.diagnostics) == 101
        assert str(caught.value).endswith("and 1,134 more mistakes in this file")

    def test_mark_line_ends_and_normal_forms_make_no_difference(self, kind: str, tmp_path: Path) -> None:
        plain, other = tmp_path / "plain", tmp_path / "other"
        text = (
            GOOD[kind] + {"drules": "root \u00e9", "deprules": "\u00e9 : S", "cfg": "\u00e9 : N"}[kind] + "\n"
        )
        plain.write_text(text, "utf-8", newline="\n")
        other.write_text(text.replace("\u00e9", "e\u0301"), "utf-8-sig", newline="\r\n")
        assert READERS[kind](plain) == READERS[kind](other)


def mutated(text: str, rng: random.Random) -> bytes:
    """Return a text with a few of its pieces deleted, doubled, swapped or replaced by odd bytes."""
    data = bytearray(text.encode())
    odd = [
        *"""" ' ( ) * | -> : , / # \\ within takes root tag [ ] < > _ log otherwise where is step order prefer beam
        -1 1e999 nan 0 999999999999 \u200b é""".encode().split(),
        b"\n", b"\r", b" ", b"\t", b"\xff", b"\0",
    ]  # fmt: skip
    for _ in range(rng.randint(1, 6)):
        a, b = sorted(rng.choices(range(len(data) + 1), k=2))
        match rng.randrange(4):
            case 0:
                del data[a : min(b, a + 8)]
            case 1:
                data[a:a] = data[a : min(b, a + 20)]
            case 2:
                data[a:a] = rng.choice(odd)
            case 3:
                data[a : a + 1] = rng.choice(odd)
    return bytes(data)


@pytest.mark.parametrize("kind", READERS | OTHERS)
def test_mutated_files_raise_nothing_but_grammar_errors(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    read = (READERS | OTHERS)[kind]
    path = tmp_path / f"g.{kind}"
    outcomes = set()
    for _ in range(150):
        path.write_bytes(mutated(GOOD[kind], rng))
        found: tuple[Diagnostic, ...] | None = None
        try:
            read(path)
        except GrammarError as error:
            found = error.diagnostics
        assert found is None or found
        assert all(diagnostic.location and diagnostic.render() for diagnostic in found or ())
        outcomes.add("read" if found is None else "refused")
    assert outcomes == {"read", "refused"}
