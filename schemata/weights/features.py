"""Features of steps: the surroundings of a step's variables, and a weight for each value that may stand there.

The score of a step is the product of a feature vector and a vector of weights (the 2011 paper's Phi and alpha). A
*template* lists properties: `word h1, word h2` is about two words at once. A *feature* is a step, a template and a
value for each property; it has a weight, 0 where none is known. In a file of scores:

    feature ra where word h1 is saw, word h2 is dog [log 1.2]    # a feature and its weight
    feature ra where word h1, tag h2 - 1                         # a template alone, for learning
    feature sh [log -0.1]                                        # whenever the step is applied

A property is the `word` or the `tag` at a position, the `value` of a variable, the `distance` from one position to
another, or the `length` of a list. A position is a variable, the `first` or `last` element of a list, or a place some
words before or behind it. The artificial root is <root>, the place behind the sentence <end>; <none> stands for absent
values, for elements of empty lists, and for places before the root.

References
----------
Kuhlmann, Gómez-Rodríguez & Satta 2011, section 4.1; Zhang, Y. & Clark, S. (2008). A tale of two parsers. EMNLP.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from schemata.errors import UsageError
from schemata.grammars.text import is_bare
from schemata.records import Record, field
from schemata.structures.sentence import Sentence

LookKind: TypeAlias = Literal["word", "tag", "value", "distance", "length"]
ROOT, END, NONE = "<root>", "<end>", "<none>"

_NAME = r"[^\W\d]\w*'*"
_PLACE = re.compile(rf"(?:(?P<end>first|last) )?(?P<name>{_NAME})(?: ?(?P<sign>[+-]) ?(?P<shift>\d{{1,6}}))?")
_LOOK = re.compile(r"(?P<kind>word|tag|value|distance|length) (?P<places>.+)")
_LOOKS_LIKE = "word h, tag h + 1, word last S, value b, distance h d, or length S"


class WordPosition(Record):
    """A position: that of a variable or of an element of a list, `shift` words further on."""

    name: str
    end: Literal["first", "last"] | None = None
    shift: int = 0

    def __str__(self) -> str:
        element = f"{self.end} {self.name}" if self.end else self.name
        return f"{element} {'+' if self.shift > 0 else '-'} {abs(self.shift)}" if self.shift else element

    def of(self, values: Mapping[str, Any]) -> int | None:
        """Return the position for values of a step's variables; None if it does not exist."""
        value = values[self.name]
        if self.end is not None:
            value = value[0 if self.end == "first" else -1] if value else None
            value = value[0] if isinstance(value, tuple) else value  # the node of a pair
        return None if value is None else int(value) + self.shift


class Look(Record):
    """A property in a template: its kind, and its places."""

    kind: LookKind
    places: tuple[WordPosition, ...]

    def __str__(self) -> str:
        return f"{self.kind} {' '.join(map(str, self.places))}"

    @classmethod
    def of(cls, text: str) -> Look:
        """Return the property that a text denotes.

        Raises
        ------
        UsageError : the text does not denote one.

        >>> Look.of("word last S - 1")
        Look(kind='word', places=(WordPosition(name='S', end='last', shift=-1),))
        """
        found = _LOOK.fullmatch(" ".join(text.split()))
        places = list(_PLACE.finditer(found["places"])) if found else []
        whole = found is not None and " ".join(one[0] for one in places) == found["places"]
        if found is None or not whole or len(places) != (2 if found["kind"] == "distance" else 1):
            raise UsageError(f"{text!r} is nothing to look at", code="bad-feature", expected=_LOOKS_LIKE)
        shifts = (int(f"{one['sign']}{one['shift']}") if one["shift"] else 0 for one in places)
        named = tuple(
            WordPosition(one["name"], one["end"], shift)  # type: ignore[arg-type]
            for one, shift in zip(places, shifts, strict=True)
        )
        return cls(found["kind"], named)  # type: ignore[arg-type]

    def value(self, values: Mapping[str, Any], sentence: Sentence) -> str:
        """Return the value there, for values of a step's variables and a sentence.

        Raises
        ------
        UsageError : a tag is needed, and the sentence has none.
        """
        place = self.places[0]
        if self.kind == "length":
            return str(len(values[place.name]))
        if self.kind == "value":
            value = values[place.name]
            return NONE if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        positions = [one.of(values) for one in self.places]
        if self.kind == "distance":
            one, other = positions
            return NONE if one is None or other is None else str(other - one)
        return _at(positions[0], sentence, self.kind)


def _at(position: int | None, sentence: Sentence, kind: LookKind) -> str:
    """Return the word or tag at a position."""
    words = sentence.words if kind == "word" else sentence.tags
    if words is None:
        message, hint = (
            "features look at tags, and the sentence has none",
            "--tagged, or a treebank with tags",
        )
        raise UsageError(message, code="no-tags", hint=hint)
    if position is None or position < 0:
        return NONE
    return ROOT if position == 0 else words[position - 1] if position <= len(words) else END


class Template(Record):
    """A template of features: several properties at once, or none, which makes a feature of the step alone."""

    looks: tuple[Look, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.looks))

    @classmethod
    def of(cls, text: str | Template) -> Template:
        """Return the template that a text denotes: properties with commas between them.

        Raises
        ------
        UsageError : the text does not denote one.

        >>> str(Template.of("word h1,word h2+1"))
        'word h1, word h2 + 1'
        """
        if isinstance(text, Template):
            return text
        return cls(tuple(map(Look.of, text.split(",")))) if text.strip() else cls()

    @property
    def names(self) -> list[str]:
        """The variables whose properties are used."""
        return list(dict.fromkeys(place.name for look in self.looks for place in look.places))


class StepFeature(NamedTuple):
    """A feature: a step, a place, and the value there."""

    step: str
    template: Template
    values: tuple[str, ...]

    def __str__(self) -> str:
        shown = (f"{look} is {value}" for look, value in zip(self.template.looks, self.values, strict=True))
        return f"{self.step}: {', '.join(shown)}" if self.values else self.step


class Features(Record, eq=False):
    """A feature model: by step the templates, and the weights of features in log space.

    Parameters
    ----------
    templates : by the name of a step, templates or their texts.
    weights : of features; 0 where none is given. Features of a template that no step has are refused.

    Raises
    ------
    UsageError : a template is not written as one, or a feature with a weight has none of the templates.

    >>> model = Features({"ra": ["word h1, word h2", "distance h1 h2"]})
    >>> [str(one) for one in model.vector("ra", {"h1": 2, "h2": 3}, Sentence(("a", "dog", "barks")))]
    ['ra: word h1 is dog, word h2 is barks', 'ra: distance h1 h2 is 1']
    """

    templates: Mapping[str, Sequence[Template]]
    weights: Mapping[StepFeature, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        templates = {step: tuple(map(Template.of, some)) for step, some in self.templates.items()}
        object.__setattr__(self, "templates", templates)
        for one in self.weights:
            if one.template not in templates.get(one.step, ()):
                message = f"no template of step {one.step} is {one.template or 'empty'}"
                raise UsageError(message, code="bad-feature")

    def vector(self, step: str, values: Mapping[str, Any], sentence: Sentence) -> tuple[StepFeature, ...]:
        """Return the features of a step, Phi: one of each template, for values of its variables and a sentence."""
        return tuple(
            StepFeature(step, template, tuple(look.value(values, sentence) for look in template.looks))
            for template in self.templates.get(step, ())
        )

    def score(self, step: str, values: Mapping[str, Any], sentence: Sentence) -> float:
        """Return the score of a step in log space: the sum of the weights of its features."""
        weights = self.weights
        return sum(weights.get(one, 0.0) for one in self.vector(step, values, sentence))

    def changed(self, gradient: Mapping[StepFeature, float], rate: float = 1.0) -> Features:
        """Return the model with `rate` times a vector added to its weights; weights that become 0 are dropped."""
        found = Counter[StepFeature](dict(self.weights))
        for one, value in gradient.items():
            found[one] += rate * value  # type: ignore[assignment]
        return Features(self.templates, {one: float(weight) for one, weight in found.items() if weight})

    @property
    def steps(self) -> dict[str, StepFeatures]:
        """The function that scores each step."""
        return {step: StepFeatures(self, step) for step in self.templates}

    def text(self) -> str:
        """Return the lines of a file of scores that `Weights.read` reads as this model."""
        lines = []
        for step, templates in self.templates.items():
            of_step = [one for one in self.weights if one.step == step]
            for template in templates:
                rows = [one for one in of_step if one.template == template]
                if not rows:
                    lines.append(f"feature {_quoted(step)}{f' where {template}' if template.looks else ''}")
                for one in sorted(rows, key=lambda x: x.values):
                    pairs = zip(template.looks, one.values, strict=True)
                    where = ", ".join(f"{look} is {_quoted(value)}" for look, value in pairs)
                    weight = f"[log {self.weights[one]!r}]"
                    lines.append(f"feature {_quoted(step)}{f' where {where}' if where else ''} {weight}")
        return "".join(f"{line}\n" for line in lines)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the model to a file of scores."""
        Path(path).write_text(self.text(), encoding="utf-8")


def _quoted(value: str) -> str:
    """Return a value as a file of scores has it."""
    bare = is_bare(value, (",",)) and value != "is" and not value.startswith("[")
    return value if bare else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class StepFeatures(Record, eq=False):
    """The weight of a step by its features: a function of its variables, once it has a sentence.

    Parameters
    ----------
    model, step : the model, and the step.
    beside : a function of the step's variables whose score is added.
    sentence : None if none is known yet.
    """

    model: Features
    step: str
    beside: Callable[..., float] | None = None
    sentence: Sentence | None = None

    @property
    def names(self) -> list[str]:
        """The variables whose properties are used."""
        found = [name for template in self.model.templates[self.step] for name in template.names]
        return list(dict.fromkeys([*found, *getattr(self.beside, "names", ())]))

    def of_sentence(self, sentence: Sentence) -> StepFeatures:
        """Return the function for a sentence."""
        return StepFeatures(self.model, self.step, self.beside, sentence)

    def vector(self, values: Mapping[str, Any]) -> tuple[StepFeature, ...]:
        """Return the features for values of the step's variables."""
        assert self.sentence is not None
        return self.model.vector(self.step, values, self.sentence)

    def __call__(self, **values: Any) -> float:
        """Return the score for values of the step's variables."""
        assert self.sentence is not None
        score = self.model.score(self.step, values, self.sentence)
        return score if self.beside is None else score + self.beside(**values)


def model_of(rows: Iterable[tuple[str, Template, tuple[str, ...] | None, float]]) -> Features:
    """Return the model of the lines of a file: steps, templates, values (None for a template alone), weights."""
    templates: dict[str, dict[Template, None]] = {}
    weights: dict[StepFeature, float] = {}
    for step, template, values, weight in rows:
        templates.setdefault(step, {})[template] = None
        if values is not None:
            weights[StepFeature(step, template, values)] = weight
    return Features({step: tuple(some) for step, some in templates.items()}, weights)
