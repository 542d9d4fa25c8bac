"""Weights of features of steps, learnt from a treebank, for the features that a file lists.

An averaged structured perceptron. Of each sentence the best derivation of its gold tree is compared with the best of
all derivations; where the trees differ, the feature vector of the first is added to the weights, and that of the second
taken away. Both are found in the chart of the schema, so that any schema over D-rules that derives the tree can learn.

References
----------
Kuhlmann, Gómez-Rodríguez & Satta 2011, section 4.1; Collins, M. (2002). Discriminative training methods for hidden
Markov models. EMNLP.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from schemata.errors import AmbiguityWarning, UsageError
from schemata.grammars import DRules
from schemata.kinds import D_RULES
from schemata.learning.training import Epoch
from schemata.structures import DependencyTree, Sentence
from schemata.weights.features import Features, StepFeature
from schemata.weights.scores import Weights
from schemata.workbench import ParsingSchema, load


def learn_features(
    schema: ParsingSchema | str,
    sentences: Iterable[Sentence],
    features: Features,
    *,
    epochs: int = 5,
    seed: int = 0,
    on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    watch: Callable[[Sequence[int]], Iterator[int]] = iter,
) -> tuple[Features, int]:
    """Return features with weights learnt from gold trees, and how many sentences could not be used.

    Parameters
    ----------
    schema : a schema over D-rules, by name or as a value.
    sentences : sentences with gold heads; those whose trees the schema does not derive are left out.
    features : the templates of steps; weights that it has are those to begin with.
    epochs : passes over the sentences.
    seed : of the order of the sentences.
    on_epoch : called after each pass; words are right whose heads were, before the weights changed.
    watch : goes through the numbers of sentences, for a bar of progress.

    Raises
    ------
    UsageError : the schema is not over D-rules, or no sentence can be used.

    >>> some = [Sentence(("cats", "sleep"), heads=(2, 0)), Sentence(("sleep", "cats"), heads=(0, 1))]
    >>> model = Features({"la": ["word h1, word h2"], "ra": ["word h1, word h2"]})
    >>> learnt, _ = learn_features("arc-standard", some, model)
    >>> load("arc-standard").run("cats sleep", weights=learnt).best().structure.heads
    (2, 0)
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    if chosen.definition.grammar != D_RULES:
        message = f"features are learnt from heads alone, which {chosen.name} does not go by"
        raise UsageError(message, code="wrong-grammar", expected="a schema over D-rules")
    given = [one for one in sentences if one.heads is not None and one.heads.count(0) == 1]
    usable = [one for one in given if chosen.run(one, DRules.from_heads(one.heads or ())).accepted]
    if not usable:
        raise UsageError(f"{chosen.name} derives the gold tree of no sentence", code="no-trees")
    links = DRules.all(single_root=True)
    weights: Counter[StepFeature] = Counter(dict(features.weights))
    sums: Counter[StepFeature] = Counter()
    rng, seen = random.Random(seed), 1
    for number in range(1, epochs + 1):
        order = [*range(len(usable))]
        rng.shuffle(order)
        right = 0
        for k in watch(order):
            one, heads = usable[k], usable[k].heads or ()
            model = Features(features.templates, {x: float(w) for x, w in weights.items() if w})
            found, vector = _best(chosen, one, links, model)
            right += sum(a == b for a, b in zip(found, heads, strict=True))
            if found != heads:
                _, gold = _best(chosen, one, DRules.from_heads(heads), model)
                for feature in gold | vector:
                    change = gold[feature] - vector[feature]
                    weights[feature] += change
                    sums[feature] += seen * change
            seen += 1
        on_epoch(Epoch(number, right / sum(map(len, usable)), None, None))
    averaged = {x: w - sums[x] / seen for x, w in weights.items()}
    learnt = Features(features.templates, {x: float(w) for x, w in averaged.items() if w})
    return learnt, len(given) - len(usable)


def _best(
    schema: ParsingSchema, sentence: Sentence, grammar: DRules, model: Features
) -> tuple[tuple[int, ...], Counter[StepFeature]]:
    """Return the heads and the feature vector of the best derivation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguityWarning)  # the best derivation of a tree counts
        chart = schema.run(sentence, grammar, weights=Weights.of(model))
        best = chart.best()
        assert best is not None  # the schema derives the gold tree
        assert isinstance(best.structure, DependencyTree)
        return best.structure.heads, Counter(chart.features_of(best.derivation))
