"""The pages tell the truth: every command shown in README.md and docs/ is run, and its output compared.

A fenced block marked `console` holds commands after `$ ` and what they print. A line `...` stands for any
lines; figures of seconds are compared as `0.0`. Python blocks marked `python` are run as they stand.
"""

import contextlib
import doctest
import io
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from schemata.cli.main import main
from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.facts import Facts
from schemata.grammars.link_grammar import LinkGrammar
from schemata.grammars.rule_files import parse_context_free, parse_d_rules, parse_dependency_rules
from schemata.language.files import read_schema_text
from schemata.language.relations import read_relation_text

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
SECONDS = re.compile(r"\b\d+\.\d+(?:e-\d+)?(?= ?s\b|$)|(?<=seconds)( +)\d+\.\d+|(?<=\"seconds\": )[\d.e-]+")


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, m.start()) + 1, m[2])
        for m in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if m[1] == language
    ]


def files(page: Path) -> list[tuple[str, str]]:
    """Files a page shows: blocks ```schema NAME.schema and the like."""
    text = page.read_text(encoding="utf-8")
    return [
        (m[1], m[2])
        for m in re.finditer(r"^```\w+ ([\w.-]+\.\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def commands(block: str) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether what is shown is what is printed, `...` standing for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and plain(shown[0]) == plain(printed[0]) and matches(shown[1:], printed[1:])


def plain(line: str) -> str:
    return SECONDS.sub("0.0", line).rstrip()


CONSOLE = [(page, line, text) for page in PAGES for line, text in blocks(page, "console")]


@pytest.mark.parametrize(("page", "line", "text"), CONSOLE, ids=[f"{p.name}:{n}" for p, n, _ in CONSOLE])
@pytest.mark.rotated(5, 2)
def test_commands(page: Path, line: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in files(page):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for command, shown in commands(text):
        words = shlex.split(command)
        assert words[0] == "schemata", f"{page.name}:{line} shows another program"
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            main(words[1:])
        printed = (errors.getvalue() + output.getvalue()).splitlines()
        assert matches([s for s in shown if s.strip()], [p for p in printed if p.strip()]), "\n".join(
            [f"{page.name}:{line}: {command} prints", *printed]
        )


PYTHON = [page for page in PAGES if blocks(page, "python")]


@pytest.mark.parametrize("page", PYTHON, ids=[p.name for p in PYTHON])
@pytest.mark.rotated(3)
def test_python(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one page share their names; those with `>>>` are run as doctests."""
    for name, content in files(page):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for line, text in blocks(page, "python"):
        if not text.startswith(">>>"):
            exec(compile(text, f"{page.name}:{line}", "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(text, names, f"{page.name}:{line}", str(page), line)
        runner = doctest.DebugRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        names = test.globs


READERS = {"schema": read_schema_text, "relation": read_relation_text}
LEGAL = [(kind, page, line, text) for kind in READERS for page in PAGES for line, text in blocks(page, kind)]


@pytest.mark.parametrize(
    ("kind", "page", "line", "text"), LEGAL, ids=[f"{p.name}:{n}" for _, p, n, _ in LEGAL]
)
def test_schemata_and_relations(kind: str, page: Path, line: int, text: str) -> None:
    """A block marked with their kind is a whole file without mistakes; with a file name it is for the commands."""
    whole, findings = READERS[kind](text, f"{page.name}:{line}")
    assert whole is not None
    assert not findings, "\n".join(f.render() for f in findings)


WARNINGS: dict[str, Callable[[str], tuple[Diagnostic, ...]]] = {
    "drules": lambda text: parse_d_rules(text)[1],
    "deprules": lambda text: parse_dependency_rules(text)[1],
    "cfg": lambda text: parse_context_free(text).warnings,
    "facts": lambda text: Facts.from_text(text).warnings,
    "dict": lambda text: LinkGrammar.from_text(text).warnings,
}
GRAMMARS = [
    (kind, page, line, text) for kind in WARNINGS for page in PAGES for line, text in blocks(page, kind)
]


@pytest.mark.parametrize(
    ("kind", "page", "line", "text"), GRAMMARS, ids=[f"{p.name}:{n}" for _, p, n, _ in GRAMMARS]
)
def test_grammars(kind: str, page: Path, line: int, text: str) -> None:
    """A block marked with a kind of grammar is a whole file; one with a file name belongs to its page's commands."""
    assert [d.code for d in WARNINGS[kind](text) if d.code != "no-root"] == []


def test_every_kind_of_grammar_has_examples() -> None:
    """Whole files without a name, and those that the commands of a page read."""
    pages = [ROOT / "docs" / name for name in ("grammars.md", "own-grammars.md")]
    named = {name.rpartition(".")[2] for page in pages for name, _ in files(page)}
    assert {kind for kind, page, _, _ in GRAMMARS if page in pages} | named >= set(WARNINGS)


def test_the_report_shown() -> None:
    plain_blocks = blocks(ROOT / "docs" / "grammars.md", "")
    (report,) = [text for _, text in plain_blocks if text.startswith("grammar.drules:")]
    with pytest.raises(GrammarError) as caught:
        parse_d_rules("root VERB\nhead NOUN take DET", "grammar.drules")
    assert str(caught.value) + "\n" == report


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
