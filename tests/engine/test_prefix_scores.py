"""Prefix scores against all beginnings of computations; a beam that goes by them."""

import random

import pytest

import schemata
from schemata.errors import UsageError
from schemata.weights.features import StepFeature, Template

N = 4


def setting(seed):
    """Return a model with random weights of the two topmost words of the stack, by transition."""
    rng = random.Random(seed)
    words = [rng.choice("ab") for _ in range(N)]
    places = {"sh": ("s0", "h"), "la": ("h1", "h2"), "ra": ("h1", "h2")}
    templates = {step: [f"word {one}, word {other}"] for step, (one, other) in places.items()}
    known = ["<none>", "<root>", "a", "b"]
    weights = {
        StepFeature(step, Template.of(templates[step][0]), (one, other)): rng.uniform(-1, 1)
        for step in places
        for one in known
        for other in known
    }
    return words, schemata.Features(templates, weights)


def beginnings(words, model):
    """Yield the top of the stack of each configuration as an item, with the score of the way there.

    A node of the stack stands with the fencepost at which the computation begins that pushes it.
    """

    def word(node):
        return "<none>" if node is None else "<root>" if node == 0 else words[node - 1]

    def score(step, one, other):
        template = model.templates[step][0]
        return model.weights[StepFeature(step, template, (word(one), word(other)))]

    def go(stack, front, total):
        below = [None, None, *(h for _, h in stack)]
        begin, top = stack[-1]
        yield (begin, top, front, below[-3], below[-2]), total, front == N + 1 and len(stack) == 1
        s1, s0 = below[-2], below[-1]
        if front <= N:
            yield from go([*stack, (front, front)], front + 1, total + score("sh", s1, s0))
        if len(stack) > 1:
            (i, _), (_, h2) = stack[-2:]
            if s1 != 0:
                yield from go([*stack[:-2], (i, h2)], front, total + score("la", s1, s0))
            yield from go(stack[:-1], front, total + score("ra", s1, s0))

    yield from go([(0, 0)], 1, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_figure_5(seed):
    words, model = setting(seed)
    best = {}
    for item, total, _ in beginnings(words, model):
        best[item] = max(total, best.get(item, total))
    chart = schemata.load("arc-standard-words").run(words, weights=model)
    found = {item.values: score for item, score in chart.prefix_scores().items()}
    assert found.keys() == best.keys()
    assert all(found[item] == pytest.approx(best[item]) for item in best)
    # The whole is a beginning, too: there the prefix score is the Viterbi score.
    assert found[0, 0, N + 1, None, None] == pytest.approx(chart.total("viterbi"))


@pytest.mark.thorough
def test_a_beam_by_prefix_scores():
    """A beam that is wide enough loses nothing; a narrow one takes so many items of each cell and finds a parse."""
    schema = schemata.load("arc-standard-words")
    gained = 0
    for seed in range(30):
        words, model = setting(seed)
        whole = schema.run(words, weights=model).total("viterbi")
        wide = schema.run(words, weights=model, control="beam 100, order left-to-right, rank prefix")
        assert wide.search.weight == pytest.approx(whole)
        assert wide.search.dropped == 0
        by_prefix, by_weight = (
            schema.run(
                words, weights=model, control=f"beam 2, order left-to-right, rank {rank}"
            ).search.weight
            for rank in ("prefix", "weight")
        )
        for found in (by_prefix, by_weight):
            assert found is None or found <= whole + 1e-9
        lost = [-1e9 if found is None else found for found in (by_prefix, by_weight)]
        gained += (lost[0] > lost[1] + 1e-9) - (lost[0] < lost[1] - 1e-9)
    assert gained > 0  # prefix scores compare items that begin at different places


def test_what_is_refused():
    schema = schemata.load("arc-standard-words")
    with pytest.raises(UsageError, match="best-first goes by the weights of derivations"):
        schema.run("a b", control="best-first, rank prefix")
    assert str(schemata.Control.of("beam 4, rank prefix")) == "beam 4, rank prefix"
    assert schemata.Control.of("beam 4").to_json()["rank"] == "weight"
