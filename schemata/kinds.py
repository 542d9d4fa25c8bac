"""The kinds of grammars and of structures: one frozen value each, registered here and nowhere else.

A kind is its name, a text, with traits: files, JSON and messages show the name, and code reads the traits. No other
module compares a kind with a name (`tests/test_house.py`). A room that builds or draws structures has a table of its
functions by kind.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self


class _Kind(str):
    """A name with traits, which are the fields of a frozen data class; the class finds the registered one by name."""

    __slots__ = ()

    registered: ClassVar[dict[str, Any]]

    def __new__(cls, name: str) -> Self:
        found: Self = cls.registered[name]
        return found

    @classmethod
    def of(cls, name: str, **traits: Any) -> Self:
        """Register a kind."""
        one = cls.registered[name] = str.__new__(cls, name)
        for trait in fields(cls):  # type: ignore[arg-type]
            object.__setattr__(one, trait.name, traits.pop(trait.name, trait.default))
        assert not traits, f"a kind has no {', '.join(traits)}"
        return one

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return self.__class__, (str(self),)

    def __setstate__(self, state: object) -> None:  # cached files name kinds, and change none
        raise TypeError(f"the kind {self} has no state to be set")


@dataclass(frozen=True, init=False, eq=False, repr=False, slots=True)
class GrammarKind(_Kind):
    """A kind of grammars.

    Attributes
    ----------
    noun, grammar : names for its rules and for a grammar.
    class_name : the class of its grammars, in `schemata.grammars`.
    suffixes : of its files, the usual one first.
    words : the words beside paths that `--grammar` takes.
    sample : a small file; empty if that depends on the schema.
    sentence : a sentence of the shipped grammar for English, or one that many schemata accept.
    keywords : the words of its files that an editor proposes.
    declared : whether a schema may be over it; constraints provide facts.
    of_dependencies : whether it says which words may be dependents of which.
    by_links : whether its grammars are sets of links for each sentence, which may be asked for a single root.
    pruned : whether its grammars leave out, for each sentence, disjuncts that cannot be linked.
    of_labels : whether it has connectors with labels.
    relations_declared : whether schemata declare the relations that they ask of it.
    as_facts : whether its files can be read as facts, too.
    """

    registered: ClassVar[dict[str, GrammarKind]] = {}
    __setstate__ = _Kind.__setstate__

    noun: str = ""
    grammar: str = ""
    class_name: str = ""
    suffixes: tuple[str, ...] = ()
    words: tuple[str, ...] = ("example",)
    sample: str = ""
    sentence: str = ""
    keywords: tuple[str, ...] = ()
    declared: bool = True
    of_dependencies: bool = False
    by_links: bool = False
    pruned: bool = False
    of_labels: bool = False
    relations_declared: bool = False
    as_facts: bool = False


D_RULES = GrammarKind.of(
    "d-rules",
    noun="D-rules",
    grammar="a D-rule grammar",
    class_name="DRules",
    suffixes=(".drules",),
    words=("all", "gold", "heads:", "example"),
    sample='root "sleeps"\nhead "cat" takes "the" on the left\nhead "sleeps" takes "cat"\n',
    sentence="the cat sat down",
    keywords=("root", "head", "takes", "on the left", "on the right", "on either side", "within", "any"),
    of_dependencies=True,
    by_links=True,
)
DEPENDENCY_RULES = GrammarKind.of(
    "dependency-rules",
    noun="dependency rules",
    grammar="a grammar of dependency rules",
    class_name="DependencyRules",
    suffixes=(".deprules",),
    words=("gold", "heads:", "example"),
    sample="root S\nS(N *)\nN(D *)\nD(*)\nthe : D\ncat : N\nsleeps : S\n",
    sentence="the cat slept",
    keywords=("root", "tag"),
    of_dependencies=True,
)
CONTEXT_FREE = GrammarKind.of(
    "context-free",
    noun="context-free rules",
    grammar="a context-free grammar",
    class_name="ContextFreeGrammar",
    suffixes=(".cfg",),
    sample="S -> NP V\nNP -> D N\nthe : D\ncat : N\nsleeps : V\n",
    sentence="the cat slept",
    keywords=("start", "tag"),
    as_facts=True,
)
LINK_GRAMMAR = GrammarKind.of(
    "link-grammar",
    noun="connectors",
    grammar="a Link Grammar dictionary",
    class_name="LinkGrammar",
    suffixes=(".dict",),
    words=("en", "example"),
    sample="the: D+;\ncat: D- & S+;\nsleeps: S-;\n",
    sentence="the cat ran",
    pruned=True,
    of_labels=True,
)
FACTS = GrammarKind.of(
    "facts",
    noun="facts",
    grammar="a grammar of facts",
    class_name="Facts",
    suffixes=(".facts", ".tsv"),
    words=("gold", "example"),
    sentence="a b c",
    relations_declared=True,
)
CONSTRAINTS = GrammarKind.of(
    "constraints",
    noun="constraints",
    grammar="a constraint dependency grammar",
    class_name="Constraints",
    suffixes=(".constraints",),
    sample="labels SUBJ ROOT\ncat : N\nsleeps : V\nconstraint root: X.head = 0 -> X.cat = V\n",
    sentence="the cat sleeps",
    keywords=("labels", "tag", "constraint", "not", "and", "or", "has", "crosses", "between"),
    declared=False,
    as_facts=True,
)
GRAMMARS = tuple(GrammarKind.registered.values())
DECLARED = tuple(kind for kind in GRAMMARS if kind.declared)
"""The kinds that a schema may be over."""
GRAMMAR_SUFFIXES = {suffix: kind for kind in GRAMMARS for suffix in kind.suffixes}


@dataclass(frozen=True, init=False, eq=False, repr=False, slots=True)
class StructureKind(_Kind):
    """A kind of structures that derivations build.

    Attributes
    ----------
    noun : a name for one, where no other kind is meant.
    counted : the word for many in the names of figures.
    atoms : the names of the atoms that make it up; none for sets, which may have any.
    beside : the names of atoms that may stand beside them.
    shapes : names of atoms with the kinds of types of their arguments, where the kind of structures decides them.
    written : how a step writes such atoms.
    implied : whether atoms of these names make it up by default.
    between_words : whether it is made of links between words, which may be those of heads.
    single_headed : whether each word has one head.
    formats : the formats in which it is exported.
    dropped : the message about derivations that build something else.
    hint : a guess at the fault where all derivations do.
    """

    registered: ClassVar[dict[str, StructureKind]] = {}
    __setstate__ = _Kind.__setstate__

    noun: str = ""
    counted: str = "structures"
    atoms: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    shapes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    written: str = ""
    implied: bool = True
    between_words: bool = False
    single_headed: bool = False
    formats: tuple[str, ...] = ()
    dropped: str = "some build what is not a structure, not listed"
    hint: str = ""


DEPENDENCY_TREE = StructureKind.of(
    "dependency tree",
    noun="tree",
    counted="trees",
    atoms=frozenset({"link"}),
    beside=frozenset({"tag", "feature"}),
    written="attach d to h, link d to h, builds edge(d, h, label), tag(i, T) or feature(i, F) of a tree's words",
    between_words=True,
    single_headed=True,
    formats=("conllu",),
    hint="where words may have several heads, or none, the schema says: structure dependency graph",
)
DEPENDENCY_GRAPH = StructureKind.of(
    "dependency graph",
    noun="graph",
    atoms=frozenset({"link"}),
    written=DEPENDENCY_TREE.written,
    implied=False,
    between_words=True,
    formats=("conllu",),
    dropped="some build links to what is not a word, not listed",
)
CONSTITUENT_TREE = StructureKind.of(
    "constituent tree",
    noun="tree",
    counted="trees",
    atoms=frozenset({"bracket"}),
    written="builds bracket(A, i, j)",
    formats=("brackets", "discbracket", "negra"),
    dropped="some are not trees over the sentence, not listed: their leaves are not its words in order, or"
    " a constituent stands above one like it over the same words",
    hint="an antecedent from which a step only predicts is marked given; words stand at 1 to n",
)
LINKAGE = StructureKind.of(
    "linkage",
    noun="linkage",
    counted="linkages",
    atoms=frozenset({"join"}),
    written="join i to j by x ~ y",
)
ALIGNMENT = StructureKind.of(
    "alignment",
    noun="alignment",
    atoms=frozenset({"align"}),
    written="builds align(i, j)",
    formats=("pharaoh",),
)
SEMANTIC_GRAPH = StructureKind.of(
    "semantic graph",
    noun="graph",
    atoms=frozenset({"node", "role", "top"}),
    shapes=(
        ("node", ("position", "symbol")),
        ("role", ("position", "position", "symbol")),
        ("top", ("position",)),
    ),
    written="builds node(x, concept), builds role(x, y, label), or builds top(x)",
    implied=False,
    formats=("penman",),
    dropped="some build no graph, not listed: its nodes have one label each, and all are connected with one top",
    hint="some step builds the top, and each end of an edge is a node with one label",
)
SET = StructureKind.of("set", noun="set")
STRUCTURES = tuple(StructureKind.registered.values())
FORMATS = tuple(dict.fromkeys(name for kind in STRUCTURES for name in kind.formats))
"""The formats of treebanks in which some kind of structures is exported."""


def implied_by(names: AbstractSet[str]) -> StructureKind:
    """Return the kind of structures that atoms of some names make up where a schema does not say.

    >>> implied_by({"link", "tag"}), implied_by({"tag"}), implied_by({"link", "bracket"})
    ('dependency tree', 'set', 'set')
    """
    implied = (kind for kind in STRUCTURES if kind.implied and names & kind.atoms)
    return next((kind for kind in implied if names <= kind.atoms | kind.beside), SET)
