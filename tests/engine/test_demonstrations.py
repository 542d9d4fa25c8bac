"""Shipped demonstrations and small schemata over facts, against brute force or a library."""

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
from tests.support.charts import shipped

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
    rng, schema, accepted = random.Random(7), shipped("regular-expression"), 0
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
    rng, schema = random.Random(3), shipped("reachability")
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
    chart = shipped("hmm").run(list(words), Facts.from_text("\n".join(lines)))
    truth = {}
    for row in itertools.product(tags, repeat=len(words)):
        weight = first[row[0]] * math.prod(emits[t, w] for t, w in zip(row, words, strict=True))
        truth[row] = weight * math.prod(after[t, s] for s, t in itertools.pairwise(row))
    best = chart.best()
    assert tuple(tag for _, _, tag in best.structure.atoms) == max(truth, key=truth.__getitem__)
    assert math.isclose(best.weight, math.log(max(truth.values())))
    assert math.isclose(chart.total("log"), math.log(sum(truth.values())))


def cost(sizes: list[int], i: int, j: int) -> int:
    ways = (cost(sizes, i, k) + cost(sizes, k, j) + sizes[i] * sizes[k] * sizes[j] for k in range(i + 1, j))
    return 0 if j == i + 1 else min(ways)


def price(sizes: list[int]) -> Callable[[int, int, int], float]:
    return lambda i, k, j: -float(sizes[i] * sizes[k] * sizes[j])


def test_the_cheapest_order_of_products() -> None:
    rng, schema = random.Random(4), shipped("matrix-chain")
    for n in range(1, 7):
        sizes = [rng.randint(1, 30) for _ in range(n + 1)]
        best = schema.run(["M"] * n, Facts.of({}), weights={"Multiply": price(sizes)}).best()
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
    cky, earley = (shipped(name) for name in ("tag-cky", "tag-earley"))
    for words in map(list, sentences):
        one, two = cky.run(words, facts, engine=engine), earley.run(words, facts, engine=engine)
        assert {x for x in two.items if x.form == "node"} <= set(one.items)
        assert listed("tag-earley", words, facts, engine) == listed("tag-cky", words, facts, engine)
        assert two.accepted == one.accepted


def test_semi_markov_models() -> None:
    """The best segments and the sum over all are those of all ways to cut and label the sentence."""
    labels, words, rng = "XY", ("a", "b", "a", "b"), random.Random(5)
    first, after, emits, spans = ({key: rng.random() for key in keys} for keys in (
        labels, itertools.product(labels, repeat=2), itertools.product(labels, "ab"),
        itertools.product(labels, (1, 3))))  # fmt: skip
    lines = [f"first({x})  [{p}]" for x, p in first.items()]
    for name, rows in (("next", after), ("emits", emits), ("spans", spans)):
        lines += [f"{name}({x}, {y})  [{p}]" for (x, y), p in rows.items()]
    truth = {}
    for cuts in itertools.chain.from_iterable(itertools.combinations((1, 2, 3), k) for k in range(4)):
        pieces = list(itertools.pairwise((0, *cuts, 4)))
        for row in itertools.product(labels, repeat=len(pieces)):
            weight = first[row[0]] * math.prod(after[t, s] for s, t in itertools.pairwise(row))
            for x, (i, j) in zip(row, pieces, strict=True):
                weight *= spans.get((x, j - i), 0) * math.prod(emits[x, w] for w in words[i:j])
            if weight:
                truth[tuple(("segment", i + 1, j, x) for x, (i, j) in zip(row, pieces, strict=True))] = weight
    chart = shipped("semi-markov").run(list(words), Facts.from_text("\n".join(lines)))
    best = chart.best()
    assert best.structure.atoms == max(truth, key=truth.__getitem__)
    assert math.isclose(best.weight, math.log(max(truth.values())))
    assert math.isclose(chart.total("log"), math.log(sum(truth.values())))
    assert len(chart.forest().structures(None)) == len(truth) == chart.forest().derivation_count


def test_products_of_chains_of_matrices() -> None:
    rng, size = random.Random(2), 3
    for names in ("A", "AB", "ABBA"):
        matrices = {x: [[rng.choice((0, 0.5, 2)) for _ in range(size)] for _ in range(size)] for x in "AB"}
        row, paths = [1.0] * size, [1] * size
        for x in names:
            row = [sum(row[i] * matrices[x][i][j] for i in range(size)) for j in range(size)]
            paths = [sum(paths[i] for i in range(size) if matrices[x][i][j]) for j in range(size)]
        lines = [f"{end}({i})" for i in range(size) for end in ("begins", "ends")]
        for (x, m), i, j in itertools.product(matrices.items(), range(size), range(size)):
            lines += [f"entry({x}, {i}, {j})  [{m[i][j]}]"] if m[i][j] else []
        chart = shipped("chain").run(list(names), Facts.from_text("\n".join(lines)))
        assert math.isclose(chart.total("log"), math.log(sum(row)))
        assert chart.forest().derivation_count == len(chart.forest().structures(None)) == sum(paths)


def automaton_reads(arcs: set[tuple[int, str, int]], word: tuple[str, ...], goal: int) -> bool:
    states = {0}
    for letter in word:
        states = {q for p, x, q in arcs if x == letter and p in states}
    return goal in states


@pytest.mark.parametrize("engine", ENGINES)
def test_grammars_cut_with_automata(engine: str) -> None:
    """Of lattices, which read words of few letters, all trees are counted; of automata with cycles a word is enough."""
    rng, schema, counts = random.Random(6), shipped("bar-hillel"), []
    for states in (5, 2) * 15:
        rules = [rule for rule in itertools.product("SAB", repeat=3) if rng.random() < 0.2]
        every = itertools.product(range(states), "ab", range(states))
        arcs = {(p, x, q) for p, x, q in every if rng.random() < 0.6 and (p < q or states == 2)}
        lattice = {(p, x): q for p, x, q in sorted(arcs)}  # deterministic: each word is read on one way
        arcs = {(p, x, q) for (p, x), q in lattice.items()}
        trees = [tree for n in range(1, 5) for word in itertools.product("ab", repeat=n)
                 if automaton_reads(arcs, word, states - 1)
                 for tree in binary_trees("S", word, [("a", "A"), ("b", "B"), ("b", "S")], rules)]  # fmt: skip
        facts = Facts.of({
            "initial": [("w", "0")], "accepting": [("w", str(states - 1))], "start": [("S",)], "binary": rules,
            "arc": [("w", str(p), x, str(q)) for p, x, q in arcs],
            "lexical": [("A", "a"), ("B", "b"), ("S", "b")],
        })  # fmt: skip
        chart = schema.run(["w"], facts, engine=engine)  # type: ignore[arg-type]
        if states == 5:
            assert chart.forest().derivation_count == len(trees)
            counts.append(len(trees))
        assert chart.accepted or not trees
    assert max(counts) > 2
    assert 0 in counts


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
    rng, schema, numbers = random.Random(11), shipped("head-driven"), []
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


Bodies = list[tuple[str, tuple[str, ...]]]


def lr_table(rules: Bodies) -> dict[str, list[tuple[str | int, ...]]]:
    """Return the facts of the LR(0) table of rules from S, textbook-style: sets of dotted rules, closed."""
    rules = [("", ("S",)), *rules]

    def closed(items: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        waiting = list(items)
        for k, dot in waiting:
            new = [(r, 0) for r, (a, _) in enumerate(rules) if (a,) == rules[k][1][dot : dot + 1]]
            waiting += [item for item in new if item not in items]
            items |= set(new)
        return frozenset(items)

    states, goto = [closed({(0, 0)})], []
    for number, state in enumerate(states):
        for x in sorted({x for k, dot in state for x in rules[k][1][dot : dot + 1]}):
            after = closed({(k, dot + 1) for k, dot in state if rules[k][1][dot : dot + 1] == (x,)})
            states += [after] if after not in states else []
            goto.append((str(number), x, str(states.index(after))))
    complete = {
        (str(q), *rules[k], k) for q, s in enumerate(states) for k, dot in s if dot == len(rules[k][1])
    }
    return {
        "goto": goto, "initial": [("0",)], "accepting": [(q,) for q, _, _, k in complete if not k],
        "reduce": [(q, a, len(body)) for q, a, body, k in complete if k],
    }  # fmt: skip


def trees_of(symbols: tuple[str, ...], words: Rule, lexicon: list[Rule], rules: Bodies) -> list[str]:
    """Return the rows of trees of symbols over the words; rules of one symbol lead to categories of words alone."""
    if not symbols or len(words) < len(symbols):
        return []
    if len(symbols) > 1:
        return [
            f"{x} {y}"
            for k in range(1, len(words))
            for x in trees_of(symbols[:1], words[:k], lexicon, rules)
            for y in trees_of(symbols[1:], words[k:], lexicon, rules)
        ]
    found = [f"({symbols[0]} {words[0]})"] if len(words) == 1 and (words[0], symbols[0]) in lexicon else []
    bodies = [body for a, body in rules if a == symbols[0]]
    return found + [f"({symbols[0]} {x})" for body in bodies for x in trees_of(body, words, lexicon, rules)]


@pytest.mark.parametrize("engine", ENGINES)
def test_generalised_lr_finds_the_trees_of_the_rules(engine: str) -> None:
    rng, schema, numbers = random.Random(2), shipped("glr"), []
    lexicon = [("a", "x"), ("b", "y"), ("b", "x")]
    bodies = [body for size in (2, 3) for body in itertools.product("SAxy", repeat=size)]
    for _ in range(10):
        rules = [("S", body) for body in rng.sample(bodies, 3)] + [
            ("A", body) for body in rng.sample(bodies, 2)
        ]
        rules += [("S", ("x",)), ("A", ("y",)), ("S", ("A", "S", "x"))]
        facts = Facts.of({**lr_table(sorted(set(rules))), "lexical": lexicon})
        for words in (tuple("a"), tuple("bb"), tuple("aba"), tuple("babb"), tuple("bbbab")):
            truth = sorted(trees_of(("S",), words, lexicon, sorted(set(rules))))
            forest = schema.run(list(words), facts, engine=engine).forest()  # type: ignore[arg-type]
            assert sorted(map(str, forest.structures(None))) == truth
            assert forest.derivation_count == len(truth)
            numbers.append(len(truth))
    assert max(numbers) > 3
    assert 0 in numbers


Headed = tuple[int, str]  # a head word, and a tree in brackets


def bilexical_trees(
    a: str, i: int, j: int, words: Rule, lexicon: set[Rule], rules: set[Rule]
) -> list[Headed]:
    """Return the trees over the words i + 1 to j, with their heads, of rules first|last, A, B, C, head, other."""
    found = [(j, f"({a} {words[i]})")] if j == i + 1 and (words[i], a) in lexicon else []
    for (side, parent, b, c, head, other), k in itertools.product(rules, range(i + 1, j)):
        if parent == a:
            left = bilexical_trees(b, i, k, words, lexicon, rules)
            right = bilexical_trees(c, k, j, words, lexicon, rules)
            for (h, x), (d, y) in itertools.product(left, right):
                top, below = (h, d) if side == "first" else (d, h)
                if (words[top - 1], words[below - 1]) == (head, other):
                    found.append((top, f"({a} {x} {y})"))
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["bilexical", "bilexical-hooks"])
def test_bilexical_grammars(name: str, engine: str) -> None:
    """The trees of all derivations; with hooks as without them each derivation is found once."""
    rng, schema, numbers = random.Random(8), shipped(name), []
    for _ in range(10):
        lexicon = {(w, c) for w in LETTERS for c in "SA" if rng.random() < 0.6} | {("a", "S"), ("b", "A")}
        every = itertools.product(("first", "last"), "SA", "SA", "SA", "ab", "ab")
        rules = {rule for rule in every if rng.random() < 0.3}
        facts = Facts.of({
            "lexical": list(lexicon), "start": [("S",)],
            "head_first": [(a, b, c, h, d) for side, a, b, c, h, d in rules if side == "first"],
            "head_last": [(a, b, c, d, h) for side, a, b, c, h, d in rules if side == "last"],
        })  # fmt: skip
        for words in (tuple("ab"), tuple("aab"), tuple("abba")):
            truth = sorted(tree for _, tree in bilexical_trees("S", 0, len(words), words, lexicon, rules))
            forest = schema.run(list(words), facts, engine=engine).forest()  # type: ignore[arg-type]
            assert sorted(map(str, forest.structures(None))) == sorted(set(truth))
            assert forest.derivation_count == len(truth)
            numbers.append(len(truth))
    assert max(numbers) > 3
    assert 0 in numbers


@pytest.mark.parametrize("engine", ENGINES)
def test_synchronous_grammars_derive_all_orders(engine: str) -> None:
    """The rules of the order 2 4 1 3, in two steps; and random orders, of which the target is read off."""
    schema = shipped("synchronous-cfg")
    for source, target in itertools.product(("abcd", "abdc"), ("ywxz", "xyzw", "zxwy")):
        sentence = f"{' '.join(source)} ||| {' '.join(target)}"
        accepted = schema.run(sentence, "example", engine=engine).accepted
        assert accepted == ((source, target) == ("abcd", "ywxz"))
    (alignment,) = schema.run("a b c d ||| y w x z", "example", engine=engine).forest().structures()
    assert alignment.pairs == ((1, 3), (2, 1), (3, 4), (4, 2))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_vines(k: int) -> None:
    """All projective trees, of several roots too, whose links between words are short; under all and some licences."""
    schema, rng = shipped("vine", k=k), random.Random(k)
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
    schema, rng = shipped("eisner-split"), random.Random(4)
    for n in (1, 2, 3, 4, 5, 5):
        pairs = {(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h and rng.random() < 0.8}
        forest = schema.run(["w"] * n, schemata.DRules.from_pairs(pairs)).forest()
        trees = trees_of_class(tree_class("projective"), n, single_root=False)
        truth = {tree.heads for tree in trees if pairs.issuperset(tree.links)}
        assert {tree.heads for tree in forest.structures(None)} == truth
        assert forest.derivation_count == len(truth)


@pytest.mark.parametrize("engine", ENGINES)
def test_labelled_trees_of_split_heads_once(engine: str) -> None:
    rng, schema = random.Random(9), shipped("eisner-labelled")
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
