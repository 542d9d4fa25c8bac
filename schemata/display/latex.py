r"""LaTeX for papers: rules with mathpartir, proof trees with ebproof, longtables, terms and items in math mode.

A fragment names the packages that it needs in its first comments; `standalone` makes a document of it. Items may be
broken behind commas, premises and side conditions go on in further lines, so that a column of a paper is wide enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from schemata.display.rules import declarations, rule_parts
from schemata.forest.derivations import Derivation
from schemata.language import model as m
from schemata.language.typeset import conditions_of
from schemata.wording import noted

_SIGNS = {
    "≤": r"\le ", "≠": r"\ne ", "∧": r"\land ", "∨": r"\lor ", "¬": r"\neg ", "∈": r"\in ", "∉": r"\notin ",
    "•": r"\bullet ", "~": r"\sim ", "*": "{*}", "@": "{@}", ":": r"{:}\;",
}  # fmt: skip
_OPERATORS = frozenset("+-=<>≤≠∧∨¬∈∉•~,:/")
_TOKEN = re.compile(r"""[^\W\d_]\w*|"[^"]*"| +|.""")
_GREEK = frozenset(  # not xi, which is a variable beside xj in schemata
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
     "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega")
)  # fmt: skip
_SPECIAL = {character: f"\\{character}" for character in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\mbox{\textasciicircum}",  # an accent, which formulas do not take otherwise
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
}
_NUMBERED = r"""\makeatletter\@ifundefined{c@schemarule}{\newcounter{schemarule}}{}\makeatother
\providecommand{\schemarule}[1]{\refstepcounter{schemarule}\text{(\theschemarule)\enspace\textsc{#1}}}"""


def escaped(text: str) -> str:
    r"""Return text with the characters that mean something to LaTeX escaped.

    >>> escaped("50% of $x_1")
    '50\\% of \\$x\\_1'
    """
    return "".join(_SPECIAL.get(c, c if c.isprintable() else " ") for c in text)


def standalone(fragment: str) -> str:
    """Return a document that shows a fragment, with the packages that its comments name."""
    packages = dict.fromkeys(re.findall(r"^% needs (\\usepackage\{[\w,-]+\})", fragment, re.MULTILINE))
    head = [
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}",
        *packages,
    ]
    return "\n".join([*head, r"\begin{document}", fragment, r"\end{document}"])


def longtable(headers: Sequence[str], rows: Iterable[Sequence[str]], caption: str | None = None) -> str:
    """Return a longtable of cells that are LaTeX; the first column is aligned at the right, a caption stands above."""
    head, *body = (rf"  {' & '.join(cells)} \\" for cells in (headers, *rows))
    begin = rf"\begin{{longtable}}{{r{'l' * (len(headers) - 1)}}}"
    said = [rf"  \caption{{{caption}}} \\"] if caption else []
    lines = [begin, *said, rf"{head} \hline", r"  \endhead", *body, r"\end{longtable}"]
    packages = ["longtable", *["amsmath"] * any(r"\text{" in line for line in lines)]
    return "\n".join([*(rf"% needs \usepackage{{{name}}}" for name in packages), *lines])


# Rules ---------------------------------------------------------------------------------------------------------


def schema_latex(schema: m.Schema) -> str:
    """Return a schema's declarations and its rules, numbered, as a fragment of LaTeX for `amsmath` and `mathpartir`.

    Rules can be referred to: the label of step R-Link of collins1996 is `rule:collins1996:R-Link`.
    """
    head = [
        f"% {schema.title or schema.name}",
        r"% needs \usepackage{amsmath}",
        r"% needs \usepackage{mathpartir}",
    ]
    declared = [
        rf"  \item[{label.capitalize()}] {_declared(text)}"
        for label, texts in declarations(schema, ascii=False)
        for text in texts
    ]
    parts = [*head, _NUMBERED, r"{\raggedright\begin{description}", *declared, r"\end{description}}"]
    labels: set[str] = set()
    for number, case in enumerate(schema.cases, start=1):
        antecedents, consequent = rule_parts(schema, case)
        above = r" \\ ".join(map(math_latex, antecedents)) or r"\ "
        label = re.sub(r"[^\w:-]+", "-", f"{schema.name}:{noted(case.step, case.label)}").strip("-")
        label = f"{label}-{number}" if label in labels or label == schema.name else label
        labels.add(label)
        named = rf"\schemarule{{{escaped(noted(case.step, case.label))}}}\label{{rule:{label}}}"
        rule = rf"{named}\and \inferrule{{{above}}}{{{math_latex(consequent)}}}"
        conditions = [rf"\and {math_latex(text)}" for text in conditions_of(case)]
        parts += [r"\begin{mathpar}", f"  {rule}", *(f"  {text}" for text in conditions), r"\end{mathpar}"]
    return "\n".join(parts)


def _declared(text: str) -> str:
    """Return an item form, hypothesis, final item or equation, its conditions behind a comma."""
    item, _, conditions = text.partition("  where ")
    return rf"${math_latex(item)}$" + (rf" where ${math_latex(conditions)}$" if conditions else "")


# Proof trees ---------------------------------------------------------------------------------------------------


def derivation_latex(derivation: Derivation) -> str:
    """Return a derivation as a proof tree, no wider than the line, for `amsmath`, `ebproof` and `graphicx`."""
    packages = [rf"% needs \usepackage{{{name}}}" for name in ("amsmath", "ebproof", "graphicx")]
    width = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
    begin = rf"\begin{{center}}\resizebox{{{width}}}{{!}}{{\begin{{prooftree}}"
    return "\n".join([*packages, begin, *_tree(derivation), r"\end{prooftree}}\end{center}"])


def _tree(derivation: Derivation) -> list[str]:
    """Return the nodes of a proof tree, each behind its antecedents, which it takes from the stack of those before."""
    lines: list[str] = []
    stack: list[tuple[Derivation, bool]] = [(derivation, False)]
    while stack:
        node, is_done = stack.pop()
        item = math_latex(str(node.item))
        if node.step is None:
            lines.append(rf"  \hypo{{{item}}}")
        elif is_done:
            name = escaped(noted(node.step, node.case))
            lines.append(rf"  \infer{len(node.children)}[\small {name}]{{{item}}}")
        else:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.children)]
    return lines


# Math mode -----------------------------------------------------------------------------------------------------


def math_latex(text: str) -> str:
    r"""Return typeset terms or conditions in math mode; words that are not variables upright, Greek as Greek.

    >>> math_latex("span[i, j1] ≤ <k>")
    '\\mathrm{span}[i,\\allowbreak j_{1}] \\le \\langle k\\rangle'
    >>> math_latex("edge[root(. S), 1]")
    '\\mathrm{edge}[\\mathrm{root} \\to \\bullet S,\\allowbreak 1]'
    >>> math_latex("edge[A(*alpha • B *beta), i]")
    '\\mathrm{edge}[A \\to \\alpha \\bullet B\\,\\beta,\\allowbreak i]'
    >>> math_latex("well-nested"), math_latex("k - 1")
    ('\\mathrm{well}\\text{-}\\mathrm{nested}', 'k - 1')
    """
    tokens = _TOKEN.findall(text)
    parts = list(_rewritten(tokens))
    return re.sub(" +", " ", "".join(parts)).strip()


def _rewritten(tokens: Sequence[str]) -> Iterator[str]:
    """Yield tokens in math mode; a name with a rule's symbols in brackets becomes an arrow."""
    k = 0
    while k < len(tokens):
        end = _rule_end(tokens, k)
        if end:
            yield from (_math(tokens[k], "", "("), r" \to ")
            yield _symbols(tokens[k + 2 : end])
            k = end + 1
            continue
        before, after = tokens[k - 1] if k else "", tokens[k + 1] if k + 1 < len(tokens) else ""
        if tokens[k] == "*" and _name_of_greek(after):
            k += 1
            continue  # Greek letters stand for any symbols, as in papers
        yield _math(tokens[k], before, after)
        k += 1


def _rule_end(tokens: Sequence[str], k: int) -> int:
    """Return the place of the bracket that closes a rule of the grammar whose category stands at a place; 0: none.

    A term with a dot in it, or behind the word rule, is a rule.
    """
    if not (tokens[k] == "_" or tokens[k][0].isalpha()) or tokens[k + 1 : k + 2] != ["("]:
        return 0
    end = next((j for j in range(k + 2, len(tokens)) if tokens[j] in "()[]"), 0)
    if not end or tokens[end] != ")":
        return 0
    has_dot = any(_is_dot(tokens, j) for j in range(k + 2, end))
    return end if has_dot or "".join(tokens[max(0, k - 2) : k]) == "rule " else 0


def _is_dot(tokens: Sequence[str], k: int) -> bool:
    """Whether a token is the dot of a dotted rule: as typeset, or in ASCII by itself."""
    beside = {*tokens[k - 1 : k], *tokens[k + 1 : k + 2]}
    return tokens[k] == "•" or (tokens[k] == "." and all(x in "()" or x.isspace() for x in beside))


def _symbols(tokens: Sequence[str]) -> str:
    """Return the symbols of a rule, a thin space between two and the dot as an operator."""
    words = "".join(tokens).split()
    texts = []
    for word in words:
        bare = word.removeprefix("*")
        if word in ("•", "."):
            texts.append(r"\bullet")
        elif word == "*_":
            texts.append(r"\ldots")
        else:
            star = word != bare and not _name_of_greek(bare)
            texts.append("".join(_math(x, "", "") for x in _TOKEN.findall(bare)) + ("^{*}" if star else ""))
    parts = [texts[0]] if texts else [r"\varepsilon"]
    for one, other in pairwise(texts):
        parts += [" " if r"\bullet" in (one, other) else r"\,", other]
    return "".join(parts)


def _name_of_greek(token: str) -> re.Match[str] | None:
    found = re.fullmatch(r"([a-z]+?)(\d*)", token)
    return found if found and found[1] in _GREEK else None


def _math(token: str, before: str, after: str) -> str:
    """Return a token in math mode; a blank is kept, but for those around operators and after commas."""
    variable = re.fullmatch(r"([^\W\d_])(\d*)", token)
    if variable:
        return f"{variable[1]}_{{{variable[2]}}}" if variable[2] else token
    if greek := _name_of_greek(token):
        end = f"_{{{greek[2]}}}" if greek[2] else " " if after[:1].isalnum() else ""
        return rf"\{greek[1]}{end}"
    if token.isspace():
        if before == ",":
            return r"\allowbreak "
        return " " if {before, after} & _OPERATORS else r"\ "
    if token == "-" and len(before) > 1 and before.isalpha() and after[:1].isalnum():
        return r"\text{-}"  # a hyphen within a word, as that of gap-degree
    if token in "<>":
        beside, bracket = (after, r"\langle ") if token == "<" else (before, r"\rangle ")
        return token if beside.isspace() else bracket
    if token[0].isalpha():
        return rf"\mathrm{{{escaped(token)}}}"
    quoted = len(token) > 1 and token[0] == '"'
    return _SIGNS.get(token) or (rf"\text{{``{escaped(token[1:-1])}''}}" if quoted else escaped(token))
