"""Files of context-free grammars (``.cfg``): rules with alternatives, a start symbol, a lexicon.

    start S                         # without it, the left-hand side of the first rule
    S -> NP VP
    NP -> Det N | "Kim" | NP PP     # terminals in quotes
    PP -> ε                         # the empty right-hand side; "" is the same
    sleeps : VP                     # the same as VP -> "sleeps"
    tag NOUN : N                    # words of part of speech NOUN are an N

The format is described in docs/grammars.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemata.grammars.context_free import ContextFreeGrammar
from schemata.grammars.context_free_reader import read_rules
from schemata.grammars.context_free_symbols import MARKS, is_terminal, word_of
from schemata.grammars.drule_format import commented
from schemata.grammars.lines import quoted
from schemata.grammars.rule_files import entry_lines
from schemata.grammars.text import text_of

__all__ = ["parse_context_free", "write_context_free"]


def parse_context_free(text: str, file: str = "<text>") -> ContextFreeGrammar:
    """Read a context-free grammar from a string, as `ContextFreeGrammar.read` does from a file.

    Raises
    ------
    GrammarError : the text holds no rules, or mistakes; all of them are reported.

    >>> parse_context_free('S -> "a" S "b" | "c"').lexicon.words
    (('c', 'S'),)
    """
    return ContextFreeGrammar(*read_rules(text_of(text, file)))


def write_context_free(grammar: ContextFreeGrammar, *, header: Iterable[str] = ()) -> str:
    """Return the text of a file that reads back to an equal grammar.

    >>> print(write_context_free(parse_context_free('S -> "a" S "b" | "c"')), end="")
    start S
    S -> "a" S "b"
    c : S
    """
    lines = [f"start {grammar.start}"]
    for rule in grammar.rules:
        body = [quoted(word_of(s)) if is_terminal(s) else s for s in rule.body]
        lines.append(f"{rule.lhs} -> {' '.join(body) or 'ε'}")
    lines += entry_lines(grammar.lexicon, MARKS, str)
    return commented(((None, line) for line in lines), header, {})
