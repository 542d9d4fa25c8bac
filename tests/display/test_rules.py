"""Schemata typeset: with the comments that say what items mean, and as LaTeX that is well-formed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from schemata.display.rules import schema_latex, typeset_schema
from schemata.display.terminal import WIDE
from schemata.language.library import shipped_schemata
from tests.support.charts import shipped

PREAMBLE = (
    "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n\\begin{document}\n"
)


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
    title, needs, begin, *body, end = text.splitlines()
    assert title.startswith("% ")
    assert needs == r"% needs \usepackage{amsmath}"
    assert (begin, end) == (r"\begin{align*}", r"\end{align*}")
    assert "\n".join(body).isascii()
    assert sum(r"\dfrac" in row for row in body) == len(schema.cases)
    for k, row in enumerate(body, start=1):
        assert bool(re.search(r" \\\\(\[[\d.]+ex\])?$", row)) == (k < len(body))
        bare = re.sub(r"\\[\\{}&#%_$]", "", row)
        assert bare.count("&") == 1
        assert not set(bare) & set("#%$~")
        depth = 0
        for character in bare:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0
        assert depth == 0
        names = set(re.findall(r"\\([a-z]+)", bare))
        assert names <= {
            "text", "mathrm", "dfrac", "quad", "le", "ne", "land", "lor", "neg", "in", "notin", "bullet", "sim",
            "langle", "rangle", "mbox", "textasciicircum", "textless", "textgreater", "textbar",
            "textbackslash",
        }  # fmt: skip


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    texts = [schema_latex(shipped(name).definition) for name in shipped_schemata()]
    (tmp_path / "rules.tex").write_text("\n\n".join([PREAMBLE, *texts, "\\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "rules.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
