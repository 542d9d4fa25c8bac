"""Ask the package the questions that everyone asks first, and write the answers as JSON: commands, then Python calls.

    python .ci/pyodide/questions.py [FILE]

The answers hold nothing that differs from one system to the next; seconds and memory are left out. `run` has this done
by two Pythons, and `compare.py` compares. Some answers are known beforehand and are checked here. Warnings are errors.
"""

import contextlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
import warnings
from pathlib import Path

warnings.simplefilter("error")

import schemata  # noqa: E402
from schemata.cli.main import main  # noqa: E402

SENTENCE = "Economic news had little effect on financial markets"
COMMANDS = f"""
list --each-once
show eisner1996
check eisner1996
run eisner1996 'the cat sat'
run eisner1996 'the cat sat' --json
run eisner1996 'the cat sat' --ascii --derivations 2 --limit 3
run eisner1996 'the cat sat' --trace
run eisner1996 'the cat sat' --export conllu
run eisner1996 'the cat sat' --svg pictures --rtl
run eisner1996 'a b c d' --grammar heads:3,4,0,3
run eisner1996 '{SENTENCE}' --grammar example
run mh:k=4 'a b c d e f' --json
run nivre2003 'a b c d' --json
run cyk 'Mary slept' --grammar example
run eisner-lg 'the cat ran' --grammar example
explain eisner1996 'the cat sat' 'span[1, 2, true, false]'
why-not eisner1996 'the cat sat' 'span[0, 2, true, true]'
why-not eisner1996 'a b c d' --grammar heads:3,4,0,3
verify eisner1996 --class projective --max-n 4
verify mh:k=3 --class projective --max-n 4
verify cyk --max-n 2
compare eisner1996 collins1996 'the cat sat' --json
compare eisner1996 collins1996 --lengths 2..5 --json
relate eisner1996 eisner-satta1999 --kind step-refinement
oracle nivre2003 'the cat sat' --heads 2,3,0
tabulate nivre2003
rnu
run eisner1996
run eisnr1996 a
"""
LACKING = {  # commands that are answered in part, or not at all, for lack of a library, and what they must say
    "relate eisner-satta1999 eisner1996 --kind step-refinement": (
        0, "step refinement of eisner-satta1999: holds\n", "all 70 items, all 175 step instances",
        "the solver (z3-solver) is not installed"),
    "complexity eisner1996": (0, "O(n^3) time, O(n^2) space", "the solver (z3-solver) is not installed"),
    "compile eisner1996 --explain": (1, "no proved order", "the solver (z3-solver) is not installed"),
    "run eisner1996 'a b' --total log": (2, "the library numpy is not installed", "micropip.install('numpy')"),
    "run eisner1996 'a b' --weights scores.txt": (2, "the library numpy is not installed"),
    "run eisner1996 'a b' --engine native": (2, "native code needs numpy and llvmlite"),
    "run eisner1996 --conllu example": (0, "accepted 3 of 3 sentences", "211 items, 685 steps"),
}  # fmt: skip
_VARYING = re.compile(r"(?m)\"(?:seconds|memory|answer_seconds)\": [^,}]*|\b[0-9.]+ s\b|^.*\bseconds\b.*$")


def told(command: str) -> list[object]:
    """Return the exit code of a command and what it prints, without figures of time."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = main(shlex.split(command))
        except SystemExit as left:
            code = left.code
    return [code, *(_VARYING.sub("...", text.getvalue()) for text in (out, err))]


def asked_in_python() -> dict[str, object]:
    """Return answers of the Python interface, the known ones checked."""
    schema = schemata.load("eisner1996")
    chart = schema.run("the cat sat")
    forest = chart.forest()
    assert (chart.item_count, chart.step_count, chart.accepted) == (15, 25, True)
    assert (forest.derivation_count, forest.count_trees().exact) == (16, 12)
    trees = {tree.heads for tree in forest.trees(limit=None)}
    assert len(trees) == 12, trees
    # projective trees of n words with any number of roots: 1, 3, 12, 55 ...
    assert [schema.run(["w"] * n).forest().count_trees().exact for n in (1, 2, 3, 4, 5, 6)] == [
        1,
        3,
        12,
        55,
        273,
        1428,
    ]
    assert not schema.run("a b c d", "heads:3,4,0,3").accepted
    large = (
        schemata.load("mh:k=4").run(["w"] * 25).forest()
    )  # 200,000 step instances and more are not put in arrays
    verdict = schemata.verify("eisner1996", "projective", max_n=4)
    return {
        "trees": sorted(map(list, trees)),
        "drawing": forest.trees(limit=1)[0]._repr_svg_(),
        "explain": str(chart.explain("span[1, 2, true, false]")),
        "why not": str(chart.why_not("span[0, 2, true, true]")),
        "many words": [large.chart.step_count, str(large.derivation_count)],
        "verify": str(verdict),
    }


def answers() -> dict[str, object]:
    """Return all answers, by question."""
    Path("scores.txt").write_text("attach 1 to 2 [0.5]\n", encoding="utf-8")
    found: dict[str, object] = {line: told(line) for line in COMMANDS.strip().splitlines()}
    if sys.platform == "emscripten":
        for command, (wanted, *phrases) in LACKING.items():
            code, out, err = told(command)
            text = " ".join(f"{out}\n{err}".split())
            assert code == wanted, (command, code, text)
            assert all(" ".join(phrase.split()) in text for phrase in phrases), (command, text)
            assert "memory" not in text, (command, text)
    return found | asked_in_python()


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "answers.json").absolute()
    os.chdir(tempfile.mkdtemp())  # what the questions write stays there
    values = {"python": list(sys.version_info[:2]), **answers()}
    target.write_text(json.dumps(values, indent=1), encoding="utf-8")
