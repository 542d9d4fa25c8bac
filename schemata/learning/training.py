"""Training: a parser learns the weights of its features from gold trees, online, with averages of the weights.

Two ways. *Neutral*: each word chooses its head by itself, with a margin (a multiclass perceptron), so that the scores
favour no algorithm. *Structured*: the best tree of a schema under scores in which each wrong link is worth one more is
compared with the gold tree (McDonald, Crammer & Pereira 2005; loss-augmented, Taskar et al. 2005). Where features look
at steps of the schema, those of the gold tree's derivation are raised and those of the other one lowered. Labels are
learnt beside it, by a perceptron over the gold links. The model is the average of the weights over all sentences
(Collins 2002).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.errors import AmbiguityWarning, Diagnostic, UsageError, require_number
from schemata.learning.arcs import PAD, SIZE, ArcWeights, hashed_sentence, with_default
from schemata.learning.examples import Example, columns_of, known_words, read_examples
from schemata.learning.model import (
    NEUTRAL,
    Model,
    Parser,
    learnt_examples,
    numbered_labels,
    order_of_epoch,
    question_of,
    resumed,
    save_state,
    settled,
    templates_of,
)
from schemata.learning.step_arrays import default_templates_of
from schemata.learning.system_training import SystemTraining
from schemata.learning.systems import SystemSettings
from schemata.records import Record, json_of
from schemata.workbench import decoder

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Epoch(Record):
    """The results of one pass over the training sentences.

    Attributes
    ----------
    number : from 1.
    right : the share of words that chose their gold head while learning.
    uas, las : on held-out sentences, with the averaged weights, without subtypes; None without such sentences.
    """

    number: int
    right: float
    uas: float | None
    las: float | None

    to_json = json_of("number right uas las")


class Training:
    """A training that goes on epoch by epoch.

    Parameters
    ----------
    gold : CoNLL-U files.
    schema : the schema whose trees are searched in training; `neutral` for none.
    templates : the text of the features, in which the line `default` stands for the default ones of links; None for the
        default ones, also for steps if those of a shipped schema have further words.
    seed : fixes the order of sentences.
    longest : longer sentences are left out.
    skipped : gets findings about sentences that cannot be used.

    Raises
    ------
    TreebankError : a file cannot be read.
    GrammarError : the templates have mistakes.
    UsageError : no sentence has a tree; no such schema.
    """

    def __init__(
        self,
        gold: Sequence[str | PathLike[str]],
        schema: str = NEUTRAL,
        *,
        templates: str | None = None,
        seed: int = 0,
        longest: int = 100,
        skipped: list[Diagnostic] | None = None,
        file: str = "<templates>",
    ) -> None:
        self.schema, self.seed = schema, seed
        self._decoder = None if schema == NEUTRAL else decoder(schema, threads=1)
        chosen, self._steps = templates_of(templates or default_templates_of(schema), schema, file)
        self.text = with_default(templates or default_templates_of(schema))
        examples = learnt_examples(gold, longest, skipped)
        self.words = known_words(examples)
        number = numbered_labels(label for one in examples for label in one.labels)
        self.labels = tuple(number)
        known = self.words.__contains__
        self.sentences = [hashed_sentence(columns_of(one, known)) for one in examples]
        self._heads = [np.array((0, *(one.heads or ())), np.int64) for one in examples]
        self._labels = [np.array((0, *(number[x] for x in one.labels)), np.int64) for one in examples]
        self.weights = ArcWeights(chosen.links, np.zeros(SIZE + PAD), np.zeros(SIZE + PAD))
        self._sums = np.zeros(SIZE + PAD), np.zeros(SIZE + PAD)
        self._derived: dict[int, NDArray[np.int64]] = {}  # what links are learnt from, by sentence
        self._now = 1.0
        self.epochs = 0

    @property
    def question(self) -> str:
        """The key of a training, which goes on only with the same sentences and settings."""
        rows = zip(self.sentences, self._heads, self._labels, strict=True)
        arrays = (array for sentence, *gold in rows for array in (sentence.columns, *gold))
        return question_of((self.schema, self.text, self.seed, self.labels), arrays)

    def epoch(self, watch: Callable[[Sequence[int]], Iterator[int]] = iter) -> float:
        """Learn from each sentence once; returns the share of words that chose their gold head.

        Parameters
        ----------
        watch : passes the numbers of the sentences through, and shows how far the work is.
        """
        right = words = 0
        for k in watch(order_of_epoch(len(self.sentences), self.seed, self.epochs)):
            right += self._learn(k)
            words += self.sentences[k].n
            self._now += 1
        self.epochs += 1
        return right / words

    def _learn(self, number: int) -> int:
        sentence, labels = self.sentences[number], self._labels[number]
        if number not in self._derived:
            self._derived[number] = self._nearest(self._heads[number])
        heads = self._derived[number]
        places = np.arange(1, sentence.n + 1)
        scores = self.weights.scores(sentence)
        scores[:, 1:] += 1.0  # each wrong link is worth one more
        scores[heads[1:], places] -= 1.0
        np.fill_diagonal(scores, -np.inf)
        steps = None if self._steps is None else self._steps.tensors(sentence, self.weights.links)
        if self._decoder is None:
            chosen = scores[:, 1:].argmax(axis=0)
        else:
            found, _ = self._decoder([scores], steps=steps)
            chosen = found[0] if found[0, 0] >= 0 else heads[1:]
        others = np.concatenate([[0], chosen])
        links, of_labels = self._sums
        if (others != heads).any():
            gold, other = (self._applied(scores, steps, row) for row in (heads, others))
            self.weights.learn(sentence, links, heads, others, self._now)
            if self._steps is not None and gold is not None and other is not None:
                self._steps.learn(sentence, self.weights.links, links, gold, other, self._now)
        right = int((others == self._heads[number]).sum()) - 1
        heads = self._heads[number]
        named = self.weights.label_scores(sentence, heads, len(self.labels))
        named[1:] += 1.0
        named[places, labels[1:]] -= 1.0
        named = named.argmax(axis=1)
        named[0] = labels[0]
        self.weights.learn_labels(sentence, of_labels, heads, labels, named, self._now)
        return right

    def _nearest(self, heads: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tree of the schema with most links of a gold tree; other words are lifted as little as possible.

        For a tree that the schema derives, this is the tree itself.
        """
        if self._decoder is None:
            return heads
        n = len(heads) - 1
        scores = np.zeros((n + 1, n + 1))
        for word in range(1, n + 1):
            above, share = word, 1.0
            while above and share:
                above = int(heads[above])
                scores[above, word] = share
                share /= n + 1
        found, _ = self._decoder([scores])
        return np.concatenate([[0], found[0]]) if found[0, 0] >= 0 else heads

    def _applied(
        self, scores: NDArray[np.float64], steps: dict[str, Any] | None, heads: NDArray[np.int64]
    ) -> Mapping[str, NDArray[np.float64]] | None:
        """Return by step how often a tree's derivation applies it at each place; None if nothing can be learnt.

        If a tree has several derivations, each counts with its share. A tree that the schema does not derive teaches
        nothing about steps.
        """
        if steps is None or self._decoder is None:
            return None
        places = np.arange(1, len(heads))
        alone = np.full_like(scores, -np.inf)
        alone[heads[1:], places] = scores[heads[1:], places]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AmbiguityWarning)
            found = self._decoder.gradients([alone], steps=steps)
        return (
            {step: shares[0] for step, shares in found.steps.items()} if found.totals[0] > -np.inf else None
        )

    def model(self) -> Model:
        """Return the averages of the weights so far, as a model."""
        links, labels = (
            (weights - sums / self._now).astype(np.float32)
            for weights, sums in zip((self.weights.links, self.weights.labels), self._sums, strict=True)
        )
        return Model(self.schema, self.text, self.labels, self.words, links, labels)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state that training needs to go on.

        Raises
        ------
        UsageError : the file cannot be written.
        """
        arrays = self.weights.links, self.weights.labels, *self._sums
        save_state(path, self.question, (self._now, self.epochs), arrays)

    def resume(self, path: str | PathLike[str]) -> bool:
        """Go on where a training with the same sentences and settings was ended; False if there was no such
        training.
        """
        found = resumed(path, self.question, (self.weights.links, self.weights.labels, *self._sums))
        if found is not None:
            self._now, self.epochs = found[0], int(found[1])
        return found is not None


def accuracy(parser: Parser, examples: Sequence[Example]) -> tuple[float, float]:
    """Return the shares of words with the right head, and with the right head and label without its subtype."""
    right = labelled = words = 0
    for example, found in zip(examples, map(settled, parser.trees(examples)), strict=True):
        words += len(example)
        if found is not None and example.heads is not None:
            for head, other, label, name in zip(
                example.heads, found[0], example.labels, found[1], strict=True
            ):
                right += head == other
                labelled += head == other and label.partition(":")[0] == name.partition(":")[0]
    return right / max(words, 1), labelled / max(words, 1)


def train(
    gold: str | PathLike[str] | Sequence[str | PathLike[str]],
    model: str | PathLike[str] | None = None,
    *,
    schema: str = NEUTRAL,
    epochs: int = 5,
    held_out: str | PathLike[str] | None = None,
    templates: str | None = None,
    seed: int = 0,
    longest: int = 100,
    skipped: list[Diagnostic] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
    watch: Callable[[Sequence[int]], Iterator[int]] = iter,
    file: str = "<templates>",
    system: str | None = None,
    oracle: str = "static",
    beam: int = 1,
    pseudo_projective: str | None = None,
    on_start: Callable[[Training | SystemTraining], None] | None = None,
) -> Model:
    """Train a parser.

    Parameters
    ----------
    gold : treebanks in CoNLL-U.
    model : the file to write; a training that was ended early goes on from its last epoch, kept beside it. None to
        keep nothing.
    schema : `neutral`, or the schema whose best trees are learnt from.
    epochs : passes over the sentences.
    held_out : a treebank; the model of the epoch that parses it best is returned.
    templates : the features, as `schemata.learning.arcs` reads them; None for the default ones.
    seed, longest, skipped, file : as for `Training`.
    on_epoch : receives the result of each epoch.
    watch : as for `Training.epoch`.
    system : a transition system to train in place of scores of links, such as `arc-eager-system`.
    oracle, beam : "static" or "dynamic"; how many sequences of transitions are kept, 1 for greedy search.
    pseudo_projective : the encoding of lifted words in labels, such as "head+path"; None to lift none.
    on_start : called with the training when its sentences have been read.

    Raises
    ------
    TreebankError, GrammarError, UsageError, SchemaError : as `Training`; the model cannot be written.
    """
    require_number("epochs", epochs, least=1)
    files = [gold] if isinstance(gold, str | PathLike) else list(gold)
    training: Training | SystemTraining
    settings: dict[str, Any] = {"templates": templates, "seed": seed, "longest": longest, "skipped": skipped}
    if system is None:
        training = Training(files, schema, file=file, **settings)
    else:
        if schema != NEUTRAL:
            message = "a transition system finds trees by itself: give it, or a schema"
            raise UsageError(message, code="usage", expected="system, or schema")
        chosen = SystemSettings(system, oracle, beam, pseudo_projective)
        training = SystemTraining(files, chosen, file=file, **settings)
    if on_start is not None:
        on_start(training)
    others = []
    if held_out is not None:
        others = [one for one in read_examples(held_out, with_heads=True) if isinstance(one, Example)]
    kept = None if model is None else f"{fspath(model)}.epoch"
    if kept is not None:
        training.resume(kept)
    best: tuple[float, Model] | None = None
    while training.epochs < epochs:
        right = training.epoch(watch)
        found = training.model()
        uas = las = None
        if others:
            uas, las = accuracy(Parser(found), others)
        if best is None or uas is None or uas >= best[0]:
            best = (uas or 0.0, found)
        if on_epoch is not None:
            on_epoch(Epoch(training.epochs, right, uas, las))
        if kept is not None and model is not None:
            best[1].save(model)
            training.save(kept)
    result = training.model() if best is None else best[1]
    if model is not None and kept is not None:
        if best is None:
            result = Model.read(model) if Path(model).is_file() else result
        result.save(model)
        Path(kept).unlink(missing_ok=True)
    return result
