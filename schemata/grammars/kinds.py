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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from schemata.errors import Diagnostic, GrammarError, UsageError, did_you_mean, require_known
from schemata.language import model as m
from schemata.language.library import shipped_files
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.grammars import ContextFreeGrammar, DependencyRules, DRules, Facts, LinkGrammar

GrammarKind: TypeAlias = m.GrammarKind
FileKind: TypeAlias = "GrammarKind | Literal['constraints']"
"""Constraints are no kind of grammar that a schema declares: they provide facts."""

Grammar: TypeAlias = "DRules | DependencyRules | ContextFreeGrammar | LinkGrammar | Facts"


class _Kind(NamedTuple):
    """A kind of grammar: names of its rules and of a grammar, suffix of its files, words, class, and a small file."""

    noun: str
    grammar: str
    suffix: str
    words: tuple[str, ...]
    name: str
    sample: str = ""

    def load(self) -> Any:
        """Return the class, which is imported only when it is asked for."""
        return getattr(import_module("schemata.grammars"), self.name)


_KINDS: dict[FileKind, _Kind] = {
    "d-rules": _Kind(
        "D-rules", "a D-rule grammar", ".drules", ("all", "gold", "heads:", "example"), "DRules",
        'root "sleeps"\nhead "cat" takes "the" on the left\nhead "sleeps" takes "cat"\n',
    ),
    "dependency-rules": _Kind(
        "dependency rules", "a grammar of dependency rules", ".deprules", ("gold", "heads:", "example"),
        "DependencyRules", "root S\nS(N *)\nN(D *)\nD(*)\nthe : D\ncat : N\nsleeps : S\n",
    ),
    "context-free": _Kind(
        "context-free rules", "a context-free grammar", ".cfg", ("example",), "ContextFreeGrammar",
        "S -> NP V\nNP -> D N\nthe : D\ncat : N\nsleeps : V\n",
    ),
    "link-grammar": _Kind(
        "connectors", "a Link Grammar dictionary", ".dict", ("en", "example"), "LinkGrammar",
        "the: D+;\ncat: D- & S+;\nsleeps: S-;\n",
    ),
    "facts": _Kind("facts", "a grammar of facts", ".facts", ("example",), "Facts"),
    "constraints": _Kind(
        "constraints", "a constraint dependency grammar", ".constraints", ("example",), "Constraints",
        "labels SUBJ ROOT\ncat : N\nsleeps : V\nconstraint root: X.head = 0 -> X.cat = V\n",
    ),
}  # fmt: skip
_KIND_OF: dict[str, FileKind] = {kind.suffix: name for name, kind in _KINDS.items()} | {".tsv": "facts"}
_OTHER_FILES = {
    ".schema": "a schema, not a grammar",
    ".conllu": "a treebank: `schemata grammar extract` makes a grammar of it",
}
_EACH_A_HEAD = "give one head per word, 0 for the root: heads:2,3,0"
_AS_FACTS = ("context-free", "constraints")  # what can be read as facts, too
_BESIDE_DICTIONARIES = (".affix", ".regex", ".dialect")
_MEANING = {
    "all": "all licenses every link",
    "gold": "gold is the tree of each sentence",
    "heads:": "heads: is a tree",
    "en": "en is the Link Grammar dictionary of English",
}


def grammar_from_option(
    text: str,
    kind: FileKind,
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
    words : how many words the sentence has, if that is known: as many heads are asked for.
    schema : the name of the schema.

    Raises
    ------
    UsageError : not a grammar of this kind, an unknown word, heads that are not a tree.
    GrammarError : the file cannot be read or holds mistakes.

    >>> from schemata.grammars import DRules
    >>> grammar_from_option("heads:2,0", "d-rules") == DRules.from_heads((2, 0))
    True
    """
    if kind not in _KINDS:
        raise UsageError(f"there are no grammars of kind {kind}; kinds are {', '.join(_KINDS)}")
    noun, _, suffix, names, *_ = _KINDS[kind]
    if not pruned and kind != "link-grammar":
        message = f"only Link Grammar dictionaries are pruned, not {noun}"
        raise UsageError(message, code="bad-option", hint="leave out --unpruned")
    word = "heads:" if text.startswith("heads:") else text
    if word in _MEANING and word not in names:
        raise _refused("wrong-kind", f"{_MEANING[word]}, which is no grammar of {noun}", kind)
    heads = heads_of(text) if word == "heads:" else ()
    if word == "heads:" and len(heads) < words:
        missing = words - len(heads)
        are = "is" if missing == 1 else "are"
        message = f"{text} for {quantity(words, 'word')}: {quantity(missing, 'head')} {are} missing"
        raise UsageError(message, code="wrong-length", hint=_EACH_A_HEAD)
    if word not in names:
        _check_path(text, kind)
    if word == "example":
        examples = shipped_files(suffix, "examples")
        found = examples.get(schema, examples.get("english"))
        if found is None and kind == "facts":
            found = shipped_files(_KINDS["constraints"].suffix, "examples").get(schema)
        if found is None:
            message = f"no example of {noun} is shipped for the schema {schema}"
            hint = f"`schemata show {schema}` prints a small grammar that would do"
            raise _refused("unknown-grammar", message, kind, hint)
        text = str(found)
    grammars = _KINDS[kind].load()
    roots = {"single_root": single_root} if kind == "d-rules" else {}
    match word:
        case "heads:":
            grammar: Grammar = grammars.from_heads(heads, **roots)
        case "all" | "gold":
            grammar = getattr(grammars, word)(**roots)
        case "en":
            grammar = grammars.installed(text)
        case _:
            read_as = _KINDS[_KIND_OF.get(PurePath(text).suffix.lower(), kind)].load()
            grammar = read_as.read(text, **roots)
    return replace(grammar, pruned=pruned) if kind == "link-grammar" else grammar


def grammar_from_text(
    text: str, kind: FileKind, file: str = "grammar", *, single_root: bool = False
) -> Grammar:
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
    require_known(kind, list(_KINDS), f"there are no grammars of kind {kind}", "unknown-kind")
    roots = {"single_root": single_root} if kind == "d-rules" else {}
    grammar: Grammar = _KINDS[kind].load().from_text(text, file, **roots)
    return grammar


def kind_of_suffix(suffix: str) -> FileKind | None:
    """Return the kind whose files have a suffix, which may be without its point; None if there is none.

    >>> kind_of_suffix("cfg"), kind_of_suffix(".dict"), kind_of_suffix("txt")
    ('context-free', 'link-grammar', None)
    """
    return _KIND_OF.get(f".{suffix.lstrip('.').lower()}")


def sample_of(kind: GrammarKind, relations: Iterable[m.Relation] = ()) -> str:
    """Return a small grammar file of a kind; of facts, one for the relations that a schema declares."""
    if kind == "facts":
        from schemata.grammars.facts import sample

        return sample(relations)
    return _KINDS[kind].sample


def grammar_needed(schema: str, kind: GrammarKind) -> UsageError:
    """Return the error that a schema is over a kind of grammar and none was given."""
    needed, suffix = _KINDS[kind].grammar, _KINDS[kind].suffix
    attempt = "; try --grammar example" if "example" in _KINDS[kind].words else ""
    message = f"the schema {schema} needs {needed} (--grammar FILE{suffix}{attempt})"
    return UsageError(message, code="grammar-needed", expected=_expected(kind))


def _expected(kind: FileKind) -> str:
    words = ["heads:2,3,0" if word == "heads:" else word for word in _KINDS[kind].words]
    folder = " or a folder with a 4.0.dict" if kind == "link-grammar" else ""
    return ", ".join([*words, f"a {_KINDS[kind].suffix} file"]).replace(", a ", " or a ") + folder


def _refused(code: str, message: str, kind: FileKind, hint: str | None = None) -> UsageError:
    return UsageError(message, code=code, expected=_expected(kind), hint=hint)


def _check_path(text: str, kind: FileKind) -> None:
    """Refuse what is neither the path of a file nor looks like one, and files of another kind."""
    if not text.strip():
        raise _refused("no-grammar", "the name of the grammar is empty", kind)
    path = PurePath(text)
    separators = {os.sep, os.altsep or os.sep}
    if not (path.suffix or separators & set(text) or _exists(text)):
        named, colon, _ = text.partition(":")
        words = _KINDS[kind].words
        near = did_you_mean(named + colon, words)
        if "heads:" in words and re.search(r"\d,\d", text):
            near = "heads are given as heads:2,3,0"
        message = f"there is no grammar called {text}, nor a file of that name"
        raise _refused("unknown-grammar", message, kind, near)
    suffix = path.suffix.lower()
    if suffix in _OTHER_FILES:
        raise _refused("wrong-kind", f"{text} is {_OTHER_FILES[suffix]}", kind)
    other = _KIND_OF.get(suffix, kind)
    if other != kind and (kind != "facts" or other not in _AS_FACTS):
        nouns = _KINDS[other].noun, _KINDS[kind].noun
        message = f"{text} holds {nouns[0]} by its suffix, but the schema is over {nouns[1]}"
        hint = f"schemata list --grammar {other} names the schemata over {nouns[0]}"
        raise _refused("wrong-kind", message, kind, hint)


def _exists(text: str) -> bool:
    try:
        return os.path.lexists(text)
    except ValueError:  # a null character
        return False


def heads_of(text: str) -> tuple[int, ...]:
    """Return the heads of ``heads:2,3,0``."""
    listed = text.removeprefix("heads:")
    if not listed.strip():
        raise UsageError("heads: is followed by no heads", code="bad-heads", hint=_EACH_A_HEAD)
    heads = []
    for place, part in enumerate(listed.split(","), start=1):
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
    return path.suffix.lower() in (*_KIND_OF, *_BESIDE_DICTIONARIES) or path.is_dir()


def check_grammar_file(path: Path) -> list[Diagnostic]:
    """Return all errors of a grammar file, or its warnings if there are none.

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
        grammars = _KINDS[_KIND_OF.get(suffix, "link-grammar")].load()
        return list(grammars.read(path).warnings)
    except GrammarError as error:
        return list(error.diagnostics)
