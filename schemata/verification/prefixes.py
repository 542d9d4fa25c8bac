"""The valid-prefix property of schemata, and the words that can follow a prefix by their items.

A schema *accepts a prefix* if the last word makes a difference: run on the prefix, with room for further words of no
category, it derives an item that it would not derive if the last word were of no category either. It has the
valid-prefix property if it accepts just the prefixes of sentences: an Earley parser does; one from the bottom up
accepts any words of the lexicon. Grammars are reduced (`grammars.prefixes`): no parser can know from the left that
nothing ever derives from a symbol.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any, TypeAlias

from schemata import kinds
from schemata.budget import Budget, OverBudget
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.errors import Diagnostic, UsageError
from schemata.grammars.drules import DRules, unread_among
from schemata.grammars.facts import Facts
from schemata.grammars.prefix_weights import weighed_prefix
from schemata.grammars.prefixes import START, Prefix, Productions, WordToken
from schemata.grammars.rules import (
    HEAD,
    ContextFreeGrammar,
    DependencyRules,
    Rule,
    RuleSentenceGrammar,
    RuleTable,
)
from schemata.grouping import grouped
from schemata.records import Record, Shown, Tabular, fields_json, json_of, replace
from schemata.structures.sentence import Sentence
from schemata.thresholds import EFFORTS
from schemata.verification.constituents import plain_cases, random_case, small_cases
from schemata.verification.continuations import (
    NOTHING,
    SentenceReader,
    WordSpec,
    alphabet_of,
    kind_and_text,
    shown,
)
from schemata.wording import reference
from schemata.workbench import GivenGrammar, ParsingSchema, Reference, Watcher, schema_of

Word: TypeAlias = "frozenset[str]"
"""The categories of a word."""
WithoutRules: TypeAlias = "Facts | DRules"
"""Grammars whose sentences no rules describe; they name words."""


class PrefixReader(Record):
    """A schema reading prefixes under rules.

    Parameters
    ----------
    schema : the schema.
    rules, roots : of a reduced grammar.
    budget : limits of each run.
    """

    schema: ParsingSchema
    rules: RuleTable
    roots: frozenset[str]
    budget: Budget

    @classmethod
    def of(cls, schema: ParsingSchema, grammar: Productions, budget: Budget) -> PrefixReader:
        """Return a schema reading prefixes of the sentences of a grammar."""
        rules = (rule for rule in grammar.rules if rule.lhs != START)
        plain = (Rule(str(r.lhs), tuple(HEAD if isinstance(x, tuple) else x for x in r.body)) for r in rules)
        roots = frozenset(str(rule.body[0]) for rule in grammar.rules if rule.lhs == START)
        return cls(schema, RuleTable(tuple(plain)), roots, budget)

    def items(self, words: tuple[Word, ...], room: int) -> frozenset[str]:
        """Return the items of a run on words of these categories, with room for more of no category.

        Raises
        ------
        BudgetExceeded : the run hit a limit, or Ctrl-C was pressed.
        """
        n = len(words) + room
        grammar = RuleSentenceGrammar(n, self.rules, self.roots, dict(enumerate(words, start=1)))
        return _items(self.schema, Sentence(("_",) * n), grammar, self.budget)

    def accepts(self, words: tuple[Word, ...], room: int, without: frozenset[str] | None = None) -> bool:
        """Whether the schema accepts a prefix; `without` are the items without the last word, if
        computed before.
        """
        known = self.items((*words[:-1], frozenset()), room) if without is None else without
        return not self.items(words, room) <= known


def _items(schema: ParsingSchema, sentence: Sentence, grammar: Any, budget: Budget) -> frozenset[str]:
    return frozenset(item.text for item in run_kernel(schema.kernel, sentence, grammar, budget).items)


# Words that can follow ------------------------------------------------------------------------------------------


class NextWord(Record):
    """A word form, or any word of a part of speech, that can follow.

    Parameters
    ----------
    token : the word, `("any", "")` for all that the grammar does not name.
    categories : the categories by which it can follow, sorted; none where no rules have any.
    probability : its share of all that begins with the prefix; None without weights.
    """

    token: WordToken
    categories: tuple[str, ...] = ()
    probability: float | None = None

    def __str__(self) -> str:
        kind, text = self.token
        return text if kind == "word" else f"tag {text}" if kind == "tag" else "any other word"

    def to_json(self) -> dict[str, Any]:
        """Return the word as a JSON object."""
        kind, text = self.token
        return {kind: text, "categories": list(self.categories), "probability": self.probability}


class NextWords(Record, Shown, Tabular, repr=False):
    """The possible continuations of a prefix.

    Parameters
    ----------
    schema, parameters : the schema that was run.
    prefix : the words.
    valid : whether a sentence begins with them; without rules None if none was found.
    sentence : whether they are a sentence.
    categories : the categories of words that can follow, sorted; None over facts and D-rules.
    words : the words and parts of speech that can follow, the most probable first.
    weight : the weight of all sentences that begin with the prefix, in log space; None without weights.
    end_probability : the probability that the sentence ends after the prefix; None without weights.
    checked : whether the items of the schema say the same: with rules always, without where just the words that can
        follow are accepted.
    room : the further words for which the schema had room.
    searched : whether, without rules, sentences with so many more words were looked for, and no longer ones.
    unconfirmed : without rules, words that the items accept, but that begin no sentence with so few more words.
    unseen : words that can follow, but make no difference to the items.
    warnings : rules and facts that no step of the schema can read, and words of the prefix that the grammar lacks.
    """

    schema: str
    parameters: dict[str, int]
    prefix: tuple[str, ...]
    valid: bool | None
    sentence: bool
    categories: tuple[str, ...] | None
    words: tuple[NextWord, ...]
    weight: float | None
    end_probability: float | None
    checked: bool
    room: int
    searched: bool = False
    unconfirmed: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    to_json = json_of(
        "schema parameters prefix valid sentence categories words weight end_probability checked room "
        "searched? unconfirmed? unseen? warnings?"
    )

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each word or part of speech that can follow; its categories have blanks between them."""
        for one in self.words:
            kind, text = one.token
            yield {kind: text, "categories": " ".join(one.categories), "probability": one.probability}


def next_words(
    schema: Reference,
    prefix: str | Iterable[str] | Sentence = "",
    grammar: GivenGrammar = None,
    *,
    budget: Budget | None = None,
    room: int | None = None,
) -> NextWords:
    """Return the words that can follow a prefix so that a sentence of the grammar is still possible.

    The schema is run on the prefix with one word more, of each category in turn. Over context-free grammars and
    dependency rules its answer is compared with that of the rules, so that a schema without the valid-prefix property
    is refused, never believed. Over facts and D-rules a word follows if the schema accepts a sentence that goes on with
    it; what its items say is told beside that. Where rules have weights, each word has its probability: the share of
    the weight of all sentences that go on with it.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    prefix : the words, none for the beginning of a sentence.
    grammar : as for `ParsingSchema.run`.
    budget : limits of each run.
    room : for how many further words there is room, for schemata whose items depend on the sentence's length; as many
        as the shortest sentences need, where rules say that, else 6: longer sentences are not looked for.

    Raises
    ------
    UsageError : the schema lacks the valid-prefix property, or the grammar names no words, or those of one sentence.
    GrammarError : the grammar needs tags, and words have none; a sum of weights diverges, or is too small for a
        float.
    BudgetExceeded : a run hit a limit.

    References
    ----------
    Jelinek and Lafferty 1991; Stolcke 1995 (prefix probabilities).

    >>> from schemata.grammars import ContextFreeGrammar
    >>> rules = ContextFreeGrammar.of([("S", ('"a"', "S", '"b"')), ("S", ())], "S")
    >>> [str(word) for word in next_words("earley", "a a b", rules).words]
    ['b']
    """
    chosen = schema_of(schema)
    checked = chosen.check_grammar(grammar)
    limits = Budget().unless(budget)
    words = (
        prefix
        if isinstance(prefix, Sentence)
        else tuple(prefix.split() if isinstance(prefix, str) else prefix)
    )
    sentence = words if isinstance(words, Sentence) else Sentence.of(words) if words else None
    if isinstance(checked, Facts | DRules):
        left = EFFORTS.prefix_room if room is None else room
        return _next_by_sentences(chosen, sentence, checked, limits, left)
    grown = Productions.of(checked)
    unknown = () if sentence is None else grown.lexicon.look_up(sentence, strict=False)[1]
    if sentence is not None and unknown:
        return NextWords(
            schema=chosen.name,
            parameters=dict(chosen.parameters),
            prefix=sentence.words,
            valid=False,
            sentence=False,
            categories=(),
            words=(),
            weight=-math.inf if grown.weighted else None,
            end_probability=None,
            checked=True,
            room=room or 0,
            warnings=(*unread_among(checked.warnings), *unknown),
        )
    before = grown.begin if sentence is None else grown.begin.after_words(sentence)
    symbols = [] if sentence is None else grown.look_up(sentence)
    known = tuple(frozenset(map(grown.category, one)) for one in symbols)
    valid, sure = before.is_valid and bool(grown.rules), room
    if sure is None:
        sure = max(before.words_left or 0, *(before.after([x]).words_left or 0 for x in before.symbols), 0)
    reading = PrefixReader.of(chosen, grown, limits)
    if known and reading.accepts(known, sure) != valid:
        raise _lacks_property(chosen, sentence, not valid)
    without = reading.items((*known, frozenset()), sure)
    every = sorted(map(grown.category, grown.entries))
    found = [c for c in every if reading.accepts((*known, frozenset((c,))), sure, without)] if valid else []
    wanted = sorted(map(grown.category, before.symbols)) if valid else []
    for word in sorted(_kinds_of_words(grown), key=_name) if found != wanted else ():
        if (accepted := reading.accepts((*known, word), sure, without)) == word.isdisjoint(wanted):
            raise _lacks_property(chosen, sentence, accepted, _name(word))
    tokens: dict[WordToken, float | None] = dict.fromkeys(before.tokens if valid else ())
    weight = end = None
    if grown.weighted:
        weighed = weighed_prefix(grown, sentence)
        weight, end, shares = weighed.weight, weighed.end_share, weighed.shares
        tokens = {token: shares.get(token, 0.0) for token in tokens}
    listed = sorted(tokens.items(), key=lambda one: (-(one[1] or 0.0), one[0]))
    of_token = grouped((token, x) for x in before.symbols for token in grown.entries[x])
    named = {token: tuple(sorted(map(grown.category, symbols))) for token, symbols in of_token.items()}
    following = tuple(NextWord(token, named[token], share) for token, share in listed)
    given = () if sentence is None else sentence.words
    return NextWords(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        prefix=given,
        valid=valid,
        sentence=valid and before.is_sentence,
        categories=tuple(wanted),
        words=following,
        weight=weight,
        end_probability=end,
        checked=True,
        room=sure,
        warnings=unread_among(checked.warnings),
    )


def _lacks_property(
    schema: ParsingSchema, sentence: Sentence | None, accepts: bool, category: str | None = None
) -> UsageError:
    """Return the error that a schema accepts a prefix that no sentence has, or rejects one that some has."""
    words = " ".join(() if sentence is None else sentence.words)
    shown = repr(words) if category is None else f"{words!r} with a word of category {category} after it"
    does, has = ("accepts", "no sentence begins so") if accepts else ("rejects", "sentences begin so")
    message = f"{schema.name} does not have the valid-prefix property: it {does} {shown}, and {has}"
    hint = f"`schemata verify {reference(schema.name, schema.parameters)} --prefix` decides; earley has it"
    return UsageError(message, code="no-valid-prefixes", hint=hint)


def _next_by_sentences(
    schema: ParsingSchema, sentence: Sentence | None, grammar: WithoutRules, budget: Budget, room: int
) -> NextWords:
    """Return the words with which sentences go on that the schema accepts: there are no rules to compare with."""
    reading = SentenceReader(schema, alphabet_of(schema, grammar), budget)
    read = None if sentence is None else grammar.for_sentence(sentence)
    keys = () if sentence is None else reading.alphabet.of_sentence(sentence)
    one = {shown(token): reading.alphabet.keys_of(token) for token in reading.alphabet.listed}
    without = reading.items((*keys, NOTHING), room)
    accepted = {word for word in one if not reading.items((*keys, one[word]), room) <= without}
    found = [word for word in one if reading.completion((*keys, one[word]), room) is not None]
    ends = read is not None and reading.completion(keys, 0) == ()
    by_rules = reading.rules is not None
    valid = True if ends or found else False if by_rules else None  # longer sentences may begin so
    return NextWords(
        schema=schema.name,
        parameters=dict(schema.parameters),
        prefix=() if sentence is None else sentence.words,
        valid=valid,
        sentence=ends,
        categories=None,
        words=tuple(
            NextWord(kind_and_text(token)) for token in reading.alphabet.listed if shown(token) in found
        ),
        weight=None,
        end_probability=None,
        checked=accepted == {*found},
        room=room,
        searched=not by_rules,
        unconfirmed=tuple(sorted(accepted - {*found})),
        unseen=tuple(sorted({*found} - accepted)),
        warnings=unread_among(grammar.warnings) if read is None else read.warnings,
    )


# The valid-prefix property --------------------------------------------------------------------------------------


class PrefixCase(Record):
    """A grammar: the rules as written if it is a small one, and the words of prefixes, by their categories."""

    grammar: ContextFreeGrammar | DependencyRules | WithoutRules
    rules: tuple[str, ...]
    words: tuple[Word, ...] = ()

    to_json = json_of("rules")


class WrongPrefix(Record):
    """A prefix on which a schema is wrong: a small grammar, no rules if it was given, and the categories of the words.

    A word of several categories has them all, as in `N|V`; where there are no categories, the words themselves stand
    for them.
    `completion` are categories of words that make a sentence of a prefix that is rejected; None if nothing does.
    `words` are words of these categories, if a given grammar names some.
    """

    rules: tuple[str, ...]
    categories: tuple[str, ...]
    completion: tuple[str, ...] | None
    words: tuple[str, ...] = ()

    to_json = json_of("rules categories completion words?")


class PrefixVerdict(Shown, Record):
    """Whether a schema has the valid-prefix property, to a number of words.

    Parameters
    ----------
    schema, parameters : the schema.
    max_n : the greatest number of words in a prefix.
    seed : that of the random grammars.
    only_valid : whether it accepts nothing but prefixes of sentences; None if a limit was hit before it was known.
    all_valid : whether it accepts all prefixes of sentences.
    unsound, incomplete : the smallest counterexamples found.
    unsettled : the smallest prefix that is accepted and begins no sentence of up to `room` words more: longer ones are
        not known.
    grammars, prefixes : how many were tried.
    stopped : the limit that was hit, or None.
    given : whether the verdict is about one given grammar, not about small ones.
    complete_to : the number of words to which all prefixes of a given grammar were tried; None for small grammars.
    by_words : whether words have no categories, but are themselves in their place: over facts and D-rules.
    room : how many words more a sentence was looked for with; None where rules decide.
    warnings : rules of a given grammar that no step of the schema can read.
    """

    schema: str
    parameters: dict[str, int]
    max_n: int
    seed: int
    only_valid: bool | None
    all_valid: bool | None
    unsound: WrongPrefix | None
    incomplete: WrongPrefix | None
    grammars: int
    prefixes: int
    stopped: str | None
    given: bool = False
    complete_to: int | None = None
    unsettled: WrongPrefix | None = None
    by_words: bool = False
    room: int | None = None
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether it accepts just the prefixes of sentences."""
        if False in (self.only_valid, self.all_valid):
            return False
        return None if None in (self.only_valid, self.all_valid) else True

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON object."""
        found = fields_json(self, "schema parameters max_n seed holds only_valid all_valid")
        found["counterexamples"] = fields_json(self, "unsound incomplete unsettled?")
        return found | fields_json(
            self, "grammars prefixes given? complete_to? by_words? room? warnings? stopped!"
        )


def verify_prefixes(
    schema: Reference,
    max_n: int = 4,
    *,
    grammar: GivenGrammar = None,
    seed: int = 0,
    empty: bool = True,
    budget: Budget | None = None,
    seconds: float | None = None,
    room: int | None = None,
    watch: Watcher | None = None,
) -> PrefixVerdict:
    """Decide whether a schema has the valid-prefix property: it accepts just prefixes of sentences.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    max_n : every prefix of at most so many words is tried, one for each sequence of categories. A prefix is one word
        longer than one that is valid: what follows a word that no sentence has there is not asked.
    grammar : the grammar that the question is about, as for `ParsingSchema.run`; small grammars of two categories or
        words if None. Schemata over facts need one.
    seed : fixes the random grammars.
    empty : whether rules may have empty bodies; some schemata are for grammars without.
    budget : limits of each run.
    seconds : the limit of all; none if None.
    room : where no rules describe the sentences, how many words more one is looked for with; three times `max_n` if
        None, and 6 at least.
    watch : wraps the grammars, for a progress bar.

    Raises
    ------
    UsageError : the schema needs a grammar, no sentence derives from a given one, it names no words or those of one
        sentence, or a number is out of range.
    GrammarError : the given grammar cannot be read or holds mistakes.

    >>> verify_prefixes("earley", 2).holds, verify_prefixes("cyk", 2).unsound.categories
    (True, ('u',))
    """
    chosen = schema_of(schema)
    if max_n < 1:
        raise UsageError(f"the number of words must be at least 1, not {max_n}", code="bad-option")
    checked = None if grammar is None else chosen.check_grammar(grammar)
    searched = False
    further = max(EFFORTS.prefix_room, 3 * max_n) if room is None else room
    cases = list(_cases(chosen, seed, empty)) if checked is None else [_given_case(checked)]
    limits = Budget().unless(budget)
    end = min(limits.end, time.monotonic() + (seconds if seconds is not None else float("inf")))
    limits = replace(limits, end=end)
    wrong: dict[bool | None, list[WrongPrefix]] = {True: [], False: [], None: []}
    tried = done = longest = 0
    stopped: str | None = None
    try:
        for case in (watch or _unwatched)(cases, len(cases), f"prefixes of {chosen.name}"):
            tries: Iterable[tuple[WrongPrefix | None, bool | None, int]]
            if isinstance(case.grammar, Facts | DRules):
                reading = SentenceReader(chosen, alphabet_of(chosen, case.grammar), limits)
                searched = searched or reading.rules is None
                tries = _of_sentences(reading, case.rules, max_n, further)
            else:
                tries = _differences(chosen, case, max_n, limits)
            for found, accepted, words in tries:
                tried, longest = tried + 1, words
                if found is not None:
                    wrong[accepted].append(found)
            done += 1
    except KeyboardInterrupt:
        stopped = "interrupt"
    except (BudgetExceeded, OverBudget) as over:
        stopped = over.reason
    unsound, incomplete, unsettled = (min(wrong[x], key=_size, default=None) for x in (True, False, None))
    only_valid, all_valid = (
        False if x is not None else None if stopped else True for x in (unsound, incomplete)
    )
    only_valid = None if only_valid and unsettled is not None else only_valid
    return PrefixVerdict(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        max_n=max_n,
        seed=seed,
        only_valid=only_valid,
        all_valid=all_valid,
        unsound=unsound,
        incomplete=incomplete,
        unsettled=unsettled if unsound is None else None,
        by_words=any(isinstance(case.grammar, Facts | DRules) for case in cases),
        room=further if searched else None,
        grammars=done,
        prefixes=tried,
        stopped=stopped,
        given=checked is not None,
        complete_to=None if checked is None else max(longest - 1, 0) if stopped else max_n,
        warnings=() if checked is None else unread_among(checked.warnings),
    )


def _size(wrong: WrongPrefix) -> tuple[Any, ...]:
    return len(wrong.categories), len(wrong.rules), sum(map(len, wrong.rules)), wrong.rules, wrong.categories


def _unwatched(values: Iterable[Any], total: int, what: str) -> Iterable[Any]:
    return values


def _given_case(grammar: Any) -> PrefixCase:
    """Return the case of a grammar whose prefixes are asked about.

    Raises
    ------
    UsageError : its sentences are not described by rules and words, or it has none.
    """
    if isinstance(grammar, Facts | DRules):
        return PrefixCase(grammar, ())
    found = Productions.of(grammar)
    if not found.rules:
        message = "no sentence derives from the grammar, so no prefix of one can be tried"
        raise UsageError(message, code="no-prefixes")
    return PrefixCase(grammar, (), tuple(sorted(_kinds_of_words(found), key=_name)))


def _kinds_of_words(grammar: Productions) -> dict[Word, str | None]:
    """Return the words that a grammar tells apart, by their categories, each with one such form.

    A word may have the categories of its form, those of its part of speech, or both; then there is no example.
    """
    of_token = grouped(
        (token, grammar.category(x)) for x, found in grammar.entries.items() for token in found
    )
    forms = {
        frozenset(of_token[token]): token[1] for token in sorted(of_token, reverse=True) if token[0] == "word"
    }
    tags = [frozenset(categories) for (kind, _), categories in of_token.items() if kind == "tag"]
    return dict.fromkeys([*tags, *(form | tag for form in forms for tag in tags)]) | forms


def _name(word: Word) -> str:
    return "|".join(sorted(word))


def _differences(
    schema: ParsingSchema, case: PrefixCase, max_n: int, budget: Budget
) -> Iterator[tuple[WrongPrefix | None, bool, int]]:
    """Yield for each prefix of a case the fault in the schema's answer, if any, the answer, and the number of words.

    Shorter prefixes are first. Continuations of a prefix that is not valid are left out.

    Raises
    ------
    OverBudget : the time is up.
    BudgetExceeded : a run hit a limit.
    """
    grammar = Productions.of(case.grammar)
    if not grammar.rules:
        return
    reading = PrefixReader.of(schema, grammar, budget)
    head = isinstance(case.grammar, DependencyRules)
    forms = {} if case.rules else _kinds_of_words(grammar)
    pending: deque[tuple[tuple[Word, ...], Prefix]] = deque([((), grammar.begin)])
    while pending:
        words, before = pending.popleft()
        after = [(word, before.after((HEAD, c) if head else c for c in word)) for word in case.words]
        room = max([after.words_left or 0 for _, after in after], default=0)
        without = reading.items((*words, frozenset()), room)
        for word, grown in after:
            if time.monotonic() > budget.end:
                raise OverBudget("seconds")
            prefix = (*words, word)
            accepted = reading.accepts(prefix, room, without)
            wrong = None
            if accepted != grown.is_valid:
                rest = None if accepted else tuple(map(grammar.category, grown.completion))
                shown = [form for one in prefix if (form := forms.get(one)) is not None]
                named = tuple(shown) if len(shown) == len(prefix) else ()
                wrong = WrongPrefix(case.rules, tuple(map(_name, prefix)), rest, named)
            yield wrong, accepted, len(prefix)
            if len(prefix) < max_n and grown.is_valid:
                pending.append((prefix, grown))


def _of_sentences(
    reading: SentenceReader, rules: tuple[str, ...], max_n: int, room: int
) -> Iterator[tuple[WrongPrefix | None, bool | None, int]]:
    """Yield the same where sentences are those that a schema accepts; for a fault that is not known, the answer None.

    Raises
    ------
    OverBudget, BudgetExceeded : as for `_differences`.
    """
    alphabet = reading.alphabet
    pending: deque[tuple[WordSpec, ...]] = deque([()])
    while pending:
        words = pending.popleft()
        keys = tuple(map(alphabet.keys_of, words))
        without = reading.items((*keys, NOTHING), room)
        for token in alphabet.tokens:
            if time.monotonic() > reading.budget.end:
                raise OverBudget("seconds")
            prefix, grown = (*words, token), (*keys, alphabet.keys_of(token))
            accepted: bool | None = not reading.items(grown, room) <= without
            rest = reading.completion(grown, room)
            wrong = None
            if accepted == (rest is None):
                named = tuple(map(shown, prefix))
                wrong = WrongPrefix(rules, named, None if rest is None else tuple(map(shown, rest)))
                accepted = accepted and (True if reading.is_lost(grown) else None)
            yield wrong, accepted, len(prefix)
            if len(prefix) < max_n and rest is not None:
                pending.append(prefix)


_PLAIN_HEADS = (
    ("A", ("^",)), ("A", ("A", "^")), ("A", ("^", "A")), ("A", ("B", "^")), ("A", ("^", "B")), ("A", ("B", "^", "B")),
    ("B", ("^",)), ("B", ("^", "A")), ("B", ("A", "^")),
)  # fmt: skip


_PLAIN_RULES = (  # a constituent that never comes first; empty, left-recursive and cyclic constituents
    (("A", ("t",)), ("S", ("u", "A"))),
    (("A", ("A", "t")), ("A", ()), ("S", ("A", "u")), ("S", ("S",))),
    (("A", ("S", "u")), ("A", ("u",)), ("S", ("A",)), ("S", ("t", "t"))),
)


def _cases(schema: ParsingSchema, seed: int, empty: bool) -> Iterator[PrefixCase]:
    """Yield small grammars of the kind that a schema is over, the plainest first.

    Raises
    ------
    UsageError : it is over a kind of grammar whose sentences are not described by rules and words.
    """
    match schema.definition.grammar:
        case kinds.CONTEXT_FREE:
            found = [*small_cases(1), *plain_cases(1)]
            found += [random_case(n, seed, k) for n in (2, 3) for k in range(EFFORTS.random_bracketings)]
            rules = dict.fromkeys(case.rules for case in found)
            rules |= dict.fromkeys(_PLAIN_RULES)
            for one in rules:
                if empty or all(body for _, body in one):
                    plain = ContextFreeGrammar.of(one, "S", {"t": ["t"], "u": ["u"]})
                    yield PrefixCase(plain, tuple(str(Rule(*rule)) for rule in one), _words("t", "u"))
        case kinds.DEPENDENCY_RULES:
            sets = [*combinations(_PLAIN_HEADS, 1), *combinations(_PLAIN_HEADS, 2)]
            sets += [
                _random_heads(Random(f"prefixes {seed} {k}")) for k in range(2 * EFFORTS.random_bracketings)
            ]
            words = {"a": ["A"], "b": ["B"]}
            for listed in dict.fromkeys(sets):
                made = tuple(Rule(*rule) for rule in listed)
                plain_rules = DependencyRules.of(made, ["A"], words)
                yield PrefixCase(plain_rules, tuple(map(str, made)), _words("A", "B"))
        case kinds.D_RULES:
            every = ['root "a"', *(f'head "{h}" takes "{d}" on the {side}' for h, d, side in _SIDED)]
            for size in range(_MOST_LINKS + 1):
                for lines in combinations(every[1:], size):
                    yield PrefixCase(DRules.from_text("\n".join((every[0], *lines))), (every[0], *lines))
        case kind:
            message = f"the valid-prefix property of {schema.name} is that for a grammar: which one?"
            expected = (
                f"{kinds.GrammarKind(kind).grammar} (--grammar FILE{kinds.GrammarKind(kind).suffixes[0]})"
            )
            raise UsageError(message, code="grammar-needed", expected=expected)


_MOST_LINKS = 2  # rules beside that of the root
_SIDED = tuple(product("ab", "ab", ("left", "right")))


def _words(*categories: str) -> tuple[Word, ...]:
    return tuple(frozenset((one,)) for one in categories)


def _random_heads(rng: Random) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return random dependency rules over two categories; each may stand alone, so that sentences end."""
    found: set[tuple[str, tuple[str, ...]]] = {("A", (HEAD,)), ("B", (HEAD,))}
    for _ in range(rng.randint(1, 4)):
        left, right = (tuple(rng.choice("AB") for _ in range(rng.randint(0, 2))) for _ in range(2))
        found.add((rng.choice("AB"), (*left, HEAD, *right)))
    return tuple(sorted(found))
