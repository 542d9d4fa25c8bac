"""Trees and linkages for tikz-dependency: read back, and typeset where there is a LaTeX."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.display.arc_layout import linkage_picture, links_picture, tree_picture
from schemata.display.arcs import arcs_tikz
from schemata.display.structures import structures_tikz
from schemata.structures import DependencyTree, Sentence, random_linkage
from schemata.structures.constituents import Alignment, Constituent, ConstituentTree
from tests.structures.strategies import head_sequences

SPECIAL = ["50%", "a&b", "\\&", "$_{}", "~^", "#1", '"', "[x]", "--", "<|>", "\\\\", "a\tb"]
BACK = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\mbox{\textasciicircum}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\symbol{38}": "&", "''": '"',
    **{f"\\{c}": c for c in "{}$#%_"},
}  # fmt: skip


def read_cell(text: str) -> str:
    found = re.sub("|".join(map(re.escape, BACK)), lambda match: BACK[match[0]], text)
    return found.removeprefix("{}").replace("-{}-", "--")


@settings(max_examples=60)
@given(head_sequences(8), st.booleans(), st.data())
def test_words_tags_and_links_are_read_back(heads: tuple[int, ...], rtl: bool, data: st.DataObject) -> None:
    draw = st.lists(st.sampled_from(SPECIAL), min_size=len(heads), max_size=len(heads))
    words, labels, tags = (data.draw(draw) for _ in range(3))
    lines = arcs_tikz(tree_picture(words, heads, labels=labels, tags=tags, rtl=rtl)).split("\n")
    rows = [line.strip().removesuffix(r" \\").split(r" \& ") for line in lines[2:4]]
    shown = [[word.replace("\t", " ") for word in row] for row in (words, tags)]
    order = -1 if rtl else 1
    assert [list(map(read_cell, row))[::order] for row in rows] == shown
    read = {}
    for line in lines[5:-1]:
        if edge := re.fullmatch(r"  \\depedge\{(\d+)\}\{(\d+)\}\{(.*)\}", line):
            head, dependent, label = int(edge[1]), int(edge[2]), edge[3]
        else:
            edge = re.fullmatch(r"  \\deproot\{(\d+)\}\{(.*)\}", line)
            assert edge
            head, dependent, label = 0, int(edge[1]), edge[2]
        turned = [z and (len(heads) + 1 - z if rtl else z) for z in (head, dependent)]
        read[turned[1]] = turned[0], read_cell(label)
    wanted = {d: (h, labels[d - 1].replace("\t", " ")) for d, h in enumerate(heads, start=1)}
    assert read == wanted


def test_links_without_heads_labels_or_equal_strengths() -> None:
    linkage = arcs_tikz(linkage_picture(random_linkage(5, 1)))
    assert linkage.count(r"\depedge[edge style={-}]") == linkage.count(r"\depedge") > 0
    plain = arcs_tikz(links_picture(["a", "b"], [(1, 2), (2, 0)], strengths={(1, 2): 0.5, (2, 0): 1}))
    assert r"\depedge[edge style={line width=1pt}, hide label]{2}{1}{}" in plain
    assert r"\deproot[edge style={line width=1.75pt}]{2}{root}" in plain


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_typesets_it(tmp_path: Path) -> None:
    if subprocess.run(
        ["kpsewhich", "tikz-dependency.sty", "environ.sty", "forest.sty"], check=False, capture_output=True
    ).returncode:
        pytest.skip("tikz-dependency or forest is not installed")
    n = len(SPECIAL)
    sentence = Sentence(tuple(SPECIAL), tuple(SPECIAL), (2, 0, *[2] * (n - 2)), labels=tuple(SPECIAL))
    inner = Constituent("V%[", ((1, 1), (3, 3)))
    gap = ConstituentTree((Constituent("S_1", ((1, 3),), (inner,)),), tuple(SPECIAL[:3]))
    whole = ConstituentTree(
        (Constituent("S[", ((1, 3),), (Constituent("a,b]", ((1, 2),)),)),), tuple(SPECIAL[:3])
    )
    pair = Alignment(((1, 2), (2, 1)), ("50%", "b"), ("c", "#"))
    structures = [DependencyTree((2, 0, *[2] * (n - 2))), random_linkage(5, 1), gap, whole, pair]
    text = structures_tikz(sentence, structures)
    needed = [line.removeprefix("% needs ") for line in text.splitlines() if line.startswith("% needs")]
    assert len(needed) == 3
    head = rf"\documentclass{{article}}\usepackage[T1]{{fontenc}}{''.join(needed)}\begin{{document}}"
    (tmp_path / "trees.tex").write_text(f"{head}\n{text}\n\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "trees.tex"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
