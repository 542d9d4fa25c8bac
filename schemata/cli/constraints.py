"""The command about constraint dependency grammars: networks, analyses, repairs, coverage, and brute force."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from schemata.cli import command as c
from schemata.cli.output import print_json, report
from schemata.constraints.answers import RUN_BUDGET, SENTENCE_BUDGET, constraint_coverage, satisfy
from schemata.constraints.checks import verify_constraints
from schemata.display.constraints import network_svg
from schemata.display.terminal import progress
from schemata.errors import UsageError, did_you_mean
from schemata.grammars.kinds import grammar_from_option
from schemata.kinds import CONSTRAINTS
from schemata.text_files import write_text

_MAX_WORDS = "leave out sentences of more than N words (default 10)"
_RANDOM = "with --verify: try N random sentences of each length (default 12)"
_WHY = 'why a value of a word is out: --why "2 nsubj@3"'


@c.command(
    c.SENTENCE,
    c.option(
        "--grammar G",
        "a .constraints file, or example; english.constraints and german.constraints are shipped",
    ),
    c.TAGGED,
    c.number(
        "--limit N", "at most N analyses without hard violations are shown (default: the best)", above=0
    ),
    c.flag("--repair", "repair an analysis step by step first, and tell how"),
    c.option("--why VALUE", _WHY),
    c.output("--svg FILE", "draw the surviving network as SVG"),
    c.CONLLU_FILE,
    c.number("--max-words N", _MAX_WORDS, 10, above=0),
    c.number("--most N", "at most N sentences (default: all)", above=0),
    c.flag("--verify", "compare propagation, search and repair with brute force"),
    c.MAX_N_4,
    c.number("--random N", _RANDOM, 12, above=0),
    c.SEED,
    c.BUDGET,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(("--most", "--conllu"),),
    apart=(
        ("--conllu", "--verify --why --svg --limit --repair"),
        ("--verify", "--why --svg --limit --repair"),
        ("--why", "--limit --repair"),
    ),
)
def constraints(arguments: Namespace) -> int:
    """Parse with a constraint dependency grammar: propagate, find the best analysis exactly, or repair one.

    A grammar has labels, words with readings, and constraints on one or two words, hard ones and weighted ones. The
    schema constraint-propagation derives the same excluded values as items, for run and explain. With --conllu: how
    far the grammar covers the short sentences of a treebank. --max-n, --random and --seed go with --verify. Exit code
    0: there is an analysis that violates no hard constraint (--verify: all agrees; --why: the value is out); 1: there
    is none; 2: bad usage, or a limit was hit before that was known.
    """
    given = arguments.grammar
    if given is None and not arguments.verify:
        message, hint = "constraints of which grammar?", "try --grammar example"
        raise UsageError(message, expected="--grammar FILE.constraints", hint=hint)
    grammar: Any = None if given is None else grammar_from_option(_shipped(given), CONSTRAINTS)
    if grammar is not None:
        warnings = c.Warnings(given, f"schemata check {given} tells all")
        warnings.report(grammar.warnings)
        warnings.close()
    if arguments.verify:
        seconds = arguments.max_seconds and 0.9 * arguments.max_seconds
        settings: dict[str, Any] = {"random": arguments.random, "seed": arguments.seed, "seconds": seconds}
        verdict = verify_constraints(grammar, arguments.max_n, watch=progress, **settings)
        return c.answer(arguments, verdict, code=c.exit_code(verdict.holds, verdict.stopped))
    if arguments.conllu is not None:
        return _coverage(arguments, grammar)
    sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
    if arguments.why is not None:
        return _why(arguments, grammar, sentence)
    budget = c.chosen_budget(arguments, RUN_BUDGET)
    found = satisfy(sentence, grammar, limit=arguments.limit, repairs=arguments.repair, budget=budget)
    report(*found.network.unknown)
    files = [] if arguments.svg is None else [write_text(arguments.svg, network_svg(found.network))]
    holds: bool | None = found.best is not None and not found.best.hard
    if not holds and found.found.stopped:
        holds = None
    return c.answer(arguments, found, code=c.exit_code(holds, found.found.stopped), files=files)


def _shipped(name: str) -> str:
    """Return the path of a shipped grammar by its name, such as english.constraints, unless there is such a file."""
    from schemata.language.shipped import shipped_files

    path = Path(name)
    found = shipped_files(".constraints", "examples").get(path.name.removesuffix(".constraints"))
    is_name = path.name == name and name.endswith(".constraints")
    return str(found) if is_name and found is not None and not path.exists() else name


def _why(arguments: Namespace, grammar: Any, sentence: Any) -> int:
    """Print a proof that a value is out."""
    from schemata.analysis.explain import NotDerivableError
    from schemata.cli.output import report
    from schemata.grammars.constraint_networks import Network
    from schemata.workbench import load

    word, _, value = arguments.why.strip().partition(" ")
    if not (word.isascii() and word.isdecimal()) or not value.strip():
        raise UsageError(
            f"--why {arguments.why!r} is not a value of a word", expected='a word and a value: "2 nsubj@3"'
        )
    network, value = Network(grammar, sentence), value.strip()
    values = dict(zip(map(str, range(1, network.n + 1)), network.domains, strict=True)).get(word, ())
    names = [network.name(int(word), one) for one in values]
    if value not in names:
        hint = did_you_mean(value, names) or "values are written as in the table of those left"
        raise UsageError(
            f"word {word} has no value {value}",
            expected=f"one of {len(names)} values of word {word}",
            hint=hint,
        )
    chart = load("constraint-propagation").run(sentence, grammar, budget=c.chosen_budget(arguments))
    item = f'out[{word}, "{value}"]'
    try:
        return c.answer(arguments, chart.explain(item))
    except NotDerivableError as error:
        report(*error.diagnostics)
        if arguments.json:
            print_json({**chart.heading(), "item": item, "derivable": False})
        return 1


def _coverage(arguments: Namespace, grammar: Any) -> int:
    from schemata.treebanks import read_conllu

    file = arguments.conllu
    budget = c.chosen_budget(arguments, SENTENCE_BUDGET)
    sentences = progress(read_conllu(file), None, "sentences")
    settings: dict[str, Any] = {"max_words": arguments.max_words, "most": arguments.most, "budget": budget}
    found = constraint_coverage(grammar, sentences, file=str(file), **settings)
    return c.answer(arguments, found)
