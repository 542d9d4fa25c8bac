"""Native runs over context-free grammars against NLTK's chart parsers of the same name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import schemata
from tests.benchmarks.measure import Section, Setup, best_of, clocked, in_turn, over, seconds

__all__ = ["measure"]

PHRASES = """
S -> NP VP
NP -> DT N1 | N1 | NP PP | NP CC NP
N1 -> N | A N1 | N1 N | N1 PP
VP -> V NP | VP PP | V NP PP | VP CC VP
PP -> P NP
DT -> 'the'
N -> 'dog' | 'park' | 'man' | 'saw'
A -> 'old' | 'dog'
V -> 'saw' | 'man'
P -> 'in'
CC -> 'and'
"""
PAIRS = "S -> S S | 'a'\n"
SENTENCES = [
    ("phrases", PHRASES, "the old dog saw the old man" + " in the old dog park and the man" * 6),
    ("pairs", PAIRS, "a " * 50),
]
PARSERS = [
    ("earley", "nltk.parse.earleychart", "EarleyChartParser"),
    ("left-corner", "nltk.parse.chart", "LeftCornerChartParser"),
]
TARGET = 100
ABOUT = """\
The charts of NLTK's `EarleyChartParser` and `LeftCornerChartParser` and of the schemata `earley` and
`left-corner` for sentences of 50 words: *phrases* is a small grammar of English phrases in which prepositional
phrases and conjunctions attach wherever they can, *pairs* the grammar `S -> S S | a` (both stand in
`tests/benchmarks/against_nltk.py`). A call here is all of `schema.run(words, grammar, engine="native")`, one
of NLTK's is `chart_parse(words)`; processor seconds, after a first call that is not counted."""
HEADER = ("schema", "grammar", "words", "items", "steps", "s in NLTK", "s here", "NLTK / here")


def measure(setup: Setup) -> Section:
    """Return the table."""
    title = "Against NLTK"
    try:
        import nltk
    except ImportError:
        return Section(title, ABOUT, HEADER, [], ["left out: NLTK is not installed"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for label, text, sentence in SENTENCES:
        words = sentence.split()[: 20 if setup.quick else 50]
        path = setup.scratch / f"{label}.cfg"
        path.write_text(text, encoding="utf-8")
        for name, module, parser in PARSERS:
            setup.say(f"{name}, {len(words)} words, {label}, against NLTK")
            kind = getattr(__import__(module, fromlist=[parser]), parser)
            endless = {"max_time": None} if hasattr(nltk.parse.chart, "DEFAULT_MAX_TIME") else {}
            there = kind(nltk.CFG.fromstring(text), **endless)
            run = _run(name, path, words)
            chart = run()
            parse = clocked(lambda p=there, w=words: p.chart_parse(w), process_time)
            theirs, ours = in_turn(3, parse, best_of(20, clocked(run, process_time)))
            figures = (str(len(words)), f"{chart.item_count:,}", f"{chart.step_count:,}")
            ratio = over(theirs, ours)
            rows.append((name, label, *figures, seconds(theirs.least), seconds(ours.least), ratio))
            if theirs.over(ours)[0] < TARGET:
                notes.append(f"**{name}, {label}: {theirs.over(ours)[0]:.1f} times NLTK, below {TARGET}**")
    return Section(title, ABOUT, HEADER, rows, notes)


def _run(name: str, path: Path, words: list[str]) -> Callable[[], Any]:
    schema, grammar = schemata.load(name), schemata.ContextFreeGrammar.read(path)
    return lambda: schema.run(words, grammar, engine="native")
