"""Random trees, graphs, connectors and sentences for property tests, made without the package's own samplers."""

from hypothesis import strategies as st

from schemata.structures import Connector, DependencyGraph, DependencyTree, Disjunct
from schemata.structures.linkages import read_connector


@st.composite
def trees(draw: st.DrawFn, max_size: int = 14, *, single_root: bool = True) -> DependencyTree:
    """A tree whose words, in some order, each hang under an earlier one."""
    n = draw(st.integers(1, max_size))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for at, word in enumerate(order):
        low = -1 if not single_root or at == 0 else 0
        place = draw(st.integers(low, at - 1))
        heads[word - 1] = order[place] if place >= 0 else 0
    return DependencyTree(tuple(heads))


def head_sequences(max_size: int = 9) -> st.SearchStrategy[tuple[int, ...]]:
    """The heads of a tree, in which several words may hang under 0 or one alone."""
    return (
        st.booleans().flatmap(lambda alone: trees(max_size, single_root=alone)).map(lambda tree: tree.heads)
    )


@st.composite
def bushes(draw: st.DrawFn, max_dependents: int = 8) -> DependencyTree:
    """A head with scattered dependents of one or two further words each, itself under a root with leaves."""
    m = draw(st.integers(2, max_dependents))
    sizes = draw(st.lists(st.integers(2, 3), min_size=m, max_size=m))
    outside = draw(st.integers(0, 2))
    n = sum(sizes) + 1 + outside
    words = list(draw(st.permutations(range(1, n + 1))))
    heads = [0] * n
    head = words.pop()
    if outside:
        root = words.pop()
        heads[head - 1] = root
        for _ in range(outside - 1):
            heads[words.pop() - 1] = root
    for size in sizes:
        top = words.pop()
        heads[top - 1] = head
        for _ in range(size - 1):
            heads[words.pop() - 1] = top
    return DependencyTree(tuple(heads))


@st.composite
def graphs(draw: st.DrawFn, max_size: int = 7, max_links: int = 9) -> DependencyGraph:
    n = draw(st.integers(1, max_size))
    link = st.tuples(st.integers(1, n), st.integers(0, n))
    return DependencyGraph(n, draw(st.sets(link, max_size=max_links)))


# Connectors and sentences with disjuncts

names = st.from_regex(r"[AB]B?[ab*]{0,3}", fullmatch=True)
connectors = st.builds(
    Connector, names, right=st.booleans(), multi=st.booleans(), head=st.sampled_from(["", "h", "d"])
)

_left = st.builds(
    Connector,
    st.sampled_from(["A", "Aa", "B", "A*"]),
    right=st.just(False),
    multi=st.sampled_from([False, False, True]),
    head=st.sampled_from(["", "", "h", "d"]),
)
_right = _left.map(lambda c: Connector(c.name, True, c.multi, c.head))


@st.composite
def sentences(
    draw: st.DrawFn, max_words: int = 4, max_disjuncts: int = 3
) -> tuple[list[str], list[list[Disjunct]]]:
    """Words and the disjuncts to choose from, all kinds of them, few of which fit together."""
    n = draw(st.integers(1, max_words))
    words = [f"w{position}" for position in range(n)]
    choices = []
    for position, word in enumerate(words):
        # A word at an edge has no use for connectors that lead out of the sentence.
        disjunct = st.builds(
            Disjunct,
            st.sampled_from([word, f"{word}.n"]),
            st.lists(_left, max_size=2 if position else 0).map(tuple),
            st.lists(_right, max_size=2 if position < n - 1 else 0).map(tuple),
            st.sampled_from([0.0, 0.5]),
        )
        choices.append(draw(st.lists(disjunct, min_size=1, max_size=max_disjuncts)))
    return words, choices


def disjunct(word: str, connectors: str, cost: float = 0.0) -> Disjunct:
    """Return a disjunct of connectors with blanks between them."""
    read = [read_connector(part) for part in connectors.split()]
    left, right = (tuple(c for c in read if c.right is side) for side in (False, True))
    return Disjunct(word, left, right, cost)


def words(*texts: str) -> list[Disjunct]:
    """Return a disjunct a text."""
    return [disjunct(f"w{position}", text) for position, text in enumerate(texts)]
