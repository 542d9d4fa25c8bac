"""Bracketed trees: how well a parser of constituents parses, as EVALB counts brackets, and the grammar of a treebank.

EVALB (Sekine & Collins 1997) with its parameters for the Penn Treebank: brackets of pre-terminals and of TOP do not
count, words with the tags of punctuation are left out, empty elements too, a label counts up to its first - or =, ADVP
equals PRT.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from typing import Any, TypeAlias

from schemata.errors import Diagnostic, GrammarError, Location, TreebankError, UsageError
from schemata.grammars.extract import Extraction, shares
from schemata.grammars.rules import ContextFreeGrammar, Rule, is_category
from schemata.grammars.text import nfc
from schemata.language.model import is_terminal, terminal
from schemata.records import Record, Shown, document, fields_json, json_of
from schemata.structures.bracketings import Bracketing, bracketing_class
from schemata.text_files import read_file
from schemata.thresholds import REFUSALS

_PUNCTUATION = frozenset((",", ":", "``", "''", "."))
_EMPTY = "-NONE-"
_NUMBERED = re.compile(r"(\d{1,6})=")
_OUTERMOST = frozenset(("TOP", "S1", "ROOT", ""))
_EQUAL = {"PRT": "ADVP"}
_RENAMED = {",": "COMMA", ":": "COLON", "#": "POUND", "``": "OPENING", "''": "CLOSING", "": "TOP"}

Node: TypeAlias = "tuple[str, list[Node | str]]"
"""A label and its children: nodes and words."""

_EXPECTED = "trees such as (S (NP (N dogs)) (VP (V bark)))"


class LabelledBrackets(Record):
    """A tree as brackets: (label, first, end) with counts, over the words that count, and these words."""

    spans: Counter[tuple[str, int, int]]
    words: tuple[str, ...]
    line: int


class BracketScores(Record, Shown, repr=False):
    """Labelled brackets of a parser against those of a treebank; figures are shares between 0 and 1.

    Attributes
    ----------
    system : the parser's file.
    sentences, gold, found, right : sentences compared; brackets of the gold trees, of the parser's, and of both.
    recall, precision, f1 : of brackets; None if there are none to divide by.
    exact : the share of sentences with the same brackets.
    skipped : sentences whose words differ.
    """

    system: str
    sentences: int
    gold: int
    found: int
    right: int
    recall: float | None
    precision: float | None
    f1: float | None
    exact: float
    skipped: tuple[Diagnostic, ...]

    to_json = json_of("system sentences gold found right recall precision f1 exact skipped")


def evaluate_brackets(gold: str | PathLike[str], system: str | PathLike[str]) -> BracketScores:
    """Compare trees in two files, one pair after the other.

    Parameters
    ----------
    gold, system : files of bracketed trees, as many in both.

    Raises
    ------
    TreebankError : a file cannot be read, or its brackets do not match.
    UsageError : the files have different numbers of trees, or none.
    """
    of_gold, of_system = list(read_brackets(gold)), list(read_brackets(system))
    if len(of_gold) != len(of_system) or not of_gold:
        message = f"{fspath(gold)} has {len(of_gold)} trees, {fspath(system)} has {len(of_system)}"
        raise UsageError(message, code="other-sentences", expected="the same sentences in both")
    skipped: list[Diagnostic] = []
    compared = exact = whole = found = right = 0
    for one, other in zip(of_gold, of_system, strict=True):
        if one.words != other.words:
            message = (
                f"the words differ: {' '.join(one.words)!r} in the gold tree, {' '.join(other.words)!r} here"
            )
            place = Location(fspath(system), other.line, 1)
            skipped.append(Diagnostic("other-text", message, place, "the words of the gold tree"))
            continue
        compared += 1
        both = (one.spans & other.spans).total()
        whole, found, right = whole + one.spans.total(), found + other.spans.total(), right + both
        exact += one.spans == other.spans
    if not compared:
        raise UsageError("no two trees have the same words", code="nothing-compared")
    recall, precision = (right / count if count else None for count in (whole, found))
    f1 = 2 * right / (whole + found) if whole + found else None
    figures = recall, precision, f1, exact / compared
    return BracketScores(fspath(system), compared, whole, found, right, *figures, tuple(skipped))


def read_brackets(path: str | PathLike[str]) -> Iterator[LabelledBrackets]:
    """Yield the trees of a file.

    Raises
    ------
    TreebankError : the file cannot be read, or a bracket has no partner; with its place.
    """
    file = fspath(path)
    text = read_file(path, TreebankError, _EXPECTED, REFUSALS.bracket_bytes)
    open_: list[tuple[str, int, int]] = []  # label, first word, line
    spans: Counter[tuple[str, int, int]] = Counter()
    words: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        for column, token in _tokens(line):
            if token == "(":
                open_.append(("", len(words), number))
            elif not open_:
                raise _unmatched(file, number, column, line, f"{token!r} stands outside of all brackets")
            elif token != ")":
                label, first, begun = open_[-1]
                if label or first != len(words):
                    if label not in _PUNCTUATION and label != _EMPTY:
                        words.append(token)
                    open_[-1] = (label, -1, begun)  # a pre-terminal
                else:
                    open_[-1] = (token, first, begun)
            else:
                label, first, begun = open_.pop()
                kept = label if label.startswith("-") else label.partition("-")[0].partition("=")[0]
                if first >= 0 and kept not in _OUTERMOST and len(words) > first:
                    spans[_EQUAL.get(kept, kept), first, len(words)] += 1
                if not open_:
                    if words:
                        yield LabelledBrackets(spans, tuple(words), begun)
                    spans, words = Counter(), []
    if open_:
        last = text.splitlines()[open_[0][2] - 1]
        raise _unmatched(file, open_[0][2], last.find("(") + 1, last, "a bracket is not closed")


def read_trees(path: str | PathLike[str], *, named: bool = True) -> Iterator[Node]:
    """Yield the trees of a file as they are written, without empty elements, which cover no word.

    Parameters
    ----------
    named : whether labels must be names that categories may have.

    Raises
    ------
    TreebankError : the file cannot be read, a bracket has no partner, or a label cannot be the name of a category; with
        its place.
    """
    file, above = fspath(path), list[tuple[Node, int]]()
    labels: set[str] = set()
    text = read_file(path, TreebankError, _EXPECTED, REFUSALS.bracket_bytes)
    begins = False  # whether a bracket stands right before
    for number, line in enumerate(text.splitlines(), start=1):
        for column, token in _tokens(line):
            if token == "(":
                above.append((("", []), number))
            elif not above:
                raise _unmatched(file, number, column, line, f"{token!r} stands outside of all brackets")
            elif token != ")":
                (_, below), begun = above[-1]
                if begins:
                    if named and token not in labels and not is_category(nfc(_RENAMED.get(token, token))):
                        place = Location(file, number, column, column + len(token))
                        message, expected = f"a category cannot be called {token}", "another label"
                        raise TreebankError(Diagnostic("bad-label", message, place, expected, None, line))
                    labels.add(token)
                    above[-1] = (token, below), begun
                else:
                    below.append(token)
            else:
                node, _ = above.pop()
                if node[1] and node[0] != _EMPTY:
                    if not above:
                        yield node
                    else:
                        above[-1][0][1].append(node)
            begins = token == "("
    if above:
        last = text.splitlines()[above[0][1] - 1]
        raise _unmatched(file, above[0][1], last.find("(") + 1, last, "a bracket is not closed")


class BracketCoverage(Record, Shown, repr=False):
    """The trees of a treebank by their classes of bracketings.

    Attributes
    ----------
    file : its name.
    sentences : trees that were counted.
    median_words : half of them have no more words.
    classes : by class, how many trees belong to it.
    """

    file: str
    sentences: int
    median_words: int
    classes: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the object that `coverage --brackets --json` prints."""
        return document(fields_json(self, "file sentences median_words classes"))


BRACKET_CLASSES = (
    "continuous", "well-nested", "fan-out-2", "fan-out-3", "binary", "continuous+binary", "well-nested+binary", "all",
)  # fmt: skip
"""The classes by which bracketed trees are counted."""


def coverage_of_brackets(path: str | PathLike[str]) -> BracketCoverage:
    """Count the trees of a file by their classes of bracketings.

    Parameters
    ----------
    path : a file of bracketed trees; where all words of a tree are numbered, as in `0=what`, they stand in that order
        (discbracket), and constituents may have gaps.

    Raises
    ------
    TreebankError : the file cannot be read, or a bracket has no partner; with its place.
    UsageError : no tree stands in it, or two numbered words of a tree have one number.
    """
    tests = {name: bracketing_class(name) for name in BRACKET_CLASSES}
    lengths: list[int] = []
    counts = dict.fromkeys(BRACKET_CLASSES, 0)
    for tree in read_trees(path, named=False):
        found = bracketing_of(tree)
        lengths.append(found.n)
        for name, one in tests.items():
            counts[name] += one.contains(found)
    if not lengths:
        raise UsageError(f"no tree stands in {fspath(path)}", code="nothing-compared", expected=_EXPECTED)
    return BracketCoverage(fspath(path), len(lengths), sorted(lengths)[(len(lengths) - 1) // 2], counts)


def bracketing_of(tree: Node) -> Bracketing:
    """Return the sets of words of a tree's constituents.

    Raises
    ------
    UsageError : all words are numbered, and two have one number.

    >>> print(bracketing_of(("S", [("VP", ["0=what", "3=saw"]), "1=he"])))  # what had the number 2 was empty
    {1 2 3} {1 3}
    """
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    waiting: list[tuple[Node | str, int | None]] = [(tree, None)]
    while waiting:
        node, begun = waiting.pop()
        if begun is not None:
            spans.append((begun, len(words)))
        elif isinstance(node, str):
            words.append(node)
        else:
            waiting += [(node, len(words)), *((below, None) for below in reversed(node[1]))]
    found = list(map(_NUMBERED.match, words))
    order = [int(number[1]) for number in found if number]
    if len(order) < len(words):
        order = [*range(len(words))]
    places = {number: place for place, number in enumerate(sorted(order), start=1)}
    if len(places) < len(words):
        message = f"two words of a tree have one number: {' '.join(words)}"
        raise UsageError(message, code="brackets", expected="each number once, as in 0=what 1=he 2=saw")
    return Bracketing.of(len(words), ([places[k] for k in order[first:end]] for first, end in spans))


def extract_context_free(
    path: str | PathLike[str], *, min_count: int = 1, estimate: bool = False
) -> Extraction[ContextFreeGrammar]:
    """Extract a context-free grammar from bracketed trees: a rule for each node, words under their pre-terminals.

    Labels stay as they are written, except for signs that cannot be names of categories (`,` is COMMA). Brackets
    without a label around a tree are left out; where the trees have several labels, TOP is above them.

    Parameters
    ----------
    path : the file.
    min_count : leave out rules seen less often, and then those with a category that has none left.
    estimate : give each rule its relative frequency among those of its category, under which the trees are as probable
        as they can be (Chi 1999, Statistical properties of probabilistic context-free grammars).

    Raises
    ------
    UsageError : min_count < 1.
    TreebankError : the file cannot be read, a bracket has no partner, or a label cannot be the name of a category; with
        its place.
    GrammarError : there is no tree, or no rule was seen often enough.
    """
    if min_count < 1:
        raise UsageError(f"min_count is {min_count}, but every rule was seen at least once")
    trees = [tree[1][0] if not tree[0] and len(tree[1]) == 1 else tree for tree in read_trees(path)]
    seen: Counter[Rule] = Counter()
    words = 0
    tops = Counter(_RENAMED.get(tree[0], tree[0]) for tree in trees if not isinstance(tree, str))
    for tree in trees:
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                words += 1
                continue
            label, below = node
            body = (terminal(x) if isinstance(x, str) else _RENAMED.get(x[0], x[0]) for x in below)
            seen[Rule(_RENAMED.get(label, label), tuple(body))] += 1
            waiting += below
    start = next(iter(tops), "")
    if len(tops) > 1:
        start = "TOP"
        while start in {rule.lhs for rule in seen}:
            start += "'"
        seen.update({Rule(start, (top,)): count for top, count in tops.items()})
    kept, before = {rule: count for rule, count in seen.items() if count >= min_count}, -1
    while len(kept) != before:
        before, defined = len(kept), {rule.lhs for rule in kept}
        kept = {r: count for r, count in kept.items() if all(is_terminal(x) or x in defined for x in r.body)}
    if not any(rule.lhs == start for rule in kept):
        message = "no tree stands in the file" if not trees else f"too little was seen {min_count} times"
        raise GrammarError(
            message, code="nothing-extracted", hint=None if not trees else "lower the minimum count"
        )
    weights = tuple(shares(kept, lambda rule: rule.lhs)) if estimate else ()
    grammar = ContextFreeGrammar(tuple(kept), start, weights=weights)
    return Extraction(grammar, kept, len(trees), words, min_count, len(seen) - len(kept), ())


def _tokens(line: str) -> Iterator[tuple[int, str]]:
    """Yield brackets and the texts between them, with columns."""
    begun = None
    for column, sign in enumerate(f"{line} ", start=1):
        if sign in "() \t" and begun is not None:
            yield begun, line[begun - 1 : column - 1]
            begun = None
        if sign in "()":
            yield column, sign
        elif sign not in " \t" and begun is None:
            begun = column


def _unmatched(file: str, line: int, column: int, text: str, message: str) -> TreebankError:
    place = Location(file, line, column, column + 1)
    return TreebankError(Diagnostic("brackets", message, place, _EXPECTED, None, text))
