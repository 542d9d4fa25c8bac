"""The command line: what it prints, where, and with which exit code."""

import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import schemata
from schemata.cli.main import COMMANDS, main
from schemata.engine.exceeded import Interrupted
from schemata.errors import is_control
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from tests.support import titled_blocks
from tests.support.charts import COUNTER
from tests.support.commands import Cli, Prints, Tells, Written, conllu

TREE = "run", "eisner1996", "the cat sat"
TOY = COUNTER.replace("schema counter\n", 'schema toy\n  title "Counts for ever"\n')
CONLLU = conllu(good="the/DET/2 cat/NOUN/3 sat/VERB/0", crossing="a/X/3 b/X/4 c/X/0 d/X/3")
BROKEN = conllu(broken="a/X/x")


def test_run_prints_the_promised_object(tells: Tells) -> None:
    found = tells(*TREE)
    assert found.pop("seconds") >= 0
    assert found.pop("distinct_structures") == found["distinct_trees"]
    assert found.pop("structures_complete") is False
    structures = found.pop("structures")
    assert found == {
        "version": 1,
        "schema": "eisner1996", "parameters": {"end": 0}, "sentence": ["the", "cat", "sat"], "accepted": True,
        "items": 15, "useful_items": 15, "steps": 25, "hypotheses": 5, "items_by_form": {"span": 15},
        "steps_by_name": {"Initter": 3, "R-Link": 3, "L-Link": 6, "CombineSpans": 13},
        "final_items": ["span[0, 3, false, true]"], "derivations": 16, "distinct_trees": 12,
        "trees": [[0, 0, 0], [0, 0, 2], [0, 1, 0], [0, 1, 1], [0, 1, 2], [0, 3, 0], [0, 3, 1], [2, 0, 0],
                  [2, 0, 2], [2, 3, 0]],
        "trees_complete": False, "engine": "python",
    }  # fmt: skip
    assert structures == [[[d, h] for d, h in enumerate(heads, start=1)] for heads in found["trees"]]


def test_rejection_is_exit_1(tells: Tells) -> None:
    assert tells("run eisner1996", "a b c d", "--grammar", "heads:3,4,0,3", code=1)["accepted"] is False


def test_heads_are_given_as_they_are_printed(tells: Tells) -> None:
    commas, blanks = (tells("run eisner1996", "a b c", "--grammar", f"heads:{h}") for h in ("2,0,2", "2 0 2"))
    assert commas["trees"] == blanks["trees"] == [[2, 0, 2]]


def test_a_schema_file_without_its_suffix_is_named(
    cli: Cli, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shipped_schemata()["collins1996"].read_text(encoding="utf-8")
    monkeypatch.chdir(written("own-parser.schema", text).parent)
    answer = cli("run own-parser", "a b")
    assert answer.code == 2
    assert "hint: a file is given with its suffix: own-parser.schema" in answer.err
    assert cli("run own-parser.schema", "a b").code == 0


REFUSALS = titled_blocks(Path(__file__).with_name("refusals.txt"))


@pytest.mark.parametrize("command", REFUSALS)
def test_what_is_refused_is_told_with_exit_code_2(
    command: str, cli: Cli, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(written("bank.conllu", CONLLU).parent)
    name, *words = shlex.split(command)
    answer = cli(name, *words)
    assert answer.code == 2
    if "--json" in words:
        (last,) = json.loads(answer.out)["errors"][-1:]
        assert f"error: {last['message']}" in REFUSALS[command]
    else:
        assert answer.out == ""
    assert answer.err == f"{REFUSALS[command]}\n"
    if name == "explain":
        assert cli("why-not", *words) == answer


def test_without_a_command_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: schemata" in capsys.readouterr().out


def test_a_budget_holds_while_derivations_are_counted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object, **__: object) -> Iterator[None]:
        while True:
            pass
        yield

    monkeypatch.setattr("schemata.analysis.figures.run_results", endless)
    answer = cli("run eisner1996", "a b c", "--max-seconds", "2", "--json")
    assert answer.code == 2
    assert json.loads(answer.out)["items"] > 0
    assert "hit the budget of 2 seconds while derivations were counted; the chart is complete" in answer.err


@pytest.mark.parametrize(
    ("option", "reason", "least"), [("--max-steps=1000", "steps", 900), ("--max-seconds=4", "seconds", 1)]
)
def test_budgets_stop_and_keep(option: str, reason: str, least: int, cli: Cli, written: Written) -> None:
    answer = cli("run", str(written("toy.schema", TOY)), "a b c", option, "--json")
    found = json.loads(answer.out)
    assert (answer.code, found["stopped"], found["accepted"]) == (2, reason, True)
    assert found["steps"] >= least
    assert "budget" in answer.err


def test_check(tmp_path: Path, prints: Prints, warns: Prints) -> None:
    good, bad = tmp_path / "toy.schema", tmp_path / "bad.schema"
    good.write_text(TOY)
    bad.write_text(TOY.replace("schema toy", "schema bad").replace("count[i + 1]", "coutn[i + 1]"))
    assert main(["check", str(good)]) == 0
    found = json.loads(prints("check", str(good), str(bad), "--json", code=1).splitlines()[-1])["files"]
    assert [f["ok"] for f in found] == [True, False]
    (finding,) = found[1]["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("unknown-form", 12, 3)
    assert "count" in finding["hint"]
    assert "missing.schema" in warns("check", str(tmp_path / "missing.schema"), code=1)


def test_a_corpus(written: Written, cli: Cli, prints: Prints) -> None:
    file = written("small.conllu", CONLLU)
    lines = prints("run eisner1996 --conllu", str(file), "--grammar", "gold", "--json").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(r["sent_id"], r["accepted"], r["trees"]) for r in rows] == [
        ("good", True, [[2, 3, 0]]),
        ("crossing", False, []),
    ]
    file.write_text(CONLLU + BROKEN + CONLLU)
    code, out, err = cli("run eisner1996 --conllu", str(file), "--grammar", "gold")
    assert code == 2
    header, *rows = out.splitlines()
    assert header.split() == ["words", "verdict", "items", "steps", "trees", "sentence"]
    assert [row.index(name) for row, name in zip(rows, ["good", "crossing"] * 2, strict=False)] == [52] * 4
    assert rows[4:7] == [
        "",
        "eisner1996: accepted 2 of 4 sentences, 1 skipped",
        "rejected: crossing and crossing",
    ]
    assert re.fullmatch(r"30 items, 32 steps, [\d,]+ sentences per second", rows[7])
    assert "small.conllu:13:" in err
    assert "accepted 2 of 2 sentences, 3 skipped" in prints(
        "run eisner1996 --conllu", str(file), "--grammar", "heads:2,3,0", code=2
    )
    file.write_text(BROKEN)
    told = prints("run eisner1996 --conllu", str(file), code=2)
    assert told == "eisner1996: no sentence was run: 1 sentence skipped\n"


def test_extracted_grammars_accept_what_they_come_from(
    tmp_path: Path, written: Written, prints: Prints
) -> None:
    file = written("small.conllu", CONLLU.partition("# sent_id = crossing")[0])
    schemata = {"d-rules": "eisner1996", "dependency-rules": "lombardo-lesmo1996", "lcfrs": "lcfrs"}
    for kind, schema in schemata.items():
        grammar = tmp_path / f"grammar.{'facts' if kind == 'lcfrs' else kind}"
        assert main(["grammar", "extract", str(file), "--kind", kind, "-o", str(grammar)]) == 0
        assert "accepted 1 of 1" in prints("run", schema, "--conllu", str(file), "--grammar", str(grammar))
    assert main(["check", str(grammar)]) == 0


@pytest.mark.parametrize("name", sorted(shipped_schemata()))
@pytest.mark.rotated(4)
def test_every_shipped_schema_shows_and_compiles(name: str, cli: Cli, prints: Prints) -> None:
    for words in (["show", name], ["show", name, "--ascii"], ["show", name, "--json"]):
        assert prints(*words).strip()
    several = bool(load_schema(name).inputs)  # their kernels are compiled when the lengths are known
    code, out, err = cli("compile", name)
    assert code == 2 * several
    assert "reads 2 inputs" in err if several else out.strip()
    assert prints("show", name, "--source") == shipped_schemata()[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help(command: str, prints: Prints) -> None:
    assert "usage: schemata" in prints(command, "--help")


def test_as_a_module_in_a_plain_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "schemata", *TREE],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert b"16 derivations, 12 distinct trees" in done.stdout
    assert done.stdout.isascii()


def test_the_kernel_that_is_printed(prints: Prints) -> None:
    """Rules are named in comments and constants by their names; the text that runs has neither."""
    kernel = schemata.load("eisner1996").kernel
    shown = prints("compile eisner1996")
    assert shown == kernel.text
    assert "# CombineSpans, as antecedent 2, b = false, c = true, d = true" in shown
    assert "while x <= st[ITEMS] and" in shown
    compile(shown, "<kernel>", "exec")
    runs = kernel.agenda.text(hashed=False, purpose="log").text
    assert "#" not in runs
    assert "while x <= st[1] and" in runs


def test_interrupting_keeps_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tells: Tells
) -> None:
    from schemata.engine.run import PythonRun

    (tmp_path / "toy.schema").write_text(TOY)

    def interrupt(self: PythonRun) -> int:
        if self.steps > 500 and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(PythonRun, "_check", interrupt)
    found = tells("run", str(tmp_path / "toy.schema"), "a b", code=130)
    assert found["stopped"] == "interrupt"
    assert found["items"] == found["steps"] > 200


SENTENCE = "a b c d e f"


def test_the_command(tells: Tells, prints: Prints, warns: Prints) -> None:
    found = tells("profile arc-eager", "a b c")
    assert found["steps"] == sum(step["instances"] for step in found["by_step"])
    assert found["bottleneck"]["step"] in {step["step"] for step in found["by_step"]}
    about = {
        "version", "schema", "parameters", "sentence", "items", "steps", "steps_by_name", "engine", "seconds",
    }  # fmt: skip
    assert set(found) == about | {"first_seconds", "measured", "bottleneck", "by_step", "filing"}
    figures = {"instances", "candidates", "selectivity", "seconds", "share"}
    assert set(found["by_step"][0]) == figures | {"step", "cases"}
    case = found["by_step"][0]["cases"][0]
    assert set(case) == figures | {"case", "blocks"}
    assert set(case["blocks"][0]) == figures | {"antecedent", "note", "trigger", "taken", "plan"}
    assert "budget of 200 step instances" in warns("profile wg1", SENTENCE, "--max-steps", "200")
    assert prints("profile eisner1996 a b c --ascii").isascii()


def test_an_interrupted_profile(monkeypatch: pytest.MonkeyPatch, warns: Prints) -> None:
    chart = schemata.load("eisner1996").run("a b")

    def interrupted(*_: object, **__: object) -> None:
        raise Interrupted("interrupt", chart, "interrupted after 9 step instances")

    monkeypatch.setattr("schemata.analysis.profile.run_kernel", interrupted)
    assert "interrupted" in warns("profile eisner1996", "a b", code=130)


EVIL = "x\x1b[31m\x1b[0m\x1b[2J\u202e\x07\x9b\x7f\u2066\u2028y"
EVIL_SCHEMA = f"""schema evil
  title "{EVIL}"
  source "{EVIL}"
  grammar context-free
hypothesis word[i] where 1 <= i <= n
item edge[r: dotted rule, i: position, j: position]
# {EVIL}
step Start
  word[1]
  ------------------------  root A, rule A(*b)
  edge[A(. *b), 0, 0]
final edge["{EVIL}"(*b .), 0, n]
"""


@pytest.mark.parametrize("words", [
    ["run", "eisner1996", f"a {EVIL}"],
    ["run", "eisner1996", f"a {EVIL}", "--derivations", "2"],
    ["run", "eisner1996", f"a {EVIL}", "--trace-all", "--useful"],
    ["run", "eisner1996", f"a/{EVIL} {EVIL}/b", "--tagged", "--trace", "--latex"],
    ["run", "eisner1996", "--conllu", "{conllu}"],
    ["run", "eisner1996", "a b", "--grammar", EVIL],
    ["run", "eisner1996", "a b", "--grammar", f"{EVIL}.drules"],
    ["run", "cyk", f"a {EVIL}", "--grammar", "{cfg}"],
    ["run", "cyk", f"{EVIL} {EVIL}", "--grammar", "{cfg}", "--derivations", "1"],
    ["compare", "eisner1996", "collins1996", f"a {EVIL}", "--diff"],
    ["compare", "eisner1996", EVIL, "--lengths", "2"],
    ["explain", "eisner1996", f"a {EVIL}", "span[0, 1, false, true]"],
    ["explain", "eisner1996", f"a {EVIL}", f"span[0, {EVIL}]"],
    ["why-not", "eisner1996", f"a {EVIL}", "span[1, 2, true, true]"],
    ["why-not", "cyk", f"{EVIL} {EVIL}", "--grammar", "{cfg}"],
    ["profile", "eisner1996", f"a {EVIL}"],
    ["show", "{schema}"],
    ["show", "{schema}", "--source"],
    ["show", EVIL],
    ["check", "{schema}", "{cfg}", "{conllu}", f"{EVIL}.schema", f"{EVIL}.relation"],
    ["relate", "eisner1996", "collins1996", "--kind", "static-filter", "--map", f"a[{EVIL}] to b"],
    ["relate", EVIL],
    ["verify", "eisner1996", "--class", EVIL],
    ["grammar", "extract", "{conllu}"],
    ["grammar", "extract", EVIL],
    [EVIL],
    ["list", EVIL]], ids=lambda words: " ".join(words).replace(EVIL, "EVIL"),
)  # fmt: skip
def test_control_characters_are_made_visible(words: list[str], written: Written, cli: Cli) -> None:
    paths = {
        "schema": written("evil.schema", EVIL_SCHEMA),
        "cfg": written("evil.cfg", f'S -> A A\n"{EVIL}" : A\n'),
        "conllu": written(
            f"{EVIL}.conllu", CONLLU.replace("good", EVIL).replace("cat", EVIL).replace("DET", EVIL)
        ),
    }
    name, *called = [word.format(**paths) for word in words]
    values = []
    for more in ([], ["--json"]):
        _, *shown = cli(name, *called, *more)
        assert [c for text in shown for c in text if is_control(c) and c not in "\n\t"] == []
        if more:
            values += map(json.loads, shown[0].splitlines())
    if words[:3] == ["run", "eisner1996", f"a {EVIL}"] and "--trace-all" not in words:
        assert values[0]["sentence"] == ["a", *EVIL.split()]


def test_show_latex(prints: Prints) -> None:
    text = prints("show eisner1996 --latex")
    assert (
        r"\schemarule{R-Link}\label{rule:eisner1996:R-Link}\and \inferrule{\mathrm{span}[i,\allowbreak j,"
        in text
    )
    assert r"\begin{document}" in prints("show eisner1996 --latex --standalone")


def test_list_has_columns_and_filters(
    tells: Tells, prints: Prints, warns: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    header, *lines = prints("list --class projective --grammar d-rules --sort time").splitlines()
    rows = [line for line in lines if not line.startswith(" ")]  # the others go on with a title
    assert re.split("  +", header) == ["schema", "time", "class", "each once", "grammar", "proved", "title"]
    assert [re.split("  +", row)[4] for row in rows] == ["d-rules"] * len(rows)
    times = [re.split("  +", row)[1] for row in rows]
    assert times[0] == "O(n)"
    assert times[-1] == "exponential"
    assert times[1:] == sorted(times[1:], key=lambda time: (time == "exponential", time))
    found = tells("list --grammar context-free")
    assert {"cyk", "earley", "left-corner"} <= {row["schema"] for row in found["schemata"]}
    assert {row["grammar"] for row in found["schemata"]} == {"context-free"}
    assert "tag-cky" in prints("list --grammar facts")
    over_constraints = tells(
        "list --grammar constraints"
    )  # those that take the facts that constraints provide
    assert [row["schema"] for row in over_constraints["schemata"]] == ["constraint-propagation"]
    found = tells("list --each-once --grammar d-rules")["schemata"]
    assert {row["each_once"] for row in found} == {True}
    assert {"nivre2003", "covington-lsup"} <= {row["schema"] for row in found}
    assert "did you mean projective?" in warns("list --class projectiv")
    counted = [row["steps"] for row in tells("list --class projective --sort steps")["schemata"]]
    assert counted == sorted(counted)
    assert counted[0] < counted[-1]
    assert prints("list --sort steps").split()[:2] == ["schema", "steps"]
    names = [line.split()[0] for line in prints("list --sort name").splitlines()[1:] if line[0] != " "]
    assert names == sorted(names)
    assert len(names) == len(shipped_schemata())


def test_check_takes_shipped_names_and_folders(tmp_path: Path, tells: Tells, prints: Prints) -> None:
    assert (
        prints("check eisner1996 courtin-genthial1998 dvh3-bulc").splitlines()[0] == "eisner1996: no errors"
    )
    (tmp_path / "inner").mkdir()
    (tmp_path / "toy.schema").write_text(TOY)
    (tmp_path / "inner" / "bad.cfg").write_text("S ->")
    (tmp_path / "notes.txt").write_text("no grammar")
    found = {Path(f["file"]).name: f["ok"] for f in tells("check", str(tmp_path), code=1)["files"]}
    assert found == {"toy.schema": True, "bad.cfg": False}


def test_a_corpus_in_tabs(written: Written, cli: Cli) -> None:
    file = written("small.conllu", CONLLU.replace("good", "a good one"))
    code, out, err = cli("run eisner1996 --conllu", str(file), "--grammar", "gold", "--tsv")
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()]
    assert [len(row) for row in rows] == [6, 6, 6]
    assert [row[1::3] for row in rows[1:]] == [["accepted", "1"], ["rejected", "0"]]
    assert [row[5] for row in rows[1:]] == ["a good one", "crossing"]
    assert "accepted 1 of 2 sentences" in err


def test_the_shipped_corpus_and_lines_cut_to_a_terminal(
    prints: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("schemata.display.terminal._is_live", lambda _: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "54")
    header, *rows = prints("run eisner1996 --conllu example --grammar gold").split("\n\n")[0].splitlines()
    assert header.endswith("  s…")
    assert max(map(len, [header, *rows])) == 54
