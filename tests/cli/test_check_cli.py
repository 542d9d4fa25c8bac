"""`schemata check` on grammars; and the warnings about dictionaries and sentences that every command tells."""

import json
import re
import time
from pathlib import Path

import pytest

from tests.support.charts import schema_text
from tests.support.commands import Cli, Prints, Tells, Written, conllu

GOOD = {
    "ten.dict": "a: A+; b: A-;",
    "some.drules": "root any\nhead any takes any\n",
    "some.deprules": "root S\nS(N *)\nN(*)\nsees : S\nKim : N\n",
    "some.cfg": 'S -> NP VP\nNP -> "Kim"\nVP -> "sleeps"\n',
    "4.0.affix": '".": RPUNC+;',
    "4.0.regex": "<A>: /x/",
    "4.0.dialect": "[default]\ncheap: 1",
}
DOUBTFUL = {
    "ten.dict": ("a: A+ or C+; b: A-;", "1:10: warning: no word has a connector to the left that matches C+"),
    "some.drules": ("head any takes any\n", "warning"),
    "some.cfg": ('S -> "a"\nT -> "b"\n', "2:1: warning: the rules of T are never used"),
}
BROKEN = {
    "ten.dict": ("a: A+ & ;\nb: <m>;\n", ["1:9: error: ", "2:4: error: there is no macro <m>"]),
    "some.drules": ("head NOUN take DET\nfoo\n", ["1:11: error: ", "2:1: error: "]),
    "some.deprules": ("root S\nS(N *)\n", ["error: "]),
    "some.cfg": ('S -> "a\n', ["error: "]),
    "4.0.affix": ("( : RPUNC+;", ["1:1: error: "]),
    "4.0.regex": ("<A>: /(/", ["1:1: error: "]),
    "4.0.dialect": ("cheap: 1", ["1:1: error: "]),
}


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str, written: Written, cli: Cli) -> None:
    path = written(name, GOOD[name])
    assert cli("check", str(path)) == (0, f"{path}: no errors\n", "")


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubtful(name: str, written: Written, cli: Cli) -> None:
    text, said = DOUBTFUL[name]
    path = written(name, text)
    code, out, err = cli("check", str(path))
    assert (code, out) == (0, f"{path}: 1 warning\n")
    assert said in err


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str, written: Written, cli: Cli, tells: Tells) -> None:
    text, said = BROKEN[name]
    path = written(name, text)
    code, out, err = cli("check", str(path))
    assert code == 1
    assert out.endswith(f": {len(said)} error{'s' if len(said) > 1 else ''}\n")
    assert f"{path}:" in err
    assert all(part in err for part in said), err
    (found,) = tells("check", str(path), code=1)["files"]
    assert (found["ok"], len(found["findings"])) == (False, len(said))


def test_a_folder(tmp_path: Path, prints: Prints, warns: Prints) -> None:
    assert f"there is nothing to check in the folder {tmp_path}" in warns("check", str(tmp_path))
    for nothing in ("", " "):  # which is not the folder in which one is
        assert "this names no file" in warns("check", nothing)
    (tmp_path / "4.0.dict").write_text("a: A+; b: A-;")
    assert prints("check", str(tmp_path)) == f"{tmp_path}: no errors\n"
    (tmp_path / "4.0.affix").write_text("( : RPUNC+;")
    assert "4.0.affix:1:1: error" in warns("check", str(tmp_path), code=1)


def test_files_that_are_read_by_other_commands(warns: Prints) -> None:
    for name in ("english.conllu", "hearing.scores"):
        assert f"{name} is not a schema, relation or grammar" in warns("check", f"examples/{name}", code=1)


def test_a_missing_grammar(tmp_path: Path, warns: Prints) -> None:
    for name in ("no.dict", "no.cfg"):
        assert "there is no such file" in warns("check", str(tmp_path / name), code=1)


SPLIT = {"dict": 'a: A+; Dr. b: A-; Dr: A- & B+; ".": B-;', "affix": '".": RPUNC+;'}
ABOUT_DR = 'word 2 is read as "Dr."; link-parser also reads it as "Dr ."'
NAME = "eisner-lg"  # reads no word graphs, so that it takes one reading


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, text in SPLIT.items():
        (tmp_path / f"4.0.{name}").write_text(text, encoding="utf-8")
    return str(tmp_path)


@pytest.fixture
def lonely(written: Written) -> str:
    path = written("lonely.dict", "a: A+ or C+;\nb: A-;\n")
    return str(path)


def corpus(tmp_path: Path, *sentences: str) -> str:
    rows = (" ".join(f"{word}/X/{k}" for k, word in enumerate(s.split())) for s in sentences)
    path = tmp_path / "some.conllu"
    path.write_text(conllu(**{f"s{k}": row for k, row in enumerate(rows, start=1)}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ("run", NAME, "a Dr."),
        ("run", NAME, "a Dr.", "--trace"),
        ("why-not", NAME, "a Dr."),
        ("why-not", NAME, "a Dr.", "span[0, 1, _, _, _, _, true, _]"),
        ("explain", NAME, "a Dr.", 'span[0, 1, "a#1: A+ .", "Dr.#1: A- .", <>, <>, false, false]'),
        (
            "explain",
            NAME,
            "a Dr.",
            'span[0, 1, "a#1: A+ .", "Dr.#1: A- .", <>, <>, true, true]',
            "--every-step",
        ),
        ("profile", NAME, "a Dr."),
        ("compare", NAME, "sleator-temperley1991", "a Dr."),
    ],
)
def test_single_sentences(words: tuple[str, ...], folder: str, cli: Cli) -> None:
    _, _, err = cli(*words, "--grammar", folder)
    assert err.count(f"warning: {ABOUT_DR}") == 1, err
    _, text, err = cli(*words, "--grammar", folder, "--json")
    if text and "errors" not in json.loads(text):
        (found,) = json.loads(text)["warnings"]
        (found,) = found.get("findings", [found])
        assert (found["code"], found["severity"], found["message"]) == ("other-reading", "warning", ABOUT_DR)
    _, text, err = cli(*(word.replace("Dr.", "b") for word in words), "--grammar", folder, "--json")
    assert "warning" not in text + err


def test_a_corpus(folder: str, tmp_path: Path, cli: Cli, warns: Prints) -> None:
    file = corpus(tmp_path, "a b", "a Dr.", "a b", "a Dr.")
    err = warns("run", NAME, "--conllu", file, "--grammar", folder, code=0)
    assert err.splitlines() == [
        f"{file}:6:1: warning: sentence s2: {ABOUT_DR}",
        "  hint: link-parser has linkages with that as well",
        f"{file}:14:1: warning: sentence s4: {ABOUT_DR}",
        "  hint: link-parser has linkages with that as well",
    ]
    _, text, _ = cli("run", NAME, "--conllu", file, "--grammar", folder, "--json")
    found = [json.loads(line) for line in text.splitlines()]
    assert [x["sent_id"] for x in found if "warnings" in x] == ["s2", "s4"]
    assert [x["warnings"][0]["message"] for x in found if "warnings" in x] == [ABOUT_DR] * 2
    words = ("compare", NAME, "sleator-temperley1991", "--conllu", file, "--grammar", folder)
    _, text, compared = cli(*words, "--json")
    assert compared == err
    assert [x["sentence"] for x in json.loads(text)["warnings"]] == ["s2", "s4"]


@pytest.mark.parametrize("command", [("run", NAME), ("compare", NAME, "sleator-temperley1991")])
def test_of_a_corpus_ten_are_told(command: tuple[str, ...], folder: str, tmp_path: Path, cli: Cli) -> None:
    file = corpus(tmp_path, *["a Dr."] * 12, "a b")
    _, _, err = cli(*command, "--conllu", file, "--grammar", folder)
    assert err.count(ABOUT_DR) == 10
    assert err.splitlines()[-2:] == [f"warning: 2 more warnings about {file}", "  hint: --json has them all"]
    _, text, _ = cli(*command, "--conllu", file, "--grammar", folder, "--json")
    assert text.count('"other-reading"') == 12


@pytest.mark.parametrize(
    "words",
    [
        ("run", NAME, "a b"),
        ("why-not", NAME, "a b"),
        ("explain", NAME, "a b", 'span[0, 1, "a#1: A+ .", "b#1: A- .", <>, <>, true, true]'),
        ("profile", NAME, "a b"),
        ("compare", NAME, "sleator-temperley1991", "a b"),
    ],
)
def test_dictionaries(words: tuple[str, ...], lonely: str, warns: Prints) -> None:
    err = warns(*words, "--grammar", lonely, code=0)
    assert err.splitlines()[:3] == [
        f"{lonely}:1:10: warning: no word has a connector to the left that matches C+",
        "  | a: A+ or C+;",
        "  |          ^^",
    ]
    assert err.count("warning") == 1


def test_a_dictionary_in_a_corpus_run(lonely: str, tmp_path: Path, cli: Cli) -> None:
    file = corpus(tmp_path, "a b", "a b")
    for command in (("run", NAME), ("compare", NAME, "eisner-lg")):
        _, _, err = cli(*command, "--conllu", file, "--grammar", lonely)
        assert err.count("warning") == 1


def test_of_a_dictionary_ten_are_told(written: Written, cli: Cli) -> None:
    path = written("many.dict", "".join(f"w{k}: X{chr(65 + k)}+;\n" for k in range(11)) + "a: A+; b: A-;")
    _, _, err = cli("run", NAME, "a b", "--grammar", str(path))
    assert err.count("connector to the left that matches") == 10
    assert err.splitlines()[-2:] == [
        f"warning: 1 more warning about {path}",
        f"  hint: schemata check {path} tells all",
    ]


def test_other_grammars(written: Written, warns: Prints) -> None:
    path = written("rootless.drules", "head any takes any\n")
    assert warns("run eisner1996", "a b", "--grammar", str(path), code=1).count("warning") == 1


def test_check_and_run_agree_on_what_cannot_be_run(written: Written, cli: Cli) -> None:
    """Sixteen flags are more choices than a step may have; eight are not."""
    text = schema_text("flags")
    few = re.sub(", (k|l|m|o|p|q|r|s)\\b(: flag)?", "", text)
    few = few.replace(", false" * 16, ", false" * 8).replace(", _" * 16, ", _" * 8)
    for body, code in ((text, 1), (few, 0)):
        path = str(written("flags.schema", body))
        checked, ran = cli("check", path), cli("run", path, "a b")
        assert (checked.code, ran.code) == (code, 2 * code)
        assert (
            ("more than 4096 choices" in checked.err) == ("more than 4096 choices" in ran.err) == bool(code)
        )


def test_a_grammar_of_which_half_is_wrong_is_checked_soon(written: Written, cli: Cli) -> None:
    """A hundred mistakes are shown, and the time does not grow with the square of all."""
    rules = "".join(f"S{k} -> A{k} B\n" if k % 2 else f"S{k} > A{k} ( B\n" for k in range(40_000))
    path = written("half.cfg", rules)
    began = time.process_time()
    answer = cli("check", str(path))
    assert time.process_time() - began < 20  # it took a minute
    assert answer.code == 1
    assert "and 19,900 more mistakes in this file" in answer.err


def test_a_file_to_lay_out_that_is_not_there_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "eisner.schema").write_text("schema eisner", "utf-8")
    code, out, err = cli("format", str(tmp_path / "eisnr.schema"))
    assert (code, out) == (2, "")
    assert err.startswith("error: there is no file ")
    assert "did you mean eisner.schema?" in err
    (tmp_path / "b.txt").write_text("schema b", "utf-8")
    assert "b.txt is not a schema file" in cli("format", str(tmp_path / "b.txt")).err
    assert "there is no file" in cli("format", str(tmp_path / "nowhere" / "b.schema")).err
