"""The contents of items against definitions of what items stand for, by going through all sets of links."""

from functools import cache
from itertools import product
from pathlib import Path

import pytest

import schemata
from schemata.analysis.contents import ExtendedTree, PartialForest, contents
from schemata.analysis.explain import NotDerivableError
from schemata.errors import UsageError

N = 4
Links = frozenset[tuple[int, int]]


@cache
def forests(low: int, high: int) -> list[tuple[Links, dict[int, frozenset[int]], frozenset[int]]]:
    """Return all forests over low..high: links, the words under each word with itself, and the words without a head."""
    nodes = range(low, high + 1)
    found = []
    for heads in product([None, *nodes], repeat=len(nodes)):
        above = {d: h for d, h in zip(nodes, heads, strict=True) if h is not None}
        if any(d == h for d, h in above.items()) or any(
            d in (0, N + 1) and h is not None for d, h in above.items()
        ):
            continue
        if N + 1 in above.values():
            continue
        under = {node: {node} for node in nodes}
        cyclic = False
        for node in nodes:
            seen, at = {node}, node
            while at in above:
                at = above[at]
                if at in seen:
                    cyclic = True
                    break
                seen.add(at)
                under[at].add(node)
            if cyclic:
                break
        if not cyclic:
            links = frozenset(above.items())
            found.append(
                (links, {k: frozenset(v) for k, v in under.items()}, frozenset(nodes) - above.keys())
            )
    return found


def is_interval(words: frozenset[int]) -> bool:
    return max(words) - min(words) + 1 == len(words)


def stands_for(low: int, high: int, heads: set[int]) -> set[Links]:
    """Return the link sets of projective trees with these heads, which together cover low..high."""
    return {
        links
        for links, under, tops in forests(low, high)
        if tops == heads and all(is_interval(words) for words in under.values())
    }


def built(chart: schemata.Chart, item: object) -> set[Links]:
    found = contents(chart, item, None)  # type: ignore[arg-type]
    assert found.complete is True
    assert all(isinstance(one, PartialForest) for one in found.contents)
    return {frozenset(one.links) for one in found.contents}  # type: ignore[union-attr, misc]


def test_figure_1():
    """Three forests are the contents of [1, 5] of Yamada & Matsumoto under the figure's D-rules."""
    rules = schemata.DRules.from_pairs({(2, 1), (3, 1), (3, 5), (3, 4), (4, 5)})
    chart = schemata.load("yamada-matsumoto2003").run("w1 w2 w3 w4 w5", rules)
    found = chart.contents("span[1, 5]")
    assert found.complete is True
    assert {frozenset(one.links) for one in found.contents} == {
        frozenset({(2, 1), (3, 5), (4, 5)}),
        frozenset({(2, 1), (3, 4), (4, 5)}),
        frozenset({(2, 1), (3, 1), (4, 5)}),
    }
    assert {tuple(tree.head for tree in one.trees) for one in found.contents} == {(1, 5)}
    assert "1..3 under 1 and 4..5 under 5" in str(found)


def test_yamada_matsumoto():
    chart = schemata.load("yamada-matsumoto2003").run("a b c d")
    for item in chart.items:
        i, j = item.values
        assert built(chart, item) == stands_for(i, j, {i, j}), item


def test_eisner():
    chart = (
        schemata.load("eisner1996:end=1").run("a b c d")
        if False
        else schemata.load("eisner1996").run("a b c d")
    )
    for item in chart.items:
        i, j, b, c = item.values
        heads = {k for k, has_head in ((i, b), (j, c)) if not has_head}
        assert built(chart, item) == stands_for(i, j, heads), item


@pytest.mark.parametrize(("name", "form"), [("collins1996", "tree"), ("eisner-satta1999", "tree")])
def test_one_tree(name, form):
    chart = schemata.load(name).run("a b c d")
    for item in chart.items:
        i, j, h = item.values
        assert item.form == form
        assert built(chart, item) == stands_for(i, j, {h}), item


def test_figure_7():
    """WG_1's items: trees headed at h over i..j less the gap; words below h have one gap at most, none interleave."""
    chart = schemata.load("wg1").run("a b c d")
    for item in chart.items:
        i, j, h, left, right = item.values
        gap = range(left, right + 1) if left is not None else ()
        words = {h, *range(i, j + 1)} - ({*gap} - {h})
        wanted = set()
        for links, under, _ in forests(1, N):
            inside = frozenset(link for link in links if link[0] in words and link[0] != h)
            if under[h] != words or len(links) != len(words) - 1 or links != inside:
                continue
            pieces = [sum(w - 1 not in under[x] for w in under[x]) - 1 for x in words - {h}]
            if all(gaps <= 1 for gaps in pieces) and well_nested(under, words):
                wanted.add(links)
        assert built(chart, item) == wanted, item


def well_nested(under, words):
    """Return whether no two disjoint subtrees interleave."""
    for x, y in product(words, repeat=2):
        one, other = under[x], under[y]
        if one & other:
            continue
        if any(a < b < c < d for a in one for c in one for b in other for d in other):
            return False
    return True


RULES = """root S
S(N ^ N)
S(N ^)
N(D ^)
N(^)
N(N ^)
D(^)
the : D
cat : N
dog : N
sees : S
"""
NAMES = (
    "lombardo-lesmo1996",
    "kahane1998",
    "bulc",
    "barbero1998",
    "dvh1",
    "dvh2",
    "dvh3",
    "head-corner5",
    "head-corner3",
)


@pytest.mark.parametrize("name", NAMES)
def test_extended_trees(name, tmp_path):
    """A found part of an item's rule covers the item's words, in their order; what is not found is predicted."""
    path = tmp_path / "some.deprules"
    path.write_text(RULES.replace("^", "*"), "utf-8")
    words = "the cat dog sees dog"
    chart = schemata.load(name).run(words, schemata.DependencyRules.read(path))
    assert chart.accepted
    rules = {line.partition("(")[0]: [] for line in RULES.splitlines() if "(" in line}
    for line in RULES.splitlines():
        if "(" in line:
            category, _, symbols = line[:-1].partition("(")
            rules[category].append(tuple(symbols.split()))

    def read(tree):
        """Return the words of a tree whose rules and words are right."""
        if tree.word is not None:
            assert tree.category == "^"
            return [tree.word]
        if tree.predicted:
            assert not tree.children
            return []
        symbols = tuple(child.category for child in tree.children)
        assert symbols in rules[tree.category]
        head = next((child.word for child in tree.children if child.category == "^"), None)
        if head is not None:
            assert {"the": "D", "sees": "S"}.get(words.split()[head - 1], "N") == tree.category
        return [word for child in tree.children for word in read(child)]

    for item in chart.items:
        rule, i, j, *_ = item.values
        found = contents(chart, item, None)
        assert found.complete is True
        assert found.contents
        for tree in found.contents:
            assert isinstance(tree, ExtendedTree)
            if rule[0] == "*root*":
                assert [child.category for child in tree.children] == ["S"]
                continue
            assert read(tree) == list(range(i, j + 1)), item
            before = len(rule[1]) if len(rule) == 4 else 0
            inside = len(rule[-2])
            predicted = [child.predicted for child in tree.children]
            assert predicted == [not before <= k < before + inside for k in range(len(predicted))]


def test_figure_4():
    """A determiner and an adjective are found, and a noun is expected as their head: nothing is linked yet."""
    grammar = schemata.DependencyRules.read(Path(__file__).parents[2] / "examples" / "english.deprules")
    chart = schemata.load("lombardo-lesmo1996").run("the big cat slept", grammar)
    (item,) = [x for x in chart.items if str(x) == "edge[Noun(Det Adj . ^), 1, 2]"]
    (tree,) = chart.contents(item).contents
    assert str(tree) == "Noun(Det(1) Adj(2) [^])"
    assert not tree.grounded
    svg = chart.contents(item).svg()
    assert svg.count("stroke-dasharray") == 1
    assert chart.contents("edge[root(Verb .), 1, 4]").contents[0].grounded


def test_limits_and_errors():
    chart = schemata.load("yamada-matsumoto2003").run("a b c d")
    found = chart.contents("span[0, 5]", 2)
    assert (len(found.contents), found.complete) == (2, False)
    with pytest.raises(NotDerivableError):
        chart.contents("span[0, 6]")
    grammar = schemata.Facts.read(Path(__file__).parents[2] / "examples" / "reachability.facts")
    with pytest.raises(UsageError, match="says what it builds"):
        schemata.load("reachability").run("start goal", grammar).contents("reached[a]")


def test_command(prints, tells, tmp_path):
    picture = tmp_path / "x.svg"
    item = "span[0, 2, false, true]"
    out = prints("explain", "eisner1996", "a b", item, "--contents", "--limit", "2", "--svg", str(picture))
    assert "2 structures, the first of them" in out
    assert picture.read_text("utf-8").startswith("<svg")
    answer = tells("explain", "eisner1996", "a b", "span[1, 2, false, true]", "--contents")
    assert answer["contents"] == [{"links": [[2, 1]], "trees": [{"head": 1, "words": [1, 2]}]}]
    assert answer["contents_complete"] is True
    prints("explain", "eisner1996", "a b", item, "--contents", "--every-step", code=2)


def test_linkages(tmp_path):
    """Links of a linkage are told with their labels; they join words, and have no heads."""
    path = tmp_path / "toy.dict"
    path.write_text("the: D+;\ncat: D- & S+;\nran: S-;\n", "utf-8")
    chart = schemata.load("eisner-lg").run("the cat ran", schemata.LinkGrammar.read(path))
    assert chart.accepted
    (content,) = chart.contents(chart.final_items[0]).contents
    assert content.links == ((0, 1, "D"), (1, 2, "S"))
    assert "D" in str(chart.contents(chart.final_items[0]))


def test_tags_are_part_of_what_items_stand_for() -> None:
    """Under all facts over two symbols: each forest of an item with each row of tags that its item allows, once."""
    tags = ("A", "B")
    rows = [
        "first(A)",
        "first(B)",
        "below_root(A)",
        "below_root(B)",
        *(f"lexical({w}, {t})" for w in "uvw" for t in tags),
    ]
    rows += [f"{name}({s}, {t})" for name in ("next", "below") for s in tags for t in tags]
    grammar = schemata.grammar("\n".join(rows), "facts")
    chart = schemata.load("eisner-tagged").run("u v w", grammar)
    plain = schemata.load("eisner1996-once").run("u v w", schemata.DRules.all())
    tried = 0
    for item in chart.items:
        if item.form != "span":
            continue
        i, j, _, last, *flags = item.values
        found = contents(chart, item, None).contents
        flat = next(one for one in plain.items if one.form == "span" and one.values == (i, j, *flags))
        forests = {one.links for one in contents(plain, flat, None).contents}
        words = range(max(i, 1), j + 1)
        # A word is tagged by the span that it ends; that which a span begins with is only looked at, unless it is 1.
        own = [word for word in words if word > i]
        rows_of_tags = {
            tuple((word, "tag", tag) for word, tag in zip(own, row, strict=True))
            for row in product(tags, repeat=len(own))
            if row[-1] == last
        }
        assert {(one.links, one.tags) for one in found} == set(product(forests, rows_of_tags)), item
        assert len(found) == len(forests) * len(rows_of_tags)
        tried += 1
    assert tried > 20
    assert "2 A, 3 B" in str(contents(chart, "span[1, 3, A, B, false, false, true]"))
