"""Help in groups with examples, one name for one thing in all commands, sentences of a treebank by number."""

import csv
import inspect
import io
import re
import shlex
from pathlib import Path

import pytest

from schemata.cli.command import Option
from schemata.cli.main import COMMANDS, command_of, main
from schemata.cli.usage import EXAMPLES, parser_of
from tests.support.commands import Cli, Prints, Tells, conllu

QUICK = {"list", "show", "check", "run", "explain", "why-not", "compare", "complexity", "next", "oracle"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_are_understood(name: str) -> None:
    assert (1 if name == "lsp" else 2) <= len(EXAMPLES[name]) <= 3
    for example in EXAMPLES[name]:
        _, *words = shlex.split(example)
        parser_of(name, command_of(name)).parse_intermixed_args(words)


@pytest.mark.parametrize("name", sorted(QUICK))
def test_the_examples_run(name: str, cli: Cli) -> None:
    for example in EXAMPLES[name]:
        answer = cli(*shlex.split(example))
        assert (answer.code in (0, 1), "error" in answer.err) == (True, False), example


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_every_option_once_and_the_examples(name: str, prints: Prints) -> None:
    text = prints(name, "--help")
    begins = [line.split()[0].rstrip(",") for line in text.splitlines() if line.startswith("  -")]
    for option in command_of(name).options:
        if option.flags[-1].startswith("-"):
            assert begins.count(option.flags[0]) == 1, option.flags
    assert all(f"  schemata {example}" in text for example in EXAMPLES.get(name, ()))
    assert text == prints("help", name)


# What an option of several commands is about, where it differs: the rest of the help says the same everywhere.
ABOUT = {
    "--svg": r"draw (.+?)(, with .*)? as SVG(; .*)?",
    "--dot": r"draw .+ in DOT, for Graphviz",
    "--tikz": r"draw .+ for LaTeX \(.*\)",
    "--latex": r"print .+ in LaTeX(,? .*)?",
    "--plot": r"plot .+ as \.svg, \.png or \.pdf",
    "--output": r"write .+ to a file(, .*)?",
    "--limit": r"at most N .+ are shown.*",
    "--most": r"at most N (prefixes|sentences).*",
    "--max-n": r"the greatest number of words( .+)?",
    "--random": r"try N random .+",
    "--sentence": r"the sentence,? .+",
}
# Options whose meaning is another one in some command, and why that is kept.
APART = {
    (
        "list",
        "--grammar",
    ): "it searches for schemata over a kind of grammar, as --class searches for those of a class",
    ("constraints", "--grammar"): "no other kind of grammar is possible, and both that are shipped are named",
    ("verify", "--grammar"): "it tries the sentences of one grammar in place of many",
    ("playground", "--export"): "a page is exported, for a web server",
    ("run", "--conllu"): "several treebanks at once: a row for each sentence",
    ("compare", "--conllu"): "several treebanks at once: a table for each, and one for all",
    ("new", "--kind"): "the kinds of what is made are those of new",
    ("relate", "--kind"): "the kinds of what is decided are those of relations",
    ("grammar", "--kind"): "the kinds of what is made are those of grammars",
    ("constraints", "--repair"): "what is repaired is what is asked about: an analysis, not a schema",
    ("run", "--svg"): "a directory is possible, which takes all that is listed",
}


def _meaning(option: Option) -> tuple[object, ...]:
    """The value that an option takes, and what its help says of it, without defaults."""
    settings = option.settings
    kind = settings.get("type")
    if kind is not None and "value_of" in kind.__qualname__:
        kind = inspect.getclosurevars(kind).nonlocals["kind"]
    said = re.sub(r" \((default|without)[^)]*\)$|^with --[a-z-]+: ", "", settings["help"])
    pattern = ABOUT.get(option.name)
    if pattern is not None:
        assert re.fullmatch(pattern, said), f"{option.name}: {said}"
    value = settings.get("metavar"), settings.get("nargs"), settings.get("action"), settings.get("choices")
    return option.flags, value, kind, pattern or said


def test_an_option_is_the_same_in_all_commands() -> None:
    """It has one value, one type, and one meaning; the exceptions are few, and each is needed."""
    meanings: dict[str, dict[str, tuple[object, ...]]] = {}
    for name in COMMANDS:
        for option in command_of(name).options:
            if option.name.startswith("-"):
                meanings.setdefault(option.name, {})[name] = _meaning(option)
    for option, found in meanings.items():
        usual = {meaning for name, meaning in found.items() if (name, option) not in APART}
        assert len(usual) <= 1, (option, found)
        for name, meaning in found.items():
            assert (name, option) not in APART or (len(found) > 1 and meaning not in usual), (name, option)
    assert all(option in meanings and name in meanings[option] for name, option in APART)


def test_options_stand_under_their_headings(prints: Prints) -> None:
    text = prints("run --help")
    headings = [
        "arguments:",
        "options:",
        "sentences and treebanks:",
        "the grammar:",
        "weights and strategies:",
    ]
    headings += ["pictures and formats:", "limits:", "examples:"]
    places = [text.index(f"\n{heading}\n") for heading in headings]
    assert places == sorted(places)
    assert places[3] < text.index("  --grammar G") < places[4]
    assert places[6] < text.index("  --max-seconds S") < places[7]


def test_tables_with_commas_and_tabs_tell_the_same(prints: Prints) -> None:
    for words in (
        "run eisner1996 --conllu example --grammar gold",
        "compare eisner1996 mh --lengths 2..4 --no-seconds",
        "coverage example",
    ):
        tables = [
            list(csv.reader(io.StringIO(prints(f"{words} {option}")), delimiter=between))
            for option, between in (("--csv", ","), ("--tsv", "\t"))
        ]
        assert tables[0] == tables[1]
        assert len(tables[0]) > 3
        assert len({len(row) for row in tables[0]}) == 1
    assert prints("coverage example --latex") == prints("coverage example --format latex")


def test_a_sentence_of_a_treebank_by_its_number(tells: Tells, prints: Prints, cli: Cli, tmp_path) -> None:
    words = "run eisner1996 --conllu example --grammar gold"
    rows = prints(f"{words} --tsv").splitlines()[1:]
    for number, row in enumerate(rows, start=1):
        one = tells(f"{words} --number {number}", code=0 if "accepted" in row else 1)
        items = int(row.split("\t")[2])
        assert (one["items"], one["accepted"]) == (items, "accepted" in row)
    picture = tmp_path / "x.tex"
    prints(f"{words} --number 2 --tikz {picture} --svg {tmp_path / 'x.svg'}")
    assert "slept" in picture.read_text(encoding="utf-8")
    assert "slept" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "has no sentence 4" in cli(f"{words} --number 4").err
    assert cli(f"{words} --number 1 --tsv").code == 2
    assert "--number N takes one of them" in cli(f"{words} --trace").err
    assert "goes with --conllu" in cli("run eisner1996 a --number 1").err


def test_errors_are_json(tells: Tells, cli: Cli) -> None:
    found = tells("run eisner1996 a --grammar nowhere.drules", code=2)
    (error,) = found["errors"]
    assert (error["code"], error["file"], error["line"]) == ("file-not-found", "nowhere.drules", 1)
    assert "there is no such file" in cli("run eisner1996 a --grammar nowhere.drules --json").err
    assert tells("run eisner1996 a --gramar x", code=2)["errors"][0]["hint"] == "did you mean --grammar?"


def test_a_compared_schema_is_warm(monkeypatch: pytest.MonkeyPatch, prints: Prints) -> None:
    """A first short run is measured again; ratios of times that are mere noise are left out."""
    from schemata.workbench import ParsingSchema

    runs: list[str] = []
    run = ParsingSchema.run

    def counted(self: ParsingSchema, *words, **options):
        runs.append(self.name)
        return run(self, *words, **options)

    monkeypatch.setattr(ParsingSchema, "run", counted)
    text = prints("compare eisner1996 mh --lengths 2,3")
    assert (runs.count("eisner1996"), runs.count("mh")) == (3, 3)
    ratios = text.split("\n\n")[1]
    assert "items" in ratios


@pytest.mark.parametrize(
    ("former", "present", "note"),
    [
        (
            ["relate", "eisner1996", "yamada-matsumoto2003", "--counts", "2..3", "--json"],
            ["relate", "eisner1996", "yamada-matsumoto2003", "--lengths", "2..3", "--json"],
            "--counts is now called --lengths",
        ),
        (
            ["explain", "eisner1996", "a b c", "span[0, 2, false, true]", "--all"],
            ["explain", "eisner1996", "a b c", "span[0, 2, false, true]", "--every-step"],
            "--all is now called --every-step",
        ),
        (
            ["compare", "eisner1996", "collins1996", "a b", "--random=.5", "--no-seconds"],
            ["compare", "eisner1996", "collins1996", "a b", "--density=.5", "--no-seconds"],
            "--random is now called --density",
        ),
    ],
)
def test_former_names_of_options_are_read(
    former: list[str], present: list[str], note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was written for an earlier version gives the same answer, and a note for the next time."""
    answers = []
    for words in (former, present):
        assert main(words) in (0, 1)
        answers.append(capsys.readouterr())
    assert answers[0].out == answers[1].out
    assert note in answers[0].err
    assert note not in answers[1].err


def test_words_after_two_hyphens_are_no_options(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-bank.conllu").write_text(conllu(one="a/D/2 b/N/0"))
    (tmp_path / "--json.cfg").write_text('S -> "a"\n')
    assert cli("coverage", "--", "-bank.conllu").out.startswith("-bank.conllu: 1 tree\n")
    assert cli("coverage --json", "--", "-bank.conllu").out.startswith("{")
    assert cli("check", "--", "--json.cfg").out == "--json.cfg: no errors\n"
    assert cli("run cyk", "--", "-a").out == cli("run cyk", "x").out.replace("x", "-a")
    assert cli("check", "--", "-missing.schema").err.startswith(
        "-missing.schema:1:1: error: there is no such file"
    )
    assert "\0" not in cli("explain eisner1996", "--", "a", "-b").err
