"""Treebanks: sentences with their gold trees, read from CoNLL-U files."""

from schemata.treebanks.conllu import BrokenSentence, count_sentences, read_conllu

__all__ = ["BrokenSentence", "count_sentences", "read_conllu"]
