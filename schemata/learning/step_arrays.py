"""Features of a schema's steps, hashed: the weights of steps as arrays, and the kernels that fill and learn them.

The features of a link (`arcs`) are about its two ends. A step of a schema may have further words, such as siblings or
the head of the head. Features of the step are about these, too: a line of the file of templates names steps, and
properties of their positions.

    feature R-Next L-Next where tag h, tag s, tag m    # two dependents side by side, and their head
    feature R-Next L-Next where tag s, tag m, distance s m

Each line makes one feature. Places at which no application of a step can be, by the conditions of its items, are passed
over. Weights stand in the table of links' features.

References
----------
McDonald, R. & Pereira, F. (2006). Online learning of approximate dependency parsing algorithms. EACL.
Carreras, X. (2007). Experiments with a higher-order projective dependency parser. EMNLP.
Koo, T. & Collins, M. (2010). Efficient third-order dependency parsers. ACL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.grouping import grouped
from schemata.language import model as m
from schemata.learning.arcs import (
    DEFAULT,
    FAR,
    MARGIN,
    HashedSentence,
    StepDistance,
    StepTemplate,
    factor,
    hashed,
    names_of,
)
from schemata.machine.compile import machine_code
from schemata.machine.text import filled, nested, with_types
from schemata.program.facts import conditions_of, facts_of
from schemata.program.instances import variable_terms
from schemata.program.linear import Linear, variable
from schemata.program.lower import lower
from schemata.weights.tensors import StepTensor, axes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST = 1e-9  # a share of derivations that is rounding
_SIBLINGS = """\
feature {steps} where tag h, tag s, tag m
feature {steps} where tag s, tag m
feature {steps} where xtag h, xtag s, xtag m
feature {steps} where xtag s, xtag m
feature {steps} where word s, word m
feature {steps} where word s, tag m
feature {steps} where tag s, word m
feature {steps} where word h, tag s, tag m
feature {steps} where tag h, word s, tag m
feature {steps} where tag h, tag s, word m
feature {steps} where tag s, tag m, distance s m
feature {steps} where tag h, tag s, tag m, distance s m
"""
_FIRST = """\
feature {steps} where tag h, tag m
feature {steps} where word h, tag m
feature {steps} where tag h, word m
feature {steps} where xtag h, xtag m
"""
_GRANDPARENTS = """\
feature {steps} where tag g, tag h, tag m
feature {steps} where tag g, tag m
feature {steps} where xtag g, xtag h, xtag m
feature {steps} where xtag g, xtag m
feature {steps} where word g, word m
feature {steps} where word g, tag m
feature {steps} where tag g, word m
feature {steps} where word g, tag h, tag m
feature {steps} where tag g, word h, tag m
feature {steps} where tag g, tag h, word m
feature {steps} where tag g, tag m, distance g m
feature {steps} where tag g, tag h, tag m, distance g h, distance h m
"""
_OF_SCHEMATA = {
    "mcdonald-pereira2006": ((_FIRST, "R-First L-First"), (_SIBLINGS, "R-Next L-Next")),
    "koo-collins2010-model0": ((_GRANDPARENTS, "R-Link L-Link"),),
    "koo-collins2010-model1": (
        (_FIRST, "R-First L-First"), (_SIBLINGS, "Pair"), (_GRANDPARENTS, "R-First L-First R-Next L-Next"),
    ),
    "koo-collins2010-model2": (
        (_FIRST, "R-First L-First"), (_SIBLINGS, "Pair"), (_GRANDPARENTS, "R-Last L-Last"),
    ),
}  # fmt: skip


def default_templates_of(schema: str) -> str:
    """Return the default templates as text: of links, and of the steps of a shipped schema that have further words."""
    return DEFAULT + "".join(text.format(steps=steps) for text, steps in _OF_SCHEMATA.get(schema, ()))


_WEIGH = """
def weigh(n, m, A, B, W, out):
    {weigh}
    return 0
"""
_LEARN = """

def learn(n, m, A, B, W, U, places, amounts, count, now):
    for c in range(0, count):
        {values}
        y = amounts[c]
        z = y * now[0]
        {learn}
    return 0
"""
_ARRAYS = dict.fromkeys(("A", "B", "places"), "i64[]") | dict.fromkeys(
    ("U", "out", "amounts", "now"), "f64[]"
)


class StepKernels:
    """Fills and learns the array of one step.

    Parameters
    ----------
    schema : the schema.
    step : the step.
    templates : the properties used, each with its number among all templates of steps.
    learning : whether weights change, as for `ArcWeights`.

    Attributes
    ----------
    names : the positions whose properties are used, in the step's order: the axes of the array.
    """

    def __init__(
        self, schema: m.Schema, step: str, templates: Sequence[tuple[int, StepTemplate]], learning: bool
    ) -> None:
        asked = {name for _, one in templates for look in one.looks for name in names_of(look)}
        self.names = tuple(name for name in axes_of(schema, step) if name in asked)
        text = _text(templates, self.names, _tests(schema, step, self.names), learning)
        arrays = _ARRAYS | {"W": "f64[]" if learning else "f32[]"}
        self._kernels = machine_code(with_types(text, arrays), ("weigh", "learn")[: 1 + learning])

    def array(self, sentence: HashedSentence, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the weights of the step, shape (n + 1,) * axes, under the weights of hashed features, (SIZE,)."""
        found = np.zeros((sentence.n + 1,) * len(self.names))
        columns, ends, _ = sentence.arguments
        self._kernels["weigh"](
            sentence.n, sentence.columns.shape[1], columns, ends, weights, found.reshape(-1)
        )
        return found

    def learn(
        self,
        sentence: HashedSentence,
        weights: NDArray[np.float64],
        sums: NDArray[np.float64],
        change: NDArray[np.float64],
        now: float,
    ) -> None:
        """Add to the weights of each feature how much more the step is to be applied at its places."""
        places = np.argwhere(np.abs(change) > _LEAST)
        columns, ends, _ = sentence.arguments
        amounts = change[tuple(places.T)]
        numbers = sentence.n, sentence.columns.shape[1]
        self._kernels["learn"](
            *numbers, columns, ends, weights, sums, places.reshape(-1), amounts, len(places), np.array([now])
        )


def _text(
    templates: Sequence[tuple[int, StepTemplate]],
    names: tuple[str, ...],
    tests: Sequence[str],
    learning: bool,
) -> str:
    """Return the text of the kernels of a step; its variables are p0, p1 ..."""
    at = {name: f"p{k}" for k, name in enumerate(names)}
    keys = []
    for number, template in templates:
        parts = [str(-(number + 1) * 104729)]
        for k, look in enumerate(template.looks):
            if isinstance(look, StepDistance):
                gap = f"({at[look.end]} - {at[look.start]})"
                far = " + ".join(f"(max({gap}, -{gap}) > {most})" for most in FAR)
                parts.append(f"(2 * ({far}) + ({gap} > 0) + 1) * {factor(k)}")
            else:
                parts.append(f"A[{look.column} * m + {at[look.name]} + {MARGIN + look.shift}] * {factor(k)}")
        keys.append(f"x = {' + '.join(parts)}\nq = {hashed('x')}")
    place = "0"
    for name in at.values():
        place = f"({place}) * (n + 1) + {name}"
    loops = [f"for {name} in range(0, n + 1):" for name in at.values()]
    scored = "\n".join(["s = 0.0", *(f"{key}\ns = s + W[q]" for key in keys), f"out[{place}] = s"])
    return filled(
        _WEIGH + (_LEARN if learning else ""),
        weigh=nested([*loops, *(f"if {test.format(**at)}:" for test in tests), scored]),
        values="\n".join(f"{name} = places[c * {len(at)} + {k}]" for k, name in enumerate(at.values())),
        learn="\n".join(f"{key}\nW[q] = W[q] + y\nU[q] = U[q] + z" for key in keys),
    ).lstrip("\n")


def _tests(schema: m.Schema, step: str, names: Sequence[str]) -> list[str]:
    """Return tests that hold wherever a step is applied, about the differences of two of its positions."""
    program = lower(schema)
    common: dict[tuple[str, str], int] | None = None
    for rule in program.rules:
        if schema.cases[rule.case].step != step:
            continue
        own = {name: f"own {name}" for name in names}
        terms = variable_terms(program, rule)
        same = [Linear("==", variable(own[name]) - terms[name]) for name in names if name in terms]
        atoms = (*rule.antecedents, rule.consequent)
        held = [test for atom in atoms for test in conditions_of(program.kinds, atom)]
        facts = facts_of([*same, *held, *rule.tests])
        found = {(x, y): facts.distance(own[x], own[y]) for x in names for y in names if x != y}
        known = {pair: c for pair, c in found.items() if c is not None}
        common = known if common is None else {
            pair: max(c, known[pair]) for pair, c in common.items() if pair in known
        }  # fmt: skip
    return [f"{{{x}}} - {{{y}}} <= {c}" for (x, y), c in (common or {}).items()]


class StepWeights:
    """Features of the steps of a schema.

    Parameters
    ----------
    schema : the schema.
    templates : the properties used.
    learning : whether weights change, as for `ArcWeights`.
    """

    def __init__(self, schema: m.Schema, templates: Sequence[StepTemplate], learning: bool = True) -> None:
        by_step = grouped((one.step, (number, one)) for number, one in enumerate(templates))
        self.kernels = {step: StepKernels(schema, step, some, learning) for step, some in by_step.items()}

    def tensors(self, sentence: HashedSentence, weights: NDArray[np.floating]) -> dict[str, Any]:
        """Return the weights of steps in one sentence, as decoders take them for a batch of this sentence."""
        return {
            step: StepTensor([kernel.array(sentence, weights)], kernel.names)  # type: ignore[arg-type]
            for step, kernel in self.kernels.items()
        }

    def learn(
        self,
        sentence: HashedSentence,
        weights: NDArray[np.float64],
        sums: NDArray[np.float64],
        gold: Mapping[str, NDArray[np.float64]],
        other: Mapping[str, NDArray[np.float64]],
        now: float,
    ) -> None:
        """Raise the weights of the features of gold steps and lower those of others.

        Parameters
        ----------
        sentence, weights : the sentence; the weights of hashed features, (SIZE,).
        sums : the sums of the changes, each weighed by the time.
        gold, other : by step how often it is applied at each place.
        now : the time.
        """
        for step, kernel in self.kernels.items():
            kernel.learn(sentence, weights, sums, gold[step] - other[step], now)
