"""The weight of each structure returned is its score, read off the structure, to twelve words; the best is the best.

Here are trees of constituents, linkages, labelled and rule-based trees, and sets, each over a grammar with random
weights; `test_structures_weigh_what_is_said` has the schemata over D-rules. Scores are sums of logarithms over what
a structure shows; where a few lines compute the best one, the first structure must have it.
"""

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import schemata
from schemata import ArcScores, Facts
from schemata.forest.derivations import Derivation
from schemata.grammars.rule_files import parse_context_free, parse_dependency_rules
from schemata.structures.constituents import Constituent
from tests.support.charts import shipped

LONGEST = 12
ENTRIES = {("a", "N"): 0.6, ("b", "V"): 0.7}
pytestmark = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
Rules = Mapping[Any, float]  # logarithms


@pytest.fixture(scope="module")
def lengths(request: pytest.FixtureRequest) -> Sequence[int]:
    """Some lengths of sentences; all to twelve in the thorough run."""
    return range(1, LONGEST + 1) if request.config.getoption("--thorough") else (1, 2, 3, 5, 8)


def check(
    name: str,
    words: Sequence[str],
    grammar: Any,
    score: Callable[[Any], float],
    best: float | None,
    **more: Any,
) -> None:
    """Check best structures and samples of a run; `best` is the best score, -inf where nothing is accepted."""
    for engine in ("python", "native") if len(words) in (3, LONGEST) else ("python",):
        chart = shipped(name).run(list(words), grammar, engine=engine, **more)  # type: ignore[arg-type]
        found = chart.k_best(4)
        assert len({one.structure for one in found}) == len(found)
        assert bool(found) == chart.accepted
        for one in (*found, *filter(None, [chart.best()]), *chart.sample(2, seed=1)):
            if not isinstance(
                one.structure, Derivation
            ):  # of those that build nothing only the best is checked
                assert one.weight == pytest.approx(score(one.structure), abs=1e-9)
        if best is not None:
            assert (found[0].weight if found else -math.inf) == pytest.approx(best)
            assert chart.total("viterbi") == pytest.approx(best)


def text_of(rng: random.Random, n: int, words: str = "ab") -> list[str]:
    return [rng.choice(words) for _ in range(n)]


# Constituents -----------------------------------------------------------------------------------------------------

CATEGORIES = "SA"
FAST = ("bottom-up-earley", "bottom-up-left-corner", "cyk", "earley", "left-corner")


def context_free(rng: random.Random, right: bool) -> dict[tuple[str, ...], float]:
    """Return rules with weights: all binary ones, or those that go on to the right of a word alone."""
    lexical = [(x, f'"{word}"') for x in CATEGORIES for word in "ab"]
    binary = [*itertools.product(CATEGORIES, repeat=3)]
    rules = (
        [(x, f'"{word}"', y) for x in CATEGORIES for word in "ab" for y in CATEGORIES] if right else binary
    )
    return {rule: round(rng.uniform(0.1, 0.9), 3) for rule in [*lexical, *rules]}


def grammar_of(rules: Mapping[tuple[str, ...], float]) -> Any:
    lines = [f"{rule[0]} -> {' '.join(rule[1:])} [{weight}]" for rule, weight in rules.items()]
    return parse_context_free("\n".join(lines) + "\n")


def derived_by(node: Constituent, words: Sequence[str]) -> tuple[str, ...]:
    """Return the rule of a constituent: its category, and what stands below it from left to right."""
    below: dict[int, str] = {child.spans[0][0]: child.category for child in node.children}
    covered = {word for child in node.children for word in range(child.spans[0][0], child.spans[0][1] + 1)}
    (span,) = node.spans
    below |= {k: f'"{words[k - 1]}"' for k in range(span[0], span[1] + 1) if k not in covered}
    return node.category, *(below[k] for k in sorted(below))


def inside(words: Sequence[str], rules: Mapping[tuple[str, ...], float]) -> float:
    """Return the logarithm of the best tree's weight, by spans."""
    best: dict[tuple[int, int, str], float] = {}
    for j in range(1, len(words) + 1):
        for i in range(j - 1, -1, -1):
            for x in CATEGORIES:
                ways = [rules[x, f'"{words[i]}"']] if j == i + 1 else []
                for rule, weight in rules.items():
                    if rule[0] == x and len(rule) == 3 and rule[1] == f'"{words[i]}"' and j > i + 1:
                        ways.append(weight * best[i + 1, j, rule[2]])
                    elif rule[0] == x and len(rule) == 3 and rule[1] in CATEGORIES:
                        ways += [weight * best[i, k, rule[1]] * best[k, j, rule[2]] for k in range(i + 1, j)]
                best[i, j, x] = max(ways)
    return math.log(best[0, len(words), "S"])


@pytest.mark.parametrize("name", [*FAST, "shift-reduce", "top-down"])
def test_constituents(name: str, lengths: Sequence[int]) -> None:
    for n in (n for n in lengths if name in FAST or n < 8):
        rng = random.Random(n)
        rules = context_free(rng, right=name not in FAST)
        words = text_of(rng, n)

        def score(tree: Any, rules: Mapping[Any, float] = rules, words: Sequence[str] = words) -> float:
            (top,) = tree.nodes
            return math.fsum(math.log(rules[derived_by(node, words)]) for node in top.walk())

        check(name, words, grammar_of(rules), score, inside(words, rules))


# Trees by dependency rules ----------------------------------------------------------------------------------------

RULE_BASED = (
    "barbero1998", "bulc", "dvh1", "dvh2", "dvh3", "head-corner3", "head-corner5", "kahane1998", "lombardo-lesmo1996",
)  # fmt: skip


@pytest.mark.parametrize("name", RULE_BASED)
@pytest.mark.rotated(3)
def test_dependency_rules(name: str, lengths: Sequence[int]) -> None:
    """Each word has one category, and each category a dependent of any at most on each side: heads tell all rules."""
    sides = ["", "N", "V"]
    for n in lengths:
        rng = random.Random(n)
        bodies = {
            (x, left, right): round(rng.uniform(0.1, 0.9), 3)
            for x in "NV"
            for left in sides
            for right in sides
        }
        lines = ["root N, V"]
        lines += [f"{x}({' '.join([*left, '*', *right])}) [{w}]" for (x, left, right), w in bodies.items()]
        lines += [f"{word} : {x} [{weight}]" for (word, x), weight in ENTRIES.items()]
        grammar = schemata.DependencyRules(parse_dependency_rules("\n".join(lines) + "\n")[0])
        words = text_of(rng, n)
        category = [{"a": "N", "b": "V"}[word] for word in words]
        matrix = np.random.default_rng(n).normal(0, 1, (n + 1, n + 1))

        def score(
            tree: Any,
            category: Any = category,
            matrix: Any = matrix,
            words: Any = words,
            bodies: Any = bodies,
        ) -> float:
            total = list[float]()
            for h, x in enumerate(category, start=1):
                left = "".join(category[d - 1] for d in range(1, h) if tree.heads[d - 1] == h)
                right = "".join(
                    category[d - 1] for d in range(h + 1, len(words) + 1) if tree.heads[d - 1] == h
                )
                total += [math.log(bodies[x, left, right]), math.log(ENTRIES[words[h - 1], x])]
                total.append(float(matrix[tree.heads[h - 1], h]))
            return math.fsum(total)

        check(name, words, grammar, score, None, weights=ArcScores(matrix))


# Linkages -----------------------------------------------------------------------------------------------------------

LINKED = "A+ or [B+]0.5 or [A- & B+]0.7 or [B- & A+]1.3 or [A- & A+]0.2 or A- or [B-]0.9 or [A- & A+ & B+]0.1"
COSTS = {
    ("", "A"): 0.0, ("", "B"): 0.5, ("A", "B"): 0.7, ("B", "A"): 1.3, ("A", "A"): 0.2, ("A", ""): 0.0,
    ("B", ""): 0.9, ("A", "AB"): 0.1,
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["eisner-lg", "eisner-lg-printed", "eisner-satta-lg", "sleator-temperley1991", "sleator-temperley-printed",
     "yamada-matsumoto-lg"],
)  # fmt: skip
@pytest.mark.rotated(3)
def test_linkages(name: str, lengths: Sequence[int]) -> None:
    dictionary = schemata.LinkGrammar.from_text(f"a b: {LINKED};")
    for n in (n for n in lengths if n > 1):
        words = text_of(random.Random(n), n)
        matrix = np.random.default_rng(n).normal(0, 1, (n, n))

        def score(linkage: Any, matrix: Any = matrix) -> float:
            sides = [
                tuple("".join(c.name for c in side) for side in (x.left, x.right)) for x in linkage.disjuncts
            ]
            return -math.fsum(COSTS[side] for side in sides)

        check(name, words, dictionary, score, None)


# Labelled trees and sets ------------------------------------------------------------------------------------------


def facts_of(rows: Mapping[tuple[str, ...], float]) -> Facts:
    lines = [f"{row[0]}({', '.join(row[1:])}) [{weight}]" for row, weight in rows.items()]
    return Facts.from_text("\n".join(lines) + "\n")


def logs(rows: Mapping[tuple[str, ...], float], used: Sequence[tuple[Any, ...]]) -> float:
    return math.fsum(math.log(rows[tuple(map(str, row))]) for row in used)


def rows_of(rng: random.Random, *rows: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    return {row: round(rng.uniform(0.1, 0.9), 3) for row in rows}


def test_labelled_trees(lengths: Sequence[int]) -> None:
    for n in lengths:
        rng = random.Random(n)
        words = text_of(rng, n)
        links = [("label", x, y, f"l{k}") for x in "ab" for y in "ab" for k in (1, 2)]
        rows = rows_of(rng, *links, *(("below_root", x, f"l{k}") for x in "ab" for k in (1, 2)))

        def score(tree: Any, rows: Any = rows, words: Any = words) -> float:
            used = [
                ("label", words[d - 1], words[h - 1], label) if h else ("below_root", words[d - 1], label)
                for d, (h, label) in enumerate(zip(tree.heads, tree.labels, strict=True), start=1)
            ]
            return logs(rows, used)

        check("eisner-labelled", words, facts_of(rows), score, None)


def test_tags(lengths: Sequence[int]) -> None:
    """Hidden Markov models; the best sequence of all."""
    for n in lengths:
        rng = random.Random(n)
        words = text_of(rng, n)
        tags = "NV"
        rows = rows_of(
            rng, *(("first", x) for x in tags), *(("last", x) for x in tags),
            *(("next", x, y) for x in tags for y in tags), *(("emits", x, w) for x in tags for w in "ab"),
        )  # fmt: skip

        def of_tags(found: Sequence[str], rows: Any = rows, words: Any = words) -> float:
            used = [
                ("first", found[0]),
                ("last", found[-1]),
                *(("emits", *x) for x in zip(found, words, strict=True)),
            ]
            return logs(rows, [*used, *(("next", y, x) for x, y in itertools.pairwise(found))])

        def score(atoms: Any, of_tags: Any = of_tags) -> float:
            return of_tags([tag for _, _, tag in sorted(atoms.atoms)])

        check("hmm", words, facts_of(rows), score, max(map(of_tags, itertools.product(tags, repeat=n))))


def test_segments(lengths: Sequence[int]) -> None:
    for n in lengths:
        rng = random.Random(n)
        words = text_of(rng, n)
        tags = "NV"
        rows = rows_of(
            rng, *(("first", x) for x in tags), *(("next", x, y) for x in tags for y in tags),
            *(("emits", x, w) for x in tags for w in "ab"),
            *(("spans", x, str(k)) for x in tags for k in (1, 2, 3)),
        )  # fmt: skip

        def score(atoms: Any, rows: Any = rows, words: Any = words) -> float:
            parts = sorted(atom[1:] for atom in atoms.atoms)
            used = [("first", parts[0][2]), *(("spans", x, str(j - i + 1)) for i, j, x in parts)]
            used += [("emits", x, words[k - 1]) for i, j, x in parts for k in range(i, j + 1)]
            return logs(rows, [*used, *(("next", y[2], x[2]) for x, y in itertools.pairwise(parts))])

        check("semi-markov", words, facts_of(rows), score, None)


def test_pairs_of_bases(lengths: Sequence[int]) -> None:
    """Secondary structures of RNA; the best by the recurrence of Nussinov & Jacobson (1980)."""
    for n in lengths:
        rng = random.Random(n)
        words = text_of(rng, n, "ACGU")
        couples = ["AU", "UA", "CG", "GC", "GU", "UG"]
        rows = {("pair", *couple): round(rng.uniform(1.1, 5), 3) for couple in couples}

        def score(atoms: Any, rows: Any = rows, words: Any = words) -> float:
            return logs(rows, [("pair", words[i - 1], words[j - 1]) for _, i, j in atoms.atoms])

        best = {(i, i): 0.0 for i in range(n + 1)}
        for size in range(1, n + 1):
            for i in range(n + 1 - size):
                j = i + size
                ways = [best[i, j - 1]]
                for k in range(i + 1, j - 1):
                    weight = rows.get(("pair", words[k - 1], words[j - 1]))
                    if weight:
                        ways.append(best[i, k - 1] + best[k, j - 1] + math.log(weight))
                best[i, j] = max(ways)
        check("nussinov", words, facts_of(rows), score, best[0, n])


def test_products_of_matrices(lengths: Sequence[int]) -> None:
    for n in lengths:
        rng = random.Random(n)
        words = text_of(rng, n)
        rows = rows_of(
            rng, *(("begins", x) for x in "xy"), *(("ends", x) for x in "xy"),
            *(("entry", word, x, y) for word in "ab" for x in "xy" for y in "xy"),
        )  # fmt: skip

        def of_path(path: Sequence[str], rows: Any = rows, words: Any = words) -> float:
            steps = zip(words, path[:-1], path[1:], strict=True)
            return logs(
                rows, [("begins", path[0]), ("ends", path[-1]), *(("entry", *step) for step in steps)]
            )

        def score(atoms: Any, of_path: Any = of_path) -> float:
            passes = sorted(atom[1:] for atom in atoms.atoms)
            return of_path([passes[0][1], *(y for _, _, y in passes)])

        check("chain", words, facts_of(rows), score, max(map(of_path, itertools.product("xy", repeat=n + 1))))
