"""The commands of transition systems: `oracle`, `system`, `tabulate`, `pseudo-projective`; and `step` of any schema."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from functools import partial
from itertools import islice
from pathlib import Path

from schemata.cli import command as c
from schemata.cli.corpus import usable
from schemata.cli.main import write
from schemata.display.terminal import page
from schemata.errors import Diagnostic, UsageError
from schemata.json_values import document
from schemata.language.library import split_reference
from schemata.language.typeset import reference_of
from schemata.structures import DependencyTree, Sentence

_KEYS = "number, Enter: {first}, b: back, f: forward, a: all, q: quit > "
_SHOWN = 20  # offers, unless all are asked for


@c.command(
    c.option("schema", "NAME", "a transition system that is shipped (also k-planar-system:k=3)"),
    c.option("sentence", "SENTENCE", "the words, split at blanks", nargs="*"),
    c.option("--heads", "H,H,...", "the gold tree: one head a word, 0 for the root"),
    c.option("--conllu", "FILE", "all sentences of a CoNLL-U file; example: a shipped one"),
    c.flag("--on-the-fly", "k-planar-system: assign arcs to planes as words come, not before"),
    c.flag("--losses", "what each possible transition loses (arc-eager-, hybrid- and swap-system)"),
    c.option("--svg", "FILE", "write the table as SVG"),
    c.flag("--latex", "print the table as a LaTeX longtable"),
    c.ASCII,
    c.WIDTH,
    c.JSON,
    apart=(("--conllu", "--losses --heads --svg --latex"),),
)
def oracle(arguments: Namespace) -> int:
    """Print the transitions by which a transition system builds a gold tree: those of its static oracle.

    With --losses, a dynamic oracle tells how many arcs of the tree each transition would make impossible. A sentence
    prints a table of configurations. A corpus prints how many trees are reproduced, with how many transitions a word;
    with --json one object per sentence. Exit code 0; 1: the sentence's tree is not reproduced; 2: broken sentences of a
    corpus were skipped.
    """
    name, settings = split_reference(arguments.schema)
    if set(settings) - {"k"}:
        raise UsageError("an oracle has no parameters but k, the stacks of k-planar-system")
    if bool(arguments.conllu) == bool(arguments.sentence):
        raise UsageError("give a sentence with --heads, or --conllu FILE")
    if arguments.conllu:
        return _corpus(name, settings.get("k", 2), arguments)
    from schemata.display.oracles import oracle_latex, oracle_svg, oracle_text
    from schemata.structures.oracles import follow

    sentence = c.chosen_sentence(arguments.sentence)
    tree = c.chosen_tree(arguments.heads, sentence)
    found = follow(name, tree, settings.get("k", 2), on_the_fly=arguments.on_the_fly, lose=arguments.losses)
    if arguments.svg:
        c.write_text(arguments.svg, oracle_svg(found, sentence))
    if arguments.latex:
        write(oracle_latex(found, sentence) + "\n")
    else:
        c.answer(arguments, found.to_json, lambda page: oracle_text(found, sentence, page))
    return 0 if found.reproduced else 1


def _corpus(name: str, k: int, arguments: Namespace) -> int:
    """Follow the oracle on every sentence of a treebank."""
    from schemata.display.oracles import totals_text
    from schemata.structures.oracles import Totals, follow
    from schemata.treebanks.conllu import read_conllu

    file = c.corpus_file(arguments.conllu)
    total, broken = Totals(), list[Diagnostic]()
    for sentence in usable(read_conllu(file), file, broken):
        if sentence.heads is None:
            total.skipped += 1
            continue
        found = follow(name, DependencyTree(sentence.heads), k, on_the_fly=arguments.on_the_fly, keep=False)
        total.add(found)
        if arguments.json:
            named = {"sent_id": sentence.name} if sentence.name else {}
            c.print_json(named | found.to_json())
    total.skipped += len(broken)
    if not arguments.json:
        write(totals_text(name, total, page(arguments.ascii, arguments.width)) + "\n")
    return 2 if total.skipped else 0


@c.command(
    c.SCHEMA,
    c.number("--max-n", "N", "the greatest number of words (default 4)", 4, above=0),
    c.BUDGET,
    c.ASCII,
    c.JSON,
)
def system(arguments: Namespace) -> int:
    """Decide what is proved of transition systems: divisible, robust, bounded, which graphs, how long sequences get.

    Transitions are written as compositions of elementary ones, from the rules; the rest is found on all configurations
    of at most N words. Properties that do not hold have a witness. Exit code 0, or 2 where a limit was hit.
    """
    from schemata.display.oracles import system_text
    from schemata.verification.systems import system_properties

    schema = c.chosen_schema(arguments.schema, arguments.set)
    found = system_properties(schema, arguments.max_n, budget=c.chosen_budget(arguments))
    c.answer(arguments, found.to_json, lambda page: system_text(found, page))
    return 0


@c.command(
    c.SCHEMA,
    c.flag("--root", "node 0 in front of the buffer, and alone on the stack at the end"),
    c.flag("--back", "from a schema over spans to the transition system that it tabulates"),
    c.option("--output", "FILE.schema", "write the schema to a file, and name it like the file"),
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
        c.write_text(arguments.output, text)
    shown = f"{arguments.output} written" if arguments.output else text.rstrip("\n")
    c.answer(arguments, lambda: document({"schema": reference_of(schema), "text": text}), lambda _: shown)
    return 0


@c.command(
    c.option("file", "FILE.conllu", "a treebank in CoNLL-U; example: a shipped one", type=c.corpus_file),
    c.choice(
        "--encoding", ("head+path", "head", "path"), "what labels tell of lifted words (default head+path)"
    ),
    c.choice("--lift", ("shortest", "deepest"), "which crossed arc is lifted first (default shortest)"),
    c.flag(
        "--nearest", "to restore, look at dependents near to the lifted word first, not from left to right"
    ),
    c.flag("--inverse", "restore the trees of a treebank whose labels have marks"),
    c.option("--write", "OUT.conllu", "write the treebank with the other trees"),
    c.ASCII,
    c.WIDTH,
    c.JSON,
)
def pseudo_projective(arguments: Namespace) -> int:
    """Make the trees of a treebank projective, with labels that tell how to undo it; or undo it with --inverse.

    Prints how many words are lifted (with --inverse: moved back), and how many trees come back as they were. Exit code
    2: broken sentences were skipped.
    """
    from schemata.display.oracles import round_trips_text
    from schemata.structures.pseudo_projective import RoundTrips, lifted, restored
    from schemata.treebanks.conllu import with_other_trees

    up = partial(lifted, encoding=arguments.encoding, lift=arguments.lift)
    down = partial(restored, encoding=arguments.encoding, nearest=arguments.nearest)
    there, back = (down, up) if arguments.inverse else (up, down)
    total, texts, broken = RoundTrips(arguments.encoding), list[str](), list[Diagnostic]()
    for text, tree, other in usable(with_other_trees(arguments.file, there), arguments.file, broken):
        texts.append(text)
        total.add(tree, other, back(other))
    total.skipped = len(broken)
    if arguments.write:
        c.write_text(arguments.write, "".join(texts))
    c.answer(arguments, total.to_json, lambda page: round_trips_text(total, arguments.inverse, page))
    return 2 if total.skipped else 0


@c.command(
    c.SCHEMA,
    c.option("sentence", "SENTENCE", "the words, split at blanks", nargs="*"),
    c.GRAMMAR,
    c.option("--heads", "H,H,...", "a gold tree, whose oracle marks what it would take"),
    c.option(
        "--conllu", "FILE", "the first sentence of a CoNLL-U file with its tree; example: a shipped one"
    ),
    c.number("--number", "N", "of the file, sentence N", 1, above=0),
    c.option(
        "--take", "K,K,...", "choose these offers first; b takes back, f goes forward, o is the oracle's"
    ),
    c.LIMITS,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(("--number", "--conllu"),),
    apart=(("--conllu", "--heads"),),
)
def step(arguments: Namespace) -> int:
    """Go through a run item by item: see what is built so far, and choose what is taken next.

    In a transition system the transitions from the configuration are offered, else the items of the agenda. Answer with
    a number, or with Enter for what the oracle does (without a tree: the first); b and f go back and forth, q quits.
    Where input is no terminal, the state after --take is printed.
    """
    from schemata.analysis.stepping import Stepping
    from schemata.display.stepping import stepping_text
    from schemata.engine.exploration import Exploration

    schema = c.chosen_schema(arguments.schema, arguments.set)
    if bool(arguments.conllu) == bool(arguments.sentence):
        raise UsageError("give a sentence, or --conllu FILE")
    if arguments.conllu:
        sentence = _numbered(arguments.conllu, arguments.number)
        gold = None if sentence.heads is None else DependencyTree(sentence.heads)
    else:
        sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
        gold = None if arguments.heads is None else c.chosen_tree(arguments.heads, sentence)
    schema, sentence = schema.of_inputs(sentence)
    grammar = c.chosen_grammar(schema, arguments).for_sentence(sentence)
    budget = c.chosen_budget(arguments)
    stepping = Stepping(schema, lambda: Exploration(schema.definition, sentence, grammar, None, budget), gold)
    for choice in re.split("[, ]+", arguments.take) if arguments.take else ():
        if not stepping.answer(choice):
            raise UsageError(f"{choice!r} is not offered", expected="the number of an offer, o, b or f")
    asks = sys.stdin.isatty() and not arguments.json
    if not asks:
        c.answer(arguments, stepping.to_json, partial(stepping_text, stepping))
    most: int | None = _SHOWN
    while asks:
        shown = page(arguments.ascii, arguments.width)
        write(f"\n{stepping_text(stepping, shown, most)}\n")
        try:
            answer = input(_KEYS.format(first="the first" if gold is None else "the oracle's")).strip()
        except EOFError:
            break
        most = None if answer == "a" else _SHOWN
        if answer == "q":
            break
        if answer != "a" and not stepping.answer(answer or "o"):
            write(f"{answer or 'Enter'} is not possible here\n")
    return 0


def _numbered(file: str, number: int) -> Sentence:
    """Return a sentence of a CoNLL-U file by its number."""
    from schemata.treebanks.conllu import read_conllu

    path = c.corpus_file(file)
    found = next(islice(read_conllu(path), number - 1, None), None)
    if not isinstance(found, Sentence):
        raise UsageError(f"{path} has no sentence {number}" if found is None else found.diagnostic)
    return found
