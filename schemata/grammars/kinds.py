"""The kinds of grammars: the words and files by which a user names one, and files checked on their own.

A grammar is named in one word: ``all``, ``gold``, ``heads:2,3,0``, ``en``, or a path.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from schemata.errors import Diagnostic, GrammarError, UsageError, did_you_mean
from schemata.grammars.context_free import ContextFreeGrammar
from schemata.grammars.dependency_rules import DependencyRules
from schemata.grammars.drules import DRules

if TYPE_CHECKING:
    from schemata.grammars.link_grammar.grammar import LinkGrammar


GrammarKind = Literal["d-rules", "dependency-rules", "context-free", "link-grammar"]
Grammar: TypeAlias = "DRules | DependencyRules | ContextFreeGrammar | LinkGrammar"

_SUFFIXES: dict[str, GrammarKind] = {
    ".drules": "d-rules",
    ".deprules": "dependency-rules",
    ".cfg": "context-free",
    ".dict": "link-grammar",
}
_SUFFIX_OF = {kind: suffix for suffix, kind in _SUFFIXES.items()}
_OTHER_FILES = {
    ".schema": "a schema, not a grammar",
    ".conllu": "a treebank: `schemata grammar extract` makes a grammar of it",
}
_WORDS: dict[GrammarKind, tuple[str, ...]] = {
    "d-rules": ("all", "gold", "heads:"),
    "dependency-rules": ("gold", "heads:"),
    "context-free": (),
    "link-grammar": ("en",),
}
_MEANING = {
    "all": "all licenses every link",
    "gold": "gold is the tree of each sentence",
    "heads:": "heads: is a tree",
    "en": "en is the Link Grammar dictionary of English",
}
_NOUNS: dict[GrammarKind, str] = {
    "d-rules": "D-rules",
    "dependency-rules": "dependency rules",
    "context-free": "context-free rules",
    "link-grammar": "connectors",
}


def grammar_from_option(
    text: str, kind: GrammarKind, *, single_root: bool = False, pruned: bool = True
) -> Grammar:
    """Return the grammar an option names.

    Parameters
    ----------
    text : ``all`` (D-rules only), ``gold`` or ``heads:2,3,0`` (D-rules and dependency rules), ``en`` (the
        installed dictionary of Link Grammar), or the path of a grammar file or a folder with a dictionary. A
        file called ``all`` is ``./all``.
    kind : the kind of grammar that the schema is over.
    single_root : as for `DRules`; other kinds do without.
    pruned : as for `LinkGrammar`; other kinds are not pruned.

    Raises
    ------
    UsageError : not a grammar of this kind, an unknown word, heads that are not a tree.
    GrammarError : the file cannot be read or holds mistakes.

    >>> grammar_from_option("heads:2,0", "d-rules") == DRules.from_heads((2, 0))
    True
    """
    if kind not in get_args(GrammarKind):
        raise UsageError(
            f"there are no grammars of kind {kind}; kinds are {', '.join(get_args(GrammarKind))}"
        )
    if not pruned and kind != "link-grammar":
        message = f"only Link Grammar dictionaries are pruned, not {_NOUNS[kind]}"
        raise UsageError(Diagnostic("bad-option", message, hint="leave out --unpruned"))
    word = "heads:" if text.startswith("heads:") else text
    if word in _MEANING and word not in _WORDS[kind]:
        message = f"{_MEANING[word]}, which is no grammar of {_NOUNS[kind]}"
        raise UsageError(Diagnostic("wrong-kind", message, expected=_expected(kind)))
    if word == "heads:":
        heads = _heads(text)
        return (
            DRules.from_heads(heads, single_root) if kind == "d-rules" else DependencyRules.from_heads(heads)
        )
    if word == "all":
        return DRules.all(single_root)
    if word == "gold":
        return DRules.gold(single_root) if kind == "d-rules" else DependencyRules.gold()
    if word == "en":
        return replace(_link_grammar().installed(text), pruned=pruned)
    _check_path(text, kind)
    match kind:
        case "d-rules":
            return DRules.read(text, single_root)
        case "dependency-rules":
            return DependencyRules.read(text)
        case "context-free":
            return ContextFreeGrammar.read(text)
        case "link-grammar":
            return replace(_link_grammar().read(text), pruned=pruned)


def grammar_needed(schema: str, kind: GrammarKind) -> UsageError:
    """Return the error that a schema is over a kind of grammar and none was given."""
    message = f"the schema {schema} is over {_NOUNS[kind]} and needs a grammar"
    return UsageError(
        Diagnostic("grammar-needed", message, hint=f"give one with --grammar: {_expected(kind)}")
    )


def _link_grammar() -> type[LinkGrammar]:
    from schemata.grammars.link_grammar.grammar import LinkGrammar

    return LinkGrammar


def _expected(kind: GrammarKind) -> str:
    words = ["heads:2,3,0" if word == "heads:" else word for word in _WORDS[kind]]
    folder = " or a folder with a 4.0.dict" if kind == "link-grammar" else ""
    return ", ".join([*words, f"a {_SUFFIX_OF[kind]} file"]).replace(", a ", " or a ") + folder


def _check_path(text: str, kind: GrammarKind) -> None:
    """Refuse what is neither the path of a file nor looks like one, and files of another kind."""
    if not text.strip():
        raise UsageError(
            Diagnostic("no-grammar", "the name of the grammar is empty", expected=_expected(kind))
        )
    path = PurePath(text)
    separators = {os.sep, os.altsep or os.sep}
    if not (path.suffix or separators & set(text) or _exists(text)):
        named, colon, _ = text.partition(":")
        near = did_you_mean(named + colon, _WORDS[kind])
        if "heads:" in _WORDS[kind] and re.search(r"\d,\d", text):
            near = "heads are given as heads:2,3,0"
        message = f"there is no grammar called {text}, nor a file of that name"
        raise UsageError(Diagnostic("unknown-grammar", message, expected=_expected(kind), hint=near))
    suffix = path.suffix.lower()
    if suffix in _OTHER_FILES:
        message = f"{text} is {_OTHER_FILES[suffix]}"
        raise UsageError(Diagnostic("wrong-kind", message, expected=_expected(kind)))
    named = _SUFFIXES.get(suffix, kind)
    if named != kind:
        message = f"{text} holds {_NOUNS[named]} by its suffix, but the schema is over {_NOUNS[kind]}"
        raise UsageError(Diagnostic("wrong-kind", message, expected=_expected(kind)))


def _exists(text: str) -> bool:
    try:
        return os.path.lexists(text)
    except ValueError:  # a null character
        return False


def _heads(text: str) -> tuple[int, ...]:
    """Return the heads of ``heads:2,3,0``."""
    listed = text.removeprefix("heads:")
    hint = "give one head per word, 0 for the root: heads:2,3,0"
    if not listed.strip():
        raise UsageError(Diagnostic("bad-heads", "heads: is followed by no heads", hint=hint))
    heads = []
    for place, part in enumerate(listed.split(","), start=1):
        digits = part.strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            message = f"head {place} of {text} is {digits or 'empty'}, not a whole number"
            raise UsageError(Diagnostic("bad-heads", message, hint=hint))
        heads.append(int(digits))
    return tuple(heads)


_CHECKED = frozenset((".drules", ".deprules", ".cfg", ".dict", ".affix", ".regex", ".dialect"))


def is_grammar_file(path: Path) -> bool:
    """Return whether a path is that of a grammar, by its suffix, or of a folder, which may hold a dictionary.

    >>> is_grammar_file(Path("english/4.0.affix")), is_grammar_file(Path("eisner1996.schema"))
    (True, False)
    """
    return path.suffix.lower() in _CHECKED or path.is_dir()


def check_grammar_file(path: Path) -> list[Diagnostic]:
    """Return all errors of a grammar file, or its warnings if there are none.

    Parameters
    ----------
    path : a file of D-rules, dependency rules, context-free rules or a dictionary of Link Grammar, by its
        suffix; a file that stands beside a dictionary, such as ``4.0.affix``; or a folder with a dictionary.
    """
    try:
        return list(_warnings(path))
    except GrammarError as error:
        return list(error.diagnostics)


def _warnings(path: Path) -> tuple[Diagnostic, ...]:
    match "" if path.is_dir() else path.suffix.lower():
        case ".drules":
            from schemata.grammars.drules import DRules

            return DRules.read(path).warnings
        case ".deprules":
            from schemata.grammars.dependency_rules import DependencyRules

            return DependencyRules.read(path).warnings
        case ".cfg":
            from schemata.grammars.context_free import ContextFreeGrammar

            return ContextFreeGrammar.read(path).warnings
        case ".affix":
            from schemata.grammars.link_grammar.files import read_affixes
            from schemata.grammars.text import read_text

            read_affixes(read_text(path), path.parent)
        case ".regex":
            from schemata.grammars.link_grammar.files import read_regexes
            from schemata.grammars.text import read_text

            read_regexes(read_text(path))
        case ".dialect":
            from schemata.grammars.link_grammar.files import read_dialects
            from schemata.grammars.text import read_text

            read_dialects(read_text(path))
        case _:
            from schemata.grammars.link_grammar.grammar import LinkGrammar

            return LinkGrammar.read(path).warnings
    return ()
