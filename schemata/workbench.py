"""A schema ready to run: loaded, checked, its kernel compiled on first use. The top of the Python interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.errors import UsageError
from schemata.language.library import load_schema
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.budget import Budget
    from schemata.charts.chart import Counts
    from schemata.engine.chart import Chart
    from schemata.engine.choice import BackPointers, EngineName
    from schemata.engine.engines import Engines
    from schemata.engine.run import Kernel
    from schemata.language.model import Schema
    from schemata.relations.answers import Answer

__all__ = ["ParsingSchema", "load", "relate"]


class ParsingSchema:
    """A checked schema that can be run; make one with `load`.

    Attributes
    ----------
    definition : the checked schema (`schemata.language.model.Schema`).
    engine : which engine `run` uses where it is not told: "auto", "python" or "native".
    """

    def __init__(self, definition: Schema, engine: EngineName = "auto") -> None:
        self.definition = definition
        self.engine: EngineName = engine

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the definition: kernels belong to their process."""
        return {"definition": self.definition, "engine": self.engine}

    @property
    def name(self) -> str:
        """The schema's name."""
        return self.definition.name

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of the schema's parameters."""
        return {p.name: p.value for p in self.definition.parameters}

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled kernel; compiled once."""
        from schemata.engine.run import compile_kernel

        return compile_kernel(self.definition)

    @cached_property
    def engines(self) -> Engines:
        """The engines that can run the schema; they remember what runs took."""
        from schemata.engine.engines import Engines

        return Engines(self.definition, lambda: self.kernel)

    def run(
        self,
        sentence: str | Sequence[str] | Sentence,
        grammar: Any = None,
        *,
        budget: Budget | None = None,
        engine: EngineName | None = None,
        back_pointers: BackPointers = "implicit",
    ) -> Chart:
        """Derive everything the schema derives for a sentence.

        Parameters
        ----------
        sentence : a string (split at blanks), a list of words, or a `Sentence`.
        grammar : a grammar of the kind the schema asks for; all D-rules by default.
        budget : limits of the run.
        engine : "python", "native", or "auto": Python for short runs, native code for long ones. None for the
            schema's `engine`, which is "auto" unless set.
        back_pointers : how a native run keeps step instances: "implicit" (enumerated when asked for), "compact"
            or "explicit" (enumerated at once).

        Returns
        -------
        The chart: items, counts, back-pointers, `forest()`.

        Raises
        ------
        UsageError : an empty sentence, or a grammar of another kind, or none where one is needed; or native code
            is asked for and the schema has none.
        GrammarError : the grammar does not fit the sentence.
        BudgetExceeded : a limit was hit; carries the partial chart as `chart`.

        >>> import schemata
        >>> chart = schemata.load("eisner1996").run("the cat sat")
        >>> len(chart.items), chart.step_count, chart.forest().derivation_count
        (15, 25, 16)
        """
        words = Sentence.of(sentence)
        chosen = self.check_grammar(grammar)
        provided = chosen.for_sentence(words)
        return self.engines.run(words, provided, budget, engine or self.engine, back_pointers)

    def counts(
        self,
        sentences: Iterable[str | Sequence[str] | Sentence],
        grammar: Any = None,
        *,
        budget: Budget | None = None,
    ) -> Iterator[Counts]:
        """Yield the numbers of items and step instances of many sentences, and whether each is accepted.

        The charts are not kept: a treebank takes a fraction of the time that `run` needs for its sentences.

        Parameters
        ----------
        sentences : each as for `run`.
        grammar : as for `run`.
        budget : limits of every single run.

        Raises
        ------
        UsageError, GrammarError, BudgetExceeded : as `run` does.

        >>> eisner = load("eisner1996")
        >>> [(c.items, c.steps) for c in eisner.counts(["the cat sat", "it sat"])]
        [(15, 25), (7, 9)]
        """
        from schemata.budget import Budget as Limits
        from schemata.engine.counting import count_each

        chosen = self.check_grammar(grammar)
        given = ((words, chosen.for_sentence(words)) for words in map(Sentence.of, sentences))
        return count_each(self.engines, given, budget or Limits())

    def check_grammar(self, grammar: Any) -> Any:
        """Return the grammar to use: the given one if it is of the right kind, all D-rules if there is none.

        Raises
        ------
        UsageError : a grammar of another kind, or none for a schema that needs one.
        """
        kind = self.definition.grammar
        if grammar is None:
            from schemata.grammars import DRules, grammar_needed

            if kind != "d-rules":
                raise grammar_needed(self.name, kind)

            return DRules.all()
        given = getattr(grammar, "kind", None)
        if given != kind:
            raise UsageError(
                f"schema {self.name} runs over {kind}, not over {given or type(grammar).__name__}",
                code="wrong-grammar",
                expected=f"a grammar of {kind}",
            )
        return grammar

    def relate(
        self, other: ParsingSchema, kind: str | None = None, *, maps: Sequence[str] = (), max_n: int = 5
    ) -> list[Answer]:
        """Decide how this schema is related to another one, with witnesses.

        Parameters
        ----------
        other : the second schema.
        kind : `step-refinement`, `item-refinement`, `static-filter`, `dynamic-filter`, `step-contraction` or
            `item-contraction`; None for all of them, and all simple maps between the items.
        maps : which items correspond, `ITEM to ITEM where CONDITIONS` or `ITEM from ITEM`; without any, as a
            shipped relation between the two says, else items of the same form.
        max_n : the number of words, at most.

        Returns
        -------
        With a kind, the answer to that question; without, one answer for each kind that holds, the strongest
        first. A budget that is hit leaves `holds` None.

        Raises
        ------
        SchemaError : a map has errors, or how items correspond is not known.
        UsageError : there is no such kind; the schemata are over different kinds of grammar.

        References
        ----------
        GCW11, section 4.

        >>> first, second = load("eisner-satta1999"), load("eisner1996")
        >>> [answer] = first.relate(second, "step-refinement", max_n=3)
        >>> answer.holds, answer.witnesses[2].ways[0].steps
        (True, ('CombineSpans',))
        """
        from schemata.relations.discovery import check_kind, discover, relate_kind

        if kind is None:
            return discover(self.definition, other.definition, max_n, maps=maps)
        return [relate_kind(self.definition, other.definition, check_kind(kind), maps, max_n)]

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
        return f"<ParsingSchema {self.name}{f'({settings})' if settings else ''}>"


def load(reference: str | Path, **parameters: int) -> ParsingSchema:
    """Load a schema by shipped name or by path to a .schema file.

    Parameters
    ----------
    reference : a shipped name (`eisner1996`, also with parameters: `mh:k=4`) or a path.
    parameters : values for the schema's parameters.

    Raises
    ------
    SchemaError : the file has errors; carries all of them with their places.
    UsageError : there is no such schema or parameter, or a value is out of range.

    >>> load("mh", k=4).parameters
    {'k': 4}
    """
    if not isinstance(reference, str | Path):
        raise UsageError(
            f"{reference!r} is no schema", code="unknown-schema", expected="a shipped name or a path"
        )
    for name, value in parameters.items():
        if not isinstance(value, int) or isinstance(value, bool):
            raise UsageError(
                f"parameter {name} is set to {value!r}", code="bad-setting", expected="a whole number"
            )
    return ParsingSchema(load_schema(reference, parameters))


def relate(
    first: ParsingSchema | str | Path,
    second: ParsingSchema | str | Path,
    kind: str | None = None,
    *,
    maps: Sequence[str] = (),
    max_n: int = 5,
) -> list[Answer]:
    """Decide how two schemata are related; see `ParsingSchema.relate`.

    Parameters
    ----------
    first, second : schemata, or what `load` takes.
    kind, maps, max_n : see `ParsingSchema.relate`.

    >>> [answer.kind for answer in relate("generalised-eisner-satta", "collins1996", max_n=3)]
    ['static-filter', 'dynamic-filter', 'step-contraction']
    """
    one, other = (end if isinstance(end, ParsingSchema) else load(end) for end in (first, second))
    return one.relate(other, kind, maps=maps, max_n=max_n)
