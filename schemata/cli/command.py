"""The frame of all commands: how they are declared, shared options and their values, answers, files and warnings.

A command is a function declared with `command` and the options it takes; `--help` prints its docstring. It
returns its exit code and prints one answer, as JSON or as text.
"""

from __future__ import annotations

import math
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from schemata.budget import ENGINES, Budget, EngineName, OverBudget, Reason, within
from schemata.cli.output import print_json, report, write
from schemata.display.terminal import Page, ProgressBar, page
from schemata.engine.exceeded import BudgetExceeded, Interrupted, stopped
from schemata.errors import Diagnostic, Location, SchemaError, UsageError, one_of
from schemata.language.library import load_file, parse_settings, schema_path, split_reference
from schemata.language.shipped import shipped_files
from schemata.records import Record, as_json, replace
from schemata.structures import DependencyTree, Sentence
from schemata.structures.sentence import refuse_file, tagged_sentence
from schemata.text_files import writing
from schemata.thresholds import EFFORTS, REFUSALS
from schemata.wording import quantity
from schemata.workbench import ParsingSchema, common_grammars

if TYPE_CHECKING:
    from schemata.analysis.paths import PathRuns
    from schemata.engine.chart import Chart
    from schemata.structures.word_graphs import WordGraph


T = TypeVar("T")


class Option(Record):
    """An option or argument of a command, as `argparse` takes it."""

    flags: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name shown to users: an option's long flag, an argument's placeholder."""
        return (
            self.flags[-1]
            if self.flags[-1].startswith("-")
            else str(self.settings.get("metavar", self.flags[-1]))
        )

    def is_given(self, arguments: Namespace) -> bool:
        """Whether the option's value differs from its default."""
        name = self.settings.get("dest") or self.flags[-1].lstrip("-").replace("-", "_")
        value = getattr(arguments, name)
        return not (value is None or value is False or value == [] or value == self.settings.get("default"))


class Command(Record):
    """A command: its options, which of them go together, and the function that runs it and returns the exit code."""

    options: tuple[Option, ...]
    needs: Sequence[tuple[str, ...]]
    apart: Sequence[tuple[str, ...]]
    run: Callable[[Namespace], int]
    unanswered: Callable[[Namespace, Reason], int | None] | None = None

    def __call__(self, arguments: Namespace) -> int:
        """Run the command and return its exit code.

        Raises
        ------
        UsageError : options that exclude each other, or one without another that it needs.
        """
        given = [option.name for option in self.options if option.is_given(arguments)]
        for one, (some, others, *why) in product(given, self.apart):
            for other in given if one in some.split() else ():
                if other in others.split():
                    message, hint = f"{one} and {other} exclude each other", " ".join(why) or None
                    raise UsageError(message, code="usage", hint=hint)
        for one, (some, others, *why) in product(given, self.needs):
            if one in some.split() and not set(others.split()) & {*given}:
                message, hint = f"{one} goes with {others.replace(' ', ' or ')}", " ".join(why) or None
                raise UsageError(message, code="usage", hint=hint)
        return _limited(arguments, self)


def option(names: str, help: str, **settings: Any) -> Option:
    """Return an option or argument. Its names are separated by blanks; the last may be the placeholder of its value.

    Other settings are those of `add_argument`.
    """
    flags = names.split()
    value = flags.pop() if flags[1:] and not flags[-1].startswith("-") else None
    named = {} if value is None else {"metavar": value}  # actions without a value take none
    return Option(tuple(flags), {**named, "help": help, **settings})


def number(
    names: str,
    help: str,
    default: float | None = None,
    above: int | None = None,
    kind: Callable[[str], float] = int,
) -> Option:
    """Return an option whose value is a number, by default an integer; `above` (-1 or 0) is an exclusive
    lower bound.
    """

    name = names.split(maxsplit=1)[0]

    def value_of(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise UsageError(f"{name} takes a number, not {text!r}", code="usage") from None
        if above is not None and not value > above:
            raise UsageError(f"{name} {'cannot be negative' if above else 'must be positive'}")
        if isinstance(value, int) and value > sys.maxsize:
            raise UsageError(f"{name} must be at most {sys.maxsize:,}")
        return value

    return option(names, help, type=value_of, default=default)


def choice(name: str, values: Sequence[str], help: str) -> Option:
    """Return an option whose value is one of these; the first is the default."""
    return option(name, help, choices=values, default=values[0])


def output(names: str, help: str) -> Option:
    """Return an option that names a file to write; an unwritable file is refused before a long computation."""
    return option(names, help, type=writable)


def several(names: str, help: str) -> Option:
    """Return an option that may be given several times; its values are a list."""
    return option(names, help, action="append", default=[])


def flag(name: str, help: str) -> Option:
    """Return an option without a value."""
    return Option((name,), {"action": "store_true", "help": help})


def command(
    *options: Option | Iterable[Option],
    needs: Sequence[tuple[str, ...]] = (),
    apart: Sequence[tuple[str, ...]] = (),
    unanswered: Callable[[Namespace, Reason], int | None] | None = None,
) -> Callable[[Callable[[Namespace], int]], Command]:
    """Declare a function as a command with these options.

    Parameters
    ----------
    options : the options and arguments.
    needs : pairs of names, separated by blanks: each of the first needs one of the second.
    apart : likewise: none of the first may stand beside one of the second; perhaps a hint.
    unanswered : prints that the answer is unknown where a limit ended the command; returns the exit code, or None
        if the arguments asked for no answer.
    """
    flat = [x for one in options for x in ([one] if isinstance(one, Option) else one)]
    return lambda run: Command(tuple(flat), needs, apart, run, unanswered)


# Values of options -------------------------------------------------------------------------------------------

_MOST_MEMORY = 1e18  # of any unit: more than any machine has
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def parse_lengths(text: str) -> tuple[int, ...]:
    """Return the lengths of ``2..8``, ``5``, or ``2,4,8..12``, in increasing order.

    Raises
    ------
    UsageError : not numbers, a range from high to low, a length below 1 or above 1,000.

    >>> parse_lengths("2..4,8")
    (2, 3, 4, 8)
    """
    lengths: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:\.\.\s*([0-9]{1,9})\s*)?", part)
        if not match:
            raise _bad_lengths(text, f"{part.strip() or 'an empty part'} is neither a number nor a range")
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            raise _bad_lengths(text, f"{low}..{high} goes from high to low")
        if low < 1:
            raise _bad_lengths(text, "a sentence has at least one word")
        if high > REFUSALS.made_up_words:
            raise _bad_lengths(text, f"{high} is more than {REFUSALS.made_up_words:,} words")
        lengths.update(range(low, high + 1))
    return tuple(sorted(lengths))


def _bad_lengths(text: str, reason: str) -> UsageError:
    return UsageError(f"lengths {text}: {reason}", code="bad-lengths", expected="2..12, or 4,8,16, or 10")


def corpus_file(name: str) -> str:
    """Return the path of a treebank as named on the command line: `example` is a shipped one."""
    return str(shipped_files(".conllu", "examples")["english"]) if name == "example" else name


def memory_of(text: str) -> int:
    """Return the bytes of an amount such as 500M.

    Raises
    ------
    UsageError : it is not an amount.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)i?b?", text.strip().casefold())
    if not found or not 0 < float(found[1]) <= _MOST_MEMORY:
        message = f"--max-memory {text!r} is not an amount of memory"
        raise UsageError(message, code="bad-option", expected="500M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])


# Options that several commands take ------------------------------------------------------------------------

_DEFAULT = Budget()

SET = several("--set K=V", "set a parameter of the schema, or a variable of the file")
SCHEMA = (
    option("schema NAME", "a shipped schema (also NAME:k=4) or a path to a .schema file"),
    SET,
)
TAGGED = flag("--tagged", "words are given as word/TAG")
GRAMMAR = (
    option("--grammar G", "a grammar file, example, all (the default for D-rules), gold, or heads:2,3,0"),
    flag("--single-root", "list and count trees with one root only"),
    TAGGED,
    flag("--unpruned", "Link Grammar: keep disjuncts that can be in no linkage of the sentence"),
    flag(
        "--strict",
        "words that the grammar does not know are errors, and so are rules that no step of the schema can read",
    ),
)
_STEPS = f"step instances of each run (default {_DEFAULT.steps:,}; natively {_DEFAULT.native_steps:,})"
_SECONDS = f"seconds for all that the command does (default {_DEFAULT.seconds:g} for each run)"
_MEMORY = f"memory, for example 500M or 2G (default {_DEFAULT.memory >> 20:,}M)"
LIMITS = (
    number("--max-seconds S", _SECONDS, above=0, kind=float),
    option("--max-memory M", _MEMORY, type=memory_of, default=_DEFAULT.memory),
)
BUDGET = (number("--max-steps N", _STEPS, above=0), *LIMITS)
OUTER_LIMITS = (
    number(
        "--max-seconds S", "seconds for all that the command does (default: no limit)", above=0, kind=float
    ),
    LIMITS[1],
)
"""The limits of commands whose work heeds none: it is broken off."""
_ENGINES = "auto (the default): generated Python for short runs, native code for long ones; or one of them"
ENGINE = choice("--engine", ENGINES, _ENGINES)
_FILES = "a treebank in CoNLL-U, or those that a pattern in quotes names; example: a shipped one"
TREEBANK = option("file FILE.conllu", "a treebank in CoNLL-U; example: a shipped one", type=corpus_file)
CONLLU = option("--conllu FILE", _FILES, type=corpus_file, action="append", default=[])
CONLLU_FILE = option("--conllu FILE", "a treebank in CoNLL-U; example: a shipped one", type=corpus_file)
SENTENCE = option("sentence SENTENCE", "the words, split at blanks", nargs="*")
HEADS = option("--heads HEADS", "the tree: one head a word, 0 for the root, as in 2,0,2")
OF_FILE = (
    CONLLU_FILE,
    number("--number N", "sentence N of the file, from 1 (default 1)", 1, above=0),
)
"""The options of commands that ask about one sentence, which may be of a treebank."""
LATTICE = option("--lattice FILE", "a word graph, whose paths are parsed together: lines such as 0 1 word")
MAX_N = number("--max-n N", "the greatest number of words (default 5)", 5)
MAX_N_4 = number("--max-n N", "the greatest number of words (default 4)", 4, above=0)
CLASS = option(
    "--class CLASS",
    "projective, planar, wg-1, all ... (see docs); linkages, acyclic-linkages; of graphs planar+acyclic ...; of "
    "constituent trees non-empty, binary, all",
    dest="class_name",
)
MAP = several("--map MAP", 'a map of items, "tree[i, j, i] to span[i, j, false, true]", or a relation file')
LENGTHS = option("--lengths L", "sentences of these numbers of words: 2..12, or 4,8,16", type=parse_lengths)
CONTROL = option(
    "--control C",
    "a strategy: greedy, beam:8, best-first, astar ..., or a file that says which items to take",
)
ROOTS = choice("--roots", ("one", "many"), "how many words may hang under node 0 (default one)")
ROOM = number(
    "--room N",
    "words for which there is room after a prefix: where no rules tell, sentences with so many more are looked for",
    above=-1,
)
SEED = number("--seed N", "the seed of random choices (default 0)", 0)
TREE_BUDGET = number(
    "--tree-budget N",
    f"the effort of counting trees exactly (default {EFFORTS.unions:,}; {EFFORTS.corpus_unions:,} in a corpus)",
    above=-1,
)
CSV, TSV = (
    flag(f"--{how}", f"print the rows of tables with {between} between values")
    for how, between in (("csv", "commas"), ("tsv", "tabs"))
)
JOBS = number("--jobs K", "processes (default 1)", 1, above=0)
WEIGHTS = option("--weights FILE", "scores of links: .npz, .npy, or lines of text, for steps too")
ASCII = flag("--ascii", "keep to ASCII characters")
WIDTH = number("--width N", "columns of text (the terminal's) and of pictures (100)", above=0)
JSON = flag("--json", "print JSON")
ONE_RUN = (*SCHEMA, SENTENCE, *OF_FILE, *GRAMMAR, *BUDGET, ENGINE, JSON)
"""The options of commands that ask about the run of a schema on a sentence."""


def chosen_schema(
    reference: str, settings: list[str] | None = None, engine: EngineName = "auto"
) -> ParsingSchema:
    """Load a schema as named on the command line; its warnings go to standard error.

    Raises
    ------
    SchemaError, UsageError : as `schemata.load`.
    """
    name, parameters = split_reference(reference)
    parameters = {**parameters, **parse_settings(settings or [])}
    definition, findings = load_file(schema_path(name), parameters)
    if definition is None:
        raise SchemaError(findings)
    report_findings(findings, definition.name)
    return ParsingSchema(definition, engine)


def chosen_sentence(words: str | list[str], tagged: bool = False) -> Sentence:
    """Return the sentence given as one or more arguments.

    Raises
    ------
    UsageError : there is no word in it.
    """
    if not isinstance(words, str) and all(map(os.path.isfile, words)):
        refuse_file(words[0] if words else "")
    if not isinstance(words, str) and len(words) > 1:
        _warn_of_words(words)
    text = words if isinstance(words, str) else " ".join(words)
    if re.fullmatch(r"\([A-Z]\S*\s+\(.*\)\)", text.strip()):
        alone = " ".join(word.strip(")") for word in text.split() if not word.startswith("("))
        raise UsageError(
            "the sentence is a tree in brackets", code="tree-as-sentence", expected=f"its words: {alone!r}"
        )
    return tagged_sentence(text) if tagged else Sentence.of(text)


def _warn_of_words(words: list[str]) -> None:
    """Warn of arguments that are words of a sentence now, and seem to be meant as a schema or a file to write."""
    from schemata.language.shipped import shipped_schemata

    if words[0] in shipped_schemata() and not words[0].isalpha():
        message, hint = f"{words[0]} is a word of the sentence here", "schemata compare runs several schemata"
    elif setting := re.fullmatch(r"[^\W\d]\w*=\w+", words[0]):
        message = f"{words[0]} is a word of the sentence here"
        hint = f"parameters of a schema are set by --set {setting[0]}"
    elif re.search(r"\w\.(json|csv|tsv|svg|html|tex|png|pdf)$", words[-1]):
        message = f"{words[-1]} is a word of the sentence here"
        hint = f"what is printed goes to a file by > {words[-1]}"
    else:
        return
    report(Diagnostic("word-of-sentence", message, hint=hint, severity="warning"))


def one_sentence(arguments: Namespace) -> Sentence:
    """Return the sentence that a command names: its words, or one of a treebank.

    Raises
    ------
    UsageError : there is neither, there are both, or the file has no such sentence.
    """
    if bool(arguments.conllu) == bool(arguments.sentence):
        both = "SENTENCE and --conllu exclude each other" if arguments.conllu else "there is no sentence"
        expected = 'words in quotes ("the cat sat"), or --conllu FILE'
        raise UsageError(both, code="usage" if arguments.conllu else "no-sentence", expected=expected)
    if arguments.conllu:
        return numbered(arguments.conllu, arguments.number)
    return chosen_sentence(arguments.sentence, getattr(arguments, "tagged", False))


def numbered(file: str, number: int) -> Sentence:
    """Return a sentence of a CoNLL-U file by its number, from 1.

    Raises
    ------
    UsageError : there is none of that number, or it is broken.
    """
    from schemata.treebanks import read_conllu

    path = corpus_file(file)
    found = next(islice(read_conllu(path), number - 1, None), None)
    if found is None:
        count = sum(1 for _ in read_conllu(path))
        raise UsageError(f"{path} has no sentence {number}", expected=f"a number from 1 to {count:,}")
    if not isinstance(found, Sentence):
        raise UsageError(found.diagnostic)
    return found


def chosen_tree(heads: str | None, sentence: Sentence) -> DependencyTree:
    """Return the tree of a sentence that `--heads` gives.

    Raises
    ------
    UsageError, StructureError : there is not one head for each word, or the heads are not a tree.
    """
    given, words = re.split("[, ]+", heads or ""), len(sentence.words)
    if not all(re.fullmatch("[0-9]{1,6}", head) for head in given) or len(given) != words:
        expected = (
            f"one head per word, 0 for the root: --heads {','.join(map(str, [*range(2, words + 1), 0]))}"
        )
        message = f"{heads!r} is not a tree of {quantity(words, 'word')}" if heads else "--heads is missing"
        raise UsageError(message, code="usage", expected=expected)
    return DependencyTree(tuple(map(int, given)))


def chosen_grammar(schema: ParsingSchema, arguments: Namespace) -> Any:
    """Return the grammar that `--grammar` names, fit for the schema; as `chosen_grammars`."""
    return chosen_grammars([schema], arguments)[schema.definition.grammar]


def chosen_grammars(schemata: Sequence[ParsingSchema], arguments: Namespace) -> Mapping[str, Any]:
    """Return the grammar that `--grammar` names for each kind that the schemata run over.

    Its warnings go to standard error.

    Raises
    ------
    UsageError, GrammarError : the schemata cannot share it, or it is missing, of another kind, or broken.
    """
    from schemata.grammars.drules import unread_among

    given = arguments.sentence or ()
    words = len(" ".join([given] if isinstance(given, str) else given).split())
    settings: dict[str, Any] = {"single_root": arguments.single_root, "pruned": not arguments.unpruned}
    settings |= {"strict": arguments.strict, "words": words}
    with ProgressBar(f"reading {arguments.grammar}"):
        grammars = common_grammars(schemata, arguments.grammar, **settings)
    if arguments.grammar is not None:
        for grammar in grammars.values():
            left_out = unread_among(grammar.warnings)
            own = tuple(one for one in grammar.warnings if one not in left_out)
            hints = f"schemata check {arguments.grammar} tells all", "--json has them all"
            for found, hint in zip((own, left_out), hints, strict=True):
                warnings = Warnings(arguments.grammar, hint)
                warnings.report(found)
                warnings.close()
    return grammars


def chosen_budget(arguments: Namespace, default: Budget = _DEFAULT) -> Budget:
    """Return the budget that options give, with the default's steps and seconds where they give none.

    The seconds that an option gives are those of the whole command, from its beginning.
    """
    steps, seconds = getattr(arguments, "max_steps", None) or default.steps, arguments.max_seconds
    if seconds is None:
        return Budget(steps, default.seconds, arguments.max_memory)
    return Budget(steps, seconds, arguments.max_memory, arguments.began + seconds)


def answering(budget: Budget) -> Budget:
    """Return the limits of an answer about a run: a little time beyond the run's, which may have used up its own."""
    return replace(budget, end=budget.end + budget.seconds / _REST)


def _limited(arguments: Namespace, command: Command) -> int:
    """Run a command, and interrupt work that exceeds its limits; work that respects them has returned by
    then.
    """
    budget = chosen_budget(arguments) if hasattr(arguments, "max_seconds") else _DEFAULT
    outer = replace(budget, seconds=math.inf)
    if OUTER_LIMITS[0] not in command.options:
        outer = replace(outer, end=budget.end + _BEYOND * budget.seconds, memory=budget.memory // 4 * 5)
    try:
        return within(outer, 0.0, lambda: command.run(arguments))
    except OverBudget as over:
        code = command.unanswered(arguments, over.reason) if command.unanswered else None
        if code is not None:
            return code
        report(budget.hit(over.reason))
        if getattr(arguments, "json", False):
            print_json({"stopped": over.reason})
        return 2


_REST = 8  # an answer may take so small a part of the seconds more than they are
_BEYOND = 0.4  # the part of the seconds after which what heeds no limit is broken off


# Runs and answers ------------------------------------------------------------------------------------------


def chosen_weights(arguments: Namespace) -> Any:
    """Return the scores that `--weights` names; None without it.

    Raises
    ------
    GrammarError : the file cannot be read or holds mistakes.
    """
    if getattr(arguments, "weights", None) is None:
        return None
    from schemata.weights.scores import Weights

    return Weights.read(arguments.weights)


def run_chart(
    schema: ParsingSchema,
    sentence: Sentence | WordGraph,
    grammar: Any,
    arguments: Namespace,
    runs: Callable[..., Any] | None = None,
) -> tuple[Chart, int]:
    """Run a schema on a sentence, with a progress bar; the code is 0, 2 at the end of a budget, 130 on Ctrl-C.

    `runs` is called in place of `schema.run`. Warnings about the sentence go to standard error.
    """
    from schemata.analysis.figures import warnings_of

    code = 0
    budget = chosen_budget(arguments)
    try:
        with ProgressBar(f"running {schema.name}"):
            weights, control = chosen_weights(arguments), getattr(arguments, "control", None)
            settings: Any = {"budget": budget, "weights": weights, "control": control}
            chart = (runs or schema.run)(sentence, grammar, **settings)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
        code = 130 if isinstance(over, Interrupted) else 2
    report(*of_sentence(warnings_of(chart), grammar))
    return chart, code


def of_sentence(warnings: Iterable[Diagnostic], grammar: Any) -> tuple[Diagnostic, ...]:
    """Return the warnings about a sentence that are not about its grammar: `chosen_grammars` has reported those."""
    before = getattr(grammar, "warnings", ())
    return tuple(one for one in warnings if one not in before)


def heeding(budget: Budget, started: float, when: str, values: Iterable[T]) -> tuple[list[T], Reason | None]:
    """Return the values found within a budget, and the limit that was hit, which is reported, or None.

    Parameters
    ----------
    budget, started : as `within` has them.
    when : the words that say where the limit was hit.
    values : the results, one after the other.
    """
    found: list[T] = []
    reason = stopped(budget, started, lambda: found.extend(values))
    if reason is not None:
        report(budget.hit(reason, when))
    return found, reason


def chosen_run(arguments: Namespace) -> tuple[ParsingSchema, Sentence, Any]:
    """Return the schema that a command names, its sentence, and its grammar."""
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    return schema, one_sentence(arguments), grammar


def chosen_chart(arguments: Namespace, item: str | None = None) -> tuple[Chart, int]:
    """Run the schema that a command names on its sentence, or word graph; the code is that of `run_chart`.

    Of a schema that does not read word graphs, the chart of one path is returned, on which the item is derived if it is
    on any (or a final item, without one). Standard error has the path.

    Raises
    ------
    SchemaError : the text is not an item, on any path.
    """
    if getattr(arguments, "lattice", None) is None:
        return run_chart(*chosen_run(arguments), arguments)
    from schemata.analysis.paths import PathRuns
    from schemata.structures.word_graphs import WordGraph

    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    graph = WordGraph.read(arguments.lattice, getattr(arguments, "tagged", False))
    chart, code = run_chart(schema, graph, grammar, arguments, partial(at_once_or_by_path, schema))
    return (_of_one_path(chart, item), code) if isinstance(chart, PathRuns) else (chart, code)


def at_once_or_by_path(
    schema: ParsingSchema,
    graph: WordGraph,
    grammar: Any,
    *,
    control: Any,
    each_path: bool = False,
    refuse: Callable[[str], None] | None = None,
    **settings: Any,
) -> Chart | PathRuns:
    """Run a schema on a word graph at once, or else, or with `each_path`, on its paths one by one.

    Before that, `refuse` is called with the reason for it: it may raise an error.
    """
    from schemata.analysis.paths import run_paths
    from schemata.language.word_graphs import NO_WORD_GRAPH

    why = f"{schema.name} is run on the paths of the word graph one by one"
    if not (each_path or schema.definition.reads_inputs):
        try:
            return schema.run(graph, grammar, control=control, **settings)
        except UsageError as error:
            if error.diagnostics[0].code != NO_WORD_GRAPH:
                raise
            why = error.diagnostics[0].message
    if refuse is not None:
        refuse(why)
    return run_paths(schema, graph, grammar, **settings)


def _of_one_path(runs: PathRuns, item: str | None) -> Chart:
    """Return the first chart that has the item, or is accepted without one; else the first in which it could be."""
    from schemata.analysis.explain import find_item

    fitting: list[Chart] = []
    problem: SchemaError | None = None
    for chart in runs.charts:
        try:
            derived = chart.accepted if item is None else find_item(chart, item).number is not None
        except SchemaError as error:  # a position that a shorter path has not
            problem = problem or error
            continue
        fitting = [chart] if derived else [*fitting, chart]
        if derived:
            break
    if problem is not None and not fitting:
        raise problem
    words, count = " ".join(fitting[0].sentence.words), quantity(runs.graph.path_count, "path")
    message = (
        f"{runs.schema.name} runs path by path: of {count}, the answer is about {words!r}, with its positions"
    )
    report(Diagnostic("one-path", message, severity="warning"))
    return fitting[0]


def answer(
    arguments: Namespace,
    value: Any,
    text: str | Callable[[Page], str] | None = None,
    code: int = 0,
    files: Iterable[Path] = (),
) -> int:
    """Print an answer, and return the exit code: one JSON object where `--json` asks for it, else text.

    Parameters
    ----------
    arguments : the arguments of the command.
    value : the JSON: an object, a function that returns one, or a value with `to_json`.
    text : the text or a function that returns it; None for the text by `text_of`.
    code : the exit code.
    files : files that were written, which text names.
    """
    if arguments.json:
        print_json(value() if callable(value) else as_json(value))
    else:
        asked = {name: value for name, value in vars(arguments).items() if name in ("ascii", "width", "rtl")}
        if text is None:
            from schemata.display.shown import text_of

            text = partial(text_of, value)
        written = [f"wrote {file}" for file in files]
        shown = text(page(**asked)) if callable(text) else text
        write("\n".join([shown, *(["", *written] if written else [])]) + "\n")
    return code


def exit_code(holds: bool | None, stopped: str | None = None) -> int:
    """Return 0 for yes, 1 for no, 2 for an answer that a budget prevented, 130 after Ctrl-C."""
    return 130 if stopped == "interrupt" else {True: 0, False: 1, None: 2}[holds]


# Files -----------------------------------------------------------------------------------------------------


def make_directory(path: str | Path) -> None:
    """Make a directory unless it is there.

    Raises
    ------
    UsageError : it cannot be made or written to, or is a file.
    """
    with writing(path):
        if os.path.lexists(path) and not os.path.isdir(path):
            raise NotADirectoryError(20, "it is not a directory")
        Path(path).mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")


def writable(path: str) -> str:
    """Return the path of a file that can be written.

    Raises
    ------
    UsageError : there is no such directory, the file is a directory or has no name, or permission is denied.
    """
    file = Path(path)
    with writing(path):
        if file.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        if not file.parent.is_dir():
            raise FileNotFoundError(2, f"there is no directory {file.parent}")
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise PermissionError(13, "Permission denied")
    return path


def picture_file(name: str) -> str:
    """Return the name of a file for the picture of a chart, if its suffix is supported; empty if there is
    no name.

    Raises
    ------
    UsageError : its kind is not supported, or it cannot be written.
    """
    from schemata.display.saved import SUFFIXES

    if not name:
        return name
    if Path(name).suffix.casefold() not in SUFFIXES:
        hint = "without FILE, --chart stands behind the sentence"
        expected = f"a file that ends in {one_of(SUFFIXES)}"
        raise UsageError(f"{name!r} is not a picture of a chart", code="usage", expected=expected, hint=hint)
    return writable(name)


# Warnings --------------------------------------------------------------------------------------------------

_MOST = 10  # warnings shown in full, of a grammar and of a corpus


def report_skipped(name: str, findings: Iterable[Diagnostic], place: Location | None = None) -> None:
    """Report why a sentence is skipped; `place` is its place in the file, if the findings do not have it."""
    for found in findings:
        message, where = f"{name} skipped: {found.message}", place or found.location
        report(Diagnostic(found.code, message, where, hint=found.hint))


def report_findings(findings: Sequence[Diagnostic], about: str) -> None:
    """Report what is found in a file, errors and warnings in their order; of these, not more than the first ones."""
    rest = [found for found in findings if found.severity == "warning"][EFFORTS.reported_errors :]
    left_out = set(map(id, rest))
    report(*(found for found in findings if id(found) not in left_out))
    if rest:
        message, hint = (
            f"{quantity(len(rest), 'more warning')} about {about}",
            "schemata check --json has all",
        )
        report(Diagnostic("more-warnings", message, rest[0].location, hint=hint, severity="warning"))


class Warnings:
    """Reports warnings about a file: the first ten in full, then how many more.

    Parameters
    ----------
    file : the file, as the user named it; another may follow.
    hint : how to see them all.

    >>> found = Warnings("small.conllu", "--json has them all")
    >>> found.report(())
    >>> found.close()
    """

    def __init__(self, file: str, hint: str) -> None:
        self.file, self._hint = file, hint
        self._seen = 0

    def report(self, warnings: Sequence[Diagnostic], sentence: str = "", line: int | None = None) -> None:
        """Write warnings, up to ten for a file.

        Parameters
        ----------
        warnings : the warnings.
        sentence : the name of the sentence that they are about, if it is one of the file.
        line : where it begins, if that is known.
        """
        place = Location(self.file, line, 1) if line else None
        for found in warnings[: max(0, _MOST - self._seen)]:
            about = replace(found, message=f"sentence {sentence}: {found.message}", location=place)
            report(about if sentence else found)
        self._seen += len(warnings)

    def close(self) -> None:
        """Write how many warnings have not been shown, if any."""
        if (more := self._seen - _MOST) > 0:
            message = f"{quantity(more, 'more warning')} about {self.file}"
            report(Diagnostic("more-warnings", message, hint=self._hint, severity="warning"))
