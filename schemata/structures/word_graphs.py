"""A word graph: words between states, so that each path from the beginning to an end is a sentence.

Speech recognisers, morphological analysers and tokenisers make such graphs (lattices). A file has a line for each word,
in the text format of OpenFst for acceptors: two states and the word between them, then a line for each final state.

    0 1 I'm  .7    # comments begin with a number sign that stands by itself
    0 2 I
    2 1 'm
    1 3 here
    3

The first line begins in the first state; without final states, those that nothing leaves are final. A number behind a
word or a final state is a cost, the negative logarithm of a weight, as in OpenFst. Treebanks of
Hebrew and Turkish have lattices whose lines begin in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from schemata.errors import Diagnostic, GrammarError, Location, UsageError
from schemata.grouping import grouped, reachable
from schemata.records import Record, field
from schemata.structures.sentence import Sentence
from schemata.text_files import lines_of, read_file
from schemata.thresholds import REFUSALS


class Arc(NamedTuple):
    """A word between two states, its part of speech or None, its line, 0 if in none, and its weight in log space."""

    begin: str
    end: str
    word: str
    tag: str | None = None
    line: int = 0
    weight: float = 0.0


class WordGraph(Record, slots=False):
    """Words, and which of them may follow which.

    Parameters
    ----------
    words : w_1..w_N, numbered so that each has a greater number than those it follows.
    follows : pairs of positions, the second of which follows the first: 0 is before the first words, N + 1 after the
        last ones. Every word is on a path from 0 to N + 1.
    tags : one part of speech per word, or None.
    weights : for each pair the weight of going on to the word, or to the end, in log space; None if all are 0.

    >>> graph = WordGraph.of_arcs([Arc("0", "1", "I'm"), Arc("0", "2", "I"), Arc("2", "1", "'m"), Arc("1", "3", "in")])
    >>> [" ".join(graph.sentence_of(path).words) for path in graph.paths()]
    ["I 'm in", "I'm in"]
    """

    words: tuple[str, ...]
    follows: tuple[tuple[int, int], ...]
    tags: tuple[str, ...] | None = None
    name: str | None = field(default=None, compare=False)
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        end = len(self.words) + 1
        if self.weights is not None and len(self.weights) != len(self.follows):
            raise UsageError(f"{len(self.weights)} weights for {len(self.follows)} pairs of words")
        if not all(0 <= i < j <= end for i, j in self.follows):
            raise UsageError("a word of a graph follows words of smaller numbers only")
        reached = {j for _, j in self.follows}
        for k in range(1, end):
            if not self.after[k] or k not in reached:
                raise UsageError(f"word {k} of the graph, {self.words[k - 1]}, is on no path")

    @classmethod
    def of_arcs(
        cls,
        arcs: Sequence[tuple[Any, ...]],
        finals: Collection[str] | Mapping[str, float] = (),
        name: str | None = None,
    ) -> WordGraph:
        """Return the graph of words between states; the first arc begins in the first state. Tuples are arcs, too.

        Without final states, those are final that no word leaves; a mapping gives final states weights in log space.

        Raises
        ------
        UsageError : there is no word, a cycle, or a state that is on no path; some words have tags and others none; a
            tuple is not an arc.
        """
        if not arcs:
            raise UsageError("the word graph is empty", code="empty-graph", expected="lines such as 0 1 word")
        rows = [_arc(number, arc) for number, arc in enumerate(arcs, start=1)]
        order = _ordered(rows)
        ends = set(finals) or {arc.end for arc in rows} - {arc.begin for arc in rows}
        first = rows[0].begin
        _check_reached(rows, first, ends)
        ranked = sorted(rows, key=lambda arc: (order[arc.begin], order[arc.end]))
        if len({arc.tag is None for arc in rows}) > 1:
            bare = next(arc for arc in rows if arc.tag is None)
            raise UsageError(f"the word {bare.word} has no part of speech, and others have one")
        begins: dict[str, list[int]] = {}
        for k, arc in enumerate(ranked, start=1):
            begins.setdefault(arc.begin, []).append(k)
        follows = [(0, k) for k in begins[first]]
        for k, arc in enumerate(ranked, start=1):
            follows += [(k, other) for other in begins.get(arc.end, ())]
            follows += [(k, len(rows) + 1)] * (arc.end in ends)
        follows.sort()
        tags = tuple(arc.tag for arc in ranked if arc.tag is not None)
        closing = finals if isinstance(finals, Mapping) else {}
        weights = tuple(
            ranked[j - 1].weight if j <= len(rows) else closing.get(ranked[i - 1].end, 0.0)
            for i, j in follows
        )
        words = tuple(arc.word for arc in ranked)
        return cls(words, tuple(follows), tags or None, name, weights if any(weights) else None)

    @classmethod
    def of_sentence(cls, sentence: Sentence) -> WordGraph:
        """Return the graph with one path, a sentence."""
        n = len(sentence)
        return cls(sentence.words, tuple((i, i + 1) for i in range(n + 1)), sentence.tags, sentence.name)

    @classmethod
    def read(cls, path: str | PathLike[str], tagged: bool = False) -> WordGraph:
        """Read a file of words between states.

        Parameters
        ----------
        path : the file.
        tagged : words have a slash and a part of speech after them.

        Raises
        ------
        GrammarError : the file cannot be read, or holds mistakes; all mistakes of lines are reported.
        """
        text = read_file(path, GrammarError, "a word graph", REFUSALS.grammar_bytes)
        return graph_of_text(text, fspath(path), tagged)

    @cached_property
    def sentence(self) -> Sentence:
        """All words of the graph in a row, as positions number them."""
        return Sentence(self.words, self.tags, name=self.name)

    @cached_property
    def after(self) -> tuple[tuple[int, ...], ...]:
        """For each position 0..N the positions that follow it."""
        found: list[list[int]] = [[] for _ in range(len(self.words) + 2)]
        for i, j in sorted(self.follows):
            found[i].append(j)
        return tuple(map(tuple, found))

    @cached_property
    def weight_of_pair(self) -> Mapping[tuple[Any, ...], float]:
        """The weight in log space of each pair of positions that follow one another; empty if there are no weights."""
        return {} if self.weights is None else dict(zip(self.follows, self.weights, strict=True))

    @property
    def is_row(self) -> bool:
        """Whether there is one path, so that the graph is a sentence."""
        return len(self.follows) == len(self.words) + 1

    @property
    def path_count(self) -> int:
        """The number of paths."""
        counts = [0] * (len(self.words) + 2)
        counts[-1] = 1
        for i in reversed(range(len(self.words) + 1)):
            counts[i] = sum(counts[j] for j in self.after[i])
        return counts[0]

    def paths(self) -> Iterator[tuple[int, ...]]:
        """Yield the paths as positions of their words."""
        end = len(self.words) + 1
        stack: list[tuple[int, ...]] = [(0,)]
        while stack:
            path = stack.pop()
            if path[-1] == end:
                yield path[1:-1]
            else:
                stack += [(*path, j) for j in reversed(self.after[path[-1]])]

    def weight_of(self, path: Sequence[int]) -> float:
        """Return the weight of a path in log space: the sum of those of its words, and of its end."""
        known = self.weight_of_pair
        return sum(known.get(pair, 0.0) for pair in pairwise((0, *path, len(self.words) + 1)))

    def is_path(self, positions: Sequence[int]) -> bool:
        """Whether words, in order, are those of a path."""
        steps = zip((0, *positions), (*positions, len(self.words) + 1), strict=True)
        return all(j in self.after[i] for i, j in steps)

    def sentence_of(self, path: Sequence[int]) -> Sentence:
        """Return the sentence of a path."""
        tags = None if self.tags is None else tuple(self.tags[k - 1] for k in path)
        return Sentence(tuple(self.words[k - 1] for k in path), tags, name=self.name)

    def distances(self, first: int, direction: int = 1) -> list[tuple[int, int] | None]:
        """Return how many words the shortest and the longest way from a position to each other one has; None without a
        way.

        With a direction of -1, ways lead back.
        """
        found: list[tuple[int, int] | None] = [None] * (len(self.words) + 2)
        found[first] = (0, 0)
        pairs = sorted(self.follows) if direction > 0 else sorted((j, i) for i, j in self.follows)[::-1]
        for i, j in pairs:
            here, known = found[i], found[j]
            if here is not None:
                low, high = known or (len(found), 0)
                found[j] = min(low, here[0] + 1), max(high, here[1] + 1)
        return found

    def __len__(self) -> int:
        return len(self.words)


class OnPath(Record):
    """A structure over the sentence of a path of a word graph.

    Parameters
    ----------
    path : the positions of the words in the graph.
    sentence : the words.
    structure : a tree over them, whose words count from 1, or another structure, or a derivation.
    """

    path: tuple[int, ...]
    sentence: Sentence
    structure: Any

    def __str__(self) -> str:
        return f"{' '.join(self.sentence.words)}: {self.structure}"


_ONE_WORD = "a line has one word behind the two states that it stands between: 0 1 the"


def graph_of_text(text: str, file: str = "word graph", tagged: bool = False) -> WordGraph:
    """Return the word graph that the text of a file holds; parameters and errors are those of `WordGraph.read`."""
    problems: list[Diagnostic] = []
    arcs: list[Arc] = []
    finals: dict[str, float] = {}

    def refuse(line: int, row: str, message: str, hint: str | None = None) -> None:
        place = Location(file, line, 1, len(row) + 1)
        expected = "two states and a word, or one final state, and perhaps a cost"
        problems.append(Diagnostic("bad-graph", message, place, expected, hint, row))

    for number, row in enumerate(lines_of(text, file, GrammarError, REFUSALS.grammar_line), start=1):
        cells = row.split()
        if "#" in cells[:1] + cells[3:]:
            cells = cells[: cells.index("#", 0 if cells[0] == "#" else 3)]
        weight = 0.0
        if len(cells) in (2, 4):
            try:
                weight = -float(cells[-1])
            except ValueError:
                weight = math.nan
            if not math.isfinite(weight):
                hint = "a cost is the negative logarithm of a weight; unlikely words cost much"
                if re.fullmatch(r"[^\W\d_]+", cells[-1]):
                    hint = _ONE_WORD
                refuse(number, row, f"{cells[-1]} is not a cost", hint)
                continue
        if len(cells) in (1, 2):
            finals[cells[0]] = weight
        elif len(cells) in (3, 4):
            begin, end, word = cells[:3]
            tag = None
            if word in ("<eps>", "<epsilon>"):
                refuse(number, row, f"{word} is not a word", "join the two states into one")
                continue
            if tagged:
                word, _, tag = word.rpartition("/")
                if not (word and tag):
                    refuse(number, row, f"{cells[2]} has no part of speech", f"write {cells[2]}/TAG")
                    continue
            arcs.append(Arc(begin, end, word, tag, number, weight))
        elif cells:
            refuse(number, row, f"a line of {len(cells)} columns", _ONE_WORD)
    if len(arcs) == 1 and not finals and all(re.fullmatch(r"[^\W\d_]{2,}", x) for x in arcs[0][:2]):
        message = f"this is a sentence, or states have the names {arcs[0].begin} and {arcs[0].end}"
        refuse(arcs[0].line, " ".join(arcs[0][:3]), message, f"{_ONE_WORD}; single states have numbers")
    if problems:
        raise GrammarError(problems)
    try:
        return WordGraph.of_arcs(arcs, finals, Path(file).stem)
    except UsageError as mistake:
        first = mistake.diagnostics[0]
        commas = not arcs and any("," in state for state in finals)
        meant = "blanks or tabs stand between columns, not commas" if commas else first.hint
        found = Diagnostic("bad-graph", first.message, Location(file, 1, 1), first.expected, meant)
        raise GrammarError(found) from None


def _arc(number: int, given: Any) -> Arc:
    """Return a tuple or list as an arc.

    Raises
    ------
    UsageError : it is not two states and a word, with a part of speech, a line and a weight at most.
    """
    row = given if isinstance(given, tuple | list) else ()
    if 3 <= len(row) <= len(Arc._fields):
        arc = Arc(*row)
        named = isinstance(arc.word, str) and (arc.tag is None or isinstance(arc.tag, str))
        if named and isinstance(arc.weight, int | float) and not math.isnan(arc.weight):
            return arc
    raise UsageError(
        f"arc {number} of the word graph is not an arc: {given!r}",
        code="bad-arc",
        expected='two states and a word, ("0", "1", "word"), then perhaps a part of speech, a line and a weight',
        hint="with a weight alone: Arc(begin, end, word, weight=w)",
    )


def _ordered(arcs: Iterable[Arc]) -> dict[str, int]:
    """Return the states by number, each after those that words lead from to it.

    Raises
    ------
    UsageError : there is a cycle.
    """
    before: dict[str, int] = {}
    after: dict[str, list[str]] = {}
    for arc in arcs:
        before.setdefault(arc.begin, 0)
        before[arc.end] = before.get(arc.end, 0) + 1
        after.setdefault(arc.begin, []).append(arc.end)
    order: dict[str, int] = {}
    ready = [state for state, count in before.items() if not count]
    for state in ready:
        order[state] = len(order)
        for other in after.get(state, ()):
            before[other] -= 1
            if not before[other]:
                ready.append(other)
    if len(order) < len(before):
        stuck = sorted(state for state in before if state not in order)
        raise UsageError(
            f"words lead in a circle through the states {', '.join(stuck[:5])}",
            code="cyclic-graph",
            expected="a graph without cycles",
        )
    return order


def _check_reached(arcs: Sequence[Arc], first: str, finals: Collection[str]) -> None:
    """Refuse states that are on no path from the first state to a final one."""
    after = grouped((arc.begin, arc.end) for arc in arcs)
    before = grouped((arc.end, arc.begin) for arc in arcs)
    forwards = reachable([first], lambda state: after.get(state, ()))
    backwards = reachable(finals, lambda state: before.get(state, ()))
    lost = next((arc for arc in arcs if not (arc.begin in forwards and arc.end in backwards)), None)
    if lost is None:
        return
    raise UsageError(
        f"the word {lost.word} from {lost.begin} to {lost.end} is on no path"
        f" from the first state, {first}, to a final one",
        hint="lines have two states, then the word between them: 0 1 the",
    )
