"""Schemata typeset: with the comments that say what items mean, and as LaTeX that is well-formed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from schemata.display.latex import math_latex, schema_latex, standalone
from schemata.display.rules import typeset_schema
from schemata.display.terminal import WIDE
from schemata.language.shipped import shipped_schemata
from tests.support.charts import shipped

GREEK = {"alpha", "beta", "gamma", "delta", "mu", "pi"}


@pytest.mark.parametrize("name", sorted(shipped_schemata()))
def test_every_comment_before_the_steps_is_shown(name: str) -> None:
    schema = shipped(name).definition
    shown = typeset_schema(schema, WIDE).splitlines()
    lines = schema.source.lines
    first = next((k for k, line in enumerate(lines) if line.startswith("step")), len(lines))
    comments = [line.removeprefix("#").strip() for line in lines[:first] if line.startswith("#")]
    assert [comment for comment in comments if comment not in shown] == []


def test_a_comment_of_a_step_stands_above_its_first_case() -> None:
    shown = typeset_schema(shipped("mgk").definition, WIDE).splitlines()
    (place,) = [k for k, line in enumerate(shown) if line.startswith("One step for every way")]
    assert shown[place + 1] == "Combine ab"
    inherited = typeset_schema(shipped("wgk").definition, WIDE)
    assert inherited.count("A tree headed at h") <= 1


def test_arcs_are_shown_as_the_language_writes_them() -> None:
    shown = typeset_schema(shipped("arc-eager-system").definition, WIDE)
    assert "attach i to j, (i under j) ∉ A, i has no head in A" in shown
    pairs = typeset_schema(shipped("lr0").definition, WIDE)
    assert "(r, <>) ∈ C" in pairs


def test_what_parameters_decide_is_not_shown() -> None:
    """`acyclic != 1 or i not above j in A` is one condition where it is 1, and none where it is 0."""
    shown = [typeset_schema(shipped("planar-system", acyclic=k).definition, WIDE) for k in (0, 1)]
    assert ["not above" in text for text in shown] == [False, True]
    assert not any(re.search("[0-9] [=≠] [0-9]", text) for text in shown)


@pytest.mark.parametrize("name", sorted(shipped_schemata()))
def test_latex_is_well_formed(name: str) -> None:
    schema = shipped(name).definition
    text = schema_latex(schema)
    title, *needs = text.splitlines()[:3]
    assert title.startswith("% ")
    assert needs == [r"% needs \usepackage{amsmath}", r"% needs \usepackage{mathpartir}"]
    body = text.split("\n", maxsplit=3)[3]
    assert body.isascii()
    assert body.count(r"\inferrule{") == body.count(r"\label{rule:") == len(schema.cases)
    labels = re.findall(r"\\label\{(.*?)\}", body)
    assert len({*labels}) == len(labels)
    for begun in ("description", "mathpar"):
        assert body.count(f"\\begin{{{begun}}}") == body.count(f"\\end{{{begun}}}")
    rules = body.partition(r"\end{description}}")[2]
    bare = re.sub(r"\\[\\{}&#%_$]", "", rules)
    assert not set(bare) & set("#%$~&")
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    names = set(re.findall(r"\\([a-z]+)", bare))
    assert names - GREEK <= {
        "begin", "end", "schemarule", "label", "and", "inferrule", "allowbreak", "to", "ldots", "varepsilon",
        "text", "mathrm", "le", "ne", "land", "lor", "neg", "in", "notin", "bullet", "sim",
        "langle", "rangle", "mbox", "textasciicircum", "textless", "textgreater", "textbar",
        "textbackslash",
    }  # fmt: skip


def test_latex_is_what_papers_write() -> None:
    text = schema_latex(shipped("earley").definition)
    lines = [line.strip() for line in text.splitlines()]
    name = r"\schemarule{Completer}\label{rule:earley:Completer}\and"
    above = r"\mathrm{edge}[A \to \alpha \bullet B\,\beta,\allowbreak i,\allowbreak j]"
    assert any(line.startswith(f"{name} \\inferrule{{{above}") for line in lines)
    assert r"\and \mathrm{rule}\ B \to \gamma" in lines
    assert (
        math_latex("span[alpha1, *A, mu x]")
        == r"\mathrm{span}[\alpha_{1},\allowbreak {*}A,\allowbreak \mu\ x]"
    )
    assert math_latex("0.5 f(a.b) S(a .)") == r"0.5\ f(a.b)\ S \to a \bullet"


def compiled(texts: dict[str, str], folder: Path) -> str:
    """Return what pdflatex says of documents."""
    said = ""
    for name, text in texts.items():
        (folder / f"{name}.tex").write_text(text, encoding="utf-8")
        command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", f"{name}.tex"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        said += (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    return said


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip a test where LaTeX or one of these packages is not installed."""
    program = shutil.which("kpsewhich")
    found = program and all(
        subprocess.run([program, f"{name}.sty"], capture_output=True, check=False).stdout for name in packages
    )
    return pytest.mark.skipif(not found or shutil.which("pdflatex") is None, reason="LaTeX lacks a package")


@needs("mathpartir")
def test_latex_compiles(tmp_path: Path) -> None:
    texts = [schema_latex(shipped(name).definition) for name in shipped_schemata()]
    compiled({"rules": standalone("\n\n".join(texts))}, tmp_path)


@needs("mathpartir")
def test_rules_fit_a_column_of_a_paper(tmp_path: Path) -> None:
    names = "earley", "eisner1996", "collins1996", "mg1", "arc-eager", "mh"
    texts = [schema_latex(shipped(name).definition) for name in names]
    document = standalone("\n\n".join(texts)).replace(
        "{article}", "{article}\n\\textwidth=82mm\\hsize=82mm", 1
    )
    said = compiled({"column": document}, tmp_path)
    wide = [float(width) for width in re.findall(r"Overfull .hbox \(([\d.]+)pt too wide", said)]
    assert all(width < 5 for width in wide), wide


@needs("ebproof", "longtable")
def test_traces_and_proof_trees_compile(tmp_path: Path, prints) -> None:
    earley = ("run earley --grammar example", "the cat slept", "--trace", "--derivations", "1")
    texts = {
        "trace": prints(*earley, "--latex", "--standalone"),
        "trees": prints("run mg1", "a b c d", "--derivations", "3", "--latex", "--standalone"),
    }
    said = compiled(texts, tmp_path)
    assert "Overfull" not in said
    assert texts["trees"].count(r"\begin{prooftree}") == 3
    assert r"\caption{The chart of earley on \emph{the cat slept}." in texts["trace"]
