"""Lexers for Pygments colour every shipped file, keep its text, and know keywords, comments and names."""

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("pygments")

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Operator, String

from schemata.display.highlighting import GrammarLexer, SchemaLexer
from schemata.language.library import shipped_relations
from schemata.language.shipped import shipped_files, shipped_schemata
from tests.support import script

ROOT = Path(__file__).parents[2]
SUFFIXES = ".drules", ".deprules", ".cfg", ".facts"


def coloured(lexer: Lexer, text: str) -> dict[str, list[object]]:
    """Return the kinds of each token's text; the text is kept, and nothing is an error."""
    tokens = list(lexer.get_tokens(text))
    assert "".join(part for _, part in tokens).strip() == text.strip()
    assert not any(kind in Error for kind, _ in tokens)
    found: dict[str, list[object]] = {}
    for kind, part in tokens:
        found.setdefault(part, []).append(kind)
    return found


def test_every_shipped_file_is_coloured() -> None:
    for path in (*shipped_schemata().values(), *shipped_relations().values()):
        coloured(SchemaLexer(), path.read_text(encoding="utf-8"))
    for suffix in SUFFIXES:
        for path in shipped_files(suffix, "examples").values():
            coloured(GrammarLexer(), path.read_text(encoding="utf-8"))


def test_kinds_of_tokens() -> None:
    found = coloured(SchemaLexer(), shipped_schemata()["collins1996"].read_text(encoding="utf-8"))
    assert found["step"] == [Keyword.Declaration] * 2
    assert found["R-Link"] == [Name.Class]
    assert set(found["tree"]) == {Name.Function, Keyword}  # a form, and the word of a claim about its items
    assert found["tree"][-1] is Keyword
    assert found["means"] == [Keyword.Declaration]
    assert found["projective"] == [Name.Constant]
    assert set(found["attach"]) == {Keyword}
    assert set(found["position"]) == {Keyword.Type}
    assert found["d-rules"] == [Name.Constant]
    assert found["grammar"] == found["title"] == [Keyword.Declaration]  # indented
    assert {kind for part, kinds in found.items() if "---" in part for kind in kinds} == {Operator.Word}
    assert found['"Collins (1996): trees with their heads"'] == [String]
    assert Comment.Single in found["# A tree over the words i..j whose head is word h."]
    found = coloured(GrammarLexer(), 'root VERB\nhead "had" takes NOUN on the left  # so\n')
    assert (found["head"], found["takes"], found['"had"']) == ([Keyword.Declaration], [Keyword], [String])


def test_the_site_finds_them() -> None:
    from pygments.lexers import get_lexer_by_name

    script("site")
    assert isinstance(get_lexer_by_name("schema"), SchemaLexer)
    assert isinstance(get_lexer_by_name("drules"), GrammarLexer)


def test_the_lexers_are_registered() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    for place in points["pygments.lexers"].values():
        module, _, name = place.partition(":")
        assert getattr(import_module(module), name).aliases
