"""Schemata and grammars from text in place of files; cells of notebooks; questions at the top of the package."""

import pickle
import time
from pathlib import Path

import pytest

import schemata
from schemata.errors import did_you_mean, in_python
from schemata.grammars.kinds import kind_of_suffix
from schemata.language.shipped import shipped_files, shipped_schemata
from schemata.structures.oracles import ORACLES
from schemata.thresholds import changed

RULES = "S -> NP VP\nNP -> 'Mary'\nVP -> 'slept'\n"
LINKS = "link-grammar", "cat: S+;\nsat: S-;\n"


def test_a_shipped_schema_from_its_text_is_the_same() -> None:
    for name in ("eisner1996", "cyk", "mh", "ccg", "arc-eager-system"):
        text = shipped_schemata()[name].read_text(encoding="utf-8")
        found = schemata.schema(text)
        loaded = schemata.load(name)
        assert found.definition == loaded.definition
        assert found.name == name
    assert schemata.schema(shipped_schemata()["mh"].read_text(encoding="utf-8"), k=4).parameters == {"k": 4}


def test_a_schema_from_text_can_do_what_others_can() -> None:
    text = "schema mine extends eisner1996\n  title 'mine'\n".replace("'", '"')
    found = schemata.schema(text)
    assert schemata.verify(found, "projective", max_n=3).holds
    assert schemata.relate(found, "eisner1996", "step-refinement", max_n=3).holds
    assert pickle.loads(pickle.dumps(found)).run("a b").step_count == 9


def test_mistakes_have_places_and_carets() -> None:
    with pytest.raises(schemata.SchemaError) as caught:
        schemata.schema(
            "schema x\n  grammar d-rules\nitem a[i: position]\nstep A\n  ---\n  a[j]\nfinal a[n]\n"
        )
    assert "x.schema:6:5: error: variable j is bound nowhere\n  |   a[j]\n  |     ^" in str(caught.value)
    with pytest.raises(schemata.UsageError, match="not a text of a schema"):
        schemata.schema("eisner1996")
    with pytest.raises(schemata.GrammarError) as wrong:
        schemata.load("cyk").run("Mary slept", "S -> NP VP\nNP - 'Mary'\n")
    assert "grammar:2:1: error" in str(wrong.value)


EXAMPLES = {
    kind: shipped_files(f".{kind}", "examples")["english"] for kind in ("cfg", "drules", "deprules", "dict")
} | {"facts": shipped_files(".facts", "examples")["ccg"]}


@pytest.mark.parametrize("suffix", EXAMPLES)
def test_grammars_of_all_kinds_from_text_are_those_of_files(suffix: str) -> None:
    file = EXAMPLES[suffix]
    text = file.read_text(encoding="utf-8")
    found = schemata.grammar(text, suffix)
    kinds = [
        schemata.ContextFreeGrammar,
        schemata.DRules,
        schemata.DependencyRules,
        schemata.LinkGrammar,
        schemata.Facts,
    ]
    [own] = [kind for kind in kinds if isinstance(found, kind)]
    assert found.kind == kind_of_suffix(suffix)
    schema, words = {
        "cfg": ("cyk", "Mary slept"),
        "drules": ("eisner1996", "Mary slept"),
        "deprules": ("lombardo-lesmo1996", "Mary slept"),
        "dict": ("eisner-lg", "the cat slept"),
        "facts": ("ccg", "Kim slept"),
    }[suffix]
    try:
        expected = schemata.load(schema).run(words, own.read(file))
    except schemata.GrammarError:
        with pytest.raises(schemata.GrammarError):
            schemata.load(schema).run(words, text)
    else:
        for given in (text, found):
            chart = schemata.load(schema).run(words, given)
            assert [str(x) for x in chart.items] == [str(x) for x in expected.items]
            assert chart.items
    assert type(schemata.grammar(text, schemata.load(schema))) is own


def test_heads_are_grammars() -> None:
    for name in ("eisner1996", "lombardo-lesmo1996"):
        expected = schemata.load(name).run("the cat", "heads:2,0").items
        for heads in ([2, 0], (2, 0), schemata.DependencyTree((2, 0))):
            assert schemata.load(name).run("the cat", heads).items == expected
    numpy = pytest.importorskip("numpy")
    assert schemata.load("eisner1996").run("the cat", list(numpy.array([2, 0]))).accepted
    assert [
        row.items for row in schemata.compare(["eisner1996", "lombardo-lesmo1996"], ["the cat"], [2, 0]).rows
    ]
    with pytest.raises(schemata.UsageError, match="heads are whole numbers"):
        schemata.load("eisner1996").run("a b", [2, "x"])
    with pytest.raises(schemata.UsageError, match="1 head is missing"):
        schemata.load("eisner1996").run("a b", [2])
    with pytest.raises(schemata.UsageError, match="not a grammar of context-free rules"):
        schemata.load("cyk").run("a b", [2, 0])


# Cells of notebooks ----------------------------------------------------------------------------------------


class Shell:
    """As much of an IPython shell as the magics use."""

    def __init__(self) -> None:
        self.user_ns: dict[str, object] = {}
        self.magics: dict[str, object] = {}

    def register_magic_function(self, function, kind: str, name: str) -> None:
        assert kind == "cell"
        self.magics[name] = function


PAIRS = """grammar d-rules
item pair[i: position, j: position]  where 1 <= i < j <= n
step Pair
  ---  i in [1..n - 1], attach i to i + 1
  pair[i, i + 1]
final pair[_, n]
"""


@pytest.fixture
def shell() -> Shell:
    found = Shell()
    schemata.load_ipython_extension(found)
    return found


def test_cells_set_variables(shell: Shell, capsys) -> None:
    made = shell.magics["schema"]("my-pairs", PAIRS)
    assert made is shell.user_ns["my_pairs"]
    assert made.run("a b c").step_count == 2
    whole = shell.magics["schema"]("again", f"schema again\n{PAIRS}")
    assert whole.definition.cases == made.definition.cases
    rules = shell.magics["grammar"]("g", RULES)
    assert rules is shell.user_ns["g"]
    assert schemata.load("cyk").run("Mary slept", rules).accepted
    assert shell.magics["grammar"]("links dict", LINKS[1]).kind == LINKS[0]
    assert shell.magics["grammar"]("d my_pairs", 'root "sat"\n').kind == "d-rules"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("head", ["", "schema x\n"])
def test_mistakes_in_cells_are_shown_as_commands_show_them(shell: Shell, head: str, capsys, tmp_path) -> None:
    text = head + PAIRS.replace("pair[i, i + 1]", "pair[i, k]")
    assert shell.magics["schema"]("x", text) is None
    assert "x" not in shell.user_ns
    shown = capsys.readouterr().err
    line = 1 + text.splitlines().index("  pair[i, k]")
    assert (
        f"x.schema:{line}:11: error: variable k is bound nowhere\n  |   pair[i, k]\n  |           ^\n"
        in shown
    )
    if head:
        from schemata.cli.main import main

        file = tmp_path / "x.schema"
        file.write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            assert main(["check", "x.schema"]) == 1
        assert shown.strip() in capsys.readouterr().err


def test_cells_without_a_name_or_of_no_kind(shell: Shell, capsys) -> None:
    assert shell.magics["schema"]("", PAIRS) is None
    assert "the cell has no name" in capsys.readouterr().err
    assert shell.magics["grammar"]("1x", RULES) is None
    assert "is not a name for a variable" in capsys.readouterr().err
    assert shell.magics["schema"]("for", PAIRS) is None
    assert "'for' is not a name for a variable" in capsys.readouterr().err
    assert shell.magics["grammar"]("g nonsense", RULES) is None
    assert "no grammars of kind nonsense" in capsys.readouterr().err
    assert shell.magics["grammar"]("g", "S -> NP VP\nNP = 'x'\n") is None
    assert "g:2:1: error" in capsys.readouterr().err
    assert shell.user_ns == {}


def test_ipython_runs_the_cells() -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    found = interactive.InteractiveShell.instance()
    try:
        found.run_line_magic("load_ext", "schemata")
        assert found.run_cell_magic("grammar", "g", RULES).kind == "context-free"
    finally:
        interactive.InteractiveShell.clear_instance()


# Questions at the top --------------------------------------------------------------------------------------


def test_the_list_is_that_of_the_command(tells) -> None:
    assert schemata.list() == tells("list")["schemata"]
    assert {"cyk", "tag-cky"} <= {row["schema"] for row in schemata.list("cky")}
    assert {row["grammar"] for row in schemata.list(grammar="facts")} == {"facts"}
    assert [row["schema"] for row in schemata.list(grammar="constraints")] == ["constraint-propagation"]
    assert "eisner1996" in str(schemata.list("eisner"))
    assert "list" not in schemata.__all__  # `from schemata import *` leaves Python's own alone
    assert schemata.list("no such schema") == []


def test_checks_are_those_of_the_command(tells, tmp_path) -> None:
    file = tmp_path / "x.schema"
    file.write_text(f"schema x\n{PAIRS}".replace("i + 1]", "k]"))
    found = schemata.check(file)
    assert not found.ok
    assert found.to_json()["findings"] == tells("check", str(file), code=1)["files"][0]["findings"]
    assert not schemata.check(file.read_text()).ok
    assert schemata.check("eisner1996", "cyk").ok
    assert "is bound nowhere" in str(found)


def test_costs_oracles_and_coverage_are_those_of_the_commands(tells) -> None:
    assert schemata.complexity("cyk", formulas=False).to_json() == tells("complexity", "cyk", "--degrees")
    assert schemata.coverage("example", ["mh"]).to_json() | {"file": ""} == tells(
        "coverage", "example", "--schema", "mh"
    ) | {"file": ""}
    for system in sorted(ORACLES)[:3]:
        found = schemata.oracle(system, [2, 0])
        assert found.to_json() == tells("oracle", system, "a b", "--heads", "2,0")
        assert "the tree is reproduced" in str(found)


def test_tables_are_data_frames() -> None:
    pytest.importorskip("pandas")
    english = Path(__file__).parents[1] / "examples" / "english.conllu"
    chart = schemata.load("hybrid").run("a b c")
    trace = chart.trace(all_instances=True)
    assert repr(trace) == f"<Trace of {chart!r}: {len(trace.rows)} items>"
    assert str(trace).count("\n") > len(trace.rows)
    frames = {
        "complexity": (schemata.complexity("eisner1996", formulas=False), 5),
        "coverage": (schemata.coverage("example"), 17),
        "oracle": (schemata.oracle("arc-eager-system", [2, 0]), 4),
        "profile": (schemata.profile("eisner1996", "a b"), 4),
        "relate": (schemata.relate("eisner-satta1999", "eisner1996", max_n=2), None),
        "compare": (schemata.compare(["eisner1996"], [2, 3]), 2),
        "list": (schemata.list("eisner"), None),
        "trace": (trace, len(chart.hypotheses) + chart.step_count),  # a row for each way to derive an item
        "next": (schemata.next_words("earley", "the cat", "example"), 10),
        "evaluate": (schemata.evaluate(english, english), None),
        "chart": (schemata.load("eisner1996").run("a b"), 7),
    }
    for name, (value, rows) in frames.items():
        frame = value.to_pandas()
        assert len(frame) == rows or (rows is None and len(frame)), name
        assert len(frame.columns) > 1


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("name", "words", "grammar"),
    [("eisner1996", "a b c", None), ("earley", "the cat slept", "example"), ("noncrossing", "a b", None)],
)
def test_a_chart_as_a_table_of_items(name: str, words: str, grammar: str | None, engine: str) -> None:
    chart = schemata.load(name).run(words, *[grammar] * (grammar is not None), engine=engine)
    rows = list(chart.table_rows())
    steps = dict.fromkeys(map(str, chart.items), 0)
    for instance in chart.instances():
        item = str(chart.item(instance.consequent))
        steps[item] = steps.get(item, 0) + 1
    used = {str(node.item) for one in chart.forest().derivations(None) for _, node in one.walk()}
    assert len(rows) == len(chart.items) > 2
    for row, item in zip(rows, chart.items, strict=True):
        assert row["kind"] == item.form
        assert row["steps"] == steps[str(item)]
        assert row["useful"] == (str(item) in used)
        assert row["final"] == (item in chart.final_items)
        fields = [x for key, x in row.items() if key not in ("kind", "steps", "useful", "final")]
        plain = [x for x in item.values if isinstance(x, int | str)]
        assert [x for x in fields if x in plain] == plain
    assert name != "earley" or {row["useful"] for row in rows} == {True, False}


def test_a_table_of_a_run_that_was_stopped() -> None:
    with pytest.raises(schemata.BudgetExceeded) as over:
        schemata.load("cyk").run("Mary slept", "example", engine="python", budget=schemata.Budget(steps=1))
    assert [row["useful"] for row in over.value.chart.table_rows()] == [None, None]


def test_data_frames_need_pandas(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(schemata.UsageError, match="need pandas"):
        schemata.complexity("eisner1996", formulas=False).to_pandas()


def test_messages_of_python_speak_of_arguments() -> None:
    said = {
        "(--grammar FILE.cfg; try --grammar example)": '(grammar="FILE.cfg"; try grammar="example")',
        "leave out --unpruned": "leave out pruned=False",
        "raise it with --max-seconds": "raise it with budget=Budget(seconds=...)",
        "schemata why-not tells more": "schemata.why_not tells more",
        "--same-as NAME compares": 'same_as="NAME" compares',
        "a -- b, c--d, --- and schemata": "a -- b, c--d, --- and schemata",
    }
    for text, expected in said.items():
        assert in_python(text) == expected
    with pytest.raises(schemata.UsageError) as caught:
        schemata.load("cyk").run("a b")
    assert "--" not in str(caught.value)
    assert "--grammar FILE.cfg" in caught.value.diagnostics[0].message  # which the command prints
    with pytest.raises(schemata.BudgetExceeded) as over:
        schemata.load("eisner1996").run(["w"] * 60, budget=schemata.Budget(steps=100), engine="python")
    assert "budget=Budget(steps=...)" in str(over.value)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_near_names_among_very_many(most: int) -> None:
    """A slip of the pen is found on both sides of the number of names that are compared; what is farther, on one."""
    with changed(compared_names=most):
        for other in ("noun", "Nouns", "xNoun", "Noxun", "Nou", "oun", "Nun", "Naun", "Nuon", "oNun", "Nonu"):
            assert did_you_mean("Noun", [other, "Something", "else"]) == f"did you mean {other}?"
        for other in ("Nouning", "aNouns"):
            near = f"did you mean {other}?" if most == 3 else None
            assert did_you_mean("Noun", [other, "Something", "else"]) == near
        assert did_you_mean("Noun", ["Verb", "Noun", "Something"]) is None


def test_thousands_of_mistakes_in_a_grammar_take_seconds() -> None:
    text = "S -> S0\n" + "".join(f"S{k} -> a{k}\n" for k in range(8_000))
    begin = time.process_time()
    with pytest.raises(schemata.GrammarError, match="7,900 more mistakes in this file"):
        schemata.ContextFreeGrammar.from_text(text)
    assert time.process_time() - begin < 10  # with all names compared, ten minutes
