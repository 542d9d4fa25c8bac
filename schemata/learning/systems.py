"""Transition systems that parse with learnt weights: settings, sentences with an artificial root, and trees.

Where a system has oracles with a root, the artificial root is the last word of the sentence (Ballesteros & Nivre 2013),
so that the schema's own initial configuration holds; planar systems have none, as published: a word without a head
becomes the root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.errors import UsageError, require_known, require_number
from schemata.language.library import split_reference
from schemata.learning.arcs import COLUMNS, MARGIN
from schemata.learning.examples import code
from schemata.learning.guided import PARSE, Guide
from schemata.records import Record, json_of
from schemata.structures.graphs import DependencyTree
from schemata.structures.oracles import ORACLES
from schemata.structures.projections import ENCODINGS, restored
from schemata.thresholds import REFUSALS
from schemata.workbench import ParsingSchema, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

ORACLE_KINDS = ("static", "dynamic")
_UNROOTED = ("planar-system", "k-planar-system")
ROOT = "root"


class SystemSettings(Record):
    """How a transition system is trained, and parses.

    Attributes
    ----------
    system : its name, with parameters.
    oracle : "static" or "dynamic".
    beam : how many sequences of transitions are kept.
    encoding : of labels of lifted words, for pseudo-projective parsing; None without it.
    """

    system: str
    oracle: str = "static"
    beam: int = 1
    encoding: str | None = None

    to_json = json_of("system oracle beam encoding")

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> SystemSettings:
        """Return settings from their JSON.

        Raises
        ------
        UsageError : they are not settings.
        """
        kinds = {"system": str, "oracle": str, "beam": int, "encoding": str | None}
        if not isinstance(value, Mapping) or any(
            not isinstance(value.get(name), kind) for name, kind in kinds.items()
        ):
            raise UsageError("these are not settings of a transition system", code="usage")
        return cls(*(value[name] for name in kinds)).checked()

    @property
    def name(self) -> str:
        """The system without parameters."""
        return split_reference(self.system)[0]

    @property
    def stacks(self) -> int:
        """The stacks of `k-planar-system`."""
        return int(split_reference(self.system)[1].get("k", 2))

    @property
    def is_rooted(self) -> bool:
        """Whether sentences end with an artificial root."""
        return self.name not in _UNROOTED

    @property
    def schema(self) -> ParsingSchema:
        """The system's schema."""
        return load(self.system)

    def checked(self) -> SystemSettings:
        """Return the settings, if they are valid.

        Raises
        ------
        UsageError : no such system, oracle or encoding; a beam with a dynamic oracle.
        """
        require_known(self.name, ORACLES, f"there is no transition system {self.name} with an oracle")
        require_known(self.oracle, ORACLE_KINDS, f"there is no {self.oracle} oracle")
        require_number("beam", self.beam, least=1)
        if self.encoding is not None:
            require_known(self.encoding, ENCODINGS, f"there is no {self.encoding}")
        if self.beam > REFUSALS.beam:
            raise UsageError(f"a beam of {self.beam} is too wide: {REFUSALS.beam} at most", code="usage")
        if self.beam > 1 and self.oracle == "dynamic":
            message = "a beam learns from the gold sequence of a static oracle, not from a dynamic one"
            raise UsageError(message, code="usage", expected="--oracle static, or no --beam")
        return self


def rooted_columns(columns: NDArray[np.int64], is_rooted: bool) -> NDArray[np.int64]:
    """Return the columns of a sentence with the artificial root behind its words, and nothing at node 0."""
    extra = np.zeros((len(COLUMNS), 1), np.int64)
    found = np.concatenate([columns, extra], axis=1) if is_rooted else columns.copy()
    words = columns.shape[1] - 1 - 2 * MARGIN
    for number, name in enumerate(COLUMNS):
        found[number, MARGIN] = code(name, "<none>")
        if is_rooted:
            found[number, MARGIN + words + 1 :] = code(name, "<end>")
            found[number, MARGIN + words + 1] = code(name, "<root>")
    return np.ascontiguousarray(found)


class SystemParser:
    """A transition system under learnt weights.

    Parameters
    ----------
    settings, templates : how it was trained.
    labels : of links, by number.
    transitions, label_weights : the weights, float64, shape (SIZE + PAD,).
    single_root : whether a single word hangs under node 0.
    """

    def __init__(
        self,
        settings: SystemSettings,
        templates: str,
        labels: Sequence[str],
        transitions: NDArray[np.float64],
        label_weights: NDArray[np.float64],
        single_root: bool = True,
    ) -> None:
        self.settings, self.labels, self.single_root = settings, tuple(labels), single_root
        self.name = settings.system
        self._guide = Guide(settings.schema.definition, templates, settings.beam, len(labels))
        self._weights = transitions, label_weights

    def tree(self, columns: NDArray[np.int64]) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return heads and labels of a sentence, whose columns `examples.columns_of` has made."""
        rooted = self.settings.is_rooted
        words = columns.shape[1] - 1 - 2 * MARGIN + rooted
        root = words if rooted else 0
        heads, labels, *_ = self._guide.run(
            PARSE, rooted_columns(columns, rooted), words, root, self._weights
        )
        end = words + 1 - rooted
        found = self._whole(heads[1:end].tolist(), labels[1:end].tolist(), root)
        if self.settings.encoding is None:
            return found
        tree = restored(DependencyTree(*found), self.settings.encoding)
        return tree.heads, tree.labels or ()

    def _whole(
        self, heads: list[int], labels: list[int], root: int
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return a tree: words without heads hang under the root, or under the root's one word.

        This word is the one with most words below it, among the words under the root if there are any.
        """
        names = [self.labels[k] if k >= 0 else None for k in labels]
        tops = [d for d, h in enumerate(heads, start=1) if h in (0, root)]
        chosen = [d for d in tops if root and heads[d - 1] == root] or tops
        sizes = [1] * (len(heads) + 1)
        for d in range(1, len(heads) + 1):
            h = heads[d - 1]
            while h not in (0, root):
                sizes[h] += 1
                h = heads[h - 1]
        main = max(chosen, key=lambda d: (sizes[d], -d))
        for d in tops:
            under = 0 if d == main or not self.single_root else main
            heads[d - 1] = under
            if under == 0:
                names[d - 1] = names[d - 1] or self._known(ROOT)
            elif names[d - 1] is None or names[d - 1] == ROOT:
                names[d - 1] = self._known("dep")
        return tuple(heads), tuple(name or self._known("dep") for name in names)

    def _known(self, label: str) -> str:
        return label if label in self.labels else self.labels[0]
