"""What the arguments of `schemata compare` ask for: which is the sentence, lengths, a grammar for all."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemata.analysis.compare import Skipped, common_grammars, sentence_of_length
from schemata.cli.options import chosen_sentence
from schemata.cli.warnings import report_grammar
from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.language.library import schema_path, shipped_schemata, split_reference
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

__all__ = ["chosen_grammars", "chosen_sentences", "parse_lengths", "split_arguments"]

_LONGEST = 1_000  # words of a sentence made up for --lengths; all its links have to be listed
_SUFFIX = ".schema"


def split_arguments(arguments: argparse.Namespace) -> tuple[list[str], str | None]:
    """Return the names of schemata, and the sentence if there is one.

    Names come first. The last argument is the sentence unless it is a schema; with `--sentence`, `--lengths`
    or `--conllu` all arguments are names.

    Raises
    ------
    UsageError : no names, nothing to run on or more than one thing, or a last argument that may be a name
        misspelt.
    """
    names: list[str] = list(arguments.names)
    given = [f"--{o}" for o in ("sentence", "lengths", "conllu") if getattr(arguments, o) is not None]
    if len(given) > 1:
        raise UsageError(Diagnostic("usage", f"{' and '.join(given)} exclude each other"))
    if given:
        return names, arguments.sentence
    if _is_schema(names[-1]):
        raise UsageError(
            Diagnostic(
                "usage",
                f"nothing to compare on: the last argument, {names[-1]}, is a schema",
                expected="a sentence after the schemata, --lengths 2..8, or --conllu FILE",
                hint=f"say --sentence {names[-1]} where it is meant as a sentence",
            )
        )
    sentence = names.pop()
    near = None if " " in sentence.strip() else _nearest(sentence)
    if near or not names:
        raise UsageError(
            Diagnostic(
                "unknown-schema",
                f"there is no schema {sentence!r}" + ("" if near else ", and no other is named"),
                expected="schemata first, then a sentence",
                hint=f"{near or 'schemata list prints the names.'} If it is the sentence: "
                f"--sentence {sentence}",
            )
        )
    strange = next((name for name in names if not _is_schema(name) and not _nearest(name)), None)
    if strange is not None and len(arguments.names) > 2:
        raise UsageError(
            Diagnostic(
                "unknown-schema",
                f"there is no schema {strange!r}",
                expected="schemata first, then a sentence in one argument",
                hint="put the sentence in quotes; schemata list prints the names of schemata",
            )
        )
    return names, sentence


def _nearest(text: str) -> str | None:
    return did_you_mean(_name_of(text), shipped_schemata())


def _name_of(text: str) -> str:
    """Return what stands before the parameters of a reference, or the text where it is none."""
    try:
        return split_reference(text)[0]
    except UsageError:
        return text.rpartition(":")[0]


def _is_schema(text: str) -> bool:
    """Tell whether an argument is a schema: a shipped name, or a path by its suffix (it need not exist)."""
    try:
        name, parameters = split_reference(text)
    except UsageError:  # like mh:k=x: no sentence looks so
        return text.rpartition(":")[0] in shipped_schemata()
    if name.endswith(_SUFFIX):
        return True
    if parameters and not name.count(" "):
        return True
    if Path(name).name != name:  # a word with a slash, such as cat/NOUN
        return False
    try:
        return not _exists(name) and bool(schema_path(name))
    except UsageError:
        return False


def _exists(name: str) -> bool:
    """Whether the name is found as a file only, which makes it no schema: paths end in .schema."""
    return name not in shipped_schemata() and Path(name).is_file()


def parse_lengths(text: str) -> tuple[int, ...]:
    """Return the lengths of ``2..8``, ``5``, or ``2,4,8..12``, in increasing order.

    Raises
    ------
    UsageError : not numbers, a range from high to low, a length below 1 or above 1,000.

    >>> parse_lengths("2..4,8")
    (2, 3, 4, 8)
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:\.\.\s*([0-9]{1,9})\s*)?", part)
        if not match:
            raise _bad_lengths(text, f"{part.strip() or 'an empty part'} is neither a number nor a range")
        low = int(match[1])
        high = int(match[2] or low)
        if low > high:
            raise _bad_lengths(text, f"{low}..{high} goes from high to low")
        if low < 1:
            raise _bad_lengths(text, "a sentence has at least one word")
        if high > _LONGEST:
            raise _bad_lengths(text, f"{high} is more than {_LONGEST:,} words")
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def _bad_lengths(text: str, reason: str) -> UsageError:
    return UsageError(
        Diagnostic("bad-lengths", f"--lengths {text}: {reason}", expected="2..12, or 4,8,16, or 10")
    )


def chosen_grammars(schemata: Sequence[ParsingSchema], arguments: argparse.Namespace) -> Mapping[str, Any]:
    """Return the grammar that `--grammar` names for each kind that the schemata run over.

    Its warnings go to standard error.

    Raises
    ------
    UsageError, GrammarError : the schemata cannot share it, or it is not there, of another kind, or broken.
    """
    kinds = dict.fromkeys(schema.definition.grammar for schema in schemata)
    named = arguments.grammar
    if named is None and kinds.keys() == {"d-rules"}:
        from schemata.grammars import DRules

        return common_grammars(schemata, DRules.all(single_root=arguments.single_root))
    shared = named is not None and (named == "gold" or named.startswith("heads:"))
    if named is None or (len(kinds) > 1 and not (shared and "context-free" not in kinds)):
        return common_grammars(schemata, None)  # says what is missing, or that there is nothing to share
    from schemata.grammars import grammar_from_option

    found: dict[str, Any] = {
        kind: grammar_from_option(
            named, kind, single_root=arguments.single_root, pruned=not arguments.unpruned
        )
        for kind in kinds
    }
    grammars = common_grammars(schemata, found)
    for grammar in grammars.values():
        report_grammar(grammar, named)
    return grammars


def chosen_sentences(
    sentence: str | None, arguments: argparse.Namespace
) -> tuple[Iterator[Sentence | Skipped], int | None]:
    """Return the sentences to compare on and how many there are, None where that is not known.

    Raises
    ------
    UsageError : an empty sentence, lengths that make no sense.
    TreebankError : the corpus cannot be read.
    """
    if arguments.lengths is not None:
        lengths = parse_lengths(arguments.lengths)
        return map(sentence_of_length, lengths), len(lengths)
    if arguments.conllu is None:
        return iter([chosen_sentence(sentence or "", arguments.tagged)]), 1
    from schemata.treebanks.conllu import count_sentences

    return _corpus(arguments.conllu, arguments.max_words), count_sentences(arguments.conllu)


def _corpus(path: str, max_words: int | None) -> Iterator[Sentence | Skipped]:
    from schemata.treebanks.conllu import read_conllu

    for number, found in enumerate(read_conllu(path), start=1):
        if not isinstance(found, Sentence):
            yield Skipped(found.name or f"number {number}", found.line, (found.diagnostic,))
        elif max_words is None or len(found) <= max_words:
            yield found
