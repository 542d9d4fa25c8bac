"""The weight of each structure returned is its score, read off the structure: grammars beyond context-free ones.

Categorial, LR, tree-adjoining and rewriting grammars, pairs of sentences, and semantic graphs, with random weights of
facts. A scorer reads the structure alone; no rule of a schema is read.
"""

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from schemata import Facts
from schemata.structures.constituents import Constituent
from tests.support.charts import schema_of, shipped

LONGEST = 12
pytestmark = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
Rows = Mapping[tuple[str, ...], float]


def weighted(n: int, *rows: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    rng = random.Random(n)
    return {row: round(rng.uniform(0.1, 0.9), 3) for row in rows}


def facts_of(rows: Rows) -> Facts:
    texts = (f"{name}({', '.join(values)}) [{weight}]" for (name, *values), weight in rows.items())
    return Facts.from_text("\n".join(texts) + "\n")


def words_of(n: int) -> list[str]:
    rng = random.Random(n)
    return [rng.choice("ab") for _ in range(n)]


def sides(*relation: str) -> list[tuple[str, ...]]:
    """Return a row for each word."""
    name, *values = relation
    return [(name, *(word if value == "*" else value for value in values)) for word in "ab"]


def check(schema: Any, words: Any, rows: Rows, score: Callable[[Any], list[tuple[str, ...]] | float]) -> None:
    """Check best structures and samples by each engine; `score` returns a logarithm, or the facts used."""
    grammar, longest = facts_of(rows), len(words)
    for engine in ("python", "native", "auto") if longest <= 6 else ("native",):
        chart = schema.run(words, grammar, engine=engine)
        assert chart.accepted
        best = chart.k_best(4)
        assert len({one.structure for one in best}) == len(best)
        assert best[0].weight == pytest.approx(chart.total("viterbi"), abs=1e-9)
        assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True)
        for one in (*best, chart.best(), *chart.sample(3, seed=longest)):
            weight = score(one.structure)
            if isinstance(weight, list):
                weight = math.fsum(math.log(rows[row]) for row in weight)
            assert one.weight == pytest.approx(weight, abs=1e-9)


@pytest.fixture(scope="module")
def lengths(request: pytest.FixtureRequest) -> Sequence[int]:
    """Some lengths of sentences; all to twelve in the thorough run."""
    return range(1, LONGEST + 1) if request.config.getoption("--thorough") else (1, 2, 3, 5, 8)


def first_word(node: Constituent) -> int:
    return node.spans[0][0]


def in_order(node: Constituent) -> list[Constituent]:
    return sorted(node.children, key=lambda child: child.spans)


def test_combinatory_categories(lengths: Sequence[int]) -> None:
    """A constituent without parts is a word, one with a single part is raised, and other steps weigh nothing."""
    for n in lengths:
        rows = weighted(
            n, *sides("lexical", "*", "S"), *sides("lexical", "*", "S/S"), *sides("lexical", "*", "S\\S"),
            ("raised", "S", "S"), ("start", "S"),
        )  # fmt: skip
        words = words_of(n)

        def score(tree: Any, words: Any = words) -> list[tuple[str, ...]]:
            (top,) = tree.nodes
            used: list[tuple[str, ...]] = [("start", top.category)]
            for node in top.walk():
                if not node.children:
                    used.append(("lexical", words[first_word(node) - 1], node.category))
                elif len(node.children) == 1:
                    used.append(("raised", "S", "S"))
            return used

        check(shipped("ccg"), words, rows, score)


def test_stacks_of_states(lengths: Sequence[int]) -> None:
    """S -> S S | A by its LR(0) table: the states under a constituent are those of its left neighbours."""
    over = {("0", "S"): "1", ("1", "S"): "3", ("3", "S"): "3", **{(p, "A"): "2" for p in "013"}}
    for n in lengths:
        rows = weighted(
            n, *(("goto", p, x, q) for (p, x), q in over.items()), ("reduce", "2", "S", "1"), ("reduce", "3", "S", "2"),
            *sides("lexical", "*", "A"), ("initial", "0"), ("accepting", "1"),
        )  # fmt: skip
        words = words_of(n)

        def read(node: Constituent, state: str, words: Any = words) -> list[tuple[str, ...]]:
            own = ("goto", state, node.category, over[state, node.category])
            if node.category == "A":
                return [own, ("lexical", words[first_word(node) - 1], "A")]
            below, under = in_order(node), state
            used = [own, ("reduce", "2", "S", "1") if len(below) == 1 else ("reduce", "3", "S", "2")]
            for child in below:
                used += read(child, under)
                under = over[under, child.category]
            return used

        def score(tree: Any, read: Any = read) -> list[tuple[str, ...]]:
            # The initial state is asked for by the first word and by the final item.
            return [*read(tree.nodes[0], "0"), ("initial", "0"), ("initial", "0"), ("accepting", "1")]

        check(shipped("glr"), words, rows, score)


def test_discontinuous_constituents(lengths: Sequence[int]) -> None:
    """A D has two spans, round an S or beside it; categories below a constituent determine its function."""
    functions = {("D", "S", "S"): "0,1", ("S", "D", "S"): "010", ("S", "S", "S"): "01"}
    for n in (n for n in lengths if n <= 3):
        rows = weighted(
            n, *sides("lexical", "*", "W"), ("unary", "S", "W", "0"), ("start", "S"),
            *(("binary", *three, f'"{function}"') for three, function in functions.items()),
        )  # fmt: skip
        words = words_of(n)

        def score(tree: Any, words: Any = words) -> list[tuple[str, ...]]:
            used: list[tuple[str, ...]] = [("start", "S")]
            for node in tree.nodes[0].walk():
                below = tuple(child.category for child in in_order(node))
                if not below:
                    used.append(("lexical", words[first_word(node) - 1], node.category))
                elif len(below) == 1:
                    used.append(("unary", node.category, *below, "0"))
                else:
                    used.append(("binary", node.category, *below, f'"{functions[node.category, *below]}"'))
            return used

        check(shipped("lcfrs"), words, rows, score)


def test_adjunction(lengths: Sequence[int]) -> None:
    """Trees `al` over a word, `ss` over two substituted ones; `bl`, `br`, `bw` put words beside or around."""
    trees, feet = ("bl", "br", "bw"), {"bl": "bl", "br": "br", "bw.i": "bw"}
    links = [
        ("only_child", "al", "al.x"), ("children", "bl", "bl.x", "bl.f"), ("children", "br", "br.f", "br.x"),
        ("children", "bw", "bw.x", "bw.i"), ("children", "bw.i", "bw.f", "bw.y"), ("children", "ss", "ss.l", "ss.r"),
    ]  # fmt: skip
    anchors = ("al.x", "bl.x", "br.x", "bw.x", "bw.y")
    for n in (n for n in lengths if n <= 5):
        rows = weighted(
            n, *links, *itertools.chain(*(sides("anchor", x, "*") for x in anchors)),
            *(("foot", x) for x in ("bl.f", "br.f", "bw.f")),
            *(("adjoins", x, y) for x in ("al", *trees) for y in trees),
            ("substitutes", "ss.l", "al"), ("substitutes", "ss.r", "al"), ("start", "al"), ("start", "ss"),
        )  # fmt: skip
        words = words_of(n)

        def score(tree: Any, words: Any = words) -> list[tuple[str, ...]]:
            (top,) = tree.nodes
            used: list[tuple[str, ...]] = [
                ("start", "ss" if any(x.category == "ss" for x in top.walk()) else "al")
            ]
            for node in top.walk():
                used += [row for row in links if row[1] == node.category]
                if node.category in anchors:
                    used.append(("anchor", node.category, words[first_word(node) - 1]))
                for child in node.children:
                    if node.category in feet and child.category in ("al", "ss", *trees):
                        used += [
                            ("adjoins", child.category, feet[node.category]),
                            ("foot", f"{feet[node.category]}.f"),
                        ]
                if node.category == "ss":
                    used += [("substitutes", "ss.l", "al"), ("substitutes", "ss.r", "al")]
            return used

        check(shipped("tag-cky"), words, rows, score)


def best_binary(order: tuple[int, ...], straight: float, inverted: float) -> float:
    """Return the best weight of a binary tree over a permutation, without that of its leaves."""
    best = {(k, k + 1): 0.0 for k in range(len(order))}
    for size in range(2, len(order) + 1):
        for i in range(len(order) - size + 1):
            ways = []
            for j in range(i + 1, i + size):
                left, right = order[i:j], order[j : i + size]
                both = best.get((i, j), -math.inf) + best.get((j, i + size), -math.inf)
                if max(left) < min(right):
                    ways.append(both + straight)
                elif max(right) < min(left):
                    ways.append(both + inverted)
            best[i, i + size] = max(ways, default=-math.inf)
    return best[0, len(order)]


def order_of(alignment: Any) -> tuple[int, ...]:
    return tuple(j for _, j in sorted(alignment.pairs))


def test_inversions(lengths: Sequence[int]) -> None:
    """A permutation has the weight of the best binary tree over it."""
    for n in (n for n in lengths if n <= 5):
        pairs = [("pair", "S", x, y) for x in "ab" for y in "ab"]
        rows = weighted(n, *pairs, ("straight", "S", "S", "S"), ("inverted", "S", "S", "S"), ("start", "S"))
        source, target = words_of(n), words_of(n)[::-1]

        def score(alignment: Any, rows: Any = rows, source: Any = source, target: Any = target) -> float:
            weights = [math.log(rows["pair", "S", source[i - 1], target[j - 1]]) for i, j in alignment.pairs]
            steps = (math.log(rows[name, "S", "S", "S"]) for name in ("straight", "inverted"))
            return math.fsum(
                [*weights, best_binary(order_of(alignment), *steps), math.log(rows["start", "S"])]
            )

        check(shipped("itg"), [source, target], rows, score)


def test_synchronous_rules(lengths: Sequence[int]) -> None:
    """Each next word of the source goes to the right of those before, or to their left."""
    for n in lengths:
        pairs = [("pair", c, x, y) for c in "SX" for x in "ab" for y in "ab"]
        functions = [("binary", "S", "S", "X", f'"{f}"') for f in ("01", "10")]
        rows = weighted(n, *pairs, *functions, ("start", "S"))
        source, target = words_of(n), words_of(n)[::-1]

        def score(alignment: Any, source: Any = source, target: Any = target) -> list[tuple[str, ...]]:
            order = order_of(alignment)
            used: list[tuple[str, ...]] = [("start", "S")]
            for k, j in enumerate(order):
                used.append(("pair", "X" if k else "S", source[k], target[j - 1]))
                if k:
                    used.append(("binary", "S", "S", "X", '"01"' if j > order[0] else '"10"'))
            return used

        check(shipped("synchronous-cfg"), [source, target], rows, score)


ALIGNED = """schema aligned
relation pair(one: word, other: word)
relation gone(one: word)
relation new(one: word)
input source, target
item done[i: position of source, j: position of target, last: flag]
step Begin
  ------------
  done[0, 0, false]
step Pair
  done[i, j, _]
  -----------------------  pair(i + 1, j + 1), builds align(i + 1, j + 1)
  done[i + 1, j + 1, false]
step Gone
  done[i, j, false]
  -----------------  gone(i + 1)
  done[i + 1, j, false]
step New
  done[i, j, _]
  -----------------  new(j + 1)
  done[i, j + 1, true]
final done[n of source, n of target, _]
"""


def test_two_inputs_of_different_lengths(lengths: Sequence[int]) -> None:
    """Words without a partner weigh as well; those of the source come first: an alignment has one derivation."""
    schema = schema_of(ALIGNED)
    for n in lengths:
        pairs = [("pair", x, y) for x in "ab" for y in "ab"]
        rows = weighted(n, *pairs, *sides("gone", "*"), *sides("new", "*"))
        source, target = words_of(n), words_of(LONGEST + 1 - n)

        def score(alignment: Any, source: Any = source, target: Any = target) -> list[tuple[str, ...]]:
            used = [("pair", source[i - 1], target[j - 1]) for i, j in alignment.pairs]
            ones, others = ({x[k] for x in alignment.pairs} for k in (0, 1))
            used += [("gone", word) for i, word in enumerate(source, start=1) if i not in ones]
            return used + [("new", word) for j, word in enumerate(target, start=1) if j not in others]

        check(schema, [source, target], rows, score)


def test_semantic_graphs(lengths: Sequence[int]) -> None:
    """Arguments follow a word and join first; a constituent with a modifier before it is a B, others are an A."""
    for n in lengths:
        rows = weighted(
            n, *itertools.chain(*(sides("node", "A", "*", label) for label in ("c", "d"))), ("start", "A"),
            ("start", "B"),
            *(("argument", "A", "A", x, role) for x in "AB" for role in "rs"),
            *(("modified", "B", x, y, "m") for x in "AB" for y in "AB"),
        )  # fmt: skip
        words = words_of(n)

        def score(graph: Any, words: Any = words) -> list[tuple[str, ...]]:
            left = {x: sorted(d for h, d, _ in graph.edges if h == x and d < x) for x, _ in graph.nodes}
            kind = {x: "B" if before else "A" for x, before in left.items()}
            used: list[tuple[str, ...]] = [("start", kind[graph.top])]
            used += [("node", "A", words[x - 1], label) for x, label in graph.nodes]
            for h, d, role in graph.edges:
                if d > h:
                    used.append(("argument", "A", "A", kind[d], role))
                else:
                    used.append(("modified", "B", kind[d], "A" if d == left[h][-1] else "B", role))
            return used

        check(shipped("hyperedge-replacement"), words, rows, score)
