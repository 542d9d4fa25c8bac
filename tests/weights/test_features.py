"""Features of steps, against computations that are enumerated and scored one by one."""

import math
import random
from collections import Counter
from itertools import product

import pytest

import schemata
from schemata.errors import GrammarError, UsageError
from schemata.structures import Sentence
from schemata.weights.features import StepFeature, Template
from schemata.weights.scores import Weights, parse_weights

TEMPLATES = {
    "sh": ["word s0", "word h", "word s0, word h", "word j"],
    "la": ["word h1", "word h2", "word h1, word h2", "distance h1 h2", ""],
    "ra": ["word h1", "word h2", "word h1, word h2", "tag h2 + 1"],
}


def computations(words, tags):
    """Yield the heads of each complete computation of arc-standard, with the features of its transitions.

    The features are those of TEMPLATES, read off stack and buffer; the first shift, of the root, has none.
    """
    n = len(words)

    def word(k):
        return "<none>" if k is None else "<root>" if k == 0 else words[k - 1] if k <= n else "<end>"

    def tag(k):
        return tags[k - 1] if k <= n else "<end>"

    def go(stack, front, heads, found):
        if front == n + 1 and stack == [0]:
            yield tuple(heads), found
        s1, s0 = ([None, None, *stack])[-2:]
        if front <= n:
            seen = [
                ("word s0", (word(s1),)),
                ("word h", (word(s0),)),
                ("word s0, word h", (word(s1), word(s0))),
            ]
            seen.append(("word j", (word(front),)))
            yield from go([*stack, front], front + 1, heads, [*found, *(("sh", *x) for x in seen)])
        if s1 is not None:
            both = [
                ("word h1", (word(s1),)),
                ("word h2", (word(s0),)),
                ("word h1, word h2", (word(s1), word(s0))),
            ]
            if s1:
                after = [*heads]
                after[s1 - 1] = s0
                more = [*both, ("distance h1 h2", (str(s0 - s1),)), ("", ())]
                yield from go([*stack[:-2], s0], front, after, [*found, *(("la", *x) for x in more)])
            after = [*heads]
            after[s0 - 1] = s1
            more = [*both, ("tag h2 + 1", (tag(s0 + 1),))]
            yield from go(stack[:-1], front, after, [*found, *(("ra", *x) for x in more)])

    yield from go([0], 1, [0] * n, [])


def feature(step, template, values):
    return StepFeature(step, Template.of(template), values)


def setting(seed):
    rng = random.Random(seed)
    words = tuple(rng.choice("abc") for _ in range(4))
    tags = tuple(rng.choice("XY") for _ in range(4))
    every = {feature(*one) for _, found in computations(words, tags) for one in found}
    weights = {one: rng.uniform(-2, 2) for one in sorted(every, key=str) if rng.random() < 0.8}
    return Sentence(words, tags), schemata.Features(TEMPLATES, weights)


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
@pytest.mark.parametrize("seed", range(6))
def test_figure_4_against_all_computations(seed):
    """Of four words there are 67 computations; their scores are sums of products of Phi and alpha."""
    sentence, model = setting(seed)
    every = [
        (heads, Counter(feature(*one) for one in found))
        for heads, found in computations(sentence.words, sentence.tags)
    ]
    assert len(every) == 67
    scores = [sum(model.weights.get(one, 0.0) * k for one, k in found.items()) for _, found in every]
    chart = schemata.load("arc-standard-words").run(sentence, weights=model)
    assert chart.forest().derivation_count == 67
    assert chart.total("viterbi") == pytest.approx(max(scores))
    best = chart.best()
    assert best.weight == pytest.approx(max(scores))
    heads, found = every[scores.index(max(scores))]
    assert best.structure.heads == heads
    assert chart.features_of(best.derivation) == found
    total = chart.total("log")
    expected = chart.expected()
    assert total == pytest.approx(math.log(sum(map(math.exp, scores))))
    truth = Counter()
    for (_, found), score in zip(every, scores, strict=True):
        for one, k in found.items():
            truth[one] += k * math.exp(score - total)
    assert expected.keys() == truth.keys()
    assert all(expected[one] == pytest.approx(truth[one]) for one in truth)


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
def test_expectations_are_the_gradient():
    """The derivative of the logarithm of the total by a weight is the expected count of its feature."""
    sentence, model = setting(3)
    schema = schemata.load("arc-standard-words")
    step = 1e-6
    chart = schema.run(sentence, weights=model)
    expected = chart.expected()
    for one in sorted(expected, key=str)[::5]:
        moved = schema.run(sentence, weights=model.changed({one: step})).total("log")
        assert (moved - chart.total("log")) / step == pytest.approx(expected[one], abs=1e-4)


def test_a_file_reads_as_it_is_written(tmp_path):
    _, model = setting(1)
    odd = feature("la", "word h1, word h2", ("is", 'a "quoted", [0.5] word'))
    model = model.changed({odd: 0.1 + 0.2})
    path = tmp_path / "model.scores"
    model.write(path)
    again = Weights.read(path).features
    assert again is not None
    assert again.weights == model.weights
    assert {k: set(v) for k, v in again.templates.items()} == {k: set(v) for k, v in model.templates.items()}


def test_lines_of_steps_and_features_add_up():
    weights = parse_weights(
        "words a b\nstep la where h1 is a, h2 is 2 [log -1]\nstep la [log -2]\n"
        "feature la where word h2 is b [log 0.5]\nfeature ra where word h1 is <root> [log 4]"
    ).of_sentence(Sentence(("a", "b")))
    assert weights.steps["la"](h1=1, h2=2) == -0.5
    assert weights.steps["la"](h1=0, h2=2) == -1.5
    assert weights.steps["ra"](h1=0) == 4
    chart = schemata.load("arc-standard").run("a b", weights=weights)
    assert (chart.best().structure.heads, chart.best().weight) == ((0, 0), 8.0)
    assert chart.weight_of((2, 0)) == 3.5


def test_elements_of_lists_and_absent_values():
    """A transition system's stack and buffer are lists; a configuration without a top has <none> there."""
    model = schemata.Features(
        {
            "Shift": ["word last S", "word first B + 1", "length S"],
            "Right-Arc": ["tag i - 1, tag j", "value i"],
        },
    )
    sentence = Sentence(("a", "b", "c"), ("X", "Y", "Z"))
    shift = model.vector("Shift", {"S": (1,), "j": 2, "B": (3,)}, sentence)
    assert [one.values for one in shift] == [("a",), ("<end>",), ("1",)]
    empty = model.vector("Shift", {"S": (), "j": 3, "B": ()}, sentence)
    assert [one.values for one in empty] == [("<none>",), ("<none>",), ("0",)]
    right = model.vector("Right-Arc", {"i": 1, "j": 2}, sentence)
    assert [one.values for one in right] == [("<root>", "Y"), ("1",)]
    # Shift, Left-Arc, Shift, Left-Arc, Shift: each time the stack is empty, and more than three Shifts there are not.
    model = schemata.Features(model.templates, {empty[2]: 1.0})
    chart = schemata.load("arc-standard-system").run(sentence, weights=model)
    assert chart.total("viterbi") == 3.0
    assert chart.features_of(chart.best().derivation)[empty[2]] == 3


def test_a_perceptron_learns_from_features():
    """After some rounds the model's best trees are the gold ones, which it did not know before."""
    schema = schemata.load("arc-standard-words")
    gold = [("the dog barks", (2, 3, 0)), ("the cat sees the dog", (2, 3, 0, 5, 3)), ("dogs bark", (2, 0))]
    templates = {step: ["word h1, word h2", "word h1", "word h2"] for step in ("la", "ra")}
    templates["sh"] = ["word s0, word h", "word h, word j"]
    model = schemata.Features(templates)

    def best(words):
        return schema.run(words, weights=model).best().structure.heads

    assert any(best(words) != heads for words, heads in gold)
    for _, (words, heads) in product(range(8), gold):
        guess = schema.run(words, weights=model)
        right = schema.run(words, schemata.DRules.from_heads(heads), weights=model)
        if guess.best().structure.heads != heads:
            model = model.changed(right.features_of(right.best().derivation))
            model = model.changed(guess.features_of(guess.best().derivation, model), -1)
    assert all(best(words) == heads for words, heads in gold)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("feature ra where wrd h1 is saw [1]", 18, "'wrd h1' is nothing to look at"),
        ("feature ra where distance h1 is 1 [1]", 18, "'distance h1' is nothing to look at"),
        ("feature ra where word h1 h2 is 1 [1]", 18, "'word h1 h2' is nothing to look at"),
        ("feature ra where word h1 is saw", 32, "the line ends too early"),
        (
            "feature ra where word h1, word h2 is a [1]",
            18,
            "some of what is looked at has a value, and some has none",
        ),
        ("feature ra where word h1 [1]", 26, "a template has no weight"),
        ("feature ra where", 17, "the line ends too early"),
        ("feature ra where word h1 is [1]", 29, "[1] does not belong here"),
        ("feature ra [1]\nfeature ra [2]", 1, "the feature stands already in line 1"),
    ],
)
def test_wrong_lines(line, column, message):
    with pytest.raises(GrammarError) as caught:
        parse_weights(line)
    (finding,) = caught.value.diagnostics
    assert (finding.location.column, finding.message) == (column, message)


def test_wrong_models():
    with pytest.raises(UsageError, match="no template of step la"):
        schemata.Features({"la": []}, {feature("la", "word h1", ("a",)): 1.0})
    schema = schemata.load("arc-standard")
    with pytest.raises(UsageError, match="has no step and no item form lla"):
        schema.run("a b", weights=schemata.Features({"lla": ["word h1"]})).best()
    with pytest.raises(UsageError, match="la has no variable x"):
        schema.run("a b", weights=schemata.Features({"la": ["word x"]})).best()
    with pytest.raises(UsageError, match="the sentence has none"):
        schema.run("a b", weights=schemata.Features({"la": ["tag h1"]})).best()
    with pytest.raises(UsageError, match="the run has no features"):
        schema.run("a b").expected()
