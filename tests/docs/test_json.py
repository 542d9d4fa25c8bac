"""docs/json.md is true: what commands print with `--json` has the keys and types of its tables, and no others.

Small runs of every command are matched against the tables. Every key of a table must occur in one of them, and every
type that a table allows for it.
"""

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from schemata.json_values import VERSION
from schemata.language.library import shipped_relations
from tests.support.commands import Cli

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


class Key(NamedTuple):
    """A row of a table: a key, whether it is always there, and its types."""

    name: str
    optional: bool
    types: tuple[str, ...]


def alternatives(text: str) -> tuple[str, ...]:
    """Return the types of `A, B or C`; those in brackets stay together."""
    parts, depth = [""], 0
    for piece in re.split(r"(, | or |[()\[\]])", _inside(text)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece, 0)
        if depth == 0 and piece in (", ", " or "):
            parts.append("")
        else:
            parts[-1] += piece
    return tuple(parts)


def _inside(text: str) -> str:
    """Return a text without the brackets around the whole of it."""
    depths = list(itertools.accumulate({"(": 1, ")": -1}.get(c, 0) for c in text))
    return text[1:-1] if text.startswith("(") and depths.index(0) == len(text) - 1 else text


def tables() -> dict[str, list[Key | str]]:
    """Return the rows of every table by its heading; of a row *all of* the name of the table."""
    found: dict[str, list[Key | str]] = {}
    name = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            name = line.lstrip("# ")
        elif part := re.match(r"\| \*all of\* \[([^\]]+)\]", line):
            found[name].append(part[1])
        elif row := re.match(r"\| `(\w+)`(\?)? \| ([^|]+) \|", line):
            found.setdefault(name, []).append(Key(row[1], bool(row[2]), alternatives(row[3])))
        elif line == "| key | type | meaning |":
            found[name] = []
    return found


TABLES = tables()


def keys(table: str) -> Iterator[tuple[str, Key]]:
    for row in TABLES[table]:
        yield from keys(row) if isinstance(row, str) else [(table, row)]


SIMPLE = {"boolean": bool, "integer": int, "string": str, "null": type(None)}


class Reader:
    """Matches values with types, and remembers what of the tables occurred."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str, str]] = set()

    def differences(self, value: Any, kind: str, path: str) -> list[str]:
        """Return where a value is not of a type."""
        if list_of := kind.removeprefix("list of ") if kind.startswith("list of ") else "":
            if not isinstance(value, list):
                return [f"{path} is no list: {value!r}"]
            return [x for one in value for x in self.either(one, alternatives(list_of), f"{path}[]")[0]]
        if kind.startswith("object of "):
            if not isinstance(value, dict):
                return [f"{path} is no object: {value!r}"]
            of = alternatives(kind.removeprefix("object of "))
            return [x for one in value.values() for x in self.either(one, of, f"{path}.*")[0]]
        if table := re.match(r"\[([^\]]+)\]\(#([\w-]+)\)$", kind):
            assert table[1].lower().replace(" ", "-") == table[2], kind
            return self.table(value, table[1], path)
        if kind == "number":
            right = isinstance(value, float)
        elif kind.startswith('"'):
            right = value == kind.strip('"')
        else:
            right = type(value) is SIMPLE[kind]
        return [] if right else [f"{path} is no {kind}: {value!r}"]

    def either(self, value: Any, kinds: tuple[str, ...], path: str) -> tuple[list[str], str]:
        """Return where a value is of none of some types, and of which it is."""
        found = [(self.differences(value, kind, path), kind) for kind in kinds]
        return min(found, key=lambda one: len(one[0]))

    def table(self, value: Any, name: str, path: str) -> list[str]:
        if not isinstance(value, dict):
            return [f"{path} is no object: {value!r}"]
        rows = list(keys(name))
        wrong = [f"{path} has the key {key!r}" for key in value.keys() - {row.name for _, row in rows}]
        for table, row in rows:
            if row.name in value:
                found, kind = self.either(value[row.name], row.types, f"{path}.{row.name}")
                wrong += found
                self.seen.add((table, row.name, kind))
            elif not row.optional:
                wrong.append(f"{path} lacks the key {row.name!r}")
        return wrong


SOME = ("arc-eager-published-arc-eager", "collins1996-head-corner5")  # one that holds, one that does not
FILES = {
    "no-end.schema": "schema no-end extends planar-system(single_head = 0, no_covered_roots = 0, acyclic = 0)\n\n"
    "step Unshift\n  composed of Unshift\n",
    "dog.scores": "words the dog barks\nattach the to dog [log 2]\nattach barks to 0 [log 3]\n"
    "attach the to barks [0]\n",
    "toy.dict": "LEFT-WALL: W+; the: D+; cat UNKNOWN-WORD: {D-} & {W-} & S+; sat: S-;",
    "broken.schema": "schema broken\nitem x[i: nonsense]\n",
    "broken.drules": "the -> \n",
    "twice.dict": "the: D+;\nthe: D+;\n",
    "none.drules": 'root "c"\n',
    "broken.conllu": "# sent_id = bad\n1\tthe\t_\tDET\t_\t_\tnine\tdet\t_\t_\n\n"
    "1\tthe\t_\tDET\t_\t_\t0\troot\t_\t_\n\n",
    "around.schema": "schema around\nitem p[i: position]\n  where 0 <= i <= n\nhypothesis word[i]  where 0 <= i <= n\n"
    "step Start\n  word[i]\n  -------\n  p[i]\nstep Right\n  p[i]\n  -------\n  p[i + 1]\n"
    "step Left\n  p[i]\n  -------\n  p[i - 1]\nfinal p[n]\n",
}
FILES["still.schema"] = "schema still extends reachability\nwithout step Go\n"
FILES["still.facts"] = "name(start, a)\nname(goal, b)\nedge(a, b)\n"
FILES["pairs.schema"] = """schema pairs extends cyk

step Again
  edge[B, i, j]   edge[C, j + 1, k]
  ---------------------------------  rule A(B C), j - i > 0
  edge[A, i, k]
"""
# A certificate of nothing, which proves nothing.
FILES["none.json"] = """{"certificates": [
    {"from": "hybrid", "to": "hybrid", "kind": "static-filter", "maps": [], "cases": []},
    {"from": "hybrid", "to": "hybrid", "kind": "item-contraction", "maps": [], "cases": []}]}
"""
FILES["twice.schema"] = """schema twice extends eisner-lg

replace step Combiner
  span[i, j, *a1 . *b1, *a2 ., a3, _, B1, D1]   span[j, k, *a4 ., *c2 . *d2, _, d4, B2, _]
  ----------------------------------------------------------------------------------------  B1 or B2, D1 or j == i + 1
  span[i, k, *a1 . *b1, *c2 . *d2, a3, d4, B1 and B2, false]
"""
CASES = """
list:
    list --sort steps
    list
show SCHEMA:
    show mh
    show around.schema
show RELATION:
    show mh-mh
    show eisner-satta1999-generalised-eisner-satta
    show collins1996-wg1
check:
    check eisner1996 broken.schema broken.drules
    check twice.dict nowhere.schema
grammar extract:
    grammar extract broken.conllu
run:
    run eisner1996 the cat sat
    run eisner1996 a b c d e f g h --max-steps 50
    run eisner1996 a b c d --tree-budget 0
    run covington2001 a b
    run cyk the dog slept --grammar example --best 1
    run around.schema a b
    run attardi2006 a b --derivations 1 --svg pictures
    run sleator-temperley1991 the cat sat --grammar toy.dict --derivations 1
    run eisner-satta-lg the cat sat --grammar toy.dict --tree-budget 0
    run eisner1996 --conllu example --grammar gold
    run eisner1996 a b --best 1 --total log --total count --total boolean --marginals --sample 1
    run covington2001 a b c
    run eisner1996 a b c --total log
    run --conllu broken.conllu --grammar gold eisner1996
    run sleator-temperley1991 "the cats sat" --grammar toy.dict
    run eisner-lg the catt sat --grammar toy.dict
    run eisner1996 a b c --control greedy --search-error
    run arc-standard-system a b --control "astar, prefer Shift" --search-error
    run mh a b --grammar none.drules --control greedy --search-error
run --trace:
    run eisner1996 a b --trace-all --useful --svg pictures
    run mh a b c d e f --trace --max-steps 20
    run attardi2006 a b --trace
    run arc-eager a b --trace
verify --class:
    verify eisner1996 --class projective --max-n 2 --random 2
    verify eisner1996 --class all --max-n 3
    verify covington2001 --class all --max-n 2 --roots many
    verify eisner1996 --class all --max-n 3 --max-steps 3
    verify lombardo-lesmo1996 --class all --max-n 3
    verify arc-eager-published --class projective --max-n 2
    verify covington2001 --class all --max-n 3
    verify mg1 --class projective --max-n 1 --cite
    verify collins1996 --class projective --max-n 3 --repair
    verify covington2001 --class all --max-n 3 --repair
    verify around.schema --class all --max-n 1
    verify dag-arc-standard-system --class planar --max-n 3
verify --same-as:
    verify earley --same-as cyk --max-n 2
    verify cyk --same-as earley --max-n 2
    verify covington2001 --same-as eisner1996 --max-n 3
    verify eisner1996 --same-as wg1 --max-n 4
    verify eisner1996 --same-as wg1 --max-n 4 --max-steps 3
    verify noncrossing-acyclic --same-as noncrossing --max-n 2
    verify lombardo-lesmo1996 --same-as dvh1 --max-n 1
    verify tag-earley --same-as tag-cky --grammar example --max-n 1
    verify still.schema --same-as reachability --grammar still.facts --max-n 2
verify over context-free grammars:
    verify cyk --max-n 2 --max-steps 1
    verify cyk --max-n 2
    verify pairs.schema --max-n 3
    verify cyk --class all --max-n 1
    verify earley --class binary --max-n 1
verify without a class:
    verify covington2001 --max-n 2
    verify eisner1996 --max-n 3 --max-steps 3
    verify covington2001 --max-n 3
verify over dictionaries:
    verify eisner-satta-lg --max-n 3 --max-steps 1
    verify eisner-satta-lg:acyclic=1 --max-n 3
    verify twice.schema --max-n 3
relate --kind:
    relate eisner-satta1999 eisner1996 --kind step-refinement --max-n 3
    relate eisner1996 eisner-satta1999 --kind static-filter --max-n 2
    relate collins1996 head-corner5 --kind item-refinement --max-n 2
    relate wg1 mg1 --kind static-filter --max-steps 5
relate without a kind:
    relate generalised-eisner-satta collins1996 --max-n 2
    relate nivre2003 collins1996 --max-n 1
    relate generalised-eisner-satta collins1996 --max-steps 5
relate of a file:
    relate mh-mh --max-n 1
relate --recheck:
    relate --recheck none.json
relate --counts:
    relate eisner-satta1999 eisner1996 --counts 2..3
    relate eisner-satta1999 eisner1996 --counts 8 --max-steps 10
    relate collins1996 wg1 --counts 1
    relate eisner1996 eisner1996:end=1 --counts 2
relate --counts of a file:
    relate attardi2006-mh --counts 2
explain ITEM:
    explain eisner1996 a b "span[0, 2, false, true]"
    explain eisner1996 a b "span[0, 2, false, true]" --depth 1
    explain hybrid a b "span[0, 2]"
    explain mh a b "heads[<0, 3>]"
    explain around.schema a b "p[2]"
    explain hybrid "a b c" "span[0, 3]"
    explain eisner1996 "the dog barks" "span[0, 3, false, true]" --weights dog.scores --best
explain --all:
    explain eisner1996 "the dog barks" "span[0, 3, false, true]" --weights dog.scores --all
    explain eisner1996 a b "span[0, 2, false, true]" --all
    explain mh a b "heads[<0, 3>]" --all
explain of what is not derivable:
    explain eisner1996 a b "span[0, 2, true, true]"
why-not:
    why-not eisner1996 a b "span[0, 2, false, true]" --grammar heads:2,0
    why-not eisner1996 a b "span[0, 2, true, true]"
    why-not collins1996 a b c "tree[1, 3, 2]" --grammar heads:2,3,0
    why-not sleator-temperley1991 the the --grammar toy.dict
    why-not eisner1996 a b c d e f --max-steps 10
    why-not wg1 a b c "tree[1, 3, 1, 2, 2]" --grammar heads:0,0,0
    why-not mh a b --grammar none.drules
why-not --heads:
    why-not eisner1996 a b c --heads 2,0,2
    why-not eisner1996 a b c d --heads 0,4,1,1
    why-not collins1996 a b c --heads 2,0,2 --grammar none.drules
    why-not attardi2006 a b c d e f --heads 4,5,6,0,4,4
why-not --best:
    why-not eisner1996 the dog barks --weights dog.scores --best 2,0,2
    why-not eisner1996 the dog barks --weights dog.scores --best 3,3,0
    why-not eisner1996 the dog barks --weights dog.scores --best 2,0,2 --grammar none.drules
compare:
    compare eisner1996 mh:k=4 "a b c"
    compare eisner1996 collins1996 --lengths 2..4
    compare eisner1996 collins1996 --lengths 9 --max-steps 20
    compare eisner1996 collins1996 --lengths 2..4 --formulas
    compare eisner1996 collins1996 --conllu broken.conllu --grammar gold
    compare mh mh:k=4 --sentence "a b c" --diff --csv table.csv
    compare yamada-matsumoto2003 eisner1996 "a b" --diff
    compare eisner1996 collins1996 --lengths 3 --random 0.5 --samples 3
    compare eisner-lg yamada-matsumoto-lg "the cat sat" --grammar toy.dict
    compare around.schema eisner1996 "a b"
    compare eisner1996 collins1996 "a b c d" --tree-budget 0
    compare eisner-lg "the catt sat" --grammar toy.dict
profile:
    profile eisner1996 a b c
    profile eisner1996 a b c d --engine native
    profile mh a b c
    profile wg1 a
    profile wg1 a b c d --max-steps 20
    profile around.schema a
complexity:
    complexity eisner1996
    complexity mh
    complexity nivre2003
    complexity earley
    complexity wg1-unlexicalised --max-steps 10
    complexity arc-standard --improve
    complexity arc-standard --improve --folds-only
    complexity eisner1996 --improve
coverage:
    coverage example --schema eisner1996 --examples 1
    coverage example --schema eisner1996 --schema nivre2003 --seconds
tabulate:
    tabulate arc-eager-system --root
    tabulate hybrid --back
system:
    system hybrid-system --max-n 2
    system swap-system --max-n 2
    system planar-system --max-n 2
    system no-end.schema --max-n 2
oracle:
    oracle arc-eager-system a b --heads 2,0
    oracle arc-eager-system a b c d --heads 3,4,0,3
    oracle arc-eager-system --conllu example
    oracle swap-system "a b c d e f g h i j k l m n" --heads 0,1,1,1,2,3,4,2,3,4,5,6,7,8 --losses
step:
    step arc-eager-system a b --heads 2,0 --take o,o,o
    step mcdonald-pereira2006 a b --take 1,1
    step itg "the cat ||| le chat" --grammar example --take 1,1,1
pseudo-projective:
    pseudo-projective example
compile:
    compile eisner1996
compile --explain:
    compile eisner1996 --explain
    compile around.schema --explain
    compile wg1 --explain
    compile cyk --explain
    compile wgk --explain
relate --all:
    relate --all --max-n 2
    relate --all --max-n 2 --max-steps 5
"""
"""The commands by the table that describes what they print."""


RARE = {
    # No small run is known in which an item of a Link Grammar schema helps to derive itself.
    ("dictionary case", "count", '"infinite"'),
    ("dictionary case", "cycle", "[dictionary step](#dictionary-step)"),
    ("dictionary case", "derivation", "null"),
    # What is derived twice and is no tree, where no tree is; a search for repairs that is stopped.
    ("ambiguous", "heads", "null"),
    ("repairs", "stopped", "string"),
    # Runs that are stopped late, and bottlenecks of runs without steps.
    ("run", "useful_items", "null"),
    ("profile", "bottleneck", "null"),
    ("coverage", "unknown", "object of integer"),  # a run that takes too long
    ("coverage", "seconds", "null"),  # likewise
    ("skipped", "line", "null"),
    ("block", "antecedent", "null"),
    ("bottleneck", "antecedent", "null"),
    # Which step takes longest is another every time.
    ("bottleneck", "case", "string"),
    ("bottleneck", "case", "null"),
    ("bottleneck", "note", "string"),
    ("bottleneck", "note", "null"),
    # Random grammars of rules, which refute only what all trees do not.
    ("grammar", "rules", "list of string"),
    ("grammar", "roots", "list of string"),
    ("grammar", "categories", "list of list of string"),
}
"""What is documented and does not occur below."""


def cases() -> Iterator[tuple[str, list[str]]]:
    table = ""
    for line in CASES.strip().splitlines():
        if line.startswith(" "):
            yield table, shlex.split(line)
        else:
            table = line.removesuffix(":")


def test_the_tables(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = {name: path for name, path in shipped_relations().items() if name in SOME}
    monkeypatch.setattr("schemata.relations.discovery.shipped_relations", lambda: shipped)
    monkeypatch.setattr("schemata.structures.oracles._MOST", 100)  # a loss of swap-system soon is unknown
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    reader, wrong = Reader(), []
    for table, words in cases():
        lines = cli(*words, "--json").out.splitlines()
        assert lines, words
        for found in map(json.loads, lines):
            assert found.pop("version") == VERSION
            wrong += [f"{' '.join(words)}: {x}" for x in reader.table(found, table, table)]
    assert not wrong, "\n".join(wrong)
    rows = ((name, row) for name in TABLES for row in TABLES[name] if isinstance(row, Key))
    documented = {(name, row.name, kind) for name, row in rows for kind in row.types}
    assert documented >= RARE
    missing = sorted(
        f"{table}: {key} is never {kind}" for table, key, kind in documented - RARE - reader.seen
    )
    assert not missing, "\n".join(missing)
