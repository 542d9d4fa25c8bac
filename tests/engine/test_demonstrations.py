"""Shipped demonstrations and small schemata over facts, against brute force or a library."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable

import pytest

import schemata
from schemata import Facts
from schemata.structures import tree_class, trees_of_class
from tests.engine.test_terms import COPY, NESTED, NOUNS
from tests.forest.test_shipped_constituents import listed

ENGINES = ("python", "native")


def expression(rng: random.Random, depth: int) -> tuple[str, str]:
    """Return a random expression as a term and as Python writes it."""
    if depth == 0 or rng.random() < 0.2:
        letter = rng.choice("ab")
        return letter, letter
    kind = rng.choice(("then", "or", "star", "nothing"))
    one, two = expression(rng, depth - 1), expression(rng, depth - 1)
    match kind:
        case "then":
            return f"then({one[0]}, {two[0]})", f"(?:{one[1]}{two[1]})"
        case "or":
            return f"or({one[0]}, {two[0]})", f"(?:{one[1]}|{two[1]})"
        case "star":
            return f"star({one[0]})", f"(?:{one[1]})*"
    return "nothing()", "(?:)"


@pytest.mark.parametrize("engine", ENGINES)
def test_regular_expressions(engine: str) -> None:
    rng, schema, accepted = random.Random(7), schemata.load("regular-expression"), 0
    for _ in range(25):
        term, pattern = expression(rng, 3)
        facts = Facts.from_text(f"pattern({term})\nmatches(a, a)\nmatches(b, b)\n")
        for text in ("a", "b", "ab", "ba", "aab", "abba"):
            truth = re.fullmatch(pattern, text) is not None
            assert schema.run(list(text), facts, engine=engine).accepted == truth, (term, text)
            accepted += truth
    assert accepted > 20


@pytest.mark.parametrize("engine", ENGINES)
def test_reachability(engine: str) -> None:
    networkx = pytest.importorskip("networkx")
    rng, schema = random.Random(3), schemata.load("reachability")
    for _ in range(15):
        edges = [(x, y) for x, y in itertools.permutations("abcde", 2) if rng.random() < 0.25]
        graph = networkx.DiGraph(edges)
        graph.add_nodes_from("abcde")
        facts = Facts.of({"edge": edges, "name": [(x, x) for x in "abcde"]})
        for x, y in itertools.product("abc", "cde"):
            assert schema.run([x, y], facts, engine=engine).accepted == networkx.has_path(graph, x, y)


def test_hidden_markov_models() -> None:
    """The best tags, the sum over all and the probability of each are those of all rows of tags."""
    tags, words = "NV", ("a", "b", "a", "a")
    rng = random.Random(1)
    first, after, emits = ({key: rng.random() for key in keys} for keys in (
        tags, itertools.product(tags, repeat=2), itertools.product(tags, "ab")))  # fmt: skip
    lines = [f"first({t})  [{p}]" for t, p in first.items()] + [f"last({t})" for t in tags]
    lines += [f"next({t}, {s})  [{p}]" for (t, s), p in after.items()]
    lines += [f"emits({t}, {w})  [{p}]" for (t, w), p in emits.items()]
    chart = schemata.load("hmm").run(list(words), Facts.from_text("\n".join(lines)))
    truth = {}
    for row in itertools.product(tags, repeat=len(words)):
        weight = first[row[0]] * math.prod(emits[t, w] for t, w in zip(row, words, strict=True))
        truth[row] = weight * math.prod(after[t, s] for s, t in itertools.pairwise(row))
    best = chart.best()
    assert best is not None
    assert tuple(tag for _, _, tag in best.structure.atoms) == max(truth, key=truth.__getitem__)
    assert math.isclose(best.weight, math.log(max(truth.values())))
    assert math.isclose(chart.total("log"), math.log(sum(truth.values())))


def cost(sizes: list[int], i: int, j: int) -> int:
    ways = (cost(sizes, i, k) + cost(sizes, k, j) + sizes[i] * sizes[k] * sizes[j] for k in range(i + 1, j))
    return 0 if j == i + 1 else min(ways)


def price(sizes: list[int]) -> Callable[[int, int, int], float]:
    return lambda i, k, j: -float(sizes[i] * sizes[k] * sizes[j])


def test_the_cheapest_order_of_products() -> None:
    rng, schema = random.Random(4), schemata.load("matrix-chain")
    for n in range(1, 7):
        sizes = [rng.randint(1, 30) for _ in range(n + 1)]
        best = schema.run(["M"] * n, Facts.of({}), weights={"Multiply": price(sizes)}).best()
        assert best is not None
        assert best.weight == -cost(sizes, 0, n)
        assert len(list(best.structure.nodes[0].walk())) == 2 * n - 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("grammar", "sentences"),
    [
        (NESTED, ["abcd", "aabbccdd", "abdc", "abc"]),
        (COPY, ["aa", "abab", "abba", "aaaa"]),
        (NOUNS + "adjoins(M, M)\n", ["ac", "bbac", "bca"]),
    ],
)
def test_predicted_trees_are_those_of_the_bottom_up_parser(
    engine: str, grammar: str, sentences: list[str]
) -> None:
    facts = Facts.from_text(grammar)
    cky, earley = (schemata.load(name) for name in ("tag-cky", "tag-earley"))
    for words in map(list, sentences):
        one, two = cky.run(words, facts, engine=engine), earley.run(words, facts, engine=engine)
        assert {x for x in two.items if x.form == "node"} <= set(one.items)
        assert listed("tag-earley", words, facts, engine) == listed("tag-cky", words, facts, engine)
        assert two.accepted == one.accepted


CATEGORIES, LETTERS = "SAB", "ab"
Rule = tuple[str, ...]


def binary_trees(a: str, words: Rule, lexicon: list[tuple[str, str]], rules: list[Rule]) -> list[str]:
    found = [f"({a} {words[0]})"] if len(words) == 1 and (words[0], a) in lexicon else []
    for (parent, b, c), k in itertools.product(rules, range(1, len(words))):
        if parent == a:
            left, right = (
                binary_trees(b, words[:k], lexicon, rules),
                binary_trees(c, words[k:], lexicon, rules),
            )
            found += [f"({a} {x} {y})" for x in left for y in right]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_head_driven_parsing_finds_the_trees_of_the_rules(engine: str) -> None:
    """Whichever daughter is the head, the trees are those of all binary derivations."""
    rng, schema, numbers = random.Random(11), schemata.load("head-driven"), []
    for _ in range(12):
        lexicon = [(w, c) for w in LETTERS for c in CATEGORIES if rng.random() < 0.5] or [("a", "S")]
        rules = [rule for rule in itertools.product(CATEGORIES, repeat=3) if rng.random() < 0.3]
        heads = [rng.choice(("head_first", "head_last")) for _ in rules]
        facts = Facts.of({
            "lexical": lexicon, "start": [("S",)],
            **{x: [r for r, head in zip(rules, heads, strict=True) if head == x] for x in set(heads)},
        })  # fmt: skip
        for words in itertools.chain(itertools.product(LETTERS, repeat=2), [tuple("abba"), tuple("aab")]):
            if not set(words) <= {w for w, _ in lexicon}:
                continue
            truth = sorted(binary_trees("S", words, lexicon, rules))
            numbers.append(len(truth))
            chart = schema.run(list(words), facts, engine=engine)  # type: ignore[arg-type]
            assert chart.accepted == bool(truth)
            assert sorted(map(str, chart.forest().structures(None))) == truth
            assert chart.forest().derivation_count == len(truth)
    assert max(numbers) > 3
    assert 0 in numbers


@pytest.mark.parametrize("engine", ENGINES)
def test_synchronous_grammars_derive_all_orders(engine: str) -> None:
    """The rules of the order 2 4 1 3, in two steps; and random orders, of which the target is read off."""
    schema = schemata.load("synchronous-cfg")
    for source, target in itertools.product(("abcd", "abdc"), ("ywxz", "xyzw", "zxwy")):
        sentence = f"{' '.join(source)} ||| {' '.join(target)}"
        accepted = schema.run(sentence, "example", engine=engine).accepted
        assert accepted == ((source, target) == ("abcd", "ywxz"))
    (alignment,) = schema.run("a b c d ||| y w x z", "example", engine=engine).forest().structures()
    assert alignment.pairs == ((1, 3), (2, 1), (3, 4), (4, 2))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_vines(k: int) -> None:
    """All projective trees, of several roots too, whose links between words are short; under all and some licences."""
    schema, rng = schemata.load("vine", k=k), random.Random(k)
    for n in range(1, 6):
        short = {
            tree.heads
            for tree in trees_of_class(tree_class("projective"), n, single_root=False)
            if all(h == 0 or abs(d - h) <= k for d, h in tree.links)
        }
        assert {tree.heads for tree in schema.run(["w"] * n).forest().structures(None)} == short
        pairs = {(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h and rng.random() < 0.7}
        chart = schema.run(["w"] * n, schemata.DRules.from_pairs(pairs))
        some = {heads for heads in short if pairs.issuperset(enumerate(heads, start=1))}
        assert {tree.heads for tree in chart.forest().structures(None)} == some


def test_trees_of_split_heads_once() -> None:
    """All projective trees, of several roots too, that some licences allow; each has one derivation."""
    schema, rng = schemata.load("eisner-split"), random.Random(4)
    for n in (1, 2, 3, 4, 5, 5):
        pairs = {(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h and rng.random() < 0.8}
        forest = schema.run(["w"] * n, schemata.DRules.from_pairs(pairs)).forest()
        trees = trees_of_class(tree_class("projective"), n, single_root=False)
        truth = {tree.heads for tree in trees if pairs.issuperset(tree.links)}
        assert {tree.heads for tree in forest.structures(None)} == truth
        assert forest.derivation_count == len(truth)


@pytest.mark.parametrize("engine", ENGINES)
def test_labelled_trees_of_split_heads_once(engine: str) -> None:
    rng, schema = random.Random(9), schemata.load("eisner-labelled")
    for n in (1, 2, 3, 4):
        words = [f"w{k}" for k in range(1, n + 1)]
        labels = [(d, h, x) for d, h in itertools.permutations(words, 2) for x in "xy" if rng.random() < 0.6]
        roots = [(w, x) for w in words for x in "rs" if rng.random() < 0.6]
        of: dict[tuple[int, int], list[str]] = {}
        for d, h, x in labels:
            of.setdefault((int(d[1:]), int(h[1:])), []).append(x)
        for w, x in roots:
            of.setdefault((int(w[1:]), 0), []).append(x)
        truth = {
            (tree.heads, chosen)
            for tree in trees_of_class(tree_class("projective"), n, single_root=False)
            for chosen in itertools.product(*(of.get(link, []) for link in tree.links))
        }
        chart = schema.run(words, Facts.of({"label": labels, "below_root": roots}), engine=engine)  # type: ignore[arg-type]
        found = chart.forest().structures(None)
        assert {(tree.heads, tree.labels) for tree in found} == truth
        assert chart.forest().derivation_count == len(found) == len(truth)
