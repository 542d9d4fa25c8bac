"""The check of the house and its drawing: figures, the order of rooms, and that the package keeps to the order."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from schemata import kinds
from tests.support import script

ROOT = Path(__file__).parents[1]
CI = ROOT / ".ci"

# Constructs of the language, with their nodes: m of the checked schema, s of the syntax tree. Constructs that share a
# node of the syntax tree with others are counted by that of the checked schema. What conditions ask of a grammar are
# relations, which have one node in common, `m.HasFact`: they are told apart by their names.
CONSTRUCTS = {
    "type category = symbol | category / category": ("s.TypeDeclaration",),
    "compose(F, S, T)": ("m.Composed",),
    "given span[i, j]": ("m.Antecedent", "s.AntecedentSyntax"),
    "head h": ("s.HeadOfBuilt",),
    "link head of 2 to head of 1": ("m.HeadLink", "s.LinkHeads"),
    "*a . *b as a label": ("m.AtDot",),
    "relation adjoin(tree: symbol, node: symbol)": ("s.RelationDeclaration",),
    "join i to j by x ~ y": ("m.Join",),
    "covers [i..j] minus gaps, with or without h": ("m.Cover",),
    "for every layout of a, b": ("s.Family",),
    "map span[i, j] to tree[i, j]": ("s.ItemMapLine",),
    "for d in [1..3]": ("s.ValueRange",),
}
NODES = {"schemata.language.model": "m", "schemata.language.syntax": "s"}


@pytest.fixture(scope="module")
def house() -> ModuleType:
    return script("house")


@pytest.fixture(scope="module")
def drawing(house: ModuleType) -> ModuleType:
    return script("drawing")


@pytest.fixture(scope="module")
def schemata_modules(house: ModuleType) -> Any:
    return house.read_package(house.ROOT / "schemata")


def package(folder: Path, **modules: str) -> Path:
    base = folder / "small"
    for name, text in {"__init__": "", **modules}.items():
        path = base / (name.replace("__in__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return base


def test_rooms_know_only_those_before_them(house: ModuleType, schemata_modules: Any) -> None:
    rooms = tomllib.loads((CI / "house.toml").read_text(encoding="utf-8"))["rooms"]
    assert house.upwards(schemata_modules, rooms["order"]) == []


def test_arrows_upwards_are_found(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        errors="",
        low__in__one="def late():\n    from small.high import two\n",
        high__in__two="from small.low.one import late\nfrom small import errors\n",
    )
    modules = house.read_package(base)
    assert set(house.arrows(modules)) == {("low", "high"), ("high", "low"), ("high", "errors")}
    order = ["errors", "low", "high", "__init__"]
    assert house.upwards(modules, order) == ["low -> high: small.low.one imports upwards"]
    assert house.upwards(modules, ["errors", "low", "__init__"])[0] == "the order lacks the room high"


def test_types_of_answers_may_come_from_above(house: ModuleType, tmp_path: Path) -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from small.high.two import Proof\n"
    base = package(
        tmp_path,
        records="def ask(): ...\n",
        low__in__forwarder=f"from small.records import ask\n{types}def f() -> 'Proof': return ask('f')\n",
        low__in__late=types,
        high__in__two="from small.low import forwarder\n",
    )
    modules = house.read_package(base)
    order = ["records", "low", "high", "__init__"]
    assert house.upwards(modules, order) == ["low -> high: small.low.late imports upwards"]
    assert house.cycles(modules) == []


def test_modules_do_not_import_each_other(house: ModuleType, schemata_modules: Any) -> None:
    """The two formats of certificates in `correctness` are the one pair that still does."""
    pair = ["schemata.correctness.certificate", "schemata.correctness.gap_certificate"]
    assert [cycle for cycle in house.cycles(schemata_modules) if cycle != pair] == []


def test_cycles_are_found(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        room__in__a="from small.room import b\n",
        room__in__b="def f():\n    def g():\n        from small.room.c import C\n",
        room__in__c="from small.room.a import x\n",
        room__in__d="from small.room.a import x\n",
    )
    assert house.cycles(house.read_package(base)) == [["small.room.a", "small.room.b", "small.room.c"]]


def test_figures(house: ModuleType, tmp_path: Path) -> None:
    base = package(
        tmp_path,
        room__in__a='"""About.\n"""\n\nimport os\nfrom small.room import b\n\n# why\nX = (\n    os,\n    b,\n)\n',
        room__in__b='__all__ = ["f"]\n\n\ndef f():\n    """Say."""\n    return 1\n',
        other__in__b="from small.room.a import X\n",
    )
    modules = house.read_package(base)
    assert {m.name: (m.code, m.boilerplate) for m in modules} == {
        "small": (0, 0), "small.room.a": (6, 2), "small.room.b": (3, 1), "small.other.b": (1, 1),
    }  # fmt: skip
    assert [(m.name, importer) for m, importer in house.fragments(modules)] == [
        ("small.room.b", "small.room.a")
    ]
    assert house.figures(modules) == {
        "files": 4, "code_lines": 10, "boilerplate_percent": 40.0, "fragments": 1, "repeated_basenames": 1,
        "largest": 6,
    }  # fmt: skip
    limits = {"code_lines": 10, "fragments": 0}
    rooms = {"order": ["room", "other", "__init__"]}
    assert house.complaints(modules, {"limits": limits, "rooms": rooms}) == ["fragments is 1, and may be 0"]


def test_the_drawing_is_that_of_the_imports(drawing: ModuleType, schemata_modules: Any) -> None:
    plan = tomllib.loads((CI / "house.toml").read_text(encoding="utf-8"))
    drawn = drawing.drawing(schemata_modules, plan)
    assert drawing.FILE.read_text(encoding="utf-8") == drawn, "python .ci/drawing.py draws it anew"


def test_no_arrow_of_the_drawing_leads_upwards(
    house: ModuleType, drawing: ModuleType, schemata_modules: Any
) -> None:
    root = ElementTree.fromstring(drawing.FILE.read_text(encoding="utf-8"))
    tops = {
        group.get("id", "").removeprefix("room-"): float(group[0].get("y", ""))
        for group in root.iter("{http://www.w3.org/2000/svg}g")
    }
    for room, target in house.arrows(schemata_modules):
        if {room, target} <= tops.keys():
            assert tops[room] > tops[target], f"{room} knows {target}"


def test_what_arrows_imply_is_left_out(drawing: ModuleType) -> None:
    arrows = {("b", "a"), ("c", "b"), ("c", "a"), ("d", "a"), ("a", "shared")}
    below = drawing.known_by(arrows, {"a", "b", "c", "d"})
    assert below == {"a": {"b", "d"}, "b": {"c"}, "c": set(), "d": set()}
    assert drawing.rows_of(below, ["shared", "a", "d", "b", "c"]) == [["a"], ["d", "b"], ["c"]]


def test_no_name_of_a_kind_is_compared() -> None:
    """Kinds of structures and grammars are values with traits: only their own module has their names."""
    package = ROOT / "schemata"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, text in texts.items()
        if path != package / "kinds.py"
        for line, name in names_compared(ast.parse(text))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "code",
    [
        "schema.grammar == 'd-rules'",
        "'context-free' != kind",
        "schema.structure in ('dependency tree', other)",
        "match kind:\n    case 'linkage' | None:\n        pass",
        "names = {'dependency-rules': 1}[kind]",
    ],
)
def test_compared_names_of_kinds_are_found(code: str) -> None:
    assert len(list(names_compared(ast.parse(code)))) == 1


def names_compared(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield names of kinds that are compared: in comparisons, in cases, and as keys of tables, if of two words."""
    for node in ast.walk(tree):
        sides: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                sides += side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
        elif isinstance(node, ast.MatchValue):
            sides = [node.value]
        elif isinstance(node, ast.Dict):  # such as {"facts": ...}, which may be any table
            sides = [x for x in node.keys if isinstance(x, ast.Constant) and re.search("[ -]", str(x.value))]
        for side in sides:
            if isinstance(side, ast.Constant) and side.value in (*kinds.GRAMMARS, *kinds.STRUCTURES):
                yield node.lineno, str(side.value)


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_construct_is_named_in_at_most_six_modules(construct: str) -> None:
    nodes = CONSTRUCTS[construct]
    assert set(nodes) <= set().union(*nodes_named().values())
    modules = [module for module, named in nodes_named().items() if named & set(nodes)]
    assert len(modules) <= 6, modules


@cache
def nodes_named() -> dict[str, set[str]]:
    """Return, by module, the nodes of the checked schema and of the syntax tree that it names or defines."""
    return {
        str(path.relative_to(ROOT)): _nodes_in(path) for path in sorted((ROOT / "schemata").rglob("*.py"))
    }


def _nodes_in(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    here = NODES.get(".".join(path.relative_to(ROOT).with_suffix("").parts))
    homes: dict[str, str] = {}  # names of the two modules, by the name that they have here
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                home = NODES.get(f"{node.module}.{alias.name}")
                if home is not None:
                    homes[alias.asname or alias.name] = home
                elif node.module in NODES:
                    found.add(f"{NODES[node.module]}.{alias.name}")
        elif isinstance(node, ast.ClassDef) and here is not None:
            found.add(f"{here}.{node.name}")
    attributes = (
        node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
    return found | {f"{homes[a.value.id]}.{a.attr}" for a in attributes if a.value.id in homes}  # type: ignore[attr-defined]
