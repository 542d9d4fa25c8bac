"""Claims about items: which forests an item stands for, decided for all items of short sentences by brute force.

A schema states them (`means`, `schemata.language.meanings`), of the items that match a pattern:

    means span[i, j]: trees i, j over [i..j], projective
    means tree[i, j, h, l?, r?]: tree h over [i..j] minus [l..r] with h, below gap-degree-1, well-nested
    means state[i, L]: trees i, x for (x, false) in L over [0..i], projective, open i, x for (x, _) in L

All heads have no head, and all other words of the item have one among them. `projective`, `well-nested`,
`gap-degree-K` and `mg-K` are about all words of the forest, `below gap-degree-K` about those that are not heads.
*Open* words can take dependents behind the forest: no link passes over them, and they are under no word behind them.
`link m to h` says that a forest has this link, `not link m to h` that it does not, and `one link _ to h` that h has
one dependent; `docs/language-meanings.md` lists the other claims about links. The first claim whose pattern matches
counts.

Under a grammar that licenses every link, an item must be derived exactly if some forest is as claimed, and its
contents (`analysis.contents`) must be exactly these forests; items over one word alone need not be derived. Where steps
ask for nothing but the links that they build, this decides all grammars: a forest is built under a grammar exactly if
the grammar licenses its links.

References
----------
GCW11, definition 4, sections 3 and 7 (lemma 1, proposition 1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise, product
from typing import Any

from schemata.analysis.contents import PartialForest, contents
from schemata.budget import Budget
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.grammars import DRules
from schemata.grouping import grouped, reachable
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.language.meanings import EXAMPLE, read_claim
from schemata.language.typeset import format_item, meaning_text, reference_of
from schemata.program.evaluation import Binding, evaluate, fulfils, truth
from schemata.program.matching import Match, match_pattern, solve
from schemata.program.rewriting import normal_form
from schemata.records import Record, Shown, document, fields_json, json_of
from schemata.structures import Sentence, classes, projections
from schemata.workbench import ParsingSchema, load

Links = tuple[tuple[int, int], ...]


def _matched(meaning: m.Meaning, schema: m.Schema, item: Item, n: int) -> Binding | None:
    """Return the values of a claim's variables for an item that it is about; None for others."""
    if meaning.clause.pattern.form != item.form:
        return None
    goals = match_pattern(schema.form(item.form), meaning.clause.pattern, item.values)
    whole = (*goals, *meaning.clause.conditions)
    return next((found.binding for found in solve(whole, {"n": n}, meaning.clause.types)), None)


def _words(named: Iterable[m.SomeWords], binding: Binding, types: Mapping[str, m.Type]) -> frozenset[int]:
    """Return the words that a claim names."""
    found: list[Any] = []
    for one in named:
        if one.when is not None and not truth(one.when, binding):
            continue
        if one.element is not None and one.of is not None:
            (kind,) = types[one.of.name].arguments
            listed: Any = binding[one.of.name]
            for value in listed:
                for solution in islice(solve([Match(value, one.element, kind)], binding, one.types), 1):
                    found.append(evaluate(one.term, solution.binding))
        else:
            value = evaluate(one.term, binding)
            found += value if isinstance(value, tuple) else [value]
    return frozenset(found)


def _claimed(meaning: m.Meaning, binding: Binding, n: int) -> tuple[frozenset[Links], int]:
    """Return the forests that a claim says of an item, and the number of their words."""
    types = meaning.clause.types
    words = {p for p in range(n + 2) if truth(m.Member(m.Lit(p), meaning.region), binding)}
    words |= _words(meaning.beside, binding, types)
    forests = claimed_forests(_words(meaning.heads, binding, types), frozenset(words), meaning.classes, n)
    if meaning.opened is not None:
        wanted = _words(meaning.opened, binding, types)
        opened = ((links, open_words(links, words)) for links in forests)
        forests = frozenset(x for x, own in opened if (own >= wanted if meaning.partly else own == wanted))
    for one in meaning.links:
        holds = (
            _connection(one, binding)
            if isinstance(one, m.ClaimedConnection)
            else _links(one, binding, types, n)
        )
        forests = frozenset(filter(holds, forests))
    return forests, len(words)


def _connection(claim: m.ClaimedConnection, binding: Binding) -> Callable[[Links], bool]:
    """Return whether two words of a forest are connected as it is claimed."""
    one, other = (evaluate(end, binding) for end in (claim.one, claim.other))
    wanted = not claim.negated and (claim.iff is None or truth(claim.iff, binding) is True)

    def inside(word: int) -> bool:
        return claim.without is not None and truth(m.Member(m.Lit(word), claim.without), binding) is True

    def holds(links: Links) -> bool:
        kept = [ends for ends in links if not all(map(inside, ends))]
        near: dict[m.Value, list[int]] = dict(grouped([*kept, *((h, d) for d, h in kept)]))
        return (other in reachable([one], lambda word: near.get(word, ()))) == wanted

    return holds


def _links(
    claim: m.ClaimedLinks, binding: Binding, types: Mapping[str, m.Type], n: int
) -> Callable[[Links], bool]:
    """Return whether a forest has links as they are claimed."""
    bindings = [binding] if claim.neighbours is None else list(_neighbours(claim.neighbours, binding, types))
    pairs = [[_ends(x, one, n) for x in (claim.dependent, claim.head)] for one in bindings]
    by = None if claim.crossing is None else _words(claim.crossing, binding, types)

    def holds(links: Links) -> bool:
        for dependents, heads in pairs:
            found = [
                (d, h) for d, h in links
                if (d in dependents and h in heads) or (claim.undirected and h in dependents and d in heads)
            ]  # fmt: skip
            if by is not None:
                if any(_cross(one, other) and not by & set(other) for one in found for other in links):
                    return False
                continue
            if claim.how.endswith("outer"):
                found = [link for link in found if _is_outer(link, links)]
            number = len(found)
            if claim.number is not None:
                if number != evaluate(claim.number, binding):
                    return False
            elif not _NUMBERS[claim.how.split(" ")[0]](number):
                return False
        return True

    return holds


_NUMBERS: Mapping[str, Callable[[int], bool]] = {
    "": lambda number: number > 0,
    "not": lambda number: not number,
    "one": lambda number: number == 1,
    "several": lambda number: number > 1,
}


def _ends(end: m.Term | m.Interval, binding: Binding, n: int) -> Collection[m.Value]:
    """Return the words that may be an end of a claimed link."""
    if isinstance(end, m.Any):
        return range(n + 2)
    if isinstance(end, m.Interval):
        return [p for p in range(n + 2) if truth(m.Member(m.Lit(p), end), binding)]
    return [evaluate(end, binding)]


def _neighbours(pair: m.Neighbours, binding: Binding, types: Mapping[str, m.Type]) -> Iterator[Binding]:
    """Yield the bindings of the neighbours in a list that are like a pair of elements."""
    (kind,) = types[pair.of.name].arguments
    listed: Any = binding[pair.of.name]
    for first, second in pairwise(listed):
        goals = [Match(first, pair.one, kind), Match(second, pair.other, kind)]
        yield from (found.binding for found in islice(solve(goals, binding, pair.types), 1))


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two links cross."""
    (a, b), (c, d) = sorted((sorted(one), sorted(other)))
    return a < c < b < d


def _is_outer(link: tuple[int, int], links: Links) -> bool:
    """Whether the dependent of a link and all below it stand in no gap of another dependent of the same head."""
    masks = _projections(dict(links), {word for ends in links for word in ends}) or {}
    dependent, head = link
    low, high = _extent(masks[dependent])
    others = (masks[d] for d, h in links if h == head and d != dependent)
    return not any(a < low and high < b for a, b in map(_extent, others))


def _extent(mask: int) -> tuple[int, int]:
    """Return the first and the last of some words."""
    return (mask & -mask).bit_length() - 1, mask.bit_length() - 1


# Forests by brute force --------------------------------------------------------------------------------------------


@cache
def claimed_forests(
    heads: frozenset[int], words: frozenset[int], wanted: tuple[tuple[str, int, bool], ...], n: int
) -> frozenset[Links]:
    """Return the link sets of the forests over some words, with some heads, that belong to all of some classes.

    Every other word has a head among the words; 0 has none, and n + 1 heads nothing.
    """
    if not heads <= words:
        return frozenset()
    others = sorted(words - heads)
    if not set(others) <= set(range(1, n + 1)):
        return frozenset()
    options = [[h for h in sorted(words) if h != d and h <= n] for d in others]
    found = []
    for chosen in product(*options):
        above = dict(zip(others, chosen, strict=True))
        masks = _projections(above, words)
        if masks is not None and all(
            _TESTS[name](masks, above, heads, k, below) for name, k, below in wanted
        ):
            found.append(tuple(sorted(above.items())))
    return frozenset(found)


def open_words(links: Links, words: Iterable[int]) -> set[int]:
    """Return the words of a forest that can take dependents behind all its words, if the forest is to stay projective.

    >>> sorted(open_words(((1, 2), (3, 2)), (0, 1, 2, 3)))
    [0, 2, 3]
    """
    covered = {w for w in words for ends in links if min(ends) < w < max(ends)}
    return set(words) - covered - {dependent for dependent, head in links if head > dependent}


def _projections(above: Mapping[int, int], words: Iterable[int]) -> dict[int, int] | None:
    """Return the words under each word as bits, with itself; None if heads make a cycle."""
    masks = {word: 1 << word for word in words}
    for word in above:
        at, steps = word, 0
        while at in above:
            at, steps = above[at], steps + 1
            if steps > len(above):
                return None
            masks[at] |= 1 << word
    return masks


def _within_gaps(
    masks: Mapping[int, int], above: Mapping[int, int], heads: frozenset[int], k: int, below: bool
) -> bool:
    return all(
        projections.gap_count(mask) <= k for word, mask in masks.items() if not (below and word in heads)
    )


def _well_nested(masks: Mapping[int, int], *_: Any) -> bool:
    pairs = ((one, other) for one in masks.values() for other in masks.values() if not one & other)
    return not any(_interleave(one, other) for one, other in pairs)


def _interleave(one: int, other: int) -> bool:
    """Whether there are words a < b < c < d, a and c of one set, b and d of the other."""
    letters = [
        "o" if one >> k & 1 else "x" for k in range((one | other).bit_length()) if (one | other) >> k & 1
    ]
    runs = [letter for k, letter in enumerate(letters) if not k or letters[k - 1] != letter]
    return len(runs) > 3


def _binarizable(
    masks: Mapping[int, int], above: Mapping[int, int], heads: frozenset[int], k: int, below: bool
) -> bool:
    """Whether all words but the heads have k gaps, and the dependents of each can be joined two at a time in k."""
    if not _within_gaps(masks, above, heads, k, True):
        return False
    whole = [masks.get(word, 0) for word in range(max(masks) + 1)]
    for head in masks:
        dependents = [d for d, h in above.items() if h == head]
        if len(dependents) > 1 and not classes.joinable(whole, dependents, head, k):
            return False
    return True


def _one_end_crossed(masks: Mapping[int, int], above: Mapping[int, int], *_: Any) -> bool:
    """Whether the links that cross any one link have an end in common."""
    for link in above.items():
        crossing = [set(other) for other in above.items() if _cross(link, other)]
        if crossing and not set.intersection(*crossing):
            return False
    return True


def _lsup(masks: Mapping[int, int], above: Mapping[int, int], *_: Any) -> bool:
    """Whether no word but those under 0 has both its head and a dependent to the left."""
    return not any(0 < h < d and any(x < d for x, y in above.items() if y == d) for d, h in above.items())


_TESTS: Mapping[str, Callable[..., bool]] = {
    "1ec": _one_end_crossed,
    "covington-lsup": _lsup,
    "length": lambda masks, above, heads, k, below: all(h - k <= d <= h + k for d, h in above.items() if h),
    "projective": lambda masks, above, heads, k, below: _within_gaps(masks, above, heads, 0, below),
    "gap-degree": _within_gaps,
    "well-nested": _well_nested,
    "mg": _binarizable,
}


# The verdict -------------------------------------------------------------------------------------------------------


class WrongItem(Record):
    """An item that is not as claimed: a forest that it should not have, or one that it lacks.

    `fault` is "unsound", "incomplete" or, of an item that no claim is about, "unclaimed"; `links` are the forest's.
    """

    n: int
    item: str
    fault: str
    links: Links

    to_json = json_of("n item fault links")


class ItemsVerdict(Record, Shown):
    """The verdict on claims about the meaning of items, for all items of at most `max_n` words.

    `sound`: no item has a forest that is not claimed; `complete`: each claimed forest is built, its item derived.
    `items` and `forests` are how many were compared; `wrong` are the smallest items against either.
    """

    schema: str
    max_n: int
    claims: tuple[str, ...]
    items: int
    forests: int
    sound: bool
    complete: bool
    wrong: tuple[WrongItem, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all is as claimed."""
        return self.sound and self.complete

    def to_json(self) -> dict[str, Any]:
        """Return the object that `schemata verify --items --json` prints."""
        return document(fields_json(self, "schema max_n claims items forests sound complete wrong"))


def verify_items(
    schema: ParsingSchema | str, claims: Sequence[str] = (), max_n: int = 4, *, budget: Budget | None = None
) -> ItemsVerdict:
    """Decide claims about the meaning of a schema's items by brute force: see the module.

    Parameters
    ----------
    schema : a schema over D-rules, whose items have positions, flags, absent values and lists of these.
    claims : the claims, as behind `means`; those of the schema if there are none.
    max_n : words, at most.
    budget : of each run.

    Raises
    ------
    SchemaError : a claim is not written as one.
    UsageError : there is no claim; the schema is not over D-rules.
    BudgetExceeded : a run hit a limit.

    >>> verify_items("yamada-matsumoto2003", max_n=3).holds
    True
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    definition = chosen.definition
    if definition.grammar != D_RULES or not definition.builds_links:
        message = f"claims about items are about forests, which {definition.name} does not build from D-rules"
        raise UsageError(message, code="no-forests")
    meanings = tuple(read_claim(text, definition) for text in claims) or definition.meanings
    if not meanings:
        message = f"nothing is claimed about the items of {definition.name}"
        hint = f"state it in the schema, as in: means {EXAMPLE}; or --means CLAIM"
        raise UsageError(message, code="no-claims", hint=hint)
    items = forests = 0
    wrong: dict[str, WrongItem] = {}
    for n in range(1, max_n + 1):
        chart = chosen.run(Sentence(tuple(f"w{k}" for k in range(1, n + 1))), DRules.all(), budget=budget)
        for item, claimed, built in _compared(chart, meanings, n):
            items, forests = items + 1, forests + len(built)
            faults = [("unsound", built if claimed is None else built - claimed)]
            faults.append(("incomplete", frozenset() if claimed is None else claimed - built))
            for fault, links in faults:
                if links and (fault not in wrong):
                    kind = "unclaimed" if claimed is None else fault
                    wrong[fault] = WrongItem(n, str(item), kind, min(links, key=lambda x: (len(x), x)))
        if len(wrong) == 2:
            break
    answers = "unsound" not in wrong, "incomplete" not in wrong
    texts = tuple(meaning_text(definition, one, ascii=True) for one in meanings)
    return ItemsVerdict(
        reference_of(definition), max_n, texts, items, forests, *answers, tuple(wrong.values())
    )


def _compared(
    chart: Chart, meanings: Sequence[m.Meaning], n: int
) -> Iterator[tuple[Item, frozenset[Links] | None, frozenset[Links]]]:
    """Yield items, the forests that are claimed of them (None if no claim is about one), and those they have."""
    for item in _candidates(chart, n):
        number = chart.find(item.form, item.values)
        claimed, size = None, 0
        for meaning in meanings:
            binding = _matched(meaning, chart.schema, item, n)
            if binding is not None:
                claimed, size = _claimed(meaning, binding, n)
                break
        built: frozenset[Links] = frozenset()
        if number is not None:
            found = contents(chart, item, None).contents
            built = frozenset(one.links for one in found if isinstance(one, PartialForest))
        if number is not None or (claimed and size > 1):
            yield item, claimed, built


def _candidates(chart: Chart, n: int) -> Iterator[Item]:
    """Yield all items in normal form whose lists ascend, and the derived ones whose lists do not; no hypotheses."""
    hypotheses = set(chart.hypothesis_ids)
    for form in chart.schema.forms:
        ranges = [_range(field.type, n) for field in form.fields]
        seen: set[tuple[Any, ...]] = set()
        for values in product(*ranges) if all(ranges) else ():
            if not fulfils(form, values, n) or chart.find(form.name, values) in hypotheses:
                continue
            if not form.has_normal_form or normal_form(form, values, n) == values:
                seen.add(values)
                yield Item(form.name, values, format_item(form, values))
        yield from (item for item in chart.items if item.form == form.name and item.values not in seen)


def _range(kind: m.Type, n: int) -> list[Any]:
    """Return the values of a type, of lists those that ascend; none where they are not made of positions and flags."""
    match kind.kind:
        case "position" if kind == m.POSITION:
            return list(range(n + 2))
        case "flag":
            return [False, True]
        case "optional":
            return [None, *_range(kind.arguments[0], n)]
        case "tuple":
            return list(product(*(_range(part, n) for part in kind.arguments)))
        case "list" if not kind.arcs:
            return list(_ascending(_range(kind.arguments[0], n), kind.intervals))
    return []


def _ascending(elements: Sequence[Any], intervals: bool, above: int = -1) -> Iterator[tuple[Any, ...]]:
    """Yield the lists of elements whose first positions ascend; intervals leave a place between them."""
    yield ()
    for element in elements:
        first, last = (element[0], element[1]) if intervals else (_first(element), _first(element))
        if first > above and first <= last:
            yield from ((element, *rest) for rest in _ascending(elements, intervals, last + intervals))


def _first(element: Any) -> int:
    found = element[0] if isinstance(element, tuple) else element
    return int(found)
