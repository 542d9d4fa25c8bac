"""How well a parser of constituents parses: labelled brackets, as EVALB counts them.

EVALB (Sekine & Collins 1997) with its parameters for the Penn Treebank: brackets of pre-terminals and of TOP do not
count, words with the tags of punctuation are left out, empty elements too, a label counts up to its first - or =, ADVP
equals PRT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os import PathLike, fspath

from schemata.errors import Diagnostic, Location, TreebankError, UsageError
from schemata.records import Record, Shown, json_of
from schemata.text_files import read_file

_PUNCTUATION = frozenset((",", ":", "``", "''", "."))
_EMPTY = "-NONE-"
_OUTERMOST = frozenset(("TOP", "S1", "ROOT", ""))
_EQUAL = {"PRT": "ADVP"}
_SIZE = 1 << 28
_EXPECTED = "trees such as (S (NP (N dogs)) (VP (V bark)))"


class Brackets(Record):
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
    recall, precision, f1 : of brackets.
    exact : the share of sentences with the same brackets.
    skipped : sentences whose words differ.
    """

    system: str
    sentences: int
    gold: int
    found: int
    right: int
    recall: float
    precision: float
    f1: float
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
    recall, precision = (right / count if count else 0.0 for count in (whole, found))
    f1 = 2 * right / (whole + found) if whole + found else 0.0
    figures = recall, precision, f1, exact / compared
    return BracketScores(fspath(system), compared, whole, found, right, *figures, tuple(skipped))


def read_brackets(path: str | PathLike[str]) -> Iterator[Brackets]:
    """Yield the trees of a file.

    Raises
    ------
    TreebankError : the file cannot be read, or a bracket has no partner; with its place.
    """
    file = fspath(path)
    text = read_file(path, TreebankError, _EXPECTED, _SIZE)
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
                        yield Brackets(spans, tuple(words), begun)
                    spans, words = Counter(), []
    if open_:
        last = text.splitlines()[open_[0][2] - 1]
        raise _unmatched(file, open_[0][2], last.find("(") + 1, last, "a bracket is not closed")


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
