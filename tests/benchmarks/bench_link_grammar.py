"""Measure Link Grammar sentences beside link-parser, by the number of words, as a table in Markdown.

Usage: python -m tests.benchmarks.bench_link_grammar [--rounds N] [SENTENCE ...]

link-parser and its English dictionary must be installed (Debian's link-grammar, link-grammar-dictionaries-en). Both
sides have read it. Here a sentence is looked up and prepared, its chart is made natively, and its linkages are
counted; link-parser does all that and post-processes one linkage. In its turn each side takes the sentence many times,
one after the other, and looks it up anew each time. All seconds are processor time, by the number of times: of
link-parser that of a process which parses the sentence so often, less that of one which parses none. In every round
each side has one turn; the least time counts, and ratios are of least times.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
from collections.abc import Callable
from time import process_time

import schemata
from schemata.grammars.link_grammar import LinkGrammar
from schemata.structures import Sentence
from tests.benchmarks.measure import clocked, in_turn

SCHEMATA = ("sleator-temperley1991", "eisner-satta-lg")
SENTENCES = (
    "the cat sat on the mat",
    "the dog that chased the cat ran",
    "the old man saw her dog in the park today",
    "he said that she would come home early next week",
    "I think the students who passed the exam were happy",
    "there is going to be an important meeting in January",
    "the committee decided to postpone the vote until next Friday",
    "the sky is blue , so it is likely that Joe will come",
    "the big dog that I saw in the park ran after the cat",
    "John and Mary like to eat apples in the garden with the old man",
    "she asked him to bring the books that she had left at home because she needed them",
    "the people who live in the old house near the river say that the water rises every spring when the snow melts",
)
_WORDS = 10_000  # that link-parser parses in one turn, the same sentence again and again
_OWN_TIMES = 20  # that schemata parses a sentence in one turn
_OPTIONS = ("-limit=1", "-null=0", "-panic=0", "-spell=0", "-graphics=0", "-timeout=600", "-bad=1")


def link_parser_seconds(sentence: str, times: int) -> float:
    """Return the processor seconds of link-parser, start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = "".join(f"{sentence}\n" * times)
    subprocess.run(("link-parser", "en", *_OPTIONS), input=lines, text=True, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def often(work: Callable[[], object]) -> Callable[[], float]:
    """Return a side that times some work, done again and again."""

    def all_times() -> None:
        for _ in range(_OWN_TIMES):
            work()

    side = clocked(all_times, process_time)
    return lambda: side() / _OWN_TIMES


def prepared(grammar: LinkGrammar, sentence: Sentence) -> Callable[[], float]:
    """Return a side that times the preparation of a sentence."""
    return often(lambda: grammar.for_sentence(sentence))


def run(name: str, grammar: LinkGrammar, sentence: Sentence, whole: bool) -> Callable[[], float]:
    """Return a side that times a schema's run of a sentence, and with `whole` the count of its linkages."""
    schema = schemata.load(name)

    def work() -> None:
        chart = schema.run(sentence, grammar, engine="native")
        if whole:
            int(chart.forest().derivation_count)

    return often(work)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if shutil.which("link-parser") is None:
        print("left out: link-parser is not installed")
        return
    grammar = LinkGrammar.installed()
    for text in SENTENCES * 2:  # long enough for preparation to be compiled
        grammar.for_sentence(Sentence.of(text))
    heads = ("words", "disjuncts", "schema", "items", "steps", "linkages")
    heads += ("preparation ms", "chart ms", "count ms", "link-parser ms", "here / link-parser")
    print(f"| {' | '.join(heads)} |\n|{' ---: |' * len(heads)}")
    for text in options.sentences or SENTENCES:
        sentence = Sentence.of(text)
        provided = grammar.for_sentence(sentence)
        times = _WORDS // len(sentence)
        for name in SCHEMATA:
            chart = schemata.load(name).run(sentence, grammar, engine="native")
            sides = (
                prepared(grammar, sentence),
                run(name, grammar, sentence, False),
                run(name, grammar, sentence, True),
                lambda text=text, times=times: link_parser_seconds(text, times),
                lambda: link_parser_seconds("", 0),
            )
            samples = in_turn(options.rounds, *sides)
            own, chart_too, all_three, busy, idle = (sample.least for sample in samples)
            theirs = (busy - idle) / times
            figures = (own, max(0.0, chart_too - own), max(0.0, all_three - chart_too), theirs)
            cells = (
                *(str(len(sentence)), str(provided.size), f"`{name}`", f"{chart.item_count:,}"),
                *(f"{chart.step_count:,}", f"{chart.forest().derivation_count:,}"),
                *(f"{seconds * 1e3:.1f}" for seconds in figures),
                f"{all_three / theirs:.1f}",
            )
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
