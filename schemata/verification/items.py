"""Claims about items: which forests an item stands for, decided for all items of short sentences by brute force.

A claim says of the items that match a pattern which trees they have, and over which words:

    span[i, j]: trees i, j over i..j, projective
    tree[i, j, h, l, r]: tree h over i..j minus l..r with h, below gap-degree-1, well-nested

The words are intervals, some of which may be taken away, with single words put in. All heads have no head, and all
other words of the item have one among them. `projective`, `well-nested`, `gap-degree-K` and `mg-K` are about all words
of the forest, `below gap-degree-K` about those that are no heads. In patterns, a name matches any value that is there,
`-` an absent one; the first claim whose pattern matches counts.

Under a grammar that licenses every link, an item must be derived exactly if some forest is as claimed, and its
contents (`analysis.contents`) must be exactly these forests; items over one word alone need not be derived. Where steps
ask for nothing but the links that they build, this decides all grammars: a forest is built under a grammar exactly if
the grammar licenses its links.

References
----------
GCW11, definition 4, sections 3 and 7 (lemma 1, proposition 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

from schemata.analysis.contents import PartialForest, contents
from schemata.budget import Budget
from schemata.charts import Item
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.grammars import DRules
from schemata.language import model as m
from schemata.language.typeset import format_item, reference_of
from schemata.program.evaluation import fulfils
from schemata.program.rewriting import normal_form
from schemata.records import Record, Shown, document, fields_json, json_of
from schemata.structures import Sentence, classes, projections
from schemata.verification.claims import item_claims
from schemata.workbench import ParsingSchema, load

Links = tuple[tuple[int, int], ...]
_CLAIM = re.compile(r"(?P<form>[\w-]+)\[(?P<fields>[^\]]*)\]\s*:\s*(?P<rest>.+)")
_TREES = re.compile(r"trees? (?P<heads>.+?) over (?P<words>.+)")
_PLACE = re.compile(r"(?P<name>n|[^\W\d]\w*'*|\d+)(?:\s*(?P<sign>[+-])\s*(?P<shift>\d+))?")
_CLASS = re.compile(r"(?P<below>below )?(?P<name>projective|well-nested|gap-degree|mg)(?:-(?P<k>\d))?")
_EXPECTED = "such as: span[i, j]: trees i, j over i..j, projective"


class ItemClaim(Record):
    """What the items that match a pattern stand for; made by `read_claim`.

    `fields` are names, numbers, `true`, `false` and `-`; `heads` and the ends of intervals are names or numbers, with
    a number added. `words` is an interval, `without` those taken away, `also` single words; `classes` are a class's
    name, its number, and whether heads are left out.
    """

    text: str
    form: str
    fields: tuple[str, ...]
    heads: tuple[str, ...]
    words: tuple[str, str]
    without: tuple[tuple[str, str], ...]
    also: tuple[str, ...]
    classes: tuple[tuple[str, int, bool], ...]

    def binding(self, item: Item, n: int) -> dict[str, int] | None:
        """Return the values of the pattern's names for an item that it matches, and n; None where it does not."""
        found: dict[str, int] = {"n": n}
        for name, value in zip(self.fields, item.values, strict=True):
            if name in ("true", "false", "-") or name.isdecimal():
                wanted = {"true": True, "false": False, "-": None}.get(
                    name, int(name) if name.isdecimal() else 0
                )
                if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
                    return None
            elif name == "_":
                continue
            elif type(value) is not int or found.setdefault(name, value) != value:
                return None
        return found

    def region(self, binding: Mapping[str, int]) -> tuple[frozenset[int], frozenset[int]]:
        """Return the heads and the words that the claim says."""

        def interval(ends: tuple[str, str]) -> set[int]:
            low, high = (_place(end, binding) for end in ends)
            return set(range(low, high + 1))

        heads = frozenset(_place(head, binding) for head in self.heads)
        words = interval(self.words).difference(*map(interval, self.without))
        return heads, frozenset(words.union(_place(word, binding) for word in self.also))


def _place(text: str, binding: Mapping[str, int]) -> int:
    found = _PLACE.fullmatch(text)
    assert found is not None
    name = found["name"]
    base = int(name) if name.isdecimal() else binding[name]
    return base + int(f"{found['sign']}{found['shift']}") if found["shift"] else base


def read_claim(text: str, schema: m.Schema) -> ItemClaim:
    """Return a claim about items of a schema as it is written: see the module.

    Raises
    ------
    UsageError : it is not written so; there is no such form; a name is none of the pattern's.

    >>> claim = read_claim("span[i, j]: trees i, j over i..j, projective", load("yamada-matsumoto2003").definition)
    >>> claim.heads, claim.words, claim.classes
    (('i', 'j'), ('i', 'j'), (('projective', 0, False),))
    """

    def wrong(message: str, expected: str = _EXPECTED) -> UsageError:
        return UsageError(f"{message} in {text!r}", code="bad-claim", expected=expected)

    whole = _CLAIM.fullmatch(" ".join(text.split()))
    trees = _TREES.fullmatch(whole["rest"]) if whole else None
    if whole is None or trees is None:
        raise UsageError(f"{text!r} is no claim about items", code="bad-claim", expected=_EXPECTED)
    form = next((one for one in schema.forms if one.name == whole["form"]), None)
    if form is None:
        raise wrong(f"no item form {whole['form']}", f"one of {', '.join(x.name for x in schema.forms)}")
    fields = tuple(part.strip() for part in whole["fields"].split(","))
    if len(fields) != len(form.fields):
        raise wrong(f"{len(fields)} fields for the {len(form.fields)} of {form.name}")
    region, *names = trees["words"].split(", ")
    kinds = [_CLASS.fullmatch(name) for name in names]
    for name, found in zip(names, kinds, strict=True):
        if found is None or (found["k"] is None) is (found["name"] in ("gap-degree", "mg")):
            raise wrong(f"{name!r} is no class of forests", "projective, well-nested, gap-degree-K or mg-K")
    words, _, also = region.partition(" with ")
    first, *without = [tuple(part.split("..")) for part in words.split(" minus ")]
    places = [*trees["heads"].split(", "), *(also.split(" and ") if also else ())]
    ends = [end for one in (first, *without) for end in one]
    if any(len(one) != 2 for one in (first, *without)):
        raise wrong("words are no intervals", "i..j minus l..r with h")
    for place in (*places, *ends):
        found = _PLACE.fullmatch(place)
        if found is None or not (found["name"] in (*fields, "n") or found["name"].isdecimal()):
            raise wrong(f"{place!r} is none of the pattern's names", f"one of {', '.join(fields)}")
    return ItemClaim(
        text,
        form.name,
        fields,
        tuple(trees["heads"].split(", ")),
        first,
        tuple(without),
        tuple(also.split(" and ")) if also else (),
        tuple((one["name"], int(one["k"] or 0), bool(one["below"])) for one in kinds if one is not None),
    )


# Forests by brute force --------------------------------------------------------------------------------------------


@cache
def claimed_forests(
    heads: frozenset[int], words: frozenset[int], wanted: tuple[tuple[str, int, bool], ...], n: int
) -> frozenset[Links]:
    """Return the link sets of the forests over some words with some heads that are of all classes.

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


def _projections(above: Mapping[int, int], words: Iterable[int]) -> dict[int, int] | None:
    """Return the words under each word as bits, with itself; None where heads make a cycle."""
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


_TESTS: Mapping[str, Callable[..., bool]] = {
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
    """Whether items stand for what is claimed, for all items of at most `max_n` words.

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
    """Decide claims about what the items of a schema stand for, by brute force: see the module.

    Parameters
    ----------
    schema : a schema over D-rules whose items have positions, flags and absent values.
    claims : what is claimed, by pattern; those about the shipped schema if there are none.
    max_n : words, at most.
    budget : of each run.

    Raises
    ------
    UsageError : a claim is not written as one, or there is none; the schema is not over D-rules.
    BudgetExceeded : a run hit a limit.

    >>> verify_items("yamada-matsumoto2003", max_n=3).holds
    True
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    definition = chosen.definition
    if definition.grammar != "d-rules" or not definition.builds_links:
        message = f"claims about items are about forests, which {definition.name} does not build from D-rules"
        raise UsageError(message, code="no-forests")
    texts = tuple(claims) or item_claims(reference_of(definition))
    if not texts:
        message = f"nothing is claimed about the items of {definition.name}"
        raise UsageError(message, code="no-claims", hint=f"--means CLAIM, {_EXPECTED}")
    read = [read_claim(text, definition) for text in texts]
    items = forests = 0
    wrong: dict[str, WrongItem] = {}
    for n in range(1, max_n + 1):
        chart = chosen.run(Sentence(tuple(f"w{k}" for k in range(1, n + 1))), DRules.all(), budget=budget)
        for item, claimed, built in _compared(chart, read, n):
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
    return ItemsVerdict(
        reference_of(definition), max_n, texts, items, forests, *answers, tuple(wrong.values())
    )


def _compared(
    chart: Chart, claims: Sequence[ItemClaim], n: int
) -> Iterator[tuple[Item, frozenset[Links] | None, frozenset[Links]]]:
    """Yield items, the forests that are claimed of them (None where no claim is about one), and those they have."""
    for item in _candidates(chart, n):
        number = chart.find(item.form, item.values)
        derived = number is not None
        built: frozenset[Links] = frozenset()
        if derived:
            found = contents(chart, item, None).contents
            built = frozenset(one.links for one in found if isinstance(one, PartialForest))
        claimed, size = None, 0
        for claim in claims:
            binding = claim.binding(item, n) if claim.form == item.form else None
            if binding is not None:
                heads, words = claim.region(binding)
                claimed, size = claimed_forests(heads, words, claim.classes, n), len(words)
                break
        if derived or (claimed and size > 1):
            yield item, claimed, built


def _candidates(chart: Chart, n: int) -> Iterator[Item]:
    """Yield all items of forms with positions, flags and absent values in normal form; of other forms the derived."""
    hypotheses = set(chart.hypothesis_ids)
    for form in chart.schema.forms:
        ranges = [_range(field.type, n) for field in form.fields]
        if any(values is None for values in ranges):
            yield from (item for item in chart.items if item.form == form.name)
            continue
        for values in product(*(some for some in ranges if some is not None)):
            if not fulfils(form, values, n) or chart.find(form.name, values) in hypotheses:
                continue
            if not form.has_normal_form or normal_form(form, values, n) == values:
                yield Item(form.name, values, format_item(form, values))


def _range(kind: m.Type, n: int) -> list[Any] | None:
    """Return the values of a type; None where they are no positions, flags or absent ones of these."""
    match kind.kind:
        case "position" if kind == m.POSITION:
            return list(range(n + 2))
        case "flag":
            return [False, True]
        case "optional":
            inner = _range(kind.arguments[0], n)
            return None if inner is None else [None, *inner]
    return None
