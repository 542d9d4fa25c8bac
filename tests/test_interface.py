"""The top of the package: what `dir` and `help` show, and answers in Python that are those of the commands."""

import copy
import inspect
import json
import pickle
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import schemata
from schemata.errors import guided, in_python
from tests.support.commands import Cli, Written, conllu

FUNCTIONS = ("compare", "explain", "load", "profile", "prove", "relate", "verify", "why_not")
ITEM = "span[0, 2, false, true]"

ASKED: dict[str, Callable[[], Any]] = {
    "run eisner1996 'a b' --limit 10": lambda: schemata.load("eisner1996").run("a b").summary(),
    "verify eisner1996 --class projective --max-n 2": lambda: schemata.verify("eisner1996", "projective", 2),
    "verify mh --max-n 2": lambda: schemata.load("mh").verify(max_n=2),
    "verify eisner-satta-lg --max-n 2": lambda: schemata.verify("eisner-satta-lg", max_n=2),
    "relate mh eisner1996 --max-n 1": lambda: schemata.relate("mh", "eisner1996", max_n=1),
    "relate mh:k=4 mh --kind static-filter --max-n 1": lambda: schemata.load("mh", k=4).relate(
        schemata.load("mh"), "static-filter", max_n=1
    ),
    f"explain eisner1996 'a b' '{ITEM}'": lambda: schemata.explain("eisner1996", "a b", ITEM),
    f"why-not eisner1996 'a b' '{ITEM}' --grammar heads:2,0": lambda: schemata.why_not(
        "eisner1996", "a b", ITEM, "heads:2,0"
    ),
    "why-not eisner1996 'a b c' --grammar none.drules": lambda: (
        schemata.load("eisner1996").run("a b c", Path("none.drules")).why_not()
    ),
    "compare eisner1996 lombardo-lesmo1996 --sentence 'a b' --grammar heads:2,0": lambda: schemata.compare(
        ["eisner1996", "lombardo-lesmo1996"], "a b", "heads:2,0"
    ),
    "compare mh mh:k=4 --lengths 2,3": lambda: schemata.compare(["mh", "mh:k=4"], [2, 3]),
    "compare mh mh:k=4 --conllu small.conllu --grammar gold": lambda: schemata.compare(
        ["mh", "mh:k=4"], Path("small.conllu"), "gold"
    ),
    "profile eisner1996 'a b'": lambda: schemata.load("eisner1996").profile("a b"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "none.drules").write_text('root "x"\n', encoding="utf-8")
    (tmp_path / "small.conllu").write_text(conllu(small="a/_/2 b/_/0"), "utf-8")
    return tmp_path


def untimed(value: Any) -> Any:
    """A JSON value without what is another every time."""
    if isinstance(value, list):
        return [untimed(one) for one in value]
    if not isinstance(value, dict):
        return value
    timed = ("seconds", "first_seconds", "rest_seconds", "rest_share", "share", "block_share", "bottleneck")
    return {key: untimed(one) for key, one in value.items() if key not in timed}


@pytest.mark.parametrize("command", ASKED)
def test_an_answer_is_what_the_command_prints(command: str, cli: Cli, folder: Path) -> None:
    words = [part.strip() for part in command.split("'")]
    words = [w for k, part in enumerate(words) for w in ([part] if k % 2 else part.split())]
    answer = ASKED[command]()
    assert untimed(json.loads(cli(*words, "--json").out)) == untimed(answer.to_json())
    assert "\n" not in repr(answer)
    assert len(repr(answer)) < 2_000
    if words[0] not in ("compare", "profile", "run"):  # these print seconds
        printed = cli(*words).out
        assert str(answer) == printed.removesuffix("\n")
    if hasattr(answer, "_repr_html_"):
        ElementTree.fromstring(answer._repr_html_())


def test_show_and_run_have_their_json(cli: Cli) -> None:
    schema = schemata.load("mh", k=4)
    assert json.loads(cli("show mh:k=4 --json").out) == schema.to_json()
    printed = json.loads(cli("run mh:k=4", "a b", "--json").out)
    assert untimed(printed) == untimed(schema.run("a b").to_json())


def test_dir_and_help_show_what_a_user_needs() -> None:
    assert dir(schemata) == sorted([*schemata.__all__, "list"])
    assert set(FUNCTIONS) <= set(dir(schemata))
    text = pydoc.render_doc(schemata, renderer=pydoc.plaintext)
    assert text.index("schemata.load(") < 1_000
    for name in FUNCTIONS:
        doc = getattr(schemata, name).__doc__
        assert all(part in doc for part in ("Parameters\n", "Raises\n", ">>> ")), name


@pytest.mark.parametrize(
    ("schema", "grammar"),
    [
        ("eisner1996", "all"),
        ("eisner1996", "heads:2,3,0"),
        ("eisner1996", "none.drules"),
        ("lombardo-lesmo1996", "heads:2,3,0"),
        ("cyk", "example"),
        ("sleator-temperley1991", "example"),
    ],
)
def test_grammars_are_named_as_on_the_command_line(schema: str, grammar: str, cli: Cli, folder: Path) -> None:
    sentence = "Mary chased Mary"
    chart = schemata.load(schema).run(sentence, grammar)
    printed = json.loads(cli("run", schema, sentence, "--grammar", grammar, "--json").out)
    assert (chart.accepted, len(chart.items), chart.step_count) == (
        printed["accepted"],
        printed["items"],
        printed["steps"],
    )


@pytest.mark.parametrize("grammar", ["al", "heads:2", "heads:2,x,0", "nowhere.drules", "all.cfg", "", "en"])
def test_wrong_names_of_grammars_say_what_the_command_says(grammar: str, cli: Cli, folder: Path) -> None:
    with pytest.raises(schemata.SchemataError) as wrong:
        schemata.load("eisner1996").run("a b c", grammar)
    answer = cli("run eisner1996", "a b c", "--grammar", grammar)
    assert in_python(answer.err) == f"{wrong.value}\n"


def test_names_that_are_not_there_disturb_nothing() -> None:
    schema, budget = schemata.load("cyk"), schemata.Budget(steps=3)
    grammar = schemata.ContextFreeGrammar.from_text('S -> "a"')
    assert not any(
        hasattr(one, "parse")
        for one in (schema, grammar, schemata.ContextFreeGrammar, schema.run("a", grammar))
    )
    assert copy.deepcopy(schema).run("a", grammar).accepted
    assert pickle.loads(pickle.dumps(schema)).run("a", pickle.loads(pickle.dumps(grammar))).accepted
    assert (copy.copy(budget), pickle.loads(pickle.dumps(budget)).steps) == (budget, 3)
    assert list(inspect.signature(schemata.load).parameters) == ["reference", "parameters"]


def test_errors_about_arguments() -> None:
    """Those of a call say what to write, those from within are left alone."""

    @guided()
    def called(first: int, max_n: int = 0) -> int:
        return len(first) + max_n  # type: ignore[arg-type]

    for call, hint in (
        (lambda: called(1, max_words=1), "did you mean max_n?"),
        (lambda: called(1, fisrt=1), "did you mean first?"),
        (lambda: called(1, zzz=1), "the arguments are first, max_n"),
        (lambda: called(1, 2, 3), "the other arguments are given by name"),
    ):
        with pytest.raises(TypeError, match=f": {re.escape(hint)}$"):
            call()  # type: ignore[no-untyped-call]
    with pytest.raises(TypeError, match=r"has no len\(\)$"):
        called(1)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'first'$"):
        called()  # type: ignore[call-arg]


def test_a_path_is_no_word(folder: Path) -> None:
    with pytest.raises(schemata.GrammarError):
        schemata.load("eisner1996").run("a", Path("all"))
    (folder / "all").write_text('root "a"\n', encoding="utf-8")
    assert repr(schemata.load("eisner1996").check_grammar(Path("all"))) == "<DRules of 0 rules and 1 root>"


def test_values_in_one_line() -> None:
    chart = schemata.load("mh", k=4).run("a b")
    forest = chart.forest()
    assert repr(schemata.load("mh", k=4)) == "<ParsingSchema mh(k=4) over d-rules: 1 item form, 3 steps>"
    assert repr(chart) == "<Chart of mh, 2 words: 11 items, 18 steps, accepted>"
    assert repr(forest) == "<Forest of mh, 2 words: 1 final item, 11 useful items, 18 hyperedges>"
    assert forest.derivation_count == 11
    assert repr(forest).endswith("18 hyperedges, 11 derivations>")
    assert repr(chart.items[0]) == "<Item heads[<0, 1>]>"
    assert repr(schemata.DRules.all(single_root=True)) == "<DRules of all links, single root>"
    assert repr(schemata.DependencyRules.gold()) == "<DependencyRules of the gold tree of each sentence>"


def test_notebooks_show_rules_items_and_lists_of_trees() -> None:
    schema = schemata.load("eisner1996")
    rules = "".join(ElementTree.fromstring(schema._repr_html_()).itertext())
    assert all(name in rules for name in schema.definition.step_names)
    chart = schema.run("the cat")
    assert chart.items[-1]._repr_html_() == str(chart.items[-1])
    trees = chart.forest().trees(limit=2)
    assert trees == [schemata.DependencyTree((0, 0)), schemata.DependencyTree((0, 1))]
    pictures = trees._repr_html_()
    assert pictures.count("<svg") == 2
    assert pictures.count(">cat<") == 2
    assert chart.forest().derivations(1)._repr_html_().count("<svg") == 1


USER = """
import schemata
from pathlib import Path

schema: schemata.ParsingSchema = schemata.load("mh", k=4)
chart: schemata.Chart = schema.run("the cat sat", "heads:2,3,0")
heads: list[tuple[int, ...]] = [tree.heads for tree in chart.forest().trees(limit=10)]
holds: bool | None = schema.verify("projective", max_n=2).holds
kinds: list[str] = [answer.kind for answer in schemata.relate(schema, "mh", max_n=2)]
rows: list[int] = [row.items for row in schemata.compare([schema, Path("a.schema")], range(2, 4)).rows]
text: str = str(chart.explain(chart.items[0])) + repr(schemata.why_not("mh", ["a"], None, Path("a.drules")))
"""


def test_a_users_script_is_typed(written: Written) -> None:
    pytest.importorskip("mypy")
    assert (Path(schemata.__file__).parent / "py.typed").is_file()
    script = written("script.py", USER)
    root = Path(schemata.__file__).parents[1]
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir"]
    words += [str(root / ".mypy_cache"), "--config-file", str(root / "pyproject.toml"), str(script)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
