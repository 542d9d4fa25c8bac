"""The trees that ccg, lcfrs and tag-cky build, against all derivations of small grammars."""

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from schemata import Facts
from schemata.forest.derivations import iterate_derivations
from schemata.forest.structures import derivation_structure
from tests.engine.test_terms import COPY, NESTED, NOUNS, RULES
from tests.support.charts import shipped


def listed(name: str, words: list[str], facts: Facts, engine: Any = "auto") -> list[str]:
    """Return the trees that a schema lists, in brackets: as many as are counted, each that of a derivation."""
    forest = shipped(name).run(words, facts, engine=engine).forest()
    found = forest.structures(None)
    assert forest.count_structures().exact == len(found)
    single = {derivation_structure(forest.chart, one) for one in iterate_derivations(forest)}
    assert single == set(found)
    return sorted(tree.in_brackets(numbered=False) for tree in found)


Tree = tuple[Any, ...]
FOOT = ("foot",)


class Rewriting:
    """All derived trees of a tree-adjoining grammar, top-down: nodes are expanded, then something is adjoined."""

    def __init__(self, text: str) -> None:
        self.facts: dict[str, list[tuple[str, ...]]] = {}
        for fact in Facts.from_text(text).facts:
            self.facts.setdefault(fact.relation, []).append(tuple(map(str, fact.arguments)))

    def of(self, relation: str, node: str) -> list[tuple[str, ...]]:
        return [rest for first, *rest in self.facts.get(relation, []) if first == node]  # type: ignore[misc]

    def trees(self, node: str, left: int) -> Iterator[Tree]:
        """Yield the trees below a node, with at most so many adjunctions in each branch."""
        bare: list[Tree] = [(node, word) for (word,) in self.of("anchor", node)]
        bare += [(node,) for name in self.facts.get("empty", []) if name == (node,)]
        for (root,) in self.of("substitutes", node):
            bare += self.trees(root, left)
        bare += [
            (node, below) for (child,) in self.of("only_child", node) for below in self.trees(child, left)
        ]
        for one, two in self.of("children", node):
            bare += [
                (node, *both) for both in itertools.product(self.trees(one, left), self.trees(two, left))
            ]
        if (node,) in self.facts.get("foot", []):
            bare.append(FOOT)
        inner = bool(self.of("only_child", node) or self.of("children", node))
        if not inner or (node,) not in self.facts.get("obligatory", []):
            yield from bare
        if left and inner:
            for (root,) in self.of("adjoins", node):
                for outer in self.trees(root, left - 1):
                    yield from (filled(outer, tree) for tree in bare)


def filled(outer: Any, tree: Tree) -> Any:
    if outer == FOOT:
        return tree
    return tuple(filled(part, tree) if isinstance(part, tuple) else part for part in outer)


def words_of(tree: Any) -> list[str]:
    """Return the words: what stands alone below a node."""
    if len(tree) == 2 and isinstance(tree[1], str):
        return [tree[1]]
    return [word for part in tree[1:] for word in words_of(part)]


def bracketed(tree: Any) -> str:
    return f"({' '.join(part if isinstance(part, str) else bracketed(part) for part in tree)})"


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("grammar", "sentences"),
    [
        (NESTED, ["abcd", "aabbccdd", "abdc"]),
        (COPY, ["aa", "abab", "abba", "aaaa"]),
        (NOUNS, ["ac", "bac"]),
        (NOUNS + "adjoins(M, M)\n", ["bbac"]),
    ],
)
def test_derived_trees_of_tree_adjoining_grammars(engine: str, grammar: str, sentences: list[str]) -> None:
    facts, rewriting = Facts.from_text(grammar), Rewriting(grammar)
    every = {
        bracketed(tree): "".join(words_of(tree))
        for (root,) in rewriting.facts["start"]
        for tree in rewriting.trees(root, 2)
    }
    for sentence in sentences:
        truth = sorted(tree for tree, words in every.items() if words == sentence)
        assert listed("tag-cky", list(sentence), facts, engine) == truth, sentence


def closure(text: str) -> dict[tuple[str, tuple[tuple[int, int], ...]], set[str]]:
    """Return the trees of each category and spans between places, by applying all rules until nothing is new."""
    found: dict[tuple[str, tuple[tuple[int, int], ...]], set[str]] = {}
    for (word, category), k in itertools.product(RULES["lexical"], range(len(text))):
        if text[k] == word:
            found[category, ((k, k + 1),)] = {f"({category} {k}={word})"}
    size = -1
    while size != sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for parent, *children, function in [*RULES["unary"], *RULES["binary"]]:
            for chosen in itertools.product(
                *([x for x in list(found) if x[0] == child] for child in children)
            ):
                parts = [iter(spans) for _, spans in chosen]
                made: list[tuple[int, int]] = []
                try:
                    for group in function.split(","):
                        spans = [next(parts[int(k)]) for k in group]
                        if any(a[1] != b[0] for a, b in itertools.pairwise(spans)):
                            raise StopIteration
                        made.append((spans[0][0], spans[-1][1]))
                except StopIteration:
                    continue
                if any(next(part, None) for part in parts):
                    continue
                covered = [k for i, j in made for k in range(i, j)]
                if len(covered) == len(set(covered)):
                    for below in itertools.product(*(found[x] for x in chosen)):
                        ordered = sorted(below, key=first_word)
                        found.setdefault((parent, tuple(made)), set()).add(
                            f"({' '.join((parent, *ordered))})"
                        )
    return found


def first_word(tree: str) -> int:
    return min(int(part.split("=")[0].split()[-1]) for part in tree.split(" ") if "=" in part)


@pytest.mark.parametrize("text", ["abcd", "acbdacb", "acac", "abcdabc"])
def test_trees_of_rewriting_systems(text: str) -> None:
    every = closure(text)
    truth = {tree for category in ("S", "U") for tree in every.get((category, ((0, len(text)),)), ())}
    for engine in ("python", "native"):
        chart = shipped("lcfrs").run(list(text), Facts.of(RULES), engine=engine)  # type: ignore[arg-type]
        assert {tree.in_brackets(numbered=True) for tree in chart.forest().structures(None)} == truth


@cache
def combined(words: tuple[str, ...], lexicon: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """Return the categories of some words by application and composition, each with its tree; none is nested."""
    found = {(c, f"({c} {w})") for w, c in lexicon if words == (w,)}
    for k in range(1, len(words)):
        for (x, one), (y, two) in itertools.product(
            combined(words[:k], lexicon), combined(words[k:], lexicon)
        ):
            for made in results(x, y):
                found.add((made, f"({made} {one} {two})"))
    return frozenset(found)


def results(x: str, y: str) -> Iterator[str]:
    for functor, argument, slash in ((x, y, "/"), (y, x, "\\")):
        result, found, wanted = functor.partition(slash)
        given, other, rest = argument.partition(slash)
        if found and wanted == given:
            yield f"{result}{other}{rest}"


def test_trees_of_categorial_grammars() -> None:
    lexicon = (
        ("he", "NP"),
        ("sees", "S\\NP"),
        ("sees", "NP"),
        ("old", "NP/NP"),
        ("men", "NP"),
        ("well", "S\\S"),
    )
    facts = Facts.of({"lexical": list(lexicon), "start": [("S",)]})
    numbers = []
    for sentence in (
        "he sees",
        "old he sees",
        "he sees well",
        "old he sees well",
        "old old he sees well well",
    ):
        truth = sorted(tree for made, tree in combined(tuple(sentence.split()), lexicon) if made == "S")
        assert listed("ccg", sentence.split(), facts) == truth, sentence
        numbers.append(len(truth))
    assert numbers == [1, 1, 2, 2, 10], numbers
