"""The commands of transition systems, `oracle`, `system`, `tabulate` and `pseudo-projective`, and their
output.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from pathlib import Path

from schemata.budget import Reason
from schemata.cli import command as c
from schemata.cli.corpus import NUMBER, usable
from schemata.cli.output import print_json, report, write
from schemata.display.latex import standalone
from schemata.display.terminal import Page, page, table
from schemata.display.transitions import followed_text, oracle_latex, oracle_svg
from schemata.engine.exceeded import stopped
from schemata.errors import Diagnostic, UsageError
from schemata.language.library import split_reference
from schemata.language.shipped import LABELLED
from schemata.language.typeset import reference_of
from schemata.records import replace
from schemata.structures import DependencyTree
from schemata.structures.oracles import Totals, follow
from schemata.structures.projections import RoundTrips, lifted, restored
from schemata.text_files import write_text
from schemata.treebanks import read_conllu, with_other_trees
from schemata.verification.systems import SystemProperties, system_properties
from schemata.wording import quantity

_ENCODING = "what labels tell of lifted words (default head+path)"
_NEAREST = "to restore, look at dependents near to the lifted word first, not from left to right"


@c.command(
    c.option("schema NAME", "a transition system that is shipped (also k-planar-system:k=3)"),
    c.SENTENCE,
    c.HEADS,
    c.CONLLU_FILE,
    NUMBER,
    c.flag("--on-the-fly", "k-planar-system: assign arcs to planes as words come, not before"),
    c.flag("--losses", "what each possible transition loses (arc-eager-, hybrid- and swap-system)"),
    c.flag("--labels", "of a treebank: transitions with the labels of the arcs that they build"),
    c.output("--svg FILE", "draw the table as SVG"),
    c.flag("--latex", "print the table in LaTeX, as a longtable"),
    c.flag("--standalone", "make LaTeX a document that compiles by itself"),
    c.LIMITS,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(
        ("--number", "--conllu"),
        ("--labels", "--conllu"),
        ("--losses --svg --latex", "--number SENTENCE"),
        ("--standalone", "--latex"),
    ),
    apart=(("--conllu", "--heads"), ("--json", "--latex")),
)
def oracle(arguments: Namespace) -> int:
    """Print the transitions by which a transition system builds a gold tree: those of its static oracle.

    With --losses, a dynamic oracle counts how many arcs of the tree each transition would make impossible. With
    --labels, transitions name the labels of arcs, and must build the same labels when replayed without the tree. A
    sentence prints a table of configurations. A corpus prints how many trees are reproduced, with how many transitions
    a word; with --json one object per sentence. Exit code 0; 1: the sentence's tree is not reproduced; 2: sentences of
    a corpus that are broken or have no heads were skipped, or a limit was hit.
    """
    name, settings = split_reference(arguments.schema)
    if set(settings) - {"k", LABELLED}:
        raise UsageError("an oracle has no parameters but k, the stacks of k-planar-system, and labelled")
    if settings.get(LABELLED):
        if not arguments.conllu:
            raise UsageError("the labels of arcs are those of a treebank", hint="--conllu FILE")
        arguments.labels = True
    if bool(arguments.conllu) == bool(arguments.sentence):
        raise UsageError("give a sentence with --heads, or --conllu FILE")
    if arguments.conllu and not arguments.number:
        return _corpus(name, settings.get("k", 2), arguments)
    if arguments.conllu:
        sentence = c.numbered(arguments.conllu, arguments.number)
        if sentence.heads is None:
            raise UsageError(f"sentence {arguments.number} has no heads", code="no-heads")
        if arguments.labels and sentence.labels is None:
            raise UsageError(f"sentence {arguments.number} has no labels", code="no-labels")
        tree = DependencyTree(sentence.heads, sentence.labels)
    else:
        sentence = c.chosen_sentence(arguments.sentence)
        tree = c.chosen_tree(arguments.heads, sentence)
    how = {"on_the_fly": arguments.on_the_fly, "lose": arguments.losses, "labels": arguments.labels}
    found = follow(name, tree, settings.get("k", 2), **how)
    files = [write_text(arguments.svg, oracle_svg(found, sentence))] if arguments.svg else []
    code = 0 if found.reproduced else 1
    if arguments.latex:
        fragment = oracle_latex(found, sentence)
        write((standalone(fragment) if arguments.standalone else fragment) + "\n")
        return code
    return c.answer(arguments, found, partial(followed_text, found, sentence=sentence), code, files)


def _corpus(name: str, k: int, arguments: Namespace) -> int:
    """Follow the oracle on every sentence of a treebank."""
    file = arguments.conllu
    total, broken = Totals(), list[Diagnostic]()

    def work() -> None:
        nonlocal total
        for sentence in usable(read_conllu(file, with_heads=True), file, broken):
            tree = DependencyTree(sentence.heads or (), sentence.labels)
            how = {"on_the_fly": arguments.on_the_fly, "labels": arguments.labels}
            found = follow(name, tree, k, keep=False, **how)
            if arguments.json:
                named = {"sent_id": sentence.name} if sentence.name else {}
                print_json(named | found.to_json())
            total = total.plus(found)

    reason = _as_far_as(arguments, work, lambda: total.sentences)
    total = replace(total, skipped=len(broken))
    if not arguments.json:
        write(totals_text(name, total, page(arguments.ascii, arguments.width), arguments.labels) + "\n")
    elif reason:
        print_json({"stopped": reason})
    return c.exit_code(None, reason) if reason else 2 if broken else 0


def _as_far_as(arguments: Namespace, work: Callable[[], None], done: Callable[[], int]) -> Reason | None:
    """Do work on a treebank within the limits of a command; returns the reason if it stopped, which is
    reported.

    Parameters
    ----------
    arguments : the arguments of the command.
    work : goes through the treebank, and keeps the results of each sentence in one assignment.
    done : returns the number of sentences done.
    """
    budget = c.chosen_budget(arguments)
    reason = stopped(budget, time.perf_counter(), work)
    if reason is not None:
        report(budget.hit(reason, f" after {quantity(done(), 'sentence')}"))
    return reason


@c.command(
    c.SCHEMA,
    c.MAX_N_4,
    c.BUDGET,
    c.ASCII,
    c.JSON,
)
def system(arguments: Namespace) -> int:
    """Decide properties of transition systems: divisible, robust, bounded, the graphs, the lengths of sequences.

    Transitions are written as compositions of elementary ones, from the rules; the rest is found on all configurations
    of at most N words, which is not a proof (*seen to N words*). Properties that do not hold have a witness. Exit code
    0, or 2 where a limit was hit.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    found = system_properties(schema, arguments.max_n, budget=c.chosen_budget(arguments))
    return c.answer(arguments, found, partial(system_text, found))


@c.command(
    c.SCHEMA,
    c.flag("--root", "node 0 in front of the buffer, and alone on the stack at the end"),
    c.flag("--back", "from a schema over spans to the transition system that it tabulates"),
    c.output("-o --output FILE", "write the schema to a file, and name it like the file"),
    c.LIMITS,
    c.JSON,
    apart=(("--root", "--back"),),
)
def tabulate(arguments: Namespace) -> int:
    """Write the deduction system that tabulates the computations of a transition system, as a schema over spans.

    The system may look at the two topmost nodes of its stack and at the front of its buffer. With --back a schema that
    puts spans together is read as a tabulation, and its transition system is written. Exit code 2: it cannot be done;
    the message names the step.
    """
    from schemata.relations.reversal import reverse
    from schemata.relations.tabulation import tabulate as tabulated

    schema = c.chosen_schema(arguments.schema, arguments.set).definition
    name = Path(arguments.output).stem if arguments.output else None
    text = reverse(schema, name) if arguments.back else tabulated(schema, arguments.root, name)
    if arguments.output:
        write_text(arguments.output, text)
    shown = f"{arguments.output} written" if arguments.output else text.rstrip("\n")
    return c.answer(arguments, {"schema": reference_of(schema), "text": text}, shown)


@c.command(
    c.TREEBANK,
    c.choice("--encoding", ("head+path", "head", "path"), _ENCODING),
    c.choice("--lift", ("shortest", "deepest"), "which crossed arc is lifted first (default shortest)"),
    c.flag("--nearest", _NEAREST),
    c.flag("--inverse", "restore the trees of a treebank whose labels have marks"),
    c.output("-o --output FILE", "write the treebank with the other trees to a file"),
    c.LIMITS,
    c.ASCII,
    c.WIDTH,
    c.JSON,
)
def pseudo_projective(arguments: Namespace) -> int:
    """Make the trees of a treebank projective, with labels from which --inverse restores them.

    Prints how many words are lifted (with --inverse: moved back), and how many trees come back as they were. Exit code
    2: sentences that are broken or have no heads were skipped, or a limit was hit; they are not written either.
    """
    up = partial(lifted, encoding=arguments.encoding, lift=arguments.lift)
    down = partial(restored, encoding=arguments.encoding, nearest=arguments.nearest)
    there, back = (down, up) if arguments.inverse else (up, down)
    total, texts, broken = RoundTrips(arguments.encoding), list[str](), list[Diagnostic]()

    def work() -> None:
        nonlocal total
        for text, tree, other in usable(with_other_trees(arguments.file, there), arguments.file, broken):
            again = back(other)
            texts.append(text)
            total = total.plus(tree, other, again)

    reason = _as_far_as(arguments, work, lambda: total.sentences)
    total = replace(total, skipped=len(broken))
    if arguments.output:
        write_text(arguments.output, "".join(texts[: total.sentences]))
    told = partial(round_trips_text, total, arguments.inverse)
    value = total.to_json() | ({"stopped": reason} if reason else {})
    return c.answer(arguments, value, told, c.exit_code(None, reason) if reason else 2 if broken else 0)


def totals_text(system: str, total: Totals, page: Page, labels: bool = False) -> str:
    """Return the text that `schemata oracle --conllu` prints; with `labels`, also the number of
    transitions.
    """
    share = f" ({100 * total.reproduced / total.sentences:.2f} %)" if total.sentences else ""
    of_words = f"{total.transitions / total.words:.3f}" if total.words else "-"
    rows = [["reproduced", f"{total.reproduced:,}{share}"], ["transitions a word, of these", of_words]]
    if total.switches:
        rows.append(["Switches", f"{total.switches:,} ({total.switches / total.words:.4f} a word)"])
    if labels:
        rows.append(["different transitions", f"{len(total.names):,}"])
    return _of_trees(system, total, rows, page)


def round_trips_text(total: RoundTrips, inverse: bool, page: Page) -> str:
    """Return the text that `schemata pseudo-projective` prints of a treebank."""
    rows = [
        ["with marks" if inverse else "non-projective", f"{total.nonprojective:,}"],
        ["words moved back" if inverse else "words lifted", f"{total.lifted:,}"],
        ["the same again" if inverse else "restored", f"{total.restored:,}"],
    ]
    return _of_trees(total.encoding, total, rows, page)


def _of_trees(title: str, total: Totals | RoundTrips, rows: list[list[str]], page: Page) -> str:
    """Return a table about a treebank: its trees, then the rows, then the sentences that were skipped."""
    skipped = [["skipped sentences", f"{total.skipped:,}"]] if total.skipped else []
    return table([title, ">"], [["trees", f"{total.sentences:,}"], *rows, *skipped], page)


def system_text(found: SystemProperties, page: Page) -> str:
    """Return the text on a transition system: its transitions, properties and greatest lengths."""
    headers = ["transition", "composed of", ">arcs", ">words", ">buffer"]
    rows = [
        [t.step, "; ".join(t.composition) if t.composition else "no elementary ones", f"+{t.arcs}", f"-{t.nodes}",
         f"{-t.buffer:+}"] for t in found.transitions
    ]  # fmt: skip
    title = f"{found.schema}: sentences of at most {quantity(found.max_n, 'word')}"
    lines = [title, "", table(headers, rows, page), ""]
    seen = f"seen to {quantity(found.max_n, 'word')}"

    def answer(holds: bool | None, proved: bool) -> str:
        return "" if holds is None else "no" if not holds else "yes" if proved else seen

    rows = [
        [p.name, answer(p.holds, p.proved), p.source, answer(p.premise, p.proved), p.condition]
        for p in found.properties
    ]
    lines.append(table(["property", "holds", "published", "premise", "if"], rows, page, fold=True))
    lines += [f"\nagainst {p.name}: {p.witness}" for p in found.properties if p.witness]
    names = ["n", "configurations", "arcs", "longest", "bound", "elementary", "elementary_bound"]
    values = (map(attrgetter(name), found.lengths) for name in names)
    rows = [["" if value is None else f"{value:,}" for value in row] for row in zip(*values, strict=True)]
    headers = [f">{name.removeprefix('elementary_')}" for name in names]
    return "\n".join([*lines, "", table(headers, rows, page)])
