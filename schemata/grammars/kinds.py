"""The kinds of grammars: the words and files by which a user names one, and the checks of a file without a run.

A grammar is named in one word: ``all``, ``gold``, ``heads:2,3,0``, ``en``, ``example``, or a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from schemata.errors import Diagnostic, GrammarError, UsageError, did_you_mean, require_known
from schemata.kinds import CONSTRAINTS, GRAMMAR_SUFFIXES, GRAMMARS, LINK_GRAMMAR, GrammarKind
from schemata.language import model as m
from schemata.language.shipped import shipped_files
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.grammars.constraint_networks import ConstraintFacts
    from schemata.grammars.drules import DRules
    from schemata.grammars.facts import Facts
    from schemata.grammars.link_grammar import LinkGrammar
    from schemata.grammars.rules import ContextFreeGrammar, DependencyRules

Grammar: TypeAlias = "DRules | DependencyRules | ContextFreeGrammar | LinkGrammar | Facts | ConstraintFacts"


_OTHER_FILES = {
    ".schema": "a schema, not a grammar",
    ".conllu": "a treebank: `schemata grammar extract` makes a grammar of it",
}
_SAMPLE = "`schemata show` of the schema prints a small grammar that would do"
_EACH_A_HEAD = "give one head per word, 0 for the root: heads:2,3,0"
_BESIDE_DICTIONARIES = (".affix", ".regex", ".dialect")
_MEANING = {
    "all": "all licenses every link",
    "gold": "gold is the tree of each sentence",
    "heads:": "heads: is a tree",
    "en": "en is the Link Grammar dictionary of English",
}


def grammar_from_option(
    text: str,
    kind: GrammarKind,
    *,
    single_root: bool = False,
    pruned: bool = True,
    words: int = 0,
    schema: str = "",
) -> Grammar:
    """Return the grammar an option names.

    Parameters
    ----------
    text : ``all`` (D-rules only), ``gold`` or ``heads:2,3,0`` (D-rules and dependency rules), ``en`` (the
        installed dictionary of Link Grammar), ``example`` (a shipped grammar for the schema, or one of the
        kind), or the path of a grammar file or a folder with a dictionary. A file called ``all`` is ``./all``.
    kind : the kind of grammar that the schema is over.
    single_root : as for `DRules`; other kinds do without.
    pruned : as for `LinkGrammar`; other kinds are not pruned.
    words : how many words the sentence has, if that is known: so many heads are required.
    schema : the name of the schema.

    Raises
    ------
    UsageError : not a grammar of this kind, an unknown word, heads that are not a tree.
    GrammarError : the file cannot be read or holds mistakes.

    >>> from schemata.grammars import DRules
    >>> grammar_from_option("heads:2,0", "d-rules") == DRules.from_heads((2, 0))
    True
    """
    if kind not in GRAMMARS:
        raise UsageError(f"there are no grammars of kind {kind}; kinds are {', '.join(GRAMMARS)}")
    kind = GrammarKind(kind)
    if not pruned and not kind.pruned:
        message = f"only Link Grammar dictionaries are pruned, not {kind.noun}"
        raise UsageError(message, code="bad-option", hint="leave out --unpruned")
    word = "heads:" if text.startswith("heads:") else text
    if word in _MEANING and word not in kind.words:
        raise _refused("wrong-kind", f"{_MEANING[word]}, which is not a grammar of {kind.noun}", kind)
    heads = heads_of(text) if word == "heads:" else ()
    if word == "heads:" and len(heads) < words:
        missing = words - len(heads)
        are = "is" if missing == 1 else "are"
        message = f"{text} for {quantity(words, 'word')}: {quantity(missing, 'head')} {are} missing"
        raise UsageError(message, code="wrong-length", hint=_EACH_A_HEAD)
    if word not in kind.words:
        _check_path(text, kind)
    if word == "example":
        found = _example(kind, schema)
        if found is None:
            message = f"no example of {kind.noun} is shipped for the schema {schema}"
            raise _refused("unknown-grammar", message, kind, _SAMPLE)
        text = str(found)
    grammars = _class_of(kind)
    roots = {"single_root": single_root} if kind.by_links else {}
    match word:
        case "heads:":
            grammar: Grammar = grammars.from_heads(heads, **roots)
        case "all" | "gold":
            grammar = getattr(grammars, word)(**roots)
        case "en":
            grammar = grammars.installed(text)
        case _:
            read_as = _class_of(GRAMMAR_SUFFIXES.get(PurePath(text).suffix.lower(), kind))
            grammar = read_as.read(text, **roots)
    return replace(cast("LinkGrammar", grammar), pruned=pruned) if kind.pruned else grammar


def grammar_from_text(text: str, kind: str, file: str = "grammar", *, single_root: bool = False) -> Grammar:
    r"""Return the grammar of a kind in a text, as its files have it.

    Parameters
    ----------
    text : the text.
    kind : the kind.
    file : names the text in messages.
    single_root : as for `DRules`; other kinds do without.

    Raises
    ------
    UsageError : there is no such kind.
    GrammarError : the text holds mistakes; all of them are reported.

    >>> grammar_from_text("S -> NP VP\nNP -> 'Mary'\nVP -> 'slept'", "context-free").terminals
    ('Mary', 'slept')
    """
    require_known(kind, GRAMMARS, f"there are no grammars of kind {kind}", "unknown-kind")
    kind = GrammarKind(kind)
    roots = {"single_root": single_root} if kind.by_links else {}
    grammar: Grammar = _class_of(kind).from_text(text, file, **roots)
    return grammar


def kind_of_suffix(suffix: str) -> GrammarKind | None:
    """Return the kind whose files have a suffix, with or without its point; None for any other suffix.

    >>> kind_of_suffix("cfg"), kind_of_suffix(".dict"), kind_of_suffix("txt")
    ('context-free', 'link-grammar', None)
    """
    return GRAMMAR_SUFFIXES.get(f".{suffix.lstrip('.').lower()}")


def sample_of(kind: str, relations: Iterable[m.Relation] = ()) -> str:
    """Return a small grammar file of a kind; of facts, one for the relations that a schema declares."""
    kind = GrammarKind(kind)
    if kind.relations_declared:
        from schemata.grammars.facts import sample

        return sample(relations)
    return kind.sample


def grammar_needed(schema: str, kind: str) -> UsageError:
    """Return the error that a schema is over a kind of grammar and none was given."""
    kind = GrammarKind(kind)
    shipped = _example(kind, schema) is not None
    attempt = "; try --grammar example" if shipped else ""
    message = f"the schema {schema} needs {kind.grammar} (--grammar FILE{kind.suffixes[0]}{attempt})"
    hint = None if shipped else _SAMPLE
    return UsageError(message, code="grammar-needed", expected=_expected(kind, shipped), hint=hint)


def _example(kind: GrammarKind, schema: str) -> Path | None:
    """Return the shipped grammar for a schema, or one of its kind; None if there is neither."""
    examples = shipped_files(kind.suffixes[0], "examples")
    found = examples.get(schema, examples.get("english"))
    if found is None and kind.relations_declared:
        found = shipped_files(CONSTRAINTS.suffixes[0], "examples").get(schema)
    return found


def _class_of(kind: GrammarKind) -> Any:
    """Return the class of a kind's grammars, imported on first use."""
    return getattr(import_module("schemata.grammars"), kind.class_name)


def _expected(kind: GrammarKind, example: bool = True) -> str:
    words = [
        "heads:2,3,0" if word == "heads:" else word for word in kind.words if example or word != "example"
    ]
    folder = " or a folder with a 4.0.dict" if kind.of_labels else ""
    return ", ".join([*words, f"a {kind.suffixes[0]} file"]).replace(", a ", " or a ") + folder


def _refused(code: str, message: str, kind: GrammarKind, hint: str | None = None) -> UsageError:
    return UsageError(message, code=code, expected=_expected(kind), hint=hint)


def _check_path(text: str, kind: GrammarKind) -> None:
    """Refuse texts that neither are nor look like the path of a file, and files of another kind."""
    if not text.strip():
        raise _refused("no-grammar", "the name of the grammar is empty", kind)
    path = PurePath(text)
    separators = {os.sep, os.altsep or os.sep}
    if not (path.suffix or separators & set(text) or _exists(text)):
        named, colon, _ = text.partition(":")
        near = did_you_mean(named + colon, kind.words)
        if "heads:" in kind.words and re.search(r"\d,\d", text):
            near = "heads are given as heads:2,3,0"
        message = f"there is no grammar called {text}, nor a file of that name"
        raise _refused("unknown-grammar", message, kind, near)
    suffix = path.suffix.lower()
    if suffix in _OTHER_FILES:
        raise _refused("wrong-kind", f"{text} is {_OTHER_FILES[suffix]}", kind)
    other = GRAMMAR_SUFFIXES.get(suffix, kind)
    if other != kind and not (kind.relations_declared and other.as_facts):
        message = f"{text} holds {other.noun} by its suffix, but the schema is over {kind.noun}"
        hint = f"schemata list --grammar {other} names the schemata over {other.noun}"
        raise _refused("wrong-kind", message, kind, hint)


def _exists(text: str) -> bool:
    try:
        return os.path.lexists(text)
    except ValueError:  # a null character
        return False


def heads_of(text: str) -> tuple[int, ...]:
    """Return the heads of ``heads:2,3,0``; blanks separate them as well, as in the trees that are printed."""
    listed = text.removeprefix("heads:")
    if not listed.strip():
        raise UsageError("heads: is followed by no heads", code="bad-heads", hint=_EACH_A_HEAD)
    heads = []
    for place, part in enumerate(listed.split("," if "," in listed else None), start=1):
        digits = part.strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            message = f"head {place} of {text} is {digits or 'empty'}, not a whole number"
            raise UsageError(message, code="bad-heads", hint=_EACH_A_HEAD)
        heads.append(int(digits))
    return tuple(heads)


def is_grammar_file(path: Path) -> bool:
    """Return whether a path is that of a grammar, by its suffix, or of a folder, which may hold a dictionary.

    >>> is_grammar_file(Path("english/4.0.affix")), is_grammar_file(Path("eisner1996.schema"))
    (True, False)
    """
    return path.suffix.lower() in (*GRAMMAR_SUFFIXES, *_BESIDE_DICTIONARIES) or path.is_dir()


def check_grammar_file(path: Path) -> list[Diagnostic]:
    """Return all errors of a grammar file, or its warnings if it has no errors.

    Parameters
    ----------
    path : a file of D-rules, dependency rules, context-free rules or a dictionary of Link Grammar, by its
        suffix; a file that stands beside a dictionary, such as ``4.0.affix``; or a folder with a dictionary.
    """
    suffix = "" if path.is_dir() else path.suffix.lower()
    try:
        if suffix in _BESIDE_DICTIONARIES:
            from schemata.grammars.link_grammar import affixes, files
            from schemata.grammars.text import read_text

            if suffix == ".affix":
                affixes.read_affixes(read_text(path), path.parent)
            else:
                (files.read_regexes if suffix == ".regex" else files.read_dialects)(read_text(path))
            return []
        grammars = _class_of(GRAMMAR_SUFFIXES.get(suffix, LINK_GRAMMAR))
        return list(grammars.read(path).warnings)
    except GrammarError as error:
        return list(error.diagnostics)
