"""The runs on record: for each shipped schema, small grammars of its kind and sentences."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schemata import DRules, ParsingSchema, Sentence
from schemata.grammars import grammar_from_option, tagged_sentence
from schemata.language.shipped import shipped_schemata

HERE = Path(__file__).parent
GRAMMARS = HERE / "grammars"
DICTIONARIES = HERE.parent / "grammars" / "dictionaries"

SETTINGS = {  # parameters with which a schema is run; without any where it is not named
    "attardi2006": ("d=1", "d=2", "d=3"),
    "eisner-lg": ("acyclic=0", "acyclic=1"),
    "eisner-satta-lg": ("acyclic=0", "acyclic=1"),
    "eisner1996": ("end=0", "end=1"),
    "eisner1996-once": ("end=0", "end=1"),
    "mgk": ("k=1", "k=2"),
    "mh": ("k=3", "k=4", "k=5"),
    "wgk": ("k=1", "k=2"),
    "wgk-published": ("k=1", "k=2"),
}
SLOW = ("wg1-unlexicalised", "mgk:k=2", "mh:k=5", "yamada-matsumoto-system")  # up to 4 words only
WORDS = "abcdefgh"


@dataclass(frozen=True)
class Case:
    """A sentence and a grammar: an option as on the command line, a file here, or links as pairs."""

    name: str
    sentence: str
    grammar: str | None = None
    pairs: frozenset[tuple[int, int]] | None = None
    tagged: bool = False
    single_root: bool = False
    pruned: bool = True
    asked: bool = True  # whether explanations are recorded, too

    @property
    def words(self) -> Sentence:
        """The sentence."""
        return tagged_sentence(self.sentence) if self.tagged else Sentence.of(self.sentence)

    def grammar_for(self, schema: ParsingSchema) -> Any:
        """Return the grammar, of the schema's kind."""
        if self.pairs is not None:
            return DRules.from_pairs(self.pairs)
        assert self.grammar is not None
        return grammar_from_option(
            grammar_option(self.grammar),
            schema.definition.grammar,
            single_root=self.single_root,
            pruned=self.pruned,
            schema=schema.name,
        )


def references() -> tuple[str, ...]:
    """Return the shipped schemata with their parameters, in the order of their names.

    Transition systems are left out: `tests/verification/test_graphs.py` compares them with brute force, and their
    configurations are too many for sentences of eight words.
    """
    return tuple(
        f"{name}:{setting}" if setting else name
        for name in sorted(shipped_schemata())
        if not name.endswith("-system")
        for setting in SETTINGS.get(name, ("",))
    )


def cases(kind: str, reference: str) -> tuple[Case, ...]:
    """Return the cases of a schema over grammars of a kind.

    >>> [case.name for case in cases("context-free", "cyk")][:2]
    ['attachment-1', 'attachment-2']
    """
    return tuple(_CASES[kind](reference))


def grammar_option(grammar: str) -> str:
    """Return a grammar as `--grammar` takes it: the path of a file, or the option itself."""
    folder = DICTIONARIES / grammar
    return str(
        folder if folder.is_dir() else GRAMMARS / grammar if (GRAMMARS / grammar).exists() else grammar
    )


TREES = {
    1: ["0"],
    2: ["2,0", "0,0"],
    3: ["2,0,2", "0,1,2", "3,0,2"],
    4: ["2,0,4,2", "3,0,2,1"],
    5: ["2,0,5,5,2", "3,4,0,3,2", "0,0,2,2,4"],
}


def _d_rules(reference: str) -> Iterator[Case]:
    mild = reference.startswith(("wg", "mg"))  # why-not takes them long
    longest = 4 if reference in SLOW else 5
    asked = ["all-3", "tree-3,0,2"] if mild else ["all-2", "all-3", "tree-2,0,2", "tree-3,0,2,1", "pairs-4-0"]
    found = []
    for n in range(1, longest + 1):
        words = " ".join(WORDS[:n])
        found += [Case(f"all-{n}", words, "all"), Case(f"anything-{n}", words, "anything.drules")]
        found += [Case(f"tree-{heads}", words, f"heads:{heads}") for heads in TREES[n]]
        found += [
            Case(f"pairs-{n}-{k}", words, pairs=_pairs(n, f"{n} {k}")) for k in range(2 if n > 1 else 0)
        ]
    found.append(Case("single-root", "a b c", "all", single_root=True))
    for k, sentence in enumerate(TAGGED):
        if len(sentence.split()) <= longest:
            found.append(Case(f"tags-{k}", sentence, "tags.drules", tagged=True))
    if reference not in SLOW and not mild and not reference.startswith(("mh", "atta", "covington")):
        found.append(Case("all-7", " ".join(WORDS[:7]), "all"))
        found.append(Case("pairs-8", " ".join(WORDS), pairs=_pairs(8, "8")))
    for case in found:
        yield replace(case, asked=case.name in asked or (case.name == "tags-1" and not mild))


TAGGED = (
    "she/PRON saw/VERB dogs/NOUN", "the/DET old/ADJ man/NOUN saw/VERB",
    "she/PRON saw/VERB the/DET dog/NOUN today/X", "dogs/NOUN with/ADP tails/NOUN saw/VERB", "the/DET the/DET",
)  # fmt: skip


def _pairs(n: int, seed: str) -> frozenset[tuple[int, int]]:
    """Return about half of the links between n words and 0, as (dependent, head)."""
    rng = random.Random(seed)
    links = [(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h]
    return frozenset(link for link in links if rng.random() < 0.55)


def _dependency_rules(reference: str) -> Iterator[Case]:
    for n in range(1, 6):
        for heads in TREES[n][:2]:
            yield Case(f"tree-{heads}", " ".join(WORDS[:n]), f"heads:{heads}", asked=n == 3)
    clauses = [
        "Kim", "saw", "Kim saw", "the man saw", "man the saw", "Kim sees the man", "saw saw saw",
        "Kim saw Kim with Kim", "the saw saw the saw", "Kim saw the man with the saw",
    ]  # fmt: skip
    yield from (
        Case(f"clauses-{k}", s, "clauses.deprules", asked=k in (1, 2, 4, 5, 7)) for k, s in enumerate(clauses)
    )
    chains = ["a", "b", "a b", "c c", "b a b", "c c c", "a c b c", "c c c c", "b a c a b"]
    yield from (Case(f"chains-{k}", s, "chains.deprules", asked=k in (2, 3, 6)) for k, s in enumerate(chains))


def _context_free(reference: str) -> Iterator[Case]:
    attachment = [
        "Kim",
        "Kim slept",
        "the dog slept",
        "Kim saw Kim",
        "dog the saw",
        "Kim saw the dog",
        "Kim saw Kim with Kim",
        "the saw saw the saw",
        "Kim saw the dog with the telescope with Kim",
    ]
    yield from (Case(f"attachment-{k}", s, "attachment.cfg") for k, s in enumerate(attachment, start=1))
    doubles = ["a", "a b", "b a a", "a b a b", "a a a a a", "a b a b a b"]
    yield from (Case(f"doubles-{len(s.split())}", s, "doubles.cfg", asked=len(s) < 6) for s in doubles)
    unary = ["a", "b", "a b", "b c a", "a c b", "a c b a", "b a c a b"]
    yield from (Case(f"unary-{s.replace(' ', '')}", s, "unary.cfg") for s in unary)
    empty = ["a", "b", "c", "a b", "c c c", "a c b", "b b", "a a b b", "a c c b b"]
    yield from (Case(f"empty-{s.replace(' ', '')}", s, "empty.cfg") for s in empty)


def _link_grammar(reference: str) -> Iterator[Case]:
    lines = [
        "Mary ran", "she sleeps today", "the cat ran", "cat the ran", "the big black cat ran",
        "Mary saw the dog", "Mary saw the dog in the park", "the cat chased Mary with Mary today",
    ]  # fmt: skip
    for k, s in enumerate(lines):
        yield Case(f"lines-{k}", s, "ten-lines.dict", asked=k in (0, 2, 3, 6))
    yield Case("lines-unpruned", "the cat ran", "ten-lines.dict", pruned=False)
    yield Case("lines-unpruned-none", "cat the ran", "ten-lines.dict", pruned=False)
    cycles = ["a b", "a b c", "b a c", "a b c d", "a c d e", "b c d e", "a a b c", "a b c d e"]
    for s in cycles:
        yield Case(f"cycles-{s.replace(' ', '')}", s, "cycles.dict", asked=s in ("a b c", "b c d e"))
        if len(s) < 8:
            yield Case(
                f"cycles-unpruned-{s.replace(' ', '')}", s, "cycles.dict", pruned=False, asked=len(s) < 4
            )
    yield Case("classic", "the cat chased a snake", "classic")
    yield Case("classic-none", "the cat ran Mary", "classic")
    yield from (
        Case(f"edge-{s.replace(' ', '')}", s, "edge", asked=s == "j k k l")
        for s in ("e f", "g h i", "j k k l", "j k k k")
    )
    yield Case("mini", "some cats saw the dog", "mini", asked=False)
    yield Case("mini-that", "Mary said that she ran", "mini", asked=False)


FACTS = {
    "bar-hillel": ("lattice", "any", "odd"),
    "bilexical": ("we saw the dog with the telescope", "we saw the telescope with the dog", "dog saw we"),
    "bilexical-hooks": (
        "we saw the dog with the telescope",
        "we saw the telescope with the dog",
        "dog saw we",
    ),
    "ccg": ("the cat slept", "Kim slept well", "the dog that Kim saw", "Kim that Kim", "that slept"),
    "chain": ("A B A", "B", "B B A"),
    "edit-distance": ("a b ||| a c", "a b c ||| b", "a ||| a", "||| a b"),
    "constraint-propagation": ("die Katze jagt der Hund", "der Hund", "die jagt", "Katze jagt Katze"),
    "eisner-labelled": ("we saw her duck", "her saw we", "saw"),
    "eisner-tagged": ("the old man the boats", "old old", "man the", "boats"),
    "glr": ("she saw the man with the telescope", "the man saw", "saw she"),
    "head-driven": ("the old man the boats", "the man", "boats the"),
    "hmm": ("the dogs run", "saw saw", "run the"),
    "hyperedge-replacement": ("the boy wants to go", "Mary sees the little girl with a telescope", "boy to"),
    "itg": (
        "the cat ||| le chat",
        "the black cat ||| le chat noir",
        "cat black ||| noir chat",
        "cat ||| chat ne",
    ),
    "lcfrs": ("darueber nachgedacht", "darueber muss nachgedacht werden", "muss darueber nachgedacht werden"),
    "lr0": ("rules",),
    "matrix-chain": ("A B C D", "A"),
    "nussinov": ("G A C U C", "A", "G G C A U C C"),
    "reachability": ("start goal", "goal start", "start island"),
    "regular-expression": ("b a a b", "a b", "b", "a b a"),
    "semi-markov": ("the New York Times reads", "reads York", "York the New New New New"),
    "synchronous-cfg": ("a b c d ||| y w x z", "a b ||| y x", "d c b a ||| y w x z"),
    "tag-cky": ("a b c d", "a a b b c c d d", "a b d c", "d"),
    "tag-earley": ("a b c d", "a a b b c c d d", "a b d c", "d"),
}


def _facts(reference: str) -> Iterator[Case]:
    """Yield sentences under the example grammar, or under facts that are not asked for where the schema asks none."""
    grammar = "example" if reference not in ("edit-distance", "matrix-chain") else "other.facts"
    yield from (Case(f"facts-{k}", s, grammar) for k, s in enumerate(FACTS[reference]))
    if reference == "lr0":
        yield Case("doubles", "rules", "doubles.cfg")


_CASES = {
    "facts": _facts,
    "d-rules": _d_rules,
    "dependency-rules": _dependency_rules,
    "context-free": _context_free,
    "link-grammar": _link_grammar,
}
