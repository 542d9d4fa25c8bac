"""Sentences typed with their parts of speech: ``the/DET cat/NOUN``."""

from __future__ import annotations

from schemata.errors import Diagnostic, UsageError
from schemata.structures.sentence import Sentence

__all__ = ["tagged_sentence"]


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
