"""How well a parser parses: its output against the gold trees of a treebank.

UAS, LAS and CLAS are the F1 scores of the CoNLL 2018 shared task (Zeman et al. 2018): words are aligned by the
characters they stand for, labels compared without their subtypes, and CLAS looks at content words alone. Precision and
recall on non-projective arcs are those of Gómez-Rodríguez & Nivre (2010, Table 2), the other groups those of McDonald &
Nivre (2007, Characterizing the errors of data-driven dependency parsing models).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from schemata.errors import Diagnostic, StructureError, UsageError, require_number
from schemata.learning.words import Token, Tokens, aligned, read_tokens, unlike
from schemata.records import Record, Shown, Tabular, document, fields_json, json_of
from schemata.structures import DependencyTree, tree_class
from schemata.structures.projections import tree_masks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Labels of content words in the shared task.
_OBJECTS = (
    "nsubj",
    "obj",
    "iobj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "vocative",
    "expl",
    "dislocated",
    "advcl",
)
_OTHERS = (
    "advmod",
    "discourse",
    "nmod",
    "appos",
    "nummod",
    "acl",
    "amod",
    "conj",
    "fixed",
    "flat",
    "compound",
)
_LOOSE = ("list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep")
_CONTENT = frozenset((*_OBJECTS, *_OTHERS, *_LOOSE))
_CLASSES = ("projective", "planar", "2-planar", "wg-1", "well-nested", "all")
_LENGTHS = (10, 20, 30, 40, 50)
_DISTANCES = (1, 2, 3, 4, 5, 6, 10, 15)
_DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8)
GROUPS = ("label", "length", "arc_length", "root_distance", "depth", "class")
"""The ways to group words: the gold and the system's label, the length of the sentence, the distance to the head, the
number of links to the root, the depth of the gold tree, and the smallest class of the gold tree."""


class Group(Record):
    """Words of one kind.

    Attributes
    ----------
    name : their common property.
    gold, system : the number of them in the gold trees, and in the parser's.
    recall, labelled_recall : the share of the gold words whose head (and label) the parser found; None if there are no
        words.
    precision, labelled_precision : the share of the parser's words whose head (and label) is right; None if there are
        no words.
    """

    name: str
    gold: int
    system: int
    recall: float | None
    precision: float | None
    labelled_recall: float | None
    labelled_precision: float | None

    to_json = json_of("name gold system recall precision labelled_recall labelled_precision")


class ConfidenceInterval(Record):
    """An interval in which a figure lies for 95 of 100 samples of sentences, drawn with replacement."""

    low: float
    high: float

    to_json = json_of("low high")


class Evaluation(Record, Shown, Tabular, repr=False):
    """The accuracy of a parser's output. Figures are shares between 0 and 1.

    Attributes
    ----------
    system : the parser's file.
    sentences, words, system_words : how much was compared.
    uas, las, clas : F1 of heads; of heads and labels; of these for content words.
    exact, labelled_exact : the share of sentences whose heads (and labels) are all right.
    nonprojective : non-projective arcs: how many gold ones the parser found, and how many of its own are right.
    groups : by a name in `GROUPS`, words of one kind each. Empty if the two files segment words differently.
    intervals : of uas, las, clas and exact.
    faults : sentences of the parser that are not trees; their words count, wrong heads as wrong.
    skipped : gold sentences that could not be compared.
    counts : for each sentence: gold and system words, words with the right head, and label; the same three for content
        words (gold, system, right); int64, shape (sentences, 7).
    """

    system: str
    sentences: int
    words: int
    system_words: int
    uas: float
    las: float
    clas: float
    exact: float
    labelled_exact: float
    nonprojective: Group
    groups: dict[str, tuple[Group, ...]]
    intervals: dict[str, ConfidenceInterval]
    faults: tuple[Diagnostic, ...]
    skipped: tuple[Diagnostic, ...]
    counts: NDArray[np.int64]

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each group of words: `by` is what they have in common, such as "relation"."""
        yield from ({"by": name, **one.to_json()} for name, groups in self.groups.items() for one in groups)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as `schemata evaluate --json` prints them."""
        fields = "system sentences words system_words uas las clas exact labelled_exact nonprojective"
        found = document(fields_json(self, fields))
        found |= {f"by_{name}": [one.to_json() for one in groups] for name, groups in self.groups.items()}
        found["intervals"] = {name: one.to_json() for name, one in self.intervals.items()}
        found["faults"] = [one.to_json() for one in self.faults]
        found["skipped"] = [one.to_json() for one in self.skipped]
        return found


class Difference(Record):
    """Two parsers on the same sentences.

    Attributes
    ----------
    first, second : their files.
    uas, las : by how much the first is better.
    p_uas, p_las : twice the share of samples of sentences, drawn with replacement, in which the better parser is not
        better (Efron & Tibshirani 1993; Berg-Kirkpatrick et al. 2012). All sentences as they are count as one such
        sample: so p is never 0, and no less than the number of samples allows (Davison & Hinkley 1997).
    """

    first: str
    second: str
    uas: float
    las: float
    p_uas: float
    p_las: float

    to_json = json_of("first second uas las p_uas p_las")

    @property
    def tested(self) -> tuple[tuple[float, float], ...]:
        """The differences in UAS and LAS, each with its p."""
        return (self.uas, self.p_uas), (self.las, self.p_las)


def evaluate(
    gold: str | PathLike[str],
    system: str | PathLike[str],
    *,
    punctuation: bool = True,
    subtypes: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Compare a parser's output with the gold trees of the same text.

    Parameters
    ----------
    gold, system : CoNLL-U files.
    punctuation : whether words with the gold tag PUNCT count; the shared task counts them.
    subtypes : whether labels are compared with their subtypes (`nsubj:pass`).
    resamples : samples of sentences, for intervals.
    seed : fixes the samples.

    Raises
    ------
    TreebankError : a file cannot be read; the texts of the two files differ as a whole.
    UsageError : no sentence can be compared.
    """
    require_number("resamples", resamples, least=0)
    file = fspath(system)
    tally = _Tally(punctuation, subtypes)
    skipped: list[Diagnostic] = []
    for one, other in _pairs(gold, file, skipped):
        tally.add(one, other)
    if not tally.rows:
        message = f"no sentence of {fspath(gold)} can be compared with one of {file}"
        raise UsageError([Diagnostic("nothing-compared", message), *skipped[:1]])
    return tally.evaluation(file, tuple(skipped), resamples, seed)


def difference(one: Evaluation, other: Evaluation, resamples: int = 1000, seed: int = 0) -> Difference:
    """Compare two parsers by the sentences they parsed.

    Raises
    ------
    UsageError : they were not evaluated on the same sentences.
    """
    if (one.counts[:, 0] != other.counts[:, 0]).any() if one.counts.shape == other.counts.shape else True:
        message = f"{one.system} and {other.system} were not evaluated on the same sentences"
        raise UsageError(message, code="other-sentences")
    samples = _samples(len(one.counts), resamples, seed)
    found: dict[str, float] = {}
    for name, right in (("uas", 2), ("las", 3)):
        by = getattr(one, name) - getattr(other, name)
        differences = _f1(samples @ one.counts, right) - _f1(samples @ other.counts, right)
        against = (differences <= 0) if by > 0 else (differences >= 0)
        share = 2 * (1 + int(against.sum())) / (1 + len(differences))
        found |= {name: by, f"p_{name}": min(1.0, share) if by else 1.0}
    return Difference(one.system, other.system, **found)


def _pairs(
    gold: str | PathLike[str], system: str, skipped: list[Diagnostic]
) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the sentences of both files that have the same text; a sentence without a partner is skipped, and
    reported.

    If the files split sentences differently, but their whole texts agree, each file counts as one sentence.
    """
    of_gold, of_system = list(read_tokens(gold, strict=True)), list(read_tokens(system, strict=False))
    if len(of_gold) == len(of_system):
        for one, other in zip(of_gold, of_system, strict=True):
            if isinstance(one, Diagnostic):
                skipped.append(one)
            elif isinstance(other, Diagnostic):
                skipped.append(other)
                yield one, Tokens((), "", None, one.line, other)
            elif one.text != other.text:
                skipped.append(unlike(system, one, other).diagnostics[0])
                yield one, Tokens((), "", None, one.line, skipped[-1])
            else:
                yield one, other
        return
    texts = [
        ["" if isinstance(one, Diagnostic) else one.text for one in side] for side in (of_gold, of_system)
    ]
    if "".join(texts[0]) == "".join(texts[1]) and "" not in (*texts[0], *texts[1]):
        yield (
            _joined([one for one in of_gold if isinstance(one, Tokens)]),
            _joined([one for one in of_system if isinstance(one, Tokens)]),
        )
        return
    partners = _partners(texts[0], texts[1])
    for number, one in enumerate(of_gold):
        partner = of_system[partners[number]] if number in partners else None
        if isinstance(one, Diagnostic):
            skipped.append(one)
        elif isinstance(partner, Tokens):
            yield one, partner
        else:
            message = f"{system} has no sentence with the text of this one"
            skipped.append(
                Diagnostic("no-partner", message, None, f"{one.name or 'a sentence'} of the gold file")
            )
            yield one, Tokens((), "", None, one.line, skipped[-1])


def _partners(texts: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """Match equal texts of two sequences, from both ends and then between; returns places in the second by place in
    the first.
    """
    from difflib import SequenceMatcher

    few = min(len(texts), len(others))
    first = next((k for k in range(few) if texts[k] != others[k]), few)
    last = next((k for k in range(few - first) if texts[-1 - k] != others[-1 - k]), few - first)
    partners = {k: k for k in range(first)}
    partners |= {len(texts) - 1 - k: len(others) - 1 - k for k in range(last)}
    middle, other = texts[first : len(texts) - last], others[first : len(others) - last]
    for block in SequenceMatcher(None, middle, other, autojunk=False).get_matching_blocks():
        partners |= {first + block.a + k: first + block.b + k for k in range(block.size)}
    return partners


def _joined(sentences: Sequence[Tokens]) -> Tokens:
    """Return sentences as one, with places and heads counted on."""
    words: list[Token] = []
    text = ""
    for sentence in sentences:
        before, at = len(words), len(text)
        for word in sentence.words:
            head = word.head + before if word.head > 0 else word.head
            words.append(word._replace(head=head, start=word.start + at, end=word.end + at))
        text += sentence.text
    fault = next((one.fault for one in sentences if one.fault), None)
    return Tokens(tuple(words), text, None, sentences[0].line, fault)


@dataclass(slots=True)
class _Counts:
    """Words of one kind in the gold trees and the parser's, with those that are right."""

    gold: int = 0
    found: int = 0
    found_with_label: int = 0
    system: int = 0
    right: int = 0
    right_with_label: int = 0

    def group(self, name: str) -> Group:
        def share(part: int, whole: int) -> float | None:
            return part / whole if whole else None

        return Group(
            name,
            self.gold,
            self.system,
            share(self.found, self.gold),
            share(self.right, self.system),
            share(self.found_with_label, self.gold),
            share(self.right_with_label, self.system),
        )


@dataclass(slots=True)
class _Tally:
    """The counts over the sentences so far."""

    punctuation: bool
    subtypes: bool
    rows: list[list[int]] = field(default_factory=list)
    exact: list[tuple[bool, bool]] = field(default_factory=list)
    groups: dict[str, dict[str, _Counts]] = field(default_factory=lambda: {name: {} for name in GROUPS})
    nonprojective: _Counts = field(default_factory=_Counts)
    faults: list[Diagnostic] = field(default_factory=list)
    alike: bool = True  # all words are cut as in the gold file

    def label(self, word: Token) -> str:
        """Return the label that counts."""
        return word.label if self.subtypes else word.label.partition(":")[0]

    def add(self, gold: Tokens, system: Tokens) -> None:
        """Count a sentence."""
        pairs = aligned(gold.words, system.words)
        partner = {s + 1: g + 1 for g, s in pairs}
        partner[0] = 0
        heads, labels, content = [False] * len(gold.words), [False] * len(gold.words), 0
        counted = [self.punctuation or word.tag != "PUNCT" for word in gold.words]
        for g, s in pairs:
            one, other = gold.words[g], system.words[s]
            heads[g] = partner.get(other.head) == one.head
            labels[g] = heads[g] and self.label(one) == self.label(other)
            content += labels[g] and counted[g] and self._is_content(one)
        kept = [k for k, counts in enumerate(counted) if counts]
        left_out = {s for g, s in pairs if not counted[g]}
        of_system = [word for k, word in enumerate(system.words) if k not in left_out]
        self.rows.append([
            len(kept), len(of_system), sum(heads[k] for k in kept), sum(labels[k] for k in kept),
            sum(self._is_content(gold.words[k]) for k in kept), sum(map(self._is_content, of_system)), content,
        ])  # fmt: skip
        same = len(pairs) == len(gold.words) == len(system.words)
        self.exact.append((same and all(heads[k] for k in kept), same and all(labels[k] for k in kept)))
        if system.fault is not None and system.words:  # without words it is skipped, and reported so
            self.faults.append(system.fault)
        if same:
            self._group(gold, system, heads, labels, counted)
        elif system.words:
            self.alike = False

    def _is_content(self, word: Token) -> bool:
        return word.label.partition(":")[0] in _CONTENT

    def _group(
        self,
        gold: Tokens,
        system: Tokens,
        heads: Sequence[bool],
        labels: Sequence[bool],
        counted: Sequence[bool],
    ) -> None:
        """Count the words of a sentence by kinds."""
        of_gold, of_system = _kinds(gold), _kinds(system)
        whole = {
            "length": _bin(len(gold.words), _LENGTHS),
            "depth": _bin(max(of_gold.distances, default=0), _DEPTHS),
            "class": _class_of(gold.heads),
        }
        for k, counts in enumerate(counted):
            if not counts:
                continue
            kinds = [
                ("label", self.label(gold.words[k]), self.label(system.words[k])),
                ("arc_length", _span(k, gold.words[k].head), _span(k, system.words[k].head)),
                ("root_distance", _bin(of_gold.distances[k], _DEPTHS), _bin(of_system.distances[k], _DEPTHS)),
                *((name, value, value) for name, value in whole.items()),
            ]
            for name, one, other in kinds:
                table = self.groups[name]
                self._note(table.setdefault(one, _Counts()), True, heads[k], labels[k])
                self._note(table.setdefault(other, _Counts()), False, heads[k], labels[k])
            if of_gold.crossing[k]:
                self._note(self.nonprojective, True, heads[k], labels[k])
            if of_system.crossing[k]:
                self._note(self.nonprojective, False, heads[k], labels[k])

    @staticmethod
    def _note(counts: _Counts, of_gold: bool, head: bool, label: bool) -> None:
        if of_gold:
            counts.gold, counts.found = counts.gold + 1, counts.found + head
            counts.found_with_label += label
        else:
            counts.system, counts.right = counts.system + 1, counts.right + head
            counts.right_with_label += label

    def evaluation(
        self, system: str, skipped: tuple[Diagnostic, ...], resamples: int, seed: int
    ) -> Evaluation:
        """Return the figures."""
        import numpy as np

        counts = np.array(self.rows, np.int64)
        exact = np.array(self.exact, float)
        samples = _samples(len(counts), resamples, seed)
        sums, sampled = counts.sum(axis=0)[None], samples @ counts
        figures: dict[str, tuple[Any, Any]] = {
            "uas": (_f1(sums, 2)[0], _f1(sampled, 2)),
            "las": (_f1(sums, 3)[0], _f1(sampled, 3)),
            "clas": (_f1(sums, 6, 4, 5)[0], _f1(sampled, 6, 4, 5)),
            "exact": (exact[:, 0].mean(), samples @ exact[:, 0] / len(counts)),
        }
        groups: dict[str, tuple[Group, ...]] = dict.fromkeys(GROUPS, ())
        if self.alike:
            groups = {name: _sorted(name, table) for name, table in self.groups.items()}
        return Evaluation(
            system,
            len(counts),
            int(sums[0, 0]),
            int(sums[0, 1]),
            float(figures["uas"][0]),
            float(figures["las"][0]),
            float(figures["clas"][0]),
            float(figures["exact"][0]),
            float(exact[:, 1].mean()),
            self.nonprojective.group("non-projective"),
            groups,
            {name: _interval(found) for name, (_, found) in figures.items()} if resamples else {},
            tuple(self.faults),
            skipped,
            counts,
        )


class _Kinds(Record):
    """Of each word of a tree: how many links lead to the root, and whether its own is non-projective."""

    distances: list[int]
    crossing: list[bool]


def _kinds(tokens: Tokens) -> _Kinds:
    """Return the kinds of words; if the heads are not a tree, none is non-projective, and distances end at a cycle or
    a gap."""
    heads = tokens.heads
    distances = []
    for word in range(1, len(heads) + 1):
        steps, node = 0, word
        while node > 0 and steps <= len(heads):
            node, steps = heads[node - 1], steps + 1
        distances.append(steps if node == 0 else 0)
    crossing = [False] * len(heads)
    try:
        masks = tree_masks(DependencyTree(heads).heads)
    except StructureError:
        return _Kinds(distances, crossing)
    for word, head in enumerate(heads, start=1):
        between = (1 << max(word, head)) - (2 << min(word, head))
        crossing[word - 1] = bool(between & ~masks[head])
    return _Kinds(distances, crossing)


def _class_of(heads: Sequence[int]) -> str:
    """Return the first of some classes that a gold tree belongs to."""
    tree = DependencyTree(tuple(heads))
    return next(name for name in _CLASSES if tree_class(name).contains(tree))


def _span(place: int, head: int) -> str:
    return "root" if head == 0 else "unknown" if head < 0 else _bin(abs(head - place - 1), _DISTANCES)


def _bin(number: int, ends: Sequence[int]) -> str:
    """Return the interval that a number lies in."""
    low = 1
    for end in ends:
        if number <= end:
            return str(end) if low == end else f"{low}-{end}"
        low = end + 1
    return f"{low}-"


def _sorted(name: str, table: dict[str, _Counts]) -> tuple[Group, ...]:
    """Return groups in the order of their numbers, labels by how many words have them."""

    def key(kind: str) -> Any:
        if name == "label":
            return -table[kind].gold, kind
        if name == "class":
            return _CLASSES.index(kind)
        first = kind.partition("-")[0]
        return (0, int(first)) if first.isdecimal() else (-1, 0)

    return tuple(table[kind].group(kind) for kind in sorted(table, key=key))


def _samples(sentences: int, number: int, seed: int) -> NDArray[np.int64]:
    """Return how often each sentence is in each of some samples, drawn with replacement."""
    import numpy as np

    draw = np.random.default_rng(seed)
    return draw.multinomial(sentences, [1 / sentences] * sentences, size=number)


def _f1(sums: NDArray[np.int64], right: int, gold: int = 0, system: int = 1) -> NDArray[np.float64]:
    """Return twice the words that are right over the words of both sides, by columns of sums."""
    import numpy as np

    found: NDArray[np.float64] = 2 * sums[:, right] / np.maximum(sums[:, gold] + sums[:, system], 1)
    return found


def _interval(figures: NDArray[np.float64]) -> ConfidenceInterval:
    import numpy as np

    low, high = np.quantile(figures, (0.025, 0.975))
    return ConfidenceInterval(float(low), float(high))
