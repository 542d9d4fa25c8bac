"""Facts: the rows of relations that a schema declares itself, in files that a person writes.

    adjoin(beta1, VP)               # a fact: symbols, numbers, words
    lexical("sleeps", alpha1)       # a word in double quotes, or without them
    lexical(tag VERB, alpha2)       # every word of a part of speech
    lexical(_, alpha3)              # every word
    rule(S, <NP VP>)                # a list of symbols
    'odd name'('a symbol with blanks')
    rule(S, <NP VP>) [0.3]          # with a weight: a factor, or its logarithm [log -1.2]

A line with tabs is a fact too: the name of the relation, then its arguments, as they are, without quotes; symbols of a
list have blanks between. So tables of other programs can be used. The schema that declares the relation says whether an
argument is a word, a symbol, a number or a list. Facts are neither items nor steps.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from schemata.errors import Diagnostic, GrammarError, SchemaError, UsageError, did_you_mean, one_of
from schemata.grammars import text as t
from schemata.grammars.drules import gold_tree, unknown_words, unread_among, untagged
from schemata.grammars.relations import LACKS, Relation, Row, Sort, fields_alone
from schemata.grouping import grouped
from schemata.kinds import FACTS
from schemata.language import model as m
from schemata.records import Record, field, replace
from schemata.structures.sentence import Sentence
from schemata.thresholds import EFFORTS, REFUSALS
from schemata.wording import listing, quantity, quoted

if TYPE_CHECKING:
    from schemata.grammars.rules import ContextFreeGrammar

_MARKS = ("(", ")", ",", "<", ">", "⟨", "⟩")
_SHOWN = 6  # words of a sentence that no fact names, by name
_LINE = "relation(argument, argument), or the same with tabs between"
_OF_A_LEXICON = (":", ":=", "->", "=")


class Tagged(Record):
    """In place of a word: every word of a part of speech."""

    tag: str


class Written(Record):
    """A term as it is written."""

    text: str


ANY_WORD = Tagged("")
"""Every word."""

_OF_TREES: Mapping[str, tuple[str, ...]] = {
    "label": ("word", "word", "symbol"),
    "below_root": ("word", "symbol"),
}
"""Relations that a tree with labels gives: a dependent, its head and the label; a word below 0 and the label."""

Argument: TypeAlias = "str | int | Tagged | Written | tuple[str, ...]"


class Fact(Record):
    """A fact as written: the relation, its arguments, and the tokens of both, where it was read from a file.

    `weight` is in log space.
    """

    relation: str
    arguments: tuple[Argument, ...]
    weight: float = 0.0
    tokens: tuple[t.LineToken, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        """Return the fact as a line that reads back to it, without its weight."""
        return f"{_name(self.relation)}({', '.join(map(_name, self.arguments))})"


class Facts(Record):
    """A grammar of facts; make one with `read`, `from_text`, `of` or `gold`.

    Parameters
    ----------
    facts : each once, in order.
    text : the file they were read from, for messages.
    warnings : facts that the schema does not read.
    table : the facts as rows of the relations that a schema declares, once `for_schema` has checked them.
    strict : words that no fact names are an error, not a warning.
    of_trees : whether the facts are the labelled arcs of each sentence's gold tree, word by word.

    >>> facts = Facts.of({"lexical": [("a", "A"), ("b", "B")], "binary": [("S", "A", "B")]})
    >>> len(facts.facts)
    3
    """

    kind: ClassVar = FACTS

    facts: tuple[Fact, ...]
    text: t.GrammarText | None = field(default=None, compare=False, repr=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    table: FactTable | None = field(default=None, compare=False, repr=False)
    strict: bool = False
    of_trees: bool = False
    _tables: dict[tuple[m.Relation, ...], FactTable] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @classmethod
    def of(
        cls,
        rows: Mapping[str, Iterable[Sequence[Any]]],
        weights: Callable[..., float] = lambda relation, *row: 0.0,
    ) -> Facts:
        """Return the facts of each relation, by name: rows of texts, numbers, and tuples of texts for lists.

        `weights` gives the weight of a relation's row in log space.

        Raises
        ------
        UsageError : an argument is something else.
        """
        found: dict[Fact, None] = {}
        for name, listed in rows.items():
            for row in listed if not isinstance(listed, str) else (listed,):
                if isinstance(row, str):
                    expected = f"rows of arguments, such as [({row!r},)]"
                    raise UsageError(f"{row!r} is not a row of {name}", expected=expected)
                values = tuple(tuple(x) if isinstance(x, list) else x for x in row)
                for value in values:
                    if isinstance(value, bool) or not isinstance(value, str | int | Tagged | tuple):
                        expected = "a text, a number, or a tuple of texts"
                        raise UsageError(f"{value!r} is not an argument of a fact", expected=expected)
                named = tuple(t.nfc(x) if isinstance(x, str) else x for x in values)
                found[Fact(name, named, weights(name, *named))] = None
        return cls(tuple(found))

    @classmethod
    def gold(cls) -> Facts:
        """Return the grammar whose facts are the labelled arcs of each sentence's own gold tree.

        The facts are `label(dependent, head, name)` between words and `below_root(form, name)` of the others.
        """
        return cls((), of_trees=True)

    @classmethod
    def of_rules(cls, grammar: ContextFreeGrammar) -> Facts:
        """Return context-free rules as facts, for schemata that go through all rules or name them.

        The relations are `production(name, parent, body)`, `productions(names)`, `start(category)` and
        `lexical(form, category)`; a terminal in a body is a category, as `terminal` writes it.

        >>> from schemata.grammars import ContextFreeGrammar
        >>> rules = ContextFreeGrammar.of([("S", ("NP", '"sleeps"'))], "S", words={"Kim": ["NP"]})
        >>> [(fact.relation, fact.arguments) for fact in Facts.of_rules(rules).facts][0]
        ('production', ('r1', 'S', ('NP', '"sleeps"')))
        """
        weights, lexicon = dict(grammar.weights), grammar.full_lexicon
        rules = [(f"r{k}", rule) for k, rule in enumerate(grammar.rules, start=1)]
        found = [Fact("production", (name, r.lhs, r.body), weights.get(r, 0.0)) for name, r in rules]
        found += [Fact("productions", (tuple(name for name, _ in rules),)), Fact("start", (grammar.start,))]
        for kind, entries in (("word", lexicon.words), ("tag", lexicon.tags)):
            for key, category in entries:
                named = key if kind == "word" else Tagged(key)
                found.append(Fact("lexical", (named, category), weights.get((kind, key, category), 0.0)))
        return cls(tuple(found))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Facts:
        """Read a file of facts, or a table with tabs between the columns.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        return cls.from_text(t.read_text(path))

    @classmethod
    def from_text(cls, text: str | t.GrammarText, file: str = "<text>") -> Facts:
        r"""Return the facts in a text.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.

        >>> [str(fact.arguments) for fact in Facts.from_text("rule(S, <NP VP>)\nstart\tS").facts]
        ["('S', ('NP', 'VP'))", "('S',)"]
        """
        source = t.text_of(text, file)
        found: dict[Fact, None] = {}
        rows = {k: line for k, line in enumerate(source.lines, start=1) if "\t" in line.strip()}
        others = (("" if k in rows else line) for k, line in enumerate(source.lines, start=1))
        plain = t.GrammarText(source.file, tuple(others))
        mistakes = t.read_lines(plain, _MARKS, lambda line: found.setdefault(_read_fact(line)))
        for number, row in rows.items():
            try:
                found.setdefault(_split(row, number))
            except t.TokenError as mistake:
                mistakes.append(mistake.report(source))
        if not mistakes and not found:
            mistakes = [source.finding("empty-grammar", "the file holds no facts", _LINE)]
        t.refuse(mistakes)
        return cls(tuple(found), source)

    def to_text(self, header: Iterable[str] = (), counts: Mapping[Any, int] | None = None) -> str:
        r"""Return a file that reads back to equal facts.

        Parameters
        ----------
        header : lines of comment to begin with.
        counts : how often a fact was seen: written beside it.

        >>> Facts.from_text("rule(S, <NP 'V P'>) [0.5]\nlexical(tag N, NP)").to_text()
        'rule(S, <NP "V P">) [0.5]\nlexical(tag N, NP)\n'
        """
        entries, weights = ((x, str(x)) for x in self.facts), ((x, x.weight) for x in self.facts)
        return t.commented(entries, header, counts, weights)

    def for_schema(self, relations: tuple[m.Relation, ...]) -> Facts:
        """Return the facts for a schema that declares relations.

        Raises
        ------
        GrammarError : facts do not fit the declarations; all of them are reported. A tree has no such facts.
        """
        if self.of_trees:
            for relation in relations:
                if tuple(sort for _, sort in relation.arguments) != _OF_TREES.get(relation.name):
                    message = f"the labels of a gold tree give no facts of {relation.name}"
                    expected = "a schema over label(word, word, symbol) and below_root(word, symbol)"
                    raise GrammarError(message, code="wrong-kind", expected=expected)
        if relations not in self._tables:
            self._tables[relations] = _fitting(self, relations)
        fitting = replace(self, table=self._tables[relations])
        fitting._tables.update(self._tables)
        return fitting

    def reweighted(self, weights: Mapping[Row, float]) -> Facts:
        """Return the facts with new weights for some of them, given by relation and arguments as the schema has them.

        Raises
        ------
        UsageError : the schema of these facts is not known.
        """
        if self.table is None:
            raise UsageError(
                "facts are read for a schema, and none is known here",
                hint="give the grammar to the schema's run",
            )
        sorts = self.table.sorts

        def weight(fact: Fact) -> float:
            own = zip(fact.arguments, sorts.get(fact.relation, ()), strict=False)
            row = fact.relation, *(_value(value, sort, bool(fact.tokens)) for value, sort in own)
            return weights.get(row, fact.weight)

        facts = tuple(replace(fact, weight=weight(fact)) for fact in self.facts)
        return Facts(facts, self.text, self.warnings, strict=self.strict)

    def for_sentence(self, sentence: Sentence) -> SentenceFacts:
        """Return the relations for a sentence.

        Raises
        ------
        GrammarError : facts name parts of speech and the sentence has none; where the grammar is strict, no fact
            names some words; the gold tree is asked of a sentence that has none, or none with labels.
        UsageError : the schema of these facts is not known.
        """
        if self.table is None:
            raise UsageError(
                "facts are read for a schema, and none is known here",
                hint="give the grammar to the schema's run",
            )
        if self.of_trees:
            return _facts_of_tree(sentence, self.table)
        known = self.table.words
        tags = sentence.tags or (None,) * len(sentence)
        keys: list[tuple[str | Tagged, ...]] = []
        missing: list[tuple[int, str]] = []
        for place, (word, tag) in enumerate(zip(sentence.words, tags, strict=True), start=1):
            options = [t.nfc(word), *([Tagged(t.nfc(tag))] if tag else []), ANY_WORD]
            keys.append(tuple(key for key in options if key in known))
            if known and not keys[-1]:
                missing.append((place, word))
        unknown = [self._in_no_fact(missing)] if missing else []
        tagged = next((key.tag for key in known if isinstance(key, Tagged) and key.tag), None)
        if unknown and tagged is not None and sentence.tags is None:
            raise GrammarError([*unknown, untagged(sentence, tagged)])
        said = (*unread_among(self.warnings), *unknown_words(unknown, self.strict))
        return SentenceFacts(len(sentence), self.table, tuple(keys), said)

    def _in_no_fact(self, missing: Sequence[tuple[int, str]]) -> Diagnostic:
        """Return the finding that no fact names some words, with an example of a fact that names one."""
        assert self.table is not None
        shown = [f'"{word}" ({place})' for place, word in missing[:_SHOWN]]
        more = [quantity(len(missing) - _SHOWN, "other")] if len(missing) > _SHOWN else []
        message = f"words {listing([*shown, *more])} are in no fact"
        if len(missing) == 1:
            message = f'word {missing[0][0]}, "{missing[0][1]}", is in no fact'
        forms = [key for key in self.table.words if isinstance(key, str)]
        hints = ((word, did_you_mean(word, forms)) for _, word in missing)
        near = next((f"{word}: {hint}" if len(missing) > 1 else hint for word, hint in hints if hint), None)
        named = (one for one in self.facts if "word" in self.table.sorts.get(one.relation, ()))
        example = next((one for one in named if all(isinstance(x, str) for x in one.arguments)), None)
        expected = f"facts that name them, such as {example}" if example else "words that facts name"
        return Diagnostic("unknown-word", message, expected=expected, hint=near)


def _facts_of_tree(sentence: Sentence, table: FactTable) -> SentenceFacts:
    """Return the labelled arcs of a sentence's gold tree as facts about its words, which their numbers name.

    Raises
    ------
    GrammarError : the sentence has no gold tree, or its arcs have no labels.
    """
    tree = gold_tree(sentence)
    if sentence.labels is None:
        named = f" {sentence.name}" if sentence.name else ""
        message = (
            f"the grammar is the labelled gold tree of each sentence, but the sentence{named} has no labels"
        )
        raise GrammarError(
            message, code="no-gold-labels", expected="relations of words to their heads (DEPREL)"
        )
    rows: dict[str, dict[Row, float]] = {name: {} for name in table.sorts}
    for (d, h), label in zip(tree.links, sentence.labels, strict=True):
        name, row = ("label", (str(d), str(h), label)) if h else ("below_root", (str(d), label))
        if name in rows:
            rows[name][row] = 0.0
    keys = tuple((str(number),) for number in range(1, len(sentence) + 1))
    return SentenceFacts(len(sentence), FactTable(table.sorts, rows), keys)


# Writing and reading --------------------------------------------------------------------------------------------


def _name(argument: Argument) -> str:
    match argument:
        case Tagged(tag=tag):
            return f"tag {_name(tag)}" if tag else "_"
        case tuple():
            return f"<{' '.join(map(_name, argument))}>"
        case str() if argument in ("tag", "_") or not t.is_bare(argument, _MARKS):
            return quoted(argument)
    return argument.text if isinstance(argument, Written) else str(argument)


def _read_fact(line: t.Cursor) -> Fact:
    """Read `relation(argument, ...)`."""
    name = line.take()
    if name.kind not in ("name", "label"):
        raise t.TokenError(name, "unexpected-token", f"{name} does not belong here", _LINE)
    t.require_text(name, "the name of a relation")
    if not line.next.is_mark("("):
        words = [token.text for token in line.tokens if token.kind in ("name", "label")]
        if len(words) > 1 and (words[0].endswith(":") or words[1] in _OF_A_LEXICON):
            meant = ", ".join(word.rstrip(":") for word in words if word not in _OF_A_LEXICON)
            line.unexpected(_LINE, hint=f"write the name of a relation, as in lexical({meant})")
        rest = ", ".join(words[1:]) or "..."
        line.unexpected(f"( and the arguments of {name.text}", hint=f"write {name.text}({rest})")
    line.take()
    values: list[Argument] = []
    tokens = [name]
    while not line.is_at(")"):
        if values and not line.accept(","):
            hint = None if line.next.kind == "end" else "commas stand between arguments"
            line.unexpected("a comma or )", hint=hint)
        tokens.append(line.next)
        values.append(_read_argument(line))
    line.take()
    weight = line.weight() or 0.0
    if line.next.text in (".", ";"):
        line.unexpected("a weight, or the end of the line", hint=f"no {line.next.text} ends a fact")
    line.require_end("a weight, or the end of the line")
    return Fact(name.text, tuple(values), weight, tuple(tokens))


def _read_argument(line: t.Cursor) -> Argument:
    if line.is_at("<", "⟨"):
        line.take()
        symbols = []
        while not line.accept(">", "⟩"):
            line.accept(",")
            symbols.append(_symbol(line))
        return tuple(symbols)
    if line.is_at("tag") and not line.peek().is_mark(",", ")"):
        line.take()
        return Tagged(_symbol(line))
    first = line.next
    text = _symbol(line) if not line.is_at("(") else ""
    if line.is_at("("):
        return _read_term(line, text)
    return ANY_WORD if first.kind == "name" and text == "_" else text


def _read_term(line: t.Cursor, text: str) -> Written:
    """Read a term with brackets as its text, up to a comma or bracket that is not within it."""
    depth = 0
    while line.next.kind != "end" and (depth or not line.is_at(",", ")")):
        token = line.take()
        depth += token.is_mark("(") - token.is_mark(")")
        text += quoted(token.text) if token.kind in ("word", "label") else token.text
    return Written(text)


def _symbol(line: t.Cursor) -> str:
    token = line.next
    if token.kind in ("mark", "end"):
        line.unexpected("a symbol, a word or a number")
    t.require_text(token, "a symbol, a word or a number")
    return line.take().text


def _split(row: str, number: int) -> Fact:
    """Return the fact of a line with tabs."""
    tokens, column = [], 1
    for part in row.rstrip("\r").split("\t"):
        tokens.append(t.LineToken("name", part.strip(), number, column, column + max(1, len(part))))
        column += len(part) + 1
    while len(tokens) > 1 and not tokens[-1].text:
        tokens.pop()
    for token in tokens:
        t.require_text(token, "a value in every column")
    last = t.Cursor((tokens[-1], t.LineToken("end", "the end of the line", number, column, column + 1)))
    weight = last.weight()
    tokens = tokens if weight is None else tokens[:-1]
    return Fact(tokens[0].text, tuple(token.text for token in tokens[1:]), weight or 0.0, tuple(tokens))


# Facts and declarations -----------------------------------------------------------------------------------------

_NOUNS: Mapping[Sort, str] = {
    "word": "a word", "symbol": "a symbol", "position": "a whole number", "symbols": "a list <A B> of symbols",
}  # fmt: skip


def _fitting(facts: Facts, relations: Sequence[m.Relation]) -> FactTable:
    """Return facts as rows of declared relations.

    Raises
    ------
    GrammarError : some facts do not fit.
    """
    declared = {relation.name: relation.arguments for relation in relations}
    yields = {relation.name: dict(relation.yields) for relation in relations}
    rows: dict[str, dict[Row, float]] = {name: {} for name in declared}
    mistakes: list[Diagnostic] = []

    def report(fact: Fact, place: int, message: str, expected: str, hint: str | None = None) -> None:
        mistake = Diagnostic("unfit-fact", message, None, expected, hint)
        if facts.text is not None and fact.tokens:
            mistake = t.TokenError(fact.tokens[place], mistake.code, message, expected, hint).report(
                facts.text
            )
        mistakes.append(mistake)

    named = {fact.relation for fact in facts.facts}
    unknown: set[str] = set()
    for fact in facts.facts:
        name, values = fact.relation, fact.arguments
        arguments = declared.get(name)
        if arguments is None:  # it may be another schema's, or misspelt
            if name not in unknown:
                unknown.add(name)
                near = did_you_mean(name, [other for other in declared if other not in named])
                rest = ": its facts are not used" if near is None else ""
                report(fact, 0, f"the schema declares no relation {name}{rest}", one_of(declared), near)
                if near is None:
                    mistakes[-1] = dataclasses.replace(mistakes[-1], severity="warning")
            continue
        if len(arguments) != len(values):
            shown = f"{name}({', '.join(argument for argument, _ in arguments)})"
            message = f"{name} has {quantity(len(arguments), 'argument')}, not {len(values)}"
            report(fact, 0, message, shown)
            continue
        sorted_values = zip(values, (sort for _, sort in arguments), strict=True)
        row = tuple(_value(x, sort, bool(fact.tokens)) for x, sort in sorted_values)
        for place, ((argument, sort), fitting) in enumerate(zip(arguments, row, strict=True)):
            parts = yields[name].get(place, 0)
            if fitting is None or (parts and not _is_yield(fitting, parts)):
                noun = f"a {sort}" if isinstance(sort, m.Type) else _NOUNS[sort]
                if parts:
                    noun = f"a yield function of {quantity(parts, 'part')}, such as {_yield_sample(parts)}"
                what = noun.split(",")[0].removeprefix("a ")
                report(fact, place + 1, f"{argument} of {name} is not a {what} here", noun)
        if rows[name].setdefault(row, fact.weight) != fact.weight:
            report(fact, 0, "this fact has another weight before", "one weight for each fact")
    t.refuse(mistakes)
    sorts = {name: tuple(sort for _, sort in arguments) for name, arguments in declared.items()}
    return FactTable(sorts, rows, tuple(mistakes))


def _is_yield(text: str, parts: int) -> bool:
    """Whether a text is a yield function: digits of parts, which may have no spans, and commas between spans."""
    digits = {str(part) for part in range(parts)}
    return {*text} - {","} <= digits and all(text.split(","))


def _yield_sample(parts: int) -> str:
    """Return a yield function: one span of each part, in turn."""
    return "".join(map(str, range(parts)))


def _value(value: Argument, sort: Sort, is_text: bool) -> Any:
    """Return an argument as a value of a sort, None if it is not one."""
    if isinstance(sort, m.Type):
        text = value.text if isinstance(value, Written) else value
        return _term(text, sort) if isinstance(text, str) else None
    match sort, value:
        case ("word", str() | Tagged()) | ("symbol", str()) | ("position", int()) | ("symbols", tuple()):
            return value
        case "position", str() if is_text and value.isascii() and value.isdecimal() and len(value) < 10:
            return int(value)
        case "symbols", str() if is_text:
            return tuple(value.split())
    return None


@lru_cache(maxsize=4096)
def _term(text: str, kind: m.Type) -> m.Value:
    """Return the term that a text denotes, None if it denotes none."""
    from schemata.language.forms import read_value  # brings the parser, which no shipped schema needs

    try:
        return read_value(text, kind)
    except SchemaError:
        return None


Rows: TypeAlias = "dict[str, dict[Row, float]]"


def all_facts(
    relations: Iterable[m.Relation],
    words: Sequence[str],
    symbols: Sequence[str],
    length: int,
    *,
    spans: int = 1,
    number: int = 2,
    terms: bool = False,
) -> FactTable:
    """Return all facts of declared relations over some words and symbols, each of weight 1.

    Parameters
    ----------
    length : the most symbols of a list.
    spans : the most spans that a yield function takes of a part, and makes.
    number : the greatest number.
    terms : whether terms are tried: of infinitely many, symbols and constructors over symbols.

    Raises
    ------
    UsageError : there are too many facts, or arguments are terms and `terms` is false.
    """
    lists = [row for size in range(length + 1) for row in product(symbols, repeat=size)]
    values: dict[Sort, Sequence[m.Value]] = {
        "word": words, "symbol": symbols, "position": range(number + 1), "symbols": lists,
    }  # fmt: skip
    named = {r.name: tuple(sort for _, sort in r.arguments) for r in relations}
    for sort in {sort for own in named.values() for sort in own if isinstance(sort, m.Type)}:
        if not terms:
            message = "relations over terms have no end of facts to try"
            raise UsageError(message, hint="schemata over symbols can be related and verified")
        values[sort] = _flat_terms(sort, symbols)
    rows: Rows = {}
    for relation in relations:
        yields = dict(relation.yields)
        columns = [
            yield_functions(yields[place], spans) if place in yields else values[sort]
            for place, sort in enumerate(named[relation.name])
        ]
        if math.prod(map(len, columns)) > EFFORTS.universe_facts:
            message = (
                f"there are more than {EFFORTS.universe_facts:,} facts over {len(symbols)} symbols to try"
            )
            raise UsageError(message, hint="relations with fewer arguments can be decided")
        rows[relation.name] = dict.fromkeys(product(*columns), 0.0)
    return FactTable(named, rows)


def _flat_terms(kind: m.Type, symbols: Sequence[str]) -> list[m.Value]:
    """Return the symbols as terms of a type, and its constructors over these."""
    plain = {name: len(parts) for name, parts in kind.constructors if set(parts) == {"symbol"}}
    atoms: list[m.Value] = [(m.CONSTRUCTOR, x) for x in symbols] if "" in plain else []
    found = [*atoms]
    for name, parts in kind.constructors:
        columns = [symbols if part == "symbol" else atoms for part in parts]
        found += [(m.CONSTRUCTOR + name, *row) for row in product(*columns)] if name else []
    return found


@lru_cache(maxsize=16)
def yield_functions(parts: int, spans: int) -> tuple[str, ...]:
    """Return the yield functions that take parts of at most so many spans, and make at most so many spans.

    The parts are numbered by their first spans, and no two spans of one part adjoin: other functions equal one of
    these, if parts are exchanged and spans that adjoin are made one.

    >>> yield_functions(2, 1), [len(yield_functions(2, spans)) for spans in (2, 3)]
    (('01',), [12, 89])
    """
    found: list[str] = []

    def go(text: str, left: tuple[int, ...], commas: int) -> None:
        last = text[-1:]
        if last.isdecimal() and max(left) < spans:
            found.append(text)
        for part in range(parts):
            met = part == 0 or left[part - 1] < spans
            if left[part] and met and last != str(part):
                go(f"{text}{part}", (*left[:part], left[part] - 1, *left[part + 1 :]), commas)
        if commas and last.isdecimal():
            go(f"{text},", left, commas - 1)

    go("", (spans,) * parts, spans - 1)
    return tuple(found)


class FactTable(Record, slots=False):
    """The rows of declared relations; one serves all sentences.

    Parameters
    ----------
    sorts : the sorts of each relation's arguments, by name.
    rows : the rows of each, with words as written, and their weights in log space.
    warnings : lines that are probably mistakes.
    """

    sorts: Mapping[str, tuple[Sort, ...]]
    rows: Mapping[str, Mapping[Row, float]]
    warnings: tuple[Diagnostic, ...] = ()

    __getstate__ = fields_alone

    @cached_property
    def words(self) -> frozenset[str | Tagged]:
        """The word forms and parts of speech that rows name."""
        return frozenset(word for rows in self.by_words.values() for words in rows for word in words)

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The relations without words, and their complements."""
        found = [name for name, sorts in self.sorts.items() if "word" not in sorts]
        both = (relation for name in found for relation in both_ways(name, self.sorts[name], self.rows[name]))
        return {relation.name: relation for relation in both}

    @cached_property
    def by_words(self) -> Mapping[str, Mapping[Row, list[Row]]]:
        """The rows of each relation with words, by these words."""
        found: dict[str, dict[Row, list[Row]]] = {}
        for name, sorts in self.sorts.items():
            if places := [k for k, sort in enumerate(sorts) if sort == "word"]:
                found[name] = grouped((tuple(row[k] for k in places), row) for row in self.rows[name])
        return found


def both_ways(name: str, sorts: tuple[Sort, ...], rows: Mapping[Row, float]) -> Iterator[Relation]:
    """Yield a relation, and the relation of the rows that it lacks."""
    yield Relation(name, sorts, {"f" * len(sorts): lambda: rows, "b" * len(sorts): _if(rows, True)})
    yield Relation(LACKS + name, sorts, {"b" * len(sorts): _if(rows, False)})


def _if(rows: Mapping[Row, float], wanted: bool) -> Callable[..., Iterable[Row]]:
    return lambda *values: ((),) if (values in rows) == wanted else ()


class SentenceFacts(Record, slots=False):
    """Facts for one sentence of n words.

    Parameters
    ----------
    n : the number of words.
    table : the facts.
    keys : by word, the keys under which facts may name it.
    unknown : warnings of facts that the schema does not read, and of words that no fact names.
    """

    n: int
    table: FactTable
    keys: tuple[tuple[str | Tagged, ...], ...]
    unknown: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    __getstate__ = fields_alone

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Warnings about probable mistakes in the facts, and about words that no fact names."""
        return (*self.table.warnings, *self.unknown)

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The declared relations, with positions in place of words, and their complements."""
        of_words = self.table.by_words
        both = (r for name in of_words for r in both_ways(name, self.table.sorts[name], self._rows(name)))
        return {**self.table.relations, **{relation.name: relation for relation in both}}

    @cached_property
    def weights(self) -> Mapping[str, Mapping[Row, float]]:
        """The weights of rows in log space, of relations where any has one."""
        table = self.table
        weighed = [name for name, rows in table.rows.items() if any(rows.values())]
        return {name: self._rows(name) if name in table.by_words else table.rows[name] for name in weighed}

    @cached_property
    def sources(self) -> Mapping[str, Mapping[Row, Row]]:
        """By relation with weights the fact that each row is: the relation, and its arguments as facts name them."""
        of_words, rows = self.table.by_words, self.table.rows
        facts = {
            name: self._facts(name) if name in of_words else {x: x for x in rows[name]}
            for name in self.weights
        }
        return {name: {row: (name, *fact) for row, fact in found.items()} for name, found in facts.items()}

    def _rows(self, name: str) -> dict[Row, float]:
        """Return the weights of rows with positions for words."""
        return {row: self.table.rows[name][fact] for row, fact in self._facts(name).items()}

    def _facts(self, name: str) -> dict[Row, Row]:
        """Return the rows about words of the sentence: with the positions of the words, each with the row of the file.

        A weight by a word's form takes precedence over one by its part of speech.
        """
        sorts, index = self.table.sorts[name], self.table.by_words[name]
        count = sorts.count("word")
        rows: dict[Row, Row] = {}
        for positions in product(range(1, self.n + 1), repeat=count):
            for key in product(*(self.keys[p - 1] for p in positions)):
                for row in index.get(key, ()):
                    at = iter(positions)
                    whole = tuple(next(at) if s == "word" else x for s, x in zip(sorts, row, strict=True))
                    rows.setdefault(whole, row)
            if len(rows) > REFUSALS.fact_rows:
                message = f"more than {REFUSALS.fact_rows:,} facts of {name} speak of words of this sentence"
                raise GrammarError(Diagnostic("too-many-facts", message, hint="shorten the sentence"))
        return rows


def sample(relations: Iterable[m.Relation]) -> str:
    """Return a small file of facts that fits a schema's declarations.

    >>> print(sample([m.Relation("lexical", (("w", "word"), ("c", "symbol")), None)]), end="")
    lexical("word", c1)
    """
    shown = {"word": '"word"', "symbol": "{}1", "position": "1", "symbols": "<{0}1 {0}2>"}

    def line(relation: m.Relation) -> str:
        arguments = [shown.get(str(sort), "{}1").format(name) for name, sort in relation.arguments]
        for place, parts in relation.yields:
            arguments[place] = f'"{_yield_sample(parts)}"'
        return f"{relation.name}({', '.join(arguments)})\n"

    return "".join(map(line, relations))
