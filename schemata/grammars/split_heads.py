"""D-rules as context-free grammars: bilexical rules, rules over split heads, and these unfolded and folded.

With a symbol X for each word that the rules name, which stands for the word and all below it, the stages are

    bilexical   X_i -> X_j X_i   X_i -> X_i X_j   X_i -> w_i
    split       L_i -> X_j L_i   R_i -> R_i X_j   X_i -> L_i R_i   L_i -> w_i_l   R_i -> w_i_r
    unfolded    L_i -> L_j M_ji  R_i -> M_ij R_j  M_ij -> R_i L_j  L_i -> w_i_l   R_i -> w_i_r

Bilexical rules take dependents on either side in any order, so that a tree has many derivations. With split heads, a
word is read twice, once with its dependents to the left and once with those to the right, and each tree has one.
Unfolding puts L_j R_j in place of X_j, and folding joins the symbols beside it, so that no rule is about three words.

References
----------
Kübler, McDonald & Nivre 2009, section 5.1.1, who print M_ij in the rules of L_i; their M_ij -> R_i L_j makes that M_ji.
Eisner, J. & Blatz, J. (2007). Program transformations for optimization of parsing algorithms and other weighted logic
programs. Proceedings of FG 2006.
Johnson, M. (2007). Transforming projective bilexical dependency grammars into efficiently-parseable CFGs with
unfold-fold. ACL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from schemata.errors import UsageError
from schemata.grammars.drules import ANY, DRuleSet, WordPattern
from schemata.grammars.rules import MARKS, ContextFreeGrammar, Lexicon, Rule
from schemata.grammars.text import is_bare
from schemata.structures.sentence import Sentence

Stage: TypeAlias = Literal["bilexical", "split", "unfolded"]
START = "ROOT"
_Sides = Literal["left", "right"]


def split_words(sentence: Sentence) -> Sentence:
    """Return the sentence in which each word stands twice, once for each half of a head; so do its parts of speech.

    >>> split_words(Sentence(("cats", "sleep"))).words
    ('cats_l', 'cats_r', 'sleep_l', 'sleep_r')
    """

    def halves(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(f"{text}_{half}" for text in texts for half in "lr")

    return Sentence(halves(sentence.words), None if sentence.tags is None else halves(sentence.tags))


def context_free(rules: DRuleSet, stage: Stage = "unfolded") -> ContextFreeGrammar:
    """Return D-rules as a context-free grammar, whose derivations stand for the projective trees with one root.

    Parameters
    ----------
    rules : D-rules that name words, or parts of speech, and no distances. `any` is each word that the rules name.
    stage : as the module says. All but bilexical rules are about sentences of `split_words`.

    Raises
    ------
    UsageError : the rules name words and parts of speech, or distances; or no word may be the root.

    >>> from schemata.grammars.rule_files import parse_d_rules
    >>> grammar = context_free(parse_d_rules('root "sleep"\\nhead "sleep" takes "cats" on the left')[0])
    >>> [str(rule) for rule in grammar.rules]
    ['L_sleep -> L_cats M_cats_sleep', 'M_cats_sleep -> R_cats L_sleep', 'ROOT -> L_sleep R_sleep']
    """
    of_tags = _of_tags(rules)
    words = tuple(dict.fromkeys(pattern for pattern in sorted(rules.patterns) if pattern != ANY))
    names = _names(words)
    weights = dict(rules.weights)
    found: dict[Rule, float] = {}

    def add(weight: float, lhs: str, *body: str) -> None:
        rule = Rule(lhs, body)
        found[rule] = max(found.get(rule, weight), weight)

    for word in words:
        by = [weights.get(root, 0.0) for root in rules.roots if root in (word, ANY)]
        name = names[word]
        if by and stage == "unfolded":
            add(max(by), START, f"L_{name}", f"R_{name}")
        elif by:
            add(max(by), START, f"X_{name}")
        if stage == "split":
            add(0.0, f"X_{name}", f"L_{name}", f"R_{name}")
    for weight, side, head, dependent in _links(rules, words):
        i, j = names[head], names[dependent]
        match stage, side:
            case "bilexical", "left":
                add(weight, f"X_{i}", f"X_{j}", f"X_{i}")
            case "bilexical", _:
                add(weight, f"X_{i}", f"X_{i}", f"X_{j}")
            case "split", "left":
                add(weight, f"L_{i}", f"X_{j}", f"L_{i}")
            case "split", _:
                add(weight, f"R_{i}", f"R_{i}", f"X_{j}")
            case _, "left":
                add(weight, f"L_{i}", f"L_{j}", f"M_{j}_{i}")
                add(0.0, f"M_{j}_{i}", f"R_{j}", f"L_{i}")
            case _:
                add(weight, f"R_{i}", f"M_{i}_{j}", f"R_{j}")
                add(0.0, f"M_{i}_{j}", f"R_{i}", f"L_{j}")
    if not any(rule.lhs == START for rule in found):
        raise UsageError("no word may be the root", code="no-root", hint="add a line such as: root VERB")
    halves = [("", "X_")] if stage == "bilexical" else [("_l", "L_"), ("_r", "R_")]
    entries = [
        ((word.tag or word.word) + end, f"{half}{names[word]}") for word in words for end, half in halves
    ]
    lexicon = Lexicon(tags=tuple(entries)) if of_tags else Lexicon(words=tuple(entries))
    return ContextFreeGrammar(tuple(found), START, lexicon, weights=tuple(found.items()))


def _of_tags(rules: DRuleSet) -> bool:
    """Whether rules name parts of speech rather than words.

    Raises
    ------
    UsageError : they name words as well, or none; or distances.
    """
    named = {(bool(pattern.tag), bool(pattern.word)) for pattern in rules.patterns if pattern != ANY}
    expected = 'D-rules over words, head "saw" takes "cats" on the left, or over parts of speech alone'
    if len(named) != 1 or named == {(True, True)}:
        message = "a symbol for each word asks for rules that name words, or parts of speech, alone"
        raise UsageError(message, code="mixed-rules", expected=expected)
    far = next((rule for rule in rules.rules if rule.within is not None), None)
    if far is not None:
        message = f"context-free rules know no distances, and one is within {far.within}"
        raise UsageError(message, code="distance", expected="D-rules without within")
    return named == {(True, False)}


def _names(words: Iterable[WordPattern]) -> dict[WordPattern, str]:
    """Return a name for each word: itself, or its number if the word cannot be the name of a category."""
    named: dict[WordPattern, str] = {}
    for number, word in enumerate(words, start=1):
        text = word.tag or word.word
        fits = is_bare(f"L_{text}", MARKS) and "_" not in text and not re.fullmatch(r"w\d+", text)
        named[word] = text if fits else f"w{number}"
    return named


def _links(
    rules: DRuleSet, words: Iterable[WordPattern]
) -> Iterator[tuple[float, _Sides, WordPattern, WordPattern]]:
    """Yield the weights of links: the weight, the dependent's side, the head, the dependent."""
    weights: dict[Any, float] = dict(rules.weights)
    for rule in rules.rules:
        heads, dependents = (words if x == ANY else (x,) for x in (rule.head, rule.dependent))
        sides: tuple[_Sides, ...] = ("left", "right") if rule.side == "either" else (rule.side,)
        for head in heads:
            for dependent in dependents:
                for side in sides:
                    yield weights.get(rule, 0.0), side, head, dependent
