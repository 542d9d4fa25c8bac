"""Features of steps, learnt as arrays: against features by hand, and against the best of all trees."""

import itertools
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schemata
from schemata.errors import GrammarError, UsageError
from schemata.learning.arcs import StepDistance, Templates, parse_templates, with_default
from schemata.learning.examples import Example, read_examples
from schemata.learning.model import Model, Parser, templates_of
from schemata.learning.step_arrays import StepWeights, default_templates_of
from schemata.learning.training import Training, train
from schemata.weights.tensors import axes_of
from tests.decoding.test_steps import applied
from tests.learning.test_training import by_hand
from tests.oracle.trees import projective, trees_under_zero
from tests.support.commands import Answer

Cli = Callable[..., Answer]
SIBLINGS, GRANDPARENTS = "mcdonald-pereira2006", "koo-collins2010-model0"
LINKS = "tag h, tag d\nword h, word d\n"
STEPS = {
    SIBLINGS: "feature R-Next L-Next where tag h, tag s, tag m\nfeature R-Next where word s + 1, distance s m\n"
    "feature R-First L-First where suffix h, tag m - 1\n",
    GRANDPARENTS: "feature R-Link L-Link where tag g, tag h, tag m\nfeature L-Link where word g, distance g m\n",
}
AXES = {"R-First": "hm", "L-First": "hm", "R-Next": "hsm", "L-Next": "hsm", "R-Link": "ghm", "L-Link": "ghm"}


def treebank(path: Path, trees: Sequence[Sequence[int]], seed: int = 1) -> Path:
    """Write sentences of random words and tags with these heads."""
    draw, lines = random.Random(seed), list[str]()
    for heads in trees:
        for place, head in enumerate(heads, start=1):
            form, tag = draw.choice("abc") * 2, draw.choice("XYZ")
            lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\tdep\t_\t_")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def projective_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in trees_under_zero(n) if projective(heads)]


def distance(start: int, end: int) -> tuple[int, bool]:
    return sum(abs(end - start) > most for most in (1, 2, 3, 4, 5, 10, 20)), end > start


def features_of(name: str, templates: Templates, sentence: Any, heads: Sequence[int]) -> Counter[Any]:
    """Return the features of a tree: those of its links, and those of its steps."""
    found: Counter[Any] = Counter()
    for dependent, head in enumerate(heads, start=1):
        found.update(by_hand(sentence, templates.links, head, dependent))
    for step, place in applied(name, heads):
        values = dict(zip(AXES[step], place, strict=True))
        for number, template in enumerate(templates.steps):
            if template.step == step:
                shown = tuple(
                    distance(values[x.start], values[x.end])
                    if isinstance(x, StepDistance)
                    else int(sentence.columns[x.column, values[x.name] + 2 + x.shift])
                    for x in template.looks
                )
                found[step, number, shown] += 1
    return found


class Recorder:
    """A decoder that notes the trees that it finds."""

    def __init__(self, decoder: Any) -> None:
        self.decoder, self.gradients = decoder, decoder.gradients
        self.found: list[tuple[int, ...]] = []

    def __call__(self, scores: Any, steps: Any = None) -> Any:
        answer = self.decoder(scores, steps=steps)
        self.found.append(tuple(answer[0][0].tolist()))
        return answer


@pytest.mark.parametrize("name", [SIBLINGS, GRANDPARENTS])
def test_each_step_of_learning_against_all_trees(name: str, tmp_path: Path) -> None:
    """The tree that is compared with the gold one is the best of all; then features of both are added and taken away.

    Afterwards the k best trees under what was learnt are those of all trees.
    """
    draw = random.Random(2)
    gold = [draw.choice(projective_trees(n)) for n in (1, 2, 3, 4, 5) * 4]
    path = treebank(tmp_path / "gold", gold)
    training = Training([path], name, templates=LINKS + STEPS[name])
    recorder = Recorder(training._decoder)
    training._decoder = recorder  # type: ignore[assignment]
    definition = schemata.load(name).definition
    templates = parse_templates(training.text, positions=lambda step: axes_of(definition, step))
    table: Counter[Any] = Counter()
    sums: Counter[Any] = Counter()

    def score(sentence: Any, heads: Sequence[int]) -> int:
        return sum(table[x] * k for x, k in features_of(name, templates, sentence, heads).items())

    now = 0

    def watch(order: Sequence[int]) -> Iterator[int]:
        nonlocal now
        for k in order:
            sentence, right = training.sentences[k], gold[k]
            yield k
            now += 1
            other = recorder.found[-1]
            wrong = {
                heads: score(sentence, heads) + sum(map(int.__ne__, heads, right))
                for heads in projective_trees(len(right))
            }
            assert wrong[other] == max(wrong.values())
            for heads, sign in ((right, 1), (other, -1)):
                for x, count in features_of(name, templates, sentence, heads).items():
                    table[x] += sign * count
                    sums[x] += sign * count * now

    for _ in range(3):
        training.epoch(watch)
    assert any(table[x] and isinstance(x[0], str) for x in table)  # steps have learnt
    assert training.weights.links.sum() == sum(table.values())
    assert training._sums[0].sum() == sum(sums.values())
    steps = training._steps
    assert steps is not None
    for sentence in training.sentences:
        scores, tensors = training.weights.scores(sentence), steps.tensors(sentence, training.weights.links)
        found, weights = schemata.decoder(name).k_best([scores], k=6, steps=tensors)
        expected = sorted((score(sentence, heads) for heads in projective_trees(sentence.n)), reverse=True)[
            :6
        ]
        assert weights[0, : len(expected)].tolist() == expected
        for heads, weight in zip(found[0].tolist(), expected, strict=False):
            assert score(sentence, heads) == weight


def test_nothing_weighs_where_no_step_is_applied(tmp_path: Path) -> None:
    """Arrays have weights at all places at which some tree applies the step, and at no place in the wrong order."""
    text = LINKS + STEPS[SIBLINGS]
    training = Training([treebank(tmp_path / "gold", [(0, 1, 1, 1, 1)])], SIBLINGS, templates=text)
    weights = np.ones_like(training.weights.links)
    _, steps = templates_of(text, SIBLINGS)
    assert steps is not None
    tensors = steps.tensors(training.sentences[0], weights)
    places = {place for heads in projective_trees(5) for place in applied(SIBLINGS, heads)}
    for step, tensor in tensors.items():
        number = sum(one.step == step for one in parse_templates(text, positions=lambda x: "hsm").steps)
        (array,) = tensor.array
        used = {tuple(map(int, place)) for place in np.argwhere(array)}
        assert used >= {place for of, place in places if of == step}
        assert set(array[array != 0].tolist()) == {number}
        assert all(
            (1 if step[0] == "R" else -1) * (b - a) > 0 for x in used for a, b in itertools.pairwise(x)
        )


@pytest.mark.parametrize("heads", [(3, 4, 0, 3), (3, 4, 0, 3, 2), (4, 5, 0, 3, 3), (2, 0, 5, 1, 2)])
def test_a_tree_that_a_schema_does_not_derive_is_lifted(heads: tuple[int, ...], tmp_path: Path) -> None:
    """Of all projective trees it has most gold links, and of these the other words are lifted least."""
    assert not projective(heads)
    training = Training([treebank(tmp_path / "gold", [heads])], "eisner-satta1999", templates=LINKS)
    above = (0, *heads)

    def lifts(word: int, head: int) -> int:
        """How many links above its gold head a word hangs; as many as there are words for no word above it."""
        count, node = 0, above[word]
        while node != head and node:
            count, node = count + 1, above[node]
        return count if node == head else len(heads)

    def order(tree: Sequence[int]) -> list[int]:
        return sorted(lifts(word, head) for word, head in enumerate(tree, start=1))

    found = training._nearest(np.array(above))[1:].tolist()
    assert order(found) == min(map(order, projective_trees(len(heads))))
    right = (2, 0, 2, 3, 2)
    assert training._nearest(np.array((0, *right)))[1:].tolist() == list(right)
    assert Training([treebank(tmp_path / "gold", [heads])])._nearest(np.array(above)).tolist() == [*above]


def siblings_tell(path: Path, number: int, seed: int) -> Path:
    """Write sentences whose third word hangs under the first if it is another one than the second, else under that."""
    draw, lines = random.Random(seed), list[str]()
    for _ in range(number):
        one, other = draw.choice("abcd"), draw.choice("abcd")
        for place, (form, head) in enumerate(
            [("go", 0), (one, 1), (other, 1 if one != other else 2)], start=1
        ):
            tag = "V" if place == 1 else "N"
            lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\tdep\t_\t_")
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.thorough
def test_what_siblings_alone_tell_is_learnt(tmp_path: Path) -> None:
    gold, other = siblings_tell(tmp_path / "gold", 80, 1), siblings_tell(tmp_path / "other", 40, 2)
    examples = [one for one in read_examples(other, with_heads=True) if isinstance(one, Example)]
    right = {}
    for text in ("tag h, tag d\n", "tag h, tag d\nfeature R-Next where word s, word m\n"):
        model = train(gold, tmp_path / "m.npz", schema=SIBLINGS, epochs=5, templates=text)
        trees = [tree and tree[0] for tree in Parser(model).trees(examples)]
        right[text.count("\n")] = sum(tree == one.heads for tree, one in zip(trees, examples, strict=True))
        found = Parser(Model.read(tmp_path / "m.npz"))  # written and read
        assert [tree and tree[0] for tree in found.trees(examples)] == trees
    assert right[2] == 40 > right[1]


def test_a_schema_that_derives_some_trees_more_than_once(tmp_path: Path) -> None:
    """Its steps count by their share of a tree's derivations, and no warning is given."""
    heads = (2, 0, 2, 3, 2, 5)
    text = (
        LINKS + "feature R-Link L-Link where tag i, tag j\nfeature CombineSpans where tag i, tag j, tag k\n"
    )
    training = Training([treebank(tmp_path / "gold", [heads] * 3)], "eisner1996", templates=text)
    steps = training._steps
    assert steps is not None
    tensors = steps.tensors(training.sentences[0], training.weights.links)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = training._applied(np.zeros((7, 7)), tensors, np.array((0, *heads)))
        shares = [training.epoch() for _ in range(4)]
    assert found is not None
    links = [(head, dependent) for dependent, head in enumerate(heads, start=1)]
    for step, right in (("R-Link", True), ("L-Link", False)):
        expected = np.zeros((7, 7))
        for pair in links:
            if (pair[0] > pair[1]) == right:  # R-Link has its head to the right
                expected[tuple(sorted(pair))] = 1
        np.testing.assert_allclose(found[step], expected, atol=1e-9)
    combined = found["CombineSpans"]
    assert ((combined > 0.01) & (combined < 0.99)).any()
    assert combined.sum() == pytest.approx(round(combined.sum()))  # each derivation applies it as often
    assert shares[-1] > shares[0]


def test_training_of_steps_that_was_ended_goes_on(tmp_path: Path) -> None:
    gold, text = (
        siblings_tell(tmp_path / "gold", 30, 3),
        "tag h, tag d\nfeature R-Next where word s, word m\n",
    )
    whole = train(gold, schema=SIBLINGS, epochs=3, templates=text)
    one, other = (Training([gold], SIBLINGS, templates=text) for _ in range(2))
    one.epoch()
    one.save(tmp_path / "kept")
    assert other.resume(tmp_path / "kept")
    other.epoch()
    other.epoch()
    assert (other.model().links == whole.links).all()
    different = Training([gold], SIBLINGS, templates=text.replace("word s", "tag s"))
    assert not different.resume(tmp_path / "kept")


@pytest.mark.parametrize(
    "name", [SIBLINGS, GRANDPARENTS, "koo-collins2010-model1", "koo-collins2010-model2", "eisner-satta1999"]
)
def test_default_templates(name: str) -> None:
    templates, steps = templates_of(default_templates_of(name), name)
    assert len(templates.links) == len(parse_templates("default").links)
    assert (steps is None) == (name == "eisner-satta1999")
    for step, kernel in steps.kernels.items() if isinstance(steps, StepWeights) else ():
        assert step in schemata.load(name).definition.step_names
        assert len(kernel.names) in (2, 3)


def test_lines_with_mistakes() -> None:
    def positions(step: str) -> Sequence[str]:
        return axes_of(schemata.load(SIBLINGS).definition, step)

    lines = [
        "feature R-Nxt where tag h", "feature R-Next where tag q", "feature R-Next where",
        "feature R-Next where tag h + 3", "feature R-Next L-Nxt where distance s m, wrod h", "distance h d", "tag s",
        "  feature R-Next L-Nxt where tag h",
    ]  # fmt: skip
    with pytest.raises(GrammarError) as error:
        parse_templates("\n".join(["tag h", *lines]), "some.features", positions)
    found = [(d.location.line - 1, d.location.column) for d in error.value.diagnostics if d.location]
    assert found == [(1, 9), (2, 9), (3, 21), (4, 22), (5, 42), (6, 1), (7, 1), (8, 18)]
    hints = [d.hint for d in error.value.diagnostics]
    assert "R-Next" in (hints[0] or "")
    assert "h, s and m" in (hints[1] or "")
    assert "word" in (hints[4] or "")
    with pytest.raises(GrammarError, match="no steps where no schema is learnt with"):
        parse_templates("tag h\nfeature R-Next where tag h")
    with pytest.raises(GrammarError, match="no templates of links"):
        parse_templates("feature R-Next where tag h", positions=positions)
    assert parse_templates(with_default("tag h\ndefault # all\n")) == parse_templates("tag h\ndefault")


def test_the_commands(cli: Cli, tmp_path: Path) -> None:
    gold, text, model = siblings_tell(tmp_path / "g.conllu", 60, 4), tmp_path / "f", tmp_path / "m.npz"
    text.write_text("default\nfeature R-Next where word s, word m\n", encoding="utf-8")
    with_features = ("train", str(gold), "-o", str(model), "--epochs", "3", "--features", str(text))
    assert cli(*with_features, "--with", SIBLINGS).code == 0
    assert cli("parse", str(model), str(gold), "-o", str(tmp_path / "out")).code == 0
    assert schemata.evaluate(gold, tmp_path / "out").uas > 0.95
    answer = cli("parse", str(model), str(gold), "--with", "eisner1996")
    assert (answer.code, "weighs steps of mcdonald-pereira2006" in answer.err) == (2, True)
    for schema in ((), ("--with", "mst"), ("--with", "eisner1996")):
        answer = cli(*with_features, *schema)
        assert (answer.code, "R-Next" in answer.err) == (2, True)
    with pytest.raises(UsageError, match="weighs steps"):
        Parser(Model.read(model), "mst")
