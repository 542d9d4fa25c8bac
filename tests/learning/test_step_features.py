"""Features of steps learnt from trees: what can be learnt is learnt, with each schema, and is read from a file."""

import random
from pathlib import Path

import pytest

import schemata
from schemata.errors import UsageError
from schemata.learning.step_features import learn_features
from schemata.structures import Sentence
from schemata.weights.features import Features
from schemata.weights.scores import Weights
from tests.support.commands import Cli, Tells

# The tags tell the head: an A goes under the next N, a P under the N before it, Ns under the V, the V under 0.


def sentences(count: int, seed: int) -> list[Sentence]:
    """Return sentences whose trees follow from their tags."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        subject, more = (
            [*"A" * rng.randint(0, 2), "N", *"P" * rng.randint(0, 1)],
            ["N", *"P" * rng.randint(0, 1)],
        )
        tags = [*subject, "V", *more][: rng.randint(3, 8)]
        if "V" not in tags:
            continue
        verb, heads = tags.index("V") + 1, []
        for k, tag in enumerate(tags, start=1):
            if tag == "A":
                heads.append(next(j for j in range(k, len(tags) + 1) if tags[j - 1] == "N"))
            elif tag == "P":
                heads.append(max(j for j in range(1, k) if tags[j - 1] == "N"))
            else:
                heads.append(0 if tag == "V" else verb)
        words = tuple(f"{tag.lower()}{rng.randint(1, 3)}" for tag in tags)
        found.append(Sentence(words, tuple(tags), tuple(heads)))
    return found


@pytest.mark.parametrize(
    ("name", "templates"),
    [
        ("arc-standard", {x: ["tag h1, tag h2", "tag h1, tag h2, distance h1 h2"] for x in ("la", "ra")}),
        (
            "collins1996",
            {x: ["tag h1, tag h2", "tag h1, tag h2, distance h1 h2"] for x in ("R-Link", "L-Link")},
        ),
        (
            "yamada-matsumoto2003",
            {"R-Link": ["tag j, tag k, distance j k"], "L-Link": ["tag j, tag i, distance i j"]},
        ),
    ],
)
def test_trees_that_follow_from_tags_are_learnt(name: str, templates: dict[str, list[str]]) -> None:
    """Of sentences that were not seen nearly all trees are found, and with nothing learnt few."""
    schema, model = schemata.load(name), Features(templates)
    learnt, left_out = learn_features(schema, sentences(20, 1), model, epochs=3)
    assert left_out == 0

    def right(model: Features) -> int:
        links = schemata.DRules.all(single_root=True)
        return sum(
            schema.run(one, links, weights=model).best().structure.heads == one.heads
            for one in sentences(12, 2)
        )

    assert right(model) < 6
    assert right(learnt) >= 10


def test_sentences_that_a_schema_does_not_derive_are_left_out() -> None:
    crossed = Sentence(("a", "b", "c", "d"), heads=(3, 4, 0, 3))
    some = [crossed, Sentence(("a", "b"), heads=(2, 0)), Sentence(("a", "b"), heads=(0, 0)), Sentence(("a",))]
    model = Features({"la": ["word h1, word h2"]})
    learnt, left_out = learn_features("arc-standard", some, model, epochs=2)
    assert left_out == 1
    assert {one.step for one in learnt.weights} <= {"la"}
    with pytest.raises(UsageError, match="the gold tree of no sentence"):
        learn_features("arc-standard", [crossed], model)
    with pytest.raises(UsageError, match="which cyk does not go by"):
        learn_features("cyk", some, model)


def test_the_command(cli: Cli, tells: Tells, tmp_path: Path) -> None:
    templates, model = tmp_path / "templates.scores", tmp_path / "model.scores"
    templates.write_text("feature la where tag h1, tag h2\nfeature ra where tag h1, tag h2, distance h1 h2\n")
    words = ("train", "example", "--with", "arc-standard", "--steps", templates, "-o", model, "--epochs", "3")
    found = tells(*map(str, words))
    assert (found["trained_with"], found["skipped"], len(found["epochs"])) == ("arc-standard", 1, 3)
    learnt = Weights.read(model).features
    assert learnt is not None
    assert len(learnt.weights) == found["features"] > 5
    chosen = ("--conllu", "example", "--number", "2", "--single-root", "--weights", str(model), "--best", "1")
    assert tells("run", "arc-standard", *chosen)["best"][0]["heads"] == [2, 6, 2, 5, 3, 0]
    assert cli("train", "example", "--steps", str(templates), "-o", str(model)).code == 2
    empty = tmp_path / "empty.scores"
    empty.write_text("la -> h1=1 [0.5]\n")
    assert (
        cli("train", "example", "--with", "arc-standard", "--steps", str(empty), "-o", str(model)).code == 2
    )
