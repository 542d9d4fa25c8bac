"""Answers about sentences under a constraint dependency grammar: networks, analyses, repairs; coverage of treebanks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from schemata.budget import Budget
from schemata.constraints.repair import Repaired, repair
from schemata.constraints.search import Solutions, find_all, find_best, find_given
from schemata.errors import GrammarError
from schemata.grammars.constraint_networks import Assignment, Network
from schemata.grammars.constraints import Constraints
from schemata.grammars.kinds import grammar_from_option
from schemata.kinds import CONSTRAINTS
from schemata.records import Record, Shown, as_json, fields_json, json_of, replace
from schemata.structures import Sentence
from schemata.workbench import Given

RUN_BUDGET = Budget(steps=100_000, seconds=60.0)
"""The limits of a search: its nodes, and seconds."""

SENTENCE_BUDGET = Budget(steps=3_000, seconds=10.0)
"""The limits for each sentence of a treebank."""


class Satisfied(Shown, Record):
    """A sentence under constraints.

    Parameters
    ----------
    network : the values left by propagation.
    found : the best analysis, or all of them.
    repaired : the chain of repairs, if asked for.
    """

    network: Network
    found: Solutions
    repaired: Repaired | None = None

    @property
    def best(self) -> Assignment | None:
        """The best analysis found."""
        return self.found.best

    def to_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        network, found = self.network, self.found
        words = []
        for i, word in enumerate(network.sentence.words):
            out = network.exclusions[i]
            values = [
                {"value": network.name(i + 1, v), "label": v.label, "head": v.head, "reading": v.reading + 1,
                 "out": as_json(out.get(k))}
                for k, v in enumerate(network.domains[i])
            ]  # fmt: skip
            words.append({"word": word, "readings": list(map(str, network.readings[i])), "values": values})
        sizes = (map(len, x) for x in (network.domains, network.consistent, network.surviving))
        counts = dict(zip(("all", "after_nodes", "after_arcs"), map(sum, sizes), strict=True))
        result = {"sentence": list(network.sentence.words), "values": counts, "refuted": network.is_refuted}
        result |= {"words": words, "best": as_json(found.best), "proved_best": found.is_best}
        if found.is_list:
            result["analyses"] = as_json(found.analyses)
            result["all_analyses"] = found.is_all
        if self.repaired is not None:
            one = self.repaired
            result["repair"] = fields_json(one, "first best repairs tried stopped!")
        return result | {"nodes": found.nodes} | ({"stopped": found.stopped} if found.stopped else {})


def satisfy(
    sentence: Given,
    grammar: Constraints | str,
    *,
    limit: int | None = None,
    repairs: bool = False,
    budget: Budget | None = None,
) -> Satisfied:
    """Parse a sentence with a constraint dependency grammar: propagate, and find the best analysis exactly.

    Parameters
    ----------
    sentence : the words; a `Sentence` with tags for grammars that read parts of speech.
    grammar : the constraints, or as for `--grammar` a file or `example`.
    limit : find all analyses that violate no hard constraint instead, at most so many.
    repairs : repair an analysis first, and search for a better one.
    budget : limits of the search: seconds, and steps, which are nodes.

    Returns
    -------
    The network, and the best analysis; where a limit is hit, it is the best found so far. Words without a reading have
    no analysis: `network.unknown` names them.

    Raises
    ------
    GrammarError : the file of the grammar has mistakes.
    UsageError : the sentence is empty, or there is no such grammar.

    References
    ----------
    Maruyama 1990; Menzel and Schröder 1998; Kübler, McDonald and Nivre 2009, section 5.2.

    >>> from schemata import Constraints
    >>> grammar = Constraints.from_text('''labels S R
    ... a : N
    ... b : V
    ... constraint root: X.label = R -> X.head = 0 and X.cat = V
    ... constraint subject: X.label = S -> X^cat = V''')
    >>> satisfy("a b", grammar).best.heads
    (2, 0)
    """
    chosen: Any = grammar if isinstance(grammar, Constraints) else grammar_from_option(grammar, CONSTRAINTS)
    network = Network(chosen, Sentence.of(sentence), strict=False)
    limits = RUN_BUDGET.unless(budget)
    repaired = repair(network, limits) if repairs and not network.unknown else None
    if limit is not None:
        return Satisfied(network, find_all(network, limit, limits), repaired)
    found = find_best(network, limits, None if repaired is None else repaired.best)
    return Satisfied(network, found, repaired)


# Treebanks ------------------------------------------------------------------------------------------------------


class ConstraintCoverage(Shown, Record):
    """How far a grammar covers the short sentences of a treebank.

    Parameters
    ----------
    file, max_words : the treebank, and the greatest length of a sentence.
    sentences : how many have a tree and are so short.
    skipped : sentences that are broken, or have words without a reading.
    analysed : how many have an analysis that violates no hard constraint.
    unknown : how many were not decided within the limits.
    proved : how many analyses are proved to be the best.
    admitted : how many gold trees violate no hard constraint.
    as_good : how many gold trees are as acceptable as the best analysis found.
    words, heads, labels : of the sentences with an analysis, the words, those with the gold head, and those with its
        label as well.
    violated : how often gold trees violate each constraint, the most frequent first; labels that are missing, too.
    seconds : the time it took.
    """

    file: str
    max_words: int
    sentences: int
    skipped: int
    analysed: int
    unknown: int
    proved: int
    admitted: int
    as_good: int
    words: int
    heads: int
    labels: int
    violated: dict[str, int]
    seconds: float

    @property
    def uas(self) -> float | None:
        """The share of words with the gold head."""
        return self.heads / self.words if self.words else None

    @property
    def las(self) -> float | None:
        """The share of words with the gold head and label."""
        return self.labels / self.words if self.words else None

    to_json = json_of(
        "file max_words sentences skipped analysed unknown proved admitted as_good words uas las violated seconds"
    )


def constraint_coverage(
    grammar: Constraints,
    sentences: Iterable[Any],
    *,
    file: str = "",
    max_words: int = 10,
    most: int | None = None,
    budget: Budget | None = None,
) -> ConstraintCoverage:
    """Parse the short sentences of a treebank with constraints and compare with its trees.

    Labels are compared without subtypes: `nsubj:pass` is `nsubj`.

    Parameters
    ----------
    grammar : the constraints.
    sentences : as `read_conllu` yields them.
    file : the name of the treebank.
    max_words : longer sentences are left out.
    most : at most so many sentences; None for all.
    budget : the limits for each sentence.
    """
    started, limits = time.perf_counter(), SENTENCE_BUDGET.unless(budget)
    counts: Counter[str] = Counter()
    violated: Counter[str] = Counter()
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            counts["skipped"] += 1
            continue
        if sentence.heads is None or len(sentence) > max_words:
            continue
        if counts["sentences"] == most:
            break
        try:
            network = Network(grammar, sentence)
        except GrammarError:
            counts["skipped"] += 1
            continue
        counts["sentences"] += 1
        golden = tuple(label.partition(":")[0] for label in sentence.labels or ("",) * len(sentence))
        gold = None
        if missing := [f"label {label}" for label in golden if label not in grammar.labels]:
            violated.update(missing)
        else:
            gold = find_given(network, sentence.heads, golden, limits)
            violated.update(one.constraint.name for one in gold.violations)
            counts["admitted"] += gold.hard == 0
        if network.is_refuted:
            continue
        found = find_best(network, replace(limits, end=limits.end), None)
        best = found.best
        if best is None or best.hard:
            counts["unknown"] += found.stopped is not None
            continue
        counts["analysed"] += 1
        counts["proved"] += found.is_best is True
        counts["as_good"] += gold is not None and gold.cost <= best.cost + 1e-9
        counts["words"] += len(sentence)
        counts["heads"] += sum(a == b for a, b in zip(best.heads, sentence.heads, strict=True))
        pairs = zip(
            zip(best.heads, best.labels, strict=True), zip(sentence.heads, golden, strict=True), strict=True
        )
        counts["labels"] += sum(a == b for a, b in pairs)
    names = (
        "sentences", "skipped", "analysed", "unknown", "proved", "admitted", "as_good", "words", "heads", "labels"
    )  # fmt: skip
    return ConstraintCoverage(
        file=file,
        max_words=max_words,
        violated=dict(violated.most_common()),
        seconds=time.perf_counter() - started,
        **{name: counts[name] for name in names},
    )
