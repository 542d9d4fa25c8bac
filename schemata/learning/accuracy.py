"""How accurate parsing algorithms are: schemata and transition systems, trained and tested on the same treebanks.

A parser is named by its schema or system, for systems with its way of learning: `arc-eager-system+dynamic`,
`swap-system+beam=8`, `arc-standard-system+pseudo-projective`. Decoders of schemata are trained *neutrally*, so that all
search one and the same matrix of scores, which favours none of them, or each with its *own* best trees. A system always
learns its own transitions.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from schemata.analysis.complexity import complexity
from schemata.errors import BudgetError, Diagnostic, UsageError, require_known
from schemata.language.library import split_reference
from schemata.learning.evaluation import ConfidenceInterval, Evaluation, difference, evaluate
from schemata.learning.examples import Example, conllu_text, read_examples
from schemata.learning.model import NEUTRAL, Model, Parser, settled, write_whole
from schemata.learning.training import train
from schemata.records import Record, Shown, Tabular, document, fields_json, json_of
from schemata.structures import DependencyTree
from schemata.structures.classes import classify
from schemata.structures.oracles import ORACLES, follow
from schemata.text_files import write_text
from schemata.verification.coverage import MOST_PLANES, parsers
from schemata.workbench import load

TRAININGS = (NEUTRAL, "own")
ALL_TREES = ("mst", "matrix-tree")
_CHANGES = "+dynamic, +beam=K or +pseudo-projective"


class Contestant(Record):
    """A parser by its name, and how it is trained.

    Attributes
    ----------
    name : as it was given.
    reference : the schema or system.
    system : whether it is a transition system.
    oracle, beam, encoding : as in `SystemSettings`.
    """

    name: str
    reference: str
    system: bool
    oracle: str = "static"
    beam: int = 1
    encoding: str | None = None

    @classmethod
    def read(cls, name: str) -> Contestant:
        """Return the parser of a name.

        Raises
        ------
        UsageError : an unknown way of learning, or one for a schema that is not a transition system.

        >>> Contestant.read("swap-system+beam=8").beam
        8
        """
        reference, *changes = name.split("+")
        found: dict[str, Any] = {}
        for change in changes:
            key, _, value = change.partition("=")
            if key == "beam" and value.isdecimal():
                found["beam"] = int(value)
            elif change == "dynamic":
                found["oracle"] = "dynamic"
            elif change == "pseudo-projective":
                found["encoding"] = "head+path"
            else:
                message = f"no parser is changed by +{change}"
                raise UsageError(message, code="bad-option", expected=_CHANGES)
        system = split_reference(reference)[0] in ORACLES
        if found and not system:
            message = f"{reference} is not a transition system: it has no {', '.join(changes)}"
            raise UsageError(message, code="bad-option", expected="a transition system, or no changes")
        return cls(name, reference, system, **found)


class Treebank(Record):
    """A treebank in two parts: to learn from, and to be tested on."""

    name: str
    training: str
    test: str

    @classmethod
    def read(cls, text: str) -> Treebank:
        """Return a treebank from `TRAIN,TEST` or `NAME=TRAIN,TEST`.

        Raises
        ------
        UsageError : it does not have two parts.
        """
        name, equals, parts = text.partition("=")
        files = (parts if equals else text).split(",")
        if len(files) != 2 or not all(files):
            message = f"{text!r} names no files to learn from and to be tested on"
            raise UsageError(message, code="bad-option", expected="TRAIN,TEST or NAME=TRAIN,TEST")
        return cls(name if equals else Path(files[1]).stem, files[0], files[1])


class Score(Record):
    """The accuracy of a parser on a treebank.

    Attributes
    ----------
    treebank, parser : their names.
    training : "neutral", "own" (trees of the schema), or "transitions".
    uas, las : shares of words with the right head (and label), with intervals.
    crossing_precision, crossing_recall : of non-projective arcs with their labels, LP-NP and LR-NP of Gómez-Rodríguez &
        Nivre (2010); None if there are none.
    coverage : the share of gold trees that the algorithm can build; None if that is unknown.
    degree : of its time in n; None for transition systems, which are greedy, and spanning trees.
    train_seconds, parse_seconds : of processor time; training None if the model was kept from an earlier time.
    sentences : tested.
    p_las : of the difference in LAS to the treebank's first parser; None for that one.
    """

    treebank: str
    parser: str
    training: str
    uas: float
    las: float
    uas_interval: ConfidenceInterval | None
    las_interval: ConfidenceInterval | None
    crossing_precision: float | None
    crossing_recall: float | None
    coverage: float | None
    degree: int | None
    train_seconds: float | None
    parse_seconds: float
    sentences: int
    p_las: float | None

    to_json = json_of(
        "treebank parser training uas las uas_interval las_interval crossing_precision crossing_recall coverage "
        "degree train_seconds parse_seconds sentences p_las"
    )


class Accuracy(Record, Shown, Tabular, repr=False):
    """Parsers side by side.

    Attributes
    ----------
    training : how schemata were trained.
    epochs : passes over each treebank.
    scores : treebank by treebank, in the order of the parsers.
    skipped : sentences that could not be used.
    """

    training: str
    epochs: int
    scores: tuple[Score, ...]
    skipped: tuple[Diagnostic, ...] = ()

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each parser and treebank."""
        yield from (
            fields_json(score, "treebank parser training uas las coverage degree") for score in self.scores
        )

    def to_json(self) -> dict[str, Any]:
        """Return the object that `schemata accuracy --json` prints."""
        found = document(fields_json(self, "training epochs"))
        found["scores"] = [score.to_json() for score in self.scores]
        return found | {"skipped": len(self.skipped)}


def accuracy(
    names: Sequence[str],
    treebanks: Sequence[str | Treebank],
    *,
    training: str = NEUTRAL,
    epochs: int = 5,
    seed: int = 0,
    longest: int = 100,
    resamples: int = 1000,
    models: str | PathLike[str] | None = None,
    on_score: Callable[[Score], None] | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Accuracy:
    """Train parsers and test them on the same treebanks.

    Parameters
    ----------
    names : schemata, `mst` for all trees, and transition systems with changes: see `Contestant`.
    treebanks : `TRAIN,TEST` or `NAME=TRAIN,TEST`: CoNLL-U files.
    training : of schemata: "neutral" for one matrix of scores that favours none, "own" for each with its best trees.
    epochs, seed, longest : of training.
    resamples : samples of sentences, for intervals and tests.
    models : a folder in which models are kept, and found again for the same treebank and settings.
    on_score : called with each score as soon as it is known.
    note : receives messages about progress.

    Raises
    ------
    UsageError, SchemaError : no such parser or treebank.
    TreebankError : a file cannot be read.
    """
    require_known(training, TRAININGS, f"there is no {training} training")
    if not names or not treebanks:
        raise UsageError(
            "give parsers and treebanks", code="usage", expected="a schema, --treebank TRAIN,TEST"
        )
    contestants = [Contestant.read(name) for name in names]
    for one in contestants:
        if one.reference not in ALL_TREES:
            load(one.reference)
    if training == "own" and any(one.reference == "matrix-tree" for one in contestants):
        raise UsageError("matrix-tree has no best trees to learn from", code="usage", expected="mst")
    degrees = {one.name: _degree(one) for one in contestants}
    scores: list[Score] = []
    skipped: list[Diagnostic] = []
    for treebank in (Treebank.read(one) if isinstance(one, str) else one for one in treebanks):
        examples: list[Example] = []
        for found in read_examples(treebank.test, with_heads=True):
            if isinstance(found, Example):
                examples.append(found)
            else:
                skipped.append(found)
        if not examples:
            raise UsageError(f"no sentence of {treebank.test} has a tree", code="nothing-compared")
        with tempfile.TemporaryDirectory() as folder:
            gold = Path(folder, "gold.conllu")
            write_text(gold, "".join(conllu_text(one, one.heads or (), one.labels) for one in examples))
            trained: dict[str, tuple[Model, float | None]] = {}
            first: Evaluation | None = None
            for one in contestants:
                own = not one.system and training == "own"
                key = one.name if one.system or own else NEUTRAL
                if key not in trained:
                    note(f"{treebank.name}: training {key}")
                    trained[key] = _trained(one, treebank, own, epochs, seed, longest, models)
                model, train_seconds = trained[key]
                note(f"{treebank.name}: parsing by {one.name}")
                evaluation, parse_seconds = _tested(one, model, examples, gold, resamples, seed)
                p_las = difference(evaluation, first, resamples, seed).p_las if first is not None else None
                first = first or evaluation
                crossing = evaluation.nonprojective
                scores.append(
                    Score(
                        treebank.name, one.name, "transitions" if one.system else training,
                        evaluation.uas, evaluation.las,
                        evaluation.intervals.get("uas"), evaluation.intervals.get("las"),
                        crossing.labelled_precision, crossing.labelled_recall,
                        _coverage(one, examples), degrees[one.name],
                        train_seconds, parse_seconds, len(examples), p_las,
                    )
                )  # fmt: skip
                if on_score is not None:
                    on_score(scores[-1])
    return Accuracy(training, epochs, tuple(scores), tuple(skipped))


def _trained(
    one: Contestant,
    treebank: Treebank,
    own: bool,
    epochs: int,
    seed: int,
    longest: int,
    models: str | PathLike[str] | None,
) -> tuple[Model, float | None]:
    """Return a model, and the seconds of processor time that its training took; None if it was kept."""
    settings: dict[str, Any] = {"epochs": epochs, "seed": seed, "longest": longest}
    if one.system:
        more = {"oracle": one.oracle, "beam": one.beam, "pseudo_projective": one.encoding}
        settings |= {"system": one.reference, **more}
    else:
        settings["schema"] = one.reference if own else NEUTRAL
    path = None
    if models is not None:
        digest = hashlib.sha256(Path(treebank.training).read_bytes())
        digest.update(json.dumps(settings, sort_keys=True).encode())
        folder = Path(models)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            message = f"{fspath(models)!r} is not a folder for models: {problem.strerror or problem}"
            raise UsageError(message, code="unwritable-file") from None
        path = folder / f"{digest.hexdigest()[:16]}.npz"
        about = path.with_suffix(".json")
        if about.is_file() and path.is_file():
            return Model.read(path), None
    began = time.process_time()
    model = train(treebank.training, path, **settings)
    seconds = time.process_time() - began
    if path is not None:
        kept = {"treebank": treebank.name, "seconds": seconds} | settings
        write_whole(path.with_suffix(".json"), json.dumps(kept, indent=1).encode())
    return model, seconds


def _tested(
    one: Contestant, model: Model, examples: Sequence[Example], gold: Path, resamples: int, seed: int
) -> tuple[Evaluation, float]:
    """Return the accuracy of a parser, and its seconds of processor time for all sentences."""
    parser = Parser(model, None if one.system else one.reference)
    began = time.process_time()
    trees = list(map(settled, parser.trees(examples)))
    seconds = time.process_time() - began
    found = gold.with_name("system.conllu")
    texts = []
    for example, tree in zip(examples, trees, strict=True):
        heads, labels = tree or ((0,) * len(example), ("_",) * len(example))
        texts.append(conllu_text(example, heads, labels))
    write_text(found, "".join(texts))
    return evaluate(gold, found, resamples=resamples, seed=seed), seconds


def _coverage(one: Contestant, examples: Sequence[Example]) -> float | None:
    """Return the share of gold trees that an algorithm can build; None if that is unknown."""
    trees = [DependencyTree(example.heads) for example in examples if example.heads]
    if one.reference in ALL_TREES:
        return 1.0
    if one.system:
        name, settings = split_reference(one.reference)
        k = int(settings.get("k", 2))
        return sum(follow(name, tree, k, keep=False).reproduced for tree in trees) / len(trees)
    (parser,) = parsers([one.reference])
    try:
        found = [parser.parses(tree, classify(tree, most_planes=MOST_PLANES)) for tree in trees]
    except BudgetError:  # of some tree it is not known
        return None
    return None if None in found else sum(map(bool, found)) / len(found)


def _degree(one: Contestant) -> int | None:
    if one.system or one.reference in ALL_TREES:
        return None
    found = complexity(load(one.reference), formulas=False, family=False)
    return None if found.exponential or found.time is None else found.time.cost.degree
