"""An exercise and a grade as values.

An exercise is of one of six kinds:

next-item          which item can be derived by one step from those taken so far?
count              how many items (steps, derivations, trees) has the chart, of a sentence or for every length?
class              which class of trees does a schema parse, and which tree lies outside?
second-derivation  by which other items is a tree derived?
mend               a schema is broken: mend it
write              write a schema for a class, or one that derives what a hidden one does
"""

from __future__ import annotations

from typing import Any

from schemata.errors import one_of
from schemata.records import Record, Shown, ShownList, ask, document, fields_json
from schemata.structures import DependencyTree, Sentence
from schemata.workbench import ParsingSchema


class ExerciseKind(Record):
    """A kind of exercise: the form of an answer, and the keywords that its file must and may have."""

    answer: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    either: tuple[str, ...] = ()  # exactly one of these


KINDS: dict[str, ExerciseKind] = {
    "next-item": ExerciseKind("an item", ("schema", "sentence"), ("grammar", "taken")),
    "count": ExerciseKind(
        "a number; for several lengths a formula in n, such as n*(n+1)/2",
        ("schema", "count"),
        ("grammar",),
        ("sentence", "lengths"),
    ),
    "class": ExerciseKind(
        "a class and the heads of a tree outside it, such as: all; 2 0 2",
        ("schema",),
        ("choices", "max-n"),
    ),
    "second-derivation": ExerciseKind(
        "the items of the derivation in order, one in each line or with ; between them",
        ("schema", "tree"),
        ("sentence",),
    ),
    "mend": ExerciseKind(
        "a schema, or the path of its file",
        ("schema",),
        ("broken", "original", "max-n", "once", "grammar"),
        ("class", "same-as"),
    ),
    "write": ExerciseKind(
        "a schema, or the path of its file",
        (),
        ("max-n", "once", "grammar"),
        ("class", "same-as"),
    ),
}
COMMON = ("exercise", "title", "task", "hint", "seconds")
COUNTED = ("items", "steps", "derivations", "trees")


class Exercise(Record, Shown, eq=False):
    """An exercise as its file describes it; as text, it is its task.

    Parameters
    ----------
    name : the file's name without its suffix.
    kind : a key of `KINDS`.
    title, task, hint : the texts for the student; the hint goes with a wrong answer.
    schema, schema_text : the schema that the exercise is about, and its text where the file has it.
    sentence, grammar : for runs; the grammar as `ParsingSchema.run` takes it.
    grammar_text : the grammar as the file has it: its name, or its text.
    taken : the items taken before the next one.
    count : which number is asked for, a member of `COUNTED`.
    lengths : the numbers of words for which a formula must hold; empty where there is a sentence.
    choices : the names of classes offered.
    heads : the tree derived twice.
    class_name, same_as : the structures to be derived: a class, or those of another schema.
    original : the schema that variants are broken copies of.
    once : whether each structure must be derived once.
    max_n : the number of words to which schemata are verified.
    seconds : the time that a grade may take.
    variant : the seed of a variant; None for the exercise as it stands.
    """

    name: str
    kind: str
    title: str
    task: str
    hint: str = ""
    schema: ParsingSchema | None = None
    schema_text: str | None = None
    sentence: Sentence | None = None
    grammar: Any = None
    grammar_text: str | None = None
    taken: tuple[str, ...] = ()
    count: str = "items"
    lengths: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    class_name: str | None = None
    same_as: ParsingSchema | None = None
    original: ParsingSchema | None = None
    once: bool = False
    max_n: int = 4
    seconds: float = 20.0
    variant: int | None = None

    @property
    def rules(self) -> ParsingSchema:
        """The schema that the exercise is about, of kinds that have one."""
        assert self.schema is not None
        return self.schema

    @property
    def answer(self) -> str:
        """The form of an answer; for an item, with the item forms that steps derive.

        >>> from schemata.exercises.reading import read_exercise
        >>> read_exercise("02-cyk-next").answer
        'an item: edge[symbol, position, position]'
        """
        said = KINDS[self.kind].answer
        if self.kind != "next-item":
            return said
        derived = {case.consequent.form for case in self.rules.definition.cases}
        types = {x.name: [str(field.type) for field in x.fields] for x in self.rules.definition.forms}
        shown = (f"{name}[{', '.join(types[name])}]" for name in types if name in derived)
        return f"{said}: {one_of(shown)}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `schemata exercise FILE --json`: the task without its answer."""
        found = {"exercise": self.name} | fields_json(self, "kind title task hint~ variant")
        found["answer"] = self.answer
        found["schema"] = None if self.schema is None else self.schema.name
        found["rules"] = None if self.schema is None else rules_text(self)
        found["sentence"] = None if self.sentence is None else list(self.sentence.words)
        found |= fields_json(
            self, "grammar=grammar_text taken count lengths choices heads class=class_name max_n seconds"
        )
        return document(found)


def rules_text(exercise: Exercise) -> str:
    """Return the text of the schema that an exercise is about, as a file has it."""
    schema = exercise.rules
    return exercise.schema_text if exercise.schema_text is not None else schema.definition.source.text


class Grade(Record, Shown, eq=False):
    """Whether an answer is right, and why not.

    Parameters
    ----------
    exercise, kind : the exercise's name and kind.
    right : None if a limit was hit before it was known.
    message : the reason in one sentence.
    evidence : drawn below it: a verdict with its smallest counterexample, reasons why an item is not
        derivable, a chart, a tree.
    sentence : the words of trees among the evidence.
    hint : the exercise's hint, for a wrong answer.
    stopped : the limit that was hit.
    seconds : the time that grading took.
    """

    exercise: str
    kind: str
    right: bool | None
    message: str
    evidence: tuple[Any, ...] = ()
    sentence: Sentence | None = None
    hint: str = ""
    stopped: str | None = None
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `schemata exercise FILE ANSWER --json`."""
        found = fields_json(self, "exercise kind right message hint~ stopped seconds:3")
        return document(found, {"evidence": [evidence_text(one, self.sentence) for one in self.evidence]})


def evidence_text(value: Any, sentence: Sentence | None) -> str:
    """Return a piece of evidence as text: a chart or tree drawn, a verdict or reasons in words."""
    return str(
        ask("plain_text", ShownList([value], sentence) if isinstance(value, DependencyTree) else value)
    )
