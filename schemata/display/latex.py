r"""LaTeX for papers: rules with mathpartir, proof trees with ebproof or bussproofs, longtables, items in math mode.

A fragment names the packages that it needs in its first comments; `standalone` makes a document of it. Items may be
broken behind commas, premises and side conditions go on in further lines, so that a column of a paper is wide enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from schemata.display.rules import declarations, rule_parts
from schemata.errors import UsageError
from schemata.forest.derivations import Derivation
from schemata.language import model as m
from schemata.language.typeset import conditions_of
from schemata.wording import noted, quantity

_SIGNS = {
    "≤": r"\le ", "≠": r"\ne ", "∧": r"\land ", "∨": r"\lor ", "¬": r"\neg ", "∈": r"\in ", "∉": r"\notin ",
    "•": r"\bullet ", "~": r"\sim ", "*": "{*}", "@": "{@}", ":": r"{:}\;", "\\": r"\backslash ", "|": "|",
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
_CLOSE = r"\lineskiplimit=.6em\lineskip=.6em"  # lines of one rule are nearer to each other than two rules
_NUMBERED = r"""\makeatletter\@ifundefined{c@schemarule}{\newcounter{schemarule}}{}\makeatother
\providecommand{\schemarule}[1]{\refstepcounter{schemarule}\text{(\theschemarule)\enspace\textsc{#1}}}"""


_WIDEST = 100  # characters of a proof tree: set as wide as a line, they are not too small to be read
_COUNTS = ("", "Unary", "Binary", "Trinary", "Quaternary", "Quinary")  # rules of bussproofs
BROKEN = 0.55
"""The share of the line that columns have whose cells are broken."""


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


def longtable(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    caption: str | None = None,
    widths: Mapping[int, float] = MappingProxyType({}),
) -> str:
    """Return a longtable of cells that are LaTeX, with a caption above.

    The first column is aligned at the right; those with `widths`, shares of the line, break their lines.
    """
    head, *body = (rf"  {' & '.join(cells)} \\" for cells in (headers, *rows))
    broken = {
        k: rf">{{\raggedright\arraybackslash}}p{{{share:.3g}\linewidth}}" for k, share in widths.items()
    }
    begin = rf"\begin{{longtable}}{{r{''.join(broken.get(k, 'l') for k in range(1, len(headers)))}}}"
    said = [rf"  \caption{{{caption}}} \\"] if caption else []
    lines = [begin, *said, rf"{head} \hline \noalign{{\smallskip}}", r"  \endhead", *body, r"\end{longtable}"]
    packages = [
        "longtable",
        *["array"] * bool(widths),
        *["amsmath"] * any(r"\text{" in line for line in lines),
    ]
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
        conditions = [rf"\and {_kept(math_latex(text))}" for text in conditions_of(case)]
        parts += [
            rf"\begin{{mathpar}}[{_CLOSE}]",
            f"  {rule}",
            *(f"  {text}" for text in conditions),
            r"\end{mathpar}",
        ]
    return "\n".join(parts)


def _kept(condition: str) -> str:
    """Return a condition that goes to a line of its own sooner than it is broken."""
    return condition.replace(r"\allowbreak", r"\penalty5000")


def _declared(text: str) -> str:
    """Return an item form, hypothesis, final item or equation, its conditions behind a comma."""
    item, _, conditions = text.partition("  where ")
    return rf"${math_latex(item)}$" + (rf" where ${math_latex(conditions)}$" if conditions else "")


# Proof trees ---------------------------------------------------------------------------------------------------


def derivation_latex(derivation: Derivation, *, bussproofs: bool = False) -> str:
    """Return a derivation as a proof tree, for `amsmath`, `graphicx`, and `ebproof` or `bussproofs`.

    It is no wider than the line. Parts that would make it much wider are cut off, and stand below it under the numbers
    that stand in their place.

    Raises
    ------
    UsageError : a step has more antecedents than bussproofs has rules for.
    """
    names = ("amsmath", "bussproofs" if bussproofs else "ebproof", "graphicx")
    begin, end = ("", r"\DisplayProof") if bussproofs else (r"\begin{prooftree}", r"\end{prooftree}")
    width = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
    lines = [rf"% needs \usepackage{{{name}}}" for name in names]
    for number, part in enumerate(_parts(derivation, bussproofs)):
        told = [rf"  ({number})\\[1ex]"] if number else []
        lines += [
            r"\begin{center}",
            *told,
            rf"\resizebox{{{width}}}{{!}}{{{begin}",
            *part,
            rf"{end}}}\end{{center}}",
        ]
    return "\n".join(lines)


def _parts(derivation: Derivation, bussproofs: bool) -> list[list[str]]:
    """Return the lines of a proof tree, and of the parts cut off from it, in the order of their numbers."""
    waiting, nodes = [derivation], list[Derivation]()
    while waiting:
        nodes.append(waiting.pop())
        waiting += nodes[-1].children
    parts: list[list[str]] = []
    done: list[tuple[int, list[str]]] = []  # trees without a consequent: widths in characters, and lines
    for node in reversed(nodes):
        count = len(node.children)
        above = done[len(done) - count :]
        del done[len(done) - count :]
        while count > 1 and sum(width for width, _ in above) > _WIDEST:
            widest = max(range(count), key=lambda k: above[k][0])
            if len(above[widest][1]) == 1:
                break  # items that stand there by themselves
            parts.append(above[widest][1])
            above[widest] = 3, [_leaf(f"(\0{len(parts)}\0)", bussproofs)]
        item, name = str(node.item), "" if node.step is None else noted(node.step, node.case)
        hangs = any(child.step for child in node.children)  # a step's name above reaches as far as this one's
        wide = max(sum(width + 3 for width, _ in above) + len(name) * (not hangs), len(item) + len(name))
        lines = [line for _, own in above for line in own]
        text = math_latex(item)
        if node.step is None:
            lines.append(_leaf(text, bussproofs))
        else:
            lines += _inference(text, escaped(name), count, bussproofs)
        done.append((wide, lines))
    parts.append(done[0][1])
    number = partial(re.sub, "\0(\\d+)\0", lambda cut: str(len(parts) - int(cut[1])))
    return [[number(line) for line in part] for part in reversed(parts)]


def _leaf(text: str, bussproofs: bool) -> str:
    """Return an item without a line above it."""
    return rf"  \AxiomC{{${text}$}}" if bussproofs else rf"  \hypo{{{text}}}"


def _inference(text: str, name: str, count: int, bussproofs: bool) -> list[str]:
    """Return an item below the line under so many antecedents, which it takes from the stack."""
    if not bussproofs:
        return [rf"  \infer{count}[\small {name}]{{{text}}}"]
    if count >= len(_COUNTS):
        message = f"{name} has {quantity(count, 'antecedent')}, and bussproofs has rules for {len(_COUNTS) - 1} at most"
        raise UsageError(message, code="bad-option", hint="without --bussproofs, proof trees are for ebproof")
    empty = [] if count else [r"  \AxiomC{}"]
    return [*empty, rf"  \RightLabel{{\small {name}}}", rf"  \{_COUNTS[max(1, count)]}InfC{{${text}$}}"]


# Math mode -----------------------------------------------------------------------------------------------------


def math_latex(text: str) -> str:
    r"""Return typeset terms or conditions in math mode; words that are not variables upright, Greek as Greek.

    >>> math_latex("span[i, j1] ≤ <k>")
    '\\mathrm{span}[i,\\allowbreak j_{1}] \\le \\langle k\\rangle'
    >>> math_latex("edge[root(. S), 1]")
    '\\mathrm{edge}[\\mathrm{root} \\to \\bullet\\,S,\\allowbreak 1]'
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
        if (
            tokens[k] == "*"
            and not (before[-1:].isalnum() or before in (")", "]"))
            and (after == "_" or after[:1].isalpha())
        ):
            end = next((j for j in range(k + 2, len(tokens)) if tokens[j] != "'"), len(tokens))
            yield _any("".join(tokens[k + 1 : end]))
            k = end
            continue
        yield r"\bullet " if _is_dot(tokens, k) else _math(tokens[k], before, after)
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
    return tokens[k] == "•" or (tokens[k] == "." and all(x in "(),]" or x.isspace() for x in beside))


def _symbols(tokens: Sequence[str]) -> str:
    """Return the symbols of a rule, a thin space between two and the dot as an operator."""
    words = "".join(tokens).split()
    texts = []
    for word in words:
        if word in ("•", "."):
            texts.append(r"\bullet")
        elif word.startswith("*"):
            texts.append(_any(word[1:]))
        else:
            texts.append("".join(_math(x, "", "") for x in _TOKEN.findall(word)))
    parts = [texts[0]] if texts else [r"\varepsilon"]
    ends = 1, len(texts) - 1  # a dot between symbols is an operator, which has its own space
    for place, (one, other) in enumerate(pairwise(texts), start=1):
        is_dot = (one == r"\bullet" and place != ends[0]) or (other == r"\bullet" and place != ends[1])
        parts += [" " if is_dot else r"\,", other]
    return "".join(parts)


def _any(name: str) -> str:
    r"""Return a variable for any symbols: Greek letters stand for them, as in papers; other names have a star.

    >>> _any("alpha"), _any("A2"), _any("_")
    ('\\alpha', 'A_{2}^{*}', '\\ldots')
    """
    if name == "_":
        return r"\ldots"
    star = "" if _name_of_greek(name.rstrip("'")) else "^{*}"
    return "".join(_math(part, "", "") for part in _TOKEN.findall(name)) + star


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
