"""A sentence: its words and, from a treebank, their tags, gold heads and name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from schemata.errors import Diagnostic, UsageError
from schemata.records import Record


class Sentence(Record):
    """A tokenised sentence of n >= 1 words; word positions are 1..n.

    Parameters
    ----------
    words : the word forms.
    tags : one part of speech per word (UPOS in treebanks), or None.
    heads : the gold tree as 1-based heads, 0 for a root, or None.
    name : the name of the sentence in the corpus (its sent_id), or None.
    line : the line its first word stands at in its file, or None.
    labels : the label of each word's gold link (DEPREL in treebanks), or None.

    Raises
    ------
    UsageError : no words; tags, heads or labels not one per word.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    name: str | None = None
    line: int | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.words, str):
            raise UsageError(
                f"{self.words!r} is not a list of words", expected=f"Sentence.of({self.words!r})"
            )
        if not self.words:
            raise UsageError("the sentence is empty", code="empty-sentence", hint="give at least one word")
        for label, values in (("tags", self.tags), ("heads", self.heads), ("labels", self.labels)):
            if values is not None and len(values) != len(self.words):
                raise UsageError(f"{len(values)} {label} for {len(self.words)} words")

    @classmethod
    def of(cls, text: str | Sequence[str] | Sentence) -> Sentence:
        """Return a sentence from a string (split at blanks), a sequence of words, or a sentence.

        >>> Sentence.of("the cat sat").words
        ('the', 'cat', 'sat')
        """
        if isinstance(text, Sentence):
            return text
        if isinstance(text, str):
            refuse_file(text)
            return cls(tuple(text.split()))
        if not isinstance(text, Sequence) or isinstance(text, bytes | bytearray):
            raise UsageError(
                f"{type(text).__name__} is not a sentence",
                code="bad-sentence",
                expected="a string, a list of words or a Sentence",
            )
        for word in text:
            if not isinstance(word, str) or not word.strip():
                raise UsageError(
                    f"{word!r} is not a word", code="bad-word", expected="a string that is not blank"
                )
        return cls(tuple(text))

    def __len__(self) -> int:
        return len(self.words)


BETWEEN = "|||"
"""Stands between the inputs of a schema that reads several."""


def sentence_of_inputs(given: str | Sequence[Any] | Sentence, count: int) -> tuple[Sentence, tuple[int, ...]]:
    """Return the words of several inputs one after the other, and how many each has.

    Parameters
    ----------
    given : the inputs, each a text or a list of words; or one sentence with `|||` between them.
    count : how many there must be.

    Raises
    ------
    UsageError : there are more or fewer.

    >>> sentence_of_inputs("the cat ||| le chat noir", 2)[1], sentence_of_inputs(["a b", ["c"]], 2)[0].words
    ((2, 3), ('a', 'b', 'c'))
    """
    if not isinstance(given, str | Sentence) and len(given) == count and BETWEEN not in given:
        parts = [tuple(x.split()) if isinstance(x, str) else tuple(x) for x in given]
        return Sentence.of([word for part in parts for word in part]), tuple(map(len, parts))
    whole = Sentence.of(given)
    ends = [k for k, word in enumerate(whole.words) if word == BETWEEN]
    if len(ends) != count - 1:
        message = f"the schema reads {count} inputs, and is given {len(ends) + 1}"
        expected = f"for example {f' {BETWEEN} '.join(['a b', 'c d', *['e f'] * (count - 2)])}"
        raise UsageError(message, code="several-inputs", expected=expected)
    lengths = tuple(b - a - 1 for a, b in pairwise([-1, *ends, len(whole)]))
    kept = [k for k in range(len(whole)) if k not in ends]
    tags = None if whole.tags is None else tuple(whole.tags[k] for k in kept)
    words = tuple(whole.words[k] for k in kept)
    return Sentence(words, tags, name=whole.name, line=whole.line), lengths


def refuse_file(text: str) -> None:
    """Refuse a sentence that is the name of a file: its sentences are meant, most likely.

    Raises
    ------
    UsageError : there is such a file.
    """
    if os.path.isfile(text):
        is_treebank = text.endswith((".conllu", ".conll"))
        meant = "did you mean --conllu?" if is_treebank else f'its text is "$(cat {text})".'
        raise UsageError(
            f"the sentence {text!r} is the name of a file",
            code="file-as-sentence",
            expected="words, or the sentences of a treebank: --conllu FILE",
            hint=f"{meant} With a blank before it, it is a word",
        )


def tagged_sentence(text: str) -> Sentence:
    """Return the sentence of words that each have a slash and a part of speech after them.

    The last slash counts, so that ``1/2/NUM`` is the word 1/2.

    Parameters
    ----------
    text : words and tags, separated by blanks.

    Raises
    ------
    UsageError : the text is empty, or some words have no tag; all of them are named.

    >>> sentence = tagged_sentence("the/DET cat/NOUN")
    >>> sentence.words, sentence.tags
    (('the', 'cat'), ('DET', 'NOUN'))
    """
    refuse_file(text)
    pairs = [(token, *token.rpartition("/")[::2]) for token in text.split()]
    wrong = [_untagged(i, token) for i, (token, word, tag) in enumerate(pairs, start=1) if not (word and tag)]
    if wrong:
        raise UsageError(wrong)
    return Sentence(tuple(word for _, word, _ in pairs), tuple(tag for _, _, tag in pairs))


def _untagged(position: int, token: str) -> Diagnostic:
    return Diagnostic(
        "untagged-word",
        f"word {position}, {token}, has no part of speech",
        expected="word/TAG",
        hint=f"write {token.strip('/') or 'word'}/TAG, as in the/DET cat/NOUN",
    )
