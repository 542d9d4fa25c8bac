"""Schemata typeset: with the comments that say what items mean, and as LaTeX that is well-formed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import schemata
from schemata.charts import Item
from schemata.display.latex import BROKEN, derivation_latex, math_latex, schema_latex, standalone
from schemata.display.rules import typeset_schema
from schemata.display.terminal import WIDE
from schemata.display.transitions import oracle_latex
from schemata.errors import UsageError
from schemata.forest.derivations import Derivation
from schemata.language.shipped import shipped_schemata
from schemata.structures import DependencyTree, Sentence
from schemata.structures.oracles import follow
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
        "backslash", "lineskip", "lineskiplimit", "penalty",
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
        == r"\mathrm{span}[\alpha_{1},\allowbreak A^{*},\allowbreak \mu\ x]"
    )
    assert math_latex("0.5 f(a.b) S(a .)") == r"0.5\ f(a.b)\ S \to a\,\bullet"
    assert math_latex("c[X\\Z, i]") == r"c[X\backslash Z,\allowbreak i]"
    assert math_latex("heads[<*A, x>]") == r"\mathrm{heads}[\langle A^{*},\allowbreak x\rangle ]"
    assert math_latex("[*A', x]") == r"[A'^{*},\allowbreak x]"
    assert math_latex("[2*n, ., *_]") == r"[2{*}n,\allowbreak \bullet ,\allowbreak \ldots]"


def test_conditions_go_to_lines_of_their_own() -> None:
    lines = schema_latex(shipped("edit-distance").definition).split("\n")
    conditions = [line for line in lines if line.startswith(r"  \and")]
    assert sum(r"\penalty5000" in line for line in conditions) == 4
    assert not any(r"\allowbreak" in line for line in conditions)


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


@needs("longtable", "array")
def test_configurations_of_a_long_sentence_fit_the_line(tmp_path: Path) -> None:
    """Stacks and buffers break their lines where the table would be too wide, and only there."""
    words = ["Economic", "news", "had", "little", "effect", "on", "financial", "markets"]
    tables = {}
    for n in (2, 8):
        heads = [2, 0] if n == 2 else [2, 3, 0, 5, 3, 5, 8, 6]
        tables[n] = oracle_latex(
            follow("arc-eager-system", DependencyTree(heads)), Sentence(words if n == 8 else ["a", "b"])
        )
    assert r"\linewidth" not in tables[2]
    assert sum(map(float, re.findall(r"p\{([\d.]+)\\linewidth", tables[8]))) == pytest.approx(BROKEN)
    said = compiled({f"configurations{n}": standalone(text) for n, text in tables.items()}, tmp_path)
    assert "Overfull" not in said


def proof_parts(text: str) -> list[tuple[str, list[str]]]:
    """Return the number and the items of each part of a proof tree, read with a stack as LaTeX does."""
    parts = []
    for part in text.split(r"\begin{center}")[1:]:
        stack, items = [], []
        counts = {"Axiom": 0, "Unary": 1, "Binary": 2, "Trinary": 3}
        for line in part.split("\n"):
            if found := re.fullmatch(r"  \\(hypo|infer(\d))(?:\[.*?\])?\{(.*)\}", line):
                count, item = int(found[2] or 0), found[3]
            elif found := re.fullmatch(r"  \\([A-Z][a-z]+)(?:Inf)?C\{\$?(.*?)\$?\}", line):
                count, item = counts[found[1]], found[2]
            else:
                continue
            assert len(stack) >= count
            del stack[len(stack) - count :]
            stack.append(item)
            items += [item] if item else []
        assert len(stack) == 1
        parts.append((re.search(r"^  \((\d+)\)", part, re.MULTILINE)[1] if parts else "", items))
    return parts


@pytest.mark.parametrize("bussproofs", [False, True])
def test_proof_trees_are_cut_where_they_are_wide(bussproofs: bool) -> None:
    words = "Economic news had little effect on financial markets"
    derivation = schemata.load("eisner1996").run(words, "example").forest().derivations(1)[0]
    parts = proof_parts(derivation_latex(derivation, bussproofs=bussproofs))
    numbers = [f"({k})" for k in range(1, len(parts))]
    assert len(parts) > 2
    assert [f"({number})" for number, _ in parts[1:]] == numbers
    items = [item for _, part in parts for item in part]
    assert sorted(item for item in items if item.startswith("(")) == numbers
    wanted = sorted(math_latex(str(node.item)) for _, node in derivation.walk())
    assert sorted(item for item in items if not item.startswith("(")) == wanted
    small = schemata.load("eisner1996").run("a b").forest().derivations(1)[0]
    assert len(proof_parts(derivation_latex(small, bussproofs=bussproofs))) == 1


def test_bussproofs_has_rules_for_five_antecedents() -> None:
    item = Item("a", (1,), "a[1]")
    leaf = Derivation(item, None, None, (), ())
    five, six = (Derivation(item, "Join", None, (), (leaf,) * k) for k in (5, 6))
    assert r"\QuinaryInfC" in derivation_latex(five, bussproofs=True)
    with pytest.raises(UsageError, match="6 antecedents"):
        derivation_latex(six, bussproofs=True)
    assert r"\infer6" in derivation_latex(six)


@needs("ebproof", "bussproofs", "longtable", "tikz")
def test_traces_and_proof_trees_compile(tmp_path: Path, prints) -> None:
    earley = ("run earley --grammar example", "the cat slept", "--trace", "--derivations", "1")
    texts = {
        "trace": prints(*earley, "--latex", "--standalone"),
        "trees": prints("run mg1", "a b", "--derivations", "2", "--latex", "--standalone"),
        "buss": prints(*earley[:2], "--derivations", "1", "--latex", "--standalone", "--bussproofs"),
        "links": prints(
            "run eisner-lg --grammar example", "the cat ran", "--trace", "--latex", "--standalone"
        ),
    }
    for view in ("triangle", "columns", "edges"):
        file = tmp_path / f"chart-{view}.tex"
        prints(*earley[:2], "--view", view, "--chart", str(file), "--standalone")
        texts[file.stem] = file.read_text(encoding="utf-8")
    said = compiled(texts, tmp_path)
    assert "Overfull" not in said
    assert texts["trees"].count(r"\begin{prooftree}") == 2
    assert r"\caption{The chart of earley on \emph{the cat slept}." in texts["trace"]
