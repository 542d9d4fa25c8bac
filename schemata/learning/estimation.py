"""Estimation of a grammar's weights from sentences alone, by expectation maximisation.

Each iteration counts how often the derivations of the sentences use each rule or fact, in proportion to their weights,
and makes the counts the new weights, in parts of each distribution. The likelihood of the sentences never falls
(Dempster, Laird & Rubin 1977). For hidden Markov models this is the algorithm of Baum (1972), for context-free grammars
that of Baker (1979); here one mechanism (`weights.circuits`) serves any schema over weighted rules or facts.

The chart of a sentence does not depend on weights: it is built once, and kept as a circuit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schemata.errors import Diagnostic, UsageError, require_number
from schemata.grammars.drules import Licences
from schemata.grammars.parameters import Parameters, parameters_of
from schemata.learning.model import question_of, resumed, save_state
from schemata.records import Record, json_of
from schemata.structures import Sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.budget import Budget
    from schemata.grammars.kinds import Grammar
    from schemata.weights.circuits import Circuit
    from schemata.workbench import ParsingSchema

_NEUTRAL = -1.0  # of all parameters while circuits are built: any number but 0, which is not a weight


class Iteration(Record):
    """An iteration of an estimation.

    Attributes
    ----------
    start : the number of the start, from 1.
    number : the number of the iteration, within this start; 0 stands for the weights of the start.
    log_likelihood : the sum over all sentences of the log total of their derivations, under the weights that the
        iteration came to.
    """

    start: int
    number: int
    log_likelihood: float

    to_json = json_of("start number log_likelihood")


class _Counted(NamedTuple):
    """The circuit of a sentence, how often the sentence stands in the corpus, and the places of its parameters."""

    circuit: Circuit
    times: int
    places: NDArray[np.int64]


class Estimation:
    """The sentences of an estimation as circuits, and the weights that are estimated.

    Parameters
    ----------
    schema : derives the sentences.
    grammar : the grammar; its weights are the start of the estimation.
    sentences : the corpus; texts, or sentences with tags.
    given : of facts, their distributions; see `schemata.grammars.parameters`.
    budget : limits of the run on each sentence.
    skipped : gets findings about sentences without a derivation, which are left out.
    watch : passes the sentences through, and shows how far the work is.

    Attributes
    ----------
    parameters : the grammar's weights and distributions.
    keys : the keys of weights, in a fixed order.
    sentences : how many sentences count.
    doubt : why the likelihood, a sum over derivations, may differ from one over structures; None if both are the same.

    Raises
    ------
    UsageError : there is nothing to estimate, or no sentence has a derivation; several D-rules license one link; a
        step's weight is not a multiple of that of the rules and facts it asks for.
    GrammarError : the grammar does not fit a sentence.
    BudgetExceeded : a sentence takes more than a run may.
    """

    def __init__(
        self,
        schema: ParsingSchema,
        grammar: Any,
        sentences: Iterable[str | Sentence],
        *,
        given: Sequence[str] = (),
        budget: Budget | None = None,
        skipped: list[Diagnostic] | None = None,
        watch: Callable[[Sequence[Any]], Iterable[Any]] = iter,
    ) -> None:
        checked = schema.check_grammar(grammar)
        self.schema = schema
        self.parameters: Parameters = parameters_of(checked, schema.definition.relations, given)
        self.keys = tuple(sorted(self.parameters.weights, key=repr))
        number = {key: k for k, key in enumerate(self.keys)}
        neutral = schema.check_grammar(self.parameters.reweighted(dict.fromkeys(self.keys, _NEUTRAL)))
        self._groups = [np.array([number[key] for key in keys]) for keys in self.parameters.groups.values()]
        self._corpus: list[_Counted] = []
        self.doubt: str | None = None
        for sentence, times in watch(list(Counter(sentences).items())):
            chart = schema.run(sentence, neutral, budget=budget)
            if not chart.accepted:
                if skipped is not None:
                    shown = (
                        sentence if isinstance(sentence, str) else sentence.name or " ".join(sentence.words)
                    )
                    message = f"{schema.name} derives nothing for {shown!r}"
                    skipped.append(Diagnostic("no-derivation", message, severity="warning"))
                continue
            _require_one_rule(chart.grammar)
            if not self._corpus:
                self.doubt = chart.weighing.doubt
            circuit = chart.weighing.weighted.circuit
            self._corpus.append(
                _Counted(circuit, times, np.array([number[key] for key in circuit.parameters], int))
            )
        if not self._corpus:
            message = f"{schema.name} derives none of the sentences"
            raise UsageError(message, code="nothing-to-learn", hint="schemata why-not says what is missing")
        self.sentences = sum(one.times for one in self._corpus)

    @property
    def question(self) -> str:
        """The key of an estimation, which goes on only with the same sentences and grammar."""
        arrays: list[NDArray[Any]] = [self.given_weights(), *self._groups]
        for circuit, times, places in self._corpus:
            arrays += [
                circuit.edges,
                circuit.constants,
                circuit.ways,
                circuit.uses,
                places,
                np.array([times]),
            ]
        return question_of((self.schema.name, self.keys), arrays)

    def given_weights(self) -> NDArray[np.float64]:
        """Return the grammar's own weights in log space, each distribution made to add up to 1."""
        weights = np.array([self.parameters.weights[key] for key in self.keys])
        return self._normalised(weights)

    def random_weights(self, seed: int, start: int) -> NDArray[np.float64]:
        """Return weights drawn uniformly from all distributions; those that are 0 in the grammar stay so."""
        drawn = np.log(np.random.default_rng((seed, start)).exponential(size=len(self.keys)))
        weights = np.array([self.parameters.weights[key] for key in self.keys])
        free = np.zeros(len(weights), bool)
        for group in self._groups:
            free[group] = True
        return self._normalised(np.where(free & (weights > -math.inf), drawn, weights))

    def expectations(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the log-likelihood, and how often derivations of the corpus use each parameter in expectation.

        Parameters
        ----------
        weights : by parameter in log space, in the order of `keys`.

        Raises
        ------
        UsageError : a sentence has no derivation with a weight; a sum, or an expectation, is infinite.
        """
        total, counts = 0.0, np.zeros(len(self.keys))
        for circuit, times, places in self._corpus:
            log_total, found = circuit.expectations(weights[places])
            if log_total == -math.inf:
                message = "a sentence has no derivation with a weight above 0"
                raise UsageError(
                    message, code="nothing-to-learn", hint="start from other weights: --starts 1"
                )
            total += times * log_total
            counts += times * np.bincount(places, found, len(counts))
        return total, counts

    def maximised(self, weights: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights that maximise the likelihood of counts; distributions without any stay as they are."""
        found = np.array(weights)
        with np.errstate(divide="ignore"):
            for group in self._groups:
                if counts[group].sum() > 0:
                    found[group] = np.log(counts[group]) - math.log(counts[group].sum())
        return found

    def _normalised(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.array(weights)
        for group in self._groups:
            total = np.logaddexp.reduce(found[group])
            if total > -math.inf:
                found[group] -= total
        return found

    def grammar(self, weights: NDArray[np.float64]) -> Grammar:
        """Return the grammar with estimated weights."""
        return self.parameters.reweighted(dict(zip(self.keys, weights.tolist(), strict=True)))


def _require_one_rule(grammar: Any) -> None:
    """Check that each link is licensed by one D-rule: with several, the greatest of their weights would count, and the
    weight of a derivation would be no product.
    """
    if not isinstance(grammar, Licences):
        return
    for (dependent, head), rules in grammar.rules.items():
        if len(rules) > 1:
            message = f"{len(rules)} D-rules license word {dependent} under {head or 'the root'}"
            hint = "weights can be estimated where one rule licenses each link"
            raise UsageError(message, code="several-rules", hint=hint)


class Estimate(NamedTuple):
    """The best weights of an estimation.

    Attributes
    ----------
    grammar : the grammar with these weights.
    log_likelihood : the log-likelihood of the corpus.
    iterations : how many iterations the best start took.
    converged : whether the last iteration gained less than the tolerance; False at the most iterations.
    """

    grammar: Grammar
    log_likelihood: float
    iterations: int
    converged: bool


def estimate(
    estimation: Estimation,
    *,
    iterations: int = 100,
    tolerance: float = 1e-6,
    starts: int = 0,
    seed: int = 0,
    kept: str | PathLike[str] | None = None,
    on_iteration: Callable[[Iteration], None] | None = None,
) -> Estimate:
    """Estimate weights by expectation maximisation.

    Parameters
    ----------
    estimation : the sentences and the grammar.
    iterations : the most iterations of each start.
    tolerance : a start ends when an iteration gains less than this part of the log-likelihood.
    starts : from how many random weights to start; the best result counts. 0: from the grammar's own weights.
    seed : fixes the random weights.
    kept : a file with the state of an interrupted estimation, to go on from; it is deleted at the end.
    on_iteration : called with each iteration.

    Raises
    ------
    UsageError : as for `Estimation.expectations`; the file cannot be written.
    """
    require_number("iterations", iterations, least=1)
    require_number("starts", starts, least=0)
    if not 0 <= tolerance < 1:
        raise UsageError(f"the tolerance {tolerance:g} is not between 0 and 1", code="usage")
    best, weights = np.zeros(len(estimation.keys)), estimation.given_weights()
    question = question_of((estimation.question, iterations, tolerance, starts, seed), ())
    state = None if kept is None else resumed(kept, question, (best, weights))
    found = Estimate(estimation.grammar(best), -math.inf, 0, False)
    begun, number, before = 1, 0, -math.inf
    if state is not None:
        begun, number, before = int(state[0]), int(state[1]), state[2]
        found = Estimate(estimation.grammar(best), state[3], int(state[4]), bool(state[5]))
    for start in range(begun, max(starts, 1) + 1):
        if starts and number == 0:
            weights = estimation.random_weights(seed, start)
        while True:
            log_likelihood, counts = estimation.expectations(weights)
            if on_iteration is not None:
                on_iteration(Iteration(start, number, log_likelihood))
            converged = log_likelihood - before <= tolerance * abs(log_likelihood)
            if log_likelihood > found.log_likelihood:
                best = weights
                found = Estimate(estimation.grammar(best), log_likelihood, number, converged)
            elif converged and before == found.log_likelihood:
                found = found._replace(converged=True)
            if converged or number == iterations:
                break
            before, number, weights = log_likelihood, number + 1, estimation.maximised(weights, counts)
            if kept is not None:
                save_state(kept, question, (start, number, before, *found[1:]), (best, weights))
        number, before = 0, -math.inf
    if kept is not None:
        Path(fspath(kept)).unlink(missing_ok=True)
    return found
