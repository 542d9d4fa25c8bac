"""New schemata to begin with: small complete files, one for each thing that people mostly write schemata for."""

from __future__ import annotations

import re
from collections.abc import Mapping

from schemata.errors import UsageError, require_known
from schemata.kinds import CONTEXT_FREE, FACTS

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")

# What is filled in: the schema's name.
BEGINNINGS: Mapping[str, str] = {
    "dependencies": """\
schema {name}
  title   "A new schema"
  source  "where it is published"
  grammar d-rules

# tree[i, j, h]: the words i..j are a tree whose root is the word h. The grammar says which word may be a dependent
# of which.

hypothesis word[i]  where 1 <= i <= n

item tree[i: position, j: position, h: position]
  where 1 <= i <= h <= j <= n

step Begin
  word[i]
  -------------
  tree[i, i, i]

step Link-Left
  tree[i, j, h]   tree[j + 1, k, m]
  ---------------------------------  attach h to m
  tree[i, k, m]

step Link-Right
  tree[i, j, h]   tree[j + 1, k, m]
  ---------------------------------  attach m to h
  tree[i, k, h]

final tree[1, n, _]
""",
    CONTEXT_FREE: """\
schema {name}
  title   "A new schema"
  source  "where it is published"
  grammar context-free

# edge[A, i, j]: the words i..j are a constituent A. The grammar's rules have two symbols, or one word.

hypothesis word[i]  where 1 <= i <= n

item edge[A: symbol, i: position, j: position]
  where 1 <= i <= j <= n

step Scan
  case category
    word[i]
    -------------  category i is A
    edge[A, i, i]
  case rule
    word[i]
    -------------  rule A(t), category i is t
    edge[A, i, i]

step Combine
  edge[B, i, j]   edge[C, j + 1, k]
  ---------------------------------  rule A(B C)
  edge[A, i, k]

final edge[S, 1, n]  where root S
""",
    "transitions": """\
schema {name}
  title     "A new transition system"
  source    "where it is published"
  grammar   d-rules
  structure dependency graph

# A configuration: the stack with its top to the right, the buffer with its front to the left, the arcs so far.

item state[stack: list of position, buffer: list of position, arcs: arcs]

step Begin
  ------------------------
  state[<>, <*[1..n]>, <>]

step Shift
  state[S, <j, *B>, A]
  --------------------
  state[<*S, j>, B, A]

step Left-Arc
  state[<*S, i>, <j, *B>, A]
  ----------------------------------  attach i to j
  state[S, <j, *B>, A + (i under j)]

step Right-Arc
  state[<*S, i>, <j, *B>, A]
  ----------------------------------  attach j to i
  state[S, <i, *B>, A + (j under i)]

final state[_, <>, _]
""",
    FACTS: """\
schema {name}
  title     "A new schema"
  source    "where it is published"
  structure set

# rest[T, i]: the words from i on have tags, the first of them T. Facts say which tags are first and last, which one
# follows which, and what words have them. The shipped schema hmm has the same relations, and goes from left to right.

relation first(tag: symbol)
relation next(tag: symbol, after: symbol)
relation emits(tag: symbol, form: word)
relation last(tag: symbol)

item rest[T: symbol, i: position]
  where 1 <= i <= n

step Last
  ----------  last(T), emits(T, n), builds tag(n, T)
  rest[T, n]

step Before
  rest[S, i]
  --------------  i > 1, next(S, T), emits(T, i - 1), builds tag(i - 1, T)
  rest[T, i - 1]

final rest[T, 1]  where first(T)
""",
}
"""The texts of first schemata by kind, each with a hole for its name."""


def beginning(name: str, kind: str = "dependencies") -> str:
    """Return the text of a new schema that checks, runs, and can be verified.

    Parameters
    ----------
    name : the schema's name, which is that of its file.
    kind : one of `BEGINNINGS`.

    Raises
    ------
    UsageError : there is no such kind, or the name is not a valid one.

    >>> beginning("mine").splitlines()[0]
    'schema mine'
    """
    require_known(kind, list(BEGINNINGS), f"there are no new schemata over {kind}", "unknown-kind")
    if not _NAME.fullmatch(name):
        expected = "letters, digits and hyphens, with a letter first, such as my-parser"
        raise UsageError(f"{name!r} is not a name of a schema", code="bad-name", expected=expected)
    return BEGINNINGS[kind].format(name=name)
