"""Thresholds on both sides: an answer that must not depend on one, or that a formula says for each of its values."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import schemata
from schemata import ArcScores, Budget, Control, DRules, Facts, LinkGrammar, ParsingSchema
from schemata import budget as budgets
from schemata.analysis.plans import reason
from schemata.analysis.profile import profile
from schemata.correctness.lengthen import derivations
from schemata.editing.navigation import _check_new
from schemata.errors import SchemataError, TreebankError, UsageError
from schemata.forest.structures import list_structures
from schemata.grammars import drules
from schemata.grammars.facts import all_facts
from schemata.grammars.link_grammar.affixes import Affixes, Splitter
from schemata.grammars.link_grammar.files import EntryPattern, entry_for
from schemata.grammars.rule_files import parse_context_free
from schemata.language.bounds import Bounds
from schemata.language.library import load_schema
from schemata.language.relations import load_relation
from schemata.learning.brackets import read_brackets
from schemata.learning.model import Parser
from schemata.order.model import Order
from schemata.order.points import NotRegionsError, _cut
from schemata.order.proof import find_order
from schemata.program.lower import lower
from schemata.thresholds import Efforts, Refusals, Ways, changed, thresholds
from schemata.verification.grammars import fact_cases, small_rule_grammars, tree_cases
from schemata.verification.structures import _Sentences, same_subject
from schemata.verification.trees import _nearest
from tests.engine.test_inputs import EDIT, costs
from tests.engine.test_thresholds import LISTS, fresh
from tests.support import ROOT
from tests.support.charts import schema_of
from tests.support.commands import Cli, Written, conllu
from tests.support.cuts import documents

LARGE = 10**9


@contextmanager
def noted() -> Iterator[set[str]]:
    """Note which thresholds are read."""
    found: set[str] = set()
    kinds: tuple[Any, ...] = (Ways, Efforts, Refusals)
    for kind in kinds:

        def reading(self: Any, name: str, plain: Callable[[Any, str], Any] = kind.__getattribute__) -> Any:
            found.add(name)
            return plain(self, name)

        kind.__getattribute__ = reading
    try:
        yield found
    finally:
        for kind in kinds:
            del kind.__getattribute__


def under(name: str, value: float, run: Callable[[], Any]) -> Any:
    """Return an answer under a threshold, which is read for it."""
    with changed(**{name: type(thresholds()[name])(value)}), noted() as read:
        found = run()
    assert name in read
    return found


# Answers that do not depend on a threshold ----------------------------------------------------------------------

SPANS = """schema spans
hypothesis word[i] where 1 <= i <= n
item span[i: position, j: position, b: flag] where 0 <= i < j <= n
step One
  word[i]
  ------------------
  span[i - 1, i, true]
step Other
  word[i]
  ------------------
  span[i - 1, i, false]
step Two
  span[i, j, true] span[j, k, b]
  ------------------------------
  span[i, k, b]
final span[0, n, _]
"""
WORDS = "a b c d e"
NUMBERS = count()


def anew() -> str:
    """Return a name that nothing had before, of which nothing is kept."""
    return f"x{next(NUMBERS)}x"


def engines(schema: Callable[[], ParsingSchema], words: Any = WORDS, grammar: Any = None) -> list[Any]:
    """Return what both engines find, each with nothing kept of another run."""
    charts = [schema().run(words, grammar, engine=engine) for engine in ("python", "native")]
    return [(sorted(map(str, one.items)), dict(one.steps_by_name), one.accepted) for one in charts]


def ordered() -> Any:
    """Return whether an order is found, and what native code derives with it or without."""
    name = anew()
    return repr(engines(lambda: schema_of(SPANS.replace("span", name)))).replace(name, "span")


def all_links() -> Any:
    drules._all_of_few.cache_clear()
    drules._all_of_many.cache_clear()
    return engines(lambda: fresh("nivre2003"), "a b c")


def inputs() -> Any:
    """Return the costs that one schema finds of inputs of several lengths, in turn, and again."""
    schema = schema_of(EDIT)
    pairs = [("a", "b"), ("ab", "b"), ("a", "b"), ("b", "abc"), ("ab", "b")]
    found = [{x.values for x in schema.run([[*one], [*other]]).items} for one, other in pairs]
    assert found == [costs((*one,), (*other,)) for one, other in pairs]
    return found


def many() -> Any:
    rows = schema_of(SPANS).counts([["w"] * n for n in (1, 4, 2, 7, 3)])
    found = [(row.items, row.steps, row.accepted) for row in rows]
    items = [n * (n + 1) for n in (1, 4, 2, 7, 3)]
    assert [one[0] for one in found] == items
    return found


def with_seconds() -> Any:
    chart = schema_of(SPANS.replace("span", anew())).run(["w"] * 40, budget=Budget(seconds=1000))
    return chart.item_count, chart.step_count


def searched() -> Any:
    """Return the best weights that strategies find, of which the exhaustive run says that they are best."""
    matrix = -np.abs(np.random.default_rng(3).normal(0, 1, (6, 6)))
    run = fresh("eisner1996").run
    best = run(WORDS, weights=ArcScores(matrix)).best()
    assert best is not None
    found = []
    for strategy in ("best-first", "astar"):
        chart = run(WORDS, weights=ArcScores(matrix), control=Control(strategy))
        assert chart.search is not None
        found.append(chart.search.weight)
    assert found == [pytest.approx(best.weight)] * 2
    return [round(one, 6) for one in found]


def profiled() -> Any:
    found = profile(schema_of(SPANS), "a b c")
    return [(one.name, one.instances) for one in found.steps]


SAME: dict[str, tuple[Callable[[], Any], Sequence[float]]] = {
    **dict.fromkeys(["level_terms", "guess_rounds", "guess_tries", "regions"], (ordered, (0, 1, LARGE))),
    "feeding_pairs": (ordered, (0, LARGE)),
    **dict.fromkeys(["kept_licences", "listed_words"], (all_links, (0, 2, 3, LARGE))),
    "kept_inputs": (inputs, (1, 2, LARGE)),
    **dict.fromkeys(["many_on_disk_steps", "many_not_made_steps"], (many, (0, 30, LARGE))),
    "left_seconds_to_make": (with_seconds, (0, 999_999)),
    "control_gain": (searched, (0, 1e-12, 1e-6)),
    **dict.fromkeys(["profile_repeats", "profile_seconds"], (profiled, (1, 7))),
}  # fmt: skip
WITH = {
    "left_seconds_to_make": {"on_disk_steps": 1, "not_made_steps": 1},
    "many_not_made_steps": {"many_on_disk_steps": 0},
}


@pytest.mark.parametrize("name", SAME)
def test_the_answer_is_the_same(name: str) -> None:
    run, values = SAME[name]
    usual = run()
    for value in values:
        with changed(**WITH.get(name, {})):
            assert under(name, value, run) == usual, value


def test_kept_sequences() -> None:
    """They are kept from the first use on, so the module is made again with room for fewer."""
    import importlib.util

    from schemata.language import labels

    kept = [x for x in vars(labels).values() if hasattr(x, "cache_parameters")]
    assert {x.cache_parameters()["maxsize"] for x in kept} == {thresholds()["kept_sequences"]}
    spec = importlib.util.find_spec("schemata.language.labels")
    assert spec is not None
    assert spec.loader is not None
    for size in (0, 1):
        other = importlib.util.module_from_spec(spec)
        with changed(kept_sequences=size):
            spec.loader.exec_module(other)
        names = [x.__name__ for x in kept]
        assert {getattr(other, name).cache_parameters()["maxsize"] for name in names} == {size}
        rng = random.Random(size)
        for _ in range(200):
            one, two = (tuple(rng.choices("ab", k=rng.randint(0, 3))) for _ in range(2))
            for name in names:
                many = getattr(labels, name).__wrapped__.__code__.co_argcount
                given = ((one,), (one, two))[many - 1] if many < 3 else None
                if given is None:
                    continue
                assert _answer(getattr(other, name), given) == _answer(getattr(labels, name), given)


def _answer(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    try:
        return repr(function(*given))
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        return type(error)


# What a formula says for each value -----------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, 8, 100])
@pytest.mark.parametrize("marks", [1, 2, 3, 7, 8, 9])
def test_affixes_stripped(most: int, marks: int) -> None:
    """Fewer than the threshold are stripped off an end or a beginning, and cut out of a word."""
    with changed(affixes=most, splits=LARGE):
        after = Splitter(Affixes(after=(".",)), "so".__eq__, "so".__eq__).ways("so" + "." * marks)
        before = Splitter(Affixes(before=("(",)), "so".__eq__, "so".__eq__).ways("(" * marks + "so")
        within = Splitter(Affixes(between=("-",)), "a".__eq__, "a".__eq__).ways("-".join("a" * (marks + 1)))
    told = [[part.text for part in way] for way in after]
    assert told == [["so", *"." * marks]] * (marks < most)
    assert [[part.text for part in way] for way in before] == [[*"(" * marks, "so"]] * (marks < most)
    assert [[part.text for part in way] for way in within] == [[*"-".join("a" * (marks + 1))]] * (
        2 * marks < most
    )


@pytest.mark.parametrize("most", [1, 2, 5, 6, 7, 100])
def test_ways_to_split(most: int) -> None:
    """Of a word that is split in several ways the first come, as many as are allowed."""
    splitter = Splitter(Affixes(suffixes=("s", "es", "'s", "x's", "xx's")), lambda _: True, lambda _: True)
    with changed(splits=LARGE):
        every = splitter.ways("abxx's")
    assert len(every) > 2
    with changed(splits=most):
        assert splitter.ways("abxx's") == every[:most]


@pytest.mark.parametrize("most", [0, 4, 5, 6, 100])
def test_long_words(most: int) -> None:
    """Words of five characters, which are neither split nor tried on patterns where fewer are allowed."""
    splitter = Splitter(Affixes(after=(".",)), "abcd".__eq__, "abcd".__eq__)
    patterns = (EntryPattern("any", re.compile("^a"), False),)
    with changed(split_characters=most, pattern_characters=LARGE):
        assert bool(splitter.ways("abcd.")) == (most >= 5)
        assert entry_for(patterns, "abcd.") == "any"
    with changed(pattern_characters=most, split_characters=LARGE):
        assert entry_for(patterns, "abcd.") == ("any" if most >= 5 else None)
        assert splitter.ways("abcd.")


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_grammars_that_are_tried(n: int, most: int) -> None:
    """Of few words all grammars: each word has any of the sets of n heads. Of more the whole one and random ones."""
    if n == most == 3:
        n = 2
    trees = (n + 1) ** (n - 1)
    with changed(exhaustive_words=most, random_grammars=5):
        number, cases = tree_cases(n, False, False, 0)
        found = list(cases)
    several = 2 ** (n * n) if n <= most else 6
    assert number == len(found) == trees + several
    if n <= most:
        assert len({frozenset(one.pairs) for one in found[trees:]}) == several  # type: ignore[attr-defined]
    with changed(small_rule_words=most, random_grammars=5):
        number, cases = tree_cases(n, True, True, 0)
        found = list(cases)
    small = len(list(small_rule_grammars(n))) if n <= most else 0
    assert number == len(found) == n ** (n - 1) + 6 + small
    assert small in {0, 56 * 2**n}  # of ten rules none, one or two: 1 + 10 + 45, and names of the words


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_facts_that_are_tried(count: int, most: int) -> None:
    """All facts over one symbol, over two where words are few, and random ones."""
    schema = schema_of(LISTS).definition
    for n in (1, 2):
        with changed(random_facts=count, exhaustive_words=most):
            number, cases = fact_cases(schema, n, 0)
            found = list(cases)
        assert number == len(found) == 1 + (n <= most) + count
        assert len(found[0].rows) == n  # of(word, A)
        assert n > most or len(found[1].rows) == 2 * n


@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_lists_in_facts(most: int) -> None:
    """Lists of up to so many of two symbols: 2 to the power of one more, less 1."""
    from schemata.verification.grammars import every_fact

    text = LISTS.replace("category: symbol)", "category: symbol)\nrelation body(body: list of symbol)")
    text = text.replace("of(i + 1, A)\n", "of(i + 1, A), body(<A>)\n")
    schema = schema_of(text).definition
    with changed(fact_lists=most):
        rows = [row for name, row in every_fact(schema, ("w",), 2).rows if name == "body"]
    assert len({*rows}) == len(rows) == 2 ** (most + 1) - 1
    assert {len(row[0]) for row in rows} == {*range(most + 1)}


@pytest.mark.parametrize(
    ("total", "most", "unknown"), [(100, 40, 7), (100, 60, 7), (None, 40, 7), (None, 60, 9)]
)
def test_memory_of_a_run(total: int | None, most: int, unknown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of what the machine has, at most so much; where that is not known, another amount."""

    def sysconf(name: str) -> int:
        if total is None:
            raise ValueError(name)
        return {"SC_PAGE_SIZE": total, "SC_PHYS_PAGES": 1}[name]

    monkeypatch.setattr(os, "sysconf", sysconf)
    monkeypatch.setattr(budgets, "_psutil", lambda: None)
    with changed(run_memory=most, unknown_memory=unknown):
        assert budgets._default_memory() == (unknown if total is None else min(50, most))


@pytest.mark.parametrize("again", [1, 2, 5, 10])
def test_looks_after_which_a_run_is_told_again(again: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    looks = iter(range(2 + 3 * again))

    def over() -> None:
        told.append(next(looks))
        raise budgets.OverBudget("seconds")

    run, times = budgets._Run(over, 0, 0.0), list[int]()
    monkeypatch.setattr(budgets, "_opens_file", lambda _: False)
    monkeypatch.setattr(budgets, "_raise_in", lambda *_: times.append(told[-1]) or True)
    with changed(watch_again=again):
        for _ in range(2 + 3 * again):
            run.look()
    assert times == [
        *range(1, 2 + 3 * again, again)
    ]  # once it is over twice in a row, then after so many looks


@pytest.mark.parametrize("most", [0, 1, 3, 10, 10**6])
def test_structures_listed_within_some_effort(most: int) -> None:
    """Those that are listed are structures of the schema, each once; with more effort there are no fewer."""
    forest = fresh("eisner1996").run("a b c").forest()
    truth = [tree.heads for tree in forest.trees(None)]
    with changed(combinations=most):
        found = [tree.heads for tree in list_structures(fresh("eisner1996").run("a b c").forest(), 5, 0)]
    assert len({*found}) == len(found) <= 5
    assert {*found} <= {*truth}
    assert most < 10**6 or len(found) == 5
    assert most or not found


@pytest.mark.parametrize("most", [0, 1, 2, 64])
def test_linkages_listed_within_some_effort(most: int) -> None:
    grammar = LinkGrammar.from_text("a: {@A-} & {[@A+]};")
    schema = fresh("sleator-temperley1991")
    every = schema.run("a a a a", grammar).forest().linkages(None)
    with changed(examined_sets=most):
        found = schema.run("a a a a", grammar).forest().linkages(2, budget=0)
    assert {*map(str, found)} <= {*map(str, every)}
    assert len(found) <= 2
    if most == 64:
        assert [one.cost for one in found] == sorted(one.cost for one in every)[:2]


@pytest.mark.parametrize("most", [0, 2, 3, 9, LARGE])
def test_pairs_of_pieces(most: int) -> None:
    """Of the structures that are paired, the two without a common link that hold the most links."""
    chart = fresh("eisner1996").run("a b c d")
    wanted = frozenset({(1, 2), (2, 0), (3, 2), (4, 3)})
    pieces = {0: [tuple(sorted(some)) for k in (1, 2, 3) for some in combinations(sorted(wanted), k)]}
    with changed(paired_structures=most):
        found = _nearest(chart, pieces, wanted)
    listed = sorted(pieces[0])[:most]
    pairs = [(one, other) for one, other in combinations(listed, 2) if not {*one} & {*other}]
    best = max(((len(x) + len(y), min(len(x), len(y))) for x, y in pairs), default=None)
    assert bool(found) == bool(pairs)
    if found:
        one, other = (item.links for item in found)
        assert (len(one) + len(other), min(len(one), len(other))) == best


@pytest.mark.parametrize("most", [0, 1, 2, 3, 100])
def test_structures_under_the_grammar_of_a_tree(most: int) -> None:
    """The number of derivations of a tree is that of its forest, or not known; never another one."""
    for name, heads in (
        ("eisner1996", (2, 0, 2)),
        ("eisner1996", (3, 4, 0, 3)),
        ("covington2001", (2, 0, 2)),
    ):
        whole = derivations(fresh(name), heads)
        with changed(grammar_structures=most):
            found = derivations(fresh(name), heads)
        assert found in {None, whole}
        assert found is not None or most < 100


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 10.0])
def test_final_items_of_a_run_that_was_stopped(seconds: float) -> None:
    """They are among those of the whole run; where none is found, whether there are any is not known."""
    whole = {str(one) for one in schema_of(SPANS).run(WORDS).final_items}
    for steps in (1, 10, 25):
        with changed(final_seconds=seconds), pytest.raises(schemata.BudgetExceeded) as stopped:
            schema_of(SPANS).run(WORDS, budget=Budget(steps=steps), engine="python")
        chart = stopped.value.chart
        assert {str(one) for one in chart.final_items} <= whole
        assert chart.accepted is (True if chart.final_items else None)


@pytest.mark.parametrize("near", [0.0, 1e-12, 1e-9, 1e-6])
def test_sums_at_a_double_root(near: float) -> None:
    """x = (x x + 1) / 2 has the one solution 1, which each round comes half as near to."""
    rules = parse_context_free('T -> S X\nX -> "a"\nS -> S S [.5] | "" [.5]\n')
    assert fresh("earley").run("a", rules).total("real") == pytest.approx(1.0, rel=1e-6)
    with changed(newton_settled=near):
        try:
            found: Any = fresh("earley").run("a", rules).total("real")
        except UsageError as refused:
            found = str(refused)
    assert found == pytest.approx(1.0, rel=1e-4) or "Newton" in str(found) or "infinite" in str(found)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1.1])
def test_joins_that_are_said_to_select_badly(share: float) -> None:
    found = profile(schema_of(SPANS), WORDS)
    for block in (block for step in found.steps for block in step.blocks):
        with changed(poor_share=share):
            poor = "so the cost is that of its" not in reason(block)
        assert poor == (block.instances < share * block.candidates)


REGIONS = ("cells", "guessed_points")


@pytest.mark.parametrize("most", [0, 8, LARGE])
@pytest.mark.parametrize("name", REGIONS)
def test_regions_of_items(name: str, most: int) -> None:
    """Intervals that are short or begin the sentence lie in a few regions, which hold just them; or in too many."""
    kinds = lower(schema_of(SPANS).definition).kinds
    kind = next(one for one in kinds if len(one.columns) == 2)
    pairs = [(n, i, j) for n in range(5) for i in range(n + 1) for j in range(i, n + 1)]
    points = {(0, n, i, j) for n, i, j in pairs if i == 0 or j == i + 1}
    with changed(**{name: most}):
        try:
            found = len(_cut(kind, Bounds(), points, range(5)))
        except NotRegionsError:
            found = 0
    assert (found > 1) == (most == LARGE or (name, most) == ("cells", 8))


@pytest.mark.parametrize("name", ["level_terms", "guess_rounds", "regions"])
def test_an_order_or_none(name: str) -> None:
    """With less effort no order may be found, but then it is none that is said."""
    program = lower(schema_of(SPANS).definition)
    assert isinstance(find_order(program), Order)
    assert under(name, 0, lambda: find_order(lower(schema_of(SPANS).definition))) is not None


# Refused, or the usual answer -----------------------------------------------------------------------------------

SWAPPED = """schema swapped
hypothesis word[i] where 1 <= i <= n
item set[i: position, j: position, k: position]
normal form
  set[i, j, k] = set[j, i, k] if j < i
  set[i, j, k] = set[i, k, j] if k < j
step Three
  word[i] word[j] word[k]
  -----------------------  i < j, j < k
  set[i, j, k]
step Next
  set[i, j, k] word[l]
  --------------------  k < l
  set[l, j, i]
final set[1, 2, n]
"""


def lists(engine: Any) -> Any:
    facts = Facts.from_text("of(a, A)\nof(b, B)\nof(b, A)\n")
    return engines_of(lambda: schema_of(LISTS), "a b a b", facts, engine)


def engines_of(schema: Callable[[], ParsingSchema], words: Any, grammar: Any, engine: Any) -> Any:
    """Return what an engine finds, or that it refuses; at a limit, that it is over."""
    try:
        chart = schema().run(words, grammar, engine=engine)
    except SchemataError as refused:
        return str(refused)
    return sorted(map(str, chart.items)), dict(chart.steps_by_name), chart.accepted


REFUSED: dict[str, tuple[Callable[[Any], Any], str, Sequence[int], dict[str, int]]] = {
    "list_elements": (lists, "lists of more than|lists|list", (1, 2, 3, 4, 5, 10_000), {}),
    "part_bits": (lists, "too large|large|numbers", (2, 3, 4, 6, 20), {}),
    "writings": (
        lambda engine: engines_of(lambda: schema_of(SWAPPED), "a b c d", None, engine), "writings", (1, 10_000),
        {"writings_room": 1},
    ),
    "agenda_writings": (
        lambda engine: engines_of(lambda: schema_of(SWAPPED), "a b c d", None, engine), "writings", (0, 1, 6, 10_000),
        {"writings_room": 1, "proof_seconds": 0},
    ),
    "arena_entries": (
        lambda engine: engines_of(lambda: fresh("nivre2003-stacks"), "a b c d", None, engine), "memory",
        (16, 64, 1 << 10, 1 << 31), {"arena_room": 16, "proof_seconds": 0},
    ),
    "met_most": (
        lambda engine: engines_of(lambda: fresh("mg1"), "a b c", None, engine), "memory", (8, 16, 1 << 6, 1 << 23),
        {"met_places": 16, "proof_seconds": 0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("name", REFUSED)
def test_the_usual_answer_or_a_refusal(name: str, engine: Any) -> None:
    run, message, values, more = REFUSED[name]
    usual = run(engine)
    assert not isinstance(usual, str)
    found = []
    for value in values:
        with changed(**more, **{name: value}):
            found.append(run(engine))
    for one in found:
        assert one == usual or (isinstance(one, str) and re.search(message, one)), one
    assert found[-1] == usual


# Commands ---------------------------------------------------------------------------------------------------------


LEDGERS = {
    "cluster_sentences": "run eisner1996 --conllu BANK",
    "cluster_cases": "verify cyk --max-n 1",
}


@pytest.mark.parametrize(("name", "line"), LEDGERS.items())
def test_shards_of_a_ledger(name: str, line: str, cli: Cli, written: Written, tmp_path: Any) -> None:
    bank = written("bank.conllu", conllu(**{f"s{k}": "a/X/2 b/X/0 c/X/2" for k in range(7)}))
    command, *words = line.replace("BANK", str(bank)).split()

    def told(value: int) -> Any:
        answer = cli(command, *words, "--resume", str(tmp_path / str(value)), "--json")
        return answer.code, documents(answer.out)

    found = [under(name, value, lambda value=value: told(value)) for value in (1, 3, LARGE)]
    assert found[0] == found[1] == found[2]
    assert len([*(tmp_path / "1").rglob("*")]) > len([*(tmp_path / str(LARGE)).rglob("*")])


# Sizes that are refused, and efforts ------------------------------------------------------------------------------

CHAIN = """schema chain
relation of(word: word, category: symbol)
relation after(one: symbol, other: symbol)
item state[i: position, A: symbol] where 0 <= i <= n
step Begin
  -----------
  state[0, "S"]
step Go on
  state[i, A]
  ---------------  after(A, B), of(i + 1, B)
  state[i + 1, B]
final state[n, "Z"]
"""


@pytest.mark.parametrize("room", [0, 1, 2, 3, 6])
def test_words_for_which_there_is_room(room: int) -> None:
    """After a come b, c and z: where there is room for fewer, no sentence is known to begin so."""
    rows = [
        "of(a, A)",
        "of(b, B)",
        "of(c, C)",
        "of(z, Z)",
        "of(x, X)",
        "after(S, A)",
        "after(A, B)",
        "after(B, C)",
    ]
    facts = Facts.from_text("\n".join([*rows, "after(C, Z)", "after(S, X)"]))
    schema = schema_of(CHAIN)
    with changed(prefix_room=room):
        for begin, rest in (("", "abcz"), ("a", "bcz"), ("a b", "cz"), ("a b c", "z")):
            found = schemata.next_words(schema, begin, facts)
            assert [str(word) for word in found.words] == [rest[0]] * (len(rest) <= room + 1)
            assert found.valid is (True if len(rest) <= room + 1 else None)


@pytest.mark.parametrize("far", [0, 1, 2, 3])
def test_distances_that_rules_of_trees_count(far: int) -> None:
    """a takes b within 2: rules decide where they count so far, and else sentences are looked for."""
    rules = DRules.from_text('root "a"\nhead "a" takes "b" on the right within 2')
    with changed(prefix_reach=far):
        found = [schemata.next_words("eisner1996", prefix, rules, room=1) for prefix in ("a b", "a b b")]
    assert [[str(word) for word in one.words] for one in found] == [["a", "b"], ["a"]]
    assert [one.searched for one in found] == [far < 2] * 2


@pytest.mark.parametrize("most", [0, 3, 4, 5, 100])
def test_facts_of_everything(most: int) -> None:
    """Two words of two symbols each are four facts."""
    relations = schema_of(LISTS).definition.relations

    def listed() -> int:
        return len(all_facts(relations, ("v", "w"), ("A", "B"), 0).rows["of"])

    with changed(universe_facts=most):
        if most >= 4:
            assert listed() == 4
        else:
            with pytest.raises(UsageError, match=f"more than {most:,} facts over 2 symbols"):
                listed()


@pytest.mark.parametrize("most", [1, 2, 3, 4, 100])
def test_claims_of_a_family(most: int, written: Written) -> None:
    """A relation for d in [1..3] is three claims."""
    text = (ROOT / "schema_specs" / "relations" / "attardi2006-attardi2006.relation").read_text(
        encoding="utf-8"
    )
    path = written("family.relation", text)
    with changed(family_values=most):
        if most >= 3:
            assert load_relation(path).variables[0].high == 3
        else:
            with pytest.raises(SchemataError, match=f"these are 3 claims\n  .*at most {most}|at most {most}"):
                load_relation(path)


@pytest.mark.parametrize("least", [2, 5, 16, 1_000])
def test_sentences_for_a_thread(least: int) -> None:
    """Whether one thread or two decode a batch, trees and weights are the same."""
    scores = np.random.default_rng(7).normal(0, 1, (13, 6, 6))
    lengths = [1 + k % 5 for k in range(13)]
    heads, weights = schemata.decoder("eisner-split", threads=1)(scores, lengths)
    with changed(thread_sentences=least):
        found, weighed = schemata.decoder("eisner-split", threads=2)(scores, lengths)
    assert (found == heads).all()
    assert (weighed == weights).all()


@pytest.mark.parametrize("most", [1, 7, 8, 20, 1_000])
def test_sentences_over_a_grammar_that_is_given(most: int) -> None:
    """Of few sentences of a length all are tried, of more some, each once; what is the same is so in any case."""
    rules = parse_context_free('S -> S S | "a" | "b"\n')
    sentences = _Sentences(rules, 1)
    with changed(verified_sentences=most):
        last = sentences.exhaustive_to
        assert 2**last <= most < 2 ** (last + 1)
        subject = same_subject(load_schema("cyk", {}), load_schema("earley", {}), False, rules, Budget())
        for n in (1, 2, 3, 4):
            number, cases = subject.cases(n, 0)
            found = [one.words for one in cases]
            assert n > last or len(found) == 2**n
            assert number == min(2**n, most)
            assert len({*found}) == len(found) <= number


@pytest.mark.parametrize("more", [-1, 0, 1, 1_000])
def test_files_of_bracketed_trees(more: int, written: Written) -> None:
    text = "(S (NP (N a)) (V b))\n" * 3
    path = written("x.mrg", text)
    with changed(bracket_bytes=len(text) + more):
        if more >= 0:
            assert len([*read_brackets(path)]) == 3
        else:
            with pytest.raises(TreebankError, match=f"{len(text) + more:,} bytes"):
                next(read_brackets(path))


@pytest.mark.parametrize("most", [1, 4, 5, 6, 200])
def test_names_given_in_an_editor(most: int) -> None:
    """A name of five letters, which is none where fewer are allowed."""
    name: Any = SimpleNamespace(kind="item")
    with changed(name_characters=most):
        if most >= 5:
            _check_new(name, "abcde", {})
        else:
            with pytest.raises(UsageError, match="is not a name"):
                _check_new(name, "abcde", {})


@pytest.mark.parametrize("most", [1, 2, 5, 6, 256])
def test_sentences_decoded_at_once(most: int) -> None:
    """Whatever is decoded at once, each sentence comes once, in order."""
    batches: list[int] = []

    def decoded(batch: Sequence[Any]) -> Any:
        batches.append(len(batch))
        return [(one, one) for one in batch]

    parser: Any = SimpleNamespace(_trees=decoded, _steps=None)
    with changed(decoded_sentences=most):
        assert [*Parser.trees(parser, range(11))] == [(k, k) for k in range(11)]  # type: ignore[arg-type]
    assert batches == [most] * (11 // most) + [11 % most]
