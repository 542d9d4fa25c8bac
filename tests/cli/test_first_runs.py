"""What a first run shows: one screen, one picture, and the parse a person expects from the shipped examples."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

import schemata
from schemata.errors import GrammarError
from schemata.grammars import grammar_from_option
from schemata.grammars.kinds import check_grammar_file
from schemata.language.shipped import shipped_schemata
from schemata.structures import DependencyTree, Sentence, tree_class
from schemata.treebanks import read_conllu
from tests.support.charts import shipped
from tests.support.commands import Cli, Prints, Tells

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SENTENCES = {
    "Economic news had little effect on financial markets": (2, 3, 0, 5, 3, 5, 8, 6),
    "Mary chased the big black cat today": (2, 0, 6, 6, 6, 2, 2),
}
FIRST = next(iter(SENTENCES))
UNSOUND = {"arc-eager-published"}  # finds other trees beside
NARROW = {"covington-lsup", "kahane1998-published", "vine"}  # do not find every projective tree
GRAPHS = {n for n in shipped_schemata() if shipped(n).definition.structure == "dependency graph"}  # no trees
TWICE = 2  # trees that are listed, so that a second one is seen


OF_FACTS = {name for name in shipped_schemata() if shipped(name).definition.grammar == "facts"}  # no English


@pytest.mark.parametrize("name", sorted(shipped_schemata().keys() - NARROW - GRAPHS - OF_FACTS))
@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.rotated(4)
def test_every_shipped_schema_reads_the_example_sentences(name: str, sentence: str) -> None:
    schema = shipped(name)
    chart = schema.run(sentence, grammar_from_option("example", schema.definition.grammar))
    assert chart.accepted
    forest = chart.forest()
    if schema.definition.builds_linkages:
        assert len(forest.linkages(TWICE)) == 1
    elif schema.definition.builds_links:
        trees = {tree.heads for tree in forest.trees(limit=None)}
        assert SENTENCES[sentence] in trees
        assert len(trees) == 1 or name in UNSOUND
    else:
        assert forest.derivation_count == 1


@pytest.mark.parametrize("suffix", [".drules", ".deprules", ".cfg", ".dict"])
def test_the_example_grammars_are_without_a_fault(suffix: str) -> None:
    assert check_grammar_file(EXAMPLES / f"english{suffix}") == []


def test_the_example_treebank() -> None:
    sentences = list(read_conllu(EXAMPLES / "english.conllu"))
    assert [type(sentence) for sentence in sentences] == [Sentence] * 3
    trees = [DependencyTree(sentence.heads or ()) for sentence in sentences if isinstance(sentence, Sentence)]
    assert [tree_class("projective").contains(tree) for tree in trees] == [True, True, False]


def test_the_examples_are_in_the_wheel_and_in_the_first_tutorial() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["force-include"]["examples"] == "schemata/examples"
    assert "examples" in targets["sdist"]["include"]
    tutorial = (ROOT / "docs" / "first-parse.md").read_text(encoding="utf-8")
    assert (EXAMPLES / "english.dict").read_text(encoding="utf-8") in tutorial


def test_the_first_command_of_the_readme_ends_in_the_parse_a_person_expects(prints: Prints) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(line for line in readme.splitlines() if ".venv/bin/schemata run" in line)
    words = shlex.split(first.partition(".venv/bin/schemata ")[2])
    out = prints(*words)
    assert f"tree 1: heads {' '.join(map(str, SENTENCES[FIRST]))}" in out
    assert " more tree" not in out
    assert len(out.splitlines()) <= 24


@pytest.mark.parametrize("schema", ["eisner1996", "mh", "wgk", "arc-eager"])
def test_a_run_shows_one_screen(cli: Cli, schema: str) -> None:
    _, out, _ = cli("run", schema, "the cat sat today")
    assert len(out.splitlines()) <= 32
    assert "tree 1:" in out
    assert "tree 2:" not in out
    assert out.splitlines()[-2].endswith(" more trees: --limit N draws the first N")
    assert (
        out.splitlines()[-1]
        == "every link is licensed: --grammar FILE restricts them (try --grammar example)"
    )


def test_more_trees_than_are_known_are_drawn(cli: Cli) -> None:
    """Twelve words have far more than the hundred that are known where no more effort is made to count them."""
    for limit, rest in ((60, "at least 40 more trees"), (101, "perhaps more trees")):
        _, out, _ = cli(
            "run eisner1996", "a b c d e f g h i j k l", "--limit", str(limit), "--tree-budget", "1"
        )
        assert f"tree {limit}:" in out
        assert f"\n{rest}: --limit N" in out


def test_a_limit_draws_more(cli: Cli) -> None:
    _, out, _ = cli("run eisner1996", "the cat sat", "--limit", "3")
    assert "tree 3:" in out
    assert "\n9 more trees: --limit N" in out
    _, out, _ = cli("run eisner1996", "the cat sat", "--limit", "12")
    assert "tree 12:" in out
    assert "more tree" not in out
    _, out, _ = cli("run eisner1996", "the cat sat", "--limit", "0")
    assert "tree 1" not in out
    _, out, _ = cli("run eisner1996", "the cat sat", "--json")
    assert len(json.loads(out)["trees"]) == 10


def test_more_linkages_are_not_cheaper(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "twice.dict").write_text("a: @A+ & @A+;\nb c d: A-;\n")
    _, out, _ = cli("run eisner-lg", "a b c d", "--grammar", str(tmp_path / "twice.dict"))
    assert out.endswith("\n1 more linkage, none cheaper: --limit N draws the first N\n")


def test_a_rejection_ends_with_a_command_to_paste(prints: Prints) -> None:
    out = prints("run eisner1996 --set end=0 a b it's d --grammar heads:3,4,0,3", code=1)
    last = out.splitlines()[-1]
    assert last.startswith("Try: schemata why-not eisner1996 ")
    assert "not derivable" in prints(*shlex.split(last.removeprefix("Try: schemata ")), code=1)


def test_no_example_of_other_words() -> None:
    grammar = grammar_from_option("example", "context-free")
    with pytest.raises(GrammarError, match="has no category in the grammar"):
        shipped("cyk").run("colourless ideas", grammar, strict=True)
    with pytest.raises(GrammarError, match="has no category in the grammar"):
        schemata.compare(["cyk", "earley"], "colourless ideas", grammar, strict=True)
    assert [row.accepted for row in schemata.compare("cyk", "colourless ideas", grammar).rows] == [0]


RED, YELLOW, GREEN, CYAN, BOLD, PLAIN = (
    f"\x1b[{code}m" for code in ("1;31", "1;33", "1;32", "1;36", "1", "0")
)


def test_colours_on_a_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, out, _ = cli("run eisner1996", "a b")
    assert f"2 words: {GREEN}accepted{PLAIN}" in out
    _, out, _ = cli("run eisner1996", "a b c d", "--grammar", "heads:3,4,0,3")
    assert f"4 words: {RED}not accepted{PLAIN}" in out
    assert f"{CYAN}Try:{PLAIN} schemata why-not" in out
    _, out, _ = cli("run eisner1996 --conllu example --grammar gold")
    assert f"  {GREEN}accepted{PLAIN}  " in out
    assert f"  {RED}rejected{PLAIN}  " in out
    (tmp_path / "bad.drules").write_text("root VERB\nhead NOUN take DET\n")
    _, _, err = cli("check", str(tmp_path / "bad.drules"))
    assert f"{RED}error{PLAIN}: {BOLD}take does not belong here{PLAIN}" in err
    assert f"{RED}          ^^^^{PLAIN}" in err
    assert f"{CYAN}hint{PLAIN}: did you mean takes?" in err
    (tmp_path / "bad.drules").write_text("head NOUN takes DET\n")
    assert f"{YELLOW}warning{PLAIN}" in cli("check", str(tmp_path / "bad.drules")).err


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}])
def test_no_colours_elsewhere(cli: Cli, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for words in (
        ["run", "eisner1996", "a b"],
        ["run", "eisnr1996", "a b"],
        ["run", "eisner1996", "--conllu", "example"],
    ):
        _, out, err = cli(*words)
        assert "\x1b" not in out + err


def test_colours_do_not_reach_json(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for words in (
        ["run", "eisner1996", "a b", "--json"],
        ["run", "eisner1996", "--conllu", "example", "--tsv"],
    ):
        assert "\x1b" not in cli(*words).out


def test_every_command_on_treebanks_takes_the_example(cli: Cli, prints: Prints, tmp_path: Path) -> None:
    grammar = str(tmp_path / "own.drules")
    assert cli("grammar extract example -o", grammar).code == 0
    for words in (["run", "mh"], ["compare", "mh", "hybrid"]):
        assert "sentences" in prints(*words, "--conllu", "example", "--grammar", grammar)


def test_advice_is_about_the_grammar_in_use(
    cli: Cli, prints: Prints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts say themselves what is a root, and schemata over facts are verified against others."""
    facts = tmp_path / "roots.facts"
    facts.write_text("below_root(a, x)\nbelow_root(b, x)\nlabel(a, b, x)\n", encoding="utf-8")
    found = prints("run eisner-labelled", "a b", "--grammar", str(facts))
    assert "2 derivations, 2 distinct trees" in found
    assert "--single-root" not in found
    monkeypatch.chdir(tmp_path)
    for kind, advised in (("facts", True), ("dependencies", False)):
        answer = cli("new", f"my-{kind}", "--kind", kind)
        assert answer.code == 0
        assert ("--same-as hmm" in answer.out) is advised


def test_what_run_counts_with_one_root_and_what_verify_counts(tells: Tells, prints: Prints) -> None:
    """Three words have 12 projective trees, 7 with one root; derivations beside trees are those of the trees."""
    assert "some trees have several roots: --single-root counts those with one" in prints(
        "run eisner1996", "a b c"
    )
    found = prints("run eisner1996", "a b c", "--single-root")
    assert "16 derivations of trees with any number of roots, 7 distinct trees with one root" in found
    assert "spurious" not in found
    answer = tells("run eisner1996", "a b c", "--single-root", "--derivations", "20")
    roots = [
        sum(head == 0 for node in nodes for _, head in node["links"]) for nodes in answer["derivation_trees"]
    ]
    assert answer["derivations"] == 16
    assert set(roots) == {1}
    assert 7 <= len(roots) < 16


def test_colours_in_data_reach_no_terminal(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    named = f"{RED}x{PLAIN}"
    bank = tmp_path / f"{named}.conllu"
    bank.write_text(f"# sent_id = {named}\n1\t{named}\t_\tN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    for words in (
        ("run eisner1996", f"a {named}"),
        ("run eisner1996", "--conllu", str(bank), "--grammar", "gold"),
        ("why-not earley", f"a {named}", "--grammar", "example"),
        ("check", str(bank), f"{named}.schema"),
        ("run", f"{named}", "a"),
    ):
        _, out, err = cli(*words)
        assert "\x1b[" in out + err
        assert f"{RED}x" not in out + err
        assert f"x{PLAIN}" not in out + err
        assert "\ufffd[1;31mx\ufffd[0m" in out + err or "\\x1b[1;31mx\\x1b[0m" in out + err
