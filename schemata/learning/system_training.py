"""Training of transition systems: gold trees as sequences of transitions, and weights that are learnt from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from schemata.errors import Diagnostic, StructureError, TreebankError, UsageError
from schemata.learning.arcs import PAD, SIZE
from schemata.learning.examples import Example, columns_of, known_words
from schemata.learning.guided import DYNAMIC, STATIC, Guide
from schemata.learning.model import (
    Model,
    learnt_examples,
    numbered_labels,
    order_of_epoch,
    question_of,
    resumed,
    save_state,
)
from schemata.learning.systems import SystemSettings, rooted_columns
from schemata.structures.graphs import DependencyTree
from schemata.structures.oracles import oracle
from schemata.structures.projections import has_projective_heads, lifted

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SystemTraining:
    """A training of a transition system that goes on epoch by epoch.

    Parameters
    ----------
    gold : CoNLL-U files.
    settings : the system, its oracle and search.
    templates, seed, longest, skipped, file : as for `Training`.

    Attributes
    ----------
    lifted : how many trees are outside the system's class: these were made projective.

    Raises
    ------
    TreebankError : a file cannot be read.
    GrammarError : the templates have mistakes.
    UsageError : no sentence has a tree; no such system or oracle.
    """

    def __init__(
        self,
        gold: Sequence[str | PathLike[str]],
        settings: SystemSettings,
        *,
        templates: str | None = None,
        seed: int = 0,
        longest: int = 100,
        skipped: list[Diagnostic] | None = None,
        file: str = "<templates>",
    ) -> None:
        self.settings, self.seed, self.lifted = settings.checked(), seed, 0
        examples = learnt_examples(gold, longest, skipped)
        self.words = known_words(examples)
        trees: list[DependencyTree] = []
        kept: list[Example] = []
        for one in examples:
            try:
                trees.append(self._tree(one))
                kept.append(one)
            except TreebankError as broken:
                if skipped is not None:
                    skipped.append(broken.diagnostics[0])
        if not trees:
            raise UsageError("no sentence has a tree to learn from", code="nothing-to-learn")
        number = numbered_labels(label for tree in trees for label in tree.labels or ())
        self.labels = tuple(number)
        self.guide = Guide(settings.schema.definition, templates, settings.beam, len(number), file)
        if settings.oracle == "dynamic" and not self.guide.has_dynamic:
            message = f"there is no dynamic oracle that {settings.name} could be trained with"
            raise UsageError(message, code="usage", expected="--oracle static")
        self.text = self.guide.text
        known, rooted = self.words.__contains__, settings.is_rooted
        self.sentences = [rooted_columns(columns_of(one, known), rooted) for one in kept]
        self._gold = [self._sequence(tree, number) for tree in trees]
        self._weights = tuple(np.zeros(SIZE + PAD) for _ in range(4))
        self._now, self.epochs = 1.0, 0

    def _tree(self, example: Example) -> DependencyTree:
        """Return the tree of a sentence, lifted if parsing is pseudo-projective."""
        assert example.heads is not None
        tree = DependencyTree(example.heads, example.labels)
        if self.settings.encoding is None:
            return tree
        try:
            return lifted(tree, self.settings.encoding)
        except StructureError as error:
            row = example.rows[0]
            message = error.diagnostics[0].message
            raise row.broken(7, "arrows", message, "labels without arrows", "is it lifted already?") from None

    def _sequence(
        self, tree: DependencyTree, number: dict[str, int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the transitions that build a tree, with gaps, and its heads and labels, by word."""
        names = tuple(number[label] for label in tree.labels or ())
        moves: list[tuple[int, int]] | None = []
        if self.settings.oracle == "static":
            moves = self._moves(tree)
        elif self.settings.name != "covington-system" and not has_projective_heads(tree.heads):
            moves = None
        if moves is None:
            self.lifted += 1
            tree = lifted(DependencyTree(tree.heads))
            moves = self._moves(tree) if self.settings.oracle == "static" else []
        if moves is None:
            raise UsageError(f"{self.settings.system} does not build a projective tree", code="no-training")
        root = (len(tree) + 1) * self.settings.is_rooted
        heads = [0, *(h or root for h in tree.heads), 0]
        flat = [x for pair in moves for x in pair]
        return np.array([*flat, -1, -1]), np.array(heads), np.array([0, *names, 0])

    def _moves(self, tree: DependencyTree) -> list[tuple[int, int]] | None:
        """Return the transitions of the static oracle; None if they do not build the tree."""
        settings = self.settings
        if settings.is_rooted:
            tree = DependencyTree((*(h or len(tree) + 1 for h in tree.heads), 0))
        named: list[tuple[str, int]] = []
        buffer: list[int] = []
        built: set[tuple[int, int]] = set()
        for name, c in oracle(settings.name, tree, settings.stacks, rooted=False):
            gap = 0
            if settings.name == "easy-first-system":
                for arc in c.built - built:
                    gap = 1 + buffer.index(min(arc))
                buffer, built = c.buffer[::-1], set(c.built)
            if name:
                named.append((name, gap))
        wanted = sum(h != 0 for h in tree.heads)
        return self.guide.possible(len(tree), named) if len(c.built) == wanted else None

    @property
    def schema(self) -> str:
        """The schema that the model is trained with."""
        return self.settings.system

    @property
    def question(self) -> str:
        """The key of a training, which goes on only with the same sentences and settings."""
        arrays = (
            array
            for columns, gold in zip(self.sentences, self._gold, strict=True)
            for array in (columns, *gold)
        )
        return question_of((str(self.settings), self.text, self.seed, self.labels), arrays)

    def epoch(self, watch: Callable[[Sequence[int]], Iterator[int]] = iter) -> float:
        """Learn from each sentence once; returns the share of transitions that were right.

        Parameters
        ----------
        watch : passes the numbers of the sentences through, and shows how far the work is.
        """
        mode = STATIC if self.settings.oracle == "static" else DYNAMIC
        state = np.array([int(self.epochs > 0), 1 + self.seed * 7919 + self.epochs], np.int64)
        links, labels, *sums = self._weights
        right = made = 0
        for k in watch(order_of_epoch(len(self.sentences), self.seed, self.epochs)):
            gold = self._gold[k]
            words = len(gold[1]) - 2 + self.settings.is_rooted
            root = words if self.settings.is_rooted else 0
            _, _, good, some = self.guide.run(
                mode, self.sentences[k], words, root, (links, labels, *sums), gold, self._now, state
            )
            right, made, self._now = right + good, made + some, self._now + 1
        self.epochs += 1
        return right / max(made, 1)

    def model(self) -> Model:
        """Return the averages of the weights so far, as a model."""
        links, labels = (
            (weights - sums / self._now).astype(np.float32)
            for weights, sums in zip(self._weights[:2], self._weights[2:], strict=True)
        )
        return Model(self.schema, self.text, self.labels, self.words, links, labels, self.settings)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state that training needs to go on.

        Raises
        ------
        UsageError : the file cannot be written.
        """
        save_state(path, self.question, (self._now, self.epochs), self._weights)

    def resume(self, path: str | PathLike[str]) -> bool:
        """Go on where a training with the same sentences and settings was ended; False if there was no such
        training.
        """
        found = resumed(path, self.question, self._weights)
        if found is not None:
            self._now, self.epochs = found[0], int(found[1])
        return found is not None
