"""Sentences to learn from: the annotation of each word, as numbers that kernels hash."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from os import PathLike, fspath
from typing import TYPE_CHECKING

import numpy as np

from schemata.errors import Diagnostic, TreebankError
from schemata.learning.arcs import COLUMNS, MARGIN
from schemata.records import Record
from schemata.thresholds import WAYS
from schemata.treebanks import TokenLine, heads_of, parsed_rows, read_blocks, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORM, _UPOS, _XPOS, _FEATS, _LABEL = 1, 3, 4, 5, 7
_RARE = 1  # a word met so often in training, or less, is like one that is unknown


class Example(Record):
    """A sentence of a treebank.

    Attributes
    ----------
    rows : its words.
    all_rows : these, and those of multiword tokens and empty nodes.
    name : its sent_id, or None.
    heads : 0 for the root; None if there is no tree.
    labels : of the links; subtypes are kept.
    """

    rows: tuple[TokenLine, ...]
    heads: tuple[int, ...] | None
    labels: tuple[str, ...]
    all_rows: tuple[TokenLine, ...] = ()
    name: str | None = None

    def __len__(self) -> int:
        return len(self.rows)


def read_examples(path: str | PathLike[str], *, with_heads: bool) -> Iterator[Example | Diagnostic]:
    """Yield the sentences of a CoNLL-U file; a finding for a broken one.

    Parameters
    ----------
    path : the file.
    with_heads : whether a sentence without a tree is a finding; else heads are not read.

    Raises
    ------
    TreebankError : the file cannot be read.
    """
    for block in read_blocks(path):
        try:
            name, rows = parsed_rows(fspath(path), block)
            words, known = words_of(rows)
            heads = heads_of(words, known) if with_heads else None
            if with_heads and heads is None:
                expected, hint = "heads that make a tree", "HEAD is the seventh column"
                raise words[0].broken(6, "no-heads", "the sentence has no heads", expected, hint)
        except TreebankError as broken:
            yield broken.diagnostics[0]
            continue
        labels = tuple(word.columns[_LABEL].strip() or "_" for word in words)
        yield Example(tuple(words), heads, labels, tuple(rows), name)


def known_words(examples: Iterable[Example]) -> frozenset[str]:
    """Return the forms, in lower case, that training meets often enough."""
    counts = Counter(row.columns[_FORM].lower() for example in examples for row in example.rows)
    return frozenset(form for form, count in counts.items() if count > _RARE)


def columns_of(example: Example, known: Callable[[str], bool]) -> NDArray[np.int64]:
    """Return the properties of each position as numbers: shape (columns, MARGIN + n + 1 + MARGIN), 0 for node 0 at
    MARGIN.

    Parameters
    ----------
    example : the sentence.
    known : a predicate: whether a form in lower case occurred in training.
    """
    n = len(example)
    found = np.zeros((len(COLUMNS), n + 1 + 2 * MARGIN), np.int64)
    for number, name in enumerate(COLUMNS):
        found[number] = code(name, "<end>")
        found[number, :MARGIN] = code(name, "<none>")
        found[number, MARGIN] = code(name, "<root>")
    for place, row in enumerate(example.rows, start=MARGIN + 1):
        form = row.columns[_FORM].lower()
        shown = {
            "word": form if known(form) else "<unknown>",
            "tag": row.columns[_UPOS],
            "xtag": row.columns[_XPOS] if row.columns[_XPOS] != "_" else row.columns[_UPOS],
            "suffix": form[-3:],
            "feats": row.columns[_FEATS],
        }
        for number, name in enumerate(COLUMNS):
            found[number, place] = code(name, shown[name])
    return found


def conllu_text(example: Example, heads: Sequence[int], labels: Sequence[str]) -> str:
    """Return a sentence in CoNLL-U with other heads and labels."""
    lines = [] if example.name is None else [f"# sent_id = {example.name}"]
    place = 0
    for row in example.all_rows:
        columns = list(row.columns)
        if columns[0].isdecimal():
            columns[6:8] = [str(heads[place]), labels[place]]
            place += 1
            columns[8:9] = ["_"]
        lines.append("\t".join(columns))
    return "\n".join([*lines, "", ""])


@lru_cache(maxsize=WAYS.kept_codes)
def code(column: str, value: str) -> int:
    """Return a number for a value of a column, the same in every process and on every machine."""
    digest = hashlib.blake2b(f"{column}\0{value}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 2
