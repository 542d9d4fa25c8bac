"""Grammar files on their own, for checking: what is wrong or doubtful in a file, whatever its format."""

from __future__ import annotations

from pathlib import Path

from schemata.errors import Diagnostic, GrammarError

__all__ = ["check_grammar_file", "is_grammar_file"]

_SUFFIXES = frozenset((".drules", ".deprules", ".cfg", ".dict", ".affix", ".regex", ".dialect"))


def is_grammar_file(path: Path) -> bool:
    """Return whether a path is that of a grammar, by its suffix, or of a folder, which may hold a dictionary.

    >>> is_grammar_file(Path("english/4.0.affix")), is_grammar_file(Path("eisner1996.schema"))
    (True, False)
    """
    return path.suffix.lower() in _SUFFIXES or path.is_dir()


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
            from schemata.grammars.link_grammar.affixes import read_affixes
            from schemata.grammars.text import read_text

            read_affixes(read_text(path), path.parent)
        case ".regex":
            from schemata.grammars.link_grammar.regexes import read_regexes
            from schemata.grammars.text import read_text

            read_regexes(read_text(path))
        case ".dialect":
            from schemata.grammars.link_grammar.dialects import read_dialects
            from schemata.grammars.text import read_text

            read_dialects(read_text(path))
        case _:
            from schemata.grammars.link_grammar.grammar import LinkGrammar

            return LinkGrammar.read(path).warnings
    return ()
