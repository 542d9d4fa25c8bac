"""The examples of the page on grammars are read out of it: files are parsed, Python is run."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.drule_files import parse_d_rules
from schemata.grammars.link_grammar import LinkGrammar
from schemata.grammars.rule_files import parse_context_free, parse_dependency_rules

PAGE = Path(__file__).parents[2] / "docs" / "grammars.md"
TEXT = PAGE.read_text("utf-8")
# Files with a name belong to the commands shown, which tests/docs runs.
NAMED = re.compile(r"^```(?:\w+ [^\n]*|console)\n.*?^```$", re.DOTALL | re.MULTILINE)
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", NAMED.sub("", TEXT), re.DOTALL | re.MULTILINE)

WARNINGS: dict[str, Callable[[str], tuple[Diagnostic, ...]]] = {
    "drules": lambda text: parse_d_rules(text)[1],
    "deprules": lambda text: parse_dependency_rules(text)[1],
    "cfg": lambda text: parse_context_free(text).warnings,
    "dict": lambda text: LinkGrammar.from_text(text).warnings,
}
FILES = [(kind, text) for kind, text in BLOCKS if kind in WARNINGS]


@pytest.mark.parametrize(("kind", "text"), FILES, ids=[f"{kind}-{at}" for at, (kind, _) in enumerate(FILES)])
def test_files(kind: str, text: str) -> None:
    findings = WARNINGS[kind](text)
    assert [d.code for d in findings if d.code != "no-root"] == []


def test_every_format_has_examples() -> None:
    assert {kind for kind, _ in BLOCKS} == {*WARNINGS, "python", ""}


def test_the_report_shown() -> None:
    (report,) = [text for kind, text in BLOCKS if kind == ""]
    with pytest.raises(GrammarError) as caught:
        parse_d_rules("root VERB\nhead NOUN take DET", "grammar.drules")
    assert str(caught.value) + "\n" == report


def test_python() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 5
    assert found.failed == 0
