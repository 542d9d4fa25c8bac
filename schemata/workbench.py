"""The top of the Python interface: schemata ready to run, and questions about them.

`load` returns a `ParsingSchema`, which owns its kernel, compiled on first use. Questions that other rooms answer
(`verify`, `relate`, `profile`) are methods too, forwarded to the functions that are registered for them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from schemata import grammars as g
from schemata.errors import Diagnostic, UnreadWarning, UsageError, guided, no_attribute, one_of
from schemata.grammars.drules import unread_among
from schemata.kinds import CONSTRAINTS, CONTEXT_FREE, D_RULES, DEPENDENCY_TREE, FACTS
from schemata.language.library import load_schema
from schemata.language.model import Arithmetic, Relation, Schema, nodes
from schemata.language.shipped import shipped_schemata
from schemata.language.source import SUFFIX
from schemata.quick_start import collector_off
from schemata.records import Asked, ShownAsHtml, ask, replace
from schemata.structures import Sentence
from schemata.structures.sentence import sentence_of_inputs
from schemata.structures.word_graphs import WordGraph
from schemata.thresholds import EFFORTS, WAYS
from schemata.wording import listing, quantity

if TYPE_CHECKING:
    from schemata.analysis.profile import Profile
    from schemata.budget import BackPointers, Budget, EngineName
    from schemata.charts import Counts
    from schemata.decoding.decoder import Decoder
    from schemata.engine.chart import Chart
    from schemata.engine.control import Control
    from schemata.engine.engines import Engines
    from schemata.engine.run import Kernel
    from schemata.engine.weighing import ScoredTree
    from schemata.relations.discovery import relate as _relate
    from schemata.structures import DependencyTree
    from schemata.verification.answers import verify as _verify
    from schemata.weights.scores import Weights
    from schemata.weights.semiring import Semiring
else:
    _relate, _verify = Asked("relate"), Asked("verify")

Reference: TypeAlias = "ParsingSchema | str | Path"
GivenGrammar: TypeAlias = "g.Grammar | g.Constraints | str | Path | Sequence[int] | DependencyTree | None"
Grammars: TypeAlias = "GivenGrammar | Mapping[str, g.Grammar | str | Path]"
Given: TypeAlias = "str | Sequence[str] | Sentence"
Watcher: TypeAlias = "Callable[[Iterable[Any], int, str], Iterable[Any]]"
"""Passes results through and shows how far the work is: given results, how many to come, a description."""


_SAID = 3  # facts that a warning names


@guided('values of parameters have names: load("mh", k=4)')
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
        message, expected = f"{reference!r} is not a schema", "a shipped name or a path"
        raise UsageError(message, code="unknown-schema", expected=expected)
    for name, value in parameters.items():
        if not isinstance(value, int) or isinstance(value, bool):
            message = f"parameter {name} is set to {value!r}"
            hint = "a grammar is given to the run: load(NAME).run(SENTENCE, grammar)" * (name == "grammar")
            raise UsageError(message, code="bad-setting", expected="a whole number", hint=hint or None)
    return ParsingSchema(load_schema(reference, parameters))


def schema_of(reference: Reference) -> ParsingSchema:
    """Return a schema as it is, or load it.

    Raises
    ------
    SchemaError, UsageError : as `load` does.
    """
    return reference if isinstance(reference, ParsingSchema) else load(reference)


_ELSEWHERE = {
    **dict.fromkeys(("parse", "parses", "trees", "forest"), "schema.run(SENTENCE).forest().trees()"),
    **dict.fromkeys(("accepts", "recognize", "recognise"), "schema.run(SENTENCE).accepted"),
    **dict.fromkeys(("chart", "items"), "schema.run(SENTENCE).items"),
    **dict.fromkeys(("step", "trace"), "schemata step NAME SENTENCE in a terminal"),
    **dict.fromkeys(("explain", "why_not"), "schema.run(SENTENCE).explain(ITEM), or .why_not(ITEM)"),
    **dict.fromkeys(
        ("compare", "complexity", "prove"), "a function: schemata.complexity(schema), .compare, .prove"
    ),
    **dict.fromkeys(("draw", "show", "plot", "latex"), "schema.svg(), or save(FILE.tex)"),
    **dict.fromkeys(("steps", "rules", "title", "grammar"), "schema.definition, or print(schema)"),
    "check": "schemata.check(FILE)",
}
"""Names of things that a schema does not have itself, and how they are written."""


class ParsingSchema(ShownAsHtml):
    """A checked schema that can be run; make one with `load`.

    Attributes
    ----------
    definition : the checked schema (`schemata.language.model.Schema`).
    engine : the default engine of `run`: "auto", "python" or "native".
    """

    def __init__(self, definition: Schema, engine: EngineName = "auto") -> None:
        self.definition = definition
        self.engine: EngineName = engine

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Refuse a name that a schema does not have; the message says where such things are."""
            no_attribute(self, name, f"it is {_ELSEWHERE[name]}" if name in _ELSEWHERE else None)

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
        """The engines that can run the schema; they record the cost of runs."""
        from schemata.engine.engines import Engines

        return Engines(self.definition, lambda: self.kernel)

    @collector_off()
    @guided()
    def run(
        self,
        sentence: Given | WordGraph,
        grammar: GivenGrammar = None,
        *,
        budget: Budget | None = None,
        engine: EngineName | None = None,
        back_pointers: BackPointers = "implicit",
        weights: Any = None,
        control: Control | str | Path | None = None,
        strict: bool = False,
    ) -> Chart:
        """Derive everything the schema derives for a sentence.

        Parameters
        ----------
        sentence : a string (split at blanks), a list of words, or a `Sentence`; of a schema that reads several
            inputs, a list of them, or a string with `|||` between them; or a `WordGraph`, whose paths are parsed
            together.
        grammar : a grammar of the kind the schema asks for; or a word or a path as `--grammar` takes them: `all`,
            `gold`, `heads:2,3,0`, `en`, `example`, a file; or a text of several lines, as such files have it; or
            the heads of a tree, `[2, 3, 0]`. All D-rules by default.
        budget : limits of the run.
        engine : "python", "native", or "auto": Python for short runs, native code for long ones. None for the
            schema's `engine`, which is "auto" unless set.
        back_pointers : how a native run keeps step instances: "implicit" (enumerated when asked for), "compact"
            or "explicit" (enumerated at once).
        weights : scores of links (`ArcScores`); by step a function that returns its weight in log space, or an array
            of weights by the step's positions (`StepTensor`); or several of these in a list; beside the weights that
            the grammar and the schema have themselves.
        control : a strategy that chooses the items, such as "beam:8", "astar", or a file with one
            (`engine.control`); None to derive everything.
        strict : a word that the grammar does not know is an error, and so is a rule or fact that no step can read.
            Else such a sentence is rejected, such a rule is left out, and the chart's grammar has a warning
            (`chart.grammar.warnings`).

        Returns
        -------
        The chart: items, counts, back-pointers, `forest()`.

        Raises
        ------
        UsageError : an empty sentence, or a grammar of another kind, or none where one is needed; native code
            is asked for and the schema has none; weights of another sentence; a word graph whose paths cannot be parsed
            together (`run_paths` runs them one by one).
        GrammarError : the grammar does not fit the sentence, or its file has mistakes.
        BudgetExceeded : a limit was hit; carries the partial chart as `chart`.

        Warns
        -----
        UnreadWarning : no step can read some rules or facts of the grammar; once for each schema and grammar, and not
            for what `check_grammar` returned, whose `warnings` name them.

        >>> import schemata
        >>> chart = schemata.load("eisner1996").run("the cat sat")
        >>> len(chart.items), chart.step_count, chart.forest().derivation_count
        (15, 25, 16)
        """
        from schemata.engine.exceeded import BudgetExceeded

        graph = sentence if isinstance(sentence, WordGraph) else None
        schema, words = self.of_inputs(sentence.sentence if isinstance(sentence, WordGraph) else sentence)
        if schema is not self:
            more: Any = {
                "back_pointers": back_pointers,
                "weights": weights,
                "control": control,
                "strict": strict,
            }
            return schema.run(words, grammar, budget=budget, engine=engine, **more)
        checked = self.check_grammar(grammar, words=len(words), strict=strict)
        self._warn_unread(checked, grammar)
        provided = checked.for_sentence(words)
        given = None if weights is None else self._weights(weights, words, provided)
        claims = partial(_claims, self.definition)
        if (together := getattr(provided, "together", None)) is not None and self.reads_word_graphs:
            provided, graph = together, together.graph
        if graph is not None and not (graph.is_row and graph.weights is None):
            from schemata.grammars.relations import knowing_graph
            from schemata.language.word_graphs import refusal, require_weighable

            if (why := _counts_words(checked, given)) is not None:
                raise UsageError([refusal(self.definition, why)])
            schema, provided = self.on_word_graphs, knowing_graph(provided, graph)
            if graph.weights is not None:
                require_weighable(schema.definition)
        try:
            if control is None:
                chart = schema.engines.run(words, provided, budget, engine or self.engine, back_pointers)
            else:
                from schemata.engine.control import Control, Exploration, controlled

                chosen = Control.of(control)
                explored = Exploration(schema.definition, words, provided, given, budget)
                chart = controlled(explored, chosen, budget)
        except BudgetExceeded as over:
            over.chart.weights, over.chart.claims = given, claims
            raise
        chart.weights, chart.claims = given, claims
        return chart

    @cached_property
    def reads_word_graphs(self) -> bool:
        """Whether the schema can be run on word graphs."""
        try:
            return self.on_word_graphs is not None
        except UsageError:
            return False

    @cached_property
    def on_word_graphs(self) -> ParsingSchema:
        """The schema as it reads word graphs (`language.word_graphs`).

        Raises
        ------
        UsageError : it does not meet the conditions under which positions may be words of a graph.
        """
        from schemata.language.word_graphs import on_word_graphs

        return ParsingSchema(on_word_graphs(self.definition), self.engine)

    def of_inputs(self, sentence: Given) -> tuple[ParsingSchema, Sentence]:
        """Return the schema for inputs of the given lengths, and their words in a row; else itself, and the sentence.

        Raises
        ------
        UsageError : the sentence is empty, or there are more or fewer inputs than the schema reads.
        """
        if not self.definition.reads_inputs:
            return self, Sentence.of(sentence)
        words, (*lengths, _) = sentence_of_inputs(sentence, len(self.definition.inputs))
        known: dict[tuple[int, ...], ParsingSchema] = self.__dict__.setdefault("_of_lengths", {})
        key = tuple(lengths)
        if key not in known:
            from schemata.language.inputs import with_lengths

            while len(known) >= WAYS.kept_inputs:
                known.pop(next(iter(known)))
            known[key] = ParsingSchema(with_lengths(self.definition, key), self.engine)
            known[key]._warned = self._warned
        return known[key], words

    def _weights(self, given: Any, words: Sentence, grammar: Any) -> Weights:
        """Return the weights of a run, if they fit its sentence."""
        from schemata.charts import last_position
        from schemata.weights.scores import Weights

        n = last_position(words, grammar)
        weights = Weights.of(given).of_sentence(words).with_axes(self.definition, n)
        if weights.arcs is None:
            return weights
        arcs = weights.arcs.fitted(n, words.words, self._has_labels)
        return weights if arcs is weights.arcs else Weights(arcs, weights.steps)

    @cached_property
    def _doubt(self) -> str | None:
        """Why a sum over derivations is perhaps not one over trees; None if both are the same."""
        once, other = _claims(self.definition)
        if once:
            return None
        derives = "may derive" if once is None else "derives"
        return f"{self.name} {derives} some trees more than once" + (
            f"; {other} derives each once" if other else ""
        )

    @cached_property
    def _has_labels(self) -> bool:
        """Whether all links have labels.

        Raises
        ------
        UsageError : no links could have scores.
        """
        cases = self.definition.cases
        labels = [len(built.types) > 2 for case in cases for built in case.links if built.name == "link"]
        labels += [False for case in cases if case.head_links]
        labelled = self.definition.builds_linkages or (bool(labels) and all(labels))
        clauses = (node for case in cases for node in nodes(case.weight))
        asked = any(isinstance(node, Arithmetic) and node.operation == "score" for node in clauses)
        if not (labelled or self.definition.builds_links or asked):
            message = f"schema {self.name} builds no links that could have scores"
            raise UsageError(message, code="wrong-scores", hint="weigh its rules, or its steps")
        return labelled and not asked

    def counts(
        self,
        sentences: Iterable[Given],
        grammar: GivenGrammar = None,
        *,
        budget: Budget | None = None,
        strict: bool = False,
    ) -> Iterator[Counts]:
        """Yield the numbers of items and step instances of many sentences, and whether each is accepted.

        The charts are not kept: a treebank takes a fraction of the time that `run` needs for its sentences.

        Parameters
        ----------
        sentences : each as for `run`.
        grammar, strict : as for `run`.
        budget : limits of every single run.

        Raises
        ------
        UsageError, GrammarError, BudgetExceeded : as `run` does.

        >>> eisner = load("eisner1996")
        >>> [(c.items, c.steps) for c in eisner.counts(["the cat sat", "it sat"])]
        [(15, 25), (7, 9)]
        """
        from schemata.budget import Budget as Limits
        from schemata.engine.engines import count_each

        chosen = self.check_grammar(grammar, strict=strict)
        given = ((words, chosen.for_sentence(words)) for words in map(Sentence.of, sentences))
        return count_each(self.engines, given, Limits().unless(budget))

    def best_trees(
        self,
        sentences: Iterable[Given],
        weights: Iterable[Any],
        grammar: GivenGrammar = None,
        *,
        engine: EngineName | None = None,
    ) -> Iterator[ScoredTree | None]:
        """Yield the best tree of each of many sentences, with its weight in log space; None if there is none.

        The charts are not kept: where an order of evaluation is proved, this takes a fraction of the time that `run`
        and `Chart.best` need.

        Parameters
        ----------
        sentences, grammar, engine : as for `run`.
        weights : the weights of each sentence, as for `run`.

        Raises
        ------
        UsageError, GrammarError, BudgetExceeded : as `run` does.

        >>> from schemata.weights.scores import ArcScores
        >>> scores = ArcScores([[0, 1, 5], [0, 0, 2], [0, 4, 0]])
        >>> [one.structure.heads for one in load("eisner-satta1999").best_trees(["a b"], [scores])]
        [(2, 0)]
        """
        from schemata.engine.weighing import best_each

        chosen = self.check_grammar(grammar)

        def given() -> Iterator[tuple[Sentence, Any, Weights]]:
            for words, scores in zip_longest(map(Sentence.of, sentences), weights):
                if words is None or scores is None:
                    message = "there are not as many weights as sentences"
                    raise UsageError(message, expected="weights for each sentence")
                provided = chosen.for_sentence(words)
                yield words, provided, self._weights(scores, words, provided)

        return best_each(self.engines, given(), engine or self.engine)

    def decoder(
        self, semiring: str | Semiring[Any] = "viterbi", *, single_root: bool = False, threads: int = 0
    ) -> Decoder:
        """Return a decoder: arrays of scores in, arrays of heads, totals and probabilities out.

        A shipped schema that derives all trees (`mst`, `attardi-unbounded`) is decoded without a chart: the best tree
        by the algorithm of Chu & Liu (1965) and Edmonds (1967), sums by the matrix-tree theorem.

        Parameters
        ----------
        semiring : the semiring of `Decoder.total`: "viterbi", "log", "real", or any `Semiring`.
        single_root : whether trees have a single word under node 0.
        threads : how many work on a batch; 0 for one per processor.

        Raises
        ------
        UsageError : the schema is not over D-rules, builds no dependency trees, or asks which words are the same; no
            such semiring.

        >>> heads, weights = load("eisner1996").decoder()([[[0, 3, 1], [0, 0, 2], [0, 1, 0]]])
        >>> heads.tolist(), weights.tolist()
        ([[0, 1]], [5.0])
        """
        from schemata.decoding.decoder import Decoder
        from schemata.decoding.search import ChartSearch, SpanningSearch

        definition = self.definition
        trees = definition.builds_links and definition.structure == DEPENDENCY_TREE
        trees = trees and not (self._has_labels or definition.builds_tags)
        if definition.grammar != D_RULES or not trees:
            message = f"schema {self.name} does not build unlabelled trees over D-rules"
            raise UsageError(
                message, code="wrong-schema", hint="run it, and ask the chart for its best structure"
            )
        if definition.compares_words:
            message = f"schema {self.name} asks which words are the same, and arrays of scores have no words"
            raise UsageError(message, code="wrong-schema", hint="run it on sentences: best_trees")
        claim = ask("claim_of", definition)
        all_trees = claim is not None and claim.class_name == "all" and claim.sound and claim.complete
        search: ChartSearch | SpanningSearch = (SpanningSearch if all_trees else ChartSearch)(self.engines)
        more: Any = {"single_root": single_root, "threads": threads, "schema": definition}
        return Decoder(self.name, search, semiring, doubt=self._doubt, **more)

    def check_grammar(
        self,
        grammar: GivenGrammar,
        *,
        words: int = 0,
        single_root: bool = False,
        pruned: bool = True,
        strict: bool = False,
    ) -> Any:
        """Return the grammar to use: the argument if it is of the right kind, all D-rules by default.

        Parameters
        ----------
        grammar : a grammar, or a word or a path that names one.
        words, single_root, pruned : for a grammar that is named; see `grammars.grammar_from_option`.
        strict : words that the grammar does not know are an error, and so are rules and facts that no step can read.
            Else there are warnings: a sentence with such a word is rejected, and such rules are left out.

        Raises
        ------
        UsageError : no such grammar, one of another kind, or none for a schema that needs one.
        GrammarError : the file cannot be read or holds mistakes.

        >>> load("lombardo-lesmo1996").check_grammar("heads:2,0")
        <DependencyRules of the tree 2 0>
        """
        kind = self.definition.grammar
        if grammar is None and kind == FACTS and not self.definition.relations:
            grammar = g.Facts.of({})
        if grammar is None:
            if kind != D_RULES:
                raise g.grammar_needed(self.name, kind)
            return g.DRules.all(single_root)
        grammar = _named(grammar)
        if isinstance(grammar, str) and ("\n" in grammar or (kind == CONTEXT_FREE and " -> " in grammar)):
            grammar = g.grammar_from_text(grammar, kind, single_root=single_root)
        deducing, _, rest = grammar.partition(":") if isinstance(grammar, str) else ("", "", "")
        if kind == FACTS and rest and (deducing.endswith(SUFFIX) or deducing in shipped_schemata()):
            grammar = load(deducing).deduce(rest, self.definition.relations)
        if isinstance(grammar, str | Path):
            # A path is not a word: `all` as a path is `./all`.
            text = grammar if isinstance(grammar, str) else os.path.join(os.curdir, grammar)
            settings: Any = {"single_root": single_root, "pruned": pruned, "words": words}
            grammar = g.grammar_from_option(text, kind, schema=self.name, **settings)
        given = getattr(grammar, "kind", None)
        hint = None
        if (given, kind) == (CONTEXT_FREE, FACTS):
            hint = "glr has lr0 deduce facts from rules: --grammar lr0:FILE.cfg"
            if "production" in {relation.name for relation in self.definition.relations}:
                grammar, given = g.Facts.of_rules(cast("g.ContextFreeGrammar", grammar)), kind
        if (given, kind) == (CONSTRAINTS, FACTS):
            grammar, given = cast("g.Constraints", grammar).for_schema(self.definition.relations), kind
        if given != kind:
            message = f"schema {self.name} runs over {kind}, not over {given or type(grammar).__name__}"
            expected = (
                f"the name, the path or the text of a grammar, or a value of schemata.grammar(TEXT, {kind!r})"
            )
            raise UsageError(message, code="wrong-grammar", expected=expected, hint=hint)
        chosen: Any = replace(grammar, strict=True) if strict else grammar  # type: ignore[type-var]
        chosen = chosen.for_schema(self.definition.relations) if kind == FACTS else chosen
        return _with_unread(chosen, self._unread(chosen), strict)

    def _unread(self, grammar: Any) -> tuple[Diagnostic, ...]:
        """Return warnings about the parts of a grammar that no step of the schema can read."""
        has_roots = grammar.kind == D_RULES and getattr(grammar.basis, "roots", ())
        if grammar.kind == D_RULES and (not has_roots or self.definition.reads_inputs or self._links_root):
            return ()  # links are licences, not facts
        from schemata.program.unread import unread, unread_roots

        return unread_roots(self.definition) if has_roots else unread(self.definition, grammar)

    @cached_property
    def _warned(self) -> set[tuple[Diagnostic, ...]]:
        """The warnings already shown about parts of a grammar that the schema leaves out."""
        return set()

    def _warn_unread(self, checked: Any, given: GivenGrammar) -> None:
        """Warn, once, of the parts of a grammar that no step can read, unless the one given has warnings of them."""
        known = getattr(given, "warnings", ())
        found = tuple(one for one in unread_among(getattr(checked, "warnings", ())) if one not in known)
        if not found or found in self._warned:
            return
        self._warned.add(found)
        shown = [one.message for one in found[:_SAID]]
        shown += (
            [f"and {more:,} more: chart.grammar.warnings has all"] if (more := len(found) - _SAID) > 0 else []
        )
        warnings.warn("; ".join(shown), UnreadWarning, stacklevel=5)

    @cached_property
    def _links_root(self) -> bool:
        """Whether a schema over D-rules attaches words to a node 0, or a short run does not show it."""
        from schemata.budget import Budget
        from schemata.engine.exceeded import BudgetExceeded

        try:
            chart = self.run("a b", g.DRules.all(), budget=Budget(steps=EFFORTS.probe_steps))
        except BudgetExceeded:
            return True
        return links_root(chart)

    def deduce(self, grammar: g.Grammar | str | Path, relations: Sequence[Relation]) -> g.Facts:
        """Return facts that the schema deduces from a grammar, for a schema that declares some relations.

        They are the final items whose forms are such relations, and the grammar's own facts of the others. Lists
        and terms become symbols, written as in items. The schema runs on one word, since facts are for all sentences.

        Parameters
        ----------
        grammar : as for `run`, without facts about words that the schema itself asks for.
        relations : those that the other schema declares.

        Raises
        ------
        UsageError, GrammarError : as for `run`; or the grammar has weights that the facts would lose.
        BudgetExceeded : the schema has too many items.

        >>> from schemata.grammars import ContextFreeGrammar
        >>> rules = ContextFreeGrammar.of([("S", ("S", "S"))], "S", {"a": ["S"]})
        >>> facts = load("lr0").deduce(rules, load("glr").definition.relations).facts
        >>> [fact.arguments for fact in facts if fact.relation in ("lexical", "reduce")]
        [('a', 'S'), ('<(r1, <>), (r1, <S>)>', 'S', 2)]
        """
        from schemata.language.typeset import format_value

        if any(sort == "word" for relation in self.definition.relations for _, sort in relation.arguments):
            message = f"{self.name} asks for facts about words, so it deduces nothing for all sentences"
            raise UsageError(message, code="facts-about-words", expected="a schema such as lr0")
        given = self.check_grammar(grammar)
        facts = getattr(given, "facts", ())
        forms = {form.name: form for form in self.definition.forms}
        wanted = {relation.name for relation in relations}
        own = wanted - {clause.pattern.form for clause in self.definition.finals}
        if own == wanted:
            message = f"no final item of {self.name} is a fact of {one_of(sorted(wanted))}"
            raise UsageError(message, code="no-facts", expected="a schema such as lr0, which deduces facts")
        if any(fact.weight for fact in facts if fact.relation not in own):
            message = f"{self.name} deduces facts without weights, but the grammar has some"
            hint = "leave them out; or write the facts that it deduces to a file, and weigh them there"
            raise UsageError(message, code="lost-weights", hint=hint)
        rows: dict[str, list[Any]] = {name: [] for name in wanted - own}
        for item in self.run(["_"], given).final_items:
            if item.form in rows:
                fields = zip(item.values, forms[item.form].fields, strict=True)
                row = [x if isinstance(x, str | int) else format_value(x, field.type) for x, field in fields]
                rows[item.form].append(row)
        kept = (fact for fact in facts if fact.relation in own)
        return g.Facts((*kept, *g.Facts.of(rows).facts))

    verify = _verify
    """See `schemata.verify`: the schema is its first parameter."""

    relate = _relate
    """See `schemata.relate`: the schema is its first parameter."""

    def profile(
        self,
        sentence: Given,
        grammar: GivenGrammar = None,
        budget: Budget | None = None,
        max_n: int | None = None,
    ) -> Profile:
        """Measure the work of every step on a sentence; see `schemata.profile`."""
        answer: Profile = ask("profile", self, sentence, grammar, budget, max_n)
        return answer

    def to_json(self) -> dict[str, Any]:
        """Return the schema as the JSON object that `schemata show --json` prints."""
        from schemata.language.typeset import schema_json

        return schema_json(self.definition)

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
        made = {case.consequent.form for case in self.definition.cases}
        counts = f"{quantity(len(made), 'item form')}, {quantity(len(self.definition.step_names), 'step')}"
        name = f"{self.name}({settings})" if settings else self.name
        return f"<ParsingSchema {name} over {self.definition.grammar}: {counts}>"


def common_grammars(
    schemata: Sequence[ParsingSchema],
    grammar: Grammars,
    *,
    single_root: bool = False,
    pruned: bool = True,
    strict: bool = False,
    words: int = 0,
) -> dict[str, g.Grammar]:
    """Return the grammar for each kind that the schemata run over.

    Parameters
    ----------
    schemata : the schemata.
    grammar : one for all, named or not, or one by kind. Trees (`gold`, `heads:2,3,0`) are grammars of two kinds.
    single_root, pruned, words : for a grammar that is named; see `grammars.grammar_from_option`.
    strict : words that a grammar does not know are an error, and so are facts that a schema does not read.

    Raises
    ------
    UsageError : no schemata, schemata over different kinds and not a grammar for each, no such grammar, or a
        grammar of another kind.
    GrammarError : the file of a grammar cannot be read or holds mistakes.
    """
    if not schemata:
        raise UsageError("no schemata to compare")
    first_of: dict[str, ParsingSchema] = {}
    for schema in schemata:
        first_of.setdefault(schema.definition.grammar, schema)
    if isinstance(grammar, Mapping):
        given = grammar
        found = {k: schema.check_grammar(given.get(k), strict=strict) for k, schema in first_of.items()}
        return _read_by_all(schemata, found, strict)
    named = _named(grammar)
    trees = isinstance(named, str) and (named == "gold" or named.startswith("heads:"))
    if len(first_of) > 1 and not (trees and CONTEXT_FREE not in first_of):
        kinds = [f"{schema.name} runs over {kind}" for kind, schema in first_of.items()]
        hint = "compare them apart"
        if CONTEXT_FREE not in first_of:
            hint = "D-rules and dependency rules can both be taken from trees: --grammar gold, or heads:2,3,0"
        message = f"{listing(kinds)}: they cannot share a grammar"
        expected = "schemata over one kind of grammar"
        raise UsageError(message, code="no-common-grammar", expected=expected, hint=hint)
    settings: dict[str, Any] = {
        "single_root": single_root,
        "pruned": pruned,
        "words": words,
        "strict": strict,
    }
    found = {kind: schema.check_grammar(named, **settings) for kind, schema in first_of.items()}
    return _read_by_all(schemata, found, strict)


def links_root(chart: Chart) -> bool:
    """Whether some step instance of a chart attaches a word to node 0."""
    cases = chart.schema.cases
    built = (zip(cases[x.case].links, x.links, strict=True) for x in chart.instances())
    return any(atom.name == "link" and numbers[1] == 0 for pairs in built for atom, numbers in pairs)


def _read_by_all(
    schemata: Sequence[ParsingSchema], grammars: Mapping[str, Any], strict: bool
) -> dict[str, g.Grammar]:
    """Return grammars with the warnings about facts that some of the schemata do not read."""

    def findings(kind: str, grammar: Any) -> list[Diagnostic]:
        over = (schema for schema in schemata if schema.definition.grammar == kind)
        return list(dict.fromkeys(one for schema in over for one in schema._unread(grammar)))

    return {
        kind: _with_unread(grammar, findings(kind, grammar), strict) for kind, grammar in grammars.items()
    }


def _with_unread(grammar: Any, findings: Sequence[Diagnostic], strict: bool) -> Any:
    if not (findings or getattr(grammar, "warnings", ())):
        return grammar
    from schemata.program.unread import with_unread

    return with_unread(grammar, findings, strict)


def decoder(
    name: Reference,
    semiring: str | Semiring[Any] | None = None,
    *,
    single_root: bool = False,
    threads: int = 0,
) -> Decoder:
    """Return the decoder of a schema, as `ParsingSchema.decoder` does; decoders of one name share kernels.

    Parameters
    ----------
    name : a schema over D-rules, or an argument of `load`; `matrix-tree` is `mst`, with sums of logarithms.
    semiring, single_root, threads : as for `ParsingSchema.decoder`.

    Raises
    ------
    UsageError, SchemaError : no such schema, or one that builds no dependency trees.

    >>> decoder("mst").best([[[0, 1, 5], [0, 0, 9], [0, 9, 0]]]).heads.tolist()
    [[2, 0]]
    """
    sums = name == "matrix-tree"
    chosen = _with_engines("mst" if sums else name)
    return chosen.decoder(
        semiring or ("log" if sums else "viterbi"), single_root=single_root, threads=threads
    )


_WITH_ENGINES: dict[str, ParsingSchema] = {}
"""Schemata of decoders, by reference, so that a decoder made in a loop finds kernels in memory."""


def _with_engines(reference: Reference) -> ParsingSchema:
    """Return a schema as `schema_of` does, and the same one for a reference until its files change."""
    if isinstance(reference, ParsingSchema):
        return reference
    found, key = load(reference), f"{type(reference).__name__} {reference}"
    kept = _WITH_ENGINES.get(key)
    if kept is None or kept.definition != found.definition:
        kept = _WITH_ENGINES[key] = found
    return kept


def _named(grammar: Any) -> Any:
    """Return a grammar as it is; heads in a list, or a tree, as a word that names them: heads:2,3,0."""
    heads = getattr(grammar, "heads", grammar)
    if isinstance(heads, str | Path) or not isinstance(heads, Sequence):
        return grammar
    try:
        return f"heads:{','.join(str(index(head)) for head in heads)}"
    except TypeError as error:
        message = f"{grammar!r} is not a grammar: heads are whole numbers"
        raise UsageError(message, code="bad-heads", expected="one head per word, 0 for the root") from error


def _counts_words(grammar: Any, weights: Weights | None) -> str | None:
    """Return what of a grammar and of weights depends on the words beside or between others, or None."""
    basis = grammar.basis if isinstance(grammar, g.DRules) else None
    if isinstance(basis, g.DRuleSet) and any(rule.within is not None for rule in basis.rules):
        return "rules of the grammar count words (within)"
    if weights is not None and weights.features is not None:
        return "features look at words beside others"
    return None


def _claims(schema: Schema) -> tuple[bool | None, str | None]:
    """Return whether a schema is claimed to derive each structure once, and the shipped repair if it does
    not.
    """
    claim = ask("claim_of", schema)
    return (None, None) if claim is None else (claim.each_once, claim.repaired)
