"""Claims about the meaning of items: `means ITEM: trees HEADS over WORDS, PROPERTIES where CONDITIONS`,
checked.

A claim does not change the items that a schema derives; `schemata.verification.items` tests it by brute force.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schemata.errors import Diagnostic, Location, SchemaError, did_you_mean
from schemata.kinds import DEPENDENCY_RULES
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.forms import FormTable
from schemata.language.parse import PieceParser
from schemata.language.pieces import Piece
from schemata.language.rules import RuleReader
from schemata.language.source import source_from_text
from schemata.language.terms import Terms, conjuncts

EXAMPLE = "span[i, j]: trees i, j over [i..j], projective"
_CLASSES = "projective, well-nested, gap-degree-K, mg-K, 1ec, covington-lsup, head-first, length-K"
_MISPLACED = "a claim about items cannot have this condition", "a claim is about items, whatever the grammar"
_LISTED = "a list variable of the item"


def read_claim(text: str, schema: m.Schema) -> m.Meaning:
    """Return a claim about the items of a checked schema, written as in a file behind the word `means`.

    Raises
    ------
    SchemaError : the text is not a claim; there is no such form; a name is not one of the item's.
    """
    if not text.strip():
        raise SchemaError(
            Diagnostic("syntax", "nothing is claimed", Location("claim", 1, 1), expected=EXAMPLE)
        )
    source = source_from_text(text, "claim")
    parser = PieceParser(source)
    written = parser.parse("meaning_declaration", Piece.of(source), "the claim about items")
    if written is None:
        raise SchemaError(parser.problems)
    environment = {p.name: p.value for p in schema.parameters}
    table = FormTable(parser.problems, forms={form.name: form for form in schema.forms})
    rules = RuleReader(table, parser.problems, schema.grammar, True)
    found = read_meaning(rules, replace(written, environment=environment))
    if found is None or parser.problems.errors:
        if not parser.problems.errors:
            message = "the claim is about no item with these parameters"
            parser.problems.report(written.span, "no-claims", message)
        raise SchemaError(parser.problems)
    return found


def read_meaning(rules: RuleReader, written: s.MeaningDeclaration) -> m.Meaning | None:
    """Resolve a claim about items; None if it has errors or the parameters switch it off."""
    before, environment = len(rules.problems), written.environment
    conditions_written = conjuncts(written.where)
    groups: dict[bool, list[m.SomeWords]] = {}

    def read(scope: Terms) -> tuple[m.Pattern | None, tuple[m.Condition, ...], m.Region]:
        scope.fields_of = ""
        pattern = rules.table.pattern(written.item, scope, binding=True)
        conditions = rules.plain_conditions(conditions_written, scope, *_MISPLACED)
        for heads, words in ((True, written.heads), (False, written.beside)):
            groups[heads] = [_words(rules, scope, one, heads) for one in words]
        if rules.grammar == DEPENDENCY_RULES:
            _of_rule(scope, written, groups[True])
        return pattern, conditions, scope.region(written.region)

    scope = rules.informed(environment, read)
    pattern, conditions, region = read(scope)
    opened, links, classes, expected = _properties(rules, scope, written)
    partly = any(isinstance(one, s.Opening) and one.partly for one in written.properties)
    known = rules.types.setdefault(written.span, {})
    for one in (*groups[True], *groups[False], *(opened or ())):
        known.update(one.types)
    known.update(scope.types)
    if pattern is None or len(rules.problems) > before:
        return None
    clause = m.Clause(pattern, conditions, dict(scope.types), written.span)
    found = m.Meaning(
        clause, tuple(groups[True]), region, tuple(groups[False]), opened, links, classes, partly, expected
    )
    if not rules.symbolic:
        if rules.determined(scope, pattern.terms, conditions):
            said = (
                pattern,
                conditions,
                found.heads,
                region,
                found.beside,
                opened or (),
                links,
                expected or (),
            )
            rules.once(scope, m.variables(said))
        if rules.switched_off(conditions_written, conditions, environment):
            return None
    return found


def _listed(
    scope: Terms, name: s.Name, written: Iterable[s.TermSyntax]
) -> tuple[Terms, m.Var, tuple[m.Term, ...]] | None:
    """Return a scope of its own, a list and patterns of its elements; None, reported, where the name is not a list."""
    of = scope.name(name, None, False)
    kind = scope.type_of(of.name) if isinstance(of, m.Var) else None
    if not isinstance(of, m.Var) or kind is None or kind.kind != "list":
        if not isinstance(of, m.Any):
            scope.error(name.span, "wrong-type", f"{name.id} is not a list", _LISTED)
        return None
    inner = replace(scope, types=dict(scope.types), places=dict(scope.places), wrong=set(scope.wrong))
    return inner, of, tuple(inner.resolve(one, kind.arguments[0], True) for one in written)


def _own(scope: Terms, inner: Terms) -> dict[str, m.Type]:
    return {name: its for name, its in inner.types.items() if name not in scope.types}


def _of_rule(scope: Terms, written: s.MeaningDeclaration, heads: list[m.SomeWords]) -> None:
    """Report heads of trees that are not the symbols of a rule, in a schema over dependency rules."""
    named = [one.term.name for one in heads if isinstance(one.term, m.Splice)]
    if len(heads) > 1 or [scope.type_of(name) for name in named] != [m.SYMBOLS]:
        message = "over dependency rules, the trees are those of the symbols of the item's rule"
        scope.error(
            written.heads[0].span, "wrong-type", message, "trees *alpha, as in edge[A(*alpha . *_), i, j]"
        )


def _words(rules: RuleReader, scope: Terms, written: s.SomeWordsSyntax, heads: bool = False) -> m.SomeWords:
    """Resolve words that a claim names; `heads` may be any words, or those of symbols."""
    if heads and isinstance(written.term, s.Wildcard) and written.element is None and written.when is None:
        return m.SomeWords(m.Any())
    if written.when is not None:
        return m.SomeWords(
            scope.resolve(written.term, m.POSITION), when=_condition(rules, scope, written.when)
        )
    if written.element is not None and written.of is not None:
        listed = _listed(scope, written.of, (written.element,))
        if listed is None:
            return m.SomeWords(m.Any())
        inner, of, (element,) = listed
        return m.SomeWords(inner.resolve(written.term, m.POSITION), element, of, _own(scope, inner))
    if isinstance(written.term, s.Star):
        kind = scope.type_of(written.term.id)
        if heads and (written.term.id == "_" or (rules.grammar == DEPENDENCY_RULES and kind == m.SYMBOLS)):
            return m.SomeWords(m.Splice(written.term.id))
        if kind is not None and kind != m.Type("list", (m.POSITION,)):
            message = f"{written.term.id} is a {kind}, not a list of positions"
            scope.error(written.term.span, "wrong-type", message, f"x for (x, _) in {written.term.id}")
        elif kind is None:
            scope.name(s.Name(written.term.id, span=written.term.span), None, False)
        return m.SomeWords(m.Splice(written.term.id))
    return m.SomeWords(scope.resolve(written.term, m.POSITION))


def _condition(rules: RuleReader, scope: Terms, written: s.ConditionSyntax) -> m.Term:
    """Resolve a condition on the item's values."""
    (found,) = rules.plain_conditions((written,), scope, *_MISPLACED, binding=False)
    if isinstance(found, m.HasFact):
        scope.misplaced(written, *_MISPLACED)
        return m.Lit(True)
    return found


def _links(rules: RuleReader, scope: Terms, written: s.LinkClaim) -> m.ClaimedLinks:
    """Resolve a claim about links."""
    number = None if written.number is None else scope.resolve(written.number, m.POSITION)
    crossing = written.crossing
    neighbours, inner = None, scope
    if written.neighbours is not None:
        *elements, name = written.neighbours
        listed = _listed(scope, name, elements)
        if listed is None:
            return m.ClaimedLinks("", m.Any(), m.Any())
        inner, of, (first, second) = listed
        neighbours = m.Neighbours(first, second, of)

    def end(term: s.TermSyntax | s.IntervalSyntax) -> m.Term | m.Interval:
        if isinstance(term, s.IntervalSyntax):
            return inner.interval(term)
        return m.Any() if isinstance(term, s.Wildcard) else inner.resolve(term, m.POSITION)

    ends = end(written.dependent), end(written.head)
    if neighbours is not None:
        neighbours = replace(neighbours, types=_own(scope, inner))
    by = None if crossing is None else tuple(_words(rules, scope, one) for one in crossing)
    return m.ClaimedLinks(written.how, *ends, number, written.undirected, neighbours, by)


def _properties(
    rules: RuleReader, scope: Terms, written: s.MeaningDeclaration
) -> tuple[
    tuple[m.SomeWords, ...] | None,
    tuple[m.ClaimedLinks | m.ClaimedConnection, ...],
    tuple[tuple[str, int, bool], ...],
    m.Term | None,
]:
    """Return the open words, the links and the classes of a claim, and where its rule is expected."""
    links: list[m.ClaimedLinks | m.ClaimedConnection] = []
    opened: list[m.SomeWords] | None = None
    classes: list[tuple[str, int, bool]] = []
    expected: m.Term | None = None
    last: object = None
    for one in written.properties:
        match one:
            case s.Opening(words, _):
                opened = [*(opened or ()), _words(rules, scope, words)]
            case s.SomeWordsSyntax() if isinstance(last, s.Opening) and opened is not None:
                opened.append(_words(rules, scope, one))
                continue  # the words behind it are open too
            case s.Expectation(place, span=span):
                expected = scope.resolve(place, m.POSITION)
                if rules.grammar != DEPENDENCY_RULES:
                    message = "only rules of a dependency grammar are expected"
                    scope.error(span, "unknown-class", message, "a schema over dependency rules")
            case s.LinkClaim():
                links.append(_links(rules, scope, one))
            case s.Connection(first, second, region, flag, negated):
                ends = scope.resolve(first, m.POSITION), scope.resolve(second, m.POSITION)
                without = None if region is None else scope.region(region)
                iff = None if flag is None else _condition(rules, scope, flag)
                links.append(m.ClaimedConnection(*ends, without, iff, negated))
            case s.ForestClass(name, level, below):
                classes.append((name, 0 if level is None else _level(rules, scope, name, level), below))
            case _:
                shown = one.span.text
                hint = did_you_mean(shown, ["projective", "well-nested"])
                known = f"{_CLASSES}, or open WORDS"
                scope.error(one.span, "unknown-class", f"{shown} is not a class of forests", known, hint)
        last = one
    return None if opened is None else tuple(opened), tuple(links), tuple(classes), expected


def _level(rules: RuleReader, scope: Terms, name: str, level: s.Name | s.ConstantSyntax) -> int:
    """Return the number of a class, which may be a parameter."""
    if isinstance(level, s.ConstantSyntax):
        return int(level.value or 0)
    if level.id in scope.parameters:
        return scope.parameters[level.id]
    if not (rules.symbolic or scope.lenient or level.id in scope.doubtful):
        message = f"{level.id} is neither a number nor a parameter"
        scope.error(level.span, "unknown-class", message, f"{name}-1, or {name}-k with a parameter k")
    return 0
