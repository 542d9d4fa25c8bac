"""Questions at the top of the Python interface: shipped files, checks, proofs, costs, treebanks, oracles.

The functions are called as the commands are. `list` and `oracle` are for the package's users: nothing inside it imports
them from here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.errors import Diagnostic, UsageError, guided, one_of
from schemata.kinds import GRAMMARS
from schemata.records import Saved, Tabular, document
from schemata.structures import DependencyTree, Sentence
from schemata.workbench import Given, GivenGrammar, ParsingSchema, Reference, schema_of

if TYPE_CHECKING:
    from schemata.analysis.complexity import Complexity
    from schemata.analysis.explain import Proof
    from schemata.analysis.reasons import WhyNot
    from schemata.budget import Budget
    from schemata.charts import Item
    from schemata.exercises.model import Exercise, Grade
    from schemata.structures.oracles import Followed
    from schemata.treebanks import BrokenSentence
    from schemata.verification.coverage import Coverage

File: TypeAlias = "str | PathLike[str]"


class Listing(Saved, Tabular, builtins.list[dict[str, Any]]):
    """The shipped schemata, or some of them: for each the keys that `schemata list --json` has."""

    def table_rows(self) -> builtins.list[dict[str, Any]]:
        """Return a row for each schema."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the rows as a JSON object."""
        return document({"schemata": builtins.list(self)})

    def __str__(self) -> str:
        from schemata.cli.library import listed
        from schemata.display.terminal import PAGE

        return listed(self, None, PAGE) if self else "no schemata"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f'<pre style="line-height: 1.2">{escape(str(self))}</pre>'


class Findings(Saved, Tabular, builtins.list[Diagnostic]):
    """The findings about files: errors and warnings. Printed, they look as the command shows them."""

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return all(one.severity != "error" for one in self)

    def table_rows(self) -> builtins.list[dict[str, Any]]:
        """Return a row for each finding."""
        return [dict(one.to_json()) for one in self]

    def to_json(self) -> dict[str, Any]:
        """Return the findings as a JSON object."""
        return document({"ok": self.ok, "findings": self.table_rows()})

    def __str__(self) -> str:
        return "\n".join(one.render() for one in self) or "no errors"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f'<pre style="line-height: 1.2">{escape(str(self))}</pre>'


def list(*words: str, grammar: str | None = None) -> Listing:
    """Return the shipped schemata, or those in whose name, alias, title, source or folder all words occur.

    Parameters
    ----------
    words : the words to look for, in any case.
    grammar : the kind of grammar they are over, such as "d-rules".

    Raises
    ------
    UsageError : there is no such kind.

    >>> [row["schema"] for row in list("arc-eager first")]
    ['arc-eager-first']
    >>> "cyk" in [row["schema"] for row in list("cky")]  # of which that is an alias
    True
    """
    from schemata.cli.library import folded, has_words, is_over, schema_rows

    if grammar is not None and grammar not in GRAMMARS:
        raise UsageError(f"there are no grammars of kind {grammar}", expected=one_of(GRAMMARS))
    wanted = [folded(word) for text in words for word in text.split()]
    rows = (row for row in schema_rows(False) if has_words(row, wanted))
    return Listing(row for row in rows if grammar is None or is_over(row, grammar))


def check(*files: File) -> Findings:
    """Return all that is found in files, or in the text of a schema: every mistake with its place.

    Parameters
    ----------
    files : shipped names, paths of schemata, relations and grammars (their suffixes say what they are), folders; or a
        text of several lines, which is a schema.

    Raises
    ------
    UsageError : a text looks like a shipped name, but is not one.

    >>> check("eisner1996").ok
    True
    >>> check("schema x" + chr(10) + "  gramar d-rules")[-1].code
    'unknown-keyword'
    """
    from schemata.cli.library import findings_in, named_files
    from schemata.errors import SchemaError
    from schemata.from_text import checked_schema

    found = Findings()
    for given in (fspath(file) for file in files):
        if "\n" in given.strip():
            try:
                found += checked_schema(given, {})[1]
            except SchemaError as error:
                found += error.diagnostics
            continue
        for _, path in named_files(given):
            found += findings_in(path)
    return found


@guided()
def complexity(
    schema: Reference, *, formulas: bool = True, family: bool = True, budget: Budget | None = None
) -> Complexity:
    """Return the costs of a schema: time, space, the bottleneck, and formulas for its counts.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    formulas : whether to find formulas, which takes counts at short lengths.
    family : whether to find the time for other values of the schema's parameter.
    budget : limits of these runs, all together.

    Raises
    ------
    SchemaError : the schema has errors.
    UsageError : no such schema, or it has too many shapes of items to examine.

    >>> found = complexity("eisner1996", formulas=False)
    >>> found
    <Complexity of eisner1996: O(n^3)>
    >>> found.time.name
    'CombineSpans'
    """
    from schemata.analysis import complexity as costs

    return costs.complexity(schema_of(schema), formulas=formulas, family=family, budget=budget)


def explain(
    schema: Reference,
    sentence: Given,
    item: str | Item,
    grammar: GivenGrammar = None,
    *,
    depth: int | None = None,
    budget: Budget | None = None,
) -> Proof:
    """Run a schema on a sentence and prove an item: return a proof of the fewest step instances.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    sentence, grammar : as for `ParsingSchema.run`.
    item : the item, as the schema writes it with values: `span[0, 3, false, true]`.
    depth : how many steps deep the proof is printed; None for all of it.
    budget : limits of the run, and of the search for the proof.

    Raises
    ------
    SchemaError : the schema has errors, or the text is not an item of it.
    NotDerivableError : the item is not in the chart; has the items that are nearest.
    UsageError, GrammarError, BudgetExceeded : as for `ParsingSchema.run`.

    >>> proof = explain("hybrid", "a b", "span[0, 2]")
    >>> [(node.depth, str(node.item)) for node in proof.nodes]
    [(0, 'span[0, 2]'), (1, 'span[0, 1]'), (1, 'span[1, 2]'), (2, 'span[0, 1]')]
    """
    return schema_of(schema).run(sentence, grammar, budget=budget).explain(item, depth, budget)


def why_not(
    schema: Reference,
    sentence: Given,
    item: str | Item | None = None,
    grammar: GivenGrammar = None,
    *,
    depth: int = 3,
    budget: Budget | None = None,
) -> WhyNot:
    """Run a schema on a sentence and explain why an item is not derivable, if it is not.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    sentence, grammar : as for `ParsingSchema.run`.
    item : the item, as the schema writes it with values; None for final items: why the sentence is not accepted.
    depth : how many steps deep the reasons are followed, 1 to 100.
    budget : limits of the run.

    Raises
    ------
    SchemaError : the schema has errors, or the text is not an item of it.
    UsageError, GrammarError, BudgetExceeded : as for `ParsingSchema.run`; or the depth is out of range.

    >>> reasons = why_not("collins1996", "a b", grammar="heads:2,0", item="tree[1, 2, 1]")
    >>> reasons.derivable, reasons.links
    (False, ((2, 1),))
    """
    return schema_of(schema).run(sentence, grammar, budget=budget).why_not(item, depth)


@guided("treebanks are a list: coverage([FILE, FILE])")
def coverage(
    treebank: File | Sequence[File] | Iterable[Sentence | BrokenSentence],
    schemata: Sequence[Reference] = (),
    *,
    examples: int = 0,
) -> Coverage:
    """Count the trees of treebanks by class, and those that schemata parse.

    Parameters
    ----------
    treebank : a CoNLL-U file (`example`: a shipped one), several of them, or sentences with their trees.
    schemata : the schemata, or arguments of `load`.
    examples : for each class and schema, so many of the shortest trees that do not belong to it.

    Raises
    ------
    TreebankError : a file cannot be read.
    UsageError : no such schema.

    >>> found = coverage("example", ["eisner1996"])
    >>> found.sentences, found.classes["projective"], found.schemata["eisner1996"]
    (3, 2, 2)
    """
    from schemata.language.shipped import shipped_files
    from schemata.language.typeset import reference_of
    from schemata.treebanks import read_conllu
    from schemata.verification import coverage as counts

    names = [reference_of(one.definition) if isinstance(one, ParsingSchema) else str(one) for one in schemata]
    chosen = counts.parsers(names) if names else ()
    files: builtins.list[Any] = (
        [treebank] if isinstance(treebank, str | PathLike) else builtins.list(treebank)
    )
    if not all(isinstance(one, str | PathLike) for one in files):
        return counts.coverage("sentences", files, chosen, examples)
    whole = None
    for file in files:
        path = shipped_files(".conllu", "examples")["english"] if file == "example" else Path(file)
        part = counts.coverage(fspath(file), read_conllu(path), chosen, examples)
        whole = part if whole is None else whole + part
    if whole is None:
        raise UsageError("there is no treebank", code="usage", expected="a CoNLL-U file, or sentences")
    return whole


@guided()
def oracle(
    system: str,
    tree: DependencyTree | Sequence[int],
    k: int = 2,
    *,
    losses: bool = False,
    on_the_fly: bool = False,
) -> Followed:
    """Return the transitions by which a transition system builds a gold tree: those of its static oracle.

    Parameters
    ----------
    system : the name of the system.
    tree : the tree, or its heads.
    k : the stacks of `k-planar-system`.
    losses : report the loss of each possible transition (`arc-eager-system`, `hybrid-system`, `swap-system`).
    on_the_fly : `k-planar-system`: assign arcs to planes as words come, not before.

    Raises
    ------
    UsageError : the system has no oracle, or k is out of range.
    StructureError : the heads are not a tree.

    >>> found = oracle("arc-standard-system", [2, 0])
    >>> found.transitions, found.reproduced
    (('Shift', 'Left-Arc', 'Right-Arc', 'Shift'), True)
    """
    from schemata.structures.oracles import follow

    if isinstance(tree, str):
        raise UsageError(f"{tree!r} is not a tree", expected="a tree, or its heads: [2, 3, 0]")
    chosen = tree if isinstance(tree, DependencyTree) else DependencyTree(tuple(tree))
    return follow(system, chosen, k, on_the_fly=on_the_fly, lose=losses)


def exercise(
    reference: File, answer: str | None = None, *, variant: int | None = None, seconds: float | None = None
) -> Exercise | Grade:
    """Return an exercise, or the grade of an answer to it.

    Parameters
    ----------
    reference : a shipped exercise, the path of a .exercise file, or a text of several lines.
    answer : the text of an answer; None for the exercise itself, which prints as its task.
    variant : the seed of a variant.
    seconds : the time that grading may take; that of the exercise if None.

    Returns
    -------
    The exercise, or the grade: `right` is true, false, or None if the time was over before it was known.

    Raises
    ------
    SchemaError : the exercise, or a schema that is the answer, holds mistakes; carries all of them with their places.
    UsageError : there is no such exercise, it has no variants, or the text is not an answer to such a question.

    >>> exercise("02-cyk-next").kind
    'next-item'
    >>> grade = exercise("02-cyk-next", "edge[S, 1, 3]")
    >>> grade.right, grade.message
    (False, 'edge[S, 1, 3] is not derived by one step from these items: it is derived later')
    """
    from schemata.exercises.grading import grade
    from schemata.exercises.reading import read_exercise
    from schemata.exercises.variants import variant_of

    chosen = read_exercise(reference)
    if variant is not None:
        chosen = variant_of(chosen, variant)
    return chosen if answer is None else grade(chosen, answer, seconds)


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magics `%%schema` and `%%grammar` to a notebook: `%load_ext schemata`."""
    from schemata.notebook import register

    register(shell)
