"""Linkages by brute force, by the counting form of the Sleator and Temperley parser, and as link-parser counts them."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import TypeAlias

import pytest

from schemata.grammars.link_grammar import LinkGrammar
from schemata.grammars.link_grammar.expressions import Expression, One, Single
from schemata.structures.linkages import Connector, Disjunct, LengthLimits, connectors_match

# By brute force: every set of links, every way they can use the connectors ----------------------------------
#
# A sentence is a list of choices for each word, a disjunct being a word, its left and its right connectors,
# nearest first, as dictionary text. Nothing of the package is used, and only a few words are meant.


Choice: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
Link: TypeAlias = tuple[int, int, int, int]  # left and right word, and the number of the connector of each


def linkages(choices: Sequence[Sequence[Choice]]) -> set[tuple[tuple[Choice, ...], frozenset[Link]]]:
    """Return the disjuncts and the links of every linkage."""
    n = len(choices)
    graphs = [graph for graph in _graphs(n) if _connected(n, graph)]
    found = set()
    for graph in graphs:
        before = [sorted((i for i, j in graph if j == w), reverse=True) for w in range(n)]
        after = [sorted(j for i, j in graph if i == w) for w in range(n)]
        for chosen in product(*choices):
            sides = [_ways(len(before[w]), chosen[w][1]) for w in range(n)]
            sides += [_ways(len(after[w]), chosen[w][2]) for w in range(n)]
            for ways in product(*sides):
                links = frozenset(
                    (i, j, ways[n + i][after[i].index(j)], ways[j][before[j].index(i)]) for i, j in graph
                )
                if all(_match(chosen[i][2][a], chosen[j][1][b]) for i, j, a, b in links):
                    found.add((chosen, links))
    return found


def _graphs(n: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all sets of links of which no two cross."""
    pairs = list(combinations(range(n), 2))
    for size in range(n - 1, len(pairs) + 1):
        for graph in combinations(pairs, size):
            if not any(a < c < b < d for a, b in graph for c, d in graph):
                yield graph


def _connected(n: int, graph: Sequence[tuple[int, int]]) -> bool:
    reached = {0}
    while True:
        more = {w for link in graph for w in link if reached & set(link)} - reached
        if not more:
            return len(reached) == n
        reached |= more


def _ways(count: int, connectors: Sequence[str]) -> list[tuple[int, ...]]:
    """Return every way in which that many links can use all the connectors, one by one."""
    return [
        uses
        for uses in product(range(len(connectors)), repeat=count)
        if list(uses) == sorted(uses)
        and set(uses) == set(range(len(connectors)))
        and all(uses.count(k) == 1 or connectors[k].startswith("@") for k in set(uses))
    ]


def _match(one: str, other: str) -> bool:
    one, other = one.lstrip("@")[:-1], other.lstrip("@")[:-1]
    if one[0] == other[0] and one[0] in "hd":
        return False
    one, other = one.lstrip("hd"), other.lstrip("hd")
    capitals = [sum(map(str.isupper, text)) for text in (one, other)]
    if one[: capitals[0]] != other[: capitals[1]]:
        return False
    return all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=False))


# Counted in the way of the Sleator and Temperley parser -----------------------------------------------------
#
# Written apart from the package: regions between two words are filled top-down, and a table remembers how many
# ways each has. It is quick enough for sentences that no enumeration from the definition can do.


Side = tuple[Connector, ...]  # farthest first: the order in which regions are filled


def count_linkages(words: Sequence[Sequence[Disjunct]], limits: LengthLimits | None = None) -> int:
    """Return the number of linkages of the words."""
    reach = (limits or LengthLimits()).reach
    end = len(words)
    if end == 1:
        return sum(not (d.left or d.right) for d in words[0])

    @cache
    def allowed(i: int, one: Connector, j: int, other: Connector) -> bool:
        near = all((r := reach(c)) is None or j - i <= r for c in (one, other))
        return near and connectors_match(one, other)

    @cache
    def fill(i: int, j: int, right: Side, left: Side) -> int:
        """Count the ways to link the words between i and j to each other, using up these connectors."""
        if j == i + 1:
            return not right and not left
        total = 0
        for z in range(i + 1, j):
            for d in words[z]:
                back, onward = d.left[::-1], d.right[::-1]
                by_left = linked(i, z, right, back) if right and back else 0
                by_right = linked(z, j, onward, left) if onward and left else 0
                if by_left:
                    # Once linked to i, the word need not be linked to j.
                    total += by_left * (fill(z, j, onward, left) + by_right)
                if by_right and not right:
                    total += fill(i, z, (), back) * by_right
        return total

    def linked(i: int, j: int, right: Side, left: Side) -> int:
        """Count the ways to fill the region with a link between i and j on top."""
        x, y = right[0], left[0]
        if not allowed(i, x, j, y):
            return 0
        rights = (right[1:], right) if x.multi else (right[1:],)
        lefts = (left[1:], left) if y.multi else (left[1:],)
        return sum(fill(i, j, r, s) for r in rights for s in lefts)

    return sum(fill_from_first(d, end, fill) for d in words[0] if not d.left)


def fill_from_first(first: Disjunct, end: int, fill: object) -> int:
    """Count the linkages with a disjunct of the first word; behind the last word nothing can be linked."""
    assert callable(fill)
    return int(fill(0, end, first.right[::-1], ()))


# Counted by link-parser, the original program, for dictionaries written from lists of disjuncts -------------
#
# The program is asked where it is installed; tests that want it skip elsewhere.


# Every linkage is counted, none is dropped by later processing, and no word may be left out.
_OPTIONS = ("-limit=10000000", "-null=0", "-panic=0", "-spell=0", "-graphics=0", "-timeout=600", "-bad=1")
_ANSWER = re.compile(r"Found (\d+) linkages? |(No complete linkages found)")

ENGLISH = Path("/usr/share/link-grammar/en")
needs_english = pytest.mark.skipif(not ENGLISH.is_dir(), reason="no English dictionary is installed")
needs_link_parser = pytest.mark.skipif(
    shutil.which("link-parser") is None, reason="link-parser is not installed"
)


def answers_of_link_parser(dictionary: str | Path, lines: Sequence[str]) -> str:
    """Return what the program prints: to sentences, and to commands such as `!!word//`."""
    run = subprocess.run(
        ["link-parser", str(dictionary), *_OPTIONS],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return run.stdout


def link_parser_counts(dictionary: str | Path, sentences: Sequence[str]) -> list[int]:
    """Return the number of linkages of sentences under the dictionary in a folder, or an installed one."""
    found = [int(number or 0) for number, _ in _ANSWER.findall(answers_of_link_parser(dictionary, sentences))]
    assert len(found) == len(sentences)
    return found


def dictionary_in(folder: Path, **files: str) -> LinkGrammar:
    """Return the dictionary of a folder, after writing its files 4.0.dict, 4.0.affix and others."""
    for name, text in files.items():
        (folder / f"4.0.{name}").write_text(text, encoding="utf-8")
    return LinkGrammar.read(folder)


def write_dictionary(folder: Path, entries: Sequence[str]) -> None:
    """Write a dictionary without affixes and regular expressions into a folder, which is made where need be."""
    folder.mkdir(exist_ok=True)
    head = "#define dictionary-version-number 5.0.0;\n#define dictionary-locale C;\n\n"
    (folder / "4.0.dict").write_text(head + "\n".join(entries) + "\n", encoding="utf-8")
    for name in ("4.0.affix", "4.0.regex"):
        (folder / name).write_text("% none\n", encoding="utf-8")


def dictionary_text(choices: Sequence[Sequence[Disjunct]]) -> list[str]:
    """Return the entries of the words of a sentence, which must all be different."""
    entries: dict[str, list[str]] = {}
    for of_word in choices:
        for disjunct in of_word:
            cost = f"]{disjunct.cost}" if disjunct.cost else ")"
            text = f"{'[' if disjunct.cost else '('}{disjunct}{cost}"
            entries.setdefault(disjunct.word, []).append(text)
    return [f"{word}: {' or '.join(texts)};" for word, texts in entries.items()]


def count_clauses(expression: Expression, cutoff: float) -> int:
    """Return how many ways there are to choose connectors under the cut-off, equal ones counted each."""
    memo: dict[tuple[int, float], int] = {}

    def count(node: Expression, limit: float) -> int:
        left = round(limit - node.cost, 6)
        if not isinstance(node, One) and left < -1e-5:
            return 0
        if isinstance(node, Single):
            return 1
        key = (id(node), left)
        if key not in memo:
            parts = [count(operand, left) for operand in node.operands]
            if isinstance(node, One):
                memo[key] = sum(parts)
            else:
                product = 1
                for part in parts:
                    product *= part
                memo[key] = product
        return memo[key]

    return count(expression, cutoff)
