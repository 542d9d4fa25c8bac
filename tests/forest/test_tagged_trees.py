"""Trees whose tags and features are part of them: counted, listed, weighed, drawn and exported, against brute force."""

import itertools
import math
import random
from collections import defaultdict
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata import DependencyTree, Facts
from schemata.display.arc_layout import structure_picture
from schemata.display.arcs import arcs_svg, arcs_text, arcs_tikz
from schemata.errors import SchemaError, StructureError
from schemata.language.shipped import shipped_files
from schemata.structures import tree_class, trees_of_class
from schemata.treebanks import exported
from tests.support.charts import shipped

ENGINES = ("python", "native")
TAGS = "NV"


class Model(NamedTuple):
    """Facts of eisner-tagged as Python values, with their weights in log space."""

    lexical: dict[tuple[str, str], float]
    first: dict[str, float]
    after: dict[tuple[str, str], float]
    below: dict[tuple[str, str], float]
    below_root: dict[str, float]

    @classmethod
    def of(cls, words: list[str], rng: random.Random, share: float = 0.7) -> "Model":
        """Return random facts about words."""

        def some(rows: list) -> dict:  # type: ignore[type-arg]
            return {row: rng.uniform(-3, 3) for row in rows if rng.random() < share}

        pairs = list(itertools.product(TAGS, repeat=2))
        return cls(
            some(list(itertools.product(sorted(set(words)), TAGS))), some(list(TAGS)), some(pairs), some(pairs),
            some(list(TAGS)),
        )  # fmt: skip

    @property
    def facts(self) -> Facts:
        """The facts as a grammar."""
        names = ("lexical", "first", "next", "below", "below_root")
        tables = {
            name: {row if isinstance(row, tuple) else (row,): weight for row, weight in table.items()}
            for name, table in zip(names, self, strict=True)
        }
        rows = {name: list(table) for name, table in tables.items() if table}
        return Facts.of(rows, lambda name, *row: tables[name][row])

    def tagged_trees(self, words: list[str]) -> dict[tuple[tuple[int, ...], tuple[str, ...]], float]:
        """Return every tree with every row of tags that the facts allow, and its weight."""
        found = {}
        n = len(words)
        trees = [tree.heads for tree in trees_of_class(tree_class("projective"), n, single_root=False)]
        for tags in itertools.product(TAGS, repeat=n):
            own = [self.lexical.get(pair) for pair in zip(words, tags, strict=True)]
            own += [self.first.get(tags[0]), *(self.after.get((t, s)) for s, t in itertools.pairwise(tags))]
            for heads in trees:
                links = [
                    self.below.get((tags[d], tags[h - 1])) if h else self.below_root.get(tags[d])
                    for d, h in enumerate(heads)
                ]
                if None not in (parts := [*own, *links]):
                    found[heads, tags] = math.fsum(x for x in parts if x is not None)
        return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("words", ["a", "a a", "a b", "a b a", "b a b b"])
def test_tagged_trees_against_brute_force(words: str, engine: str) -> None:
    """Each tree with each row of tags is one structure, with one derivation; a word twice has two tags."""
    rng, schema, met = random.Random(words), shipped("eisner-tagged"), 0
    for share in (0.5, 0.7, 0.8, 1.0):
        model = Model.of(words.split(), rng, share)
        if not any(model):
            continue
        chart = schema.run(words, model.facts, engine=engine)  # type: ignore[arg-type]
        truth, forest = model.tagged_trees(words.split()), chart.forest()
        found = forest.structures(None)
        assert {(tree.heads, tree.tags) for tree in found} == set(truth)
        assert forest.derivation_count == len(found) == len(truth) == forest.count_structures().exact
        assert chart.accepted == bool(truth)
        assert found == sorted(found)
        met += len(truth)
    assert met


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=3), st.integers(0, 10**6))
def test_weights_of_tagged_trees(words: list[str], seed: int) -> None:
    """Best structures, their order, totals, samples, marginals of links and tags, and weights of one structure."""
    model = Model.of(words, random.Random(seed), 0.9)
    truth = model.tagged_trees(words)
    if not any(model) or not truth:
        return
    chart = shipped("eisner-tagged").run(words, model.facts)
    best = chart.k_best(1000)
    weights = {(one.structure.heads, one.structure.tags): one.weight for one in best}  # type: ignore[union-attr]
    assert weights.keys() == truth.keys()
    assert all(math.isclose(weights[key], truth[key], abs_tol=1e-9) for key in truth)
    assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True)
    total = math.log(math.fsum(map(math.exp, truth.values())))
    assert math.isclose(chart.total("log"), total, abs_tol=1e-9)
    shares: defaultdict[object, float] = defaultdict(float)
    for (heads, tags), weight in truth.items():
        for d, (head, tag) in enumerate(zip(heads, tags, strict=True), start=1):
            shares[d, head] += math.exp(weight - total)
            shares["tag", d, tag] += math.exp(weight - total)
    for marginals in (chart.marginals(), chart.marginals(distinct=True)):
        assert marginals.keys() == shares.keys()
        assert all(math.isclose(marginals[atom], shares[atom], abs_tol=1e-9) for atom in shares)  # type: ignore[index]
    rng = random.Random(seed)
    for heads, tags in rng.sample(sorted(truth), min(3, len(truth))):
        assert math.isclose(
            chart.weight_of(DependencyTree(heads, tags=tags)), truth[heads, tags], abs_tol=1e-9
        )
        same = [weight for (other, _), weight in truth.items() if other == heads]
        assert math.isclose(chart.weight_of(DependencyTree(heads)), max(same), abs_tol=1e-9)
        other = tuple("V" if tag == "N" else "N" for tag in tags)
        wanted = truth.get((heads, other), -math.inf)
        assert math.isclose(chart.weight_of(DependencyTree(heads, tags=other)), wanted, abs_tol=1e-9)
    assert all((s.structure.heads, s.structure.tags) in truth for s in chart.sample(5, seed=seed))  # type: ignore[union-attr]


FEATURES = """schema features
  structure dependency tree

relation form(form: word, tag: symbol, case: symbol, number: symbol)
relation also(form: word, feature: symbol)

hypothesis word[i] where 0 <= i <= n

item row[i: position] where 1 <= i <= n

step First
  word[1]
  -------  form(1, T, C, N), SAID(1), link 1 to 0
  row[1]

step Next
  row[i]
  ----------  form(i + 1, T, C, N), SAID(i + 1), link i + 1 to i
  row[i + 1]

step More
  row[1]   word[i]
  ----------------  also(i, F), builds feature(i, F)
  row[1]

final row[n]
"""
for place in ("1", "i + 1"):
    said = f'builds tag({place}, T), builds feature({place}, "Number", N), builds feature({place}, "Case", C)'
    FEATURES = FEATURES.replace(f"SAID({place})", said)


def test_features_are_part_of_a_tree() -> None:
    """Features sort as CoNLL-U has them; forms that differ in one feature alone make two structures."""
    schema = schemata.schema(FEATURES)
    facts = Facts.of(
        {
            "form": [
                ("der", "DET", "Nom", "Sing"),
                ("der", "DET", "Gen", "Plur"),
                ("Hund", "NOUN", "Nom", "Sing"),
            ]
        }
    )
    chart = schema.run("der Hund", facts)
    trees = chart.forest().structures()
    nominative, genitive = "Case=Nom|Number=Sing", "Case=Gen|Number=Plur"
    assert [tree.features for tree in trees] == [(genitive, nominative), (nominative, nominative)]
    assert chart.forest().derivation_count == 2
    assert trees[0] != trees[1]
    assert trees[0].heads == trees[1].heads
    rows = [line.split("\t") for line in exported(chart.sentence, trees[0], "conllu").splitlines()[1:]]
    assert [(row[3], row[5]) for row in rows[:2]] == [("DET", genitive), ("NOUN", nominative)]


CLASHING = """schema clashing
  structure dependency tree

relation tags(form: word, tag: symbol)
relation has(form: word, feature: symbol)

hypothesis word[i] where 0 <= i <= n
item one[T: symbol]
item two[F: symbol]
item done[i: position]

step Tag
  word[1]
  -------  tags(1, T), builds tag(1, T), link 1 to 0
  one[T]

step Feature
  word[1]
  -------  has(1, F), builds feature(1, F)
  two[F]

step Both
  one[S]   one[T]   two[F]   two[G]
  ---------------------------------
  done[1]

final done[1]
"""


@pytest.mark.parametrize(
    ("tags", "features", "count"),
    [
        ("N", ["Case=Nom"], 1),
        ("NV", ["Case=Nom"], 2),  # a word has one tag
        ("N", ["Case=Nom", "Case=Acc"], 2),  # and one value of a feature
        ("N", ["Case=Nom", "Number=Sing"], 3),
        ("N", ["Foreign"], 1),
        ("N", ["Case=Nom|Number=Sing", "Number=Sing", "_"], 3),
        ("N", ["Case=Nom|Number=Sing", "Number=Plur"], 2),
    ],
)
def test_what_contradicts_itself_is_no_tree(tags: str, features: list[str], count: int) -> None:
    facts = Facts.of({"tags": [("w", tag) for tag in tags], "has": [("w", one) for one in features]})
    forest = schemata.schema(CLASHING).run("w", facts).forest()
    sets = {frozenset(pair) for pair in itertools.product(features, repeat=2)}
    values = set()
    for chosen in sets:
        split = {one for text in chosen for one in text.split("|")} - {"_"}
        if len({one.split("=")[0] for one in split}) == len(split):
            values.add(frozenset(split))
    found = forest.structures(None)
    assert len(found) == len(tags) * len(values) == count
    assert {frozenset((tree.features or ("",))[0].split("|")) - {""} for tree in found} == values


def test_a_tagged_tree_is_drawn_and_written() -> None:
    chart = shipped("eisner-tagged").run("the old man", shipped_example())
    trees = chart.forest().structures()
    text = schemata.schema(FEATURES).run("der", Facts.of({"form": [("der", "DET", "Nom", "Sing")]}))
    (tree,) = text.forest().structures()
    picture = structure_picture(text.sentence, tree)
    assert [line.strip() for line in arcs_text(picture).splitlines()[-3:]] == [
        "DET",
        "Case=Nom",
        "Number=Sing",
    ]
    assert r"Case=Nom \\" in arcs_tikz(picture).replace("{", "").replace("}", "")
    svg = arcs_svg(picture)
    texts = [node.text for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")]
    assert {"der", "DET", "Case=Nom", "Number=Sing"} <= set(texts)
    tags = itertools.product(["DET"], ["ADJ", "NOUN"], ["NOUN", "VERB"])
    assert {tree.tags for tree in trees} <= set(tags)


def shipped_example() -> Facts:
    """Return the example of eisner-tagged."""
    return Facts.read(shipped_files(".facts", "examples")["eisner-tagged"])


def test_trees_compare_by_tags() -> None:
    heads = (2, 0)
    plain, one, other = (
        DependencyTree(heads),
        DependencyTree(heads, tags=("D", "N")),
        DependencyTree(heads, tags=("D", "V")),
    )
    assert len({plain, one, other, DependencyTree(heads, tags=("D", "N"))}) == 3
    assert one < other
    assert repr(one) == "DependencyTree(heads=(2, 0), tags=('D', 'N'))"
    with pytest.raises(StructureError, match="1 tags for 2 words"):
        DependencyTree(heads, tags=("D",))


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        ("tag(i)", "tag of 1 arguments"),
        ("tag(T, i)", "tag of 2 arguments"),
        ("feature(i, T, T, T)", "feature of 4"),
        ("edge(i, 0), builds other(i)", "other is not an atom"),
    ],
)
def test_malformed_atoms_of_words(atom: str, expected: str) -> None:
    text = f"""schema bad
  structure dependency tree
relation tags(form: word, tag: symbol)
hypothesis word[i]
item x[i: position]
step A
  word[i]
  -------  tags(i, T), builds {atom}
  x[i]
final x[n]
"""
    with pytest.raises(SchemaError, match=expected):
        schemata.schema(text)


def test_without_a_declaration_links_and_tags_make_trees() -> None:
    """Links with tags are trees, with other atoms they are a set; tags alone stay a set."""

    def structure(atoms: str) -> str:
        head = "schema s\nrelation tags(form: word, tag: symbol)\nhypothesis word[i] where 1 <= i <= n\n"
        text = (
            f"{head}item x[i: position]\nstep A\n  word[i]\n  ---  tags(i, T), {atoms}\n  x[i]\nfinal x[n]\n"
        )
        return schemata.schema(text).definition.structure

    assert structure("link i to 0, builds tag(i, T)") == "dependency tree"
    assert structure("builds tag(i, T)") == "set"
    assert structure("link i to 0, builds other(i, T)") == "set"
    assert structure("builds tag(T), builds other(i)") == "set"
