"""Parsers that learn, and how well they parse: the commands `train`, `parse` and `evaluate`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from schemata.cli import command as c
from schemata.cli.corpus import usable
from schemata.cli.output import report, write
from schemata.display.terminal import FORMATS, ProgressBar, progress
from schemata.errors import BudgetError, Diagnostic, GrammarError, UsageError, did_you_mean
from schemata.records import document
from schemata.text_files import read_file, write_text
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.learning.examples import Example
    from schemata.learning.training import Epoch

_WITH = "the schema whose best trees are looked for, or mst (default: each word chooses its head by itself)"
_SYSTEM = "learn the transitions of a shipped transition system, such as arc-eager-system"
_PARSE_WITH = "the schema whose best trees are looked for, or mst (default: what the model was trained with)"
_FEATURES = "what is looked at, a template a line (see the page on learning)"
_STEPS = "a file of scores with features of the steps of --with SCHEMA, whose weights are learnt in place of links'"
_TEMPLATES = "templates such as: word h, tag d"
_EPOCHS = c.number("--epochs N", "passes over the sentences (default 5)", 5, above=0)
_LONGEST = c.number("--max-words N", "leave out sentences of more than N words (default 100)", 100, above=0)
_COMPARED = (
    c.number("--resamples N", "samples of sentences for intervals and tests (default 1000)", 1000, above=-1),
    c.SEED,
    c.output("--plot FILE", "plot accuracy by length, distance or seconds as .svg, .png or .pdf"),
    c.choice("--format", FORMATS, "how tables are written"),
    c.ASCII,
    c.JSON,
)


@c.command(
    c.option("files GOLD.conllu", "treebanks to learn from", nargs="+", type=c.corpus_file),
    c.output("-o --output FILE", "write the model to a file"),
    c.option("--with SCHEMA", _WITH, dest="schema", default="neutral"),
    c.option("--system NAME", _SYSTEM),
    c.choice("--oracle", ("static", "dynamic"), "what a transition system learns from"),
    c.number(
        "--beam K", "a transition system keeps K sequences of transitions (default 1: greedy)", 1, above=0
    ),
    c.flag("--pseudo-projective", "words are lifted, and labels tell how to put them back"),
    _EPOCHS,
    c.option("--held-out FILE", "a treebank that tells how far training is; the best epoch is kept"),
    c.option("--features FILE", _FEATURES),
    c.option("--steps FILE", _STEPS),
    _LONGEST,
    c.SEED,
    c.OUTER_LIMITS,
    c.JSON,
    apart=(
        ("--with", "--system --oracle --beam --pseudo-projective"),
        ("--steps", "--system --features --held-out --oracle --beam --pseudo-projective"),
    ),
)
def train(arguments: Namespace) -> int:
    """Train a parser on treebanks and write its model.

    What is learnt are weights of features of links, and of labels; with --system those of transitions; with --steps
    those of the features of a schema's steps, which are written as a file that run --weights reads. A training that was
    ended goes on from its last epoch when the command is given again (not with --steps). Exit code 2: sentences could
    not be used.
    """
    from schemata.learning.training import train as trained

    if arguments.output is None:
        raise UsageError("there is no file for the model", code="usage", expected="-o FILE")
    if arguments.system is None and (
        arguments.oracle != "static" or arguments.beam > 1 or arguments.pseudo_projective
    ):
        message = "oracles, beams and pseudo-projective trees are those of transition systems"
        raise UsageError(message, code="usage", expected="--system NAME")
    if arguments.steps is not None:
        return _train_steps(arguments)
    templates = None
    if arguments.features is not None:
        templates = read_file(arguments.features, GrammarError, _TEMPLATES, 1 << 20)
    skipped: list[Diagnostic] = []
    epochs: list[Epoch] = []

    def note(epoch: Epoch) -> None:
        epochs.append(epoch)
        held = (
            ""
            if epoch.uas is None or epoch.las is None
            else f", held-out UAS {epoch.uas:.2%}, LAS {epoch.las:.2%}"
        )
        what = "transitions" if arguments.system else "heads"
        write(f"epoch {epoch.number}: {epoch.right:.2%} of {what} right in training{held}\n", sys.stderr)

    def watch(order: Sequence[int]) -> Iterator[int]:
        return iter(progress(order, len(order), f"epoch {len(epochs) + 1}"))

    model = trained(
        arguments.files,
        arguments.output,
        schema=arguments.schema,
        epochs=arguments.epochs,
        held_out=arguments.held_out,
        templates=templates,
        seed=arguments.seed,
        longest=arguments.max_words,
        skipped=skipped,
        on_epoch=note,
        watch=watch,
        file=arguments.features or "<templates>",
        system=arguments.system,
        oracle=arguments.oracle,
        beam=arguments.beam,
        pseudo_projective="head+path" if arguments.pseudo_projective else None,
    )
    report(*skipped)
    value = {
        "model": arguments.output,
        "trained_with": model.trained_with,
        "labels": len(model.labels),
        "words": len(model.words),
        "epochs": [epoch.to_json() for epoch in epochs],
        "skipped": len(skipped),
    }
    known = f"{quantity(len(model.words), 'word')}, {quantity(len(model.labels), 'label')}"
    c.answer(arguments, document(value), f"{arguments.output}: {known}")
    return 2 if skipped else 0


def _train_steps(arguments: Namespace) -> int:
    """Learn weights of features of steps, and write them as a file of scores."""
    from schemata.learning.step_features import learn_features
    from schemata.treebanks import read_conllu
    from schemata.weights.scores import Weights

    if arguments.schema == "neutral":
        raise UsageError("--steps is about the steps of a schema", code="usage", expected="--with SCHEMA")
    model = Weights.read(arguments.steps).features
    if model is None:
        message = f"{arguments.steps} has no features of steps"
        raise UsageError(message, code="no-features", expected="feature STEP where word h, tag d")
    broken: list[Diagnostic] = []
    sentences = [
        one
        for file in arguments.files
        for one in usable(read_conllu(file, with_heads=True), file, broken)
        if len(one) <= arguments.max_words
    ]
    epochs: list[Epoch] = []

    def note(epoch: Epoch) -> None:
        epochs.append(epoch)
        write(f"epoch {epoch.number}: {epoch.right:.2%} of heads right in training\n", sys.stderr)

    def watch(order: Sequence[int]) -> Iterator[int]:
        return iter(progress(order, len(order), f"epoch {len(epochs) + 1}"))

    schema = c.chosen_schema(arguments.schema, [])
    count, seed = arguments.epochs, arguments.seed
    learnt, left_out = learn_features(
        schema, sentences, model, epochs=count, seed=seed, on_epoch=note, watch=watch
    )
    write_text(arguments.output, learnt.text())
    value = {
        "model": arguments.output,
        "trained_with": schema.name,
        "features": len(learnt.weights),
        "epochs": [epoch.to_json() for epoch in epochs],
        "skipped": left_out + len(broken),
    }
    told = f"{arguments.output}: {quantity(len(learnt.weights), 'feature')} with weights"
    if left_out:
        told += f"; {quantity(left_out, 'sentence')} left out, whose trees {schema.name} does not derive"
    c.answer(arguments, document(value), told)
    return 2 if broken else 0


@c.command(
    c.option("model MODEL", "a model that train has written"),
    c.option(
        "file TEXT.conllu", "the sentences, with the tags that the model was trained on", type=c.corpus_file
    ),
    c.option("--with SCHEMA", _PARSE_WITH, dest="schema"),
    c.ROOTS,
    c.output("-o --output FILE", "write the trees to a file (default: standard output)"),
    c.OUTER_LIMITS,
)
def parse(arguments: Namespace) -> int:
    """Give the sentences of a file the trees that a model finds best, and print them as CoNLL-U.

    Exit code 2: sentences could not be read, or have no tree; they are reported, and left out.
    """
    from schemata.learning.examples import conllu_text, read_examples
    from schemata.learning.model import Model, Parser, write_whole
    from schemata.treebanks import count_sentences

    parser = Parser(Model.read(arguments.model), arguments.schema, single_root=arguments.roots == "one")
    broken: list[Diagnostic] = []
    examples: list[Example] = []
    for one in read_examples(arguments.file, with_heads=False):
        if isinstance(one, Diagnostic):
            report(one)
            broken.append(one)
        else:
            examples.append(one)
    parts: list[str] = []
    found = progress(parser.trees(examples), count_sentences(arguments.file), f"parsing {arguments.file}")
    for example, tree in zip(examples, found, strict=True):
        if tree is None or isinstance(tree, BudgetError):
            code, message = "no-tree", f"the sentence has no tree that {parser.name} derives"
            if tree is not None:
                why = tree.diagnostics[0]
                code, message = why.code, f"the search for a tree was broken off: {why.message}"
            hint = "" if parser.has_own_trees else "--with mst searches all trees"
            missing = example.rows[0].broken(0, code, message, "a tree", hint)
            broken += missing.diagnostics
            report(broken[-1])
            continue
        text = conllu_text(example, *tree)
        if arguments.output is None:
            write(text)
        else:
            parts.append(text)
    if arguments.output is not None:
        write_whole(arguments.output, "".join(parts).encode())
    return 2 if broken else 0


_GROUPS = "label, length, arc_length, root_distance, depth or class; several with commas"


@c.command(
    c.option("gold GOLD", "the gold trees, in CoNLL-U"),
    c.option("systems SYSTEM", "what parsers make of the same text", nargs="+"),
    c.option("--by GROUPS", f"tables of words by {_GROUPS}"),
    c.flag("--no-punctuation", "leave out words whose gold tag is PUNCT"),
    c.flag("--subtypes", "compare labels with their subtypes, as in nsubj:pass"),
    c.flag("--brackets", "the files have bracketed trees"),
    *_COMPARED,
    c.OUTER_LIMITS,
    apart=(
        ("--brackets", "--by --no-punctuation --subtypes --plot"),
        ("--json", "--format"),
    ),
)
def evaluate(arguments: Namespace) -> int:
    """Compare the trees of parsers with gold trees: UAS, LAS, CLAS, exact, and non-projective arcs.

    Figures are those of the CoNLL 2018 shared task; the words may be segmented differently. With several parsers, each
    two are compared by a paired test. Exit code 2: sentences could not be compared, or are not trees.
    With --brackets: labelled brackets, as EVALB counts them.
    """
    if arguments.brackets:
        return _brackets(arguments)
    from schemata.display.evaluation import evaluations_text
    from schemata.learning.evaluation import GROUPS, Evaluation, difference
    from schemata.learning.evaluation import evaluate as evaluated

    by = [name.strip().replace("-", "_") for name in (arguments.by or "").split(",") if name.strip()]
    for name in by:
        if name not in GROUPS:
            hint = did_you_mean(name, GROUPS)
            raise UsageError(f"no groups by {name}", code="bad-option", expected=_GROUPS, hint=hint)
    if arguments.plot is not None:
        from schemata.display.plots import check_plot

        check_plot(arguments.plot)
    found: list[Evaluation] = []
    for system in arguments.systems:
        with ProgressBar(f"comparing {system}"):
            one = evaluated(
                arguments.gold,
                system,
                punctuation=not arguments.no_punctuation,
                subtypes=arguments.subtypes,
                resamples=arguments.resamples,
                seed=arguments.seed,
            )
        found.append(one)
        report(*one.skipped, *one.faults)
        if by and not any(one.groups.values()):
            message = f"no tables for {system}: its words are not those of the gold file"
            report(Diagnostic("other-words", message, severity="warning"))
    pairs = [
        difference(one, other, arguments.resamples, arguments.seed) for one, other in combinations(found, 2)
    ]
    if arguments.plot is not None:
        from schemata.display.plots import plot_accuracy

        plot_accuracy(found, arguments.plot)
    value = found[0].to_json()
    if len(found) > 1:
        value = document(
            {"parsers": [one.to_json() for one in found], "differences": [one.to_json() for one in pairs]}
        )
    text = partial(evaluations_text, found, pairs, by=by, how=arguments.format or "text")
    code = 2 if any(one.skipped or one.faults for one in found) else 0
    return c.answer(arguments, value, text, code)


def _brackets(arguments: Namespace) -> int:
    from schemata.display.evaluation import brackets_text
    from schemata.learning.brackets import evaluate_brackets

    found = [evaluate_brackets(arguments.gold, system) for system in arguments.systems]
    for one in found:
        report(*one.skipped)
    value = found[0].to_json() if len(found) == 1 else {"parsers": [one.to_json() for one in found]}
    text = partial(brackets_text, found, how=arguments.format or "text")
    return c.answer(arguments, document(value), text, 2 if any(one.skipped for one in found) else 0)


_PARSERS = "schemata, mst for all trees, and transition systems, such as swap-system+beam=8"
_TREEBANK = "files to learn from and to be tested on, perhaps with a name: English=train.conllu,test.conllu"


@c.command(
    c.option("parsers PARSER", _PARSERS, nargs="+"),
    c.several("--treebank TRAIN,TEST", _TREEBANK),
    c.choice("--training", ("neutral", "own"), "one matrix of scores for all schemata, or each its own"),
    _EPOCHS,
    _LONGEST,
    c.option("--models DIR", "keep models there, and use those that are there"),
    *_COMPARED,
    c.OUTER_LIMITS,
    apart=(("--json", "--format"),),
)
def accuracy(arguments: Namespace) -> int:
    """Train parsers on treebanks, and compare how accurate they are: schemata and transition systems in one table.

    A system is followed by its way of learning: +dynamic, +beam=K, +pseudo-projective. Exit code 2: sentences could
    not be used.
    """
    from schemata.display.evaluation import accuracy_text
    from schemata.learning.accuracy import accuracy as compared

    if not arguments.treebank:
        raise UsageError("there is no treebank", code="usage", expected="--treebank TRAIN,TEST")
    if arguments.plot is not None:
        from schemata.display.plots import check_plot

        check_plot(arguments.plot)
    found = compared(
        arguments.parsers,
        arguments.treebank,
        training=arguments.training,
        epochs=arguments.epochs,
        seed=arguments.seed,
        longest=arguments.max_words,
        resamples=arguments.resamples,
        models=arguments.models,
        note=lambda text: write(f"{text}\n", sys.stderr),
    )
    report(*found.skipped)
    if arguments.plot is not None:
        from schemata.display.plots import plot_parsers

        plot_parsers(found, arguments.plot)
    return c.answer(
        arguments,
        found,
        partial(accuracy_text, found, how=arguments.format or "text"),
        2 if found.skipped else 0,
    )
