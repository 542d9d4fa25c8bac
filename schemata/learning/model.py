"""A model: the learnt numbers of a parser as a file, and the parser made from them.

A model file is NumPy's `.npz`: weights that are not 0, and a text in JSON. Nothing in it is executed, and a file that
does not agree with its checksum is refused.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import io
import json
import os
import platform
import random
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.decoding.decoder import Decoder
from schemata.engine.exceeded import Interrupted
from schemata.errors import BudgetError, Diagnostic, GrammarError, Location, UsageError, require_number
from schemata.learning.arcs import (
    PAD,
    SIZE,
    ArcWeights,
    Templates,
    has_steps,
    hashed_sentence,
    parse_templates,
)
from schemata.learning.examples import Example, columns_of, read_examples
from schemata.learning.step_arrays import StepWeights
from schemata.learning.systems import SystemParser, SystemSettings
from schemata.records import Record
from schemata.thresholds import WAYS
from schemata.weights.tensors import axes_of
from schemata.workbench import decoder, load

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = 2
NEUTRAL = "neutral"
_KIND = "schemata model"


class Model(Record, eq=False):
    """The learnt numbers of a parser.

    Attributes
    ----------
    trained_with : the schema whose best trees it was trained with, or `neutral`: each word chose its head by itself.
    templates : the text of its features.
    labels : the labels of links, by number.
    words : the forms that it knows, in lower case.
    links, label_weights : the weights of hashed features, of links or transitions and of labels, float32, shape
        (SIZE + PAD,).
    system : how a transition system was trained; None for scores of links.
    """

    trained_with: str
    templates: str
    labels: tuple[str, ...]
    words: frozenset[str]
    links: NDArray[np.float32]
    label_weights: NDArray[np.float32]
    system: SystemSettings | None = None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Raises
        ------
        UsageError : the file cannot be written.
        """
        arrays: dict[str, NDArray[Any]] = {}
        for name, weights in (("links", self.links), ("labels", self.label_weights)):
            arrays[f"{name}_at"] = np.flatnonzero(weights).astype(np.uint32)
            arrays[name] = weights[arrays[f"{name}_at"]]
        about = {
            "kind": _KIND,
            "version": VERSION,
            "trained_with": self.trained_with,
            "templates": self.templates,
            "labels": list(self.labels),
            "words": sorted(self.words),
        }
        if self.system is not None:
            about["system"] = self.system.to_json()
        text = json.dumps(about, ensure_ascii=False).encode()
        arrays["about"] = np.frombuffer(text, np.uint8)
        arrays["checksum"] = np.frombuffer(_checksum(arrays), np.uint8)
        stream = io.BytesIO()
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
        write_whole(path, stream.getvalue())

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Model:
        """Read a model.

        Raises
        ------
        GrammarError : the file cannot be read, is not a model, is damaged, or of another version.
        """
        file = fspath(path)

        def refused(message: str, hint: str | None = None) -> GrammarError:
            expected = "a model that `schemata train` has written"
            return GrammarError(Diagnostic("bad-model", message, Location(file, 1, 1), expected, hint))

        try:
            content = Path(file).read_bytes()
            if not content.startswith(b"PK"):  # NumPy would speak of other formats
                raise refused("the file is not a model")
            with np.load(io.BytesIO(content), allow_pickle=False) as loaded:
                arrays = {name: loaded[name] for name in loaded.files}
            about = json.loads(arrays["about"].tobytes())
            checksum = arrays.pop("checksum").tobytes()
        except GrammarError:
            raise
        except zipfile.BadZipFile as problem:
            raise refused(f"the model is damaged: {problem}") from None
        except OSError as problem:
            hint = f"a schema parses by schemata.load(NAME).run({file!r})" if " " in file else None
            raise refused(f"the model cannot be read: {problem.strerror or problem}", hint) from None
        except (ValueError, KeyError, TypeError, EOFError, MemoryError) as problem:
            raise refused(f"the file is not a model: {problem}") from None
        except Exception as problem:  # zlib and zipfile raise what they like at a damaged file
            raise refused(f"the model is damaged: {problem}") from None
        if not isinstance(about, dict) or about.get("kind") != _KIND:
            raise refused("the file is not a model")
        if about.get("version") != VERSION:
            message = f"the model is of version {about.get('version')}, this program reads version {VERSION}"
            raise refused(message, "train it anew")
        if checksum != _checksum(arrays):
            raise refused("the model is damaged: its checksum is another one")
        found = []
        try:
            system = SystemSettings.read(about["system"]) if "system" in about else None
            for name in ("links", "labels"):
                weights = np.zeros(SIZE + PAD, np.float32)
                weights[arrays[f"{name}_at"]] = arrays[name]
                found.append(weights)
            texts = str(about["trained_with"]), str(about["templates"])
            names = tuple(map(str, about["labels"])), frozenset(map(str, about["words"]))
            links, labels = found
            if not names[0] or not all(np.isfinite(one).all() for one in found):
                raise ValueError("it has no labels, or weights that are no numbers")
            numbered_labels(names[0])
            return cls(*texts, *names, links, labels, system)
        except UsageError as problem:
            raise refused(f"the model has settings that are not valid: {problem}") from None
        except (KeyError, IndexError, TypeError, ValueError) as problem:
            raise refused(f"the file is not a model: {problem}") from None


def _checksum(arrays: dict[str, NDArray[Any]]) -> bytes:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


def write_whole(path: str | PathLike[str], content: bytes) -> None:
    """Write a file so that at any time the old one or the new one is there; a device or a pipe is written directly.

    A symbolic link stays one: the file to which it points is written.

    Raises
    ------
    UsageError : it cannot be written.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f"{target.name}.{_host()}.{os.getpid()}.part")
    try:
        if Path(path).exists() and not Path(path).is_file():
            Path(path).write_bytes(content)  # a file in its place would remove /dev/null
            return
        beside.write_bytes(content)
        beside.replace(target)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        message = f"{fspath(path)!r} cannot be written: {problem.strerror or problem}"
        raise UsageError(message, code="unwritable-file") from None
    with contextlib.suppress(OSError):  # the file is written, whoever owns what was left
        for left in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
            if not _is_written(left):
                left.unlink(missing_ok=True)


def _host() -> str:
    """Return the name of this machine as a part of a file's name: several may share a folder."""
    return re.sub(r"[^\w-]", "-", platform.node()) or "host"


def _is_written(part: Path) -> bool:
    """Whether the process that writes a part of a file may be alive; if it was killed, the part is of no use.

    Only processes of this machine can be known here.
    """
    host, number = ["", "", *part.name.split(".")][-3:-1]
    if os.name != "posix" or host != _host() or not number.isdecimal():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        pass
    return True


# The heads and labels of a sentence; the error where the search for them was broken off; None if there is no tree.
Parsed = tuple[tuple[int, ...], tuple[str, ...]] | BudgetError | None


class Parser:
    """A model with a decoder: it gives sentences their heads and labels.

    Parameters
    ----------
    model : the model.
    schema : the schema whose trees are searched, or `mst` for all trees; None for the schema that the model was trained
        with, or `mst` where it is neutral.
    single_root : whether a single word hangs under node 0, as in Universal Dependencies.

    Raises
    ------
    UsageError, SchemaError : no such schema, or one that builds no trees; or it is not the transition system of the
        model.
    """

    def __init__(self, model: Model, schema: str | None = None, *, single_root: bool = True) -> None:
        self.model = model
        self._system: SystemParser | None = None
        self._steps: StepWeights | None = None
        if model.system is not None:
            if schema not in (None, model.trained_with):
                message = f"a model of {model.trained_with} parses with its own system alone"
                raise UsageError(message, code="usage", expected="no --with")
            self.name = model.trained_with
            links, labels = (array.astype(np.float64) for array in (model.links, model.label_weights))
            self._system = SystemParser(
                model.system, model.templates, model.labels, links, labels, single_root
            )
            return
        templates, self._steps = templates_of(model.templates, model.trained_with, learning=False)
        self.weights = ArcWeights(templates.links, model.links, model.label_weights, learning=False)
        self.name = schema or ("mst" if model.trained_with == NEUTRAL else model.trained_with)
        if self._steps is not None and self.name != model.trained_with:
            message = f"the model weighs steps of {model.trained_with}, which {self.name} has not"
            raise UsageError(message, code="usage", expected="no --with")
        self.decoder: Decoder = decoder(self.name, single_root=single_root)

    @property
    def has_own_trees(self) -> bool:
        """Whether the model parses with the system or the steps alone that it was trained with."""
        return self._system is not None or self._steps is not None

    def trees(self, examples: Iterable[Example]) -> Iterator[Parsed]:
        """Yield the heads and labels of sentences, in order; None for a sentence without a tree.

        For a sentence whose search ran out of its budget, such as a very long one, the error is yielded instead.
        """
        batch: list[Example] = []
        for example in examples:
            batch.append(example)
            if len(batch) == (WAYS.decoded_sentences if self._steps is None else 1):
                yield from self._trees(batch)
                batch = []
        yield from self._trees(batch)

    def _trees(self, batch: Sequence[Example]) -> Iterator[Parsed]:
        if not batch:
            return
        known = self.model.words.__contains__
        if self._system is not None:
            yield from (self._system.tree(columns_of(example, known)) for example in batch)
            return
        sentences = [hashed_sentence(columns_of(example, known)) for example in batch]
        scores = [self.weights.scores(sentence) for sentence in sentences]
        steps = None if self._steps is None else self._steps.tensors(sentences[0], self.weights.links)
        try:
            found, _ = self.decoder(scores, steps=steps)
        except BudgetError as stopped:
            if isinstance(stopped, Interrupted):
                raise
            if len(batch) == 1:
                yield stopped
                return
            for example in batch:
                yield from self._trees([example])
            return
        for sentence, row in zip(sentences, found, strict=True):
            heads = np.concatenate([[0], row[: sentence.n]])
            if (heads[1:] < 0).any():
                yield None
                continue
            named = self.weights.label_scores(sentence, heads, len(self.model.labels))
            labels = named[1:].argmax(axis=1).tolist()
            yield tuple(heads[1:].tolist()), tuple(self.model.labels[k] for k in labels)


def settled(found: Parsed) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """Return the heads and labels of a sentence, None if it has no tree; raise the error if the search failed."""
    if isinstance(found, BudgetError):
        raise found
    return found


def parse(
    model: Model | str | PathLike[str],
    text: str | PathLike[str],
    schema: str | None = None,
    *,
    single_root: bool = True,
) -> Iterator[Parsed]:
    """Yield the heads and labels that a model finds best, for each sentence of a file.

    Parameters
    ----------
    model : a model, or its file.
    text : a CoNLL-U file; heads in it are ignored.
    schema, single_root : as for `Parser`.

    Returns
    -------
    For each sentence its heads and labels; None for one that is broken, or has no tree; the error of one whose
    search ran out of its budget.

    Raises
    ------
    GrammarError, TreebankError, UsageError, SchemaError : a file cannot be read; no such schema.
    """
    parser = Parser(model if isinstance(model, Model) else Model.read(model), schema, single_root=single_root)
    examples = list(read_examples(text, with_heads=False))
    found = parser.trees(one for one in examples if isinstance(one, Example))
    return (next(found) if isinstance(one, Example) else None for one in examples)


def templates_of(
    text: str, schema: str, file: str = "<templates>", *, learning: bool = True
) -> tuple[Templates, StepWeights | None]:
    """Return the templates of a text, and the features of steps of the training schema, if it has some.

    Raises
    ------
    GrammarError : the text has mistakes.
    UsageError, SchemaError : it names steps, and there is no such schema.
    """
    definition = None
    if has_steps(text) and schema not in (NEUTRAL, "mst", "matrix-tree"):
        definition = load(schema).definition
    found = parse_templates(text, file, None if definition is None else partial(axes_of, definition))
    steps = None if definition is None else StepWeights(definition, found.steps, learning)
    return found, steps


def order_of_epoch(sentences: int, seed: int, epochs: int) -> list[int]:
    """Return the numbers of sentences in the order in which an epoch learns from them, after some epochs."""
    order = list(range(sentences))
    random.Random(f"{seed} {epochs}").shuffle(order)
    return order


def learnt_examples(
    gold: Sequence[str | PathLike[str]], longest: int, skipped: list[Diagnostic] | None
) -> list[Example]:
    """Return the sentences to learn from; `skipped` gets findings about those that cannot be used.

    Raises
    ------
    TreebankError : a file cannot be read.
    UsageError : no sentence has a tree.
    """
    require_number("longest", longest, least=1)
    examples: list[Example] = []
    broken: list[Diagnostic] = []
    for path in gold:
        for one in read_examples(path, with_heads=True):
            if isinstance(one, Example):
                examples.append(one)
            else:
                broken.append(one)
    if skipped is not None:
        skipped += broken
    examples = [one for one in examples if len(one) <= longest]
    if not examples:
        message = f"no sentence of {', '.join(fspath(path) for path in gold)} has a tree to learn from"
        raise UsageError([Diagnostic("nothing-to-learn", message), *broken[:1]])
    return examples


def numbered_labels(labels: Iterable[str]) -> dict[str, int]:
    """Return the labels of links with their numbers, in the order of the alphabet.

    Raises
    ------
    UsageError : there are more than weights have room for.
    """
    names = sorted(set(labels))
    if len(names) > PAD:
        raise UsageError(f"there are {len(names)} labels: {PAD} at most", code="usage")
    return {label: k for k, label in enumerate(names)}


def question_of(settings: object, arrays: Iterable[NDArray[np.int64]]) -> str:
    """Return a key of settings and sentences."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def save_state(
    path: str | PathLike[str],
    question: str,
    state: Sequence[float],
    arrays: Sequence[NDArray[np.float64]],
) -> None:
    """Write the state that training needs to go on: its key, its progress, and its weights.

    Raises
    ------
    UsageError : the file cannot be written.
    """
    stream = io.BytesIO()
    key = np.frombuffer(question.encode(), np.uint8)
    named = {f"weights{k}": array for k, array in enumerate(arrays)}
    np.savez(stream, state=np.array(state, np.float64), question=key, **named)  # type: ignore[arg-type]
    write_whole(path, stream.getvalue())


def resumed(
    path: str | PathLike[str], question: str, arrays: Sequence[NDArray[np.float64]]
) -> list[float] | None:
    """Read weights that were saved for a key into arrays; return how far training was, None without them."""
    if not Path(path).is_file():
        return None
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as kept:
            if kept["question"].tobytes().decode() != question:
                return None
            read = [kept[f"weights{k}"] for k in range(len(arrays))]
            state: list[float] = kept["state"].tolist()
    except Exception:  # a damaged file is passed over: training begins anew
        return None
    if any(one.shape != own.shape or one.dtype != own.dtype for one, own in zip(read, arrays, strict=True)):
        return None
    for one, own in zip(read, arrays, strict=True):
        own[:] = one
    return state
