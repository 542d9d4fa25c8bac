"""Measure the Link Grammar schemata on English sentences of ten words and more, as a table in Markdown.

Usage: python tests/benchmarks/bench_link_grammar.py [--max-seconds S] [SENTENCE ...]

The English dictionary of Debian's link-grammar-dictionaries-en must be installed. Each run has a process of its
own, whose greatest memory is shown, the dictionary included; seconds are those of the run and of counting the
linkages, without reading the dictionary and pruning.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from dataclasses import dataclass

import schemata
from schemata.budget import Budget, BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.grammars.link_grammar import LinkGrammar, SentenceDisjuncts
from schemata.structures import Sentence

SCHEMATA = ("sleator-temperley1991", "eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg")
SENTENCES = (
    "the old man saw her dog in the park today",
    "he said that she would come home early next week",
    "I think the students who passed the exam were happy",
    "there is going to be an important meeting in January",
    "the committee decided to postpone the vote until next Friday",
    "the sky is blue , so it is likely that Joe will come",
    "she asked him to bring the books that she had left at home because she needed them",
    "the people who live in the old house near the river say that the water rises every spring when the snow melts",
)


@dataclass(frozen=True)
class Row:
    """The figures of one run; `stopped` names the budget that ended it."""

    items: int
    steps: int
    linkages: int | None
    seconds: float
    megabytes: int
    stopped: str | None


def measure(name: str, given: SentenceDisjuncts, budget: Budget) -> Row:
    """Run a schema and count the linkages."""
    kernel = schemata.load(name).kernel
    started = time.perf_counter()
    linkages, stopped = None, None
    try:
        chart = run_kernel(kernel, Sentence(given.words), given, budget)
        count = chart.forest().derivation_count
        linkages = int(count)
    except BudgetExceeded as over:
        chart, stopped = over.chart, over.reason
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Row(chart.item_count, chart.step_count, linkages, seconds, peak, stopped)


def measure_apart(name: str, given: SentenceDisjuncts, budget: Budget) -> Row:
    """Do the same in a process of its own."""
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        return pool.apply(measure, (name, given, budget))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE")
    parser.add_argument("--max-seconds", type=float, default=120.0)
    options = parser.parse_args()
    started = time.perf_counter()
    grammar = LinkGrammar.installed()
    print(f"reading the dictionary: {time.perf_counter() - started:.1f} s\n")
    print("| sentence | schema | items | steps | linkages | seconds | MiB |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    budget = Budget(steps=10**9, seconds=options.max_seconds)
    for text in options.sentences or SENTENCES:
        sentence = Sentence.of(text)
        started = time.perf_counter()
        given = grammar.for_sentence(sentence)
        pruning = time.perf_counter() - started
        heading = f"*{text}*, {given.size} disjuncts after {pruning:.1f} s of pruning"
        for name in SCHEMATA:
            row = measure_apart(name, given, budget)
            more = "more than " if row.stopped else ""
            cells = (
                heading,
                f"`{name}`",
                f"{more}{row.items:,}",
                f"{more}{row.steps:,}",
                "" if row.linkages is None else f"{row.linkages:,}",
                f"{more}{row.seconds:.2f}",
                f"{more}{row.megabytes:,}",
            )
            print(f"| {' | '.join(cells)} |", flush=True)
            heading = ""


if __name__ == "__main__":
    main()
