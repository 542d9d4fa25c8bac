"""Verification as a question: a schema and a class of structures, or another schema, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from schemata.errors import UsageError, guided
from schemata.kinds import FACTS
from schemata.structures.classes import OwnClass
from schemata.verification.progress import Question
from schemata.verification.structures import verdict_on
from schemata.workbench import GivenGrammar, Reference, Watcher, schema_of

if TYPE_CHECKING:
    from schemata.budget import Budget
    from schemata.shards import Places
    from schemata.structures import TreeClass
    from schemata.verification.verdicts import Recognition, Verdict


def verify(
    schema: Reference,
    class_name: str | TreeClass | Callable[[Any], bool] | None = None,
    max_n: int = 5,
    *,
    structures: Callable[[int], Iterable[Any]] | None = None,
    same_as: Reference | None = None,
    grammar: GivenGrammar = None,
    single_root: bool = True,
    random: int = 0,
    seed: int = 0,
    jobs: int | Places = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> Verdict | Recognition:
    """Test whether a schema parses exactly a class of trees; without a class, find the classes that it
    parses.

    All verdicts also say whether each structure is derived once.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    class_name : `projective`, `wg-1`, `all` ..., or the class itself; over Link Grammar dictionaries `linkages` (the
        default) or `acyclic-linkages`; over context-free grammars `all`, `non-empty` or `binary`. None over other
        grammars: all known classes are tried. Or a function that says whether a tree or graph belongs to the class.
    structures : with a function, yields the trees or graphs of n words to ask it about; None for all there are.
    same_as : a schema whose structures this one should derive, in place of a class; over any kind of grammar and
        structures.
    grammar : with `same_as`, the grammar whose sentences are tried; None for small and random grammars.
    max_n : test every tree, or small dictionaries, of at most so many words.
    single_root : trees have one root; else several words may hang under node 0.
    random : how many random trees and grammars of more words to try as well.
    seed : fixes the random grammars and trees.
    jobs : processes, or where else to work (`schemata.shards.Places`); the verdict does not depend on it.
    budget : limits of a single run.
    seconds : the limit of the whole verification; none if None.
    watch : wraps the outcomes, for a progress bar.

    Returns
    -------
    The verdict, with the smallest counterexamples. An answer that a limit or Ctrl-C prevented is None.

    Raises
    ------
    SchemaError : the schema has errors.
    UsageError : no such schema or class, a schema over facts, numbers out of range, or arguments that exclude each
        other.

    References
    ----------
    GCW11, section 3.1 (sound and complete schemata).

    >>> verdict = verify("eisner1996", "projective", max_n=3)
    >>> verdict.sound, verdict.complete, verdict.holds
    (True, True, True)
    >>> verify("mh", max_n=4).parses
    ('projective',)
    >>> verify("arc-eager", same_as="eisner1996", max_n=4).holds
    True
    >>> verify("vine:k=1", lambda tree: all(abs(d - h) == 1 for d, h in tree.links if h), max_n=4).complete
    True
    """
    chosen = schema_of(schema)
    question = Question(chosen, max_n, seed, random, single_root, jobs, budget, seconds, watch)
    definition = chosen.definition
    if same_as is not None:
        if class_name is not None:
            raise UsageError("a class, or a schema to be the same as: not both", code="usage")
        asks = definition.grammar != FACTS or definition.relations
        offered = None if grammar is None and asks else chosen.check_grammar(grammar)
        return verdict_on(question, None, schema_of(same_as).definition, offered)
    own = OwnClass(class_name, structures) if callable(class_name) else None
    return verdict_on(question, own or (None if class_name is None else str(class_name)))


if not TYPE_CHECKING:  # where modules import each other in circles, mypy has no types of decorated functions
    verify = guided()(verify)
